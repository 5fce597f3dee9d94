//! Checks and compiles the rules about quotas, limits and outcomes.

use freshet_types::definition::{self as data, OutcomeName, RequestChoice, StatusChoice};
use freshet_types::{Outcome, QuotaRule, Set};

use super::check::Checker;
use super::plan::{LimitPlan, OutcomePlan, QuotaPlan};

pub(super) fn quotas(checker: &mut Checker<'_>, data: &data::Definition) -> Vec<QuotaPlan> {
    let mut names = Set::default();
    let plans = data.quotas.iter().enumerate().map(|(at, quota)| {
        let key = format!("quotas[{at}]");
        if !names.insert(quota.name.as_str()) {
            checker.problem(&format!("{key}.name"), format!("there is another quota `{}`", quota.name));
        }
        if quota.limit == 0 {
            checker.problem(
                &format!("{key}.limit"),
                "a quota of nothing forbids everything; leave the endpoints out instead",
            );
        }
        if let RequestChoice::Endpoints(endpoints) = &quota.requests {
            check_endpoints(checker, &format!("{key}.requests"), endpoints, data);
        }
        for name in quota.costs.keys() {
            checker.known(&format!("{key}.costs.{name}"), "endpoint", name, data.endpoints.keys());
        }
        let window = checker.span(&format!("{key}.window"), &quota.window);
        QuotaPlan {
            rule: QuotaRule {
                name: quota.name.as_str().into(),
                scope: quota.scope,
                limit: quota.limit,
                window,
            },
            applies: quota.applies,
            requests: quota.requests.clone(),
            costs: quota.costs.iter().map(|(name, units)| (name.clone(), *units)).collect(),
            is_shared: quota.is_shared,
        }
    });
    plans.collect()
}

pub(super) fn limits(checker: &mut Checker<'_>, data: &data::Definition) -> Vec<LimitPlan> {
    let plans = data.limits.iter().enumerate().map(|(at, limit)| {
        let key = format!("limits[{at}]");
        if let Some(quota) = &limit.quota {
            let names: Vec<String> = data.quotas.iter().map(|one| one.name.clone()).collect();
            checker.known(&format!("{key}.quota"), "quota", quota, names.iter());
        }
        LimitPlan {
            quota: limit.quota.as_deref().map(Into::into),
            limit: checker.answer_part(&format!("{key}.limit"), limit.limit.as_deref()),
            remaining: checker.answer_part(&format!("{key}.remaining"), limit.remaining.as_deref()),
            reset: checker.answer_part(&format!("{key}.reset"), limit.reset.as_deref()),
            backoff: checker.answer_part(&format!("{key}.backoff"), limit.backoff.as_deref()),
            rule: limit.clone(),
        }
    });
    plans.collect()
}

pub(super) fn outcomes(checker: &mut Checker<'_>, data: &data::Definition) -> Vec<OutcomePlan> {
    let plans = data.outcomes.iter().enumerate().map(|(at, rule)| {
        let key = format!("outcomes[{at}]");
        if rule.status.is_none() && rule.body.is_none() && rule.text.is_none() && rule.header.is_none() {
            checker.problem(&key, "a rule needs at least one of `status`, `body`, `text`, `header`");
        }
        if let Some(endpoints) = &rule.endpoints {
            check_endpoints(checker, &format!("{key}.endpoints"), endpoints, data);
        }
        let statuses = rule.status.as_ref().map(|choice| {
            let result = statuses(choice);
            checker.checked(&format!("{key}.status"), result).unwrap_or_default()
        });
        let conditions = [("body", &rule.body), ("and", &rule.and)];
        let body = conditions.into_iter().filter_map(|(name, condition)| {
            condition.as_ref().map(|one| checker.condition(&format!("{key}.{name}"), one))
        });
        let body = body.collect();
        OutcomePlan {
            outcome: outcome(rule.outcome),
            statuses,
            body,
            text: rule.text.clone(),
            header: rule
                .header
                .as_ref()
                .map(|one| (one.at.to_ascii_lowercase(), checker.test(&format!("{key}.header"), one))),
            endpoints: rule.endpoints.clone(),
            until: checker.answer_part(&format!("{key}.until"), rule.until.as_deref()),
            until_format: rule.until_format,
            to: checker.answer_part(&format!("{key}.to"), rule.to.as_deref()),
        }
    });
    plans.collect()
}

fn check_endpoints(checker: &mut Checker<'_>, key: &str, names: &[String], data: &data::Definition) {
    for name in names {
        checker.known(key, "endpoint", name, data.endpoints.keys());
    }
}

fn outcome(name: OutcomeName) -> Outcome {
    match name {
        OutcomeName::Ok => Outcome::Ok,
        OutcomeName::Gone => Outcome::Gone,
        OutcomeName::Suspended => Outcome::Suspended,
        OutcomeName::Private => Outcome::Private,
        OutcomeName::AuthRequired => Outcome::AuthRequired,
        OutcomeName::RateLimited => Outcome::RateLimited { until: None },
        OutcomeName::QuotaExhausted => Outcome::QuotaExhausted { until: None },
        OutcomeName::Moved => Outcome::Moved { to: String::new() },
        OutcomeName::Transient => Outcome::Transient,
        OutcomeName::BadRequest => Outcome::BadRequest,
    }
}

/// Ranges of statuses, both ends included.
fn statuses(choice: &StatusChoice) -> Result<Vec<(u16, u16)>, String> {
    match choice {
        StatusChoice::One(one) => Ok(vec![(*one, *one)]),
        StatusChoice::Many(many) => Ok(many.iter().map(|one| (*one, *one)).collect()),
        StatusChoice::Range(text) => {
            let class = text.strip_suffix("xx").and_then(|digit| digit.parse::<u16>().ok());
            let range =
                text.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
            match (class, range) {
                (Some(class @ 1..=5), _) => Ok(vec![(class * 100, class * 100 + 99)]),
                (_, Some(range)) => Ok(vec![range]),
                _ => Err(format!("`{text}` is not a range of statuses; write `\"4xx\"` or `\"500-599\"`")),
            }
        }
    }
}
