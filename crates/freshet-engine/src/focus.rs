//! The focus of a data directory as a run and the commands know it: where it is stored, which stored posts it wants, and what of a page
//! lies outside of it.
//!
//! What a focus means is [`freshet_network::focus`]; what it does to discovery is [`feed`](crate::feed). A run reads the setting whenever it
//! feeds the robots or stores pages, so a change is seen within a second. A focus that is *only* is all that is collected: of other posts the
//! store keeps ids, times, counts and a fingerprint ([`Unkept`](freshet_store::api::Unkept)), so coverage, edits and deletions go on.
//!
//! What it does not do: leave accounts out. They say where somebody is, and who is near.

use std::collections::BTreeMap;

use freshet_network::focus::Focus;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{AccountRow, Filter, PostRow, Upload, Withheld};
use freshet_store::setting::{Json, Setting};
use freshet_types::{Account, Map, NetworkName};

/// Setting that holds the focus; absent without one.
pub const FOCUS: Setting<Json<Focus>> = Setting::new("focus");
/// Posts that are looked at when somebody wants to know how many a focus wants.
const SAMPLE_MAX: usize = 4_096;
/// Numbers of the store in which so many posts are sought: accounts and relations are numbered among them.
const SAMPLE_NUMBERS: u64 = 16_384;

/// Of the newest posts: how many were looked at, and how many of them a focus wants.
pub fn sample(store: &dyn Store, focus: &Focus) -> Result<(usize, usize), StoreError> {
    let above = store.last_number()?.saturating_sub(SAMPLE_NUMBERS);
    let rows = store.posts(&Filter { above, ..Filter::default() }, SAMPLE_MAX)?.rows;
    let authors = Authors::read(store, &rows)?;
    let wanted = rows.iter().filter(|row| focus.wants(&row.post, authors.of(row).map(|it| &it.account)));
    Ok((rows.len(), wanted.count()))
}

/// Marks what lies outside a focus that is all that is collected. Who has said nothing of where they are is in no place.
pub(crate) fn sift(store: &dyn Store, uploads: &mut [Upload]) -> Result<(), StoreError> {
    let focus = FOCUS.find(store)?.map(|stored| stored.0).filter(|focus| focus.is_only);
    for upload in uploads {
        upload.outside = Withheld::default();
        let Some(focus) = focus.as_ref().filter(|_| !upload.observation.posts.is_empty()) else { continue };
        let seen = &upload.observation;
        let shown: Map<&str, &Account> = seen.accounts.iter().map(|it| (it.id.as_str(), it)).collect();
        let stored = if focus.has_places() {
            let authors = seen.posts.iter().filter_map(|post| post.author.as_deref());
            Authors::named(store, authors.map(|id| (&upload.network, id)))?
        } else {
            Authors::default()
        };
        let author = |id: &str| {
            let shown = shown.get(id).copied().filter(|it| it.location.is_some());
            shown.or_else(|| stored.get(&upload.network, id).map(|row| &row.account))
        };
        for post in &seen.posts {
            if !focus.wants(post, post.author.as_deref().and_then(author)) {
                upload.outside.hold_post(&post.kind, &post.id);
            }
        }
    }
    Ok(())
}

/// The accounts that some rows name, by network and id.
#[derive(Debug, Default)]
pub(crate) struct Authors(BTreeMap<NetworkName, BTreeMap<String, AccountRow>>);

impl Authors {
    /// Those who wrote these posts.
    pub(crate) fn read(store: &dyn Store, rows: &[PostRow]) -> Result<Self, StoreError> {
        Self::named(store, rows.iter().filter_map(|row| Some((&row.network, row.post.author.as_deref()?))))
    }

    /// Those of these ids; one question for each network.
    pub(crate) fn named<'a>(
        store: &dyn Store,
        names: impl Iterator<Item = (&'a NetworkName, &'a str)>,
    ) -> Result<Self, StoreError> {
        let mut wanted: BTreeMap<&NetworkName, Vec<&str>> = BTreeMap::new();
        for (network, id) in names {
            wanted.entry(network).or_default().push(id);
        }
        let mut found = BTreeMap::new();
        for (network, mut ids) in wanted {
            ids.sort_unstable();
            ids.dedup();
            let rows = store.accounts_of(network, &ids)?;
            let known = ids.iter().zip(rows).filter_map(|(id, row)| Some(((*id).to_owned(), row?)));
            found.insert(network.clone(), known.collect());
        }
        Ok(Self(found))
    }

    /// Who wrote a post, where that is known.
    pub(crate) fn of(&self, row: &PostRow) -> Option<&AccountRow> {
        self.get(&row.network, row.post.author.as_deref()?)
    }

    /// The account of this id.
    pub(crate) fn get(&self, network: &NetworkName, id: &str) -> Option<&AccountRow> {
        self.0.get(network)?.get(id)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &AccountRow> {
        self.0.values().flat_map(BTreeMap::values)
    }
}

#[cfg(test)]
mod tests;
