//! Prices from counts alone: a server, a quota, sources of known grades.

use freshet_policy::policy_named;

use super::*;
use crate::quota::{Asker, Claim};

const PLACE: TariffKey = TariffKey::new(ServerKey(0), RobotKind::Status);

fn need(limit: u32) -> QuotaNeed {
    let key = QuotaKey { network: NetworkName::from("net"), rule: "api".into(), holder: "ip".into() };
    QuotaNeed { key, limit, window: Span::HOUR, units: 1 }
}

/// Prices after each of so many hourly posters was visited once under a quota.
fn priced(source_count: u32, limit: u32, ceiling: Span) -> (Prices, Ledger, Timestamp) {
    let policy =
        policy_named("index", Pacing { floor: Span::MINUTE, ceiling, ceiling_share: Pacing::WANTED_SHARE })
            .unwrap();
    let (mut prices, mut ledger) = (Prices::new(&*policy, Objective::Delay), Ledger::default());
    prices.add_server(&NetworkName::from("net"), Politeness { pause: Span::ZERO, in_flight_max: 4 });
    let now = Timestamp::from_secs(1_000_000);
    let asker = Asker { network: NetworkName::from("net"), credential: None };
    let _ = ledger.grant(&Claim { asker, needs: vec![need(limit)], budgets: vec![] }, now);
    for _ in 0..source_count {
        prices.count(PLACE, true);
        prices.regrade(PLACE, Grade::NONE, Grade::of(1.0, 1.0 / 3600.0), false);
    }
    let mut paid = Vec::new();
    prices.spend(PLACE, Use::News, [need(limit)].iter(), &mut paid, now);
    prices.visited(PLACE, &paid, 1.0, now);
    prices.market(PLACE, &ledger, now);
    (prices, ledger, now)
}

#[test]
fn the_price_makes_demand_meet_the_quota() {
    let (prices, ..) = priced(1000, 1000, Span::DAY);
    // 850 of 1000 calls flow in, so each of 1000 sources is visited every 3600/0.85 s.
    let gap_s = (2.0 * prices.price(PLACE) * 3600.0).sqrt();
    assert!((3900.0..4500.0).contains(&gap_s), "a visit every {gap_s} s");
}

#[test]
fn enough_for_all_costs_no_more_than_the_reserve() {
    let (prices, ..) = priced(10, 1_000_000, Span::DAY);
    assert!((prices.price(PLACE) - RESERVE_DECLARED).abs() < 1e-9);
}

#[test]
fn a_ceiling_that_no_quota_permits_gives_way() {
    let (mut prices, ledger, now) = priced(10_000, 100, Span::HOUR);
    let market = prices.market(PLACE, &ledger, now);
    assert!(market.ceiling_stretch > 300.0 && market.price.is_finite(), "{}", market.ceiling_stretch);
    let (mut prices, ledger, now) = priced(10, 1000, Span::HOUR);
    assert!((prices.market(PLACE, &ledger, now).ceiling_stretch - 1.0).abs() < 1e-9);
}

/// What an earlier process had paid with a token was taken for empty while nobody asked with it, and nobody was visited any more.
#[test]
fn a_quota_that_was_not_asked_for_yet_is_not_empty() {
    let (mut prices, ledger, now) = priced(10, 1000, Span::DAY);
    let before = prices.price(PLACE);
    let other = QuotaNeed { key: QuotaKey { holder: "ada".into(), ..need(0).key }, ..need(1000) };
    let mut paid = Vec::new();
    prices.spend(PLACE, Use::News, [other].iter(), &mut paid, now);
    prices.visited(PLACE, &paid, 1.0, now);
    let market = prices.market(PLACE, &ledger, now + PRICED_EVERY);
    assert!(market.price <= before * 2.0, "{before} before, {} now", market.price);
    assert!((market.ceiling_stretch - 1.0).abs() < 1e-9, "{}", market.ceiling_stretch);
}

#[test]
fn prices_are_remembered_and_sources_not_counted_twice() {
    let (prices, ledger, now) = priced(1000, 1000, Span::DAY);
    let policy = policy_named(
        "index",
        Pacing { floor: Span::MINUTE, ceiling: Span::DAY, ceiling_share: Pacing::WANTED_SHARE },
    )
    .unwrap();
    let mut restored = Prices::new(&*policy, Objective::Delay);
    restored.restore(Memory::from_text(&prices.to_text(now)));
    restored.add_server(&NetworkName::from("net"), Politeness { pause: Span::ZERO, in_flight_max: 4 });
    (0..1000).for_each(|_| restored.count(PLACE, true));
    assert!((restored.price(PLACE) / prices.price(PLACE) - 1.0).abs() < 1e-6);
    (0..500).for_each(|_| restored.regrade(PLACE, Grade::NONE, Grade::of(1.0, 1.0 / 3600.0), true));
    let later = restored.market(PLACE, &ledger, now).price;
    assert!((later / prices.price(PLACE) - 1.0).abs() < 0.02, "{later}, not {}", prices.price(PLACE));
    let odd = Memory::from_text("nonsense");
    assert!(odd.market(&NetworkName::from("net"), RobotKind::Status).price > 0.0);
}
