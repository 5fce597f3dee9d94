//! Benchmarks: `cargo xtask bench NAME`. Each prints a table for people and ends with one JSON
//! line `{"bench": NAME, …figures…, "ratios": {…}}`; every ratio is measured in that one run,
//! because machines differ and are never quiet.

#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]

mod forum;
mod ingest;
mod memory;
mod pages;
mod pipeline;
mod scheduler;
mod sources;

use std::process::ExitCode;

/// Pages are built on one thread and dropped on another, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let outcome = match name.as_str() {
        "pipeline" => pipeline::run(),
        "ingest" => ingest::run(),
        "memory" => memory::run(),
        "forum" => forum::run(),
        "sources" => sources::run(),
        "scheduler" => {
            scheduler::run();
            Ok(())
        }
        "--list" => {
            println!("pipeline\ningest\nmemory\nscheduler\nforum\nsources");
            return ExitCode::SUCCESS;
        }
        _ => {
            println!(
                "there is no benchmark `{name}`; there are pipeline, ingest, memory, scheduler, forum, sources"
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
