//! What a run reads where some sources are stored for a viewer: the same questions, put to the store of everybody first and then to
//! those of the viewers, and the answers made one.
//!
//! Numbers of sources are given once over all stores, so a source is looked for where it may be. Only sources, servers and
//! subscriptions are looked for in stores of viewers; nothing else that they hold has a part in what a run decides for others.

use freshet_store::api::{Store, StoreError};
use freshet_store::row::SourceSlot;
use freshet_store::viewers::{Overlay, Overlays};
use freshet_types::{Instance, Source, SourceId};

use super::{Question, Reply, SLOTS_CHUNK};

/// Reads what is asked for in all stores.
pub(super) fn answer(
    store: &dyn Store,
    overlays: &Overlays,
    question: &Question,
) -> Result<Reply, StoreError> {
    if let Question::Revisit(sources, judge, now) = question {
        return judged(store, overlays, sources, &|sources| Question::Revisit(sources, judge.clone(), *now));
    }
    let mut reply = super::answer(store, question)?;
    for overlay in overlays.all() {
        join(&mut reply, overlay, question)?;
    }
    if let Reply::Slots(slots) = &mut reply {
        // A chunk that is full says nothing of what lies behind it, nor may the others.
        slots.sort_unstable_by_key(|slot| slot.id);
        slots.truncate(SLOTS_CHUNK);
    }
    Ok(reply)
}

/// Adds what the store of a viewer says.
fn join(reply: &mut Reply, overlay: &Overlay, question: &Question) -> Result<(), StoreError> {
    let ask = |question: &Question| super::answer(&*overlay.store, question);
    let own = |source: Source| Source { viewer: Some(overlay.viewer.clone()), ..source };
    match (reply, question) {
        (Reply::Sources(found), Question::Sources(_, now)) => {
            let lacking: Vec<SourceId> =
                found.iter().filter(|(_, source)| source.is_none()).map(|(id, _)| *id).collect();
            if lacking.is_empty() {
                return Ok(());
            }
            if let Reply::Sources(mut more) = ask(&Question::Sources(lacking, *now))? {
                for (_, source) in found.iter_mut().filter(|(_, source)| source.is_none()) {
                    *source = more.remove(0).1.map(|it| Box::new(own(*it)));
                }
            }
        }
        (Reply::Pinned(found @ None), question) => {
            if let Reply::Pinned(Some(source)) = ask(question)? {
                *found = Some(Box::new(own(*source)));
            }
        }
        (Reply::Weighed(found), question) => {
            if let Reply::Weighed(more) = ask(question)? {
                found.extend(more.into_iter().map(own));
            }
        }
        (Reply::Instances(found), question) => {
            if let Reply::Instances(more) = ask(question)? {
                for instance in more {
                    add_instance(found, instance);
                }
            }
        }
        (Reply::Slots(found), question) => {
            if let Reply::Slots(more) = ask(question)? {
                add_slots(found, more);
            }
        }
        (Reply::Subscriptions(found), question) => {
            if let Reply::Subscriptions(more) = ask(question)? {
                found.extend(more.into_iter().map(|row| row.of_viewer(&overlay.viewer)));
            }
        }
        _ => {}
    }
    Ok(())
}

/// A server is known once; what a person allowed for it in one place is allowed.
fn add_instance(found: &mut Vec<Instance>, instance: Instance) {
    match found.iter_mut().find(|it| it.network == instance.network) {
        Some(known) => known.allow_private |= instance.allow_private,
        None => found.push(instance),
    }
}

fn add_slots(found: &mut Vec<SourceSlot>, more: Vec<SourceSlot>) {
    let end =
        |slots: &[SourceSlot]| slots.iter().map(|slot| slot.id).max().filter(|_| slots.len() >= SLOTS_CHUNK);
    let up_to = end(found).into_iter().chain(end(&more)).min();
    found.extend(more);
    if let Some(up_to) = up_to {
        found.retain(|slot| slot.id <= up_to);
    }
}

/// Whether sources are worth another visit: each is judged by what the store knows in which it stands.
fn judged(
    store: &dyn Store,
    overlays: &Overlays,
    sources: &[Box<Source>],
    ask: &dyn Fn(Vec<Box<Source>>) -> Question,
) -> Result<Reply, StoreError> {
    let of = |viewer: Option<&Overlay>| -> Vec<Box<Source>> {
        let is_own = |source: &Source| source.viewer.as_ref() == viewer.map(|it| &it.viewer);
        sources.iter().filter(|source| is_own(source)).cloned().collect()
    };
    let mut all = Vec::with_capacity(sources.len());
    let mut judge = |store: &dyn Store, sources| -> Result<(), StoreError> {
        if let Reply::Revisit(some) = super::answer(store, &ask(sources))? {
            all.extend(some);
        }
        Ok(())
    };
    judge(store, of(None))?;
    overlays.all().try_for_each(|overlay| judge(&*overlay.store, of(Some(overlay))))?;
    // Those of a viewer who was removed meanwhile are not held back: they are found to be gone.
    let is_new = |source: &Source| !all.iter().any(|(it, _): &(Box<Source>, _)| it.id == source.id);
    let rest: Vec<_> =
        sources.iter().filter(|source| is_new(source)).cloned().map(|source| (source, None)).collect();
    all.extend(rest);
    Ok(Reply::Revisit(all))
}
