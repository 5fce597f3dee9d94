//! Behaviours of the change log: order, numbers, cursors.

use freshet_types::{Change, ChangeKind, Post, RobotKind, Source, Span, VisitId};

use super::kit::{
    Must, account, accounts, add, apply, at, changes, lines, network, only_post, post, posts, timeline,
    upload,
};
use crate::api::Store;
use crate::row::Upload;

pub(super) fn the_log_has_every_change_in_order(store: &mut dyn Store) {
    apply(store, accounts(100, [account("a", "a")]));
    let page = Upload { visit: VisitId(7), depth: 2, ..posts(101, [post("1", "a", 10, "x")]) };
    apply(store, page);
    apply(store, Upload { depth: 2, ..posts(102, [post("1", "a", 10, "y")]) });
    apply(store, Upload { deleted: vec![("post".into(), "1".into())], ..posts(103, []) });
    let invalid = Some(("a".into(), "suspended".into()));
    apply(store, Upload { invalid, ..upload(104, freshet_types::Observation::default()) });
    let all = changes(store);
    let expected =
        ["created account/a", "created post/1", "edited post/1", "deleted post/1", "invalidated account/a"];
    assert_eq!(lines(store), expected);
    assert!(all.is_sorted_by(|one, next| one.number < next.number), "numbers rise");
    let created = &all[1];
    assert_eq!((created.seen_at, created.visit, created.depth), (at(101), VisitId(7), 2));
    assert_eq!(created.address.to_string(), format!("{}/post/1", network()));
    assert_eq!(created.kind, ChangeKind::Created);
    assert_eq!(created.object, only_post(store).object);
    assert_eq!(all[2].object, created.object);
    assert_eq!(store.changes_above(all[1].number, 2).must(), all[2..4], "above a number, at most so many");
    assert_eq!(store.changes_above(all[4].number, 10).must(), []);
    assert_eq!(store.last_change().must(), all[4].number);
    accounts_alone(store, &all);
    assert_eq!(store.counts().must().changes, 5);
}

fn accounts_alone(store: &mut dyn Store, all: &[Change]) {
    let of_accounts = [all[0].clone(), all[4].clone()];
    let (first, last) = (all[0].number, all[4].number);
    let check = |above: u64, limit: usize, changes: &[Change], up_to: u64| {
        let found = store.account_changes_above(above, limit).must();
        assert_eq!(found, (changes.to_vec(), up_to), "above {above}, at most {limit}");
    };
    check(0, 10, &of_accounts, last);
    check(0, 1, &of_accounts[..1], first);
    check(first, 10, &of_accounts[1..], last);
    check(last, 10, &[], last);
    check(last + 9, 10, &[], last + 9);
}

pub(super) fn an_object_is_found_by_its_number(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "x")]));
    for change in changes(store) {
        let found = store.object(change.object).must().expect("it is there");
        let address = (found.network, &*found.kind, found.id);
        assert_eq!(address, (change.address.network, &*change.address.kind, change.address.id));
        assert_eq!((found.depth, found.since, found.retention), (change.depth, None, None));
    }
    assert_eq!(store.object(1 << 40).must(), None);
}

pub(super) fn an_object_knows_what_the_source_that_found_it_wants(store: &mut dyn Store) {
    let since = |root: &str, secs: i64, depth: u16| Source {
        since: Some(at(secs)),
        retention: Some(Span::DAY),
        depth,
        ..timeline(root)
    };
    let (far, near) = (add(store, &since("a", 50, 1)), add(store, &since("b", 70, 0)));
    let page = |source: &Source| Upload {
        depth: source.depth,
        source: Some(source.clone()),
        ..posts(100, [Post { is_embedded: true, ..post("1", "c", 99, "x") }])
    };
    let wanted = |store: &dyn Store| -> Vec<_> {
        let found = changes(store).into_iter().map(|change| store.object(change.object).must());
        let found = found.flatten().filter(|found| found.id == "c");
        found.map(|found| (found.depth, found.since, found.retention)).collect()
    };
    apply(store, page(&far));
    assert_eq!(wanted(store), [(2, Some(at(50)), Some(Span::DAY))]);
    apply(store, page(&near));
    assert_eq!(wanted(store)[0], (1, Some(at(70)), Some(Span::DAY)), "the nearest way counts");
}

pub(super) fn cursors_start_at_zero_and_stay(store: &mut dyn Store) {
    assert_eq!(store.cursor("ring/status").must(), 0);
    store.set_cursor("ring/status", 12).must();
    store.set_cursor("sink", 3).must();
    store.set_cursor("ring/status", 13).must();
    assert_eq!((store.cursor("ring/status").must(), store.cursor("sink").must()), (13, 3));
}

pub(super) fn numbers_are_never_given_twice(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "x")]));
    let last = changes(store).last().expect("two lines").number;
    store.forget(&format!("{}/account/a", network())).must();
    assert_eq!(changes(store), []);
    apply(store, posts(200, [post("2", "b", 10, "x")]));
    assert!(changes(store)[0].number > last, "a consumer at {last} would miss it");
}

pub(super) fn a_change_says_who_found_it(store: &mut dyn Store) {
    let by = |robot, upload| Upload { robot, ..upload };
    for (robot, secs) in RobotKind::ALL.into_iter().zip(0..) {
        apply(store, by(Some(robot), accounts(secs, [account(robot.name(), robot.name())])));
    }
    apply(store, by(None, posts(100, [post("1", "status", 10, "x")])));
    apply(store, by(Some(RobotKind::Comment), posts(101, [post("1", "status", 10, "y")])));
    let finders: Vec<_> = changes(store).into_iter().map(|change| change.finder).collect();
    let mut expected: Vec<_> = RobotKind::ALL.into_iter().map(Some).collect();
    expected.extend([None, Some(RobotKind::Comment)]);
    assert_eq!(finders, expected);
}

pub(super) fn the_log_is_entered_at_a_time(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "x")]));
    apply(store, posts(200, [post("2", "a", 10, "x")]));
    // A clock that was ahead for a moment hides nothing that came after.
    apply(store, accounts(150, [account("c", "c")]));
    let number = |id: &str| changes(store).iter().find(|it| it.address.id == id).map(|it| it.number);
    let first = changes(store).first().map(|it| it.number);
    for (secs, expected) in [(0, first), (101, number("2")), (200, number("2")), (201, None)] {
        assert_eq!(store.first_change_since(at(secs)).must(), expected, "{secs}");
    }
}
