//! Experiments: policies driven through a recorded history under a budget, and measured.
//!
//! The set-up: sources are those who posted in the warm-up, whose posts are all known. Time
//! passes in slots of a quarter of an hour; the budget is a quarter of the calls an hour, the
//! fraction carried over. A visit happens at the END of its slot and returns every post since
//! the last visit that is strictly before it. The delay of a post is visit time − post time; a
//! post never fetched is charged until the end of the window. With a page size, a visit returns
//! the newest posts only: the rest is lost and charged until the end, or costs further calls.
//!
//! The invariant: whatever a policy uses comes from warm-up posts and from what its own visits
//! returned. The experiment hands it looks, never the history. Calls that are left when every
//! source was visited in a slot are not carried over.

mod group;
mod live;
pub mod oracle;
pub(crate) mod tally;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use freshet_policy::calendar::Calendar;
use freshet_policy::group::Group;
use freshet_policy::{DEFAULT_POLICY, Look, Objective, POLICY_NAMES, Roster, RosterKit, roster_named};
use freshet_types::{Map, Span, Timestamp};

use crate::parallel::on_all_cores;
use crate::trace::History;

use group::Probing;
pub use tally::{Outcome, Tally};

/// Length of a slot.
pub(crate) const SLOT: Span = Span::from_secs(900);
/// Slots of a day; prices and plans are made anew with the first of each.
const SLOTS_PER_DAY: u64 = 96;
/// Slots of an hour.
const SLOTS_PER_HOUR: f64 = 4.0;
/// Calls an hour beyond this mean no limit: a million a second.
pub const CALLS_PER_HOUR_MAX: f64 = 3.6e9;

/// The names of the oracles: they know what no policy can know.
pub const ORACLE_NAMES: &[&str] = &["bound", "clairvoyant", "informed"];

/// What happens to posts beyond a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// They are never seen.
    #[default]
    Lost,
    /// They are fetched, each further page for a further call.
    Pages,
}

/// How an experiment is run, besides the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    pub calls_per_hour: f64,
    /// Posts a page shows; `None`: all of them.
    pub page_size: Option<u32>,
    /// What happens to the rest.
    pub overflow: Overflow,
    /// What the policies are asked for.
    pub objective: Objective,
    /// Sources that a call can ask about; with one of them each call is a visit.
    pub group: u32,
    /// Posts that such a call shows of all of them together, as a page of a merged list does; 0 where it only tells who has news.
    pub merged_page: u32,
    /// For policies that draw lots.
    pub seed: u64,
    /// How much a user's posts count, where that is not 1.
    pub weights: Map<u64, f64>,
    /// Which days are not like others.
    pub calendar: Option<Arc<Calendar>>,
    /// What the engine hears of an account before it looks at its posts.
    pub profiles: Profiles,
    /// The engine begins with the evaluation: lists show the warm-up, and nothing was learned from it.
    pub is_cold: bool,
}

/// What the engine hears of an account before it looks at its posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profiles {
    /// Nothing: it is added by its id.
    #[default]
    Unasked,
    /// It is added by its handle, and the look-up shows the profile with all that it says.
    Shown,
    /// The same, but no profile says how many posts there are.
    Uncounted,
}

impl Setup {
    /// With a budget, all else as usual.
    pub fn new(calls_per_hour: f64) -> Self {
        Self {
            calls_per_hour,
            page_size: None,
            overflow: Overflow::default(),
            objective: Objective::default(),
            group: 1,
            merged_page: 0,
            seed: 0,
            weights: Map::default(),
            calendar: None,
            profiles: Profiles::default(),
            is_cold: false,
        }
    }

    /// The weight of a user.
    pub fn weight(&self, user: u64) -> f64 {
        self.weights.get(&user).copied().unwrap_or(1.0)
    }

    /// What a roster of these sources starts from.
    pub fn kit(&self, history: &History) -> RosterKit {
        RosterKit {
            weights: history.posters.iter().map(|poster| self.weight(poster.user)).collect(),
            page_size: self.page_size.filter(|_| self.overflow == Overflow::Lost),
            objective: self.objective,
            seed: self.seed,
            group: self.group(),
            calendar: self.calendar.clone(),
        }
    }

    /// What a call can do for several sources.
    pub(crate) fn group(&self) -> Group {
        Group::new(f64::from(self.group), f64::from(self.merged_page))
    }
}

/// What makes an experiment impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExperimentError {
    /// Nobody knows the policy.
    #[error("there is no policy `{name}`; the policies are {known}")]
    Policy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The budget is no number of calls.
    #[error("a budget of `{0}` calls an hour makes no sense: it must be 0 or more, and finite")]
    Budget(f64),
    /// The engine cannot crawl this.
    #[error("`live` does not work here: {0}")]
    Live(String),
}

/// A decision, for those who watch: in which slot which source was visited.
pub type Watch<'a> = &'a mut dyn FnMut(u64, usize);

/// Runs one policy or oracle through a history.
pub fn run(history: &History, name: &str, setup: &Setup) -> Result<Outcome, ExperimentError> {
    run_watched(history, name, setup, &mut |_, _| {})
}

/// The same, with somebody who sees every decision.
pub(crate) fn run_watched(
    history: &History,
    name: &str,
    setup: &Setup,
    watch: Watch<'_>,
) -> Result<Outcome, ExperimentError> {
    if !setup.calls_per_hour.is_finite() || setup.calls_per_hour < 0.0 {
        return Err(ExperimentError::Budget(setup.calls_per_hour));
    }
    let began = Instant::now();
    if let Some(policy) = live::policy_of(name) {
        return Ok(signed(live::run(history, setup, policy)?, name, setup, began));
    }
    let outcome = match name {
        "bound" => oracle::bound(history, setup),
        "clairvoyant" => oracle::clairvoyant(history, setup),
        "informed" => {
            let roster = roster_named(DEFAULT_POLICY, &setup.kit(history)).ok_or_else(|| unknown(name))?;
            Run { is_told: true, ..Run::new(history, setup, roster) }.finish(watch)
        }
        _ => {
            let roster = roster_named(name, &setup.kit(history)).ok_or_else(|| unknown(name))?;
            Run::new(history, setup, roster).finish(watch)
        }
    };
    Ok(signed(outcome, name, setup, began))
}

/// The same for somebody who may lose patience: `None` once `goes_on` has said no, which it is asked
/// in every slot. Oracles are not interrupted.
pub fn run_while(
    history: &History,
    name: &str,
    setup: &Setup,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, ExperimentError> {
    if !setup.calls_per_hour.is_finite() || setup.calls_per_hour < 0.0 {
        return Err(ExperimentError::Budget(setup.calls_per_hour));
    }
    let began = Instant::now();
    let roster = roster_named(name, &setup.kit(history)).ok_or_else(|| unknown(name))?;
    let run = Run { goes_on, ..Run::new(history, setup, roster) };
    let outcome = run.finish(&mut |_, _| {});
    Ok(goes_on().then(|| signed(outcome, name, setup, began)))
}

/// Runs a roster that no name stands for: with parameters of its own, or with rates that are given.
pub(crate) fn run_roster(
    history: &History,
    setup: &Setup,
    roster: Box<dyn Roster>,
    watch: Watch<'_>,
) -> Result<Outcome, ExperimentError> {
    if !setup.calls_per_hour.is_finite() || setup.calls_per_hour < 0.0 {
        return Err(ExperimentError::Budget(setup.calls_per_hour));
    }
    let (began, name) = (Instant::now(), roster.name());
    Ok(signed(Run::new(history, setup, roster).finish(watch), name, setup, began))
}

fn signed(outcome: Outcome, name: &str, setup: &Setup, began: Instant) -> Outcome {
    let wall_ms = began.elapsed().as_millis() as u64;
    Outcome { policy: name.to_owned(), calls_per_hour: setup.calls_per_hour, wall_ms, ..outcome }
}

/// Fails early where a name is unknown, before anything is read.
pub fn check_names(names: &[String]) -> Result<(), ExperimentError> {
    let is_policy = |name: &str| POLICY_NAMES.contains(&name);
    let is_live = |name: &str| live::policy_of(name).is_some_and(is_policy);
    let is_known = |name: &str| is_policy(name) || ORACLE_NAMES.contains(&name) || is_live(name);
    names.iter().find(|name| !is_known(name)).map_or(Ok(()), |name| Err(unknown(name)))
}

fn unknown(name: &str) -> ExperimentError {
    let known: Vec<_> = POLICY_NAMES.iter().chain(ORACLE_NAMES).chain(&[live::NAME]).copied().collect();
    ExperimentError::Policy { name: name.to_owned(), known: known.join(", ") }
}

/// Runs every policy at every set-up, on all cores; results in the order of the questions.
///
/// `done` hears of every result as it comes, in any order.
pub fn compare(
    history: &History,
    names: &[String],
    setups: &[Setup],
    done: &(dyn Fn(&Outcome) + Sync),
) -> Result<Vec<Outcome>, ExperimentError> {
    let jobs: Vec<_> = setups.iter().flat_map(|setup| names.iter().map(move |name| (setup, name))).collect();
    let results = on_all_cores(&jobs, |&(setup, name)| {
        let result = run(history, name, setup);
        result.iter().for_each(done);
        result
    });
    results.into_iter().collect()
}

/// One policy on its way through a history.
struct Run<'a> {
    history: &'a History,
    setup: &'a Setup,
    roster: Box<dyn Roster>,
    /// The first post of each source that was not handed out yet.
    cursors: Vec<usize>,
    visited_at: Vec<Timestamp>,
    tally: Tally,
    goes_on: &'a dyn Fn() -> bool,
    /// Who has news is known at any time, for nothing.
    is_told: bool,
}

impl<'a> Run<'a> {
    fn new(history: &'a History, setup: &'a Setup, roster: Box<dyn Roster>) -> Self {
        let window = history.window;
        let tally = Tally::new(window, history.eval_count());
        let count = history.posters.len();
        let (cursors, visited_at) = (vec![0; count], vec![window.from; count]);
        Self { history, setup, roster, cursors, visited_at, tally, goes_on: &|| true, is_told: false }
    }

    fn finish(mut self, watch: Watch<'_>) -> Outcome {
        self.warm_up();
        let window = self.history.window;
        let slot_count = u64::from(window.eval_days) * SLOTS_PER_DAY;
        let budget_per_s = self.setup.calls_per_hour / 3600.0;
        let (mut calls, mut picked) = (0.0_f64, Vec::new());
        let is_grouped = self.setup.group > 1 || self.is_told;
        let mut probing = is_grouped.then(|| Probing::new(self.cursors.len(), self.setup.group()));
        for slot in 0..slot_count {
            if !(self.goes_on)() {
                break;
            }
            let now = window.start() + SLOT * (slot + 1) as f64;
            if slot % SLOTS_PER_DAY == 0 {
                self.roster.plan(now - SLOT, budget_per_s);
                self.tally.day(self.roster.price());
            }
            // The fraction is carried over, whole calls are not; further pages are paid later.
            calls = calls.min(0.0) + calls.max(0.0).fract() + self.setup.calls_per_hour / SLOTS_PER_HOUR;
            if let Some(probing) = &mut probing {
                if self.is_told {
                    for source in 0..self.cursors.len() {
                        self.probe(probing, source, now);
                    }
                }
                calls -= self.spend(probing, (slot, now), calls, watch);
                continue;
            }
            let affordable = (calls + 1e-9).clamp(0.0, self.cursors.len() as f64) as usize;
            self.roster.pick(now, affordable, &mut picked);
            for &source in &picked {
                if calls < 1.0 - 1e-9 {
                    break;
                }
                watch(slot, source);
                calls -= f64::from(self.visit(source, now));
            }
        }
        self.charge_rest();
        self.tally.outcome()
    }

    /// Every day of the warm-up is told as one look at each source.
    fn warm_up(&mut self) {
        let window = self.history.window;
        for day in 1..=window.warm_days {
            let at = window.from + Span::DAY * f64::from(day);
            for source in 0..self.history.posters.len() {
                let news = self.news(source, at);
                self.tell(source, at, news, false);
            }
        }
    }

    /// The posts of a source that a visit at `at` would find: those before it.
    fn news(&mut self, source: usize, at: Timestamp) -> &'a [Timestamp] {
        let posts = &self.history.posters[source].posts;
        let first = self.cursors[source];
        let count = posts[first..].partition_point(|post| *post < at);
        self.cursors[source] = first + count;
        &posts[first..first + count]
    }

    fn tell(&mut self, source: usize, at: Timestamp, news: &[Timestamp], is_full: bool) {
        let since = Some(self.visited_at[source]);
        self.roster.learn(source, &Look { since, at, news, is_full });
        self.visited_at[source] = at;
    }

    /// One visit; gives the calls it took.
    fn visit(&mut self, source: usize, now: Timestamp) -> u32 {
        let size = self.setup.page_size.map_or(usize::MAX, |size| size.max(1) as usize);
        let (call_count, has_news) = self.fetch(source, now, size);
        self.tally.call(call_count, has_news);
        call_count
    }

    /// Fetches the news of a source in pages of so many posts; gives the calls that takes, and whether there were any news.
    fn fetch(&mut self, source: usize, now: Timestamp, size: usize) -> (u32, bool) {
        let news = self.news(source, now);
        let shown = match self.setup.overflow {
            Overflow::Lost => &news[news.len().saturating_sub(size)..],
            Overflow::Pages => news,
        };
        let call_count = news.len().div_ceil(size).max(1);
        let call_count = if self.setup.overflow == Overflow::Pages { call_count as u32 } else { 1 };
        let weight = self.setup.weight(self.history.posters[source].user);
        for post in shown {
            self.tally.seen(now - *post, weight);
        }
        let end = self.history.window.end();
        for post in &news[..news.len() - shown.len()] {
            self.tally.unseen(end - *post, weight);
        }
        self.tell(source, now, shown, shown.len() >= size && self.setup.overflow == Overflow::Lost);
        (call_count, !shown.is_empty())
    }

    /// Posts that no visit fetched wait until the end.
    fn charge_rest(&mut self) {
        let end = self.history.window.end();
        for source in 0..self.cursors.len() {
            let weight = self.setup.weight(self.history.posters[source].user);
            for post in self.news(source, end) {
                self.tally.unseen(end - *post, weight);
            }
        }
    }
}
