//! Behaviours of two handles on the same data, as a command beside a running crawl has.

use freshet_types::{RobotKind, RobotState, SourceId};

use super::kit::{Must, all_posts, apply, hits, post, posts, timeline};
use crate::api::Store;
use crate::control::{Control, SourcesChange};

pub(super) fn visit_numbers_are_never_shared(one: &mut dyn Store, other: &mut dyn Store) {
    let mut reserved = Vec::new();
    for _ in 0..5 {
        reserved.push(one.reserve_visits(10).must());
        reserved.push(other.reserve_visits(10).must());
    }
    assert!(reserved.is_sorted_by(|first, next| first + 10 <= *next), "{reserved:?}");
}

pub(super) fn one_sees_what_the_other_applied(one: &mut dyn Store, other: &mut dyn Store) {
    apply(one, posts(100, [post("1", "a", 10, "word")]));
    assert_eq!(all_posts(other), all_posts(one));
    assert_eq!(hits(other, "word"), ["1"]);
    one.set_robot(RobotKind::Tag, RobotState::Running).must();
    assert_eq!(other.robots().must()[4].state, RobotState::Running);
}

pub(super) fn both_may_write(one: &mut dyn Store, other: &mut dyn Store) {
    for n in 0..20 {
        let store: &mut dyn Store = if n % 2 == 0 { one } else { other };
        apply(store, posts(100 + n, [post(&n.to_string(), "a", n, "x"), post("same", "a", 0, "x")]));
    }
    assert_eq!(all_posts(one).len(), 21);
    let numbers: Vec<_> = other.changes_above(0, 100).must().iter().map(|change| change.number).collect();
    assert_eq!(numbers.len(), 22);
    assert!(numbers.is_sorted_by(|first, next| first < next));
}

pub(super) fn messages_cross(one: &mut dyn Store, other: &mut dyn Store) {
    let control = Control::Sources(SourcesChange::Removed(vec![SourceId(1)]));
    let number = one.push_control(&control).must();
    assert_eq!(other.controls_above(number - 1).must()[0].control, control);
    let (id, _) = other.add_sources(&[timeline("a")]).must()[0];
    assert_eq!(one.source(id).must().map(|source| source.root_id), Some("a".into()));
}

pub(super) fn a_network_named_by_both_is_one(one: &mut dyn Store, other: &mut dyn Store) {
    apply(one, posts(100, [post("1", "a", 10, "x")]));
    apply(other, posts(100, [post("1", "a", 10, "x"), post("2", "a", 10, "x")]));
    assert_eq!(all_posts(one).len(), 2);
}

/// Two write at once, and a reader follows the log by a cursor: whatever it has passed is all there is. It fails for a backend
/// that gives out numbers before it commits, because a change with a smaller number then appears behind the cursor.
pub(super) fn a_reader_of_the_log_skips_nothing_that_commits_late(
    one: &mut dyn Store,
    other: &mut dyn Store,
) {
    /// Transactions of each writer; so many that they overlap.
    const TURNS: i64 = 60;
    /// Posts of the slow writer's transactions, which are under way while the quick one commits.
    const SLOW_POSTS: i64 = 40;
    let page = |name: &str, turn: i64, count: i64| {
        posts(turn, (0..count).map(|n| post(&format!("{name}{turn}.{n}"), name, n, "x")))
    };
    let mut passed = Vec::new();
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| {
            for turn in 0..TURNS {
                apply(one, page("slow", turn, SLOW_POSTS));
            }
        });
        let mut cursor = 0;
        let mut is_over = false;
        // Once more after the last commit, so that the end of the log is read too.
        while !is_over {
            is_over = slow.is_finished();
            apply(other, page("quick", passed.len() as i64, 1));
            let horizon = other.last_change().must();
            for change in other.changes_above(cursor, 10_000).must() {
                assert!(change.number > cursor, "numbers rise");
                cursor = change.number;
                passed.push(change.number);
            }
            assert!(cursor >= horizon, "what was told to be there is there");
        }
    });
    let all: Vec<u64> = other.changes_above(0, 100_000).must().iter().map(|change| change.number).collect();
    let missed: Vec<&u64> = all.iter().filter(|number| passed.binary_search(number).is_err()).collect();
    assert_eq!(missed, [] as [&u64; 0], "{} of {} were passed over", missed.len(), all.len());
    assert!(all.len() as i64 > TURNS * SLOW_POSTS, "both wrote");
}
