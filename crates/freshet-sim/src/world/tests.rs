//! The world keeps its promises: one seed one world, lively in the right way, never retroactive.

use freshet_types::{Map, Span};

use super::rhythm::{HOUR_MS, MINUTE_MS};
use super::*;
use crate::WorldRequest;

fn options(seed: u64, accounts: u32) -> WorldOptions {
    WorldOptions { seed, accounts, ..WorldOptions::default() }
}

/// A world in which much goes wrong.
fn rough(seed: u64) -> World {
    let chances = Chances {
        suspension_per_day: 0.02,
        privacy_per_day: 0.02,
        departure_per_day: 0.004,
        edit_share: 0.2,
        deletion_share: 0.15,
        ..Chances::default()
    };
    World::new(WorldOptions { chances, ..options(seed, 60) }).unwrap()
}

/// The truth and a few pages, as bytes.
fn picture(world: &mut World) -> Vec<u8> {
    let now = world.now();
    let mut bytes = world.truth_jsonl(0, usize::MAX);
    let ids: Vec<u64> = world.accounts().map(|account| account.id).collect();
    for id in ids.iter().take(8) {
        for what in ["", "/statuses?limit=40", "/followers", "/following"] {
            let request = WorldRequest::get(&format!("/api/v1/accounts/{id}{what}"));
            bytes.extend(world.answer(&request, now).body);
        }
    }
    bytes
}

#[test]
fn one_seed_gives_one_world_in_whatever_steps() {
    let later = Span::DAY * 3.0;
    let mut leap = World::new(options(7, 40)).unwrap();
    leap.advance_to(leap.now() + later);
    let mut steps = World::new(options(7, 40)).unwrap();
    let end = steps.now() + later;
    while steps.now() < end {
        let next = steps.now() + Span::MINUTE * 7.0;
        steps.advance_to(next.min(end));
    }
    assert_eq!(picture(&mut leap), picture(&mut steps));
    let mut other = World::new(options(8, 40)).unwrap();
    other.advance_to(end);
    assert_ne!(picture(&mut leap), picture(&mut other));
}

#[test]
fn seeds_are_portable() {
    // Fixed once and for all: a change here changes every experiment that names a seed.
    let world = World::new(options(1, 20)).unwrap();
    let digest = world.truth().fold(0u64, |sum, line| text::mix(sum, line.id));
    assert_eq!((world.post_count(), digest), (1543, 7_838_381_884_192_503_224));
}

#[test]
fn the_history_is_as_lively_as_promised() {
    let world = World::new(options(3, 120)).unwrap();
    assert!(world.accounts().all(|account| account.post_count > 0), "every account has posted");
    let per_day = world.post_count() as f64 / 120.0 / 30.0;
    assert!((2.0..4.5).contains(&per_day), "{per_day} posts a day and account");
    let mut counts: Vec<usize> = world.accounts().map(|account| account.post_count).collect();
    counts.sort_unstable();
    let top: usize = counts.iter().rev().take(12).sum();
    assert!(top * 3 > world.post_count(), "a tenth of the accounts writes over a third of the posts");
    assert!(counts[60] < 45, "half of the accounts post less than about once a day");
    let now = world.now().secs_f64();
    assert!(world.truth().all(|line| line.created_at <= now));
    assert!(world.posts.all().is_sorted_by(|a, b| a.id < b.id), "ids rise with time");
    let share = |relation: fn(&Post) -> bool| {
        world.posts.all().iter().filter(|post| relation(post)).count() as f64 / world.post_count() as f64
    };
    assert!((0.15..0.35).contains(&share(|post| matches!(post.relation(), Relation::ReplyTo(_)))));
    assert!((0.06..0.18).contains(&share(|post| matches!(post.relation(), Relation::RepostOf(_)))));
}

#[test]
fn the_four_kinds_come_in_their_shares_and_behave_differently() {
    let world = World::new(options(5, 400)).unwrap();
    let mut shares: Map<AccountKind, f64> = Map::default();
    for account in world.accounts() {
        *shares.entry(account.kind).or_default() += 1.0 / 400.0;
    }
    let wanted = [
        (AccountKind::Inactive, 0.45, 0.02..0.5, 0.0..3.0),
        (AccountKind::Unstable, 0.20, 0.5..5.0, 3.0..100.0),
        (AccountKind::Constant, 0.30, 2.0..7.0, 0.5..2.5),
        (AccountKind::Authority, 0.05, 10.0..40.0, 0.5..2.5),
    ];
    for (kind, share, rates, spreads) in wanted {
        assert!((shares[&kind] - share).abs() < 0.03, "{kind:?}: {}", shares[&kind]);
        let (rate, spread) = rate_and_spread(&world, kind);
        assert!(rates.contains(&rate), "{kind:?} posts {rate} times a day");
        assert!(spreads.contains(&spread), "{kind:?}: variance of a day's posts over their mean is {spread}");
    }
}

/// Mean posts a day, and how much more they vary from day to day than a steady process would.
fn rate_and_spread(world: &World, kind: AccountKind) -> (f64, f64) {
    let start_ms = world.options.start_at.ms();
    let (mut count, mut total, mut spread) = (0.0, 0.0, 0.0);
    for account in world.accounts.iter().filter(|account| account.kind == kind) {
        let mut days = [0.0f64; 30];
        for post_index in &account.timeline {
            let day = (world.posts.get(*post_index).created_at_ms() - start_ms) / DAY_MS;
            days[(day as usize).min(29)] += 1.0;
        }
        let mean = days.iter().sum::<f64>() / 30.0;
        let variance = days.iter().map(|day| (day - mean) * (day - mean)).sum::<f64>() / 29.0;
        count += 1.0;
        total += mean;
        spread += variance / mean;
    }
    (total / count, spread / count)
}

#[test]
fn days_weeks_and_hours_have_a_rhythm() {
    let chances = Chances { suspension_per_day: 0.0, privacy_per_day: 0.0, ..Chances::default() };
    let world = World::new(WorldOptions { chances, history: Span::DAY * 28.0, ..options(9, 200) }).unwrap();
    let (mut near, mut all, mut weekend, mut on_beat, mut beats) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for account in &world.accounts {
        for post_index in &account.timeline {
            let at_ms = world.posts.get(*post_index).created_at_ms();
            let apart = |period: i64, middle: i64| {
                let apart = (at_ms - middle).rem_euclid(period);
                apart.min(period - apart)
            };
            if account.kind == AccountKind::Constant {
                all += 1.0;
                near += f64::from(u8::from(apart(DAY_MS, account.rhythm.peak_ms) < 3 * HOUR_MS));
                // The world's history begins on a Monday.
                let day = (at_ms - world.options.start_at.ms()) / DAY_MS;
                weekend += f64::from(u8::from(day % 7 >= 5));
            } else if let Some(beat_ms) = account.rhythm.beat_ms {
                beats += 1.0;
                on_beat += f64::from(u8::from(apart(HOUR_MS, beat_ms) < 6 * MINUTE_MS));
            }
        }
    }
    assert!(near / all > 0.45, "a quarter of the day holds {} of the posts", near / all);
    assert!(weekend / all < 0.25, "two days of seven hold {} of the posts", weekend / all);
    assert!(on_beat / beats > 0.5, "a fifth of the hour holds {} of the posts", on_beat / beats);
}

#[test]
fn misfortunes_show_in_the_truth_and_pass() {
    let world = rough(11);
    let standing = |wanted| world.accounts().filter(|account| account.standing == wanted).count();
    for wanted in [Standing::Public, Standing::Private, Standing::Suspended, Standing::Departed] {
        assert!(standing(wanted) > 0, "{wanted:?}");
    }
    let standings: Map<&str, Standing> =
        world.accounts().map(|account| (account.handle, account.standing)).collect();
    let mut deleted_count = 0;
    for line in world.truth() {
        let standing = standings[line.author];
        let is_hidden = matches!(standing, Standing::Private | Standing::Suspended);
        assert_eq!(line.hidden_at.is_some(), is_hidden);
        assert!(line.hidden_at.is_none_or(|at| at >= line.created_at));
        assert!(line.deleted_at.is_none_or(|at| at >= line.created_at));
        assert!(standing != Standing::Departed || line.deleted_at.is_some());
        deleted_count += usize::from(line.deleted_at.is_some());
    }
    assert!(deleted_count * 20 > world.post_count());
    for post in world.posts.all().iter().filter(|post| world.is_post_visible(post)) {
        if let Relation::RepostOf(original) = post.relation() {
            assert!(world.is_visible(original), "a visible repost shows a visible post");
        }
    }
}

#[test]
fn lists_grow_at_their_head_only() {
    let mut world = rough(13);
    let mut returned_count = 0;
    let mut before: Vec<(Standing, Option<u32>, Vec<u32>)> = Vec::new();
    for _ in 0..60 {
        let now: Vec<(Standing, Option<u32>, Vec<u32>)> = world
            .accounts
            .iter()
            .map(|account| {
                let visible =
                    account.timeline.iter().copied().filter(|post_index| world.is_visible(*post_index));
                (account.standing, account.timeline.last().copied(), visible.collect())
            })
            .collect();
        for ((standing, newest, old), (standing_now, _, new)) in before.iter().zip(&now) {
            if *standing == Standing::Public {
                let is_fresh = |post_index: &&u32| newest.is_none_or(|newest| **post_index > newest);
                assert!(new.iter().all(|post_index| old.contains(post_index) || is_fresh(&post_index)));
            } else if *standing_now == Standing::Public {
                assert_ne!(*standing, Standing::Departed, "who left does not return");
                returned_count += 1;
            }
        }
        before = now;
        world.advance_to(world.now() + Span::HOUR * 3.0);
    }
    assert!(returned_count > 0, "somebody came back");
}

#[test]
fn options_without_meaning_are_refused() {
    let check = |options: WorldOptions, name: &str| {
        let error = World::new(options).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    };
    check(options(1, 0), "`accounts`");
    check(WorldOptions { posts_per_day: f64::NAN, ..options(1, 1) }, "`posts_per_day`");
    check(WorldOptions { history: Span::ZERO, ..options(1, 1) }, "`history`");
    check(
        WorldOptions { faults: Faults { share: 2.0, ..Faults::default() }, ..options(1, 1) },
        "`faults.share`",
    );
    let chances = Chances { follow_per_day: -1.0, ..Chances::default() };
    check(WorldOptions { chances, ..options(1, 1) }, "`follow_per_day`");
    assert!(World::new(options(1, 1)).is_ok(), "a world of one is lonely but allowed");
}
