//! Is the store whole? Everything that can be asked of the server without changing it, for `freshet check`.
//!
//! In the order of trust: the pages and indexes of every table, what must belong to what, rows that cannot be read, the counts
//! that are kept beside the rows, cursors of the log, coverage, and a `forget` that was interrupted. It looks and
//! repairs nothing; each finding says what to do. Memory does not grow with the store, nor findings with the damage.

use std::ops::ControlFlow;

use freshet_types::{Coverage, SourceId};

use super::db::{Connection, OptionalExtension, Result, Row};
use super::{PostgresStore, log, source};
use crate::api::{Read as _, StoreError};
use crate::row::{Filter, Finding};

/// Findings that are told of one table or one question; behind them there are more of the same.
const FINDINGS_MAX: usize = 20;
/// Lines of the log that are read at once.
const LINES: usize = 4_096;

const RESTORE: &str = "stop the crawl, keep a copy of the data directory, and restore the store from a backup; \
                       what can still be read is taken out by `freshet export`";
const TELL: &str = "nothing is lost by it; tell the makers of freshet how it came about";

/// Rows that belong to nothing: subject, what is wrong, and how many there are.
const STRAYS: [(&str, &str, &str); 10] = [
    ("posts", "belong to no network", "posts WHERE network NOT IN (SELECT id FROM networks)"),
    ("accounts", "belong to no network", "accounts WHERE network NOT IN (SELECT id FROM networks)"),
    ("relations", "belong to no network", "relations WHERE network NOT IN (SELECT id FROM networks)"),
    ("sources", "belong to no network", "sources WHERE network NOT IN (SELECT id FROM networks)"),
    ("lists", "belong to no network", "lists WHERE network NOT IN (SELECT id FROM networks)"),
    (
        "changes",
        "tell of a post that is not there",
        "changes c WHERE class = 1 AND NOT EXISTS (SELECT 1 FROM posts WHERE id = c.object)",
    ),
    (
        "changes",
        "tell of an account that is not there",
        "changes c WHERE class = 0 AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = c.object)",
    ),
    (
        "changes",
        "tell of a relation that is not there",
        "changes c WHERE class = 2 AND NOT EXISTS (SELECT 1 FROM relations WHERE id = c.object)",
    ),
    (
        "list_members",
        "are members of no list",
        "list_members m WHERE NOT EXISTS (SELECT 1 FROM lists WHERE id = m.list)",
    ),
    (
        "earlier_texts",
        "belong to no post",
        "earlier_texts e WHERE NOT EXISTS (SELECT 1 FROM posts WHERE id = e.post)",
    ),
];

/// Counts that are kept beside the rows, and the rows.
const COUNTS: [(&str, &str); 6] = [
    ("posts", "posts"),
    ("deleted", "posts WHERE deleted_at IS NOT NULL"),
    ("accounts", "accounts"),
    ("relations", "relations"),
    ("changes", "changes"),
    ("visits", "visits"),
];

impl PostgresStore {
    /// Looks at everything, tells what is looked at, and gives what is wrong.
    pub(super) fn find_faults(&self, looking: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        let mut found = Vec::new();
        let tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";
        for table in texts(&self.db, tables).map_err(super::failed("list the tables"))? {
            looking(&format!("pages of {table}"));
            self.check_pages(&table, &mut found);
        }
        for (subject, what, from) in STRAYS {
            looking(&format!("{subject} that belong to nothing"));
            match number(&self.db, &format!("SELECT count(*) FROM {from}")) {
                Ok(0) => {}
                Ok(count) => found.push(finding(subject, format!("{count} {what}"), TELL)),
                Err(error) => found.push(finding(subject, error.to_string(), RESTORE)),
            }
        }
        looking("rows that cannot be read");
        self.check_rows(&mut found);
        looking("sources and their coverage");
        self.check_sources(&mut found);
        looking("the change log");
        self.check_log(&mut found);
        looking("counts");
        self.check_counts(&mut found);
        Ok(found)
    }

    /// Reads a table from first to last page: what the server cannot read it says.
    fn check_pages(&self, table: &str, found: &mut Vec<Finding>) {
        let quoted = table.replace('"', "\"\"");
        if let Err(error) = number(&self.db, &format!("SELECT count(t) FROM \"{quoted}\" t")) {
            found.push(finding(table, error.to_string(), RESTORE));
        }
    }

    fn check_rows(&self, found: &mut Vec<Finding>) {
        let go_on = || ControlFlow::Continue(());
        passing_over("posts", found, |filter| self.each_post(filter, &mut |_| go_on()));
        passing_over("accounts", found, |filter| self.each_account(filter, &mut |_| go_on()));
        passing_over("relations", found, |filter| self.each_relation(filter, &mut |_| go_on()));
        passing_over("things", found, |filter| self.each_thing(filter, &mut |_| go_on()));
        passing_over("links", found, |filter| self.each_link(filter, &mut |_| go_on()));
        if let Err(error) = self.each_list(&Filter::default(), &mut |_| go_on()) {
            found.push(finding("lists", error.to_string(), RESTORE));
        }
    }

    /// Each source by its number, so that one that is damaged hides no other.
    fn check_sources(&self, found: &mut Vec<Finding>) {
        let (mut above, mut count) = (0, 0);
        let next = "SELECT id FROM sources WHERE id > $1 ORDER BY id LIMIT 1";
        loop {
            let id: Option<u32> = match self
                .db
                .prepare_cached(next)
                .and_then(|mut next| next.query_row([above], |row| row.get(0)).optional())
            {
                Ok(id) => id,
                Err(error) => return found.push(finding("sources", error.to_string(), RESTORE)),
            };
            let Some(id) = id else { return };
            above = id;
            let wrong = match source::load(&self.db, &self.networks, SourceId(id)) {
                Ok(source) => source.and_then(|source| contradiction(&source.coverage)),
                Err(error) => Some(error.to_string()),
            };
            let Some(wrong) = wrong else { continue };
            count += 1;
            if count <= FINDINGS_MAX {
                let remedy = "let it be read anew: `freshet remove` it and `freshet add` it again";
                found.push(finding("sources", format!("source {id}: {wrong}"), remedy));
            }
        }
    }

    fn check_log(&self, found: &mut Vec<Finding>) {
        let mut above = 0;
        loop {
            match log::above(&self.db, &self.networks, above, LINES) {
                Ok(lines) => match lines.last() {
                    Some(last) => above = last.number,
                    None => break,
                },
                Err(error) => {
                    let what = format!("a line above number {above} cannot be read: {error}");
                    found.push(finding("changes", what, RESTORE));
                    break;
                }
            }
        }
        let ahead = "SELECT consumer || ' stands at ' || number || ', and the log ends at ' || \
                     ((SELECT value FROM counters WHERE name = 'number') - 1) FROM cursors \
                     WHERE number >= (SELECT value FROM counters WHERE name = 'number') LIMIT 20";
        match texts(&self.db, ahead) {
            Ok(ahead) => found.extend(ahead.into_iter().map(|what| finding("cursors", what, RESTORE))),
            Err(error) => found.push(finding("cursors", error.to_string(), RESTORE)),
        }
        // Remains of notices that were taken (no subject, the last step) are no interrupted wish.
        let left = "SELECT count(*) FROM erasing WHERE NOT (step = 8 AND subject = 0)";
        if number(&self.db, left).is_ok_and(|count| count > 0) {
            let remedy = "run the same `freshet forget` again; `freshet run` finishes it too";
            found.push(finding("erasing", "a `forget` was interrupted: not all is erased yet", remedy));
        }
    }

    fn check_counts(&self, found: &mut Vec<Finding>) {
        for (name, rows) in COUNTS {
            // One statement, so that a crawl at work changes both or neither.
            let both = format!(
                "SELECT (SELECT value FROM counters WHERE name = '{name}'), (SELECT count(*) FROM {rows})"
            );
            let read = |row: &Row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
            match self.db.query_row(&both, [], read) {
                Ok((kept, counted)) if kept != counted => {
                    let what = format!("{kept} {name} are noted, and there are {counted}");
                    found.push(finding("counters", what, TELL));
                }
                Ok(_) => {}
                Err(error) => found.push(finding("counters", format!("{name}: {error}"), RESTORE)),
            }
        }
    }
}

/// The highest number that was ever given to an object or a change.
pub(super) fn last_number(db: &Connection) -> Result<u64> {
    let next = number(db, "SELECT value FROM counters WHERE name = 'number'")?;
    Ok(next.saturating_sub(1) as u64)
}

/// Reads rows to the end, however many of them are damaged.
fn passing_over(subject: &str, found: &mut Vec<Finding>, read: impl Fn(&Filter) -> Result<(), StoreError>) {
    let (mut filter, mut count) = (Filter::default(), 0);
    while let Err(error) = read(&filter) {
        count += 1;
        if count <= FINDINGS_MAX {
            found.push(finding(subject, error.to_string(), RESTORE));
        }
        match error {
            StoreError::Damaged { above: Some(above), .. } if above > filter.above => {
                filter.above = above;
            }
            _ => break,
        }
    }
    if count > FINDINGS_MAX {
        found.push(finding(subject, format!("{} more are damaged", count - FINDINGS_MAX), RESTORE));
    }
}

/// What in a coverage cannot be true at once.
fn contradiction(coverage: &Coverage) -> Option<String> {
    let ends = coverage.intervals.iter().position(|interval| interval.is_bottom)?;
    let below = coverage.intervals.len() - ends - 1;
    (below > 0).then(|| format!("its list is proven to end, and {below} intervals lie below that"))
}

fn finding(subject: impl Into<String>, what: impl Into<String>, remedy: &str) -> Finding {
    Finding { subject: subject.into(), what: what.into(), remedy: remedy.to_owned() }
}

fn texts(db: &Connection, sql: &str) -> Result<Vec<String>> {
    db.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn number(db: &Connection, sql: &str) -> Result<i64> {
    db.query_row(sql, [], |row| row.get(0))
}
