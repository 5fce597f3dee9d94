//! Accounts that ask not to be collected, on their profile page alone.

use std::sync::atomic::{AtomicBool, Ordering};

use freshet_types::{Fault, Request, Response};
use futures::future::{BoxFuture, FutureExt};

use super::*;
use crate::Chances;

/// Shows the flag on the profile of one account, and nowhere else.
#[derive(Debug)]
struct Flagged {
    inner: WorldFetch,
    profile: String,
    is_on: Arc<AtomicBool>,
}

impl Fetch for Flagged {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let is_out = request.url.ends_with(&self.profile) && self.is_on.load(Ordering::Relaxed);
        let inner = self.inner.fetch(request);
        async move {
            let mut response = inner.await?;
            if is_out {
                let text =
                    String::from_utf8_lossy(&response.body).replace("\"noindex\":false", "\"noindex\":true");
                response.body = text.into_bytes();
            }
            Ok(response)
        }
        .boxed()
    }
}

/// A still scene in which the first account can opt out; its id, and the switch.
fn flagged(on_delete: OnDelete) -> (Scene, Box<dyn Store>, String, Arc<AtomicBool>) {
    let chances = Chances {
        departure_per_day: 0.0,
        suspension_per_day: 0.0,
        privacy_per_day: 0.0,
        deletion_share: 0.0,
        edit_share: 0.0,
        repost_share: 0.0,
        ..Chances::default()
    };
    let options =
        WorldOptions { seed: 61, accounts: 4, posts_per_day: 12.0, chances, ..WorldOptions::default() };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    let id = scene.with_world(|world| world.accounts().next().map(|one| one.id.to_string())).unwrap();
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let is_on = Arc::new(AtomicBool::new(false));
    let profile = format!("/accounts/{id}");
    scene.fetch = Some(Arc::new(Flagged { inner, profile, is_on: Arc::clone(&is_on) }));
    let mut store = scene.store(4);
    store.set_on_delete(&Scene::network(), on_delete).unwrap();
    (scene, store, id, is_on)
}

fn states<S: Store>(driver: &Driver<S>, id: &str) -> Vec<SourceState> {
    let sources = all_sources(&driver.store).into_iter().filter(|source| source.root_id == id);
    sources.map(|source| source.state).collect()
}

/// Posts of this author that were first seen after an instant, and texts that are kept.
fn of<S: Store>(driver: &Driver<S>, id: &str, after: Timestamp) -> (usize, usize) {
    let all: Vec<PostRow> =
        posts(&driver.store).into_iter().filter(|row| row.post.author.as_deref() == Some(id)).collect();
    let late = all.iter().filter(|row| row.seen_at > after).count();
    (late, all.iter().filter(|row| !row.post.text.is_empty()).count())
}

#[test]
fn a_flag_on_the_profile_stops_the_posts_too() {
    for on_delete in [OnDelete::Keep, OnDelete::Redact] {
        let (scene, store, id, is_on) = flagged(on_delete);
        let mut driver = scene.start(store);
        driver.run_for(Span::DAY).unwrap();
        assert_eq!(states(&driver, &id), [SourceState::Active; 2]);
        let (_, texts_before) = of(&driver, &id, scene.now());
        assert!(texts_before > 20, "{texts_before} posts are no test: choose another seed");

        is_on.store(true, Ordering::Relaxed);
        driver.run_for(Span::HOUR * 7.0).unwrap();
        assert_eq!(states(&driver, &id), [SourceState::OptedOut; 2], "{on_delete:?}");
        let (seen_at, lists) = (scene.now(), requests_about(&driver, "posts", &id));
        let (_, texts) = of(&driver, &id, seen_at);
        match on_delete {
            OnDelete::Keep => assert!(texts >= texts_before, "{texts} of {texts_before} are kept"),
            OnDelete::Redact => assert_eq!(texts, 0, "what was stored is redacted"),
        }
        driver.run_for(Span::DAY * 4.0).unwrap();
        assert_eq!(requests_about(&driver, "posts", &id), lists, "its list is not asked for any more");
        assert_eq!(of(&driver, &id, seen_at).0, 0);

        // Who changes their mind is found within a day or two, and nothing is missing afterwards.
        is_on.store(false, Ordering::Relaxed);
        driver.run_for(Span::DAY * 2.0).unwrap();
        assert_eq!(states(&driver, &id), [SourceState::Active; 2], "{on_delete:?}");
        scene.check_posts(&driver.store, &scene.accounts(4));
    }
}

#[test]
fn a_source_of_somebody_who_opted_out_rests_from_the_start() {
    let (scene, mut store, id, is_on) = flagged(OnDelete::Keep);
    is_on.store(true, Ordering::Relaxed);
    let lists = all_sources(&store).into_iter().filter(|source| source.robot == RobotKind::Status);
    let lists: Vec<SourceId> = lists.map(|source| source.id).collect();
    store.set_state(&lists, SourceState::Removed).unwrap();
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR).unwrap();
    driver.store.add_sources(&scene.sources(4)).unwrap();
    driver.load().unwrap();
    driver.run_for(Span::HOUR * 12.0).unwrap();
    let (_, texts) = of(&driver, &id, Timestamp::MIN);
    assert_eq!((states(&driver, &id), texts), (vec![SourceState::OptedOut; 2], 0));
}

fn requests_about<S>(driver: &Driver<S>, endpoint: &str, root: &str) -> usize {
    driver.journal.iter().filter(|one| &*one.endpoint == endpoint && one.root == root).count()
}
