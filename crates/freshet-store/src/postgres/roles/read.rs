//! The role by which what was stored is read back.
//!
//! What is not kept is filled in from the pass, where there is one (`unkept.rs`), before a row is given to anybody. A page of rows
//! that cannot be read says which row is damaged (`damage.rs`).

use freshet_types::{Address, NetworkName, Source, Timestamp};

use crate::api::{Read, Rows, StoreError};
use crate::postgres::{
    PostgresStore, browse, damage, failed, links, lists, log, members, read, search, things,
};
use crate::row::{
    AccountRow, AnyLinkRow, Counts, CrossLinkQuery, CrossLinkRow, Filter, Hit, LinkQuery, LinkRow, ListRow,
    ListTimes, ListTimesBounds, ListTimesKind, Member, NewestQuery, ObjectRow, PostRow, RelationRow,
    StalePage, ThingRow,
};

impl Read for PostgresStore {
    fn posts(&self, filter: &Filter, limit: usize) -> Result<Rows<PostRow>, StoreError> {
        let page = read::posts(&self.db, &self.networks, filter, limit);
        page.map(|page| page.map(|row| self.filled(row))).map_err(damage::named("read the posts"))
    }

    fn accounts(&self, filter: &Filter, limit: usize) -> Result<Rows<AccountRow>, StoreError> {
        let page = read::accounts(&self.db, &self.networks, filter, limit);
        page.map(|page| page.map(|row| self.filled_account(row))).map_err(damage::named("read the accounts"))
    }

    fn relations(&self, filter: &Filter, limit: usize) -> Result<Rows<RelationRow>, StoreError> {
        read::relations(&self.db, &self.networks, filter, limit).map_err(damage::named("read the relations"))
    }

    fn lists(&self, filter: &Filter, limit: usize) -> Result<Rows<ListRow>, StoreError> {
        lists::page(&self.db, &self.networks, filter, limit).map_err(failed("read the lists"))
    }

    fn posts_numbered(&self, numbers: &[u64]) -> Result<Vec<Option<PostRow>>, StoreError> {
        let rows = read::posts_numbered(&self.db, &self.networks, numbers).map_err(failed("read a post"))?;
        Ok(rows.into_iter().map(|row| row.map(|row| self.filled(row))).collect())
    }

    fn posts_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<PostRow>>, StoreError> {
        let post = |name: &(&str, &str)| {
            let row = read::post_named(&self.db, &self.networks, network, *name)?;
            Ok(row.map(|row| self.filled(row)))
        };
        names.iter().map(post).collect::<Result<_, _>>().map_err(failed("read a post"))
    }

    fn things_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ThingRow>>, StoreError> {
        let thing = |name: &(&str, &str)| things::named(&self.db, &self.networks, network, *name);
        names.iter().map(thing).collect::<Result<_, _>>().map_err(failed("read a thing"))
    }

    fn things(&self, filter: &Filter, limit: usize) -> Result<Rows<ThingRow>, StoreError> {
        things::page(&self.db, &self.networks, filter, limit).map_err(damage::named("read objects"))
    }

    fn links(&self, filter: &Filter, limit: usize) -> Result<Rows<AnyLinkRow>, StoreError> {
        links::page(&self.db, &self.networks, filter, limit).map_err(damage::named("read links"))
    }

    fn lists_of(
        &self,
        network: &NetworkName,
        names: &[(&str, &str)],
    ) -> Result<Vec<Option<ListRow>>, StoreError> {
        let list = |name: &(&str, &str)| lists::named(&self.db, &self.networks, network, *name);
        names.iter().map(list).collect::<Result<_, _>>().map_err(failed("read a list"))
    }

    fn links_of(&self, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>, StoreError> {
        things::links(&self.db, &self.networks, query).map_err(failed("read links"))
    }

    fn newest_members(
        &self,
        network: &NetworkName,
        query: &NewestQuery<'_>,
    ) -> Result<Vec<Member>, StoreError> {
        members::of(&self.db, &self.networks, network, query).map_err(failed("read members of a collection"))
    }

    fn links_across(&self, target: &Address, limit: usize) -> Result<Vec<(Address, String)>, StoreError> {
        things::across(&self.db, target, limit).map_err(failed("read links of other networks"))
    }

    fn cross_links(&self, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>, StoreError> {
        things::cross_links(&self.db, query).map_err(failed("read links of other networks"))
    }

    fn accounts_of(
        &self,
        network: &NetworkName,
        ids: &[&str],
    ) -> Result<Vec<Option<AccountRow>>, StoreError> {
        let rows = read::accounts_named(&self.db, &self.networks, network, ids);
        let rows = rows.map_err(failed("read an account"))?;
        Ok(rows.into_iter().map(|row| row.map(|row| self.filled_account(row))).collect())
    }

    fn objects(&self, numbers: &[u64]) -> Result<Vec<Option<ObjectRow>>, StoreError> {
        log::objects(&self.db, &self.networks, numbers).map_err(failed("read an object"))
    }

    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError> {
        lists::stale(&self.db, &self.networks, network, now, limit).map_err(failed("look for stale pages"))
    }

    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError> {
        lists::times(&self.db, &self.networks, network, kind, bounds).map_err(failed("read posting times"))
    }

    fn posting_times_of(&self, sources: &[Source]) -> Result<Vec<Vec<Timestamp>>, StoreError> {
        let times = |source: &Source| browse::posting_times(&self.db, &self.networks, source);
        sources.iter().map(times).collect::<Result<_, _>>().map_err(failed("read posting times"))
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.catch_up();
        search::search(&self.db, &self.networks, query, limit)
    }

    fn is_search_behind(&self) -> Result<bool, StoreError> {
        search::is_behind(&self.db).map_err(failed("look at the search index"))
    }

    fn index(&mut self, limit: usize) -> Result<usize, StoreError> {
        self.write("bring the search index up to date", |db| search::index(db, limit))
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        read::counts(&self.db).map_err(failed("count"))
    }
}
