//! Compiles a definition, part by part. A plan leaves this file only when no part had a problem.

use freshet_types::Map;
use freshet_types::definition as data;

use super::check::Checker;
use super::plan::Plan;
use super::positions::KeyPositions;
use super::{Problem, rules, schema};
use crate::format::Keys;
use crate::template::Templates;

/// Compiles a definition, or tells all that is wrong with it.
pub(super) fn compile(data: data::Definition, positions: &KeyPositions) -> Result<Plan, Vec<Problem>> {
    let mut checker =
        Checker { positions, problems: Vec::new(), templates: Templates::default(), keys: Keys::default() };
    checker.check_names(&data);
    checker.check_login(&data);
    let schema = schema::build(&mut checker, &data);
    let mapping_index: Map<String, usize> =
        data.mappings.keys().enumerate().map(|(at, name)| (name.clone(), at)).collect();
    let mappings = checker.mappings(&data, &schema, &mapping_index);
    let headers = data
        .headers
        .iter()
        .map(|(name, text)| (name.to_ascii_lowercase(), checker.template(&format!("headers.{name}"), text)))
        .collect();
    let pause = checker.span("pause", &data.pause);
    let endpoint_index: Map<String, usize> =
        data.endpoints.keys().enumerate().map(|(at, name)| (name.clone(), at)).collect();
    let endpoints = checker.endpoints(&data, &schema, pause, &mapping_index, &endpoint_index);
    let streams = checker.streams(&data, (&mapping_index, &endpoint_index));
    let quotas = rules::quotas(&mut checker, &data);
    let limits = rules::limits(&mut checker, &data);
    let outcomes = rules::outcomes(&mut checker, &data);
    let encoding = checker.encoding(data.encoding.as_deref());
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    let Checker { templates, keys, .. } = checker;
    Ok(Plan {
        data,
        schema,
        encoding,
        keys,
        templates,
        headers,
        endpoints,
        streams,
        mappings,
        quotas,
        limits,
        outcomes,
    })
}
