//! Steps 2 (schedule) and 10 (learn) of 10: from what a visit saw to when the next one is due.
//!
//! The policy speaks for sources that answer. Those that do not are looked at rarely, because a
//! suspended account may come back, and never sooner than the network said.

use freshet_policy::{ChangeModel, ChangeRate, Look, Policy};
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};

/// How often something that vanished is looked at again.
const REVIVAL_GAP: Span = Span::DAY;
/// How long a source rests after its third failure in a row.
const FAILED_GAP: Span = Span::HOUR;
/// How often profiles, relations and tags are read, unless the ceiling is lower.
const PROFILE_GAP: Span = Span::DAY;
/// Failed visits in a row after which the failure is shown and the source rests [SocWeb, 4.1].
pub const ATTEMPTS_MAX: u8 = 3;
/// Wait before the second attempt; it doubles for the third.
const RETRY_GAP: Span = Span::from_secs(20);

/// Step 10: the model takes in what a visit saw.
pub fn learn(source: &mut Source, at: Timestamp, news: &[Timestamp]) {
    let mut model = ChangeRate::from_bytes(&source.model);
    model.learn(&Look { at, news });
    source.model = model.to_bytes();
}

/// When a source that was visited `now` is due again.
pub fn due_at(source: &Source, policy: &dyn Policy, ceiling: Span, now: Timestamp) -> Timestamp {
    match source.state {
        SourceState::Active => match source.robot {
            RobotKind::Status | RobotKind::Comment => {
                let forecast = ChangeRate::from_bytes(&source.model).forecast(now);
                policy.due_at(&forecast, now)
            }
            RobotKind::User | RobotKind::Relation | RobotKind::Tag => now + PROFILE_GAP.min(ceiling),
        },
        SourceState::Failed => now + FAILED_GAP,
        SourceState::Removed => Timestamp::MAX,
        SourceState::Gone
        | SourceState::Suspended
        | SourceState::Private
        | SourceState::OptedOut
        | SourceState::AuthRequired => now + REVIVAL_GAP,
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
    if source.state != SourceState::Removed {
        source.state = SourceState::Active;
    }
}
