//! What is delivered: one struct per kind of record, each its own list of columns.
//!
//! A record's fields, their names and their order in every format are declared once, by the
//! macro below. Times are unix seconds, whole where they are whole. Ids are the network's own;
//! `id` alone is the address, unique over all networks. A value that is not known is null.

use std::fmt;
use std::str::FromStr;

use freshet_types::Timestamp;

/// Named values of an object that have no column of their own.
pub type Properties = serde_json::Map<String, serde_json::Value>;

/// The kinds of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// [`PostRecord`].
    Posts,
    /// [`AccountRecord`].
    Accounts,
    /// [`RelationRecord`].
    Relations,
    /// [`ChangeRecord`].
    Changes,
    /// [`ObjectRecord`].
    Objects,
    /// [`LinkRecord`].
    Links,
}

impl RecordKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Posts, Self::Accounts, Self::Relations, Self::Changes, Self::Objects, Self::Links];

    /// The name that people type; also the name of a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Accounts => "accounts",
            Self::Relations => "relations",
            Self::Changes => "changes",
            Self::Objects => "objects",
            Self::Links => "links",
        }
    }

    /// The columns of this kind, in order.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Posts => PostRecord::COLUMNS,
            Self::Accounts => AccountRecord::COLUMNS,
            Self::Relations => RelationRecord::COLUMNS,
            Self::Changes => ChangeRecord::COLUMNS,
            Self::Objects => ObjectRecord::COLUMNS,
            Self::Links => LinkRecord::COLUMNS,
        }
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RecordKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let kinds = Self::ALL.map(Self::name).join(", ");
            format!("there are no records of `{text}`; the kinds are {kinds}")
        })
    }
}

/// One column of a kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in every format.
    pub name: &'static str,
    /// What it holds.
    pub holds: ColumnType,
    /// What that means.
    pub meaning: &'static str,
}

/// What a column holds; any value may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A text.
    Text,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// True or false.
    Bool,
    /// An instant, in unix seconds.
    Time,
    /// A list of texts; JSON inside a CSV cell.
    Texts,
    /// Named values; JSON inside a CSV cell or a Parquet string.
    Properties,
}

/// A value on its way into a sink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Not known.
    Null,
    /// A text.
    Text(&'a str),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// An instant.
    Time(Timestamp),
    /// A list of texts.
    Texts(&'a [String]),
    /// Named values.
    Properties(&'a Properties),
}

/// Anything a sink can take.
pub trait Record {
    /// Of which kind it is.
    fn kind(&self) -> RecordKind;

    /// Its values, in the order of [`RecordKind::columns`].
    fn values(&self) -> Vec<Value<'_>>;
}

/// How a field of a record becomes a column.
trait Field {
    const HOLDS: ColumnType;
    fn value(&self) -> Value<'_>;
}

impl<T: Field> Field for Option<T> {
    const HOLDS: ColumnType = T::HOLDS;
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::value)
    }
}

macro_rules! field {
    ($type:ty, $holds:ident, |$it:ident| $value:expr) => {
        impl Field for $type {
            const HOLDS: ColumnType = ColumnType::$holds;
            fn value(&self) -> Value<'_> {
                let $it = self;
                Value::$holds($value)
            }
        }
    };
}

field!(String, Text, |it| it);
field!(i64, Int, |it| *it);
field!(f64, Float, |it| *it);
field!(bool, Bool, |it| *it);
field!(Timestamp, Time, |it| *it);
field!(Vec<String>, Texts, |it| it);
field!(Properties, Properties, |it| it);

macro_rules! record {
    ($(#[$doc:meta])* $name:ident is $kind:ident { $($(#[doc = $meaning:literal])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[doc = $meaning])* pub $field: $type,)*
        }

        impl $name {
            /// Its columns, in order.
            pub const COLUMNS: &'static [Column] =
                &[$(Column {
                    name: stringify!($field),
                    holds: <$type as Field>::HOLDS,
                    meaning: concat!($($meaning),*),
                },)*];
        }

        impl Record for $name {
            fn kind(&self) -> RecordKind {
                RecordKind::$kind
            }

            fn values(&self) -> Vec<Value<'_>> {
                vec![$(self.$field.value(),)*]
            }
        }
    };
}

record! {
    /// A post: its newest version.
    PostRecord is Posts {
        /// The address `network/type/id`.
        id: String,
        /// The network's own id.
        native_id: String,
        /// `definition` or `definition:host`.
        network: String,
        /// `post`, `comment`, or what the definition calls it.
        kind: String,
        /// The author's handle where known, else the author's id.
        author: Option<String>,
        /// The author's id.
        author_id: Option<String>,
        /// When it was posted, as the network says.
        created_at: Option<Timestamp>,
        /// When it was first seen.
        seen_at: Timestamp,
        /// When it was last edited.
        edited_at: Option<Timestamp>,
        /// When it was found deleted.
        deleted_at: Option<Timestamp>,
        /// The text as the network gives it.
        text: String,
        /// Language.
        lang: Option<String>,
        /// Tags without their hash sign.
        tags: Vec<String>,
        /// Id of the post it replies to.
        reply_to: Option<String>,
        /// Id of the first post of the thread.
        root: Option<String>,
        /// Id of the post it repeats.
        repost_of: Option<String>,
        /// Id of the post it quotes.
        quote_of: Option<String>,
        /// Where people read it.
        url: Option<String>,
        /// The id that is the same on every server that has a copy.
        uri: Option<String>,
        /// All other values, by association name.
        properties: Properties,
    }
}

record! {
    /// An account.
    AccountRecord is Accounts {
        /// The address `network/type/id`.
        id: String,
        /// The network's own id.
        native_id: String,
        /// `definition` or `definition:host`.
        network: String,
        /// What people type to name it.
        handle: Option<String>,
        /// Display name.
        name: Option<String>,
        /// Self-description as the network gives it.
        bio: Option<String>,
        /// Location as the account states it.
        location: Option<String>,
        /// When it was made.
        created_at: Option<Timestamp>,
        /// When it was first seen.
        seen_at: Timestamp,
        /// How many follow it.
        followers_count: Option<i64>,
        /// How many it follows.
        following_count: Option<i64>,
        /// How many posts it has.
        posts_count: Option<i64>,
        /// `active`, `suspended`, `private`, `moved` or `gone`.
        state: String,
        /// Why it counts as invalid, if it does.
        invalid: Option<String>,
        /// It asks not to be collected or indexed.
        opts_out: bool,
        /// Where people look at it.
        url: Option<String>,
        /// The id that is the same on every server that knows it.
        uri: Option<String>,
        /// All other values, by association name.
        properties: Properties,
    }
}

record! {
    /// `source` follows `target`.
    RelationRecord is Relations {
        /// `definition` or `definition:host`.
        network: String,
        /// Id of who follows.
        source: String,
        /// Id of who is followed.
        target: String,
        /// When it was first seen.
        seen_at: Timestamp,
        /// When it was found cancelled.
        cancelled_at: Option<Timestamp>,
    }
}

record! {
    /// One line of the change log.
    ChangeRecord is Changes {
        /// Its place in the log, rising.
        number: i64,
        /// When it was noticed.
        seen_at: Timestamp,
        /// `created`, `edited`, `deleted`, `restored`, `invalidated`, `unlinked`, `approached`, `relearnt` or `pointed`.
        kind: String,
        /// The address of the object it happened to.
        id: String,
        /// The visit that noticed it.
        visit: i64,
    }
}

record! {
    /// An object that is neither a post, an account nor a list of a forum: a place, an album, a community.
    ObjectRecord is Objects {
        /// The address `network/type/id`.
        id: String,
        /// The network's own id.
        native_id: String,
        /// `definition` or `definition:host`.
        network: String,
        /// Its type, as the definition calls it.
        kind: String,
        /// What people call it.
        name: Option<String>,
        /// When it was made, as the network says.
        created_at: Option<Timestamp>,
        /// When it was first seen.
        seen_at: Timestamp,
        /// Where people look at it.
        url: Option<String>,
        /// All other values, by association name.
        properties: Properties,
    }
}

record! {
    /// A link from one object to another.
    LinkRecord is Links {
        /// The network of the object that has the link: `definition` or `definition:host`.
        network: String,
        /// The address of the object that has the link.
        from: String,
        /// `c` (to one object), `co` (to a member of a collection); into another network `sc`, `sco`, or `sp` (a value of an object there).
        kind: String,
        /// The association name, as the definition declares it.
        name: String,
        /// The address of the object that it leads to, or whose value it states.
        to: String,
        /// The network of that object.
        to_network: String,
        /// The value, of an `sp` link, as a text.
        value: Option<String>,
        /// When it was first seen.
        first_seen_at: Timestamp,
        /// When it was last seen; of links into other networks to the hour.
        last_seen_at: Timestamp,
        /// When it was found to be no more.
        ended_at: Option<Timestamp>,
        /// The place where it was read, of a link into another network.
        evidence_place: Option<String>,
        /// The text that matched there.
        evidence: Option<String>,
        /// How sure the link into another network is, from 0 to 1.
        confidence: Option<f64>,
    }
}
