//! Subscriptions as they are stored: who gets which changes, by which way, and how far that has come.
//!
//! Words that people type are read here and nowhere else ([`Kind`], [`State`]). A way holds no secret: what a webhook is signed
//! with lies in the vault. Nothing is delivered here.

use std::fmt;
use std::str::FromStr;

use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};

/// Most subscriptions of one store: each has a thread and a connection of its own in a run.
pub const SUBSCRIPTIONS_MAX: usize = 64;
/// Longest name.
pub const NAME_CHARS_MAX: usize = 64;
/// How the names of their cursors begin.
const CONSUMER: &str = "deliver:";

/// Under which name the change log remembers how far a subscriber has got.
pub fn consumer(name: &str) -> String {
    format!("{CONSUMER}{name}")
}

/// What somebody may want to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// New, edited, deleted and restored posts.
    Posts,
    /// New accounts, new profiles, and what became of them.
    Accounts,
    /// Who follows whom, and no longer.
    Relations,
    /// Other links between objects.
    Links,
    /// What is gone, whatever it was: its address and when.
    Deletions,
    /// What a person asked to forget: its address and when, so that receivers erase it too.
    Forgettings,
    /// What somebody should know of the crawl.
    Alerts,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Posts,
        Self::Accounts,
        Self::Relations,
        Self::Links,
        Self::Deletions,
        Self::Forgettings,
        Self::Alerts,
    ];

    /// The word that people type; also the kind of a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Accounts => "accounts",
            Self::Relations => "relations",
            Self::Links => "links",
            Self::Deletions => "deletions",
            Self::Forgettings => "forgettings",
            Self::Alerts => "alerts",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("there is no kind `{text}`; the kinds are {known}"))
    }
}

/// How records reach a subscriber.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Lines are appended to this file, or written into this pipe.
    File(String),
    /// Lines go to the standard output of the run.
    Stdout,
    /// Lines go to the standard input of this program, given as its words.
    Command(Vec<String>),
    /// Batches are sent to this address.
    Webhook {
        url: String,
        /// Private, loopback and link-local addresses are allowed.
        allow_private: bool,
        /// With the secret that the vault has under this name.
        secret: Option<String>,
    },
    /// Batches go to whoever reads them over a WebSocket of the dashboard.
    Websocket,
    /// Records are published to a subject of a bus, NATS JetStream.
    Nats {
        url: String,
        subject: String,
        /// The stream that has to keep them; any without.
        stream: Option<String>,
        /// With the login that the vault has under this name.
        login: Option<String>,
    },
}

impl Way {
    /// The word that people type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Stdout => "stdout",
            Self::Command(_) => "command",
            Self::Webhook { .. } => "webhook",
            Self::Websocket => "websocket",
            Self::Nats { .. } => "nats",
        }
    }

    /// Where it leads to, for people; nothing where the name says all.
    pub fn target(&self) -> String {
        match self {
            Self::File(path) => path.clone(),
            Self::Command(line) => line.join(" "),
            Self::Webhook { url, .. } => url.clone(),
            Self::Nats { url, subject, .. } => format!("{url} {subject}"),
            Self::Stdout | Self::Websocket => String::new(),
        }
    }
}

/// A condition on what is delivered: objects of this type must satisfy this expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    #[serde(rename = "type")]
    pub type_name: String,
    pub text: String,
}

/// What subscribers are told beside changes of stored objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its place in the log.
    pub number: u64,
    pub kind: Kind,
    pub at: Timestamp,
    /// What it says, as JSON.
    pub record: String,
}

/// What becomes of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    /// It gets nothing, and keeps its place.
    Paused,
    /// The receiver said that it is gone for good.
    Ended,
}

impl State {
    /// All of them, for reading them back.
    pub const ALL: [Self; 3] = [Self::Running, Self::Paused, Self::Ended];

    /// The word in the store and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Ended => "ended",
        }
    }
}

/// A subscription as a person made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub name: String,
    /// In order, each once.
    pub kinds: Vec<Kind>,
    pub way: Way,
    pub filters: Vec<Filter>,
    /// Changes that it may be behind before the oldest are dropped; without it nothing is dropped.
    pub buffer_max: Option<u64>,
    pub state: State,
    pub added_at: Timestamp,
}

/// A subscription in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionRow {
    pub subscription: Subscription,
    pub standing: Standing,
}

/// What stands between the name of a viewer and that of one of its subscriptions, where those of several stores run side by side;
/// neither has one in it.
pub const BETWEEN: char = '/';

impl SubscriptionRow {
    /// The same as it is called beside those of others.
    #[must_use]
    pub fn of_viewer(mut self, viewer: &str) -> Self {
        self.subscription.name = format!("{viewer}{BETWEEN}{}", self.subscription.name);
        self
    }

    /// Whose it is, where it is called so.
    pub fn viewer(&self) -> Option<&str> {
        self.subscription.name.split_once(BETWEEN).map(|(viewer, _)| viewer)
    }
}

/// How far a subscriber has got, and what came of it so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Grows with whatever a person changes.
    pub generation: u64,
    /// The last change that it has taken.
    pub cursor: u64,
    /// Records that it has taken.
    pub delivered_count: u64,
    /// Records that were dropped because it was too far behind.
    pub dropped_count: u64,
    /// Those among them of which it has not been told.
    pub untold_count: u64,
    /// Records that it has taken without their content, which was not kept and gone by then.
    pub lost_count: u64,
    /// Tries that failed.
    pub failed_count: u64,
    /// What went wrong last, and when.
    pub failure: Option<(Timestamp, String)>,
    /// The receiver said that it is gone for good.
    pub is_ended: bool,
}

/// Whether a name can be one: words of letters, digits, `-`, `_` and `.`, so that it fits into addresses and paths.
pub fn is_name(name: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= NAME_CHARS_MAX
        && name.chars().all(is_fit)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_words_and_others_are_refused_by_name() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        for (word, part) in [("post", "no kind `post`"), ("", "no kind")] {
            let error = word.parse::<Kind>().unwrap_err();
            assert!(error.contains(part) && error.contains("posts, accounts"), "{error}");
        }
    }

    #[test]
    fn names_fit_into_addresses() {
        for (name, is_fit) in [
            ("a", true),
            ("new-posts_2.x", true),
            ("", false),
            ("a/b", false),
            (".a", false),
            ("ü", false),
            ("a b", false),
        ] {
            assert_eq!(is_name(name), is_fit, "{name}");
        }
        assert!(!is_name(&"x".repeat(NAME_CHARS_MAX + 1)));
    }
}
