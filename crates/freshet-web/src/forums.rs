//! Forums: what was learned of each, as a picture; its boards; its threads, and how complete each is.
//!
//! A forum is a network whose definition was mined ([`freshet_network::networks::Front`]); boards and
//! threads are sources. What is proven of a thread comes from [`completeness`] alone, so that a better
//! witness than the coverage ledger can take its place there.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use freshet_app::data::Data;
use freshet_app::status;
use freshet_app::text::one_line;
use freshet_forum::connector::{POSTS, THREADS};
use freshet_forum::definition::ForumDefinition;
use freshet_report::forums::{ForumListLine, ForumReport, ForumSummary, ForumsReport, LackCount};
use freshet_report::time::UnixNumber;
use freshet_store::browse::{
    Browse as _, ForumQuery, ForumState, Lack, OFFSET_MAX, SourceOrder, SourceQuery,
};
use freshet_types::list::THREAD;
use freshet_types::{NetworkName, RobotKind, Source, SourceId, Timestamp};
use serde::Deserialize;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::forum_chart::{self, Known};
use super::render::Beside;
use super::site::Site;
use super::sources::page_number;

/// Threads on a page.
const ROWS: usize = 50;
/// What is asked for to see only threads that are not complete.
const LACKING: &str = "lacking";
/// Titles told of each kind of list in the picture.
const TITLES_SHOWN: usize = 3;
/// Boards shown; a forum with more is rare, and the list of sources has them all.
const BOARDS_SHOWN: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    page: String,
    #[serde(default)]
    only: String,
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
    Ok(site.page(Some(&identity), "forums", "Forums", &shown))
}

/// All forums, as the API gives them.
pub(super) async fn list(site: &Shared) -> Answer<ForumsReport> {
    site.read(|site, data| {
        let states = data.store.forums()?;
        let forums = forums(site).into_iter().map(|forum| summary(&forum, state_of(&states, &forum)));
        Ok(ForumsReport { forums: forums.collect() })
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
    let (report, definition) = look(&site, &name, &asked).await?;
    let known = Known {
        boards: report.summary.boards_count as u64,
        threads: report.summary.threads_count as u64,
        board_titles: titles(&report.boards),
        thread_titles: titles(&report.threads),
    };
    let more = json!({ "picture": forum_chart::picture(&definition, &known) });
    Ok(site.page(Some(&identity), "forum", &name, &Beside { report, more }))
}

/// One forum, as the API gives it.
pub(super) async fn describe(site: &Shared, name: &str, asked: &Asked) -> Answer<ForumReport> {
    Ok(look(site, name, asked).await?.0)
}

/// One forum, and what was learned of it.
async fn look(site: &Shared, name: &str, asked: &Asked) -> Answer<(ForumReport, ForumDefinition)> {
    let (name, page) = (name.to_owned(), page_number(&asked.page)?);
    let is_lacking = match asked.only.as_str() {
        "" => false,
        LACKING => true,
        other => {
            let problem =
                Problem::bad(format!("`only` is `{LACKING}` or nothing, not `{}`", one_line(other)));
            return Err(problem.hint("it leaves out threads that are proven complete"));
        }
    };
    site.read(move |site, data| {
        let forum = forums(site).into_iter().find(|forum| forum.name == name).ok_or_else(|| {
            Problem::not_found(format!("no forum `{}` was learned", one_line(&name)))
                .hint("`freshet add --as forum ADDRESS` learns one")
        })?;
        let states = data.store.forums()?;
        let summary = summary(&forum, state_of(&states, &forum));
        let now = site.now();
        let boards = of_robot(data, &forum.name, RobotKind::Status, 0, BOARDS_SHOWN)?;
        let boards = boards.iter().filter(|it| &*it.endpoint == THREADS).map(|it| line(data, it, now));
        let boards = boards.collect::<Answer<Vec<_>>>()?;
        let offset = (page - 1) * ROWS;
        let threads = if is_lacking {
            lacking(data, &forum.name, offset, ROWS + 1)?
        } else {
            of_robot(data, &forum.name, RobotKind::Comment, offset, ROWS + 1)?
        };
        let lines = threads.iter().take(ROWS).map(|it| line(data, it, now)).collect::<Answer<Vec<_>>>()?;
        let work = status::live_report(&data.store)?.map(|run| run.work).unwrap_or_default();
        let is_own = |network: &NetworkName| network.as_str() == forum.name;
        let report = ForumReport {
            summary,
            is_lacking,
            only: if is_lacking { LACKING } else { "" }.to_owned(),
            page,
            has_more: threads.len() > ROWS && page < OFFSET_MAX / ROWS,
            boards,
            threads: lines,
            relearnt: work.relearnt.into_iter().find(|note| is_own(&note.network)),
            unreadable: work.unreadable.into_iter().find(|note| is_own(&note.network)),
        };
        Ok((report, forum.definition))
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
fn summary(forum: &Forum, state: Option<&ForumState>) -> ForumSummary {
    let confidence =
        |list: &Option<freshet_forum::definition::ListDefinition>| list.as_ref().map(|it| it.confidence);
    let count = |of: fn(&ForumState) -> usize| state.map_or(0, of);
    let lacks = state.into_iter().flat_map(|state| &state.lacks);
    ForumSummary {
        name: forum.name.clone(),
        front: forum.definition.front.clone(),
        page_count: forum.definition.page_count,
        index_confidence: confidence(&forum.definition.index),
        post_confidence: confidence(&forum.definition.post),
        // The front page is no board.
        boards_count: count(|it| it.boards_count).saturating_sub(1),
        threads_count: count(|it| it.threads_count),
        complete_count: count(|it| it.complete_threads_count),
        pages_count: count(|it| it.pages_count),
        posts_count: count(|it| it.posts_count),
        lacks: lacks.map(|(lack, count)| LackCount { why: lack.why().to_owned(), count: *count }).collect(),
    }
}

/// What the store knows of a forum.
fn state_of<'a>(states: &'a [ForumState], forum: &Forum) -> Option<&'a ForumState> {
    states.iter().find(|state| state.network.as_str() == forum.name)
}

/// A page of its threads that are not complete, in order of number.
fn lacking(data: &Data, network: &str, offset: usize, limit: usize) -> Answer<Vec<Source>> {
    let query = ForumQuery { is_lacking: true, kind: Some(THREAD.to_owned()), offset, limit };
    let lists = data.store.forum_lists(&NetworkName::from(network), &query)?;
    let ids: Vec<SourceId> = lists.iter().map(|list| list.source).collect();
    Ok(data.store.sources(&ids)?.into_iter().flatten().collect())
}

/// A page of its lists, those visited last first.
fn of_robot(
    data: &Data,
    network: &str,
    robot: RobotKind,
    offset: usize,
    limit: usize,
) -> Answer<Vec<Source>> {
    let query = SourceQuery {
        network: Some(network.to_owned()),
        robot: Some(robot),
        order: SourceOrder::Visited,
        offset,
        limit,
        ..SourceQuery::default()
    };
    Ok(data.store.list_sources(&query)?.sources)
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
fn titles(lines: &[ForumListLine]) -> Vec<String> {
    lines.iter().filter_map(|line| line.title.clone()).take(TITLES_SHOWN).collect()
}

fn line(data: &Data, source: &Source, now: Timestamp) -> Answer<ForumListLine> {
    let title = data.store.title_of(source)?;
    let proven = completeness(source);
    Ok(ForumListLine {
        source: source.id,
        title: title.as_deref().map(one_line),
        name: one_line(source.handle.as_deref().unwrap_or(&source.root_id)),
        is_thread: &*source.endpoint == POSTS,
        state: source.state,
        visited_at: source.visited_at.and_then(UnixNumber::of),
        due_at: UnixNumber::of(source.due_at),
        is_due: source.due_at <= now,
        is_complete: proven.is_complete,
        complete_until: proven.until.and_then(UnixNumber::of),
        newest_at: proven.newest_at.and_then(UnixNumber::of),
        holes_count: proven.holes_count,
        lack: proven.lack.map(|lack| lack.why().to_owned()),
        failure: source.failure.as_deref().map(one_line),
    })
}
