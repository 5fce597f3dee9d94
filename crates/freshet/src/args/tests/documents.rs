//! Every command that the documents print can be typed: each `freshet …` in a block of code or between backticks is read
//! as a shell would split it, and must be understood. Whether it then works is tried in `tests/it/guides.rs`.

use std::path::Path;

use clap::Parser as _;

use crate::args::Args;

/// Fewer than this would mean that the documents are not found.
const COMMANDS_MIN: usize = 150;

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
        for command in commands(&text) {
            count += 1;
            if let Err(error) = check(&command) {
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

fn check(command: &str) -> Result<(), String> {
    match Args::try_parse_from(words(command)) {
        Ok(_) => Ok(()),
        Err(error) if !error.use_stderr() => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The commands of blocks of code, a line each, and those in sentences that have more than a name.
fn commands(text: &str) -> Vec<String> {
    let (mut found, mut is_block) = (Vec::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            let line = line.trim_start().trim_start_matches("$ ");
            let parts = line.split("; ").flat_map(|it| it.split(" && ")).flat_map(|it| it.split(" | "));
            found.extend(parts.filter(|part| part.starts_with("freshet ")).map(str::to_owned));
        } else {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("freshet "));
            found.extend(spans.map(str::to_owned));
        }
    }
    // What is left out in a sentence, and what stands for a command, cannot be typed.
    let is_whole = |command: &String| !command.contains('…') && !command.contains("COMMAND");
    found.into_iter().filter(is_whole).collect()
}

/// The words as a shell splits them, up to where it would redirect, comment or end.
fn words(command: &str) -> Vec<String> {
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
    ] {
        assert_eq!(words(command).join("|"), expected);
    }
    let text = "see `freshet status` and `freshet`\n\n```\n$ cd x && freshet run & sleep 3\nout\n```\n";
    assert_eq!(commands(text), ["freshet status", "freshet run & sleep 3"]);
}
