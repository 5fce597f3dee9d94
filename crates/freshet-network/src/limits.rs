//! What answers announce about limits, turned into readings for the quota ledger.
//!
//! Part of step 6 of 10. Where a network puts the numbers and how it writes the reset is the
//! definition's business; `Retry-After` is understood everywhere. Announcements that make no
//! sense are passed over: the ledger then goes by the declared quotas. A limit below one is no limit
//! (some servers write -1 or 0 for "none"); less than nothing left is nothing left, where a limit
//! says that there is one.

use freshet_types::definition::PercentRule;
use freshet_types::{LimitReading, Response, Timestamp};

use crate::definition::plan::{AnswerPart, LimitPlan};
use crate::format::Tree;
use crate::times;

/// All readings of an answer; `body` is null where it was not read.
pub(crate) fn read(
    plans: &[LimitPlan],
    response: &Response,
    body: &Tree<'_>,
    now: Timestamp,
) -> Vec<LimitReading> {
    let mut readings: Vec<LimitReading> =
        plans.iter().filter_map(|plan| read_one(plan, response, body, now)).collect();
    if let Some(until) = retry_after(response, now) {
        readings.push(LimitReading { blocked_until: Some(until), ..LimitReading::default() });
    }
    readings
}

/// The instant that `Retry-After` names.
pub(crate) fn retry_after(response: &Response, now: Timestamp) -> Option<Timestamp> {
    times::retry_after(response.header("retry-after")?, now)
}

/// The text at a place.
pub(crate) fn text_at(part: &AnswerPart, response: &Response, body: &Tree<'_>) -> Option<String> {
    match part {
        AnswerPart::Header(name) => response.header(name).map(|text| text.trim().to_owned()),
        AnswerPart::Body(pointer) => match pointer.get(body)? {
            Tree::Str(text) => Some(text.to_string()),
            Tree::Number(number) => Some(number.to_string()),
            _ => None,
        },
    }
}

fn read_one(plan: &LimitPlan, response: &Response, body: &Tree<'_>, now: Timestamp) -> Option<LimitReading> {
    let text = |part: &Option<AnswerPart>| part.as_ref().and_then(|part| text_at(part, response, body));
    let units = |part| text(part).and_then(|text| to_units(&text));
    let told_limit = units(&plan.limit);
    let limit = told_limit.filter(|&limit| limit >= 1.0);
    let is_told = told_limit.is_none() || limit.is_some();
    let remaining = units(&plan.remaining).filter(|&left| is_told && (left >= 0.0 || limit.is_some()));
    let mut reading = LimitReading {
        rule: plan.quota.clone(),
        limit: limit.map(whole),
        remaining: remaining.map(whole),
        reset_at: text(&plan.reset).and_then(|text| times::reset(&text, plan.rule.reset_format, now)),
        blocked_until: text(&plan.backoff)
            .and_then(|text| times::reset(&text, plan.rule.backoff_format, now)),
    };
    if let Some(percent) = &plan.rule.percent {
        read_percent(percent, response, now, &mut reading);
    }
    let LimitReading { limit, remaining, reset_at, blocked_until, .. } = &reading;
    (limit.is_some() || remaining.is_some() || reset_at.is_some() || blocked_until.is_some())
        .then_some(reading)
}

/// Units may be written `988.0`, or `3000;w=300`.
fn to_units(text: &str) -> Option<f64> {
    let number: f64 = text.split([';', ',']).next()?.trim().parse().ok()?;
    number.is_finite().then_some(number)
}

/// Whole units; a number that no server means is as large as can be.
fn whole(units: f64) -> u32 {
    units.clamp(0.0, f64::from(u32::MAX)) as u32
}

fn read_percent(rule: &PercentRule, response: &Response, now: Timestamp, reading: &mut LimitReading) {
    let header = response.header(&rule.header.to_ascii_lowercase());
    let Some(json) = header.and_then(|text| serde_json::from_str::<Tree<'_>>(text).ok()) else { return };
    let used = rule
        .keys
        .iter()
        .filter_map(|key| highest(&json, key))
        .fold(None, |top: Option<f64>, one| Some(top.map_or(one, |top| top.max(one))));
    if let Some(used) = used {
        reading.limit = Some(100);
        reading.remaining = Some((100.0 - used.ceil()).clamp(0.0, 100.0) as u32);
    }
    let regain_min =
        rule.regain_min.as_ref().and_then(|key| highest(&json, key)).filter(|minutes| *minutes > 0.0);
    if let Some(minutes) = regain_min {
        reading.blocked_until = Some(Timestamp::from_ms(now.ms() + (minutes.min(1e6) * 60_000.0) as i64));
    }
}

/// The highest number under a key, at any depth.
fn highest(value: &Tree<'_>, key: &str) -> Option<f64> {
    let inner: Box<dyn Iterator<Item = f64>> = match value {
        Tree::Object(map) => {
            let own = map.get(key).and_then(Tree::as_f64);
            Box::new(own.into_iter().chain(map.values().filter_map(|one| highest(one, key))))
        }
        Tree::Array(list) => Box::new(list.iter().filter_map(|one| highest(one, key))),
        _ => return None,
    };
    inner.fold(None, |top: Option<f64>, one| Some(top.map_or(one, |top| top.max(one))))
}
