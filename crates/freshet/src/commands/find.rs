//! `freshet find`: accounts on a network by words, and watching them.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::find::{self, FindWish};
use freshet_report::find::{AccountsFound, FoundAccount};

use crate::args::FindArgs;
use crate::failure;
use crate::output::{self, Report, fitted};

/// Finds, and adds where that is wished.
pub(crate) fn execute(globals: &Globals, args: &FindArgs) -> anyhow::Result<ExitCode> {
    let wish = FindWish {
        network: args.network.clone(),
        query: args.words.join(" "),
        limit: args.limit as usize,
        adds: args.add,
        allow_private: args.allow_private,
    };
    let report = find::find(globals, &wish)?;
    output::print(args.report, &report)?;
    let is_whole = report.added.is_none_or(|added| added.refused_count == 0);
    Ok(if is_whole { ExitCode::SUCCESS } else { failure::partly() })
}

impl Report for AccountsFound {
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
        let heads = ["handle", "name", "#followers", "#posts", "address"];
        let table = fitted(&heads, self.accounts.iter().map(row));
        match &self.added {
            Some(added) => format!("{table}\n\n{}", added.text()),
            None => format!("{table}\n\nthe same command with --add watches them"),
        }
    }
}
