//! The README of a snapshot: what, when, how, and with what holes. Pure: facts in, text out.

use std::fmt::Write as _;

use freshet_app::text;
use freshet_app::text::grouped;
use freshet_engine::constrain::setting::Rule;
use freshet_report::UnixNumber;
use freshet_report::snapshot::{CoverageSums, SnapshotConstraint, SnapshotDefinition, SnapshotFacts};
use freshet_sink::RecordKind;
use freshet_types::Timestamp;

/// Everything that is told.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) version: u32,
    pub(super) freshet: &'static str,
    pub(super) title: Option<String>,
    pub(super) made_at: Timestamp,
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) network: Option<String>,
    pub(super) format: &'static str,
    /// First and last day with a post.
    pub(super) days: Option<(String, String)>,
    /// Kind of record and how many.
    pub(super) counts: Vec<(String, u64)>,
    pub(super) deleted_count: u64,
    pub(super) constraints: Vec<Rule>,
    /// The focus that is all that is collected.
    pub(super) focus: Option<String>,
    pub(super) definitions: Vec<SnapshotDefinition>,
    pub(super) coverage: CoverageSums,
}

impl Facts {
    /// The facts for programs.
    pub(super) fn report(&self) -> SnapshotFacts {
        let at = |at: Option<Timestamp>| at.and_then(UnixNumber::of);
        let rule = |it: &Rule| SnapshotConstraint {
            type_name: it.type_name.clone(),
            text: it.text.clone(),
            purpose: Some(it.purpose.name()).filter(|name| *name != "store").map(str::to_owned),
        };
        SnapshotFacts {
            version: self.version,
            freshet: self.freshet.to_owned(),
            title: self.title.clone(),
            made_at: UnixNumber(self.made_at),
            since: at(self.since),
            until: at(self.until),
            network: self.network.clone(),
            format: self.format.to_owned(),
            days: self.days.clone(),
            counts: self.counts.iter().map(|(kind, count)| (format!("{kind}_count"), *count)).collect(),
            constraints: self.constraints.iter().map(rule).collect(),
            focus: self.focus.clone(),
            definitions: self.definitions.clone(),
            coverage: self.coverage.clone(),
            revision: None,
            revised_at: None,
            revises: None,
        }
    }

    /// How many records of a kind.
    pub(super) fn count_of(&self, kind: RecordKind) -> u64 {
        self.counts.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, count)| *count)
    }

    /// The README.
    pub(super) fn text(&self) -> String {
        let title = self.title.as_deref().map_or("A snapshot of collected posts".to_owned(), text::one_line);
        [
            format!("# {title}\n"),
            self.what(),
            format!("## What is proven complete\n\n{}\n", self.coverage()),
            self.how(),
            self.files(),
            CHECK.to_owned(),
        ]
        .join("\n")
    }

    fn what(&self) -> String {
        let posts = self.count_of(RecordKind::Posts);
        let days = self.days.as_ref().map_or_else(String::new, |(first, last)| {
            if first == last {
                format!(" made on {first}")
            } else {
                format!(" made between {first} and {last}")
            }
        });
        let chosen = [
            self.since.map(|since| format!("created since {since}")),
            self.until.map(|until| format!("created before {until}")),
            self.network.as_ref().map(|network| format!("of `{network}` only")),
        ];
        let chosen: Vec<String> = chosen.into_iter().flatten().collect();
        let chosen = if chosen.is_empty() {
            "Nothing that was collected is left out.".to_owned()
        } else {
            format!("Only posts {} were taken.", chosen.join(", "))
        };
        let mut text = format!(
            "{} posts{days}, with {} accounts, {} relations, {} other objects, {} links and {} changes that were noticed.\n\
             Taken by freshet {} at {} (UTC). {chosen}\n",
            grouped(posts),
            grouped(self.count_of(RecordKind::Accounts)),
            grouped(self.count_of(RecordKind::Relations)),
            grouped(self.count_of(RecordKind::Objects)),
            grouped(self.count_of(RecordKind::Links)),
            grouped(self.count_of(RecordKind::Changes)),
            self.freshet,
            self.made_at,
        );
        if self.deleted_count > 0 {
            let _ = write!(
                text,
                "{} posts of the whole collection were found deleted by their authors or networks; `deleted_at` \
                 marks them.\nThink before you pass them on.\n",
                grouped(self.deleted_count)
            );
        }
        text
    }

    /// The statement, in words and numbers.
    fn coverage(&self) -> String {
        let it = &self.coverage;
        if it.lists_count == 0 {
            return "No list of posts was watched; nothing is proven.".to_owned();
        }
        let mut lines = vec![format!(
            "Of {} that were watched, {} are proven complete: of what their networks showed us, no post is missing \
             between the first one wanted and the last look.",
            text::count(it.lists_count, "list"),
            it.complete_count
        )];
        if let (Some(first), Some(last)) = (it.complete_until_min, it.complete_until_max) {
            lines.push(format!("These last looks were taken between {} and {}.", first.0, last.0));
        }
        if it.holes_count > 0 {
            lines.push(format!(
                "{} may hide posts; {} of them cannot be closed any more.",
                text::count(it.holes_count, "hole"),
                it.uncloseable_count
            ));
        }
        if it.unvisited_count > 0 {
            lines.push(format!(
                "{} never visited: nothing is known of what is there.",
                were(it.unvisited_count)
            ));
        }
        if it.unreadable_count > 0 {
            let lists = text::count(it.unreadable_count, "list");
            lines.push(format!(
                "{lists} could not be read: gone, suspended, private, or their owners do not want it."
            ));
        }
        if it.removed_count > 0 {
            lines.push(format!(
                "{} taken off the watch; what was collected of them stays.",
                were(it.removed_count)
            ));
        }
        if !self.constraints.is_empty() {
            lines.push("Constraints said what was stored, followed, visited again and let in:".to_owned());
            lines.extend(
                self.constraints
                    .iter()
                    .map(|rule| format!("- {} `{}`: `{}`", rule.purpose.name(), rule.type_name, rule.text)),
            );
        }
        if let Some(focus) = &self.focus {
            lines.push(format!(
                "Only posts inside this focus were stored: `{focus}`. Others count as seen above, and are not here."
            ));
        }
        lines.push(
            "Complete does not mean everything that was ever posted: what was deleted before the first look, \
             what the network does not show without an account, and people who ask not to be collected are not here."
                .to_owned(),
        );
        lines.push("`coverage.jsonl` says the same list by list, with the time of every hole.".to_owned());
        lines.join("\n")
    }

    fn how(&self) -> String {
        let row = |it: &SnapshotDefinition| format!("| {} | `{}` | `{}` |", it.network, it.file, it.sha256);
        let rows: Vec<String> = self.definitions.iter().map(row).collect();
        format!(
            "## How it was read\n\nNetworks were read by these definitions, at their interfaces for programs or, for \
             feeds and forums, as pages, under the limits they announce.\n\n\
             | network | definition | SHA-256 |\n|---|---|---|\n{}\n",
            rows.join("\n")
        )
    }

    fn files(&self) -> String {
        let (format, counts) = (self.format, &self.counts);
        let data = counts
            .iter()
            .map(|(kind, count)| format!("| `data/{kind}.{format}` | {} records |", grouped(*count)));
        format!(
            "## Files\n\n| file | holds |\n|---|---|\n{}\n\
             | `data/export.json` | what was asked for, and the hash of each data file |\n\
             | `ids.txt` | the address of every post, `network/type/id` |\n\
             | `coverage.jsonl` | what is proven complete, list by list |\n\
             | `networks/` | the definitions |\n\
             | `snapshot.json` | the facts of this page, for programs |\n\
             | `SHA256SUMS` | the hash of every file |\n\n\
             Times are unix seconds; `created_at` is when a post was made, `seen_at` when it was first seen here.\n",
            data.collect::<Vec<_>>().join("\n")
        )
    }
}

const CHECK: &str = "## Check it\n\n```\nfreshet snapshot verify .\nsha256sum --check SHA256SUMS\n```\n\n\
                     The SHA-256 of `SHA256SUMS` itself names this snapshot. Cite it.\n";

fn were(count: u64) -> String {
    if count == 1 { "1 list was".to_owned() } else { format!("{count} lists were") }
}
