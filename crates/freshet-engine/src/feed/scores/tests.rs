//! What leaves the rings first under a focus, from rows of a store.

use std::sync::Arc;

use freshet_frontier::Coordinator;
use freshet_network::focus::Written;
use freshet_network::networks::Networks;
use freshet_store::api::prelude::*;
use freshet_store::row::{Listing, Upload};
use freshet_store::setting::Json;
use freshet_store::testing;
use freshet_types::{Account, Observation, Post, Relation, RobotState, Source, Timestamp, VisitId};

use super::super::{AHEAD_MAX as AHEAD_USUAL, Feeder};
use super::*;
use crate::focus::{FOCUS, sample};

const NOW: Timestamp = Timestamp::from_secs(1_000);

fn network() -> NetworkName {
    NetworkName::from("mastodon:a.example")
}

fn account(id: &str, location: Option<&str>) -> Account {
    Account { id: id.to_owned(), location: location.map(str::to_owned), ..Account::default() }
}

fn post(id: &str, author: &str, tag: Option<&str>) -> Post {
    Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some(author.to_owned()),
        tags: tag.map(str::to_owned).into_iter().collect(),
        ..Post::default()
    }
}

fn follows(source: &str, target: &str) -> Relation {
    Relation { source: source.to_owned(), target: target.to_owned() }
}

/// One page of the relation robot: accounts 00 to 99 in order; 70 is from Oslo, 80 posts what is wanted, 90 follows 80, and 60 repeats it.
fn page() -> Upload {
    let mut accounts: Vec<Account> = (0..100).map(|id| account(&format!("{id:02}"), None)).collect();
    accounts[70].location = Some("Oslo, Norway".to_owned());
    let repost = Post { repost_of: Some("w1".to_owned()), ..post("r1", "60", None) };
    let posts = vec![post("w1", "80", Some("Weather")), post("o1", "10", Some("other")), repost];
    let relations = vec![follows("90", "80"), follows("20", "10"), follows("80", "80")];
    Upload {
        robot: Some(RobotKind::Relation),
        observation: Observation { accounts, posts, relations, ..Observation::default() },
        ..Upload::new(VisitId(1), network(), Timestamp::from_secs(1))
    }
}

/// The list of the account 40, which a person added; 50 answers it, and it follows 41.
fn added_page() -> Upload {
    let answer = Post { reply_to: Some("p40".to_owned()), ..post("p50", "50", None) };
    let observation = Observation {
        accounts: vec![account("40", None)],
        posts: vec![post("p40", "40", None), answer],
        relations: vec![follows("40", "41"), follows("41", "42")],
        ..Observation::default()
    };
    let (from, to) = (Timestamp::from_secs(0), Timestamp::from_secs(1));
    Upload {
        lists: Some(Listing { author: "40".to_owned(), from, to }),
        ..Upload { observation, ..Upload::new(VisitId(2), network(), Timestamp::from_secs(2)) }
    }
}

/// Ids of the accounts whose lists become sources, in groups of `count`.
fn leave(written: Option<&Written>, count: usize, groups: usize) -> Vec<Vec<String>> {
    let room = if written.is_some() { AHEAD_USUAL - AHEAD_MAX + count } else { count };
    leave_of(&[page()], written, room, groups)
}

/// The same of these pages, with so much room.
fn leave_of(pages: &[Upload], written: Option<&Written>, room: usize, groups: usize) -> Vec<Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    store.apply(pages, |_, _| None).unwrap();
    for robot in RobotKind::ALL {
        store.set_robot(robot, RobotState::Stopped).unwrap();
    }
    store.set_robot(RobotKind::Status, RobotState::Running).unwrap();
    if let Some(written) = written {
        FOCUS.put(&mut store, &Json(written.read().unwrap())).unwrap();
    }
    let rings = Coordinator::open(dir.path(), 10_000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
    let mut left = Vec::new();
    for _ in 0..groups {
        let slots = feeder.tend(&mut store, room, NOW).unwrap();
        let ids: Vec<_> = slots.iter().map(|slot| slot.id).collect();
        let mut roots: Vec<String> =
            store.sources(&ids).unwrap().into_iter().flatten().map(|source| source.root_id).collect();
        roots.sort();
        left.push(roots);
    }
    left
}

fn tag(tag: &str, explore: &str) -> Written {
    Written { tags: vec![tag.to_owned()], explore: Some(explore.to_owned()), ..Written::default() }
}

#[test]
fn where_nobody_was_added_and_without_a_focus_ids_leave_as_they_came() {
    assert_eq!(leave(None, 3, 2), [["00", "01", "02"], ["03", "04", "05"]]);
}

#[test]
fn without_a_focus_who_is_near_to_what_was_added_leaves_first() {
    let room = AHEAD_USUAL - AHEAD_MAX_OF_SERVER + 3;
    let left = leave_of(&[page(), added_page()], None, room, 2);
    assert_eq!(left, [["41", "42", "50"], ["00", "01", "02"]], "40 has its list already");
    let left = leave_of(&[page(), added_page()], None, room + 17, 1);
    assert_eq!(left[0].len(), 20);
    let oldest = ["00", "01"];
    assert!(oldest.iter().all(|id| left[0].iter().any(|it| it == id)), "one in ten is the oldest: {left:?}");
}

#[test]
fn without_a_focus_so_much_is_made_ahead_for_each_server() {
    let (focused, free) = (Scores::new(Some(tag("weather", "0").read().unwrap())), Scores::new(None));
    for (servers, expected) in [(0, 512), (1, 512), (3, 1_536), (1_000, AHEAD_USUAL)] {
        assert_eq!((focused.ahead_max(servers), free.ahead_max(servers)), (AHEAD_MAX, expected), "{servers}");
    }
}

#[test]
fn without_a_focus_ranks_are_written_where_there_is_a_way_to_go() {
    let ranked = |depth| {
        let dir = tempfile::tempdir().unwrap();
        let mut store = testing::memory();
        store.apply(&[page(), added_page()], |_, _| None).unwrap();
        let list = |id: &str| Source::new(&network(), "statuses", RobotKind::Status, "account", id);
        let added = store.add_sources(&["40", "41", "42", "20"].map(list)).unwrap();
        let rings = Coordinator::open(dir.path(), 10_000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), depth);
        for _ in 0..2 {
            feeder.tend(&mut store, 0, NOW).unwrap();
        }
        let scores = store.ranked().unwrap().scores;
        added.iter().map(|(id, _)| scores.iter().find(|it| it.0 == *id).map(|it| it.1)).collect::<Vec<_>>()
    };
    let [added, near, far, other] = ranked(1)[..] else { panic!("four lists") };
    assert!(
        added > near && near > far && far > Some(0.0) && other.is_none(),
        "{added:?} {near:?} {far:?} {other:?}"
    );
    assert_eq!(ranked(0), [None; 4], "all that is there was added");
}

#[test]
fn who_posts_what_is_wanted_and_who_is_near_leave_first() {
    assert_eq!(leave(Some(&tag("weather", "0")), 3, 2), [["60", "80", "90"], ["00", "01", "02"]]);
    let place =
        Written { places: vec!["oslo".to_owned()], explore: Some("0".to_owned()), ..Written::default() };
    assert_eq!(leave(Some(&place), 1, 2), [["70"], ["00"]]);
}

#[test]
fn the_exploring_share_leaves_in_order() {
    assert_eq!(leave(Some(&tag("weather", "50%")), 4, 1), [["00", "01", "60", "80"]]);
    assert_eq!(leave(Some(&tag("weather", "100%")), 3, 1), [["00", "01", "02"]]);
}

#[test]
fn a_focus_that_nothing_fits_changes_no_order() {
    assert_eq!(leave(Some(&tag("nothing", "10%")), 3, 2), [["00", "01", "02"], ["03", "04", "05"]]);
}

#[test]
fn all_leave_in_the_end_and_once() {
    let left = leave(Some(&tag("weather", "0")), 10, 11);
    let mut all: Vec<String> = left.concat();
    assert_eq!(all.len(), 100);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 100);
}

#[test]
fn a_focus_is_told_how_many_stored_posts_it_wants() {
    let mut store = testing::memory();
    let focus = tag("weather", "0").read().unwrap();
    assert_eq!(sample(&store, &focus).unwrap(), (0, 0));
    store.apply(&[page()], |_, _| None).unwrap();
    assert_eq!(sample(&store, &focus).unwrap(), (3, 1));
}

#[test]
fn what_a_person_added_is_first() {
    let mut store = testing::memory();
    store.apply(&[page()], |_, _| None).unwrap();
    let mut scores = Scores::new(Some(tag("weather", "0").read().unwrap()));
    scores.step(&store).unwrap();
    let number = |id: &str| store.account_of(&network(), id).unwrap().unwrap().object;
    let (wanted, near, far) = (number("80"), number("90"), number("20"));
    assert!(scores.score(wanted) > scores.score(near) && scores.score(near) > scores.score(far));
    assert!(scores.score(far).abs() < 1e-12);
    scores.know(far, |known| known.is_added = true);
    assert!(scores.score(far) > scores.score(wanted));
}

#[test]
fn ranks_are_written_for_weights_when_all_is_in_and_go_with_the_focus() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = testing::memory();
    store.apply(&[page()], |_, _| None).unwrap();
    let lists =
        ["80", "90", "20"].map(|id| Source::new(&network(), "statuses", RobotKind::Status, "account", id));
    let added = store.add_sources(&lists).unwrap();
    let ids = [0, 1, 2].map(|at: usize| added[at].0);
    FOCUS.put(&mut store, &Json(tag("weather", "0").read().unwrap())).unwrap();
    let rings = Coordinator::open(dir.path(), 10_000).unwrap();
    let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 0);
    let mut tend = |store: &mut dyn Store, now| {
        feeder.tend(store, 0, now).unwrap();
        store.ranked().unwrap()
    };
    assert_eq!(tend(&mut store, NOW).scores, [], "the streams may have more");
    let ranked = tend(&mut store, NOW);
    assert_eq!((ranked.list_count, ranked.scores.len()), (3, 2), "{ranked:?}");
    let of = |id| ranked.scores.iter().find(|it| it.0 == id).map(|it| it.1);
    assert!(of(ids[0]) > of(ids[1]) && of(ids[1]) > Some(0.0) && of(ids[2]).is_none(), "{ranked:?}");
    let more = Upload {
        observation: Observation { relations: vec![follows("20", "80")], ..Observation::default() },
        ..Upload::new(VisitId(2), network(), Timestamp::from_secs(2))
    };
    store.apply(&[more], |_, _| None).unwrap();
    tend(&mut store, NOW);
    assert_eq!(tend(&mut store, NOW), ranked, "not before it is time");
    assert_eq!(tend(&mut store, NOW + WRITE_EVERY).scores.len(), 3, "who follows is near now");
    store.set_settings(&[(FOCUS.key().to_owned(), None)]).unwrap();
    assert_eq!(tend(&mut store, NOW).scores, []);
}
