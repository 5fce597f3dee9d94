//! Step 8 of 10: apply, what is not kept. An upload loses its content before anything of it is written; what it said goes into the pass.
//!
//! Invariants: nothing of the content of such a post or account is in any statement that is executed, so neither the tables nor the log of the server can
//! hold it; ids, links to ids, times, counts and the handle stay. What passes is put there before the line of the log that tells
//! of it is committed, so whoever reads the line finds it.

use std::sync::Arc;

use freshet_types::{Account, Complaint, Lead, Post, Primitive, Set, Tag, Thing};

use super::super::db::{Connection, Result};
use super::super::network::Networks;
use super::super::unkept::{
    OUTSIDE, Prints, ProfilePrints, Said, has_any, is_count, is_network, is_root, is_source, profile_print,
};
use super::{Batch, bringer};
use crate::pass::{Content, Pass};
use crate::row::Upload;

/// An object as it is stored, and as it was seen where that is more.
#[derive(Debug)]
pub(super) struct Shown<'a, T> {
    pub(super) bare: &'a T,
    /// Its content is not kept: this is it.
    pub(super) whole: Option<&'a T>,
    /// That is because it lies outside the focus: subscribers are not given it either.
    pub(super) is_outside: bool,
}

impl<T> Clone for Shown<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shown<'_, T> {}

impl<'a, T> Shown<'a, T> {
    /// All that was seen.
    pub(super) fn said(self) -> &'a T {
        self.whole.unwrap_or(self.bare)
    }

    /// Whether its content is not kept.
    pub(super) fn is_unkept(self) -> bool {
        self.whole.is_some()
    }

    /// What its row says of its content: kept, for subscribers only, or for nobody.
    pub(super) fn keeping(self) -> u8 {
        if self.is_outside { OUTSIDE } else { u8::from(self.is_unkept()) }
    }
}

/// Whose content of an upload is not kept.
enum Reach {
    All,
    /// A stream brings posts of many, and these are watched without keeping anything.
    Authors(Set<String>),
    /// Everything is kept but for what lies outside the focus.
    Outside,
}

/// An upload without its content.
pub(super) struct Bare {
    pub(super) upload: Upload,
    reach: Reach,
}

/// Of each upload its form without content, where that is not kept.
pub(super) fn bare(
    db: &Connection,
    (networks, prints): (&Networks, &Prints),
    uploads: &[Upload],
) -> Result<Vec<Option<Bare>>> {
    let has_any = has_any(db)?;
    let strip = |upload: &Upload| {
        let reach = if has_any { reach(db, networks, upload)? } else { None };
        let outside = || (!upload.outside.posts.is_empty()).then_some(Reach::Outside);
        let Some(reach) = reach.or_else(outside) else { return Ok(None) };
        Ok(Some(Bare { upload: stripped(db, prints, upload, &reach)?, reach }))
    };
    uploads.iter().map(strip).collect()
}

/// Whether all that an upload shows is kept, were all of it in the focus.
pub(in super::super) fn keeps(db: &Connection, networks: &Networks, upload: &Upload) -> Result<bool> {
    Ok(!has_any(db)? || reach(db, networks, upload)?.is_none())
}

fn reach(db: &Connection, networks: &Networks, upload: &Upload) -> Result<Option<Reach>> {
    let Some(network) = networks.find(db, &upload.network)? else { return Ok(None) };
    if is_network(db, network)? || bringer(upload).map_or(Ok(false), |id| is_source(db, id.0))? {
        return Ok(Some(Reach::All));
    }
    if upload.stream.is_none() {
        return Ok(None);
    }
    let seen = &upload.observation;
    let authors = seen.posts.iter().filter_map(|post| post.author.as_ref());
    let mut all: Set<String> = authors.chain(seen.accounts.iter().map(|it| &it.id)).cloned().collect();
    let mut left = Set::default();
    for id in all.drain() {
        if is_root(db, network, "account", &id)? {
            left.insert(id);
        }
    }
    Ok(Some(left).filter(|left| !left.is_empty()).map(Reach::Authors))
}

impl Reach {
    fn has(&self, account: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Authors(all) => account.is_some_and(|account| all.contains(account)),
            Self::Outside => false,
        }
    }
}

impl Bare {
    /// A post of the upload as it was seen, where it is not kept.
    pub(super) fn post<'a>(&self, whole: &'a Post) -> Option<&'a Post> {
        is_bare(&self.upload, &self.reach, whole).then_some(whole)
    }

    /// An account of the upload as it was seen, where it is not kept.
    pub(super) fn account<'a>(&self, whole: &'a Account) -> Option<&'a Account> {
        self.reach.has(Some(&whole.id)).then_some(whole)
    }
}

fn is_bare(upload: &Upload, reach: &Reach, post: &Post) -> bool {
    reach.has(post.author.as_deref()) || upload.outside.has_post(&post.kind, &post.id)
}

/// The upload as it may be written down. Links into other networks stay for the stubs that they lead to, and are not stored.
fn stripped(db: &Connection, prints: &Prints, upload: &Upload, reach: &Reach) -> Result<Upload> {
    let mut bare = Upload { raw: None, ..upload.clone() };
    if !matches!(reach, Reach::Outside) {
        bare.parked.clear();
    }
    let seen = &mut bare.observation;
    for post in seen.posts.iter_mut().filter(|post| is_bare(upload, reach, post)) {
        *post = bare_post(std::mem::take(post));
    }
    for account in seen.accounts.iter_mut().filter(|account| reach.has(Some(&account.id))) {
        *account = bare_account(std::mem::take(account));
    }
    for tag in seen.tags.iter_mut().filter(|tag| reach.has(Some(&tag.account))) {
        *tag = bare_tag(db, prints, tag)?;
    }
    if matches!(reach, Reach::All) {
        seen.things.iter_mut().for_each(|thing| *thing = bare_thing(std::mem::take(thing)));
        seen.leads.iter_mut().for_each(|lead: &mut Lead| lead.title = None);
        if let Some(page) = &mut bare.page {
            page.title = None;
        }
    }
    for complaint in &mut bare.complaints {
        let (place, what) = (std::mem::take(&mut complaint.place), complaint.kind());
        *complaint = Complaint { place, what, sample: String::new() };
    }
    Ok(bare)
}

fn counts(plinks: Vec<(Arc<str>, Primitive)>) -> Vec<(Arc<str>, Primitive)> {
    plinks.into_iter().filter(|(name, value)| is_count(name, value)).collect()
}

fn bare_post(post: Post) -> Post {
    Post {
        text: String::new(),
        url: None,
        uri: None,
        lang: None,
        tags: Vec::new(),
        plinks: counts(post.plinks),
        ..post
    }
}

fn bare_account(account: Account) -> Account {
    Account {
        name: None,
        bio: None,
        url: None,
        uri: None,
        location: None,
        plinks: counts(account.plinks),
        ..account
    }
}

fn bare_thing(thing: Thing) -> Thing {
    Thing { name: None, url: None, plinks: counts(thing.plinks), ..thing }
}

/// A tag is a word that somebody says of themselves: whether it is still there can be told by a fingerprint too.
fn bare_tag(db: &Connection, prints: &Prints, tag: &Tag) -> Result<Tag> {
    let print = prints.of(db, Said::Tag, 0, tag.name.as_bytes())?;
    Ok(Tag { account: tag.account.clone(), name: format!("~{print:016x}") })
}

impl Batch<'_> {
    /// What a post says, as a number that is the same as long as it says the same.
    pub(super) fn version_of(&self, shown: Shown<'_, Post>, object: i64) -> Result<i64> {
        let version = shown.said().version();
        if !shown.is_unkept() {
            return Ok(version as i64);
        }
        self.prints.of(self.db, Said::Post, object, &version.to_le_bytes())
    }

    /// The version that is stored of a post, as comparing knows it: one of which only a fingerprint is kept is the one that is seen now,
    /// or another.
    pub(super) fn known_version(&self, stored: (i64, bool), object: i64, seen: &Post) -> Result<u64> {
        let ((version, is_unkept), now) = (stored, seen.version());
        if !is_unkept {
            return Ok(version as u64);
        }
        let is_same = self.prints.of(self.db, Said::Post, object, &now.to_le_bytes())? == version;
        Ok(if is_same { now } else { !now })
    }

    /// Lets a post pass on which the next line of the log tells.
    pub(super) fn pass_post(&self, object: i64, version: i64, shown: Shown<'_, Post>) {
        if let Some(whole) = shown.whole.filter(|_| !shown.is_outside) {
            self.pass(object, version as u64, || Content::Post(Box::new(whole.clone())));
        }
    }

    /// Lets an account pass on which the next line of the log tells.
    pub(super) fn pass_account(&self, object: i64, (name, bio): ProfilePrints, whole: &Account) {
        if let Some(print) = profile_print(name, bio) {
            self.pass(object, print, || Content::Account(Box::new(whole.clone())));
        }
    }

    fn pass(&self, object: i64, print: u64, content: impl FnOnce() -> Content) {
        if let Some(pass) = self.pass {
            Pass::put(pass, (object as u64, print), self.log.next() as u64, content());
        }
    }
}
