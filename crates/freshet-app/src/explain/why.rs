//! Why a source is visited when it is, as the policy that ran last answers it.
//!
//! The decision is made anew from what is stored (model, market), so it says what would be decided
//! now; the time that stands in the schedule is that of the last visit and may differ a little.

use freshet_engine::forum::list_kind;
use freshet_engine::price::Memory;
use freshet_engine::schedule;
use freshet_policy::change::kind::Kind;
use freshet_policy::forum::ListKind;
use freshet_policy::{Explanation, Reason};
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::text::{relative, seconds};

/// The decision and what it stands on.
#[derive(Debug, Serialize)]
pub(super) struct Why {
    policy: &'static str,
    due_at: Value,
    /// What set the time: worth, floor, ceiling or turn.
    reason: &'static str,
    expected_posts: f64,
    expected_wait_s: f64,
    rate_now_per_day: f64,
    rate_mean_per_day: f64,
    kind: &'static str,
    /// What the visit costs: waiting of posts, summed, that it must end.
    price_post_s: f64,
    /// Requests of such a visit, on average.
    calls: f64,
    /// What a visit now would be worth, in units of its price.
    worth_now: f64,
    weight: f32,
    otherwise: Value,
    /// Since when a thread is silent that waits longer than the policy would have it wait.
    silent_since: Value,
    /// The model of the forum's lists, with the figures by which it was chosen.
    model: Value,
    #[serde(skip)]
    told: Explanation,
    #[serde(skip)]
    ceiling: Span,
    #[serde(skip)]
    silence: Option<Silence>,
}

/// A thread that brought nothing at its last look.
#[derive(Clone, Copy, Debug)]
struct Silence {
    since: Option<Timestamp>,
    wait: Span,
}

impl Why {
    /// For a source that a policy times and that was visited before.
    pub(super) fn of(source: &Source, memory: &Memory, live: &Value, now: Timestamp) -> Option<Self> {
        let is_timed = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
        let visited_at = source.visited_at.filter(|_| is_timed && source.state == SourceState::Active)?;
        let (policy, market) = (memory.policy(), memory.market(&source.network, source.robot));
        let facts = schedule::facts(source, visited_at);
        let told = policy.explain(&source.model, &facts, &market, now);
        let per_day = |rate_per_s: f64| rate_per_s * Span::DAY.secs_f64();
        let tariff = memory.tariff(&source.network, source.robot);
        let silence = Silence::of(source, visited_at, told.due_at);
        Some(Self {
            policy: policy.name(),
            due_at: seconds(if silence.is_some() { source.due_at } else { told.due_at }),
            reason: if silence.is_some() { "silence" } else { told.reason.name() },
            silent_since: silence.and_then(|it| it.since).map_or(Value::Null, seconds),
            model: model_of(source, live),
            silence,
            expected_posts: told.posts_expected,
            expected_wait_s: told.wait_s_expected,
            rate_now_per_day: per_day(told.rate_now_per_s),
            rate_mean_per_day: per_day(told.rate_per_s),
            kind: told.kind.name(),
            price_post_s: told.price,
            calls: tariff.map_or(1.0, |tariff| tariff.calls_per_visit(memory)),
            worth_now: told.worth_now,
            weight: source.weight,
            otherwise: json!({
                "one_more_post_at": seconds(told.otherwise.one_more_post),
                "price_doubled_at": seconds(told.otherwise.price_doubled),
                "price_halved_at": seconds(told.otherwise.price_halved),
                "no_ceiling_at": seconds(told.otherwise.no_ceiling),
            }),
            told,
            ceiling: policy.pacing().ceiling * market.ceiling_stretch,
        })
    }

    /// The same in lines of at most 76 characters.
    pub(super) fn lines(&self, last_at: Option<Timestamp>, now: Timestamp) -> Vec<String> {
        let told = &self.told;
        let mut lines = Vec::new();
        if let Some(silence) = self.silence {
            let since =
                silence.since.map_or(String::new(), |at| format!("its last post: {}; ", relative(at, now)));
            lines.push(format!("why then: its last look brought nothing, so it waits {}:", silence.wait));
            lines.push(format!("   {since}each fruitless look makes the wait longer,"));
            lines.push("   up to 30 days; activity that its board shows brings the visit forward".to_owned());
        }
        lines.extend(self.model_lines());
        let last = last_at.map_or(String::new(), |at| format!("; last post {}", relative(at, now)));
        let without = if self.silence.is_some() { "without that silence" } else { "why then" };
        lines.extend([
            format!("{without}: {}", self.reason()),
            format!(
                "expected: {:.2} posts by then, having waited {} in all",
                self.expected_posts,
                Span::from_secs_f64(self.expected_wait_s)
            ),
            format!(
                "rate: {:.2} posts a day, now {:.2}{last}",
                self.rate_mean_per_day, self.rate_now_per_day
            ),
            format!("kind: {} ({})", self.kind, behaviour(told.kind)),
            format!(
                "cost: {:.1} calls; a visit must end {} of waiting; now it is worth {:.0} %",
                self.calls,
                Span::from_secs_f64(self.price_post_s),
                (self.worth_now * 100.0).min(99_999.0)
            ),
        ]);
        lines.extend(self.otherwise_lines(now));
        lines
    }

    /// When it would be due if something were different.
    fn otherwise_lines(&self, now: Timestamp) -> Vec<String> {
        let it = &self.told.otherwise;
        if [it.one_more_post, it.price_doubled, it.price_halved, it.no_ceiling]
            .into_iter()
            .all(|at| at <= now)
        {
            return vec!["it would be due now all the same at twice the price".to_owned()];
        }
        vec![
            format!("it would be {} after one more post,", due(it.one_more_post, now)),
            format!(
                "   {} at twice the price, {} at half the price,",
                due(it.price_doubled, now),
                due(it.price_halved, now)
            ),
            format!("   {} without a ceiling", due(it.no_ceiling, now)),
        ]
    }

    /// Which model foretells the lists of this forum, and by which figures it won.
    fn model_lines(&self) -> Vec<String> {
        let Some(name) = self.model["model"].as_str() else { return Vec::new() };
        let errors = self.model["errors"].as_object().into_iter().flatten();
        let errors: Vec<String> =
            errors.map(|(name, error)| format!("{name} {:.2}", error.as_f64().unwrap_or(0.0))).collect();
        vec![
            format!(
                "model: {name}, which foretold {} of this forum best;",
                self.model["lists"].as_str().unwrap_or("lists")
            ),
            format!("   errors: {}", errors.join(", ")),
        ]
    }

    fn reason(&self) -> String {
        match self.told.reason {
            Reason::Worth if self.policy == "change-rate" => "half of its usual gap has passed".to_owned(),
            Reason::Worth => "the waiting that a visit ends is worth its price".to_owned(),
            Reason::Floor => "nothing is looked at more often".to_owned(),
            Reason::Rounds => {
                "little is expected, but the quota suffices to look at all this often".to_owned()
            }
            Reason::Ceiling => format!("nothing stays unvisited longer than {}", self.ceiling),
            Reason::Turn => format!("`{}` visits in turn; the quota sets the pace", self.policy),
        }
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

/// What the last run reported of the model for lists like this; null where there is none.
fn model_of(source: &Source, live: &Value) -> Value {
    let Some(kind) = list_kind(&source.root_kind) else { return Value::Null };
    let (key, lists) = match kind {
        ListKind::Index => ("boards", "the boards"),
        ListKind::Posts => ("threads", "the threads"),
    };
    let mut forums = live["forums"].as_array().into_iter().flatten();
    let forum = forums.find(|forum| forum["network"].as_str() == Some(source.network.as_str()));
    let mut model = forum.map_or(Value::Null, |forum| forum[key].clone());
    if let Value::Object(fields) = &mut model {
        fields.insert("lists".to_owned(), lists.into());
    }
    model
}

fn due(at: Timestamp, now: Timestamp) -> String {
    if at <= now { "due now".to_owned() } else { format!("due {}", relative(at, now)) }
}

fn behaviour(kind: Kind) -> &'static str {
    match kind {
        Kind::Inactive => "hardly posts",
        Kind::Unstable => "posts much on few days",
        Kind::Constant => "posts on most days",
        Kind::Authority => "posts much, around the clock",
    }
}
