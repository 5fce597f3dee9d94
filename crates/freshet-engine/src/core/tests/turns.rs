//! Policies that are an order alone: who is visited after whom, and that nobody stalls the others.

use freshet_types::{Fault, FaultKind, LimitReading};

use super::*;

/// Sources of the bench, in the order in which they are told.
const NUMBERS: [u32; 5] = [4, 2, 5, 1, 3];

/// A server that allows one call a minute and so tells.
fn known(policy: &str) -> Bench {
    let mut bench = Bench::new(policy);
    for number in NUMBERS {
        bench.sources.insert(SourceId(number), named(number));
    }
    let slots = NUMBERS.iter().map(|number| bench.stored_slot(SourceId(*number))).collect();
    bench.tell(Event::Slots(slots));
    bench
}

fn named(number: u32) -> Source {
    let root = number.to_string();
    let source = Source::new(&NETWORK.into(), "posts", RobotKind::Status, "account", &root);
    Source { id: SourceId(number), ..source }
}

/// Has every order that is out answered, each with as many new posts as the number of its source; gives whose they were.
fn serve(bench: &mut Bench, visited: &mut Vec<u32>) {
    while let Some(order) = bench.orders.front() {
        let number: u32 = order.root.parse().unwrap();
        visited.push(number);
        let now_s = bench.now.secs();
        let posts = (0..i64::from(number)).map(|post| now_s - 10 - post * 50);
        let reset_at = Some(Timestamp::from_secs((now_s / 60 + 1) * 60));
        let limits =
            vec![LimitReading { limit: Some(1), remaining: Some(0), reset_at, ..LimitReading::default() }];
        bench.answer(Page { limits, ..list(&number.to_string(), posts) });
        bench.commit_all();
    }
}

/// Whom the server sees in so many minutes.
fn crawl(bench: &mut Bench, minutes: u32) -> Vec<u32> {
    let mut visited = Vec::new();
    for _ in 0..minutes * 4 {
        serve(bench, &mut visited);
        bench.wait(Span::from_secs(15));
    }
    visited
}

/// The oldest order gets no answer.
fn spoil(bench: &mut Bench, kind: FaultKind) {
    let order = bench.orders.pop_front().expect("an order is out");
    bench.tell(Event::Fetched(vec![Fetched {
        order: order.id,
        fetcher: bench.placed.get(&order.id).copied().unwrap_or_default(),
        took_ms: 10,
        received_at: bench.now,
        extra_count: 0,
        result: Err(Fault::new(kind, "as the test wants it")),
    }]));
    bench.commit_all();
}

/// How often each was visited, at least and at most.
fn spread(visited: &[u32]) -> (usize, usize) {
    let count = |number: &u32| visited.iter().filter(|it| *it == number).count();
    let counts: Vec<usize> = NUMBERS.iter().map(count).collect();
    (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
}

#[test]
fn each_order_is_kept_round_after_round() {
    for (policy, expected) in [("rr", [1, 2, 3, 4, 5]), ("ring", NUMBERS), ("organ-pipe", [1, 3, 5, 4, 2])] {
        let mut bench = known(policy);
        let warm = crawl(&mut bench, 60);
        let visited = crawl(&mut bench, 120);
        let begin = visited.iter().position(|number| *number == expected[0]).unwrap();
        let rounds = visited[begin..].chunks_exact(5).take(8).collect::<Vec<_>>();
        assert_eq!(rounds, vec![&expected[..]; 8], "{policy} after {warm:?}");
    }
}

#[test]
fn lots_leave_nobody_out() {
    let visited = crawl(&mut known("random"), 600);
    let (least, most) = spread(&visited);
    assert!(least > 60 && most < 180, "{least} to {most} of {}", visited.len());
    assert!(visited.windows(2).any(|pair| pair[0] == pair[1]), "lots know no memory");
}

#[test]
fn who_comes_goes_pauses_or_fails_stalls_nobody() {
    for policy in ["rr", "ring", "random", "organ-pipe"] {
        let mut bench = known(policy);
        crawl(&mut bench, 30);
        // One is paused, one removed, one comes.
        bench.know_as(2, "2", SourceState::Paused);
        bench.know_as(3, "3", SourceState::Removed);
        bench.know(9, "9");
        let visited = crawl(&mut bench, 60);
        assert!(visited.len() >= 50, "{policy}: {visited:?}");
        assert!(!visited[1..].iter().any(|number| [2, 3].contains(number)), "{policy}: {visited:?}");
        assert!(visited.contains(&9), "{policy}: {visited:?}");
        // One is back; another's visits fail, which is its own fault.
        bench.know_as(2, "2", SourceState::Active);
        let mut fails = Vec::new();
        for _ in 0..240 {
            while bench.orders.front().is_some_and(|order| order.root == "5") {
                fails.push(bench.now);
                spoil(&mut bench, FaultKind::TooLarge);
            }
            serve(&mut bench, &mut Vec::new());
            bench.wait(Span::from_secs(15));
        }
        let visited = crawl(&mut bench, 30);
        assert!(visited.len() >= 25 && visited.contains(&2), "{policy}: {visited:?}");
        assert!(!fails.is_empty() && fails.len() <= 8, "{policy}: {} failures", fails.len());
    }
}

#[test]
fn after_an_outage_the_rounds_go_on() {
    for policy in ["rr", "ring", "random", "organ-pipe"] {
        let mut bench = known(policy);
        crawl(&mut bench, 10);
        for _ in 0..120 {
            while !bench.orders.is_empty() {
                spoil(&mut bench, FaultKind::Connect);
            }
            bench.wait(Span::from_secs(15));
        }
        crawl(&mut bench, 10);
        let visited = crawl(&mut bench, 60);
        assert!(visited.len() >= 45 && spread(&visited).0 >= 4, "{policy}: {visited:?}");
    }
}

#[test]
fn who_is_wanted_goes_first_and_a_pinned_one_keeps_its_pace() {
    let mut bench = known("rr");
    crawl(&mut bench, 30);
    let next = bench.orders.front().map(|order| order.root.clone());
    bench.tell(Event::Wanted(vec![SourceSlot { due_at: bench.now, ..bench.stored_slot(SourceId(5)) }]));
    let visited = crawl(&mut bench, 4);
    assert!(visited[..2].contains(&5), "{visited:?}, with {next:?} under way");
    bench.sources.get_mut(&SourceId(1)).unwrap().pinned = Some(Span::HOUR * 2.0);
    let visited = crawl(&mut bench, 240);
    let pinned_count = visited.iter().filter(|number| **number == 1).count();
    assert!((2..=4).contains(&pinned_count), "{pinned_count} visits to the one that is pinned");
    assert!(spread(&visited).1 > 40, "the others go on");
}
