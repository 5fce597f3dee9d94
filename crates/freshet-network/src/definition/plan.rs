//! A definition, compiled: what asking and reading work with.
//!
//! Plain data, made by `check` and never changed. Names are resolved to indexes, texts to
//! templates, pointers and patterns.

use std::sync::Arc;

use encoding_rs::Encoding;
use freshet_types::definition as data;
use freshet_types::{
    Confidence, CursorTrouble, Endpoint, Intent, LinkKind, Map, Outcome, PostKind, PrimitiveKind, QuotaRule,
    Schema, StreamInfo,
};
use regex::Regex;

use crate::expression::{ConditionPlan, Expression, Field, Pointer, Test};
use crate::format::Keys;
use crate::template::{Template, Templates};

/// A whole definition.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) data: data::Definition,
    pub(crate) schema: Schema,
    pub(crate) encoding: Option<&'static Encoding>,
    /// What reading looks at.
    pub(crate) keys: Keys,
    pub(crate) templates: Templates,
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) endpoints: Vec<EndpointPlan>,
    pub(crate) streams: Vec<StreamPlan>,
    pub(crate) mappings: Vec<MappingPlan>,
    pub(crate) quotas: Vec<QuotaPlan>,
    pub(crate) limits: Vec<LimitPlan>,
    pub(crate) outcomes: Vec<OutcomePlan>,
}

impl Plan {
    /// The endpoint of this name, of the definition itself or of one of its variants.
    pub(crate) fn endpoint(&self, network: &str, name: &str) -> Option<&EndpointPlan> {
        let variant = (network != self.data.name).then_some(network);
        self.endpoints.iter().find(|one| one.rule.variant.as_deref() == variant && &*one.public.name == name)
    }
}

/// One endpoint.
#[derive(Debug)]
pub(crate) struct EndpointPlan {
    /// Its key in the file, by which rules name it.
    pub(crate) key: String,
    pub(crate) public: Endpoint,
    pub(crate) rule: data::EndpointRule,
    pub(crate) url: Template,
    pub(crate) query: Vec<(String, Vec<Template>)>,
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) body: Option<Template>,
    pub(crate) items: Vec<ItemPlan>,
    pub(crate) paging: PagingPlan,
    pub(crate) newer: Option<NewerPlan>,
    pub(crate) members: Option<MembersPlan>,
    pub(crate) group: Option<GroupPlan>,
    pub(crate) format: data::BodyFormat,
    pub(crate) is_page: bool,
    /// Matches the path of URLs of this endpoint; the group `root` is the root where it is there.
    pub(crate) path: Regex,
}

impl EndpointPlan {
    /// Which endpoint is really asked, where members or roots are shown by another; its place in the plan.
    pub(crate) fn stand_in(&self, intent: &Intent) -> Option<usize> {
        match intent {
            Intent::Members(_) => self.members.as_ref().map(|members| members.endpoint),
            Intent::Group(_) => self.group.as_ref().map(|group| group.endpoint),
            Intent::First | Intent::Next(_) | Intent::Newer(_) => None,
        }
    }
}

/// What servers send by themselves.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    pub(crate) public: StreamInfo,
    pub(crate) variant: Option<String>,
    pub(crate) format: data::StreamFormat,
    /// How it is opened.
    pub(crate) open: EndpointPlan,
    pub(crate) has_cursor: bool,
    /// Where a message carries its cursor; none: its id is one.
    pub(crate) cursor: Option<Expression>,
    pub(crate) event: Option<Expression>,
    pub(crate) payload: Option<Expression>,
    pub(crate) messages: Vec<MessagePlan>,
}

/// What a message means.
#[derive(Debug)]
pub(crate) struct MessagePlan {
    pub(crate) event: Option<String>,
    pub(crate) when: Vec<ConditionPlan>,
    /// How its items are read.
    pub(crate) read: Option<EndpointPlan>,
    pub(crate) deletes: Option<DeletionPlan>,
    /// Where the root stands whose lists are to be visited.
    pub(crate) revisits: Option<Expression>,
    pub(crate) cursor_is: Option<CursorTrouble>,
}

/// Which object a message says is gone.
#[derive(Debug)]
pub(crate) struct DeletionPlan {
    pub(crate) kind: String,
    /// Where its id stands; none: the message is the id.
    pub(crate) id: Option<Expression>,
}

/// A group of items.
#[derive(Debug)]
pub(crate) struct ItemPlan {
    pub(crate) at: Expression,
    pub(crate) path: String,
    pub(crate) each: Option<Pointer>,
    pub(crate) mapping: usize,
    pub(crate) is_listed: bool,
    /// The last of them is the newest.
    pub(crate) is_reversed: bool,
    pub(crate) when: Option<ConditionPlan>,
}

/// The places that paging looks at.
#[derive(Debug, Default)]
pub(crate) struct PagingPlan {
    pub(crate) at: Expression,
    pub(crate) more: Option<Pointer>,
    pub(crate) count: Option<Pointer>,
}

/// How newer posts are asked for.
#[derive(Debug)]
pub(crate) struct NewerPlan {
    pub(crate) rule: data::NewerRule,
    pub(crate) value: Template,
    pub(crate) query: Vec<(String, Template)>,
}

impl NewerPlan {
    /// Whether the list goes on upwards from the mark.
    pub(crate) fn is_upward(&self) -> bool {
        matches!(self.rule.style, data::NewerStyle::MinId | data::NewerStyle::Ascending)
    }
}

/// Where the ids of members stand.
#[derive(Debug)]
pub(crate) struct MembersPlan {
    pub(crate) at: Expression,
    pub(crate) endpoint: usize,
    pub(crate) batch: usize,
    pub(crate) param: Option<String>,
}

/// How one request asks about many roots.
#[derive(Debug)]
pub(crate) struct GroupPlan {
    pub(crate) endpoint: usize,
    pub(crate) roots_max: usize,
    pub(crate) param: Option<String>,
    pub(crate) shows: Shows,
}

/// What it shows.
#[derive(Debug)]
pub(crate) enum Shows {
    /// A pulse of each root, the id beside it; and the same on the list itself.
    Pulses { id: Expression, pulse: Expression, seen: Option<Expression> },
    /// Posts, and the roots on whose lists each stands.
    Posts { id: Expression, root: Expression },
}

/// A mapping.
#[derive(Debug)]
pub(crate) struct MappingPlan {
    pub(crate) kind: data::MappingKind,
    pub(crate) object_type: Arc<str>,
    /// The same, with what the definition says of ids, for posts.
    pub(crate) post_kind: PostKind,
    pub(crate) fields: Fields,
    pub(crate) deleted: Vec<ConditionPlan>,
    pub(crate) states: Vec<(freshet_types::AccountState, ConditionPlan)>,
    pub(crate) opts_out: Vec<ConditionPlan>,
    pub(crate) plinks: Vec<(Arc<str>, PrimitiveKind, Field)>,
    /// Ids of linked objects.
    pub(crate) links: Vec<LinkPlan>,
    pub(crate) embeds: Vec<EmbedPlan>,
    /// Pointers into other networks, to objects and to values.
    pub(crate) hints: Vec<HintPlan>,
    pub(crate) variants: Vec<(ConditionPlan, usize)>,
    pub(crate) skip: Vec<ConditionPlan>,
}

impl MappingPlan {
    /// Whether it makes objects of this type that are no accounts.
    pub(crate) fn makes_other(&self, kind: &str) -> bool {
        matches!(self.kind, data::MappingKind::Post | data::MappingKind::Object) && *self.object_type == *kind
    }
}

/// A c- or co-link whose targets are given by their ids.
#[derive(Debug)]
pub(crate) struct LinkPlan {
    pub(crate) name: Arc<str>,
    pub(crate) to: Arc<str>,
    pub(crate) is_member: bool,
    pub(crate) field: Field,
}

impl LinkPlan {
    pub(crate) fn new(name: &str, (to, is_member): (&str, bool), field: Field) -> Self {
        Self { name: name.into(), to: to.into(), is_member, field }
    }
}

/// Items inside an item, and the link that leads from it to them, with whether that is a collection.
#[derive(Debug)]
pub(crate) struct EmbedPlan {
    pub(crate) items: ItemPlan,
    pub(crate) link: Option<(Arc<str>, bool)>,
}

/// The named fields of all kinds of objects.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) id: Option<Field>,
    pub(crate) author: Option<Field>,
    pub(crate) created_at: Option<Field>,
    pub(crate) edited_at: Option<Field>,
    pub(crate) text: Option<Field>,
    pub(crate) url: Option<Field>,
    pub(crate) uri: Option<Field>,
    pub(crate) reply_to: Option<Field>,
    pub(crate) root: Option<Field>,
    pub(crate) repost_of: Option<Field>,
    pub(crate) quote_of: Option<Field>,
    pub(crate) lang: Option<Field>,
    pub(crate) tags: Option<Field>,
    pub(crate) handle: Option<Field>,
    pub(crate) name: Option<Field>,
    pub(crate) bio: Option<Field>,
    pub(crate) location: Option<Field>,
    pub(crate) followers_count: Option<Field>,
    pub(crate) following_count: Option<Field>,
    pub(crate) posts_count: Option<Field>,
    pub(crate) source: Option<Field>,
    pub(crate) target: Option<Field>,
    pub(crate) account: Option<Field>,
}

/// A pointer into another network.
#[derive(Debug)]
pub(crate) struct HintPlan {
    pub(crate) link: Arc<str>,
    pub(crate) kind: LinkKind,
    /// Each field with how the definition names it.
    pub(crate) within: Vec<(String, Field)>,
    pub(crate) pattern: Regex,
    pub(crate) to: String,
    /// Of an sp-link: where the value is from, and what it is.
    pub(crate) value: Option<(ValuePlan, PrimitiveKind)>,
    pub(crate) confidence: Confidence,
}

/// Where the value of an sp-link is from.
#[derive(Debug)]
pub(crate) enum ValuePlan {
    /// The groups of the expression, put together.
    Groups(String),
    /// A field of the item.
    Field(Box<Field>),
}

/// A quota and the requests it counts.
#[derive(Debug)]
pub(crate) struct QuotaPlan {
    pub(crate) rule: QuotaRule,
    pub(crate) applies: data::CredentialUse,
    pub(crate) requests: data::RequestChoice,
    pub(crate) costs: Map<String, u32>,
    /// All servers of the network take from it.
    pub(crate) is_shared: bool,
}

/// A header, or a part of the body.
#[derive(Debug)]
pub(crate) enum AnswerPart {
    Header(String),
    Body(Pointer),
}

/// An announcement of a limit.
#[derive(Debug)]
pub(crate) struct LimitPlan {
    pub(crate) rule: data::LimitRule,
    pub(crate) quota: Option<Arc<str>>,
    pub(crate) limit: Option<AnswerPart>,
    pub(crate) remaining: Option<AnswerPart>,
    pub(crate) reset: Option<AnswerPart>,
    pub(crate) backoff: Option<AnswerPart>,
}

impl LimitPlan {
    /// Whether the body must be read for it.
    pub(crate) fn needs_body(&self) -> bool {
        [&self.limit, &self.remaining, &self.reset, &self.backoff]
            .into_iter()
            .any(|part| matches!(part, Some(AnswerPart::Body(_))))
    }
}

/// What an answer means.
#[derive(Debug)]
pub(crate) struct OutcomePlan {
    pub(crate) outcome: Outcome,
    pub(crate) statuses: Option<Vec<(u16, u16)>>,
    pub(crate) body: Vec<ConditionPlan>,
    pub(crate) text: Option<String>,
    pub(crate) header: Option<(String, Test)>,
    pub(crate) endpoints: Option<Vec<String>>,
    pub(crate) until: Option<AnswerPart>,
    pub(crate) until_format: data::ResetFormat,
    pub(crate) to: Option<AnswerPart>,
}
