//! How improbable a silence or a burst is, by what was learned of a source.
//!
//! Assumption: posts come in clusters (a thread, an evening), clusters come independently at a rate that
//! follows the hours which the model has learned. The rate itself is not known but estimated from the
//! posts seen so far; with a flat prior it is gamma distributed, and the number of clusters to come
//! has the negative binomial as its predictive distribution [Gelman 2013, section 2.6].
//!
//! | theory | here |
//! |---|---|
//! | n: clusters seen | `seen / CLUSTER` |
//! | Λ: clusters expected in the stretch in question | `expected / CLUSTER` |
//! | P(none) = (1 + Λ/n)^−n | [`of_silence`] |
//! | P(k or more), Λ known: Poisson tail | [`of_burst`] |
//!
//! Results are probabilities: between 0 and 1, never NaN.

/// Posts of a cluster. Not estimated per source: three keeps a free weekend of an account with ten
/// posts a day under a threshold of one in a thousand.
const CLUSTER: f64 = 3.0;
/// Posts that nobody is surprised by, whatever was expected.
const POSTS_UNSURPRISING: f64 = 3.0;
/// Terms of the tail that are added up; each is smaller than the one before.
const TERMS_MAX: u32 = 1000;

/// The probability of no post at all where `expected` were expected, the rate being known from `seen` posts.
pub(crate) fn of_silence(seen: f64, expected: f64) -> f64 {
    let (clusters, wanted) = (clean(seen) / CLUSTER, clean(expected) / CLUSTER);
    if clusters <= 0.0 {
        return 1.0;
    }
    (-clusters * (wanted / clusters).ln_1p()).exp().clamp(0.0, 1.0)
}

/// The probability of `count` or more posts where `expected` were expected.
pub(crate) fn of_burst(count: f64, expected: f64) -> f64 {
    let clusters = (clean(count) / CLUSTER).floor();
    let mean = (clean(expected) + POSTS_UNSURPRISING) / CLUSTER;
    if clusters <= mean {
        return 1.0;
    }
    let ln_first = clusters * mean.ln() - mean - ln_factorial(clusters);
    let (mut term, mut sum) = (1.0, 1.0);
    for step in 1..=TERMS_MAX {
        term *= mean / (clusters + f64::from(step));
        sum += term;
    }
    (ln_first.exp() * sum).clamp(0.0, 1.0)
}

fn clean(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

/// ln n! by Stirling's series, whose first omitted term is below 1/1260n⁵.
fn ln_factorial(n: f64) -> f64 {
    if n < 2.0 {
        return 0.0;
    }
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-3, "{got} is not {expected}");
    }

    #[test]
    fn known_cases() {
        // 300 seen are a hundred clusters; thirty expected are ten of them: 1.1^-100.
        check(of_silence(300.0, 30.0), 1.1_f64.powi(-100));
        // Of one cluster nothing certain is known: one more expected leaves a half.
        check(of_silence(3.0, 3.0), 0.5);
        // Poisson with mean 1, five or more.
        check(of_burst(15.0, 0.0), 0.003_659_8);
        // The same mean, 20 or more.
        check(of_burst(60.0, 0.0), 1.587e-19);
        check(ln_factorial(20.0), 42.335_616);
    }

    #[test]
    fn nothing_is_ever_no_probability() {
        let odd = [0.0, -1.0, 1e-300, 0.5, 1.0, 7.0, 1e6, 1e300, f64::INFINITY, f64::NAN];
        for one in odd {
            for other in odd {
                for chance in [of_silence(one, other), of_burst(one, other)] {
                    assert!((0.0..=1.0).contains(&chance), "{one} {other}: {chance}");
                }
            }
        }
    }

    #[test]
    fn longer_is_less_probable() {
        let chances: Vec<f64> = (0..50).map(|posts| of_silence(100.0, f64::from(posts))).collect();
        assert!(chances.is_sorted_by(|one, other| one > other));
        let chances: Vec<f64> = (0..50).map(|posts| of_burst(f64::from(posts) * 3.0, 10.0)).collect();
        assert!(chances.is_sorted_by(|one, other| one >= other), "{chances:?}");
    }
}
