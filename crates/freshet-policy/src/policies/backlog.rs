//! `backlog`: visit where most unseen posts are expected.
//!
//! Formula: w·L(s,t)/p on the source's own hour-of-week profile: [CUVIM]'s idea made online.
//! With equal page limits this is the Whittle policy for distinct posts; for the mean delay it
//! waits too long at quiet sources.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Profile};
use crate::{Market, Rule, SourceFacts};

/// Largest expected backlog first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backlog;

impl Rule for Backlog {
    type Model = Profile;

    fn name(&self) -> &'static str {
        "backlog"
    }

    fn worth(&self, model: &Profile, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        source.weight * model.posts(&market.pool, source.visited_at, at) / market.price
    }

    fn visits_per_s(&self, model: &Profile, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(source.weight * model.rate_per_s(&market.pool) / market.price)
    }
}
