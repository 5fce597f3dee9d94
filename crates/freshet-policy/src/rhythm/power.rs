//! Powers of two, several at once: what is left of sums after some time.
//!
//! 2ˣ = 2ⁿ·2ᶠ with n the nearest whole number, written into the exponent's bits, and 2ᶠ as a
//! polynomial on ±½. No branches and no calls, so that a compiler makes vectors of it. Right to
//! 3·10⁻⁶, a hundredth of what the sums keep. For x ≤ 0 only, which is all that decays need.

use std::f32::consts::LN_2;

/// 1.5·2²³: adding it rounds to a whole number, which then stands in the low bits.
const ROUND: f32 = 12_582_912.0;
/// Below this, nothing is left that a sum could keep; and far enough from where numbers lose digits.
const LOWEST: f32 = -60.0;
/// (ln 2)ᵏ/k! for k = 5 down to 0.
const SERIES: [f32; 6] = [0.001_333_355_8, 0.009_618_129, 0.055_504_11, 0.240_226_5, LN_2, 1.0];

/// 2ˣ for each x, none above 0.
#[inline(always)]
pub(crate) fn powers<const N: usize>(mut exponents: [f32; N]) -> [f32; N] {
    for power in &mut exponents {
        let exponent = if *power > LOWEST { *power } else { LOWEST };
        let rounded = exponent + ROUND;
        let part = exponent - (rounded - ROUND);
        let series = SERIES.iter().fold(0.0, |sum, term| sum * part + term);
        // The whole number, moved to where an `f32` keeps its exponent; 1.0 has 127 there.
        let whole = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
        *power = whole * series;
    }
    exponents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library() {
        for step in 0..2000 {
            let exponent = -0.0631 * step as f32;
            let [got] = powers([exponent]);
            let expected = exponent.exp2();
            assert!((got - expected).abs() <= 4e-6 * expected + 1e-18, "2^{exponent}: {got}, not {expected}");
        }
        for odd in [f32::NAN, f32::NEG_INFINITY, -1e30] {
            assert!(powers([odd])[0] < 1e-17);
        }
        assert!((powers([0.0])[0] - 1.0).abs() < 1e-9);
    }
}
