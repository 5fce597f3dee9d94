//! The connector of a definition: steps 4 (ask) and 6 (read) of 10 for any network that a TOML
//! file describes. Sans-io, shared between threads, and without state beyond the definition.

use std::sync::Arc;

use freshet_types::definition::Role;
use freshet_types::{
    AskRefused, Connector, Endpoint, Heard, Intent, Page, Request, Response, StreamInfo, StreamMessage,
    StreamTarget, Target, Timestamp,
};

use crate::definition::plan::{EndpointPlan, StreamPlan};
use crate::definition::{Definition, DefinitionError, Plan};
use crate::{ask, read, stream};

/// Speaks for one network of a definition.
#[derive(Clone, Debug)]
pub struct DefinedConnector {
    definition: Definition,
    endpoints: Arc<[Endpoint]>,
    streams: Arc<[StreamInfo]>,
}

impl DefinedConnector {
    /// The connector of a definition (or of one of its variants, see [`Definition::family`]).
    ///
    /// A definition that was parsed is sound, so this does not fail today; the signature leaves
    /// room for definitions that come from elsewhere.
    pub fn new(definition: &Definition) -> Result<Self, DefinitionError> {
        let own = definition
            .plan
            .endpoints
            .iter()
            .filter(|one| one.rule.variant.as_deref() == definition.variant());
        let endpoints = own.map(|one| one.public.clone()).collect();
        let own = definition.plan.streams.iter().filter(|one| one.variant.as_deref() == definition.variant());
        let streams = own.map(|one| one.public.clone()).collect();
        Ok(Self { definition: definition.clone(), endpoints, streams })
    }

    /// The definition it speaks by.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The endpoint that finds accounts by words, where there is one.
    pub fn search(&self) -> Option<&Endpoint> {
        self.with_role(Role::Search, None)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.definition.plan
    }

    fn stream(&self, target: &StreamTarget<'_>) -> Option<&StreamPlan> {
        let variant = self.definition.variant();
        let streams = &self.plan().streams;
        streams.iter().find(|one| one.variant.as_deref() == variant && &*one.public.name == target.name)
    }

    fn with_role(&self, role: Role, root_kind: Option<&str>) -> Option<&Endpoint> {
        let plan = |endpoint: &Endpoint| {
            self.plan().endpoint(self.name(), &endpoint.name).map(|plan: &EndpointPlan| plan.rule.role)
        };
        self.endpoints.iter().find(|endpoint| {
            plan(endpoint) == Some(role) && root_kind.is_none_or(|kind| &*endpoint.root_kind == kind)
        })
    }
}

impl Connector for DefinedConnector {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    fn lookup(&self) -> Option<&Endpoint> {
        self.with_role(Role::Lookup, None)
    }

    fn single(&self, root_kind: &str) -> Option<&Endpoint> {
        self.with_role(Role::Single, Some(root_kind))
    }

    fn ask(&self, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused> {
        ask::ask(self.plan(), target, intent)
    }

    fn read(&self, target: &Target<'_>, intent: &Intent, response: &Response, now: Timestamp) -> Page {
        match self.plan().endpoint(target.instance.network.definition(), target.endpoint) {
            Some(endpoint) => read::read(self.plan(), endpoint, target, intent, response, now).0,
            None => Page::default(),
        }
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn open(&self, target: &StreamTarget<'_>) -> Result<Request, AskRefused> {
        let unknown = || AskRefused(format!("`{}` has no stream `{}`", target.instance.network, target.name));
        let stream = self.stream(target).ok_or_else(unknown)?;
        ask::open(self.plan(), &stream.open, target)
    }

    fn read_message(&self, target: &StreamTarget<'_>, message: &StreamMessage, now: Timestamp) -> Heard {
        match self.stream(target) {
            Some(stream) => stream::read(self.plan(), stream, target, message, now),
            None => Heard { is_passed_over: true, ..Heard::default() },
        }
    }
}

#[cfg(test)]
mod tests;
