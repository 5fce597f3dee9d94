//! A crawl that collects nothing but what its focus selects, beside one that has the same focus and collects everything: posts, edits and
//! deletions are noticed at the same looks, the same is complete, and only what fits has its content.

use freshet_engine::focus::FOCUS;
use freshet_network::focus::Written;
use freshet_store::setting::Json;

use super::*;
use crate::world::text;

const ACCOUNTS: usize = 6;

/// The tags that are wanted: any; most posts have none.
fn wanted() -> Vec<String> {
    (0..text::TAG_COUNT).map(|tag| text::tag_name(tag).to_owned()).collect()
}

/// The same crawl with a focus, which is all that is collected or not.
fn crawl(is_only: bool) -> (Scene, Box<dyn Store>) {
    let options = WorldOptions {
        seed: 11,
        accounts: ACCOUNTS as u32 + 2,
        posts_per_day: 12.0,
        history: Span::DAY * 2.0,
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::MINUTE * 30.0);
    let mut driver = scene.start(scene.store(ACCOUNTS));
    let written = Written { tags: wanted(), is_only, ..Written::default() };
    FOCUS.put(&mut driver.store, &Json(written.read().unwrap())).unwrap();
    driver.run_for(Span::DAY * 2.0).unwrap();
    scene.check_posts(&driver.store, &scene.accounts(ACCOUNTS));
    (scene, driver.store)
}

#[test]
fn what_is_collected_alone_is_what_fits_and_nothing_else_changes() {
    let ((_, all), (_, only)) = (crawl(false), crawl(true));
    let told = |store: &dyn Store| -> Vec<_> {
        let changes = store.changes_above(0, usize::MAX >> 1).unwrap().into_iter();
        changes.map(|change| (change.kind, change.address, change.seen_at)).collect()
    };
    assert_eq!(told(&*only), told(&*all), "edits and deletions are noticed at the same looks");
    let proven = |store: &dyn Store| -> Vec<_> {
        all_sources(store).into_iter().map(|source| (source.id, source.coverage)).collect()
    };
    assert_eq!(proven(&*only), proven(&*all), "the same is complete");
    let (all, only) = (posts(&all), posts(&only));
    assert_eq!(all.len(), only.len());
    let (mut counts, wanted) = ((0, 0), wanted());
    for (whole, row) in all.iter().zip(&only) {
        let fits = whole.post.tags.iter().any(|tag| wanted.contains(tag));
        assert_eq!((&whole.post.id, row.is_outside), (&row.post.id, !fits), "{whole:?}");
        if fits {
            assert_eq!(whole.post, row.post);
        } else {
            assert!(row.post.text.is_empty() && row.post.tags.is_empty(), "{row:?}");
            assert_eq!((whole.deleted_at, whole.post.created_at), (row.deleted_at, row.post.created_at));
        }
        counts = (counts.0 + usize::from(fits), counts.1 + usize::from(!fits));
    }
    assert!(counts.0 > 10 && counts.1 > 10, "{counts:?} fit and do not");
}
