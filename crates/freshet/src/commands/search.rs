//! `freshet search`: posts in the store by their text.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::interest;
use freshet_app::plain::plain;
use freshet_app::search;
use freshet_report::search::{FoundPost, PostsFound};
use freshet_types::Timestamp;
use unicode_width::UnicodeWidthStr as _;

use crate::args::SearchArgs;
use crate::output::{self, COLUMNS, Report, one_line, shorten, wrapped};

/// Columns of an author.
const AUTHOR_COLUMNS_MAX: usize = 20;
/// Before the text of a post, which stands below its author and address.
const INDENT: &str = "    ";

/// Searches.
pub(crate) fn execute(globals: &Globals, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    let (hits, inquiry) = search::posts(globals, &args.query, args.limit as usize)?;
    output::print(args.report, &PostsFound { query: args.query.clone(), hits })?;
    interest::count(globals, inquiry);
    Ok(ExitCode::SUCCESS)
}

impl Report for PostsFound {
    fn text(&self) -> String {
        if self.hits.is_empty() {
            return format!("no post matches `{}`", self.query);
        }
        let hit = |it: &FoundPost| {
            let author = shorten(it.author.as_deref().unwrap_or("somebody"), AUTHOR_COLUMNS_MAX);
            let text = wrapped(&plain(&it.snippet).replace('\n', " "), COLUMNS - INDENT.len(), INDENT);
            let created = it.created_at.map_or_else(|| "no time".to_owned(), |at| minute(at.0));
            let (head, id) = (format!("{created}  {author}"), one_line(&it.id));
            // Addresses are for copying, so they are never cut.
            let fits = head.width() + 2 + id.width() <= COLUMNS;
            let between = if fits { "  ".to_owned() } else { format!("\n{INDENT}") };
            format!("{head}{between}{id}\n{INDENT}{text}")
        };
        self.hits.iter().map(hit).collect::<Vec<_>>().join("\n")
    }
}

/// An instant to the minute, in UTC.
fn minute(at: Timestamp) -> String {
    let shown = at.to_string();
    shown.get(..16).unwrap_or(&shown).replace('T', " ")
}
