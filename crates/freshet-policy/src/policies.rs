//! Policies, one file each, selectable by name.
//!
//! **Crawls use `freshet`.** The others are baselines of the literature and of other programs: studies compare them
//! (`sim::study`, docs/results), and a run uses one only when a person names it.
//!
//! Each file has its formula in the header. What they share: a [`Rule`] says what a visit is
//! worth; those whose nature is an order alone (`rr`, `random`, `organ-pipe`, `ring`) know no
//! price and no due time: in the engine their sources stand in a line ([`crate::turns`]).

mod azar;
mod backlog;
mod bound_based;
pub mod capture;
mod change_rate;
mod cho_gm;
mod curve_fitting;
mod cuvim;
mod freshet;
mod hash;
mod index;
mod index_profile;
mod lambda;
mod late;
mod miniflux;
mod nutch;
mod organ_pipe;
mod proportional;
mod random;
mod round_robin;
mod sia_cho;
mod storm;

use std::sync::Arc;

use crate::change::{Chooser, Levels, Profile};
use crate::roster::Ruled;
use crate::stored::{InTurn, stored};
use crate::turns::TurnOrder;
use crate::{Pacing, Policy, Roster, RosterKit, Rule};

pub(crate) use azar::Azar;
pub use backlog::Backlog;
pub use bound_based::BoundBased;
pub(crate) use change_rate::ByChangeRate;
pub(crate) use cho_gm::ChoGm;
pub use curve_fitting::CurveFitting;
pub(crate) use cuvim::ByKind;
pub use cuvim::Cuvim;
pub use freshet::{Freshet, Lookahead, Rates, Sketch};
pub(crate) use hash::ByHash;
pub use index::Index;
pub use index_profile::IndexProfile;
pub(crate) use lambda::Lambda;
pub(crate) use miniflux::Miniflux;
pub(crate) use nutch::Nutch;
pub(crate) use organ_pipe::OrganPipe;
pub(crate) use proportional::Proportional;
pub use random::Random;
pub(crate) use round_robin::RoundRobin;
pub(crate) use sia_cho::SiaCho;
pub use storm::Storm;

/// The policy of `run` unless another is asked for.
pub const DEFAULT_POLICY: &str = "freshet";

/// The names that [`policy_named`] and [`roster_named`] know; the default one first.
pub const POLICY_NAMES: &[&str] = &[
    DEFAULT_POLICY,
    "ring",
    "rr",
    "random",
    "proportional",
    "organ-pipe",
    "hash",
    "hash-week",
    "cuvim",
    "curve-fitting",
    "bound-based",
    "cho-gm",
    "azar",
    "lambda-crawl",
    "sia-cho",
    "nutch-adaptive",
    "stormcrawler-adaptive",
    "miniflux",
    "backlog",
    "index",
    "index-profile",
    "index-mixed",
    "change-rate",
];

/// What is made of a rule.
trait Make {
    type Made;
    fn make<R: Rule + 'static>(self, rule: R) -> Self::Made;
}

fn with_rule<M: Make>(name: &str, kit: &RosterKit, make: M) -> Option<M::Made> {
    Some(match name {
        "rr" | "ring" => make.make(RoundRobin),
        "random" => make.make(Random { seed: kit.seed }),
        "change-rate" => make.make(ByChangeRate),
        "proportional" => make.make(Proportional),
        "hash" => make.make(ByHash::default()),
        "hash-week" => make.make(ByHash::by_weekday()),
        "cuvim" => make.make(ByKind),
        "curve-fitting" => make.make(CurveFitting::new(kit.page_size)),
        "bound-based" => make.make(BoundBased::new(kit.page_size)),
        "cho-gm" => make.make(ChoGm),
        "azar" => make.make(Azar),
        "lambda-crawl" => make.make(Lambda),
        "sia-cho" => make.make(SiaCho),
        "nutch-adaptive" => make.make(Nutch),
        "stormcrawler-adaptive" => make.make(Storm),
        "miniflux" => make.make(Miniflux),
        "backlog" => make.make(Backlog),
        "index" => make.make(Index),
        "index-profile" => make.make(IndexProfile::<Profile>::new("index-profile")),
        "index-mixed" => make.make(IndexProfile::<Chooser>::new("index-mixed")),
        "freshet" => make.make(Freshet),
        _ => return None,
    })
}

/// The policy of this name, for the engine.
pub fn policy_named(name: &str, pacing: Pacing) -> Option<Arc<dyn Policy>> {
    const IN_TURN: [(&str, TurnOrder); 4] = [
        ("ring", TurnOrder::Ring),
        ("rr", TurnOrder::Number),
        ("random", TurnOrder::Lots),
        ("organ-pipe", TurnOrder::Pipes),
    ];
    struct ForEngine(Pacing);
    impl Make for ForEngine {
        type Made = Arc<dyn Policy>;
        fn make<R: Rule + 'static>(self, rule: R) -> Self::Made {
            stored(rule, self.0)
        }
    }
    if let Some((name, order)) = IN_TURN.into_iter().find(|(known, _)| *known == name) {
        return Some(Arc::new(InTurn { name, order, pacing }));
    }
    with_rule(name, &RosterKit::default(), ForEngine(pacing))
}

/// The policy of this name over many sources, for experiments.
pub fn roster_named(name: &str, kit: &RosterKit) -> Option<Box<dyn Roster>> {
    struct ForMany<'a>(&'a RosterKit);
    impl Make for ForMany<'_> {
        type Made = Box<dyn Roster>;
        fn make<R: Rule + 'static>(self, rule: R) -> Self::Made {
            Box::new(Ruled::new(rule, self.0))
        }
    }
    if name == "organ-pipe" {
        return Some(Box::new(OrganPipe::new(kit)));
    }
    if name == "freshet" {
        let models = vec![Levels::default(); kit.weights.len()];
        return Some(Box::new(Lookahead::new(models, kit, Rates::Learned)));
    }
    with_rule(name, kit, ForMany(kit))
}

#[cfg(test)]
mod tests;
