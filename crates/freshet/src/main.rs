//! freshet: keeps a local, queryable copy of what people post, as fresh as requests allow.
//!
//! The faces: command line, terminal view, dashboard. The only crate that prints,
//! parses arguments or reads the environment; everything it knows how to do lives in the
//! crates below it. Exit codes: 0 done, 1 failed, 2 misuse.

mod alert;
mod args;
mod commands;
mod config;
mod crawl;
mod data;
mod export;
mod failure;
mod mined;
mod output;
mod progress;
mod relearn;
mod view;
mod web;
mod when;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use tracing_subscriber::EnvFilter;

use args::Args;
use config::{Config, Globals};
use output::Manner;

/// Pages are built on one thread and dropped on another, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = match parse() {
        Ok(args) => args,
        Err(error) => {
            // Help goes to standard output, complaints to standard error; either may be closed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let config = Config::from_environment();
    output::settle(Manner {
        is_quiet: args.global.quiet,
        colour: args.global.color,
        has_no_color: config.has_no_color,
    });
    let globals = Globals::new(args.global, config);
    start_log(&globals);
    commands::execute(&globals, args.command).unwrap_or_else(|error| failure::report(&error))
}

/// Reads the command line; what is wrong with it is said in the colour that it asks for.
fn parse() -> Result<Args, clap::Error> {
    let words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let has = |when: &str| {
        let is_pair = |pair: &[String]| pair[0] == "--color" && pair[1] == when;
        words.iter().any(|word| *word == format!("--color={when}")) || words.windows(2).any(is_pair)
    };
    let choice = match (has("always"), has("never")) {
        (true, false) => clap::ColorChoice::Always,
        (_, true) => clap::ColorChoice::Never,
        (false, false) => clap::ColorChoice::Auto,
    };
    let matches = Args::command().color(choice).try_get_matches()?;
    Args::from_arg_matches(&matches)
}

/// Logs go to standard error, warnings and worse unless more is asked for.
fn start_log(globals: &Globals) {
    let level = match globals.verbosity {
        0 if output::is_quiet() => "error",
        0 => "warn",
        1 => "info,freshet=debug",
        _ => "debug",
    };
    let directives = globals.config.log.as_deref().unwrap_or(level);
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(directives))
        .with_writer(std::io::stderr)
        .with_ansi(output::has_colour(std::io::stderr().is_terminal()))
        .init();
}
