//! Pages on a clock of their own: looked at as their plan says, changed as each case says.

use super::*;

const TERMS: Terms =
    Terms { price: 112.5, weight: 1.0, floor: Span::from_secs(30), ceiling: Span::from_ms(6 * 3_600_000) };

/// A text of so many words; those below `changed` are others with every version.
fn page(word_count: u64, changed: u64, version: u64) -> String {
    let word = |at: u64| if at < changed { at + 1_000_000 * (version + 1) } else { at };
    (0..word_count).map(|at| format!("word{}", word(at))).collect::<Vec<_>>().join(" ")
}

/// Follows the plan for so many days; gives each look with whether it was stored.
fn follow(days: i64, shown: impl Fn(Timestamp, usize) -> String) -> (PageModel, Vec<(Timestamp, bool)>) {
    let (mut model, mut looks) = (PageModel::default(), Vec::new());
    let mut now = Timestamp::from_secs(1_700_000_000);
    let end = now + Span::DAY * days as f64;
    while now < end {
        let is_stored = model.look(now, Some(&shown(now, looks.len())), false);
        looks.push((now, is_stored));
        // What is known survives being written down.
        let again = PageModel::from_bytes(&model.to_bytes());
        assert_eq!(again.to_bytes(), model.to_bytes());
        now = again.plan(&TERMS, now).due_at;
        assert!(now > looks[looks.len() - 1].0);
    }
    (model, looks)
}

fn day_of(at: Timestamp, hour: i64) -> u64 {
    (at.secs() - hour * 3600).div_euclid(86_400) as u64
}

fn calls_a_day(looks: &[(Timestamp, bool)], from_day: usize) -> f64 {
    let first = looks[0].0;
    let late = looks.iter().filter(|look| look.0 - first >= Span::DAY * from_day as f64).count();
    let days = (looks[looks.len() - 1].0 - first).secs_f64() / 86_400.0 - from_day as f64;
    late as f64 / days
}

#[test]
fn a_page_that_never_changes_falls_to_the_ceiling() {
    let (model, looks) = follow(20, |_, _| page(300, 0, 0));
    assert_eq!(looks.iter().filter(|look| look.1).count(), 1);
    let plan = model.plan(&TERMS, looks[looks.len() - 1].0);
    assert_eq!((plan.reason, plan.due_at - looks[looks.len() - 1].0), (PageReason::Ceiling, TERMS.ceiling));
    assert!((calls_a_day(&looks, 5) - 4.0).abs() < 0.2, "{}", calls_a_day(&looks, 5));
}

#[test]
fn a_page_that_changes_at_nine_is_looked_at_after_nine() {
    let (model, looks) = follow(24, |at, _| page(200, 60, day_of(at, 9)));
    let found = looks.iter().filter(|look| look.1).skip(1);
    let lags_h: Vec<f64> =
        found.map(|look| (look.0.secs() - 9 * 3600).rem_euclid(86_400) as f64 / 3600.0).collect();
    assert!(lags_h.len() >= 23, "every change is found: {lags_h:?}");
    let late = &lags_h[lags_h.len() - 8..];
    let mean_h = late.iter().sum::<f64>() / late.len() as f64;
    assert!(mean_h < 0.75, "{mean_h} hours after nine: {late:?}");
    let per_day = calls_a_day(&looks, 16);
    assert!(per_day < 14.0, "{per_day} looks a day");
    let plan = model.plan(&TERMS, looks[looks.len() - 1].0);
    assert!(plan.looks.len() > 2 && plan.accuracy.is_some_and(|share| share > 0.9), "{plan:?}");
}

#[test]
fn a_token_at_every_fetch_is_no_edit_and_draws_no_looks() {
    // A short page with a long token, and a long one with an advertisement.
    for (word_count, changed) in [(40, 1), (120, 3), (2000, 60)] {
        let (model, looks) = follow(15, |_, turn| page(word_count, changed, turn as u64));
        assert_eq!(looks.iter().filter(|look| look.1).count(), 1, "{word_count} words");
        assert!(model.noise() < 0.99, "{word_count} words: {}", model.noise());
        assert!(calls_a_day(&looks, 5) < 4.5, "{word_count} words: {}", calls_a_day(&looks, 5));
    }
    // And a real change shows through it.
    let (_, looks) = follow(15, |at, turn| {
        let (head, body) = (page(3, 3, turn as u64), page(200, 120, day_of(at, 9) / 5));
        format!("{head} {body}")
    });
    let edits = looks.iter().filter(|look| look.1).count();
    assert!((3..=5).contains(&edits), "{edits}");
}

#[test]
fn a_change_between_the_first_two_looks_is_no_noise() {
    let mut model = PageModel::default();
    let at = |minutes: f64| Timestamp::from_secs(1_700_000_000) + Span::MINUTE * minutes;
    assert!(model.look(at(0.0), Some(&page(100, 0, 0)), false));
    assert_eq!(model.plan(&TERMS, at(0.0)).reason, PageReason::Noise);
    assert!(!model.look(at(1.0), Some(&page(100, 90, 1)), false), "it may be noise");
    assert_eq!(model.plan(&TERMS, at(1.0)).reason, PageReason::Noise);
    assert!(model.look(at(2.0), Some(&page(100, 90, 1)), false), "it was none");
    assert!((model.noise() - 1.0).abs() < 1e-9);
    assert_eq!(model.plan(&TERMS, at(2.0)).reason, PageReason::Exploring);
}

#[test]
fn a_page_that_becomes_noisy_is_noticed() {
    let noisy_from = Timestamp::from_secs(1_700_000_000) + Span::DAY * 5.0;
    let (_, looks) = follow(20, |at, turn| page(60, 2, if at < noisy_from { 0 } else { turn as u64 }));
    let edits = looks.iter().filter(|look| look.1).count();
    assert!(edits <= 1 + EDITS_RUN + 1, "{edits}");
    assert!(calls_a_day(&looks, 10) < 5.0, "{}", calls_a_day(&looks, 10));
}

#[test]
fn small_changes_add_up_to_an_edit() {
    // One word more is another with every day: none of the steps is an edit by itself.
    let (_, looks) = follow(30, |at, _| page(1000, day_of(at, 0) % 1000, 0));
    let edits = looks.iter().filter(|look| look.1).count();
    assert!((2..=6).contains(&edits), "{edits}");
}

#[test]
fn what_is_unchanged_or_wanted_is_told_so() {
    let mut model = PageModel::default();
    let at = |hours: f64| Timestamp::from_secs(1_700_000_000) + Span::HOUR * hours;
    assert!(model.look(at(0.0), Some("some words of a page"), false));
    assert!(!model.look(at(1.0), None, false));
    assert!(model.look(at(2.0), Some("some words of a page"), true), "it had gone, and is back");
    let similarities: Vec<f64> = model.looks().iter().map(|look| look.similarity).collect();
    assert_eq!(similarities, [1.0, 1.0, 1.0]);
    assert_eq!(PageModel::from_bytes(b"of another model"), PageModel::default());
    assert_eq!(PageModel::from_bytes(&model.to_bytes()[..60]), PageModel::default());
}

#[test]
fn price_weight_and_ceiling_move_the_plan() {
    let (model, looks) = follow(20, |at, _| page(200, 60, day_of(at, 9)));
    let now = looks[looks.len() - 1].0;
    let count = |terms: Terms| model.plan(&terms, now).looks.len();
    let dear = count(Terms { price: 20_000.0, ..TERMS });
    assert!(dear < count(TERMS), "{dear} {}", count(TERMS));
    assert!(count(Terms { price: 20_000.0, weight: 1000.0, ..TERMS }) > dear);
    let soon = model.plan(&Terms { ceiling: Span::MINUTE, ..TERMS }, now);
    assert_eq!((soon.due_at - now, soon.reason), (Span::MINUTE, PageReason::Ceiling));
    let month = model.plan(&Terms { ceiling: Span::DAY * 30.0, price: 1e9, ..TERMS }, now);
    assert_eq!(month.due_at - now, Span::DAY * 30.0);
    for price in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let due_at = model.plan(&Terms { price, ..TERMS }, now).due_at;
        assert!(due_at > now && due_at - now <= TERMS.ceiling, "{price}");
    }
}
