//! Plans against the programme on quarters of an hour.

use super::*;
use crate::Pool;
use crate::change::{ChangeModel as _, Known};

/// The exact programme: quarters of an hour for so many of the reach, trying every later one.
struct Exact {
    /// B by quarter.
    costs: Vec<f64>,
    step_h: f64,
}

impl Exact {
    fn new(model: &Known, since: Timestamp, hours: &HourPrices, price_h: f64) -> Self {
        let pool = Pool::default();
        let reach_h = (2.0 * price_h / (model.rate_per_s(&pool) * 3600.0)).sqrt();
        let step_h = (reach_h / 40.0).min(0.25);
        let at = |node: usize| since + Span::from_secs_f64(3600.0 * step_h * node as f64);
        let count = (10.0 * reach_h.max(24.0) / step_h) as usize;
        let posts: Vec<f64> = (0..count).map(|node| model.posts(&pool, since, at(node))).collect();
        let prices: Vec<f64> = (0..count)
            .map(|node| ((at(node) - Span::from_secs(36)).secs().rem_euclid(86_400) / 3600) as usize)
            .map(|hour| price_h * hours.factor(hour))
            .collect();
        let mut costs: Vec<f64> = prices.clone();
        // The end is a free visit; ten gaps on nobody remembers it.
        costs[count - 1] = 0.0;
        for node in (1..count - 1).rev() {
            // Nobody waits for three gaps and a day.
            let end = count.min(node + ((3.0 * reach_h + 24.0) / step_h) as usize);
            let cost = |later: usize| costs[later] - step_h * later as f64 * posts[node];
            let best = (node + 1..end).map(cost).fold(f64::INFINITY, f64::min);
            costs[node] = prices[node] + step_h * node as f64 * posts[node] + best;
        }
        Self { costs, step_h }
    }

    fn least(&self) -> f64 {
        self.costs[1..].iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn cost(&self, hours: f64) -> f64 {
        let place = (hours / self.step_h).clamp(1.0, (self.costs.len() - 2) as f64);
        let (low, share) = (place.floor() as usize, place.fract());
        self.costs[low] * (1.0 - share) + self.costs[low + 1] * share
    }
}

fn plan_due_h(model: &Known, since: Timestamp, hours: &HourPrices, price_h: f64) -> f64 {
    let (mut path, mut plan) = (Path::default(), Plan::default());
    let wish = Wish { price_h, floor_per_h: 0.0, elapsed_h: 0.0 };
    model.path(&Pool::default(), since, &wish, &mut path);
    plan.make(&path, hours, price_h, 0.0);
    plan.due_h(&path, hours, price_h, 0.0).expect("a source that posts is visited")
}

fn days() -> [(&'static str, [f64; 24]); 4] {
    [
        ("steady", [0.5; 24]),
        ("working hours", std::array::from_fn(|hour| if (8..20).contains(&hour) { 1.0 } else { 0.05 })),
        ("evening", std::array::from_fn(|hour| 0.02 + (-((hour as f64 - 20.0) / 2.0).powi(2)).exp())),
        (
            "wave",
            std::array::from_fn(|hour| (2.0 * (hour as f64 / 24.0 * std::f64::consts::TAU).cos()).exp()),
        ),
    ]
}

fn dear_evenings() -> HourPrices {
    let mut hours = HourPrices::default();
    for hour in 0..24 {
        let regret = ((hour as f64 - 20.0) / 24.0 * std::f64::consts::TAU).cos();
        hours.mark(Timestamp::from_secs(hour * 3600 + 7), 4.0 * regret);
    }
    hours.turn();
    hours
}

#[test]
fn the_first_visit_costs_hardly_more_than_that_of_the_exact_programme() {
    let (mut sum, mut count, mut worst) = (0.0, 0, (0.0, String::new()));
    for (name, rates_per_h) in days() {
        let model = Known::new(rates_per_h.map(|rate| rate / 3600.0));
        for price_h in [0.02, 0.3, 2.0, 15.0, 100.0, 1000.0] {
            for hours in [HourPrices::default(), dear_evenings()] {
                for begin_h in [0, 5, 11, 17, 21] {
                    let since = Timestamp::from_secs(1_699_833_600 + begin_h * 3600 + 660);
                    let due_h = plan_due_h(&model, since, &hours, price_h);
                    let exact = Exact::new(&model, since, &hours, price_h);
                    let lost = (exact.cost(due_h) - exact.least()) / price_h;
                    if std::env::var("SHOW").is_ok() {
                        eprintln!(
                            "{name} {price_h} {begin_h} due {due_h:.2} best {:.2} lost {lost:.3}",
                            exact.step_h
                                * (1 + exact.costs[1..]
                                    .iter()
                                    .enumerate()
                                    .min_by(|a, b| a.1.total_cmp(b.1))
                                    .unwrap()
                                    .0) as f64
                        );
                    }
                    (sum, count) = (sum + lost, count + 1);
                    if lost > worst.0 {
                        worst = (lost, format!("{name} at {price_h} from {begin_h}: {due_h}"));
                    }
                }
            }
        }
    }
    let mean = sum / f64::from(count);
    assert!(mean < 0.01 && worst.0 < 0.1, "of the price, mean {mean}, worst {worst:?}");
}

#[test]
fn a_constant_rate_is_visited_every_square_root() {
    // T = √(2·price/rate), whatever the hour.
    for (rate_per_h, price_h) in [(0.5, 4.0), (2.0, 1.0), (0.1, 20.0), (20.0, 0.1), (0.001, 40.0)] {
        let model = Known::new([rate_per_h / 3600.0; 24]);
        let due_h = plan_due_h(&model, Timestamp::from_secs(0), &HourPrices::default(), price_h);
        let expected_h = (2.0 * price_h / rate_per_h).sqrt();
        assert!((due_h / expected_h - 1.0).abs() < 0.06, "{rate_per_h} {price_h}: {due_h}, not {expected_h}");
    }
}

#[test]
fn nothing_expected_is_never_due_early() {
    let (path, mut plan) = (Path::default(), Plan::default());
    plan.make(&path, &HourPrices::default(), 1.0, 0.0);
    assert!(plan.regrets.iter().all(|regret| regret.is_finite()));
    assert_eq!(path.reaches_h(1.0), None);
}
