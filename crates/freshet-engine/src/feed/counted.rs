//! What a robot makes of an object that left its ring: its sources, but for lists of which a count says that they are empty.
//!
//! A post that nobody has repeated has no reposters to list, and most posts are such. Where a definition names the value that counts
//! the members of a list (`counted_by`), the list becomes a source when that says more than 0. Until then the object goes round in the ring
//! [MBCrawler, section 2.3]: the count is kept up to date by pages that are read anyway, so waiting costs no request. Old posts wait no longer.

use freshet_network::collections::Collections;
use freshet_network::robot;
use freshet_store::row::ObjectRow;
use freshet_types::{Connector, Primitive, RobotKind, Source, Span, Timestamp};

/// Posts older than this are not waited for: hardly anybody repeats them any more.
const WAIT_MAX: Span = Span::from_ms(3 * 86_400_000);
/// At least so long between two rounds of ids that wait.
const ROUND_GAP: Span = Span::from_secs(600);

/// What becomes of an object.
#[derive(Debug, Default)]
pub(super) struct Heirs {
    pub(super) sources: Vec<Source>,
    /// A list of it is empty yet: it is to be looked at again.
    pub(super) waits: bool,
}

/// The sources that a robot makes of what was found. They go back no further, and keep no longer,
/// than the source on whose way it was found: what a person said of that holds for all beyond.
pub(super) fn heirs(
    (connector, collections): (&dyn Connector, &Collections),
    robot: RobotKind,
    found: &ObjectRow,
    now: Timestamp,
) -> Heirs {
    let (since, retention) = (found.since, found.retention);
    let mut heirs = Heirs::default();
    for source in robot::sources_for(connector, &found.network, robot, &found.kind, &found.id, found.depth) {
        let endpoint = connector.endpoint(&source.endpoint);
        if endpoint.is_some_and(|endpoint| !collections.include(&found.network, endpoint)) {
            continue;
        }
        if is_empty(connector, &source, found) {
            heirs.waits |= found.created_at.is_some_and(|created_at| now - created_at < WAIT_MAX);
        } else {
            heirs.sources.push(Source { since, retention, ..source });
        }
    }
    heirs
}

/// Whether the object says that this list of it has no members. One that does not say has to be looked at.
fn is_empty(connector: &dyn Connector, source: &Source, found: &ObjectRow) -> bool {
    let counted_by = connector.endpoint(&source.endpoint).and_then(|endpoint| endpoint.counted_by.as_deref());
    let count = counted_by.and_then(|name| found.plinks.iter().find(|(known, _)| **known == *name));
    matches!(count, Some((_, Primitive::Int(..=0))))
}

/// Where a ring stands of which some ids wait: they are gone through now and then, not all the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// The first id of this round that went back.
    first: Option<u64>,
    rests_until: Timestamp,
}

impl Default for Round {
    fn default() -> Self {
        Self { first: None, rests_until: Timestamp::MIN }
    }
}

impl Round {
    pub(super) fn rests(&self, now: Timestamp) -> bool {
        now < self.rests_until
    }

    /// Whether some ids have gone back since it began.
    pub(super) fn is_open(&self) -> bool {
        self.first.is_some()
    }

    /// Whether all ids of the ring have been looked at when this one leaves it.
    pub(super) fn ends_with(&self, id: u64) -> bool {
        self.first == Some(id)
    }

    /// An id went back.
    pub(super) fn note(&mut self, id: u64) {
        self.first.get_or_insert(id);
    }

    /// The next round begins later.
    pub(super) fn end(&mut self, now: Timestamp) {
        *self = Self { first: None, rests_until: now + ROUND_GAP };
    }
}
