//! Step 8 of 10: apply, things and links.
//!
//! Things are objects that are neither posts nor accounts: places, albums, channels. Links are those that no column of a row tells.
//!
//! Invariants: a thing that is seen less of than before keeps what is known; a new name is an edit, other values change quietly. A
//! link is one row for ever, as a relation is: cancelled when its whole list was read without it, or when a c-link leads elsewhere
//! now, and back when it is seen after that. Accounts at either end become known.

use freshet_types::{ChangeKind, End, Link, RobotKind, Thing};

use super::super::db::{OptionalExtension, Result, Row, params};
use super::super::log::Class;
use super::super::{read, value};
use super::{Batch, Scene, differs};
use crate::row::{Applied, LinkSweep, Upload};

const INSERT: &str = "INSERT INTO things (id, network, kind, native_id, depth, seen_at, source, created_at, name, url, properties) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING";

const FIND: &str = "SELECT id, depth, properties, name, url, created_at FROM things \
     WHERE network = $1 AND native_id = $2 AND kind = $3";

const REFRESH: &str = "UPDATE things SET depth = LEAST(depth, $2), properties = COALESCE($3, properties), \
     name = COALESCE($4, name), url = COALESCE($5, url), created_at = COALESCE($6, created_at), \
     source = CASE WHEN $2 < depth THEN $7 ELSE source END WHERE id = $1";

const INSERT_LINK: &str = "INSERT INTO object_links (id, network, from_id, from_kind, name, to_id, to_kind, is_member, seen_at, \
     last_seen_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) ON CONFLICT DO NOTHING";

const FIND_LINK: &str = "SELECT id, last_seen_at, cancelled_at FROM object_links WHERE network = $1 AND from_id = $2 \
     AND from_kind = $3 AND name = $4 AND to_id = $5 AND to_kind = $6";

/// C-links of this name that lead elsewhere, and were not seen since.
const FIND_OTHERS: &str = "SELECT id FROM object_links WHERE network = $1 AND from_id = $2 AND from_kind = $3 AND name = $4 \
     AND (to_id <> $5 OR to_kind <> $6) AND last_seen_at < $7 AND cancelled_at IS NULL";

/// Members that were not seen since.
const FIND_UNSEEN: &str = "SELECT id FROM object_links WHERE network = $1 AND from_id = $2 AND from_kind = $3 AND name = $4 \
     AND last_seen_at < $5 AND cancelled_at IS NULL";

/// What the look-up found of a thing that is there already.
struct Found {
    object: i64,
    is_nearer: bool,
    is_stale: bool,
    is_edited: bool,
    properties: Option<String>,
}

impl<'a> Batch<'a> {
    /// Everything that an upload brings of things and links.
    pub(super) fn things(
        &mut self,
        scene: &Scene<'_>,
        upload: &'a Upload,
        applied: &mut Applied,
    ) -> Result<()> {
        for thing in &upload.observation.things {
            self.thing(scene, thing)?;
        }
        for link in &upload.observation.links {
            self.link(scene, link, applied)?;
        }
        match &upload.links_swept {
            // What this robot sweeps has a table of its own.
            Some(sweep) if upload.robot == Some(RobotKind::Tag) => self.cancel_tags(scene, sweep),
            Some(sweep) => self.cancel_unlisted(scene, sweep),
            None => Ok(()),
        }
    }

    fn thing(&mut self, scene: &Scene<'_>, thing: &Thing) -> Result<()> {
        if self.forgotten.has_root(scene.network_name, &thing.kind, &thing.id) {
            return Ok(());
        }
        let is_withheld = scene.withheld.has_thing(&thing.kind, &thing.id);
        if is_withheld {
            // What is stored of it is kept up to date.
            let is_known = read::thing_number(self.db, scene.network, &thing.kind, &thing.id)?.is_some();
            return if is_known { self.known_thing(scene, thing) } else { Ok(()) };
        }
        let object = self.log.next();
        let mut insert = self.db.prepare_cached(INSERT)?;
        let is_new = insert.execute(params![
            object,
            scene.network,
            &*thing.kind,
            thing.id,
            depth(scene),
            scene.seen_at,
            scene.source,
            value::ms(thing.created_at),
            thing.name,
            thing.url,
            value::properties(&thing.plinks, &mut self.properties),
        ])? == 1;
        if !is_new {
            return self.known_thing(scene, thing);
        }
        self.log.tally.things += 1;
        // Its line comes first: links and stubs take the numbers behind it.
        self.log(scene, ChangeKind::Created, Class::Thing, object)?;
        self.cross_links(scene, (object, true), &thing.slinks, &thing.slinks_seen)?;
        self.note_payload(scene, object)
    }

    fn known_thing(&mut self, scene: &Scene<'_>, thing: &Thing) -> Result<()> {
        let seen = value::properties(&thing.plinks, &mut self.properties);
        let mut find = self.db.prepare_cached(FIND)?;
        let key = params![scene.network, thing.id, &*thing.kind];
        let found = find.query_row(key, |row| found(row, scene, thing, seen))?;
        if found.is_stale {
            self.db.prepare_cached(REFRESH)?.execute(params![
                found.object,
                depth(scene),
                found.properties,
                thing.name,
                thing.url,
                value::ms(thing.created_at),
                scene.source,
            ])?;
        }
        self.cross_links(scene, (found.object, false), &thing.slinks, &thing.slinks_seen)?;
        self.note_payload(scene, found.object)?;
        for (is_so, kind) in
            [(found.is_nearer, ChangeKind::Approached), (found.is_edited, ChangeKind::Edited)]
        {
            if is_so {
                self.log(scene, kind, Class::Thing, found.object)?;
            }
        }
        Ok(())
    }

    fn link(&mut self, scene: &Scene<'_>, link: &'a Link, applied: &mut Applied) -> Result<()> {
        let ends = [&link.from, &link.to];
        if ends.iter().any(|end| self.forgotten.has_root(scene.network_name, &end.kind, &end.id)) {
            return Ok(());
        }
        let is_withheld = ends.iter().any(|end| is_withheld(scene, end));
        for end in ends.into_iter().filter(|end| &*end.kind == "account") {
            self.ensure_account(scene, &end.id, applied)?;
        }
        if !link.is_member {
            self.cancel_others(scene, link)?;
        }
        if !is_withheld && self.insert_link(scene, link)? {
            // A link is no object: it takes a number, and a line only when it ends.
            self.log.skip();
            self.log.tally.links += 1;
            applied.new_link_count += 1;
            return Ok(());
        }
        self.known_link(scene, link)
    }

    fn insert_link(&mut self, scene: &Scene<'_>, link: &Link) -> Result<bool> {
        let mut insert = self.db.prepare_cached(INSERT_LINK)?;
        let added = insert.execute(params![
            self.log.next(),
            scene.network,
            link.from.id,
            &*link.from.kind,
            &*link.name,
            link.to.id,
            &*link.to.kind,
            link.is_member,
            scene.seen_at,
        ])?;
        Ok(added == 1)
    }

    fn known_link(&mut self, scene: &Scene<'_>, link: &Link) -> Result<()> {
        let mut find = self.db.prepare_cached(FIND_LINK)?;
        let Link { from, name, to, .. } = link;
        let key = params![scene.network, from.id, &*from.kind, &**name, to.id, &*to.kind];
        let read = |row: &Row| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let found: Option<(i64, i64, Option<i64>)> = find.query_row(key, read).optional()?;
        let Some((object, last_seen_at, cancelled_at)) = found else { return Ok(()) };
        if last_seen_at < scene.seen_at {
            let update = "UPDATE object_links SET last_seen_at = $2 WHERE id = $1";
            self.db.prepare_cached(update)?.execute([object, scene.seen_at])?;
        }
        // A page from before the cancellation that comes late does not revive it.
        if cancelled_at.is_some_and(|cancelled_at| cancelled_at <= scene.seen_at) {
            let update = "UPDATE object_links SET cancelled_at = NULL WHERE id = $1";
            self.db.prepare_cached(update)?.execute([object])?;
            self.log(scene, ChangeKind::Restored, Class::Link, object)?;
        }
        Ok(())
    }

    /// An object has one c-link of a name: what it led to before is no longer so.
    fn cancel_others(&mut self, scene: &Scene<'_>, link: &Link) -> Result<()> {
        let Link { from, name, to, .. } = link;
        let mut find = self.db.prepare_cached(FIND_OTHERS)?;
        let key = params![scene.network, from.id, &*from.kind, &**name, to.id, &*to.kind, scene.seen_at];
        let others: Vec<i64> = find.query_map(key, |row| row.get(0))?.collect::<Result<_>>()?;
        self.cancel_links(scene, &others)
    }

    /// Cancels what a collection that was read from first to last page no longer holds.
    fn cancel_unlisted(&mut self, scene: &Scene<'_>, sweep: &LinkSweep) -> Result<()> {
        let LinkSweep { from, name, began_at } = sweep;
        let mut find = self.db.prepare_cached(FIND_UNSEEN)?;
        let key = params![scene.network, from.id, &*from.kind, &**name, began_at.ms()];
        let unseen: Vec<i64> = find.query_map(key, |row| row.get(0))?.collect::<Result<_>>()?;
        self.cancel_links(scene, &unseen)
    }

    fn cancel_links(&mut self, scene: &Scene<'_>, links: &[i64]) -> Result<()> {
        let mut update = self.db.prepare_cached("UPDATE object_links SET cancelled_at = $2 WHERE id = $1")?;
        for object in links {
            update.execute([*object, scene.seen_at])?;
            self.log(scene, ChangeKind::Unlinked, Class::Link, *object)?;
        }
        Ok(())
    }
}

/// Whatever a page shows beside its posts is a step further away than its source.
fn depth(scene: &Scene<'_>) -> u16 {
    scene.depth.saturating_add(1)
}

fn is_withheld(scene: &Scene<'_>, end: &End) -> bool {
    match &*end.kind {
        "account" => scene.withheld.accounts.contains(&end.id),
        kind => scene.withheld.has_post_of(kind, &end.id) || scene.withheld.has_thing(kind, &end.id),
    }
}

fn found(row: &Row, scene: &Scene<'_>, thing: &Thing, seen: Option<&str>) -> Result<Found> {
    let properties = value::fresher(value::text(row, 2)?, seen);
    let is_nearer = row.get::<_, u16>(1)? > depth(scene);
    let is_renamed = differs(row, 3, thing.name.as_deref())?;
    let is_stale = properties.is_some()
        || is_nearer
        || is_renamed
        || differs(row, 4, thing.url.as_deref())?
        || (thing.created_at.is_some() && value::at(row, 5)? != thing.created_at);
    let is_edited = is_renamed && value::text(row, 3)?.is_some();
    Ok(Found { object: row.get(0)?, is_nearer, is_stale, is_edited, properties })
}
