//! A store that dies at a chosen write, or takes nothing for a while: the durable boundaries of a run, counted.
//!
//! Every write that lasts is a [`Boundary`]. A [`Fate`] says at which of them the process is killed, just before it or just after it:
//! from then on nothing reaches the store, as if the process were gone. All clones of a [`Faulty`] share one store, which
//! outlives the processes that use it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use freshet_engine::quota::LEDGER;
use freshet_store::api::interest::{Inquiry, InterestRow, Ranked};
use freshet_store::api::{
    Apply, Care, ChangeLog, Compare, Controls, Interest, Keeping, ParkingLot, Read, Rows, Settings, Sources,
    StoreError, Streams, Subscriptions, Trouble, Unkept,
};
use freshet_store::browse::{
    Browse, Counted, ForumQuery, ForumState, KindCount, ListState, MemberPage, MemberQuery, Neighbours, Node,
    PostQuery, RootName, SourcePage, SourceQuery, VisitLine,
};
use freshet_store::control::{Control, ControlRow};
use freshet_store::keeping::{self, Erasure, ExportRow, KeptOf, KeptSums, RetentionRow, Taken};
use freshet_store::pass::Pass;
use freshet_store::row::{
    AccountRow, AnyLinkRow, Applied, ComplaintRow, Counts, CrossLinkQuery, CrossLinkRow, Erased, Filter,
    Finding, Forgetting, ForgottenList, Held, Hit, InstanceRow, LinkQuery, LinkRow, ListRow, ListTimes,
    ListTimesBounds, ListTimesKind, Member, NewestQuery, NotKept, ObjectRow, OnDelete, Parked, PostRow,
    RelationRow, RobotRow, SourceSlot, StalePage, Storing, StreamRow, ThingRow, Upload, WatchedQuery,
    WatchedRow,
};
use freshet_store::subscription::{Kind, Notice, Standing, State, Subscription, SubscriptionRow};
use freshet_types::{
    Address, Change, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp,
    VisitSummary, Weight,
};

use super::super::trace::Trace;

/// A write that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boundary {
    /// Numbers of visits are reserved.
    Numbers,
    /// A grant of a quota is written down.
    Reservation,
    /// Pages and ends of visits are committed.
    Apply,
    /// Another setting is written: prices, report, history.
    Setting,
    /// The cursor of a subscriber moves.
    Cursor,
    /// The rings have written down where they stand.
    Rings,
    /// What came out of a ring becomes sources.
    Sources,
    /// Posts are indexed.
    Index,
    /// Posts beyond their retention are dropped.
    Expire,
    /// Objects that wait for a constraint are parked, or no longer.
    Parking,
    /// A batch reaches a subscriber.
    Delivery,
}

impl Boundary {
    pub(super) const ALL: [Self; 11] = [
        Self::Numbers,
        Self::Reservation,
        Self::Apply,
        Self::Setting,
        Self::Cursor,
        Self::Rings,
        Self::Sources,
        Self::Index,
        Self::Expire,
        Self::Parking,
        Self::Delivery,
    ];
}

/// On which side of a write the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Before,
    After,
}

/// What becomes of a process.
#[derive(Debug, Default)]
struct Course {
    /// It dies at the n-th write of this kind from now on.
    death: Option<(Boundary, Side, u32)>,
    is_dead: bool,
    /// The store takes nothing meanwhile.
    trouble: Option<Trouble>,
    /// Writes that were refused because of it.
    refused_count: u64,
    /// How often a process died where.
    deaths: BTreeMap<(Boundary, Side), u64>,
    /// Where the rings are, and what their files were when they were last looked at.
    rings: Option<(PathBuf, Vec<u64>)>,
    /// Where writes are noted.
    trace: Trace,
}

/// Decides at which write a process dies; shared by the store and the subscribers.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate(Arc<Mutex<Course>>);

impl Fate {
    fn course(&self) -> MutexGuard<'_, Course> {
        self.0.lock().unwrap()
    }

    /// The rings' folder, so that their writes are seen.
    pub(super) fn watch_rings(&self, dir: PathBuf) {
        self.course().rings = Some((dir, Vec::new()));
    }

    /// Notes every write there from now on.
    pub(super) fn trace(&self, trace: Trace) {
        self.course().trace = trace;
    }

    /// A new process begins, which dies at the n-th write of this kind, or not at all.
    pub(super) fn begin(&self, death: Option<(Boundary, Side, u32)>) {
        let mut course = self.course();
        (course.death, course.is_dead) = (death, false);
    }

    pub(super) fn is_dead(&self) -> bool {
        self.course().is_dead
    }

    /// The store takes nothing from now on, or takes everything again.
    pub(super) fn set_trouble(&self, trouble: Option<Trouble>) {
        self.course().trouble = trouble;
    }

    /// Writes that were refused so far.
    pub(super) fn refused_count(&self) -> u64 {
        self.course().refused_count
    }

    pub(super) fn deaths(&self) -> BTreeMap<(Boundary, Side), u64> {
        self.course().deaths.clone()
    }

    /// Carries out a write, unless the process dies at it or the store takes nothing.
    pub(super) fn write<T>(
        &self,
        boundary: Boundary,
        write: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.dies(boundary, Side::Before) {
            return Err(killed());
        }
        let trouble = {
            let mut course = self.course();
            course.refused_count += u64::from(course.trouble.is_some());
            course.trouble
        };
        if let Some(trouble) = trouble {
            return Err(StoreError::Passing { trouble, doing: "write", why: "it is in trouble".to_owned() });
        }
        let done = write()?;
        self.course().trace.note("write", &boundary);
        if self.dies(boundary, Side::After) { Err(killed()) } else { Ok(done) }
    }

    fn dies(&self, boundary: Boundary, side: Side) -> bool {
        let mut course = self.course();
        if course.is_dead {
            return true;
        }
        let Some((at, on, left)) = &mut course.death else { return false };
        if (*at, *on) != (boundary, side) {
            return false;
        }
        *left = left.saturating_sub(1);
        if *left > 0 {
            return false;
        }
        course.is_dead = true;
        *course.deaths.entry((boundary, side)).or_default() += 1;
        true
    }

    /// The rings have been synced a moment ago, if their files are others than before.
    fn look_at_rings(&self) -> Result<(), StoreError> {
        use std::os::unix::fs::MetadataExt as _;
        let is_changed = {
            let mut course = self.course();
            let Some((dir, seen)) = &mut course.rings else { return Ok(()) };
            let files = std::fs::read_dir(&*dir).into_iter().flatten().flatten();
            let checkpoints =
                files.filter(|file| file.path().extension().is_some_and(|it| it == "checkpoint"));
            let mut now: Vec<u64> =
                checkpoints.filter_map(|file| Some(file.metadata().ok()?.ino())).collect();
            now.sort_unstable();
            std::mem::replace(seen, now) != *seen
        };
        if is_changed && self.dies(Boundary::Rings, Side::After) { Err(killed()) } else { Ok(()) }
    }
}

fn killed() -> StoreError {
    StoreError::Database { doing: "go on", why: "the process was killed".to_owned() }
}

/// A store with a fate.
#[derive(Debug)]
pub(super) struct Faulty<S> {
    store: Arc<Mutex<S>>,
    fate: Fate,
}

impl<S> Clone for Faulty<S> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), fate: self.fate.clone() }
    }
}

impl<S> Faulty<S> {
    pub(super) fn new(store: S, fate: Fate) -> Self {
        Self { store: Arc::new(Mutex::new(store)), fate }
    }

    fn store(&self) -> MutexGuard<'_, S> {
        self.store.lock().unwrap()
    }
}

/// Passes calls on: readings as they are, writes as boundaries, and what people do (never at fault) as it is.
macro_rules! delegate {
    ($role:ident {
        $(read $read:ident($($a:ident: $at:ty),*) -> $ar:ty;)*
        $(write $boundary:ident $write:ident($($c:ident: $ct:ty),*) -> $cr:ty;)*
        $(person $person:ident($($p:ident: $pt:ty),*) -> $pr:ty;)*
    } $($own:item)*) => {
        impl<S: $role> $role for Faulty<S> {
            $(fn $read(&self, $($a: $at),*) -> Result<$ar, StoreError> { self.store().$read($($a),*) })*
            $(fn $write(&mut self, $($c: $ct),*) -> Result<$cr, StoreError> {
                self.fate.write(Boundary::$boundary, || self.store().$write($($c),*))
            })*
            $(fn $person(&mut self, $($p: $pt),*) -> Result<$pr, StoreError> { self.store().$person($($p),*) })*
            $($own)*
        }
    };
}

delegate!(Apply {
    write Apply apply(uploads: &[Upload], compare: Compare) -> Vec<Applied>;
    write Numbers begin_epoch() -> u64;
    write Numbers reserve_visits(count: u64) -> u64;
});

delegate!(Sources {
    read instances() -> Vec<InstanceRow>;
    read networks_above(above: u64) -> Vec<(u64, NetworkName)>;
    read sources(ids: &[SourceId]) -> Vec<Option<Source>>;
    read slots_above(above: SourceId, limit: usize) -> Vec<SourceSlot>;
    read sources_above(above: SourceId, limit: usize) -> Rows<Source, SourceId>;
    read find_sources(reference: &str) -> Vec<Source>;
    read have_roots(network: &NetworkName, root_ids: &[String]) -> Vec<bool>;
    read states_of(sources: &[Source]) -> Vec<Option<SourceState>>;
    write Sources add_sources(sources: &[Source]) -> Vec<(SourceId, bool)>;
    person reserve_sources(count: u32) -> SourceId;
    person add_sources_from(first: SourceId, sources: &[Source]) -> Vec<(SourceId, bool)>;
    person put_instance(row: &InstanceRow) -> ();
    person set_on_delete(network: &NetworkName, on_delete: OnDelete) -> ();
    person put_source(source: &Source) -> ();
    person set_state(ids: &[SourceId], state: SourceState) -> ();
    person pin(id: SourceId, every: Option<Span>, due_at: Timestamp) -> ();
    person weigh(sources: &[(SourceId, Timestamp)], weight: Weight) -> ();
});

delegate!(ChangeLog {
    read changes_above(number: u64, limit: usize) -> Vec<Change>;
    read account_changes_above(number: u64, limit: usize) -> (Vec<Change>, u64);
    read last_change() -> u64;
    read first_change_since(at: Timestamp) -> Option<u64>;
    read cursor(consumer: &str) -> u64;
    write Cursor set_cursor(consumer: &str, number: u64) -> ();
});

delegate!(Controls {
    read controls_above(number: u64) -> Vec<ControlRow>;
    person push_control(control: &Control) -> u64;
    person set_robot(kind: RobotKind, state: RobotState) -> ();
    person set_robot_credential(kind: RobotKind, name: Option<&str>) -> ();
}
    // The writer asks for the robots right after the rings were synced.
    fn robots(&self) -> Result<Vec<RobotRow>, StoreError> {
        self.fate.look_at_rings()?;
        self.store().robots()
    }
);

delegate!(Settings {
    read setting(key: &str) -> Option<String>;
    read settings_under(prefix: &str) -> Vec<(String, String)>;
}
    fn set_settings(&mut self, settings: &[(String, Option<String>)]) -> Result<(), StoreError> {
        let is_grant = settings.iter().any(|(key, _)| key.starts_with(&LEDGER.key("")));
        let boundary = if is_grant { Boundary::Reservation } else { Boundary::Setting };
        self.fate.write(boundary, || self.store().set_settings(settings))
    }
);

delegate!(Read {
    read posts(filter: &Filter, limit: usize) -> Rows<PostRow>;
    read accounts(filter: &Filter, limit: usize) -> Rows<AccountRow>;
    read relations(filter: &Filter, limit: usize) -> Rows<RelationRow>;
    read lists(filter: &Filter, limit: usize) -> Rows<ListRow>;
    read things(filter: &Filter, limit: usize) -> Rows<ThingRow>;
    read links(filter: &Filter, limit: usize) -> Rows<AnyLinkRow>;
    read posts_numbered(numbers: &[u64]) -> Vec<Option<PostRow>>;
    read things_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<ThingRow>>;
    read lists_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<ListRow>>;
    read links_of(query: &LinkQuery<'_>) -> Vec<LinkRow>;
    read links_across(target: &Address, limit: usize) -> Vec<(Address, String)>;
    read posts_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<PostRow>>;
    read accounts_of(network: &NetworkName, ids: &[&str]) -> Vec<Option<AccountRow>>;
    read newest_members(network: &NetworkName, query: &NewestQuery<'_>) -> Vec<Member>;
    read cross_links(query: &CrossLinkQuery<'_>) -> Vec<CrossLinkRow>;
    read objects(numbers: &[u64]) -> Vec<Option<ObjectRow>>;
    read stale_pages(network: &NetworkName, now: Timestamp, limit: usize) -> Vec<StalePage>;
    read list_times(network: &NetworkName, kind: ListTimesKind, bounds: ListTimesBounds) -> Vec<ListTimes>;
    read posting_times_of(sources: &[Source]) -> Vec<Vec<Timestamp>>;
    read search(query: &str, limit: usize) -> Vec<Hit>;
    read is_search_behind() -> bool;
    read counts() -> Counts;
    write Index index(limit: usize) -> usize;
});

delegate!(Subscriptions {
    read subscriptions() -> Vec<SubscriptionRow>;
    read notices_above(number: u64, limit: usize) -> Vec<Notice>;
    write Cursor note_standing(name: &str, standing: &Standing) -> bool;
    person put_notice(kind: Kind, record: &str, at: Timestamp) -> bool;
    person add_subscription(subscription: &Subscription, cursor: u64) -> bool;
    person set_subscription(name: &str, state: State) -> bool;
    person move_subscription(name: &str, cursor: u64) -> bool;
    person remove_subscription(name: &str) -> bool;
});

delegate!(Browse {
    read list_sources(query: &SourceQuery) -> SourcePage;
    read node(object: u64) -> Option<Node>;
    read neighbours(node: &Node, limit: usize) -> Neighbours;
    read members(query: &MemberQuery<'_>) -> MemberPage;
    read root_names(sources: &[Source]) -> Vec<RootName>;
    read source_networks() -> Vec<NetworkName>;
    read list_posts(query: &PostQuery) -> Vec<Hit>;
    read changes_of(object: u64, limit: usize) -> Vec<Change>;
    read earlier_texts(object: u64) -> Vec<(u64, String)>;
    read visits_of_all(sources: &[SourceId], limit: usize) -> Vec<Vec<VisitSummary>>;
    read forums() -> Vec<ForumState>;
    read titles_of(sources: &[Source]) -> Vec<Option<String>>;
    read forum_lists(network: &NetworkName, query: &ForumQuery) -> Vec<ListState>;
    read last_visits(limit: usize) -> Vec<VisitLine>;
    read count_by_day(counted: Counted, filter: &Filter, up_to: u64) -> Vec<(i64, u64)>;
    read count_by_kind() -> Vec<KindCount>;
    read last_relation() -> u64;
    read complaints(network: Option<&str>, limit: usize, samples: usize) -> Vec<ComplaintRow>;
});

delegate!(Keeping {
    read fates(taken: &[Taken]) -> Vec<keeping::Fate>;
    read erasures() -> Vec<Erasure>;
    read deleted_since(since: Timestamp, up_to: u64) -> (u64, Option<Timestamp>);
    read exports() -> Vec<ExportRow>;
    read network_retentions() -> Vec<RetentionRow>;
    read source_retentions() -> Vec<RetentionRow>;
    read kept() -> KeptSums;
    read kept_of(account: &Address) -> KeptOf;
    person note_erasure(erasure: &Erasure) -> u64;
    person note_export(export: &ExportRow) -> ();
    person drop_export(path: &str) -> bool;
    person retain(sources: &[SourceId], span: Option<Span>) -> ();
    person retain_network(network: &NetworkName, span: Option<Span>) -> ();
});

delegate!(ParkingLot {
    read parked_above(address: &str, limit: usize) -> Rows<Parked, String>;
    read parked_of(addresses: &[String]) -> Vec<Option<Parked>>;
    read held_due(now: Timestamp, limit: usize) -> Vec<Held>;
    read held_count() -> u64;
    write Parking park(parked: &[Parked]) -> ();
    write Parking unpark(addresses: &[String]) -> ();
    write Parking drop_parked(before: Timestamp) -> u64;
    write Parking hold(held: &[Held]) -> ();
    write Parking let_go(held: &[(u64, RobotKind)]) -> ();
    write Parking hasten_held(objects: Option<&[u64]>) -> ();
});

delegate!(Care {
    read check(looking: &mut dyn FnMut(&str)) -> Vec<Finding>;
    read last_number() -> u64;
    read forgotten() -> ForgottenList;
    write Expire expire(now: Timestamp) -> u64;
    person keep_out(list: &ForgottenList) -> bool;
    person mark_forgotten(reference: &str, at: Timestamp) -> Forgetting;
    person erase_some() -> Option<Erased>;
    person unforget(reference: &str) -> u64;
});

delegate!(Unkept {
    read not_kept() -> NotKept;
    read are_unkept(ids: &[SourceId]) -> Vec<bool>;
    read keeps(upload: &Upload) -> bool;
    person set_keeping(network: &NetworkName, keeping: Storing) -> ();
    person set_keeping_of(ids: &[SourceId], keeping: Storing) -> ();
    person empty_some(network: &NetworkName) -> u64;
    person pass_through(pass: &Arc<Pass>) -> ();
});

delegate!(Interest {
    read interest(day: i64) -> Vec<InterestRow>;
    read ranked() -> Ranked;
    write Setting set_ranks(ranks: &[(u64, f64)]) -> ();
    person count_inquiries(day: i64, inquiries: &[Inquiry]) -> ();
});

delegate!(Streams {
    read streams() -> Vec<StreamRow>;
    read watched(query: &WatchedQuery<'_>) -> Vec<WatchedRow>;
});
