//! Forums: what was learned of each, as a picture; its boards; its threads, and how complete each is.
//!
//! A forum is a network whose definition was mined ([`freshet_network::networks::Front`]); boards and
//! threads are sources. What is proven of a thread comes from [`completeness`] alone, so that a better
//! witness than the coverage ledger can take its place there.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use freshet_forum::connector::{POSTS, THREADS};
use freshet_forum::definition::ForumDefinition;
use freshet_store::browse::{Browse as _, COUNT_MAX, Lack, OFFSET_MAX, PAGE_MAX, SourceOrder, SourceQuery};
use freshet_types::{RobotKind, Source, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::forum_chart::{self, Known};
use super::site::Site;
use super::sources::page_number;
use crate::data::Data;
use crate::output::{one_line, seconds};

/// Threads on a page.
const ROWS: usize = 50;
/// Titles told of each kind of list in the picture.
const TITLES_SHOWN: usize = 3;
/// Boards shown; a forum with more is rare, and the list of sources has them all.
const BOARDS_SHOWN: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    page: String,
}

/// A forum that was learned.
struct Forum {
    name: String,
    definition: ForumDefinition,
}

/// All forums.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let shown = list(&site).await?;
    Ok(site.pages.page(&site, Some(&identity), "forums", "Forums", &shown))
}

/// All forums, as the API gives them.
pub(super) async fn list(site: &Shared) -> Answer<Value> {
    site.read(|site, data| {
        let forums = forums(site).into_iter().map(|forum| summary(data, &forum));
        Ok(json!({ "forums": forums.collect::<Answer<Vec<_>>>()?, "count_max": COUNT_MAX }))
    })
    .await
}

/// One forum.
pub(super) async fn one(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let shown = describe(&site, &name, &asked).await?;
    Ok(site.pages.page(&site, Some(&identity), "forum", &name, &shown))
}

/// One forum, as the API gives it.
pub(super) async fn describe(site: &Shared, name: &str, asked: &Asked) -> Answer<Value> {
    let (name, page) = (name.to_owned(), page_number(&asked.page)?);
    site.read(move |site, data| {
        let forum = forums(site).into_iter().find(|forum| forum.name == name).ok_or_else(|| {
            Problem::not_found(format!("no forum `{}` was learned", one_line(&name)))
                .hint("`freshet add --as forum ADDRESS` learns one")
        })?;
        let mut shown = summary(data, &forum)?;
        let now = site.now();
        let boards = of_robot(data, &forum.name, RobotKind::Status, 0, BOARDS_SHOWN)?;
        let boards = boards.0.iter().filter(|it| &*it.endpoint == THREADS).map(|it| line(data, it, now));
        let boards = boards.collect::<Answer<Vec<_>>>()?;
        let offset = (page - 1) * ROWS;
        let (threads, count) = of_robot(data, &forum.name, RobotKind::Comment, offset, ROWS + 1)?;
        let lines = threads.iter().take(ROWS).map(|it| line(data, it, now)).collect::<Answer<Vec<_>>>()?;
        shown["count"] = json!(count);
        shown["page"] = json!(page);
        shown["has_more"] = json!(threads.len() > ROWS && page < OFFSET_MAX / ROWS);
        shown["count_max"] = json!(COUNT_MAX);
        let known = Known {
            boards: shown["boards_count"].as_u64().unwrap_or(0),
            threads: shown["threads_count"].as_u64().unwrap_or(0),
            board_titles: titles(&boards),
            thread_titles: titles(&lines),
        };
        shown["picture"] = json!(forum_chart::picture(&forum.definition, &known));
        (shown["boards"], shown["threads"]) = (json!(boards), json!(lines));
        Ok(shown)
    })
    .await
}

fn forums(site: &Site) -> Vec<Forum> {
    let snapshot = site.parts.networks.snapshot();
    let forum = |network: &freshet_network::networks::Network| {
        let definition = ForumDefinition::parse(&network.front.as_ref()?.text).ok()?;
        Some(Forum { name: network.name.to_string(), definition })
    };
    let mut forums: Vec<Forum> = snapshot.iter().filter_map(|network| forum(network)).collect();
    forums.sort_by(|one, other| one.name.cmp(&other.name));
    forums
}

/// A forum in a line: what is known of it, and how much of that is proven.
fn summary(data: &Data, forum: &Forum) -> Answer<Value> {
    let (boards, boards_count) = of_robot(data, &forum.name, RobotKind::Status, 0, PAGE_MAX)?;
    let (threads, threads_count) = of_robot(data, &forum.name, RobotKind::Comment, 0, PAGE_MAX)?;
    let fronts_count = boards.iter().filter(|it| &*it.endpoint != THREADS).count();
    let complete_count = threads.iter().filter(|it| completeness(it).is_complete).count();
    let confidence =
        |list: &Option<freshet_forum::definition::ListDefinition>| list.as_ref().map(|it| it.confidence);
    Ok(json!({
        "name": forum.name,
        "front": forum.definition.front,
        "page_count": forum.definition.page_count,
        "index_confidence": confidence(&forum.definition.index),
        "post_confidence": confidence(&forum.definition.post),
        "boards_count": boards_count.saturating_sub(fronts_count),
        "threads_count": threads_count,
        "looked_count": threads.len(),
        "complete_count": complete_count,
    }))
}

/// A page of its lists, those visited last first, and how many there are.
fn of_robot(
    data: &Data,
    network: &str,
    robot: RobotKind,
    offset: usize,
    limit: usize,
) -> Answer<(Vec<Source>, usize)> {
    let query = SourceQuery {
        network: Some(network.to_owned()),
        robot: Some(robot),
        order: SourceOrder::Visited,
        offset,
        limit,
        ..SourceQuery::default()
    };
    let found = data.store.list_sources(&query)?;
    Ok((found.sources, found.count))
}

/// What is proven of a thread or board.
struct Completeness {
    is_complete: bool,
    /// Why it is not complete.
    lack: Option<Lack>,
    /// Up to this instant, all of it from its first post on.
    until: Option<Timestamp>,
    newest_at: Option<Timestamp>,
    holes_count: usize,
}

/// From the coverage ledger of its source.
fn completeness(source: &Source) -> Completeness {
    let coverage = &source.coverage;
    Completeness {
        is_complete: coverage.is_complete(),
        lack: Lack::of(source),
        until: coverage.top().map(|top| top.until).or(coverage.empty_at),
        newest_at: coverage.newest().map(|newest| newest.at),
        holes_count: coverage.holes().len(),
    }
}

/// Titles that stand for a kind of list in the picture.
fn titles(lines: &[Value]) -> Vec<String> {
    let titles = lines.iter().filter_map(|line| line["title"].as_str());
    titles.take(TITLES_SHOWN).map(str::to_owned).collect()
}

fn line(data: &Data, source: &Source, now: Timestamp) -> Answer<Value> {
    let title = data.store.title_of(source)?;
    let proven = completeness(source);
    let optional = |at: Option<Timestamp>| at.map_or(Value::Null, seconds);
    Ok(json!({
        "source": source.id.0,
        "title": title.as_deref().map(one_line),
        "name": one_line(source.handle.as_deref().unwrap_or(&source.root_id)),
        "is_thread": &*source.endpoint == POSTS,
        "state": source.state.name(),
        "visited_at": optional(source.visited_at),
        "due_at": seconds(source.due_at),
        "is_due": source.due_at <= now,
        "is_complete": proven.is_complete,
        "complete_until": optional(proven.until),
        "newest_at": optional(proven.newest_at),
        "holes_count": proven.holes_count,
        "lack": proven.lack.map(Lack::why),
        "failure": source.failure.as_deref().map(one_line),
    }))
}
