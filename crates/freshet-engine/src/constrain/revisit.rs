//! Constraints about visiting again: whether a source that was visited is worth another request.
//!
//! It is asked when the source comes due, of the object that it belongs to, as it is stored. A *no* holds it back, and it is asked
//! again after a while, or when a page brings something of the object. Whoever cannot be judged yet is visited, and so is
//! whatever a person pinned.

use freshet_network::constraint::{Answer, Constraint, Purpose};
use freshet_store::api::{Store, StoreError};
use freshet_types::{Address, Source, SourceState, Span, Timestamp};

use super::judge::Judge;

/// A source that is held back is judged again after this, where time alone may change the answer.
const AGAIN_TIMED: Span = Span::HOUR;
/// And after this otherwise.
const AGAIN: Span = Span::DAY;

/// Why a source is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// The constraint that says no.
    pub by: String,
    /// When it is judged again, at the latest.
    pub until: Timestamp,
}

impl Judge {
    /// Whether a constraint says anything about visiting this source again.
    pub(crate) fn may_hold(&self, source: &Source) -> bool {
        source.visited_at.is_some()
            && source.state == SourceState::Active
            && source.pinned.is_none()
            && !source.root_id.is_empty()
            && self.speaks_of(Purpose::Revisit, &source.root_kind, &source.network)
    }

    /// Why this source is not visited now; `None` where it may be.
    pub fn held_back(
        &self,
        store: &dyn Store,
        source: &Source,
        now: Timestamp,
    ) -> Result<Option<HeldBack>, StoreError> {
        if !self.may_hold(source) {
            return Ok(None);
        }
        let root = root_of(source);
        let told = self.judge_stored(store, Purpose::Revisit, &root, (source.depth, now))?;
        if told.answer != Answer::No {
            return Ok(None);
        }
        let gap = self.again_after(Purpose::Revisit, &root);
        Ok(told.by.map(|by| HeldBack { by, until: now + gap }))
    }

    /// After how long an object that was refused is judged again, at the latest.
    pub(crate) fn again_after(&self, purpose: Purpose, address: &Address) -> Span {
        let mut about = self.speaking_of(purpose, &address.kind, &address.network);
        if about.any(Constraint::is_timed) { AGAIN_TIMED } else { AGAIN }
    }
}

/// The object that a source belongs to.
pub(crate) fn root_of(source: &Source) -> Address {
    Address::new(&source.network, &source.root_kind, &source.root_id)
}
