//! Probes: what a call shows of each source that it asked about, and what follows. Part of step 7 (compare) of 10.
//!
//! A pulse says whether there are posts, not which. Who shows the one of its last visit was looked at and found without news; everybody
//! else bids for a visit. A probe lists nothing, so posts that it shows are taken as embedded ones. Whom to ask about is decided in
//! `core/groups.rs`; a page that brings the posts themselves is `core/groups/merged.rs`.

use freshet_store::row::Upload;
use freshet_types::{Map, Page, PageKind, Pulse, RobotKind, Span, Timestamp, VisitId};

use super::{Core, threads};
use crate::consent::drop_opted_out;
use crate::core::sources::Planned;
use crate::core::upload::empty_upload;
use crate::price::TariffKey;
use crate::schedule;
use crate::walk::Seen;

impl Core {
    /// A probe was answered: who has no news was looked at, who has is told and bids for a visit.
    pub(super) fn on_probed(&mut self, mut page: Page, seen: Seen, now: Timestamp) {
        if page.pulses.is_empty() {
            return self.on_group_refused(seen.visit, &page, now);
        }
        let members = self.arrive(seen.visit, now);
        let lead = &self.visits[seen.visit];
        let tariff = TariffKey::new(lead.key, lead.source.robot);
        self.groups.accept(tariff, page.pulses.len(), members.len());
        let pulses: Map<String, String> =
            std::mem::take(&mut page.pulses).into_iter().map(|pulse| (pulse.root, pulse.value)).collect();
        let opted_out = if self.options.honours_opt_out {
            drop_opted_out(&mut page.observation, None)
        } else {
            Vec::new()
        };
        // It lists nothing, so what it shows of posts is beside the point; and none is nearer because it was shown with one that is.
        page.observation.posts.iter_mut().for_each(|post| post.is_embedded = true);
        let depths = members.iter().filter_map(|id| Some(self.visits.get(*id)?.source.depth));
        let upload = Upload {
            depth: depths.max().unwrap_or_default(),
            observation: page.observation,
            opted_out: opted_out.clone(),
            ..empty_upload(&self.visits[seen.visit], seen)
        };
        self.want_upload(seen.visit, upload);
        for id in members {
            let Some(visit) = self.visits.get_mut(id) else { continue };
            if pulses.get(&visit.source.root_id).is_some_and(|value| value == threads::NOTHING) {
                threads::note_empty(&mut visit.source, seen.at);
            }
            let (root, before) = (&visit.source.root_id, visit.source.pulse.as_deref());
            match pulses.get(root) {
                Some(value) if before == Some(value) && !opted_out.contains(root) => {
                    let unchanged = Page { kind: PageKind::Other, is_unchanged: true, ..Page::default() };
                    self.on_page(unchanged, None, Seen { visit: id, ..seen }, now);
                }
                value => {
                    let count = value.zip(before).map(|(value, before)| Pulse::risen(before, value));
                    self.tell(id, value.cloned(), count, seen.at);
                }
            }
        }
    }

    /// A source has news, or may have: it bids for a visit of its own, the sooner the more of its posts wait.
    pub(super) fn tell(&mut self, id: VisitId, pulse: Option<String>, count: Option<u32>, at: Timestamp) {
        let visit = &self.visits[id];
        let source = &visit.source;
        if source.robot == RobotKind::Comment {
            // It has a pace of its own, and no bid: it stands with those that are due.
            self.groups.told.insert(source.id, pulse);
            return self.put_off(id, at);
        }
        let market = self.prices.market(TariffKey::new(visit.key, source.robot), &self.ledger, at);
        // Of one that was never asked about before, what is expected is all that is known.
        let expected = || {
            let since = source.visited_at.unwrap_or(at);
            self.policy.posts(&source.model, market, since, at).max(1.0)
        };
        let backlog = count.map_or_else(expected, |count| f64::from(count.max(1)));
        let mut facts = schedule::facts(source, at);
        facts.backlog = backlog;
        let due_at = self.policy.due_at(&source.model, &facts, market);
        // In this time its posts have waited as much as a call costs.
        let weight = f64::from(source.weight).max(1e-6);
        let patience = Span::from_secs_f64(market.price / (backlog * weight));
        let planned = Planned::told(patience);
        let id_of_source = source.id;
        self.groups.told.insert(id_of_source, pulse);
        if let Some(slot) = self.sources.get_mut(id_of_source) {
            slot.planned = Some(planned);
        }
        self.put_off(id, due_at);
    }
}
