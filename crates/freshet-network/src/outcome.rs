//! What an answer means: the definition's rules first, then what every status means.
//!
//! Part of step 6 of 10. The status is looked at before anything is parsed, because limits and
//! errors come with bodies in HTML or plain text; a rule about the body of something that cannot
//! be parsed simply does not hold.

use freshet_types::{LimitReading, Outcome, Response, Timestamp};

use crate::definition::plan::OutcomePlan;
use crate::expression::Scope;
use crate::format::Tree;
use crate::{limits, times};

/// A body that is parsed when somebody asks for it.
pub(crate) trait LazyBody {
    /// The tree, if there is one.
    fn tree(&mut self) -> Option<&Tree<'_>>;
    /// The text.
    fn text(&mut self) -> &str;
}

/// What the answer means, before limits are known.
pub(crate) fn judge(
    plans: &[OutcomePlan],
    endpoint: &str,
    response: &Response,
    body: &mut impl LazyBody,
    now: Timestamp,
) -> Outcome {
    match plans.iter().find(|plan| holds(plan, endpoint, response, body)) {
        Some(plan) => dress(plan, response, body, now),
        None => by_status(response),
    }
}

fn holds(plan: &OutcomePlan, endpoint: &str, response: &Response, body: &mut impl LazyBody) -> bool {
    let is_status = |(low, high): &(u16, u16)| (*low..=*high).contains(&response.status);
    if plan.statuses.as_ref().is_some_and(|ranges| !ranges.iter().any(is_status)) {
        return false;
    }
    if plan.endpoints.as_ref().is_some_and(|names| !names.iter().any(|name| name == endpoint)) {
        return false;
    }
    if let Some((name, test)) = &plan.header {
        let value = response.header(name).map(Tree::from);
        if !test.holds(value.as_ref()) {
            return false;
        }
    }
    if plan.text.as_ref().is_some_and(|wanted| !body.text().contains(wanted.as_str())) {
        return false;
    }
    if plan.body.is_empty() {
        return true;
    }
    body.tree().is_some_and(|tree| {
        let scope = Scope { root: "", url: &response.url, body: tree };
        plan.body.iter().all(|condition| condition.holds(tree, scope))
    })
}

/// Fills in when to come back, or where it moved.
fn dress(plan: &OutcomePlan, response: &Response, body: &mut impl LazyBody, now: Timestamp) -> Outcome {
    let mut find = |part| {
        let tree = body.tree().unwrap_or(&Tree::Null);
        limits::text_at(part, response, tree)
    };
    let until =
        plan.until.as_ref().and_then(&mut find).and_then(|text| times::reset(&text, plan.until_format, now));
    match &plan.outcome {
        Outcome::RateLimited { .. } => Outcome::RateLimited { until },
        Outcome::QuotaExhausted { .. } => Outcome::QuotaExhausted { until },
        Outcome::Moved { .. } => {
            Outcome::Moved { to: plan.to.as_ref().and_then(&mut find).unwrap_or_default() }
        }
        other => other.clone(),
    }
}

/// What a status means everywhere.
pub(crate) fn by_status(response: &Response) -> Outcome {
    match response.status {
        200..=299 | 304 => Outcome::Ok,
        301 | 302 | 303 | 307 | 308 => match response.header("location") {
            Some(to) => Outcome::Moved { to: to.to_owned() },
            None => Outcome::Transient,
        },
        401 => Outcome::AuthRequired,
        403 => Outcome::Private,
        404 | 410 | 451 => Outcome::Gone,
        429 => Outcome::RateLimited { until: None },
        408 | 420 | 425 | 500..=599 => Outcome::Transient,
        400..=499 => Outcome::BadRequest,
        _ => Outcome::Transient,
    }
}

/// When to come back, from what was announced: `Retry-After`, else the reset of an empty bucket.
pub(crate) fn set_until(outcome: &mut Outcome, limits: &[LimitReading]) {
    let (Outcome::RateLimited { until } | Outcome::QuotaExhausted { until }) = outcome else { return };
    if until.is_some() {
        return;
    }
    let blocked = limits.iter().filter_map(|reading| reading.blocked_until).max();
    let empty = limits.iter().filter(|reading| reading.remaining.is_none_or(|left| left == 0));
    let any = limits.iter().filter_map(|reading| reading.reset_at).max();
    *until = blocked.or_else(|| empty.filter_map(|reading| reading.reset_at).max()).or(any);
}
