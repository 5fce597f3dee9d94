//! What the interval rules of production systems share: the earliest due goes first.
//!
//! They know no budget. Who is due and how late it is, is all they say; a queue ordered by due
//! time does the rest, and when it is too long everybody waits alike.

use crate::SourceFacts;
use freshet_types::Timestamp;

/// A day late is worth one more.
const UNIT_S: f64 = 86_400.0;

/// 1 when due, more when late, less when early.
pub(super) fn worth(source: &SourceFacts, interval_s: f64, at: Timestamp) -> f64 {
    1.0 + (source.elapsed_s(at) - interval_s) / UNIT_S
}
