//! Distinct posts behind a page limit: what a call brings, and what it is worth.
//!
//! A visit after L expected posts brings g(L) = E min(N, c), N ~ Poisson(L); g is concave, so
//! the price of a call at the optimum is g(L) − L·g'(L) = c·P(N > c). Without a page limit
//! nothing is lost, and the index is the backlog itself.
//!
//! A learned rate is never sure. If posts have the rate λΘ, Θ a Gamma variable with mean 1 and variance σ, both
//! sides of that equation are means over Θ: the index is again c·P(N > c), N now negative binomial with mean
//! L and variance L + σL². Equally scattered sources keep their order; one that writes much or
//! nothing comes after one that surely fills its page.

use crate::SourceFacts;

/// Halvings when the backlog of a price is sought.
const STEPS: u32 = 60;
/// Terms of a Poisson sum; pages are shorter.
const TERMS_MAX: u32 = 10_000;
/// Less scatter than this is none.
const SCATTER_MIN: f64 = 1e-6;

/// c·P(N > c) for N ~ Poisson(posts); the backlog itself without a page limit.
pub fn index(posts: f64, page_size: Option<u32>) -> f64 {
    index_of(posts, page_size, 0.0)
}

/// The same for posts whose rate scatters.
pub fn index_of(posts: f64, page_size: Option<u32>, scatter: f64) -> f64 {
    match page_size {
        Some(size) if scatter < SCATTER_MIN => f64::from(size) * tail(posts, size),
        Some(size) => f64::from(size) * tail_scattered(posts, size, scatter),
        None => posts,
    }
}

/// g: posts that a visit is expected to bring, E min(N, c).
pub fn brought(posts: f64, page_size: Option<u32>) -> f64 {
    let Some(size) = page_size else { return posts };
    // E min(N,c) = L·P(N ≤ c−2 … ) written with tails: Σ_{k≤c} P(N ≥ k).
    (1..=size.min(TERMS_MAX)).map(|least| tail(posts, least - 1)).sum()
}

/// The backlog at which a visit is worth the price, for posts whose rate scatters; `None` if it never is.
pub(crate) fn posts_at(price: f64, source: &SourceFacts, scatter: f64) -> Option<f64> {
    let wanted = price / source.weight.max(1e-12);
    let Some(size) = source.page_size else { return Some(wanted) };
    if wanted >= f64::from(size) {
        return None;
    }
    let (mut low, mut high) = (0.0, (4.0 * f64::from(size) + 40.0) * (1.0 + scatter).powi(2));
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        *(if index_of(middle, Some(size), scatter) < wanted { &mut low } else { &mut high }) = middle;
    }
    Some(high)
}

/// P(N > most) for N negative binomial with this mean and variance mean + scatter·mean².
fn tail_scattered(mean: f64, most: u32, scatter: f64) -> f64 {
    if mean <= 0.0 {
        return 0.0;
    }
    let shape = 1.0 / scatter;
    let growth = mean / (shape + mean);
    // Terms as logarithms: the first may be too small for a number, though the sum is not.
    let mut ln_term = -shape * (mean * scatter).ln_1p();
    let mut sum = 0.0;
    for k in 0..=most.min(TERMS_MAX) {
        sum += ln_term.exp();
        ln_term += ((f64::from(k) + shape) / f64::from(k + 1) * growth).ln();
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

/// P(N > most) for N ~ Poisson(mean).
fn tail(mean: f64, most: u32) -> f64 {
    if mean <= 0.0 {
        return 0.0;
    }
    let most = most.min(TERMS_MAX);
    // Sum the smaller side, so that small probabilities keep their digits.
    if mean < f64::from(most) {
        let first = f64::from(most + 1);
        let mut term = (first * mean.ln() - mean - ln_factorial(most + 1)).exp();
        let (mut sum, mut k) = (0.0, first);
        while term > sum * 1e-16 && term > 0.0 {
            sum += term;
            k += 1.0;
            term *= mean / k;
        }
        return sum.clamp(0.0, 1.0);
    }
    let mut term = (f64::from(most) * mean.ln() - mean - ln_factorial(most)).exp();
    let (mut sum, mut k) = (0.0, f64::from(most));
    while term > sum * 1e-16 && k >= 0.0 {
        sum += term;
        term *= k / mean;
        k -= 1.0;
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

/// ln n!, by Stirling's series where the sum would be long.
fn ln_factorial(n: u32) -> f64 {
    if n < 16 {
        return (2..=n).map(|k| f64::from(k).ln()).sum();
    }
    let x = f64::from(n) + 1.0;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_plain_sums() {
        for (mean, most) in [(0.3_f64, 0_u32), (2.0, 3), (5.0, 5), (20.0, 10), (30.0, 60), (0.001, 4)] {
            let (mut term, mut sum) = ((-mean).exp(), 0.0);
            for k in 0..400 {
                if k > most {
                    sum += term;
                }
                term *= mean / f64::from(k + 1);
            }
            let got = tail(mean, most);
            assert!((got - sum).abs() <= 1e-9 * sum.max(1e-12), "P(N>{most}) at {mean}: {got}, not {sum}");
        }
        assert!(tail(0.0, 3).abs() < 1e-12);
        assert!((tail(1e6, 20) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn scattered_tails_agree_with_means_over_rates() {
        // Θ ~ Gamma(1/σ, σ) by its density, in small steps.
        for (mean, most, scatter) in [(10.0_f64, 20_u32, 0.5_f64), (30.0, 20, 1.0), (15.0, 5, 0.25)] {
            let (mut sum, mut weight_sum) = (0.0, 0.0);
            for step in 1..40_000 {
                let factor = f64::from(step) * 5e-4;
                let weight = (factor.ln() * (1.0 / scatter - 1.0) - factor / scatter).exp();
                (sum, weight_sum) = (sum + weight * tail(mean * factor, most), weight_sum + weight);
            }
            let (got, expected) = (tail_scattered(mean, most, scatter), sum / weight_sum);
            assert!((got - expected).abs() < 2e-3, "P(N>{most}) at {mean}±{scatter}: {got}, not {expected}");
        }
        assert!((tail_scattered(18.0, 20, 1e-5) - tail(18.0, 20)).abs() < 1e-3);
        assert!(index_of(30.0, Some(20), 3.0) < index(22.0, Some(20)), "much or nothing is worth less");
        let facts = SourceFacts {
            number: 0,
            backlog: 0.0,
            weight: 1.0,
            visited_at: freshet_types::Timestamp::MIN,
            turn: 0,
            page_size: Some(20),
        };
        for scatter in [0.0, 0.5, 3.0] {
            let posts = posts_at(9.0, &facts, scatter).unwrap();
            assert!((index_of(posts, Some(20), scatter) - 9.0).abs() < 1e-6, "{scatter}: {posts}");
        }
    }

    #[test]
    fn the_index_is_the_marginal_value_of_a_call() {
        // g(L) − L·g'(L) by finite differences equals c·P(N > c).
        for (posts, size) in [(3.0, 5), (5.0, 5), (18.0, 20), (40.0, 20)] {
            let step = 1e-4;
            let slope =
                (brought(posts + step, Some(size)) - brought(posts - step, Some(size))) / (2.0 * step);
            let marginal = brought(posts, Some(size)) - posts * slope;
            assert!((marginal - index(posts, Some(size))).abs() < 1e-5, "{posts} {size}");
        }
    }
}
