//! The ledger against a network that counts: never overdrawn, almost wholly spent.

use super::*;
use freshet_types::NetworkName;

/// Windows that a test runs over.
const WINDOWS: i64 = 12;

fn need(rule: &str, limit: u32, window_s: i64) -> QuotaNeed {
    let key = QuotaKey { network: NetworkName::from("net"), rule: rule.into(), holder: "ip".into() };
    QuotaNeed { key, limit, window: Span::from_secs(window_s), units: 1 }
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_000_000_000 + ms)
}

/// Asks as fast as the ledger lets for so long; gives the grant times.
fn spend(ledger: &mut Ledger, needs: &[QuotaNeed], seconds: i64) -> Vec<i64> {
    let (mut grants, mut now) = (Vec::new(), at(0));
    while now < at(seconds * 1000) {
        match ledger.grant(needs, now) {
            Ok(()) => {
                grants.push(now.ms());
                ledger.answered(needs, &[], now);
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
    ledger.grant(&needs, at(0)).unwrap();
    let reading = |remaining| LimitReading {
        limit: Some(300),
        remaining: Some(remaining),
        reset_at: Some(at(100_000)),
        ..LimitReading::default()
    };
    ledger.answered(&needs, &[reading(0)], at(10));
    assert_eq!(ledger.grant(&needs, at(20)), Err(at(100_000)));

    let mut ledger = Ledger::default();
    ledger.grant(&needs, at(0)).unwrap();
    ledger.answered(&needs, &[reading(5)], at(0));
    let mut granted = 0;
    for ms in (0..100_000).step_by(50) {
        if ledger.grant(&needs, at(ms)).is_ok() {
            granted += 1;
            ledger.answered(&needs, &[], at(ms));
        }
    }
    assert_eq!(granted, 0, "what is left is the margin, which is for requests we know nothing of");
}

#[test]
fn a_new_process_spends_only_what_is_left() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    let mut left = 60;
    for ms in (0..100_000).step_by(50) {
        if ledger.grant(&needs, at(ms)).is_ok() {
            left -= 1;
            let reading = LimitReading {
                limit: Some(300),
                remaining: Some(left),
                reset_at: Some(at(100_000)),
                ..LimitReading::default()
            };
            ledger.answered(&needs, &[reading], at(ms));
        }
    }
    assert!((15..20).contains(&left), "{left} of 60 are left");
}

#[test]
fn a_word_on_the_longer_window_slows_only_what_it_bounds() {
    let mut ledger = Ledger::default();
    let (plain, paged) = (need("ip", 300, 300), need("paged", 300, 900));
    let both = [plain.clone(), paged];
    ledger.grant(&both, at(0)).unwrap();
    let reading = LimitReading {
        limit: Some(300),
        remaining: Some(0),
        reset_at: Some(at(800_000)),
        ..LimitReading::default()
    };
    ledger.answered(&both, &[reading], at(0));
    assert_eq!(ledger.grant(&both, at(1)), Err(at(800_000)));
    assert_eq!(ledger.grant(&[plain], at(1)), Ok(()));
}

#[test]
fn a_replaced_definition_changes_the_bucket() {
    let mut ledger = Ledger::default();
    ledger.grant(&[need("ip", 300, 300)], at(0)).unwrap();
    ledger.answered(&[need("ip", 300, 300)], &[], at(0));
    let grants = spend(&mut ledger, &[need("ip", 20, 300)], 2);
    assert!(most_in_any_window(&grants, 300_000) <= 20);
}

#[test]
fn too_many_is_believed_and_the_blind_wait_doubles() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    ledger.grant(&needs, at(0)).unwrap();
    assert_eq!(ledger.refused(&needs, Some(at(7000)), at(0)), at(7000));
    assert_eq!(ledger.grant(&needs, at(10)), Err(at(7000)));
    assert_eq!(ledger.refused(&needs, None, at(7000)), at(7000) + Span::from_secs(120));
}

#[test]
fn a_server_with_limits_of_its_own_is_followed() {
    let (mut ledger, needs) = (Ledger::default(), [need("ip", 300, 300)]);
    for window in 0..4i64 {
        let reading = LimitReading {
            limit: Some(50),
            remaining: Some(40),
            reset_at: Some(at((window + 1) * 10_000)),
            ..LimitReading::default()
        };
        let now = at(window * 10_000 + 5000);
        if ledger.grant(&needs, now).is_ok() {
            ledger.answered(&needs, &[reading], now);
        }
    }
    let view = &ledger.views(at(40_000))[0];
    assert_eq!((view.limit, view.window), (50, Span::from_secs(10)));
}
