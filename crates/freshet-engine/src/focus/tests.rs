//! What a focus that is all that is collected leaves of pages, through the constrainer into a store in memory.
//!
//! What such rows are is the store's business (`freshet_store::conformance`); what they do to a crawl is shown in `freshet_sim::driver`.

use std::sync::Arc;

use freshet_network::constraint::{Constraint, Constraints};
use freshet_network::focus::Written;
use freshet_network::networks::Networks;
use freshet_store::api::prelude::*;
use freshet_store::testing;
use freshet_types::{Observation, Post, Primitive, Timestamp, VisitId};

use super::*;
use crate::constrain::Constrainer;

fn network() -> NetworkName {
    NetworkName::from("mastodon:a.example")
}

fn focus(tags: &str, places: &str, is_only: bool) -> Written {
    let list = |text: &str| vec![text.to_owned()];
    Written { tags: list(tags), places: list(places), is_only, ..Written::default() }
}

/// A post with a tag.
fn post(id: &str, author: &str, tag: &str) -> Post {
    Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some(author.to_owned()),
        text: format!("text of {id}"),
        tags: vec![tag.to_owned()],
        ..Post::default()
    }
}

fn account(id: &str, location: Option<&str>) -> Account {
    let handle = Some(format!("h{id}"));
    Account { id: id.to_owned(), handle, location: location.map(str::to_owned), ..Account::default() }
}

fn page(secs: i64, posts: Vec<Post>, accounts: Vec<Account>) -> Upload {
    Upload {
        observation: Observation { posts, accounts, ..Observation::default() },
        ..Upload::new(VisitId(secs as u64), network(), Timestamp::from_secs(secs))
    }
}

/// A store with a constrainer before it.
struct Scene {
    store: Box<dyn Store>,
    constrainer: Constrainer,
}

impl Scene {
    fn new(rules: &[&str]) -> Self {
        let mut scene =
            Self { store: testing::memory(), constrainer: Constrainer::new(Arc::new(Networks::shipped())) };
        let rules = rules.iter().map(|text| Constraint::parse("post", text).unwrap());
        let rules = Constraints::new(rules.collect()).unwrap();
        scene.constrainer.replace(&mut scene.store, rules, Timestamp::from_secs(0)).unwrap();
        scene
    }

    fn set(&mut self, written: &Written) {
        FOCUS.put(&mut self.store, &Json(written.read().unwrap())).unwrap();
    }

    fn apply(&mut self, upload: Upload) {
        self.constrainer.apply(&mut self.store, &mut vec![upload]).unwrap();
    }

    /// Ids of the posts that have their content, and of those that have none.
    #[track_caller]
    fn check(&self, kept: &str, outside: &str) {
        let rows = self.store.posts(&Filter::default(), 100).unwrap().rows;
        let ids = |is_outside: bool| {
            let some = rows.iter().filter(|row| row.is_outside == is_outside);
            some.map(|row| row.post.id.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((ids(false).as_str(), ids(true).as_str()), (kept, outside));
        assert!(rows.iter().all(|row| row.is_outside == row.post.text.is_empty()), "{rows:?}");
    }
}

#[test]
fn a_focus_keeps_nothing_out_until_it_is_all_that_is_collected() {
    let mut scene = Scene::new(&[]);
    let seen = |secs| page(secs, vec![post("1", "a", "rain"), post("2", "a", "sun")], Vec::new());
    scene.set(&focus("rain", "", false));
    scene.apply(seen(1));
    scene.check("1 2", "");
    let mut scene = Scene::new(&[]);
    scene.set(&focus("rain", "", true));
    scene.apply(seen(1));
    scene.check("1", "2");
    // Set again without it, or taken away: what is seen again is collected.
    scene.set(&focus("rain", "", false));
    scene.apply(seen(2));
    scene.check("1 2", "");
    scene.set(&focus("sun", "", true));
    scene.apply(page(3, vec![post("3", "a", "rain"), post("1", "a", "rain")], Vec::new()));
    scene.check("1 2", "3");
    scene.store.set_settings(&[(FOCUS.key().to_owned(), None)]).unwrap();
    scene.apply(page(4, vec![post("3", "a", "rain")], Vec::new()));
    scene.check("1 2 3", "");
}

#[test]
fn a_place_is_what_the_page_or_the_store_says_of_the_author() {
    let mut scene = Scene::new(&[]);
    scene.set(&focus("", "oslo", true));
    scene.apply(page(1, Vec::new(), vec![account("a", Some("Oslo")), account("b", Some("Bergen"))]));
    let posts = ["a", "b", "c", "d"].map(|author| post(author, author, "x")).to_vec();
    // A short form says nothing of the place; a newcomer does, and of one nobody knows anything.
    scene.apply(page(2, posts, vec![account("a", None), account("c", Some("Oslo"))]));
    scene.check("a c", "b d");
    scene.apply(page(3, vec![post("d", "d", "x")], vec![account("d", Some("Oslo, Norway"))]));
    scene.check("a c d", "b");
    assert_eq!(scene.store.counts().unwrap().accounts, 4, "accounts are not left out");
}

#[test]
fn what_a_constraint_lets_go_later_must_lie_inside_as_well() {
    let liked = r#"post.plinks["like_count"] > 10"#;
    let mut scene = Scene::new(&[liked]);
    scene.set(&focus("rain", "", true));
    let likes =
        |post: Post, count| Post { plinks: vec![("like_count".into(), Primitive::Int(count))], ..post };
    scene.apply(page(1, vec![post("1", "a", "rain"), post("2", "a", "sun")], Vec::new()));
    scene.check("", "");
    assert_eq!(
        scene.store.counts().unwrap().parked,
        1,
        "what lies outside is not written down while it waits"
    );
    scene.set(&focus("sun", "", true));
    scene.apply(page(2, vec![likes(post("1", "a", "rain"), 20)], Vec::new()));
    scene.check("", "1");
    scene.apply(page(3, vec![likes(post("3", "a", "sun"), 20), likes(post("4", "a", "sun"), 1)], Vec::new()));
    scene.check("3", "1");
}
