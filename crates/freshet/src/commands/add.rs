//! `freshet add`: watch accounts, feeds, tags, threads, forums and single pages.
//!
//! What cannot be understood is told by line with its reason; the rest is added (exit code 1). When nothing is
//! understood, nothing is stored (exit code 2).

use std::process::ExitCode;

use freshet_app::add::{self, AddWish};
use freshet_app::config::Globals;
use freshet_app::retention;
use freshet_app::storing;
use freshet_report::add::{AddReport, FoundFeed, LearnedForum};

use crate::args::{AddArgs, AddKind};
use crate::failure;
use crate::output::{self, Report, count};

/// Adds.
pub(crate) fn execute(globals: &Globals, args: &AddArgs) -> anyhow::Result<ExitCode> {
    retention::check(args.retention, args.yes)?;
    let report = add::add(globals, &wish(args))?;
    output::print(args.report, &report)?;
    Ok(if report.refused_count == 0 { ExitCode::SUCCESS } else { failure::partly() })
}

fn wish(args: &AddArgs) -> AddWish {
    AddWish {
        references: args.references.clone(),
        file: args.file.clone(),
        column: args.column.clone(),
        since: args.since,
        retention: args.retention,
        weight: args.weight,
        keeping: args.keeping().map(storing::keeping),
        allow_private: args.allow_private,
        is_forum: args.kind == Some(AddKind::Forum),
        is_page: args.kind == Some(AddKind::Page),
        seen_as: None,
    }
}

impl Report for AddReport {
    fn text(&self) -> String {
        let mut lines: Vec<String> = self.learned.iter().map(learned).collect();
        lines.extend(self.feeds.iter().map(found));
        lines.push(format!(
            "{} added, {} already there, {} not understood",
            self.added_count,
            self.known_count,
            self.refused_count - self.forgotten_count
        ));
        if self.forgotten_count > 0 {
            lines.push(format!("{} forgotten and not added", self.forgotten_count));
        }
        if self.refused_count > 0 {
            lines.push(add::refusals(self));
        }
        if self.sources_count > 0 {
            lines
                .push(format!("{} to visit; `freshet run` visits them", count(self.sources_count, "source")));
        }
        lines.extend(self.private_hosts.iter().map(|host| {
            format!("note: `{host}` is a private address and is not asked; add it with --allow-private to allow it")
        }));
        lines.extend(self.stopped_robots.iter().map(|robot| {
            format!("note: the robot `{robot}` does not work now; `freshet robots start {robot}` starts it")
        }));
        lines.join("\n")
    }
}

/// A feed that was found, and what else there was.
fn found(feed: &FoundFeed) -> String {
    let line = format!("found the feed `{}` of `{}`", feed.feed, feed.reference);
    match feed.others.as_slice() {
        [] => line,
        others => {
            format!("{line}; it also offers {} (`freshet add rss:ADDRESS` adds one)", others.join(", "))
        }
    }
}

/// A forum that was learned.
fn learned(site: &LearnedForum) -> String {
    format!(
        "learned `{}` from {}: lists of threads (confidence {:.2}) and of posts ({:.2}); `{}` says how it is read",
        site.network,
        count(site.page_count as u64, "page"),
        site.index_confidence,
        site.post_confidence,
        site.file.display()
    )
}
