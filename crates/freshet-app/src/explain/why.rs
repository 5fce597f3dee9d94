//! Why a source is visited when it is, as the policy that ran last answers it.
//!
//! The decision is made anew from what is stored (model, market), so it says what would be decided
//! now; the time that stands in the schedule is that of the last visit and may differ a little.

use freshet_engine::forum::list_kind;
use freshet_engine::schedule;
use freshet_policy::change::hash::Speaker;
use freshet_policy::change::kind::Kind;
use freshet_policy::forum::ListKind;
use freshet_policy::stored::prior_of;
use freshet_policy::{Explanation, Reason, Spoken};
use freshet_report::explain::{Behaviour, DayTable, DueReason, Fact, Otherwise, When, Why};
use freshet_report::run::{ListModel, RunStatus};
use freshet_report::time::UnixNumber;
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};

use super::Grounds;

/// The decision and what it stands on.
#[derive(Debug)]
pub(super) struct Decision {
    /// As it is reported.
    pub(super) why: Why,
    explanation: Explanation,
    ceiling: Span,
    silence: Option<Silence>,
    spoken: Option<Spoken>,
    profile: Option<Fact>,
}

/// A thread that brought nothing at its last look.
#[derive(Clone, Copy, Debug)]
struct Silence {
    since: Option<Timestamp>,
    wait: Span,
}

impl Decision {
    /// For a source that a policy times and that was visited before.
    pub(super) fn of(source: &Source, grounds: &Grounds, now: Timestamp) -> Option<Self> {
        let Grounds { memory, live, calendars, .. } = grounds;
        let is_timed = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
        let visited_at = source.visited_at.filter(|_| is_timed && source.state == SourceState::Active)?;
        let (policy, mut market) = (memory.policy(), memory.market(&source.network, source.robot));
        market.calendars = calendars.of(&source.network);
        let facts = schedule::facts(source, visited_at);
        let explanation = policy.explain(&source.model, &facts, &market, now);
        let per_day = |rate_per_s: f64| rate_per_s * Span::DAY.secs_f64();
        let tariff = memory.tariff(&source.network, source.robot);
        let silence = Silence::of(source, visited_at, explanation.due_at);
        let due_at = if silence.is_some() { source.due_at } else { explanation.due_at };
        let why = Why {
            policy: policy.name().to_owned(),
            due_at: UnixNumber::of(due_at),
            reason: if silence.is_some() { DueReason::Silence } else { reason(explanation.reason) },
            silent_since: silence.and_then(|it| it.since).and_then(UnixNumber::of),
            model: model_of(source, live.as_ref()),
            expected_posts: explanation.posts_expected,
            expected_wait_s: explanation.wait_s_expected,
            rate_now_per_day: per_day(explanation.rate_now_per_s),
            rate_mean_per_day: per_day(explanation.rate_per_s),
            kind: behaviour(explanation.kind),
            price_post_s: explanation.price,
            calls: tariff.map_or(1.0, |tariff| tariff.calls_per_visit(memory)),
            worth_now: explanation.worth_now,
            weight: source.weight,
            otherwise: Otherwise {
                one_more_post_at: UnixNumber::of(explanation.otherwise.one_more_post),
                price_doubled_at: UnixNumber::of(explanation.otherwise.price_doubled),
                price_halved_at: UnixNumber::of(explanation.otherwise.price_halved),
                no_ceiling_at: UnixNumber::of(explanation.otherwise.no_ceiling),
            },
        };
        let spoken = policy.spoken(&source.model, &facts, &market, now);
        let ceiling = policy.pacing().ceiling * market.ceiling_stretch;
        let profile = prior_of(&source.model).map(|prior| Fact::Profile {
            told_per_day: per_day(prior.told_per_s()),
            expected_per_day: per_day(prior.rate_per_s(market.pool.rate_per_s())),
        });
        Some(Self { why, explanation, ceiling, silence, spoken, profile })
    }

    /// The decision as facts, the reason first.
    pub(super) fn facts(&self, last_post_at: Option<UnixNumber>, now: Timestamp) -> Vec<Fact> {
        let (why, otherwise) = (&self.why, &self.explanation.otherwise);
        let silence = self
            .silence
            .map(|it| Fact::Silence { wait_s: it.wait.secs_f64(), since: it.since.and_then(UnixNumber::of) });
        let model = why.model.as_ref().map(|it| Fact::Model {
            model: it.model.clone(),
            lists: it.lists.clone().unwrap_or_default(),
            errors: it.errors.clone(),
        });
        let table = self.spoken.clone().map(|it| Fact::Table {
            holiday: it.holiday,
            is_weekend: it.is_weekend,
            speaker: speaker(it.speaker),
        });
        let others = [
            Fact::Due {
                reason: reason(self.explanation.reason),
                policy: why.policy.clone(),
                ceiling_s: self.ceiling.secs_f64(),
                is_overruled: self.silence.is_some(),
            },
            Fact::Expected { posts: why.expected_posts, wait_s: why.expected_wait_s },
            Fact::Rate {
                mean_per_day: why.rate_mean_per_day,
                now_per_day: why.rate_now_per_day,
                last_post_at,
            },
            Fact::Kind { kind: why.kind },
            Fact::Cost { calls: why.calls, price_post_s: why.price_post_s, worth_now: why.worth_now },
            Fact::Otherwise {
                one_more_post: When::of(otherwise.one_more_post, now),
                price_doubled: When::of(otherwise.price_doubled, now),
                price_halved: When::of(otherwise.price_halved, now),
                no_ceiling: When::of(otherwise.no_ceiling, now),
            },
        ];
        let in_turn = |fact: &Fact| matches!(fact, Fact::Cost { .. } | Fact::Otherwise { .. });
        let is_priced = self.explanation.reason != Reason::Turn;
        // Where sources are visited in turn, no price has a say.
        let others = others.into_iter().filter(|fact| is_priced || !in_turn(fact));
        let profile = self.profile.clone();
        silence.into_iter().chain(model).chain(others).chain(profile).chain(table).collect()
    }
}

impl Silence {
    /// A thread whose visit stands later in the schedule than the policy alone would have it.
    fn of(source: &Source, visited_at: Timestamp, policy_at: Timestamp) -> Option<Self> {
        let is_thread = source.robot == RobotKind::Comment;
        let wait = source.due_at - visited_at;
        let is_longer = source.due_at - policy_at > Span::MINUTE;
        let since = source.coverage.newest().map(|newest| newest.at);
        (is_thread && is_longer).then_some(Self { since, wait })
    }
}

/// What the last run reported of the model for lists like this.
fn model_of(source: &Source, live: Option<&RunStatus>) -> Option<ListModel> {
    let kind = list_kind(&source.root_kind)?;
    let forum = live?.work.forums.iter().find(|forum| forum.network == source.network)?;
    let (model, lists) = match kind {
        ListKind::Index => (&forum.boards, "the boards"),
        ListKind::Posts => (&forum.threads, "the threads"),
    };
    Some(ListModel { lists: Some(lists.to_owned()), ..model.clone()? })
}

/// The policy's reason as reports name it.
fn reason(reason: Reason) -> DueReason {
    match reason {
        Reason::Worth => DueReason::Worth,
        Reason::Floor => DueReason::Floor,
        Reason::Ceiling => DueReason::Ceiling,
        Reason::Rounds => DueReason::Rounds,
        Reason::Window => DueReason::Window,
        Reason::Turn => DueReason::Turn,
    }
}

/// Whose table it is, as reports name it.
fn speaker(speaker: Speaker) -> DayTable {
    match speaker {
        Speaker::Workday => DayTable::Workday,
        Speaker::Weekend => DayTable::Weekend,
        Speaker::Holidays => DayTable::Holidays,
        Speaker::Own => DayTable::Own,
    }
}

/// The policy's kind as reports name it.
fn behaviour(kind: Kind) -> Behaviour {
    match kind {
        Kind::Inactive => Behaviour::Inactive,
        Kind::Unstable => Behaviour::Unstable,
        Kind::Constant => Behaviour::Constant,
        Kind::Authority => Behaviour::Authority,
    }
}
