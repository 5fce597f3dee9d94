//! When lists of a forum are due: the model that wins on each site, and who gets the next page. Steps 2 and 10 of 10.
//!
//! A forum's boards and threads are timed by the policy in force, like all sources, until its history says that another
//! model foretells its lists better: [`train`] asks that of what is stored, on a schedule, for boards and for threads apart
//! ([`freshet_policy::forum::Chosen`]). Then that model says how many posts a list has got since it was looked at, and
//!
//! - a list is due when these posts have waited as long as a call is worth (the price), as for every source;
//! - a thread whose last look brought nothing is due when one post is expected (ΔI = 1 of [list-wise]): its board
//!   tells of activity sooner, and this is for boards that do not.
//!
//! Between boards and threads decides the price, or the ratio rule of section 3.5 ([`Share`]): turns are dealt when lists
//! of both kinds wait; where only one kind does, it goes on. The core holds this and asks no clock; nothing here survives
//! the process: it is trained anew from what is stored.

pub(crate) mod desk;
pub mod train;

use std::str::FromStr;

use freshet_policy::forum::{Chosen, ListFacts, ListKind, ModelKind, Ratio};
use freshet_policy::{Market, Pacing};
use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{Map, NetworkName, ServerKey, Source, SourceId, Span, Timestamp};

use crate::schedule::THREAD_GAP_MAX;
pub use desk::Table;

/// Lists of one forum whose records are remembered; beyond it a list is as one that nobody knows.
const FACTS_MAX: usize = 50_000;

/// Who decides between boards and threads when both wait for a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// The price: whoever is due, the most urgent first.
    #[default]
    Price,
    /// The ratio of new threads to new posts.
    Ratio,
}

impl Share {
    /// The name that people select it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Ratio => "ratio",
        }
    }
}

impl FromStr for Share {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Price, Self::Ratio]
            .into_iter()
            .find(|share| share.name() == text)
            .ok_or_else(|| format!("there is no rule `{text}`; boards and threads share by price or ratio"))
    }
}

/// What kind of list a source is; `None` for sources that are none.
pub fn list_kind(root_kind: &str) -> Option<ListKind> {
    match root_kind {
        PORTAL | BOARD => Some(ListKind::Index),
        THREAD => Some(ListKind::Posts),
        _ => None,
    }
}

/// What a training found.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Of which forum.
    pub network: NetworkName,
    pub trained_at: Timestamp,
    /// The models of boards and of threads; `None` where there was too little to learn from.
    pub models: [Option<Chosen>; 2],
    /// What is known of each list.
    pub facts: Vec<(SourceId, ListFacts)>,
    /// What all its threads have in common.
    pub table: Table,
    /// Threads and posts there are.
    pub record_counts: (usize, usize),
}

/// One forum.
#[derive(Debug, Default)]
pub struct Site {
    models: [Option<Chosen>; 2],
    facts: Map<SourceId, ListFacts>,
    /// How pages are shared.
    pub ratio: Ratio,
    /// When its models were trained.
    pub trained_at: Option<Timestamp>,
}

/// All forums, by the key of their server.
#[derive(Debug, Default)]
pub struct Sites(Map<ServerKey, Site>);

/// The bounds within which a time is sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Those of the policy.
    pub(crate) pacing: Pacing,
    /// The last look at a thread brought nothing.
    pub(crate) is_quiet: bool,
}

impl Site {
    /// The model of this kind of list, whichever it is.
    pub fn model(&self, kind: ListKind) -> Option<&Chosen> {
        self.models[kind as usize].as_ref()
    }

    /// The model, where another than the policy's own is used.
    fn own(&self, kind: ListKind) -> Option<&Chosen> {
        self.model(kind).filter(|model| model.kind() != ModelKind::Ordinary)
    }
}

impl Sites {
    /// The forum of this server.
    pub fn get(&self, key: ServerKey) -> Option<&Site> {
        self.0.get(&key)
    }

    pub(crate) fn of(&mut self, key: ServerKey) -> &mut Site {
        self.0.entry(key).or_default()
    }

    /// From now on, these models.
    pub(crate) fn replace_models(&mut self, key: ServerKey, trained: Trained) {
        let site = self.of(key);
        site.ratio.begin_with(trained.record_counts.0, trained.record_counts.1);
        (site.models, site.trained_at) = (trained.models, Some(trained.trained_at));
        site.facts = trained.facts.into_iter().collect();
    }

    /// A visit brought these.
    pub(crate) fn learn(&mut self, key: ServerKey, source: &Source, news: &[Timestamp]) {
        let Some(kind) = list_kind(&source.root_kind) else { return };
        let Some(site) = self.0.get_mut(&key).filter(|site| site.own(kind).is_some()) else { return };
        if site.facts.len() >= FACTS_MAX && !site.facts.contains_key(&source.id) {
            return;
        }
        let mut times_s: Vec<i64> = news.iter().map(|at| at.secs()).collect();
        times_s.sort_unstable();
        let facts = site.facts.entry(source.id).or_default();
        let last_s = if facts.record_count > 0 { facts.last_s } else { f64::NEG_INFINITY };
        // What was stored when the models were trained may be told once more.
        times_s.into_iter().filter(|at_s| *at_s as f64 > last_s).for_each(|at_s| facts.push(at_s));
    }

    /// When a list that was looked at `now` is due, by the forum's own model; `None` where the policy decides.
    pub(crate) fn due_at(
        &self,
        key: ServerKey,
        source: &Source,
        market: &Market,
        bounds: Bounds,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let (model, facts, kind) = self.asked(key, source)?;
        let (since_s, pacing) = (now.secs_f64(), bounds.pacing);
        if kind == ListKind::Posts && bounds.is_quiet {
            let longest = THREAD_GAP_MAX.max(pacing.ceiling);
            let wait_s = model.first_at_s(&facts, since_s, longest.secs_f64()) - since_s;
            return Some(now + Span::from_secs_f64(wait_s).clamp(pacing.ceiling, longest));
        }
        let ceiling = pacing.ceiling * market.ceiling_stretch.max(1.0);
        let price_s = market.price / f64::from(source.weight).max(1e-6);
        let wait_s = model.worth_at_s(&facts, since_s, price_s, ceiling.secs_f64()) - since_s;
        Some(now + Span::from_secs_f64(wait_s).clamp(pacing.floor.min(ceiling), ceiling))
    }

    /// Posts a second that a list is expected to get, by the forum's own model.
    pub(crate) fn rate_per_s(&self, key: ServerKey, source: &Source, now: Timestamp) -> Option<f64> {
        let (model, facts, _) = self.asked(key, source)?;
        Some(model.rate_per_s(&facts, now.secs_f64(), THREAD_GAP_MAX.secs_f64()))
    }

    fn asked(&self, key: ServerKey, source: &Source) -> Option<(&Chosen, ListFacts, ListKind)> {
        let kind = list_kind(&source.root_kind)?;
        let site = self.get(key)?;
        let facts = site.facts.get(&source.id).copied().unwrap_or_default();
        Some((site.own(kind)?, facts, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::Objective;
    use freshet_policy::forum::Belief;
    use freshet_types::RobotKind;

    const DAY_S: i64 = 86_400;

    /// Ten posts a minute apart, one thread a day: what the silence foretells.
    fn bursts() -> Vec<Vec<i64>> {
        (0..80).map(|day| (0..10).map(|post| day * DAY_S + post * 60).collect()).collect()
    }

    fn trained(guess: f64) -> Sites {
        let lists = bursts();
        let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let now_s = 74.0 * DAY_S as f64;
        let model = Chosen::train(&lists, now_s, Belief::of(ListKind::Posts), &|_, _, _| guess);
        let facts = lists.iter().enumerate().map(|(at, it)| (SourceId(at as u32), ListFacts::of(it)));
        let mut sites = Sites::default();
        sites.replace_models(
            ServerKey(3),
            Trained {
                network: NetworkName::from("forum"),
                trained_at: Timestamp::from_secs(74 * DAY_S),
                models: [None, model],
                facts: facts.collect(),
                table: Table::default(),
                record_counts: (80, 800),
            },
        );
        sites
    }

    fn thread(number: u32) -> Source {
        let source = Source::new(&NetworkName::from("forum"), "posts", RobotKind::Comment, THREAD, "/t/1");
        Source { id: SourceId(number), ..source }
    }

    fn due_h(sites: &Sites, source: &Source, at_s: i64, is_quiet: bool) -> Option<f64> {
        let market = Market { price: 600.0, ..Market::new(Objective::Delay) };
        let pacing =
            Pacing { floor: Span::MINUTE, ceiling: Span::HOUR * 6.0, ceiling_share: Pacing::WANTED_SHARE };
        let now = Timestamp::from_secs(at_s);
        let due_at = sites.due_at(ServerKey(3), source, &market, Bounds { pacing, is_quiet }, now)?;
        Some((due_at - now).secs_f64() / 3600.0)
    }

    #[test]
    fn a_forum_times_its_threads_by_its_own_model() {
        let sites = trained(50.0);
        let (lively_s, silent_s) = (50 * DAY_S + 600, 110 * DAY_S);
        let lively = due_h(&sites, &thread(50), lively_s, false).unwrap();
        let silent = due_h(&sites, &thread(50), silent_s, false).unwrap();
        assert!(lively < silent && silent <= 6.0 + 1e-9, "{lively} {silent}");
        let quiet = due_h(&sites, &thread(50), silent_s, true).unwrap();
        assert!(quiet > 6.0 && quiet <= 30.0 * 24.0 + 1e-9, "{quiet}");
        assert!(
            sites.rate_per_s(ServerKey(3), &thread(50), Timestamp::from_secs(silent_s)).unwrap().is_finite()
        );
        let board = Source { root_kind: BOARD.into(), ..thread(50) };
        assert_eq!(due_h(&sites, &board, silent_s, false), None, "no model of boards");
        assert!(due_h(&sites, &thread(9_999), silent_s, false).unwrap().is_finite(), "nothing known of it");
    }

    #[test]
    fn news_are_learned_once() {
        let mut sites = trained(50.0);
        let at = |post: i64| Timestamp::from_secs(50 * DAY_S + post * 60);
        let count = |sites: &Sites| sites.0[&ServerKey(3)].facts[&SourceId(50)].record_count;
        sites.learn(ServerKey(3), &thread(50), &[at(9), at(8)]);
        assert_eq!(count(&sites), 10, "known already");
        sites.learn(ServerKey(3), &thread(50), &[at(12), at(11)]);
        assert_eq!(count(&sites), 12);
    }

    #[test]
    fn rules_have_names() {
        for share in [Share::Price, Share::Ratio] {
            assert_eq!(share.name().parse(), Ok(share));
        }
        assert!("half".parse::<Share>().is_err_and(|why| why.contains("price or ratio")));
    }
}
