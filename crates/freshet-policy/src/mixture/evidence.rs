//! Evidence: what is stored of a source, from which the mixture is fitted in a crawl.
//!
//! A simulation keeps what its looks showed ([`super::seen`]); a crawl has it in its store already, and reads it again for a
//! sample of sources when a fit is due. Only the newest stretch that is proven complete is evidence: beyond it, silence
//! may be a hole. What it does not do is fit where little is known: the usual weights are better than those of a few days.

use freshet_types::{Span, Timestamp};

use super::Mixture;
use super::fit;
use super::seen::History;
use crate::rhythm::week::Week;

/// Posts that a fit needs, over all sources.
const POSTS_MIN: usize = 500;
/// A source counts for the number below if it is known for so long: the sums' start, and the longest horizon but one.
const SPAN_MIN: Span = Span::from_ms(10 * 86_400_000);
/// Sources that a fit needs.
const SOURCES_MIN: usize = 20;

/// What is stored of one source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The bytes of its model.
    pub model: Vec<u8>,
    /// Its posts in the stretch, ascending.
    pub posts: Vec<Timestamp>,
    /// Where the newest stretch that is proven complete begins.
    pub since: Timestamp,
    /// Where it ends.
    pub until: Timestamp,
}

/// The weights that explain the evidence; `None` where it is too little to beat those in force. Those are given with the
/// mean rate of all sources.
pub(crate) fn refit(
    evidence: &[Evidence],
    weeks: Vec<Week>,
    (rate_per_s, in_force): (f64, &Mixture),
    now: Timestamp,
) -> Option<Mixture> {
    let is_long = |it: &&Evidence| it.until - it.since >= SPAN_MIN;
    let post_count: usize = evidence.iter().map(|it| it.posts.len()).sum();
    if post_count < POSTS_MIN || evidence.iter().filter(is_long).count() < SOURCES_MIN {
        return None;
    }
    let history = |(it, week)| {
        let Evidence { posts, since, until, .. }: &Evidence = it;
        History { posts, holes: &[], since: *since, until: *until, week }
    };
    let histories: Vec<History<'_>> = evidence.iter().zip(weeks).map(history).collect();
    Some(fit::fit(&histories, now, rate_per_s * 3600.0, in_force))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;
    use crate::rhythm::shape::Shape;

    /// Sources that post once a day, some hours after noon, known for so many days.
    fn evidence(source_count: usize, days: i64) -> Vec<Evidence> {
        let source = |number: usize| Evidence {
            posts: (0..days)
                .map(|day| Timestamp::from_secs(day * 86_400 + 43_200 + number as i64 * 60))
                .collect(),
            since: Timestamp::from_secs(0),
            until: Timestamp::from_secs(days * 86_400),
            ..Evidence::default()
        };
        (0..source_count).map(source).collect()
    }

    #[test]
    fn weights_are_fitted_where_enough_is_known() {
        let fitted = |source_count: usize, days: i64| {
            let evidence = evidence(source_count, days);
            let weeks = vec![Week::of(&Shape::default()); source_count];
            let pool = Pool::default();
            let now = Timestamp::from_secs(days * 86_400);
            refit(&evidence, weeks, (pool.rate_per_s(), pool.mixture()), now)
        };
        assert!(fitted(0, 30).is_none() && fitted(200, 4).is_none() && fitted(5, 30).is_none());
        let mixture = fitted(100, 40).expect("a hundred sources of forty days are enough");
        assert_ne!(mixture, Mixture::default());
    }
}
