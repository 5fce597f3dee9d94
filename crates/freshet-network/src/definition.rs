//! Definitions: a network's TOML file, read, checked and compiled.
//!
//! Serves steps 4 and 6 of 10. Everything that can be wrong with a file is found here, once,
//! and said with file, line and key; a [`Definition`] that exists can be used without failing.
//! Nothing is asked of any network.

mod check;
mod compile;
mod nearest;
pub(crate) mod plan;
mod positions;
mod rules;
mod schema;
mod unfilled;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use freshet_types::Schema;
use freshet_types::definition as data;

pub(crate) use plan::Plan;
use positions::KeyPositions;

/// Longest definition file; the longest shipped one is some 20 KB.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Problems told at once; the first one or two are usually the cause of the rest.
pub(crate) const PROBLEMS_MAX: usize = 20;

/// One thing that is wrong with a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// Dotted key: `endpoints.posts.url`, `quotas[1].window`; empty for the file as a whole.
    pub key: String,
    /// What is wrong, and what to do.
    pub what: String,
}

/// Why a definition cannot be used: one line a problem, `file:line: key `k`: what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DefinitionError {
    /// The file, as it was named.
    pub file: String,
    /// At least one, in the order found.
    pub problems: Vec<Problem>,
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Problem { line, key, what }) in self.problems.iter().take(PROBLEMS_MAX).enumerate() {
            let newline = if at == 0 { "" } else { "\n" };
            match key.as_str() {
                "" => write!(f, "{newline}{}:{line}: {what}", self.file)?,
                _ => write!(f, "{newline}{}:{line}: key `{key}`: {what}", self.file)?,
            }
        }
        match self.problems.len().checked_sub(PROBLEMS_MAX) {
            Some(more @ 1..) => write!(f, "\n… and {more} more"),
            _ => Ok(()),
        }
    }
}

/// A definition that was read and found sound: one network of a file.
#[derive(Clone)]
pub struct Definition {
    /// What the file says about this network.
    view: Arc<data::Definition>,
    /// Where its keys stand in the file.
    positions: Arc<KeyPositions>,
    /// The whole file, compiled; variants share it.
    pub(crate) plan: Arc<Plan>,
}

impl Definition {
    /// Reads and checks a definition; `file_name` is for error messages only.
    pub fn parse(file_name: &str, toml: &str) -> Result<Self, DefinitionError> {
        let fail = |problems| DefinitionError { file: file_name.to_owned(), problems };
        if toml.len() > FILE_BYTES_MAX {
            let what = format!("the file has more than {FILE_BYTES_MAX} bytes");
            return Err(fail(vec![Problem { line: 1, key: String::new(), what }]));
        }
        let positions = KeyPositions::new(toml).map_err(|problem| fail(vec![problem]))?;
        let data: data::Definition =
            toml::from_str(toml).map_err(|error| fail(vec![positions.explain(&error)]))?;
        let plan = compile::compile(data, &positions).map_err(fail)?;
        let (view, positions) = (Arc::new(plan.data.clone()), Arc::new(positions));
        Ok(Self { view, positions, plan: Arc::new(plan) })
    }

    /// All networks of the file: the definition itself, then its variants under their own names.
    pub fn family(&self) -> Vec<Self> {
        let variants = self.plan.data.variants.iter().map(|(name, variant)| {
            let mut view = self.plan.data.clone();
            view.name.clone_from(name);
            view.title.clone_from(&variant.title);
            view.hosts = variant.hosts;
            view.base.clone_from(&variant.base);
            view.host.clone_from(&variant.host);
            view.references.clone_from(&variant.references);
            Self { view: Arc::new(view), ..self.clone() }
        });
        std::iter::once(Self { view: Arc::new(self.plan.data.clone()), ..self.clone() })
            .chain(variants)
            .collect()
    }

    /// The variant that this is; `None` for the definition itself.
    pub(crate) fn variant(&self) -> Option<&str> {
        (self.view.name != self.plan.data.name).then_some(self.view.name.as_str())
    }

    /// What a file must say to define the same: the whole file, or a variant as a definition of its
    /// own, with its endpoints and all mappings.
    pub fn written(&self) -> data::Definition {
        let mut written = (*self.view).clone();
        if let Some(variant) = self.variant() {
            written.variants.clear();
            written.endpoints.retain(|_, endpoint| endpoint.variant.as_deref() == Some(variant));
            written.endpoints.values_mut().for_each(|endpoint| endpoint.variant = None);
            written.stream.retain(|stream| stream.variant.as_deref() == Some(variant));
            written.stream.iter_mut().for_each(|stream| stream.variant = None);
            let endpoints = &written.endpoints;
            written.quotas.retain_mut(|quota| counts_some(quota, endpoints));
        }
        written
    }

    /// Links that it declares and nothing in it can fill: no mistake, but whoever asks for one waits for ever.
    pub fn unfilled(&self) -> Vec<Problem> {
        let problem =
            |(key, what): (String, String)| Problem { line: self.positions.line_of(&key), key, what };
        unfilled::unfilled(&self.plan.data).into_iter().map(problem).collect()
    }

    /// Whether anything in it fills this link of objects of a type.
    pub(crate) fn fills(&self, type_name: &str, link: &str) -> bool {
        unfilled::is_filled(&self.plan.data, type_name, link)
    }

    /// Whether pages show objects of this type.
    pub(crate) fn makes(&self, type_name: &str) -> bool {
        unfilled::is_made(&self.plan.data, type_name)
    }

    /// Whether pages show objects of this type inside others.
    pub(crate) fn embeds(&self, type_name: &str) -> bool {
        unfilled::is_embedded_anywhere(&self.plan.data, type_name)
    }

    /// Whether pages show this collection together with its object: as links (`Some(true)`), or as the tags of a post.
    pub(crate) fn shows(&self, type_name: &str, link: &str) -> Option<bool> {
        unfilled::shown(&self.plan.data, type_name, link)
    }

    /// The object and link types.
    pub fn schema(&self) -> Schema {
        Schema { network: self.view.name.clone(), ..self.plan.schema.clone() }
    }

    /// The base URL on a host; `None` where a host is needed and none given.
    #[cfg(test)]
    pub(crate) fn base_on(&self, host: Option<&str>) -> Option<String> {
        if !self.view.base.contains("{{") {
            return Some(self.view.base.clone());
        }
        let host = host.or(self.view.host.as_deref())?;
        Some(self.view.base.replace("{{ host }}", host).replace("{{host}}", host))
    }
}

/// Whether a quota counts requests of any of these endpoints; it names no others from now on.
fn counts_some(quota: &mut data::QuotaDeclaration, endpoints: &BTreeMap<String, data::EndpointRule>) -> bool {
    let data::RequestChoice::Endpoints(names) = &mut quota.requests else { return true };
    names.retain(|name| endpoints.contains_key(name));
    !names.is_empty()
}

/// Its name only; the whole would fill pages of a log.
impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition").field(&self.view.name).finish()
    }
}

/// What the file says, read-only.
impl Deref for Definition {
    type Target = data::Definition;

    fn deref(&self) -> &data::Definition {
        &self.view
    }
}

/// The JSON schema of definition files, for editors; published as `networks/schema.json`.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(data::Definition).to_value()
}

#[cfg(test)]
mod tests;
