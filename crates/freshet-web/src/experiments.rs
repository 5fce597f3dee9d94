//! Experiments: policies compared on what was collected, as `freshet simulate --from-store` does.
//!
//! One backtest at a time runs in the background, within limits of posts, days and time, and can be
//! cancelled; its results stay until the next one. It reads the store with a connection of its own
//! and steers nothing: choosing a policy for the crawl stays a matter of `freshet run --policy`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{RawForm, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::data::Data;
use freshet_app::simulate::{history, plots};
use freshet_app::when::When;
use freshet_policy::{Objective, POLICY_NAMES};
use freshet_sim::experiment::{self, Outcome, Setup};
use freshet_sim::trace::Window;
use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::render::Beside;

/// Policies compared at once.
const POLICIES_MAX: usize = 8;
/// Days of warm-up, and of the evaluation.
const DAYS_MAX: u32 = 120;
/// Posts of a window; more is work for the command line.
const POSTS_MAX: usize = 2_000_000;
/// Calls an hour.
const CALLS_MAX: f64 = 1e6;
/// Longest that a backtest may take; what is done by then is shown.
const TIME_MAX: Duration = Duration::from_mins(10);

/// What is compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wish {
    policies: Vec<String>,
    calls_per_hour: f64,
    objective: String,
    from: String,
    warm_days: u32,
    eval_days: u32,
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
struct Trial {
    wish: Wish,
    outcomes: Vec<Outcome>,
    sources_count: usize,
    /// Why it ended without all results.
    ended: Option<String>,
    is_running: bool,
    began: Instant,
    stop: Arc<AtomicBool>,
}

/// The place of the one backtest.
#[derive(Default)]
pub(super) struct Bench(Mutex<Option<Trial>>);

impl Bench {
    fn lock(&self) -> MutexGuard<'_, Option<Trial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut Trial)) {
        if let Some(trial) = self.lock().as_mut() {
            change(trial);
        }
    }
}

/// The page.
pub(super) async fn page(State(site): State<Shared>, Extension(identity): Extension<Identity>) -> Response {
    site.pages.page(&site, Some(&identity), "experiments", "Experiments", &view(&site))
}

/// What changes on it.
pub(super) async fn part(State(site): State<Shared>, Extension(identity): Extension<Identity>) -> Response {
    site.pages.page(&site, Some(&identity), "experiments_part", "Experiments", &view(&site))
}

/// The form was sent.
pub(super) async fn start_form(State(site): State<Shared>, RawForm(form): RawForm) -> Answer<Response> {
    let mut wish = Wish { policies: Vec::new(), ..Wish::default() };
    let number = |name: &str, text: &str| {
        text.trim().parse::<f64>().map_err(|_| Problem::bad(format!("`{name}` is a number")))
    };
    for (name, text) in url::form_urlencoded::parse(&form) {
        match &*name {
            "policies" => wish.policies.push(text.into_owned()),
            "objective" => wish.objective = text.into_owned(),
            "from" => wish.from = text.into_owned(),
            "calls_per_hour" => wish.calls_per_hour = number(&name, &text)?,
            "warm_days" => wish.warm_days = number(&name, &text)? as u32,
            "eval_days" => wish.eval_days = number(&name, &text)? as u32,
            _ => {}
        }
    }
    start(&site, wish)?;
    Ok(Redirect::to("/experiments").into_response())
}

/// The button was pressed.
pub(super) async fn cancel_form(State(site): State<Shared>) -> Response {
    cancel(&site);
    Redirect::to("/experiments").into_response()
}

/// Ends the backtest that runs, if one does.
pub(super) fn cancel(site: &Shared) {
    site.bench.note(|trial| trial.stop.store(true, Ordering::Relaxed));
}

/// Begins a backtest; refused while another one runs.
pub(super) fn start(site: &Shared, wish: Wish) -> Answer<()> {
    let plan = plan(&wish, site.now())?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut place = site.bench.lock();
    if place.as_ref().is_some_and(|trial| trial.is_running) {
        return Err(Problem::conflict("another backtest is under way").hint("wait for it, or cancel it"));
    }
    *place = Some(Trial {
        wish,
        outcomes: Vec::new(),
        sources_count: 0,
        ended: None,
        is_running: true,
        began: Instant::now(),
        stop: Arc::clone(&stop),
    });
    drop(place);
    let site = Arc::clone(site);
    tokio::task::spawn_blocking(move || {
        let ended = run(&site, &plan, &stop).err();
        site.bench.note(|trial| {
            trial.is_running = false;
            trial.ended = ended.map(|problem| problem.message);
        });
    });
    Ok(())
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
fn run(site: &Shared, plan: &Plan, stop: &AtomicBool) -> Answer<()> {
    let began = Instant::now();
    let history = history::collected(&Data::reader(&site.parts.dir)?, plan.window, POSTS_MAX)?;
    site.bench.note(|trial| trial.sources_count = history.posters.len());
    let goes_on = || !stop.load(Ordering::Relaxed) && began.elapsed() < TIME_MAX;
    for name in &plan.policies {
        let outcome = experiment::run_while(&history, name, &plan.setup, &goes_on);
        let outcome = outcome.map_err(|error| Problem::bad(error.to_string()))?;
        let Some(outcome) = outcome else {
            let why = if stop.load(Ordering::Relaxed) { "it was cancelled" } else { "its time was up" };
            return Err(Problem::busy(why));
        };
        site.bench.note(|trial| trial.outcomes.push(outcome));
    }
    Ok(())
}

/// What is chosen, how far it is, and the results so far.
#[derive(Serialize)]
pub(super) struct BacktestReport {
    is_running: bool,
    #[serde(flatten)]
    progress: Option<BacktestProgress>,
    policies: Vec<Outcome>,
}

/// How far a backtest is.
#[derive(Serialize)]
struct BacktestProgress {
    ended: Option<String>,
    done_count: usize,
    asked_count: usize,
    took_s: f64,
    sources_count: usize,
    calls_per_hour: f64,
    objective: String,
    from: String,
    warm_days: u32,
    eval_days: u32,
    caveat: &'static str,
}

/// The backtest that runs, or ran last.
pub(super) fn describe(site: &Shared) -> BacktestReport {
    let place = site.bench.lock();
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
        caveat: history::CAVEAT,
    };
    BacktestReport {
        is_running: place.as_ref().is_some_and(|trial| trial.is_running),
        progress: place.as_ref().map(progress),
        policies: place.as_ref().map(|trial| trial.outcomes.clone()).unwrap_or_default(),
    }
}

/// What the page shows.
fn view(site: &Shared) -> Beside<BacktestReport> {
    let report = describe(site);
    let wish = site.bench.lock().as_ref().map_or_else(Wish::default, |trial| trial.wish.clone());
    let best = report.policies.iter().filter_map(|it| it.mean_delay_s).fold(f64::INFINITY, f64::min);
    let plots: Vec<_> = plots::plots(&report.policies).iter().filter_map(|(_, plot)| plot.svg()).collect();
    let policy =
        |name: &&str| json!({ "name": name, "is_chosen": wish.policies.iter().any(|it| it == name) });
    let more = json!({
        "best_s": best.is_finite().then_some(best),
        "plots": plots,
        "choices": POLICY_NAMES.iter().map(policy).collect::<Vec<_>>(),
        "wish": {
            "calls_per_hour": wish.calls_per_hour.to_string(), "objective": wish.objective, "from": wish.from,
            "warm_days": wish.warm_days, "eval_days": wish.eval_days,
        },
        "limits": { "policies": POLICIES_MAX, "days": DAYS_MAX, "minutes": TIME_MAX.as_secs() / 60 },
        "was_run": report.progress.is_some(),
    });
    Beside { report, more }
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
