//! Rank: how near each account is to those that matter, and how much it counts among them. Part of step 1 (plan) of 10.
//!
//! Theory. Accounts are nodes; a follow, a repost or an answer between two of them is a tie, which counts once and both ways: people
//! follow, repeat and answer their like. A walk starts at an account with a chance in proportion to its seed s, and at every step ends
//! with the chance α, or goes on along a tie drawn evenly. π(v), the mass of walks that end in v, is the personalised `PageRank`:
//!
//! ```text
//! π = α·s + (1 − α)·π·P,   P(u, v) = 1/d(u) for each tie of u, d(u) how many it has
//! ```
//!
//! It is not computed anew when something changes but pushed forward [Andersen, Chung and Lang 2006]: beside the estimate p(v) each
//! node keeps a residual r(v), the mass of walks that have come to v and not gone on. Invariant, after every call:
//!
//! ```text
//! p(v) + α·r(v) = α·s(v) + (1 − α)·Σ p(u)/d(u)   over the ties u of v
//! ```
//!
//! A push at v turns α·r(v) into estimate and spreads the rest evenly over its ties. A node is pushed while |r(v)| > ε·max(d(v), 1).
//! When none is left, |π(v) − p(v)| ≤ ε·d(v), since `d(u)·π_u(v) = d(v)·π_v(u)` where ties go both ways.
//!
//! Work: a push costs d(v) and takes at least α·ε·d(v) out of the sum of all |r|, so whatever adds δ to that sum costs at most δ/(α·ε)
//! steps in all. A seed adds its change. A tie adds O(1) without a look at the other ties of its ends [Zhang, Lofgren and Goel 2016]:
//! p(u) is scaled by (d + 1)/d, so that p(u)/d stays what it was for all others, and r(u) pays for it.
//!
//! | paper | here |
//! |---|---|
//! | α, ε | `STOP_SHARE`, `RESIDUAL_MAX` |
//! | π(v), estimated | [`Rank::score`]: p(v) + α·r(v), the invariant's left side, which is never farther off than p(v) |
//!
//! Memory: at most [`NODES_MAX`] nodes and `TIES_MAX` ties, `TIES_OF_ONE_MAX` of a node; what comes after is not kept. Pure. What it
//! does not do: forget ties. Whoever feeds it builds it anew now and then.

use std::collections::VecDeque;

use freshet_types::Map;

/// α: the share of walks that end at each step.
const STOP_SHARE: f64 = 0.15;
/// ε: residual for each tie of a node below which it is left where it is.
const RESIDUAL_MAX: f64 = 1e-4;
/// Accounts that are ranked; those that come after have no score. About 60 bytes each.
pub const NODES_MAX: usize = 400_000;
/// Ties that are kept, eight bytes each.
const TIES_MAX: usize = 4_000_000;
/// Ties of one account: a hub that everybody follows says nothing about whom it is tied to.
const TIES_OF_ONE_MAX: usize = 2_048;

#[derive(Clone, Debug, Default)]
struct Node {
    seed: f64,
    estimate: f64,
    residual: f64,
    is_queued: bool,
    /// The other ends, ascending.
    ties: Vec<u32>,
}

impl Node {
    fn is_heavy(&self) -> bool {
        self.residual.abs() > RESIDUAL_MAX * self.ties.len().max(1) as f64
    }
}

/// Personalised `PageRank` of accounts, kept up to date while ties and seeds come in.
#[derive(Clone, Debug, Default)]
pub struct Rank {
    nodes: Vec<Node>,
    /// Where the node of an account is.
    places: Map<u64, u32>,
    /// Nodes whose residual is too large; each at most once.
    heavy: VecDeque<u32>,
    tie_count: usize,
}

impl Rank {
    /// Accounts that have a place.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What walks start with at this account from now on: 0 for nobody in particular.
    pub fn seed(&mut self, account: u64, seed: f64) {
        let seed = if seed.is_finite() { seed.max(0.0) } else { 0.0 };
        let is_known = self.places.contains_key(&account);
        let Some(place) = (if seed > 0.0 || is_known { self.place(account) } else { None }) else { return };
        let node = &mut self.nodes[place as usize];
        let change = seed - node.seed;
        node.seed = seed;
        node.residual += change;
        self.queue(place);
    }

    /// These two are tied from now on; gives whether that is new and was kept.
    pub fn tie(&mut self, one: u64, other: u64) -> bool {
        if one == other || self.tie_count >= TIES_MAX {
            return false;
        }
        let (Some(one), Some(other)) = (self.place(one), self.place(other)) else { return false };
        let is_full = |place: u32| self.nodes[place as usize].ties.len() >= TIES_OF_ONE_MAX;
        let Err(at) = self.nodes[one as usize].ties.binary_search(&other) else { return false };
        let Err(back) = self.nodes[other as usize].ties.binary_search(&one) else { return false };
        if is_full(one) || is_full(other) {
            return false;
        }
        // Both ends by what they had before: a tie is two arrows, and each moves its own end's estimate only.
        self.lead(one, other);
        self.lead(other, one);
        self.nodes[one as usize].ties.insert(at, other);
        self.nodes[other as usize].ties.insert(back, one);
        self.tie_count += 1;
        self.queue(one);
        self.queue(other);
        true
    }

    /// Pushes until nothing is left to push or so many steps are done; a push is at least a step, and finished once begun. Gives the steps.
    pub fn settle(&mut self, steps_max: usize) -> usize {
        let mut steps = 0;
        while steps < steps_max {
            let Some(place) = self.heavy.pop_front() else { break };
            self.nodes[place as usize].is_queued = false;
            if self.nodes[place as usize].is_heavy() {
                steps += self.push(place);
            }
        }
        steps
    }

    /// How near an account is to the seeds, and how much it counts there; 0 for one that has no place.
    pub fn score(&self, account: u64) -> f64 {
        let Some(&place) = self.places.get(&account) else { return 0.0 };
        let node = &self.nodes[place as usize];
        (node.estimate + STOP_SHARE * node.residual).max(0.0)
    }

    /// Those with the highest scores above 0, best first, at most so many.
    pub fn best(&self, count: usize) -> Vec<(u64, f64)> {
        let scored = self.places.keys().map(|&account| (account, self.score(account)));
        let mut all: Vec<(u64, f64)> = scored.filter(|it| it.1 > 0.0).collect();
        all.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        all.truncate(count);
        all
    }

    fn place(&mut self, account: u64) -> Option<u32> {
        if let Some(&place) = self.places.get(&account) {
            return Some(place);
        }
        if self.nodes.len() >= NODES_MAX {
            return None;
        }
        let place = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.places.insert(account, place);
        Some(place)
    }

    /// The arrow from one node to another, before it is in the list of ties.
    fn lead(&mut self, from: u32, to: u32) {
        let node = &mut self.nodes[from as usize];
        let (degree, estimate) = (node.ties.len() as f64, node.estimate);
        // The first tie takes all that went nowhere before; later ones leave to the others what they had.
        let share = if degree > 0.0 { estimate / degree } else { estimate };
        if degree > 0.0 {
            node.estimate += share;
            node.residual -= share / STOP_SHARE;
        }
        self.nodes[to as usize].residual += (1.0 - STOP_SHARE) / STOP_SHARE * share;
    }

    fn queue(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        if !node.is_queued && node.is_heavy() {
            node.is_queued = true;
            self.heavy.push_back(place);
        }
    }

    /// Gives the steps it took.
    fn push(&mut self, place: u32) -> usize {
        let node = &mut self.nodes[place as usize];
        let residual = std::mem::take(&mut node.residual);
        node.estimate += STOP_SHARE * residual;
        let ties = std::mem::take(&mut node.ties);
        let share = (1.0 - STOP_SHARE) * residual / ties.len().max(1) as f64;
        for &other in &ties {
            self.nodes[other as usize].residual += share;
            self.queue(other);
        }
        let steps = ties.len().max(1);
        self.nodes[place as usize].ties = ties;
        steps
    }
}

#[cfg(test)]
mod tests;
