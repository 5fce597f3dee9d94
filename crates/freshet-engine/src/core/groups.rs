//! Groups: one call that asks about many sources of a server. Part of steps 3 (pick), 4 (ask) and 7 (compare) of 10.
//!
//! Where calls are scarce and a network can tell of many roots at once which have news, the source that wins a call does not
//! spend it alone: those that would win next go with it. The one request is a *probe*, and shows a *pulse* of each
//! ([`freshet_types::Pulse`]). Who has the pulse of its last visit has no news: that is a look like one that a server answers with "not
//! modified", learned from and covered in the same way. Whose pulse is another is *told*, and bids for a visit of its own, the more of its
//! posts wait the sooner (`core/groups/probed.rs`). Or it is a page of a *merged list*, which brings the posts themselves (`core/groups/merged.rs`), for those whom it
//! reaches (`core/groups/members.rs`).
//!
//! | idea | here |
//! |---|---|
//! | the first of a group has its lease, place and request as always; the others are visits without a place | `Party` |
//! | what a call for a group is worth, beside a visit to who was told | `Core::best_group` |
//! | lists of comments do not bid: a thread takes along those that wait behind it | `core/groups/threads.rs` |
//! | a look that may be a probe costs its fare | `freshet_policy::lookahead::Fare`, by the group of the market |
//! | a server that refuses such calls is asked singly for a day | [`REFUSED_REST`] |
//!
//! Nothing of this is stored but the pulse, and that only when a list was read after it: dying in between costs a call, never a post.

mod members;
mod merged;
mod probed;
mod threads;

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_policy::group::Group;
use freshet_policy::group::reach::Recent;
use freshet_types::{
    Endpoint, GroupAsk, Map, Page, Pulse, RobotKind, ServerKey, Source, SourceId, SourceState, Span,
    Timestamp, VisitId,
};

use self::members::LastLook;
use super::sources::Planned;
use super::timing::LATENESS_MIN;
use super::{Core, Slot, VISITS_RESERVED};
use crate::core::Effect;
use crate::price::TariffKey;
use crate::visit::{Visit, own_endpoint};
use crate::walk::{Aim, Leg, Seen, Walk};

/// How long a server that refuses calls for groups is asked singly.
const REFUSED_REST: Span = Span::DAY;
/// And one where they fail again and again.
const FAILED_REST: Span = Span::HOUR;
/// Failures in a row before that.
const FAILURES_MAX: u32 = 3;
/// Sources that are asked about at once, over all servers.
const PASSENGERS_MAX: usize = 4096;
/// A source whose gap is nearly what it would be without probes has news at nearly every look: it is visited at once.
const SINGLE_SHARE: f64 = 0.9;
/// Posts that must be expected of it as well.
const NEWS_SURE: f64 = 1.0;
/// Where the ceiling cannot be kept, lists stay unread for so many times as long at most.
const UNREAD_STRETCH: f64 = 4.0;
/// How late a call for a group, or for who was told, counts at most: posts come in bursts, and what one leaves waiting says little of
/// the price that is right for the day.
const LATENESS_MAX: f64 = 1.1;
/// What a visit to who was told is worth from the start, in prices: what waits is known, what a probe finds is not.
const TOLD_WORTH: f64 = 0.1;

/// A call for a group under way.
#[derive(Debug, Default)]
struct Party {
    /// Visits that go with the first one's request.
    passengers: Vec<VisitId>,
    /// Those that are still being read from the store.
    awaited_count: usize,
}

/// All groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By the visit whose request it is.
    parties: Map<VisitId, Party>,
    /// Visits whose source is being read, by the first of their group.
    leads: Map<VisitId, VisitId>,
    /// What a probe showed of sources that no visit has read since.
    told: Map<SourceId, Option<String>>,
    /// Whose lists are asked about singly until then, and how often probes failed in a row.
    refused: Map<TariffKey, (Timestamp, u32)>,
    /// Where fewer sources were told of than were asked about: so many at once.
    caps: Map<TariffKey, usize>,
    /// How often sources of an endpoint led a group, by server: prices go by the endpoint that does most often.
    led: Map<ServerKey, BTreeMap<Arc<str>, u32>>,
    /// How much of a merged page its members are to fill, by server: less where pages were too short.
    fills: Map<ServerKey, f64>,
    /// The newest posts of servers that have merged lists.
    recents: Map<ServerKey, Recent>,
    /// The last looks at their sources.
    looks: Map<SourceId, LastLook>,
}

impl Groups {
    /// Visits that have no place at their server.
    pub(super) fn passenger_count(&self) -> usize {
        self.leads.len() + self.parties.values().map(|party| party.passengers.len()).sum::<usize>()
    }

    /// Whether a probe told that this source has news.
    pub(super) fn is_told(&self, id: SourceId) -> bool {
        self.told.contains_key(&id)
    }

    /// A source is not counted any more.
    pub(super) fn forget(&mut self, id: SourceId) {
        self.looks.remove(&id);
    }

    /// The server answered a probe, and told of so many of those that it was asked about.
    fn accept(&mut self, tariff: TariffKey, told_count: usize, asked_count: usize) {
        self.refused.remove(&tariff);
        // Some may be gone; where many are missing, it has a limit of its own.
        if told_count * 4 < asked_count * 3 {
            self.caps.insert(tariff, told_count.max(2));
        }
    }

    /// It did not, or not with what was asked for.
    fn note_failure(&mut self, tariff: TariffKey, is_refusal: bool, now: Timestamp) {
        let (until, failure_count) = self.refused.entry(tariff).or_insert((now, 0));
        *failure_count += 1;
        let beyond = failure_count.checked_sub(FAILURES_MAX);
        // Each failure after the first few doubles the rest.
        let failed = beyond.map(|beyond| (FAILED_REST * f64::from(1_u32 << beyond.min(8))).min(REFUSED_REST));
        let rest = if is_refusal { Some(REFUSED_REST) } else { failed };
        *until = now + rest.unwrap_or(Span::ZERO);
    }

    fn is_refused(&self, tariff: TariffKey, now: Timestamp) -> bool {
        self.refused.get(&tariff).is_some_and(|(until, _)| *until > now)
    }
}

impl Core {
    /// What one call can do for several lists of posts of a server, with as many roots as it may name today.
    pub(super) fn group_of(&self, key: ServerKey, now: Timestamp) -> GroupAsk {
        let tariff = TariffKey::new(key, RobotKind::Status);
        if self.groups.is_refused(tariff, now) {
            return GroupAsk::default();
        }
        let Some(connector) = self.networks.connector_for(self.servers.network(key)) else {
            return GroupAsk::default();
        };
        let led = self.groups.led.get(&key);
        let rank = |endpoint: &&Endpoint| {
            (led.and_then(|led| led.get(&endpoint.name)).copied(), endpoint.group.roots_max)
        };
        let is_list = |endpoint: &&Endpoint| endpoint.robot == Some(RobotKind::Status);
        let group = connector.endpoints().iter().filter(is_list).max_by_key(rank).map(|it| it.group);
        let group = group.unwrap_or_default();
        GroupAsk { roots_max: self.roots_max(tariff, group.roots_max, now), ..group }
    }

    /// Roots that a call may name today, of so many that the definition allows.
    fn roots_max(&self, tariff: TariffKey, declared: usize, now: Timestamp) -> usize {
        let cap = self.groups.caps.get(&tariff).copied().unwrap_or(usize::MAX);
        if self.groups.is_refused(tariff, now) { 0 } else { declared.min(cap).min(self.options.group_max) }
    }

    /// Sources that one call can ask a server about; 1 where each needs its own.
    pub(super) fn group_size(&self, key: ServerKey, now: Timestamp) -> usize {
        self.group_of(key, now).roots_max.max(1)
    }

    /// The prices of a server know what a call can do for several sources.
    pub(super) fn set_group(&mut self, key: ServerKey, now: Timestamp) {
        let GroupAsk { roots_max, posts_max } = self.group_of(key, now);
        let group = Group::new(roots_max as f64, posts_max as f64);
        self.prices.set_group(TariffKey::new(key, RobotKind::Status), group);
    }

    /// Whether a source that bids is visited alone: it was told of, or has news at nearly every look, or more than a merged page has room
    /// for. The gap alone does not say so: whoever is planned for the hour in which posts begin has little slack after it, too.
    pub(super) fn is_single(&self, id: SourceId, key: ServerKey, planned: Planned, now: Timestamp) -> bool {
        if self.groups.is_told(id) {
            return true;
        }
        let is_dear = planned.gap.span() >= planned.slack.slack().late * SINGLE_SHARE;
        let sure = if self.is_merged(key, now) { self.room_of(key, now) } else { NEWS_SURE };
        is_dear && self.expected_of(id, now) >= sure
    }

    /// Begins to ask about others with the request of a visit, where that is worth it; gives whether it waits for them.
    pub(super) fn form_group(&mut self, lead: VisitId, now: Timestamp) -> bool {
        let Some(visit) = self.visits.get(lead) else { return false };
        if visit.source.robot == RobotKind::Comment {
            return self.form_threads(lead, now);
        }
        let (key, id) = (visit.key, visit.source.id);
        let slot = self.sources.get(id).and_then(|slot| slot.planned);
        // A network may tell of some of its lists and not of others.
        let connector = self.networks.connector_for(&visit.source.network);
        let own = connector.as_deref().and_then(|connector| own_endpoint(connector, &visit.source));
        let own_max = own.map_or(0, |endpoint| endpoint.group.roots_max);
        let name = own.filter(|_| own_max > 1).map(|endpoint| Arc::clone(&endpoint.name));
        let may_lead = own_max > 1
            && visit.aim == Aim::News
            && visit.walk.leg == Leg::List
            && self.can_be_grouped(&visit.source, key, now)
            && slot.is_some_and(|planned| !self.is_single(id, key, planned, now))
            && self.expected_of(id, now) < self.room_of(key, now);
        let told = self.groups.is_told(id).then(|| self.worth_of(id, now));
        if !may_lead && told.is_none() {
            return false;
        }
        if let Some(name) = name.filter(|_| may_lead) {
            let led = self.groups.led.entry(key).or_default().entry(name).or_default();
            *led = led.saturating_add(1);
        }
        let size = if may_lead { self.group_size(key, now).min(own_max) } else { 1 };
        let seats = PASSENGERS_MAX.saturating_sub(self.groups.passenger_count()).min(size - 1);
        let members = self.take_members(key, (seats, Some(id)), now);
        if members.is_empty() && told.is_none() {
            return false;
        }
        let group = || self.worth_of_group([id].iter().chain(&members).copied(), (key, size), now);
        let lateness = lateness_of(told.unwrap_or_else(group));
        let visit = &mut self.visits[lead];
        visit.lateness = visit.lateness.map(|_| lateness);
        if members.is_empty() {
            return false;
        }
        self.gather(lead, members);
        true
    }

    /// These go with the request of a visit, when they have been read from the store.
    fn gather(&mut self, lead: VisitId, members: Vec<SourceId>) {
        self.groups.parties.insert(lead, Party { passengers: Vec::new(), awaited_count: members.len() });
        for member in members {
            let (visit, wants_more) = self.visits.next_number();
            if wants_more {
                self.want(Effect::ReserveVisits(VISITS_RESERVED));
            }
            if let Some(slot) = self.sources.get_mut(member) {
                slot.is_leased = true;
            }
            self.groups.leads.insert(visit, lead);
            self.visits.await_source(member, visit, Aim::News);
            self.want(Effect::Load(member));
        }
    }

    /// Whether a visit that has not begun waits for a group of its server, which had its turn before and is still being read from the store.
    /// Whoever goes alone is ready sooner: it would take the one call that there may be, each time.
    pub(super) fn yields_to_group(&self, id: VisitId) -> bool {
        let Some(visit) = self.visits.get(id).filter(|visit| visit.asked_at.is_none()) else { return false };
        let is_before = |(&lead, party): (&VisitId, &Party)| {
            lead != id
                && party.awaited_count > 0
                && self.visits.get(lead).is_some_and(|lead| lead.key == visit.key)
        };
        self.groups.parties.iter().any(is_before)
    }

    /// The source of a visit came, or is gone; gives it back where it does not go with a probe.
    pub(super) fn join_group(
        &mut self,
        visit: VisitId,
        source: Option<Box<Source>>,
        now: Timestamp,
    ) -> Result<(), Option<Box<Source>>> {
        let Some(lead) = self.groups.leads.remove(&visit) else { return Err(source) };
        let source = source.filter(|source| source.state.is_watched());
        let rest = if source.is_some() { Ok(()) } else { Err(None) };
        if let Some(source) = source {
            self.board(visit, lead, *source, now);
        }
        if let Some(party) = self.groups.parties.get_mut(&lead) {
            party.awaited_count = party.awaited_count.saturating_sub(1);
            if party.awaited_count == 0 {
                self.send_group(lead, now);
            }
        }
        rest
    }

    /// A source goes with a probe, unless it cannot be asked about that way or there is none any more.
    fn board(&mut self, visit: VisitId, lead: VisitId, source: Source, now: Timestamp) {
        let id = source.id;
        let Some(slot) = self.sources.get(id) else { return };
        let is_alike = |lead: &Visit| lead.source.endpoint == source.endpoint;
        let is_meant = source.state == SourceState::Active
            && self.can_be_grouped(&source, slot.key, now)
            && self.visits.get(lead).is_some_and(is_alike);
        if !is_meant {
            // It bids for a visit of its own.
            self.groups.told.insert(id, source.pulse.clone());
        }
        let party = self.groups.parties.get_mut(&lead).filter(|_| is_meant);
        let Some(party) = party else {
            return self.give_back(id, source.state, slot.news_at);
        };
        party.passengers.push(visit);
        let walk = Walk::grouped(&source);
        self.visits.open(Visit::new(visit, source, slot.key, Aim::News, walk, now));
    }

    /// Whether a pulse is enough for a source: its root is known, no person has set its pace, and its list was not left unread for
    /// long. A pulse tells of posts, not of edits.
    fn can_be_grouped(&self, source: &Source, key: ServerKey, now: Timestamp) -> bool {
        if source.robot == RobotKind::Comment {
            return threads::can_be_grouped(source, now);
        }
        let stretch = self.prices.stretch_of(TariffKey::new(key, source.robot));
        let rounds = if stretch > 1.0 { stretch * UNREAD_STRETCH } else { 1.0 };
        let unread_max = self.policy.pacing().ceiling * rounds;
        let is_read = source.read_at.is_some_and(|read_at| now - read_at <= unread_max);
        // One call has one credential, and brings what it shows to one place.
        is_read && !source.root_id.is_empty() && source.pinned.is_none() && source.viewer.is_none()
    }

    /// All of a group are there: the request leaves, as soon as it may.
    fn send_group(&mut self, lead: VisitId, now: Timestamp) {
        let Some(party) = self.groups.parties.get(&lead) else { return };
        let mut roots: Vec<String> =
            party.passengers.iter().map(|&id| self.visits[id].source.root_id.clone()).collect();
        let Some(visit) = self.visits.get_mut(lead) else { return };
        if roots.is_empty() {
            self.groups.parties.remove(&lead);
        } else {
            roots.insert(0, visit.source.root_id.clone());
            visit.walk.ask_group(roots);
        }
        self.send(lead, now);
    }

    /// A call for a group will not be answered: those who went with it are due when they were.
    pub(super) fn disband(&mut self, lead: VisitId) {
        let Some(party) = self.groups.parties.remove(&lead) else { return };
        for passenger in party.passengers {
            let Some(source) = self.visits.get(passenger).map(|visit| visit.source.id) else { continue };
            let news_at = self.sources.news_at(source, Timestamp::MIN);
            self.put_off(passenger, news_at);
        }
    }

    /// The list of a source was read: its pulse is the one that stands there, or what a probe showed before.
    pub(super) fn note_pulse(&mut self, id: VisitId, shown: Option<Pulse>, at: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        visit.source.read_at = Some(at);
        let told = self.groups.told.remove(&visit.source.id);
        if let Some(pulse) = shown.map(|pulse| Some(pulse.value)).or(told) {
            visit.source.pulse = pulse;
        }
    }

    /// A call for a group failed, as requests do: after some of them, sources are asked about singly for a while.
    pub(super) fn note_group_failed(&mut self, lead: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get(lead).filter(|visit| visit.walk.is_group()) else { return };
        let tariff = TariffKey::new(visit.key, visit.source.robot);
        self.groups.note_failure(tariff, false, now);
    }

    /// The server does not answer for groups: the first is visited alone, the others go back.
    pub(super) fn on_group_refused(&mut self, lead: VisitId, page: &Page, now: Timestamp) {
        let visit = &mut self.visits[lead];
        visit.walk.end_group();
        let key = visit.key;
        let tariff = TariffKey::new(key, visit.source.robot);
        self.groups.note_failure(tariff, true, now);
        let network = self.servers.network(key).as_str();
        let outcome = page.outcome.name();
        tracing::info!(
            network,
            "asked about several sources at once, it answers `{outcome}`: each is asked alone"
        );
        self.disband(lead);
        self.send(lead, now);
    }

    /// A call for a group was answered.
    pub(super) fn on_grouped(&mut self, page: Page, seen: Seen, now: Timestamp) {
        let visit = &self.visits[seen.visit];
        let connector = self.networks.connector_for(&visit.source.network);
        let own = connector.as_deref().and_then(|connector| own_endpoint(connector, &visit.source));
        let (Some(endpoint), true) = (own, self.groups.parties.contains_key(&seen.visit)) else {
            return self.on_group_refused(seen.visit, &page, now);
        };
        if endpoint.group.posts_max > 0 {
            self.on_merged(page, endpoint.id_order, seen, now);
        } else {
            self.on_probed(page, seen, now);
        }
    }

    /// Those who went with a call that was answered, its first one before all; what it cost is known.
    fn arrive(&mut self, lead: VisitId, now: Timestamp) -> Vec<VisitId> {
        let party = self.groups.parties.remove(&lead).unwrap_or_default();
        let visit = &mut self.visits[lead];
        visit.walk.end_group();
        if let Some(lateness) = visit.lateness.take() {
            let tariff = TariffKey::new(visit.key, visit.source.robot);
            self.prices.visited(tariff, &visit.paid, lateness, now);
        }
        std::iter::once(lead).chain(party.passengers).collect()
    }

    /// What a call for these is worth more than it costs, in prices: each paid its fare already, of which a visit that may follow is not
    /// part of this call.
    fn worth_of_group(
        &self,
        ids: impl Iterator<Item = SourceId>,
        (key, size): (ServerKey, usize),
        now: Timestamp,
    ) -> f64 {
        let (share, room) = (1.0 / size as f64, self.room_of(key, now));
        let brought = |id| self.worth_of(id, now) + share + self.expected_of(id, now) / room;
        ids.map(brought).sum::<f64>() - 1.0
    }

    /// What a look at a source now is worth more than it costs, in prices.
    pub(super) fn worth_of(&self, id: SourceId, now: Timestamp) -> f64 {
        let Some((slot, planned)) = self.sources.get(id).and_then(|slot: Slot| Some((slot, slot.planned?)))
        else {
            return 0.0;
        };
        let told = if self.groups.is_told(id) { TOLD_WORTH } else { 0.0 };
        told + planned.slack.slack().worth(planned.gap.span(), slot.news_at, now)
    }
}

/// How late a call comes that is worth so much more than it costs, as a share of the planned gap: at a constant rate, its square is what
/// the call brings.
fn lateness_of(worth: f64) -> f64 {
    (1.0 + worth).max(0.0).sqrt().clamp(LATENESS_MIN, LATENESS_MAX)
}
