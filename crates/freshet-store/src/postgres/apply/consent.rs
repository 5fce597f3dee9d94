//! Step 8 of 10: apply, consent. Who asks not to be collected is left alone from this page on.
//!
//! Invariants: no post of the account is stored or refreshed, on whosever page it stands; all sources of the account rest, whichever page showed the flag, except those that a
//! person removed; what was collected before is treated as the network's `on_delete` treats
//! deleted posts. It does not decide whether the flag is honoured, nor when to look again: the
//! engine names the accounts, and asks them again before it reads their lists.

use freshet_types::{SourceId, Timestamp};

use super::super::db::{Result, Row, params};
use super::super::erase;
use super::{Batch, Scene};
use crate::row::{Applied, Upload};

const REST: &str = "UPDATE sources SET state = 'opted_out' WHERE network = $2 AND root_kind = 'account' \
     AND state NOT IN ('removed', 'paused', 'opted_out') AND id <> $3";

impl<'a> Batch<'a> {
    /// Remembers for the posts of this transaction what is known of their author's wish.
    pub(super) fn note_consent(&mut self, scene: &Scene<'_>, account: &'a str, opts_out: bool) {
        if opts_out {
            self.opted_out.insert((scene.network, account));
        } else if !self.opted_out.is_empty() {
            self.opted_out.remove(&(scene.network, account));
        }
    }

    /// Whether a post of this author is left alone.
    pub(super) fn is_opted_out(&self, scene: &Scene<'_>, author: &str) -> bool {
        !self.opted_out.is_empty() && self.opted_out.contains(&(scene.network, author))
    }

    /// Lets all sources of this account rest but the upload's own, which says so itself.
    pub(super) fn opt_out(
        &mut self,
        scene: &Scene<'_>,
        account: &str,
        upload: &Upload,
        applied: &mut Applied,
    ) -> Result<()> {
        let own = upload.source.as_ref().map_or(0, |source| source.id.0);
        let by_root = format!("{REST} AND root_id = $1 AND root_id <> '' RETURNING id");
        self.rest(&by_root, params![account, scene.network, own], applied)?;
        // Its other sources may still be known by the handle alone.
        let handle =
            upload.source.as_ref().filter(|it| it.root_id == account).and_then(|it| it.handle.as_ref());
        if let Some(handle) = handle {
            let by_handle = format!("{REST} AND handle = $1 AND root_id = '' RETURNING id");
            self.rest(&by_handle, params![handle, scene.network, own], applied)?;
        }
        erase::redact_author_if_asked(self.db, (scene.network, account), Timestamp::from_ms(scene.seen_at))
    }

    fn rest(&self, sql: &str, key: &[&dyn crate::postgres::db::ToSql], applied: &mut Applied) -> Result<()> {
        let number = |row: &Row| row.get(0).map(SourceId);
        let mut update = self.db.prepare_cached(sql)?;
        for source in update.query_map(key, number)? {
            applied.rested.push(source?);
        }
        Ok(())
    }
}
