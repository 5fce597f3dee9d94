//! A store that takes nothing: nothing new is begun, nothing more is asked, and what waits is bounded.

use super::*;

/// A page of a list that goes on.
fn page(author: &str, second: i64) -> Page {
    let mut page = list(author, (0..40).map(|at| second - at));
    page.next = Some(format!("below {}", second - 40));
    page
}

#[test]
fn while_the_store_is_in_trouble_nothing_is_asked_and_afterwards_all() {
    let mut bench = Bench::new("change-rate");
    bench.know(1, "7");
    assert_eq!(bench.orders.len(), 1);
    bench.tell(Event::Hold(true));
    bench.know(2, "8");
    bench.answer(page("7", 900_000));
    bench.wait(Span::MINUTE);
    assert_eq!(bench.orders.len(), 0, "neither a new visit nor the next page");
    assert_eq!(bench.core.wake_at(), None, "and nobody wakes for it");
    bench.tell(Event::Hold(false));
    bench.wait(Span::MINUTE);
    let asked: Vec<&str> = bench.orders.iter().map(|order| order.root.as_str()).collect();
    assert_eq!(asked, ["7", "8"]);
}

#[test]
fn visits_under_way_ask_for_no_more_than_may_wait_for_the_store() {
    let mut bench = Bench::new("change-rate");
    bench.core.options.uploads_max = 3;
    bench.know(1, "7");
    let mut second = 900_000;
    while !bench.orders.is_empty() {
        bench.answer(page("7", second));
        second -= 40;
        bench.wait(Span::MINUTE);
        assert!(bench.uploads.len() <= 3, "{}", bench.uploads.len());
    }
    assert_eq!(bench.uploads.len(), 3);
    bench.commit(Applied::default());
    bench.wait(Span::MINUTE);
    assert_eq!(bench.orders.len(), 1, "it goes on where it was");
    // Drained, the visit ends with what it has.
    bench.answer(page("7", second));
    bench.tell(Event::Drain);
    bench.commit_all();
    assert!(bench.core.is_idle());
}
