//! Rows of objects and links, and lines of the change log, as one viewer sees them.

use freshet_types::{Address, Change, NetworkName, Source, Timestamp};

use super::{OWN, Viewed, both, over};
use crate::api::{ChangeLog, Read, Rows, Store, StoreError};
use crate::row::{
    AccountRow, AnyLinkRow, Counts, CrossLinkQuery, CrossLinkRow, Filter, Hit, LinkQuery, LinkRow, ListRow,
    ListTimes, ListTimesBounds, ListTimesKind, Member, NewestQuery, ObjectRow, PostRow, RelationRow,
    StalePage, ThingRow,
};

/// Of these rows of everybody, those of which the viewer sees no other version; `find` asks the viewer's store about all of one network.
fn unseen<T>(
    own: &dyn Store,
    rows: Vec<T>,
    key: impl Fn(&T) -> (NetworkName, String, String),
    find: impl Fn(&dyn Store, &NetworkName, &[(&str, &str)]) -> Result<Vec<bool>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let keys: Vec<_> = rows.iter().map(&key).collect();
    let mut is_seen = vec![false; rows.len()];
    let mut networks: Vec<&NetworkName> = keys.iter().map(|key| &key.0).collect();
    networks.sort();
    networks.dedup();
    for network in networks {
        let at: Vec<usize> = (0..keys.len()).filter(|&at| keys[at].0 == *network).collect();
        let names: Vec<(&str, &str)> = at.iter().map(|&at| (&*keys[at].1, &*keys[at].2)).collect();
        for (at, is_there) in at.into_iter().zip(find(own, network, &names)?) {
            is_seen[at] = is_there;
        }
    }
    Ok(rows.into_iter().zip(is_seen).filter(|(_, is_seen)| !is_seen).map(|(row, _)| row).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what a question gives")]
fn are_there<T>(found: Vec<Option<T>>) -> Vec<bool> {
    found.iter().map(Option::is_some).collect()
}

/// Posts of everybody of which the viewer sees no other version.
pub(super) fn unseen_posts(own: &dyn Store, rows: Vec<PostRow>) -> Result<Vec<PostRow>, StoreError> {
    let key = |row: &PostRow| (row.network.clone(), row.post.kind.to_string(), row.post.id.clone());
    unseen(own, rows, key, |own, network, names| own.posts_of(network, names).map(are_there))
}

impl Read for Viewed {
    fn posts(&self, filter: &Filter, limit: usize) -> Result<Rows<PostRow>, StoreError> {
        let read = |store: &dyn Store, above| store.posts(&filter.from(above), limit);
        self.rows(filter.above, read, unseen_posts, |row, own| row.object += own)
    }

    fn accounts(&self, filter: &Filter, limit: usize) -> Result<Rows<AccountRow>, StoreError> {
        let read = |store: &dyn Store, above| store.accounts(&filter.from(above), limit);
        let key = |row: &AccountRow| (row.network.clone(), String::new(), row.account.id.clone());
        let find = |own: &dyn Store, network: &NetworkName, names: &[(&str, &str)]| {
            let ids: Vec<&str> = names.iter().map(|name| name.1).collect();
            own.accounts_of(network, &ids).map(are_there)
        };
        let hide = |own: &dyn Store, rows| unseen(own, rows, key, find);
        self.rows(filter.above, read, hide, |row, own| row.object += own)
    }

    fn relations(&self, filter: &Filter, limit: usize) -> Result<Rows<RelationRow>, StoreError> {
        let read = |store: &dyn Store, above| store.relations(&filter.from(above), limit);
        self.rows(filter.above, read, |_, rows| Ok(rows), |row, own| row.number += own)
    }

    fn lists(&self, filter: &Filter, limit: usize) -> Result<Rows<ListRow>, StoreError> {
        let read = |store: &dyn Store, above| store.lists(&filter.from(above), limit);
        let key = |row: &ListRow| (row.network.clone(), row.kind.clone(), row.id.clone());
        let find = |own: &dyn Store, network: &NetworkName, names: &[(&str, &str)]| {
            own.lists_of(network, names).map(are_there)
        };
        let hide = |own: &dyn Store, rows| unseen(own, rows, key, find);
        self.rows(filter.above, read, hide, |row, own| row.object += own)
    }

    fn things(&self, filter: &Filter, limit: usize) -> Result<Rows<ThingRow>, StoreError> {
        let read = |store: &dyn Store, above| store.things(&filter.from(above), limit);
        let key = |row: &ThingRow| (row.network.clone(), row.thing.kind.to_string(), row.thing.id.clone());
        let find = |own: &dyn Store, network: &NetworkName, names: &[(&str, &str)]| {
            own.things_of(network, names).map(are_there)
        };
        let hide = |own: &dyn Store, rows| unseen(own, rows, key, find);
        self.rows(filter.above, read, hide, |row, own| row.object += own)
    }

    fn links(&self, filter: &Filter, limit: usize) -> Result<Rows<AnyLinkRow>, StoreError> {
        let read = |store: &dyn Store, above| store.links(&filter.from(above), limit);
        self.rows(filter.above, read, |_, rows| Ok(rows), |row, own| row.number += own)
    }

    fn posts_numbered(&self, numbers: &[u64]) -> Result<Vec<Option<PostRow>>, StoreError> {
        let mut rows = self.numbered(numbers, |store, numbers| store.posts_numbered(numbers))?;
        for (row, number) in rows.iter_mut().zip(numbers) {
            if let Some(row) = row {
                row.object = *number;
            }
        }
        Ok(rows)
    }

    fn posts_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<PostRow>>, StoreError> {
        let mut own = self.own.posts_of(network, names)?;
        own.iter_mut().flatten().for_each(|row| row.object += OWN);
        Ok(over(own, self.public.posts_of(network, names)?))
    }

    fn accounts_of(
        &self,
        network: &NetworkName,
        ids: &[&str],
    ) -> Result<Vec<Option<AccountRow>>, StoreError> {
        let mut own = self.own.accounts_of(network, ids)?;
        own.iter_mut().flatten().for_each(|row| row.object += OWN);
        Ok(over(own, self.public.accounts_of(network, ids)?))
    }

    fn things_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ThingRow>>, StoreError> {
        let mut own = self.own.things_of(network, names)?;
        own.iter_mut().flatten().for_each(|row| row.object += OWN);
        Ok(over(own, self.public.things_of(network, names)?))
    }

    fn lists_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ListRow>>, StoreError> {
        let mut own = self.own.lists_of(network, names)?;
        own.iter_mut().flatten().for_each(|row| row.object += OWN);
        Ok(over(own, self.public.lists_of(network, names)?))
    }

    fn links_of(&self, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>, StoreError> {
        let mut all = self.own.links_of(query)?;
        for row in self.public.links_of(query)? {
            if !all.iter().any(|it| it.link == row.link) {
                all.push(row);
            }
        }
        all.truncate(query.limit);
        Ok(all)
    }

    fn newest_members(
        &self,
        network: &NetworkName,
        query: &NewestQuery<'_>,
    ) -> Result<Vec<Member>, StoreError> {
        let mut all = self.own.newest_members(network, query)?;
        for member in self.public.newest_members(network, query)? {
            if !all.iter().any(|it| it.end == member.end) {
                all.push(member);
            }
        }
        all.sort_by_key(|member| std::cmp::Reverse(member.at));
        all.truncate(query.limit);
        Ok(all)
    }

    fn links_across(&self, target: &Address, limit: usize) -> Result<Vec<(Address, String)>, StoreError> {
        let public = self.public.links_across(target, limit)?;
        Ok(both(self.own.links_across(target, limit)?, public, limit))
    }

    fn cross_links(&self, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>, StoreError> {
        Ok(both(self.own.cross_links(query)?, self.public.cross_links(query)?, query.limit))
    }

    fn objects(&self, numbers: &[u64]) -> Result<Vec<Option<ObjectRow>>, StoreError> {
        self.numbered(numbers, |store, numbers| store.objects(numbers))
    }

    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError> {
        self.public.stale_pages(network, now, limit)
    }

    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError> {
        self.public.list_times(network, kind, bounds)
    }

    fn posting_times_of(&self, sources: &[Source]) -> Result<Vec<Vec<Timestamp>>, StoreError> {
        let of = |source: &Source| match &source.viewer {
            Some(_) => self.own.posting_times(source),
            None => self.public.posting_times(source),
        };
        sources.iter().map(of).collect()
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let mut own = self.own.search(query, limit)?;
        for hit in &mut own {
            hit.row.object += OWN;
        }
        // What nobody else sees comes first: it is what this viewer was asked for.
        own.extend(self.unseen_hits(self.public.search(query, limit)?)?);
        own.truncate(limit);
        Ok(own)
    }

    fn is_search_behind(&self) -> Result<bool, StoreError> {
        Ok(self.public.is_search_behind()? || self.own.is_search_behind()?)
    }

    fn index(&mut self, limit: usize) -> Result<usize, StoreError> {
        Ok(self.public.index(limit)?.max(self.own.index(limit)?))
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        let (mut all, own) = (self.public.counts()?, self.own.counts()?);
        all.posts += own.posts;
        all.deleted += own.deleted;
        all.accounts += own.accounts;
        all.relations += own.relations;
        all.things += own.things;
        all.links += own.links;
        all.changes += own.changes;
        all.visits += own.visits;
        all.parked += own.parked;
        for (state, count) in own.sources {
            match all.sources.iter_mut().find(|(it, _)| *it == state) {
                Some((_, known)) => *known += count,
                None => all.sources.push((state, count)),
            }
        }
        Ok(all)
    }
}

impl Viewed {
    /// Hits of everybody of which the viewer sees no other version.
    pub(super) fn unseen_hits(&self, hits: Vec<Hit>) -> Result<Vec<Hit>, StoreError> {
        let rows = hits.iter().map(|hit| hit.row.clone()).collect();
        let left = unseen_posts(&*self.own, rows)?;
        let is_left = |hit: &Hit| left.iter().any(|row| row.object == hit.row.object);
        Ok(hits.into_iter().filter(is_left).collect())
    }
}

/// A line of the viewer's log as it is numbered beside that of everybody.
pub(super) fn renumbered(change: Change) -> Change {
    Change { number: change.number + OWN, object: change.object + OWN, ..change }
}

impl ChangeLog for Viewed {
    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError> {
        let mut changes = if number < OWN { self.public.changes_above(number, limit)? } else { Vec::new() };
        let left = limit - changes.len().min(limit);
        if left > 0 {
            let own = self.own.changes_above(number.saturating_sub(OWN), left)?;
            changes.extend(own.into_iter().map(renumbered));
        }
        Ok(changes)
    }

    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError> {
        if number < OWN {
            let (changes, up_to) = self.public.account_changes_above(number, limit)?;
            let is_all = changes.len() < limit;
            return Ok((changes, if is_all { OWN } else { up_to }));
        }
        let (changes, up_to) = self.own.account_changes_above(number - OWN, limit)?;
        Ok((changes.into_iter().map(renumbered).collect(), up_to + OWN))
    }

    fn last_change(&self) -> Result<u64, StoreError> {
        Ok(self.own.last_change()? + OWN)
    }

    fn first_change_since(&self, at: Timestamp) -> Result<Option<u64>, StoreError> {
        // Only who follows the viewer's log asks.
        Ok(self.own.first_change_since(at)?.map(|number| number + OWN))
    }

    fn cursor(&self, consumer: &str) -> Result<u64, StoreError> {
        self.own.cursor(consumer)
    }

    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError> {
        self.own.set_cursor(consumer, number)
    }
}
