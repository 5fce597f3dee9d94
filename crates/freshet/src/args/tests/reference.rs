//! The reference of all commands, written from their declarations.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Args;

const HEAD: &str = "\
# Commands

Made from `crates/freshet/src/args.rs`; the test that compares them says how to write it anew. `freshet man -o DIR` writes the same as manual pages.

Options of every command: `--data DIR`, `--clock URL`, `-v`, `--quiet`, `--color WHEN`. Reports take `--format json`. Exit codes: 0 done, 1 failed, 2 misuse.
";

fn reference() -> String {
    let mut command = Args::command();
    command.build();
    let mut text = HEAD.to_owned();
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        add(&mut text, inner, "freshet");
    }
    text
}

fn add(text: &mut String, command: &Command, above: &str) {
    let name = format!("{above} {}", command.get_name());
    let level = if above == "freshet" { "##" } else { "###" };
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(text, "\n{level} {name}\n\n{about}.\n");
    let is_own =
        |arg: &&Arg| !arg.is_global_set() && !matches!(arg.get_id().as_str(), "help" | "version" | "format");
    let own: Vec<&Arg> = command.get_arguments().filter(is_own).collect();
    let takes_format = command.get_arguments().any(|arg| arg.get_id() == "format");
    if !own.is_empty() || takes_format {
        text.push_str("\n| argument | meaning |\n|---|---|\n");
    }
    for arg in own.into_iter().chain(command.get_arguments().filter(|arg| arg.get_id() == "format")) {
        let _ = writeln!(text, "| `{}` | {} |", shown(arg), meaning(arg));
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let _ = write!(text, "\n```\n{}\n```\n", examples.trim_start_matches("Examples:\n").trim_end());
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        add(text, inner, &name);
    }
}

fn shown(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let value = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let value = if arg.get_action().takes_values() { value } else { String::new() };
    let names = [arg.get_short().map(|it| format!("-{it}")), arg.get_long().map(|it| format!("--{it}"))];
    let names: Vec<String> = names.into_iter().flatten().collect();
    if names.is_empty() { value } else { format!("{} {value}", names.join(", ")).trim().to_owned() }
}

fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default().replace('\n', " ");
    let values: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if arg.get_action().takes_values() && !values.is_empty() {
        let _ = write!(text, ": {}", values.join(", "));
    }
    let usual: Vec<_> = arg.get_default_values().iter().map(|it| it.to_string_lossy()).collect();
    if arg.get_action().takes_values() && !usual.is_empty() {
        let _ = write!(text, " (`{}` unless set)", usual.join(","));
    }
    text.replace('|', "\\|")
}

/// Run with `FRESHET_BLESS=1` to write it anew.
#[test]
fn the_published_commands_are_those_of_the_program() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    #[expect(clippy::disallowed_methods, reason = "a developer's switch, read by this test only")]
    if std::env::var("FRESHET_BLESS").is_ok() {
        std::fs::write(&path, reference()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == reference(),
        "docs/reference/commands.md is out of date; run this test with FRESHET_BLESS=1"
    );
}
