//! Complaints on their way: held by the visit whose answer they are about, until its next upload takes them along.
//!
//! So they are stored in the transaction of the page, or with the end of a visit whose page was of no use, and go with the source where
//! that was forgotten meanwhile. What is held is bounded; the run counts all. It judges no page: that is reading and walking.

use freshet_network::networks::Networks;
use freshet_types::{Address, Complaint, Observation, Set, VisitId};

use super::Core;
use crate::visit::Visit;

/// Complaints that a visit holds: those of a page, and some that came before it.
const HELD_MAX: usize = 100;
/// Links to any page of the web lead into no network, and are not meant to.
const WEB: &str = "web";
/// Networks of links that are looked at on one page.
const NETWORKS_MAX: usize = 20;

impl Core {
    /// Counts complaints, and holds them for the next upload of the visit.
    pub(super) fn hold(&mut self, id: VisitId, complaints: &[Complaint]) {
        self.tally.complaints_count += complaints.len() as u64;
        if let Some(visit) = self.visits.get_mut(id) {
            let room = HELD_MAX.saturating_sub(visit.complaints.len());
            visit.complaints.extend(complaints.iter().take(room).cloned());
        }
    }

    /// Counts and holds what is wrong beside the page itself, and tells the log why its list leads nowhere.
    pub(super) fn complain_beside(
        &mut self,
        id: VisitId,
        seen: &Observation,
        obstacle: Option<&'static str>,
    ) {
        if let (Some(why), Some(visit)) = (obstacle, self.visits.get(id)) {
            tracing::warn!(source = visit.source.id.0, "{why}");
        }
        let complaints = beside(seen, &self.networks, obstacle);
        self.hold(id, &complaints);
    }
}

/// What a page shows of somebody who asks not to be collected is shown to nobody.
pub(super) fn hide_samples(visit: &mut Visit) {
    visit.complaints.iter_mut().for_each(|complaint| complaint.sample.clear());
}

/// What is wrong beside the page itself: its list leads nowhere, or it links into networks that nobody here can read.
fn beside(seen: &Observation, networks: &Networks, obstacle: Option<&'static str>) -> Vec<Complaint> {
    let mut all: Vec<Complaint> = obstacle.map(|why| Complaint::new("list", why)).into_iter().collect();
    let posts = seen.posts.iter().flat_map(|post| &post.slinks);
    let accounts = seen.accounts.iter().flat_map(|account| &account.slinks);
    let things = seen.things.iter().flat_map(|thing| &thing.slinks);
    let mut met: Set<&str> = Set::default();
    for link in posts.chain(accounts).chain(things) {
        let network = &link.target.network;
        let name = network.definition();
        let is_asked = name != WEB && met.len() < NETWORKS_MAX && met.insert(name);
        if is_asked && networks.connector_for(network).is_none() {
            all.push(undefined(&link.name, &link.target));
        }
    }
    all
}

fn undefined(name: &str, target: &Address) -> Complaint {
    let what = format!(
        "a link leads into `{}`, a network that has no definition; it is kept",
        target.network.definition()
    );
    Complaint::new(name, what).with_sample(target.to_string())
}
