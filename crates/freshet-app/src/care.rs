//! What is kept of whom and why, by which rules, and who still has to hear of what is not kept any more.
//!
//! An export or a snapshot that was made from here has to hear of deletions within a span that a person sets; nothing is
//! done to it by itself, because the folder belongs to whoever made it: what to run is said.

use std::path::Path;

use freshet_network::robot;
use freshet_report::care::{
    CareAccount, CareNetwork, CarePosts, CareReport, CareSetReport, CareSource, CareSources,
    CareSubscription, ErasureLine, KeptLine,
};
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::keeping::{Erasure, KeptOf, KeptReason, RetentionRow};
use freshet_store::row::OnDelete;
use freshet_store::setting::{Json, Setting};
use freshet_store::subscription::Kind;
use freshet_types::{Address, SourceState, Span, Timestamp};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::exports::{Judge, WITHIN_USUAL, path_of};
use crate::failure::Failure;
use crate::forget;
use crate::sources::understood;

/// Within which time exports and snapshots are to hear of deletions.
const WITHIN: Setting<Json<i64>> = Setting::new("care_within_ms");
/// Erasures that are told, the newest.
const ERASURES_MAX: usize = 100;

/// Everything about care.
pub fn report(data: &Data, now: Timestamp) -> anyhow::Result<CareReport> {
    let store = &data.store;
    let sums = store.kept()?;
    let erasures = store.erasures()?;
    let within = within(store)?;
    let kept = sums.rows.iter().map(|row| KeptLine {
        network: row.network.clone(),
        reason: row.reason.name().to_owned(),
        accounts_count: row.accounts,
        posts_count: row.posts,
        opted_out_count: row.opted_out,
    });
    let judge = Judge { store, erasures: &erasures, within, now };
    Ok(CareReport {
        kept: kept.collect(),
        deleted_posts_count: store.counts()?.deleted,
        forgotten_count: sums.forgotten,
        is_erasing: sums.is_erasing,
        networks: networks(store)?,
        sources: store.source_retentions()?.into_iter().map(sources).collect(),
        erasures: erasures.iter().rev().take(ERASURES_MAX).map(erasure).collect(),
        within_s: within.secs_f64(),
        exports: store.exports()?.iter().map(|row| judge.export(row)).collect::<Result<_, _>>()?,
        subscriptions: subscriptions(store)?,
    })
}

/// Sets within which time exports and snapshots are to hear of deletions.
pub fn set_within(globals: &Globals, span: Span) -> anyhow::Result<CareSetReport> {
    let mut data = Data::open(globals)?;
    WITHIN.put(&mut data.store, &Json(span.ms()))?;
    Ok(CareSetReport { within_s: span.secs_f64(), dropped: None })
}

/// Remembers an export no more: its folder is gone, or in other hands.
pub fn drop_export(globals: &Globals, dir: &Path) -> anyhow::Result<CareSetReport> {
    let mut data = Data::open(globals)?;
    // One whose folder is gone is named as it was listed.
    for path in [path_of(dir), dir.display().to_string()] {
        if data.store.drop_export(&path)? {
            return Ok(CareSetReport { within_s: within(&data.store)?.secs_f64(), dropped: Some(path) });
        }
    }
    let failure = Failure::misuse(format!("no export is remembered at `{}`", dir.display()));
    Err(failure.hint("`freshet care` lists those that are").into())
}

fn within(store: &dyn Store) -> Result<Span, StoreError> {
    Ok(WITHIN.find(store)?.map_or(WITHIN_USUAL, |Json(ms)| Span::from_ms(ms)))
}

fn networks(store: &dyn Store) -> Result<Vec<CareNetwork>, StoreError> {
    let spans = store.network_retentions()?;
    let line = |row: freshet_store::row::InstanceRow| {
        let network = row.instance.network;
        let span = spans.iter().find(|rule| rule.network == network).map(|rule| rule.span.secs_f64());
        let on_delete = if row.on_delete == OnDelete::Redact { "redact" } else { "keep" };
        CareNetwork { network, on_delete: on_delete.to_owned(), retention_s: span }
    };
    Ok(store.instances()?.into_iter().map(line).collect())
}

fn sources(row: RetentionRow) -> CareSources {
    CareSources {
        network: row.network,
        retention_s: row.span.secs_f64(),
        sources_count: row.sources.unwrap_or_default(),
    }
}

fn erasure(it: &Erasure) -> ErasureLine {
    ErasureLine {
        number: it.number,
        what: it.kind.name().to_owned(),
        first_at: UnixNumber::of(it.first_at),
        last_at: UnixNumber::of(it.last_at),
        posts_count: it.posts,
        others_count: it.others,
        receipt_sha256: it.receipt.clone(),
    }
}

/// Subscriptions that get deletions and have not taken all there is.
fn subscriptions(store: &dyn Store) -> Result<Vec<CareSubscription>, StoreError> {
    let newest = store.last_change()?;
    let line = |row: freshet_store::subscription::SubscriptionRow| CareSubscription {
        name: row.subscription.name,
        state: row.subscription.state.name().to_owned(),
        behind: newest.saturating_sub(row.standing.cursor),
    };
    let rows = store.subscriptions()?.into_iter();
    let rows = rows.filter(|row| row.subscription.kinds.contains(&Kind::Deletions)).map(line);
    Ok(rows.filter(|line| line.behind > 0).collect())
}

/// Everything that is kept of one account.
pub fn account(globals: &Globals, data: &Data, reference: &str) -> anyhow::Result<CareAccount> {
    let text = reference.trim();
    let Some(address) = address_of(globals, data, text)? else {
        let failure = Failure::misuse(format!("nothing is known of `{text}`"));
        return Err(failure
            .hint("give the address of an account (network/account/id), a handle, or what `add` was given")
            .into());
    };
    let of = data.store.kept_of(&address)?;
    let row = data.store.accounts_of(&address.network, &[address.id.as_str()])?.into_iter().next().flatten();
    let is_known = row.is_some() || !of.sources.is_empty() || !of.posts.is_empty();
    Ok(CareAccount {
        reference: text.to_owned(),
        address: Some(address.to_string()).filter(|_| is_known),
        handle: row.as_ref().and_then(|row| row.account.handle.clone()),
        is_forgotten: of.is_forgotten,
        opts_out: row.as_ref().is_some_and(|row| row.account.opts_out),
        seen_at: row.as_ref().and_then(|row| UnixNumber::of(row.seen_at)),
        reason: is_known.then(|| reason(&of).name().to_owned()),
        posts_count: of.posts.iter().map(|it| it.posts).sum(),
        deleted_count: of.deleted_posts,
        earlier_texts_count: of.earlier_texts,
        following_count: of.following,
        followers_count: of.followers,
        tags_count: of.tags,
        links_count: of.links,
        payloads_count: of.payloads,
        sources: of.sources.iter().map(source).collect(),
        posts: of.posts.into_iter().map(posts).collect(),
    })
}

/// The account that a person means, which need not be stored: what is forgotten has an address, too.
fn address_of(globals: &Globals, data: &Data, text: &str) -> anyhow::Result<Option<Address>> {
    for key in forget::keys(globals, &data.store, text)? {
        let number = key.parse().ok().map(freshet_types::SourceId);
        let address = match number.map(|number| data.store.source(number)).transpose()?.flatten() {
            Some(source) if !source.root_id.is_empty() => {
                Address::new(&source.network, &source.root_kind, source.root_id)
            }
            Some(source) => match source.handle {
                Some(handle) => Address::new(&source.network, forget::HANDLE, handle),
                None => continue,
            },
            None => match key.parse() {
                Ok(address) => address,
                Err(_) => continue,
            },
        };
        if &*address.kind == robot::ACCOUNT || &*address.kind == forget::HANDLE {
            return Ok(Some(address));
        }
        let failure = Failure::misuse(format!("`{text}` is no account but `{address}`"));
        return Err(failure.hint("`freshet show` shows posts and other objects").into());
    }
    let reference = understood(&data::networks(globals)?, text);
    let named = reference.and_then(|it| Some((it.instance.network, it.handle?)));
    Ok(named.map(|(network, handle)| Address::new(&network, forget::HANDLE, handle)))
}

/// Why an account is known, by the nearest of what watches it.
fn reason(of: &KeptOf) -> KeptReason {
    let by_source = of.sources.iter().map(|source| match source.state {
        SourceState::Removed => KeptReason::Removed,
        _ if source.depth > 0 => KeptReason::Robot,
        _ => KeptReason::Watched,
    });
    let without = if of.posts.is_empty() { KeptReason::Named } else { KeptReason::Shown };
    by_source.min().unwrap_or(without)
}

fn source(it: &freshet_store::keeping::KeptSource) -> CareSource {
    CareSource {
        source: it.id,
        robot: it.robot,
        state: it.state,
        depth: it.depth,
        retention_s: it.retention.map(Span::secs_f64),
        visited_at: it.visited_at.and_then(UnixNumber::of),
    }
}

fn posts(it: freshet_store::keeping::KeptPosts) -> CarePosts {
    CarePosts {
        source: it.source,
        label: it.label,
        posts_count: it.posts,
        first_at: UnixNumber::of(it.first_at),
        last_at: UnixNumber::of(it.last_at),
    }
}
