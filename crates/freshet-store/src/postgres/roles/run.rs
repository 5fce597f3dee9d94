//! The roles by which a crawl runs: what it writes, whom it visits, what it is told, and what it goes on from.
//!
//! What becomes of people's wishes about what is stored is in `care.rs`.

use freshet_types::{
    Change, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp, Weight,
};

use crate::api::{
    Apply, ChangeLog, Compare, Controls, ParkingLot, Rows, Settings, Sources, StoreError, Streams,
};
use crate::control::{Control, ControlRow};
use crate::postgres::{
    PostgresStore, apply, control, erase, failed, held, log, network, parking, source, streams,
};
use crate::row::{
    Applied, Held, InstanceRow, OnDelete, Parked, RobotRow, SourceSlot, StreamRow, Upload, WatchedQuery,
    WatchedRow,
};

impl Apply for PostgresStore {
    fn apply(&mut self, uploads: &[Upload], compare: Compare) -> Result<Vec<Applied>, StoreError> {
        let (keep_raw, pass) = (self.options.keep_raw, self.pass.as_deref());
        self.write("apply what was seen", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            let means =
                apply::Means { networks: &self.networks, forgotten: &mut forgotten, compare, keep_raw, pass };
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

impl Sources for PostgresStore {
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

    fn networks_above(&self, above: u64) -> Result<Vec<(u64, NetworkName)>, StoreError> {
        network::above(&self.db, above).map_err(failed("list the networks"))
    }

    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError> {
        self.write("add sources", |db| {
            self.forgotten.borrow_mut().refresh(db)?;
            source::add(db, &self.networks, &self.forgotten.borrow(), (None, sources))
        })
    }

    fn reserve_sources(&mut self, count: u32) -> Result<SourceId, StoreError> {
        self.write("reserve numbers of sources", |db| source::reserve(db, count))
    }

    fn add_sources_from(
        &mut self,
        first: SourceId,
        sources: &[Source],
    ) -> Result<Vec<(SourceId, bool)>, StoreError> {
        self.write("add sources", |db| {
            self.forgotten.borrow_mut().refresh(db)?;
            source::add(db, &self.networks, &self.forgotten.borrow(), (Some(first), sources))
        })
    }

    fn sources(&self, ids: &[SourceId]) -> Result<Vec<Option<Source>>, StoreError> {
        source::load_all(&self.db, &self.networks, ids).map_err(failed("read a source"))
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

impl Streams for PostgresStore {
    fn streams(&self) -> Result<Vec<StreamRow>, StoreError> {
        streams::all(&self.db, &self.networks).map_err(failed("read the streams"))
    }

    fn watched(&self, query: &WatchedQuery<'_>) -> Result<Vec<WatchedRow>, StoreError> {
        streams::watched(&self.db, &self.networks, query).map_err(failed("look for sources"))
    }
}

impl ChangeLog for PostgresStore {
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

impl Controls for PostgresStore {
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

impl Settings for PostgresStore {
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

impl ParkingLot for PostgresStore {
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
