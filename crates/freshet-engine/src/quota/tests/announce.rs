//! What servers announce: it slows a bucket down, and never takes it over what is declared.

use super::*;

/// Seconds of the declared window.
const WINDOW_S: i64 = 300;
/// Grants looked at: those of some two windows.
const GRANTS: usize = 600;

fn reading(limit: Option<u32>, remaining: Option<u32>, reset_s: i64) -> LimitReading {
    LimitReading { limit, remaining, reset_at: Some(at(reset_s * 1000)), ..LimitReading::default() }
}

/// A server that declares 300 in five minutes answers one request so; then as many as the ledger
/// grants are answered with nothing. Gives when they left, in seconds.
fn grants_after(reading: &LimitReading) -> Vec<i64> {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, WINDOW_S)]);
    ask(&mut ledger, &claim(&needs), at(0)).unwrap();
    ledger.answered(&claim(&needs), std::slice::from_ref(reading), at(0));
    let (mut grants, mut now) = (Vec::new(), at(0));
    while grants.len() < GRANTS {
        match ask(&mut ledger, &claim(&needs), now) {
            Ok(()) => {
                grants.push((now - at(0)).ms() / 1000);
                ledger.answered(&claim(&needs), &[], now);
            }
            Err(later) => now = later.max(now + Span::from_ms(1)),
        }
    }
    grants
}

#[test]
fn an_announced_limit_slows_down_and_overdraws_nothing() {
    let silent = grants_after(&LimitReading::default());
    // What is announced, the first grant after it in seconds, and how many of those that a silent
    // server gets in its first window, in percent. Who counts aloud is left no margin, hence a little more.
    for (limit, remaining, reset_s, first_s, share) in [
        (Some(300), Some(299), 300, 0, 95..=106),
        (Some(4_000_000_000), Some(3_999_999_999), 300, 0, 98..=106),
        (Some(7500), Some(7000), 300, 0, 98..=106),
        (Some(u32::MAX), Some(u32::MAX), 1, 0, 98..=106),
        (Some(301), Some(300), 300, 0, 95..=106),
        // A rate above the declared one, in a window of its own.
        (Some(50), Some(49), 10, 1, 80..=106),
        (Some(100), Some(99), 300, 0, 20..=40),
        (Some(20), Some(19), 300, 1, 3..=8),
        (Some(300), Some(50), 300, 0, 8..=20),
        // Nothing left: the reset is waited for, and a second more.
        (Some(300), Some(0), 100, 101, 50..=75),
        (Some(20), Some(0), 100, 101, 0..=70),
        (None, Some(0), 100, 101, 50..=75),
        // No reset that a window explains: the declared window where the server speaks of that, else a day at most.
        (Some(300), Some(0), 30 * 86_400, WINDOW_S + 1, 0..=0),
        (Some(300), Some(299), 86_400 + 300, 0, 95..=106),
        (Some(20), Some(0), 30 * 86_400, 86_401, 0..=0),
        // A mistake, as are resets that have passed.
        (Some(300), Some(0), 40 * 365 * 86_400, 0, 100..=100),
        (Some(300), Some(0), -5, 0, 100..=100),
        // No limit at all.
        (Some(0), None, 300, 0, 100..=100),
    ] {
        let shown = format!("limit {limit:?}, remaining {remaining:?}, reset in {reset_s} s");
        let grants = grants_after(&reading(limit, remaining, reset_s));
        assert_eq!(grants[0], first_s, "{shown}");
        let early = |grants: &[i64]| grants.iter().filter(|&&second| second < WINDOW_S).count();
        let percent = early(&grants) * 100 / early(&silent);
        assert!(share.contains(&percent), "{shown}: {percent} % of {}", early(&silent));
        let ms: Vec<i64> = grants.iter().map(|second| second * 1000).collect();
        let most = most_in_any_window(&ms, WINDOW_S * 1000);
        assert!(most <= 300, "{shown}: {most} in a window");
    }
}

#[test]
fn after_a_long_wait_one_request_asks_again() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, WINDOW_S)]);
    let claim = claim(&needs);
    ask(&mut ledger, &claim, at(0)).unwrap();
    let spent = reading(Some(20), Some(0), 30 * 86_400);
    ledger.answered(&claim, &[spent], at(0));
    let again_at = ask(&mut ledger, &claim, at(1000)).unwrap_err();
    assert_eq!(again_at, at(86_401_000));
    assert_eq!(ask(&mut ledger, &claim, again_at), Ok(()));
    assert!(ask(&mut ledger, &claim, again_at).is_err(), "the others wait for its answer");
    ledger.answered(&claim, &[], again_at + Span::SECOND);
    assert_eq!(ask(&mut ledger, &claim, again_at + Span::SECOND * 2.0), Ok(()));
}

#[test]
fn a_month_that_was_declared_is_waited_for() {
    let (mut ledger, needs) = (Ledger::default(), [need("month", 1000, 30 * 86_400)]);
    ask(&mut ledger, &claim(&needs), at(0)).unwrap();
    ledger.answered(&claim(&needs), &[reading(Some(1000), Some(0), 20 * 86_400)], at(0));
    assert_eq!(ask(&mut ledger, &claim(&needs), at(1000)), Err(at((20 * 86_400 + 1) * 1000)));
}

#[test]
fn what_was_spent_of_the_declared_quota_stays_spent() {
    // A short window of the server's own is found out after the declared burst was spent.
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, WINDOW_S)]);
    let mut counter = Counter::new(50, 10_000);
    let (mut grants, mut now) = (Vec::new(), at(0));
    while now < at(3 * WINDOW_S * 1000) {
        match ask(&mut ledger, &claim(&needs), now) {
            Ok(()) => {
                grants.push(now.ms());
                // Nothing is announced until the burst is spent.
                let readings = if grants.len() > 30 { vec![counter.ask(now)] } else { Vec::new() };
                ledger.answered(&claim(&needs), &readings, now);
            }
            Err(later) => now = later,
        }
    }
    let most = most_in_any_window(&grants, WINDOW_S * 1000);
    assert!(most <= 300, "{most} of 300");
}

#[test]
fn what_a_request_took_besides_is_charged() {
    for extra_count in [0, 1, 4] {
        let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, WINDOW_S)]);
        let (mut sent, mut now) = (Vec::new(), at(0));
        while now < at(WINDOWS * WINDOW_S * 1000) {
            match ask(&mut ledger, &claim(&needs), now) {
                Ok(()) => {
                    sent.extend((0..=extra_count).map(|_| now.ms()));
                    ledger.answered(&claim(&needs), &[], now);
                    ledger.book(&claim(&needs), extra_count, now);
                }
                Err(later) => now = later,
            }
        }
        let most = most_in_any_window(&sent, WINDOW_S * 1000);
        assert!(most <= 300, "{extra_count} besides: {most} of 300");
        let share = sent.len() as f64 / (WINDOWS * 300) as f64;
        assert!(share > 0.8, "{extra_count} besides: only {share:.2} was spent");
    }
}
