//! Plans against all plans.

use super::*;
use crate::Pool;
use crate::change::Known;

/// The plan by trying every later visit for every node.
fn regrets_by_trial(path: &Path, prices: &[f64; NODE_COUNT], price: f64) -> Vec<f64> {
    let wait = |from: usize, to: usize| {
        NODES_H[to] * (path.posts[to] - path.posts[from]) - (path.moments_h[to] - path.moments_h[from])
    };
    let last = NODE_COUNT - 1;
    let tail_per_h = (path.posts[last] - path.posts[TAIL - 1]) / (NODES_H[last] - NODES_H[TAIL - 1]);
    let slope = CYCLE_SHARE * (2.0 * price * tail_per_h).sqrt();
    let mut values: Vec<f64> = NODES_H.iter().map(|node| -slope * (node - NODES_H[TAIL])).collect();
    for from in (0..TAIL).rev() {
        let costs = (from + 1..NODE_COUNT).map(|to| wait(from, to) + prices[to] + values[to]);
        values[from] = costs.fold(f64::INFINITY, f64::min);
    }
    let cost = |node: usize| wait(0, node) + prices[node] + values[node];
    (1..last)
        .map(|node| (node + 1..NODE_COUNT).map(cost).fold(f64::INFINITY, f64::min) - cost(node))
        .collect()
}

fn check(rates_per_h: [f64; 24], price: f64) {
    let model = Known::new(rates_per_h.map(|rate| rate / 3600.0));
    let (mut path, mut plan) = (Path::default(), Plan::default());
    let since = Timestamp::from_secs(1_700_000_000);
    model.path(&Pool::default(), since, 0.0, &mut path);
    let prices = std::array::from_fn(|node| price * (0.7 + 0.6 * ((node * 7 % 24) as f64 / 24.0)));
    plan.make(&path, &prices, price, 0);
    let scale = price + path.posts[NODE_COUNT - 1];
    for (node, expected) in (1..).zip(regrets_by_trial(&path, &prices, price)) {
        let got = f64::from(plan.regrets[node]);
        assert!((got - expected).abs() < 1e-4 * scale.max(expected.abs()), "{node}: {got}, not {expected}");
    }
}

#[test]
fn plans_are_those_of_trying_all() {
    let day = std::array::from_fn(|hour| if (8..20).contains(&hour) { 1.0 } else { 0.05 });
    for price in [0.01, 0.3, 5.0, 80.0, 2000.0] {
        check([0.5; 24], price);
        check(day, price);
        check(std::array::from_fn(|hour| f64::from((hour % 5) as u32)), price);
    }
}

#[test]
fn a_constant_rate_is_visited_every_square_root() {
    // T = √(2·price/rate), whatever the hour.
    for (rate_per_h, price) in [(0.5, 4.0), (2.0, 1.0), (0.1, 20.0)] {
        let model = Known::new([rate_per_h / 3600.0; 24]);
        let (mut path, mut plan) = (Path::default(), Plan::default());
        model.path(&Pool::default(), Timestamp::from_secs(0), 0.0, &mut path);
        plan.make(&path, &[price; NODE_COUNT], price, 0);
        let (gap_h, expected_h) = (plan.due_h(0).unwrap(), (2.0 * price / rate_per_h).sqrt());
        assert!((gap_h / expected_h - 1.0).abs() < 0.2, "{gap_h}, not {expected_h}");
        assert!((plan.visits_per_h() * expected_h - 1.0).abs() < 0.15, "{}", plan.visits_per_h());
    }
}

#[test]
fn nothing_expected_is_never_due_early() {
    let (path, mut plan) = (Path::default(), Plan::default());
    plan.make(&path, &[1.0; NODE_COUNT], 1.0, 0);
    assert!(plan.regrets.iter().all(|regret| regret.is_finite()));
    assert_eq!(path.reaches_h(1.0), None);
}
