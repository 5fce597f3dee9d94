//! Step 8 of 10: apply, lists. What contains what, and what each page of a thread showed.
//!
//! Invariants: a list is one object per network, type and id; what was seen to contain it once contains it for good. A
//! page is compared with what it showed before, under the same address: a post that is missing between two that are still
//! there was taken out ([`freshet_types::missing_between`]), wherever in its thread the page stands. When a page is the
//! last, pages behind it are no more. A list is called what the list above calls it, and that is kept up to date; its own
//! heading counts where no list above names it.

use freshet_types::list::{BOARD, PORTAL, THREAD, is_cut_of};
use freshet_types::{Lead, SHOWN_MAX, missing_between};

use super::super::db::{OptionalExtension, Result, params};
use super::super::value;
use super::{Batch, Scene};
use crate::row::{Applied, ListPage};

/// Most pages remembered of one thread.
const PAGES_MAX: i64 = 10_000;

impl Batch<'_> {
    /// How many posts a thread has.
    pub(super) fn count_listed(&self, list: i64) -> Result<i64> {
        let count = "SELECT count(*) FROM posts WHERE list = $1";
        self.db.prepare_cached(count)?.query_row([list], |row| row.get(0))
    }

    /// So many posts were added to a thread of this forum.
    pub(super) fn note_listed(&self, scene: &Scene<'_>, count: i64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let note = "INSERT INTO forum_sums VALUES ($1, 0, $2) \
                    ON CONFLICT (network) DO UPDATE SET posts_count = forum_sums.posts_count + $2";
        self.db.prepare_cached(note)?.execute(params![scene.network, count])?;
        Ok(())
    }

    /// The number of the list whose page is seen.
    pub(super) fn list(&mut self, scene: &Scene<'_>, page: &ListPage) -> Result<i64> {
        let (list, known) = self.ensure_list(scene, &page.kind, &page.id)?;
        let Some(title) = page.title.as_deref() else { return Ok(list) };
        // Many sites write their own name over every page: where a list above names it, that is believed.
        let is_named = known.is_some() && (page.cursor.is_some() || self.is_within(list, None)?);
        if !is_named {
            self.name_list(list, known.as_deref(), title)?;
        }
        Ok(list)
    }

    /// Writes a title down, unless it is the known one or the beginning of it.
    fn name_list(&self, list: i64, known: Option<&str>, title: &str) -> Result<()> {
        if known.is_some_and(|known| known == title || is_cut_of(title, known)) {
            return Ok(());
        }
        let name = "UPDATE lists SET title = $2 WHERE id = $1";
        self.db.prepare_cached(name)?.execute(params![list, title]).map(drop)
    }

    /// Whether a list is a member of another, of this type where one is given.
    fn is_within(&self, member: i64, kind: Option<&str>) -> Result<bool> {
        let find = "SELECT EXISTS (SELECT 1 FROM list_members i JOIN lists l ON l.id = i.list \
                    WHERE i.member = $1 AND ($2 IS NULL OR l.kind = $2))";
        self.db.prepare_cached(find)?.query_row(params![member, kind], |row| row.get(0))
    }

    /// A list that the page leads to is a member of the page's own.
    pub(super) fn member(&mut self, scene: &Scene<'_>, lead: &Lead) -> Result<()> {
        if !freshet_types::list::is_list(&lead.root_kind) {
            return Ok(());
        }
        let (member, known) = self.ensure_list(scene, &lead.root_kind, &lead.root_id)?;
        if let Some(active_at) = value::ms(lead.active_at) {
            let note =
                "UPDATE lists SET active_at = $2 WHERE id = $1 AND (active_at IS NULL OR active_at < $2)";
            self.db.prepare_cached(note)?.execute([member, active_at])?;
        }
        if let Some(title) = lead.title.as_deref()
            && known.as_deref() != Some(title)
            && !self.is_named_elsewhere(scene, lead, member, known.is_some())?
        {
            self.name_list(member, known.as_deref(), title)?;
        }
        let Some(list) = scene.list.filter(|list| *list != member) else { return Ok(()) };
        let link =
            "INSERT INTO list_members (list, member, seen_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.db.prepare_cached(link)?.execute([list, member, scene.seen_at])?;
        Ok(())
    }

    /// Whether a front page tells of a thread that a board names: it may show its newest post's subject instead.
    fn is_named_elsewhere(
        &self,
        scene: &Scene<'_>,
        lead: &Lead,
        member: i64,
        is_named: bool,
    ) -> Result<bool> {
        if !is_named || &*lead.root_kind != THREAD {
            return Ok(false);
        }
        let Some(list) = scene.list else { return Ok(false) };
        let is_portal = "SELECT EXISTS (SELECT 1 FROM lists WHERE id = $1 AND kind = $2)";
        let is_portal: bool =
            self.db.prepare_cached(is_portal)?.query_row(params![list, PORTAL], |row| row.get(0))?;
        Ok(is_portal && self.is_within(member, Some(BOARD))?)
    }

    /// The number and the title of a list, which becomes known where it was not.
    fn ensure_list(&mut self, scene: &Scene<'_>, kind: &str, id: &str) -> Result<(i64, Option<String>)> {
        let find = "SELECT id, title FROM lists WHERE network = $1 AND native_id = $2 AND kind = $3";
        let mut find = self.db.prepare_cached(find)?;
        let key = params![scene.network, id, kind];
        let known = find.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        if let Some(list) = known {
            return Ok(list);
        }
        let list = self.log.next();
        self.log.skip();
        let insert = "INSERT INTO lists (id, network, kind, native_id, seen_at) VALUES ($1, $2, $3, $4, $5)";
        self.db.prepare_cached(insert)?.execute(params![list, scene.network, kind, id, scene.seen_at])?;
        Ok((list, None))
    }

    /// Remembers a page of posts, and marks what was taken out of it.
    pub(super) fn list_page(
        &mut self,
        scene: &Scene<'_>,
        list: i64,
        page: &ListPage,
        applied: &mut Applied,
    ) -> Result<()> {
        let cursor = page.cursor.as_deref().unwrap_or_default();
        if page.is_gone {
            let drop = "DELETE FROM pages WHERE list = $1 AND cursor = $2";
            self.db.prepare_cached(drop)?.execute(params![list, cursor])?;
        }
        if page.shown.is_empty() {
            let put_off = "UPDATE pages SET due_at = $3 WHERE list = $1 AND cursor = $2";
            self.db.prepare_cached(put_off)?.execute(params![list, cursor, page.recheck_at.ms()])?;
            return Ok(());
        }
        let find = "SELECT shown FROM pages WHERE list = $1 AND cursor = $2";
        let mut find = self.db.prepare_cached(find)?;
        let before: Option<String> = find.query_row(params![list, cursor], |row| row.get(0)).optional()?;
        let before: Vec<String> =
            before.and_then(|before| serde_json::from_str(&before).ok()).unwrap_or_default();
        for id in missing_between(&before, &page.shown) {
            self.remove_from_list(scene, list, &id, applied)?;
        }
        self.write_page(scene, list, cursor, page)
    }

    /// A post that moved to another thread meanwhile is there, not gone.
    fn remove_from_list(
        &mut self,
        scene: &Scene<'_>,
        list: i64,
        id: &str,
        applied: &mut Applied,
    ) -> Result<()> {
        let find =
            "SELECT id FROM posts WHERE network = $1 AND native_id = $2 AND list = $3 AND deleted_at IS NULL";
        let mut find = self.db.prepare_cached(find)?;
        let object = find.query_row(params![scene.network, id, list], |row| row.get(0)).optional()?;
        object.map_or(Ok(()), |object| self.mark_deleted(scene, object, applied))
    }

    fn write_page(&self, scene: &Scene<'_>, list: i64, cursor: &str, page: &ListPage) -> Result<()> {
        // The place behind the page whose next link led here; a page that is known keeps its own.
        let write = "INSERT INTO pages (list, cursor, place, next, shown, seen_at, due_at) \
             SELECT $1, $2, CASE WHEN $2 = '' THEN 0 ELSE \
               COALESCE((SELECT place + 1 FROM pages WHERE list = $1 AND next = $2 ORDER BY place LIMIT 1), \
                        (SELECT max(place) + 1 FROM pages WHERE list = $1), 0) END, $3, $4, $5, $6 \
             WHERE (SELECT count(*) FROM pages WHERE list = $1) < $7 \
               OR EXISTS (SELECT 1 FROM pages WHERE list = $1 AND cursor = $2) \
             ON CONFLICT (list, cursor) DO UPDATE SET next = $3, shown = $4, seen_at = $5, due_at = $6";
        let shown = &page.shown[..page.shown.len().min(SHOWN_MAX)];
        let shown = serde_json::to_string(shown).expect("ids are plain text");
        let seen_at = scene.seen_at;
        self.db.prepare_cached(write)?.execute(params![
            list,
            cursor,
            page.next,
            shown,
            seen_at,
            page.recheck_at.ms(),
            PAGES_MAX
        ])?;
        if page.next.is_none() {
            let shorten = "DELETE FROM pages WHERE list = $1 AND place > \
                           (SELECT place FROM pages WHERE list = $1 AND cursor = $2)";
            self.db.prepare_cached(shorten)?.execute(params![list, cursor])?;
        }
        Ok(())
    }
}
