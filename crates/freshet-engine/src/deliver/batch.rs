//! What is delivered at once: lines of the change log, turned into records that stand for their objects as they are now.
//!
//! An object comes once in a batch, at the place of its first change there and with the newest of its changes; one that was
//! erased since is left out. A batch ends where it has read [`BATCH`] changes or made [`BATCH_BYTES_MAX`], and its cursor says
//! up to which change everything is in it or was not wanted. Content that is not kept is found in the pass by the store that reads for a
//! subscriber; where it is gone, the record says so and is counted. A filter lets through what it says yes to: what it cannot tell
//! is heard of when the object changes again.

use std::ops::Range;
use std::sync::Arc;

use freshet_network::constraint::{Answer, Constraint, ConstraintError, Constraints, Purpose};
use freshet_network::networks::Networks;
use freshet_network::robot::ACCOUNT;
use freshet_sink::{Record, SinkError, jsonl};
use freshet_store::api::{Store, StoreError};
use freshet_store::row;
use freshet_store::subscription::{Filter, Kind, Notice, Standing};
use freshet_types::{Address, Change, ChangeKind, Map, NetworkName, Timestamp};
use serde_json::{Value, json};

use super::DeliverError;
use crate::constrain::Judge;
use crate::record::{NOT_KEPT, account_record, link_record, post_record, relation_record};

/// Changes delivered between two moves of the cursor.
const BATCH: usize = 1000;
/// Bytes after which a batch ends; a single record may be longer.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Objects that are read at once: few enough to stand in memory whatever their size.
const READ_AT_ONCE: usize = 100;
/// Types of objects that have no type of their own in a definition.
const RELATION: &str = "relation";
const LINK: &str = "link";
const NOTICE: &str = "notice";

/// What is handed over at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The receiver then has everything up to this change.
    pub cursor: u64,
    /// Records, each a JSON object on one line.
    pub lines: Vec<String>,
}

/// A batch, and how many of its records lack what they tell of.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) batch: Batch,
    /// Their content is not kept, and was gone.
    pub(super) lost_count: u64,
}

/// What somebody wants to hear of.
#[derive(Debug)]
pub(crate) struct Choice {
    kinds: Vec<Kind>,
    judge: Option<Judge>,
    /// Posts as exports have them, and nothing around them.
    is_exported: bool,
}

/// Something that a batch tells of.
struct Item {
    /// The number of its first change there, which gives the place.
    first: u64,
    /// The number of the newest.
    number: u64,
    object: u64,
    address: Address,
    depth: u16,
    seen_at: Timestamp,
    /// What happened to it, in order.
    kinds: Vec<ChangeKind>,
    /// It is no object: this is all that is told.
    notice: Option<Notice>,
}

/// What is told of one object.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<String>,
    /// Without what it said, which is gone.
    is_lost: bool,
}

impl Choice {
    /// Posts as exports have them.
    pub(super) fn exported() -> Self {
        Self { kinds: vec![Kind::Posts], judge: None, is_exported: true }
    }

    /// These kinds, as far as these filters let them through.
    pub(super) fn new(
        kinds: &[Kind],
        filters: &[Filter],
        networks: &Arc<Networks>,
    ) -> Result<Self, ConstraintError> {
        let parse = |filter: &Filter| Constraint::parse(&filter.type_name, &filter.text);
        let constraints = Constraints::new(filters.iter().map(parse).collect::<Result<_, _>>()?)?;
        let judge = (!constraints.is_empty()).then(|| Judge::new(Arc::clone(networks), constraints));
        Ok(Self { kinds: kinds.to_vec(), judge, is_exported: false })
    }

    /// The next batch of the changes above the first number, none above the second; nothing where there are none.
    pub(super) fn gather(
        &self,
        store: &dyn Store,
        numbers: Range<u64>,
        now: Timestamp,
    ) -> Result<Option<Gathered>, DeliverError> {
        let Some((items, end)) = self.items(store, numbers)? else { return Ok(None) };
        let mut gathered = Gathered::default();
        let batch = &mut gathered.batch;
        batch.cursor = end;
        let mut bytes = 0;
        for some in items.chunks(READ_AT_ONCE) {
            let posts = self.posts(store, some)?;
            for (item, post) in some.iter().zip(posts) {
                if bytes > BATCH_BYTES_MAX {
                    // Everything before this object's first change is in it.
                    batch.cursor = item.first - 1;
                    return Ok(Some(gathered));
                }
                let told = self.lines(store, item, post, now)?;
                gathered.lost_count += u64::from(told.is_lost);
                bytes += told.lines.iter().map(String::len).sum::<usize>();
                batch.lines.extend(told.lines);
            }
        }
        Ok(Some(gathered))
    }

    /// What the next batch tells of, in order, and up to which number that is all there is.
    fn items(&self, store: &dyn Store, numbers: Range<u64>) -> Result<Option<(Vec<Item>, u64)>, StoreError> {
        let (has_relations, has_links) =
            (self.kinds.contains(&Kind::Relations), self.kinds.contains(&Kind::Links));
        let has_notices = self.kinds.iter().any(|kind| matches!(kind, Kind::Forgettings | Kind::Alerts));
        // New relations, links and notices have a number and no line. Asked before the log is read: all up to it are committed.
        let newest = if has_relations || has_links || has_notices { store.last_number()? } else { 0 };
        let mut changes = store.changes_above(numbers.start, BATCH)?;
        let mut end = changes.last().map_or(numbers.start, |last| last.number);
        if changes.len() < BATCH {
            end = end.max(newest);
        }
        end = end.min(numbers.end);
        if end <= numbers.start {
            return Ok(None);
        }
        let mut made = Vec::new();
        if has_relations {
            let rows = store.relations(&row::Filter::default().from(numbers.start), BATCH)?;
            end = rows.next.map_or(end, |last| end.min(last));
            made.extend(rows.rows.iter().map(new_relation));
        }
        if has_links {
            let rows = store.links(&row::Filter::default().from(numbers.start), BATCH)?;
            end = rows.next.map_or(end, |last| end.min(last));
            made.extend(rows.rows.iter().map(new_link));
        }
        if has_notices {
            let notices = store.notices_above(numbers.start, BATCH)?;
            let last = notices.last().filter(|_| notices.len() == BATCH);
            end = last.map_or(end, |last| end.min(last.number));
            made.extend(notices.iter().filter(|it| self.kinds.contains(&it.kind)).map(noticed));
        }
        changes.retain(|change| change.number <= end);
        made.retain(|item| item.first <= end);
        Ok(Some((merged(made, changes), end)))
    }

    /// The posts among these, read together.
    fn posts(&self, store: &dyn Store, some: &[Item]) -> Result<Vec<Option<row::PostRow>>, StoreError> {
        if !self.kinds.contains(&Kind::Posts) {
            return Ok(some.iter().map(|_| None).collect());
        }
        store.posts_numbered(&some.iter().map(|item| item.object).collect::<Vec<_>>())
    }

    /// The records of one object. What is not kept is lost where something was said that nobody took in time; that it was
    /// deleted can be told without. What lies outside of what is collected was meant for nobody.
    fn lines(
        &self,
        store: &dyn Store,
        item: &Item,
        post: Option<row::PostRow>,
        now: Timestamp,
    ) -> Result<Lines, DeliverError> {
        let says = |kind: &ChangeKind| {
            matches!(kind, ChangeKind::Created | ChangeKind::Edited | ChangeKind::Restored)
        };
        let is_said = item.kinds.iter().any(says);
        let is_outside = post.as_ref().is_some_and(|row| row.is_outside);
        let post = post.filter(|_| !is_outside);
        let mut is_unkept = post.as_ref().is_some_and(|row| row.unkept.is_some());
        if self.is_exported {
            let lines = post.map(|row| written(&post_record(row))).transpose()?.into_iter().collect();
            return Ok(Lines { lines, is_lost: is_unkept && is_said });
        }
        if let Some(notice) = &item.notice {
            return Ok(Lines { lines: vec![notice_line(notice)], is_lost: false });
        }
        // That it was found by a shorter way says nothing of the object.
        let is_news = |kind: &ChangeKind| !matches!(kind, ChangeKind::Approached | ChangeKind::Relearnt);
        if !item.kinds.iter().any(is_news) {
            return Ok(Lines::default());
        }
        let mut records: Vec<(Kind, String)> = Vec::new();
        match (&*item.address.kind, post) {
            (_, Some(post)) => records.push((Kind::Posts, written(&post_record(post))?)),
            (ACCOUNT, None) if self.kinds.contains(&Kind::Accounts) => {
                if let Some(row) = store.account_of(&item.address.network, &item.address.id)? {
                    is_unkept = row.unkept.is_some();
                    records.push((Kind::Accounts, written(&account_record(row))?));
                }
            }
            (RELATION, None) if self.kinds.contains(&Kind::Relations) => {
                let rows = store.relations(&row::Filter::default().from(item.object - 1), 1)?.rows;
                if let Some(row) = rows.into_iter().find(|row| row.number == item.object) {
                    records.push((Kind::Relations, written(&relation_record(row))?));
                }
            }
            (LINK, None) if self.kinds.contains(&Kind::Links) => {
                let rows = store.links(&row::Filter::default().from(item.object - 1), 1)?.rows;
                if let Some(row) = rows.into_iter().find(|row| row.number == item.object) {
                    records.push((Kind::Links, written(&link_record(row))?));
                }
            }
            _ => {}
        }
        let is_gone = |kind: &ChangeKind| {
            matches!(kind, ChangeKind::Deleted | ChangeKind::Invalidated | ChangeKind::Unlinked)
        };
        if item.kinds.last().is_some_and(is_gone) && self.kinds.contains(&Kind::Deletions) {
            let gone = json!({ "id": item.address.to_string(), "seen_at": seconds(item.seen_at) });
            records.push((Kind::Deletions, gone.to_string()));
        }
        let is_lost = is_unkept && is_said;
        if records.is_empty() || !self.is_wanted(store, item, (is_lost, now))? {
            return Ok(Lines::default());
        }
        let is_bare = |kind: Kind| is_unkept && kind != Kind::Deletions;
        let is_lost = is_lost && records.iter().any(|(kind, _)| is_bare(*kind));
        let lines = records.into_iter().map(|(kind, json)| told((kind, is_bare(kind)), item, &json));
        Ok(Lines { lines: lines.collect(), is_lost })
    }

    /// Whether the filters let the object through, as it is stored now. One whose content is lost is told of where that might have
    /// decided.
    fn is_wanted(
        &self,
        store: &dyn Store,
        item: &Item,
        (is_lost, now): (bool, Timestamp),
    ) -> Result<bool, StoreError> {
        let Address { network, kind, .. } = &item.address;
        let Some(judge) = self.judge.as_ref().filter(|it| it.speaks_of(Purpose::Store, kind, network)) else {
            return Ok(true);
        };
        let told = judge.judge_stored(store, Purpose::Store, &item.address, (item.depth, now))?;
        Ok(told.answer == Answer::Yes || is_lost && matches!(told.answer, Answer::CannotTell { .. }))
    }
}

/// New relations and links, and the objects of these changes, in the order of their first numbers.
fn merged(made: Vec<Item>, changes: Vec<Change>) -> Vec<Item> {
    let mut items = made;
    let mut places: Map<u64, usize> =
        items.iter().enumerate().map(|(place, it)| (it.object, place)).collect();
    for change in changes {
        let place = *places.entry(change.object).or_insert(items.len());
        if place == items.len() {
            items.push(Item {
                first: change.number,
                number: change.number,
                object: change.object,
                address: change.address,
                depth: change.depth,
                seen_at: change.seen_at,
                kinds: vec![change.kind],
                notice: None,
            });
        } else {
            let item = &mut items[place];
            (item.number, item.seen_at) = (change.number, change.seen_at);
            item.kinds.push(change.kind);
        }
    }
    items.sort_by_key(|item| item.first);
    items
}

fn new_relation(row: &row::RelationRow) -> Item {
    let address = Address::new(&row.network, RELATION, format!("{}>{}", row.source, row.target));
    created(row.number, address, row.seen_at)
}

fn new_link(row: &row::AnyLinkRow) -> Item {
    let id = format!("{}/{}>{}>{}", row.from.kind, row.from.id, row.name, row.to);
    created(row.number, Address::new(&row.from.network, LINK, id), row.seen_at)
}

fn created(number: u64, address: Address, seen_at: Timestamp) -> Item {
    Item {
        first: number,
        number,
        object: number,
        address,
        depth: 0,
        seen_at,
        kinds: vec![ChangeKind::Created],
        notice: None,
    }
}

fn noticed(notice: &Notice) -> Item {
    let address = Address::new(&NetworkName::from(NOTICE), NOTICE, notice.number.to_string());
    Item { notice: Some(notice.clone()), ..created(notice.number, address, notice.at) }
}

/// A notice as it is told: what a person asked for, or what somebody should know, whatever the filters say.
fn notice_line(notice: &Notice) -> String {
    let Notice { number, kind, record, .. } = notice;
    let what = if *kind == Kind::Forgettings { "forgotten" } else { "raised" };
    format!(r#"{{"kind":"{kind}","number":{number},"changes":["{what}"],"record":{record}}}"#)
}

fn written(record: &dyn Record) -> Result<String, DeliverError> {
    jsonl::text(record)
        .map_err(|why: SinkError| DeliverError::Refused { name: "JSON".to_owned(), why: why.to_string() })
}

/// A record with what it is: its kind, the newest change it tells, and what happened.
fn told((kind, is_bare): (Kind, bool), item: &Item, json: &str) -> String {
    let mut kinds: Vec<&str> = item.kinds.iter().map(|kind| kind.name()).collect();
    kinds.dedup();
    let kinds = Value::from(kinds);
    let content = if is_bare { format!(r#""content":"{NOT_KEPT}","#) } else { String::new() };
    format!(r#"{{"kind":"{kind}","number":{},"changes":{kinds},{content}"record":{json}}}"#, item.number)
}

/// What a subscriber is told of its losses.
pub(super) fn dropped_line(standing: &Standing) -> String {
    let (count, total, up_to) = (standing.untold_count, standing.dropped_count, standing.cursor);
    json!({ "kind": "dropped", "count": count, "total": total, "number": up_to }).to_string()
}

/// A record that says that it is a test, for whoever wants to see what a receiver makes of one.
pub fn test_batch(name: &str, now: Timestamp, cursor: u64) -> Batch {
    let line = json!({ "kind": "test", "subscription": name, "sent_at": seconds(now),
        "text": "a test, sent by `freshet subscriptions test`" });
    Batch { cursor, lines: vec![line.to_string()] }
}

/// Unix seconds: a whole number where there are no milliseconds.
fn seconds(at: Timestamp) -> Value {
    if at.ms() % 1000 == 0 { at.secs().into() } else { at.secs_f64().into() }
}
