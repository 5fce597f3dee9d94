//! Step 8 of 10: apply, posts. Insert first, compare only what is there already.
//!
//! Invariant: seeing less than before (a short form inside another post) never takes away what
//! is known; only an edit replaces text, and what was said before is kept beside it. Counts and other values change quietly, without a line
//! of the log.

use freshet_types::{ChangeKind, Post, Set, Span};

use super::super::db::{OptionalExtension, Result, Row, params};
use super::super::empty::empty_post;
use super::super::log::Class;
use super::super::value;
use super::ahead::{FOUND_POST, Look};
use super::{Batch, Scene, Shown, differs};
use crate::row::{Applied, KnownPost, Listing};

/// Fills and refreshes; what was not seen stays. A post that stood inside another so far belongs to
/// the first list that shows it.
const REFRESH: &str = "UPDATE posts SET depth = LEAST(depth, $2), is_embedded = LEAST(is_embedded, $3), \
     properties = COALESCE($4, properties), author = COALESCE($5, author), reply_to = COALESCE($6, reply_to), \
     root = COALESCE($7, root), repost_of = COALESCE($8, repost_of), quote_of = COALESCE($9, quote_of), \
     lang = COALESCE($10, lang), url = COALESCE($11, url), uri = COALESCE($12, uri), \
     created_at = COALESCE($13, created_at), list = COALESCE($15, list), \
     source = CASE WHEN is_embedded > $3 THEN COALESCE($14, source) ELSE source END WHERE id = $1";

/// What the author changed.
const REWRITE: &str = "UPDATE posts SET text = $2, version = $3, edited_at = COALESCE($4, edited_at), tags = $5, \
     deleted_at = NULL, is_unkept = $6 WHERE id = $1";

/// What it said until then; a redacted post said nothing, and what one says that is not kept nobody knows.
const KEEP_EARLIER: &str = "INSERT INTO earlier_texts (number, post, text, tags) \
     SELECT $2, id, text, tags FROM posts WHERE id = $1 AND version <> 0 AND is_unkept = 0 AND text <> $3";

/// Texts that are kept of one post, the latest: some are rewritten every minute.
const EARLIER_MAX: i64 = 100;
const DROP_EARLIER: &str = "DELETE FROM earlier_texts WHERE post = $1 AND number <= \
     (SELECT number FROM earlier_texts WHERE post = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)";

/// Most missing posts reported of one page; the next page of the source reports the rest.
const MISSING_MAX: usize = 1000;
/// A missing post that was asked about and is still there is not reported again for so long.
const CHECK_GAP: Span = Span::DAY;

/// What the look-up found of a post that is there already.
struct Found {
    object: i64,
    known: KnownPost,
    /// Its content is not kept.
    is_unkept: bool,
    deleted_at: Option<i64>,
    /// Anything but text differs from what was seen.
    is_stale: bool,
    /// It is fewer steps away than was known.
    is_nearer: bool,
    properties: Option<String>,
}

impl<'a> Batch<'a> {
    pub(super) fn post(
        &mut self,
        scene: &Scene<'_>,
        shown: Shown<'a, Post>,
        applied: &mut Applied,
    ) -> Result<()> {
        let post = shown.bare;
        if scene.hidden.contains(&(post.kind.space(), post.id.as_str())) {
            return Ok(());
        }
        if scene.withheld.has_post(&post.kind, &post.id) {
            return self.known_post(scene, shown, applied);
        }
        if let Some(author) = &post.author {
            self.ensure_account(scene, author, applied)?;
            if self.is_opted_out(scene, author) {
                return Ok(());
            }
        }
        let object = self.log.next();
        if is_expired(scene, post) || !self.add_post(scene, shown, object)? {
            return self.known_post(scene, shown, applied);
        }
        self.log(scene, ChangeKind::Created, Class::Post, object)?;
        self.log.tally.posts += 1;
        if !post.is_embedded {
            applied
                .new_posts
                .push(post.created_at.unwrap_or(freshet_types::Timestamp::from_ms(scene.seen_at)));
        }
        self.links_of(scene, (object, true), shown)?;
        self.note_payload(scene, object)?;
        if post.is_deleted { self.mark_deleted(scene, object, applied) } else { Ok(()) }
    }

    /// Lets a post that is new wait to be written; gives whether it is.
    fn add_post(&mut self, scene: &Scene<'_>, shown: Shown<'a, Post>, object: i64) -> Result<bool> {
        let (post, key) = (shown.bare, key(shown.bare));
        if self.ahead.is_stored_post(key)
            || !self.ahead.is_new_post(key) && self.look_for_post(scene, post)?.is_some()
        {
            return Ok(false);
        }
        self.ahead.take_post(key);
        let version = self.version_of(shown, object)?;
        let row = params![
            object,
            scene.network,
            &*post.kind,
            post.id,
            post.author,
            value::ms(post.created_at),
            value::ms(post.edited_at),
            scene.seen_at,
            None::<i64>,
            version,
            depth(scene, post),
            post.is_embedded,
            scene.oldest.is_some(),
            scene.source,
            post.reply_to,
            post.root,
            post.repost_of,
            post.quote_of,
            post.lang,
            post.url,
            post.uri,
            value::tags(&post.tags, &mut self.tags),
            post.text,
            value::properties(&post.plinks, &mut self.properties),
            list_of(scene, post),
            post.kind.space(),
            post.kind.reply_to(),
            post.kind.root(),
            shown.keeping(),
        ];
        self.ahead.new_posts.add(self.db, row)?;
        self.pass_post(object, version, shown);
        Ok(true)
    }

    /// The row of a post, asked for by itself.
    fn look_for_post(&mut self, scene: &Scene<'_>, post: &Post) -> Result<Option<Row>> {
        self.write_new()?;
        let find = format!("{FOUND_POST} FROM posts WHERE network = $1 AND native_id = $2 AND space = $3");
        self.db
            .prepare_cached(&find)?
            .query_first(params![scene.network, post.id, post.kind.space()])
            .optional()
    }

    /// Compares with what is stored; a post that is not stored was not to be.
    fn known_post(&mut self, scene: &Scene<'_>, shown: Shown<'a, Post>, applied: &mut Applied) -> Result<()> {
        let Some(found) = self.find_post(scene, shown)? else { return Ok(()) };
        let post = shown.bare;
        self.note_payload(scene, found.object)?;
        match (self.compare)(shown.said(), &found.known) {
            // The page is older than the network's word that the post is gone.
            Some(ChangeKind::Restored) if found.deleted_at > Some(scene.seen_at) => return Ok(()),
            Some(ChangeKind::Deleted) => return self.mark_deleted(scene, found.object, applied),
            Some(kind @ (ChangeKind::Edited | ChangeKind::Restored)) => {
                self.rewrite_post(shown, &found)?;
                applied.edited_count += u32::from(kind == ChangeKind::Edited);
                self.log.tally.deleted -= i64::from(found.known.is_deleted);
                self.log(scene, kind, Class::Post, found.object)?;
            }
            // What is marked as deleted is not filled again by a tombstone.
            _ if found.known.is_deleted => return Ok(()),
            // It says what it said, and is kept from now on: it is heard of as a post that is back.
            _ if found.is_unkept && !shown.is_unkept() => {
                self.rewrite_post(shown, &found)?;
                self.log(scene, ChangeKind::Restored, Class::Post, found.object)?;
            }
            _ => {}
        }
        if found.is_stale {
            self.refresh_post(scene, post, &found)?;
        }
        if found.is_nearer {
            self.log(scene, ChangeKind::Approached, Class::Post, found.object)?;
        }
        self.links_of(scene, (found.object, false), shown)
    }

    fn find_post(&mut self, scene: &Scene<'_>, shown: Shown<'a, Post>) -> Result<Option<Found>> {
        let post = shown.bare;
        let row = match self.ahead.take_post(key(post)) {
            Look::Stored(row) => row,
            Look::Absent => return Ok(None),
            Look::Unknown => match self.look_for_post(scene, post)? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        let seen = value::properties(&post.plinks, &mut self.properties);
        let (mut found, version) = (found(&row, scene, post, seen)?, row.get(1)?);
        found.known.version = self.known_version((version, found.is_unkept), found.object, shown.said())?;
        Ok(Some(found))
    }

    fn rewrite_post(&mut self, shown: Shown<'_, Post>, found: &Found) -> Result<()> {
        let (post, object, number) = (shown.bare, found.object, self.log.next());
        let version = self.version_of(shown, object)?;
        if shown.is_unkept() {
            // What it said while it was kept is no longer what it says.
            if !found.is_unkept {
                empty_post(self.db, object)?;
            }
            self.pass_post(object, version, shown);
        } else if self.db.prepare_cached(KEEP_EARLIER)?.execute(params![object, number, post.text])? > 0 {
            self.db.prepare_cached(DROP_EARLIER)?.execute([object, EARLIER_MAX])?;
        }
        self.db.prepare_cached(REWRITE)?.execute(params![
            object,
            post.text,
            version,
            value::ms(post.edited_at),
            value::tags(&post.tags, &mut self.tags),
            shown.keeping(),
        ])?;
        Ok(())
    }

    fn refresh_post(&mut self, scene: &Scene<'_>, post: &Post, found: &Found) -> Result<()> {
        let mut refresh = self.db.prepare_cached(REFRESH)?;
        refresh.execute(params![
            found.object,
            depth(scene, post),
            post.is_embedded,
            found.properties,
            post.author,
            post.reply_to,
            post.root,
            post.repost_of,
            post.quote_of,
            post.lang,
            post.url,
            post.uri,
            value::ms(post.created_at),
            scene.source,
            list_of(scene, post),
        ])?;
        Ok(())
    }

    /// A post was asked about by itself. Another type's post of the same id is spared for a day too, which does no harm.
    pub(super) fn note_checked(&self, scene: &Scene<'_>, id: &str) -> Result<()> {
        let note = "UPDATE posts SET checked_at = $3 WHERE network = $1 AND native_id = $2";
        self.db.prepare_cached(note)?.execute(params![scene.network, id, scene.seen_at])?;
        Ok(())
    }

    /// Stored posts of the listed stretch that the page lacks: missing, which is not deleted. Only
    /// those that this source's own list brought: an author may have several lists. Only of the type that can be asked about one by
    /// one: an id of another type would be taken for somebody else's.
    pub(super) fn missing(
        &self,
        scene: &Scene<'_>,
        listing: &Listing,
        posts: &[Post],
    ) -> Result<Vec<String>> {
        let sql = "SELECT native_id FROM posts WHERE network = $1 AND author = $2 \
                   AND created_at BETWEEN $3 AND $4 AND deleted_at IS NULL AND source IS NOT DISTINCT FROM $5 AND is_embedded = 0 \
                   AND (kind = 'post' OR space <> kind) \
                   AND (checked_at IS NULL OR checked_at <= $6) ORDER BY checked_at NULLS FIRST, created_at DESC NULLS LAST, id DESC";
        let shown: Set<&str> = posts.iter().map(|post| post.id.as_str()).collect();
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query(params![
            scene.network,
            listing.author,
            listing.from.ms(),
            listing.to.ms(),
            scene.source,
            scene.seen_at - CHECK_GAP.ms(),
        ])?;
        let mut missing = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get_ref(0)?.as_str()?;
            if !shown.contains(id) {
                missing.push(id.to_owned());
            }
            if missing.len() == MISSING_MAX {
                break;
            }
        }
        Ok(missing)
    }
}

/// By what a post is known within its network.
fn key(post: &Post) -> (&str, &str) {
    (post.kind.space(), &post.id)
}

/// The list whose member a post is.
fn list_of(scene: &Scene<'_>, post: &Post) -> Option<i64> {
    scene.list.filter(|_| !post.is_embedded)
}

fn depth(scene: &Scene<'_>, post: &Post) -> u16 {
    scene.depth.saturating_add(u16::from(post.is_embedded))
}

/// A post that the retention of its source would drop at once is not stored at all.
fn is_expired(scene: &Scene<'_>, post: &Post) -> bool {
    scene.oldest.is_some_and(|oldest| post.created_at.is_some_and(|created_at| created_at < oldest))
}

fn found(row: &Row, scene: &Scene<'_>, post: &Post, seen: Option<&str>) -> Result<Found> {
    let properties = value::fresher(value::text(row, 5)?, seen);
    let links = [&post.author, &post.reply_to, &post.root, &post.repost_of, &post.quote_of];
    let others = [&post.lang, &post.url, &post.uri];
    let is_nearer = row.get::<_, u16>(3)? > depth(scene, post);
    let mut is_stale = properties.is_some()
        || is_nearer
        || (row.get(4)? && !post.is_embedded)
        || (post.created_at.is_some() && value::at(row, 14)? != post.created_at);
    let list: Option<i64> = row.get(15)?;
    is_stale |= list_of(scene, post).is_some_and(|seen| list != Some(seen));
    for (column, seen) in (6..).zip(links.into_iter().chain(others)) {
        is_stale |= differs(row, column, seen.as_deref())?;
    }
    let deleted_at: Option<i64> = row.get(2)?;
    // What the version means depends on whether it is a fingerprint.
    let known = KnownPost { version: 0, is_deleted: deleted_at.is_some() };
    Ok(Found {
        object: row.get(0)?,
        known,
        deleted_at,
        is_unkept: row.get(16)?,
        is_stale,
        is_nearer,
        properties,
    })
}
