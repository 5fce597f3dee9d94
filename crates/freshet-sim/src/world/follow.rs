//! Who follows whom: a power law that keeps changing.
//!
//! An account's popularity falls with its rank as 1/rank, and authorities hold the first
//! ranks. Each follow has a rising number, which is what lists are paged by; a cancelled one
//! disappears from both ends and its number is never used again.

use rand::{Rng, RngExt};
use rand_distr::LogNormal;

use super::account::{Account, AccountKind, Edge, Standing};
use super::options::Communities;
use super::text::mix;

/// Nobody reads more accounts than this.
const FOLLOWING_MAX: usize = 400;
/// Draws for one new follow; popular accounts are soon followed already.
const TRIES_MAX: usize = 4;

/// Draws whom to follow, and numbers the follows.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// Running sums of popularity, by rank.
    sums: Vec<f64>,
    /// The account at each rank.
    ranked: Vec<u32>,
    follow_count: u32,
    communities: Option<Communities>,
}

impl Crowd {
    /// Ranks the accounts: authorities first, the others in seeded order.
    pub(crate) fn new(seed: u64, accounts: &[Account], communities: Option<Communities>) -> Self {
        let mut ranked: Vec<u32> = (0..accounts.len() as u32).collect();
        ranked.sort_by_cached_key(|index| {
            let is_ordinary = accounts[*index as usize].kind != AccountKind::Authority;
            (is_ordinary, mix(seed ^ 0x5EED, u64::from(*index)))
        });
        let mut sum = 0.0;
        // The shift by two keeps the first rank from holding half of all follows.
        let sums = (0..ranked.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.0);
                sum
            })
            .collect();
        Self { sums, ranked, follow_count: 0, communities }
    }

    /// Lets every account follow a heavy-tailed number of others.
    pub(crate) fn settle(&mut self, accounts: &mut [Account]) {
        // Median 8, a few in the hundreds.
        let fans = LogNormal::new(2.08, 1.0).expect("the parameters above are finite");
        for index in 0..accounts.len() as u32 {
            let mut rng = accounts[index as usize].rng.clone();
            let count: f64 = rng.sample(fans);
            for _ in 0..(count as usize).min(FOLLOWING_MAX).min(accounts.len() / 2) {
                self.follow(&mut rng, accounts, index);
            }
            accounts[index as usize].rng = rng;
        }
    }

    /// `index` follows somebody it does not follow yet, if chance finds one.
    pub(crate) fn follow(&mut self, rng: &mut impl Rng, accounts: &mut [Account], index: u32) {
        let total = self.sums.last().copied().unwrap_or_default();
        for _ in 0..TRIES_MAX {
            let point = rng.random::<f64>() * total;
            let rank = self.sums.partition_point(|sum| *sum <= point).min(self.ranked.len() - 1);
            let other = self.like(rng, index, self.ranked[rank]);
            let following = &accounts[index as usize].following;
            let is_open = other != index
                && accounts[other as usize].standing == Standing::Public
                && following.len() < FOLLOWING_MAX
                && following.iter().all(|edge| edge.other != other);
            if is_open {
                self.follow_count += 1;
                let number = self.follow_count;
                accounts[index as usize].following.push(Edge { number, other });
                accounts[other as usize].followers.push(Edge { number, other: index });
                return;
            }
        }
    }

    /// Whom `index` means who was drawn to follow `other`: where it keeps to its like, somebody of its own community near them.
    fn like(&self, rng: &mut impl Rng, index: u32, other: u32) -> u32 {
        let Some(Communities { count, homophily }) = self.communities else { return other };
        let own = other - other % count + index % count;
        let is_own = rng.random::<f64>() < homophily && (own as usize) < self.ranked.len();
        if is_own { own } else { other }
    }
}

/// `index` cancels one of its follows, if it has any.
pub(crate) fn unfollow(rng: &mut impl Rng, accounts: &mut [Account], index: u32) {
    let count = accounts[index as usize].following.len() as u32;
    if count > 0 {
        let edge = accounts[index as usize].following.remove(rng.random_range(0..count) as usize);
        cut(&mut accounts[edge.other as usize].followers, edge.number);
    }
}

/// Cancels every follow of and by an account that leaves.
pub(crate) fn leave(accounts: &mut [Account], index: u32) {
    for edge in std::mem::take(&mut accounts[index as usize].following) {
        cut(&mut accounts[edge.other as usize].followers, edge.number);
    }
    for edge in std::mem::take(&mut accounts[index as usize].followers) {
        cut(&mut accounts[edge.other as usize].following, edge.number);
    }
}

fn cut(edges: &mut Vec<Edge>, number: u32) {
    if let Ok(edge_index) = edges.binary_search_by_key(&number, |edge| edge.number) {
        edges.remove(edge_index);
    }
}
