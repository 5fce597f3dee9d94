//! Step 8 of 10: apply, links into other networks, and the stubs that they lead to.
//!
//! Invariants: a link is one row for ever; it ends when a look that would have shown it does not, and is back when it is seen after that;
//! a look that shows less ends nothing. None leads to who is forgotten. A stub is made where the target can be read and nothing is known
//! of it; it is no post and no account, so nobody counts, exports or misses it, and it has a line of the log of its own kind.

use std::sync::Arc;

use freshet_types::{Account, Address, ChangeKind, CrossLink, LinkKind, Post, Span};

use super::super::db::{OptionalExtension, Result, Row, params};
use super::super::log::Class;
use super::super::{read, value};
use super::unkept::Shown;
use super::{Batch, Scene};

/// How exactly it is kept when a link was last seen: a page that shows it every minute need not write every minute.
const SEEN_GRAIN: Span = Span::HOUR;

const FIND: &str = "SELECT id, name, target, place, kind, value, field, evidence, confidence, last_seen_at, cancelled_at \
     FROM cross_links WHERE object = $1";

const INSERT: &str = "INSERT INTO cross_links (id, object, place, name, kind, target, value, field, evidence, confidence, visit, \
     seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) ON CONFLICT DO NOTHING";

const REFRESH: &str = "UPDATE cross_links SET place = $2, kind = $3, value = $4, field = $5, evidence = $6, confidence = $7, \
     last_seen_at = GREATEST(last_seen_at, $8), cancelled_at = NULL WHERE id = $1";

/// A link as it is stored.
struct Stored {
    id: i64,
    place: usize,
    link: CrossLink,
    last_seen_at: i64,
    cancelled_at: Option<i64>,
}

/// An object with links into other networks in its row.
pub(super) trait Across {
    /// Its links, and the names of those that a look would have shown.
    fn across(&self) -> (&[CrossLink], &[Arc<str>]);
}

impl Across for Post {
    fn across(&self) -> (&[CrossLink], &[Arc<str>]) {
        (&self.slinks, &self.slinks_seen)
    }
}

impl Across for Account {
    fn across(&self) -> (&[CrossLink], &[Arc<str>]) {
        (&self.slinks, &self.slinks_seen)
    }
}

impl Batch<'_> {
    /// Writes the links of a post or an account into other networks; of one whose content is not kept, no more than where they lead to.
    pub(super) fn links_of(
        &mut self,
        scene: &Scene<'_>,
        object: (i64, bool),
        shown: Shown<'_, impl Across>,
    ) -> Result<()> {
        let (slinks, seen) = shown.bare.across();
        if shown.is_unkept() {
            self.stubs(scene, slinks)
        } else {
            self.cross_links(scene, object, slinks, seen)
        }
    }

    /// Writes the links of an object (by number, and whether it is new) into other networks: those that a look shows, and of the others
    /// those that it would have shown.
    pub(super) fn cross_links(
        &mut self,
        scene: &Scene<'_>,
        (object, is_new): (i64, bool),
        slinks: &[CrossLink],
        seen: &[Arc<str>],
    ) -> Result<()> {
        if slinks.is_empty() && (is_new || seen.is_empty()) {
            return Ok(());
        }
        let stored = if is_new { Vec::new() } else { self.stored_links(object)? };
        let is_same =
            |it: &Stored, link: &CrossLink| it.link.name == link.name && it.link.target == link.target;
        for (place, link) in slinks.iter().enumerate() {
            if self.forgotten.has_address(&link.target) {
                continue;
            }
            match stored.iter().find(|it| is_same(it, link)) {
                Some(known) => self.refresh_link(scene, known, place, link)?,
                None => self.insert_cross_link(scene, object, place, link)?,
            }
            self.stub(scene, link)?;
        }
        for it in stored.iter().filter(|it| it.cancelled_at.is_none() && it.last_seen_at < scene.seen_at) {
            if seen.contains(&it.link.name) && !slinks.iter().any(|link| is_same(it, link)) {
                let end = "UPDATE cross_links SET cancelled_at = $2 WHERE id = $1";
                self.db.prepare_cached(end)?.execute([it.id, scene.seen_at])?;
            }
        }
        Ok(())
    }

    /// Stubs of what links lead to that are not kept themselves.
    pub(super) fn stubs(&mut self, scene: &Scene<'_>, slinks: &[CrossLink]) -> Result<()> {
        for link in slinks {
            if !self.forgotten.has_address(&link.target) {
                self.stub(scene, link)?;
            }
        }
        Ok(())
    }

    fn stored_links(&self, object: i64) -> Result<Vec<Stored>> {
        let mut find = self.db.prepare_cached(FIND)?;
        let read = |row: &Row| {
            Ok(Stored {
                id: row.get(0)?,
                place: row.get::<_, i64>(3)? as usize,
                link: read::cross_link(row, [1, 4, 2, 5, 6, 7, 8])?,
                last_seen_at: row.get(9)?,
                cancelled_at: row.get(10)?,
            })
        };
        find.query_map([object], read)?.collect()
    }

    fn insert_cross_link(
        &mut self,
        scene: &Scene<'_>,
        object: i64,
        place: usize,
        link: &CrossLink,
    ) -> Result<()> {
        let added = self.db.prepare_cached(INSERT)?.execute(params![
            self.log.next(),
            object,
            place as i64,
            &*link.name,
            link.kind.name(),
            link.target.to_string(),
            value::primitive_text(link.value.as_ref()),
            link.evidence.place,
            link.evidence.text,
            link.confidence.share(),
            scene.visit,
            scene.seen_at,
        ])?;
        if added == 1 {
            // A link is no object: it takes a number and no line.
            self.log.skip();
        }
        Ok(())
    }

    /// A page from before the end of a link that comes late does not revive it.
    fn refresh_link(&self, scene: &Scene<'_>, known: &Stored, place: usize, link: &CrossLink) -> Result<()> {
        let is_late =
            known.cancelled_at.is_some_and(|at| at > scene.seen_at) || known.last_seen_at > scene.seen_at;
        let is_same = known.place == place
            && known.link == *link
            && known.cancelled_at.is_none()
            && scene.seen_at - known.last_seen_at < SEEN_GRAIN.ms();
        if is_late || is_same {
            return Ok(());
        }
        self.db.prepare_cached(REFRESH)?.execute(params![
            known.id,
            place as i64,
            link.kind.name(),
            value::primitive_text(link.value.as_ref()),
            link.evidence.place,
            link.evidence.text,
            link.confidence.share(),
            scene.seen_at,
        ])?;
        Ok(())
    }

    /// Makes a stub of what a link leads to, or brings it nearer.
    fn stub(&mut self, scene: &Scene<'_>, link: &CrossLink) -> Result<()> {
        let Address { network, kind, id } = &link.target;
        if link.kind == LinkKind::Sp || !scene.followed.contains(&link.target) {
            return Ok(());
        }
        self.write_new()?;
        let depth = scene.depth.saturating_add(1);
        let network = self.networks.intern(self.db, network)?;
        let find = "SELECT id, depth FROM stubs WHERE network = $1 AND native_id = $2 AND kind = $3";
        let known = self.db.prepare_cached(find)?.query_row(params![network, id, &**kind], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, u16>(1)?))
        });
        match known.optional()? {
            Some((_, stored)) if stored <= depth => Ok(()),
            Some((object, _)) => {
                let nearer = "UPDATE stubs SET depth = $2, source = $3 WHERE id = $1";
                self.db.prepare_cached(nearer)?.execute(params![object, depth, scene.source])?;
                self.log(scene, ChangeKind::Pointed, Class::Stub, object)
            }
            None if read::is_known(self.db, network, kind, id)? => Ok(()),
            None => {
                let object = self.log.next();
                let insert = "INSERT INTO stubs (id, network, kind, native_id, depth, seen_at, source) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7)";
                let row = params![object, network, &**kind, id, depth, scene.seen_at, scene.source];
                self.db.prepare_cached(insert)?.execute(row)?;
                self.log(scene, ChangeKind::Pointed, Class::Stub, object)
            }
        }
    }
}
