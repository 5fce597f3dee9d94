//! Algorithm 2 of seed 004: which of the times on pages of one kind are those of the records.
//!
//! | paper | here |
//! |---|---|
//! | `tsSet`, candidates of one DOM path | stamps of one [`Anchor::path`] |
//! | `SeqOrd`, `RevOrd`, `Order` | [`Sequence`] |
//! | argmax of Order over paths | the largest [`Candidate::score`] |
//!
//! The paper takes the path whose times are best ordered. Alone, that fails on lists with pinned rows and on threaded
//! discussions, and a path that comes up twice is perfectly ordered; so the order is one factor beside how many records a path
//! anchors, how regularly they lie, whether it shows a time of day (join dates do not), how often values repeat (join
//! dates of one author do), and what is written before it. Order counts in both directions: newest first is an order too.

use freshet_types::Map;

use super::site::Site;
use crate::page::Page;
use crate::record::{Anchor, cut, most_common};
use crate::time::order::Sequence;
use crate::tree::NodeId;

/// A path and how well it serves as the anchor of records.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) anchor: Anchor,
    pub(crate) score: f64,
    /// Share with a time of day.
    pub(crate) clock_share: f64,
}

#[derive(Default)]
struct Tally {
    weight: f64,
    count: usize,
    clock_count: usize,
    noise_count: usize,
    read_count: usize,
    /// All moments; equal ones count once.
    values: Vec<i64>,
    sequence: Sequence,
    ups: Vec<usize>,
    single_up: Option<usize>,
}

/// All paths of some pages, the best anchor first.
pub(crate) fn candidates(site: &Site<'_>, pages: &[usize]) -> Vec<Candidate> {
    let mut tallies: Map<u32, Tally> = Map::default();
    for &at in pages {
        tally(site, at, &mut tallies);
    }
    let found = tallies.into_iter().map(|(path, tally)| tally.candidate(site.paths.names.text(path)));
    let mut found: Vec<Candidate> = found.collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.anchor.cmp(&b.anchor)));
    found
}

fn tally(site: &Site<'_>, at: usize, tallies: &mut Map<u32, Tally>) {
    let page = &site.pages[at];
    // The times of one path together, in document order.
    let mut indices: Vec<usize> = (0..page.stamps.len()).collect();
    indices.sort_by_key(|&index| page.stamps[index].path);
    for same in indices.chunk_by(|a, b| page.stamps[*a].path == page.stamps[*b].path) {
        let path = site.paths.number(at, page.stamps[same[0]].path);
        if site.is_frame(path) {
            continue;
        }
        let tally = tallies.entry(path).or_default();
        let stamps = || same.iter().map(|&index| &page.stamps[index]);
        let nodes: Vec<NodeId> = stamps().map(|stamp| stamp.node).collect();
        let times: Vec<i64> = same.iter().filter_map(|&index| site.unix_s(at, index)).collect();
        tally.count += same.len();
        tally.clock_count += stamps().filter(|stamp| stamp.written.has_clock()).count();
        tally.noise_count += stamps().filter(|stamp| stamp.is_noise).count();
        tally.read_count += times.len();
        tally.sequence.add(&times);
        tally.values.extend(times);
        if let Some(cut) = cut(&page.tree, &nodes) {
            tally.weight += cut.record_count as f64 * cut.regularity;
            tally.ups.extend(std::iter::repeat_n(cut.up_count, cut.record_count));
        } else {
            tally.weight += 0.5;
            tally.single_up = tally.single_up.or(Some(single_up(page, nodes[0])));
        }
    }
}

/// A time that is alone on its page says little about its record: the nearest element with an id or a class around a block.
fn single_up(page: &Page, node: NodeId) -> usize {
    let is_record = |&at: &NodeId| {
        let id = page.tree.attribute(at, "id").is_some_and(|id| id.bytes().any(|it| it.is_ascii_digit()));
        id || matches!(page.tree.tag(at), "article" | "tr" | "li")
    };
    page.tree.ancestors(node).position(|at| is_record(&at)).unwrap_or(2)
}

impl Tally {
    fn candidate(mut self, path: &str) -> Candidate {
        self.values.sort_unstable();
        self.values.dedup();
        let share = |part: usize| part as f64 / self.count.max(1) as f64;
        let clock_share = share(self.clock_count);
        let distinct = self.values.len() as f64 / self.read_count.max(1) as f64;
        let has_sequence = self.sequence.rising_count + self.sequence.falling_count > 0;
        let order = if has_sequence { self.sequence.order().abs() } else { 0.5 };
        let score = self.weight
            * (0.25 + 0.75 * clock_share)
            * (1.0 - 0.9 * share(self.noise_count))
            * (0.4 + 0.6 * order)
            * (0.5 + 0.5 * distinct)
            * (0.2 + 0.8 * share(self.read_count));
        let up_count = if self.ups.is_empty() { self.single_up.unwrap_or(2) } else { most_common(&self.ups) };
        let anchor = Anchor { path: path.to_owned(), up_count };
        Candidate { anchor, score, clock_share }
    }
}
