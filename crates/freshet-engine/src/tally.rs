//! What happened since the start, in the words of the ten steps: the numbers of `status`.

use std::collections::{BTreeMap, VecDeque};

use freshet_network::collections::CollectionName;
use freshet_store::row::Applied;
use freshet_types::{FaultKind, Map, RobotKind, Source, Span, Timestamp};

/// Lags remembered for the median and the ninth decile.
const LAGS_MAX: usize = 2048;
/// Failures kept for show.
const FAILURES_MAX: usize = 20;

/// A source that failed three times, as `status` shows it.
#[derive(Clone, Debug)]
pub struct FailureNote {
    /// What a person calls it.
    pub source: String,
    /// What was wrong.
    pub why: String,
    pub at: Timestamp,
}

/// What a source is called where everybody may read it.
pub(crate) fn told_label(source: &Source) -> String {
    match &source.viewer {
        Some(viewer) => format!("{} source {} (as {viewer})", source.network, source.id.0),
        None => source.label(),
    }
}

/// Counters since the start.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub visits_count: u64,
    pub fetches_count: u64,
    /// Requests that had to wait for a quota or for politeness.
    pub postponed_count: u64,
    /// Due sources that went back because prices had risen.
    pub repriced_count: u64,
    /// Times a network said "too many".
    pub rate_limited_count: u64,
    /// Posts read, known ones included.
    pub posts_read_count: u64,
    /// Posts never seen before.
    pub posts_count: u64,
    /// The same by robot, in the order of [`RobotKind::ALL`].
    pub posts_by_robot: [u64; RobotKind::ALL.len()],
    /// What each robot is there for ([`RobotKind::collects`]), in the same order: profiles that were read, and of all else what was never
    /// seen before.
    pub collected: [u64; RobotKind::ALL.len()],
    /// Members of each collection that were never seen before; as many as definitions list.
    pub gathered: BTreeMap<CollectionName, u64>,
    pub edited_count: u64,
    pub deleted_count: u64,
    /// Accounts never seen before.
    pub accounts_count: u64,
    /// Relations never seen before.
    pub relations_count: u64,
    /// Records on pages that could not be used.
    pub complaints_count: u64,
    /// Exchanges without an answer, by kind.
    pub faults: Map<FaultKind, u64>,
    /// The latest sources that failed for good.
    pub failures: VecDeque<FailureNote>,
    lags: VecDeque<Span>,
}

impl Tally {
    /// Lags of news.
    pub(crate) fn add_lags(&mut self, lags: impl Iterator<Item = Span>) {
        self.lags.extend(lags);
        let excess = self.lags.len().saturating_sub(LAGS_MAX);
        self.lags.drain(..excess);
    }

    pub(crate) fn applied(&mut self, applied: &Applied, robot: Option<RobotKind>) {
        self.posts_count += applied.new_posts.len() as u64;
        if let Some(robot) = robot {
            self.posts_by_robot[robot as usize] += applied.new_posts.len() as u64;
            self.collected[robot as usize] += match robot {
                RobotKind::Relation => u64::from(applied.new_relation_count),
                RobotKind::Status | RobotKind::Comment => applied.new_posts.len() as u64,
                RobotKind::Tag => u64::from(applied.new_tag_count),
                RobotKind::Link => u64::from(applied.new_link_count),
                RobotKind::Across => applied.new_posts.len() as u64 + u64::from(applied.new_account_count),
                // Profiles are counted when they are read: most were met before by name.
                RobotKind::User => 0,
            };
        }
        self.edited_count += u64::from(applied.edited_count);
        self.deleted_count += u64::from(applied.deleted_count);
        self.accounts_count += u64::from(applied.new_account_count);
        self.relations_count += u64::from(applied.new_relation_count);
    }

    /// Members of a collection were stored.
    pub(crate) fn gathered(&mut self, name: CollectionName, applied: &Applied) {
        *self.gathered.entry(name).or_default() += u64::from(applied.new_link_count);
    }

    /// A page with so many profiles was read for this robot.
    pub(crate) fn read_profiles(&mut self, robot: RobotKind, count: usize) {
        if robot == RobotKind::User {
            self.collected[robot as usize] += count as u64;
        }
    }

    pub(crate) fn fault(&mut self, kind: FaultKind) {
        *self.faults.entry(kind).or_default() += 1;
    }

    pub(crate) fn failure(&mut self, source: &Source, why: &str, at: Timestamp) {
        let (source, why) = match &source.viewer {
            // What a viewer watches, and what the network said of it, is told to nobody else: an answer may name posts.
            Some(viewer) => {
                (told_label(source), format!("`freshet explain {} --as {viewer}` says why", source.id.0))
            }
            None => (source.label(), why.to_owned()),
        };
        self.failures.push_back(FailureNote { source, why, at });
        if self.failures.len() > FAILURES_MAX {
            self.failures.pop_front();
        }
    }

    /// Median and ninth decile of the lags of recent news; `None` before there were any.
    pub fn lag(&self) -> Option<(Span, Span)> {
        let mut lags: Vec<Span> = self.lags.iter().copied().collect();
        if lags.is_empty() {
            return None;
        }
        lags.sort_unstable();
        Some((lags[lags.len() / 2], lags[lags.len() * 9 / 10]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_robot_counts_what_it_is_there_for() {
        let applied = Applied {
            new_posts: vec![Timestamp::from_secs(1); 2],
            new_account_count: 3,
            new_relation_count: 5,
            new_link_count: 7,
            new_tag_count: 11,
            ..Applied::default()
        };
        let mut tally = Tally::default();
        for robot in RobotKind::ALL {
            tally.applied(&applied, Some(robot));
            tally.read_profiles(robot, 13);
        }
        let told: Vec<String> = RobotKind::ALL
            .into_iter()
            .map(|robot| format!("{} {}", tally.collected[robot as usize], robot.collects()))
            .collect();
        assert_eq!(
            told.join(", "),
            "5 relations, 13 profiles, 2 posts, 2 replies, 11 tags, 7 members, 5 objects"
        );
    }
}
