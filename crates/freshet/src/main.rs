//! freshet: keeps a local, queryable copy of what people post, as fresh as requests allow.
//!
//! The faces: command line, terminal view, dashboard. The only crate that prints,
//! parses arguments or reads the environment; everything it knows how to do lives in the
//! crates below it. Exit codes: 0 done, 1 failed, 2 misuse.

mod args;
mod commands;
mod config;
mod crawl;
mod data;
mod failure;
mod mined;
mod output;
mod view;
mod web;
mod when;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use args::Args;
use config::{Config, Globals};

/// Pages are built on one thread and dropped on another, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help goes to standard output, complaints to standard error; either may be closed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let globals = Globals::new(args.global, Config::from_environment());
    start_log(&globals);
    commands::execute(&globals, args.command).unwrap_or_else(|error| failure::report(&error))
}

/// Logs go to standard error, warnings and worse unless more is asked for.
fn start_log(globals: &Globals) {
    let level = match globals.verbosity {
        0 => "warn",
        1 => "info,freshet=debug",
        _ => "debug",
    };
    let directives = globals.config.log.as_deref().unwrap_or(level);
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(directives))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}
