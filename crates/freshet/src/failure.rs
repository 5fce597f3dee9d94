//! How the program fails: a message, perhaps a hint, and one of two exit codes.
//!
//! What went wrong is said by [`freshet_app::failure`]; here it is put on standard error and becomes an exit code.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use freshet_app::failure;
use freshet_sink::SinkError;
use freshet_store::api::StoreError;
use unicode_width::UnicodeWidthStr as _;

use crate::output::{self, COLUMNS, Tone};

/// Something was tried and failed.
const FAILED: u8 = 1;
/// The command line, a reference or a file was wrong; nothing was tried.
const MISUSED: u8 = 2;

/// The exit code for a failed command with several parts, of which some were done.
pub(crate) fn partly() -> ExitCode {
    ExitCode::from(FAILED)
}

/// Shows the error of a command on standard error and gives the exit code.
pub(crate) fn report(error: &anyhow::Error, command: &str) -> ExitCode {
    let (text, code) = render(error, command, Paper::of_stderr());
    put(&text);
    ExitCode::from(code)
}

/// Shows what is wrong with a command line, with a hint like every other error.
pub(crate) fn report_usage(error: &clap::Error, command: &str) -> ExitCode {
    if !error.use_stderr() {
        // Help was asked for; standard output may be closed.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    put(&render_usage(&error.render(), command, output::has_colour(io::stderr().is_terminal())));
    ExitCode::from(MISUSED)
}

fn put(text: &str) {
    // Nobody is left to be told when standard error is closed.
    let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
}

/// The last sentence of clap points to an option; ours points to a command that can be typed.
fn render_usage(said: &clap::builder::StyledStr, command: &str, is_coloured: bool) -> String {
    let said = if is_coloured { said.ansi().to_string() } else { said.to_string() };
    let said = said.split_once("For more information").map_or(said.as_str(), |(said, _)| said).trim_end();
    let help = output::painted("hint:", Tone::Hint, is_coloured);
    format!("{said}\n\n{help} `{command} --help` says what it takes\n")
}

/// What an error is written on.
#[derive(Clone, Copy, Debug, Default)]
struct Paper {
    is_coloured: bool,
    /// Lines are broken at words where a person reads them, and stay whole for programs.
    columns: Option<usize>,
}

impl Paper {
    fn of_stderr() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { is_coloured: output::has_colour(is_terminal), columns: is_terminal.then_some(COLUMNS) }
    }

    fn fit(self, text: &str) -> String {
        let Some(columns) = self.columns else { return text.to_owned() };
        let fit = |line: &str| {
            if line.width() <= columns {
                return line.to_owned();
            }
            let indent = &line[..line.len() - line.trim_start().len()];
            let lines = output::folded(line, columns.saturating_sub(indent.len() + 2));
            format!("{indent}{}", lines.join(&format!("\n{indent}  ")))
        };
        text.lines().map(fit).collect::<Vec<_>>().join("\n")
    }
}

fn render(error: &anyhow::Error, command: &str, paper: Paper) -> (String, u8) {
    if is_broken_pipe(error) {
        return (String::new(), 0);
    }
    let (message, hint, is_misuse) = failure::explain(error);
    let hint = hint.unwrap_or_else(|| usual_hint(error, is_misuse, command));
    let text = paper.fit(&format!("error: {message}\n\nhint: {hint}"));
    let (bad, help) = (Tone::Bad, Tone::Hint);
    let paint = |text: String, word: &str, tone| match text.split_once(word) {
        Some((before, after)) => format!("{before}{}{after}", output::painted(word, tone, paper.is_coloured)),
        None => text,
    };
    let (said, hint) = text.rsplit_once("\n\nhint:").unwrap_or((&text, ""));
    let said = paint(said.to_owned(), "error:", bad);
    let hint = paint(format!("hint:{hint}"), "hint:", help);
    (format!("{said}\n\n{hint}\n"), if is_misuse { MISUSED } else { FAILED })
}

/// What helps most people with most errors of this kind, where nobody knew better.
fn usual_hint(error: &anyhow::Error, is_misuse: bool, command: &str) -> String {
    let io_kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let io_kind = io_kind.or_else(|| told_kind(&format!("{error:#}")));
    let store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
    let hint = match (io_kind, store) {
        (Some(io::ErrorKind::NotFound), _) => "is the path right, and is it where you stand?",
        (Some(io::ErrorKind::PermissionDenied), _) => "may you read and write there?",
        (Some(io::ErrorKind::IsADirectory), _) => "name a file, not a directory",
        (Some(io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists), _) => {
            "a file of that name is in the way: name a directory"
        }
        (Some(io::ErrorKind::InvalidData), _) => "it must be text in UTF-8: is it the right file?",
        (Some(io::ErrorKind::AddrInUse), _) => "something listens there already: choose another port, or 0",
        (Some(io::ErrorKind::AddrNotAvailable), _) => {
            "this computer has no such address; 127.0.0.1 is its own"
        }
        (Some(io::ErrorKind::StorageFull), _) => "make room on that disk, then do it again",
        (_, Some(StoreError::TooNew { .. })) => "use the newer freshet, or another directory with --data DIR",
        (_, Some(StoreError::Query { .. })) => "words, \"a phrase\", a OR b, NOT c, pre*",
        (_, Some(StoreError::Damaged { .. })) => "`freshet check` says what else is wrong, and what to do",
        (_, Some(StoreError::Passing { trouble, .. })) => trouble.advice(),
        (_, Some(StoreError::Database { .. })) => {
            "is there room on the disk, and is the file a store of freshet?"
        }
        _ if is_misuse => return format!("`{command} --help` says what it takes"),
        _ => return format!("`{command} -v` says more of what happens"),
    };
    hint.to_owned()
}

/// What the operating system said, where an error tells it in words only.
fn told_kind(text: &str) -> Option<io::ErrorKind> {
    let (code, _) = text.rsplit_once("(os error ")?.1.split_once(')')?;
    Some(io::Error::from_raw_os_error(code.parse().ok()?).kind())
}

/// The reader of our output has seen enough (`freshet export | head`): no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<SinkError>().is_some_and(SinkError::is_broken_pipe)
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;
    use freshet_app::failure::Failure;

    use super::*;

    fn check(error: impl Into<anyhow::Error>, text: &str, code: u8) {
        assert_eq!(render(&error.into(), "freshet add", Paper::default()), (text.to_owned(), code));
    }

    #[test]
    fn codes_and_hints_follow_from_the_cause() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let more = "\nhint: `freshet add -v` says more of what happens\n";
        check(anyhow::anyhow!("something"), &format!("error: something\n{more}"), FAILED);
        check(Failure::new("tried"), &format!("error: tried\n{more}"), FAILED);
        let missing = Err::<(), _>(io::Error::from(io::ErrorKind::NotFound)).context("`x` cannot be read");
        let (text, _) = render(&missing.unwrap_err(), "freshet add", Paper::default());
        assert!(text.contains("hint: is the path right"), "{text}");
        let told = anyhow::anyhow!("`x` could not be written: Is a directory (os error 21)");
        let (text, _) = render(&told, "freshet add", Paper::default());
        assert!(text.contains("hint: name a file"), "{text}");
        let typed = Failure::misuse("typed").hint("type this");
        check(typed, "error: typed\n\nhint: type this\n", MISUSED);
        let inner = anyhow::Error::new(Failure::misuse("typed")).context("while adding");
        let help = "\nhint: `freshet add --help` says what it takes\n";
        check(inner, &format!("error: while adding: typed\n{help}"), MISUSED);
        check(Err::<(), _>(broken()).context("the report cannot be printed").unwrap_err(), "", 0);
        check(SinkError::Write(broken()), "", 0);
    }
    #[test]
    fn people_read_lines_of_words_and_programs_whole_lines() {
        let long = format!("`{}` is not understood\n  {}", "x".repeat(90), "a word ".repeat(20));
        let error = anyhow::Error::new(Failure::misuse(long.clone()).hint("b word ".repeat(20)));
        let terminal = Paper { is_coloured: true, columns: Some(COLUMNS) };
        let (text, _) = render(&error, "freshet add", terminal);
        let bare = text.replace("\u{1b}[1;31m", "").replace("\u{1b}[36m", "").replace("\u{1b}[0m", "");
        assert!(text.starts_with("\u{1b}[1;31merror:") && text.contains("\u{1b}[36mhint:"), "{text}");
        assert!(bare.contains(&"x".repeat(90)), "names stay whole: {bare}");
        assert!(
            bare.lines().filter(|line| !line.contains("xx")).all(|line| line.width() <= COLUMNS),
            "{bare}"
        );
        assert!(bare.contains("\n    a word"), "what goes on is indented: {bare}");
        let (text, _) = render(&error, "freshet add", Paper::default());
        assert!(text.contains(&long) && text.lines().count() == 4, "{text}");
    }

    #[test]
    fn what_is_wrong_with_a_command_line_comes_with_a_hint() {
        let error =
            clap::Command::new("freshet").try_get_matches_from(["freshet", "--nonsense"]).unwrap_err();
        for is_coloured in [false, true] {
            let text = render_usage(&error.render(), "freshet run", is_coloured);
            assert!(text.contains("--nonsense") && !text.contains("For more"), "{text}");
            assert!(text.trim_end().ends_with("`freshet run --help` says what it takes"), "{text}");
            assert_eq!(text.contains('\u{1b}'), is_coloured, "{text:?}");
        }
    }
}
