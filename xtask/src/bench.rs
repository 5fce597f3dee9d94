//! `cargo xtask bench NAME`: builds the benchmark example in release form and passes its output on.
//!
//! The benchmarks themselves live in `crates/freshet/examples/bench`; this task only knows how to start
//! them, so the list of names comes from there too.

use std::process::Command;

use anyhow::Result;

use crate::{cache, process};

/// Runs one benchmark; without a name, the example lists what it has.
pub(crate) fn run(args: &[String]) -> Result<()> {
    // The dashboard is measured as the program serves it.
    if args.first().is_some_and(|name| name == "sources") {
        let mut build = Command::new("cargo");
        build.current_dir(cache::repository());
        build.args(["build", "--quiet", "--release", "--package", "freshet", "--bin", "freshet"]);
        process::aloud(&mut build)?;
    }
    let names = if args.is_empty() { &["--list".to_owned()][..] } else { args };
    let mut command = Command::new("cargo");
    command.current_dir(cache::repository());
    command
        .args(["run", "--quiet", "--release", "--package", "freshet", "--example", "bench", "--"])
        .args(names);
    process::aloud(&mut command)
}
