//! How what is asked for fails: a message, perhaps a hint, and whether the person misused the program.
//!
//! Library errors travel as they are in `anyhow`; a [`Failure`] in the chain adds what only somebody close to people can
//! know: whether what was asked made sense, and what to type instead. How it is shown, and the exit code, are the program's.

use std::fmt;

/// A failure with what helps.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    is_misuse: bool,
}

impl Failure {
    /// Something was tried and failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_misuse: false }
    }

    /// What was asked for makes no sense as it is.
    pub fn misuse(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_misuse: true }
    }

    /// What to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
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
pub fn explain(error: &anyhow::Error) -> (String, Option<String>, bool) {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<Failure>());
    let hint = failure.and_then(|failure| failure.hint.clone());
    (format!("{error:#}"), hint, failure.is_some_and(|failure| failure.is_misuse))
}
