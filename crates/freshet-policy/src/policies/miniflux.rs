//! `miniflux`: the entry-frequency scheduler of the feed reader Miniflux, as shipped.
//!
//! Formula: I = a week / ⌈a week / mean gap of the last week's entries⌉, within 5 minutes and a
//! day; a day with fewer than two entries [Miniflux].

use freshet_types::Timestamp;

use super::late;
use crate::change::Recent;
use crate::{Market, Rule, SourceFacts};

const WEEK_S: f64 = 7.0 * 86_400.0;
const RANGE_S: (f64, f64) = (300.0, 86_400.0);

/// Its entry frequency.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Miniflux;

impl Rule for Miniflux {
    type Model = Recent;

    fn name(&self) -> &'static str {
        "miniflux"
    }

    fn worth(&self, model: &Recent, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        late::worth(source, interval_s(model, source.visited_at), at)
    }
}

fn interval_s(model: &Recent, now: Timestamp) -> f64 {
    let Some(gap_s) = model.mean_gap_s(now) else { return RANGE_S.1 };
    let per_week = (WEEK_S / gap_s.max(1.0)).ceil();
    (WEEK_S / per_week).clamp(RANGE_S.0, RANGE_S.1)
}
