//! Keeps the subscriptions at hubs up: which feeds name one, what is sent to hubs, and what becomes of what they bring.
//!
//! Steps 4 to 8 of 10 for what hubs bring, beside the run and never in its way: a connection of its own, each request under the run's ledger. One
//! request a turn, so that a thousand feeds of one hub are a matter of minutes and no storm.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_engine::guest::{self, Sight};
use freshet_fetch::hub::{HubAsk, is_public};
use freshet_fetch::{Fetch as _, HttpFetch, HttpOptions, Vault};
use freshet_network::networks::Networks;
use freshet_report::hubs::HubsStatus;
use freshet_store::api::{Controls as _, Read as _, Sources as _};
use freshet_store::browse::{Browse as _, SourceQuery};
use freshet_store::control::{Control, SourcesChange};
use freshet_store::setting::Json;
use freshet_types::{
    Clock, Instance, Intent, NetworkName, Outcome, Primitive, Request, Response, RobotKind, Source, Target,
    Weight,
};
use tokio::runtime::Runtime;
use url::Url;

use super::desk::{Errand, FEEDS_MAX, Feed, LEASE_S, Push};
use super::{HUBS, Hubs, PATH};
use crate::data::Data;
use crate::guest::Guest;
use crate::place::Place;

/// Wall time between two turns.
pub(super) const TURN_EVERY: Duration = Duration::from_secs(1);
/// Wall time between two looks at which feeds name a hub.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The definition whose sources are feeds.
const FEEDS: &str = "rss";

/// What keeping hubs up takes.
#[derive(Debug)]
pub struct HubsKit {
    /// The data directory with its store.
    pub place: Place,
    pub networks: Arc<Networks>,
    pub clock: Arc<dyn Clock>,
    /// Whom servers can write to.
    pub contact: String,
    /// Where hubs reach the dashboard.
    pub public: String,
}

/// Who keeps them up.
pub(super) struct Keeper {
    kit: HubsKit,
    hubs: Hubs,
    data: Data,
    fetch: HttpFetch,
    runtime: Runtime,
    looked: Option<Instant>,
    /// Why the address does not lead here.
    why: Option<String>,
    /// What was written last.
    told: Option<HubsStatus>,
}

impl Keeper {
    pub(super) fn new(kit: HubsKit, hubs: Hubs) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = HttpOptions::new(kit.contact.clone(), Arc::clone(&kit.clock), Arc::new(Vault::empty()));
        let (data, fetch) = (Data::reopen(&kit.place)?, HttpFetch::new(options)?);
        Ok(Self { kit, hubs, data, fetch, runtime, looked: None, why: None, told: None })
    }

    /// Whether the address leads here, and whether others reach it at all.
    pub(super) fn begin(&mut self) {
        let public = self.kit.public.clone();
        let url = format!("{public}{PATH}{}", self.hubs.proof);
        let request = Request { allow_private: true, ..Request::get(&NetworkName::from("hub"), url) };
        let fetched = self.runtime.block_on(self.fetch.fetch(&request));
        self.why = match fetched {
            Ok(response) if response.status == 200 && response.body == self.hubs.proof.as_bytes() => None,
            Ok(response) => Some(format!("it answers {} and is not this dashboard", response.status)),
            Err(fault) => Some(fault.to_string()),
        };
        if let Some(why) = &self.why {
            tracing::warn!("hubs do not reach this run at `{public}`: {why}");
        } else if Url::parse(&public).is_ok_and(|url| !is_public(&url)) {
            tracing::warn!("only hubs on this computer or in its network reach `{public}`");
        }
    }

    /// Reads what came, looks which feeds name a hub, and asks one of them.
    pub(super) fn turn(&mut self) -> anyhow::Result<()> {
        loop {
            let Some(push) = self.hubs.desk().next_push() else { break };
            self.read(push)?;
        }
        let now = self.kit.clock.now();
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
            let feeds = self.feeds()?;
            self.hubs.desk().follow(feeds, now);
            self.looked = Some(Instant::now());
        }
        self.hubs.desk().pass(now, &self.kit.public);
        let errand = self.hubs.desk().next_errand(now);
        let asked = errand.map_or(Ok(()), |errand| self.ask(&errand));
        self.tell()?;
        asked
    }

    /// Nothing is told any more.
    pub(super) fn end(&mut self) {
        if let Err(error) = HUBS.put(&mut self.data.store, &Json(None)) {
            tracing::debug!("what hubs told stays written down: {error}");
        }
    }

    /// Feeds that are watched and name a hub.
    fn feeds(&self) -> anyhow::Result<Vec<Feed>> {
        let store = &self.data.store;
        let query = SourceQuery {
            network: Some(FEEDS.to_owned()),
            robot: Some(RobotKind::Status),
            limit: FEEDS_MAX,
            ..SourceQuery::default()
        };
        let instances = store.instances()?;
        let mut feeds = Vec::new();
        for source in store.list_sources(&query)?.sources {
            let Some(hub) = source.timetable.hub.clone().filter(|_| source.state.is_watched()) else {
                continue;
            };
            let account = store.account_of(&source.network, &source.root_id)?;
            let plinks = account.map(|row| row.account.plinks).unwrap_or_default();
            let topic = plinks.into_iter().find_map(|(name, value)| match value {
                Primitive::Text(text) if &*name == "topic" => Some(text),
                _ => None,
            });
            let instance = instances.iter().find(|row| row.instance.network == source.network);
            feeds.push(Feed {
                source: source.id,
                label: source.label(),
                definition: source.network.definition().to_owned(),
                hub,
                topic: topic.unwrap_or_else(|| source.root_id.clone()),
                allow_private: instance.is_some_and(|row| row.instance.allow_private),
            });
        }
        Ok(feeds)
    }

    /// Asks a hub, as soon as the ledger grants it.
    fn ask(&mut self, errand: &Errand) -> anyhow::Result<()> {
        let Errand { path, feed, is_leaving } = errand;
        let callback = format!("{}{PATH}{path}", self.kit.public);
        let ask = HubAsk {
            hub: &feed.hub,
            topic: &feed.topic,
            callback: &callback,
            lease_s: (!is_leaving).then_some(LEASE_S),
            allow_private: feed.allow_private,
        };
        let now = self.kit.clock.now();
        let made = self.hubs.desk().secret(path).map(|secret| secret.request(&feed.definition, ask));
        let request = match made {
            None => return Ok(()),
            Some(Ok(request)) => request,
            Some(Err(fault)) => {
                self.hubs.desk().on_failed(path, &fault.to_string(), now);
                return Ok(());
            }
        };
        self.hubs.desk().on_asking(path, now);
        let mut guest = Guest::new(&mut self.data, &self.kit.networks, &self.fetch, &*self.kit.clock);
        let mut status = 0;
        let read = |response: &Response, _| {
            status = response.status;
            match response.status {
                429 | 503 => Outcome::RateLimited { until: None },
                _ => Outcome::Ok,
            }
        };
        let sent = self.runtime.block_on(guest.send(&request, read));
        match sent {
            Err(error) => {
                self.hubs.desk().on_put_off(path, self.kit.clock.now());
                return Err(error);
            }
            Ok(Ok(())) if (200..300).contains(&status) => {}
            Ok(Ok(())) => {
                let why = format!("the hub answered {status}");
                self.hubs.desk().on_failed(path, &why, self.kit.clock.now());
            }
            Ok(Err(fault)) => self.hubs.desk().on_failed(path, &fault.to_string(), self.kit.clock.now()),
        }
        Ok(())
    }

    /// Stores what a hub brought; a feed of which it brought nothing that can be read is due.
    fn read(&mut self, push: Push) -> anyhow::Result<()> {
        let store = &self.data.store;
        let Some(source) = store.source(push.source)?.filter(|it| it.state.is_watched()) else {
            return Ok(());
        };
        let instances = store.instances()?;
        let instance = instances.into_iter().find(|row| row.instance.network == source.network);
        let Some(instance) = instance.map(|row| row.instance) else { return Ok(()) };
        let path = push.path.clone();
        let seen = self.seen(&source, &instance, push);
        match seen {
            Ok(sight) => Ok(guest::store(&mut self.data.store, &self.kit.networks, vec![sight])?),
            Err(why) => {
                self.hubs.desk().on_useless(&path, &why);
                self.make_due(&source)
            }
        }
    }

    /// What a hub brought, as a page of the feed; why it is none.
    fn seen(&self, source: &Source, instance: &Instance, push: Push) -> Result<Sight, String> {
        let connector = self.kit.networks.connector_for(&source.network).ok_or("there is no definition")?;
        let now = self.kit.clock.now();
        let target = Target {
            instance,
            endpoint: &source.endpoint,
            root: &source.root_id,
            credential: None,
            validators: None,
        };
        let response = Response {
            status: 200,
            headers: vec![("content-type".to_owned(), push.content_type)],
            body: push.body,
            url: source.root_id.clone(),
            received_at: now,
        };
        let page = connector.read(&target, &Intent::First, &response, now);
        if page.outcome != Outcome::Ok || page.observation.posts.is_empty() {
            let what = page.complaints.first().map_or("it holds no entry", |complaint| &complaint.what);
            return Err(format!("what the hub brought is no page of the feed: {what}"));
        }
        let (network, depth) = (source.network.clone(), source.depth);
        Ok(Sight { network, observation: page.observation, seen_at: now, depth })
    }

    fn make_due(&mut self, source: &Source) -> anyhow::Result<()> {
        let weight = Weight::new(source.weight).unwrap_or(Weight::USUAL);
        self.data.store.weigh(&[(source.id, self.kit.clock.now())], weight)?;
        self.data.store.push_control(&Control::Sources(SourcesChange::Due(source.id)))?;
        Ok(())
    }

    /// Writes down what is told of hubs, where that is something new.
    fn tell(&mut self) -> anyhow::Result<()> {
        let feeds = self.hubs.desk().lines(self.kit.clock.now());
        let status = HubsStatus { at: self.kit.public.clone(), why: self.why.clone(), feeds };
        if self.told.as_ref() != Some(&status) {
            HUBS.put(&mut self.data.store, &Json(Some(status.clone())))?;
            self.told = Some(status);
        }
        Ok(())
    }
}
