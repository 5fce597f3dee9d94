//! Behaviours of leads: lists that pages lead to.

use freshet_types::coverage::{Coverage, Interval, Mark};
use freshet_types::{Lead, Observation, RobotKind, Source, SourceState, Span, VisitId};

use super::kit::{Must, add, apply, at, load, timeline, upload};
use crate::api::Store;
use crate::row::{Applied, Upload};

fn lead(root_id: &str, active_s: Option<i64>) -> Lead {
    Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: "thread".into(),
        title: None,
        root_id: root_id.to_owned(),
        active_at: active_s.map(at),
        grain: Span::SECOND,
    }
}

/// A page of this board, seen then, that leads to these.
fn page(store: &mut dyn Store, board: &Source, secs: i64, leads: &[Lead]) -> Applied {
    let observation = Observation { leads: leads.to_vec(), ..Observation::default() };
    apply(store, Upload { source: Some(board.clone()), depth: board.depth, ..upload(secs, observation) })
}

pub(super) fn a_list_that_a_page_leads_to_becomes_a_source(store: &mut dyn Store) {
    becomes_one_once(store);
    is_due_when_something_happened(store);
}

fn becomes_one_once(store: &mut dyn Store) {
    let board = Source { since: Some(at(5)), retention: Some(Span::DAY), weight: 2.5, ..timeline("board") };
    let board = add(store, &board);
    let applied = page(store, &board, 100, &[lead("/t/1", Some(90)), lead("/t/2", None)]);
    assert_eq!(applied.led_to.len(), 2);
    assert!(applied.told.iter().all(|told| told.is_new && told.is_thread && told.visited_at.is_none()));
    let made = load(store, applied.led_to[0].id);
    assert_eq!((made.root_id.as_str(), &*made.endpoint, made.robot), ("/t/1", "posts", RobotKind::Comment));
    assert_eq!((made.due_at, made.depth, made.state), (at(100), 0, SourceState::Active));
    assert_eq!((made.since, made.retention), (board.since, board.retention), "as the list that led there");
    assert_eq!(made.weight.to_string(), "2.5", "it weighs as much");
    let second = page(store, &board, 200, &[lead("/t/1", Some(90)), lead("/t/2", Some(150))]);
    assert!(second.led_to.is_empty(), "both are due already: {second:?}");
    store.set_state(&[made.id], SourceState::Removed).must();
    assert!(page(store, &board, 300, &[lead("/t/1", Some(290))]).led_to.is_empty(), "removed stays removed");
    assert_eq!(load(store, made.id).state, SourceState::Removed);
}

fn is_due_when_something_happened(store: &mut dyn Store) {
    let board = add(store, &timeline("other"));
    let id = page(store, &board, 100, &[lead("/t/9", Some(90))]).led_to[0].id;
    let mark = |secs: i64| Mark { id: secs.to_string(), at: at(secs) };
    let (newest, oldest) = (mark(90), mark(10));
    let interval =
        Interval { newest, oldest, until: at(110), below: None, is_bottom: true, visit: VisitId(1) };
    let coverage = Coverage { intervals: vec![interval], ..Coverage::default() };
    let visited = Source { visited_at: Some(at(110)), due_at: at(9_000), coverage, ..load(store, id) };
    store.put_source(&visited).must();
    let quiet = page(store, &board, 200, &[lead("/t/9", Some(90))]);
    assert!(quiet.led_to.is_empty() && quiet.told[0].due_at.is_none(), "nothing happened");
    assert_eq!((quiet.told[0].newest_at, quiet.told[0].visited_at), (Some(at(90)), Some(at(110))));
    let applied = page(store, &board, 300, &[lead("/t/9", Some(250))]);
    assert_eq!(applied.led_to.iter().map(|slot| (slot.id, slot.due_at)).collect::<Vec<_>>(), [(id, at(300))]);
    assert_eq!(load(store, id).due_at, at(300));
    let again = page(store, &board, 400, &[lead("/t/9", Some(250))]);
    assert!(again.led_to.is_empty(), "it is due already");
    assert_eq!((again.told[0].active_at, again.told[0].due_at), (Some(at(250)), Some(at(400))));
}
