//! What every upload of a visit begins with: whose it is, and which page it is about. What is on the page is added by
//! whoever read it.

use freshet_store::row::{ListPage, Upload};
use freshet_types::{Intent, SourceState};

use crate::visit::Visit;
use crate::walk::Seen;

/// An upload of this visit that says nothing yet.
pub(super) fn empty_upload(visit: &Visit, seen: Seen) -> Upload {
    Upload {
        robot: Some(visit.source.robot),
        epoch: visit.source.epoch,
        depth: visit.source.depth,
        was_opted_out: visit.state_before == SourceState::OptedOut,
        ..Upload::new(seen.visit, visit.source.network.clone(), seen.at)
    }
}

/// The page that a visit asks for, with nothing on it.
pub(super) fn list_page(visit: &Visit) -> ListPage {
    let cursor = match &visit.walk.intent {
        Intent::Next(cursor) => Some(cursor.clone()),
        _ => None,
    };
    let (kind, id) = (visit.source.root_kind.clone(), visit.source.root_id.clone());
    ListPage { kind, id, cursor, ..ListPage::default() }
}
