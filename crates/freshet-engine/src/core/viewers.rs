//! Sources that are read as a viewer, with that credential alone. Part of steps 3 (pick) and 4 (ask) of 10.
//!
//! What such a source shows belongs to its viewer, so nothing of it is shared here: it joins no call for a group, no stream covers it, and what
//! its visits learn of names is not used for others. A viewer whose credential is missing is not replaced by another one: the
//! source rests and says why. Where what it shows is stored is the writer's business (`drive/threads.rs`).

use freshet_types::{Holder, RobotKind, Source, SourceState, Timestamp, VisitId};

use super::{AskedAs, Core};

/// Outcome of a visit that had no credential to ask with.
const UNARMED: &str = "auth_required";

impl Core {
    /// The credentials with which a source may be asked about.
    pub(super) fn holders(&self, source: &Source) -> Vec<Holder> {
        let asked_as = match &source.viewer {
            Some(viewer) => AskedAs::Viewer(viewer),
            None => AskedAs::Everybody { named: self.robots.credential(source.robot) },
        };
        (self.credential)(&source.network, source.robot, asked_as)
    }

    /// The credentials with which a stream of a network may be opened, which is for everybody.
    pub(super) fn stream_holders(&self, network: &freshet_types::NetworkName) -> Vec<Holder> {
        let named = self.robots.credential(RobotKind::Status);
        (self.credential)(network, RobotKind::Status, AskedAs::Everybody { named })
    }

    /// Whether a source is read as a viewer whose credential is not there.
    pub(super) fn is_unarmed(&self, source: &Source) -> bool {
        source.viewer.is_some() && self.holders(source).is_empty()
    }

    /// The visit cannot ask as its viewer, and asks as nobody else: the source rests until the credential is back.
    pub(super) fn rest_unarmed(&mut self, id: VisitId, now: Timestamp) {
        let visit = &mut self.visits[id];
        let viewer = visit.source.viewer.as_deref().unwrap_or_default();
        let why = format!("it is read as `{viewer}`, and that credential is missing or was refused");
        visit.source.state = SourceState::AuthRequired;
        visit.source.failure = Some(why);
        self.finish(id, UNARMED, now);
    }
}
