//! `freshet`: the default policy.
//!
//! Formula: w·L(s,t)²/(2λ̄)/p, where λ̄ is the mean rate over the next gap √(2p/wλ): the backlog
//! against what will arrive until the visit after this one. It needs no plan and is within a
//! few percent of the priced look-ahead where budgets are not tight. For distinct posts, the
//! index of [`super::capture`].

use freshet_types::{Span, Timestamp};

use super::{capture, index};
use crate::change::{ChangeModel as _, Profile};
use crate::{Market, Objective, Rule, SourceFacts};

/// The next gap is looked at within these bounds.
const GAP_MIN: Span = Span::HOUR;
/// See [`GAP_MIN`].
const GAP_MAX: Span = Span::from_ms(4 * 86_400_000);

/// Backlog against what comes next.
#[derive(Clone, Copy, Debug, Default)]
pub struct Freshet;

impl Rule for Freshet {
    type Model = Profile;

    fn name(&self) -> &'static str {
        "freshet"
    }

    fn worth(&self, model: &Profile, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let posts = model.posts(&market.pool, source.visited_at, at);
        let index = match market.objective {
            Objective::Delay => {
                let visits = index::visits_per_s(model.rate_per_s(&market.pool), source, market);
                let gap = Span::from_secs_f64(1.0 / visits.max(1e-9)).clamp(GAP_MIN, GAP_MAX);
                let coming = model.posts(&market.pool, at, at + gap);
                posts * posts * gap.secs_f64() / (2.0 * coming.max(1e-9))
            }
            Objective::Capture => capture::index(posts, source.page_size),
        };
        source.weight * index / market.price
    }

    fn visits_per_s(&self, model: &Profile, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(index::visits_per_s(model.rate_per_s(&market.pool), source, market))
    }
}
