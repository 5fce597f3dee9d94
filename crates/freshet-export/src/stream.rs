//! Records out of the store, one kind at a time, in the order in which they were first seen.

use std::io::Write;
use std::ops::ControlFlow;

use freshet_engine::record::{
    account_record, change_record, link_record, object_record, post_record, relation_record,
};
use freshet_sink::{Format, Record, RecordKind, SinkError};
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::Filter;
use freshet_types::{Change, Timestamp};

use super::{Bounds, Damages};

/// Lines of the change log read at once.
const CHANGES_BATCH: usize = 4096;

/// Gives every record of a kind that the filter lets through and whose number is at most `up_to`,
/// each with its number and the instant that the filter looks at. What cannot be read is passed over.
pub(crate) fn each_record(
    store: &dyn Store,
    kind: RecordKind,
    filter: &Filter,
    up_to: u64,
    each: &mut dyn FnMut(u64, Timestamp, &dyn Record) -> Flow,
) -> Result<Damages, StoreError> {
    let (mut filter, mut damages) = (filter.clone(), Damages::default());
    while let Err(error) = each_whole(store, kind, &filter, up_to, each) {
        if !damages.pass_over(error, &mut filter)? || filter.above >= up_to {
            break;
        }
    }
    Ok(damages)
}

/// Gives records up to the first that cannot be read.
fn each_whole(
    store: &dyn Store,
    kind: RecordKind,
    filter: &Filter,
    up_to: u64,
    each: &mut dyn FnMut(u64, Timestamp, &dyn Record) -> Flow,
) -> Result<(), StoreError> {
    match kind {
        RecordKind::Posts => store.each_post(filter, &mut |row| {
            if row.object > up_to {
                return ControlFlow::Break(());
            }
            // Outside of what is collected there are ids only.
            if row.is_outside {
                return ControlFlow::Continue(());
            }
            each(row.object, row.post.created_at.unwrap_or(row.seen_at), &post_record(row))
        }),
        RecordKind::Accounts => store.each_account(filter, &mut |row| {
            if row.object > up_to {
                return ControlFlow::Break(());
            }
            each(row.object, row.seen_at, &account_record(row))
        }),
        RecordKind::Relations => store.each_relation(filter, &mut |row| {
            if row.number > up_to {
                return ControlFlow::Break(());
            }
            each(row.number, row.seen_at, &relation_record(row))
        }),
        RecordKind::Changes => each_change(store, filter, up_to, &mut |change| {
            each(change.number, change.seen_at, &change_record(change))
        }),
        RecordKind::Objects => store.each_thing(filter, &mut |row| {
            if row.object > up_to {
                return ControlFlow::Break(());
            }
            each(row.object, row.seen_at, &object_record(row))
        }),
        RecordKind::Links => store.each_link(filter, &mut |row| {
            if row.number > up_to {
                return ControlFlow::Break(());
            }
            each(row.number, row.seen_at, &link_record(row))
        }),
    }
}

/// Writes all records of one kind into a stream; gives how many, and what was left out.
pub(crate) fn to_writer(
    store: &dyn Store,
    kind: RecordKind,
    format: Format,
    filter: &Filter,
    out: impl Write + Send,
) -> anyhow::Result<(u64, Damages)> {
    let mut sink = format.open(kind, out)?;
    let (mut record_count, mut failed) = (0, None::<SinkError>);
    // What is written meanwhile is left for the next export, however long this one takes.
    let newest = store.last_number()?;
    let bounds = Bounds { change: newest, relation: store.last_relation()?, link: newest };
    let up_to = bounds.of(kind);
    let damages = each_record(store, kind, filter, up_to, &mut |_, _, record| match sink.write(record) {
        Ok(()) => {
            record_count += 1;
            ControlFlow::Continue(())
        }
        // After the first failure nothing more is asked of the store.
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    sink.finish()?;
    Ok((record_count, damages))
}

/// Gives every line of the change log that the filter lets through, up to a number.
pub(super) fn each_change(
    store: &dyn Store,
    filter: &Filter,
    up_to: u64,
    each: &mut dyn FnMut(&Change) -> Flow,
) -> Result<(), StoreError> {
    let mut above = filter.above;
    loop {
        let changes = store.changes_above(above, CHANGES_BATCH)?;
        let Some(last) = changes.last() else { return Ok(()) };
        above = last.number;
        for change in changes.iter().filter(|change| is_wanted(filter, change)) {
            if change.number > up_to || each(change).is_break() {
                return Ok(());
            }
        }
        if above >= up_to {
            return Ok(());
        }
    }
}

fn is_wanted(filter: &Filter, change: &Change) -> bool {
    let network = &change.address.network;
    filter.since.is_none_or(|since| change.seen_at >= since)
        && filter.until.is_none_or(|until| change.seen_at < until)
        && filter.network.as_ref().is_none_or(|it| it == network.as_str() || it == network.definition())
}
