//! Fetchers that join and leave while orders are with them.

use super::*;

/// A core with these fetchers alone, and one list that is due.
fn bench(fetchers: &[u32]) -> (Bench, SourceId) {
    let mut bench = Bench::new("change-rate");
    for id in 0..bench.core.options.fetcher_count as u32 {
        bench.tell(Event::FetcherLeft(FetcherId(id)));
    }
    for &id in fetchers {
        bench.tell(Event::FetcherJoined(FetcherId(id)));
    }
    let id = bench.know(1, "7");
    (bench, id)
}

/// What happens to the fetchers while an order is with the first of them.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Joins(u32),
    Leaves(u32),
    /// A lease and a half passes.
    Waits,
    /// The answer to the first order comes, from whoever had it.
    Answers,
    Drains,
}

/// With whom the orders were placed, first to last, and whether the visit is over and its source unharmed.
fn check(fetchers: &[u32], turns: &[Turn], placed: &[u32], is_idle: bool) {
    let what = format!("{fetchers:?}, then {turns:?}");
    let (mut bench, source) = bench(fetchers);
    let mut orders: Vec<Order> = bench.orders.iter().cloned().collect();
    for &turn in turns {
        match turn {
            Turn::Joins(id) => bench.tell(Event::FetcherJoined(FetcherId(id))),
            Turn::Leaves(id) => bench.tell(Event::FetcherLeft(FetcherId(id))),
            Turn::Waits => bench.wait(Span::from_secs(180)),
            Turn::Answers => {
                bench.orders.push_front(orders[0].clone());
                bench.answer(list("7", [970_000]));
            }
            Turn::Drains => bench.tell(Event::Drain),
        }
        // A pause between two requests to one server is kept.
        bench.wait(Span::SECOND);
        bench.commit_all();
        orders
            .extend(bench.orders.iter().filter(|order| !orders.contains(order)).cloned().collect::<Vec<_>>());
    }
    let at: Vec<u32> = orders.iter().map(|order| bench.placed[&order.id].0).collect();
    assert_eq!(at, placed, "{what}");
    assert_eq!(bench.core.is_idle(), is_idle, "{what}");
    let mut ids: Vec<OrderId> = orders.iter().map(|order| order.id).collect();
    ids.dedup();
    assert_eq!(ids.len(), orders.len(), "{what}: no two orders have one id");
    let stored = &bench.sources[&source];
    assert_eq!((stored.attempts, &stored.failure), (0, &None), "{what}");
    assert_eq!(bench.core.server_views(1).1, 0, "{what}: nobody is to blame");
    let open: u32 = bench.core.placement.fetchers().iter().map(|fetcher| fetcher.open_count).sum();
    let out = bench.core.visits.iter().filter(|visit| visit.fetcher.is_some()).count();
    assert_eq!(open as usize, out, "{what}: all that is on somebody's account is out");
}

#[test]
fn orders_of_a_fetcher_that_left_are_given_to_another() {
    use Turn::{Answers, Drains, Joins, Leaves, Waits};
    check(&[], &[], &[], true);
    check(&[], &[Joins(3)], &[3], false);
    check(&[3], &[Answers], &[3], true);
    check(&[3, 4], &[Leaves(3)], &[3, 4], false);
    check(&[3, 4], &[Leaves(4)], &[3], false);
    // An answer that comes all the same is dropped: the second order is still out.
    check(&[3, 4], &[Leaves(3), Answers], &[3, 4], false);
    // Nobody is there: it waits, and no lease runs.
    check(&[3], &[Leaves(3), Waits], &[3], false);
    check(&[3], &[Leaves(3), Waits, Joins(5)], &[3, 5], false);
    // The same fetcher, started anew, has forgotten what it had.
    check(&[3], &[Joins(3)], &[3, 3], false);
    check(&[3], &[Leaves(3), Drains], &[3], true);
    check(&[3, 4], &[Drains, Leaves(3)], &[3], true);
}

#[test]
fn what_waits_for_its_reservation_when_the_last_fetcher_leaves_is_asked_anew() {
    let mut bench = Bench::new("change-rate");
    bench.stores = false;
    bench.know(1, "7");
    for id in 0..bench.core.options.fetcher_count as u32 {
        bench.tell(Event::FetcherLeft(FetcherId(id)));
    }
    bench.stores = true;
    let reservation = bench.reservations.pop_front().expect("the grant is to be written");
    bench.tell(Event::Reserved(reservation.number));
    bench.wait(Span::from_secs(180));
    assert!(bench.orders.is_empty(), "nobody is there");
    bench.tell(Event::FetcherJoined(FetcherId(3)));
    assert_eq!(bench.orders.len(), 1);
    bench.answer(list("7", [970_000]));
    bench.commit_all();
    assert_eq!(bench.core.tally.posts_read_count, 1);
    assert!(bench.core.is_idle());
}

#[test]
fn an_answer_that_comes_after_its_lease_is_dropped() {
    let (mut bench, source) = bench(&[3]);
    let order = bench.orders.pop_front().expect("it is due");
    bench.wait(Span::from_secs(130));
    assert_eq!(bench.cancelled, [order.id]);
    bench.orders.push_front(order);
    bench.answer(list("7", [970_000]));
    bench.commit_all();
    assert_eq!(bench.sources[&source].visited_at, None, "nothing was read");
}
