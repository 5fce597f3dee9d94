//! Mappings of a definition: how an item of an answer becomes an object.
//!
//! An expression is a JSON pointer (`/account/id`; `""` is the item; a part `*` stands for every element
//! of an array), `jq:` with a jq program, `$root` (the id the visit is about), `$url` (the address that
//! answered), or `=` with a literal text. Of several expressions the first with a value counts; lists, such
//! as tags, take the values of all.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AccountState, Confidence};

/// How an item becomes an object. Which fields make sense depends on `kind`; others are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// What it becomes.
    pub kind: MappingKind,
    /// Object type; the kind's name by default.
    #[serde(default, rename = "type")]
    pub object_type: Option<String>,
    /// Post, account, object: the network's id. An item without one is complained about.
    #[serde(default)]
    pub id: Option<FieldRule>,
    /// Post: id of the author (c-link).
    #[serde(default)]
    pub author: Option<FieldRule>,
    /// Post, account, object: when it was posted or made.
    #[serde(default)]
    pub created_at: Option<FieldRule>,
    /// Post: when it was last edited.
    #[serde(default)]
    pub edited_at: Option<FieldRule>,
    /// Post: text, kept as it is.
    #[serde(default)]
    pub text: Option<FieldRule>,
    /// Post, account, object: where people look at it.
    #[serde(default)]
    pub url: Option<FieldRule>,
    /// Post, account: the id that all servers share.
    #[serde(default)]
    pub uri: Option<FieldRule>,
    /// Post: id of the post it replies to (c-link).
    #[serde(default)]
    pub reply_to: Option<FieldRule>,
    /// Post: id of the first post of the thread (c-link).
    #[serde(default)]
    pub root: Option<FieldRule>,
    /// Post: id of the post it repeats (c-link).
    #[serde(default)]
    pub repost_of: Option<FieldRule>,
    /// Post: id of the post it quotes (c-link).
    #[serde(default)]
    pub quote_of: Option<FieldRule>,
    /// Post: language.
    #[serde(default)]
    pub lang: Option<FieldRule>,
    /// Post: tags.
    #[serde(default)]
    pub tags: Option<FieldRule>,
    /// Account: what people type to name it.
    #[serde(default)]
    pub handle: Option<FieldRule>,
    /// Account, object: display name. Tag: the tag.
    #[serde(default)]
    pub name: Option<FieldRule>,
    /// Account: self-description.
    #[serde(default)]
    pub bio: Option<FieldRule>,
    /// Account: location as stated.
    #[serde(default)]
    pub location: Option<FieldRule>,
    /// Account: how many follow it.
    #[serde(default)]
    pub followers_count: Option<FieldRule>,
    /// Account: how many it follows.
    #[serde(default)]
    pub following_count: Option<FieldRule>,
    /// Account: how many posts it has.
    #[serde(default)]
    pub posts_count: Option<FieldRule>,
    /// Relation: id of the account that follows.
    #[serde(default)]
    pub source: Option<FieldRule>,
    /// Relation: id of the account that is followed.
    #[serde(default)]
    pub target: Option<FieldRule>,
    /// Tag: id of the account that carries it.
    #[serde(default)]
    pub account: Option<FieldRule>,
    /// Post: it is deleted when any of these holds.
    #[serde(default)]
    pub deleted: Vec<Condition>,
    /// Account: what the network reports of it, first match first.
    #[serde(default)]
    pub states: Vec<StateRule>,
    /// Account: it asks not to be collected when any of these holds.
    #[serde(default)]
    pub opts_out: Vec<Condition>,
    /// Post, account, object: other values, by association name; the type must declare them.
    #[serde(default)]
    pub plinks: BTreeMap<String, FieldRule>,
    /// Post, account, object: ids of single objects it links to, by association name; the type must declare them.
    #[serde(default)]
    pub clinks: BTreeMap<String, FieldRule>,
    /// Post, account, object: ids of members of its collections, by association name; the type must declare them.
    #[serde(default)]
    pub colinks: BTreeMap<String, FieldRule>,
    /// Items that stand inside this one and are read too.
    #[serde(default)]
    pub embeds: Vec<EmbedRule>,
    /// Post, account, object: pointers into other networks.
    #[serde(default)]
    pub hints: Vec<HintRule>,
    /// Post, account, object: values of other networks' objects; each needs `value`.
    #[serde(default)]
    pub splinks: Vec<HintRule>,
    /// Other mappings for some of the items, first match first.
    #[serde(default)]
    pub variants: Vec<VariantRule>,
    /// Items that are none: placeholders, "load more". They are passed over in silence.
    #[serde(default)]
    pub skip: Vec<Condition>,
    /// How times are written, unless a field says otherwise.
    #[serde(default)]
    pub time: TimeFormat,
}

/// What an item becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MappingKind {
    /// Something authored.
    Post,
    /// The user object.
    Account,
    /// One account follows another.
    Relation,
    /// An account carries a tag.
    Tag,
    /// An object of any other type: a place, an album, a channel.
    Object,
    /// Nothing itself; only what stands inside it counts.
    Group,
}

/// One text or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text, or a list of texts")]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them.
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// Where a field's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an expression, a list of expressions, or a table with `at` (and `each`, `where`, `time`, `prefix`, `suffix`, `match`, `to`, `beside`, `known`)"
)]
pub enum FieldRule {
    /// One expression.
    One(String),
    /// Expressions of which the first with a value counts.
    Many(Vec<String>),
    /// More to say.
    Table(FieldTable),
}

/// A field with more to say than where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldTable {
    /// Expressions of which the first with a value counts.
    pub at: OneOrMany,
    /// The value is an array; this pointer leads from each element to the text.
    #[serde(default)]
    pub each: Option<String>,
    /// Only elements in which this pointer leads to something true.
    #[serde(default, rename = "where")]
    pub only_where: Option<String>,
    /// How the time is written.
    #[serde(default)]
    pub time: Option<TimeFormat>,
    /// Put before the value.
    #[serde(default)]
    pub prefix: Option<String>,
    /// Put after the value.
    #[serde(default)]
    pub suffix: Option<String>,
    /// Regular expression; the value is its first group, or the whole match. No match, no value.
    #[serde(default, rename = "match")]
    pub pattern: Option<String>,
    /// The value, with the groups of `match`: `https://bsky.app/profile/$1/post/$2`.
    #[serde(default)]
    pub to: Option<String>,
    /// The value names an element of a list elsewhere in the answer; what stands there counts instead.
    #[serde(default)]
    pub beside: Option<Box<BesideRule>>,
    /// Of a p-link: the values that are known. Another is kept, and complained about: it may mean something new.
    #[serde(default)]
    pub known: Vec<String>,
}

/// A list beside the items, whose elements they name: accounts by number, say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BesideRule {
    /// JSON pointer from the top of the answer to the list.
    pub at: String,
    /// JSON pointer inside each element to what the item names it by.
    #[serde(default = "default_beside_id")]
    pub id: String,
    /// JSON pointer inside the element to the value.
    pub value: String,
    /// Only elements of which this holds.
    #[serde(default)]
    pub when: Option<Condition>,
}

fn default_beside_id() -> String {
    "/id".to_owned()
}

/// How a time is written in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeFormat {
    /// Any of the others, told apart by their looks; numbers are seconds, huge ones milliseconds.
    #[default]
    Auto,
    /// RFC 3339 with or without a fraction or a colon in the offset.
    Rfc3339,
    /// Seconds since 1970, whole or with a fraction, as number or text.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// `Wed Apr 18 14:00:30 +0800 2012`.
    Ctime,
    /// RFC 822 and 2822 with their usual deviations.
    Rfc2822,
    /// A day: `2026-11-15`; its first instant in UTC.
    Date,
}

/// Whether something holds of an item or a body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Expression; its first value is looked at.
    pub at: String,
    /// The value is an array; the rest is asked of what this pointer leads to, in any element.
    #[serde(default)]
    pub each: Option<String>,
    /// The value is this text, number or boolean (`1` and `"1"` are alike).
    #[serde(default)]
    pub equals: Option<serde_json::Value>,
    /// The value is one of these.
    #[serde(default, rename = "in")]
    pub one_of: Option<Vec<serde_json::Value>>,
    /// There is a value other than null (`true`), or there is none (`false`).
    #[serde(default, rename = "present")]
    pub is_present: Option<bool>,
    /// The value contains this text, or its array this element.
    #[serde(default)]
    pub contains: Option<String>,
    /// The value matches this regular expression.
    #[serde(default)]
    pub matches: Option<String>,
}

/// Items inside an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbedRule {
    /// JSON pointer to one item or an array of them.
    pub at: String,
    /// JSON pointer inside each element to the item itself.
    #[serde(default)]
    pub each: Option<String>,
    /// Name of the mapping.
    pub mapping: String,
    /// They are members of the answer in their own right: nested replies, ancestors.
    #[serde(default)]
    pub is_listed: bool,
    /// Only where this holds of the outer item.
    #[serde(default)]
    pub when: Option<Condition>,
    /// The outer item links to them by this association: a c-link or a co-link of its type.
    #[serde(default)]
    pub link: Option<String>,
}

/// A pointer into another network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintRule {
    /// Association name: an sc- or sco-link of the type; in `splinks`, an sp-link.
    pub link: String,
    /// Where to look: one or more fields.
    #[serde(rename = "in")]
    pub within: HintPlace,
    /// Regular expression.
    pub pattern: String,
    /// The address, with the expression's groups: `youtube/video/$id`.
    pub to: String,
    /// How sure it is, from 0 to 1; 0.5 by default, as a link in a text is. One that its owner proved is 0.95 or more.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub confidence: Option<Confidence>,
    /// Of `splinks`: the value, with the expression's groups: `$count`.
    #[serde(default)]
    pub value: Option<String>,
    /// Of `splinks`, instead of `value`: the field of the item that holds the value.
    #[serde(default)]
    pub value_in: Option<FieldRule>,
}

/// Where a hint is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a field, or a list of fields")]
pub enum HintPlace {
    /// Several.
    Many(Vec<FieldRule>),
    /// One.
    One(FieldRule),
}

/// Another mapping for some items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantRule {
    /// Which items.
    pub when: Condition,
    /// Name of the mapping for them.
    pub mapping: String,
}

/// What an item says about the state of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateRule {
    /// Which state.
    #[schemars(with = "String")]
    pub state: AccountState,
    /// When it is in that state.
    pub when: Condition,
}
