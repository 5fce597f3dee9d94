//! What a person is told beside the result: notes, warnings, one line of progress, and questions for a secret.
//!
//! Nothing here prints: the program that has a terminal listens ([`listen`]), once, at the start. Without a listener, as on
//! the dashboard and in tests, nothing is said and nobody can be asked.

use std::fmt::Display;
use std::sync::OnceLock;

use secrecy::SecretString;

/// Who tells the person; said once.
static LISTENER: OnceLock<Box<dyn Listener>> = OnceLock::new();

/// A program with a person before it.
pub trait Listener: Send + Sync {
    /// Says something that is good to know.
    fn note(&self, text: &str);
    /// Warns.
    fn warn(&self, text: &str);
    /// Whether somebody looks at a line of progress.
    fn draws_progress(&self) -> bool;
    /// Draws a line of progress in the place of the last one; an empty one takes it away.
    fn draw(&self, line: &str);
    /// From now on Ctrl-C ends the process with this sentence.
    fn on_interrupt(&self, kept: String);
    /// Asks for a secret; `None` where nobody is there to answer.
    fn ask_secret(&self, prompt: &str) -> Option<std::io::Result<SecretString>>;
}

/// From now on this listener tells the person; the first one stays.
pub fn listen(listener: Box<dyn Listener>) {
    let _ = LISTENER.set(listener);
}

/// Says something that is good to know.
pub fn note(text: impl Display) {
    if let Some(listener) = LISTENER.get() {
        listener.note(&text.to_string());
    }
}

/// Warns.
pub fn warn(text: impl Display) {
    if let Some(listener) = LISTENER.get() {
        listener.warn(&text.to_string());
    }
}

/// From now on Ctrl-C ends the process with this sentence: what was kept, and how to go on. Everything is stored in
/// transactions, so nothing is left half done.
pub fn on_interrupt(kept: impl Into<String>) {
    if let Some(listener) = LISTENER.get() {
        listener.on_interrupt(kept.into());
    }
}

/// Whether somebody looks at a line of progress.
pub(crate) fn draws_progress() -> bool {
    LISTENER.get().is_some_and(|listener| listener.draws_progress())
}

/// Draws a line of progress in the place of the last one; an empty one takes it away.
pub(crate) fn draw(line: &str) {
    if let Some(listener) = LISTENER.get() {
        listener.draw(line);
    }
}

/// Asks for a secret; `None` where nobody is there to answer.
pub(crate) fn ask_secret(prompt: &str) -> Option<std::io::Result<SecretString>> {
    LISTENER.get().and_then(|listener| listener.ask_secret(prompt))
}
