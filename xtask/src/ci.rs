//! `cargo xtask ci`: what must be green before a change lands.
//!
//! Formatting, tidy, clippy with warnings denied, then exactly the README's test command, as a person
//! would type it. The build lives in the cache folder, so that a fresh clone finds it warm; without
//! debug information and incremental files it is small, and all steps share it.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::{cache, process};

/// Name and arguments of each cargo step, cheapest first.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("tidy", &["xtask", "tidy"]),
    ("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("test", &["xtask", "test"]),
];

/// Runs the steps in order and stops at the first that fails.
pub(crate) fn run() -> Result<()> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (name, args) in STEPS {
        println!("== {name}: cargo {}", args.join(" "));
        let start = Instant::now();
        let result = process::aloud(&mut cargo(args));
        times.push((name, start.elapsed()));
        if result.is_err() {
            report(&times);
        }
        result.with_context(|| format!("step `{name}`"))?;
    }
    report(&times);
    Ok(())
}

fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(cache::repository()).args(args);
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        command.env("CARGO_TARGET_DIR", cache::folder().join("target"));
    }
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    command
}

fn report(times: &[(&str, Duration)]) {
    println!("== time");
    for (name, time) in times {
        println!("{name:>12} {:>7.1} s", time.as_secs_f64());
    }
}
