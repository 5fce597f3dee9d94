//! Training a forum's models from what is stored, beside the crawl: reading is the driver's, the work a thread's.
//!
//! Lists of boards are the posts of the threads in them: that is what a look at a board brings here, new threads
//! among it. The first training is as soon as there is something to learn from; then one when as much time has passed again as since the
//! first, every two months at most, as the paper has it.

use std::sync::Arc;

use freshet_policy::forum::{Belief, Chosen, ListFacts, ListKind};
use freshet_policy::{Look, Market, Policy, SourceFacts};
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{ListTimes, ListTimesBounds, ListTimesKind};
use freshet_types::{Map, NetworkName, Span, Timestamp};

use super::{Table, Trained};

/// Lists of each kind that are learned from: the liveliest.
const LISTS_MAX: usize = 20_000;
/// Posting times of one list: the newest.
const TIMES_MAX: usize = 1_000;
/// How far back times of boards go; threads are short, and told as a whole.
const INDEX_HISTORY: Span = Span::from_ms(365 * 86_400_000);
/// Least time between two trainings of a forum.
const TRAIN_GAP_MIN: Span = Span::HOUR;
/// The longest: two months.
const TRAIN_GAP_MAX: Span = Span::from_ms(60 * 86_400_000);

/// When forums are trained next.
#[derive(Debug, Default)]
pub(crate) struct Trainer {
    /// When each was first trained, and when it is due.
    due: Map<NetworkName, (Timestamp, Timestamp)>,
}

impl Trainer {
    /// Whether it is time; then the next time is noted.
    pub(crate) fn is_due(&mut self, network: &NetworkName, now: Timestamp) -> bool {
        let (first_at, due_at) = *self.due.entry(network.clone()).or_insert((now, now));
        if now < due_at {
            return false;
        }
        let gap = (now - first_at).clamp(TRAIN_GAP_MIN, TRAIN_GAP_MAX);
        self.due.insert(network.clone(), (first_at, now + gap));
        true
    }

    /// Nothing came of it: it is time again at once.
    pub(crate) fn put_off(&mut self, network: &NetworkName, now: Timestamp) {
        if let Some((_, due_at)) = self.due.get_mut(network) {
            *due_at = now;
        }
    }
}

/// The lists of a forum as they are stored: boards, threads.
#[derive(Clone, Debug)]
pub struct Lists {
    network: NetworkName,
    kinds: [Vec<ListTimes>; 2],
}

impl Lists {
    /// Reads them.
    pub fn read(store: &dyn Store, network: &NetworkName, now: Timestamp) -> Result<Self, StoreError> {
        let bounds = |since| ListTimesBounds { since, lists_max: LISTS_MAX, times_max: TIMES_MAX };
        let index = store.list_times(network, ListTimesKind::Index, bounds(now - INDEX_HISTORY))?;
        let threads = store.list_times(network, ListTimesKind::Threads, bounds(Timestamp::MIN))?;
        Ok(Self { network: network.clone(), kinds: [index, threads] })
    }

    /// Trains both models and lets the stored history choose, the policy's own among them.
    pub fn train(self, policy: &Arc<dyn Policy>, market: &Market, now: Timestamp) -> Trained {
        let now_s = now.secs_f64();
        let ordinary =
            |known: &[i64], from_s: f64, to_s: f64| ordinary(&**policy, market, known, (from_s, to_s));
        let model = |kind: ListKind| {
            let lists: Vec<&[i64]> =
                self.kinds[kind as usize].iter().map(|list| list.times_s.as_slice()).collect();
            Chosen::train(&lists, now_s, Belief::of(kind), &ordinary)
        };
        let facts = |list: &ListTimes| (list.source, ListFacts::of(&list.times_s));
        let mut table = Table::default();
        self.kinds[1].iter().for_each(|list| table.learn_list(&list.times_s, now_s));
        Trained {
            table,
            trained_at: now,
            models: [model(ListKind::Index), model(ListKind::Posts)],
            facts: self.kinds.iter().flatten().map(facts).collect(),
            record_counts: (
                self.kinds[1].len(),
                self.kinds[1].iter().map(|list| list.times_s.len()).sum::<usize>(),
            ),
            network: self.network,
        }
    }
}

/// What the policy in force expects of a list that it was told of at an instant, until another.
fn ordinary(policy: &dyn Policy, market: &Market, known: &[i64], (from_s, to_s): (f64, f64)) -> f64 {
    let at = |secs: f64| Timestamp::from_ms((secs * 1000.0) as i64);
    let news: Vec<Timestamp> = known.iter().map(|at_s| Timestamp::from_secs(*at_s)).collect();
    let facts = SourceFacts {
        number: 0,
        weight: 1.0,
        visited_at: at(from_s),
        backlog: 0.0,
        turn: 0,
        page_size: None,
    };
    let look = Look { since: None, at: at(from_s), news: &news, is_full: false };
    let model = policy.learn(&[], &facts, market, &look);
    policy.posts(&model, market, at(from_s), at(to_s))
}

#[cfg(test)]
mod tests {
    use freshet_policy::forum::ModelKind;
    use freshet_policy::{Objective, Pacing, policy_named};
    use freshet_types::SourceId;

    use super::*;

    #[test]
    fn waits_double_up_to_two_months() {
        let mut trainer = Trainer::default();
        let (network, start) = (NetworkName::from("forum"), Timestamp::from_secs(1_000_000_000));
        let hours: Vec<i64> = (0..24 * 365)
            .filter(|hour| trainer.is_due(&network, start + Span::HOUR * *hour as f64))
            .collect();
        assert_eq!(hours[..6], [0, 1, 2, 4, 8, 16]);
        assert!(hours.windows(2).all(|pair| pair[1] - pair[0] <= 60 * 24 + 1), "{hours:?}");
    }

    #[test]
    fn the_history_of_a_forum_chooses_its_models() {
        // Threads of ten posts a minute apart, one a day; the board sees all of them.
        let threads: Vec<Vec<i64>> =
            (0..80).map(|day| (0..10).map(|post| day * 86_400 + post * 60).collect()).collect();
        let board: Vec<i64> = threads.iter().flatten().copied().collect();
        let list = |(at, times_s): (usize, &Vec<i64>)| ListTimes {
            source: SourceId(at as u32 + 1),
            times_s: times_s.clone(),
        };
        let threads: Vec<ListTimes> = threads.iter().enumerate().map(list).collect();
        let network = NetworkName::from("forum");
        let board = ListTimes { source: SourceId(999), times_s: board };
        let lists = Lists { network, kinds: [vec![board], threads] };
        let pacing = Pacing::default();
        let policy = policy_named("freshet", pacing).unwrap();
        let market = Market::new(Objective::Delay);
        let trained = lists.train(&policy, &market, Timestamp::from_secs(80 * 86_400));
        let model = |kind: ListKind| trained.models[kind as usize].as_ref().unwrap();
        assert_eq!(model(ListKind::Posts).kind(), ModelKind::Idle, "{:?}", model(ListKind::Posts).test());
        assert!(model(ListKind::Index).test().ordinary.is_some_and(|it| it.deviance.is_finite()));
        assert_eq!((trained.facts.len(), trained.record_counts), (81, (80, 800)));
    }
}
