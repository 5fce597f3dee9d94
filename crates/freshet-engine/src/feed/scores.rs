//! The scores by which rings are served, and which weights follow: while there is a focus who posts what is wanted, and who is near them; else
//! who is near to what a person added, and counts much there.
//!
//! Three streams of the store are read, each from its own place and a bounded step at a time: changes of accounts (who was added, who is in
//! a place), relations, posts. Follows, reposts, quotations and answers become ties of a [`Rank`]; its seeds are what a person added
//! and accounts with wanted posts, by the share of their known posts that is wanted. All of it is derived and lives in memory
//! only, bounded by the constants below and those of the rank: after a start, or when the focus changes, it is read anew. Without a focus and with
//! nothing added walks begin nowhere, so nobody has a score.
//!
//! What it does not do: forget. A relation that was cancelled counts until the next start, and an edit does not change what a post was.

use freshet_frontier::Turns;
use freshet_network::focus::Focus;
use freshet_policy::rank::{NODES_MAX, Rank};
use freshet_store::api::interest::RANKED_MAX;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Filter, PostRow};
use freshet_types::{Account, Map, NetworkName, RobotKind, Set, Span, Timestamp};

use crate::focus::Authors;
use crate::importance::READ_EVERY;

/// Rows of each stream read at once: the writer is waited for.
const STEP: usize = 1_024;
/// Steps of the rank at once: a few milliseconds.
const SETTLE_MAX: usize = 200_000;
/// Wanted posts that are remembered, for robots that visit posts; the oldest ones have left their rings long ago.
const WANTED_MAX: usize = 262_144;
/// Ids at the head of a ring among which the best are sought: a few milliseconds, at most five times a second.
pub(super) const WINDOW: usize = 16_384;
/// Sources made from rings that are due, while there is a focus: few, so that what is learned meanwhile decides who is next.
pub(super) const AHEAD_MAX: usize = 64;
/// The same without a focus, for each server that is known: minutes of its calls. Nobody asked for an order, so no call may be left over for it.
const AHEAD_MAX_OF_SERVER: usize = 512;
/// Of what leaves without a focus, the share in percent that leaves in order of arrival: nobody waits for ever.
const EXPLORE_PERCENT: u8 = 10;
/// Time between two writings of the ranks, by the clock of the crawl: as often as a run reads them.
const WRITE_EVERY: Span = READ_EVERY;
/// What an added account counts as a seed beside one whose every post is wanted: walks have to begin somewhere. Without a focus it counts whole.
const ADDED_SEED: f64 = 0.1;

/// What is known of an account.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    post_count: u32,
    wanted_count: u32,
    is_added: bool,
    /// It is wanted whatever it posts.
    is_wanted: bool,
}

impl Known {
    fn seed(self, has_focus: bool) -> f64 {
        let added = if self.is_added { ADDED_SEED } else { 0.0 };
        if !has_focus {
            return f64::from(u8::from(self.is_added));
        }
        let share = f64::from(self.wanted_count) / (f64::from(self.post_count) + 1.0);
        added + if self.is_wanted { 1.0 } else { share }
    }
}

/// Scores of what waits in the rings.
#[derive(Debug)]
pub(super) struct Scores {
    focus: Option<Focus>,
    /// Somebody was added, from whom walks begin.
    has_added: bool,
    rank: Rank,
    known: Map<u64, Known>,
    wanted_posts: Set<u64>,
    accounts_at: u64,
    relations_at: u64,
    posts_at: u64,
    /// Whose turn it is in the ring of each robot: the best, or the oldest.
    turns: [Turns; RobotKind::ALL.len()],
    /// When the ranks were written, which weights follow.
    written_at: Option<Timestamp>,
}

impl Scores {
    /// Nothing is known yet.
    pub(super) fn new(focus: Option<Focus>) -> Self {
        Self {
            focus,
            has_added: false,
            rank: Rank::default(),
            known: Map::default(),
            wanted_posts: Set::default(),
            accounts_at: 0,
            relations_at: 0,
            posts_at: 0,
            turns: Default::default(),
            written_at: None,
        }
    }

    pub(super) fn focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// Whether they may order anything.
    pub(super) fn are_any(&self) -> bool {
        self.focus.is_some() || self.has_added
    }

    /// How many sources may be made ahead of their first visit, where so many servers are known.
    pub(super) fn ahead_max(&self, server_count: usize) -> usize {
        match &self.focus {
            Some(_) => AHEAD_MAX,
            None => AHEAD_MAX_OF_SERVER.saturating_mul(server_count.max(1)).min(super::AHEAD_MAX),
        }
    }

    /// Takes in what is new, and writes who ranks high when it is time. Ranks of half of what is known would move calls to and fro: until
    /// all is in, the last ones stand.
    pub(super) fn tend(&mut self, store: &mut dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let is_time = self.written_at.is_none_or(|at| now - at >= WRITE_EVERY || at > now);
        if self.step(store)? && is_time {
            store.set_ranks(&self.rank.best(RANKED_MAX))?;
            self.written_at = Some(now);
        }
        Ok(())
    }

    /// Takes in the next rows of each stream, and settles what follows from them; gives whether all is in.
    fn step(&mut self, store: &dyn Store) -> Result<bool, StoreError> {
        let before = [self.accounts_at, self.relations_at, self.posts_at];
        self.read_accounts(store)?;
        self.read_relations(store)?;
        self.read_posts(store)?;
        let steps = self.rank.settle(SETTLE_MAX);
        Ok(before == [self.accounts_at, self.relations_at, self.posts_at] && steps < SETTLE_MAX)
    }

    /// What leaves a ring next: positions of its window.
    pub(super) fn choose(&mut self, robot: RobotKind, window: &[u64], count: usize) -> Vec<usize> {
        let explore_percent = self.focus.as_ref().map_or(EXPLORE_PERCENT, |focus| focus.explore_percent);
        let scores: Vec<f64> = window.iter().map(|id| self.score(*id)).collect();
        self.turns[robot as usize].choose(&scores, count, explore_percent)
    }

    /// What a person added is first, then posts that are wanted, then whoever is near.
    fn score(&self, id: u64) -> f64 {
        let is_added = self.known.get(&id).is_some_and(|known| known.is_added);
        let is_first = is_added || self.wanted_posts.contains(&id);
        self.rank.score(id) + if is_first { f64::from(u32::MAX) } else { 0.0 }
    }

    fn read_accounts(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let (changes, up_to) = store.account_changes_above(self.accounts_at, STEP)?;
        for change in changes.iter().filter(|change| change.depth == 0) {
            self.has_added = true;
            self.know(change.object, |known| known.is_added = true);
        }
        if self.has_places() {
            let names = changes.iter().map(|change| (&change.address.network, &*change.address.id));
            for row in Authors::named(store, names)?.all() {
                self.judge(row.object, &row.account);
            }
        }
        self.accounts_at = up_to;
        Ok(())
    }

    fn read_relations(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let filter = Filter { above: self.relations_at, ..Filter::default() };
        let rows = store.relations(&filter, STEP)?.rows;
        let Some(last) = rows.last() else { return Ok(()) };
        let up_to = last.number;
        let ends = rows.iter().flat_map(|row| [(&row.network, &*row.source), (&row.network, &*row.target)]);
        let accounts = Authors::named(store, ends)?;
        for row in rows.iter().filter(|row| row.cancelled_at.is_none()) {
            let end = |id: &str| accounts.get(&row.network, id).map(|found| found.object);
            if let (Some(source), Some(target)) = (end(&row.source), end(&row.target)) {
                self.rank.tie(source, target);
            }
        }
        self.relations_at = up_to;
        Ok(())
    }

    fn read_posts(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let filter = Filter { above: self.posts_at, ..Filter::default() };
        let rows = store.posts(&filter, STEP)?.rows;
        let Some(last) = rows.last() else { return Ok(()) };
        let up_to = last.object;
        let mentioned = mentioned(store, &rows)?;
        let others =
            mentioned.iter().filter_map(|(_, row)| Some((&row.network, row.post.author.as_deref()?)));
        let own = rows.iter().filter_map(|row| Some((&row.network, row.post.author.as_deref()?)));
        let authors = Authors::named(store, own.chain(others))?;
        for row in &rows {
            let author = authors.of(row);
            let account = author.map(|found| &found.account);
            let is_wanted = self.focus.as_ref().is_some_and(|focus| focus.wants(&row.post, account));
            if is_wanted && self.wanted_posts.len() < WANTED_MAX {
                self.wanted_posts.insert(row.object);
            }
            let Some(author) = author else { continue };
            self.judge(author.object, &author.account);
            if self.focus.is_none() {
                continue;
            }
            self.know(author.object, |known| {
                known.post_count = known.post_count.saturating_add(1);
                known.wanted_count = known.wanted_count.saturating_add(u32::from(is_wanted));
            });
        }
        for (at, other) in &mentioned {
            if let (Some(one), Some(other)) = (authors.of(&rows[*at]), authors.of(other)) {
                self.rank.tie(one.object, other.object);
            }
        }
        self.posts_at = up_to;
        Ok(())
    }

    fn has_places(&self) -> bool {
        self.focus.as_ref().is_some_and(Focus::has_places)
    }

    /// Whether an account is wanted by itself.
    fn judge(&mut self, object: u64, account: &Account) {
        if let Some(focus) = self.focus.as_ref().filter(|focus| focus.has_places()) {
            let is_wanted = focus.wants_account(account);
            if is_wanted || self.known.contains_key(&object) {
                self.know(object, |known| known.is_wanted = is_wanted);
            }
        }
    }

    fn know(&mut self, object: u64, learn: impl FnOnce(&mut Known)) {
        if self.known.len() >= NODES_MAX && !self.known.contains_key(&object) {
            return;
        }
        let known = self.known.entry(object).or_default();
        learn(known);
        let seed = known.seed(self.focus.is_some());
        self.rank.seed(object, seed);
    }
}

/// Posts that these answer, repeat or quote, as far as they are stored, each with the place of the row that does.
fn mentioned(store: &dyn Store, rows: &[PostRow]) -> Result<Vec<(usize, PostRow)>, StoreError> {
    let mut names: Map<&NetworkName, Vec<(usize, &str, &str)>> = Map::default();
    for (at, row) in rows.iter().enumerate() {
        let post = &row.post;
        let kind: &str = &post.kind;
        let reply = post.reply_to.as_deref().map(|id| (post.kind.reply_to().unwrap_or(kind), id));
        let repeated =
            [&post.repost_of, &post.quote_of].into_iter().filter_map(|id| Some((kind, id.as_deref()?)));
        let list = names.entry(&row.network).or_default();
        list.extend(reply.into_iter().chain(repeated).map(|(kind, id)| (at, kind, id)));
    }
    let mut found = Vec::new();
    for (network, names) in names.into_iter().filter(|(_, names)| !names.is_empty()) {
        let pairs: Vec<(&str, &str)> = names.iter().map(|(_, kind, id)| (*kind, *id)).collect();
        let posts = store.posts_of(network, &pairs)?;
        found.extend(names.iter().zip(posts).filter_map(|((at, ..), post)| Some((*at, post?))));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
