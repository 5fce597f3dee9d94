//! Every way through the constraints, on a store in memory and the shipped definition of Mastodon.

use freshet_network::constraint::Constraint;
use freshet_store::row::{Filter, Listing};
use freshet_store::testing;
use freshet_types::{Account, End, NetworkName, Observation, Primitive, RobotKind, Source};

use super::*;

const LIKED: &str = r#"post.plinks["like_count"] > 1000"#;
const FOLLOWED: &str = r#"post.clinks["author"].plinks["followers_count"] > 100"#;

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

fn network() -> NetworkName {
    NetworkName::from("mastodon:a.example")
}

/// Rules by type and text; a purpose other than storing stands before the type.
fn constraints(rules: &[(&str, &str)]) -> Constraints {
    let parse = |(kind, text): &(&str, &str)| {
        let (purpose, kind) = kind.split_once(' ').unwrap_or(("store", kind));
        Constraint::parse(kind, text).unwrap().with_purpose(Purpose::named(purpose).unwrap())
    };
    Constraints::new(rules.iter().map(parse).collect()).unwrap()
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

const POPULAR: &str = "account.posts.exists(p, p.like_count >= 100)";

fn has_account(scene: &Scene, id: &str) -> bool {
    scene.store.account_of(&network(), id).unwrap().is_some_and(|row| row.account.handle.is_some())
}

#[test]
fn an_owner_is_judged_again_when_its_collection_gets_members() {
    for restarts in [false, true] {
        let rules = [("account", POPULAR)];
        let mut scene = Scene::new(&rules);
        scene.apply(vec![page(100, vec![post("1", Some(5))], vec![account("7", None), account("8", None)])]);
        scene.check("1", "7 8");
        if restarts {
            scene.restart(&rules);
        }
        // Another post of the owner, and one of somebody else.
        let other = Post { author: Some("9".to_owned()), ..post("3", Some(900)) };
        scene.apply(vec![page(101, vec![post("2", Some(7)), other], vec![])]);
        scene.check("1 2 3", "7 8");
        let applied = scene.apply(vec![page(102, vec![post("4", Some(100))], vec![])]);
        scene.check("1 2 3 4", "8");
        assert!(has_account(&scene, "7") && !has_account(&scene, "8"), "restarted: {restarts}");
        assert_eq!(applied[0].new_account_count, 0, "it had a bare row");
    }
}

#[test]
fn members_of_the_same_page_count_at_once() {
    for (text, is_wanted) in [
        (POPULAR, true),
        ("account.posts.all(p, p.like_count > 3)", true),
        // The page's own members are not stored yet: none is known that is not so.
        ("account.posts.all(p, p.like_count > 5)", true),
        ("size(account.posts) == 2", true),
        ("size(account.posts) > 2", false),
        ("account.posts.within('90s').size() == 1", true),
        ("account.posts.rate('2m') > 59.0", true),
        ("account.posts.rate('2m') > 61.0", false),
        (
            "account.posts.filter(p, p.id == '1').followed_by(account.posts.filter(p, p.id == '2'), '1h').size() == 1",
            true,
        ),
        (
            "account.posts.filter(p, p.id == '2').followed_by(account.posts.filter(p, p.id == '1'), '1h').size() == 1",
            false,
        ),
        // What does not stand on members is no matter of waiting.
        ("account.followers_count > 9 && size(account.posts) > 0", false),
    ] {
        let mut scene = Scene::new(&[("account", text)]);
        let earlier = Post { created_at: Some(at(5)), ..post("1", Some(200)) };
        let later = Post { created_at: Some(at(80)), ..post("2", Some(4)) };
        scene.apply(vec![page(100, vec![earlier, later], vec![account("7", Some(1))])]);
        assert_eq!(has_account(&scene, "7"), is_wanted, "{text}");
        let is_parked = !is_wanted && !text.contains("followers_count");
        scene.check("1 2", if is_parked { "7" } else { "" });
    }
}

#[test]
fn every_kind_of_collection_is_known_from_its_rows() {
    let relation = |source: &str, target: &str| freshet_types::Relation {
        source: source.to_owned(),
        target: target.to_owned(),
    };
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.to_owned() };
    let like = |id: &str| freshet_types::Link {
        from: end("post", "1"),
        name: "likers".into(),
        to: end("account", id),
        is_member: true,
    };
    for (kind, text) in [
        ("account", "account.id != '7' || account.followers.exists(f, f.followers_count > 10)"),
        ("account", "account.id != '7' || size(account.following) == 1"),
        ("post", "post.id != '1' || post.replies.exists(r, r.like_count > 3)"),
        ("post", "size(post.likers) == 2"),
        ("post", "post.author.followers.size() == 1"),
    ] {
        let mut scene = Scene::new(&[(kind, text)]);
        let first = page(100, vec![post("1", None)], vec![account("7", None)]);
        scene.apply(vec![first]);
        let waits = if kind == "account" { ("1", "7") } else { ("", "1") };
        scene.check(waits.0, waits.1);
        let mut more = page(101, vec![], vec![account("8", Some(50))]);
        more.observation.relations = vec![relation("8", "7"), relation("7", "9")];
        more.observation.links = vec![like("8"), like("9")];
        if text.contains("replies") {
            more.observation.posts = vec![Post { reply_to: Some("1".to_owned()), ..post("2", Some(9)) }];
        }
        scene.apply(vec![more]);
        let is_stored =
            scene.store.post_of(&network(), "post", "1").unwrap().is_some() && has_account(&scene, "7");
        assert!(is_stored, "{kind} {text}: {}", scene.parked());
    }
}

#[test]
fn who_is_only_met_may_be_kept_out() {
    let mut scene =
        Scene::new(&[("discover account", "account.followers_count > 100"), ("discover post", "false")]);
    let mut source = Source::new(&network(), "posts", RobotKind::Status, "account", "7");
    let (number, _) = scene.store.add_sources(std::slice::from_ref(&source)).unwrap()[0];
    source.id = number;
    let embedded = Post { is_embedded: true, author: Some("6".to_owned()), ..post("2", None) };
    let seen = vec![account("7", Some(1)), account("8", Some(5)), account("9", Some(500))];
    let upload = Upload { source: Some(source), ..page(100, vec![post("1", None), embedded], seen) };
    scene.apply(vec![upload.clone()]);
    scene.check("1", "");
    let known = |scene: &Scene, id: &str| scene.store.account_of(&network(), id).unwrap().is_some();
    assert!(known(&scene, "7"), "the page is its own");
    assert!(!known(&scene, "8") && known(&scene, "9"));
    assert!(!known(&scene, "6"), "the author of a post that is not let in is not named");
    // Who is only named cannot be judged by followers, and is let in; by steps it can.
    let mut named = page(101, vec![], vec![]);
    named.observation.relations =
        vec![freshet_types::Relation { source: "5".to_owned(), target: "7".to_owned() }];
    scene.apply(vec![named.clone()]);
    assert!(known(&scene, "5"));
    scene.constrain(&[("discover account", "depth < 1")]);
    named.observation.relations[0].source = "4".to_owned();
    scene.apply(vec![named, page(102, vec![], vec![account("9", Some(600)), account("3", None)])]);
    assert!(!known(&scene, "4") && !known(&scene, "3"));
    let kept = scene.store.account_of(&network(), "9").unwrap().unwrap();
    assert_eq!(kept.account.followers_count, Some(600), "whoever is stored is no newcomer");
}

const PLACES: &str = r#"
name = "places"
title = "Places"
base = "https://places.example"

[types.account]
colinks = { posts = "post" }

[types.post]
clinks = { author = "account", place = "place", reply_to = "post" }

[types.place]
plinks = { longitude = "float" }

[endpoints.posts]
url = "/posts"
kind = "posts"
root = "account"
robot = "status"
link = "posts"
items = [{ mapping = "post" }]

[mappings.account]
kind = "account"
id = "/id"
handle = "/handle"

[mappings.place]
kind = "object"
type = "place"
id = "/id"
plinks = { longitude = "/longitude" }

[mappings.post]
kind = "post"
id = "/id"
author = "/author"
reply_to = "/reply_to"
embeds = [{ at = "/place", mapping = "place", link = "place" }]
"#;

#[test]
fn things_are_judged_and_followed_by_links() {
    let networks = Arc::new(Networks::shipped());
    networks.apply_definition("places.toml", PLACES).unwrap();
    let place = |id: &str, longitude: f64| freshet_types::Thing {
        id: id.to_owned(),
        kind: "place".into(),
        plinks: vec![("longitude".into(), Primitive::Float(longitude))],
        ..freshet_types::Thing::default()
    };
    let at_place = |post: &str, place: &str| freshet_types::Link {
        from: End { kind: "post".into(), id: post.to_owned() },
        name: "place".into(),
        to: End { kind: "place".into(), id: place.to_owned() },
        is_member: false,
    };
    let mut scene = Scene::new(&[]);
    scene.constrainer = Constrainer::new(networks);
    scene.constrain(&[
        ("places/place", "place.longitude < 20.0"),
        ("places/post", "post.place.longitude < 20.0"),
    ]);
    let mut upload =
        Upload { network: "places".into(), ..page(100, vec![post("1", None), post("2", None)], vec![]) };
    upload.observation.posts.push(Post { reply_to: Some("3".to_owned()), ..post("3", None) });
    upload.observation.things = vec![place("a", 10.0), place("b", 30.0)];
    upload.observation.links = vec![at_place("1", "a"), at_place("2", "b"), at_place("3", "c")];
    scene.apply(vec![upload]);
    // A post that replies to itself waits for its place, and ends no judgement.
    scene.check("1", "3");
    let found = scene.store.things_of(&"places".into(), &[("place", "a"), ("place", "b")]).unwrap();
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
    let mut later = Upload { network: "places".into(), ..page(101, vec![], vec![]) };
    later.observation.things = vec![place("c", 5.0)];
    scene.apply(vec![later]);
    scene.check("1 3", "");
}
