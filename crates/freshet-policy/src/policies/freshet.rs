//! `freshet`: the default policy, priced look-ahead on decayed levels.
//!
//! Formula: the worth of a visit is 1 + A(t)/p, A the regret of not visiting now under the best
//! plan at price p ([`crate::lookahead`]), along the path that [`Levels`] foretells. A source is
//! due where the regret crosses zero. For distinct posts only the backlog matters
//! ([`super::capture`]): the same path, its L.
//! Many sources under one budget have a roster of their own ([`roster`]), because the weights of
//! the mixture and the prices of the hours are learned from all of them.

mod roster;

use freshet_types::{Span, Timestamp};

use super::{capture, index};
use crate::change::{ChangeModel as _, Levels};
use crate::lookahead::{self, NODE_COUNT, NODES_H, Outlook, Path, Plan};
use crate::{Market, Objective, Rule, SourceFacts};

pub use roster::{Lookahead, Pricing};

/// A source that counts for nothing still counts for this, or its plan has no scale.
const WEIGHT_MIN: f64 = 1e-6;

/// The look-ahead for one source at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Freshet;

/// A plan for one source, and the room it is made in: whoever plans many keeps one.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    path: Path,
    plan: Plan,
}

impl Sketch {
    /// Plans the visits after one at `since`, for nodes from `first` on.
    fn draw<M: Outlook>(&mut self, model: &M, weight: f64, market: &Market, since: Timestamp, first: usize) {
        // Prices are in posts times seconds; a source that counts twice pays half.
        let price_h = market.price / 3600.0 / weight.max(WEIGHT_MIN);
        let floor_per_h = 2.0 * price_h / market.gap_h_max.powi(2);
        model.path(&market.pool, since, floor_per_h, &mut self.path);
        // A visit at the full hour belongs to the hour that ends.
        let begin_s = since.secs().rem_euclid(86_400) as f64 - 36.0;
        let mut prices = [price_h; NODE_COUNT];
        for (price, node_h) in prices.iter_mut().zip(NODES_H) {
            let hour = ((begin_s / 3600.0 + node_h).max(0.0) as usize) % 24;
            *price *= market.hours.factor(hour);
        }
        self.plan.make(&self.path, &prices, price_h, first);
    }

    /// The planned visit after `now`, at most `ceiling` away.
    pub fn due_at<M: Outlook>(
        &mut self,
        model: &M,
        source: &SourceFacts,
        market: &Market,
        ceiling: Span,
        now: Timestamp,
    ) -> Timestamp {
        let (since, latest) = (source.visited_at, now + ceiling);
        let (first, _) = lookahead::place(lookahead::hours(since, now));
        let due_h = match market.objective {
            Objective::Delay => {
                self.draw(model, source.weight, market, since, first);
                self.plan.due_h(first)
            }
            Objective::Capture => {
                self.draw_posts(model, market, since);
                let wanted = capture::posts_at(market.price, source);
                wanted.and_then(|wanted| self.path.reaches_h(wanted))
            }
        };
        due_h.map_or(latest, |due_h| since + Span::HOUR * due_h).clamp(now, latest)
    }

    /// What gathers without a visit, by node.
    fn draw_posts<M: Outlook>(&mut self, model: &M, market: &Market, since: Timestamp) {
        model.path(&market.pool, since, 0.0, &mut self.path);
    }
}

impl Rule for Freshet {
    type Model = Levels;

    fn name(&self) -> &'static str {
        "freshet"
    }

    fn worth(&self, model: &Levels, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        if market.objective == Objective::Capture {
            let posts = model.posts(&market.pool, source.visited_at, at);
            return source.weight * capture::index(posts, source.page_size) / market.price;
        }
        let mut sketch = Sketch::default();
        let elapsed_h = lookahead::hours(source.visited_at, at);
        let (node, _) = lookahead::place(elapsed_h);
        sketch.draw(model, source.weight, market, source.visited_at, node.saturating_sub(1));
        let regret_h = lookahead::between(&sketch.plan.regrets, elapsed_h);
        1.0 + regret_h * source.weight.max(WEIGHT_MIN) * 3600.0 / market.price
    }

    fn visits_per_s(&self, model: &Levels, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(index::visits_per_s(model.rate_per_s(&market.pool), source, market))
    }

    fn due_at(
        &self,
        model: &Levels,
        source: &SourceFacts,
        market: &Market,
        ceiling: Span,
        now: Timestamp,
    ) -> Timestamp {
        Sketch::default().due_at(model, source, market, ceiling, now)
    }
}
