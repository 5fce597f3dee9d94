//! `stormcrawler-adaptive`: the adaptive scheduler of Apache `StormCrawler`, as shipped.
//!
//! Formula: changed I = (I + an hour)/2, unchanged I = min(1.5·I, 14 days), from a day
//! on [Storm].

use freshet_types::Timestamp;

use super::late;
use crate::change::{ChangeModel as _, Interval};
use crate::{Look, Market, Rule, SourceFacts};

const SHRINK: f64 = 0.5;
const GROW: f64 = 0.5;
const MIN_S: f64 = 3600.0;
const MAX_S: f64 = 14.0 * 86_400.0;
const START_S: f64 = 86_400.0;

/// Its adaptive interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct Storm;

impl Rule for Storm {
    type Model = Interval;

    fn name(&self) -> &'static str {
        "stormcrawler-adaptive"
    }

    fn learn(&self, model: &mut Interval, look: &Look<'_>, _source: &SourceFacts, market: &Market) {
        model.learn(look, &market.pool);
        let length_s = model.length_s.unwrap_or(START_S);
        model.length_s = Some(if look.news.is_empty() {
            (length_s * (1.0 + GROW)).min(MAX_S)
        } else {
            (1.0 - SHRINK) * length_s + SHRINK * MIN_S
        });
    }

    fn worth(&self, model: &Interval, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        late::worth(source, model.due_after_s(START_S), at)
    }
}
