//! The ledger against a network that counts: never overdrawn, almost wholly spent.

mod announce;
mod budget;
mod reserve;

use super::*;
use freshet_types::NetworkName;

fn need(rule: &str, limit: u32, window_s: i64) -> QuotaNeed {
    let key = QuotaKey { network: NetworkName::from("net"), rule: rule.into(), holder: "ip".into() };
    QuotaNeed { key, limit, window: Span::from_secs(window_s), units: 1 }
}

/// A claim of the one asker of these tests.
fn claim(needs: &[QuotaNeed]) -> Claim {
    Claim {
        asker: Asker { network: NetworkName::from("net"), credential: None },
        needs: needs.to_vec(),
        budgets: vec![],
    }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_000_000_000 + ms)
}

/// Asks, with a store that writes at once.
fn ask(ledger: &mut Ledger, claim: &Claim, now: Timestamp) -> Result<(), Timestamp> {
    let granted = ledger.grant(claim, now).map(drop);
    if let Some(reservation) = ledger.reservation(now) {
        ledger.confirm(reservation.number);
    }
    granted
}

/// Windows that a test runs over.
const WINDOWS: i64 = 12;

/// Asks as fast as the ledger lets for so long; gives the grant times.
fn spend(ledger: &mut Ledger, needs: &[QuotaNeed], seconds: i64) -> Vec<i64> {
    let (mut grants, mut now) = (Vec::new(), at(0));
    while now < at(seconds * 1000) {
        match ask(ledger, &claim(needs), now) {
            Ok(()) => {
                grants.push(now.ms());
                ledger.answered(&claim(needs), &[], now);
            }
            Err(later) => {
                assert!(later > now, "the ledger must name a later time");
                now = later;
            }
        }
    }
    grants
}

fn most_in_any_window(grants: &[i64], window_ms: i64) -> usize {
    let mut from = 0;
    (0..grants.len())
        .map(|to| {
            while grants[to] - grants[from] >= window_ms {
                from += 1;
            }
            to - from + 1
        })
        .max()
        .unwrap_or(0)
}

#[test]
fn no_window_is_overdrawn_and_most_of_it_is_spent() {
    for (limit, window_s) in [(1, 60), (2, 10), (10, 60), (50, 10), (300, 300), (3000, 300), (10_000, 86_400)]
    {
        let grants = spend(&mut Ledger::default(), &[need("rule", limit, window_s)], WINDOWS * window_s);
        let most = most_in_any_window(&grants, window_s * 1000);
        assert!(most <= limit as usize, "{most} of {limit} in {window_s} s");
        let whole = WINDOWS as f64 * f64::from(limit);
        let share = grants.len() as f64 / whole;
        assert!(share > 0.45, "only {share:.2} of {limit} in {window_s} s was spent");
        if limit >= 50 {
            assert!(share > 0.8, "only {share:.2} of {limit} in {window_s} s was spent");
        }
    }
}

#[test]
fn several_scopes_are_all_kept() {
    let needs = [need("ip", 300, 300), need("paged", 300, 900)];
    let grants = spend(&mut Ledger::default(), &needs, WINDOWS * 900);
    assert!(most_in_any_window(&grants, 300_000) <= 300);
    assert!(most_in_any_window(&grants, 900_000) <= 300);
}

#[test]
fn what_the_network_announces_slows_and_blocks() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    ask(&mut ledger, &claim(&needs), at(0)).unwrap();
    let reading = |remaining| LimitReading {
        limit: Some(300),
        remaining: Some(remaining),
        reset_at: Some(at(100_000)),
        ..LimitReading::default()
    };
    ledger.answered(&claim(&needs), &[reading(0)], at(10));
    assert_eq!(
        ask(&mut ledger, &claim(&needs), at(20)),
        Err(at(101_000)),
        "a second after the reset, to be sure"
    );

    let mut ledger = Ledger::default();
    ask(&mut ledger, &claim(&needs), at(0)).unwrap();
    ledger.answered(&claim(&needs), &[reading(20)], at(0));
    let mut granted = 0;
    for ms in (0..100_000).step_by(50) {
        if ask(&mut ledger, &claim(&needs), at(ms)).is_ok() {
            granted += 1;
            ledger.answered(&claim(&needs), &[], at(ms));
        }
    }
    assert_eq!(granted, 14, "what was announced as left, less the margin");
}

#[test]
fn too_many_is_believed_once_and_then_the_wait_doubles() {
    for needs in [&[need("ip", 300, 300)][..], &[]] {
        let (mut ledger, claim) = (Ledger::default(), claim(needs));
        let mut check = |told: Option<i64>, now: i64, expected: i64| {
            assert_eq!(ledger.refused(&claim, told.map(at), at(now)), at(expected), "{needs:?}");
            assert_eq!(ask(&mut ledger, &claim, at(expected - 1)), Err(at(expected)), "{needs:?}");
        };
        check(Some(7000), 0, 7000);
        check(None, 7000, 127_000);
        check(None, 7010, 127_000);
        // What the server says cannot shorten the wait, and can lengthen it.
        check(Some(128_000), 127_000, 367_000);
        check(Some(1_000_000), 128_000, 1_000_000);
        // Forty years are not believed.
        check(Some(1_261_440_000_000), 1_000_000, 1_000_000 + 86_400_000);
        ledger.served(&claim);
        assert_eq!(ledger.refused(&claim, None, at(100_000_000)), at(100_060_000));
    }
}

#[test]
fn after_a_refusal_one_request_goes_ahead_and_the_others_follow_it() {
    let (mut ledger, claim) = (Ledger::default(), claim(&[]));
    let other = Claim {
        asker: Asker { credential: Some("two".into()), ..claim.asker.clone() },
        needs: vec![],
        budgets: vec![],
    };
    for _ in 0..3 {
        assert_eq!(ask(&mut ledger, &claim, at(0)), Ok(()), "nothing is known yet");
    }
    ledger.answered(&claim, &[], at(10));
    let until = ledger.refused(&claim, None, at(10));
    assert_eq!(ask(&mut ledger, &other, at(10)), Ok(()), "another credential was not refused");
    assert_eq!(ask(&mut ledger, &claim, until), Ok(()));
    assert_eq!(ask(&mut ledger, &claim, until), Err(until + Span::SECOND));
    ledger.answered(&claim, &[], until + Span::SECOND);
    ledger.served(&claim);
    for _ in 0..3 {
        assert_eq!(ask(&mut ledger, &claim, until + Span::SECOND), Ok(()));
    }
}

/// A server that counts in windows of its own, each opened by the first request after the last
/// one, and tells its resets in whole seconds, cut.
struct Counter {
    limit: u32,
    window_ms: i64,
    opened_ms: i64,
    count: u32,
    refused_count: u32,
}

impl Counter {
    fn new(limit: u32, window_ms: i64) -> Self {
        Self { limit, window_ms, opened_ms: i64::MIN / 2, count: 0, refused_count: 0 }
    }

    fn ask(&mut self, now: Timestamp) -> LimitReading {
        if now.ms() - self.opened_ms >= self.window_ms {
            (self.opened_ms, self.count) = (now.ms(), 0);
        }
        self.count += 1;
        self.refused_count += u32::from(self.count > self.limit);
        LimitReading {
            limit: Some(self.limit),
            remaining: Some(self.limit.saturating_sub(self.count)),
            reset_at: Some(Timestamp::from_secs((self.opened_ms + self.window_ms).div_euclid(1000))),
            ..LimitReading::default()
        }
    }
}

/// Asks as fast as the ledger lets, with answers that take a while; gives requests and refusals.
fn crawl(declared: &[QuotaNeed], counter: &mut Counter, secs: i64, answer_ms: i64) -> (usize, u32) {
    let (mut ledger, mut now, mut count) = (Ledger::default(), at(300), 0);
    let mut under_way = std::collections::VecDeque::<(Timestamp, LimitReading)>::new();
    while now < at(secs * 1000) {
        while let Some((_, reading)) = under_way.pop_front_if(|(due, _)| *due <= now) {
            ledger.answered(&claim(declared), &[reading], now);
        }
        match ask(&mut ledger, &claim(declared), now) {
            Ok(()) => {
                under_way.push_back((now + Span::from_ms(answer_ms), counter.ask(now)));
                count += 1;
            }
            // A little later than told, as on a real clock.
            Err(later) => {
                now = later.min(under_way.front().map_or(later, |(due, _)| *due)) + Span::from_ms(5);
            }
        }
    }
    (count, counter.refused_count)
}

#[test]
fn a_server_with_limits_of_its_own_is_followed_and_never_overdrawn() {
    let declared = [need("api", 300, 300)];
    // The last column is the share that must be spent, of the server's limit or of the declared one,
    // whichever is less: a server that allows more is asked no more for that. Windows of about a
    // second cannot be told apart by resets in whole seconds.
    for (limit, window_ms, answer_ms, share_min) in [
        (50, 10_000, 30, 0.8),
        (50, 10_000, 900, 0.8),
        (3, 10_000, 100, 0.3),
        (1, 5000, 100, 0.3),
        (10, 1000, 200, 0.2),
        (2000, 60_000, 50, 0.8),
        (301, 300_000, 50, 0.7),
        (4_000_000_000, 300_000, 50, 0.8),
        (100, 300_000, 50, 0.7),
    ] {
        let (secs, mut counter) = (600, Counter::new(limit, window_ms));
        let (count, refused_count) = crawl(&declared, &mut counter, secs, answer_ms);
        let shown = format!("{limit} in {window_ms} ms, answers after {answer_ms} ms");
        assert_eq!(refused_count, 0, "{shown}");
        let (own, most) = (secs * 1000 / window_ms * i64::from(limit), secs / 300 * 300);
        assert!(count as i64 <= most, "{shown}: {count} in {secs} s");
        let share = count as f64 / own.min(most) as f64;
        assert!(share > share_min, "{shown}: only {share:.2} was spent");
    }
}

#[test]
fn a_server_that_counts_aloud_is_asked_for_all_it_gives() {
    // Declared, then the server's own; windows looked at, after two in which the ledger learns.
    for (declared, (limit, window_s), windows) in [
        ((300, 300), (300, 300), 20),
        ((300, 300), (60, 3600), 10),
        ((300, 300), (10, 3600), 10),
        ((300, 300), (1, 3600), 20),
        ((5000, 3600), (5000, 3600), 4),
    ] {
        let (mut counter, needs) =
            (Counter::new(limit, window_s * 1000), [need("api", declared.0, declared.1)]);
        let (learned, refused) = crawl(&needs, &mut counter, 2 * window_s, 200);
        let mut counter = Counter::new(limit, window_s * 1000);
        let (all, refused_later) = crawl(&needs, &mut counter, (2 + windows) * window_s, 200);
        let shown = format!("{limit} in {window_s} s");
        assert_eq!((refused, refused_later), (0, 0), "{shown}");
        let share = (all - learned) as f64 / (windows * i64::from(limit)) as f64;
        assert!(share > 0.95, "{shown}: only {share:.3} was spent");
    }
}

#[test]
fn its_window_is_shown_once_two_resets_were_seen() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    let mut counter = Counter::new(5, 10_000);
    for secs in [0, 5, 12, 18, 24] {
        if ask(&mut ledger, &claim(&needs), at(secs * 1000)).is_ok() {
            ledger.answered(&claim(&needs), &[counter.ask(at(secs * 1000))], at(secs * 1000));
        }
    }
    let view = &ledger.views(at(25_000))[0];
    assert_eq!(view.limit, 5);
    assert!((10.0..=12.0).contains(&view.window.secs_f64()), "{:?}", view.window);
}

#[test]
fn a_limit_of_its_own_holds_for_the_rule_it_names() {
    let needs = [need("api", 300, 300), need("paging", 300, 900)];
    for (rule, limit, expected) in [
        (Some("api"), 50, [50, 300]),
        (Some("search"), 50, [300, 300]),
        (None, 50, [50, 50]),
        (None, 5000, [300, 300]),
    ] {
        let mut ledger = Ledger::default();
        ask(&mut ledger, &claim(&needs), at(0)).unwrap();
        let reading =
            LimitReading { rule: rule.map(Into::into), limit: Some(limit), ..LimitReading::default() };
        ledger.answered(&claim(&needs), &[reading], at(0));
        let limits: Vec<u32> = ledger.views(at(0)).iter().map(|view| view.limit).collect();
        assert_eq!(limits, expected, "{limit} of {rule:?}");
    }
}

#[test]
fn a_reading_is_told_to_the_bucket_it_speaks_of() {
    let needs = [need("api", 300, 300), need("paging", 300, 900)];
    let mut ledger = Ledger::default();
    ask(&mut ledger, &claim(&needs), at(0)).unwrap();
    let spent = LimitReading {
        limit: Some(300),
        remaining: Some(0),
        reset_at: Some(at(600_000)),
        ..LimitReading::default()
    };
    ledger.answered(&claim(&needs), &[spent], at(0));
    assert!(
        ask(&mut ledger, &claim(&needs[..1]), at(10_000)).is_ok(),
        "a reset in ten minutes is not that of five"
    );
    assert_eq!(ask(&mut ledger, &claim(&needs[1..]), at(10_000)), Err(at(601_000)));
}

#[test]
fn a_new_process_spends_only_what_is_left() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    let mut left = 60;
    for ms in (0..100_000).step_by(50) {
        if ask(&mut ledger, &claim(&needs), at(ms)).is_ok() {
            left -= 1;
            let reading = LimitReading {
                limit: Some(300),
                remaining: Some(left),
                reset_at: Some(at(100_000)),
                ..LimitReading::default()
            };
            ledger.answered(&claim(&needs), &[reading], at(ms));
        }
    }
    assert!((6..10).contains(&left), "{left} of 60 are left");
}

#[test]
fn a_replaced_definition_changes_the_bucket() {
    let mut ledger = Ledger::default();
    ask(&mut ledger, &claim(&[need("ip", 300, 300)]), at(0)).unwrap();
    ledger.answered(&claim(&[need("ip", 300, 300)]), &[], at(0));
    let grants = spend(&mut ledger, &[need("ip", 20, 300)], 7200);
    assert!(most_in_any_window(&grants, 300_000) <= 20);
}

#[test]
fn a_bucket_that_is_rarely_asked_of_does_not_take_the_wait_for_the_window() {
    // Both buckets are told of the server's own limit; the second is asked of once in a week.
    let (often, both) = ([need("api", 300, 300)], [need("api", 300, 300), need("paging", 300, 900)]);
    let (mut ledger, mut counter) = (Ledger::default(), Counter::new(10, 3_600_000));
    for hour in 0..24 * 21 {
        let now = at(hour * 3_600_000);
        let claim = claim(if hour % (24 * 7) == 5 { &both } else { &often });
        assert_eq!(ask(&mut ledger, &claim, now), Ok(()), "in hour {hour}");
        ledger.answered(&claim, &[counter.ask(now)], now);
    }
}
