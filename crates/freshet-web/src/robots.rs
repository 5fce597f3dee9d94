//! Robots: which work, what waits in their rings, what each has found; start, pause, resume, stop.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::data::Data;
use freshet_app::robots::{self, Verb};
use freshet_app::text::one_line;
use freshet_report::robots::{CollectionLine, RobotLine, RobotsReport};
use freshet_report::run::{FailureNote, RingSize};
use freshet_report::time::UnixNumber;
use freshet_store::browse::{Browse as _, VisitLine};
use freshet_types::{Map, RobotKind, RobotState, Source, SourceId};
use serde::Serialize;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::names;
use super::site::Site;

/// Latest visits shown.
const MESSAGES_SHOWN: usize = 15;

/// What each robot does, for people who have not read the papers.
const WORK: [(RobotKind, &str); RobotKind::ALL.len()] = [
    (RobotKind::Relation, "who follows whom"),
    (RobotKind::User, "profiles of accounts"),
    (RobotKind::Status, "posts of accounts and feeds"),
    (RobotKind::Comment, "replies to posts"),
    (RobotKind::Tag, "tags of accounts"),
    (RobotKind::Link, "who likes or repeats a post, and other members of lists"),
    (RobotKind::Across, "what links lead to on other networks, with comments"),
];

/// The whole page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let shown = site.read(view).await?;
    Ok(site.page(Some(&identity), "robots", "Robots", &shown))
}

/// What changes on it.
pub(super) async fn part(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let shown = site.read(view).await?;
    Ok(site.page(Some(&identity), "robots_part", "Robots", &shown))
}

/// A button was pressed.
pub(super) async fn steer(
    State(site): State<Shared>,
    Path((robot, verb)): Path<(String, String)>,
) -> Answer<Response> {
    tell(&site, &robot, &verb).await?;
    Ok(Redirect::to("/robots").into_response())
}

/// Tells a robot; gives the report of `freshet robots list`.
pub(super) async fn tell(site: &Shared, robot: &str, verb: &str) -> Answer<RobotsReport> {
    let robot: RobotKind = robot.parse().map_err(|error: String| Problem::not_found(error))?;
    let verb: Verb = serde_json::from_value(json!(verb)).map_err(|_| {
        Problem::not_found(format!("a robot cannot be told `{verb}`")).hint("start, pause, resume or stop")
    })?;
    site.write(move |site, data| {
        robots::steer(&mut data.store, verb, robot)?;
        Ok(robots::list(data, &site.parts.networks)?)
    })
    .await
}

/// What the page shows.
#[derive(Serialize)]
struct RobotsPage {
    robots: Vec<RobotRow>,
    collections: Vec<CollectionLine>,
    is_running: bool,
    failures: Vec<FailureNote>,
    messages: Vec<Message>,
}

/// A robot, what it found, and what it can be told.
#[derive(Serialize)]
struct RobotRow {
    #[serde(flatten)]
    line: RobotLine,
    work: Option<&'static str>,
    verbs: &'static [&'static str],
    posts: Option<u64>,
    ring: Option<RingSize>,
}

/// Something that a robot did.
#[derive(Serialize)]
struct Message {
    at: Option<UnixNumber>,
    robot: RobotKind,
    source: SourceId,
    name: String,
    outcome: String,
    calls: u32,
    new_posts: u32,
}

fn view(site: &Site, data: &Data) -> Answer<RobotsPage> {
    let status = site.status(data)?;
    let row = |line: RobotLine| RobotRow {
        work: WORK.iter().find(|(robot, _)| *robot == line.name).map(|(_, work)| *work),
        verbs: match line.state {
            RobotState::Running => &["pause", "stop"],
            RobotState::Paused => &["resume", "stop"],
            RobotState::Stopped => &["start"],
        },
        posts: status.work().posts_by_robot.get(&line.name).copied(),
        ring: status.work().rings.get(&line.name).copied(),
        line,
    };
    let report = robots::list(data, &site.parts.networks)?;
    Ok(RobotsPage {
        robots: report.robots.into_iter().map(row).collect(),
        collections: report.collections,
        is_running: status.is_running,
        failures: status.work().failures.clone(),
        messages: messages(data)?,
    })
}

/// What the robots did last, in words.
fn messages(data: &Data) -> Answer<Vec<Message>> {
    let lines = data.store.last_visits(MESSAGES_SHOWN)?;
    let ids: Vec<SourceId> = lines.iter().map(|line| line.visit.source).collect();
    let sources: Vec<Source> = data.store.sources(&ids)?.into_iter().flatten().collect();
    let known: Map<SourceId, String> =
        sources.iter().map(|source| source.id).zip(names::names(data, &sources)?).collect();
    let message = |line: &VisitLine| {
        let visit = &line.visit;
        let name = known.get(&visit.source).cloned();
        Message {
            at: UnixNumber::of(visit.ended_at),
            robot: line.robot,
            source: visit.source,
            name: name.unwrap_or_else(|| one_line(&line.name)),
            outcome: visit.outcome.clone(),
            calls: visit.fetch_count,
            new_posts: visit.new_post_count,
        }
    };
    Ok(lines.iter().map(message).collect())
}
