//! What a run said to whom, in order, for the picture of the path (`docs/path.md`). It exists in tests only.
//!
//! It notes the names of messages, not what they carry: a name is how `Debug` begins, such as `Told(Event(Applied(`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// Names longer than this say nothing more.
const NAME_BYTES_MAX: usize = 60;

/// Notes messages where somebody wants them.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace(Option<Arc<Mutex<Vec<String>>>>);

impl Trace {
    /// One that notes.
    pub(super) fn recording() -> Self {
        Self(Some(Arc::default()))
    }

    /// Notes a message; `way` says who handed it to whom.
    pub(super) fn note(&self, way: &str, message: &dyn Debug) {
        let Some(said) = &self.0 else { return };
        let shown = format!("{message:?}");
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '(' || letter == '_';
        let name: String = shown.chars().take_while(|letter| is_name(*letter)).take(NAME_BYTES_MAX).collect();
        said.lock().unwrap().push(format!("{way} {name}"));
    }

    /// Everything so far.
    pub(super) fn said(&self) -> Vec<String> {
        self.0.as_ref().map(|said| said.lock().unwrap().clone()).unwrap_or_default()
    }
}
