//! The plan of a single page, as facts: what its looks have shown, and when and why it is looked at next.
//!
//! Made anew from what is stored, like the decisions of policies (`explain/why.rs`): it says what would be planned now.

use freshet_engine::pages;
use freshet_engine::price::Memory;
use freshet_policy::page::{PageModel, PageReason};
use freshet_report::explain::{Fact, LookTold, PlannedTold, RefreshReason};
use freshet_report::time::UnixNumber;
use freshet_types::{Source, SourceState};

/// Looks that are told one by one.
const SERIES_MAX: usize = 12;

/// What is to be told of a page; nothing of other sources.
pub(super) fn facts(source: &Source, memory: &Memory) -> Vec<Fact> {
    let model = PageModel::from_bytes(&source.model);
    if !source.is_page() || model.looks().is_empty() {
        return Vec::new();
    }
    let looks = model.looks();
    let told = looks[looks.len().saturating_sub(SERIES_MAX)..].iter().map(|look| LookTold {
        at: UnixNumber::of(look.at),
        similarity: look.similarity,
        is_changed: look.is_edit,
    });
    let seen = Fact::Looks {
        count: looks.len(),
        changed_count: looks.iter().filter(|look| look.is_edit).count(),
        series: told.collect(),
        noise: model.noise(),
        similarity_max: model.similarity_max(),
    };
    std::iter::once(seen).chain(refresh(source, memory)).collect()
}

/// The plan, of a page that is visited by it.
fn refresh(source: &Source, memory: &Memory) -> Option<Fact> {
    let is_planned = source.state == SourceState::Active && source.pinned.is_none();
    let visited_at = source.visited_at.filter(|_| is_planned)?;
    let (pacing, market) = (memory.policy().pacing(), memory.market(&source.network, source.robot));
    let plan = pages::plan(source, &market, pacing, visited_at);
    let planned = plan.looks.iter();
    let planned = planned.map(|look| PlannedTold { at: UnixNumber::of(look.at), saved_post_s: look.saved });
    Some(Fact::Refresh {
        reason: match plan.reason {
            PageReason::Noise => RefreshReason::Noise,
            PageReason::Exploring => RefreshReason::Exploring,
            PageReason::Worth => RefreshReason::Worth,
            PageReason::Ceiling => RefreshReason::Ceiling,
        },
        planned: planned.collect(),
        price_post_s: market.price,
        accuracy: plan.accuracy,
        ceiling_s: (pacing.ceiling * market.ceiling_stretch.max(1.0)).secs_f64(),
    })
}
