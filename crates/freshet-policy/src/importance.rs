//! Importance: what people ask about counts more. Part of step 1 (plan) of 10.
//!
//! Theory [SocWeb, 4.1]. How often a user is asked about is their effective interaction rate, EIR(u) = requests for u in the last
//! 7 days / 7. An object that was returned as an answer App(obj, u) times, for each of the n users that it shows, has the importance
//! I(obj) = (1/n)·Σ EIR(u)·App(obj, u).
//!
//! Here an object is a source: an account's list shows one user, a thread or a feed as many as wrote what was returned. What a person
//! said of it, its weight w, is multiplied by f = (1 + I)/(1 + Ī), Ī the mean over all sources that are watched: the market
//! of calls is not blown up by questions, they only move calls from those nobody asks about to those somebody does. Gaps follow
//! 1/√(w·f), and f is kept within [`FACTOR_MIN`] and [`FACTOR_MAX`]: questions halve or double how often a source is
//! visited at most, and never silence it.
//!
//! Where accounts are ranked, the [rank](crate::rank) π of one counts as well: its list's weight is multiplied by r = ½·(1 + π/π̄), π̄ the mean over
//! all lists of accounts that are watched. Half of the weight stays with everybody alike, half goes where walks from what is wanted,
//! or was added, end, and the mean over all is 1. f·r is kept within the same bounds.
//!
//! | paper | here |
//! |---|---|
//! | EIR(u) | [`eir_per_day`] |
//! | App(obj, u) | `returned_count` of [`Asked`] |
//! | I(obj) | [`importance`] |
//!
//! What it does not do: count anything. Pure; O(users) for each source.

/// The window of the rate, in days.
pub const DAYS: u32 = 7;
/// What nobody asks about counts at least so much of its weight.
pub(crate) const FACTOR_MIN: f64 = 0.25;
/// What everybody asks about counts at most so many times its weight.
pub(crate) const FACTOR_MAX: f64 = 4.0;

/// What was asked about one user of a source within the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Requests for the user.
    pub asked_count: u64,
    /// Times that something of this user and this source was an answer.
    pub returned_count: u64,
}

/// EIR: requests a day for a user who was asked for so often within the window.
pub fn eir_per_day(asked_count: u64) -> f64 {
    asked_count as f64 / f64::from(DAYS)
}

/// I: the mean over its users of how often each is asked about, times how often it was the answer; 0 without users.
pub fn importance(users: &[Asked]) -> f64 {
    if users.is_empty() {
        return 0.0;
    }
    let sum: f64 = users.iter().map(|it| eir_per_day(it.asked_count) * it.returned_count as f64).sum();
    sum / users.len() as f64
}

/// What a weight is multiplied by.
pub fn factor(importance: f64, mean: f64) -> f64 {
    let factor = (1.0 + importance.max(0.0)) / (1.0 + mean.max(0.0));
    if factor.is_finite() { factor.clamp(FACTOR_MIN, FACTOR_MAX) } else { 1.0 }
}

/// What the weight of an account's list is multiplied by beside that, where the account has this score and the mean of all is `mean`; 1
/// where nobody has a score.
pub fn rank_factor(score: f64, mean: f64) -> f64 {
    let share = score.max(0.0) / mean;
    if mean > 0.0 && share.is_finite() { 0.5 * (1.0 + share) } else { 1.0 }
}

/// Both together.
pub fn joint_factor(factor: f64, rank_factor: f64) -> f64 {
    let joint = factor * rank_factor;
    if joint.is_finite() { joint.clamp(FACTOR_MIN, FACTOR_MAX) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(asked_count: u64, returned_count: u64) -> Asked {
        Asked { asked_count, returned_count }
    }

    fn check(users: &[Asked], expected: f64) {
        assert!((importance(users) - expected).abs() < 1e-12, "{users:?}: {}", importance(users));
    }

    #[test]
    fn importance_is_that_of_the_paper() {
        check(&[], 0.0);
        check(&[asked(7, 1)], 1.0);
        check(&[asked(14, 3)], 6.0);
        check(&[asked(0, 5)], 0.0);
        check(&[asked(7, 2), asked(21, 4)], 7.0);
        check(&[asked(7, 2), asked(0, 4)], 1.0);
    }

    #[test]
    fn rank_moves_half_of_the_weight() {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(rank_factor(0.0, 0.0), 1.0), "nobody has a score");
        assert!(near(rank_factor(0.2, 0.2), 1.0), "as all others");
        assert!(near(rank_factor(0.0, 0.1), 0.5), "far from what is wanted");
        let scores = [0.0, 0.1, 0.2, 0.7];
        let mean = scores.iter().sum::<f64>() / 4.0;
        let sum: f64 = scores.iter().map(|it| rank_factor(*it, mean)).sum();
        assert!(near(sum, 4.0), "the mean is one: {sum}");
        assert!(near(joint_factor(2.0, 100.0), FACTOR_MAX) && near(joint_factor(0.25, 0.5), FACTOR_MIN));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for factor in [rank_factor(odd, 1.0), rank_factor(1.0, odd), rank_factor(1.0, -1.0)] {
                assert!((FACTOR_MIN..=FACTOR_MAX).contains(&joint_factor(1.0, factor)), "{odd}: {factor}");
            }
        }
    }

    #[test]
    fn questions_move_calls_and_do_not_make_them() {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(factor(0.0, 0.0), 1.0), "nobody asks about anything");
        assert!(near(factor(3.0, 3.0), 1.0), "all are asked about alike");
        assert!(near(factor(1.0, 0.0), 2.0));
        assert!(near(factor(0.0, 1.0), 0.5));
        assert!(near(factor(1e9, 0.1), FACTOR_MAX) && near(factor(0.0, 1e9), FACTOR_MIN));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!((FACTOR_MIN..=FACTOR_MAX).contains(&factor(odd, 0.0)), "{odd}");
            assert!((FACTOR_MIN..=FACTOR_MAX).contains(&factor(0.0, odd)), "{odd}");
        }
    }
}
