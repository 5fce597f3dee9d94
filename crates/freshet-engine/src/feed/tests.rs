//! Which rings grow, what becomes sources, and what constraints keep back.

use freshet_network::constraint::{Constraint, Constraints, Purpose};
use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{Account, NetworkName, Observation, Post, Primitive, Span, VisitId};

use super::*;

const NOW: Timestamp = Timestamp::from_secs(1_000);

/// Everything that `finder` meets in one page: an account one step away, and a post.
fn upload(finder: RobotKind, network: &NetworkName) -> Upload {
    let account = Account { id: "9".to_owned(), ..Account::default() };
    let post = Post { id: "1".to_owned(), kind: "post".into(), ..Post::default() };
    Upload {
        robot: Some(finder),
        observation: Observation { accounts: vec![account], posts: vec![post], ..Observation::default() },
        ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(1))
    }
}

/// Paused robots let their rings grow and hand nothing out.
fn pause_all(store: &mut dyn Store) {
    for robot in RobotKind::ALL {
        store.set_robot(robot, RobotState::Paused).unwrap();
    }
}

/// Which rings grow, and by how many ids, when `finder` meets an account and a post.
fn check(finder: RobotKind, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    let network = NetworkName::from("mastodon:a.example");
    store.apply(&[upload(finder, &network)], |_, _| None).unwrap();
    pause_all(&mut store);
    let rings = Coordinator::open(dir.path(), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    feeder.tend(&mut store, 0, NOW).unwrap();
    let grown: Vec<_> = RobotKind::ALL
        .into_iter()
        .filter_map(|robot| Some((robot, feeder.waiting(robot))).filter(|(_, count)| *count > 0))
        .map(|(robot, count)| format!("{robot}:{count}"))
        .collect();
    assert_eq!(grown.join(" "), expected, "{finder} found them");
}

#[test]
fn ids_whose_sources_cannot_be_stored_come_again() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("store.db");
    let mut store = testing::open(&db);
    let network = NetworkName::from("mastodon:a.example");
    store.apply(&[upload(RobotKind::Relation, &network)], |_, _| None).unwrap();
    pause_all(&mut store);
    let rings = Coordinator::open(&dir.path().join("rings"), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    feeder.tend(&mut store, 100, NOW).unwrap();
    store.set_robot(RobotKind::Status, RobotState::Running).unwrap();
    let waiting = feeder.waiting(RobotKind::Status);
    assert!(waiting > 0, "the robot has something to do");
    let mut reader = testing::reader(&db);
    feeder.tend(&mut reader, 100, NOW).unwrap_err();
    assert_eq!(feeder.waiting(RobotKind::Status), waiting);
    assert!(!feeder.tend(&mut store, 100, NOW).unwrap().is_empty());
    assert_eq!(feeder.waiting(RobotKind::Status), 0);
}

#[test]
fn robots_feed_each_other_as_in_the_paper() {
    check(RobotKind::Relation, "relation:1 user:1 status:1 tag:1");
    check(RobotKind::User, "");
    check(RobotKind::Status, "relation:1 user:1 status:1 comment:1 tag:1 link:1");
    check(RobotKind::Comment, "relation:1 user:1 status:1 comment:1 tag:1 link:1");
    check(RobotKind::Tag, "");
}

/// Endpoints of the robot of links that a post with these counts becomes sources of, after it went round in its ring.
fn check_counted(counts: &[(&str, i64)], age: Span, expected: &[&str], waiting: usize) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    let network = NetworkName::from("mastodon:a.example");
    let mut page = upload(RobotKind::Status, &network);
    page.observation.posts[0].created_at = Some(NOW - age);
    page.observation.posts[0].plinks =
        counts.iter().map(|(name, count)| ((*name).into(), Primitive::Int(*count))).collect();
    store.apply(&[page], |_, _| None).unwrap();
    pause_all(&mut store);
    store.set_robot(RobotKind::Link, RobotState::Running).unwrap();
    let rings = Coordinator::open(dir.path(), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    let mut made = Vec::new();
    for minutes in 0..40 {
        let slots = feeder.tend(&mut store, AHEAD_MAX, NOW + Span::MINUTE * f64::from(minutes)).unwrap();
        made.extend(slots.into_iter().map(|slot| store.source(slot.id).unwrap().unwrap().endpoint));
    }
    made.sort_unstable();
    assert_eq!(made.iter().map(|name| &**name).collect::<Vec<_>>(), expected, "{counts:?} {age}");
    assert_eq!(feeder.waiting(RobotKind::Link), waiting, "{counts:?} {age}");
}

#[test]
fn lists_that_are_counted_as_empty_wait_in_the_ring() {
    let hour = Span::HOUR;
    check_counted(&[], hour, &["likers", "reposters"], 0);
    check_counted(&[("repost_count", 2), ("like_count", 1)], hour, &["likers", "reposters"], 0);
    check_counted(&[("repost_count", 0), ("like_count", 1)], hour, &["likers"], 1);
    check_counted(&[("repost_count", 0), ("like_count", 0)], hour, &[], 1);
    check_counted(&[("repost_count", 0), ("like_count", 0)], Span::DAY * 4.0, &[], 0);
}

#[test]
fn lists_of_members_leave_room_for_other_robots() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    let network = NetworkName::from("mastodon:a.example");
    store.apply(&[upload(RobotKind::Status, &network)], |_, _| None).unwrap();
    for robot in RobotKind::ALL {
        store.set_robot(robot, RobotState::Running).unwrap();
    }
    let rings = Coordinator::open(dir.path(), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    let made = feeder.tend(&mut store, AHEAD_MAX / 2, NOW).unwrap();
    assert!(made.iter().any(|slot| slot.robot == RobotKind::Comment), "others go on");
    assert!(!made.iter().any(|slot| slot.robot == RobotKind::Link), "half of the room is taken");
    let made = feeder.tend(&mut store, AHEAD_MAX, NOW).unwrap();
    assert!(made.iter().all(|slot| slot.robot == RobotKind::Link) && made.len() == 2, "{made:?}");
}

#[test]
fn who_was_first_known_as_gone_is_found_when_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    pause_all(&mut store);
    let rings = Coordinator::open(dir.path(), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    let network = NetworkName::from("mastodon:a.example");
    let upload = |observation| Upload {
        robot: Some(RobotKind::Relation),
        observation,
        ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(1))
    };
    let invalid = Some(("9".to_owned(), "suspended".to_owned()));
    let account = Account { id: "9".to_owned(), name: Some("back".to_owned()), ..Account::default() };
    let back = Observation { accounts: vec![account], ..Observation::default() };
    for (upload, expected) in [(Upload { invalid, ..upload(Observation::default()) }, 0), (upload(back), 1)] {
        store.apply(&[upload], |_, _| None).unwrap();
        feeder.tend(&mut store, 0, NOW).unwrap();
        assert_eq!([RobotKind::Relation, RobotKind::Tag].map(|robot| feeder.waiting(robot)), [expected; 2]);
    }
}

#[test]
fn a_ring_that_is_ahead_of_the_store_is_filled_anew() {
    let dir = tempfile::tempdir().unwrap();
    let network = NetworkName::from("mastodon:a.example");
    let mut waiting = Vec::new();
    // The second store stands for a copy that was made before most of the first one's changes.
    for extra in [50, 0] {
        let mut store = testing::memory();
        let mut first = upload(RobotKind::Relation, &network);
        let account = |id: u32| Account { id: format!("x{id}"), ..Account::default() };
        first.observation.accounts.extend((0..extra).map(account));
        store.apply(&[first], |_, _| None).unwrap();
        pause_all(&mut store);
        let rings = Coordinator::open(dir.path(), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
        feeder.tend(&mut store, 0, NOW).unwrap();
        feeder.sync().unwrap();
        waiting.push(feeder.waiting(RobotKind::User));
    }
    assert_eq!(waiting, [51, 1]);
}

#[test]
fn what_a_person_added_feeds_all_whoever_saw_it_first() {
    let change = |finder, depth, kind: &str| Change {
        number: 1,
        seen_at: Timestamp::from_secs(1),
        kind: ChangeKind::Created,
        address: freshet_types::Address::new(&NetworkName::from("mastodon:a.example"), kind, "9"),
        object: 1,
        depth,
        visit: VisitId(1),
        finder: Some(finder),
    };
    assert_eq!(finder(&change(RobotKind::User, 0, "account")), None);
    assert_eq!(finder(&change(RobotKind::User, 1, "account")), Some(RobotKind::User));
    assert_eq!(finder(&change(RobotKind::Comment, 0, "post")), Some(RobotKind::Status));
}
#[test]
fn what_a_constraint_refuses_is_not_followed_until_it_changes() {
    let networks = Arc::new(Networks::shipped());
    let judge = |text: &str| {
        let rule = Constraint::parse("account", text).unwrap().with_purpose(Purpose::Follow);
        Judge::new(Arc::clone(&networks), Constraints::new(vec![rule]).unwrap())
    };
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    let network = NetworkName::from("mastodon:a.example");
    let seen = |id: &str, followers_count| Upload {
        robot: Some(RobotKind::Relation),
        observation: Observation {
            accounts: vec![Account { id: id.to_owned(), followers_count, ..Account::default() }],
            ..Observation::default()
        },
        ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(1))
    };
    let pages = [seen("1", Some(5)), seen("2", Some(5000)), seen("3", None)];
    store.apply(&pages, |_, _| None).unwrap();
    let rings = Coordinator::open(dir.path(), 1000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::clone(&networks), 5);
    feeder.constrain(judge("account.followers_count > 1000"));
    let made = |store: &mut Box<dyn Store>, feeder: &mut Feeder, now: Timestamp| {
        let slots = feeder.tend(store, 100, now).unwrap();
        let ids: Vec<_> = slots.iter().map(|slot| slot.id).collect();
        let sources = store.sources(&ids).unwrap().into_iter().flatten();
        let mut shown: Vec<_> = sources.map(|it| format!("{}:{}", it.root_id, it.robot)).collect();
        shown.sort();
        shown.join(" ")
    };
    // Of whom nothing is known, the profile is read.
    assert_eq!(made(&mut store, &mut feeder, NOW), "2:status 2:user 3:user");
    assert_eq!(made(&mut store, &mut feeder, NOW), "", "and nobody twice");
    assert_eq!(store.held_count().unwrap(), 3);
    store.apply(&[seen("3", Some(2000))], |_, _| None).unwrap();
    let number = store.account_of(&network, "3").unwrap().unwrap().object;
    store.hasten_held(Some(&[number])).unwrap();
    assert_eq!(made(&mut store, &mut feeder, NOW), "3:status");
    // Other constraints: all that are held are judged by them.
    feeder.constrain(judge("account.followers_count > 1"));
    assert_eq!(made(&mut store, &mut feeder, NOW), "");
    assert_eq!(made(&mut store, &mut feeder, NOW + Span::DAY), "1:status 1:user");
    assert_eq!(store.held_count().unwrap(), 0);
}
