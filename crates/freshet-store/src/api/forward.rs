//! A box of a store is a store: each method is that of what is in the box.
//!
//! Written once, so that [`open`](crate::open) may give any backend. The provided methods are not here: they are
//! made of these.

use std::sync::Arc;

use freshet_types::{
    Address, Change, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp,
    VisitSummary, Weight,
};

use super::interest::{Inquiry, InterestRow, Ranked};
use super::{
    Apply, Care, ChangeLog, Compare, Controls, Interest, Keeping, ParkingLot, Read, Rows, Settings, Sources,
    StoreError, Streams, Subscriptions, Unkept,
};
use crate::browse::{
    Browse, Counted, ForumQuery, ForumState, KindCount, ListState, MemberPage, MemberQuery, Neighbours, Node,
    PostQuery, RootName, SourcePage, SourceQuery, VisitLine,
};
use crate::control::{Control, ControlRow};
use crate::keeping::{Erasure, ExportRow, Fate, KeptOf, KeptSums, RetentionRow, Taken};
use crate::pass::Pass;
use crate::row::{
    AccountRow, AnyLinkRow, Applied, ComplaintRow, Counts, CrossLinkQuery, CrossLinkRow, Erased, Filter,
    Finding, Forgetting, ForgottenList, Held, Hit, InstanceRow, LinkQuery, LinkRow, ListRow, ListTimes,
    ListTimesBounds, ListTimesKind, Member, NewestQuery, NotKept, ObjectRow, OnDelete, Parked, PostRow,
    RelationRow, RobotRow, SourceSlot, StalePage, Storing, StreamRow, ThingRow, Upload, WatchedQuery,
    WatchedRow,
};
use crate::subscription::{Kind, Notice, Standing, State, Subscription, SubscriptionRow};

/// Implements a role for boxes. `ask` takes the store as it is, `change` for writing.
macro_rules! forward {
    ($role:ident {
        $(ask $asked:ident($($a:ident: $at:ty),*) -> $ar:ty;)*
        $(change $changed:ident($($c:ident: $ct:ty),*) -> $cr:ty;)*
    }) => {
        impl<S: $role + ?Sized> $role for Box<S> {
            $(fn $asked(&self, $($a: $at),*) -> Result<$ar, StoreError> { (**self).$asked($($a),*) })*
            $(fn $changed(&mut self, $($c: $ct),*) -> Result<$cr, StoreError> { (**self).$changed($($c),*) })*
        }
    };
}

forward!(Apply {
    change apply(uploads: &[Upload], compare: Compare) -> Vec<Applied>;
    change begin_epoch() -> u64;
    change reserve_visits(count: u64) -> u64;
});

forward!(Sources {
    ask instances() -> Vec<InstanceRow>;
    ask networks_above(above: u64) -> Vec<(u64, NetworkName)>;
    ask sources(ids: &[SourceId]) -> Vec<Option<Source>>;
    ask slots_above(above: SourceId, limit: usize) -> Vec<SourceSlot>;
    ask sources_above(above: SourceId, limit: usize) -> Rows<Source, SourceId>;
    ask find_sources(reference: &str) -> Vec<Source>;
    ask have_roots(network: &NetworkName, root_ids: &[String]) -> Vec<bool>;
    ask states_of(sources: &[Source]) -> Vec<Option<SourceState>>;
    change put_instance(row: &InstanceRow) -> ();
    change set_on_delete(network: &NetworkName, on_delete: OnDelete) -> ();
    change add_sources(sources: &[Source]) -> Vec<(SourceId, bool)>;
    change reserve_sources(count: u32) -> SourceId;
    change add_sources_from(first: SourceId, sources: &[Source]) -> Vec<(SourceId, bool)>;
    change put_source(source: &Source) -> ();
    change set_state(ids: &[SourceId], state: SourceState) -> ();
    change pin(id: SourceId, every: Option<Span>, due_at: Timestamp) -> ();
    change weigh(sources: &[(SourceId, Timestamp)], weight: Weight) -> ();
});

forward!(Streams {
    ask streams() -> Vec<StreamRow>;
    ask watched(query: &WatchedQuery<'_>) -> Vec<WatchedRow>;
});

forward!(ChangeLog {
    ask changes_above(number: u64, limit: usize) -> Vec<Change>;
    ask account_changes_above(number: u64, limit: usize) -> (Vec<Change>, u64);
    ask last_change() -> u64;
    ask first_change_since(at: Timestamp) -> Option<u64>;
    ask cursor(consumer: &str) -> u64;
    change set_cursor(consumer: &str, number: u64) -> ();
});

forward!(Controls {
    ask controls_above(number: u64) -> Vec<ControlRow>;
    ask robots() -> Vec<RobotRow>;
    change push_control(control: &Control) -> u64;
    change set_robot(kind: RobotKind, state: RobotState) -> ();
    change set_robot_credential(kind: RobotKind, name: Option<&str>) -> ();
});

forward!(Settings {
    ask setting(key: &str) -> Option<String>;
    ask settings_under(prefix: &str) -> Vec<(String, String)>;
    change set_settings(settings: &[(String, Option<String>)]) -> ();
});

forward!(Read {
    ask posts(filter: &Filter, limit: usize) -> Rows<PostRow>;
    ask accounts(filter: &Filter, limit: usize) -> Rows<AccountRow>;
    ask relations(filter: &Filter, limit: usize) -> Rows<RelationRow>;
    ask lists(filter: &Filter, limit: usize) -> Rows<ListRow>;
    ask things(filter: &Filter, limit: usize) -> Rows<ThingRow>;
    ask links(filter: &Filter, limit: usize) -> Rows<AnyLinkRow>;
    ask posts_numbered(numbers: &[u64]) -> Vec<Option<PostRow>>;
    ask posts_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<PostRow>>;
    ask accounts_of(network: &NetworkName, ids: &[&str]) -> Vec<Option<AccountRow>>;
    ask things_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<ThingRow>>;
    ask lists_of(network: &NetworkName, names: &[(&str, &str)]) -> Vec<Option<ListRow>>;
    ask links_of(query: &LinkQuery<'_>) -> Vec<LinkRow>;
    ask newest_members(network: &NetworkName, query: &NewestQuery<'_>) -> Vec<Member>;
    ask links_across(target: &Address, limit: usize) -> Vec<(Address, String)>;
    ask cross_links(query: &CrossLinkQuery<'_>) -> Vec<CrossLinkRow>;
    ask objects(numbers: &[u64]) -> Vec<Option<ObjectRow>>;
    ask stale_pages(network: &NetworkName, now: Timestamp, limit: usize) -> Vec<StalePage>;
    ask list_times(network: &NetworkName, kind: ListTimesKind, bounds: ListTimesBounds) -> Vec<ListTimes>;
    ask posting_times_of(sources: &[Source]) -> Vec<Vec<Timestamp>>;
    ask search(query: &str, limit: usize) -> Vec<Hit>;
    ask is_search_behind() -> bool;
    ask counts() -> Counts;
    change index(limit: usize) -> usize;
});

forward!(Browse {
    ask list_sources(query: &SourceQuery) -> SourcePage;
    ask node(object: u64) -> Option<Node>;
    ask neighbours(node: &Node, limit: usize) -> Neighbours;
    ask members(query: &MemberQuery<'_>) -> MemberPage;
    ask root_names(sources: &[Source]) -> Vec<RootName>;
    ask source_networks() -> Vec<NetworkName>;
    ask list_posts(query: &PostQuery) -> Vec<Hit>;
    ask changes_of(object: u64, limit: usize) -> Vec<Change>;
    ask earlier_texts(object: u64) -> Vec<(u64, String)>;
    ask visits_of_all(sources: &[SourceId], limit: usize) -> Vec<Vec<VisitSummary>>;
    ask forums() -> Vec<ForumState>;
    ask titles_of(sources: &[Source]) -> Vec<Option<String>>;
    ask forum_lists(network: &NetworkName, query: &ForumQuery) -> Vec<ListState>;
    ask last_visits(limit: usize) -> Vec<VisitLine>;
    ask count_by_day(counted: Counted, filter: &Filter, up_to: u64) -> Vec<(i64, u64)>;
    ask count_by_kind() -> Vec<KindCount>;
    ask last_relation() -> u64;
    ask complaints(network: Option<&str>, limit: usize, samples: usize) -> Vec<ComplaintRow>;
});

forward!(ParkingLot {
    ask parked_above(address: &str, limit: usize) -> Rows<Parked, String>;
    ask parked_of(addresses: &[String]) -> Vec<Option<Parked>>;
    ask held_due(now: Timestamp, limit: usize) -> Vec<Held>;
    ask held_count() -> u64;
    change park(parked: &[Parked]) -> ();
    change unpark(addresses: &[String]) -> ();
    change drop_parked(before: Timestamp) -> u64;
    change hold(held: &[Held]) -> ();
    change let_go(held: &[(u64, RobotKind)]) -> ();
    change hasten_held(objects: Option<&[u64]>) -> ();
});

forward!(Care {
    ask check(looking: &mut dyn FnMut(&str)) -> Vec<Finding>;
    ask last_number() -> u64;
    ask forgotten() -> ForgottenList;
    change keep_out(list: &ForgottenList) -> bool;
    change mark_forgotten(reference: &str, at: Timestamp) -> Forgetting;
    change erase_some() -> Option<Erased>;
    change unforget(reference: &str) -> u64;
    change expire(now: Timestamp) -> u64;
});

forward!(Keeping {
    ask fates(taken: &[Taken]) -> Vec<Fate>;
    ask erasures() -> Vec<Erasure>;
    ask deleted_since(since: Timestamp, up_to: u64) -> (u64, Option<Timestamp>);
    ask exports() -> Vec<ExportRow>;
    ask network_retentions() -> Vec<RetentionRow>;
    ask source_retentions() -> Vec<RetentionRow>;
    ask kept() -> KeptSums;
    ask kept_of(account: &Address) -> KeptOf;
    change note_erasure(erasure: &Erasure) -> u64;
    change note_export(export: &ExportRow) -> ();
    change drop_export(path: &str) -> bool;
    change retain(sources: &[SourceId], span: Option<Span>) -> ();
    change retain_network(network: &NetworkName, span: Option<Span>) -> ();
});

forward!(Subscriptions {
    ask subscriptions() -> Vec<SubscriptionRow>;
    ask notices_above(number: u64, limit: usize) -> Vec<Notice>;
    change put_notice(kind: Kind, record: &str, at: Timestamp) -> bool;
    change add_subscription(subscription: &Subscription, cursor: u64) -> bool;
    change set_subscription(name: &str, state: State) -> bool;
    change move_subscription(name: &str, cursor: u64) -> bool;
    change remove_subscription(name: &str) -> bool;
    change note_standing(name: &str, standing: &Standing) -> bool;
});

forward!(Unkept {
    ask not_kept() -> NotKept;
    ask are_unkept(ids: &[SourceId]) -> Vec<bool>;
    ask keeps(upload: &Upload) -> bool;
    change set_keeping(network: &NetworkName, keeping: Storing) -> ();
    change set_keeping_of(ids: &[SourceId], keeping: Storing) -> ();
    change empty_some(network: &NetworkName) -> u64;
    change pass_through(pass: &Arc<Pass>) -> ();
});

forward!(Interest {
    ask interest(day: i64) -> Vec<InterestRow>;
    ask ranked() -> Ranked;
    change count_inquiries(day: i64, inquiries: &[Inquiry]) -> ();
    change set_ranks(ranks: &[(u64, f64)]) -> ();
});
