//! The priced look-ahead on known rates: the best that the theory offers short of solving all sources at once.
//!
//! Per source, backwards over the slots of the whole stretch, V(t) = min over later visits u of
//! D(t,u) + μᵤ + V(u), with the end as a free visit; μ are the dual's slot prices
//! ([`crate::experiment::oracle::slot_prices`]). The index of a source last visited at s is what is lost by passing over this slot,
//! min over u > t of [D(s,u) + μᵤ + V(u)] − [D(s,t) + V(t)]; the largest are visited.
//! It stands in the study of known rates between the bound and the policies; nobody can select it.

use freshet_policy::{Look, Roster};
use freshet_types::Timestamp;

use crate::experiment::SLOT;
use crate::experiment::oracle::Curve;

#[derive(Debug)]
pub(super) struct LookAhead {
    curves: Vec<Curve>,
    prices: Vec<f64>,
    /// V of each source at each slot's end.
    values: Vec<Vec<f64>>,
    /// The slot's end at which each source was last visited.
    visited: Vec<usize>,
    start: Timestamp,
}

impl LookAhead {
    pub(super) fn new(curves: &[Curve], prices: &[f64], start: Timestamp) -> Self {
        let values = curves.iter().map(|curve| values(curve, prices)).collect();
        Self {
            curves: curves.to_vec(),
            prices: prices.to_vec(),
            values,
            visited: vec![0; curves.len()],
            start,
        }
    }

    fn index(&self, source: usize, slot: usize) -> f64 {
        let (curve, values, since) = (&self.curves[source], &self.values[source], self.visited[source]);
        let later = best_after(curve, &self.prices, values, since, slot);
        later - curve.wait_s(since, slot) - values[slot]
    }
}

fn values(curve: &Curve, prices: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; prices.len()];
    for slot in (0..prices.len().saturating_sub(1)).rev() {
        values[slot] = best_after(curve, prices, &values, slot, slot);
    }
    values
}

/// The least cost of posts since `since` and all later ones, if the next visit is after `slot`.
fn best_after(curve: &Curve, prices: &[f64], values: &[f64], since: usize, slot: usize) -> f64 {
    let last = prices.len() - 1;
    let mut best = curve.wait_s(since, last);
    for later in slot + 1..last {
        let wait_s = curve.wait_s(since, later);
        // Waiting grows with time, prices are not negative: nothing later can be better.
        if wait_s >= best {
            break;
        }
        best = best.min(wait_s + prices[later] + values[later]);
    }
    best
}

impl Roster for LookAhead {
    fn name(&self) -> &'static str {
        "look-ahead"
    }

    fn learn(&mut self, number: usize, look: &Look<'_>) {
        let slots = (look.at - self.start).secs_f64() / SLOT.secs_f64();
        self.visited[number] = slots.max(0.0).round() as usize;
    }

    fn plan(&mut self, _now: Timestamp, _budget_per_s: f64) {}

    fn pick(&mut self, now: Timestamp, count: usize, picked: &mut Vec<usize>) {
        let slot = ((now - self.start).secs_f64() / SLOT.secs_f64()).round() as usize;
        let slot = slot.min(self.prices.len() - 1);
        let mut ranked: Vec<_> =
            (0..self.curves.len()).map(|source| (self.index(source, slot), source)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        picked.clear();
        picked.extend(ranked.into_iter().take(count).map(|(_, source)| source));
    }

    fn price(&self) -> Option<f64> {
        None
    }
}
