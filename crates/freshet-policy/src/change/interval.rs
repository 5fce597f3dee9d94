//! An interval that adapts: the state of the rules that production systems use.
//!
//! No model of posting at all: a number that shrinks when a visit finds something and grows
//! when it does not. The rules that move it stand with their policies.

use freshet_types::Timestamp;

use super::ChangeModel;
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// How long until the next look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The interval; `None` before the first look.
    pub length_s: Option<f64>,
    /// How much earlier than a whole interval after the look the next one is.
    pub shift_s: f64,
    /// When the last known post was made.
    pub last_at: Option<Timestamp>,
}

impl Interval {
    /// When the next look is due after one at `visited_at`.
    pub(crate) fn due_after_s(&self, start_s: f64) -> f64 {
        self.length_s.unwrap_or(start_s) - self.shift_s
    }
}

impl ChangeModel for Interval {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let last_at = self.last_at.unwrap_or(Timestamp::MIN);
        Writer::default().float(self.length_s.unwrap_or(0.0)).float(self.shift_s).time(last_at).0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.last_at = look.news.iter().copied().max().max(self.last_at);
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        self.length_s.map_or(pool.rate_per_s(), |length_s| 1.0 / length_s.max(1.0))
    }
}

impl Interval {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (length_s, shift_s, last_at) = (reader.amount()?, reader.float()?, reader.time()?);
        Some(Self {
            length_s: (length_s > 0.0).then_some(length_s),
            shift_s,
            last_at: (last_at != Timestamp::MIN).then_some(last_at),
        })
    }
}
