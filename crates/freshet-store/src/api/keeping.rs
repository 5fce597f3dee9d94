//! Role: what is kept of whom and for how long, and who still has to hear of what is not.

use freshet_types::{Address, NetworkName, SourceId, Span, Timestamp};

use super::StoreError;
use crate::keeping::{Erasure, ExportRow, Fate, KeptOf, KeptSums, RetentionRow, Taken};

/// Accounting for what is kept.
pub trait Keeping {
    /// What became of each of these, in the order asked for. The store knows of what is forgotten by keyed hashes only; that
    /// is enough to recognise what an export names.
    fn fates(&self, taken: &[Taken]) -> Result<Vec<Fate>, StoreError>;
    /// What was erased, the oldest first.
    fn erasures(&self) -> Result<Vec<Erasure>, StoreError>;
    /// How many posts with a number up to this one were found deleted after an instant, and when the first.
    fn deleted_since(&self, since: Timestamp, up_to: u64) -> Result<(u64, Option<Timestamp>), StoreError>;
    /// Exports and snapshots that were made from here, in order of path.
    fn exports(&self) -> Result<Vec<ExportRow>, StoreError>;
    /// The rules of networks, by which posts are dropped.
    fn network_retentions(&self) -> Result<Vec<RetentionRow>, StoreError>;
    /// The same of sources, in sums.
    fn source_retentions(&self) -> Result<Vec<RetentionRow>, StoreError>;
    /// What is kept, by network and reason. It looks at every account.
    fn kept(&self) -> Result<KeptSums, StoreError>;
    /// What is kept of an account. One whose id is not known may be named by an address of the type `handle`: of that is only said
    /// whether it is forgotten.
    fn kept_of(&self, account: &Address) -> Result<KeptOf, StoreError>;
    /// Notes that something was erased; gives its number. One that has a number is written anew, or taken back where it has no receipt.
    /// What expired or was redacted is added to that of the same day.
    fn note_erasure(&mut self, erasure: &Erasure) -> Result<u64, StoreError>;
    /// Notes an export or a snapshot, by its path.
    fn note_export(&mut self, export: &ExportRow) -> Result<(), StoreError>;
    /// Remembers an export no more; gives whether it was known.
    fn drop_export(&mut self, path: &str) -> Result<bool, StoreError>;
    /// What these sources bring is kept so long from now on. Where that is longer than before they are read anew.
    fn retain(&mut self, sources: &[SourceId], span: Option<Span>) -> Result<(), StoreError>;
    /// Posts of a network are kept so long from now on, whatever source brings them; the shorter of this and of the source's
    /// own span holds.
    fn retain_network(&mut self, network: &NetworkName, span: Option<Span>) -> Result<(), StoreError>;
}
