//! The classic rules on known rates, under the names of the policies that learn.
//!
//! What a rule loses against the bound on known rates is its own fault; what it loses beyond that on a history is its
//! model's. The formulas are those of `freshet_policy::policies`, whose files derive them; τ and L(s,t) are time and expected posts since
//! the visit at s. `freshet` is the policy itself on rates that are given.

use freshet_policy::change::Known;
use freshet_policy::policies::{IndexProfile, Lookahead, Rates, capture};
use freshet_policy::roster::Ruled;
use freshet_policy::{ChangeModel as _, Market, Objective, Roster, RosterKit, Rule, SourceFacts};
use freshet_types::Timestamp;

/// The names that [`roster_known`] knows.
pub(super) const KNOWN_NAMES: &[&str] =
    &["rr", "proportional", "backlog", "index", "index-profile", "freshet"];

/// The rule of this name on known rates, one model a source.
pub(super) fn roster_known(name: &str, kit: &RosterKit, models: &[Known]) -> Option<Box<dyn Roster>> {
    let models = models.to_vec();
    if name == "freshet" {
        return Some(Box::new(Lookahead::new(models, kit, Rates::Known)));
    }
    if name == "index-profile" {
        return Some(Box::new(Ruled::with_models(IndexProfile::new("index-profile"), kit, models)));
    }
    let rules = [IN_TURN, PROPORTIONAL, BACKLOG, INDEX];
    let rule = rules.into_iter().find(|rule| rule.name == name)?;
    Some(Box::new(Ruled::with_models(rule, kit, models)))
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
const PROPORTIONAL: Formula = Formula {
    name: "proportional",
    worth: |model, source, market, at| model.rate_per_s(&market.pool) * source.elapsed_s(at),
};
/// L: the largest expected backlog.
const BACKLOG: Formula = Formula {
    name: "backlog",
    worth: |model, source, market, at| model.posts(&market.pool, source.visited_at, at),
};
/// λτ²/2, or c·P(N > c) with N ~ Poisson(λτ).
const INDEX: Formula = Formula {
    name: "index",
    worth: |model, source, market, at| {
        let posts = model.rate_per_s(&market.pool) * source.elapsed_s(at);
        match market.objective {
            Objective::Delay => posts * source.elapsed_s(at) / 2.0,
            Objective::Capture => capture::index(posts, source.page_size),
        }
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::Look;

    /// The order in which three sources of given rates per hour are visited, the last one an hour more overdue.
    fn check(name: &str, rates_per_hour: [f64; 3], expected: [usize; 3]) {
        let models = rates_per_hour.map(|rate| Known::new([rate / 3600.0; 24]));
        let mut roster = roster_known(name, &RosterKit::plain(3), &models).unwrap();
        let at = Timestamp::from_secs;
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
            assert!(roster_known(name, &RosterKit::plain(1), &[Known::default()]).is_some(), "{name}");
        }
    }
}
