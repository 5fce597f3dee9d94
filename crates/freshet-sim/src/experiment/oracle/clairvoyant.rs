//! `clairvoyant`: the least mean delay, or most posts, of somebody who knows the future.
//!
//! Delay: a source's sorted posts p₁ … pₙ fall into contiguous groups, each fetched at its last
//! post at a cost of Σ(last − pⱼ); what is not fetched waits until the end, which is a free
//! visit then. The cost is Monge, so a source's best cost f(k) is convex in its calls k, and one
//! price C for all sources shares a total budget exactly: the dual Σ min(f(k) + C·k) − C·B has
//! no gap. For a price, V(j) = C + min V(i) + pⱼ·(j−i) − (Sⱼ − Sᵢ), S the prefix sums of
//! times, is a lower envelope of lines: O(n). Not bound to the slots, so it is a bound for them.
//!
//! Capture: n posts behind pages of c are chunks c, c, …, n mod c; the largest chunks are taken.

use super::calls_total;
use super::envelope::Envelope;
use crate::experiment::{Outcome, Overflow, Setup, tally};
use crate::trace::History;
use freshet_policy::Objective;

/// Halvings of the price.
const STEPS: u32 = 60;

/// What somebody who knows the future reaches.
pub fn clairvoyant(history: &History, setup: &Setup) -> Outcome {
    let end = history.window.end();
    let budget = calls_total(setup, history.window, history.posters.len());
    let sources: Vec<Waits> = history
        .posters
        .iter()
        .map(|poster| {
            let posts = history.eval_posts(poster);
            let times_s = posts.iter().map(|at| (*at - history.window.start()).secs_f64()).collect();
            Waits {
                times_s,
                end_s: (end - history.window.start()).secs_f64(),
                weight: setup.weight(poster.user),
            }
        })
        .collect();
    let posts_total: u64 = sources.iter().map(|source| source.times_s.len() as u64).sum();
    let weights: f64 = sources.iter().map(|source| source.weight * source.times_s.len() as f64).sum();
    let (cost_s, calls) = least_wait_s(&sources, budget);
    let mut outcome = tally::of_sums(posts_total, calls, cost_s, weights);
    let chunk = setup.page_size.filter(|_| setup.overflow == Overflow::Lost);
    let limits = (setup.objective == Objective::Capture).then_some(chunk).flatten();
    let (captured, capture_calls) = most_posts(&sources, limits, budget);
    outcome.captured = captured;
    if setup.objective == Objective::Capture {
        (outcome.calls, outcome.mean_delay_s) = (capture_calls, None);
    }
    outcome.coverage = (posts_total > 0).then(|| captured as f64 / posts_total as f64);
    outcome.posts_per_call = if outcome.calls == 0 { 0.0 } else { captured as f64 / outcome.calls as f64 };
    outcome.useful_call_share = f64::from(u8::from(outcome.calls > 0));
    outcome
}

/// The posts of one source, in seconds from the start, ascending.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    pub(super) times_s: Vec<f64>,
    pub(super) end_s: f64,
    pub(super) weight: f64,
}

impl Waits {
    /// min over k of f(k) + price·k, and its k.
    fn at_price(&self, price: f64, lines: &mut Envelope) -> (f64, u64) {
        lines.clear();
        lines.push(0.0, 0.0, 0);
        let (mut sum_s, mut count) = (0.0, 0.0);
        for &time_s in &self.times_s {
            sum_s += time_s;
            count += 1.0;
            let (gathered, calls) = lines.lowest(time_s).unwrap_or_default();
            let value = price + gathered + self.weight * (time_s * count - sum_s);
            lines.push(-self.weight * count, value + self.weight * sum_s, calls + 1);
        }
        // V(i) + w·S_i − w·i·t is the line; what is left waits until the end for free.
        let (gathered, calls) = lines.lowest(self.end_s).unwrap_or_default();
        (gathered + self.weight * (self.end_s * count - sum_s), calls)
    }
}

/// Least total wait with at most `budget` calls, and the calls it takes.
pub(super) fn least_wait_s(sources: &[Waits], budget: u64) -> (f64, u64) {
    let mut lines = Envelope::default();
    let mut solve = |price: f64| {
        sources
            .iter()
            .map(|source| source.at_price(price, &mut lines))
            .fold((0.0, 0), |sum, (value, calls)| (sum.0 + value, sum.1 + calls))
    };
    let (free, calls) = solve(0.0);
    if calls <= budget {
        return (free, calls);
    }
    let widest = |source: &Waits| source.weight * source.end_s * source.times_s.len() as f64;
    let (mut low, mut high) = (0.0, sources.iter().map(widest).fold(1.0, f64::max) * 2.0);
    let mut best = 0.0_f64;
    for _ in 0..STEPS {
        let price = f64::midpoint(low, high);
        let (value, calls) = solve(price);
        // Every price gives a lower bound; the right one the value itself.
        best = best.max(value - price * budget as f64);
        *(if calls > budget { &mut low } else { &mut high }) = price;
    }
    (best, budget)
}

/// Most posts that `budget` calls can return, and the calls that takes.
fn most_posts(sources: &[Waits], page_size: Option<u32>, budget: u64) -> (u64, u64) {
    let mut chunks = Vec::new();
    for source in sources {
        let count = source.times_s.len();
        let size = page_size.map_or(count.max(1), |size| size.max(1) as usize);
        chunks.extend(std::iter::repeat_n(size as u64, count / size));
        chunks.extend((count % size > 0).then_some((count % size) as u64));
    }
    chunks.sort_unstable_by(|a, b| b.cmp(a));
    chunks.truncate(usize::try_from(budget).unwrap_or(usize::MAX));
    (chunks.iter().sum(), chunks.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to choose the posts at which visits happen.
    fn brute_force(sources: &[Waits], budget: u32) -> f64 {
        let total: usize = sources.iter().map(|source| source.times_s.len()).sum();
        let cost = |mask: u32| {
            let mut at = 0;
            let mut sum_s = 0.0;
            for source in sources {
                for (post, time_s) in source.times_s.iter().enumerate() {
                    let rest = (post..source.times_s.len()).find(|it| mask >> (at + it) & 1 == 1);
                    sum_s += source.weight * (rest.map_or(source.end_s, |it| source.times_s[it]) - time_s);
                }
                at += source.times_s.len();
            }
            sum_s
        };
        let masks = (0..1u32 << total).filter(|mask| mask.count_ones() <= budget);
        masks.map(cost).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn it_agrees_with_trying_everything() {
        let mut state = 12_345_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..40 {
            let sources: Vec<Waits> = (0..3)
                .map(|_| {
                    let mut times_s: Vec<f64> = (0..draw(5)).map(|_| draw(100) as f64).collect();
                    times_s.sort_by(f64::total_cmp);
                    Waits { times_s, end_s: 120.0, weight: 1.0 + draw(3) as f64 }
                })
                .collect();
            for budget in 0..8 {
                let (got, calls) = least_wait_s(&sources, budget);
                let expected = brute_force(&sources, budget as u32);
                assert!((got - expected).abs() < 1e-6, "{sources:?} {budget}: {got}, not {expected}");
                assert!(calls <= budget);
            }
        }
    }

    #[test]
    fn the_largest_chunks_are_taken() {
        let source = |count: usize| Waits { times_s: vec![1.0; count], end_s: 2.0, weight: 1.0 };
        let sources = [source(25), source(3), source(0)];
        assert_eq!(most_posts(&sources, Some(10), 2), (20, 2));
        assert_eq!(most_posts(&sources, Some(10), 3), (25, 3));
        assert_eq!(most_posts(&sources, Some(10), 100), (28, 4));
        assert_eq!(most_posts(&sources, None, 1), (25, 1));
        assert_eq!(most_posts(&sources, None, 0), (0, 0));
    }
}
