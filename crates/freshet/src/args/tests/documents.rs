//! Every command that the documents print can be typed: each `freshet …` in a block of code or between backticks is read
//! as a shell would split it, and must be understood. Whether it then works is tried in `tests/it/guides.rs`.

use std::path::Path;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::args::Args;

/// Fewer than this would mean that the documents are not found.
const COMMANDS_MIN: usize = 100;

#[test]
fn every_command_in_the_documents_is_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![root.join("README.md")];
    for folder in ["docs/guide", "docs/reference"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the documents are there");
        paths.extend(entries.flatten().map(|entry| entry.path()).filter(|path| is_document(path)));
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a document can be read");
        for (command, is_sentence) in commands(&text) {
            count += 1;
            if let Err(error) = check(&command, is_sentence) {
                wrong.push(format!("{}: `{command}`: {error}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= COMMANDS_MIN, "only {count} commands were found");
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

fn check(command: &str, is_sentence: bool) -> Result<(), String> {
    match Args::try_parse_from(words(command)) {
        Ok(_) => Ok(()),
        Err(error) if !error.use_stderr() => Ok(()),
        Err(error) if is_sentence && is_incomplete(&error) => Ok(()),
        // What stands for a value cannot be judged.
        Err(error) if has_placeholder(command) && is_about_value(&error) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn is_about_value(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue)
}

/// A sentence may speak of a command without all that it takes.
fn is_incomplete(error: &clap::Error) -> bool {
    let lacks_command = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    error.kind() == ErrorKind::MissingRequiredArgument || error.kind() == lacks_command
}

/// Whether a word such as `ADDR` stands for what a person would type.
fn has_placeholder(command: &str) -> bool {
    let is_one = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    command.split_whitespace().any(|word| is_one(word) || word == "N" || word == "T")
}

/// The commands of blocks of code, a line each, and those in sentences, which it says.
fn commands(text: &str) -> Vec<(String, bool)> {
    let (mut found, mut is_block) = (Vec::new(), false);
    for line in joined(text).lines() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            let line = line.trim_start().trim_start_matches("$ ");
            let parts = line.split("; ").flat_map(|it| it.split(" && ")).flat_map(|it| it.split(" | "));
            found.extend(
                parts.filter(|part| part.starts_with("freshet ")).map(|part| (part.to_owned(), false)),
            );
        } else {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("freshet "));
            found.extend(spans.map(|span| (span.to_owned(), true)));
        }
    }
    // What is left out in a sentence, and what stands for a command, cannot be typed.
    let is_whole = |(command, _): &(String, bool)| !command.contains('…') && !command.contains("COMMAND");
    found.into_iter().filter(is_whole).collect()
}

/// Lines that end with a backslash go on with the next one.
fn joined(text: &str) -> String {
    let (mut joined, mut goes_on) = (String::new(), false);
    for line in text.lines() {
        let line = if goes_on { line.trim_start() } else { line };
        let start = line.strip_suffix('\\');
        goes_on = start.is_some();
        joined.push_str(start.map_or(line, str::trim_end));
        joined.push(if goes_on { ' ' } else { '\n' });
    }
    joined
}

/// The words as a shell splits them, up to where it would redirect, comment or end; what stands apart from a command in an
/// example says what it does.
fn words(command: &str) -> Vec<String> {
    let command = command.split("  ").next().unwrap_or(command);
    // What is in brackets may be left out, and may be typed.
    let command = command.replace(" [-", " -").replace("] ", " ");
    let command = command.trim_end_matches(']');
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '>' | '<' | '|' | '&' | ';') => break,
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.into_iter().chain(word).collect()
}

#[test]
fn lines_are_split_as_a_shell_splits_them() {
    for (command, expected) in [
        ("freshet run", "freshet|run"),
        ("freshet search 'a OR \"b c\"' --limit 2", "freshet|search|a OR \"b c\"|--limit|2"),
        ("freshet export > posts.jsonl", "freshet|export"),
        ("freshet run   # until Ctrl-C", "freshet|run"),
        ("freshet search ''", "freshet|search|"),
        ("freshet forum learn x [--pages 9] [-o y]", "freshet|forum|learn|x|--pages|9|-o|y"),
        ("freshet gaps   the holes", "freshet|gaps"),
    ] {
        assert_eq!(words(command).join("|"), expected);
    }
    let text = "see `freshet status` and `freshet`\n\n```\n$ cd x && freshet run \\\n  & sleep 3\nout\n```\n";
    let expected = [("freshet status".to_owned(), true), ("freshet run & sleep 3".to_owned(), false)];
    assert_eq!(commands(text), expected);
}
