//! Role: apply (step 8 of 10), and the numbers that a run needs before it may upload.

use freshet_types::{ChangeKind, Post};

use super::StoreError;
use crate::row::{Applied, KnownPost, Upload};

/// Step 7 as the store calls it: what it means that `seen` is observed where `known` is stored.
pub type Compare = fn(seen: &Post, known: &KnownPost) -> Option<ChangeKind>;

/// Writing what visits learned.
pub trait Apply {
    /// Step 8: everything these pages and visits learned, in one transaction; one answer for each upload, in order.
    ///
    /// Fencing: an upload of a lease carries the epoch under which its source was leased. Where a newer epoch has written
    /// that source, nothing of the upload is stored, and the answer says so ([`Applied::is_stale`]); otherwise the source
    /// is of this epoch from now on.
    fn apply(&mut self, uploads: &[Upload], compare: Compare) -> Result<Vec<Applied>, StoreError>;
    /// Begins a new epoch, above all that were begun before: for whoever takes sources over, at the start of a run.
    fn begin_epoch(&mut self) -> Result<u64, StoreError>;
    /// Reserves `count` visit numbers that no other process has or will get; gives the first.
    fn reserve_visits(&mut self, count: u64) -> Result<u64, StoreError>;
}
