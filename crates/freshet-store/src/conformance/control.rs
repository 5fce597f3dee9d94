//! Behaviours of the small tables: messages, robots, settings, visit numbers, parked objects.

use freshet_types::{RobotKind, RobotState};

use super::kit::{Must, at};
use crate::api::Store;
use crate::control::Control;
use crate::row::Parked;

pub(super) fn messages_are_read_above_a_number(store: &mut dyn Store) {
    assert_eq!(store.controls_above(0).must(), []);
    let first = store.push_control(&Control::Robots(RobotKind::Status)).must();
    // Left by another version; whoever reads it must still get past it.
    let unknown = Control::Unknown { verb: "stop".into(), argument: "at once".into() };
    let second = store.push_control(&unknown).must();
    assert!(second > first);
    let all = store.controls_above(0).must();
    assert_eq!([&all[0].control, &all[1].control], [&Control::Robots(RobotKind::Status), &unknown]);
    assert_eq!(store.controls_above(first).must(), all[1..]);
    assert_eq!(store.controls_above(second).must(), []);
}

pub(super) fn robots_start_as_the_paper_says(store: &mut dyn Store) {
    use RobotKind::{Across, Comment, Link, Relation, Status, Tag, User};
    use RobotState::{Paused, Running, Stopped};
    let states = |store: &dyn Store| -> Vec<_> {
        store.robots().must().into_iter().map(|row| (row.kind, row.state)).collect()
    };
    let expected = [
        (Relation, Stopped),
        (User, Running),
        (Status, Running),
        (Comment, Stopped),
        (Tag, Stopped),
        (Link, Stopped),
        (Across, Stopped),
    ];
    assert_eq!(states(store), expected);
    store.set_robot(Status, Paused).must();
    store.set_robot_credential(Status, Some("mine")).must();
    assert_eq!(states(store)[2], (Status, Paused));
    assert_eq!(store.robots().must()[2].credential.as_deref(), Some("mine"));
    store.set_robot_credential(Status, None).must();
    assert_eq!(store.robots().must()[2].credential, None);
}

pub(super) fn settings_are_kept(store: &mut dyn Store) {
    assert_eq!(store.setting("clock").must(), None);
    store.set_setting("clock", "http://127.0.0.1:1/clock").must();
    store.set_setting("clock", "").must();
    assert_eq!(store.setting("clock").must().as_deref(), Some(""));
}

pub(super) fn settings_are_written_and_listed_together(store: &mut dyn Store) {
    let set = |key: &str, value: &str| (key.to_owned(), Some(value.to_owned()));
    let has = |store: &dyn Store, prefix: &str| {
        let found = store.settings_under(prefix).must().into_iter();
        found.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    };
    let odd = "led%ger/[\"ü\"]";
    store.set_settings(&[set("led/b", "2"), set("led", "0"), set("led/a", "1"), set(odd, "3")]).must();
    for (prefix, expected) in [
        ("led/", "led/a=1 led/b=2".to_owned()),
        ("led%", format!("{odd}=3")),
        ("led_", String::new()),
        ("ledger", String::new()),
    ] {
        assert_eq!(has(store, prefix), expected, "{prefix}");
    }
    let gone = |key: &str| (key.to_owned(), None);
    store.set_settings(&[set("led/b", "4"), gone("led/a"), gone("led/never")]).must();
    assert_eq!(has(store, "led/"), "led/b=4");
    assert_eq!(store.setting("led/a").must(), None);
    assert_eq!(store.setting("led").must().as_deref(), Some("0"), "only what was named is gone");
}

pub(super) fn visit_numbers_are_reserved_once(store: &mut dyn Store) {
    let first = store.reserve_visits(100).must();
    assert!(first > 0, "0 means no visit");
    assert_eq!(store.reserve_visits(1).must(), first + 100);
    assert_eq!(store.reserve_visits(5).must(), first + 101);
}

pub(super) fn parked_objects_wait_and_are_dropped(store: &mut dyn Store) {
    let one = |address: &str, secs| Parked {
        address: address.into(),
        missing: "post.plinks[\"likes\"]".into(),
        parked_at: at(secs),
        object: "{}".into(),
        source: None,
    };
    store.park(&[one("n/post/1", 10), one("n/post/2", 20), one("n/post/3", 30)]).must();
    assert_eq!(store.parked("n/post/1").must(), Some(one("n/post/1", 10)));
    store.park(&[one("n/post/1", 99)]).must();
    assert_eq!(store.parked("n/post/1").must(), Some(one("n/post/1", 10)), "it waits since the first time");
    assert_eq!(store.counts().must().parked, 3);
    store.unpark(&["n/post/3".into(), "n/post/unknown".into()]).must();
    assert_eq!(store.drop_parked(at(20)).must(), 1);
    assert_eq!(store.parked("n/post/1").must(), None);
    assert_eq!(store.counts().must().parked, 1);
}
