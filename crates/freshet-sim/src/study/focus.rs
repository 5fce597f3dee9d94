//! Focus: wanted posts a call when discovery is ordered by a focus, first in first out (seed 002's order), or by chance.
//!
//! A world in which accounts like the tag of their community and mostly follow their like. A crawl begins with a few accounts; a call reads
//! either the newest posts of an account or whom it follows, and what it shows becomes known. The orders differ only in which account is next. The
//! parts are those that a run uses: `Written::read` and `Focus::wants` for the posts, `Rank` for the scores, `Turns` for the choice, seeds as in
//! `engine::feed`. Not here: refreshes; every call discovers.

use std::collections::BTreeSet;

use freshet_frontier::Turns;
use freshet_network::focus::{Focus, Written};
use freshet_policy::rank::Rank;
use freshet_types::{Post, Span};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::page::percent;
use super::{Page, StudyError, Traces};
use crate::plot::{Plot, Scale};
use crate::world::{Communities, Standing, World, WorldOptions, text};

const ACCOUNTS: u32 = 2_400;
const COMMUNITIES: u32 = 12;
const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;
/// Accounts that a person adds: the first of the wanted community, and others.
const ADDED: u32 = 4;
/// The community whose tag is wanted.
const WANTED: u8 = 0;
/// Posts and follows that one call shows.
const POSTS_SHOWN: usize = 20;
const FOLLOWS_SHOWN: usize = 80;
/// Accounts chosen at once.
const BATCH: usize = 16;
/// Calls after which a crawl is looked at.
const LOOKS: [usize; 4] = [100, 200, 400, 800];
/// Which of them worlds are compared at, one by one.
const RATIO_AT: usize = 2;
/// What an added account counts as a seed, as in `engine::feed`.
const ADDED_SEED: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    FirstIn,
    Chance,
    Focus(u8),
}

const ORDERS: [Order; 5] =
    [Order::FirstIn, Order::Chance, Order::Focus(0), Order::Focus(10), Order::Focus(30)];

impl Order {
    fn name(self) -> String {
        match self {
            Self::FirstIn => "breadth-first".to_owned(),
            Self::Chance => "random".to_owned(),
            Self::Focus(percent) => format!("focus, {percent} % explore"),
        }
    }
}

/// What a crawl had after so many calls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Look {
    /// Wanted posts for each call.
    wanted_per_call: f64,
    /// Share of the posts read that are wanted.
    wanted_share: f64,
    /// Share of the wanted accounts that were visited.
    visited_share: f64,
    /// Share of the wanted accounts that nothing has led to.
    unknown_share: f64,
}

#[expect(clippy::unnecessary_wraps, reason = "all studies have this form")]
pub(super) fn run(_traces: &Traces) -> Result<Vec<Page>, StudyError> {
    Ok(vec![page()])
}

fn page() -> Page {
    let mut page = Page::new("focus", "Focus and rank: wanted posts a call");
    page.text(&format!(
        "Simulated worlds of {ACCOUNTS} accounts in {COMMUNITIES} communities; the mean of {} worlds. Wanted are posts with the tag of one community, \
         *wanted accounts* those that have one. A crawl begins with {ADDED} accounts, one of them in that community. A call shows the newest \
         {POSTS_SHOWN} posts of an account, or the first {FOLLOWS_SHOWN} that it follows: two calls an account, for whichever order. *Breadth-first* is \
         the order of arrival, *random* draws from all that are known, *focus* takes the highest personalised PageRank, seeded by what was added \
         and by accounts with wanted posts, and for its exploring share the oldest.",
        SEEDS.count()
    ));
    for (homophily, title) in [
        (0.8, "Four of five follows stay within the community"),
        (0.4, "Two of five follows stay within"),
        (0.0, "Follows know no communities"),
    ] {
        page.section(title);
        let looks: Vec<(Order, [Look; LOOKS.len()])> =
            ORDERS.iter().map(|order| (*order, mean(*order, homophily))).collect();
        let columns = [
            "order",
            "#calls",
            "#wanted posts a call",
            "#of the posts read",
            "#wanted accounts visited",
            "#never met",
        ];
        page.table(&columns, looks.iter().flat_map(|(order, looks)| rows(*order, looks)));
        if homophily > 0.5 {
            page.text(&format!(
                "Worlds differ: after {} calls, focus with 10 % against breadth-first brings {} times the wanted posts in the {} worlds.",
                LOOKS[RATIO_AT],
                ratios(homophily).join(", "),
                SEEDS.count()
            ));
            let points = |looks: &[Look]| {
                LOOKS.iter().zip(looks).map(|(calls, look)| (*calls as f64, look.wanted_per_call)).collect()
            };
            let lines = looks.iter().map(|(order, looks)| (order.name(), points(looks))).collect();
            let (x, y) = (("calls", Scale::Linear), ("wanted posts a call", Scale::Linear));
            page.plot("focus", &Plot { title: "Wanted posts a call", x, y, lines });
        }
    }
    page.text(
        "What a focus brings is what the graph knows: where people follow their like, about twice the wanted posts for the same calls. \
         Where follows say nothing, all orders find the same within a tenth. Exploring costs its share of calls; in these worlds it met hardly \
         any wanted account that the others did not.",
    );
    page
}

/// Wanted posts of a focus for each of breadth-first, world by world.
fn ratios(homophily: f64) -> Vec<String> {
    let ratio = |seed: u64| {
        let world = world(seed, homophily);
        let wanted = |order: Order| Crawl::new(&world, seed).run(order)[RATIO_AT].wanted_per_call;
        format!("{:.1}", wanted(Order::Focus(10)) / wanted(Order::FirstIn))
    };
    SEEDS.map(ratio).collect()
}

fn rows(order: Order, looks: &[Look; LOOKS.len()]) -> Vec<Vec<String>> {
    let row = |(calls, look): (&usize, &Look)| {
        vec![
            order.name(),
            calls.to_string(),
            format!("{:.2}", look.wanted_per_call),
            percent(look.wanted_share),
            percent(look.visited_share),
            percent(look.unknown_share),
        ]
    };
    LOOKS.iter().zip(looks).map(row).collect()
}

fn mean(order: Order, homophily: f64) -> [Look; LOOKS.len()] {
    let mut sums = [Look::default(); LOOKS.len()];
    let worlds = SEEDS.count() as f64;
    for seed in SEEDS {
        for (sum, look) in sums.iter_mut().zip(Crawl::new(&world(seed, homophily), seed).run(order)) {
            sum.wanted_per_call += look.wanted_per_call / worlds;
            sum.wanted_share += look.wanted_share / worlds;
            sum.visited_share += look.visited_share / worlds;
            sum.unknown_share += look.unknown_share / worlds;
        }
    }
    sums
}

fn world(seed: u64, homophily: f64) -> World {
    let communities = Some(Communities { count: COMMUNITIES, homophily });
    let options = WorldOptions {
        seed,
        accounts: ACCOUNTS,
        history: Span::DAY * 8.0,
        communities,
        ..WorldOptions::default()
    };
    World::new(options).expect("the options above are sound")
}

/// A crawl of one world.
struct Crawl<'a> {
    world: &'a World,
    focus: Focus,
    /// Accounts that are known and not visited, in order of arrival.
    waiting: Vec<u32>,
    met: BTreeSet<u32>,
    rank: Rank,
    turns: Turns,
    rng: Pcg32,
    /// Accounts that have a wanted post.
    wanted: BTreeSet<u32>,
    /// One of the wanted community, then one of each of the next ones.
    added: [u32; ADDED as usize],
}

impl<'a> Crawl<'a> {
    fn new(world: &'a World, seed: u64) -> Self {
        let written = Written { tags: vec![text::tag_name(WANTED).to_owned()], ..Written::default() };
        let focus = written.read().expect("a tag is a focus");
        let mut crawl = Self {
            world,
            focus,
            waiting: Vec::new(),
            met: BTreeSet::new(),
            rank: Rank::default(),
            turns: Turns::default(),
            rng: Pcg32::seed_from_u64(seed),
            wanted: BTreeSet::new(),
            added: std::array::from_fn(|at| COMMUNITIES * (at as u32 + 1) + at as u32),
        };
        crawl.wanted = (0..ACCOUNTS)
            .filter(|index| crawl.posts(*index, usize::MAX).any(|post| crawl.focus.wants(&post, None)))
            .collect();
        for index in crawl.added {
            crawl.meet(index);
            crawl.rank.seed(u64::from(index), ADDED_SEED);
        }
        crawl
    }

    /// The newest posts of an account that can be seen, as its page shows them.
    fn posts(&self, index: u32, count: usize) -> impl Iterator<Item = Post> {
        let account = &self.world.accounts[index as usize];
        let is_public = account.standing == Standing::Public;
        let visible =
            account.timeline.iter().rev().filter(move |place| is_public && self.world.is_visible(**place));
        visible.take(count).map(|place| {
            let key = text::mix(self.world.options.seed, u64::from(*place));
            let tags = text::tags(key, account.tags).map(|tag| text::tag_name(tag).to_owned()).collect();
            Post { id: place.to_string(), tags, ..Post::default() }
        })
    }

    fn meet(&mut self, index: u32) {
        if self.met.insert(index) {
            self.waiting.push(index);
        }
    }

    fn run(&mut self, order: Order) -> [Look; LOOKS.len()] {
        let mut looks = [Look::default(); LOOKS.len()];
        let (mut calls, mut read_count, mut wanted_count, mut visited_count) = (0, 0, 0, 0);
        while calls < LOOKS[LOOKS.len() - 1] {
            let batch = self.next(order);
            if batch.is_empty() {
                break;
            }
            for index in batch {
                let posts: Vec<Post> = self.posts(index, POSTS_SHOWN).collect();
                let wanted = posts.iter().filter(|post| self.focus.wants(post, None)).count();
                self.learn(index, posts.len(), wanted);
                (read_count, wanted_count, calls) =
                    (read_count + posts.len(), wanted_count + wanted, calls + 2);
                visited_count += usize::from(self.wanted.contains(&index));
                if let Some(at) = LOOKS.iter().position(|look| *look == calls) {
                    let of_wanted = |count: usize| count as f64 / self.wanted.len().max(1) as f64;
                    looks[at] = Look {
                        wanted_per_call: wanted_count as f64 / calls as f64,
                        wanted_share: wanted_count as f64 / (read_count as f64).max(1.0),
                        visited_share: of_wanted(visited_count),
                        unknown_share: of_wanted(self.wanted.difference(&self.met).count()),
                    };
                }
            }
        }
        looks
    }

    /// Takes the next accounts out of those that wait.
    fn next(&mut self, order: Order) -> Vec<u32> {
        let count = self.waiting.len();
        let scores: Vec<f64> = match order {
            Order::FirstIn => vec![0.0; count],
            Order::Chance => (0..count).map(|_| self.rng.random()).collect(),
            Order::Focus(_) => self.waiting.iter().map(|index| self.rank.score(u64::from(*index))).collect(),
        };
        let percent = if let Order::Focus(percent) = order { percent } else { 0 };
        let chosen = self.turns.choose(&scores, BATCH, percent);
        let batch = chosen.iter().map(|at| self.waiting[*at]).collect();
        for at in chosen.into_iter().rev() {
            self.waiting.remove(at);
        }
        batch
    }

    /// What a visit teaches: how many of its posts are wanted, and whom it follows.
    fn learn(&mut self, index: u32, post_count: usize, wanted: usize) {
        let added = if self.added.contains(&index) { ADDED_SEED } else { 0.0 };
        self.rank.seed(u64::from(index), added + wanted as f64 / (post_count as f64 + 1.0));
        let world = self.world;
        for edge in world.accounts[index as usize].following.iter().take(FOLLOWS_SHOWN) {
            self.meet(edge.other);
            self.rank.tie(u64::from(index), u64::from(edge.other));
        }
        self.rank.settle(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_focus_finds_more_of_what_is_wanted_where_people_follow_their_like() {
        let (first_in, focus) = (mean(Order::FirstIn, 0.8)[RATIO_AT], mean(Order::Focus(10), 0.8)[RATIO_AT]);
        assert!(focus.wanted_per_call > 1.5 * first_in.wanted_per_call, "{focus:?} {first_in:?}");
        let world = world(1, 0.8);
        let run = |order: Order| Crawl::new(&world, 1).run(order);
        assert_eq!(run(Order::Focus(100)), run(Order::FirstIn), "all explore: the order of arrival");
    }

    /// Written anew with `FRESHET_BLESS=1`; it takes a minute there, so that one world stands for all here.
    #[test]
    fn the_page_can_be_written() {
        if std::env::var_os("FRESHET_BLESS").is_some() {
            let page = page();
            let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
            std::fs::write(dir.join("focus.md"), page.markdown()).unwrap();
            for (file, svg) in &page.plots {
                std::fs::write(dir.join(file), svg).unwrap();
            }
        }
        assert_eq!(rows(Order::FirstIn, &[Look::default(); LOOKS.len()]).len(), LOOKS.len());
    }
}
