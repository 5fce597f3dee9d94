//! `scheduler`: how many decisions a second one core makes over ten million sources.
//!
//! A decision is what happens after each visit: the source is popped from the timing wheel, its
//! model learns what the visit saw, the next visit is planned at the price, and the source goes
//! back into the wheel. Model and plan are those of the default policy, as `simulate` and `run`
//! use them; the price is found anew every simulated hour, from a sample. Each decision makes one
//! plan, so nothing is left out. Hot state is the models and the wheel.
//!
//! What is due at one tick is handled together, step by step: so a model that is not in the
//! cache is waited for together with others, not alone.
//!
//! Time is that of the processor, where the system tells it: other processes on the machine
//! slow the wall clock down, not the work. What the visits see is drawn within that time. How the
//! time is shared out is measured apart, after it. What the world is like: rates from a post in months
//! to several an hour; the posts are drawn as the visits come.

use std::time::{Duration, Instant};

use freshet_frontier::Wheel;
use freshet_policy::change::{ChangeModel as _, Levels};
use freshet_policy::policies::Sketch;
use freshet_policy::{Look, Market, Objective, SourceFacts};
use freshet_types::{Span, Timestamp};
use serde_json::{Value, json};

use crate::Scale;
use crate::timing::processor_time;

/// How much is measured.
struct Counts {
    /// Sources of the run with few and the run with many.
    sources: [u32; 2],
    /// Decisions that are timed in each.
    timed: u64,
    /// Decisions made before, so that the wheel has turned and models know something.
    warm: u64,
    /// Decisions whose time is shared out.
    shared_out: u64,
}

const FULL: Counts =
    Counts { sources: [100_000, 10_000_000], timed: 2_000_000, warm: 500_000, shared_out: 500_000 };
const SMALL: Counts = Counts { sources: [1_000, 10_000], timed: 20_000, warm: 5_000, shared_out: 5_000 };
/// A source is visited so often in the mean.
const GAP_H_MEAN: f64 = 12.0;
/// No source waits longer.
const CEILING: Span = Span::from_ms(30 * 86_400_000);
/// Sources that the price is found from.
const SAMPLE_MAX: usize = 4096;
/// Posts that one visit sees at most.
const NEWS_MAX: usize = 50;
/// Sources that are handled together at most: their models stay in the nearest cache.
const BATCH_MAX: usize = 256;
/// A tick of the wheel.
const TICK: Span = Span::SECOND;
/// The steps of a decision, and the drawing of what it learns from.
const STEPS: [&str; 5] = ["pop", "draw", "learn", "plan", "insert"];

/// What one run measured.
struct Measured {
    decisions_per_s: f64,
    bytes_per_source: f64,
    bytes_shared: usize,
    /// The share of time of each step.
    shares: [f64; STEPS.len()],
}

#[expect(clippy::unnecessary_wraps, reason = "other benchmarks may fail, and all are called alike")]
pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let counts = scale.pick(FULL, SMALL);
    let [small, large] = counts.sources.map(|count| measure(count as usize, &counts));
    let growth = small.decisions_per_s / large.decisions_per_s;
    println!(
        "pop, learn, plan, insert; {} decisions of {} and {} sources",
        counts.timed, counts.sources[0], counts.sources[1]
    );
    println!("  decisions of few   {:>12.0} /s", small.decisions_per_s);
    println!("  decisions of many  {:>12.0} /s  (goal 2000000), each with a plan", large.decisions_per_s);
    for (step, share) in STEPS.iter().zip(large.shares) {
        println!("    {step:<16} {:>12.1} % of it", 100.0 * share);
    }
    println!(
        "  hot state          {:>12.1} bytes a source  (limit 56), {} shared",
        large.bytes_per_source, large.bytes_shared
    );
    println!("  growth             {growth:>12.2} times  (limit 2)");
    let shares: serde_json::Map<_, _> =
        STEPS.iter().zip(large.shares).map(|(step, share)| ((*step).to_owned(), share.into())).collect();
    Ok(json!({
        "bench": "scheduler",
        "sources": counts.sources[1],
        "decisions_per_s": large.decisions_per_s,
        "plans_per_s": large.decisions_per_s,
        "shares": shares,
        "bytes_per_source": large.bytes_per_source,
        "bytes_shared": large.bytes_shared,
        "ratios": {"growth_1e5_to_1e7": growth, "of_1e6_decisions_per_s": large.decisions_per_s / 1e6},
    }))
}

/// Sources, wheel and market.
struct Fleet {
    models: Vec<Levels>,
    wheel: Wheel,
    market: Market,
    sketch: Sketch,
    draws: Draws,
    priced_at: Timestamp,
    batch: Batch,
}

/// What is handled together: sources, and for each the look before and the posts seen since.
#[derive(Default)]
struct Batch {
    numbers: Vec<u32>,
    sinces: Vec<Timestamp>,
    news: Vec<Timestamp>,
    /// Where each source's news end.
    ends: Vec<usize>,
    due_ats: Vec<Timestamp>,
}

fn measure(source_count: usize, counts: &Counts) -> Measured {
    let start = Timestamp::from_secs(1_700_000_000);
    let shared = Wheel::new(TICK, start).bytes();
    let mut fleet = Fleet::new(source_count, start);
    let mut laps = Laps::default();
    fleet.decide(counts.warm, &mut laps);
    let (wall, began) = (Instant::now(), processor_time());
    fleet.decide(counts.timed, &mut laps);
    let spent = match (began, processor_time()) {
        (Some(began), Some(ended)) => ended.saturating_sub(began),
        _ => wall.elapsed(),
    };
    laps.last = Some(Instant::now());
    fleet.decide(counts.shared_out, &mut laps);
    let hot = fleet.models.capacity() * size_of::<Levels>() + fleet.wheel.bytes() - shared;
    let all_s: f64 = laps.spent.iter().map(Duration::as_secs_f64).sum();
    Measured {
        decisions_per_s: counts.timed as f64 / spent.as_secs_f64(),
        bytes_per_source: hot as f64 / source_count as f64,
        bytes_shared: shared + size_of::<Fleet>(),
        shares: laps.spent.map(|spent| spent.as_secs_f64() / all_s),
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
            priced_at: start,
            batch: Batch::default(),
        };
        fleet.wheel.reserve(source_count);
        for number in 0..source_count as u32 {
            // Each is first seen with two days of posts, at some time of the first gap.
            let (since, news) = (start - Span::DAY * 2.0, &mut fleet.batch.news);
            news.clear();
            fleet.draws.visit(number, since, start, news);
            let look = Look { since: Some(since), at: start, news, is_full: false };
            fleet.models[number as usize].learn(&look, &fleet.market.pool);
            let spread = Span::HOUR * (GAP_H_MEAN * fleet.draws.share());
            fleet.wheel.schedule(number, start + spread);
        }
        fleet.price();
        fleet
    }

    fn decide(&mut self, count: u64, laps: &mut Laps) {
        let mut batch = std::mem::take(&mut self.batch);
        let mut left = count;
        while left > 0 {
            let Some(now) = self.wheel.next_due() else { break };
            if now - self.priced_at > Span::HOUR {
                self.priced_at = now;
                self.price();
            }
            batch.numbers.clear();
            self.wheel.advance(now, left.min(BATCH_MAX as u64) as usize, &mut batch.numbers);
            laps.mark(0);
            self.draw(&mut batch, now);
            laps.mark(1);
            self.learn(&batch, now);
            laps.mark(2);
            self.plan(&mut batch, now);
            laps.mark(3);
            for (number, due_at) in batch.numbers.iter().zip(&batch.due_ats) {
                self.wheel.schedule(*number, (*due_at).max(now + TICK));
            }
            laps.mark(4);
            left -= batch.numbers.len() as u64;
        }
        self.batch = batch;
    }

    /// What the visits see.
    fn draw(&mut self, batch: &mut Batch, now: Timestamp) {
        let models = &self.models;
        batch.sinces.clear();
        batch.sinces.extend(batch.numbers.iter().map(|number| models[*number as usize].looked_at()));
        batch.news.clear();
        batch.ends.clear();
        for (number, since) in batch.numbers.iter().zip(&batch.sinces) {
            self.draws.visit(*number, *since, now, &mut batch.news);
            batch.ends.push(batch.news.len());
        }
    }

    fn learn(&mut self, batch: &Batch, now: Timestamp) {
        let mut begin = 0;
        for ((number, since), end) in batch.numbers.iter().zip(&batch.sinces).zip(&batch.ends) {
            let look = Look { since: Some(*since), at: now, news: &batch.news[begin..*end], is_full: false };
            self.models[*number as usize].learn(&look, &self.market.pool);
            begin = *end;
        }
    }

    fn plan(&mut self, batch: &mut Batch, now: Timestamp) {
        batch.due_ats.clear();
        for &number in &batch.numbers {
            let source =
                SourceFacts { number, weight: 1.0, visited_at: now, backlog: 0.0, turn: 0, page_size: None };
            let model = &self.models[number as usize];
            batch.due_ats.push(self.sketch.due_at(model, &source, &self.market, CEILING, now));
        }
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

/// Numbers without a pattern.
struct Draws(u64);

impl Draws {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    /// Appends what a visit sees: posts at the source's rate.
    fn visit(&mut self, number: u32, since: Timestamp, now: Timestamp, news: &mut Vec<Timestamp>) {
        let span_h = (now - since).secs_f64().max(0.0) / 3600.0;
        let posts = rate_per_h(number) * span_h + self.share();
        for _ in 0..(posts as usize).min(NEWS_MAX) {
            news.push(since + (now - since) * self.share());
        }
    }
}

/// Where the time went; it runs once `last` is set.
#[derive(Default)]
struct Laps {
    last: Option<Instant>,
    spent: [Duration; STEPS.len()],
}

impl Laps {
    fn mark(&mut self, step: usize) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.spent[step] += now - *last;
            *last = now;
        }
    }
}
