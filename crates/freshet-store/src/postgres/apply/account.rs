//! Step 8 of 10: apply, accounts. Insert or merge; who is only named gets a bare row.
//!
//! Invariants: a partial account never erases what is known; an account that is suspended,
//! private, moved or gone stands in `invalid_users` until it is seen active again. A bare
//! mention (an id and nothing else) says nothing about its state.

use freshet_types::{Account, AccountState, ChangeKind, Timestamp};

use super::super::db::{Connection, OptionalExtension, Result, Row, params};
use super::super::empty::empty_account;
use super::super::log::Class;
use super::super::unkept::{Prints, ProfilePrints};
use super::super::value;
use super::ahead::{FOUND_ACCOUNT, Look};
use super::{Batch, Scene, Shown, differs};
use crate::row::Applied;

/// Fills and refreshes; what was not seen stays.
const REFRESH: &str = "UPDATE accounts SET depth = LEAST(depth, $2), state = $3, opts_out = $4, \
     properties = COALESCE($5, properties), handle = COALESCE($6, handle), name = COALESCE($7, name), \
     bio = COALESCE($8, bio), url = COALESCE($9, url), uri = COALESCE($10, uri), \
     location = COALESCE($11, location), created_at = COALESCE($12, created_at), \
     followers_count = COALESCE($13, followers_count), following_count = COALESCE($14, following_count), \
     posts_count = COALESCE($15, posts_count), source = CASE WHEN $2 < depth THEN $16 ELSE source END \
     WHERE id = $1";

/// What the look-up found of an account that is there already.
struct Found {
    object: i64,
    depth: u16,
    is_stale: bool,
    /// The person changed handle, name or self-description.
    is_edited: bool,
    /// Fingerprints of name and self-description, where these are not kept.
    prints: ProfilePrints,
    state: AccountState,
    opts_out: bool,
    properties: Option<String>,
}

impl<'a> Batch<'a> {
    pub(super) fn account(
        &mut self,
        scene: &Scene<'_>,
        shown: Shown<'a, Account>,
        applied: &mut Applied,
    ) -> Result<()> {
        let account = shown.bare;
        if self.is_forgotten(scene, &account.id) {
            return Ok(());
        }
        if scene.withheld.accounts.contains(&account.id) {
            // A bare row is no profile: it stays bare.
            return if self.has_profile(scene, &account.id)? {
                self.known_account(scene, shown)
            } else {
                Ok(())
            };
        }
        if self.is_settled(scene, &account.id, Some(shown.said())) {
            return Ok(());
        }
        let object = self.log.next();
        let prints = shown.whole.map(|whole| self.prints.of_profile(self.db, object, whole)).transpose()?;
        let prints = prints.unwrap_or_default();
        if self.is_stored_account(scene, &account.id)? {
            return self.known_account(scene, shown);
        }
        self.add_account(scene, account, (object, prints))?;
        if let Some(whole) = shown.whole {
            self.pass_account(object, prints, whole);
        }
        self.note_consent(scene, &account.id, account.opts_out);
        self.note_new_account(scene, object, applied)?;
        self.links_of(scene, (object, true), shown)?;
        match account.state {
            AccountState::Active => Ok(()),
            state => self.set_invalid(scene, object, state.name()),
        }
    }

    /// Whether this form of the account was the last one merged; a page names its author beside
    /// every post, and once is enough. Remembers it if not.
    fn is_settled(&mut self, scene: &Scene<'_>, id: &'a str, form: Option<&'a Account>) -> bool {
        // Each payload notes all objects it shows.
        if scene.payload.is_some() {
            return false;
        }
        let depth = scene.depth_of(id);
        let (last, least) = self.settled.entry((scene.network, id)).or_insert((None, u16::MAX));
        let is_settled = *least <= depth && (form.is_none() || *last == form);
        *least = depth.min(*least);
        *last = form.or(*last);
        is_settled
    }

    /// Makes sure that an account that was only named has a row, so that robots can find it.
    pub(super) fn ensure_account(
        &mut self,
        scene: &Scene<'_>,
        id: &'a str,
        applied: &mut Applied,
    ) -> Result<()> {
        // A source whose handle is not resolved yet has no id, and nobody is called nothing.
        let is_withheld = scene.withheld.accounts.contains(id);
        if id.is_empty() || is_withheld || self.is_settled(scene, id, None) || self.is_forgotten(scene, id) {
            return Ok(());
        }
        let depth = scene.depth_of(id);
        if !self.is_stored_account(scene, id)? {
            let object = self.log.next();
            self.add_bare(scene, id, object)?;
            return self.note_new_account(scene, object, applied);
        }
        let row = self.account_row(scene, id)?;
        let (object, stored, opts_out): (i64, u16, bool) = (row.get(0)?, row.get(1)?, row.get(3)?);
        self.note_consent(scene, id, opts_out);
        if depth < stored {
            let update = "UPDATE accounts SET depth = $2, source = $3 WHERE id = $1";
            self.db.prepare_cached(update)?.execute(params![object, depth, scene.source])?;
            self.log(scene, ChangeKind::Approached, Class::Account, object)?;
        }
        self.note_payload(scene, object)
    }

    fn has_profile(&mut self, scene: &Scene<'_>, id: &str) -> Result<bool> {
        self.write_new()?;
        let find = "SELECT handle IS NOT NULL OR name IS NOT NULL OR followers_count IS NOT NULL \
                    FROM accounts WHERE network = $1 AND native_id = $2";
        let mut find = self.db.prepare_cached(find)?;
        let found = find.query_row(params![scene.network, id], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or(false))
    }

    /// Puts an account on the list of invalid ones; one that was never seen gets a bare row.
    pub(super) fn invalidate(&mut self, scene: &Scene<'_>, id: &'a str, reason: &str) -> Result<()> {
        if id.is_empty() || self.is_forgotten(scene, id) {
            return Ok(());
        }
        self.settled.remove(&(scene.network, id));
        self.write_new()?;
        self.ahead.take_account(id);
        let find = "SELECT id, invalid FROM accounts WHERE network = $1 AND native_id = $2";
        let mut find = self.db.prepare_cached(find)?;
        let known = find.query_row(params![scene.network, id], |row| {
            Ok((row.get(0)?, value::text(row, 1)? == Some(reason)))
        });
        match known.optional()? {
            Some((_, true)) => Ok(()),
            Some((object, false)) => self.set_invalid(scene, object, reason),
            None => {
                let object = self.log.next();
                self.add_bare(scene, id, object)?;
                self.log.tally.accounts += 1;
                self.set_invalid(scene, object, reason)
            }
        }
    }

    fn set_invalid(&mut self, scene: &Scene<'_>, object: i64, reason: &str) -> Result<()> {
        self.write_new()?;
        let state = value::state_of(reason).map(AccountState::name);
        let update =
            "UPDATE accounts SET invalid = $2, invalid_at = $3, state = COALESCE($4, state) WHERE id = $1";
        self.db.prepare_cached(update)?.execute(params![object, reason, scene.seen_at, state])?;
        self.log(scene, ChangeKind::Invalidated, Class::Account, object)
    }

    /// A row for somebody who was only named.
    fn add_bare(&mut self, scene: &Scene<'_>, id: &str, object: i64) -> Result<()> {
        let bare = Account { id: id.to_owned(), ..Account::default() };
        self.add_account(scene, &bare, (object, (None, None)))
    }

    /// Lets an account that is new wait to be written.
    fn add_account(
        &mut self,
        scene: &Scene<'_>,
        account: &Account,
        (object, prints): (i64, ProfilePrints),
    ) -> Result<()> {
        self.ahead.take_account(&account.id);
        let row = params![
            object,
            scene.network,
            account.id,
            scene.depth_of(&account.id),
            scene.seen_at,
            value::ms(account.created_at),
            account.state.name(),
            account.opts_out,
            account.followers_count,
            account.following_count,
            account.posts_count,
            account.handle,
            account.name,
            account.bio,
            account.url,
            account.uri,
            account.location,
            value::properties(&account.plinks, &mut self.properties),
            scene.source,
            prints.0,
            prints.1,
        ];
        self.ahead.new_accounts.add(self.db, row)
    }

    /// Whether an account is stored, or waits to be.
    fn is_stored_account(&mut self, scene: &Scene<'_>, id: &str) -> Result<bool> {
        match self.ahead.account(id) {
            Some(Look::Stored(_)) => return Ok(true),
            Some(Look::Absent) => return Ok(false),
            Some(Look::Unknown) | None => {}
        }
        self.write_new()?;
        let find = "SELECT EXISTS (SELECT 1 FROM accounts WHERE network = $1 AND native_id = $2)";
        self.db.prepare_cached(find)?.query_row(params![scene.network, id], |row| row.get(0))
    }

    /// The row of an account that is stored.
    fn account_row(&mut self, scene: &Scene<'_>, id: &str) -> Result<Row> {
        if let Look::Stored(row) = self.ahead.take_account(id) {
            return Ok(row);
        }
        self.write_new()?;
        let find = format!("{FOUND_ACCOUNT} FROM accounts WHERE network = $1 AND native_id = $2");
        self.db.prepare_cached(&find)?.query_first(params![scene.network, id])
    }

    fn note_new_account(&mut self, scene: &Scene<'_>, object: i64, applied: &mut Applied) -> Result<()> {
        self.log.tally.accounts += 1;
        applied.new_account_count += 1;
        self.note_payload(scene, object)?;
        self.log(scene, ChangeKind::Created, Class::Account, object)
    }

    fn known_account(&mut self, scene: &Scene<'_>, shown: Shown<'a, Account>) -> Result<()> {
        let account = shown.bare;
        let row = self.account_row(scene, &account.id)?;
        let seen = value::properties(&account.plinks, &mut self.properties);
        let mut found = found(&row, scene, account, seen)?;
        let invalid: Option<String> = row.get(4)?;
        let is_said_anew = is_said_anew(&row, (self.db, self.prints), shown)?;
        let object = found.object;
        self.note_said(shown, is_said_anew, &mut found)?;
        self.note_consent(scene, &account.id, found.opts_out);
        self.note_payload(scene, object)?;
        if found.is_stale {
            self.refresh_account(scene, account, &found)?;
        }
        self.links_of(scene, (object, false), shown)?;
        if scene.depth_of(&account.id) < found.depth {
            self.log(scene, ChangeKind::Approached, Class::Account, object)?;
        }
        if found.is_edited {
            if let Some(whole) = shown.whole {
                self.pass_account(object, found.prints, whole);
            }
            self.log(scene, ChangeKind::Edited, Class::Account, object)?;
        }
        match (account.state, invalid) {
            (AccountState::Active, Some(_)) if !is_bare(account) => {
                let update = "UPDATE accounts SET invalid = NULL, invalid_at = NULL WHERE id = $1";
                self.db.prepare_cached(update)?.execute([object])?;
                self.log(scene, ChangeKind::Restored, Class::Account, object)
            }
            (AccountState::Active, _) => Ok(()),
            (state, Some(reason)) if reason == state.name() => Ok(()),
            (state, _) => self.set_invalid(scene, object, state.name()),
        }
    }

    /// Notes by which fingerprints a profile is known that is not kept, or that it is kept now. What was not known before is told
    /// of, were it no edit: nobody can read it later.
    fn note_said(&self, shown: Shown<'_, Account>, is_said_anew: bool, found: &mut Found) -> Result<()> {
        if let Some(whole) = shown.whole.filter(|_| is_said_anew) {
            let now = self.prints.of_profile(self.db, found.object, whole)?;
            empty_account(self.db, found.object, now.0, now.1)?;
            found.prints = (now.0.or(found.prints.0), now.1.or(found.prints.1));
            found.is_edited = true;
        } else if !shown.is_unkept() && found.prints != (None, None) && !is_bare(shown.bare) {
            let keep = "UPDATE accounts SET name_print = NULL, bio_print = NULL WHERE id = $1";
            self.db.prepare_cached(keep)?.execute([found.object])?;
        }
        Ok(())
    }

    fn refresh_account(&mut self, scene: &Scene<'_>, account: &Account, found: &Found) -> Result<()> {
        self.db.prepare_cached(REFRESH)?.execute(params![
            found.object,
            scene.depth_of(&account.id),
            found.state.name(),
            found.opts_out,
            found.properties,
            account.handle,
            account.name,
            account.bio,
            account.url,
            account.uri,
            account.location,
            value::ms(account.created_at),
            account.followers_count,
            account.following_count,
            account.posts_count,
            scene.source,
        ])?;
        Ok(())
    }
}

/// Whether somebody whose profile is not kept says something of themselves that they did not say at the last look.
fn is_said_anew(row: &Row, (db, prints): (&Connection, &Prints), shown: Shown<'_, Account>) -> Result<bool> {
    let Some(whole) = shown.whole else { return Ok(false) };
    let now = prints.of_profile(db, row.get(0)?, whole)?;
    let is_other = |(kept, print): (usize, usize), seen: &Option<String>, now: Option<i64>| {
        Ok::<_, crate::postgres::db::Error>(match value::text(row, kept)? {
            Some(kept) => seen.as_deref().is_some_and(|seen| seen != kept),
            None => now.is_some() && row.get::<_, Option<i64>>(print)? != now,
        })
    };
    Ok(is_other((7, 16), &whole.name, now.0)? || is_other((8, 17), &whole.bio, now.1)?)
}

/// Only an id: a mention, not a profile.
fn is_bare(account: &Account) -> bool {
    account.handle.is_none() && account.name.is_none() && account.followers_count.is_none()
}

/// A profile as its own page shows it; only that can say that somebody no longer opts out.
fn is_whole(account: &Account) -> bool {
    account.bio.is_some() || account.followers_count.is_some()
}

fn found(row: &Row, scene: &Scene<'_>, account: &Account, seen: Option<&str>) -> Result<Found> {
    let properties = value::fresher(value::text(row, 5)?, seen);
    let was = value::text(row, 2)?.and_then(value::state_of).unwrap_or_default();
    let state = if is_bare(account) && account.state == AccountState::Active { was } else { account.state };
    let opted_out: bool = row.get(3)?;
    let opts_out = if is_whole(account) { account.opts_out } else { account.opts_out || opted_out };
    let depth = row.get(1)?;
    let mut is_stale =
        properties.is_some() || was != state || opted_out != opts_out || scene.depth_of(&account.id) < depth;
    let mut is_edited = false;
    // Handle, name and bio come first: a new one where another was known is an edit.
    let texts = [&account.handle, &account.name, &account.bio, &account.url, &account.uri, &account.location];
    for (column, seen) in (6..).zip(texts) {
        let is_other = differs(row, column, seen.as_deref())?;
        is_stale |= is_other;
        is_edited |= is_other && column < 9 && value::text(row, column)?.is_some();
    }
    let created_at = account.created_at.map(Timestamp::ms);
    let numbers = [created_at, account.followers_count, account.following_count, account.posts_count];
    for (column, seen) in (12..).zip(numbers) {
        is_stale |= seen.is_some() && row.get::<_, Option<i64>>(column)? != seen;
    }
    let prints = (row.get(16)?, row.get(17)?);
    let object = row.get(0)?;
    Ok(Found { object, depth, is_stale, is_edited, prints, state, opts_out, properties })
}
