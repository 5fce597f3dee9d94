//! Known rates: a model to which nothing needs to be taught, for measuring rules apart from learning.
//!
//! Assumption: λ(t) = rate · shape(t), given and true. What a rule loses against the bound on
//! known rates is the rule's own fault; what it loses beyond that on a history is the model's.
//! For Poisson sources a visit then teaches nothing (increments are independent), so
//! [`ChangeModel::learn`] does nothing, and no bytes are stored.
//!
//! | symbol | here |
//! |---|---|
//! | λ(t) | [`Known::new`]: long-run rate and hour-of-week shape |
//! | τ, L(s,t): time and expected posts since the visit at s | the arguments of a formula |
//!
//! [`roster_known`] has the formulas of the classic rules on such a model, under the names of the
//! policies that learn. Not here: the oracles, which plan the whole stretch in advance.

use freshet_types::Timestamp;

use super::ChangeModel;
use super::shape::Shape;
use crate::policies::{IndexProfile, capture};
use crate::roster::Ruled;
use crate::{Look, Market, Objective, Pool, Roster, RosterKit, Rule, SourceFacts};

/// A rate and a shape that are true.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    rate_per_s: f64,
    shape: Shape,
}

impl Known {
    /// With this rate in the long run; what is negative or no number is no rate.
    pub fn new(rate_per_s: f64, shape: Shape) -> Self {
        Self { rate_per_s: if rate_per_s.is_finite() { rate_per_s.max(0.0) } else { 0.0 }, shape }
    }
}

impl ChangeModel for Known {
    fn from_bytes(_bytes: &[u8]) -> Self {
        Self::default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    fn learn(&mut self, _look: &Look<'_>, _pool: &Pool) {}

    fn rate_per_s(&self, _pool: &Pool) -> f64 {
        self.rate_per_s
    }

    fn rate_per_s_at(&self, _pool: &Pool, at: Timestamp) -> f64 {
        self.rate_per_s * self.shape.factor(at)
    }

    fn posts(&self, _pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s * self.shape.mass_s(since, until)
    }

    fn wait_s(&self, _pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s * self.shape.moment_s2(since, until)
    }
}

/// A rule that is one line.
#[derive(Clone, Copy, Debug)]
struct Formula {
    name: &'static str,
    worth: fn(&Known, &SourceFacts, &Market, Timestamp) -> f64,
}

impl Rule for Formula {
    type Model = Known;

    fn name(&self) -> &'static str {
        self.name
    }

    fn worth(&self, model: &Known, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        source.weight * (self.worth)(model, source, market, at)
    }
}

/// Round robin, the longest unvisited first; rates do not matter.
const IN_TURN: Formula = Formula { name: "rr", worth: |_, source, _, at| source.elapsed_s(at) };
/// λτ: visits in proportion to the rate.
const PROPORTIONAL: Formula =
    Formula { name: "proportional", worth: |model, source, _, at| model.rate_per_s * source.elapsed_s(at) };
/// L: the largest expected backlog.
const BACKLOG: Formula = Formula {
    name: "backlog",
    worth: |model, source, market, at| model.posts(&market.pool, source.visited_at, at),
};
/// λτ²/2, or c·P(N > c) with N ~ Poisson(λτ).
const INDEX: Formula = Formula {
    name: "index",
    worth: |model, source, market, at| {
        let posts = model.rate_per_s * source.elapsed_s(at);
        match market.objective {
            Objective::Delay => posts * source.elapsed_s(at) / 2.0,
            Objective::Capture => capture::index(posts, source.page_size),
        }
    },
};

/// The names that [`roster_known`] knows.
pub const KNOWN_NAMES: &[&str] = &["rr", "proportional", "backlog", "index", "index-profile"];

/// The rule of this name on known rates, one model a source.
pub fn roster_known(name: &str, kit: &RosterKit, models: &[Known]) -> Option<Box<dyn Roster>> {
    if name == "index-profile" {
        return Some(Box::new(Ruled::with_models(IndexProfile::new("index-profile"), kit, models.to_vec())));
    }
    let rules = [IN_TURN, PROPORTIONAL, BACKLOG, INDEX];
    let rule = rules.into_iter().find(|rule| rule.name == name)?;
    Some(Box::new(Ruled::with_models(rule, kit, models.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_learned_and_nothing_forgotten() {
        let (pool, at) = (Pool::default(), Timestamp::from_secs);
        let mut hours = [0.0; 24];
        hours[6] = 24.0;
        let mut model = Known::new(1e-3, Shape::new(hours, [1.0; 7]));
        let before = model;
        model.learn(&Look { since: None, at: at(9), news: &[at(1), at(2)], is_full: false }, &pool);
        assert_eq!(model, before);
        let day = model.posts(&pool, at(0), at(86_400));
        assert!((day - 86.4).abs() < 1e-3, "a day's posts fall into its one hour: {day}");
        assert!(model.rate_per_s_at(&pool, at(0)).abs() < 1e-12);
        assert_eq!(Known::new(f64::NAN, Shape::default()), Known::default());
        assert_eq!(Known::new(-1.0, Shape::default()), Known::default());
    }

    /// The order in which three sources of given rates per hour are visited after an hour.
    fn check(name: &str, rates_per_hour: [f64; 3], expected: [usize; 3]) {
        let models = rates_per_hour.map(|rate| Known::new(rate / 3600.0, Shape::default()));
        let mut roster = roster_known(name, &RosterKit::plain(3), &models).unwrap();
        let at = Timestamp::from_secs;
        // The last was visited an hour earlier than the others.
        for (number, secs) in [(0, 3600), (1, 3600), (2, 0)] {
            roster.learn(number, &Look { since: None, at: at(secs), news: &[], is_full: false });
        }
        let mut picked = Vec::new();
        roster.pick(at(7200), 3, &mut picked);
        assert_eq!(picked, expected, "{name}");
        assert_eq!(roster.name(), name);
    }

    #[test]
    fn formulas_order_the_sources() {
        check("rr", [9.0, 1.0, 1.0], [2, 0, 1]);
        check("proportional", [3.0, 1.0, 1.0], [0, 2, 1]);
        check("backlog", [3.0, 1.0, 1.0], [0, 2, 1]);
        check("index", [3.0, 1.0, 1.0], [2, 0, 1]);
        check("index-profile", [3.0, 1.0, 1.0], [2, 0, 1]);
        assert!(roster_known("hash", &RosterKit::plain(1), &[]).is_none());
        for name in KNOWN_NAMES {
            assert!(roster_known(name, &RosterKit::plain(1), &[]).is_some(), "{name}");
        }
    }
}
