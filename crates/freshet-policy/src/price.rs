//! The price of a visit: the one number that makes all sources together want what there is.
//!
//! Every priced rule asks for fewer visits the dearer they are. The price at which the visits
//! asked for equal the budget is the multiplier of the budget constraint (Lagrange), whatever
//! the objective: Cho and Garcia-Molina's μ, Olston and Pandey's T, the C of the look-ahead. It
//! is found by bisection on its logarithm, over a sample where there are many sources: one
//! number for millions of sources, which is what workers can exchange.

mod hours;

pub use hours::HourPrices;

/// Prices outside of this range mean that no price fits; they stay finite and above zero.
pub(crate) const PRICE_MIN: f64 = 1e-15;
/// See [`PRICE_MIN`].
pub(crate) const PRICE_MAX: f64 = 1e18;
/// Halvings of the logarithm of the range: 76 nats over 2⁴⁰ leave nothing to be wished for.
const STEPS_MAX: u32 = 40;
/// Relative width at which the search ends: a price wrong by a thousandth moves no visit.
const TOLERANCE: f64 = 1e-3;
/// Sources that are asked for what they would want; more would not move the price.
pub const SAMPLE_MAX: usize = 4096;

/// The price at which `wanted` (visits a second, falling with the price) equals the budget.
///
/// A budget of zero gives the highest price, one above demand the lowest. `guess` is the last
/// price: prices move slowly, so the search starts near it.
pub fn find(budget_per_s: f64, guess: f64, mut wanted: impl FnMut(f64) -> f64) -> f64 {
    if budget_per_s.is_nan() || budget_per_s <= 0.0 {
        return PRICE_MAX;
    }
    let guess = if guess.is_finite() { guess.clamp(PRICE_MIN, PRICE_MAX) } else { 1.0 };
    let (mut low, mut high) = (PRICE_MIN.ln(), PRICE_MAX.ln());
    let (mut middle, mut step) = (guess.ln(), 0.05);
    for _ in 0..STEPS_MAX {
        let is_cheap = wanted(middle.exp()) > budget_per_s;
        *(if is_cheap { &mut low } else { &mut high }) = middle;
        if high - low < TOLERANCE {
            break;
        }
        // Ever larger steps away from the guess until both sides are known, then halves.
        step *= 2.0;
        let ahead = if is_cheap { low + step } else { high - step };
        middle = if low < ahead && ahead < high && step < 20.0 && (high - low) > 2.0 * step {
            ahead
        } else {
            f64::midpoint(low, high)
        };
    }
    f64::midpoint(low, high).exp().clamp(PRICE_MIN, PRICE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(budget_per_s: f64, guess: f64, expected: f64) {
        // The square-root rule: visits = √(λ/2p).
        let got = find(budget_per_s, guess, |price| (0.5 / price).sqrt());
        assert!((got / expected - 1.0).abs() < 0.01, "{budget_per_s} from {guess}: {got}, not {expected}");
    }

    #[test]
    fn the_budget_is_met_from_any_guess() {
        for guess in [1e-12, 0.1, 1.0, 50.0, 1e9, f64::NAN, -1.0] {
            check(1.0, guess, 0.5);
            check(0.01, guess, 5_000.0);
            check(100.0, guess, 5e-5);
        }
        check(0.0, 1.0, PRICE_MAX);
        check(f64::NAN, 1.0, PRICE_MAX);
        check(1e30, 1.0, PRICE_MIN);
    }
}
