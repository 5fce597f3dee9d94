//! What came of a fault, as each of them tells it.

/// What came of a fault.
#[derive(Debug)]
pub(super) enum Struck {
    /// It happened, the crawl lives; the proof.
    Fired(String),
    /// It cannot be done on this machine; why not.
    Skipped(String),
}
