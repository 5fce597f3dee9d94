//! Fitting the mixture: which sums foretold the posts that came.
//!
//! At sampled instants of what is known, the sums are made as a visit would have made them, and
//! the posts of every horizon after the instant are counted. Posts are Poisson with mean
//! Σ wₖ Xₖ, Xₖ = xₖ·∫π (for the burst: times the length). Such a sum is a mixture of
//! Poissons, so the likelihood climbs by expectation–maximisation [Dempster 1977]: each post is
//! shared out to the parts that foretold it, and each weight becomes posts received by posts
//! foretold:
//!
//! wₖ ← (wₖ·Σ y Xₖ/ŷ + w⁰ₖ Pₖ)/(Σ Xₖ + Pₖ),  Pₖ = κ·ΣXₖ/Σ w⁰ⱼ·ΣXⱼ
//!
//! The prior w⁰ is worth κ posts: for a horizon the weights of the next longer one, for a class
//! those of all classes together. What it guards against, each for a reason: instants before a
//! source's first post are left out (sources are known because they posted once: their silence
//! before it says nothing); counts are capped, so that one feud does not set the weights of all;
//! half of the instants follow a post closely, because most visits do.
//! The scatter of a class is what remains beyond chance when posts of [`SCATTER_HORIZON`] are held against what the
//! weights foretold, σ = mean of ((y−ŷ)² − ŷ)/ŷ², each instant up to a limit; it has a prior as well.
//! Cost: samples · horizons · rounds; nothing per visit.

use freshet_types::{Span, Timestamp};

use super::seen::{History, hours};
use super::{CLASS_COUNT, EDGES_H, HORIZON_COUNT, Mixture, Weights, class};
use crate::rhythm::week::hour_of_week;
use crate::rhythm::{Die, FEATURE_COUNT, Sums};

/// Instants that are looked at, over all sources.
const SAMPLE_COUNT: f64 = 40_000.0;
/// Instants of one source, at least and at most.
const SAMPLES_OF_SOURCE: (f64, f64) = (4.0, 2000.0);
/// How far back the fit looks.
const REACH: Span = Span::from_ms(28 * 86_400_000);
/// The sums need so long a start before they mean anything.
const START: Span = Span::from_ms(5 * 86_400_000);
/// Instants after a post follow it by so long in the mean.
const AFTER_POST_H: f64 = 3.0;
/// Instants are rounded up to so much, as visits are.
const ROUND_MS: i64 = 900_000;
/// The last horizon is open; so much of it is looked at.
const OPEN_H: f64 = 72.0;
/// A horizon counts if so much of it is known: this share, or these hours.
const KNOWN_SHARE_MIN: f64 = 0.9;
/// See [`KNOWN_SHARE_MIN`].
const KNOWN_H_MIN: f64 = 36.0;
/// Posts of one horizon count up to this, or to so many times what the slowest level foretold.
const POSTS_MAX: f32 = 8.0;
/// See [`POSTS_MAX`].
const POSTS_SHARE_MAX: f32 = 1.5;
/// Where full pages hid more than this share of the instants of a class, its weights stay as they were: what is
/// left to see is what was not busy.
const HIDDEN_SHARE_MAX: f64 = 0.2;
/// Posts that a prior is worth.
const PRIOR_POSTS: f64 = 30.0;
/// Rounds for all sources together, and for a class from there.
const ROUNDS: (u32, u32) = (40, 20);
/// Horizons with fewer instants keep their prior.
const ROWS_MIN: usize = 50;
/// No prior weight is less: what is zero can never grow again.
const PRIOR_MIN: (f64, f64) = (0.03, 0.003);
/// No weight is more: a part that foretold next to nothing would be blamed for all that came, and a source that has much of it later
/// would be expected to write millions of posts.
pub(super) const WEIGHT_MAX: f64 = 2.0;
/// The prior of the longest horizon: the two slow levels.
const PRIOR_LAST: [f64; FEATURE_COUNT] = [0.02, 0.4, 0.5, 0.02, 0.02, 0.02];

/// The horizon by which scatter is told: three days to a week ahead, about as long as pages take to fill.
const SCATTER_HORIZON: usize = 9;
/// Where less is foretold, chance hides the scatter.
const SCATTER_FORETOLD_MIN: f32 = 2.0;
/// One instant says at most so much.
const SCATTER_MAX: f64 = 9.0;
/// No class is without scatter: a rate is never known.
const SCATTER_MIN: f64 = 0.05;
/// Instants that the usual scatter is worth.
const SCATTER_PRIOR_ROWS: f64 = 50.0;

/// What one instant foretold for one horizon, and what came.
#[derive(Clone, Copy, Debug)]
struct Row {
    foretold: Weights,
    /// Posts, up to a limit.
    posts: f32,
    /// All of them.
    posts_all: f32,
    class: u8,
}

/// Rows of every horizon, and how many more full pages hid, by class.
type Rows = [(Vec<Row>, [usize; CLASS_COUNT]); HORIZON_COUNT];

/// The weights that explain what is known at `now`, after those of `before`.
pub(crate) fn fit(histories: &[History<'_>], now: Timestamp, mean_per_h: f64, before: &Mixture) -> Mixture {
    let mut rows: Rows = Default::default();
    let (least, most) = SAMPLES_OF_SOURCE;
    let sample_count = (SAMPLE_COUNT / histories.len().max(1) as f64).ceil().clamp(least, most) as usize;
    let mut die = Die::new(histories.len() as u64);
    for history in histories {
        let instants = instants(history, now, sample_count, &mut die);
        observe(history, &instants, mean_per_h, &mut rows);
    }
    let mut mixture = Mixture::default();
    let mut prior = PRIOR_LAST;
    for horizon in (0..HORIZON_COUNT).rev() {
        let (rows, hidden_counts) = &rows[horizon];
        let shared = climb(rows.iter(), prior, prior, ROUNDS.0);
        let prior_of_class = shared.map(|weight| weight.max(PRIOR_MIN.1));
        for (class, hidden_count) in hidden_counts.iter().enumerate() {
            let own = rows.iter().filter(|row| usize::from(row.class) == class);
            let (hidden, shown) = (*hidden_count as f64, own.clone().count() as f64);
            let weights = if hidden > HIDDEN_SHARE_MAX * (hidden + shown) {
                before.weights(class, horizon)
            } else {
                climb(own, shared, prior_of_class, ROUNDS.1).map(|weight| weight as f32)
            };
            mixture.set_weights(class, horizon, weights);
        }
        prior = shared.map(|weight| weight.max(PRIOR_MIN.0));
    }
    for class in 0..CLASS_COUNT {
        let rows = rows[SCATTER_HORIZON].0.iter().filter(|row| usize::from(row.class) == class);
        mixture.scatters[class] = scatter(rows, &mixture, class);
    }
    mixture
}

/// How far posts stray from what the weights foretell, beyond chance.
fn scatter<'a>(rows: impl Iterator<Item = &'a Row>, mixture: &Mixture, class: usize) -> f32 {
    let weights = mixture.weights(class, SCATTER_HORIZON);
    let (mut sum, mut row_count) = (mixture.scatter(class) * SCATTER_PRIOR_ROWS, SCATTER_PRIOR_ROWS);
    for row in rows {
        let mean: f32 = weights.iter().zip(row.foretold).map(|(weight, part)| weight * part).sum();
        if mean >= SCATTER_FORETOLD_MIN {
            let stray = (f64::from(row.posts_all - mean).powi(2) - f64::from(mean)) / f64::from(mean).powi(2);
            sum += stray.min(SCATTER_MAX);
            row_count += 1.0;
        }
    }
    (sum / row_count).max(SCATTER_MIN) as f32
}

/// When to look at a source's history: ascending, half at random, half soon after a post.
fn instants(history: &History<'_>, now: Timestamp, count: usize, die: &mut Die) -> Vec<Timestamp> {
    let since = (history.since + START).max(now - REACH);
    let mut instants: Vec<Timestamp> = (0..count)
        .map(|_| {
            let after_post = die.share() < 0.5 && !history.posts.is_empty();
            let share = f64::from(die.share());
            let at = if after_post {
                let post = history.posts[(share * history.posts.len() as f64) as usize];
                post + Span::HOUR * (-AFTER_POST_H * (1.0 - f64::from(die.share())).ln())
            } else {
                since + (history.until - since).max(Span::ZERO) * share
            };
            Timestamp::from_ms(at.ms().div_euclid(ROUND_MS) * ROUND_MS + ROUND_MS)
        })
        .filter(|at| (since..history.until).contains(at))
        .collect();
    instants.sort_unstable();
    instants
}

/// Makes the sums at every instant, and counts what came after it.
fn observe(history: &History<'_>, instants: &[Timestamp], mean_per_h: f64, rows: &mut Rows) {
    let before = |at: Timestamp| history.posts.partition_point(|post| *post < at);
    let (mut sums, mut at, mut known_count) = (Sums::default(), history.since, 0);
    for &instant in instants {
        history.pass(&mut sums, at, instant);
        let count = before(instant);
        for post in &history.posts[known_count..count] {
            sums.add(hours(*post, instant));
        }
        (at, known_count) = (instant, count);
        if known_count == 0 || !history.shows(instant, instant + Span::SECOND) {
            continue;
        }
        let features = sums.features(mean_per_h);
        let (begins_h, class) = (hour_of_week(instant), class(&sums, &features));
        for (horizon, (rows, hidden_counts)) in rows.iter_mut().enumerate() {
            let low_h = EDGES_H[horizon];
            let high_h = EDGES_H.get(horizon + 1).copied().unwrap_or(low_h + OPEN_H);
            let end_h = high_h.min(hours(instant, history.until));
            if end_h - low_h < KNOWN_SHARE_MIN * (high_h - low_h).min(KNOWN_H_MIN) {
                break;
            }
            if !history.shows(instant + Span::HOUR * low_h, instant + Span::HOUR * end_h) {
                hidden_counts[class] += 1;
                continue;
            }
            let mass_h = history.week.mass_h(begins_h + low_h, begins_h + end_h) as f32;
            let mut foretold = features.map(|feature| feature * mass_h);
            foretold[FEATURE_COUNT - 1] = features[FEATURE_COUNT - 1] * (end_h - low_h) as f32;
            let posts = before(instant + Span::HOUR * end_h) - before(instant + Span::HOUR * low_h);
            // A busy source may do what its month leads to expect; what is beyond counts up to a limit.
            let posts_max = POSTS_MAX.max(POSTS_SHARE_MAX * foretold[1]);
            let posts_all = posts as f32;
            rows.push(Row { foretold, posts: posts_all.min(posts_max), posts_all, class: class as u8 });
        }
    }
}

/// Rounds of expectation and maximisation.
fn climb<'a>(
    rows: impl Iterator<Item = &'a Row>,
    start: [f64; FEATURE_COUNT],
    prior: [f64; FEATURE_COUNT],
    rounds: u32,
) -> [f64; FEATURE_COUNT] {
    let (mut foretold, mut row_count) = ([0.0_f64; FEATURE_COUNT], 0);
    let mut hits: Vec<&Row> = Vec::new();
    for row in rows {
        row_count += 1;
        foretold.iter_mut().zip(row.foretold).for_each(|(sum, part)| *sum += f64::from(part));
        hits.extend((row.posts > 0.0).then_some(row));
    }
    let expected: f64 = (0..FEATURE_COUNT).map(|k| start[k] * foretold[k]).sum::<f64>().max(1e-12);
    let mut weights = start;
    if row_count < ROWS_MIN {
        return weights;
    }
    for _ in 0..rounds {
        let shares = weights.map(|weight| weight as f32);
        let mut received = [0.0_f64; FEATURE_COUNT];
        for row in &hits {
            let mean: f32 = shares.iter().zip(row.foretold).map(|(share, part)| share * part).sum();
            let ratio = row.posts / (mean + 1e-12);
            received.iter_mut().zip(row.foretold).for_each(|(sum, part)| *sum += f64::from(ratio * part));
        }
        for k in 0..FEATURE_COUNT {
            if foretold[k] > 0.0 {
                let pseudo = PRIOR_POSTS * foretold[k] / expected;
                let weight = (weights[k] * received[k] + prior[k] * pseudo) / (foretold[k] + pseudo);
                weights[k] = weight.min(WEIGHT_MAX);
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rhythm::week::Week;

    #[test]
    fn steady_sources_are_foretold() {
        // A post every two hours for two months, of thirty sources out of step.
        let until = Timestamp::from_secs(60 * 86_400);
        let posts: Vec<Vec<Timestamp>> = (0..30)
            .map(|source| (0..720).map(|post| Timestamp::from_secs(post * 7200 + source * 211)).collect())
            .collect();
        let history = |posts| History {
            posts,
            holes: &[],
            since: Timestamp::from_secs(0),
            until,
            week: Week::new([1.0; 24], [1.0; 7]),
        };
        let histories: Vec<_> = posts.iter().map(|posts| history(posts)).collect();
        let mixture = fit(&histories, until, 0.5, &Mixture::default());
        let mut sums = Sums::default();
        sums.pass(&histories[0].week, 0.0, 1440.0);
        for post in &posts[0] {
            sums.add(hours(*post, until));
        }
        let (features, busy) = (sums.features(0.5), sums);
        let per_h = mixture.long_run_per_h(class(&busy, &features), &features);
        assert!((per_h - 0.5).abs() < 0.05, "{per_h}");
        assert!(mixture.scatter(class(&busy, &features)) < 0.2, "a clock does not stray");
        // Two weeks later without a post: silent, whatever the month says.
        sums.pass(&histories[0].week, 0.0, 336.0);
        let silent = class(&sums, &sums.features(0.5));
        assert!(silent != class(&busy, &features) && mixture.scatter(silent) > 1.0, "class {silent}");
    }

    #[test]
    fn what_full_pages_hid_is_no_silence() {
        // A post every hour, of which every fourth day shows: the rate of the shown days holds throughout.
        let day = |day: i64| Timestamp::from_secs(day * 86_400);
        let posts: Vec<_> = (0..60 * 24)
            .filter(|hour| hour / 24 % 4 == 3)
            .map(|hour| day(0) + Span::HOUR * f64::from(hour))
            .collect();
        let holes: Vec<_> = (0..15).map(|turn| (day(turn * 4), day(turn * 4 + 3))).collect();
        let week = Week::new([1.0; 24], [1.0; 7]);
        let history = History { posts: &posts, holes: &holes, since: day(0), until: day(60), week };
        let mut rows: Rows = Default::default();
        let instants: Vec<_> = (10..58).map(|number| day(number) + Span::HOUR * 6.0).collect();
        observe(&history, &instants, 1.0, &mut rows);
        assert!(rows[9].0.is_empty() && rows[9].1.iter().sum::<usize>() > 0, "no four days are shown");
        assert!(!rows[5].0.is_empty(), "instants in shown days");
        for row in &rows[5].0 {
            let (posts, month) = (row.posts_all, row.foretold[1]);
            assert!(
                (posts - 4.0).abs() < 0.1 && (0.7..1.4).contains(&(month / posts)),
                "{month} for {posts}"
            );
        }
    }

    #[test]
    fn nothing_known_keeps_the_prior() {
        let mixture = fit(&[], Timestamp::from_secs(0), 1.0, &Mixture::default());
        assert!(mixture.weights(0, 0).iter().all(|weight| weight.is_finite() && *weight > 0.0));
    }
}
