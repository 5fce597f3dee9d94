//! `freshet snapshot`: a folder to cite, and the check that it is still what it was.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_export::snapshot::{self, SnapshotWish};
use freshet_report::snapshot::{SnapshotReport, VerifyReport};

use crate::args::{SnapshotArgs, SnapshotCommand};
use crate::failure;
use crate::output::{self, Report};

/// Makes or verifies one.
pub(crate) fn execute(globals: &Globals, args: &SnapshotArgs) -> anyhow::Result<ExitCode> {
    match (&args.command, &args.dir) {
        (Some(SnapshotCommand::Verify { dir, report }), _) => {
            let found = snapshot::verify(dir)?;
            output::print(*report, &found)?;
            Ok(if found.is_whole { ExitCode::SUCCESS } else { failure::partly() })
        }
        (None, Some(dir)) => {
            output::print(args.report, &snapshot::make(globals, &wish(args), dir)?)?;
            Ok(ExitCode::SUCCESS)
        }
        (None, None) => Err(Failure::misuse("a snapshot needs a folder: `freshet snapshot DIR`").into()),
    }
}

fn wish(args: &SnapshotArgs) -> SnapshotWish {
    SnapshotWish {
        format: args.data_format,
        since: args.since,
        until: args.until,
        network: args.network.clone(),
        title: args.title.clone(),
        is_restart: args.restart,
        checkpoint_every: args.checkpoint_every,
    }
}

impl Report for SnapshotReport {
    fn text(&self) -> String {
        format!(
            "{} with {} in {}\nid: {}\nverify it with `freshet snapshot verify {}`",
            output::count(self.files_count as u64, "file"),
            output::count(self.posts_count, "post"),
            self.snapshot,
            self.id,
            self.snapshot
        )
    }
}

impl Report for VerifyReport {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for (what, names) in
            [("changed", &self.changed), ("missing", &self.missing), ("not part of it", &self.unknown)]
        {
            lines.extend(names.iter().map(|name| format!("{what}: {}", output::one_line(name))));
        }
        let count = output::count(self.files_count as u64, "file");
        lines.push(if self.is_whole {
            format!("{count}, all as they were\nid: {}", self.id)
        } else {
            format!("{count}; this is not the snapshot that was made")
        });
        lines.join("\n")
    }
}
