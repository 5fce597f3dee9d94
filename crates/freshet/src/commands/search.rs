//! `freshet search`: posts in the store by their text, or accounts on a network by their name.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::plain::plain;
use freshet_app::search::{self, AccountWish, FoundAccount, FoundPost};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::args::SearchArgs;
use crate::output::{self, COLUMNS, Report, fitted, one_line, shorten, wrapped};

/// Columns of an author.
const AUTHOR_COLUMNS_MAX: usize = 20;
/// Before the text of a post, which stands below its author and address.
const INDENT: &str = "    ";

/// Searches here or there.
pub(crate) fn execute(globals: &Globals, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    match &args.network {
        Some(network) if args.online => {
            let wish = AccountWish { network, query: &args.query, allow_private: args.allow_private };
            let accounts = search::accounts(globals, &wish, args.limit as usize)?;
            output::print(args.report, &AccountsReport { network: network.clone(), accounts })?;
        }
        _ => {
            let hits = search::posts(globals, &args.query, args.limit as usize)?;
            output::print(args.report, &PostsReport { query: args.query.clone(), hits })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct PostsReport {
    query: String,
    hits: Vec<FoundPost>,
}

impl Report for PostsReport {
    fn text(&self) -> String {
        if self.hits.is_empty() {
            return format!("no post matches `{}`", self.query);
        }
        let hit = |it: &FoundPost| {
            let author = shorten(it.author.as_deref().unwrap_or("somebody"), AUTHOR_COLUMNS_MAX);
            let text = wrapped(&plain(&it.snippet).replace('\n', " "), COLUMNS - INDENT.len(), INDENT);
            let (head, id) = (format!("{}  {author}", it.shown_at), one_line(&it.id));
            // Addresses are for copying, so they are never cut.
            let fits = head.width() + 2 + id.width() <= COLUMNS;
            let between = if fits { "  ".to_owned() } else { format!("\n{INDENT}") };
            format!("{head}{between}{id}\n{INDENT}{text}")
        };
        self.hits.iter().map(hit).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Serialize)]
struct AccountsReport {
    network: String,
    accounts: Vec<FoundAccount>,
}

impl Report for AccountsReport {
    fn text(&self) -> String {
        if self.accounts.is_empty() {
            return format!("no account was found on {}", self.network);
        }
        let number = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let row = |it: &FoundAccount| {
            vec![
                it.handle.clone().unwrap_or_else(|| it.native_id.clone()),
                it.name.clone().unwrap_or_default(),
                number(it.followers_count),
                number(it.posts_count),
                it.url.clone().unwrap_or_default(),
            ]
        };
        fitted(&["handle", "name", "#followers", "#posts", "address"], self.accounts.iter().map(row))
    }
}
