//! The layout of pages by their repetitive regions, and groups of pages with one layout.
//!
//! Seed 004, section 3.2: *we utilize the repetitive regions to characterize the layout of each page* and *pages with similar
//! layout structures are further clustered into groups using the single linkage algorithm*. Two pages of one template differ in
//! advertisements, images and what people write, so the whole tree is no measure; what repeats on some page of the site is.
//!
//! | paper | here |
//! |---|---|
//! | repetitive region | a step inside a step that comes up at least [`REPEAT_MIN`] times in one element ([`Layout`]) |
//! | layout similarity | share of common regions ([`similarity`]), what stands on nearly all pages left out |
//! | single linkage, threshold δ | [`groups`], [`DELTA`] |
//!
//! A thread with one post repeats nothing; it is compared by the regions that repeat elsewhere on the site. Cost: pages with
//! equal layouts are one representative; at most [`REPRESENTATIVES_MAX`] are compared pairwise.

use freshet_types::{Map, Set};

use crate::page::Page;

/// A child that comes up so often in one element makes a region.
const REPEAT_MIN: usize = 3;
/// Pages closer than this belong together.
pub(crate) const DELTA: f64 = 0.35;
/// Regions on more than this share of pages are the site's frame.
const FRAME_SHARE: f64 = 0.9;
/// Layouts compared pairwise; a site has tens of templates.
const REPRESENTATIVES_MAX: usize = 600;

/// What repeats on a page, and what could.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Steps inside steps, by the page's own numbers, and whether they repeat.
    pairs: Vec<(u32, u32, bool)>,
}

/// Pairs met of late on a page; nearly all come again at once.
const RECENT: usize = 64;

impl Layout {
    /// The layout of one page.
    pub fn of(page: &Page) -> Self {
        let mut found: Vec<(u32, u32, bool)> = Vec::new();
        let mut recent = [(u32::MAX, u32::MAX, false); RECENT];
        // How often each step comes up in the element at hand.
        let mut counts = vec![0_usize; page.steps.names().len()];
        let mut steps: Vec<u32> = Vec::new();
        for node in 0..page.tree.len() {
            if page.tree.text(node).is_some() || page.tree.end(node) <= node + 1 {
                continue;
            }
            for child in page.tree.children(node) {
                let step = page.steps.id(child);
                if counts[step as usize] == 0 {
                    steps.push(step);
                }
                counts[step as usize] += 1;
            }
            for step in steps.drain(..) {
                let is_repeated = std::mem::take(&mut counts[step as usize]) >= REPEAT_MIN;
                let pair = (page.steps.id(node), step, is_repeated);
                let slot = &mut recent[(pair.0 as usize * 31 + pair.1 as usize) % RECENT];
                if *slot != pair {
                    *slot = pair;
                    found.push(pair);
                }
            }
        }
        // What repeats comes first, and once is enough.
        found.sort_unstable_by_key(|(outer, inner, is_repeated)| (*outer, *inner, !is_repeated));
        found.dedup_by_key(|(outer, inner, _)| (*outer, *inner));
        Self { pairs: found }
    }

    /// Share of some regions that the page has.
    pub fn share_of(&self, page: &Page, regions: &[String]) -> f64 {
        let names = page.steps.names();
        let name = |step: u32| names[step as usize].as_str();
        let pairs: Set<String> =
            self.pairs.iter().map(|(outer, inner, _)| region(name(*outer), name(*inner))).collect();
        let found = regions.iter().filter(|it| pairs.contains(*it)).count();
        found as f64 / regions.len().max(1) as f64
    }
}

/// The name of a region: `.list>.post`.
fn region(outer: &str, inner: &str) -> String {
    format!("{outer}>{inner}")
}

/// The regions of each page that tell it from others, as numbers in rising order, and their names.
#[derive(Debug, Default)]
pub struct Regions {
    /// For each page.
    pub of_page: Vec<Vec<u32>>,
    names: Vec<String>,
}

impl Regions {
    /// Keeps what repeats somewhere and does not stand everywhere.
    pub fn of(pages: &[Page]) -> Self {
        // The steps of all pages, each name once.
        let mut steps: Map<&str, u32> = Map::default();
        let mut step_names: Vec<&str> = Vec::new();
        // For each pair of steps, on how many pages it stands and whether it repeats on one.
        let mut counts: Map<(u32, u32), (usize, bool)> = Map::default();
        let mut layouts: Vec<Vec<(u32, u32)>> = Vec::with_capacity(pages.len());
        for page in pages {
            let of_site: Vec<u32> = page
                .steps
                .names()
                .iter()
                .map(|name| {
                    *steps.entry(name).or_insert_with(|| {
                        step_names.push(name);
                        (step_names.len() - 1) as u32
                    })
                })
                .collect();
            let layout = Layout::of(page).pairs.into_iter().map(|(outer, inner, is_repeated)| {
                let pair = (of_site[outer as usize], of_site[inner as usize]);
                let count = counts.entry(pair).or_default();
                *count = (count.0 + 1, count.1 | is_repeated);
                pair
            });
            layouts.push(layout.collect());
        }
        let limit = if pages.len() < 4 { pages.len() as f64 } else { pages.len() as f64 * FRAME_SHARE };
        let kept =
            counts.into_iter().filter(|(_, (count, is_repeated))| *is_repeated && *count as f64 <= limit);
        let name = |step: u32| step_names[step as usize];
        let mut kept: Vec<(String, (u32, u32))> =
            kept.map(|(pair, _)| (region(name(pair.0), name(pair.1)), pair)).collect();
        kept.sort_unstable();
        let numbers: Map<(u32, u32), u32> = kept.iter().map(|(_, pair)| *pair).zip(0..).collect();
        let regions_of = |layout: Vec<(u32, u32)>| {
            let mut regions: Vec<u32> = layout.iter().filter_map(|pair| numbers.get(pair).copied()).collect();
            regions.sort_unstable();
            regions
        };
        let of_page = layouts.into_iter().map(regions_of).collect();
        Self { of_page, names: kept.into_iter().map(|(name, _)| name).collect() }
    }

    /// Regions that most of `inside` have and few of the others, at most `count`.
    pub(crate) fn typical(&self, inside: &[usize], count: usize) -> Vec<String> {
        let mut shares = vec![(0_usize, 0_usize); self.names.len()];
        let inside_set: Set<usize> = inside.iter().copied().collect();
        for (at, regions) in self.of_page.iter().enumerate() {
            for &region in regions {
                let share = &mut shares[region as usize];
                if inside_set.contains(&at) { share.0 += 1 } else { share.1 += 1 }
            }
        }
        let outside_count = (self.of_page.len() - inside_set.len()).max(1);
        let score = |&(here, there): &(usize, usize)| {
            here as f64 / inside.len().max(1) as f64 - there as f64 / outside_count as f64
        };
        let mut ranked: Vec<(usize, f64)> =
            shares.iter().map(score).enumerate().filter(|(_, score)| *score > 0.5).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(count).map(|(at, _)| self.names[at].clone()).collect()
    }
}

/// Share of common regions of two pages, 0 to 1; two pages without any are alike.
pub fn similarity(a: &[u32], b: &[u32]) -> f64 {
    let (mut at, mut common) = (0, 0_usize);
    for region in a {
        while at < b.len() && b[at] < *region {
            at += 1;
        }
        common += usize::from(b.get(at) == Some(region));
    }
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

/// Single linkage: pages are in one group when a chain of pages, each closer than [`DELTA`] to the next, joins them. Gives the
/// group of each page; groups are numbered in the order of their first pages.
pub fn groups(regions: &Regions) -> Vec<usize> {
    let mut representatives: Vec<&[u32]> = Vec::new();
    let mut known: Map<&[u32], usize> = Map::default();
    let of_page: Vec<usize> = regions
        .of_page
        .iter()
        .map(|page| {
            *known.entry(page.as_slice()).or_insert_with(|| {
                representatives.push(page);
                representatives.len() - 1
            })
        })
        .collect();
    let mut leaders: Vec<usize> = (0..representatives.len()).collect();
    let compared = representatives.len().min(REPRESENTATIVES_MAX);
    for a in 0..compared {
        for b in 0..a {
            let (one, other) = (leader(&mut leaders, a), leader(&mut leaders, b));
            if one != other && 1.0 - similarity(representatives[a], representatives[b]) < DELTA {
                leaders[one.max(other)] = one.min(other);
            }
        }
    }
    let mut numbers: Map<usize, usize> = Map::default();
    of_page
        .into_iter()
        .map(|representative| {
            let leader = leader(&mut leaders, representative);
            let next = numbers.len();
            *numbers.entry(leader).or_insert(next)
        })
        .collect()
}

fn leader(leaders: &mut [usize], mut at: usize) -> usize {
    while leaders[at] != at {
        leaders[at] = leaders[leaders[at]];
        at = leaders[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::page::Source;

    fn page(html: &str) -> Page {
        let url = Url::parse("http://forum.test/").unwrap();
        Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: None })
    }

    #[test]
    fn pages_of_one_template_are_one_group() {
        let thread = |count: usize| {
            page(&format!(
                "<div class=posts>{}</div>",
                "<div class=post><p class=body>x</p><p class=sign>y</p></div>".repeat(count)
            ))
        };
        let board = |count: usize| {
            page(&format!(
                "<table class=board>{}</table>",
                "<tr class=thread><td class=name>x</td><td class=last>y</td></tr>".repeat(count)
            ))
        };
        let pages = [thread(3), thread(9), thread(1), board(4), board(7), page("<p>login</p>")];
        let regions = Regions::of(&pages);
        assert_eq!(groups(&regions), [0, 0, 0, 1, 1, 2]);
        assert_eq!(regions.typical(&[0, 1, 2], 5), [".posts>.post"]);
        assert!(Layout::of(&pages[2]).share_of(&pages[2], &regions.typical(&[0, 1, 2], 5)) > 0.9);
    }
}
