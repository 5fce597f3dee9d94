//! What is worth an alert: seven rules as data, and one judgement each. Pure.
//!
//! | rule | threshold | alerts when |
//! |---|---|---|
//! | silence | probability | a source says nothing for so long that its model gives it less |
//! | burst | probability | a visit found so many new posts that the model gives it less |
//! | hole | posts | so many posts may be lost in a hole that no request can close |
//! | quota | share | a network refuses more with so much of its window left |
//! | login | sources | so many sources of a network ask for a credential that used to answer |
//! | dead | hours | a source is gone or suspended; or has failed for so long while its server answers |
//! | store | seconds | the store, or the files beside it, could not be used for so long |
//! | server | minutes | a server has been down for so long; its sources are not told one by one |
//!
//! A rule judges what is known of one subject at one instant. Whether it was told already is the
//! business of [`super::memory`].

use freshet_app::text::relative;
pub use freshet_report::alerts::RuleName;
use freshet_types::{SourceState, Span, Timestamp};

use super::chance;

/// Posts before which a model is no witness of what is usual.
const POSTS_MIN: u32 = 20;
/// Days before which it is none either.
const ACTIVE_MIN: Span = Span::from_ms(3 * 86_400_000);

/// A rule as it is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// It is looked at all.
    pub is_on: bool,
    /// From where on it alerts.
    pub threshold: f64,
    /// How long nothing more is said about the same subject.
    pub quiet: Span,
}

impl Rule {
    /// What holds unless `alerts.toml` says otherwise.
    pub fn usual(name: RuleName) -> Self {
        let (threshold, quiet) = match name {
            RuleName::Silence => (0.001, Span::DAY),
            RuleName::Burst => (0.000_001, Span::from_secs(6 * 3600)),
            RuleName::Hole => (1.0, Span::from_ms(30 * 86_400_000)),
            RuleName::Quota => (0.25, Span::from_secs(6 * 3600)),
            RuleName::Login => (1.0, Span::DAY),
            RuleName::Dead => (24.0, Span::from_ms(30 * 86_400_000)),
            RuleName::Store => (10.0, Span::HOUR),
            RuleName::Server => (5.0, Span::DAY),
        };
        Self { is_on: true, threshold, quiet }
    }
}

/// All rules as they are set, in the order of [`RuleName::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules(pub [Rule; RuleName::ALL.len()]);

impl Default for Rules {
    fn default() -> Self {
        Self(RuleName::ALL.map(Rule::usual))
    }
}

impl Rules {
    /// One of them.
    pub fn of(&self, name: RuleName) -> Rule {
        self.0[name as usize]
    }

    /// The threshold of a rule that is looked at.
    fn threshold(&self, name: RuleName) -> Option<f64> {
        let rule = self.of(name);
        rule.is_on.then_some(rule.threshold)
    }
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub rule: RuleName,
    /// About what; the same subject is told once in a quiet time.
    pub subject: String,
    pub text: String,
    /// What was measured.
    pub value: f64,
}

/// What is known of a source at an instant.
#[derive(Clone, Debug)]
pub struct Known {
    /// What people call it.
    pub label: String,
    pub network: String,
    /// Whether it is visited.
    pub state: SourceState,
    /// It is a thread: sooner or later it falls silent, which is no news.
    pub is_thread: bool,
    /// When it last answered.
    pub visited_at: Option<Timestamp>,
    /// Its newest post.
    pub last_post_at: Option<Timestamp>,
    /// Posts that the model knows, and the time from the first to the last.
    pub evidence: (u32, Span),
    /// Posts expected between the newest one and the last visit.
    pub expected: f64,
    /// The last visit: new posts, and how many were expected.
    pub latest: Option<(u32, f64)>,
    /// Holes that no request can close: where, until when, and the posts expected in it.
    pub lost: Vec<(Timestamp, Option<Timestamp>, f64)>,
    /// What was wrong last.
    pub failure: Option<String>,
    /// Its server is down, which is told once for all of them.
    pub is_server_down: bool,
}

impl Known {
    /// Whether it used to answer and now asks for a credential.
    pub(crate) fn has_lost_login(&self) -> bool {
        self.state == SourceState::AuthRequired && self.visited_at.is_some()
    }

    /// Whether enough is known to be surprised.
    fn is_familiar(&self) -> bool {
        let (posts, active) = self.evidence;
        self.state == SourceState::Active && posts >= POSTS_MIN && active >= ACTIVE_MIN
    }
}

/// What there is to say about a source.
pub fn judge(rules: &Rules, known: &Known, now: Timestamp) -> Vec<Finding> {
    [silence(rules, known, now), burst(rules, known), dead(rules, known, now)]
        .into_iter()
        .flatten()
        .chain(holes(rules, known))
        .collect()
}

fn silence(rules: &Rules, known: &Known, now: Timestamp) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Silence)?;
    let last_at = known.last_post_at.filter(|_| known.is_familiar() && !known.is_thread)?;
    let value = chance::of_silence(f64::from(known.evidence.0), known.expected);
    (value < threshold).then(|| Finding {
        rule: RuleName::Silence,
        subject: known.label.clone(),
        text: format!(
            "{} is silent: its last post was {}, and {:.0} were expected since",
            known.label,
            relative(last_at, now),
            known.expected
        ),
        value,
    })
}

fn burst(rules: &Rules, known: &Known) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Burst)?;
    let (count, expected) = known.latest.filter(|_| known.is_familiar())?;
    let value = chance::of_burst(f64::from(count), expected);
    (value < threshold).then(|| Finding {
        rule: RuleName::Burst,
        subject: known.label.clone(),
        text: format!("{} posts much: {count} new at one visit, {expected:.1} were expected", known.label),
        value,
    })
}

fn dead(rules: &Rules, known: &Known, now: Timestamp) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Dead)?;
    let hours = known.visited_at.map_or(f64::MAX, |at| (now - at).secs_f64() / 3600.0);
    let why = match known.state {
        SourceState::Gone => "its network says that it does not exist",
        SourceState::Suspended => "its network has suspended it",
        SourceState::Failed if hours >= threshold && !known.is_server_down => {
            known.failure.as_deref().unwrap_or("visits to it fail")
        }
        _ => return None,
    };
    let value = if hours < f64::MAX { hours } else { 0.0 };
    let text = format!("{} is dead: {why}", known.label);
    Some(Finding { rule: RuleName::Dead, subject: known.label.clone(), text, value })
}

fn holes(rules: &Rules, known: &Known) -> Vec<Finding> {
    let Some(threshold) = rules.threshold(RuleName::Hole) else { return Vec::new() };
    let lost = known.lost.iter().filter(|(_, _, posts)| *posts >= threshold);
    lost.map(|&(until, since, posts)| {
        let since = since.map_or("the beginning".to_owned(), |at| at.to_string());
        Finding {
            rule: RuleName::Hole,
            subject: format!("{} {until}", known.label),
            text: format!(
                "{} has a hole that no request can close, from {since} to {until}: about {posts:.0} posts may be lost",
                known.label
            ),
            value: posts,
        }
    })
    .collect()
}

/// What there is to say about sources of a network that ask for a credential.
pub(crate) fn judge_login(rules: &Rules, network: &str, sources_count: u32) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Login)?;
    let value = f64::from(sources_count);
    (sources_count > 0 && value >= threshold).then(|| Finding {
        rule: RuleName::Login,
        subject: network.to_owned(),
        text: format!(
            "`{network}` asks for a login: {} that used to answer; see `freshet credentials`",
            freshet_app::text::count(u64::from(sources_count), "source")
        ),
        value,
    })
}

/// What there is to say about a store that cannot be used: what is wrong, since when, and what to do.
pub(crate) fn judge_store(
    rules: &Rules,
    (what, since, advice): (&str, Timestamp, &str),
    now: Timestamp,
) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Store)?;
    let value = (now - since).secs_f64();
    (value >= threshold).then(|| Finding {
        rule: RuleName::Store,
        subject: "store".to_owned(),
        text: format!("{what}, for {} now; {advice}", now - since),
        value,
    })
}

/// A server that is down, as the engine reports it.
#[derive(Clone, Debug)]
pub(crate) struct Down {
    pub network: String,
    pub since: Timestamp,
    /// What was wrong last.
    pub said: String,
    /// Due sources that wait for it.
    pub sources_count: u64,
}

/// What there is to say about a server that is down.
pub(crate) fn judge_server(rules: &Rules, down: &Down, now: Timestamp) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Server)?;
    let value = (now - down.since).secs_f64() / 60.0;
    (value >= threshold).then(|| Finding {
        rule: RuleName::Server,
        subject: down.network.clone(),
        text: format!(
            "the server of `{}` has been down for {}, and {} for it: {}",
            down.network,
            now - down.since,
            match down.sources_count {
                1 => "1 source waits".to_owned(),
                count => format!("{count} sources wait"),
            },
            down.said
        ),
        value,
    })
}

/// A quota, as the ledger keeps it.
#[derive(Clone, Debug)]
pub struct Quota {
    /// Network, rule and holder.
    pub name: String,
    /// Over which the network counts.
    pub window: Span,
    /// Nothing more is granted until then.
    pub blocked_until: Option<Timestamp>,
}

/// What there is to say about a quota.
pub(crate) fn judge_quota(rules: &Rules, quota: &Quota, now: Timestamp) -> Option<Finding> {
    let threshold = rules.threshold(RuleName::Quota)?;
    let until = quota.blocked_until.filter(|until| *until > now)?;
    let value = (until - now).secs_f64() / quota.window.secs_f64().max(1.0);
    (value >= threshold).then(|| Finding {
        rule: RuleName::Quota,
        subject: quota.name.clone(),
        text: format!(
            "the quota `{}` was spent early: nothing more for {}, of {}",
            quota.name,
            until - now,
            quota.window
        ),
        value,
    })
}

#[cfg(test)]
mod tests;
