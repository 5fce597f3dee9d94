//! What every upload of a visit begins with: whose it is, and which page it is about. What is on the page is added by
//! whoever read it.

use freshet_network::networks::Networks;
use freshet_network::robot;
use freshet_store::row::{ListPage, Upload};
use freshet_types::{Address, Intent, LinkKind, SourceState};

use crate::visit::Visit;
use crate::walk::Seen;

/// Objects of other networks that one page makes stubs of.
const FOLLOWED_MAX: usize = 500;

/// An upload of this visit that says nothing yet.
pub(super) fn empty_upload(visit: &Visit, seen: Seen) -> Upload {
    Upload {
        robot: Some(visit.source.robot),
        epoch: visit.source.epoch,
        depth: visit.source.depth,
        viewer: visit.source.viewer.clone(),
        was_opted_out: visit.state_before == SourceState::OptedOut,
        ..Upload::new(seen.visit, visit.source.network.clone(), seen.at)
    }
}

/// What its links into other networks lead to and can be read there: the store makes stubs of it.
pub(super) fn followed(upload: &Upload, networks: &Networks) -> Vec<Address> {
    let seen = &upload.observation;
    let posts = seen.posts.iter().flat_map(|post| &post.slinks);
    let accounts = seen.accounts.iter().flat_map(|account| &account.slinks);
    let things = seen.things.iter().flat_map(|thing| &thing.slinks);
    let objects = posts.chain(accounts).chain(things).filter(|link| link.kind != LinkKind::Sp);
    let can_follow = |it: &&Address| {
        let connector = networks.connector_for(&it.network);
        connector.is_some_and(|connector| robot::can_follow(&*connector, &it.kind, &it.id))
    };
    objects.map(|link| &link.target).filter(can_follow).take(FOLLOWED_MAX).cloned().collect()
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
