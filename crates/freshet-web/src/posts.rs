//! Posts: full-text search with filters, one post with its history, and the current query as JSON
//! lines to take away.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use freshet_app::data::Data;
use freshet_app::plain::plain;
use freshet_app::search::found_post;
use freshet_app::when::When;
use freshet_engine::record::post_record;
use freshet_report::posts::{PostChange, PostLine, PostReport, PostsReport};
use freshet_report::time::UnixNumber;
use freshet_sink::{Format, RecordKind};
use freshet_store::api::interest::Inquiry;
use freshet_store::browse::{Browse as _, OFFSET_MAX, PostQuery};
use freshet_store::row::{Hit, PostRow};
use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::door::Guest;
use super::download::{self, File};
use super::interest;
use super::render::Beside;
use super::site::Site;
use super::sources::{page_number, typed};
use super::viewer::seen_as;

/// Posts on a page.
const ROWS: usize = 50;
/// Posts read from the store at once for a file.
const BATCH: usize = 500;
/// Posts in one file; `freshet export` has no such limit.
const EXPORT_MAX: usize = OFFSET_MAX;
/// Lines of the change log shown for a post.
const CHANGES_SHOWN: usize = 200;
/// Characters of a text in a list.
const SNIPPET_CHARS_MAX: usize = 400;

/// What a person may ask; empty means all.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    network: String,
    #[serde(default)]
    author: String,
    #[serde(default)]
    since: String,
    #[serde(default)]
    until: String,
    #[serde(default)]
    page: String,
}

impl Asked {
    fn query(&self, now: Timestamp) -> Answer<(PostQuery, usize)> {
        let page = page_number(&self.page)?;
        let when = |text: &str| match text.trim() {
            "" => Ok(None),
            text => {
                let when: When = text.parse().map_err(|error: String| Problem::bad(error))?;
                when.resolve(|| Ok(now)).map(Some).map_err(Problem::from)
            }
        };
        let query = PostQuery {
            text: typed("q", &self.q)?,
            network: typed("network", &self.network)?,
            author: typed("author", &self.author)?,
            since: when(&self.since)?,
            until: when(&self.until)?,
            offset: (page - 1) * ROWS,
            limit: ROWS + 1,
        };
        Ok((query, page))
    }
}

/// A page of posts.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let report = list(&site, &asked).await?;
    let shown = Beside { report, more: json!({ "asked": asked, "export_max": EXPORT_MAX }) };
    Ok(site.page(Some(&identity), "posts", "Posts", &shown))
}

/// A page of posts, as the API gives it.
pub(super) async fn list(site: &Shared, asked: &Asked) -> Answer<PostsReport> {
    let (query, page) = asked.query(site.now())?;
    let look = move |_: &Site, data: &Data| {
        let mut hits = data.store.list_posts(&query)?;
        let has_more = hits.len() > ROWS && page < OFFSET_MAX / ROWS;
        hits.truncate(ROWS);
        let networks = data.store.source_networks()?;
        Ok(PostsReport { page, has_more, networks, posts: hits.into_iter().map(line).collect() })
    };
    // Words are looked up in an index that a writing connection brings up to date first.
    let report = if asked.q.trim().is_empty() {
        site.read(look).await?
    } else {
        site.write(move |site, data| look(site, data)).await?
    };
    // Who asks for nothing in particular asks about nobody.
    if !asked.q.trim().is_empty() || !asked.author.trim().is_empty() {
        let posts = report.posts.iter().map(|line| line.post).collect();
        interest::note(site, Inquiry { posts, ..Inquiry::default() });
    }
    Ok(report)
}

fn line(hit: Hit) -> PostLine {
    let whole = plain(&hit.row.post.text);
    // A found word may be as long as the text.
    let shown = if hit.snippet.is_empty() { &whole } else { &hit.snippet };
    PostLine {
        post: hit.row.object,
        is_kept: hit.row.unkept.is_none(),
        shown: shown.chars().take(SNIPPET_CHARS_MAX).collect(),
        seen_at: UnixNumber::of(hit.row.seen_at),
        edited_at: hit.row.post.edited_at.and_then(UnixNumber::of),
        deleted_at: hit.row.deleted_at.and_then(UnixNumber::of),
        found: found_post(hit),
    }
}

/// One post.
pub(super) async fn one(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Path(number): Path<String>,
) -> Answer<Response> {
    let shown = describe(&site, &number).await?;
    Ok(site.page(Some(&identity), "post", "Post", &shown))
}

/// What the API gives of a post: its export record, and its lines of the change log.
pub(super) async fn describe(site: &Shared, number: &str) -> Answer<PostReport> {
    let missing =
        || Problem::not_found("there is no such post").hint("it may have been forgotten or expired");
    let object: u64 = number.parse().map_err(|_| missing())?;
    let look = move |_: &Site, data: &Data| {
        let row = data.store.post(object)?.ok_or_else(missing)?;
        let of = |id: &Option<String>, kind: Option<&str>| -> Answer<Option<u64>> {
            let kind = kind.unwrap_or(&row.post.kind);
            let find = |id: &String| data.store.post_of(&row.network, kind, id);
            Ok(id.as_ref().map(find).transpose()?.flatten().map(|found| found.object))
        };
        let earlier = data.store.earlier_texts(object)?;
        let changes = data.store.changes_of(object, CHANGES_SHOWN)?.into_iter().map(|change| {
            let before = earlier.iter().find(|(number, _)| *number == change.number);
            PostChange {
                number: change.number,
                kind: change.kind,
                seen_at: UnixNumber::of(change.seen_at),
                robot: change.finder,
                before: before.map(|(_, text)| text.clone()),
            }
        });
        let mut record = record_of(&row)?;
        record.insert("tags".to_owned(), json!(row.post.tags));
        record.insert("lang".to_owned(), json!(row.post.lang));
        Ok(PostReport {
            record,
            post: object,
            reply_to_post: of(&row.post.reply_to, row.post.kind.reply_to())?,
            repost_of_post: of(&row.post.repost_of, None)?,
            changes: changes.collect(),
            author_handle: row.author_handle,
            is_kept: row.unkept.is_none(),
        })
    };
    let report = site.read(look).await?;
    interest::note(site, Inquiry { posts: vec![object], ..Inquiry::default() });
    Ok(report)
}

/// A post exactly as `freshet export` writes it.
fn record_of(row: &PostRow) -> Answer<Map<String, Value>> {
    let mut text = Vec::new();
    let written = Format::Jsonl.open(RecordKind::Posts, &mut text).and_then(|mut sink| {
        sink.write(&post_record(row.clone()))?;
        sink.finish()
    });
    let parsed = written.map_err(anyhow::Error::from).and_then(|()| Ok(serde_json::from_slice(&text)?));
    parsed.map_err(Problem::from)
}

/// All posts of the query, a JSON object a line.
pub(super) async fn jsonl(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    export(&site, &guest, &asked, Format::Jsonl, JSONL).await
}

/// All posts of the query, for spreadsheets.
pub(super) async fn csv(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    export(&site, &guest, &asked, Format::Csv, CSV).await
}

/// All posts of the query, for analysis.
pub(super) async fn parquet(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    export(&site, &guest, &asked, Format::Parquet, PARQUET).await
}

/// A file of all posts of the query, written while they are read.
async fn export(
    site: &Shared,
    guest: &Guest,
    asked: &Asked,
    format: Format,
    media_type: &'static str,
) -> Answer<Response> {
    let (query, _) = asked.query(site.now())?;
    // A query that is not understood is told before anything is sent.
    let first = PostQuery { offset: 0, limit: 1, ..query.clone() };
    site.write(move |_, data| Ok(data.store.list_posts(&first)?.len())).await?;
    let (file, body) = download::begin(&site.downloads, guest.peer)?;
    let (place, viewer) = (site.parts.place.clone(), seen_as());
    tokio::task::spawn_blocking(move || {
        let data = match &viewer {
            Some(viewer) => Data::reader_as(&place, viewer),
            None => Data::reader(&place),
        };
        let sent = data.map_err(Problem::from);
        if let Err(problem) = sent.and_then(|data| write_all(&data, &query, format, file)) {
            tracing::warn!("a file of posts was cut short: {}", problem.message);
        }
    });
    let name = format!("attachment; filename=\"posts.{}\"", format.name());
    let headers = [(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, name)];
    Ok((headers, body).into_response())
}

fn write_all(data: &Data, query: &PostQuery, format: Format, mut file: File) -> Answer<()> {
    let mut sink = format.open(RecordKind::Posts, &mut file).map_err(anyhow::Error::from)?;
    for offset in (0..EXPORT_MAX).step_by(BATCH) {
        let hits = data.store.list_posts(&PostQuery { offset, limit: BATCH, ..query.clone() })?;
        let is_last = hits.len() < BATCH;
        for hit in hits {
            // Whoever closed the connection wants no more.
            if sink.write(&post_record(hit.row)).is_err() {
                return Ok(());
            }
        }
        if is_last {
            break;
        }
    }
    if sink.finish().is_ok() {
        file.end();
    }
    Ok(())
}

/// What the files are, as the web calls it.
pub(super) const JSONL: &str = "application/x-ndjson";
pub(super) const CSV: &str = "text/csv; charset=utf-8";
pub(super) const PARQUET: &str = "application/vnd.apache.parquet";
