//! What people ask about: counts by day and user, and by day, source and user.
//!
//! An inquiry counts once for each user that its answer shows, and an answer once for each object. A post counts for the source that
//! brought it and for its author's own list; an account for its lists; a source for itself. Lists are those that a policy times: of
//! the others a weight changes nothing.

use freshet_types::{Map, Set, SourceId};

use super::db::{Connection, OptionalExtension, Result, params};
use crate::api::interest::{DAYS, Inquiry, InterestRow, ROWS_PER_DAY_MAX, SHOWN_MAX};

/// Lists of one account that an answer counts for; a network has one or two.
const LISTS_MAX: i64 = 8;
/// Lists of an account.
const LISTS: &str = "SELECT s.id FROM accounts a JOIN sources s ON s.root_id = a.native_id AND s.root_id <> '' \
     AND s.network = a.network WHERE a.id = $1 AND s.root_kind = 'account' AND s.robot IN ('status', 'comment') LIMIT $2";

/// What some inquiries come to.
#[derive(Default)]
struct Counts {
    asked: Map<i64, u64>,
    returned: Map<(u32, i64), u64>,
}

/// Counts on this day, and drops the days that nobody counts any more.
pub(super) fn count(db: &Connection, day: i64, inquiries: &[Inquiry]) -> Result<()> {
    let mut counts = Counts::default();
    for inquiry in inquiries {
        counts.add(db, inquiry)?;
    }
    // A clock that was ahead leaves days that have not come yet.
    for table in ["inquiries", "answers"] {
        let sweep = format!("DELETE FROM {table} WHERE day <= $1 OR day > $2");
        db.prepare_cached(&sweep)?.execute([day - DAYS, day])?;
    }
    let mut asked: Vec<_> = counts.asked.into_iter().collect();
    asked.sort_unstable();
    let mut room = room_in(db, "inquiries", day)?;
    for (user, count) in asked {
        let more = "UPDATE inquiries SET count = count + $3 WHERE day = $1 AND \"user\" = $2";
        if db.prepare_cached(more)?.execute(params![day, user, count as i64])? == 0 && room > 0 {
            let first = "INSERT INTO inquiries (day, \"user\", count) VALUES ($1, $2, $3)";
            room -= db.prepare_cached(first)?.execute(params![day, user, count as i64])?;
        }
    }
    let mut returned: Vec<_> = counts.returned.into_iter().collect();
    returned.sort_unstable();
    let mut room = room_in(db, "answers", day)?;
    for ((source, user), count) in returned {
        let more = "UPDATE answers SET count = count + $4 WHERE day = $1 AND source = $2 AND \"user\" = $3";
        let key = params![day, source, user, count as i64];
        if db.prepare_cached(more)?.execute(key)? == 0 && room > 0 {
            let first = "INSERT INTO answers (day, source, \"user\", count) VALUES ($1, $2, $3, $4)";
            room -= db.prepare_cached(first)?.execute(key)?;
        }
    }
    Ok(())
}

/// Rows that a day may still get.
fn room_in(db: &Connection, table: &str, day: i64) -> Result<usize> {
    let sql = format!("SELECT count(*) FROM {table} WHERE day = $1");
    let count: i64 = db.prepare_cached(&sql)?.query_row([day], |row| row.get(0))?;
    Ok(ROWS_PER_DAY_MAX.saturating_sub(count as usize))
}

/// What was asked in the days that end with this one.
pub(super) fn of(db: &Connection, day: i64) -> Result<Vec<InterestRow>> {
    let sql = "SELECT a.source, a.\"user\", \
                 COALESCE((SELECT sum(i.count) FROM inquiries i WHERE i.\"user\" = a.\"user\" AND i.day > $1 AND i.day <= $2), 0)::bigint, \
                 sum(a.count)::bigint \
               FROM answers a WHERE a.day > $1 AND a.day <= $2 GROUP BY a.source, a.\"user\" ORDER BY a.source, a.\"user\"";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map([day - DAYS, day], |row| {
        Ok(InterestRow {
            source: SourceId(row.get(0)?),
            user: row.get(1)?,
            asked_count: row.get::<_, i64>(2)? as u64,
            returned_count: row.get::<_, i64>(3)? as u64,
        })
    })?;
    rows.collect()
}

impl Counts {
    fn add(&mut self, db: &Connection, inquiry: &Inquiry) -> Result<()> {
        let mut users = Set::default();
        for &post in inquiry.posts.iter().take(SHOWN_MAX) {
            let find = "SELECT a.id, p.source FROM posts p \
                        LEFT JOIN accounts a ON a.network = p.network AND a.native_id = p.author WHERE p.id = $1";
            let found = db.prepare_cached(find)?.query_row([post as i64], |row| {
                Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<u32>>(1)?))
            });
            match found.optional()? {
                Some((Some(author), by)) => {
                    let mut lists = lists_of(db, author)?;
                    lists.extend(by.filter(|by| !lists.contains(by)));
                    self.returned(author, &lists, &mut users);
                }
                Some((None, Some(by))) => self.returned(-i64::from(by), &[by], &mut users),
                _ => {}
            }
        }
        for &account in inquiry.accounts.iter().take(SHOWN_MAX) {
            self.returned(account as i64, &lists_of(db, account as i64)?, &mut users);
        }
        for &source in inquiry.sources.iter().take(SHOWN_MAX) {
            let find = "SELECT a.id FROM sources s LEFT JOIN accounts a ON s.root_kind = 'account' \
                        AND a.network = s.network AND a.native_id = s.root_id WHERE s.id = $1";
            let found = db
                .prepare_cached(find)?
                .query_row([source.0], |row| row.get::<_, Option<i64>>(0))
                .optional()?;
            let Some(account) = found else { continue };
            self.returned(account.unwrap_or(-i64::from(source.0)), &[source.0], &mut users);
        }
        for user in users {
            *self.asked.entry(user).or_default() += 1;
        }
        Ok(())
    }

    /// Something of this user and these sources was an answer.
    fn returned(&mut self, user: i64, sources: &[u32], users: &mut Set<i64>) {
        users.insert(user);
        for &source in sources {
            *self.returned.entry((source, user)).or_default() += 1;
        }
    }
}

/// The lists of an account that a policy times.
fn lists_of(db: &Connection, account: i64) -> Result<Vec<u32>> {
    let mut find = db.prepare_cached(LISTS)?;
    let rows = find.query_map([account, LISTS_MAX], |row| row.get(0))?;
    rows.collect()
}
