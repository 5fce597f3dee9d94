//! Grants as the core asks for them: nothing leaves before the store knows, and redirects pay.

use freshet_types::{Outcome, Redirect, Redirects};

use super::*;

fn granted_count(bench: &Bench) -> u64 {
    bench
        .core
        .ledger
        .views(bench.now)
        .iter()
        .filter(|view| &*view.key.rule == "api")
        .map(|view| view.granted_count)
        .sum()
}

fn redirect(number: usize) -> Answer {
    Answer::Redirect(Redirect { status: 302, location: format!("/{number}") }, Vec::new())
}

#[test]
fn nothing_leaves_before_the_store_knows_of_its_grant() {
    let mut bench = Bench::new("change-rate");
    bench.stores = false;
    bench.know(1, "7");
    assert!(bench.orders.is_empty(), "the store has not answered");
    assert_eq!(granted_count(&bench), 1);
    let reservation = bench.reservations.pop_front().expect("the grant is to be written");
    assert!(reservation.settings.iter().any(|(key, _)| key.contains("a.example")), "{reservation:?}");
    bench.wait(Span::SECOND);
    assert!(bench.orders.is_empty(), "time alone writes nothing");
    bench.tell(Event::Reserved(reservation.number));
    assert_eq!(bench.orders.len(), 1);
}

#[test]
fn every_redirect_is_granted() {
    for redirect_count in [0, 1, 5] {
        let mut bench = Bench::new("change-rate");
        bench.know(1, "7");
        for number in 0..redirect_count {
            let order = bench.orders.front().expect("it goes where it was sent");
            assert!(matches!(&order.request.redirects, Redirects::Told(passed) if passed.len() == number));
            bench.answer_with(redirect(number));
            bench.wait(Span::SECOND * 5.0);
        }
        assert_eq!(granted_count(&bench), redirect_count as u64 + 1);
        bench.answer(list("7", [10, 20]));
        bench.commit_all();
        assert_eq!(bench.slot(SourceId(1)).state, SourceState::Active);
        assert_eq!(bench.core.tally.posts_read_count, 2, "{redirect_count} redirects");
    }
}

#[test]
fn redirects_without_end_fail_the_visit() {
    let mut bench = Bench::new("change-rate");
    bench.know(1, "7");
    let mut count = 0;
    while !bench.orders.is_empty() {
        bench.answer_with(redirect(count));
        count += 1;
        assert!(count < 100, "it never ends");
        bench.wait(Span::SECOND * 5.0);
    }
    bench.commit_all();
    assert!(bench.sources[&SourceId(1)].failure.is_some());
}

#[test]
fn a_redirected_visit_waits_in_hand_for_however_long() {
    let mut bench = Bench::new("change-rate");
    bench.know(1, "7");
    // Too many, until in an hour: a visit that began elsewhere would begin there again.
    bench.answer_with(redirect(0));
    let refused = Outcome::RateLimited { until: Some(bench.now + Span::HOUR) };
    bench.answer(Page { outcome: refused, ..Page::default() });
    bench.wait(Span::MINUTE * 59.0);
    assert!(bench.orders.is_empty());
    bench.wait(Span::MINUTE * 2.0);
    let order = bench.orders.front().expect("the hour is over");
    assert!(matches!(&order.request.redirects, Redirects::Told(passed) if passed.len() == 1));
}

#[test]
fn a_source_that_is_paused_while_it_is_refused_is_visited_when_it_goes_on() {
    let mut bench = Bench::new("change-rate");
    let id = bench.know(1, "7");
    let slot = bench.stored_slot(id);
    bench.tell(Event::Slots(vec![SourceSlot { state: SourceState::Paused, ..slot.clone() }]));
    let refused = Outcome::RateLimited { until: Some(bench.now + Span::HOUR) };
    bench.answer(Page { outcome: refused, ..Page::default() });
    assert!(!bench.slot(id).is_leased, "nobody visits it");
    bench.tell(Event::Slots(vec![slot]));
    bench.wait(Span::HOUR + Span::MINUTE);
    assert_eq!(bench.orders.len(), 1, "the hour is over");
}

#[test]
fn what_a_request_took_besides_is_booked() {
    let mut bench = Bench::new("change-rate");
    bench.know(1, "7");
    bench.extra_count = 3;
    bench.answer(list("7", [10]));
    assert_eq!(granted_count(&bench), 4);
}
