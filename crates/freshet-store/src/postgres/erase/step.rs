//! The steps of erasing, as the table `erasing` notes them. Who does them is not said here.

use super::super::db::{Connection, Result, params};

/// What a line of `erasing` is about. Released numbers never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Takes the text out of posts by others that repeat posts of an account.
    RepostsOfAccount = 0,
    /// The same, of one post.
    RepostsOfPost = 1,
    /// The same, of posts that a source without an author brought.
    RepostsOfList = 2,
    /// Posts that a source without an author brought.
    PostsOfList = 3,
    Post = 4,
    /// An account: its posts, its relations, its tags, itself.
    Account = 5,
    /// Visits and raw answers of a source.
    Visits = 6,
    /// A list of a forum.
    List = 7,
    /// Remains in tables and indexes.
    Scrub = 8,
}

/// All steps, each at the place of its number.
pub(super) const STEPS: [Step; 9] = [
    Step::RepostsOfAccount,
    Step::RepostsOfPost,
    Step::RepostsOfList,
    Step::PostsOfList,
    Step::Post,
    Step::Account,
    Step::Visits,
    Step::List,
    Step::Scrub,
];

/// Notes a step that is left to do.
pub(super) fn note(db: &Connection, subject: i64, step: Step, (object, id): (i64, &str)) -> Result<()> {
    let insert = "INSERT INTO erasing (subject, step, object, id) VALUES ($1, $2, $3, $4)";
    db.prepare_cached(insert)?.execute(params![subject, step as i64, object, id])?;
    Ok(())
}

/// Whether such a step is left to do.
pub(super) fn is_noted(db: &Connection, step: Step) -> Result<bool> {
    let find = "SELECT EXISTS (SELECT 1 FROM erasing WHERE step = $1)";
    db.prepare_cached(find)?.query_row([step as i64], |row| row.get(0))
}
