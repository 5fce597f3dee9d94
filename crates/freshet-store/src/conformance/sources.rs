//! Behaviours of sources and servers.

use std::ops::ControlFlow;

use freshet_types::coverage::{Coverage, Interval, Mark, Obstacle};
use freshet_types::{
    Instance, RobotKind, Source, SourceId, SourceState, Span, Timestamp, Timetable, Validators, VisitId,
    VisitSummary, Weight,
};

use super::kit::{Must, add, all_posts, apply, at, load, network, post, posts, timeline};
use crate::api::Store;
use crate::row::{Applied, InstanceRow, OnDelete, Upload};

fn by_handle(handle: &str) -> Source {
    Source { handle: Some(handle.into()), ..timeline("") }
}

pub(super) fn a_source_is_added_once(store: &mut dyn Store) {
    let followers = Source::new(&network(), "followers", RobotKind::Relation, "account", "1");
    let all = [timeline("1"), timeline("2"), followers, by_handle("x"), by_handle("y"), timeline("1")];
    let added = store.add_sources(&all).must();
    let is_new: Vec<_> = added.iter().map(|(_, is_new)| *is_new).collect();
    assert_eq!(is_new, [true, true, true, true, true, false]);
    assert_eq!(added[5].0, added[0].0);
    assert_eq!(store.add_sources(&[by_handle("x")]).must(), [(added[3].0, false)]);
    // Resolved meanwhile: known by its id and still by its handle.
    store.put_source(&Source { root_id: "9".into(), ..load(store, added[3].0) }).must();
    assert_eq!(store.add_sources(&[by_handle("x"), timeline("9")]).must(), [(added[3].0, false); 2]);
    let elsewhere = Source { network: "mastodon:b.example".into(), ..timeline("1") };
    assert!(store.add_sources(&[elsewhere]).must()[0].1);
}

pub(super) fn numbers_that_are_set_aside_are_given_elsewhere(store: &mut dyn Store) {
    let first = add(store, &timeline("1")).id;
    let aside = store.reserve_sources(3).must();
    let next = add(store, &timeline("2")).id;
    assert!(first < aside && next.0 >= aside.0 + 3, "{first:?} {aside:?} {next:?}");
    let added = store.add_sources_from(aside, &[timeline("3"), timeline("1"), timeline("4")]).must();
    let second = SourceId(aside.0 + 1);
    assert_eq!(added, [(aside, true), (first, false), (second, true)]);
    assert_eq!(load(store, second).root_id, "4");
    assert!(add(store, &timeline("5")).id > next, "and none of them is given again");
}

pub(super) fn a_removed_source_is_revived(store: &mut dyn Store) {
    let found = add(store, &Source { depth: 3, ..timeline("1") });
    store.set_state(&[found.id], SourceState::Removed).must();
    assert_eq!(load(store, found.id).state, SourceState::Removed);
    assert_eq!(store.add_sources(&[timeline("1")]).must(), [(found.id, false)]);
    let revived = load(store, found.id);
    assert_eq!((revived.state, revived.depth), (SourceState::Active, 0), "and a person wants it now");
    store.set_state(&[found.id], SourceState::Gone).must();
    store.add_sources(&[timeline("1")]).must();
    assert_eq!(load(store, found.id).state, SourceState::Gone, "only what was removed");
}

/// Adds a source, lets it be visited, and adds it again: gives what is wanted then, and whether what
/// is known of its past is kept.
fn add_twice(
    store: &mut dyn Store,
    root: &str,
    first: (i64, i64),
    then: (i64, i64),
    is_removed: bool,
) -> String {
    let wish = |(since, retention): (i64, i64)| Source {
        since: (since > 0).then(|| at(since)),
        retention: (retention > 0).then(|| Span::from_secs(retention)),
        ..timeline(root)
    };
    let fresh = add(store, &wish(first));
    let mark = Mark { id: "1".into(), at: at(10) };
    let (newest, oldest, below) = (mark.clone(), mark, None);
    let known = Interval { newest, oldest, until: at(20), below, is_bottom: true, visit: VisitId(1) };
    let coverage = Coverage { intervals: vec![known], ..Coverage::default() };
    let visited = Source { coverage, visited_at: Some(at(20)), model: vec![1], ..fresh };
    store.put_source(&visited).must();
    if is_removed {
        store.set_state(&[visited.id], SourceState::Removed).must();
    }
    let after = add(store, &wish(then));
    // The visit that was under way ends: it knows nothing of the new wish.
    apply(store, Upload { source: Some(visited), ..posts(100, []) });
    let end = load(store, after.id);
    assert_eq!((end.since, end.retention), (after.since, after.retention), "{root}");
    let secs = |ms: Option<i64>| ms.map_or("-".to_owned(), |ms| (ms / 1000).to_string());
    let is_known = !end.coverage.intervals.is_empty() && !end.model.is_empty();
    let kept = if is_known { "known" } else { "anew" };
    format!("{} {} {kept}", secs(end.since.map(Timestamp::ms)), secs(end.retention.map(Span::ms)))
}

pub(super) fn a_source_that_is_added_again_obeys(store: &mut dyn Store) {
    for (number, (first, then, is_removed, expected)) in [
        ((50, 0), (0, 0), false, "50 - known"),
        ((50, 0), (60, 0), false, "60 - known"),
        ((50, 0), (40, 0), false, "40 - anew"),
        ((0, 0), (0, 99), false, "- 99 known"),
        ((0, 99), (0, 200), false, "- 200 anew"),
        ((50, 99), (0, 0), true, "- - anew"),
        ((0, 0), (50, 99), true, "50 99 known"),
    ]
    .into_iter()
    .enumerate()
    {
        let got = add_twice(store, &format!("r{number}"), first, then, is_removed);
        assert_eq!(got, expected, "{first:?} then {then:?}, removed {is_removed}");
    }
    let person = add(store, &timeline("p"));
    let found = Source { depth: 1, since: Some(at(50)), ..timeline("p") };
    assert_eq!(add(store, &found), person, "a robot that finds it says nothing of its past");
}

pub(super) fn sources_come_back_whole(store: &mut dyn Store) {
    let fresh = add(store, &timeline("1"));
    assert_eq!(fresh, Source { id: fresh.id, ..timeline("1") });
    let mark = |id: &str, secs| Mark { id: id.into(), at: at(secs) };
    let interval = Interval {
        newest: mark("9", 90),
        oldest: mark("2", 20),
        until: at(95),
        below: Some("cursor".into()),
        is_bottom: false,
        visit: VisitId(3),
    };
    let bottom = Interval { below: None, is_bottom: true, oldest: mark("0", 1), ..interval.clone() };
    let mut coverage = Coverage {
        intervals: vec![interval, bottom],
        empty_at: Some(at(3)),
        shown: vec!["5".to_owned()],
        ..Coverage::default()
    };
    coverage.shut("older", Obstacle::Refused, at(50));
    let full = Source {
        handle: Some("@a@a.example".into()),
        state: SourceState::AuthRequired,
        depth: 2,
        since: Some(at(-5)),
        retention: Some(Span::DAY),
        weight: 2.5,
        due_at: at(1000),
        visited_at: Some(at(99)),
        attempts: 2,
        failure: Some("no answer in time".into()),
        coverage,
        model: vec![0, 255, 7],
        validators: Validators { etag: Some("\"e\"".into()), last_modified: Some("Mon".into()) },
        pulse: Some("1042".into()),
        read_at: Some(at(98)),
        timetable: Timetable { ttl_min: Some(60), skip_hours: 3, ..Timetable::default() },
        ..fresh.clone()
    };
    store.put_source(&full).must();
    assert_eq!(load(store, fresh.id), full);
    let later = Source { due_at: Timestamp::MAX, coverage: Coverage::default(), ..full };
    let summary = VisitSummary {
        id: VisitId(4),
        source: fresh.id,
        started_at: at(100),
        ended_at: at(101),
        fetch_count: 1,
        new_post_count: 0,
        outcome: "ok".into(),
        attempt: 1,
    };
    let end = Upload { source: Some(later.clone()), summary: Some(summary), ..posts(101, []) };
    apply(store, end.clone());
    apply(store, end);
    assert_eq!(load(store, fresh.id), later);
    assert_eq!(store.counts().must().visits, 1, "a visit is remembered once");
    assert_eq!(store.source(SourceId(77)).must(), None);
}

pub(super) fn sources_are_found_by_what_people_type(store: &mut dyn Store) {
    let one = add(store, &Source { handle: Some("@a@a.example".into()), ..timeline("id1") });
    let two = add(store, &timeline("id2"));
    let found = |reference: &str| -> Vec<u32> {
        store.find_sources(reference).must().into_iter().map(|source| source.id.0).collect()
    };
    for reference in
        [&*one.id.0.to_string(), "@a@a.example", "a@a.example", "id1", "mastodon:a.example/account/id1"]
    {
        assert_eq!(found(reference), [one.id.0], "{reference}");
    }
    assert_eq!(found("id2"), [two.id.0]);
    for reference in ["", "id3", "99", "mastodon:a.example/post/id1", "nowhere/account/id1"] {
        assert_eq!(found(reference), [] as [u32; 0], "{reference}");
    }
    let roots = ["id2", "a@a.example", "", "id1", "id2"].map(str::to_owned);
    assert_eq!(store.have_roots(&network(), &roots).must(), [true, false, false, true, true]);
    assert_eq!(store.have_roots(&"nowhere".into(), &roots).must(), [false; 5]);
    assert_eq!(store.have_roots(&network(), &[]).must(), [] as [bool; 0]);
}

pub(super) fn slots_come_in_order_above_a_number(store: &mut dyn Store) {
    let ids: Vec<_> = (1..=5).map(|n| add(store, &timeline(&n.to_string())).id).collect();
    let mut slots = Vec::new();
    let each = &mut |slot: crate::row::SourceSlot| {
        slots.push(slot);
        ControlFlow::Continue(())
    };
    store.each_slot(ids[1], each).must();
    assert_eq!(slots.iter().map(|slot| slot.id).collect::<Vec<_>>(), ids[2..]);
    let slot = &slots[0];
    assert_eq!((&slot.network, slot.robot, slot.state), (&network(), RobotKind::Status, SourceState::Active));
    assert_eq!((slot.weight, slot.due_at), (1.0, Timestamp::MIN));
    let mut count = 0;
    let each = &mut |source: Source| {
        count += 1;
        if source.id == ids[2] { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.each_source(each).must();
    assert_eq!(count, 3, "it stops when told");
}

pub(super) fn states_are_set_and_counted(store: &mut dyn Store) {
    let ids: Vec<_> = (1..=4).map(|n| add(store, &timeline(&n.to_string())).id).collect();
    store.set_state(&ids[..1], SourceState::Failed).must();
    store.set_state(&ids[1..2], SourceState::Removed).must();
    let counts = store.counts().must().sources;
    for state in SourceState::ALL {
        let count = counts.iter().find(|(one, _)| *one == state).map_or(0, |(_, count)| *count);
        let expected = match state {
            SourceState::Active => 2,
            SourceState::Failed | SourceState::Removed => 1,
            _ => 0,
        };
        assert_eq!(count, expected, "{}", state.name());
    }
}

pub(super) fn a_visit_does_not_undo_remove(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    store.set_state(&[source.id], SourceState::Removed).must();
    let page = Upload { source: Some(source.clone()), ..posts(100, [post("1", "a", 10, "x")]) };
    apply(store, page);
    assert_eq!(load(store, source.id).state, SourceState::Removed);
    assert_eq!(all_posts(store).len(), 1, "what the visit brought is kept");
}

pub(super) fn whoever_is_named_by_number_is_watched_again(store: &mut dyn Store) {
    // Two lists of one account: found by its id before the handle that a person gave led there.
    let by_handle = add(store, &Source { handle: Some("alice".into()), ..timeline("") });
    let found = add(store, &timeline("a"));
    let resolved = Source { root_id: "a".into(), ..by_handle.clone() };
    store.put_source(&resolved).must();
    store.set_state(&[found.id], SourceState::Removed).must();
    let back = Source { state: SourceState::Active, ..load(store, found.id) };
    assert_eq!(store.add_sources(&[back]).must(), [(found.id, false)]);
    assert_eq!(load(store, found.id).state, SourceState::Active);
}

pub(super) fn a_visit_does_not_undo_watching_again(store: &mut dyn Store) {
    for told in [SourceState::Removed, SourceState::Paused] {
        let source = add(store, &timeline("watched"));
        store.set_state(&[source.id], told).must();
        // It was under way when it heard of that; meanwhile it is wanted again.
        let late = Source { state: told, ..source.clone() };
        store.add_sources(std::slice::from_ref(&source)).must();
        apply(store, Upload { source: Some(late), ..posts(100, []) });
        assert_eq!(load(store, source.id).state, SourceState::Active, "{told:?}");
    }
}

pub(super) fn a_visit_does_not_undo_opting_out(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let end = |state, was_opted_out| {
        let source = Some(Source { state, ..source.clone() });
        Upload { source, was_opted_out, ..posts(100, []) }
    };
    let page = Upload { opted_out: vec!["a".into()], ..posts(99, []) };
    assert_eq!(apply(store, page).rested, [source.id], "the page of somebody else shows the flag");
    for state in [SourceState::Active, SourceState::Failed, SourceState::Gone] {
        apply(store, end(state, false));
        assert_eq!(load(store, source.id).state, SourceState::OptedOut, "over {}", state.name());
    }
    apply(store, end(SourceState::Active, true));
    assert_eq!(load(store, source.id).state, SourceState::Active, "the owner was asked again");
}

pub(super) fn a_visit_does_not_undo_a_shorter_way(store: &mut dyn Store) {
    let found = add(store, &Source { depth: 2, ..timeline("a") });
    assert_eq!(add(store, &timeline("a")).depth, 0, "a person adds it");
    apply(store, Upload { source: Some(found.clone()), ..posts(100, []) });
    assert_eq!(load(store, found.id).depth, 0);
}

pub(super) fn a_weight_is_a_persons_word(store: &mut dyn Store) {
    let weight = |text: &str| text.parse::<Weight>().expect("it is a weight");
    let weight_of = |store: &dyn Store, source: &Source| load(store, source.id).weight.to_string();
    let source = add(store, &Source { due_at: at(500), ..timeline("a") });
    let other = add(store, &timeline("b"));
    store.weigh(&[(source.id, at(300))], weight("2.5")).must();
    let weighed = load(store, source.id);
    assert_eq!((weighed.weight, weighed.due_at), (2.5, at(300)), "a visit is brought forward");
    store.weigh(&[(source.id, at(400))], weight("4")).must();
    assert_eq!(load(store, source.id).due_at, at(300), "and never put off");
    // A visit that began before, with a page and with an end that changes more than most do.
    let late = Source { weight: 7.0, ..source.clone() };
    apply(store, Upload { source: Some(late.clone()), ..posts(100, []) });
    assert_eq!(weight_of(store, &source), "4");
    let gone = Source { state: SourceState::Gone, ..late };
    apply(store, Upload { source: Some(gone), ..posts(101, []) });
    assert_eq!(weight_of(store, &source), "4");
    store.add_sources(std::slice::from_ref(&source)).must();
    assert_eq!(weight_of(store, &source), "4", "adding it again says nothing of its weight");
    assert_eq!(weight_of(store, &other), "1");
}

pub(super) fn late_pages_of_a_forgotten_source_are_dropped(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let page = Upload { source: Some(source.clone()), ..posts(100, [post("1", "a", 10, "x")]) };
    apply(store, page.clone());
    store.forget(&source.id.0.to_string()).must();
    assert_eq!(apply(store, page), Applied::default());
    assert_eq!(all_posts(store), []);
    assert_eq!(store.source(source.id).must(), None);
}

pub(super) fn instances_keep_their_care(store: &mut dyn Store) {
    let instance = Instance { network: network(), base: "https://a.example".into(), allow_private: false };
    let row = InstanceRow { instance: instance.clone(), on_delete: OnDelete::Keep };
    apply(store, posts(100, [post("1", "a", 10, "x")]));
    assert_eq!(store.instances().must(), [], "a network that was only seen is no server that was added");
    let met = store.networks_above(0).must();
    assert_eq!(met.iter().map(|(_, name)| name).collect::<Vec<_>>(), [&network()], "but it was met");
    assert_eq!(store.networks_above(met[0].0).must(), []);
    store.put_instance(&row).must();
    store.set_on_delete(&network(), OnDelete::Redact).must();
    let moved = Instance { base: "http://127.0.0.1:3000".into(), allow_private: true, ..instance };
    store.put_instance(&InstanceRow { instance: moved.clone(), on_delete: OnDelete::Keep }).must();
    let expected = InstanceRow { instance: moved, on_delete: OnDelete::Redact };
    assert_eq!(store.instances().must(), [expected]);
    for (base, kept) in
        [("https://b.example", "https://b.example"), ("http://b.example", "https://b.example")]
    {
        let instance = Instance { network: network(), base: base.into(), allow_private: false };
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).must();
        assert_eq!(store.instances().must()[0].instance.base, kept, "never from https to http");
    }
}
