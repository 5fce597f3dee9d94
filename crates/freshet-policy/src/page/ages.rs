//! Old pages of a forum's threads: at which ages they are worth another look, from what looks at all pages of the site have found.
//!
//! One page of a thread is looked at a few times in its life, which teaches nothing about it; but pages of one site age alike. So what
//! is learned is pooled: how often a page is edited, by the age of its newest post.
//!
//! | symbol | here |
//! |---|---|
//! | `λ_i`, edits a second of pages whose age is in cell i | `rate_per_s`, edits over seconds looked at |
//! | cells of age, [`STEPS`] to a doubling | `bound_s` |
//! | `S_ij = e^{−Σ λ·width}`, that nothing was edited between two ages | the series of the plan |
//! | `h_j`, how much a page matters at an age | 1 for each cell: a day of delay matters less the older the page is, as 1/age |
//! | f, the number of looks | the least whose best plan gains what doubling the wait gains (but for [`GAIN_LEFT`]) |
//!
//! Doubling the wait after each look is what suits edits that become rare as 1/age, and nothing else. That is also what is
//! supposed before anything was seen (edits ~ [`PRIOR_PER_DOUBLING`] for each doubling of the age); the plan itself is reading R2
//! of Algorithm 2 [Liu], exact, over ages instead of hours. A look tells that a page was edited since the look before, not when: it is
//! shared among the ages between in proportion to the present rates, as in `page::rates`. Cost: O(c) for a look, O(f c²) for a plan, for c cells.

use freshet_types::{Span, Timestamp};
use serde::{Deserialize, Serialize};

use crate::refresh::{Chain, Demand, Reading, Similarities, accuracy, plan};

/// The first cell: younger pages are mostly the last of their thread, which visits read anyway.
const FIRST: Span = Span::from_secs(6 * 3600);
/// Cells to a doubling of the age.
const STEPS: f64 = 2.0;
/// Cells: up to 512 days.
const CELLS: usize = 23;
/// Edits that are supposed for each doubling of the age, and how much is trusted in that: as much as in so many edits.
const PRIOR_PER_DOUBLING: f64 = 0.05;
/// See [`PRIOR_PER_DOUBLING`]; shared by all cells.
const PRIOR_EDITS: f64 = 4.0;
/// A plan may lack this share of what doubling the wait gains: where hardly anything is left to gain, looks are saved.
const GAIN_LEFT: f64 = 0.02;
/// What is left of earlier evidence after one more look: some thousand looks are remembered.
const MEMORY: f64 = 0.999;
/// No page is looked at again sooner.
const GAP_MIN: Span = FIRST;
/// No page waits longer, however old it is: half a year.
const GAP_MAX: Span = Span::from_ms(182 * 86_400_000);
/// The wait of a page whose age nobody knows.
const GAP_UNKNOWN: Span = Span::from_ms(45 * 86_400_000);
/// Bounds of a wait that doubles, as they were before plans.
const DOUBLING: (Span, Span) = (Span::DAY, Span::from_ms(90 * 86_400_000));

/// What a site's old pages have shown, and the ages that follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Seen", into = "Seen")]
pub struct Ages {
    seen: Seen,
    /// Ages at which a page is looked at again, ascending, in seconds.
    plan_s: Vec<f64>,
}

/// The evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Seen {
    /// Pages found edited, by cell.
    edits: Vec<f64>,
    /// Seconds between two looks, by cell.
    looked_s: Vec<f64>,
    /// Looks of all time, and those that found something.
    look_count: u64,
    edited_count: u64,
}

impl From<Seen> for Ages {
    fn from(mut seen: Seen) -> Self {
        for values in [&mut seen.edits, &mut seen.looked_s] {
            values.resize(CELLS, 0.0);
            for value in values.iter_mut() {
                *value = if *value > 0.0 { value.min(1e15) } else { 0.0 };
            }
        }
        let plan_s = best(&seen);
        Self { seen, plan_s }
    }
}

impl From<Ages> for Seen {
    fn from(ages: Ages) -> Self {
        ages.seen
    }
}

impl Default for Ages {
    fn default() -> Self {
        Self::from(Seen::default())
    }
}

/// Another look at a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgedLook {
    /// The newest post of the page.
    pub newest_at: Timestamp,
    /// The look before.
    pub since: Timestamp,
    pub at: Timestamp,
    /// Something on it was edited or taken out since.
    pub is_edited: bool,
}

impl Ages {
    /// Takes in what a look found.
    pub fn learn(&mut self, look: &AgedLook) {
        let age_s = |at: Timestamp| (at - look.newest_at).secs_f64().max(0.0);
        let (from_s, to_s) = (age_s(look.since), age_s(look.at));
        let shares: Vec<f64> = (0..CELLS).map(|cell| overlap_s(cell, from_s, to_s)).collect();
        let told: f64 =
            shares.iter().enumerate().map(|(cell, span_s)| self.seen.rate_per_s(cell) * span_s).sum();
        let edits: Vec<f64> =
            (0..CELLS).map(|cell| self.seen.rate_per_s(cell) * shares[cell] / told).collect();
        self.seen.look_count += 1;
        self.seen.edited_count += u64::from(look.is_edited);
        for cell in 0..CELLS {
            let edits = if look.is_edited && told > 0.0 { edits[cell] } else { 0.0 };
            self.seen.edits[cell] = self.seen.edits[cell] * MEMORY + edits;
            self.seen.looked_s[cell] = self.seen.looked_s[cell] * MEMORY + shares[cell];
        }
        self.plan_s = best(&self.seen);
    }

    /// When a page whose newest post this is, and that was looked at `now`, is worth another look.
    pub fn next_at(&self, newest_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let Some(newest_at) = newest_at else { return now + GAP_UNKNOWN };
        let age_s = (now - newest_at).secs_f64();
        let soonest_s = age_s + GAP_MIN.secs_f64();
        let next_s = self.plan_s.iter().copied().find(|&planned_s| planned_s >= soonest_s);
        let gap = next_s.map_or(GAP_MAX, |next_s| Span::from_secs_f64(next_s - age_s));
        now + gap.clamp(GAP_MIN, GAP_MAX)
    }

    /// The ages of the plan.
    pub fn plan(&self) -> impl Iterator<Item = Span> + '_ {
        self.plan_s.iter().map(|&age_s| Span::from_secs_f64(age_s))
    }

    /// Looks so far, and those that found something.
    pub fn counts(&self) -> (u64, u64) {
        (self.seen.look_count, self.seen.edited_count)
    }

    /// When a wait that doubles would look again: what plans are measured by.
    pub fn doubled_at(newest_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let gap = newest_at.map_or(GAP_UNKNOWN, |newest_at| now - newest_at);
        now + gap.clamp(DOUBLING.0, DOUBLING.1)
    }
}

impl Seen {
    /// Edits a second of pages of this age.
    fn rate_per_s(&self, cell: usize) -> f64 {
        let (from_s, to_s) = (bound_s(cell), bound_s(cell + 1));
        let prior_per_s = PRIOR_PER_DOUBLING / STEPS / (to_s - from_s);
        let prior_edits = PRIOR_EDITS / CELLS as f64;
        (self.edits[cell] + prior_edits) / (self.looked_s[cell] + prior_edits / prior_per_s)
    }
}

/// Where cell i begins: at 0, then at [`FIRST`], then [`STEPS`] to a doubling.
fn bound_s(cell: usize) -> f64 {
    match cell {
        0 => 0.0,
        _ => FIRST.secs_f64() * ((cell - 1) as f64 / STEPS).exp2(),
    }
}

fn overlap_s(cell: usize, from_s: f64, to_s: f64) -> f64 {
    (to_s.min(bound_s(cell + 1)) - from_s.max(bound_s(cell))).max(0.0)
}

/// The ages of the best plan, the first (when the page was read) left out.
fn best(seen: &Seen) -> Vec<f64> {
    let width_s = |cell: usize| bound_s(cell + 1) - bound_s(cell);
    let series: Vec<f64> =
        (0..CELLS - 1).map(|cell| (-seen.rate_per_s(cell) * width_s(cell)).exp()).collect();
    let Ok(similarities) = Similarities::chained(&series, Chain::Product) else { return Vec::new() };
    let doubled = doubled();
    let reached = |instants: &[usize]| accuracy(&similarities, &[], instants);
    let wanted = reached(&doubled) - GAIN_LEFT * (reached(&doubled) - reached(&[0]));
    for refresh_count in 1..=doubled.len() {
        // All cells may be looked at: an edit is expected in each of them.
        let demand = Demand { refresh_count, similarity_max: 2.0, reading: Reading::Accurate };
        let found = plan(&similarities, &[], &demand);
        if found.value >= wanted - 1e-12 {
            return found.instants.into_iter().skip(1).map(bound_s).collect();
        }
    }
    doubled.into_iter().skip(1).map(bound_s).collect()
}

/// The cells in which a wait that doubles looks.
fn doubled() -> Vec<usize> {
    let (mut age_s, mut cells) = (0.0_f64, vec![0]);
    loop {
        age_s += age_s.clamp(DOUBLING.0.secs_f64(), DOUBLING.1.secs_f64());
        let Some(cell) = (0..CELLS).find(|&cell| bound_s(cell) >= age_s - 1.0) else { return cells };
        if cells.last() != Some(&cell) {
            cells.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: f64) -> Timestamp {
        Timestamp::from_secs(1_000_000_000) + Span::DAY * days
    }

    /// Pages that are edited once, at this age; looked at as planned, one after the other.
    fn site(edited_at_days: impl Fn(usize) -> f64, pages: usize) -> (Ages, usize, usize) {
        let (mut ages, mut look_count, mut found_count) = (Ages::default(), 0, 0);
        for page in 0..pages {
            let (newest_at, edited_at) = (at(0.0), at(edited_at_days(page)));
            let mut since = newest_at;
            loop {
                let now = ages.next_at(Some(newest_at), since);
                if now > at(400.0) {
                    break;
                }
                let is_edited = since < edited_at && edited_at <= now;
                ages.learn(&AgedLook { newest_at, since, at: now, is_edited });
                (look_count, found_count) = (look_count + 1, found_count + usize::from(is_edited));
                since = now;
            }
        }
        (ages, look_count, found_count)
    }

    fn days(ages: &Ages) -> Vec<f64> {
        ages.plan().map(|age| age.secs_f64() / 86_400.0).collect()
    }

    #[test]
    fn before_any_look_the_plan_is_no_dearer_than_doubling() {
        let plan = Ages::default();
        assert!(plan.plan().count() < doubled().len(), "{:?}", days(&plan));
        assert!(plan.plan().count() >= 3, "{:?}", days(&plan));
    }

    #[test]
    fn edits_soon_after_posting_draw_the_looks_there() {
        let (ages, look_count, found_count) = site(|page| 0.1 + (page % 10) as f64 * 0.05, 200);
        assert_eq!(found_count, 200, "every edit is found");
        let plan = days(&ages);
        assert!(plan[0] < 2.0 && plan.len() <= 5, "{plan:?}");
        // Doubling would look at each page nine times in 400 days.
        assert!(look_count < 200 * 6, "{look_count}");
    }

    #[test]
    fn edits_at_any_age_are_looked_for_at_any_age() {
        let (ages, _, found_count) = site(|page| 4.0 + (page * 37 % 300) as f64, 200);
        assert!(found_count > 180, "{found_count}");
        let plan = days(&ages);
        assert!(plan.iter().any(|&age| (60.0..400.0).contains(&age)), "{plan:?}");
        let soon = plan.iter().filter(|&&age| age < 2.0).count();
        assert!(soon <= 2, "{plan:?}");
    }

    #[test]
    fn waits_stay_within_their_bounds() {
        let ages = Ages::default();
        for age_days in [-5.0, 0.0, 0.1, 1.0, 30.0, 500.0, 5000.0] {
            let now = at(age_days);
            let gap = ages.next_at(Some(at(0.0)), now) - now;
            assert!((GAP_MIN..=GAP_MAX).contains(&gap), "{age_days}: {gap}");
        }
        assert_eq!(ages.next_at(None, at(0.0)) - at(0.0), GAP_UNKNOWN);
        let hours = |from: f64| (Ages::doubled_at(Some(at(0.0)), at(from)) - at(from)).secs_f64() / 3600.0;
        assert!((hours(1.0 / 24.0) - 24.0).abs() < 1e-9 && (hours(2.0) - 48.0).abs() < 1e-9);
        assert!((hours(1e4) - 90.0 * 24.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_stored_comes_back_and_nonsense_is_nothing() {
        let (ages, ..) = site(|_| 0.5, 20);
        let text = serde_json::to_string(&ages).unwrap();
        let again: Ages = serde_json::from_str(&text).unwrap();
        assert_eq!(days(&again), days(&ages));
        let odd: Ages = serde_json::from_str(
            r#"{"edits": [-1.0, 1e300], "looked_s": [], "look_count": 1, "edited_count": 9}"#,
        )
        .unwrap();
        assert!(days(&odd).iter().all(|age| age.is_finite()));
        let mut ages = Ages::default();
        let look = AgedLook { newest_at: at(9.0), since: at(3.0), at: at(2.0), is_edited: true };
        ages.learn(&look);
        assert_eq!(days(&ages), days(&Ages::default()), "a look that took no time");
    }
}
