//! The look-ahead: when a source is visited next if every visit has its price.
//!
//! A source was last visited at s. Until a visit at u its posts gather L(u) = ∫λ and M(u) =
//! ∫λ(v)(v−s)dv. A visit at uₖ after one at uⱼ costs its price and the waiting of the posts in
//! between, D(j,k) = uₖ(Lₖ−Lⱼ) − (Mₖ−Mⱼ), and leaves the source in state k:
//!
//! Vⱼ = min over k>j of  D(j,k) + cₖ + Vₖ
//!
//! The regret of not visiting at uⱼ is what waiting for the best later visit costs more:
//! Aⱼ = min over k>j of (D(0,k) + cₖ + Vₖ) − (D(0,j) + cⱼ + Vⱼ). Where it is above zero the source
//! is due; under a budget the largest regrets go first. The multiplier of the budget is the
//! price, so this is the Lagrangian index of the problem [Eckstein 2008 for one source].
//!
//! | symbol | here |
//! |---|---|
//! | uⱼ, hours after s: ¼ h apart, then ever coarser, 40 days in all | [`NODES_H`] |
//! | Lⱼ, Mⱼ | [`Path`] |
//! | cₖ = price · hour factor | `prices` of [`Plan::make`] |
//! | Vⱼ beyond ten days: −g·(uⱼ−uₜ), g = 0.95·√(2·price·rate) | `slope` |
//! | Aⱼ | [`Plan::regrets`] |
//!
//! D(0,k) splits into Bₖ − uₖ·Lⱼ + Mⱼ with Bₖ = uₖ Lₖ − Mₖ + cₖ + Vₖ: every later
//! visit is a line in Lⱼ, lines come in the order of their slopes, questions in the order of
//! Lⱼ. So the minimum is read off an envelope that is a queue, and a plan costs O(nodes), not
//! O(nodes²). Nothing is allocated.

mod outlook;

use freshet_types::{Span, Timestamp};

use crate::mixture::{self, HORIZON_COUNT};

pub use outlook::Outlook;

/// Nodes of a plan.
pub const NODE_COUNT: usize = 86;
/// Where steps end and how long they are before, in quarters of an hour.
const STEPS: [(u32, u32); 7] = [(8, 1), (24, 2), (96, 4), (192, 8), (384, 16), (960, 48), (3840, 192)];
/// Hours of each node after the last visit.
pub const NODES_H: [f64; NODE_COUNT] = nodes_h();
/// The horizon of the stretch that ends with each node.
const HORIZONS: [usize; NODE_COUNT] = horizons();
/// From this node on, what follows is taken as a steady cycle: ten days.
const TAIL: usize = NODE_COUNT - 1 - 15;
/// A steady cycle costs a little less than √(2·price·rate): visits choose their hours.
const CYCLE_SHARE: f64 = 0.95;

/// Visits are counted over a day: later nodes are too far apart for busy sources.
const COUNTED_H: f64 = 24.0;

const fn nodes_h() -> [f64; NODE_COUNT] {
    let mut nodes = [0.0; NODE_COUNT];
    let (mut node, mut at, mut step) = (1, 0, 0);
    while step < STEPS.len() {
        while at < STEPS[step].0 {
            at += STEPS[step].1;
            nodes[node] = at as f64 / 4.0;
            node += 1;
        }
        step += 1;
    }
    assert!(node == NODE_COUNT, "as many nodes as the steps make");
    nodes
}

const fn horizons() -> [usize; NODE_COUNT] {
    let (mut horizons, nodes) = ([0; NODE_COUNT], nodes_h());
    let mut node = 1;
    while node < NODE_COUNT {
        let middle = f64::midpoint(nodes[node - 1], nodes[node]);
        let mut horizon = 0;
        while horizon + 1 < HORIZON_COUNT && middle >= mixture::EDGES_H[horizon + 1] {
            horizon += 1;
        }
        horizons[node] = horizon;
        node += 1;
    }
    horizons
}

/// What gathers at a source until each node, without a visit.
#[derive(Clone, Debug)]
pub struct Path {
    /// L: posts.
    pub posts: [f64; NODE_COUNT],
    /// M: posts times their hours after the last visit.
    pub moments_h: [f64; NODE_COUNT],
}

impl Default for Path {
    fn default() -> Self {
        Self { posts: [0.0; NODE_COUNT], moments_h: [0.0; NODE_COUNT] }
    }
}

impl Path {
    /// When so many posts are expected to have gathered; `None` if not within the nodes.
    pub fn reaches_h(&self, posts: f64) -> Option<f64> {
        let node = (1..NODE_COUNT).find(|node| self.posts[*node] >= posts)?;
        let (before, after) = (self.posts[node - 1], self.posts[node]);
        let share = if after > before { (posts - before).max(0.0) / (after - before) } else { 1.0 };
        Some(NODES_H[node - 1] + share * (NODES_H[node] - NODES_H[node - 1]))
    }
}

/// The horizon of the stretch before a node.
pub(crate) fn horizon_before(node: usize) -> usize {
    HORIZONS[node]
}

/// What is regretted at each node.
#[derive(Clone, Debug)]
pub struct Plan {
    values: [f64; NODE_COUNT],
    lines: [f64; NODE_COUNT],
    /// The best next visit after each node.
    next: [u8; NODE_COUNT],
    /// A: posts times hours, above zero where a visit is due.
    pub regrets: [f32; NODE_COUNT],
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            values: [0.0; NODE_COUNT],
            lines: [0.0; NODE_COUNT],
            next: [0; NODE_COUNT],
            regrets: [0.0; NODE_COUNT],
        }
    }
}

impl Plan {
    /// Plans along a path, for nodes from `first` on; `prices` of a visit at each node and its
    /// mean, in posts times hours.
    pub fn make(&mut self, path: &Path, prices: &[f64; NODE_COUNT], price: f64, first: usize) {
        let (posts, moments_h) = (&path.posts, &path.moments_h);
        let first = first.clamp(1, TAIL);
        let last = NODE_COUNT - 1;
        let tail_per_h = (posts[last] - posts[TAIL - 1]) / (NODES_H[last] - NODES_H[TAIL - 1]);
        let slope = CYCLE_SHARE * (2.0 * price * tail_per_h.max(0.0)).sqrt();
        let line =
            |node: usize, value: f64| NODES_H[node] * posts[node] - moments_h[node] + prices[node] + value;
        let mut queue = Envelope::default();
        for node in (TAIL..NODE_COUNT).rev() {
            self.values[node] = -slope * (NODES_H[node] - NODES_H[TAIL]);
            self.lines[node] = line(node, self.values[node]);
            queue.push(node, &self.lines);
        }
        for node in (first..TAIL).rev() {
            let best = queue.best(posts[node], &self.lines);
            self.next[node] = best as u8;
            self.values[node] = self.lines[best] - NODES_H[best] * posts[node] + moments_h[node];
            self.lines[node] = line(node, self.values[node]);
            queue.push(node, &self.lines);
        }
        let mut least = f64::INFINITY;
        for node in (first..NODE_COUNT).rev() {
            self.regrets[node] = if least.is_finite() { (least - self.lines[node]) as f32 } else { 0.0 };
            least = least.min(self.lines[node]);
        }
        // The last node has no later one: it goes on as the two before it.
        let [before, ahead] = [last - 2, last - 1].map(|node| self.regrets[node]);
        self.regrets[last] = ahead + (ahead - before).max(0.0);
    }

    /// Visits an hour that a plan from the first node on holds.
    pub fn visits_per_h(&self) -> f64 {
        let lowest = |a: &usize, b: &usize| self.lines[*a].total_cmp(&self.lines[*b]);
        let mut node = (1..NODE_COUNT).min_by(lowest).unwrap_or(TAIL);
        let mut visit_count = 1.0;
        while NODES_H[node] < COUNTED_H && node < TAIL {
            node = usize::from(self.next[node]).max(node + 1);
            visit_count += 1.0;
        }
        visit_count / NODES_H[node]
    }

    /// The first node, from `first` on, at which a visit is due.
    pub fn due_h(&self, first: usize) -> Option<f64> {
        let first = first.max(1);
        let node = (first..NODE_COUNT).find(|node| self.regrets[*node] >= 0.0)?;
        if node == first {
            return Some(NODES_H[node]);
        }
        let (before, after) = (f64::from(self.regrets[node - 1]), f64::from(self.regrets[node]));
        let share = if after > before { -before / (after - before) } else { 1.0 };
        Some(NODES_H[node - 1] + share * (NODES_H[node] - NODES_H[node - 1]))
    }
}

/// The value at so many hours after the last visit of what is known at nodes.
pub(crate) fn between(values: &[f32; NODE_COUNT], hours: f64) -> f64 {
    let (node, share) = place(hours);
    f64::from(values[node - 1]) * (1.0 - share) + f64::from(values[node]) * share
}

/// The node after so many hours, and how far it is to it; beyond the last node, on from there.
pub(crate) fn place(hours: f64) -> (usize, f64) {
    let node = NODES_H.partition_point(|node| *node < hours - 1e-9).clamp(1, NODE_COUNT - 1);
    (node, (hours - NODES_H[node - 1]) / (NODES_H[node] - NODES_H[node - 1]))
}

/// Lines Bₖ − uₖ·x of later nodes, of which the lowest is asked for at ever smaller x.
#[derive(Debug)]
struct Envelope {
    nodes: [u8; NODE_COUNT],
    head: usize,
    end: usize,
}

impl Default for Envelope {
    fn default() -> Self {
        Self { nodes: [0; NODE_COUNT], head: 0, end: 0 }
    }
}

impl Envelope {
    /// A line flatter than all before.
    fn push(&mut self, node: usize, lines: &[f64; NODE_COUNT]) {
        while self.end - self.head >= 2 {
            let (a, b) = (usize::from(self.nodes[self.end - 2]), usize::from(self.nodes[self.end - 1]));
            // b is never lowest if it meets the new line before (at larger x) it meets a.
            let meets_new = (lines[b] - lines[node]) * (NODES_H[a] - NODES_H[b]);
            let meets_old = (lines[a] - lines[b]) * (NODES_H[b] - NODES_H[node]);
            if meets_new < meets_old {
                break;
            }
            self.end -= 1;
        }
        self.nodes[self.end] = node as u8;
        self.end += 1;
    }

    /// The lowest line at x, which never grows from one question to the next.
    fn best(&mut self, x: f64, lines: &[f64; NODE_COUNT]) -> usize {
        let height = |place: u8| lines[usize::from(place)] - NODES_H[usize::from(place)] * x;
        while self.end - self.head >= 2 && height(self.nodes[self.head + 1]) <= height(self.nodes[self.head])
        {
            self.head += 1;
        }
        usize::from(self.nodes[self.head])
    }
}

/// Hours from one instant to another, never negative.
pub(crate) fn hours(since: Timestamp, until: Timestamp) -> f64 {
    (until - since).max(Span::ZERO).secs_f64() / 3600.0
}

#[cfg(test)]
mod tests;
