//! How the program fails: a message, perhaps a hint, and one of two exit codes.
//!
//! Library errors travel as they are in `anyhow`; a [`Failure`] in the chain adds what only a
//! face can know: whether the person misused the program, and what to type instead.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use freshet_sink::SinkError;
use freshet_store::api::StoreError;

use crate::output::{self, Tone};

/// Something was tried and failed.
const FAILED: u8 = 1;
/// The command line, a reference or a file was wrong; nothing was tried.
const MISUSED: u8 = 2;

/// A failure with what helps.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    is_misuse: bool,
}

impl Failure {
    /// Something was tried and failed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_misuse: false }
    }

    /// What was asked for makes no sense as it is.
    pub(crate) fn misuse(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_misuse: true }
    }

    /// What to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What went wrong in words, what to do about it, and whether what was asked made no sense.
pub(crate) fn explain(error: &anyhow::Error) -> (String, Option<String>, bool) {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
    let hint = failure.and_then(|failure| failure.hint.clone());
    (format!("{error:#}"), hint, failure.is_some_and(|failure| failure.is_misuse))
}

/// The exit code for a failed command with several parts, of which some were done.
pub(crate) fn partly() -> ExitCode {
    ExitCode::from(FAILED)
}

/// Shows the error on standard error and gives the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let (text, code) = render(error, output::has_colour(io::stderr().is_terminal()));
    // Nobody is left to be told when standard error is closed.
    let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
    ExitCode::from(code)
}

fn render(error: &anyhow::Error, is_coloured: bool) -> (String, u8) {
    if is_broken_pipe(error) {
        return (String::new(), 0);
    }
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
    let is_misuse = failure.is_some_and(|failure| failure.is_misuse);
    let hint =
        failure.and_then(|failure| failure.hint.as_deref()).unwrap_or_else(|| usual_hint(error, is_misuse));
    let word = |text, tone| output::painted(text, tone, is_coloured);
    let (bad, help) = (word("error:", Tone::Bad), word("hint:", Tone::Hint));
    (format!("{bad} {error:#}\n\n{help} {hint}\n"), if is_misuse { MISUSED } else { FAILED })
}

/// What helps most people with most errors of this kind, where nobody knew better.
fn usual_hint(error: &anyhow::Error, is_misuse: bool) -> &'static str {
    let io_kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
    match (io_kind, store) {
        (Some(io::ErrorKind::NotFound), _) => "is the path right, and is it where you stand?",
        (Some(io::ErrorKind::PermissionDenied), _) => "may you read and write there?",
        (Some(io::ErrorKind::StorageFull), _) => "make room on that disk, then do it again",
        (_, Some(StoreError::TooNew { .. })) => "use the newer freshet, or another directory with --data DIR",
        (_, Some(StoreError::Query { .. })) => "words, \"a phrase\", a OR b, NOT c, pre*",
        (_, Some(StoreError::Database { .. })) => {
            "is there room on the disk, and is the file a store of freshet?"
        }
        _ if is_misuse => "`freshet COMMAND --help` has examples",
        _ => "do it again with -v, which says more",
    }
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

    use super::*;

    fn check(error: impl Into<anyhow::Error>, text: &str, code: u8) {
        assert_eq!(render(&error.into(), false), (text.to_owned(), code));
    }

    #[test]
    fn codes_and_hints_follow_from_the_cause() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let more = "\nhint: do it again with -v, which says more\n";
        check(anyhow::anyhow!("something"), &format!("error: something\n{more}"), FAILED);
        check(Failure::new("tried"), &format!("error: tried\n{more}"), FAILED);
        let missing = Err::<(), _>(io::Error::from(io::ErrorKind::NotFound)).context("`x` cannot be read");
        let (text, _) = render(&missing.unwrap_err(), false);
        assert!(text.contains("hint: is the path right"), "{text}");
        let typed = Failure::misuse("typed").hint("type this");
        check(typed, "error: typed\n\nhint: type this\n", MISUSED);
        let inner = anyhow::Error::new(Failure::misuse("typed")).context("while adding");
        let help = "\nhint: `freshet COMMAND --help` has examples\n";
        check(inner, &format!("error: while adding: typed\n{help}"), MISUSED);
        check(Err::<(), _>(broken()).context("the report cannot be printed").unwrap_err(), "", 0);
        check(SinkError::Write(broken()), "", 0);
    }
}
