//! `nutch-adaptive`: the adaptive schedule of Apache Nutch, as shipped.
//!
//! Formula: changed I·(1−0.2), unchanged I·(1+0.4), within a minute and a year, from 30 days on.
//! Synchronisation: δ = visit − last post; if δ > I then I = δ; the next visit is at
//! visit − 0.3·δ + I [Nutch]. The interval is never measured against a budget.

use freshet_types::Timestamp;

use super::late;
use crate::change::{ChangeModel as _, Interval};
use crate::{Look, Market, Rule, SourceFacts};

const SHRINK: f64 = 0.2;
const GROW: f64 = 0.4;
const SYNC_RATE: f64 = 0.3;
const START_S: f64 = 30.0 * 86_400.0;
const RANGE_S: (f64, f64) = (60.0, 365.0 * 86_400.0);

/// Nutch's adaptive interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nutch;

impl Rule for Nutch {
    type Model = Interval;

    fn name(&self) -> &'static str {
        "nutch-adaptive"
    }

    fn learn(&self, model: &mut Interval, look: &Look<'_>, _source: &SourceFacts, market: &Market) {
        model.learn(look, &market.pool);
        let length_s = model.length_s.unwrap_or(START_S);
        let moved_s = length_s * if look.news.is_empty() { 1.0 + GROW } else { 1.0 - SHRINK };
        let since_s = model.last_at.map_or(0.0, |last_at| (look.at - last_at).secs_f64().max(0.0));
        model.length_s = Some(moved_s.max(since_s).clamp(RANGE_S.0, RANGE_S.1));
        model.shift_s = since_s * SYNC_RATE;
    }

    fn worth(&self, model: &Interval, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        late::worth(source, model.due_after_s(START_S), at)
    }
}
