//! What holds for every policy, by name.

use freshet_types::{Span, Timestamp};

use super::*;
use crate::{Look, Market, Objective, SourceFacts};

const PACING: Pacing = Pacing {
    floor: Span::MINUTE,
    ceiling: Span::from_ms(12 * 3_600_000),
    ceiling_share: Pacing::WANTED_SHARE,
};

/// Numbers without a pattern.
fn draws(seed: u64) -> impl FnMut(i64) -> i64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |most| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i64) % most
    }
}

/// A source through the engine's door: odd looks, stored bytes, due times within bounds.
fn check(name: &str, seed: u64) {
    let policy = policy_named(name, PACING).unwrap_or_else(|| panic!("`{name}` has no policy"));
    let mut draw = draws(seed);
    let market = Market { price: 112.5, ..Market::new(Objective::Delay) };
    let (mut bytes, mut now_s, mut since) = (Vec::new(), 1_700_000_000, None);
    for _ in 0..120 {
        now_s += draw(200_000);
        let now = Timestamp::from_secs(now_s);
        let post = |draw: &mut dyn FnMut(i64) -> i64| Timestamp::from_secs(now_s - draw(400_000) + 1000);
        let news: Vec<_> = (0..draw(5) * draw(9)).map(|_| post(&mut draw)).collect();
        let facts = SourceFacts {
            number: 7,
            weight: draw(3) as f64,
            visited_at: now,
            backlog: 0.0,
            turn: 0,
            page_size: None,
        };
        let look = Look { since, at: now, news: &news, is_full: draw(4) == 0 };
        bytes = policy.learn(&bytes, &facts, &market, &look);
        let due_at = policy.due_at(&bytes, &facts, &market);
        let is_in_turn = policy.due_at(&[], &facts, &market) == now;
        let earliest = if is_in_turn { now } else { now + PACING.floor };
        assert!((earliest..=now + PACING.ceiling).contains(&due_at), "`{name}`: due {} after", due_at - now);
        since = (draw(5) > 0).then_some(now);
    }
    // What another policy stored, or chance, is a model that knows nothing.
    let facts = SourceFacts {
        number: 7,
        weight: 1.0,
        visited_at: Timestamp::from_secs(0),
        backlog: 0.0,
        turn: 0,
        page_size: None,
    };
    for length in [0, 5, 20, 21, 40, 100] {
        let noise: Vec<u8> = (0..length).map(|_| draw(256) as u8).collect();
        policy.due_at(&noise, &facts, &market);
        let cut = &bytes[..bytes.len().min(length as usize)];
        policy.due_at(cut, &facts, &market);
    }
}

#[test]
fn every_policy_keeps_the_bounds_in_the_engine() {
    for name in POLICY_NAMES {
        for seed in 0..4 {
            check(name, seed);
        }
    }
    assert!(policy_named("nonsense", PACING).is_none());
}

#[test]
fn every_policy_has_a_roster_that_picks_each_source_once() {
    for name in POLICY_NAMES {
        let kit = RosterKit { page_size: Some(3), ..RosterKit::plain(9) };
        let mut roster = roster_named(name, &kit).unwrap_or_else(|| panic!("`{name}` has no roster"));
        roster.plan(Timestamp::from_secs(0), 0.01);
        let mut picked = Vec::new();
        for count in [0, 4, 9, 50] {
            roster.pick(Timestamp::from_secs(60), count, &mut picked);
            let mut sorted = picked.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), count.min(9), "`{name}` picks {picked:?} for {count}");
        }
    }
}
