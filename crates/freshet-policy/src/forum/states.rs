//! Fifteen states of a list by its last five gaps: k-means with Euclidean distances [list-wise, table 1, s₁ … s₁₅].
//!
//! Lloyd's iterations from centres at equal steps of the mean gap, so that no lots are drawn.

use super::features::GAP_COUNT;

/// States there are.
pub(super) const STATE_COUNT: usize = 15;
/// Iterations; centres hardly move after these.
const STEPS: usize = 20;

type Gaps = [f64; GAP_COUNT];

/// The centres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct States {
    centres: Vec<Gaps>,
}

impl States {
    /// Of a sample of lists.
    pub(super) fn of(mut sample: Vec<Gaps>) -> Self {
        sample.sort_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum()));
        let count = STATE_COUNT.min(sample.len());
        let start = |state: usize| sample[(2 * state + 1) * sample.len() / (2 * count)];
        let mut states = Self { centres: (0..count).map(start).collect() };
        for _ in 0..STEPS {
            let mut sums = vec![([0.0; GAP_COUNT], 0.0); count];
            for gaps in &sample {
                let (sum, weight) = &mut sums[states.nearest(gaps)];
                sum.iter_mut().zip(gaps).for_each(|(sum, gap)| *sum += gap);
                *weight += 1.0;
            }
            for (centre, (sum, weight)) in
                states.centres.iter_mut().zip(sums).filter(|(_, (_, weight))| *weight > 0.0)
            {
                *centre = sum.map(|sum| sum / weight);
            }
        }
        states
    }

    /// The nearest centre; 0 where there is none.
    pub(super) fn nearest(&self, gaps: &Gaps) -> usize {
        let distance = |centre: &Gaps| centre.iter().zip(gaps).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let distances = self.centres.iter().map(distance).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_lists_share_a_state() {
        let sample = (0..300).map(|it| [f64::from(it % 3) * 100.0 + f64::from(it % 7); GAP_COUNT]).collect();
        let states = States::of(sample);
        assert_eq!(states.centres.len(), STATE_COUNT);
        let state = |gap: f64| states.nearest(&[gap; GAP_COUNT]);
        assert!(state(1.0) != state(101.0) && state(101.0) != state(201.0));
        assert_eq!(States::of(Vec::new()).nearest(&[1.0; GAP_COUNT]), 0);
    }
}
