//! The roles of the store seam as the SQLite backend plays them: each method names the room that does the work.
//!
//! `Browse` is in `browse.rs`, with what only it needs. Questions about many things are asked one by one here: in this process a
//! prepared statement costs less than a long list of parameters.

use freshet_types::{
    Address, Change, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp,
    Weight,
};
use rusqlite::Connection;

use super::{
    SqliteStore, apply, browse, check, control, damage, erase, failed, forgotten, held, interest, links,
    lists, log, members, network, parking, ranks, read, search, source, streams, subscriptions, things,
};
use crate::api::interest::{Inquiry, InterestRow, Ranked};
use crate::api::{
    Apply, Care, ChangeLog, Compare, Controls, Interest, ParkingLot, Read, Rows, Settings, Sources,
    StoreError, Streams, Subscriptions,
};
use crate::control::{Control, ControlRow};
use crate::row::{
    AccountRow, AnyLinkRow, Applied, Counts, CrossLinkQuery, CrossLinkRow, Erased, Filter, Finding,
    Forgetting, Held, Hit, InstanceRow, LinkQuery, LinkRow, ListRow, ListTimes, ListTimesBounds,
    ListTimesKind, Member, NewestQuery, ObjectRow, OnDelete, Parked, PostRow, RelationRow, RobotRow,
    SourceSlot, StalePage, StreamRow, ThingRow, Upload, WatchedQuery, WatchedRow,
};
use crate::subscription::{Standing, State, Subscription, SubscriptionRow};

impl Apply for SqliteStore {
    fn apply(&mut self, uploads: &[Upload], compare: Compare) -> Result<Vec<Applied>, StoreError> {
        let keep_raw = self.options.keep_raw;
        self.write("apply what was seen", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            let means =
                apply::Means { networks: &self.networks, forgotten: &mut forgotten, compare, keep_raw };
            apply::apply(db, means, uploads)
        })
    }

    fn begin_epoch(&mut self) -> Result<u64, StoreError> {
        self.write("begin an epoch", control::begin_epoch)
    }

    fn reserve_visits(&mut self, count: u64) -> Result<u64, StoreError> {
        self.write("reserve visit numbers", |db| control::reserve_visits(db, count))
    }
}

impl Sources for SqliteStore {
    fn put_instance(&mut self, row: &InstanceRow) -> Result<(), StoreError> {
        self.write("add a server", |db| network::put_instance(db, row))
    }

    fn set_on_delete(&mut self, network: &NetworkName, on_delete: OnDelete) -> Result<(), StoreError> {
        self.write("set what happens to deleted posts", |db| {
            let id = self.networks.intern(db, network)?;
            network::set_on_delete(db, id, on_delete)?;
            if on_delete == OnDelete::Redact { erase::redact_deleted(db, id) } else { Ok(()) }
        })
    }

    fn instances(&self) -> Result<Vec<InstanceRow>, StoreError> {
        network::instances(&self.db).map_err(failed("list the servers"))
    }

    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError> {
        self.write("add sources", |db| {
            self.forgotten.borrow_mut().refresh(db)?;
            source::add(db, &self.networks, &self.forgotten.borrow(), sources)
        })
    }

    fn sources(&self, ids: &[SourceId]) -> Result<Vec<Option<Source>>, StoreError> {
        let load = |id: &SourceId| source::load(&self.db, &self.networks, *id);
        ids.iter().map(load).collect::<Result<_, _>>().map_err(failed("read a source"))
    }

    fn put_source(&mut self, source: &Source) -> Result<(), StoreError> {
        self.write("write a source", |db| source::put(db, &self.networks, source))
    }

    fn slots_above(&self, above: SourceId, limit: usize) -> Result<Vec<SourceSlot>, StoreError> {
        source::slots_above(&self.db, &self.networks, above, limit).map_err(failed("read the sources"))
    }

    fn sources_above(&self, above: SourceId, limit: usize) -> Result<Rows<Source, SourceId>, StoreError> {
        source::above(&self.db, &self.networks, above, limit).map_err(failed("read the sources"))
    }

    fn find_sources(&self, reference: &str) -> Result<Vec<Source>, StoreError> {
        source::find(&self.db, &self.networks, reference).map_err(failed("look for a source"))
    }

    fn have_roots(&self, network: &NetworkName, root_ids: &[String]) -> Result<Vec<bool>, StoreError> {
        source::have_roots(&self.db, &self.networks, network, root_ids).map_err(failed("look for sources"))
    }

    fn states_of(&self, sources: &[Source]) -> Result<Vec<Option<SourceState>>, StoreError> {
        source::states(&self.db, &self.networks, sources).map_err(failed("look for sources"))
    }

    fn set_state(&mut self, ids: &[SourceId], state: SourceState) -> Result<(), StoreError> {
        self.write("set the state of sources", |db| source::set_state(db, ids, state))
    }

    fn pin(&mut self, id: SourceId, every: Option<Span>, due_at: Timestamp) -> Result<(), StoreError> {
        self.write("pin a source", |db| source::pin(db, id, every, due_at))
    }

    fn weigh(&mut self, sources: &[(SourceId, Timestamp)], weight: Weight) -> Result<(), StoreError> {
        self.write("weigh sources", |db| source::weigh(db, sources, weight))
    }
}

impl Streams for SqliteStore {
    fn streams(&self) -> Result<Vec<StreamRow>, StoreError> {
        streams::all(&self.db, &self.networks).map_err(failed("read the streams"))
    }

    fn watched(&self, query: &WatchedQuery<'_>) -> Result<Vec<WatchedRow>, StoreError> {
        streams::watched(&self.db, &self.networks, query).map_err(failed("look for sources"))
    }
}

impl ChangeLog for SqliteStore {
    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError> {
        log::above(&self.db, &self.networks, number, limit).map_err(failed("read the change log"))
    }

    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError> {
        log::accounts_above(&self.db, &self.networks, number, limit).map_err(failed("read the change log"))
    }

    fn last_change(&self) -> Result<u64, StoreError> {
        log::last(&self.db).map_err(failed("read the change log"))
    }

    fn first_change_since(&self, at: Timestamp) -> Result<Option<u64>, StoreError> {
        log::first_since(&self.db, at).map_err(failed("read the change log"))
    }

    fn cursor(&self, consumer: &str) -> Result<u64, StoreError> {
        log::cursor(&self.db, consumer).map_err(failed("read a cursor"))
    }

    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError> {
        self.write("move a cursor", |db| log::set_cursor(db, consumer, number))
    }
}

impl Controls for SqliteStore {
    fn push_control(&mut self, control: &Control) -> Result<u64, StoreError> {
        self.write("leave a message", |db| control::push(db, control))
    }

    fn controls_above(&self, number: u64) -> Result<Vec<ControlRow>, StoreError> {
        control::above(&self.db, number).map_err(failed("read the messages"))
    }

    fn robots(&self) -> Result<Vec<RobotRow>, StoreError> {
        control::robots(&self.db).map_err(failed("list the robots"))
    }

    fn set_robot(&mut self, kind: RobotKind, state: RobotState) -> Result<(), StoreError> {
        self.write("set a robot", |db| control::set_robot(db, kind, state))
    }

    fn set_robot_credential(&mut self, kind: RobotKind, name: Option<&str>) -> Result<(), StoreError> {
        self.write("set a robot's credential", |db| control::set_robot_credential(db, kind, name))
    }
}

impl Settings for SqliteStore {
    fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        control::setting(&self.db, key).map_err(failed("read a setting"))
    }

    fn settings_under(&self, prefix: &str) -> Result<Vec<(String, String)>, StoreError> {
        control::settings_under(&self.db, prefix).map_err(failed("read settings"))
    }

    fn set_settings(&mut self, settings: &[(String, Option<String>)]) -> Result<(), StoreError> {
        self.write("write settings", |db| control::set_settings(db, settings))
    }
}

impl Read for SqliteStore {
    fn posts(&self, filter: &Filter, limit: usize) -> Result<Rows<PostRow>, StoreError> {
        read::posts(&self.db, &self.networks, filter, limit)
            .map_err(damage::named(&self.db, "read the posts"))
    }

    fn accounts(&self, filter: &Filter, limit: usize) -> Result<Rows<AccountRow>, StoreError> {
        read::accounts(&self.db, &self.networks, filter, limit)
            .map_err(damage::named(&self.db, "read the accounts"))
    }

    fn relations(&self, filter: &Filter, limit: usize) -> Result<Rows<RelationRow>, StoreError> {
        read::relations(&self.db, &self.networks, filter, limit)
            .map_err(damage::named(&self.db, "read the relations"))
    }

    fn lists(&self, filter: &Filter, limit: usize) -> Result<Rows<ListRow>, StoreError> {
        lists::page(&self.db, &self.networks, filter, limit).map_err(failed("read the lists"))
    }

    fn posts_numbered(&self, numbers: &[u64]) -> Result<Vec<Option<PostRow>>, StoreError> {
        let post = |number: &u64| read::post(&self.db, &self.networks, *number);
        numbers.iter().map(post).collect::<Result<_, _>>().map_err(failed("read a post"))
    }

    fn posts_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<PostRow>>, StoreError> {
        let post = |name: &(&str, &str)| read::post_named(&self.db, &self.networks, network, *name);
        names.iter().map(post).collect::<Result<_, _>>().map_err(failed("read a post"))
    }

    fn things_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ThingRow>>, StoreError> {
        let thing = |name: &(&str, &str)| things::named(&self.db, &self.networks, network, *name);
        names.iter().map(thing).collect::<Result<_, _>>().map_err(failed("read a thing"))
    }

    fn things(&self, filter: &Filter, limit: usize) -> Result<Rows<ThingRow>, StoreError> {
        things::page(&self.db, &self.networks, filter, limit).map_err(damage::named(&self.db, "read objects"))
    }

    fn links(&self, filter: &Filter, limit: usize) -> Result<Rows<AnyLinkRow>, StoreError> {
        links::page(&self.db, &self.networks, filter, limit).map_err(damage::named(&self.db, "read links"))
    }

    fn lists_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ListRow>>, StoreError> {
        let list = |name: &(&str, &str)| lists::named(&self.db, &self.networks, network, *name);
        names.iter().map(list).collect::<Result<_, _>>().map_err(failed("read a list"))
    }

    fn links_of(&self, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>, StoreError> {
        things::links(&self.db, &self.networks, query).map_err(failed("read links"))
    }

    fn newest_members(
        &self,
        network: &NetworkName,
        query: &NewestQuery<'_>,
    ) -> Result<Vec<Member>, StoreError> {
        members::of(&self.db, &self.networks, network, query).map_err(failed("read members of a collection"))
    }

    fn links_across(&self, target: &Address, limit: usize) -> Result<Vec<(Address, String)>, StoreError> {
        things::across(&self.db, target, limit).map_err(failed("read links of other networks"))
    }

    fn cross_links(&self, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>, StoreError> {
        things::cross_links(&self.db, query).map_err(failed("read links of other networks"))
    }

    fn accounts_of(
        &self,
        network: &NetworkName,
        ids: &[&str],
    ) -> Result<Vec<Option<AccountRow>>, StoreError> {
        let account = |id: &&str| read::account_named(&self.db, &self.networks, network, id);
        ids.iter().map(account).collect::<Result<_, _>>().map_err(failed("read an account"))
    }

    fn objects(&self, numbers: &[u64]) -> Result<Vec<Option<ObjectRow>>, StoreError> {
        let object = |number: &u64| log::object(&self.db, &self.networks, *number);
        numbers.iter().map(object).collect::<Result<_, _>>().map_err(failed("read an object"))
    }

    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError> {
        lists::stale(&self.db, &self.networks, network, now, limit).map_err(failed("look for stale pages"))
    }

    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError> {
        lists::times(&self.db, &self.networks, network, kind, bounds).map_err(failed("read posting times"))
    }

    fn posting_times_of(&self, sources: &[Source]) -> Result<Vec<Vec<Timestamp>>, StoreError> {
        let times = |source: &Source| browse::posting_times(&self.db, &self.networks, source);
        sources.iter().map(times).collect::<Result<_, _>>().map_err(failed("read posting times"))
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.catch_up();
        search::search(&self.db, &self.networks, query, limit)
    }

    fn is_search_behind(&self) -> Result<bool, StoreError> {
        search::is_behind(&self.db).map_err(failed("look at the search index"))
    }

    fn index(&mut self, limit: usize) -> Result<usize, StoreError> {
        self.write("bring the search indexes up to date", |db| {
            Ok(search::index(db, limit)?.max(browse::index_names(db, limit)?))
        })
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        read::counts(&self.db).map_err(failed("count"))
    }
}

impl ParkingLot for SqliteStore {
    fn park(&mut self, parked: &[Parked]) -> Result<(), StoreError> {
        self.write("park objects", |db| parking::park(db, parked))
    }

    fn parked_above(&self, address: &str, limit: usize) -> Result<Rows<Parked, String>, StoreError> {
        parking::above(&self.db, address, limit).map_err(failed("read the parked objects"))
    }

    fn parked_of(&self, addresses: &[String]) -> Result<Vec<Option<Parked>>, StoreError> {
        let parked = |address: &String| parking::get(&self.db, address);
        addresses.iter().map(parked).collect::<Result<_, _>>().map_err(failed("read a parked object"))
    }

    fn unpark(&mut self, addresses: &[String]) -> Result<(), StoreError> {
        self.write("unpark objects", |db| parking::unpark(db, addresses))
    }

    fn drop_parked(&mut self, before: Timestamp) -> Result<u64, StoreError> {
        self.write("drop the old parked objects", |db| parking::drop_old(db, before))
    }

    fn hold(&mut self, held: &[Held]) -> Result<(), StoreError> {
        self.write("hold objects", |db| held::hold(db, held))
    }

    fn held_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Held>, StoreError> {
        held::due(&self.db, now, limit).map_err(failed("read the held objects"))
    }

    fn let_go(&mut self, held: &[(u64, RobotKind)]) -> Result<(), StoreError> {
        self.write("let held objects go", |db| held::let_go(db, held))
    }

    fn hasten_held(&mut self, objects: Option<&[u64]>) -> Result<(), StoreError> {
        self.write("have held objects judged again", |db| held::hasten(db, objects))
    }

    fn held_count(&self) -> Result<u64, StoreError> {
        held::count(&self.db).map_err(failed("count the held objects"))
    }
}

impl Care for SqliteStore {
    fn mark_forgotten(&mut self, reference: &str) -> Result<Forgetting, StoreError> {
        // Looking for it may take long; only the marking itself holds up a running crawl.
        let targets = erase::resolve(&self.db, &self.networks, reference).map_err(failed("forget"))?;
        let posts_left = targets.posts_count(&self.db).map_err(failed("forget"))?;
        let marked =
            self.write("forget", |db| erase::mark(db, &mut self.forgotten.borrow_mut(), &targets))?;
        Ok(Forgetting { posts_left, ..marked })
    }

    fn erase_some(&mut self) -> Result<Option<Erased>, StoreError> {
        let Some(work) = erase::piece::next(&self.db).map_err(failed("forget"))? else { return Ok(None) };
        if work.is_scrub() {
            erase::piece::scrub(&self.db, &work).map_err(failed("forget"))?;
            return Ok(Some(Erased::default()));
        }
        let found = erase::piece::find(&self.db, &work).map_err(failed("forget"))?;
        let erase =
            |db: &Connection| erase::piece::erase(db, &mut self.forgotten.borrow_mut(), &work, &found);
        self.write("forget", erase).map(Some)
    }

    fn unforget(&mut self, reference: &str) -> Result<u64, StoreError> {
        self.write("take back that something is forgotten", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            forgotten.undo(db, &forgotten::meant(db, reference)?)
        })
    }

    fn expire(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        let mut total = 0;
        // Short transactions, so that a running crawl is not held up by a long one.
        loop {
            let count = self.write("drop expired posts", |db| erase::expire_some(db, now))?;
            if count == 0 {
                return Ok(total);
            }
            total += count;
        }
    }

    fn check(&self, looking: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        self.find_faults(looking)
    }

    fn last_number(&self) -> Result<u64, StoreError> {
        check::last_number(&self.db).map_err(failed("read a counter"))
    }
}

impl Subscriptions for SqliteStore {
    fn subscriptions(&self) -> Result<Vec<SubscriptionRow>, StoreError> {
        subscriptions::all(&self.db).map_err(failed("read the subscriptions"))
    }

    fn add_subscription(&mut self, subscription: &Subscription, cursor: u64) -> Result<bool, StoreError> {
        self.write("add a subscription", |db| subscriptions::add(db, subscription, cursor))
    }

    fn set_subscription(&mut self, name: &str, state: State) -> Result<bool, StoreError> {
        self.write("set a subscription", |db| subscriptions::set_state(db, name, state))
    }

    fn move_subscription(&mut self, name: &str, cursor: u64) -> Result<bool, StoreError> {
        self.write("move a subscription", |db| subscriptions::move_to(db, name, cursor))
    }

    fn remove_subscription(&mut self, name: &str) -> Result<bool, StoreError> {
        self.write("remove a subscription", |db| subscriptions::remove(db, name))
    }

    fn note_standing(&mut self, name: &str, standing: &Standing) -> Result<bool, StoreError> {
        self.write("write down how far a subscriber is", |db| subscriptions::note(db, name, standing))
    }
}

impl Interest for SqliteStore {
    fn count_inquiries(&mut self, day: i64, inquiries: &[Inquiry]) -> Result<(), StoreError> {
        self.write("count what was asked", |db| interest::count(db, day, inquiries))
    }

    fn interest(&self, day: i64) -> Result<Vec<InterestRow>, StoreError> {
        interest::of(&self.db, day).map_err(failed("read what was asked about"))
    }

    fn set_ranks(&mut self, ranks: &[(u64, f64)]) -> Result<(), StoreError> {
        self.write("write who ranks high", |db| ranks::set(db, ranks))
    }

    fn ranked(&self) -> Result<Ranked, StoreError> {
        ranks::of(&self.db).map_err(failed("read who ranks high"))
    }
}
