//! Behaviours of two handles on the same data, as a command beside a running crawl has.

use freshet_types::{RobotKind, RobotState, SourceId};

use super::kit::{Must, all_posts, apply, hits, post, posts, timeline};
use crate::api::Store;
use crate::control::{Control, SourcesChange};

pub(super) fn visit_numbers_are_never_shared(one: &mut dyn Store, other: &mut dyn Store) {
    let mut taken = Vec::new();
    for _ in 0..5 {
        taken.push(one.reserve_visits(10).must());
        taken.push(other.reserve_visits(10).must());
    }
    assert!(taken.is_sorted_by(|first, next| first + 10 <= *next), "{taken:?}");
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
