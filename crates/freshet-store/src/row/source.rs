//! Sources as a scheduler knows them, robots, servers, and what a person wants kept of them.
//!
//! A run holds one [`SourceSlot`] for each source in memory, so it has the few fields that scheduling needs. The whole source is
//! `freshet_types::Source`, read when its visit begins.

use freshet_types::{Instance, NetworkName, RobotKind, RobotState, SourceId, SourceState, Span, Timestamp};

/// The few fields by which the scheduler knows a source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSlot {
    pub id: SourceId,
    /// Where it lives.
    pub network: NetworkName,
    pub robot: RobotKind,
    pub state: SourceState,
    /// How much its news count.
    pub weight: f32,
    /// When its next visit is due.
    pub due_at: Timestamp,
    /// How long after the last visit that is, where there was one and nobody chose the pace.
    pub gap: Option<Span>,
}

/// An object that a robot makes no sources of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub object: u64,
    pub robot: RobotKind,
    /// When it is judged again.
    pub judge_at: Timestamp,
}

/// A robot as `freshet robots list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotRow {
    pub kind: RobotKind,
    /// Whether it works.
    pub state: RobotState,
    /// Name of the credential it is to use, if one of its own.
    pub credential: Option<String>,
}

/// A server with what care it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    pub instance: Instance,
    /// What happens to the content of a post that was deleted on the network.
    pub on_delete: OnDelete,
}

/// What happens to the content of a post that was deleted on the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// It stays, marked as deleted.
    #[default]
    Keep,
    /// Text, links, values and raw payload are erased; id, times and the mark stay.
    Redact,
}

/// What becomes of what is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storing {
    #[default]
    Keep,
    /// It goes to subscribers, and only ids, links to other ids, times, counts and fingerprints stay.
    Never,
}

/// Whatever keeps nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotKept {
    pub networks: Vec<NetworkName>,
    /// Sources that were told so themselves and are not removed, whatever their network does.
    pub sources_count: u64,
}

impl NotKept {
    /// Everything is kept.
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty() && self.sources_count == 0
    }
}
