//! A storm: what an asker has to sit out after "too many", from the first refusal to the first answer.
//!
//! The first refusal is believed as it is told. Whoever is refused again, after waiting as long as
//! the server said, knows that the server's word is not enough: from then on the wait doubles
//! with every refusal in a row, and the server's word can only lengthen it. After the wait a
//! single request goes ahead; the others follow when it was served. So a storm of length `T`
//! meets at most those that were under way when it began, and then one request for each doubling
//! of [`BLIND_WAIT`] and one for each `BLIND_WAIT * 2^BLIND_DOUBLINGS_MAX` of `T`.
//!
//! What is left of a quota is the buckets' business; a storm needs no declared quota.

use std::sync::Arc;

use freshet_types::{NetworkName, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::AWAY_MAX;

/// How long to stay away after "too many" when the network does not say.
pub(super) const BLIND_WAIT: Span = Span::MINUTE;
/// The wait doubles with every "too many" in a row, up to this many times: to about an hour.
pub(super) const BLIND_DOUBLINGS_MAX: u32 = 6;
/// While a request is out that finds out, the others look again so often.
const PROBE_GAP: Span = Span::SECOND;

/// Who asks whom: one server may refuse one credential and serve another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Asker {
    pub network: NetworkName,
    /// Name of the credential that is shown, if any.
    pub credential: Option<Arc<str>>,
}

/// Refusals in a row; those that were under way together count as one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Storm {
    count: u32,
    pub(super) until: Timestamp,
    /// A request is out to see whether it is over.
    #[serde(skip)]
    pub(super) is_probed: bool,
}

impl Storm {
    /// When a request may leave.
    pub(super) fn ready_at(&self, now: Timestamp) -> Timestamp {
        if self.is_probed { self.until.max(now + PROBE_GAP) } else { self.until.max(now) }
    }

    /// The same, told by a clock that was put back by so much.
    pub(super) fn earlier(self, by: Span) -> Self {
        Self { until: self.until - by, ..self }
    }

    /// "Too many" again; gives when to come back.
    pub(super) fn refused(&mut self, told: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let told = told.filter(|&at| at > now);
        if now >= self.until {
            let wait = BLIND_WAIT * f64::from(1u32 << self.count.min(BLIND_DOUBLINGS_MAX));
            let is_believed = self.count == 0 && told.is_some();
            self.until = if is_believed { now } else { now + wait };
            self.count += 1;
        }
        self.until = self.until.max(told.unwrap_or(now)).max(now + Span::SECOND).min(now + AWAY_MAX);
        self.until
    }
}
