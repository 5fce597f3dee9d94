//! The engine's door to every rule: prices move due times, explanations agree with decisions.

use freshet_types::{Span, Timestamp};
use proptest::prelude::*;

use super::{prior_of, window_of, with_prior};
use crate::change::kind::Kind;
use crate::{
    DEFAULT_POLICY, Look, Market, Objective, POLICY_NAMES, Pacing, Policy, Prior, Reason, SourceFacts,
    policy_named,
};

const PACING: Pacing = Pacing {
    floor: Span::MINUTE,
    ceiling: Span::from_ms(48 * 3_600_000),
    ceiling_share: Pacing::WANTED_SHARE,
};
const DAYS: i64 = 28;
/// No profile leads to expect more.
const PRIOR_PER_DAY_MAX: f64 = 1440.0;

fn source() -> SourceFacts {
    let visited_at = Timestamp::from_secs(DAYS * 86_400);
    SourceFacts { number: 1, weight: 1.0, visited_at, backlog: 0.0, turn: 0, page_size: None }
}

fn market(price: f64) -> Market {
    Market { price, ..Market::new(Objective::Delay) }
}

/// A month of so many posts a day, evenly.
fn month(policy: &dyn Policy, posts_per_day: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for day in 0..DAYS {
        let post = |post: i64| Timestamp::from_secs(day * 86_400 + post * 86_400 / posts_per_day);
        let news: Vec<_> = (0..posts_per_day).map(post).collect();
        let since = (day > 0).then(|| Timestamp::from_secs(day * 86_400));
        let at = Timestamp::from_secs((day + 1) * 86_400);
        let look = Look { since, at, news: &news, is_full: false };
        bytes = policy.learn(&bytes, &source(), &market(100.0), &look);
    }
    bytes
}

#[test]
fn dearer_visits_come_later_where_prices_count() {
    for name in POLICY_NAMES {
        let policy = policy_named(name, PACING).unwrap();
        let bytes = month(&*policy, 24);
        let gaps: Vec<Span> = [10.0, 100.0, 1e4, 1e6]
            .into_iter()
            .map(|price| policy.due_at(&bytes, &source(), &market(price)) - source().visited_at)
            .collect();
        assert!(gaps.is_sorted(), "`{name}`: {gaps:?}");
        // Bound-based uses the price where it learns, not where it decides.
        let is_moved = gaps[0] < gaps[3] || *name == "bound-based";
        assert_eq!(is_moved, policy.has_price(), "`{name}`: {gaps:?}");
        // The example posts hourly, too: whatever the unit, it is visited about every √(2C/λ).
        if ["index", "index-profile", "index-mixed", "proportional", "backlog"].contains(name) {
            let (gap_s, formula_s) = (gaps[1].secs_f64(), (2.0 * 100.0 * 3600.0_f64).sqrt());
            assert!((gap_s / formula_s - 1.0).abs() < 0.25, "`{name}`: {gap_s} s, not {formula_s} s");
        }
    }
}

#[test]
fn an_explanation_agrees_with_the_decision() {
    let now = source().visited_at + Span::MINUTE;
    for name in POLICY_NAMES {
        let policy = policy_named(name, PACING).unwrap();
        for (posts_per_day, price) in [(1, 1e9), (24, 100.0), (24, 1e-6), (200, 50.0)] {
            let bytes = month(&*policy, posts_per_day);
            let told = policy.explain(&bytes, &source(), &market(price), now);
            assert_eq!(told.due_at, policy.due_at(&bytes, &source(), &market(price)), "`{name}`");
            // Prices are found to a thousandth, times to a share of the ceiling.
            assert!(told.otherwise.price_doubled + Span::MINUTE >= told.due_at, "`{name}`: {told:?}");
            assert!(told.otherwise.price_halved - Span::MINUTE <= told.due_at, "`{name}`: {told:?}");
            assert!(told.otherwise.no_ceiling + Span::MINUTE >= told.due_at, "`{name}`: {told:?}");
            assert!(told.posts_expected >= 0.0 && told.worth_now >= 0.0, "`{name}`: {told:?}");
            let gap = told.due_at - source().visited_at;
            match told.reason {
                Reason::Ceiling => assert!(PACING.ceiling - gap <= Span::SECOND, "`{name}`: {told:?}"),
                Reason::Floor => assert!(gap - PACING.floor <= Span::SECOND, "`{name}`: {told:?}"),
                Reason::Turn | Reason::Rounds | Reason::Worth | Reason::Window => {}
            }
        }
        let kind = |posts_per_day| {
            policy.explain(&month(&*policy, posts_per_day), &source(), &market(1.0), now).kind
        };
        assert_eq!((kind(1), kind(200)), (Kind::Constant, Kind::Authority), "`{name}`");
    }
}

/// A source whose list shows so many posts.
fn window(size: u32) -> SourceFacts {
    SourceFacts { page_size: Some(size), ..source() }
}

#[test]
fn a_window_is_looked_at_before_what_is_expected_fills_it() {
    for name in ["freshet", "index", "hash", "cuvim", "change-rate", "cho-gm"] {
        let policy = policy_named(name, PACING).unwrap();
        // An hourly source: twelve posts fill in half a day, so four hours are the longest.
        let bytes = month(&*policy, 24);
        let gap_h = |facts: &SourceFacts, market: &Market| {
            (policy.due_at(&bytes, facts, market) - facts.visited_at).secs_f64() / 3600.0
        };
        let dear = market(1e9);
        let (with_h, without_h) = (gap_h(&window(12), &dear), gap_h(&source(), &dear));
        assert!(
            (2.0..=6.0).contains(&with_h) || (with_h - without_h).abs() < 1e-9,
            "`{name}`: {with_h} h, {without_h} h without"
        );
        assert!(with_h <= without_h, "`{name}`: {with_h} h, {without_h} h without");
        let told = policy.explain(&bytes, &window(12), &dear, source().visited_at);
        assert_eq!(told.reason == Reason::Window, with_h < without_h, "`{name}`: {told:?}");
        let large_h = gap_h(&window(1000), &dear);
        assert!((large_h - without_h).abs() < 1e-9, "`{name}`: a large window changes nothing");
        // Where distinct posts are asked for, a dear call is spent when the window is nearly full.
        let capture = |price| Market { price, ..Market::new(Objective::Capture) };
        let (cheap_h, dear_h) = (gap_h(&window(12), &capture(10.0)), gap_h(&window(12), &capture(1e9)));
        assert!(cheap_h <= 6.0 && cheap_h <= dear_h, "`{name}`: {cheap_h} h, {dear_h} h");
    }
}

#[test]
fn calls_that_are_left_are_spent_on_delay() {
    for name in ["freshet", "index", "backlog", "hash", "cuvim"] {
        let policy = policy_named(name, PACING).unwrap();
        let bytes = month(&*policy, 4);
        let gap_h = |facts: &SourceFacts, objective: Objective, price: f64| {
            let due_at = policy.due_at(&bytes, facts, &Market { price, ..Market::new(objective) });
            (due_at - facts.visited_at).secs_f64() / 3600.0
        };
        for price in [10.0, 100.0, 300.0] {
            let [delay_h, capture_h] =
                [Objective::Delay, Objective::Capture].map(|objective| gap_h(&window(16), objective, price));
            assert!(capture_h <= delay_h + 1e-6, "`{name}` at {price}: {capture_h} h, {delay_h} h for delay");
        }
    }
}

#[test]
fn the_size_of_a_window_is_kept_with_the_model() {
    let look =
        |at_h: i64| Look { since: None, at: Timestamp::from_secs(at_h * 3600), news: &[], is_full: false };
    for name in POLICY_NAMES {
        let policy = policy_named(name, PACING).unwrap();
        let plain = month(&*policy, 24);
        assert_eq!(window_of(&plain), None, "`{name}`");
        let sized = policy.learn(&plain, &window(25), &market(100.0), &look(672));
        assert_eq!(window_of(&sized), Some(25), "`{name}`");
        let cleared = policy.learn(&sized, &source(), &market(100.0), &look(672));
        assert_eq!(window_of(&cleared), None, "`{name}`");
        let rate = |bytes: &[u8]| policy.rate_per_s(bytes, &market(100.0));
        let same = policy.learn(&plain, &source(), &market(100.0), &look(672));
        assert!((rate(&sized) - rate(&same)).abs() < 1e-12, "`{name}`: the model goes on");
    }
    assert_eq!(window_of(&[]), None);
    assert_eq!(window_of(&[0xff; 40]), None);
}

/// A profile of so many posts in a hundred days.
fn profile(posts_count: i64) -> Prior {
    let now = source().visited_at;
    Prior::of(posts_count, now - Span::DAY * 100.0, now).unwrap()
}

#[test]
fn a_profile_stays_with_the_model_and_speaks_until_looks_do() {
    let empty = |at_h: i64, since_h: Option<i64>| Look {
        since: since_h.map(|hour| Timestamp::from_secs(hour * 3600)),
        at: Timestamp::from_secs(at_h * 3600),
        news: &[],
        is_full: false,
    };
    let other = policy_named("index", PACING).unwrap();
    for name in POLICY_NAMES {
        let policy = policy_named(name, PACING).unwrap();
        let rate = |bytes: &[u8]| policy.rate_per_s(bytes, &market(100.0)) * 86_400.0;
        let (busy, quiet) = (with_prior(&[], profile(5_000)), with_prior(&[], profile(5)));
        assert!(rate(&busy) >= rate(&[]) && rate(&[]) >= rate(&quiet), "`{name}`");
        let seen = policy.learn(&busy, &window(25), &market(100.0), &empty(672, None));
        assert_eq!((prior_of(&seen), window_of(&seen)), (Some(profile(5_000)), Some(25)), "`{name}`");
        let switched = other.learn(&seen, &source(), &market(100.0), &empty(673, Some(672)));
        assert_eq!(prior_of(&switched), Some(profile(5_000)), "`{name}`");
        // Whoever was seen for a month is expected to go on, whatever the profile says.
        let month = month(&*policy, 24);
        let known = rate(&with_prior(&month, profile(5)));
        assert!(
            (known / rate(&month) - 1.0).abs() < 0.35,
            "`{name}`: {known} a day, {} without",
            rate(&month)
        );
    }
    let policy = policy_named(DEFAULT_POLICY, PACING).unwrap();
    let rate = |bytes: &[u8]| policy.rate_per_s(bytes, &market(100.0)) * 86_400.0;
    let (busy, quiet) = (with_prior(&[], profile(5_000)), with_prior(&[], profile(5)));
    assert!((rate(&busy) / 50.0_f64.powf(0.8) - 1.0).abs() < 0.2, "{}", rate(&busy));
    assert!((rate(&quiet) / 0.25 - 1.0).abs() < 0.2, "{}", rate(&quiet));
    let silent = policy.learn(&busy, &source(), &market(100.0), &empty(672, Some(0)));
    assert!(rate(&silent) < 0.1 * rate(&busy), "a month of silence is believed: {}", rate(&silent));
    assert_eq!(prior_of(&[]), None);
    assert_eq!(prior_of(&[0xff; 40]), None);
}

#[test]
fn the_week_survives_a_change_of_policy() {
    let (before, after) = (policy_named("rr", PACING).unwrap(), policy_named("index", PACING).unwrap());
    let bytes = month(&*before, 200);
    let told = after.explain(&bytes, &source(), &market(1.0), source().visited_at);
    assert_eq!(told.kind, Kind::Authority);
}

#[test]
fn the_ceiling_gives_way_where_the_quota_does_not_permit_it() {
    let policy = policy_named("index", PACING).unwrap();
    let bytes = month(&*policy, 1);
    let dear = Market { ceiling_stretch: 3.0, ..market(1e15) };
    assert_eq!(policy.due_at(&bytes, &source(), &dear), source().visited_at + PACING.ceiling * 3.0);
}

/// Looks in any order of odd things: hours between them, hours before each look at which its posts came, whether the page was full, and
/// whether the look before is known.
fn odd_looks() -> impl Strategy<Value = Vec<(f64, Vec<f64>, bool, bool)>> {
    let hours = || prop_oneof![Just(0.0), 0.0..0.01, 0.0..2.0, 0.0..2000.0];
    proptest::collection::vec(
        (hours(), proptest::collection::vec(hours(), 0..40), any::<bool>(), any::<bool>()),
        1..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever was seen, what the usual policy shows of a source is what it may do: no more in a day than a multiple of all it ever did.
    /// Formulas of papers are what they are; they show numbers.
    #[test]
    fn what_is_shown_of_a_source_agrees_with_what_was_seen(
        looks in odd_looks(),
        told in proptest::option::of((any::<i64>(), any::<i64>())),
    ) {
        let begin = Timestamp::from_secs(1_000_000_000);
        let profile = told.and_then(|(count, at_ms)| Prior::of(count, Timestamp::from_ms(at_ms), begin));
        let odd = told.and_then(|(count, age_ms)| Prior::of(count, begin - Span::from_ms(age_ms % (1 << 40)), begin));
        let prior = profile.or(odd);
        for name in POLICY_NAMES {
            let policy = policy_named(name, PACING).unwrap();
            let (mut bytes, mut market, mut now) = (Vec::new(), market(100.0), begin);
            bytes = prior.map_or(bytes, |prior| with_prior(&[], prior));
            let (mut facts, mut post_count) = (source(), 0.0);
            for (gap_h, ages_h, is_full, has_since) in &looks {
                let since = has_since.then_some(now);
                now = now + Span::HOUR * *gap_h;
                let news: Vec<Timestamp> = ages_h.iter().map(|age_h| now - Span::HOUR * *age_h).collect();
                let look = Look { since, at: now, news: &news, is_full: *is_full };
                facts.visited_at = now;
                bytes = policy.learn(&bytes, &facts, &market, &look);
                market.pool.learn(&look);
                market.pool.refresh();
                post_count += news.len() as f64;
            }
            let explained = policy.explain(&bytes, &facts, &market, now);
            let per_day = policy.rate_per_s(&bytes, &market) * 86_400.0;
            let is_usual = *name == DEFAULT_POLICY;
            let least = prior.map_or(1.0, |_| PRIOR_PER_DAY_MAX);
            let most_per_day = if is_usual { 50.0 * (post_count + least) * (post_count + 1.0) } else { 1e15 };
            prop_assert!((0.0..=most_per_day).contains(&per_day), "`{name}`: {per_day} posts a day after {post_count}");
            let days = (explained.due_at - now).secs_f64() / 86_400.0;
            let most = most_per_day * days.max(1.0);
            prop_assert!((0.0..=most).contains(&explained.posts_expected), "`{name}`: {explained:?} after {post_count}");
        }
    }
}
