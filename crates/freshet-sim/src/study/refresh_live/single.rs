//! Single pages: the plan of `policy::page` against looks that are spread evenly.

use freshet_policy::page::{PageModel, Terms};
use freshet_types::{Span, Timestamp};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;

use super::SEED;
use crate::study::page::{Page, percent};

/// Pages of each habit.
const PAGE_COUNT: usize = 40;
const LEARN_DAYS: i64 = 14;
const SCORED_DAYS: i64 = 14;
const DAY_S: i64 = 86_400;
/// Monday.
const BEGAN_S: i64 = 1_699_833_600;
/// Words of a page, and those that a change replaces.
const WORDS: (u64, u64) = (150, 40);
/// As for a server without declared quotas.
const TERMS: Terms =
    Terms { price: 112.5, weight: 1.0, floor: Span::from_secs(30), ceiling: Span::from_ms(6 * 3_600_000) };

/// How a page changes.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// At nine every day, a few minutes more or less.
    AtNine,
    /// Twice a day on average, on workdays from eight to six.
    Office,
    /// Once a day on average, at any time.
    AnyTime,
    /// Once in twenty days, at any time.
    Rare,
    Never,
    /// Never, but for a token that is another with every fetch.
    Token,
}

const HABITS: [(&str, Habit); 6] = [
    ("every day at nine", Habit::AtNine),
    ("twice a day in office hours", Habit::Office),
    ("once a day at any time", Habit::AnyTime),
    ("once in 20 days", Habit::Rare),
    ("never", Habit::Never),
    ("never, with a token at every fetch", Habit::Token),
];

/// What looks at one page came to in the scored days.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    looks: usize,
    changes: usize,
    stale_s: f64,
    delay_s: f64,
    /// Looks that were taken for a change where there was none.
    false_edits: usize,
}

pub(super) fn report(page: &mut Page) {
    page.section("Single pages");
    page.text(&format!(
        "{PAGE_COUNT} simulated pages of each habit, {} words each, of which a change replaces {}; {LEARN_DAYS} days to learn and \
         {SCORED_DAYS} that count. *Plan* is what `freshet run` does with a page at the usual price ({} post-seconds) and a ceiling of six hours; \
         *even* spreads as many looks evenly; *ceiling* looks every six hours. Accuracy is the similarity of copy and page, averaged over \
         time; delay is from a change to the look that finds it.",
        WORDS.0, WORDS.1, TERMS.price,
    ));
    let rows = HABITS.iter().map(|&(name, habit)| row(name, habit));
    page.table(
        &[
            "page changes",
            "looks a day",
            "accuracy: plan",
            "even",
            "ceiling",
            "delay: plan",
            "even",
            "ceiling",
            "false edits",
        ],
        rows.collect::<Vec<_>>(),
    );
    page.text(
        "Where a page has a rhythm, the same looks come at the right hour. Where it has none, two weeks of accidents pass for a faint one, and the \
         plan may lose a little against even looks. A page that hardly changes falls to the ceiling. A token at every fetch is measured by \
         the second and third look, and is no change.",
    );
}

fn row(name: &str, habit: Habit) -> Vec<String> {
    let mut rng = Pcg32::seed_from_u64(SEED ^ habit as u64);
    let (mut plan, mut even, mut ceiling) = (Score::default(), Score::default(), Score::default());
    for number in 0..PAGE_COUNT {
        let changes = changes(habit, &mut rng);
        let planned = planned(habit, &changes, number);
        let looks = planned.looks;
        add(&mut plan, planned);
        add(&mut even, spread(&changes, SCORED_DAYS * DAY_S / looks.max(1) as i64));
        add(&mut ceiling, spread(&changes, TERMS.ceiling.ms() / 1000));
    }
    let span_s = (PAGE_COUNT as i64 * SCORED_DAYS * DAY_S) as f64;
    let lost = WORDS.1 as f64 / WORDS.0 as f64;
    // What two versions have in common, of what both show.
    let left = (1.0 - lost) / (1.0 + lost);
    let accuracy = |score: &Score| percent(1.0 - (1.0 - left) * score.stale_s / span_s);
    let delay = |score: &Score| {
        let mean = Span::from_secs_f64(score.delay_s / score.changes.max(1) as f64);
        if score.changes == 0 { "–".to_owned() } else { mean.to_string() }
    };
    let per_day = plan.looks as f64 / (PAGE_COUNT as i64 * SCORED_DAYS) as f64;
    let mut cells = vec![name.to_owned(), format!("{per_day:.1}")];
    cells.extend([&plan, &even, &ceiling].map(accuracy));
    cells.extend([&plan, &even, &ceiling].map(delay));
    cells.push(plan.false_edits.to_string());
    cells
}

fn add(sum: &mut Score, one: Score) {
    sum.looks += one.looks;
    sum.changes += one.changes;
    sum.stale_s += one.stale_s;
    sum.delay_s += one.delay_s;
    sum.false_edits += one.false_edits;
}

/// When the page changes, ascending.
fn changes(habit: Habit, rng: &mut Pcg32) -> Vec<i64> {
    let mut found = Vec::new();
    for minute in 0..(LEARN_DAYS + SCORED_DAYS) * 1440 {
        let (at_s, hour) = (BEGAN_S + minute * 60, minute / 60 % 24);
        let is_workday = minute / 1440 % 7 < 5;
        let per_day = match habit {
            Habit::AtNine => 0.0,
            Habit::Office if is_workday && (8..18).contains(&hour) => 2.0 * 24.0 / 10.0,
            Habit::AnyTime => 1.0,
            Habit::Rare => 0.05,
            Habit::Office | Habit::Never | Habit::Token => 0.0,
        };
        let is_nine = matches!(habit, Habit::AtNine) && minute % 1440 == 540;
        if is_nine {
            found.push(at_s + rng.random_range(-300..300));
        } else if per_day > 0.0 && rng.random_range(0.0..1.0) < per_day / 1440.0 {
            found.push(at_s);
        }
    }
    found
}

/// Follows the plan.
fn planned(habit: Habit, changes: &[i64], number: usize) -> Score {
    let mut model = PageModel::default();
    // Pages are not all added at midnight.
    let mut now = Timestamp::from_secs(BEGAN_S + number as i64 * 1201);
    let end = Timestamp::from_secs(BEGAN_S + (LEARN_DAYS + SCORED_DAYS) * DAY_S);
    let (mut looks, mut turn, mut score) = (Vec::new(), 0, Score::default());
    let mut before = 0;
    while now < end {
        let version = changes.partition_point(|&at_s| at_s <= now.secs());
        let token = if matches!(habit, Habit::Token) { turn } else { 0 };
        let is_stored = model.look(now, Some(&text(version, token)), false);
        score.false_edits += usize::from(is_stored && turn > 0 && version == before);
        before = version;
        looks.push(now.secs());
        turn += 1;
        now = model.plan(&TERMS, now).due_at;
    }
    Score { false_edits: score.false_edits, ..scored(changes, &looks) }
}

fn text(version: usize, token: u64) -> String {
    let word = |at: u64| match at {
        at if at < WORDS.1 => format!("v{version}w{at}"),
        at => format!("w{at}"),
    };
    let words: Vec<String> = (0..WORDS.0).map(word).chain([format!("token{token}")]).collect();
    words.join(" ")
}

/// Looks every so many seconds.
fn spread(changes: &[i64], every_s: i64) -> Score {
    let end_s = BEGAN_S + (LEARN_DAYS + SCORED_DAYS) * DAY_S;
    let looks: Vec<i64> = (BEGAN_S..end_s).step_by(every_s.max(1) as usize).collect();
    scored(changes, &looks)
}

/// What looks at these seconds find in the scored days.
fn scored(changes: &[i64], looks: &[i64]) -> Score {
    let (from_s, end_s) = (BEGAN_S + LEARN_DAYS * DAY_S, BEGAN_S + (LEARN_DAYS + SCORED_DAYS) * DAY_S);
    let mut score = Score { looks: looks.iter().filter(|&&at_s| at_s >= from_s).count(), ..Score::default() };
    let mut stale_until_s = i64::MIN;
    for &changed_s in changes.iter().filter(|&&at_s| at_s >= from_s) {
        let next = looks.partition_point(|&at_s| at_s < changed_s);
        let found_s = looks.get(next).copied().unwrap_or(end_s);
        score.changes += 1;
        score.delay_s += (found_s - changed_s) as f64;
        // Until then the copy is another version than the page, from the first change on.
        score.stale_s += (found_s - changed_s.max(stale_until_s)).max(0) as f64;
        stale_until_s = found_s.max(stale_until_s);
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_beat_even_looks_where_there_is_a_rhythm() {
        let mut rng = Pcg32::seed_from_u64(1);
        let changes = changes(Habit::AtNine, &mut rng);
        let plan = planned(Habit::AtNine, &changes, 3);
        let even = spread(&changes, SCORED_DAYS * DAY_S / plan.looks as i64);
        assert!(plan.delay_s < even.delay_s / 1.5, "{plan:?} {even:?}");
        assert_eq!((plan.changes, plan.false_edits), (even.changes, 0));
    }

    #[test]
    fn staleness_is_counted_once() {
        let at_s = |hours: i64| BEGAN_S + LEARN_DAYS * DAY_S + hours * 3600;
        let score = scored(&[at_s(1), at_s(2), at_s(9)], &[BEGAN_S, at_s(4), at_s(10)]);
        assert_eq!((score.looks, score.changes), (2, 3));
        assert!((score.stale_s - 4.0 * 3600.0).abs() < 1e-9 && (score.delay_s - 6.0 * 3600.0).abs() < 1e-9);
    }
}
