//! `freshet`: the default policy, priced look-ahead on decayed levels.
//!
//! Formula: the worth of a visit is 1 + A(t)/p, A the regret of not visiting now under the best
//! plan at price p ([`crate::lookahead`]), along the path that [`Levels`] foretells. A source is
//! due where the regret crosses zero. For distinct posts only the backlog matters
//! ([`super::capture`]): the same path, its L.
//! Many sources under one budget have a roster of their own ([`roster`]), because the weights of
//! the mixture and the prices of the hours are learned from all of them.

mod crowd;
mod roster;

use freshet_types::{Span, Timestamp};
use pulp::{Scalar, Simd, WithSimd};

use super::{capture, index};
use crate::change::{ChangeModel as _, Levels};
use crate::lookahead::{self, Curve, Fare, Outlook, Path, Plan, Wish};
use crate::mixture::Mixture;
use crate::mixture::evidence::{self, Evidence};
use crate::wide::wide;
use crate::{Market, Objective, Pool, Rule, Slack, SourceFacts};

pub use roster::{Lookahead, Rates};

/// A source that counts for nothing still counts for this, or its plan has no scale.
const WEIGHT_MIN: f64 = 1e-6;

/// Slack is found from visits this share of the gap earlier and later.
const SLACK_SHARE: f64 = 0.5;
/// Slack differs from the gap by this factor at most.
const SLACK_MAX: f64 = 20.0;
/// Nobody plans further: a month.
const PLANNED_H: f64 = 720.0;
/// Planned looks are counted over a day.
const COUNTED_H: f64 = 24.0;
/// So many of them at most: one in a minute.
const LOOKS_MAX: f64 = 1440.0;

/// The look-ahead for one source at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Freshet;

/// A plan for one source, and the room it is made in: whoever plans many keeps one.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    path: Path,
    plan: Plan,
}

/// The drawing of a sketch, as work that is done on wide vectors.
struct Drawing<'a, M> {
    sketch: &'a mut Sketch,
    model: &'a M,
    market: &'a Market,
    since: Timestamp,
    wish: Wish,
}

impl<M: Outlook> WithSimd for Drawing<'_, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { sketch, model, market, since, wish } = self;
        model.path(simd, &market.pool, since, &wish, &mut sketch.path);
        sketch.plan.make(simd, &sketch.path, &market.hours, wish.fare, wish.elapsed_h);
    }
}

/// The same, which gives the planned visit, in hours after the one before.
struct Dating<'a, M>(Drawing<'a, M>);

impl<M: Outlook> WithSimd for Dating<'_, M> {
    type Output = Option<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<f64> {
        let Drawing { sketch, model, market, since, wish } = self.0;
        Drawing { sketch: &mut *sketch, model, market, since, wish }.with_simd(simd);
        sketch.plan.due_h(simd, &sketch.path, &market.hours, wish.elapsed_h)
    }
}

impl Sketch {
    /// Plans the looks after the last, for times from `elapsed_h` after it on.
    fn draw<M: Outlook>(&mut self, model: &M, source: &SourceFacts, market: &Market, elapsed_h: f64) {
        let wish = wish(source, market, elapsed_h);
        wide(Drawing { sketch: self, model, market, since: source.visited_at, wish });
    }

    /// What is regretted after the last look, from `elapsed_h` after it on.
    fn regrets<M: Outlook>(
        &mut self,
        model: &M,
        source: &SourceFacts,
        market: &Market,
        elapsed_h: f64,
    ) -> Curve {
        self.draw(model, source, market, elapsed_h);
        Curve::of_regrets(&self.plan, &self.path, &market.hours, elapsed_h)
    }

    /// The planned look after the last, in hours after it.
    fn due_h<M: Outlook>(
        &mut self,
        model: &M,
        source: &SourceFacts,
        market: &Market,
        elapsed_h: f64,
    ) -> Option<f64> {
        let (since, mut from_h) = (source.visited_at, elapsed_h);
        loop {
            let wish = wish(source, market, from_h);
            let due_h = wide(Dating(Drawing { sketch: self, model, market, since, wish }));
            let end_h = self.path.end_h();
            // What is not due within the fine nodes is planned again on coarser ones: a burst may have
            // made them too fine.
            if due_h.is_some_and(|due_h| due_h <= end_h) || from_h >= end_h || from_h >= PLANNED_H {
                return due_h;
            }
            from_h = end_h;
        }
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
        let elapsed_h = lookahead::hours(since, now);
        let due_h = match market.objective {
            Objective::Delay => self.due_h(model, source, market, elapsed_h),
            Objective::Capture => {
                let scatter = model.scatter(&market.pool);
                let wanted = capture::posts_at(market.price, source, scatter);
                wanted.and_then(|wanted| {
                    self.draw_posts(model, market, since, elapsed_h, wanted);
                    self.path.reaches_h(wanted)
                })
            }
        };
        due_h.map_or(latest, |due_h| since + Span::HOUR * due_h).clamp(now, latest)
    }

    /// How much a visit loses that comes earlier or later than `due_at`.
    fn slack<M: Outlook>(
        &mut self,
        model: &M,
        source: &SourceFacts,
        market: &Market,
        due_at: Timestamp,
    ) -> Slack {
        let (since, even) = (source.visited_at, Slack::even(due_at - source.visited_at));
        let due_h = lookahead::hours(since, due_at);
        if market.objective != Objective::Delay || due_h <= 0.0 {
            return even;
        }
        let step_h = due_h * SLACK_SHARE;
        self.draw(model, source, market, due_h - step_h);
        if due_h + step_h > self.path.end_h() {
            return even;
        }
        let (early_h, late_h) = self.plan.slack_h(&self.path, &market.hours, (due_h, step_h));
        let bounded = |hours: f64| Span::HOUR * hours.clamp(due_h / SLACK_MAX, due_h * SLACK_MAX);
        Slack { early: bounded(early_h), late: bounded(late_h) }
    }

    /// What gathers without a visit, at nodes that show when so many posts will have.
    fn draw_posts<M: Outlook>(
        &mut self,
        model: &M,
        market: &Market,
        since: Timestamp,
        elapsed_h: f64,
        wanted: f64,
    ) {
        // At a constant rate they have gathered when their waiting is n²/2λ.
        let price_h = wanted.powi(2) / (2.0 * model.rate_per_s(&market.pool) * 3600.0);
        let wish = Wish { fare: Fare::single(price_h), floor_per_h: 0.0, elapsed_h };
        model.path(Scalar::new(), &market.pool, since, &wish, &mut self.path);
    }

    /// Calls an hour of a day, if each look is planned after the one before.
    ///
    /// Counted from the first planned look on: `now` is no time that a plan would choose, and the
    /// gap after it says little of the others.
    fn calls_per_h<M: Outlook>(
        &mut self,
        model: &M,
        source: &SourceFacts,
        market: &Market,
        now: Timestamp,
    ) -> f64 {
        let mut look = |at_h: f64| {
            let facts = SourceFacts { visited_at: now + Span::HOUR * at_h, backlog: 0.0, ..*source };
            let due_h = self.due_h(model, &facts, market, 0.0);
            let gap_h = due_h.unwrap_or(COUNTED_H).max(COUNTED_H / LOOKS_MAX);
            (gap_h, self.plan.calls(self.path.posts_at(gap_h)))
        };
        let (first_h, _) = look(0.0);
        let (mut counted_h, mut look_count, mut call_count) = (0.0, 0.0, 0.0);
        while counted_h < COUNTED_H && look_count < LOOKS_MAX {
            let (gap_h, calls) = look(first_h + counted_h);
            counted_h += gap_h;
            call_count += calls;
            look_count += 1.0;
        }
        call_count / counted_h
    }
}

/// What a source can wait for.
fn wish(source: &SourceFacts, market: &Market, elapsed_h: f64) -> Wish {
    // Prices are in posts times seconds; a source that counts twice pays half.
    let price_h = market.price / 3600.0 / source.weight.max(WEIGHT_MIN);
    let fare = Fare::new(price_h, market.group).with_backlog(source.backlog);
    let floor_per_h = 2.0 * f64::from(fare.share) / market.gap_h_max.powi(2);
    Wish { fare, floor_per_h, elapsed_h }
}

impl Rule for Freshet {
    type Model = Levels;

    fn name(&self) -> &'static str {
        "freshet"
    }

    fn refit(
        &self,
        models: &[Levels],
        evidence: &[Evidence],
        pool: &Pool,
        now: Timestamp,
    ) -> Option<Mixture> {
        let weeks = models.iter().map(|model| model.week(pool)).collect();
        evidence::refit(evidence, weeks, (pool.rate_per_s(), pool.mixture()), now)
    }

    fn worth(&self, model: &Levels, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        if market.objective == Objective::Capture {
            let posts = model.posts(&market.pool, source.visited_at, at);
            let scatter = model.scatter(&market.pool);
            return source.weight * capture::index_of(posts, source.page_size, scatter) / market.price;
        }
        let mut sketch = Sketch::default();
        let elapsed_h = lookahead::hours(source.visited_at, at);
        let regret_h = sketch.regrets(model, source, market, elapsed_h).at(elapsed_h);
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

    fn slack(&self, model: &Levels, source: &SourceFacts, market: &Market, due_at: Timestamp) -> Slack {
        Sketch::default().slack(model, source, market, due_at)
    }
}
