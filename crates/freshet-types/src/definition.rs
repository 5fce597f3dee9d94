//! The data types of a network definition: what `networks/*.toml` may say.
//!
//! Plain data with serde and a JSON schema, nothing else: unknown keys are refused, and every
//! name that refers to another part of the file is still a string here. `freshet-network`
//! checks the names, compiles templates and expressions, and speaks for the network.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reference::ReferencePattern;
use crate::{AuthScheme, IdOrder, PrimitiveKind};

mod endpoint;
mod login;
mod mapping;
mod rule;
mod stream;
mod version;

pub use endpoint::{
    Ending, EndpointRule, ItemRule, MembersRule, MergedRule, NewerRule, NewerStyle, Ordering, PageKind,
    Paging, ProbeRule, RelationRole, Role, TimeWriting,
};
pub use login::{ClientAuth, GrantName, LoginKind, LoginRule, UserRule};
pub use mapping::{
    BesideRule, Condition, EmbedRule, FieldRule, FieldTable, HintPlace, HintRule, Mapping, MappingKind,
    OneOrMany, StateRule, TimeFormat, VariantRule,
};
pub use rule::{
    CredentialUse, LimitRule, OutcomeName, OutcomeRule, PercentRule, QuotaDeclaration, RequestChoice,
    RequestWord, ResetFormat, StatusChoice,
};
pub use stream::{
    CoverRule, DeletionRule, MessageRule, NamedRule, StreamCursorRule, StreamFormat, StreamRule,
};
pub use version::DefinitionVersion;

/// One network, or one family of servers that speak alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name, the first part of every address: `mastodon`.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Whether it is one service, or software that runs on many hosts (`name:host`).
    #[serde(default)]
    pub hosts: Hosts,
    /// Base URL, without a final slash; `{{ host }}` where there are many hosts.
    pub base: String,
    /// The host that is meant when none is named, where there are many.
    #[serde(default)]
    pub host: Option<String>,
    /// Format of bodies.
    #[serde(default)]
    pub format: BodyFormat,
    /// Text encoding of bodies, where the servers announce a wrong one.
    #[serde(default)]
    pub encoding: Option<String>,
    /// How ids compare.
    #[serde(default)]
    pub id_order: IdOrder,
    /// What becomes of a stored post that the network deletes, unless a person says otherwise.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// At least so long between two requests to one host: `1s`.
    #[serde(default = "default_pause")]
    pub pause: String,
    /// At most so many requests to one host at once.
    #[serde(default = "default_in_flight_max")]
    pub in_flight_max: u32,
    /// Its URLs are pages for people: robots.txt is asked first.
    #[serde(default)]
    pub is_page: bool,
    /// Headers of every request, as templates.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// How credentials are shown; the first is the usual one.
    #[serde(default)]
    pub auth: Vec<AuthScheme>,
    /// How people and apps log in; the first is the usual way.
    #[serde(default)]
    pub login: Vec<LoginRule>,
    /// Object types and their links.
    pub types: BTreeMap<String, TypeRule>,
    /// What can be asked.
    pub endpoints: BTreeMap<String, EndpointRule>,
    /// How items of answers become objects.
    pub mappings: BTreeMap<String, Mapping>,
    /// What the network allows a holder per window.
    #[serde(default)]
    pub quotas: Vec<QuotaDeclaration>,
    /// Where answers announce limits.
    #[serde(default)]
    pub limits: Vec<LimitRule>,
    /// What answers mean, first match first; the meaning of statuses is known without them.
    #[serde(default)]
    pub outcomes: Vec<OutcomeRule>,
    /// What servers send by themselves.
    #[serde(default)]
    pub stream: Vec<StreamRule>,
    /// Further networks that share this file: the same mappings, other endpoints.
    #[serde(default)]
    pub variants: BTreeMap<String, Variant>,
    /// Texts by which people name things of this network.
    #[serde(default)]
    pub references: Vec<ReferencePattern>,
}

fn default_pause() -> String {
    "1s".to_owned()
}

fn default_in_flight_max() -> u32 {
    1
}

/// A network that shares the file of another one under its own name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What people call it.
    pub title: String,
    /// As in the definition.
    #[serde(default)]
    pub hosts: Hosts,
    /// As in the definition.
    pub base: String,
    /// As in the definition.
    #[serde(default)]
    pub host: Option<String>,
    /// Texts by which people name things of this variant.
    #[serde(default)]
    pub references: Vec<ReferencePattern>,
}

/// How many hosts a definition serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Hosts {
    /// One service; the network's name is the definition's.
    #[default]
    One,
    /// Many servers; the network's name is `definition:host`.
    Many,
}

/// Format of an answer's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BodyFormat {
    /// JSON.
    #[default]
    Json,
    /// XML, turned into a tree: attributes are `@name`, text is `#text` or the value itself,
    /// repeated elements are arrays.
    Xml,
    /// RSS 2.0, RSS 1.0, RSS 0.9x, Atom or JSON Feed, turned into one shape (see `networks/rss.toml`).
    Feed,
    /// A page for people, HTML, as a tree of its elements, in which `css:` expressions find them.
    Html,
    /// A page for people, HTML or plain text: its title, its language and its text (see `networks/page.toml`).
    Page,
}

/// What becomes of a stored post that the network deletes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnDelete {
    /// It stays, marked as deleted.
    #[default]
    Keep,
    /// Its content is erased; id, author and times stay.
    Redact,
}

/// The links that objects of one type may have, by association name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeRule {
    /// The space of ids that it shares with other types, by any name; a type that names none has ids of its own, and `3` of one type
    /// is another object than `3` of the next.
    #[serde(default)]
    pub ids: Option<String>,
    /// p-links: values. Those that every mapping may fill (`text`, `url`, …) need not be named.
    #[serde(default)]
    pub plinks: BTreeMap<String, PrimitiveKind>,
    /// c-links: association to type.
    #[serde(default)]
    pub clinks: BTreeMap<String, String>,
    /// co-links: association to type of the members.
    #[serde(default)]
    pub colinks: BTreeMap<String, String>,
    /// sp-links: values of another network.
    #[serde(default)]
    pub splinks: BTreeMap<String, PrimitiveKind>,
    /// sc-links: association to `network/type`, or `*/type` for any network.
    #[serde(default)]
    pub sclinks: BTreeMap<String, String>,
    /// sco-links: association to `network/type`, or `*/type` for any network.
    #[serde(default)]
    pub scolinks: BTreeMap<String, String>,
}
