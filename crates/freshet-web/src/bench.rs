//! The one backtest: policies compared on what was collected, in the background.
//!
//! It runs within limits of posts, days and time and can be cancelled; its results stay until the next one. It reads the
//! store with a connection of its own and steers nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshet_app::data::Data;
use freshet_app::place::Place;
use freshet_app::simulate::{history, result_of};
use freshet_app::when::When;
use freshet_policy::{Objective, POLICY_NAMES};
use freshet_report::simulate::{BacktestProgress, BacktestReport};
use freshet_sim::experiment::{self, Outcome, Setup};
use freshet_sim::trace::Window;
use freshet_types::Timestamp;
use serde::Deserialize;

use super::answer::{Answer, Problem};

/// Policies compared at once.
pub(super) const POLICIES_MAX: usize = 8;
/// Days of warm-up, and of the evaluation.
pub(super) const DAYS_MAX: u32 = 120;
/// Posts of a window; more is work for the command line.
const POSTS_MAX: usize = 2_000_000;
/// Calls an hour.
const CALLS_MAX: f64 = 1e6;
/// Longest that a backtest may take; what is done by then is shown.
pub(super) const TIME_MAX: Duration = Duration::from_mins(10);

/// What is compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wish {
    pub(super) policies: Vec<String>,
    pub(super) calls_per_hour: f64,
    pub(super) objective: String,
    pub(super) from: String,
    pub(super) warm_days: u32,
    pub(super) eval_days: u32,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            policies: vec!["rr".to_owned(), "freshet".to_owned()],
            calls_per_hour: 60.0,
            objective: Objective::Delay.name().to_owned(),
            from: "28d".to_owned(),
            warm_days: 14,
            eval_days: 14,
        }
    }
}

/// A wish that makes sense.
struct Plan {
    policies: Vec<String>,
    setup: Setup,
    window: Window,
}

/// A backtest, under way or done.
pub(super) struct Trial {
    pub(super) wish: Wish,
    pub(super) outcomes: Vec<Outcome>,
    sources_count: usize,
    /// Why it ended without all results.
    ended: Option<String>,
    is_running: bool,
    began: Instant,
    stop: Arc<AtomicBool>,
}

/// The place of the one backtest.
#[derive(Clone, Default)]
pub(super) struct Bench(Arc<Mutex<Option<Trial>>>);

impl Bench {
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Trial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut Trial)) {
        if let Some(trial) = self.lock().as_mut() {
            change(trial);
        }
    }

    /// Ends the backtest that runs, if one does.
    pub(super) fn cancel(&self) {
        self.note(|trial| trial.stop.store(true, Ordering::Relaxed));
    }

    /// Begins a backtest of the store in a data directory; refused while another one runs.
    pub(super) fn start(&self, wish: Wish, place: Place, now: Timestamp) -> Answer<()> {
        let plan = plan(&wish, now)?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut held = self.lock();
        if held.as_ref().is_some_and(|trial| trial.is_running) {
            return Err(Problem::conflict("another backtest is under way").hint("wait for it, or cancel it"));
        }
        *held = Some(Trial {
            wish,
            outcomes: Vec::new(),
            sources_count: 0,
            ended: None,
            is_running: true,
            began: Instant::now(),
            stop: Arc::clone(&stop),
        });
        drop(held);
        let bench = self.clone();
        tokio::task::spawn_blocking(move || {
            let ended = run(&bench, &place, &plan, &stop).err();
            bench.note(|trial| {
                trial.is_running = false;
                trial.ended = ended.map(|problem| problem.message);
            });
        });
        Ok(())
    }

    /// The backtest that runs, or ran last.
    pub(super) fn describe(&self) -> BacktestReport {
        let held = self.lock();
        let progress = |trial: &Trial| BacktestProgress {
            ended: trial.ended.clone(),
            done_count: trial.outcomes.len(),
            asked_count: trial.wish.policies.len(),
            took_s: trial.began.elapsed().as_secs_f64(),
            sources_count: trial.sources_count,
            calls_per_hour: trial.wish.calls_per_hour,
            objective: trial.wish.objective.clone(),
            from: trial.wish.from.clone(),
            warm_days: trial.wish.warm_days,
            eval_days: trial.wish.eval_days,
            caveat: history::CAVEAT.to_owned(),
        };
        BacktestReport {
            is_running: held.as_ref().is_some_and(|trial| trial.is_running),
            progress: held.as_ref().map(progress),
            policies: held.iter().flat_map(|trial| &trial.outcomes).map(result_of).collect(),
        }
    }
}

fn plan(wish: &Wish, now: Timestamp) -> Answer<Plan> {
    let bad = |message: String| Err(Problem::bad(message));
    if wish.policies.is_empty() || wish.policies.len() > POLICIES_MAX {
        return bad(format!("choose 1 to {POLICIES_MAX} policies"));
    }
    if let Some(unknown) = wish.policies.iter().find(|name| !POLICY_NAMES.contains(&name.as_str())) {
        return bad(format!("there is no policy `{unknown}`"));
    }
    if !(wish.calls_per_hour > 0.0 && wish.calls_per_hour <= CALLS_MAX) {
        return bad(format!("calls an hour are above 0 and at most {CALLS_MAX}"));
    }
    if ![wish.warm_days, wish.eval_days].iter().all(|days| (1..=DAYS_MAX).contains(days)) {
        return bad(format!("warm-up and evaluation last 1 to {DAYS_MAX} days each"));
    }
    let objective = wish.objective.parse().map_err(|error: String| Problem::bad(error))?;
    let from: When = wish.from.parse().map_err(|error: String| Problem::bad(error))?;
    let from = from.resolve(|| Ok(now))?;
    Ok(Plan {
        policies: wish.policies.clone(),
        setup: Setup { objective, ..Setup::new(wish.calls_per_hour) },
        window: Window { from, warm_days: wish.warm_days, eval_days: wish.eval_days },
    })
}

/// All policies, one after the other: the crawl beside it needs the other cores.
fn run(bench: &Bench, place: &Place, plan: &Plan, stop: &AtomicBool) -> Answer<()> {
    let began = Instant::now();
    let history = history::collected(&Data::reader(place)?, plan.window, POSTS_MAX)?;
    bench.note(|trial| trial.sources_count = history.posters.len());
    let goes_on = || !stop.load(Ordering::Relaxed) && began.elapsed() < TIME_MAX;
    for name in &plan.policies {
        let outcome = experiment::run_while(&history, name, &plan.setup, &goes_on);
        let outcome = outcome.map_err(|error| Problem::bad(error.to_string()))?;
        let Some(outcome) = outcome else {
            let why = if stop.load(Ordering::Relaxed) { "it was cancelled" } else { "its time was up" };
            return Err(Problem::busy(why));
        };
        bench.note(|trial| trial.outcomes.push(outcome));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_with_what_is_possible() {
        let now = Timestamp::from_secs(1_700_000_000);
        assert!(plan(&Wish::default(), now).is_ok());
        for (wish, words) in [
            (Wish { policies: Vec::new(), ..Wish::default() }, "1 to 8"),
            (Wish { policies: vec!["none".to_owned()], ..Wish::default() }, "no policy `none`"),
            (Wish { calls_per_hour: f64::NAN, ..Wish::default() }, "above 0"),
            (Wish { calls_per_hour: 0.0, ..Wish::default() }, "above 0"),
            (Wish { warm_days: 0, ..Wish::default() }, "1 to 120"),
            (Wish { eval_days: 9999, ..Wish::default() }, "1 to 120"),
            (Wish { objective: "joy".to_owned(), ..Wish::default() }, "joy"),
            (Wish { from: "soon".to_owned(), ..Wish::default() }, "a time is"),
        ] {
            let problem = plan(&wish, now).err().unwrap();
            assert!(problem.message.contains(words), "{wish:?}: {problem:?}");
        }
    }
}
