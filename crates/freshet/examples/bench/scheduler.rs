//! `scheduler`: how many decisions a second one core makes over ten million sources.
//!
//! A decision is what happens after each visit: the source is popped from the timing wheel, its
//! model learns what the visit saw, the next visit is planned at the price, and the source goes
//! back into the wheel. Model and plan are those of the default policy, as `simulate` and `run`
//! use them; the price is found anew every simulated hour, from a sample. Each decision makes one
//! plan, so nothing is left out. Hot state is the models and the wheel.
//!
//! Time is that of the processor, where the system tells it: other processes on the machine
//! slow the wall clock down, not the work. What the world is like: rates from a post in months
//! to several an hour, with a daily rhythm; the posts are drawn as the visits come.

use std::time::{Duration, Instant};

use freshet_frontier::Wheel;
use freshet_policy::change::{ChangeModel as _, Levels};
use freshet_policy::policies::Sketch;
use freshet_policy::{Look, Market, Objective, SourceFacts};
use freshet_types::{Span, Timestamp};
use serde_json::json;

/// Sources of the small and the large run.
const SOURCE_COUNTS: [u32; 2] = [100_000, 10_000_000];
/// Decisions that are timed in each.
const DECISION_COUNT: u64 = 2_000_000;
/// Decisions made before, so that the wheel has turned and models know something.
const WARM_COUNT: u64 = 500_000;
/// A source is visited so often in the mean.
const GAP_H_MEAN: f64 = 12.0;
/// No source waits longer.
const CEILING: Span = Span::from_ms(30 * 86_400_000);
/// Sources that the price is found from.
const SAMPLE_MAX: usize = 4096;
/// Posts that one visit sees at most.
const NEWS_MAX: usize = 50;
/// A tick of the wheel.
const TICK: Span = Span::SECOND;

/// What one run measured.
struct Measured {
    decisions_per_s: f64,
    bytes_per_source: f64,
    bytes_shared: usize,
}

pub(crate) fn run() {
    let [small, large] = SOURCE_COUNTS.map(|count| measure(count as usize));
    let growth = small.decisions_per_s / large.decisions_per_s;
    println!(
        "pop, learn, plan, insert; {DECISION_COUNT} decisions of {} and {} sources",
        SOURCE_COUNTS[0], SOURCE_COUNTS[1]
    );
    println!("  decisions of few   {:>12.0} /s", small.decisions_per_s);
    println!("  decisions of many  {:>12.0} /s  (goal 1000000)", large.decisions_per_s);
    println!(
        "  hot state          {:>12.1} bytes a source  (limit 64), {} shared",
        large.bytes_per_source, large.bytes_shared
    );
    println!("  growth             {growth:>12.2} times  (limit 2)");
    let line = json!({
        "bench": "scheduler",
        "sources": SOURCE_COUNTS[1],
        "decisions_per_s": large.decisions_per_s,
        "plans_per_s": large.decisions_per_s,
        "bytes_per_source": large.bytes_per_source,
        "bytes_shared": large.bytes_shared,
        "ratios": {"growth_1e5_to_1e7": growth, "of_1e6_decisions_per_s": large.decisions_per_s / 1e6},
    });
    println!("{line}");
}

/// Sources, wheel and market.
struct Fleet {
    models: Vec<Levels>,
    wheel: Wheel,
    market: Market,
    sketch: Sketch,
    draws: Draws,
    news: Vec<Timestamp>,
    due: Vec<u32>,
    priced_at: Timestamp,
}

fn measure(source_count: usize) -> Measured {
    let start = Timestamp::from_secs(1_700_000_000);
    let shared = Wheel::new(TICK, start).bytes();
    let mut fleet = Fleet::new(source_count, start);
    fleet.decide(WARM_COUNT);
    let (wall, began) = (Instant::now(), processor_time());
    fleet.decide(DECISION_COUNT);
    let spent = match (began, processor_time()) {
        (Some(began), Some(ended)) => ended.saturating_sub(began),
        _ => wall.elapsed(),
    };
    let hot = fleet.models.capacity() * size_of::<Levels>() + fleet.wheel.bytes() - shared;
    Measured {
        decisions_per_s: DECISION_COUNT as f64 / spent.as_secs_f64(),
        bytes_per_source: hot as f64 / source_count as f64,
        bytes_shared: shared + size_of::<Fleet>(),
    }
}

impl Fleet {
    fn new(source_count: usize, start: Timestamp) -> Self {
        let mut market = Market::new(Objective::Delay);
        market.gap_h_max = 4.0 * GAP_H_MEAN;
        let mut fleet = Self {
            models: vec![Levels::default(); source_count],
            wheel: Wheel::new(TICK, start),
            market,
            sketch: Sketch::default(),
            draws: Draws(1),
            news: Vec::with_capacity(NEWS_MAX),
            due: Vec::new(),
            priced_at: start,
        };
        fleet.wheel.reserve(source_count);
        for number in 0..source_count as u32 {
            // Each is first seen with two days of posts, at some time of the first gap.
            let since = start - Span::DAY * 2.0;
            fleet.visit(number, since, start);
            fleet.learn(number, since, start);
            let spread = Span::HOUR * (GAP_H_MEAN * fleet.draws.share());
            fleet.wheel.schedule(number, start + spread);
        }
        fleet.price();
        fleet
    }

    fn decide(&mut self, count: u64) {
        let mut left = count;
        while left > 0 {
            let Some(now) = self.wheel.next_due() else { return };
            if now - self.priced_at > Span::HOUR {
                self.priced_at = now;
                self.price();
            }
            let mut due = std::mem::take(&mut self.due);
            due.clear();
            self.wheel.advance(now, left.min(4096) as usize, &mut due);
            for number in &due {
                self.decision(*number, now);
            }
            left -= due.len() as u64;
            self.due = due;
        }
    }

    fn decision(&mut self, number: u32, now: Timestamp) {
        let since = self.models[number as usize].looked_at();
        self.visit(number, since, now);
        self.learn(number, since, now);
        let facts = facts(number, now);
        let model = &self.models[number as usize];
        let due_at = self.sketch.due_at(model, &facts, &self.market, CEILING, now);
        self.wheel.schedule(number, due_at.max(now + TICK));
    }

    /// What a visit sees: posts at the source's rate, most of them in the twelve hours of its day.
    fn visit(&mut self, number: u32, since: Timestamp, now: Timestamp) {
        self.news.clear();
        let span_h = (now - since).secs_f64().max(0.0) / 3600.0;
        let mut left = rate_per_h(number) * span_h + self.draws.share();
        while left >= 1.0 && self.news.len() < NEWS_MAX {
            left -= 1.0;
            self.news.push(since + (now - since) * self.draws.share());
        }
    }

    fn learn(&mut self, number: u32, since: Timestamp, now: Timestamp) {
        let look = Look { since: Some(since), at: now, news: &self.news, is_full: false };
        self.models[number as usize].learn(&look, &self.market.pool);
    }

    /// The price of a sample, scaled to all: (Σ√r)²/(2B²).
    fn price(&mut self) {
        let stride = self.models.len().div_ceil(SAMPLE_MAX);
        let pool = &self.market.pool;
        let sample = self.models.iter().step_by(stride);
        let roots: f64 = sample.map(|model| model.rate_per_s(pool).sqrt()).sum();
        let per_source = roots * stride as f64 / self.models.len() as f64;
        self.market.price = (per_source * GAP_H_MEAN * 3600.0).powi(2) / 2.0;
    }
}

/// Between a post in two months and three an hour, most of them rare.
fn rate_per_h(number: u32) -> f64 {
    let share = f64::from(number.wrapping_mul(2_654_435_761) >> 8) / 16_777_216.0;
    (share * 8.4).exp() / 1440.0
}

fn facts(number: u32, visited_at: Timestamp) -> SourceFacts {
    SourceFacts { number, weight: 1.0, visited_at, turn: 0, page_size: None }
}

/// Numbers without a pattern.
struct Draws(u64);

impl Draws {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// Time this thread spent on a processor, where the system tells.
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
