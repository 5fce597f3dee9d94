//! The reference of exported columns, written from the records themselves.

use std::fmt::Write as _;

use crate::record::{ColumnType, RecordKind};

const HEAD: &str = "\
# Columns of exports

Made from `crates/freshet-sink/src/record.rs`; the test that compares them says how to write it anew.

`freshet export` and `freshet snapshot` write these columns, in this order, in every format. Any value may be null. Times are unix seconds.
In CSV an unknown value is an empty cell, lists and properties are JSON inside their cell; in Parquet times and numbers with fractions are doubles,
lists are lists of strings and properties are JSON strings. Rows come in the order of first sight.
";

fn holds(column: ColumnType) -> &'static str {
    match column {
        ColumnType::Text => "text",
        ColumnType::Int => "whole number",
        ColumnType::Float => "number",
        ColumnType::Bool => "true or false",
        ColumnType::Time => "time",
        ColumnType::Texts => "list of texts",
        ColumnType::Properties => "JSON object",
    }
}

fn kind(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Posts => {
            "One row a post, its newest version. `--since` and `--until` look at `created_at`, or at `seen_at` where that is null."
        }
        RecordKind::Accounts => "One row an account that was seen or named. Filters look at `seen_at`.",
        RecordKind::Relations => {
            "One row for each time that one account was seen to follow another. Filters look at `seen_at`."
        }
        RecordKind::Changes => "One row a line of the change log. Filters look at `seen_at`.",
        RecordKind::Objects => {
            "One row an object that is neither a post, an account nor a list of a forum: places, albums, communities and whatever else a \
             definition declares. Filters look at `seen_at`."
        }
        RecordKind::Links => {
            "One row a link that no column of the other kinds tells: who likes a post, where an account comes from, what belongs to an album, \
             and every link into another network with what speaks for it. Links that ended are here, with `ended_at`. Authors, replies, reposts \
             and threads stand in `posts`, who follows whom in `relations`. Filters look at `first_seen_at` and at the network of the object \
             that has the link."
        }
    }
}

fn reference() -> String {
    let mut text = HEAD.to_owned();
    for record in RecordKind::ALL {
        let _ = write!(
            text,
            "\n## {record}\n\n{}\n\n| column | holds | meaning |\n|---|---|---|\n",
            kind(record)
        );
        for column in record.columns() {
            let _ =
                writeln!(text, "| `{}` | {} | {} |", column.name, holds(column.holds), column.meaning.trim());
        }
    }
    text
}

/// Run with `FRESHET_BLESS=1` to write it anew.
#[test]
fn the_published_columns_are_those_of_the_records() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/exports.md");
    #[expect(clippy::disallowed_methods, reason = "a developer's switch, read by this test only")]
    if std::env::var("FRESHET_BLESS").is_ok() {
        std::fs::write(&path, reference()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == reference(),
        "docs/reference/exports.md is out of date; run this test with FRESHET_BLESS=1"
    );
}
