//! Step 8 of 10: apply. Everything that pages and visits learned, in the caller's transaction.
//!
//! Invariants: an upload applied twice changes nothing the second time; an object has one row
//! however often and as whatever type it is seen; each change has its line in the log; a source
//! that was forgotten meanwhile takes its late pages with it, and one that was removed stays
//! removed. A depth only ever gets smaller. What was leased before somebody else took the source over is refused whole.
//!
//! The path of a new post is an insert and a line of the log, with statements that stay
//! prepared for the whole batch; everything else is looked up only when that insert finds the
//! post there already. Deciding what a difference means is step 7, given as a function.

mod account;
mod across;
mod ahead;
mod complaint;
mod consent;
mod hidden;
mod lead;
mod list;
mod post;
mod relation;
mod thing;
mod unkept;

use freshet_types::{Account, Address, ChangeKind, Map, RobotKind, Set, SourceId, Timestamp, VisitSummary};
use xxhash_rust::xxh3::xxh3_64;

use self::ahead::Ahead;
pub(super) use self::unkept::keeps;
use self::unkept::{Bare, Shown};
use super::db::{Connection, OptionalExtension, Result, params};
use super::forgotten::Forgotten;
use super::network::Networks;
use super::unkept::Prints;
use super::{erase, log, parking, read, retention, source, streams, value};
use crate::api::Compare;
use crate::pass::Pass;
use crate::row::{Applied, Upload, Withheld};

/// Level of zstd for raw payloads: the fastest that still halves JSON several times.
const PAYLOAD_LEVEL: i32 = 3;

/// What a transaction knows before it looks at the uploads.
pub(super) struct Means<'a> {
    pub(super) networks: &'a Networks,
    pub(super) forgotten: &'a mut Forgotten,
    pub(super) compare: Compare,
    pub(super) keep_raw: bool,
    pub(super) pass: Option<&'a Pass>,
}

/// Applies all uploads inside the caller's transaction.
pub(super) fn apply(db: &Connection, means: Means<'_>, uploads: &[Upload]) -> Result<Vec<Applied>> {
    let prints = Prints::default();
    let bare = unkept::bare(db, (means.networks, &prints), uploads)?;
    let mut batch = Batch::new(db, means, &prints)?;
    let mut all = Vec::with_capacity(uploads.len());
    // The pages of one visit come in one batch; only the last of them need write its source.
    // One of an earlier lease may be refused, so it is not the last of them.
    let mut last_of: Map<u32, (u64, usize)> = Map::default();
    for (index, upload) in uploads.iter().enumerate() {
        let Some(source) = &upload.source else { continue };
        let last = last_of.entry(source.id.0).or_insert((upload.epoch, index));
        if upload.epoch >= last.0 {
            *last = (upload.epoch, index);
        }
    }
    for (index, (upload, bare)) in uploads.iter().zip(&bare).enumerate() {
        let is_last = upload.source.as_ref().is_some_and(|source| last_of[&source.id.0].1 == index);
        all.push(batch.upload((upload, bare.as_ref()), is_last)?);
    }
    batch.log.close(db)?;
    Ok(all)
}

/// What holds for all uploads of one transaction.
struct Batch<'a> {
    db: &'a Connection,
    networks: &'a Networks,
    compare: Compare,
    keep_raw: bool,
    /// Where what is not kept passes, and by which fingerprints it is known.
    pass: Option<&'a Pass>,
    prints: &'a Prints,
    forgotten: &'a mut Forgotten,
    log: log::Writer<'a>,
    /// What was found of what the upload names, and the rows that wait.
    ahead: Ahead<'a>,
    /// The accounts that this transaction has already settled, by network and id: the form that
    /// was merged last (`None` for a mere mention) and the depth.
    settled: Map<(i64, &'a str), (Option<&'a Account>, u16)>,
    /// Who asks not to be collected, of the accounts that this transaction has met.
    opted_out: Set<(i64, &'a str)>,
    tags: Vec<u8>,
    properties: Vec<u8>,
}

/// What holds for all records of one upload.
struct Scene<'a> {
    network: i64,
    network_name: &'a str,
    seen_at: i64,
    visit: i64,
    finder: Option<RobotKind>,
    withheld: &'a Withheld,
    depth: u16,
    /// The account whose source this is; it and its posts are not a step further away.
    own: Option<&'a str>,
    payload: Option<i64>,
    source: Option<u32>,
    /// The oldest posting time that the retention of the source leaves.
    oldest: Option<Timestamp>,
    /// The list whose page this is, by its number.
    list: Option<i64>,
    /// Posts that the page shows and that are forgotten, or show somebody who is: the space of their ids, and the id.
    hidden: Set<(&'a str, &'a str)>,
    /// Objects of other networks that can be read, where something leads to them.
    followed: &'a [Address],
}

impl Scene<'_> {
    fn depth_of(&self, account: &str) -> u16 {
        if self.own == Some(account) { self.depth } else { self.depth.saturating_add(1) }
    }
}

impl<'a> Batch<'a> {
    fn new(db: &'a Connection, means: Means<'a>, prints: &'a Prints) -> Result<Self> {
        let Means { networks, forgotten, compare, keep_raw, pass } = means;
        Ok(Self {
            db,
            networks,
            compare,
            keep_raw,
            pass,
            prints,
            forgotten,
            log: log::Writer::open(db)?,
            ahead: Ahead::new(),
            settled: Map::default(),
            opted_out: Set::default(),
            tags: Vec::new(),
            properties: Vec::new(),
        })
    }

    /// Applies an upload, in its form without content where that is not kept.
    fn upload(
        &mut self,
        (whole, bare): (&'a Upload, Option<&'a Bare>),
        writes_source: bool,
    ) -> Result<Applied> {
        let upload = bare.map_or(whole, |bare| &bare.upload);
        let mut applied = Applied::default();
        let stored = match bringer(upload) {
            Some(id) => match source::stored(self.db, id)? {
                Some(stored) if stored.is_ahead_of(upload) => return Ok(stale()),
                Some(stored) => Some((id, stored)),
                None => return Ok(applied),
            },
            _ => None,
        };
        let mut scene = scene(upload, self.networks.intern(self.db, &upload.network)?);
        let retention = match &stored {
            Some((_, stored)) => stored.retention,
            None => retention::of_network(self.db, scene.network)?,
        };
        scene.oldest = retention.map(|retention| upload.seen_at - retention);
        scene.hidden = self.hidden(upload)?;
        if self.keep_raw && !self.shows_forgotten(&scene, upload) {
            scene.payload = self.keep_payload(&scene, upload)?;
        }
        scene.list = upload.page.as_ref().map(|page| self.list(&scene, page)).transpose()?;
        if let Some(list) = scene.list.filter(|_| upload.page.as_ref().is_some_and(|page| page.is_relearnt)) {
            self.log(&scene, ChangeKind::Relearnt, log::Class::List, list)?;
        }
        let seen = &upload.observation;
        self.look_ahead(&scene, upload)?;
        self.accounts_and_posts(&scene, upload, (whole, bare), &mut applied)?;
        for account in &upload.opted_out {
            self.opt_out(&scene, account, upload, &mut applied)?;
        }
        for relation in &seen.relations {
            self.relation(&scene, relation, &mut applied)?;
        }
        self.end_look(&scene)?;
        for tag in &seen.tags {
            self.tag(&scene, tag, &mut applied)?;
        }
        self.things(&scene, upload, &mut applied)?;
        self.leads(&scene, upload, &mut applied)?;
        if let (Some(page), Some(list)) = (&upload.page, scene.list) {
            self.list_page(&scene, list, page, &mut applied)?;
        }
        for id in &upload.checked {
            self.note_checked(&scene, id)?;
        }
        for (kind, id) in &upload.deleted {
            self.gone(&scene, kind, id, &mut applied)?;
        }
        if let Some((id, reason)) = &upload.invalid {
            self.invalidate(&scene, id, reason)?;
        }
        if let Some(sweep) = &upload.relations_swept {
            self.cancel_unseen(&scene, sweep)?;
        }
        if let Some(listing) = &upload.lists {
            applied.missing = self.missing(&scene, listing, &seen.posts)?;
        }
        self.park(upload)?;
        parking::unpark(self.db, &upload.unparked)?;
        if let Some(stored) = stored {
            self.write_source(upload, &stored, writes_source)?;
        }
        self.bringers(&scene, upload)?;
        self.complaints(&scene, upload)?;
        self.write_new()?;
        Ok(applied)
    }

    /// What the upload shows of accounts and posts, each as it is stored and as it was seen.
    fn accounts_and_posts(
        &mut self,
        scene: &Scene<'_>,
        upload: &'a Upload,
        (whole, bare): (&'a Upload, Option<&'a Bare>),
        applied: &mut Applied,
    ) -> Result<()> {
        let (seen, whole) = (&upload.observation, &whole.observation);
        for (account, whole) in seen.accounts.iter().zip(&whole.accounts) {
            let whole = bare.and_then(|bare| bare.account(whole));
            self.account(scene, Shown { bare: account, whole, is_outside: false }, applied)?;
        }
        let before = scene.list.map(|list| self.count_listed(list)).transpose()?;
        for (post, whole) in seen.posts.iter().zip(&whole.posts) {
            let whole = bare.and_then(|bare| bare.post(whole));
            let is_outside = whole.is_some() && upload.outside.has_post(&post.kind, &post.id);
            self.post(scene, Shown { bare: post, whole, is_outside }, applied)?;
        }
        self.write_new()?;
        match (scene.list, before) {
            (Some(list), Some(before)) => self.note_listed(scene, self.count_listed(list)? - before),
            _ => Ok(()),
        }
    }

    /// The visit that ended with this upload, and the stream that brought it.
    fn bringers(&mut self, scene: &Scene<'_>, upload: &Upload) -> Result<()> {
        if let Some(summary) = &upload.summary {
            self.visit(summary)?;
        }
        match &upload.stream {
            Some(mark) => streams::write(self.db, scene.network, mark),
            None => Ok(()),
        }
    }

    /// Writes what the upload brings of its source, and under which lease.
    fn write_source(
        &self,
        upload: &Upload,
        (id, stored): &(SourceId, source::Stored),
        writes_source: bool,
    ) -> Result<()> {
        match &upload.source {
            Some(source) if writes_source => {
                source::write_after_visit(self.db, self.networks, upload, (source, stored))
            }
            _ => source::raise_epoch(self.db, *id, upload, stored),
        }
    }

    /// The lists that the page leads to; one that is forgotten is not followed.
    fn leads(&mut self, scene: &Scene<'_>, upload: &Upload, applied: &mut Applied) -> Result<()> {
        for lead in &upload.observation.leads {
            if !self.forgotten.has_lead(&upload.network, lead) {
                lead::follow(self.db, scene, upload, lead, applied)?;
                self.member(scene, lead)?;
            }
        }
        Ok(())
    }

    /// The network's own word that an object is gone.
    fn gone(&mut self, scene: &Scene<'_>, kind: &str, id: &'a str, applied: &mut Applied) -> Result<()> {
        if kind == "account" {
            return self.invalidate(scene, id, "gone");
        }
        match read::post_number(self.db, scene.network, kind, id)? {
            Some((object, false)) => self.mark_deleted(scene, object, applied),
            _ => Ok(()),
        }
    }

    fn mark_deleted(&mut self, scene: &Scene<'_>, object: i64, applied: &mut Applied) -> Result<()> {
        self.write_new()?;
        let mark = "UPDATE posts SET deleted_at = $2 WHERE id = $1";
        self.db.prepare_cached(mark)?.execute([object, scene.seen_at])?;
        erase::redact_if_asked(self.db, scene.network, object)?;
        self.log.tally.deleted += 1;
        applied.deleted_count += 1;
        self.log(scene, ChangeKind::Deleted, log::Class::Post, object)
    }

    fn log(&mut self, scene: &Scene<'_>, kind: ChangeKind, class: log::Class, object: i64) -> Result<()> {
        let noticed = log::Noticed { seen_at: scene.seen_at, visit: scene.visit, finder: scene.finder };
        self.log.line(kind, class, object, noticed)
    }

    fn visit(&mut self, summary: &VisitSummary) -> Result<()> {
        let insert = "INSERT INTO visits (id, source, started_at, ended_at, fetch_count, new_post_count, \
                      outcome, attempt) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
        let added = self.db.prepare_cached(insert)?.execute(params![
            summary.id.0 as i64,
            summary.source.0,
            summary.started_at.ms(),
            summary.ended_at.ms(),
            summary.fetch_count,
            summary.new_post_count,
            summary.outcome,
            summary.attempt,
        ])?;
        self.log.tally.visits += added as i64;
        Ok(())
    }

    /// Keeps the answer as received; `None` where it is kept already.
    fn keep_payload(&mut self, scene: &Scene<'_>, upload: &Upload) -> Result<Option<i64>> {
        let Some(raw) = &upload.raw else { return Ok(None) };
        let insert = "INSERT INTO payloads (visit, digest, source, seen_at, body) VALUES ($1, $2, $3, $4, $5) \
                      ON CONFLICT DO NOTHING RETURNING id";
        let body = zstd::bulk::compress(raw, PAYLOAD_LEVEL)
            .map_err(|error| crate::postgres::db::Error::Value(4, error.to_string()))?;
        let digest = xxh3_64(raw) as i64;
        let mut insert = self.db.prepare_cached(insert)?;
        let key = params![scene.visit, digest, scene.source, scene.seen_at, body];
        insert.query_row(key, |row| row.get(0)).optional()
    }

    /// Remembers that the payload shows this object, so that erasing it erases the payload.
    fn note_payload(&self, scene: &Scene<'_>, object: i64) -> Result<()> {
        if let Some(payload) = scene.payload {
            let note = "INSERT INTO payload_objects (object, payload) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            self.db.prepare_cached(note)?.execute([object, payload])?;
        }
        Ok(())
    }
}

/// The answer to an upload whose source somebody else has taken over.
fn stale() -> Applied {
    Applied { is_stale: true, ..Applied::default() }
}

/// The stored source that brings an upload.
fn bringer(upload: &Upload) -> Option<SourceId> {
    let written = upload.source.as_ref().map(|source| source.id);
    written.filter(|id| id.0 != 0).or(upload.brought_by)
}

fn scene(upload: &Upload, network: i64) -> Scene<'_> {
    let source = upload.source.as_ref();
    let own = source
        .filter(|source| &*source.root_kind == "account" && !source.root_id.is_empty())
        .map(|source| source.root_id.as_str())
        .or_else(|| upload.lists.as_ref().map(|listing| listing.author.as_str()))
        .or_else(|| upload.relations_swept.as_ref().map(|sweep| sweep.account.as_str()));
    Scene {
        network,
        network_name: upload.network.as_str(),
        seen_at: upload.seen_at.ms(),
        visit: upload.visit.0 as i64,
        finder: upload.robot,
        withheld: &upload.withheld,
        depth: upload.depth,
        own,
        payload: None,
        source: source.map(|source| source.id).or(upload.brought_by).map(|id| id.0),
        oldest: None,
        list: None,
        hidden: Set::default(),
        followed: &upload.followed,
    }
}

/// Whether a newly seen text says something else than the stored one; nothing seen says nothing.
fn differs(row: &crate::postgres::db::Row, column: usize, seen: Option<&str>) -> Result<bool> {
    Ok(seen.is_some() && value::text(row, column)? != seen)
}
