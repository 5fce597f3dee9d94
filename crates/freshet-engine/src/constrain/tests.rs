//! Every way through the constraints, on a store in memory and the shipped definition of Mastodon.

use freshet_network::constraint::Constraint;
use freshet_store::row::{Filter, Listing};
use freshet_store::testing;
use freshet_types::{Account, NetworkName, Observation, Primitive, RobotKind, Source};

use super::*;

const LIKED: &str = r#"post.plinks["like_count"] > 1000"#;
const FOLLOWED: &str = r#"post.clinks["author"].plinks["followers_count"] > 100"#;

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

fn network() -> NetworkName {
    NetworkName::from("mastodon:a.example")
}

fn constraints(rules: &[(&str, &str)]) -> Constraints {
    let all = rules.iter().map(|(kind, text)| Constraint::parse(kind, text).unwrap()).collect();
    Constraints::new(all).unwrap()
}

fn post(id: &str, likes: Option<i64>) -> Post {
    Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some("7".to_owned()),
        created_at: Some(at(10)),
        text: format!("text of {id}"),
        plinks: likes.map(|likes| ("like_count".into(), Primitive::Int(likes))).into_iter().collect(),
        ..Post::default()
    }
}

fn account(id: &str, followers: Option<i64>) -> Account {
    Account {
        id: id.to_owned(),
        handle: Some(format!("h{id}")),
        followers_count: followers,
        ..Account::default()
    }
}

fn page(secs: i64, posts: Vec<Post>, accounts: Vec<Account>) -> Upload {
    Upload {
        robot: Some(RobotKind::Status),
        observation: Observation { posts, accounts, ..Observation::default() },
        ..Upload::new(VisitId(secs as u64), network(), at(secs))
    }
}

/// A store with a constrainer before it.
struct Scene {
    store: Box<dyn Store>,
    constrainer: Constrainer,
}

impl Scene {
    fn new(rules: &[(&str, &str)]) -> Self {
        let constrainer = Constrainer::new(Arc::new(Networks::shipped()));
        let mut scene = Self { store: testing::memory(), constrainer };
        scene.constrain(rules);
        scene
    }

    fn constrain(&mut self, rules: &[(&str, &str)]) {
        self.constrainer.replace(&mut self.store, constraints(rules), at(1000)).unwrap();
    }

    /// As a process that was killed and started again.
    fn restart(&mut self, rules: &[(&str, &str)]) {
        self.constrainer = Constrainer::new(Arc::new(Networks::shipped()));
        self.constrain(rules);
    }

    fn apply(&mut self, mut uploads: Vec<Upload>) -> Vec<Applied> {
        let visits: Vec<_> = uploads.iter().map(|upload| upload.visit).collect();
        let confirmed = self.constrainer.apply(&mut self.store, &mut uploads).unwrap();
        assert_eq!(confirmed.iter().map(|(visit, _)| *visit).collect::<Vec<_>>(), visits, "one answer each");
        confirmed.into_iter().map(|(_, applied)| applied).collect()
    }

    fn stored(&self) -> String {
        let mut ids = Vec::new();
        let mut keep = |id| {
            ids.push(id);
            Flow::Continue(())
        };
        self.store.each_post(&Filter::default(), &mut |row| keep(row.post.id)).unwrap();
        ids.sort();
        ids.join(" ")
    }

    fn parked(&self) -> String {
        let mut ids = Vec::new();
        let mut keep = |row: row::Parked| {
            ids.extend(row.address.rsplit('/').next().map(str::to_owned));
            Flow::Continue(())
        };
        self.store.each_parked(&mut keep).unwrap();
        let in_memory = self.constrainer.parking.len();
        assert_eq!(ids.len(), in_memory, "memory and store agree");
        ids.join(" ")
    }

    #[track_caller]
    fn check(&self, stored: &str, parked: &str) {
        assert_eq!((self.stored().as_str(), self.parked().as_str()), (stored, parked));
    }
}

#[test]
fn yes_is_stored_no_is_left_out_and_the_rest_waits() {
    let mut scene = Scene::new(&[("post", LIKED)]);
    let posts = vec![post("1", Some(2000)), post("2", Some(5)), post("3", None)];
    let applied = scene.apply(vec![page(100, posts.clone(), vec![])]);
    assert_eq!(applied[0].new_posts.len(), 1);
    scene.check("1", "3");
    // The same page again changes nothing, and other networks are asked other things.
    scene.apply(vec![page(101, posts, vec![])]);
    scene.check("1", "3");
    let elsewhere = Upload { network: "hackernews".into(), ..page(102, vec![post("9", None)], vec![]) };
    scene.constrain(&[("mastodon/post", LIKED)]);
    scene.apply(vec![elsewhere]);
    scene.check("1 9", "3");
}

#[test]
fn another_look_brings_the_property() {
    for (likes, stored, parked) in [(Some(2000), "1", ""), (Some(5), "", ""), (None, "", "1")] {
        let mut scene = Scene::new(&[("post", LIKED)]);
        scene.apply(vec![page(100, vec![post("1", None)], vec![])]);
        scene.check("", "1");
        scene.apply(vec![page(101, vec![post("1", likes)], vec![])]);
        scene.check(stored, parked);
    }
}

#[test]
fn a_linked_object_brings_the_property() {
    for (followers, stored, parked) in [(Some(500), "1", ""), (Some(5), "", ""), (None, "", "1")] {
        for restarts in [false, true] {
            let rules = [("post", FOLLOWED)];
            let mut scene = Scene::new(&rules);
            let source = Upload { depth: 2, ..page(100, vec![post("1", None)], vec![]) };
            scene.apply(vec![source]);
            scene.check("", "1");
            if restarts {
                scene.restart(&rules);
            }
            let profile =
                Upload { robot: Some(RobotKind::User), ..page(101, vec![], vec![account("7", followers)]) };
            let applied = scene.apply(vec![profile]);
            scene.check(stored, parked);
            assert_eq!(applied[0].new_posts.len(), usize::from(!stored.is_empty()), "counted with its cause");
        }
    }
    let mut scene = Scene::new(&[("post", FOLLOWED)]);
    scene.apply(vec![Upload { depth: 2, ..page(100, vec![post("1", None)], vec![]) }]);
    scene.apply(vec![Upload {
        robot: Some(RobotKind::User),
        ..page(101, vec![], vec![account("7", Some(500))])
    }]);
    let changes = scene.store.changes_above(0, 10).unwrap();
    let change = changes.iter().find(|change| &*change.address.kind == "post").unwrap();
    assert_eq!((change.depth, change.finder), (2, Some(RobotKind::Status)), "as when it was met");
}

#[test]
fn what_the_store_or_the_batch_knows_decides_at_once() {
    let profile = || page(100, vec![], vec![account("7", Some(500))]);
    let mut scene = Scene::new(&[("post", FOLLOWED)]);
    scene.apply(vec![profile()]);
    scene.apply(vec![page(101, vec![post("1", None)], vec![])]);
    scene.check("1", "");
    let mut scene = Scene::new(&[("post", FOLLOWED)]);
    scene.apply(vec![profile(), page(101, vec![post("1", None)], vec![account("7", None)])]);
    scene.check("1", "");
}

#[test]
fn accounts_are_judged_where_a_constraint_is_about_them() {
    let mut scene = Scene::new(&[("account", "account.followers_count > 100")]);
    let seen = vec![account("7", Some(500)), account("8", Some(5)), account("9", None)];
    scene.apply(vec![page(100, vec![post("1", None)], seen)]);
    scene.check("1", "9");
    let known = |scene: &Scene, id: &str| scene.store.account_of(&network(), id).unwrap().is_some();
    assert!(known(&scene, "7") && !known(&scene, "8") && !known(&scene, "9"));
    scene.apply(vec![page(101, vec![], vec![account("9", Some(500))])]);
    assert!(known(&scene, "9"));
    scene.check("1", "");
}

#[test]
fn depth_is_counted_from_what_a_person_added() {
    let mut scene = Scene::new(&[("account", "depth <= 1"), ("post", "depth <= 1")]);
    let ids = ["7", "8"].map(|id| account(id, None)).to_vec();
    let embedded = Post { is_embedded: true, ..post("2", None) };
    let mut source = Source::new(&network(), "statuses", RobotKind::Status, "account", "7");
    source.depth = 1;
    let (number, _) = scene.store.add_sources(std::slice::from_ref(&source)).unwrap()[0];
    source.id = number;
    let upload = Upload { depth: 1, source: Some(source), ..page(100, vec![post("1", None), embedded], ids) };
    scene.apply(vec![upload]);
    scene.check("1", "");
    let known = |id: &str| scene.store.account_of(&network(), id).unwrap().is_some();
    assert!(known("7"), "its own source is one step away");
    assert!(!known("8"), "whom it names are two");
}

#[test]
fn stored_posts_are_followed_whatever_the_constraints_say() {
    let mut scene = Scene::new(&[]);
    scene.apply(vec![page(100, vec![post("1", Some(5)), post("2", None), post("3", Some(5))], vec![])]);
    scene.constrain(&[("post", LIKED)]);
    let lists = Some(Listing { author: "7".to_owned(), from: at(0), to: at(50) });
    let edited = Post { text: "edited".to_owned(), ..post("1", Some(5)) };
    let shown = page(101, vec![edited, post("2", None), post("4", Some(5)), post("5", None)], vec![]);
    let applied = scene.apply(vec![Upload { lists, ..shown }]);
    assert_eq!(applied[0].missing, ["3"], "only what the page does not show is missing");
    assert_eq!(applied[0].edited_count, 1);
    scene.check("1 2 3", "5");
    let gone = |id: &str| Post { is_deleted: true, text: String::new(), ..post(id, None) };
    let applied = scene.apply(vec![page(102, vec![gone("1"), gone("5"), gone("6")], vec![])]);
    assert_eq!(applied[0].deleted_count, 1);
    scene.check("1 2 3", "");
}

#[test]
fn a_change_of_the_constraints_judges_what_waits() {
    for (rules, stored, parked) in [
        (&[][..], "1 2", ""),
        (&[("post", "post.id == '1'")][..], "1", ""),
        (&[("post", FOLLOWED)][..], "", "1 2"),
    ] {
        for restarts in [false, true] {
            let mut scene = Scene::new(&[("post", LIKED)]);
            scene.apply(vec![page(100, vec![post("1", None), post("2", None)], vec![])]);
            scene.check("", "1 2");
            if restarts {
                scene.restart(rules);
            } else {
                scene.constrain(rules);
            }
            scene.check(stored, parked);
        }
    }
}

#[test]
fn what_waits_too_long_is_dropped() {
    let mut scene = Scene::new(&[("post", LIKED)]);
    scene.apply(vec![page(100, vec![post("1", None)], vec![])]);
    scene.apply(vec![page(200, vec![post("1", None), post("2", None)], vec![])]);
    let dropped = scene.constrainer.drop_expired(&mut scene.store, at(350), Span::from_secs(200)).unwrap();
    assert_eq!(dropped, 1, "another look does not make it younger");
    scene.check("", "2");
}

/// A post that waits for its author's profile, brought by a source that keeps posts for 500 s.
fn waiting(rules: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::new(rules);
    let source = Source::new(&network(), "posts", RobotKind::Status, "account", "7");
    let source = Source { retention: Some(Span::from_secs(500)), ..source };
    let (id, _) = scene.store.add_sources(std::slice::from_ref(&source)).unwrap()[0];
    let source = Some(Source { id, ..source });
    scene.apply(vec![Upload { source, ..page(100, vec![post("1", None)], vec![]) }]);
    scene.check("", "1");
    scene
}

#[test]
fn what_waited_is_kept_as_long_as_its_source_says() {
    let rules = [("post", FOLLOWED)];
    for is_restarted in [false, true] {
        let mut scene = waiting(&rules);
        if is_restarted {
            scene.restart(&rules);
        }
        scene.apply(vec![page(200, vec![], vec![account("7", Some(200))])]);
        scene.check("1", "");
        assert_eq!(scene.store.expire(at(511)).unwrap(), 1, "restarted: {is_restarted}");
    }
}

#[test]
fn what_was_forgotten_while_it_waited_does_not_come_back() {
    let mut scene = waiting(&[("post", FOLLOWED)]);
    scene.store.forget("mastodon:a.example/account/7").unwrap();
    scene.apply(vec![page(200, vec![], vec![account("7", Some(200))])]);
    assert_eq!(scene.stored(), "");
}

#[test]
fn what_could_not_be_stored_is_judged_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let mut scene = Scene::new(&[("post", LIKED)]);
    scene.store = testing::open(&path);
    let uploads = vec![page(100, vec![post("1", None), post("2", Some(2000))], vec![])];
    let mut tried = uploads.clone();
    let mut reader = testing::reader(&path);
    scene.constrainer.apply(&mut reader, &mut tried).unwrap_err();
    assert_eq!(format!("{tried:?}"), format!("{uploads:?}"), "the uploads are as they were");
    scene.apply(tried);
    scene.check("2", "1");
    scene.apply(vec![page(101, vec![post("1", Some(5000))], vec![])]);
    scene.check("1 2", "");
}
