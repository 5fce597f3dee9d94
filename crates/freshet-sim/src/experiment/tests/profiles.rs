//! The first days of a crawl, with profiles that say how much their accounts post and without.
//!
//! Here posts come evenly by chance, which a crawl learns in a few looks, so that there is little to win, and of twelve settings that were
//! tried this is one that profiles help. So it proves no gain: it tells when profiles begin to do harm. What they are worth on real
//! histories is the question of the study `profiles`.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;

/// Four weeks before the crawl, and its first three days.
const WINDOW: Window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: 28, eval_days: 3 };
const CALLS_PER_HOUR: f64 = 5.0;
const USERS: u64 = 60;

/// Accounts that post between once in fifty days and sixty times a day, at any time, and did so for years, more or less.
fn uneven() -> History {
    let mut rng = Pcg32::seed_from_u64(4);
    let mut posts = Vec::new();
    for user in 0..USERS {
        let per_day = 0.02 * 3000.0_f64.powf(user as f64 / (USERS - 1) as f64);
        posts.push((user, WINDOW.from.secs() + 60));
        let mut at_s = 0.0;
        while at_s < 31.0 * 86_400.0 {
            at_s -= rng.random::<f64>().max(1e-9).ln() * 86_400.0 / per_day;
            posts.push((user, WINDOW.from.secs() + at_s as i64));
        }
    }
    let mut history = History::from_posts(WINDOW, posts);
    for poster in &mut history.posters {
        let years = 1.0 + f64::from(rng.random::<f32>()) * 9.0;
        let drift = 0.5 + rng.random::<f64>();
        let first_at = WINDOW.from - Span::DAY * (365.0 * years);
        let per_day = poster.posts.len() as f64 / 31.0 * drift;
        poster.before = Before { count: (per_day * 365.0 * years) as u32, first_at: Some(first_at) };
    }
    history
}

/// With counts in their profiles, the posts of the first days wait for this share at most of what they wait without.
fn check(history: &History, shows_before: bool, share_max: f64) {
    let delay_s = |profiles| {
        let setup = Setup { profiles, is_cold: true, ..Setup::new(CALLS_PER_HOUR) };
        run(history, "live", &setup).unwrap().mean_delay_s.unwrap()
    };
    let share = delay_s(Profiles::Shown) / delay_s(Profiles::Uncounted);
    assert!(
        share <= share_max,
        "lists show the time before: {shows_before}; {share:.3} of the delay, {share_max} at most"
    );
}

#[test]
fn profiles_end_waiting_where_lists_show_nothing_and_cost_none_elsewhere() {
    let history = uneven();
    check(&history, true, 1.03);
    check(&history.told_from_start(), false, 1.0);
}
