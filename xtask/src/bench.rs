//! `cargo xtask bench [NAME]`: builds the benchmark example in release form and passes its output on.
//!
//! The benchmarks themselves live in `crates/freshet/examples/bench`; this task only knows how to start
//! them, so the list of names comes from there too. Each has a process to itself, for one of them measures
//! the memory of its process, and one that fails must not take the others along.

use std::process::Command;

use anyhow::{Result, bail};

use crate::{cache, process};

const USAGE: &str = "usage: cargo xtask bench [--list | NAME] [--small]";

/// Runs one benchmark; without a name, one after the other.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let is_named = args.first().is_some_and(|name| !name.starts_with("--") || name == "--list");
    if is_named {
        return one(args);
    }
    if let Some(unknown) = args.iter().find(|arg| *arg != "--small") {
        bail!("no option `{unknown}`\n{USAGE}");
    }
    let names = process::output(example().arg("--list"))?;
    let mut failed = Vec::new();
    for name in names.lines() {
        println!("== {name}");
        if let Err(error) = one(&[&[name.to_owned()], args].concat()) {
            println!("error: {error:#}");
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}

fn one(args: &[String]) -> Result<()> {
    // The dashboard is measured as the program serves it.
    if args.first().is_some_and(|name| name == "sources") {
        process::aloud(cargo().args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "freshet",
            "--bin",
            "freshet",
        ]))?;
    }
    process::aloud(example().args(args))
}

fn example() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "freshet", "--example", "bench", "--"]);
    command
}

fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(cache::repository());
    command
}
