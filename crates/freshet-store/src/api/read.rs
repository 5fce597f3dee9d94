//! Role: reading rows back, for exports, models, delivery and search.

use freshet_types::{Address, NetworkName, Source, Timestamp};

use super::page::{Flow, ROWS_MAX, Rows, each_row};
use super::{StoreError, first};
use crate::row::{
    AccountRow, Counts, CrossLinkQuery, CrossLinkRow, Filter, Hit, LinkQuery, LinkRow, ListRow, ListTimes,
    ListTimesBounds, ListTimesKind, Member, NewestQuery, NumberedLink, ObjectRow, PostRow, RelationRow,
    StalePage, ThingRow,
};

/// Reading what is stored.
pub trait Read {
    /// A page of posts in order of number, newest version each, above the filter's number.
    fn posts(&self, filter: &Filter, limit: usize) -> Result<Rows<PostRow>, StoreError>;
    /// Posts in order of number, newest version each.
    fn each_post(&self, filter: &Filter, each: &mut dyn FnMut(PostRow) -> Flow) -> Result<(), StoreError> {
        each_row(filter.above, |above| self.posts(&filter.from(*above), ROWS_MAX), each)
    }
    /// A page of accounts in order of number, above the filter's number.
    fn accounts(&self, filter: &Filter, limit: usize) -> Result<Rows<AccountRow>, StoreError>;
    /// Accounts in order of number.
    fn each_account(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(AccountRow) -> Flow,
    ) -> Result<(), StoreError> {
        each_row(filter.above, |above| self.accounts(&filter.from(*above), ROWS_MAX), each)
    }
    /// A page of relations in order of number, cancelled ones included, above the filter's number.
    fn relations(&self, filter: &Filter, limit: usize) -> Result<Rows<RelationRow>, StoreError>;
    /// Relations in order of number, cancelled ones included.
    fn each_relation(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(RelationRow) -> Flow,
    ) -> Result<(), StoreError> {
        each_row(filter.above, |above| self.relations(&filter.from(*above), ROWS_MAX), each)
    }
    /// A page of lists of forums (front pages, boards, threads) in order of number, above the filter's number.
    fn lists(&self, filter: &Filter, limit: usize) -> Result<Rows<ListRow>, StoreError>;
    /// Lists of forums in order of number.
    fn each_list(&self, filter: &Filter, each: &mut dyn FnMut(ListRow) -> Flow) -> Result<(), StoreError> {
        each_row(filter.above, |above| self.lists(&filter.from(*above), ROWS_MAX), each)
    }
    /// The posts of these numbers, in the order asked for; `None` for one that is not there.
    fn posts_numbered(&self, numbers: &[u64]) -> Result<Vec<Option<PostRow>>, StoreError>;
    /// One post.
    fn post(&self, number: u64) -> Result<Option<PostRow>, StoreError> {
        self.posts_numbered(&[number]).map(first)
    }
    /// The posts of these types and ids, in the order asked for; `None` for one that is not there. Where types share their ids,
    /// any of them finds the post.
    fn posts_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<PostRow>>, StoreError>;
    /// The post of this type and id.
    fn post_of(&self, network: &NetworkName, kind: &str, id: &str) -> Result<Option<PostRow>, StoreError> {
        self.posts_of(network, &[(kind, id)]).map(first)
    }
    /// The accounts of these ids, in the order asked for; `None` for one that is not there.
    fn accounts_of(&self, network: &NetworkName, ids: &[&str])
    -> Result<Vec<Option<AccountRow>>, StoreError>;
    /// The account of this id.
    fn account_of(&self, network: &NetworkName, id: &str) -> Result<Option<AccountRow>, StoreError> {
        self.accounts_of(network, &[id]).map(first)
    }
    /// The things of these types and ids, in the order asked for; `None` for one that is not there.
    fn things_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ThingRow>>, StoreError>;
    /// The lists of forums of these types and ids, in the order asked for; `None` for one that is not there.
    fn lists_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ListRow>>, StoreError>;
    /// The links of an object that no row tells, by name and then as they were first seen.
    fn links_of(&self, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>, StoreError>;
    /// The links above this number that no row tells, those that ended too, in order of number, at most `limit`.
    fn links_above(&self, number: u64, limit: usize) -> Result<Vec<NumberedLink>, StoreError>;
    /// Members of a collection of an object, the newest first; what was deleted or has ended is left out.
    fn newest_members(
        &self,
        network: &NetworkName,
        query: &NewestQuery<'_>,
    ) -> Result<Vec<Member>, StoreError>;
    /// Objects of other networks and the links by which they lead to this address: the address of each, and the name.
    fn links_across(&self, target: &Address, limit: usize) -> Result<Vec<(Address, String)>, StoreError>;
    /// Links into other networks with what speaks for them, the surest first.
    fn cross_links(&self, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>, StoreError>;
    /// Posts, accounts and lists by their numbers, in the order asked for; `None` for one that is not there.
    fn objects(&self, numbers: &[u64]) -> Result<Vec<Option<ObjectRow>>, StoreError>;
    /// A post, an account or a list by its number.
    fn object(&self, number: u64) -> Result<Option<ObjectRow>, StoreError> {
        self.objects(&[number]).map(first)
    }
    /// Pages of threads on this network that are worth another look by now, the longest due first.
    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError>;
    /// Posting times since then of the lists of this type on a network: of threads their posts, of boards and front
    /// pages the posts of the threads in them. The `lists_max` liveliest lists, the newest `times_max` of each.
    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError>;
    /// Posting times of each of these sources, newest first, at most `RHYTHM_MAX` of each.
    fn posting_times_of(&self, sources: &[Source]) -> Result<Vec<Vec<Timestamp>>, StoreError>;
    /// Posting times of a source, newest first, at most `RHYTHM_MAX`.
    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError> {
        Ok(self.posting_times_of(std::slice::from_ref(source))?.pop().unwrap_or_default())
    }
    /// Posts whose text matches, best first.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError>;
    /// Whether posts were collected that a search does not find yet.
    fn is_search_behind(&self) -> Result<bool, StoreError>;
    /// Brings the search indexes up to date by at most `limit` changes and `limit` names of sources; gives
    /// the larger number of those it took.
    fn index(&mut self, limit: usize) -> Result<usize, StoreError>;
    /// The numbers.
    fn counts(&self) -> Result<Counts, StoreError>;
}
