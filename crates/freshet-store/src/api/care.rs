//! Role: care for people and for the store itself: forgetting, expiring, checking.

use freshet_types::Timestamp;

use super::StoreError;
use crate::row::{Erased, Finding, Forgetting, ForgottenList};

/// Forgetting, expiring, checking.
pub trait Care {
    /// Marks this account, post or source (address or handle) as forgotten, by keyed hashes and for good: nothing of it is
    /// stored from now on, whoever shows it. Its sources go at once; the rest is erased by [`Care::erase_some`].
    /// An account may be named by its address before anything of it was seen.
    /// Subscribers who want to hear of it are told that it happened at this time.
    fn mark_forgotten(&mut self, reference: &str, at: Timestamp) -> Result<Forgetting, StoreError>;
    /// Erases some of what is marked as forgotten, in one short transaction, and says what; `None` when nothing is left.
    fn erase_some(&mut self) -> Result<Option<Erased>, StoreError>;
    /// Takes back that something is forgotten; what was erased does not come back by that. An address of the type `handle`
    /// names an account by its handle. Gives how many hashes went.
    fn unforget(&mut self, reference: &str) -> Result<u64, StoreError>;
    /// Who and what is forgotten here, as keyed hashes: for a store beside this one that is to keep out the same.
    fn forgotten(&self) -> Result<ForgottenList, StoreError>;
    /// Keeps out what another store keeps out, too; gives whether it could: hashes by another key than the own say nothing here.
    /// It erases nothing.
    fn keep_out(&mut self, list: &ForgottenList) -> Result<bool, StoreError>;
    /// Erases everything of this account, post or source (address or handle), for good, and says what. For those who have no
    /// clock: subscribers hear of no time.
    fn forget(&mut self, reference: &str) -> Result<Erased, StoreError> {
        let mut erased = self.mark_forgotten(reference, Timestamp::from_ms(0))?.erased;
        while let Some(more) = self.erase_some()? {
            erased += more;
        }
        Ok(erased)
    }
    /// Drops posts older than the retention of the source they came from; gives how many.
    fn expire(&mut self, now: Timestamp) -> Result<u64, StoreError>;
    /// Looks at everything, tells what is looked at, and gives what is wrong. It repairs nothing.
    fn check(&self, looking: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError>;
    /// The highest number that was ever given to an object or a change: no cursor stands behind it.
    fn last_number(&self) -> Result<u64, StoreError>;
}
