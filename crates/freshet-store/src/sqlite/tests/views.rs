//! The tables that researchers query, under the names of the paper.

use freshet_types::coverage::{Coverage, Interval, Mark};
use freshet_types::{
    Account, AccountState, End, Observation, Post, Relation, RobotKind, Source, Tag, Timestamp, VisitId,
};
use rusqlite::types::Value;

use super::model::{NETWORK, page};
use crate::api::prelude::*;
use crate::conformance::compare;
use crate::row::{LinkSweep, RelationSweep, Upload};
use crate::sqlite::SqliteStore;

/// All rows of a query, columns separated by bars.
pub(super) fn check(store: &SqliteStore, sql: &str, expected: &[&str]) {
    let mut statement = store.db.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let rows = statement
        .query_map([], |row| {
            let text = |column| match row.get_unwrap(column) {
                Value::Null => "-".to_owned(),
                Value::Integer(number) => number.to_string(),
                Value::Real(number) => number.to_string(),
                Value::Text(text) => text,
                Value::Blob(bytes) => format!("{bytes:?}"),
            };
            Ok((0..columns).map(text).collect::<Vec<_>>().join("|"))
        })
        .unwrap();
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert_eq!(rows, expected, "{sql}");
}

fn populated() -> SqliteStore {
    let mut store = SqliteStore::in_memory().unwrap();
    let account = |id: &str, state| Account {
        id: id.into(),
        handle: Some(format!("@{id}")),
        posts_count: Some(2),
        state,
        ..Account::default()
    };
    let status = Post {
        id: "1".into(),
        kind: "post".into(),
        author: Some("a".into()),
        created_at: Some(Timestamp::from_ms(1_500)),
        text: "status".into(),
        ..Post::default()
    };
    let reply = Post { id: "2".into(), reply_to: Some("1".into()), text: "reply".into(), ..status.clone() };
    let comment = Post { id: "3".into(), kind: "comment".into(), root: Some("1".into()), ..reply.clone() };
    let relation = |source: &str, target: &str| Relation { source: source.into(), target: target.into() };
    let tag = |name: &str| Tag { account: "a".into(), name: name.into() };
    let mut upload = page(10, vec![status, reply, comment]);
    upload.observation = Observation {
        accounts: vec![account("a", AccountState::Active), account("b", AccountState::Suspended)],
        relations: vec![relation("a", "b"), relation("b", "a")],
        tags: vec![tag("moss"), tag("rust")],
        ..upload.observation
    };
    let sweep = RelationSweep { account: "b".into(), is_following: true, began_at: Timestamp::from_secs(11) };
    let swept = Upload { relations_swept: Some(sweep), ..page(12, vec![]) };
    let from = End { kind: "account".into(), id: "a".into() };
    let sweep = LinkSweep { from, name: "tags".into(), began_at: Timestamp::from_secs(12) };
    let mut tags = Upload { links_swept: Some(sweep), robot: Some(RobotKind::Tag), ..page(12, vec![]) };
    tags.observation.tags = vec![tag("rust")];
    store.apply(&[upload, swept, tags], compare).unwrap();
    store
}

#[test]
fn the_tables_of_the_paper_have_their_names() {
    let store = populated();
    check(
        &store,
        "SELECT id, handle, statuses_count, state FROM users ORDER BY id",
        &["a|@a|2|active", "b|@b|2|suspended"],
    );
    check(
        &store,
        "SELECT user_id, network, reason, invalid_at FROM invalid_users",
        &[&format!("b|{NETWORK}|suspended|10")],
    );
    check(&store, "SELECT source_user_id, target_user_id, seen_at FROM user_relations", &["a|b|10"]);
    check(&store, "SELECT source_user_id, target_user_id, cancelled_at FROM invalid_relations", &["b|a|12"]);
    check(&store, "SELECT id, user_id, text, created_at FROM statuses", &["1|a|status|1.5", "2|a|reply|1.5"]);
    check(&store, "SELECT id, status_id, user_id, text FROM comments", &["2|1|a|reply", "3|1|a|reply"]);
    check(&store, "SELECT name FROM tags", &["moss", "rust"]);
    check(&store, "SELECT user_id, tag, last_seen_at FROM user_tags", &["a|rust|12"]);
    let all = "SELECT user_id, tag, seen_at, last_seen_at, cancelled_at FROM user_tag_history ORDER BY tag";
    check(&store, all, &["a|moss|10|10|12", "a|rust|10|12|-"]);
}

#[test]
fn objects_and_links_are_one_graph() {
    let store = populated();
    let address = |rest: &str| format!("{NETWORK}/{rest}");
    check(&store, "SELECT address FROM objects WHERE type = 'comment'", &[&address("comment/3")]);
    check(&store, "SELECT count(*) FROM objects", &["5"]);
    let sql = "SELECT l.kind, l.name, l.target FROM links l JOIN objects o ON o.id = l.source \
               WHERE o.native_id IN ('2', 'a') ORDER BY l.name";
    let expected = [
        format!("c|author|{}", address("account/a")),
        format!("co|follows|{}", address("account/b")),
        format!("c|reply_to|{}", address("post/1")),
    ];
    check(&store, sql, &expected.each_ref().map(String::as_str));
}

#[test]
fn coverage_is_queryable() {
    let mut store = SqliteStore::in_memory().unwrap();
    let mark = |id: &str, secs| Mark { id: id.into(), at: Timestamp::from_secs(secs) };
    let interval = Interval {
        newest: mark("9", 90),
        oldest: mark("5", 50),
        until: Timestamp::from_secs(95),
        below: Some("next".into()),
        is_bottom: false,
        visit: VisitId(3),
    };
    let lower =
        Interval { newest: mark("3", 30), oldest: mark("1", 10), is_bottom: true, ..interval.clone() };
    let mut source = Source::new(&NETWORK.into(), "statuses", RobotKind::Status, "account", "a");
    source.coverage = Coverage { intervals: vec![interval, lower], ..Coverage::default() };
    store.add_sources(&[source]).unwrap();
    let sql = "SELECT source, newest_at, oldest_at, until, is_bottom, visit FROM coverage ORDER BY place";
    check(&store, sql, &["1|90|50|95|0|3", "1|30|10|95|1|3"]);
}

/// The plans that the speed of the crawl rests on.
#[test]
fn the_hot_look_ups_use_their_indexes() {
    let store = populated();
    for (sql, index) in [
        (
            "SELECT 1 FROM posts WHERE network = 1 AND author = 'a' AND created_at BETWEEN 1 AND 2",
            "posts_by_author",
        ),
        (
            "DELETE FROM changes WHERE object IN (SELECT id FROM temp.erased) AND number <> object",
            "changes_later",
        ),
        (
            "SELECT p.id FROM sources s CROSS JOIN posts p ON p.source = s.id AND p.is_retained = 1 \
             AND p.created_at < 9 - s.retention_ms WHERE s.retention_ms IS NOT NULL",
            "posts_by_retention",
        ),
        (
            "SELECT id FROM relations WHERE network = 1 AND target = 'a' AND cancelled_at IS NULL",
            "relations_by_target",
        ),
        ("SELECT id FROM sources WHERE handle = 'a' AND network = 1", "sources_by_handle"),
        ("SELECT id FROM sources WHERE root_id = 'a' AND root_id <> '' AND network = 1", "sources_by_root"),
        ("SELECT state, count(*) FROM sources GROUP BY state", "sources_by_state"),
    ] {
        let mut statement = store.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        assert!(plan.iter().any(|line| line.contains(index)), "{sql}: {plan:?}");
    }
}
