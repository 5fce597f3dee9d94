//! `organ-pipe`: one round over all sources in the order of organ pipes [CUVIM, section 4.1].
//!
//! Formula: the order of least blur, [`crate::partition::organ_pipes`]; the theory and its tests
//! stand there. Each round is ordered anew by what is known when it begins. Blur looks both ways
//! in time, so this is no order for lag.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::partition::organ_pipes;
use crate::{Look, Pool, Roster, RosterKit};

/// Goes round over all sources, the fastest in the middle.
#[derive(Debug)]
pub(crate) struct OrganPipe {
    models: Vec<Poisson>,
    pool: Pool,
    /// What is left of the round, the next one last.
    round: Vec<usize>,
}

impl OrganPipe {
    /// Of sources of which nothing is known yet.
    pub(crate) fn new(kit: &RosterKit) -> Self {
        let models = vec![Poisson::default(); kit.weights.len()];
        Self { models, pool: Pool::default(), round: Vec::new() }
    }

    fn begin_round(&mut self) -> Vec<usize> {
        let rates: Vec<f64> = self.models.iter().map(|model| model.rate_per_s(&self.pool)).collect();
        let mut order: Vec<usize> = organ_pipes(&rates).into_iter().map(|number| number as usize).collect();
        order.reverse();
        order
    }
}

impl Roster for OrganPipe {
    fn name(&self) -> &'static str {
        "organ-pipe"
    }

    fn learn(&mut self, number: usize, look: &Look<'_>) {
        self.pool.learn(look);
        self.models[number].learn(look, &self.pool);
        // A visit takes the source off the round; it is the last but for those not affordable.
        if let Some(index) = self.round.iter().rposition(|it| *it == number) {
            self.round.remove(index);
        }
    }

    fn plan(&mut self, _now: Timestamp, _budget_per_s: f64) {}

    fn pick(&mut self, _now: Timestamp, count: usize, picked: &mut Vec<usize>) {
        picked.clear();
        if self.round.len() < count {
            let mut next = self.begin_round();
            next.append(&mut self.round);
            self.round = next;
        }
        let mut is_picked = vec![false; self.models.len()];
        for &number in self.round.iter().rev() {
            if picked.len() == count {
                break;
            }
            // Who stands in both rounds is not visited twice in one instant.
            if !std::mem::replace(&mut is_picked[number], true) {
                picked.push(number);
            }
        }
    }

    fn price(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_once_a_round() {
        let mut roster = OrganPipe::new(&RosterKit::plain(7));
        let mut picked = Vec::new();
        let mut seen = [0; 7];
        for step in 0..7 {
            let at = Timestamp::from_secs(step);
            roster.pick(at, 3, &mut picked);
            assert_eq!(picked.len(), 3);
            for number in picked.clone() {
                seen[number] += 1;
                roster.learn(number, &Look { since: None, at, news: &[], is_full: false });
            }
        }
        assert_eq!(seen, [3; 7]);
    }
}
