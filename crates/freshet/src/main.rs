//! freshet: keeps a local, queryable copy of what people post, as fresh as requests allow.
//!
//! The program: arguments, one thin file for each command, what is printed, the live view. The only crate that prints
//! or parses arguments; everything it knows how to do lives in the crates below it (`freshet-app` first).
//! Exit codes: 0 done, 1 failed, 2 misuse.
//!
//! | room | does |
//! |---|---|
//! | [`args`] | every command, its options and its help, as data |
//! | [`commands`] | one file for each: arguments become a wish, one call carries it out, one report is printed |
//! | [`crawl`] | a crawl with view, dashboard and alerts around it |
//! | [`view`] | the live view of a crawl |
//! | [`output`] | the one room through which text leaves: reports, tables, notes, colour |
//! | [`console`] | shows what the crates below say beside their result: notes, progress, questions for a secret |
//! | [`failure`] | errors on standard error, and exit codes |

mod args;
mod commands;
mod console;
mod crawl;
mod failure;
mod output;
mod view;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use freshet_app::config::{Config, Globals};
use tracing_subscriber::EnvFilter;

use args::{Args, Colour};
use output::Speech;

/// Pages are built on one thread and dropped on another, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let (command, colour) = (command_of(&words), colour_of(&words));
    let config = Config::from_environment();
    let has_no_color = config.has_no_color;
    let args = match parse(colour, &words) {
        Ok(args) => args,
        Err(error) => {
            output::settle(Speech { is_quiet: false, colour, has_no_color });
            return failure::report_usage(&error, &command);
        }
    };
    output::settle(Speech { is_quiet: args.global.quiet, colour: args.global.color, has_no_color });
    console::listen();
    let viewer = args.viewer();
    let store = args.global.store_address().unwrap_or_default();
    let globals = Globals::new(args.global.data, args.global.clock, args.global.verbose, config)
        .with_store(store)
        .seen_as(viewer);
    start_log(&globals);
    // Connections and files of a large crawl need more than the usual soft limit.
    freshet_fetch::descriptors::raise();
    commands::execute(&globals, args.command).unwrap_or_else(|error| failure::report(&error, &command))
}

/// Reads the command line; help is shown in the colour that it asks for.
fn parse(colour: Colour, words: &[String]) -> Result<Args, clap::Error> {
    let choice = match colour {
        Colour::Always => clap::ColorChoice::Always,
        Colour::Never => clap::ColorChoice::Never,
        Colour::Auto => clap::ColorChoice::Auto,
    };
    let matches = Args::command().color(choice).try_get_matches()?;
    let mut args = Args::from_arg_matches(&matches)?;
    let conflict = |why: &str| Args::command().error(clap::error::ErrorKind::ArgumentConflict, why);
    // One before the command and one behind it are not both seen, and the wrong store must not be written to.
    let is_store = |word: &&String| *word == "--store" || word.starts_with("--store=");
    let said = words.iter().take_while(|word| *word != "--").filter(is_store).count();
    if said > args.global.store.len() {
        return Err(conflict("write every `--store` behind the command"));
    }
    args.global.store_address().map_err(conflict)?;
    args.settle();
    Ok(args)
}

/// The command that is meant, as one would type it; known before the line is understood.
fn command_of(words: &[String]) -> String {
    let mut command = Args::command();
    let mut path = vec!["freshet".to_owned()];
    for word in words.iter().skip(1) {
        if let Some(found) = command.find_subcommand(word).cloned() {
            path.push(found.get_name().to_owned());
            command = found;
        }
    }
    path.join(" ")
}

/// When colour is wanted, before the line is understood.
fn colour_of(words: &[String]) -> Colour {
    let has = |when: &str| {
        let is_pair = |pair: &[String]| pair[0] == "--color" && pair[1] == when;
        words.iter().any(|word| *word == format!("--color={when}")) || words.windows(2).any(is_pair)
    };
    match (has("always"), has("never")) {
        (true, false) => Colour::Always,
        (_, true) => Colour::Never,
        (false, false) => Colour::Auto,
    }
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
        .with_writer(|| output::Aside)
        .with_ansi(output::has_colour(std::io::stderr().is_terminal()))
        .init();
}
