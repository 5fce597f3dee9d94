//! Step 8 of 10: apply, relations and tags of accounts.
//!
//! Invariant: a relation is one row for ever; it is cancelled only when its whole list was read
//! without it, and revived when it is seen after that. So is the tag of an account. Both ends of a relation become known
//! accounts, which is how the crawl spreads breadth-first.

use freshet_types::{ChangeKind, Relation, Tag};

use super::super::db::{OptionalExtension, Result, Row, params};
use super::super::log::Class;
use super::ahead::{KnownRelation, Look};
use super::{Batch, Scene};
use crate::row::{Applied, LinkSweep, RelationSweep};

const FIND: &str = "SELECT id, last_seen_at, cancelled_at FROM relations \
                    WHERE network = $1 AND source = $2 AND target = $3";

const INSERT_TAG: &str = "INSERT INTO account_tags (network, account, tag, seen_at, last_seen_at) \
                          VALUES ($1, $2, $3, $4, $4) ON CONFLICT DO NOTHING";

/// A page from before the cancellation that comes late does not revive it.
const SEE_TAG: &str = "UPDATE account_tags SET last_seen_at = GREATEST(last_seen_at, $4), \
                       cancelled_at = CASE WHEN cancelled_at <= $4 THEN NULL ELSE cancelled_at END \
                       WHERE network = $1 AND account = $2 AND tag = $3 AND (last_seen_at < $4 OR cancelled_at <= $4)";

impl<'a> Batch<'a> {
    pub(super) fn relation(
        &mut self,
        scene: &Scene<'_>,
        relation: &'a Relation,
        applied: &mut Applied,
    ) -> Result<()> {
        let Relation { source, target } = relation;
        if self.is_forgotten(scene, source) || self.is_forgotten(scene, target) {
            return Ok(());
        }
        self.ensure_account(scene, source, applied)?;
        self.ensure_account(scene, target, applied)?;
        let withheld = &scene.withheld.accounts;
        let is_withheld = withheld.contains(source) || withheld.contains(target);
        match self.stored_relation(scene, relation)? {
            Some(known) => self.known_relation(scene, known),
            None if is_withheld => Ok(()),
            None => {
                let row =
                    params![self.log.next(), scene.network, source, target, scene.seen_at, scene.seen_at];
                self.ahead.new_relations.add(self.db, row)?;
                // A relation is a link, not an object: it takes a number, and a line only when it ends.
                self.log.skip();
                self.log.tally.relations += 1;
                applied.new_relation_count += 1;
                Ok(())
            }
        }
    }

    fn stored_relation(
        &mut self,
        scene: &Scene<'_>,
        relation: &'a Relation,
    ) -> Result<Option<KnownRelation>> {
        match self.ahead.take_relation((&relation.source, &relation.target)) {
            Look::Stored(known) => return Ok(Some(known)),
            Look::Absent => return Ok(None),
            Look::Unknown => {}
        }
        self.write_new()?;
        let key = params![scene.network, relation.source, relation.target];
        let read = |row: &Row| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        self.db.prepare_cached(FIND)?.query_row(key, read).optional()
    }

    fn known_relation(&mut self, scene: &Scene<'_>, known: KnownRelation) -> Result<()> {
        let (object, last_seen_at, cancelled_at) = known;
        if last_seen_at < scene.seen_at {
            self.ahead.seen_relations.push(object);
        }
        // A page from before the cancellation that comes late does not revive it.
        if cancelled_at.is_some_and(|cancelled_at| cancelled_at <= scene.seen_at) {
            let update = "UPDATE relations SET cancelled_at = NULL WHERE id = $1";
            self.db.prepare_cached(update)?.execute([object])?;
            self.log(scene, ChangeKind::Restored, Class::Relation, object)?;
        }
        Ok(())
    }

    /// Cancels what a list that was read from first to last page no longer holds.
    pub(super) fn cancel_unseen(&mut self, scene: &Scene<'_>, sweep: &RelationSweep) -> Result<()> {
        let sql = if sweep.is_following {
            "SELECT id FROM relations WHERE network = $1 AND source = $2 AND last_seen_at < $3 \
             AND cancelled_at IS NULL"
        } else {
            "SELECT id FROM relations WHERE network = $1 AND target = $2 AND last_seen_at < $3 \
             AND cancelled_at IS NULL"
        };
        let mut find = self.db.prepare_cached(sql)?;
        let key = params![scene.network, sweep.account, sweep.began_at.ms()];
        let cancelled: Vec<i64> = find.query_map(key, |row| row.get(0))?.collect::<Result<_>>()?;
        let mut update = self.db.prepare_cached("UPDATE relations SET cancelled_at = $2 WHERE id = $1")?;
        for object in cancelled {
            update.execute([object, scene.seen_at])?;
            self.log(scene, ChangeKind::Unlinked, Class::Relation, object)?;
        }
        Ok(())
    }

    pub(super) fn tag(&mut self, scene: &Scene<'_>, tag: &Tag, applied: &mut Applied) -> Result<()> {
        if self.is_forgotten(scene, &tag.account) {
            return Ok(());
        }
        let mut find = self.db.prepare_cached("SELECT id FROM tags WHERE name = $1")?;
        let known: Option<i64> = find.query_row([&tag.name], |row| row.get(0)).optional()?;
        let id = if let Some(id) = known {
            id
        } else {
            let insert = "INSERT INTO tags (name) VALUES ($1) RETURNING id";
            self.db.prepare_cached(insert)?.query_row([&tag.name], |row| row.get(0))?
        };
        let key = params![scene.network, tag.account, id, scene.seen_at];
        if self.db.prepare_cached(INSERT_TAG)?.execute(key)? == 1 {
            applied.new_tag_count += 1;
        } else {
            self.db.prepare_cached(SEE_TAG)?.execute(key)?;
        }
        Ok(())
    }

    /// Cancels the tags of an account that its list, read from first to last page, no longer holds.
    pub(super) fn cancel_tags(&self, scene: &Scene<'_>, sweep: &LinkSweep) -> Result<()> {
        let cancel = "UPDATE account_tags SET cancelled_at = $4 \
                      WHERE network = $1 AND account = $2 AND last_seen_at < $3 AND cancelled_at IS NULL";
        let key = params![scene.network, sweep.from.id, sweep.began_at.ms(), scene.seen_at];
        self.db.prepare_cached(cancel)?.execute(key)?;
        Ok(())
    }
}
