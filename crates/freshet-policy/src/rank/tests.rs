//! Rank against power iteration, built in any order, at bounded work.

use super::*;

/// Numbers that look drawn, the same every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)) % end
    }
}

/// What is done to a rank, in order.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Seed(u64, f64),
    Tie(u64, u64),
    Settle,
}

fn made(deeds: &[Deed]) -> Rank {
    let mut rank = Rank::default();
    for deed in deeds {
        match *deed {
            Deed::Seed(account, seed) => rank.seed(account, seed),
            Deed::Tie(one, other) => drop(rank.tie(one, other)),
            Deed::Settle => drop(rank.settle(usize::MAX)),
        }
    }
    rank
}

/// π by iteration, from the definition.
fn exact(rank: &Rank) -> Vec<f64> {
    let mut mass: Vec<f64> = vec![0.0; rank.nodes.len()];
    for _ in 0..400 {
        let mut next: Vec<f64> = rank.nodes.iter().map(|node| STOP_SHARE * node.seed).collect();
        for (node, mass) in rank.nodes.iter().zip(&mass) {
            for &other in &node.ties {
                next[other as usize] += (1.0 - STOP_SHARE) * mass / node.ties.len() as f64;
            }
        }
        mass = next;
    }
    mass
}

/// The bound and the invariant of the header hold.
fn check(deeds: &[Deed]) -> Rank {
    let mut rank = made(deeds);
    rank.settle(usize::MAX);
    let exact = exact(&rank);
    for (&account, &place) in &rank.places {
        let node = &rank.nodes[place as usize];
        let slack = RESIDUAL_MAX * node.ties.len().max(1) as f64 + 1e-9;
        let (score, exact) = (rank.score(account), exact[place as usize]);
        assert!((score - exact).abs() <= slack, "{account}: {score} is not {exact}, {deeds:?}");
        let flow: f64 = node
            .ties
            .iter()
            .map(|&u| &rank.nodes[u as usize])
            .map(|u| u.estimate / u.ties.len() as f64)
            .sum();
        let right = STOP_SHARE * node.seed + (1.0 - STOP_SHARE) * flow;
        let left = node.estimate + STOP_SHARE * node.residual;
        assert!((left - right).abs() < 1e-9, "{account}: {left} is not {right}, {deeds:?}");
    }
    rank
}

#[test]
fn small_graphs_have_the_rank_of_the_definition() {
    use Deed::{Seed, Settle, Tie};
    check(&[]);
    check(&[Seed(1, 1.0)]);
    check(&[Seed(1, 1.0), Settle, Tie(1, 2)]);
    check(&[Tie(1, 2), Seed(1, 1.0)]);
    check(&[Seed(1, 1.0), Tie(1, 2), Tie(2, 3), Tie(3, 1), Settle, Tie(3, 4), Seed(1, 0.0), Seed(4, 2.0)]);
    // A tie to oneself and one that is there already say nothing.
    check(&[Seed(1, 1.0), Tie(1, 1), Tie(1, 2), Tie(2, 1), Tie(1, 2)]);
    // What is no weight is none.
    check(&[Seed(1, f64::NAN), Seed(2, -1.0), Seed(3, f64::INFINITY), Tie(1, 2), Tie(2, 3)]);
}

#[test]
fn nearer_to_the_seeds_is_higher() {
    let rank = check(&[Deed::Seed(1, 1.0), Deed::Tie(1, 2), Deed::Tie(2, 3), Deed::Tie(3, 4)]);
    let scores: Vec<f64> = (1..=5).map(|account| rank.score(account)).collect();
    assert!(scores[1] > scores[2] && scores[2] > scores[3] && scores[3] > scores[4], "{scores:?}");
    assert!(scores[4].abs() < 1e-12, "nobody knows it");
}

#[test]
fn random_graphs_come_out_alike_however_they_were_built() {
    for seed in 0..40 {
        let mut draws = Draws(seed);
        let account_count = 2 + draws.below(38);
        let mut deeds: Vec<Deed> = (0..=draws.below(160))
            .map(|_| match draws.below(8) {
                0 => Deed::Seed(draws.below(account_count), draws.below(200) as f64 / 100.0),
                _ => Deed::Tie(draws.below(account_count), draws.below(account_count)),
            })
            .collect();
        let whole = check(&deeds);
        // The same with a settling after every deed: incremental is not from scratch, but as near to the truth.
        deeds = deeds.into_iter().flat_map(|deed| [deed, Deed::Settle]).collect();
        let stepwise = check(&deeds);
        assert_eq!((whole.len(), whole.tie_count), (stepwise.len(), stepwise.tie_count));
    }
}

#[test]
fn work_is_bounded_by_the_mass_that_came_in() {
    let mut draws = Draws(7);
    let mut rank = Rank::default();
    for _ in 0..20_000 {
        rank.tie(draws.below(3_000), draws.below(3_000));
    }
    assert_eq!(rank.settle(usize::MAX), 0, "nothing moves without a seed");
    rank.seed(0, 1.0);
    let steps = rank.settle(usize::MAX) as f64;
    assert!(steps > 0.0 && steps <= 1.0 / (STOP_SHARE * RESIDUAL_MAX), "{steps}");
    // In small portions it is the same work.
    rank.seed(1, 1.0);
    let portions: Vec<usize> =
        std::iter::repeat_with(|| rank.settle(100)).take_while(|steps| *steps > 0).collect();
    assert!(portions.iter().all(|steps| *steps < 100 + TIES_OF_ONE_MAX), "{portions:?}");
    assert!(portions.iter().sum::<usize>() as f64 <= 1.0 / (STOP_SHARE * RESIDUAL_MAX));
}

#[test]
fn a_hub_of_a_million_ties_costs_what_one_of_thousands_does() {
    let mut rank = Rank::default();
    rank.seed(0, 1.0);
    let kept = (1..=1_000_000).filter(|&fan| rank.tie(0, fan)).count();
    assert_eq!((kept, rank.tie_count), (TIES_OF_ONE_MAX, TIES_OF_ONE_MAX));
    assert!(rank.len() <= NODES_MAX);
    rank.settle(usize::MAX);
    let before = rank.score(0);
    assert!(before > rank.score(1) && rank.score(1) > 0.0);
    assert!(!rank.tie(0, 2_000_000) && rank.settle(usize::MAX) == 0);
}
