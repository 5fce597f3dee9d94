//! Checks and compiles streams: what a connection asks for, which lists it covers, what its messages mean.
//!
//! Opening a stream is asking, and a message is an answer in small: both are compiled as endpoints that nobody visits.

use freshet_types::definition::{self as data, EndpointRule, MessageRule, Paging, StreamRule};
use freshet_types::{Cover, PageKind, StreamInfo};

use super::{Checker, EndpointParts};
use crate::definition::plan::{DeletionPlan, EndpointPlan, MembersPlan, MessagePlan, StreamPlan};
use crate::expression::Expression;

/// Most roots that a connection may name.
const NAMED_MAX: u32 = 10_000;
/// The type of object that authors are.
const ACCOUNT: &str = "account";

impl Checker<'_> {
    pub(in super::super) fn streams(
        &mut self,
        data: &data::Definition,
        parts: EndpointParts<'_>,
    ) -> Vec<StreamPlan> {
        let rules = data.stream.iter().enumerate();
        let plans = rules.map(|(at, rule)| {
            let key = format!("stream[{at}]");
            self.check_stream(&key, rule, data);
            self.stream(&key, rule, data, parts)
        });
        plans.collect()
    }

    fn check_stream(&mut self, key: &str, rule: &StreamRule, data: &data::Definition) {
        let namesakes = data.stream.iter().filter(|other| other.name == rule.name);
        if rule.name.is_empty() || namesakes.count() > 1 {
            self.problem(&format!("{key}.name"), "a stream needs a name of its own");
        }
        if let Some(variant) = &rule.variant {
            self.known(&format!("{key}.variant"), "variant", variant, data.variants.keys());
        }
        if rule.covers.is_empty() {
            self.problem(key, "`covers` is empty: the posts of which lists does it send?");
        }
        if rule.messages.is_empty() {
            self.problem(key, "`messages` is empty: which of its messages are posts?");
        }
        for (at, message) in rule.messages.iter().enumerate() {
            let key = format!("{key}.messages[{at}]");
            if message.items.is_empty() && message.deletes.is_none() {
                self.problem(&key, "it has neither `items` nor `deletes`, so it says nothing");
            }
            if let Some(deletes) = &message.deletes {
                self.known(&format!("{key}.deletes.kind"), "type", &deletes.kind, data.types.keys());
            }
        }
        if let Some(named) = &rule.named
            && !(1..=NAMED_MAX).contains(&named.max)
        {
            self.problem(&format!("{key}.named.max"), format!("a connection names 1 to {NAMED_MAX} roots"));
        }
    }

    fn stream(
        &mut self,
        key: &str,
        rule: &StreamRule,
        data: &data::Definition,
        parts: EndpointParts<'_>,
    ) -> StreamPlan {
        let covers = rule.covers.iter().enumerate();
        let covers: Vec<Cover> =
            covers.filter_map(|(at, one)| self.cover(&format!("{key}.covers[{at}]"), one, data)).collect();
        let messages = rule.messages.iter().enumerate();
        let messages = messages
            .map(|(at, one)| self.message(&format!("{key}.messages[{at}]"), one, rule, (data, parts)))
            .collect();
        let cursor = rule.cursor.as_ref();
        let cursor_lasts = cursor.map(|cursor| self.span(&format!("{key}.cursor.lasts"), &cursor.lasts));
        StreamPlan {
            public: StreamInfo {
                name: rule.name.as_str().into(),
                only_on: rule.only_on.clone(),
                transport: rule.transport,
                covers,
                named_max: rule.named.as_ref().map_or(0, |named| named.max as usize),
                cursor_lasts,
                needs_credential: rule.needs_credential,
            },
            variant: rule.variant.clone(),
            open: self.opening(key, rule, data, parts),
            cursor: cursor
                .and_then(|cursor| cursor.at.as_ref())
                .map(|at| self.expression(&format!("{key}.cursor.at"), at)),
            has_cursor: cursor.is_some(),
            event: rule.event.as_ref().map(|at| self.expression(&format!("{key}.event"), at)),
            payload: rule.payload.as_ref().map(|at| self.expression(&format!("{key}.payload"), at)),
            messages,
        }
    }

    /// A list that is covered, if its posts can be told from others.
    fn cover(&mut self, key: &str, rule: &data::CoverRule, data: &data::Definition) -> Option<Cover> {
        self.known(&format!("{key}.endpoint"), "endpoint", &rule.endpoint, data.endpoints.keys());
        let endpoint = data.endpoints.get(&rule.endpoint)?;
        let is_server = endpoint.root != ACCOUNT;
        let names_root = || {
            let query = endpoint.query.values().flat_map(data::OneOrMany::as_slice);
            std::iter::once(&endpoint.url).chain(query).any(|text| text.contains("root"))
        };
        if is_server && names_root() {
            let what = format!(
                "`{}` lists posts of a `{}`: a stream covers lists of accounts, or of the whole server",
                rule.endpoint, endpoint.root
            );
            self.problem(&format!("{key}.endpoint"), what);
        }
        let name = endpoint.name.as_deref().unwrap_or(&rule.endpoint);
        Some(Cover { endpoint: name.into(), is_server, proof: rule.proof })
    }

    /// What is asked to open it.
    fn opening(
        &mut self,
        key: &str,
        rule: &StreamRule,
        data: &data::Definition,
        parts: EndpointParts<'_>,
    ) -> EndpointPlan {
        let mut asked = EndpointRule {
            url: rule.url.clone(),
            query: rule.query.clone(),
            needs_credential: rule.needs_credential,
            is_page: Some(false),
            is_conditional: false,
            variant: rule.variant.clone(),
            ..nobodys(ACCOUNT)
        };
        if let Some(cursor) = &rule.cursor {
            asked.paging = Paging::Cursor {
                param: Some(cursor.param.clone()),
                at: String::new(),
                end: None,
                ends: data::Ending::Empty,
                page: None,
            };
        }
        let mut plan = self.hidden_endpoint(key, &rule.name, &asked, data, parts);
        plan.members = rule.named.as_ref().map(|named| MembersPlan {
            at: Expression::Root,
            endpoint: 0,
            batch: named.max as usize,
            param: Some(named.param.clone()),
        });
        plan
    }

    fn message(
        &mut self,
        key: &str,
        rule: &MessageRule,
        stream: &StreamRule,
        (data, parts): (&data::Definition, EndpointParts<'_>),
    ) -> MessagePlan {
        let read = EndpointRule {
            kind: PageKind::Posts,
            items: rule.items.clone(),
            format: Some(data::BodyFormat::Json),
            ..nobodys(ACCOUNT)
        };
        MessagePlan {
            event: rule.event.clone(),
            when: self.conditions(&format!("{key}.when"), &rule.when),
            read: (!rule.items.is_empty())
                .then(|| self.hidden_endpoint(key, &stream.name, &read, data, parts)),
            deletes: rule.deletes.as_ref().map(|deletes| DeletionPlan {
                kind: deletes.kind.clone(),
                id: deletes.id.as_ref().map(|at| self.expression(&format!("{key}.deletes.id"), at)),
            }),
        }
    }
}

/// An endpoint with this root that says nothing else.
fn nobodys(root: &str) -> EndpointRule {
    let plain = serde_json::json!({"url": "/", "kind": "other", "root": root});
    serde_json::from_value(plain).expect("an endpoint needs no more than these")
}
