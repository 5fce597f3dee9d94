//! Looking around as one viewer: pages of sources and posts, neighbours, members, what happened to an object.
//!
//! Pages of both stores are made one by reading as much of each as the page needs; like everywhere here, that is bounded.

use std::cmp::Reverse;

use freshet_types::{Change, NetworkName, Source, SourceId, VisitSummary};

use super::objects::renumbered;
use super::{OWN, Viewed, both};
use crate::api::{Store, StoreError};
use crate::browse::{
    Browse, COUNT_MAX, Counted, ForumQuery, ForumState, KindCount, ListState, MemberPage, MemberQuery,
    Neighbours, Node, PAGE_MAX, PostQuery, RootName, SourcePage, SourceQuery, Tie, VisitLine,
};
use crate::row::{ComplaintRow, Filter, Hit};

impl Browse for Viewed {
    fn list_sources(&self, query: &SourceQuery) -> Result<SourcePage, StoreError> {
        let mut page = self.own.list_sources(query)?;
        page.sources = std::mem::take(&mut page.sources).into_iter().map(|it| self.mine(it)).collect();
        let Some(public) = self.others() else { return Ok(page) };
        let offset = query.offset.saturating_sub(page.count);
        let limit = query.limit.saturating_sub(page.sources.len());
        let more = public.list_sources(&SourceQuery { offset, limit, ..query.clone() })?;
        page.sources.extend(more.sources.into_iter().take(limit));
        page.count = (page.count + more.count).min(COUNT_MAX);
        page.is_partial |= more.is_partial;
        Ok(page)
    }

    fn node(&self, object: u64) -> Result<Option<Node>, StoreError> {
        if object < OWN {
            return self.public.node(object);
        }
        Ok(self.own.node(object - OWN)?.map(mine))
    }

    fn neighbours(&self, node: &Node, limit: usize) -> Result<Neighbours, StoreError> {
        let in_store = |store: &dyn Store| -> Result<Neighbours, StoreError> {
            store.neighbours(&Node { object: number_in(store, node)?, ..node.clone() }, limit)
        };
        let mut all = in_store(&*self.own)?;
        all.nodes = all.nodes.into_iter().map(mine).collect();
        let more = in_store(&*self.public)?;
        let mut places = Vec::with_capacity(more.nodes.len());
        for node in more.nodes {
            let is_it = |it: &Node| (&it.network, &it.kind, &it.id) == (&node.network, &node.kind, &node.id);
            places.push(all.nodes.iter().position(is_it).unwrap_or_else(|| {
                all.nodes.push(node);
                all.nodes.len() - 1
            }));
        }
        let moved = |tie: Tie| Some(Tie { node: *places.get(tie.node)?, ..tie });
        for tie in more.ties.into_iter().filter_map(moved) {
            let is_it = |it: &Tie| (&it.name, it.is_out, it.node) == (&tie.name, tie.is_out, tie.node);
            if !all.ties.iter().any(is_it) {
                all.ties.push(tie);
            }
        }
        let pair = |(one, other): (usize, usize)| Some((*places.get(one)?, *places.get(other)?));
        let among: Vec<_> = more.among.into_iter().filter_map(pair).collect();
        all.among = both(all.among, among, usize::MAX);
        Ok(all)
    }

    fn members(&self, query: &MemberQuery<'_>) -> Result<MemberPage, StoreError> {
        let own = self.own.members(query)?;
        if own.count == 0 {
            return self.public.members(query);
        }
        let limit = (query.offset + query.limit).min(PAGE_MAX);
        let first = MemberQuery { offset: 0, limit, ..*query };
        let (own, public) = (self.own.members(&first)?, self.public.members(&first)?);
        let (own_count, public_count) = (own.members.len(), public.members.len());
        let members = both(own.members, public.members, usize::MAX);
        let twice = own_count + public_count - members.len();
        let count = (own.count + public.count - twice).min(COUNT_MAX);
        Ok(MemberPage { members: members.into_iter().skip(query.offset).take(query.limit).collect(), count })
    }

    fn root_names(&self, sources: &[Source]) -> Result<Vec<RootName>, StoreError> {
        let of = |source: &Source| match &source.viewer {
            Some(_) => self.own.root_name(source),
            None => self.public.root_name(source),
        };
        sources.iter().map(of).collect()
    }

    fn source_networks(&self) -> Result<Vec<NetworkName>, StoreError> {
        let mut all = both(self.own.source_networks()?, self.public.source_networks()?, usize::MAX);
        all.sort();
        Ok(all)
    }

    fn list_posts(&self, query: &PostQuery) -> Result<Vec<Hit>, StoreError> {
        let limit = query.limit.min(PAGE_MAX);
        let mut all = first_posts(&*self.own, query, query.offset + limit)?;
        for hit in &mut all {
            hit.row.object += OWN;
        }
        all.extend(self.unseen_hits(first_posts(&*self.public, query, query.offset + limit)?)?);
        if query.text.is_none() {
            // Stable: of what was seen at one instant each store's order stays.
            all.sort_by_key(|hit| Reverse(hit.row.seen_at));
        }
        Ok(all.into_iter().skip(query.offset).take(limit).collect())
    }

    fn changes_of(&self, object: u64, limit: usize) -> Result<Vec<Change>, StoreError> {
        if object < OWN {
            return self.public.changes_of(object, limit);
        }
        Ok(self.own.changes_of(object - OWN, limit)?.into_iter().map(renumbered).collect())
    }

    fn earlier_texts(&self, object: u64) -> Result<Vec<(u64, String)>, StoreError> {
        if object < OWN {
            return self.public.earlier_texts(object);
        }
        let texts = self.own.earlier_texts(object - OWN)?;
        Ok(texts.into_iter().map(|(number, text)| (number + OWN, text)).collect())
    }

    fn visits_of_all(
        &self,
        sources: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Vec<VisitSummary>>, StoreError> {
        let is_own = self.own.sources(sources)?;
        let of = |(id, own): (&SourceId, Option<Source>)| match own {
            Some(_) => self.own.visits_of(*id, limit),
            None => self.public.visits_of(*id, limit),
        };
        sources.iter().zip(is_own).map(of).collect()
    }

    fn forums(&self) -> Result<Vec<ForumState>, StoreError> {
        self.public.forums()
    }

    fn titles_of(&self, sources: &[Source]) -> Result<Vec<Option<String>>, StoreError> {
        let of = |source: &Source| match &source.viewer {
            Some(_) => self.own.title_of(source),
            None => self.public.title_of(source),
        };
        sources.iter().map(of).collect()
    }

    fn forum_lists(&self, network: &NetworkName, query: &ForumQuery) -> Result<Vec<ListState>, StoreError> {
        self.public.forum_lists(network, query)
    }

    fn last_visits(&self, limit: usize) -> Result<Vec<VisitLine>, StoreError> {
        let mut all = self.own.last_visits(limit)?;
        all.extend(self.public.last_visits(limit)?);
        all.sort_by_key(|line| Reverse(line.visit.id));
        all.truncate(limit);
        Ok(all)
    }

    fn count_by_day(
        &self,
        counted: Counted,
        filter: &Filter,
        up_to: u64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        let mut days = std::collections::BTreeMap::new();
        let mut add = |some: Vec<(i64, u64)>| {
            for (day, count) in some {
                *days.entry(day).or_insert(0) += count;
            }
        };
        if filter.above < OWN {
            add(self.public.count_by_day(counted, filter, up_to)?);
        }
        if up_to > OWN {
            let above = filter.above.saturating_sub(OWN);
            add(self.own.count_by_day(counted, &filter.from(above), up_to - OWN)?);
        }
        Ok(days.into_iter().collect())
    }

    fn count_by_kind(&self) -> Result<Vec<KindCount>, StoreError> {
        let mut all = self.public.count_by_kind()?;
        for own in self.own.count_by_kind()? {
            match all.iter_mut().find(|it| it.network == own.network && it.kind == own.kind) {
                Some(known) => known.count += own.count,
                None => all.push(own),
            }
        }
        Ok(all)
    }

    fn last_relation(&self) -> Result<u64, StoreError> {
        Ok(self.own.last_relation()? + OWN)
    }

    fn complaints(
        &self,
        network: Option<&str>,
        limit: usize,
        samples: usize,
    ) -> Result<Vec<ComplaintRow>, StoreError> {
        let mut all = self.own.complaints(network, limit, samples)?;
        all.extend(self.public.complaints(network, limit, samples)?);
        all.sort_by_key(|row| Reverse(row.last_at));
        all.truncate(limit);
        Ok(all)
    }
}

fn mine(node: Node) -> Node {
    Node { object: node.object.map(|object| object + OWN), ..node }
}

/// The number that a node has in a store, where it has one there.
fn number_in(store: &dyn Store, node: &Node) -> Result<Option<u64>, StoreError> {
    let network = NetworkName::from(node.network.as_str());
    Ok(match node.kind.as_str() {
        "account" => store.account_of(&network, &node.id)?.map(|row| row.object),
        kind => store.post_of(&network, kind, &node.id)?.map(|row| row.object),
    })
}

/// The first posts of a store that a query means, as many as are wanted.
fn first_posts(store: &dyn Store, query: &PostQuery, wanted: usize) -> Result<Vec<Hit>, StoreError> {
    let mut all = Vec::new();
    while all.len() < wanted {
        let limit = (wanted - all.len()).min(PAGE_MAX);
        let page = store.list_posts(&PostQuery { offset: all.len(), limit, ..query.clone() })?;
        let is_last = page.len() < limit;
        all.extend(page);
        if is_last {
            break;
        }
    }
    Ok(all)
}
