//! Steps 2 (schedule) and 10 (learn) of 10: from what a visit saw to when the next one is due.
//!
//! The policy speaks for sources that answer. Those that do not are looked at rarely, because a
//! suspended account may come back, and never sooner than the network said.

use freshet_policy::stored::window_of;
use freshet_policy::{Grade, Look, Market, Policy, SourceFacts};
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};

use crate::lesson::Lesson;
use crate::pages;
use crate::visit::Visit;
use crate::walk::Aim;

/// How often something that vanished is looked at again.
pub(crate) const REVIVAL_GAP: Span = Span::DAY;
/// How long a source rests after its third failure in a row.
const FAILED_GAP: Span = Span::HOUR;
/// How often profiles, relations and tags are read, unless the ceiling is lower.
pub const PROFILE_GAP: Span = Span::DAY;
/// Longest wait between two looks at a thread.
pub(crate) const THREAD_GAP_MAX: Span = Span::from_ms(30 * 86_400_000);
/// Longest wait between two looks at a list of members.
pub(crate) const LINK_GAP_MAX: Span = Span::from_ms(365 * 86_400_000);
/// Failed visits in a row after which the failure is shown and the source rests [SocWeb, 4.1].
pub const ATTEMPTS_MAX: u8 = 3;
/// A window that shows fewer posts than before is believed to be smaller by this part of the difference, each time.
const SHRINKS_BY: u32 = 4;
/// Wait before the second attempt; it doubles for the third.
const RETRY_GAP: Span = Span::from_secs(20);

/// Step 10: the model takes in what a page showed, now that the store has said what of it is new.
///
/// The pages of one visit go back in time: each tells of the stretch below the one before it,
/// and only the last reaches down to the visit before. History is no evidence of silence.
pub fn learn(
    visit: &mut Visit,
    policy: &dyn Policy,
    market: &mut Market,
    lesson: &Lesson,
    news: &[Timestamp],
) {
    if news.is_empty() && lesson.goes_on {
        return;
    }
    let until = visit.learned_down_to.unwrap_or(lesson.at);
    let since = if visit.aim == Aim::News { visit.visited_before } else { Some(until) };
    let facts =
        SourceFacts { page_size: window_after(&visit.source, lesson), ..facts(&visit.source, lesson.at) };
    // Where a window shows nothing but news, others may have scrolled out of it.
    let has_overflown = facts.page_size.is_some_and(|size| news.len() >= size as usize);
    let look = Look { since, at: until, news, is_full: lesson.goes_on || has_overflown };
    visit.source.model = policy.learn(&visit.source.model, &facts, market, &look);
    market.pool.learn(&look);
    visit.learned_down_to = news.iter().copied().min().or(visit.learned_down_to);
}

/// What a policy knows of a source besides its model.
pub fn facts(source: &Source, visited_at: Timestamp) -> SourceFacts {
    let weight = f64::from(source.weight);
    let page_size = window_of(&source.model);
    SourceFacts { number: source.id.0, weight, visited_at, backlog: 0.0, turn: 0, page_size }
}

/// How many posts the list of a source shows, after this lesson; `None` where it is no window. One that shows fewer than before may have
/// had posts taken away: it is believed step by step.
fn window_after(source: &Source, lesson: &Lesson) -> Option<u32> {
    let known = window_of(&source.model);
    match (lesson.window, known) {
        (None, known) => known,
        (Some(0), _) => None,
        (Some(shown), Some(known)) if shown < known => Some(known - ((known - shown) / SHRINKS_BY).max(1)),
        (Some(shown), _) => Some(shown),
    }
}

/// When a source that was visited `now` is due again, by a person's word before all; `quiet` is the time since the look before
/// if this one brought nothing new.
pub fn due_at(
    source: &Source,
    (policy, market): (&dyn Policy, &Market),
    ceiling: Span,
    quiet: Option<Span>,
    now: Timestamp,
) -> Timestamp {
    match (source.state, source.pinned) {
        (SourceState::Active, Some(every)) => now + every,
        (SourceState::Active, None) if source.is_page() => {
            pages::plan(source, market, policy.pacing(), now).due_at
        }
        (SourceState::Active, None) => match (source.robot, quiet) {
            // Most threads are over soon, and there is one per post: each fruitless look doubles
            // the wait, whatever the ceiling, or old threads would take all of the quota.
            (RobotKind::Comment | RobotKind::Across, Some(quiet)) => {
                now + (quiet * 2.0).clamp(ceiling, THREAD_GAP_MAX.max(ceiling))
            }
            // So are lists of members: who likes a post does so soon, and nobody looks at old ones for ever.
            (RobotKind::Link, Some(quiet)) => {
                now + (quiet * 2.0).clamp(PROFILE_GAP.min(ceiling), LINK_GAP_MAX.max(ceiling))
            }
            (RobotKind::Status | RobotKind::Comment, _) => policy
                .due_at(&source.model, &facts(source, now), market)
                .max(held_until(source, ceiling, now)),
            (
                RobotKind::User | RobotKind::Relation | RobotKind::Tag | RobotKind::Link | RobotKind::Across,
                _,
            ) => now + PROFILE_GAP.min(ceiling),
        },
        (SourceState::Failed, _) => now + FAILED_GAP,
        (SourceState::Removed | SourceState::Paused, _) => Timestamp::MAX,
        (state, _) => {
            let rest = quiet.map_or(REVIVAL_GAP, |quiet| quiet * 2.0);
            now + rest.clamp(REVIVAL_GAP, refused_gap_max(source.robot, state))
        }
    }
}

/// Longest wait between two looks at something that vanished or is not shown. There are several lists for every post, and what is not shown
/// of an old post hardly ever is again: each fruitless look doubles the wait, or such posts would be asked about for ever. A credential that
/// is added wakes what waits for one.
fn refused_gap_max(robot: RobotKind, state: SourceState) -> Span {
    match (robot, state) {
        (RobotKind::Link, SourceState::Gone | SourceState::Private | SourceState::AuthRequired) => {
            LINK_GAP_MAX
        }
        (RobotKind::Comment | RobotKind::Across, SourceState::Gone) => THREAD_GAP_MAX,
        (_, _) => REVIVAL_GAP,
    }
}

/// Until when the publisher of a source that was visited then asks to be left alone: never longer than a person's ceiling.
pub fn held_until(source: &Source, ceiling: Span, visited_at: Timestamp) -> Timestamp {
    source.timetable.not_before(visited_at).min(visited_at + ceiling)
}

/// The latest that a source can be due, whatever is stored: times that an earlier run wrote may be those of a clock that
/// was ahead of today's.
pub fn latest(robot: RobotKind, state: SourceState, ceiling: Span, now: Timestamp) -> Timestamp {
    match (state, robot) {
        (SourceState::Active, RobotKind::Link) => now + LINK_GAP_MAX.max(ceiling),
        (SourceState::Active, RobotKind::Comment | RobotKind::Across) => now + THREAD_GAP_MAX.max(ceiling),
        (SourceState::Active, _) => now + ceiling,
        (SourceState::Removed | SourceState::Paused, _) => Timestamp::MAX,
        (state, robot) => now + refused_gap_max(robot, state),
    }
}

/// How a source counts in the demand for visits: not at all where it has a pace of its own.
pub fn grade(source: &Source, policy: &dyn Policy, market: &Market, quiet: Option<Span>) -> Grade {
    let is_timed = match source.robot {
        RobotKind::Status => true,
        RobotKind::Comment => quiet.is_none(),
        RobotKind::User | RobotKind::Relation | RobotKind::Tag | RobotKind::Link | RobotKind::Across => false,
    };
    if !is_timed || source.state != SourceState::Active || source.pinned.is_some() {
        return Grade::NONE;
    }
    if source.is_page() {
        return pages::grade(source);
    }
    Grade::of(f64::from(source.weight), policy.rate_per_s(&source.model, market))
}

/// The front queue of a source: one for each robot, by how much its news matter.
///
/// How often a source changes and how much it weighs are in its due time already, by the price; were they here again, the sources
/// that change most would take every call when calls are few, and the others none.
pub fn class_of(robot: RobotKind) -> u8 {
    match robot {
        RobotKind::Status => 0,
        RobotKind::Comment => 3,
        RobotKind::Tag => 4,
        RobotKind::User => 5,
        RobotKind::Relation => 6,
        RobotKind::Link => 7,
        RobotKind::Across => 8,
    }
}

/// A visit failed: when to try again, and whether this was the last attempt.
pub fn failed(source: &mut Source, why: &str, can_retry: bool, now: Timestamp) -> Timestamp {
    source.attempts = source.attempts.saturating_add(1);
    source.failure = Some(why.chars().take(300).collect());
    if can_retry && source.attempts < ATTEMPTS_MAX {
        return now + RETRY_GAP * f64::from(1u32 << (source.attempts - 1));
    }
    source.state = SourceState::Failed;
    source.attempts = 0;
    now + FAILED_GAP
}

/// A request was answered; failed attempts are forgotten only when the whole visit succeeds.
pub fn answered(source: &mut Source, now: Timestamp) {
    source.failure = None;
    source.visited_at = Some(now);
    if source.state.is_watched() {
        source.state = SourceState::Active;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::{Objective, Pacing, policy_named};
    use freshet_types::NetworkName;

    fn check(robot: RobotKind, state: SourceState, quiet_h: Option<i64>, expected: &str) {
        let mut source = Source::new(&NetworkName::from("net"), "list", robot, "account", "7");
        source.state = state;
        let policy = policy_named(
            "change-rate",
            Pacing { floor: Span::MINUTE, ceiling: Span::HOUR, ceiling_share: Pacing::WANTED_SHARE },
        )
        .unwrap();
        let now = Timestamp::from_secs(1_000_000);
        let quiet = quiet_h.map(|hours| Span::HOUR * hours as f64);
        let market = Market::new(Objective::Delay);
        let due = due_at(&source, (&*policy, &market), Span::HOUR, quiet, now);
        assert_eq!((due - now).to_string(), expected, "{robot} {state:?} {quiet_h:?}");
    }

    #[test]
    fn every_kind_of_source_has_its_pace() {
        use RobotKind::{Comment, Link, Relation, Status, User};
        check(Status, SourceState::Active, Some(5), "1h 00m");
        check(User, SourceState::Active, None, "1h 00m");
        check(Relation, SourceState::Active, None, "1h 00m");
        check(Comment, SourceState::Active, None, "1h 00m");
        check(Comment, SourceState::Active, Some(1), "2h 00m");
        check(Comment, SourceState::Active, Some(40), "3d 8h");
        check(Comment, SourceState::Active, Some(2000), "30d 0h");
        check(Link, SourceState::Active, None, "1h 00m");
        check(Link, SourceState::Active, Some(1), "2h 00m");
        check(Link, SourceState::Active, Some(2000), "166d 16h");
        check(Link, SourceState::Active, Some(20_000), "365d 0h");
        check(Status, SourceState::Gone, None, "24h 00m");
        check(Status, SourceState::Gone, Some(100), "24h 00m");
        check(Link, SourceState::Gone, None, "24h 00m");
        check(Link, SourceState::Gone, Some(24), "2d 0h");
        check(Link, SourceState::AuthRequired, Some(20_000), "365d 0h");
        check(Comment, SourceState::Gone, Some(2000), "30d 0h");
        check(Comment, SourceState::Private, Some(2000), "24h 00m");
        check(Status, SourceState::Failed, None, "1h 00m");
        let mut pinned = Source::new(&NetworkName::from("net"), "list", Status, "account", "7");
        pinned.pinned = Some(Span::from_secs(300));
        let policy = policy_named(
            "change-rate",
            Pacing { floor: Span::MINUTE, ceiling: Span::HOUR, ceiling_share: Pacing::WANTED_SHARE },
        )
        .unwrap();
        let (market, now) = (Market::new(Objective::Delay), Timestamp::from_secs(1_000_000));
        let due = due_at(&pinned, (&*policy, &market), Span::HOUR, None, now);
        assert_eq!((due - now).to_string(), "5m 00s", "a person's word comes before the policy's");
        assert!(grade(&pinned, &*policy, &market, None) == Grade::NONE, "and takes it off the market");
    }

    #[test]
    fn a_publishers_word_holds_a_visit_back_within_the_ceiling() {
        let now = Timestamp::from_secs(1_000_000);
        // By this policy everything is due after a minute.
        let pacing =
            Pacing { floor: Span::MINUTE, ceiling: Span::MINUTE, ceiling_share: Pacing::WANTED_SHARE };
        let policy = policy_named("change-rate", pacing).unwrap();
        for (ttl_min, ceiling, pinned, expected) in [
            (None, Span::DAY, None, "1m 00s"),
            (Some(60), Span::DAY, None, "1h 00m"),
            (Some(60), Span::MINUTE * 10.0, None, "10m 00s"),
            (Some(60), Span::DAY, Some(Span::MINUTE * 5.0), "5m 00s"),
        ] {
            let mut source =
                Source::new(&NetworkName::from("rss:a.example"), "feed", RobotKind::Status, "account", "7");
            (source.timetable.ttl_min, source.pinned) = (ttl_min, pinned);
            let due = due_at(&source, (&*policy, &Market::new(Objective::Delay)), ceiling, None, now);
            assert_eq!((due - now).to_string(), expected, "{ttl_min:?} {ceiling} {pinned:?}");
        }
    }

    #[test]
    fn no_source_waits_longer_than_its_kind_may_whatever_is_stored() {
        let now = Timestamp::from_secs(1_000_000);
        for (robot, state, expected) in [
            (RobotKind::Status, SourceState::Active, Span::HOUR),
            (RobotKind::User, SourceState::Active, Span::HOUR),
            (RobotKind::Comment, SourceState::Active, THREAD_GAP_MAX),
            (RobotKind::Link, SourceState::Active, LINK_GAP_MAX),
            (RobotKind::Status, SourceState::Failed, REVIVAL_GAP),
            (RobotKind::Status, SourceState::OptedOut, REVIVAL_GAP),
            (RobotKind::Link, SourceState::Gone, LINK_GAP_MAX),
            (RobotKind::Link, SourceState::Failed, REVIVAL_GAP),
            (RobotKind::Comment, SourceState::Gone, THREAD_GAP_MAX),
        ] {
            assert_eq!(latest(robot, state, Span::HOUR, now) - now, expected, "{robot} {state:?}");
        }
    }

    #[test]
    fn the_third_failure_in_a_row_is_shown_and_rests() {
        let mut source = Source::new(&NetworkName::from("net"), "list", RobotKind::Status, "account", "7");
        let now = Timestamp::from_secs(1_000_000);
        let waits: Vec<_> =
            (0..3).map(|_| (failed(&mut source, "no answer", true, now) - now).to_string()).collect();
        assert_eq!(waits, ["20.0s", "40.0s", "1h 00m"]);
        assert_eq!(source.state, SourceState::Failed);
        answered(&mut source, now);
        assert_eq!((source.state, source.failure), (SourceState::Active, None));
    }
}
