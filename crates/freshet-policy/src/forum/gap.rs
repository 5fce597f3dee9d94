//! The interval until a list's next record from its mean gap alone, and from its silence where that is longer.
//!
//! | F | says |
//! |---|---|
//! | mean gap | a list goes on as it did |
//! | max(mean gap, silence so far) | a list that has been silent for longer than it used to be is as likely to post within that time again as not |
//!
//! The second is a list-wise rule without any training that knows what the regression cannot: that a thread with short gaps is over. ΔI = (CT − LT)/F is then
//! at most the time since the last look over the silence, so a silent list is looked at in steps that grow with its silence.

use super::features::{ListFacts, SiteFacts};

/// No interval is shorter, in seconds.
const INTERVAL_S_MIN: f64 = 60.0;

/// The mean gap, or that of the site for a list without one.
pub fn mean_s(facts: &ListFacts, site: &SiteFacts) -> f64 {
    (facts.mean_gap_or(site) * 3600.0).max(INTERVAL_S_MIN)
}

/// The mean gap, or the silence so far.
pub fn interval_s(facts: &ListFacts, site: &SiteFacts, at_s: f64) -> f64 {
    let silence_s = if facts.record_count > 0 { at_s - facts.last_s } else { 0.0 };
    mean_s(facts, site).max(silence_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_counts_once_it_is_longer_than_the_mean_gap() {
        let facts = ListFacts::of(&[0, 3600, 3 * 3600]);
        let site = SiteFacts::of([[0, 7200].as_slice()]);
        for (hours_after, expected_h) in [(0.0, 1.5), (1.0, 1.5), (1.6, 1.6), (100.0, 100.0)] {
            let got_h = interval_s(&facts, &site, facts.last_s + hours_after * 3600.0) / 3600.0;
            assert!((got_h - expected_h).abs() < 1e-9, "{hours_after} h: {got_h}");
        }
        assert!((mean_s(&ListFacts::default(), &site) - 7200.0).abs() < 1e-9, "the site's");
        assert!(
            (interval_s(&ListFacts::default(), &site, 1e12) - 7200.0).abs() < 1e-9,
            "no record, no silence"
        );
        assert!((mean_s(&ListFacts::of(&[5, 5]), &site) - INTERVAL_S_MIN).abs() < 1e-9);
    }
}
