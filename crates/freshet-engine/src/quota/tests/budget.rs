//! Budgets in the ledger: spent wholly, never overdrawn, deaf to servers, changed and forgotten.

use super::*;

/// A claim of a budget alone.
fn own(limit: u32, window_s: i64) -> Claim {
    Claim { budgets: vec![need("budget", limit, window_s)], ..claim(&[]) }
}

/// Asks as fast as the ledger lets from one second to another; gives the grant times.
fn ask_on(ledger: &mut Ledger, claim: &Claim, (from_s, to_s): (i64, i64)) -> Vec<i64> {
    let (mut grants, mut now) = (Vec::new(), at(from_s * 1000));
    while now < at(to_s * 1000) {
        match ask(ledger, claim, now) {
            Ok(()) => grants.push(now.ms()),
            Err(later) => now = later,
        }
    }
    grants
}

#[test]
fn a_budget_is_spent_wholly_and_in_no_window_more() {
    for (limit, window_s) in [(1, 1), (2, 1), (1, 86_400), (10, 3600), (49, 60), (600, 3600), (8640, 86_400)]
    {
        let grants = ask_on(&mut Ledger::default(), &own(limit, window_s), (0, WINDOWS * window_s));
        let most = most_in_any_window(&grants, window_s * 1000);
        assert!(most <= limit as usize, "{most} of {limit} in {window_s} s");
        let share = grants.len() as f64 / (WINDOWS as f64 * f64::from(limit));
        assert!(share > 0.97, "{share:.3} of {limit} in {window_s} s was spent");
    }
}

#[test]
fn what_servers_say_is_about_quotas() {
    let both = Claim { needs: vec![need("rule", 300, 300)], ..own(7200, 3600) };
    for (remaining, limit) in [(0, 300), (0, 7200), (5, 1), (0, 0)] {
        let mut ledger = Ledger::default();
        ask(&mut ledger, &both, at(0)).unwrap();
        let reset_at = Some(at(200_000));
        let reading = LimitReading {
            limit: Some(limit),
            remaining: Some(remaining),
            reset_at,
            ..LimitReading::default()
        };
        ledger.answered(&both, &[reading], at(100));
        ledger.refused(&both, reset_at, at(100));
        let budget = ledger.views(at(1000)).into_iter().find(|view| &*view.key.rule == "budget").unwrap();
        assert_eq!((budget.limit, budget.blocked_until), (7200, None));
        let elsewhere =
            Claim { asker: Asker { network: "other".into(), credential: None }, ..own(7200, 3600) };
        assert!(ask(&mut ledger, &elsewhere, at(1000)).is_ok(), "another server has its calls");
    }
}

#[test]
fn a_budget_that_is_changed_holds_at_once() {
    let mut ledger = Ledger::default();
    assert_eq!(ask_on(&mut ledger, &own(1, 86_400), (0, 60)).len(), 1);
    // More: what the old pace put off until tomorrow is not waited for.
    let more = ask_on(&mut ledger, &own(600, 3600), (60, 3660));
    assert!((588..=600).contains(&more.len()), "{}", more.len());
    // Less: what was spent stays spent.
    let less = ask_on(&mut ledger, &own(60, 3600), (3660, 7260));
    assert!((45..=60).contains(&less.len()), "{}", less.len());
}

#[test]
fn a_budget_that_is_gone_is_forgotten_in_the_store_too() {
    let mut ledger = Ledger::default();
    let _ = ledger.grant(&own(10, 3600), at(0));
    let stored = ledger.reservation(at(0)).unwrap();
    ledger.confirm(stored.number);
    ledger.retain(|key| &*key.rule != "budget");
    assert_eq!(ledger.views(at(1)), []);
    let key = stored.settings[0].0.clone();
    assert_eq!(ledger.reservation(at(1)).unwrap().settings, [(key, None)]);
}
