//! Robots: which work, what waits in their rings, what each has found; start, pause, resume, stop.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::data::Data;
use freshet_app::robots::{self, Verb};
use freshet_app::text::{one_line, seconds};
use freshet_store::browse::{Browse as _, VisitLine};
use freshet_types::RobotKind;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::names;
use super::site::Site;

/// Latest visits shown.
const MESSAGES_SHOWN: usize = 15;

/// What each robot does, for people who have not read the papers.
const WORK: [(RobotKind, &str); 5] = [
    (RobotKind::Relation, "who follows whom"),
    (RobotKind::User, "profiles of accounts"),
    (RobotKind::Status, "posts of accounts and feeds"),
    (RobotKind::Comment, "replies to posts"),
    (RobotKind::Tag, "tags of accounts"),
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
pub(super) async fn tell(site: &Shared, robot: &str, verb: &str) -> Answer<Value> {
    let robot: RobotKind = robot.parse().map_err(|error: String| Problem::not_found(error))?;
    let verb: Verb = serde_json::from_value(json!(verb)).map_err(|_| {
        Problem::not_found(format!("a robot cannot be told `{verb}`")).hint("start, pause, resume or stop")
    })?;
    site.write(move |_, data| {
        robots::steer(&mut data.store, verb, robot)?;
        Ok(json!(robots::list(data)?))
    })
    .await
}

fn view(site: &Site, data: &Data) -> Answer<Value> {
    let report = json!(robots::list(data)?);
    let status = site.status(data)?;
    let rows = report["robots"].as_array().into_iter().flatten().map(|row| {
        let name = row["name"].as_str().unwrap_or_default();
        let state = row["state"].as_str().unwrap_or_default();
        let work = WORK.iter().find(|(robot, _)| robot.name() == name).map(|(_, work)| *work);
        let verbs: &[&str] = match state {
            "running" => &["pause", "stop"],
            "paused" => &["resume", "stop"],
            _ => &["start"],
        };
        json!({
            "name": name, "state": state, "work": work, "credential": row["credential"], "verbs": verbs,
            "posts": status["posts_by_robot"][name], "ring": status["rings"][name],
        })
    });
    Ok(json!({
        "robots": rows.collect::<Vec<_>>(),
        "is_running": status["is_running"],
        "failures": status["failures"],
        "messages": messages(data)?,
    }))
}

/// What the robots did last, in words.
fn messages(data: &Data) -> Answer<Vec<Value>> {
    let message = |line: &VisitLine| {
        let visit = &line.visit;
        let source = data.store.source(visit.source)?;
        let name = source.map(|source| names::name(data, &source)).transpose()?;
        Ok(json!({
            "at": seconds(visit.ended_at), "robot": line.robot.name(), "source": visit.source.0,
            "name": name.unwrap_or_else(|| one_line(&line.name)), "outcome": visit.outcome,
            "calls": visit.fetch_count, "new_posts": visit.new_post_count,
        }))
    };
    data.store.last_visits(MESSAGES_SHOWN)?.iter().map(message).collect()
}
