//! Forgetting: erases everything of an account, a post or a source, says what, and keeps it out from then on.
//!
//! Erasing cannot be undone, so who calls this asks first. Nothing is kept back: texts, links, values, raw answers, the search
//! index and the lines of the change log go. What stays is a keyed hash that names nobody and that every page is held
//! against; `--undo` takes it off the list. What is forgotten is marked first and then erased in pieces, so that a crawl beside
//! it goes on and an interruption leaves nothing that is not known to be left.

use std::ops::ControlFlow;
use std::time::Duration;

use freshet_network::robot;
use freshet_report::forget::{ForgetReceipt, ForgetReport, UndoReport};
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{ConstraintsChange, Control, SourcesChange};
use freshet_store::keeping::{Erasure, ErasureKind};
use freshet_store::row::{Erased, Filter, Forgetting};
use freshet_types::{Address, Reference, Source, SourceId, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::exports;
use crate::failure::Failure;
use crate::notice;
use crate::progress::{self, Progress};
use crate::sources::{sources_meant, understood};
use crate::viewers;

/// Between two pieces, while a crawl is at work beside this: it gets its turn at the store.
const PIECE_GAP: Duration = Duration::from_millis(20);
/// Form of receipts; it changes when a reader must.
const RECEIPT_VERSION: u32 = 1;

/// Erases it, after `confirm` has agreed, and keeps it out.
pub fn forget(
    globals: &Globals,
    reference: &str,
    confirm: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<ForgetReport> {
    let mut data = Data::open(globals)?;
    let Meant { keys, own } = meant(globals, &mut data, reference.trim())?;
    confirm()?;
    notice::on_interrupt(
        "stopped: it stays forgotten; the same command, or the next run, erases what is left",
    );
    let asked_at = data.now_for_report(None);
    // Noted before anything is marked, so that exports are told even where this dies in between.
    let number = if keys.is_empty() { 0 } else { data.store.note_erasure(&wish(0, asked_at))? };
    let mut total = Forgetting::default();
    // The clock of a simulated world may be gone with it; a wish to be forgotten does not wait for it.
    let now = data.now_for_report(None);
    for key in keys {
        let what = format!("looking for `{reference}`");
        let marked = progress::during(&what, || data.store.mark_forgotten(&key, now))?;
        total.is_new |= marked.is_new;
        total.posts_left += marked.posts_left;
        total.erased += marked.erased;
    }
    let mut erased = total.erased;
    erased += erase(&mut data, total.posts_left)?;
    viewers::each(&mut data, |public, store, viewer| {
        store.keep_out(&public.forgotten()?)?;
        for key in own.iter().filter(|(it, _)| it == viewer).flat_map(|(_, keys)| keys) {
            let marked = store.mark_forgotten(key, now)?;
            total.is_new |= marked.is_new;
            erased += marked.erased;
        }
        while let Some(more) = store.erase_some()? {
            erased += more;
        }
        Ok(())
    })?;
    if erased == Erased::default() && !total.is_new {
        if number > 0 {
            data.store.note_erasure(&wish(number, asked_at))?;
        }
        let failure = Failure::misuse(format!("nothing is stored of `{reference}`"));
        return Err(failure
            .hint("give an address (network/type/id), a handle, or what `add` was given")
            .into());
    }
    data.store.push_control(&Control::Sources(SourcesChange::Forgotten))?;
    // A running crawl holds parked objects in memory too.
    data.store.push_control(&Control::Constraints(ConstraintsChange::Forgotten))?;
    let mut report = report(reference, &erased);
    give_receipt(&mut data, &mut report, &erased, (number, asked_at))?;
    Ok(report)
}

/// The exact things that a person means, in the store of everybody and in those of viewers.
struct Meant {
    keys: Vec<String>,
    own: Vec<(String, Vec<String>)>,
}

/// What one store knows by a name is forgotten in all of them: by its address, which means the same everywhere.
fn meant(globals: &Globals, data: &mut Data, text: &str) -> anyhow::Result<Meant> {
    let mut keys = keys(globals, &data.store, text)?;
    let mut addresses = addresses(&data.store, &keys)?;
    let mut own = Vec::new();
    viewers::each(data, |_, store, viewer| {
        let found = self::keys(globals, store, text)?;
        addresses.extend(self::addresses(store, &found)?);
        own.push((viewer.to_owned(), found));
        Ok(())
    })?;
    let add = |keys: &mut Vec<String>| {
        for address in &addresses {
            if !keys.contains(address) {
                keys.push(address.clone());
            }
        }
    };
    for (_, keys) in &mut own {
        add(keys);
    }
    if !own.is_empty() {
        add(&mut keys);
    }
    Ok(Meant { keys, own })
}

/// The addresses of what these keys mean: what sources watch, as far as their ids are known, and what was an address before.
fn addresses(store: &dyn Store, keys: &[String]) -> Result<Vec<String>, StoreError> {
    let mut all = Vec::new();
    for key in keys {
        match key.parse().map(SourceId) {
            Ok(id) => {
                let source = store.source(id)?.filter(|source| !source.root_id.is_empty());
                let address = |it: Source| Address::new(&it.network, &it.root_kind, it.root_id).to_string();
                all.extend(source.map(address));
            }
            Err(_) => all.push(key.clone()),
        }
    }
    Ok(all)
}

/// A wish to forget, of which nothing is counted yet.
fn wish(number: u64, at: Timestamp) -> Erasure {
    let kind = ErasureKind::Forgotten;
    Erasure { number, kind, first_at: at, last_at: at, posts: 0, others: 0, receipt: None }
}

/// Writes the receipt into the report, and its hash into the store.
fn give_receipt(
    data: &mut Data,
    report: &mut ForgetReport,
    erased: &Erased,
    (number, asked_at): (u64, Timestamp),
) -> anyhow::Result<()> {
    let erased_at = data.now_for_report(None).max(asked_at);
    let others = erased.accounts + erased.relations + erased.links + erased.things;
    let mut noted = Erasure { posts: erased.posts, others, ..wish(number, asked_at) };
    noted.last_at = erased_at;
    // The exports that hold it are counted by this wish, too.
    data.store.note_erasure(&Erasure { receipt: Some(String::new()), ..noted.clone() })?;
    let receipt = ForgetReceipt {
        version: RECEIPT_VERSION,
        freshet: env!("CARGO_PKG_VERSION").to_owned(),
        number,
        asked_at: UnixNumber::of(asked_at),
        erased_at: UnixNumber::of(erased_at),
        is_kept_out: true,
        accounts_count: erased.accounts,
        posts_count: erased.posts,
        relations_count: erased.relations,
        others_count: erased.links + erased.things,
        sources_count: erased.sources,
        changes_count: erased.changes,
        payloads_count: erased.payloads,
        exports_count: exports::unheard_count(&data.store, erased_at)?,
    };
    let sha256 = hash(&receipt_text(&receipt)?);
    data.store.note_erasure(&Erasure { receipt: Some(sha256.clone()), ..noted })?;
    report.receipt = Some(receipt);
    report.receipt_sha256 = Some(sha256);
    Ok(())
}

/// A receipt as it is written to a file, and hashed.
pub fn receipt_text(receipt: &ForgetReceipt) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(receipt)? + "\n")
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// Erases what an interrupted `forget` left, or the removal of a viewer.
pub fn finish(data: &mut Data) -> anyhow::Result<()> {
    erase(data, 0)?;
    viewers::finish(data)
}

/// Erases everything that is marked, piece by piece.
fn erase(data: &mut Data, posts_left: u64) -> anyhow::Result<Erased> {
    let mut erased = Erased::default();
    let mut progress = Progress::new("erasing", 0, posts_left);
    while let Some(more) = data.store.erase_some()? {
        progress.advance(more.posts);
        erased += more;
        if data.runner().is_some() {
            std::thread::park_timeout(PIECE_GAP);
        }
    }
    Ok(erased)
}

/// Takes a wish back. The store knows hashes only, so it is asked by every name that the reference may mean.
pub fn undo(globals: &Globals, reference: &str) -> anyhow::Result<UndoReport> {
    let mut data = Data::open(globals)?;
    let text = reference.trim();
    let reference =
        if text.parse::<Address>().is_ok() { None } else { understood(&data::networks(globals)?, text) };
    let key = match &reference {
        Some(Reference { instance, root_kind, root_id: Some(id), .. }) => {
            Address::new(&instance.network, root_kind, id.as_str()).to_string()
        }
        Some(Reference { instance, handle: Some(handle), .. }) => {
            Address::new(&instance.network, HANDLE, handle.as_str()).to_string()
        }
        _ => text.to_owned(),
    };
    let mut hashes_count = data.store.unforget(&key)?;
    viewers::each(&mut data, |_, own, _| {
        hashes_count = hashes_count.max(own.unforget(&key)?);
        Ok(())
    })?;
    if hashes_count == 0 {
        let failure = Failure::misuse(format!("`{text}` is not forgotten"));
        return Err(failure.hint("give what `forget` was given, or the address (network/type/id)").into());
    }
    Ok(UndoReport { reference: text.to_owned(), hashes_count })
}

/// The type by which the store is asked for an account by its handle.
pub(crate) const HANDLE: &str = "handle";

/// The exact things that a person means: addresses, and numbers of sources. The store would
/// take a bare handle for everybody of that name, and erasing namesakes cannot be undone.
pub(crate) fn keys(globals: &Globals, store: &dyn Store, text: &str) -> anyhow::Result<Vec<String>> {
    if text.parse::<Address>().is_ok() {
        return Ok(vec![text.to_owned()]);
    }
    let sources = sources_meant(globals, store, text)?;
    if !sources.is_empty() {
        return Ok(sources.iter().map(|source| source.id.0.to_string()).collect());
    }
    let reference = understood(&data::networks(globals)?, text);
    if let Some(Reference { instance, root_kind, root_id: Some(id), .. }) = &reference {
        return Ok(vec![Address::new(&instance.network, root_kind, id.as_str()).to_string()]);
    }
    let found = accounts(store, text, reference.as_ref())?;
    if found.len() > 1 {
        let failure = Failure::misuse(format!("`{text}` may mean several\n  {}", found.join("\n  ")));
        return Err(failure.hint("give the address of the one to forget").into());
    }
    Ok(found)
}

/// Addresses of accounts that nobody added but that were met, by their handle.
fn accounts(store: &dyn Store, text: &str, reference: Option<&Reference>) -> Result<Vec<String>, StoreError> {
    let handle = reference.and_then(|it| it.handle.as_deref()).unwrap_or(text).trim_start_matches('@');
    let network = reference.map(|it| it.instance.network.to_string());
    let mut found = Vec::new();
    store.each_account(&Filter { network, ..Filter::default() }, &mut |row| {
        if row.account.handle.as_deref().is_some_and(|it| it.trim_start_matches('@') == handle) {
            found.push(Address::new(&row.network, robot::ACCOUNT, row.account.id).to_string());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn report(reference: &str, erased: &Erased) -> ForgetReport {
    ForgetReport {
        reference: reference.to_owned(),
        accounts_count: erased.accounts,
        posts_count: erased.posts,
        relations_count: erased.relations,
        tags_count: erased.tags,
        sources_count: erased.sources,
        visits_count: erased.visits,
        changes_count: erased.changes,
        payloads_count: erased.payloads,
        parked_count: erased.parked,
        receipt: None,
        receipt_sha256: None,
    }
}
