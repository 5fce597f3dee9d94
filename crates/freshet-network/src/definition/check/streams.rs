//! Checks and compiles streams: what a connection asks for, which lists it covers, what its messages mean.
//!
//! Opening a stream is asking, and a message is an answer in small: both are compiled as endpoints that nobody visits.

use freshet_types::definition::{self as data, EndpointRule, MessageRule, Paging, StreamFormat, StreamRule};
use freshet_types::{Cover, PageKind, Proof, Span, StreamInfo, Transport};

use super::{Checker, EndpointParts};
use crate::definition::plan::{DeletionPlan, EndpointPlan, MembersPlan, MessagePlan, StreamPlan};
use crate::expression::Expression;

/// Most roots that a connection may name.
const NAMED_MAX: u32 = 10_000;
/// A page is not asked for more often than this.
const EVERY_MIN: Span = Span::from_secs(10);
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
        if let Some(other) = &rule.instead_of {
            let others = data.stream.iter().filter(|it| it.name != rule.name && it.instead_of.is_none());
            self.known(&format!("{key}.instead_of"), "stream", other, others.map(|it| &it.name));
        }
        if rule.covers.is_empty() {
            self.problem(key, "`covers` is empty: the posts of which lists does it send?");
        }
        if rule.messages.is_empty() {
            self.problem(key, "`messages` is empty: which of its messages are posts?");
        }
        for (at, message) in rule.messages.iter().enumerate() {
            let key = format!("{key}.messages[{at}]");
            let is_telling =
                message.deletes.is_some() || message.revisits.is_some() || message.cursor_is.is_some();
            if message.items.is_empty() && !is_telling {
                self.problem(
                    &key,
                    "it has neither `items` nor `deletes`, `revisits` or `cursor_is`, so it says nothing",
                );
            }
            if let Some(deletes) = &message.deletes {
                self.known(&format!("{key}.deletes.kind"), "type", &deletes.kind, data.types.keys());
            }
        }
        if rule.hello.is_some() && rule.transport != Transport::Websocket {
            self.problem(
                &format!("{key}.hello"),
                "only a WebSocket can be told something: `transport = \"websocket\"`",
            );
        }
        if rule.format == StreamFormat::Atproto && rule.transport != Transport::Websocket {
            self.problem(
                &format!("{key}.format"),
                "`atproto` frames are binary: `transport = \"websocket\"`",
            );
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
        // Posts are of their author or of the server; messages that show none may name the root of any list.
        let shows_posts = rule.messages.iter().any(|message| !message.items.is_empty());
        let cover = |(at, one)| self.cover(&format!("{key}.covers[{at}]"), one, shows_posts, data);
        let covers: Vec<Cover> = covers.filter_map(cover).collect();
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
                instead_of: rule.instead_of.as_deref().map(Into::into),
                every: self.every(key, rule),
            },
            variant: rule.variant.clone(),
            format: rule.format,
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

    /// How often the page of a poll is asked for. It shows what is new now, so that nothing between two answers is proven, and it goes on
    /// from nowhere.
    fn every(&mut self, key: &str, rule: &StreamRule) -> Option<Span> {
        let every = rule.every.as_ref().map(|every| self.span(&format!("{key}.every"), every));
        let is_poll = rule.transport == Transport::Poll;
        match every {
            None if is_poll => {
                self.problem(key, "`every` is missing: how often is its page asked for at most?");
            }
            Some(_) if !is_poll => {
                let what = "a connection stays open; only a page is asked for again: `transport = \"poll\"`";
                self.problem(&format!("{key}.every"), what);
            }
            Some(every) if every < EVERY_MIN => {
                self.problem(
                    &format!("{key}.every"),
                    format!("no page is asked for more often than every {EVERY_MIN}"),
                );
            }
            _ => {}
        }
        if is_poll && rule.covers.iter().any(|cover| cover.proof == Proof::Complete) {
            let what = "a page that is asked for again and again proves nothing of what came between: `proof = \"hint\"`";
            self.problem(&format!("{key}.covers"), what);
        }
        if is_poll && (rule.cursor.is_some() || rule.named.is_some()) {
            self.problem(key, "a page that is asked for again and again has neither `cursor` nor `named`");
        }
        every.filter(|_| is_poll)
    }

    /// A list that is covered, if its posts can be told from others.
    fn cover(
        &mut self,
        key: &str,
        rule: &data::CoverRule,
        shows_posts: bool,
        data: &data::Definition,
    ) -> Option<Cover> {
        self.known(&format!("{key}.endpoint"), "endpoint", &rule.endpoint, data.endpoints.keys());
        let endpoint = data.endpoints.get(&rule.endpoint)?;
        let query = endpoint.query.values().flat_map(data::OneOrMany::as_slice);
        let names_root = std::iter::once(&endpoint.url).chain(query).any(|text| text.contains("root"));
        let is_server = endpoint.root != ACCOUNT && !names_root;
        if shows_posts && names_root && endpoint.root != ACCOUNT {
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
            body: rule.hello.clone(),
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
            revisits: rule.revisits.as_ref().map(|at| self.expression(&format!("{key}.revisits"), at)),
            cursor_is: rule.cursor_is,
        }
    }
}

/// An endpoint with this root that says nothing else.
fn nobodys(root: &str) -> EndpointRule {
    let plain = serde_json::json!({"url": "/", "kind": "other", "root": root});
    serde_json::from_value(plain).expect("an endpoint needs no more than these")
}
