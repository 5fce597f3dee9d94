//! Every development task of the project: `cargo xtask NAME`. Not one of the ten steps.
//!
//! One file a task, plain `std` plus anyhow and `serde_json`, so that it builds in seconds. It runs cargo,
//! package managers and the finished binary as other people would; it links no crate of the product.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a development tool talks to a terminal; of the product, only `freshet` does"
)]

mod bench;
mod cache;
mod chaos;
mod ci;
mod dist;
mod experiments;
mod process;
mod screenshots;
mod servers;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask TASK

  test [--quick] [-- FILTER]          all tests; prepares the real servers first (--quick: without them)
  ci                                  formatting, tidy, clippy, then `cargo xtask test`
  tidy                                house rules: edges, module cycles, sizes, headers, words, documents
  chaos [--rounds N] [--seed N] [--faults A,B,...] [--freshet FILE]
                                      kill and disturb a crawl again and again, then compare export and truth
  bench [NAME] [--small]              run a benchmark; without a name, all of them (--list: their names)
  experiments [--traces DIR] [--check] [NAME...]
                                      policies on recorded histories; writes docs/results (--check: compares)
  screenshots                         pictures of the dashboard into docs/screenshots, by the browser tests
  dist [--out DIR] [--target TRIPLE] [--binary FILE]
                                      a folder and an archive to hand to others: program, manual, unit
  servers                             only prepare the real servers that tests use
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let (task, rest) = match args.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", args),
    };
    match task {
        "test" => test::run(rest),
        "ci" => ci::run(),
        "tidy" => tidy::run(),
        "chaos" => chaos::run(rest),
        "bench" => bench::run(rest),
        "experiments" => experiments::run(rest),
        "screenshots" => screenshots::run(),
        "dist" => dist::run(rest),
        "servers" => servers::prepare().map(|_| ()),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("no task `{other}`\n\n{HELP}"),
    }
}
