//! Requests that never come back, and requests that wait for others at their fetcher.

use super::*;

/// Whether a request that begins at these seconds, after waiting, is still waited for at 150 s.
fn check(begun_at_s: Option<i64>, expected: bool) {
    let mut bench = Bench::new("change-rate");
    let id = bench.know(1, "7");
    let order = bench.orders.pop_front().expect("it is due");
    for second in (10..=150).step_by(10) {
        bench.wait(Span::from_secs(10));
        if begun_at_s == Some(second) {
            bench.tell(Event::Begun(order.id));
        }
    }
    let what = format!("begun at {begun_at_s:?}");
    let cancelled: &[OrderId] = if expected { &[] } else { &[order.id] };
    assert_eq!(bench.cancelled, cancelled, "{what}");
    assert_eq!(bench.core.placement.fetchers()[0].open_count, u32::from(expected), "{what}");
    bench.commit_all();
    assert_eq!(bench.sources[&id].failure.is_none(), expected, "{what}");
}

#[test]
fn a_lease_runs_from_the_beginning_of_the_exchange() {
    check(None, false);
    check(Some(20), false);
    check(Some(100), true);
    // Too late: it was given up, and stays so.
    check(Some(130), false);
}
