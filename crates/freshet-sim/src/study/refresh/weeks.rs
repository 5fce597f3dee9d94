//! A page in five weeks: four that plans are made from, and one that they are scored on.

use freshet_policy::refresh::{Similarities, TooManyInstants};
use freshet_types::{Span, Timestamp};

use crate::refresh::{Trial, page_similarities};

/// Weeks that plans are made from.
pub(super) const LEARNED: u32 = 4;
/// Posts a page shows.
pub(super) const SHOWN_COUNT: usize = 20;
const WEEK_MINUTES: u32 = 7 * 24 * 60;

/// The similarities of one page, week by week.
#[derive(Debug)]
pub(super) struct Weeks {
    pub(super) learned: Vec<Similarities>,
    pub(super) scored: Similarities,
}

impl Weeks {
    /// Of a page of these posts, looked at every so many minutes from a Monday on.
    pub(super) fn new(
        posts: &[Timestamp],
        from: Timestamp,
        grid_minutes: u32,
    ) -> Result<Self, TooManyInstants> {
        let week = |number: u32| {
            let count = WEEK_MINUTES / grid_minutes;
            let at =
                |instant: u32| from + Span::MINUTE * f64::from((number * count + instant) * grid_minutes);
            page_similarities(posts, &(0..count).map(at).collect::<Vec<_>>(), SHOWN_COUNT)
        };
        let learned = (0..LEARNED).map(week).collect::<Result<_, _>>()?;
        Ok(Self { learned, scored: week(LEARNED)? })
    }

    /// What is scored: plans of all learned weeks on the week after them.
    pub(super) fn trial(&self) -> Trial {
        Trial { learned: Similarities::mean(&self.learned), scored: self.scored.clone() }
    }

    /// What parameters are chosen by: plans of all learned weeks but the last, on the last.
    pub(super) fn rehearsal(&self) -> Trial {
        let (last, before) = self.learned.split_last().expect("four weeks are learned from");
        Trial { learned: Similarities::mean(before), scored: last.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scored_week_is_no_part_of_what_is_learned() {
        // Thirty posts in the last hour of the fourth week, thirty in the first of the fifth.
        let week_s = i64::from(WEEK_MINUTES) * 60;
        let posts: Vec<_> =
            (0..60).map(|number| Timestamp::from_secs(4 * week_s - 3000 + number * 101)).collect();
        let weeks = Weeks::new(&posts, Timestamp::from_secs(0), 60).unwrap();
        assert_eq!((weeks.learned.len(), weeks.scored.count()), (4, 168));
        let is_still = |similarities: &Similarities| similarities.series().iter().all(|value| *value > 0.999);
        assert!(weeks.learned.iter().all(is_still) && !is_still(&weeks.scored));
        assert!(is_still(&weeks.rehearsal().scored) && is_still(&weeks.trial().learned));
        // A grid that divides the last hour sees the posts of the fourth week there.
        let finer = Weeks::new(&posts, Timestamp::from_secs(0), 10).unwrap();
        assert!(!is_still(&finer.learned[3]) && !is_still(&finer.rehearsal().scored));
        assert!(is_still(&finer.rehearsal().learned));
        assert!(Weeks::new(&posts, Timestamp::from_secs(0), 1).is_err());
    }
}
