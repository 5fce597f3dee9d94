//! The focus of a data directory as a run and the commands know it: where it is stored, and which stored posts it wants.
//!
//! What a focus means is [`freshet_network::focus`]; what it does to discovery is [`feed`](crate::feed). A run reads the setting whenever it
//! feeds the robots, so a change is seen within a second.

use std::collections::BTreeMap;

use freshet_network::focus::Focus;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{AccountRow, Filter, PostRow};
use freshet_store::setting::{Json, Setting};
use freshet_types::NetworkName;

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
