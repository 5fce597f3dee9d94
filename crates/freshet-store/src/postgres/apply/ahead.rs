//! Step 8 of 10: apply, looking ahead. Everything that an upload names is looked up by one question, and what is new of it is written by one
//! statement: a page of forty posts costs a few journeys to the server, not a hundred.
//!
//! Invariants: what waits to be written is written before anything asks for it in another way ([`Batch::write_new`]); what was found is
//! used once, for it may have changed since. It decides nothing: without it, all would come out the same, more slowly.

use freshet_types::Map;

use super::super::db::{Gathered, Many, Result, Row, params};
use super::{Batch, Scene};
use crate::row::Upload;

/// How a new post is written, up to its values.
pub(super) const NEW_POST: &str = "INSERT INTO posts (id, network, kind, native_id, author, created_at, edited_at, seen_at, deleted_at, \
     version, depth, is_embedded, is_retained, source, reply_to, root, repost_of, quote_of, lang, url, uri, tags, \
     text, properties, list, space, reply_kind, root_kind, is_unkept)";

/// What a look at a stored post reads, and how many columns that are.
pub(super) const FOUND_POST: &str = "SELECT id, version, deleted_at, depth, is_embedded, properties, author, reply_to, root, repost_of, \
     quote_of, lang, url, uri, created_at, list, is_unkept";
pub(super) const FOUND_POST_COUNT: usize = 17;

/// How a new account is written, up to its values.
pub(super) const NEW_ACCOUNT: &str = "INSERT INTO accounts (id, network, native_id, depth, seen_at, created_at, state, opts_out, \
     followers_count, following_count, posts_count, handle, name, bio, url, uri, location, properties, source, name_print, bio_print)";

/// What a look at a stored account reads, and how many columns that are.
pub(super) const FOUND_ACCOUNT: &str = "SELECT id, depth, state, opts_out, invalid, properties, handle, name, bio, url, uri, location, created_at, \
     followers_count, following_count, posts_count, name_print, bio_print";
pub(super) const FOUND_ACCOUNT_COUNT: usize = 18;

/// How a new relation is written, up to its values.
const NEW_RELATION: &str = "INSERT INTO relations (id, network, source, target, seen_at, last_seen_at)";

/// Fewer than this are asked for one by one.
const MANY: usize = 2;

/// What is known of one object of an upload.
#[derive(Debug)]
pub(super) enum Look<R = Row> {
    /// It is stored so.
    Stored(R),
    /// It is not stored.
    Absent,
    /// Nobody looked, or it may have changed since.
    Unknown,
}

/// What is stored of a relation: its number, when it was last seen, when it ended.
pub(super) type KnownRelation = (i64, i64, Option<i64>);

/// What was found of the objects of one upload, and the rows that wait.
#[derive(Debug)]
pub(super) struct Ahead<'a> {
    posts: Map<(&'a str, &'a str), Look>,
    accounts: Map<&'a str, Look>,
    /// By source and target; `None` is not stored, and of what is not here nothing is known.
    relations: Map<(&'a str, &'a str), Option<KnownRelation>>,
    /// Relations that are there still, by number.
    pub(super) seen_relations: Vec<i64>,
    pub(super) new_relations: Gathered,
    pub(super) new_posts: Gathered,
    pub(super) new_accounts: Gathered,
}

impl<'a> Ahead<'a> {
    pub(super) fn new() -> Self {
        Self {
            posts: Map::default(),
            accounts: Map::default(),
            relations: Map::default(),
            seen_relations: Vec::new(),
            new_relations: Gathered::new(NEW_RELATION),
            new_posts: Gathered::new(NEW_POST),
            new_accounts: Gathered::new(NEW_ACCOUNT),
        }
    }

    /// What was found of a post, by the space of its ids and its id; it is not known again.
    pub(super) fn take_post(&mut self, key: (&'a str, &'a str)) -> Look {
        self.posts.get_mut(&key).map_or(Look::Unknown, |look| std::mem::replace(look, Look::Unknown))
    }

    pub(super) fn is_new_post(&self, key: (&'a str, &'a str)) -> bool {
        matches!(self.posts.get(&key), Some(Look::Absent))
    }

    pub(super) fn is_stored_post(&self, key: (&'a str, &'a str)) -> bool {
        matches!(self.posts.get(&key), Some(Look::Stored(_)))
    }

    /// What was found of a relation; it is not known again.
    pub(super) fn take_relation(&mut self, ends: (&'a str, &'a str)) -> Look<KnownRelation> {
        match self.relations.remove(&ends) {
            Some(Some(known)) => Look::Stored(known),
            Some(None) => Look::Absent,
            None => Look::Unknown,
        }
    }

    pub(super) fn account(&self, id: &str) -> Option<&Look> {
        self.accounts.get(id)
    }

    /// What was found of an account; it is not known again.
    pub(super) fn take_account(&mut self, id: &str) -> Look {
        self.accounts.get_mut(id).map_or(Look::Unknown, |look| std::mem::replace(look, Look::Unknown))
    }
}

impl<'a> Batch<'a> {
    /// Looks up what this upload names.
    pub(super) fn look_ahead(&mut self, scene: &Scene<'_>, upload: &'a Upload) -> Result<()> {
        let seen = &upload.observation;
        // A zero character is stored as something else, and would not be found by itself.
        let is_plain = |id: &&str| !id.contains('\0');
        let posts =
            seen.posts.iter().filter(|post| is_plain(&post.id.as_str()) && is_plain(&post.kind.space()));
        self.ahead.posts = posts.map(|post| ((post.kind.space(), post.id.as_str()), Look::Absent)).collect();
        let authors = seen.posts.iter().filter_map(|post| post.author.as_deref());
        let ends = seen.relations.iter().flat_map(|it| [it.source.as_str(), it.target.as_str()]);
        let named = authors.chain(ends).filter(|id| !self.settled.contains_key(&(scene.network, *id)));
        let shown = seen.accounts.iter().map(|account| account.id.as_str());
        self.ahead.accounts = named.chain(shown).filter(is_plain).map(|id| (id, Look::Absent)).collect();
        let relations = seen.relations.iter().map(|it| (it.source.as_str(), it.target.as_str()));
        let relations = relations.filter(|(source, target)| is_plain(source) && is_plain(target));
        self.ahead.relations = relations.map(|ends| (ends, None)).collect();
        self.look_for_posts(scene)?;
        self.look_for_accounts(scene)?;
        self.look_for_relations(scene)
    }

    fn look_for_relations(&mut self, scene: &Scene<'_>) -> Result<()> {
        let relations = &mut self.ahead.relations;
        if relations.len() < MANY {
            relations.clear();
            return Ok(());
        }
        let (sources, targets) =
            relations.keys().map(|(source, target)| (Some(*source), Some(*target))).unzip();
        let find = "SELECT source, target, id, last_seen_at, cancelled_at FROM relations WHERE network = $1 \
                    AND (source, target) IN (SELECT * FROM unnest($2, $3))";
        let key = params![scene.network, Many::<Option<&str>>(sources), Many::<Option<&str>>(targets)];
        let read = |row: &Row| Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?, row.get(4)?)));
        let found = self.db.prepare_cached(find)?.query_map(key, read)?;
        let mut found: Map<(String, String), KnownRelation> = found.collect::<Result<_>>()?;
        for ((source, target), known) in relations.iter_mut() {
            *known = found.remove(&((*source).to_owned(), (*target).to_owned()));
        }
        Ok(())
    }

    fn look_for_posts(&mut self, scene: &Scene<'_>) -> Result<()> {
        let posts = &mut self.ahead.posts;
        if posts.len() < MANY {
            posts.clear();
            return Ok(());
        }
        let (ids, spaces) = posts.keys().map(|(space, id)| (Some(*id), Some(*space))).unzip();
        let find = format!(
            "{FOUND_POST}, native_id, space FROM posts WHERE network = $1 \
             AND (native_id, space) IN (SELECT * FROM unnest($2, $3))"
        );
        let key = params![scene.network, Many::<Option<&str>>(ids), Many::<Option<&str>>(spaces)];
        let mut found: Map<(String, String), Row> = Map::default();
        for row in self.db.prepare_cached(&find)?.query_owned(key)? {
            found.insert((row.get(FOUND_POST_COUNT + 1)?, row.get(FOUND_POST_COUNT)?), row);
        }
        for ((space, id), look) in posts.iter_mut() {
            if let Some(row) = found.remove(&((*space).to_owned(), (*id).to_owned())) {
                *look = Look::Stored(row);
            }
        }
        Ok(())
    }

    fn look_for_accounts(&mut self, scene: &Scene<'_>) -> Result<()> {
        let accounts = &mut self.ahead.accounts;
        if accounts.len() < MANY {
            accounts.clear();
            return Ok(());
        }
        let ids = accounts.keys().map(|id| Some(*id)).collect();
        let find =
            format!("{FOUND_ACCOUNT}, native_id FROM accounts WHERE network = $1 AND native_id = ANY($2)");
        let key = params![scene.network, Many::<Option<&str>>(ids)];
        for row in self.db.prepare_cached(&find)?.query_owned(key)? {
            let id: String = row.get(FOUND_ACCOUNT_COUNT)?;
            if let Some(look) = accounts.get_mut(id.as_str()) {
                *look = Look::Stored(row);
            }
        }
        Ok(())
    }

    /// Writes what waits: accounts, posts.
    pub(super) fn write_new(&mut self) -> Result<()> {
        self.ahead.new_accounts.write(self.db)?;
        self.ahead.new_relations.write(self.db)?;
        self.ahead.new_posts.write(self.db)
    }

    /// What was found is not known any more: another upload has another network, or other objects.
    pub(super) fn end_look(&mut self, scene: &Scene<'_>) -> Result<()> {
        self.write_new()?;
        let seen = std::mem::take(&mut self.ahead.seen_relations);
        if !seen.is_empty() {
            let update = "UPDATE relations SET last_seen_at = $2 WHERE id = ANY($1)";
            let seen: Vec<Option<i64>> = seen.into_iter().map(Some).collect();
            self.db.prepare_cached(update)?.execute(params![Many(seen), scene.seen_at])?;
        }
        self.ahead.relations.clear();
        self.ahead.posts.clear();
        self.ahead.accounts.clear();
        Ok(())
    }
}
