//! `cargo xtask experiments [--traces DIR] [--check] [NAME...]`: runs the studies and writes docs/results.
//!
//! The studies themselves live in `freshet_sim::study` and are started as an example in release form; this task knows where the
//! results go and where traces may lie. Without traces it says what it lacks, and does nothing.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{cache, process};

/// Where traces lie beside the clone, unless `--traces` or `FRESHET_TEST_TRACES` says otherwise.
const BESIDE: &str = "../shared/traces";

pub(crate) fn run(args: &[String]) -> Result<()> {
    let root = cache::repository();
    let mut command = Command::new("cargo");
    command.current_dir(&root);
    command
        .args(["run", "--quiet", "--release", "--package", "freshet-sim", "--example", "experiments", "--"])
        .arg("--out")
        .arg(root.join("docs/results"));
    if !args.iter().any(|arg| arg == "--traces") {
        let given = std::env::var_os("FRESHET_TEST_TRACES").map(PathBuf::from);
        let traces = given.unwrap_or_else(|| root.join(BESIDE));
        if !traces.is_dir() {
            bail!(
                "no traces at `{}`: they are not part of the project; name their folder with `--traces DIR` (docs/results/README.md \
                 says which they are)",
                traces.display()
            );
        }
        command.arg("--traces").arg(traces);
    }
    process::aloud(command.args(args))
}
