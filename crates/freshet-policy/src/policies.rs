//! Policies, one file each, selectable by name.
//!
//! Each file has its formula in the header. What they share: a [`Rule`] says what a visit is
//! worth; those whose nature is an order alone (`rr`, `random`, `organ-pipe`, `ring`) know no
//! price and no due time, so in the engine they ask for their turn at once.

mod backlog;
pub mod capture;
mod change_rate;
mod freshet;
mod hash;
mod index;
mod index_profile;
mod proportional;
mod random;
mod round_robin;

use std::sync::Arc;

use freshet_types::Span;

use crate::roster::Ruled;
use crate::stored::{InTurn, stored};
use crate::{Policy, Roster, RosterKit, Rule};

pub use backlog::Backlog;
pub use change_rate::ByChangeRate;
pub use freshet::Freshet;
pub use hash::ByHash;
pub use index::Index;
pub use index_profile::IndexProfile;
pub use proportional::Proportional;
pub use random::Random;
pub use round_robin::RoundRobin;

/// The bounds every policy keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacing {
    /// No source is looked at again sooner.
    pub floor: Span,
    /// No source stays unvisited longer, quota permitting.
    pub ceiling: Span,
}

impl Default for Pacing {
    fn default() -> Self {
        Self { floor: Span::from_secs(30), ceiling: Span::HOUR * 6.0 }
    }
}

/// The policy of `run` unless another is asked for.
pub const DEFAULT_POLICY: &str = "change-rate";

/// The names that [`policy_named`] and [`roster_named`] know; the default one first.
pub const POLICY_NAMES: &[&str] = &[
    DEFAULT_POLICY,
    "ring",
    "rr",
    "random",
    "proportional",
    "hash",
    "hash-week",
    "backlog",
    "index",
    "index-profile",
    "freshet",
];

/// What is made of a rule.
trait Make {
    type Made;
    fn make<R: Rule + 'static>(self, rule: R) -> Self::Made;
}

fn with_rule<M: Make>(name: &str, seed: u64, make: M) -> Option<M::Made> {
    Some(match name {
        "rr" | "ring" => make.make(RoundRobin),
        "random" => make.make(Random { seed }),
        "change-rate" => make.make(ByChangeRate),
        "proportional" => make.make(Proportional),
        "hash" => make.make(ByHash::default()),
        "hash-week" => make.make(ByHash::by_weekday()),
        "backlog" => make.make(Backlog),
        "index" => make.make(Index),
        "index-profile" => make.make(IndexProfile),
        "freshet" => make.make(Freshet),
        _ => return None,
    })
}

/// The policy of this name, for the engine.
pub fn policy_named(name: &str, pacing: Pacing) -> Option<Arc<dyn Policy>> {
    const IN_TURN: [&str; 4] = ["ring", "rr", "random", "organ-pipe"];
    struct ForEngine(Pacing);
    impl Make for ForEngine {
        type Made = Arc<dyn Policy>;
        fn make<R: Rule + 'static>(self, rule: R) -> Self::Made {
            stored(rule, self.0)
        }
    }
    if let Some(name) = IN_TURN.into_iter().find(|known| *known == name) {
        return Some(Arc::new(InTurn(name)));
    }
    with_rule(name, 0, ForEngine(pacing))
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
    with_rule(name, kit.seed, ForMany(kit))
}
