//! Forums that are being learned: an address that no network knows is tried as a forum, as `freshet add` tries it.
//!
//! That reads a hundred pages with a pause between them, which takes minutes. So it goes on by itself, one at a time, in a
//! process of its own: the very command that a person would type, whose report and errors are shown. Nothing is lost with it:
//! a dashboard that ends takes the process with it, and the address can be given again.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use freshet_app::add;
use freshet_app::mined;
use freshet_app::text::one_line;
use freshet_report::add::AddReport;
use freshet_report::dashboard::{LearningJob, LearningReport, LearningStage};
use freshet_report::time::UnixNumber;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::jobs::{Job, Wish};
use super::site::Site;

/// Addresses that wait, are learned or were learned and are shown, at most; the oldest done ones make room.
const JOBS_MAX: usize = 12;
/// Longest that learning may take.
const TIME_MAX: Duration = Duration::from_mins(20);

/// Between two looks whether it is done.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Bytes of a report or a complaint that are read.
const SAID_BYTES_MAX: u64 = 60_000;

/// What changes on the page for adding.
pub(super) async fn part(State(site): State<Shared>, Extension(identity): Extension<Identity>) -> Response {
    site.page(Some(&identity), "learn_part", "Add sources", &describe(&site))
}

/// All addresses of late, the newest first.
pub(super) fn describe(site: &Site) -> LearningReport {
    let job = |job: &Job| LearningJob {
        address: one_line(&job.wish.address),
        stage: job.stage,
        told: job.told.clone(),
        asked_at: UnixNumber::of(job.asked_at),
    };
    LearningReport { learning: site.jobs.lock().iter().rev().map(job).collect() }
}

/// Takes an address that no network knows; learning begins when those before it are done.
pub(super) fn start(site: &Shared, wish: Wish) -> Answer<()> {
    if !add::may_be_forum(&site.parts.networks, &wish.address) {
        let problem =
            Problem::bad(format!("`{}` is no address of a forum to learn", one_line(&wish.address)));
        return Err(
            problem.hint("the front page of a forum that is not known yet; all else is added as it is")
        );
    }
    let mut jobs = site.jobs.lock();
    let is_open = |job: &Job| matches!(job.stage, LearningStage::Waiting | LearningStage::Learning);
    if jobs.iter().any(|job| is_open(job) && job.wish.address == wish.address) {
        return Ok(());
    }
    if jobs.len() >= JOBS_MAX {
        let Some(index) = jobs.iter().position(|job| !is_open(job)) else {
            return Err(
                Problem::busy("enough forums wait to be learned").hint("try again when some are done")
            );
        };
        jobs.remove(index);
    }
    jobs.push_back(Job { wish, stage: LearningStage::Waiting, told: None, asked_at: site.now() });
    drop(jobs);
    tokio::spawn(work(Arc::clone(site)));
    Ok(())
}

/// Learns what waits, one after the other.
async fn work(site: Shared) {
    while let Some(wish) = site.jobs.begin() {
        let told = learn(&site, &wish).await;
        site.jobs.end(told);
    }
}

async fn learn(site: &Site, wish: &Wish) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("the program cannot be found: {error}"))?;
    let mut command = Command::new(program);
    command.args(site.parts.place.options()).args(["--quiet", "add", "--format", "json"]);
    if let Some(store) = site.parts.place.named() {
        command.env("FRESHET_STORE", store);
    }
    if wish.allow_private {
        command.arg("--allow-private");
    }
    if !wish.since.trim().is_empty() {
        command.args(["--since", wish.since.trim()]);
    }
    command.arg("--").arg(&wish.address);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("learning cannot be started: {error}"))?;
    let mut running = Running(child);
    let began = Instant::now();
    // It says a few lines at its end, fewer than a pipe holds.
    let status = loop {
        match running.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < TIME_MAX => tokio::time::sleep(LOOK_EVERY).await,
            Ok(None) => return Err(format!("it was not learned within {} minutes", TIME_MAX.as_secs() / 60)),
            Err(error) => return Err(format!("learning cannot be waited for: {error}")),
        }
    };
    told(site, status, &said(running.0.stdout.take()), &said(running.0.stderr.take()))
}

/// A process that ends with whoever waits for it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn said(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What cannot be read was not said.
    let _ = pipe.map(|pipe| pipe.take(SAID_BYTES_MAX).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the command said.
fn told(site: &Site, status: ExitStatus, report: &str, complaint: &str) -> Result<String, String> {
    if !status.success() {
        // The hint speaks of the command line.
        let complaint = complaint.split("\n\nhint: ").next().unwrap_or_default().trim();
        return Err(complaint.strip_prefix("error: ").unwrap_or(complaint).to_owned());
    }
    let report: AddReport = serde_json::from_str(report).map_err(|error| error.to_string())?;
    for file in report.learned.iter().map(|forum| &forum.file) {
        // A crawl follows its files by itself; a dashboard without one is told here.
        let applied = std::fs::read_to_string(file).map_err(anyhow::Error::from);
        if let Err(error) = applied.and_then(|text| mined::apply(&site.parts.networks, file, &text)) {
            tracing::warn!("`{}` was learned and cannot be read: {error:#}", file.display());
        }
    }
    Ok(match report.learned.first() {
        Some(forum) => format!("learned from {} pages and added", forum.page_count),
        None => format!("{} added", report.added_count),
    })
}
