//! Importance as a run uses it: what people asked about lately, and who ranks high by the focus or among what was added, turned into factors of weights. Part of step 1 (plan) of 10.
//!
//! The formula is [`freshet_policy::importance`]; the counts are the store's ([`freshet_store::api::Interest`]). A run reads them
//! every [`READ_EVERY`], and has what it loads of a source weighed by them: in memory a source's weight is a person's word times
//! its factor, in the store it stays the person's word, since no visit writes weights. `explain` reads the same.
//!
//! What it does not do: count, which is done where people are answered (`app::interest`), and rank, which is done where robots are fed (`feed/scores.rs`).

use freshet_network::robot::ACCOUNT;
use freshet_policy::importance::{self as formula, Asked};
use freshet_store::api::interest::Ranked;
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::{Setting, SettingValue};
use freshet_types::{Map, RobotKind, Source, SourceId, SourceState, Span, Timestamp};

/// Time between two readings, by the clock of the crawl.
pub(crate) const READ_EVERY: Span = Span::HOUR;
/// Setting under which the store remembers whether weights follow what people ask about.
pub const IMPORTANCE: Setting<Switch> = Setting::new("importance");

/// Whether weights follow what people ask about, and who ranks high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    #[default]
    On,
    /// Weights are what people set, and nothing else.
    Off,
}

impl Switch {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl SettingValue for Switch {
    fn to_stored(&self) -> String {
        self.name().to_owned()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err(format!("`{text}` is neither on nor off")),
        }
    }
}

/// What people asked about a source lately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Requests a day for its users, in the mean.
    pub eir_per_day: f64,
    /// I of the paper.
    pub importance: f64,
    /// What its rank is beside the mean of all lists of accounts; `None` where nobody has one, and for what no account is.
    pub rank: Option<f64>,
    /// What its weight is multiplied by.
    pub factor: f64,
}

/// What people asked about, for all sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    switch: Switch,
    /// Of all that nobody asked about.
    others: Standing,
    asked: Map<SourceId, Standing>,
    ranks: Ranks,
}

/// Scores of lists of accounts.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ranks {
    scores: Map<SourceId, f64>,
    /// Over all such lists; 0 where nobody has a score.
    mean: f64,
}

impl Ranks {
    fn of(ranked: Ranked) -> Self {
        let sum: f64 = ranked.scores.iter().map(|it| it.1).sum();
        let mean = sum / (ranked.list_count.max(ranked.scores.len() as u64).max(1)) as f64;
        Self { scores: ranked.scores.into_iter().collect(), mean }
    }

    /// A list's score beside the mean; lists that are no account's have none, nor has anybody where nobody is ranked.
    fn beside_mean(&self, source: &Source) -> Option<f64> {
        let is_list =
            matches!(source.robot, RobotKind::Status | RobotKind::Comment) && &*source.root_kind == ACCOUNT;
        let score = || self.scores.get(&source.id).copied().unwrap_or(0.0);
        (is_list && self.mean > 0.0).then(|| score() / self.mean)
    }
}

/// Nobody asked about anything.
const UNASKED: Standing = Standing { eir_per_day: 0.0, importance: 0.0, rank: None, factor: 1.0 };

impl Default for Importance {
    fn default() -> Self {
        Self { switch: Switch::On, others: UNASKED, asked: Map::default(), ranks: Ranks::default() }
    }
}

impl Importance {
    /// Reads what was asked in the days up to now.
    pub fn read(store: &(impl Store + ?Sized), now: Timestamp) -> Result<Self, StoreError> {
        let switch = IMPORTANCE.find(store)?.unwrap_or_default();
        let mut users: Map<SourceId, Vec<Asked>> = Map::default();
        for row in store.interest(day_of(now))? {
            let asked = Asked { asked_count: row.asked_count, returned_count: row.returned_count };
            users.entry(row.source).or_default().push(asked);
        }
        let counts = store.counts()?.sources;
        let active = counts.iter().find(|(state, _)| *state == SourceState::Active).map_or(0, |it| it.1);
        let ranks = Ranks::of(store.ranked()?);
        Ok(Self { ranks, ..Self::of(switch, &users, active) })
    }

    /// From what was asked about the users of some sources, among so many that are watched.
    fn of(switch: Switch, users: &Map<SourceId, Vec<Asked>>, watched_count: u64) -> Self {
        let sum: f64 = users.values().map(|users| formula::importance(users)).sum();
        let mean = sum / (watched_count.max(users.len() as u64).max(1)) as f64;
        let standing = |users: &[Asked]| {
            let asked = users.iter().fold(0.0, |sum, it| sum + formula::eir_per_day(it.asked_count));
            let importance = formula::importance(users);
            let factor = match switch {
                Switch::On => formula::factor(importance, mean),
                Switch::Off => 1.0,
            };
            Standing { eir_per_day: asked / users.len().max(1) as f64, importance, rank: None, factor }
        };
        let asked = users.iter().map(|(id, users)| (*id, standing(users))).collect();
        Self { switch, others: standing(&[]), asked, ranks: Ranks::default() }
    }

    /// Whether weights follow it.
    pub fn is_on(&self) -> bool {
        self.switch == Switch::On
    }

    /// What was asked about a source, and how it ranks.
    pub fn of_source(&self, source: &Source) -> Standing {
        let asked = self.asked.get(&source.id).copied().unwrap_or(self.others);
        let rank = self.ranks.beside_mean(source);
        let factor = match (self.switch, rank) {
            (Switch::On, Some(rank)) => formula::joint_factor(asked.factor, formula::rank_factor(rank, 1.0)),
            _ => asked.factor,
        };
        Standing { rank, factor, ..asked }
    }

    /// Makes the weight of a source what it counts in all.
    pub fn weigh(&self, source: &mut Source) {
        source.weight *= self.of_source(source).factor as f32;
    }
}

/// The day of an instant, in days since 1970.
pub fn day_of(at: Timestamp) -> i64 {
    at.ms().div_euclid(Span::DAY.ms())
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_store::api::interest::Inquiry;
    use freshet_store::api::prelude::*;
    use freshet_store::row::Upload;
    use freshet_store::testing;
    use freshet_types::{Account, NetworkName, Observation, VisitId};

    #[test]
    fn the_window_of_the_store_is_that_of_the_formula() {
        assert_eq!(freshet_store::api::interest::DAYS, i64::from(formula::DAYS));
    }

    #[test]
    fn days_are_those_of_utc() {
        for (secs, day) in [(0, 0), (86_399, 0), (86_400, 1), (-1, -1)] {
            assert_eq!(day_of(Timestamp::from_secs(secs)), day, "{secs}");
        }
    }

    #[test]
    fn what_is_asked_about_counts_more_and_the_switch_is_obeyed() {
        let mut store = testing::memory();
        let network = NetworkName::from("net");
        let source = |id: &str| Source::new(&network, "list", RobotKind::Status, "feed", id);
        let added = store.add_sources(&[source("a"), source("b"), source("c"), source("d")]).unwrap();
        let numbered = |at: usize, id: &str| Source { id: added[at].0, ..source(id) };
        let (asked, other) = (&numbered(0, "a"), &numbered(1, "b"));
        let now = Timestamp::from_secs(20_000 * 86_400 + 5);
        assert_eq!(Importance::read(&store, now).unwrap(), Importance::default());
        let inquiry = Inquiry { sources: vec![asked.id], ..Inquiry::default() };
        // A question a day for a week, each answered by the source itself: EIR = 1, App = 7, I = 7, mean 7/4.
        for day in 0..7 {
            store.count_inquiries(day_of(now) - 6 + day, std::slice::from_ref(&inquiry)).unwrap();
        }
        let read = |store: &dyn Store| Importance::read(store, now).unwrap();
        let importance = read(&store);
        let standing = importance.of_source(asked);
        assert!((standing.eir_per_day - 1.0).abs() < 1e-9 && (standing.importance - 7.0).abs() < 1e-9);
        assert!((standing.factor - 8.0 / 2.75).abs() < 1e-9, "{standing:?}");
        assert!((importance.of_source(other).factor - 1.0 / 2.75).abs() < 1e-9);
        let mut weighed = Source { weight: 2.0, ..asked.clone() };
        importance.weigh(&mut weighed);
        assert!((weighed.weight - 2.0 * 8.0 / 2.75).abs() < 1e-4, "{}", weighed.weight);
        IMPORTANCE.put(&mut store, &Switch::Off).unwrap();
        let off = read(&store);
        assert!(!off.is_on() && (off.of_source(asked).factor - 1.0).abs() < 1e-12);
        assert!((off.of_source(asked).importance - 7.0).abs() < 1e-9, "it is still told");
    }

    #[test]
    fn who_ranks_high_counts_more() {
        let mut store = testing::memory();
        let network = NetworkName::from("net");
        let list = |kind, id: &str| Source::new(&network, "list", RobotKind::Status, kind, id);
        let sources = [list("account", "a"), list("account", "b"), list("feed", "c")];
        let added = store.add_sources(&sources).unwrap();
        let sources = [0, 1, 2].map(|at| Source { id: added[at].0, ..sources[at].clone() });
        let accounts = ["a", "b"].map(|id| Account { id: id.to_owned(), ..Account::default() }).to_vec();
        let observation = Observation { accounts, ..Observation::default() };
        let now = Timestamp::from_secs(1);
        let page = Upload { observation, ..Upload::new(VisitId(1), network.clone(), now) };
        store.apply(&[page], |_, _| None).unwrap();
        let number = store.account_of(&network, "a").unwrap().unwrap().object;
        store.set_ranks(&[(number, 0.5)]).unwrap();
        let read = |store: &dyn Store| {
            let importance = Importance::read(store, now).unwrap();
            sources.each_ref().map(|it| importance.of_source(it)).map(|it| (it.rank, it.factor))
        };
        // Two lists of accounts, so the mean is 0.25: the one has twice that, the other nothing, and a feed has no rank.
        assert_eq!(read(&store), [(Some(2.0), 1.5), (Some(0.0), 0.5), (None, 1.0)]);
        IMPORTANCE.put(&mut store, &Switch::Off).unwrap();
        assert_eq!(read(&store).map(|it| (it.1 * 10.0) as u32), [10; 3]);
        store.set_ranks(&[]).unwrap();
        assert_eq!(read(&store).map(|it| it.0), [None; 3], "they are gone, and nobody has one");
    }
}
