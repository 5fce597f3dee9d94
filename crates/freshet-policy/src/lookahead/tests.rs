//! Plans against the exact programme, by what following them costs.

use super::*;
use crate::Pool;
use crate::change::{ChangeModel as _, Known};
use crate::group::Group;

/// A source whose rate is known, a price, and its factors by hour.
struct Case {
    name: &'static str,
    model: Known,
    price_h: f64,
    hours: HourPrices,
}

/// All begin on this Monday, midnight.
const START: Timestamp = Timestamp::from_ms(1_699_833_600_000);

impl Case {
    /// The best gap, were the rate constant.
    fn gap_h(&self) -> f64 {
        (2.0 * self.price_h / (self.model.rate_per_s(&Pool::default()) * 3600.0)).sqrt()
    }

    fn price(&self, at: Timestamp) -> f64 {
        // A visit at the full hour belongs to the hour that ends.
        let hour = (at - Span::from_secs(36)).secs().rem_euclid(86_400) / 3600;
        self.price_h * self.hours.factor(hour as usize)
    }

    fn due_h(&self, since: Timestamp) -> f64 {
        let (mut path, mut plan) = (Path::default(), Plan::default());
        let wish = Wish { fare: Fare::single(self.price_h), floor_per_h: 0.0, elapsed_h: 0.0 };
        self.model.path(Scalar::new(), &Pool::default(), since, &wish, &mut path);
        plan.make(Scalar::new(), &path, &self.hours, Fare::single(self.price_h), 0.0);
        plan.due_h(Scalar::new(), &path, &self.hours, 0.0).expect("a source that posts is visited")
    }

    /// What an hour costs if every visit is the one planned after the visit before.
    fn planned_per_h(&self) -> f64 {
        let (mut since, mut cost, end_h) = (START, 0.0, (20.0 * self.gap_h()).max(240.0));
        while hours(START, since) < end_h {
            let at = since + Span::from_secs_f64(3600.0 * self.due_h(since).max(0.01));
            cost += self.model.wait_s(&Pool::default(), since, at) / 3600.0 + self.price(at);
            since = at;
        }
        cost / hours(START, since)
    }

    /// What an hour costs at best: the programme on a fine grid, trying every later visit.
    fn least_per_h(&self) -> f64 {
        let (gap_h, pool) = (self.gap_h(), Pool::default());
        let step_h = (gap_h / 24.0).min(0.5);
        let count = ((20.0 * gap_h).max(240.0) / step_h) as usize;
        let at = |node: usize| START + Span::from_secs_f64(3600.0 * step_h * node as f64);
        let (mut posts, mut waits_h) = (vec![0.0; count], vec![0.0; count]);
        for node in 1..count {
            let middle = at(node - 1) + (at(node) - at(node - 1)) * 0.5;
            posts[node] = posts[node - 1] + self.model.rate_per_s_at(&pool, middle) * 3600.0 * step_h;
            waits_h[node] = waits_h[node - 1] + step_h * f64::midpoint(posts[node - 1], posts[node]);
        }
        let prices: Vec<f64> = (0..count).map(|node| self.price(at(node))).collect();
        let wait_h =
            |from: usize, to: usize| waits_h[to] - waits_h[from] - step_h * (to - from) as f64 * posts[from];
        let (mut values, mut next) = (vec![0.0; count], vec![count - 1; count]);
        for node in (0..count - 1).rev() {
            values[node] = f64::INFINITY;
            for later in node + 1..count {
                let wait_h = wait_h(node, later);
                let cost = wait_h + prices[later] + values[later];
                if cost < values[node] {
                    (values[node], next[node]) = (cost, later);
                }
                // Nobody waits for that much more than a dear visit costs.
                if wait_h > 12.0 * self.price_h {
                    break;
                }
            }
        }
        let (mut node, mut cost) = (0, 0.0);
        // The end is free, so the last third is left out.
        while node < count * 2 / 3 {
            cost += wait_h(node, next[node]) + prices[next[node]];
            node = next[node];
        }
        cost / (step_h * node as f64)
    }
}

/// Four kinds of days, five prices, with and without dear evenings.
fn cases() -> Vec<Case> {
    let wave = |hour: usize| (hour as f64 / 24.0 * std::f64::consts::TAU).cos();
    let days: [(&str, [f64; 24]); 4] = [
        ("steady", [0.5; 24]),
        ("working hours", std::array::from_fn(|hour| if (8..20).contains(&hour) { 1.0 } else { 0.05 })),
        ("evening", std::array::from_fn(|hour| 0.02 + (-((hour as f64 - 20.0) / 2.0).powi(2)).exp())),
        ("wave", std::array::from_fn(|hour| (2.0 * wave(hour)).exp())),
    ];
    let mut dear = HourPrices::default();
    for round in 0..20 * 24 {
        dear.mark(Timestamp::from_secs(round * 3600 + 7), 0.4 * wave((round as usize + 4) % 24));
    }
    dear.turn();
    let mut cases = Vec::new();
    for (name, rates_per_h) in days {
        for price_h in [0.1, 1.0, 8.0, 60.0, 500.0] {
            for hours in [HourPrices::default(), dear.clone()] {
                let model = Known::new(rates_per_h.map(|rate| rate / 3600.0));
                cases.push(Case { name, model, price_h, hours });
            }
        }
    }
    cases
}

#[test]
fn following_plans_costs_hardly_more_than_the_best_visits() {
    let cases = cases();
    let mut sum = 0.0;
    for case in &cases {
        let excess = case.planned_per_h() / case.least_per_h() - 1.0;
        assert!(excess < 0.12, "{} at {}: {excess:.3} more", case.name, case.price_h);
        sum += excess;
    }
    let mean = sum / cases.len() as f64;
    assert!(mean < 0.025, "{mean:.4} more in the mean");
}

#[test]
fn a_constant_rate_is_visited_every_square_root() {
    // T = √(2·price/rate), whatever the hour.
    for (rate_per_h, price_h) in [(0.5, 4.0), (2.0, 1.0), (0.1, 20.0), (20.0, 0.1), (0.001, 40.0)] {
        let model = Known::new([rate_per_h / 3600.0; 24]);
        let case = Case { name: "steady", model, price_h, hours: HourPrices::default() };
        // Visits every x·T cost (x + 1/x)/2 times as much.
        let share = case.due_h(START) / case.gap_h();
        let excess = f64::midpoint(share, 1.0 / share) - 1.0;
        assert!(excess < 0.04, "{rate_per_h} {price_h}: {share:.2} of the gap costs {excess:.3} more");
    }
}

#[test]
fn nothing_expected_is_never_due_early() {
    let (path, mut plan) = (Path::default(), Plan::default());
    plan.make(Scalar::new(), &path, &HourPrices::default(), Fare::single(1.0), 0.0);
    assert!(plan.regrets().iter().all(|regret| regret.is_finite()));
    assert_eq!(path.reaches_h(1.0), None);
}

#[test]
fn odd_prices_and_times_give_times() {
    let model = Known::new([1e-4; 24]);
    for price_h in [0.0, 1e-12, 1e12, 1e30] {
        for elapsed_h in [0.0, 1e-9, 1e6] {
            let (mut path, mut plan) = (Path::default(), Plan::default());
            let wish = Wish { fare: Fare::single(price_h), floor_per_h: 0.0, elapsed_h };
            model.path(Scalar::new(), &Pool::default(), START, &wish, &mut path);
            plan.make(Scalar::new(), &path, &HourPrices::default(), Fare::single(price_h), elapsed_h);
            let due_h = plan.due_h(Scalar::new(), &path, &HourPrices::default(), elapsed_h);
            assert!(
                due_h.is_none_or(|due_h| due_h.is_finite() && due_h >= elapsed_h),
                "{price_h} {elapsed_h}"
            );
        }
    }
}

/// The slack to both sides of the planned visit, as shares of its gap.
fn slack(case: &Case, since: Timestamp) -> (f64, f64) {
    let due_h = case.due_h(since);
    let step_h = due_h / 2.0;
    let (mut path, mut plan) = (Path::default(), Plan::default());
    let wish = Wish { fare: Fare::single(case.price_h), floor_per_h: 0.0, elapsed_h: due_h - step_h };
    case.model.path(Scalar::new(), &Pool::default(), since, &wish, &mut path);
    plan.make(Scalar::new(), &path, &case.hours, Fare::single(case.price_h), due_h - step_h);
    let (early_h, late_h) = plan.slack_h(&path, &case.hours, (due_h, step_h));
    (early_h / due_h, late_h / due_h)
}

#[test]
fn at_a_constant_rate_slack_is_the_gap_and_it_follows_the_day() {
    let case = |rates_per_h: [f64; 24], price_h: f64| Case {
        name: "",
        model: Known::new(rates_per_h.map(|rate| rate / 3600.0)),
        price_h,
        hours: HourPrices::default(),
    };
    for (rate_per_h, price_h) in [(0.5, 4.0), (2.0, 1.0), (0.1, 20.0)] {
        let (early, late) = slack(&case([rate_per_h; 24], price_h), START);
        assert!((0.6..1.6).contains(&early) && (0.6..1.6).contains(&late), "{early:.2} and {late:.2}");
    }
    // Posts come from eight to twenty: a visit planned soon after the morning's rush loses much by coming later, and one at
    // night nearly nothing by coming earlier.
    let busy = std::array::from_fn(|hour| if (8..20).contains(&hour) { 1.0 } else { 0.01 });
    let (early, late) = slack(&case(busy, 6.0), START + Span::HOUR * 20.0);
    assert!(early > late, "{early:.2} before, {late:.2} after");
}

/// When the first look is planned at a constant rate, where a call asks about so many sources and so many posts are known to wait.
fn first_look_h(rate_per_h: f64, fare: Fare) -> f64 {
    let (mut path, mut plan) = (Path::default(), Plan::default());
    let model = Known::new([rate_per_h / 3600.0; 24]);
    let wish = Wish { fare, floor_per_h: 0.0, elapsed_h: 0.0 };
    model.path(Scalar::new(), &Pool::default(), START, &wish, &mut path);
    plan.make(Scalar::new(), &path, &HourPrices::default(), fare, 0.0);
    plan.due_h(Scalar::new(), &path, &HourPrices::default(), 0.0).expect("a source that posts is looked at")
}

#[test]
fn in_groups_a_constant_rate_is_looked_at_when_an_hour_costs_least() {
    for (rate_per_h, price_h, size, page) in [
        (0.05, 4.0, 40.0, 0.0),
        (0.01, 60.0, 40.0, 0.0),
        (0.002, 30.0, 100.0, 0.0),
        (0.1, 2.0, 5.0, 0.0),
        (3.0, 60.0, 40.0, 0.0),
        (0.05, 4.0, 40.0, 40.0),
        (0.5, 30.0, 100.0, 100.0),
        (0.1, 2.0, 5.0, 20.0),
    ] {
        let group = Group::new(size, page);
        let fare = Fare::new(price_h, group);
        let per_h = |gap_h: f64| {
            let posts = rate_per_h * gap_h;
            (f64::from(fare.look(posts as f32)) + posts * gap_h / 2.0) / gap_h
        };
        let least = (1..40_000).map(|step| per_h(0.01 * 1.0005_f64.powi(step))).fold(f64::INFINITY, f64::min);
        let planned = per_h(first_look_h(rate_per_h, fare));
        assert!(planned < least * 1.06, "{rate_per_h} {price_h} {group:?}: {planned:.4}, {least:.4} at best");
        assert!(first_look_h(rate_per_h, fare) <= first_look_h(rate_per_h, Fare::single(price_h)) * 1.1);
    }
}

#[test]
fn known_news_are_fetched_sooner_the_more_they_are() {
    let fare = Fare::new(4.0, Group::new(40.0, 0.0));
    let due_h = |backlog: f64| first_look_h(0.5, fare.with_backlog(backlog));
    assert!(due_h(1.0) < first_look_h(0.5, Fare::single(4.0)), "{}", due_h(1.0));
    assert!(due_h(3.0) <= due_h(1.0) && due_h(20.0) < 0.2, "{} and {}", due_h(3.0), due_h(20.0));
    // One post of a source that hardly ever posts waits for no second.
    let rare_h = first_look_h(0.01, fare.with_backlog(1.0));
    assert!(rare_h < 0.2, "{rare_h}");
}
