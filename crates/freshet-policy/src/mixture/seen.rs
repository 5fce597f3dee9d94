//! What looks showed of a source, kept for fits of the mixture.
//!
//! Posts of the last weeks, and the stretches that full pages hid: of those nothing is known, which is not the
//! same as silence. Bounded by [`Seen::forget`]; what it does not hold is anything that a decision needs.

use freshet_types::Timestamp;

use crate::Look;
use crate::rhythm::Sums;
use crate::rhythm::week::{Week, hour_of_week};

/// What looks at one source showed, as it is kept for fits.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    posts: Vec<Timestamp>,
    holes: Vec<(Timestamp, Timestamp)>,
    since: Timestamp,
}

impl Default for Seen {
    fn default() -> Self {
        Self { posts: Vec::new(), holes: Vec::new(), since: Timestamp::MAX }
    }
}

impl Seen {
    /// Adds a look, the last one so far.
    pub(crate) fn add_look(&mut self, look: &Look<'_>) {
        let from = look.complete_since();
        if self.since != Timestamp::MAX && look.since.is_some_and(|since| since < from) {
            self.holes.extend(look.since.map(|since| (since, from)));
        }
        self.since = self.since.min(from);
        let ordered = self.posts.len();
        self.posts.extend(look.news);
        self.posts[ordered..].sort_unstable();
        if ordered > 0 && self.posts.get(ordered).is_some_and(|post| *post < self.posts[ordered - 1]) {
            self.posts.sort_unstable();
        }
    }

    /// Lets go of what was before.
    pub(crate) fn forget(&mut self, before: Timestamp) {
        let old = self.posts.partition_point(|post| *post < before);
        self.posts.drain(..old);
        self.holes.retain(|(_, end)| *end > before);
        self.since = self.since.max(before);
    }

    /// For a fit, of a source that was last visited at `until`.
    pub(crate) fn history(&self, until: Timestamp, week: Week) -> History<'_> {
        History { posts: &self.posts, holes: &self.holes, since: self.since, until, week }
    }
}

/// What is known of one source.
#[derive(Debug)]
pub(crate) struct History<'a> {
    /// Its posts, ascending.
    pub(crate) posts: &'a [Timestamp],
    /// Stretches that full pages hid, ascending: nothing known of them is no silence.
    pub(crate) holes: &'a [(Timestamp, Timestamp)],
    /// Since when all others are known.
    pub(crate) since: Timestamp,
    /// When it was last visited.
    pub(crate) until: Timestamp,
    pub(crate) week: Week,
}

impl History<'_> {
    /// Whether a stretch is known from end to end.
    pub(super) fn shows(&self, since: Timestamp, until: Timestamp) -> bool {
        let next = self.holes.partition_point(|(_, end)| *end <= since);
        self.holes.get(next).is_none_or(|(begin, _)| *begin >= until)
    }

    /// Brings sums from one instant to another, but for the posts in between.
    pub(super) fn pass(&self, sums: &mut Sums, since: Timestamp, until: Timestamp) {
        let mut at = since;
        let first = self.holes.partition_point(|(_, end)| *end <= since);
        for &(begin, end) in self.holes[first..].iter().take_while(|(begin, _)| *begin < until) {
            sums.pass(&self.week, hour_of_week(at), hours(at, begin));
            let (begin, end) = (begin.max(at), end.min(until));
            sums.skip(hours(begin, end));
            at = end;
        }
        sums.pass(&self.week, hour_of_week(at), hours(at, until));
    }
}

/// Hours from one instant to another, never negative.
pub(super) fn hours(since: Timestamp, until: Timestamp) -> f64 {
    (until - since).secs_f64().max(0.0) / 3600.0
}
