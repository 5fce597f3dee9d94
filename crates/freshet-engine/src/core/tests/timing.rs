//! What moves the due times of sources, and what leaves them alone.

use freshet_policy::DEFAULT_POLICY;
use freshet_types::Timetable;

use super::*;

/// A source that was visited, its slot, and the bench.
fn visited() -> (Bench, SourceId, Slot) {
    let mut bench = Bench::new(DEFAULT_POLICY);
    let id = bench.know(1, "7");
    bench.answer(list("7", (0..30).map(|at| 970_000 + at * 1000)));
    bench.commit_all();
    let slot = bench.slot(id);
    assert!(slot.price_step > 0 && slot.news_at > bench.now, "{slot:?}");
    (bench, id, slot)
}

#[test]
fn a_post_that_is_checked_teaches_nothing() {
    let (mut bench, id, slot) = visited();
    bench.wait(slot.news_at - bench.now + Span::SECOND);
    bench.answer(list("7", (0..30).map(|at| 970_000 + at * 1000)));
    bench.commit(Applied { missing: vec!["995001".to_owned()], ..Applied::default() });
    let learned = bench.core.visits.iter().next().expect("it goes on").source.model.clone();
    assert_eq!(bench.orders[0].root, "995001", "the missing post is asked for");
    bench.answer(list("7", [995_001]));
    assert_eq!(bench.uploads[0].checked, ["995001"], "that it was asked about is remembered");
    bench.commit_all();
    assert_eq!(bench.sources[&id].model, learned, "that it is still there is no silence");
}

#[test]
fn a_publishers_word_outlasts_an_answer_without_a_body_and_a_falling_price() {
    let (mut bench, id, slot) = visited();
    bench.wait(slot.news_at - bench.now + Span::SECOND);
    let timetable = Timetable { ttl_min: Some(600), ..Timetable::default() };
    bench.answer(Page { timetable: Some(timetable), ..list("7", (0..30).map(|at| 970_000 + at * 1000)) });
    bench.commit_all();
    for _ in 0..2 {
        assert_eq!(bench.sources[&id].timetable.ttl_min, Some(600));
        let news_at = bench.slot(id).news_at;
        let held_until = bench.sources[&id].visited_at.expect("it was visited") + Span::HOUR * 10.0;
        assert!(news_at >= held_until.min(bench.now + bench.core.options.ceiling), "{news_at} {held_until}");
        // As when prices fall: it comes due sooner, and goes back.
        let slot = bench.slot(id);
        assert!(slot.price_step > 0, "{slot:?}");
        bench.core.sources.set(id, Slot { news_at: bench.now + Span::SECOND, ..slot });
        bench.core.await_news(id);
        bench.wait(Span::MINUTE);
        assert!(bench.orders.is_empty(), "{:?}", bench.orders);
        bench.wait(Span::DAY);
        bench.answer(Page { is_unchanged: true, ..list("7", []) });
        bench.commit_all();
    }
}

#[test]
fn what_a_person_adds_does_not_move_what_is_known() {
    let (mut bench, id, slot) = visited();
    let other = Source { id: SourceId(2), ..bench.sources[&id].clone() };
    // As the store has it after a visit that left history to be read.
    bench.sources.get_mut(&id).unwrap().due_at = bench.now;
    bench.know_all([bench.sources[&id].clone(), other]);
    let after = bench.slot(id);
    assert_eq!(
        (after.news_at, after.price_step, after.class(), after.is_leased),
        (slot.news_at, slot.price_step, slot.class(), false)
    );
}

#[test]
fn what_is_removed_and_revived_is_known_anew() {
    let (mut bench, id, _) = visited();
    for (state, is_in) in [(SourceState::Removed, false), (SourceState::Active, true)] {
        let due_at = bench.now + Span::HOUR;
        bench.know_all([Source { state, due_at, ..bench.sources[&id].clone() }]);
        assert_eq!(bench.slot(id).state, state);
        assert_eq!(bench.core.frontier.due_at(id).is_some(), is_in, "{}", state.name());
    }
    assert_eq!(bench.slot(id).news_at, bench.now + Span::HOUR);
}

#[test]
fn a_lead_brings_a_known_source_forward_and_never_back() {
    let (mut bench, id, slot) = visited();
    for (due_at, expected) in
        [(slot.news_at + Span::HOUR, slot.news_at), (bench.now + Span::SECOND, bench.now + Span::SECOND)]
    {
        let led_to = vec![SourceSlot { due_at, ..bench.stored_slot(id) }];
        bench.tell(Event::Applied(vec![(VisitId(999), Applied { led_to, ..Applied::default() })]));
        assert_eq!(bench.slot(id).news_at, expected);
    }
}

#[test]
fn a_source_that_goes_back_unasked_costs_its_server_no_pause() {
    let mut bench = Bench::new(DEFAULT_POLICY);
    let source = Source::new(&SLOW_NETWORK.into(), "feed", RobotKind::Status, "feed", "https://b.example/f");
    let source = Source { id: SourceId(1), ..source };
    bench.sources.insert(source.id, source.clone());
    let slots = vec![bench.stored_slot(source.id)];
    bench.core.handle(Event::Slots(slots), Moment { now: bench.now, wall_ms: 0 });
    let (visit, _) = bench.core.visits.source_came(source.id).expect("it is picked");
    let key = bench.slot(source.id).key;
    assert!(bench.core.frontier.allowed_at(key) > bench.now, "the pick began a pause");
    bench.core.wait_longer(visit, &source, (bench.now + Span::HOUR, 9), bench.now);
    assert!(bench.core.frontier.allowed_at(key) <= bench.now, "nothing was sent");
}

#[test]
fn prices_that_fall_again_and_again_are_told_to_all() {
    let mut bench = Bench::new(DEFAULT_POLICY);
    bench.core.sources.make_room(10_000);
    let mut reached = 0;
    for _ in 0..3 {
        // Another fall, before the round of the last one came to its end.
        bench.core.sources.begin_round();
        bench.core.pull_forward(bench.now);
        reached = bench.core.sources.round_at().max(reached);
    }
    assert!(reached > 8_000, "{reached}");
    assert_eq!(bench.core.sources.round_at(), 3 * 4096 - 10_000, "and round");
}
