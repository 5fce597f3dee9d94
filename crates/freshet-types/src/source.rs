//! Sources: things worth visiting again, each a root object seen through one endpoint.
//!
//! An account's timeline, its profile, its followers, the replies to a post. The endpoint
//! belongs to a robot by the network's definition. The engine holds a few bytes per source;
//! the whole record stays in the store and is loaded for a visit.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Coverage, NetworkName, RobotKind, SourceId, Span, Timestamp, Timetable};

/// As whom a source is read: the name of a credential. What it brings is shown to that viewer alone.
pub type Viewer = Arc<str>;

/// The definition of single pages, and the type of their objects.
const PAGE: &str = "page";

/// A server of a network that sources live on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// `definition` or `definition:host`.
    pub network: NetworkName,
    /// `https://example.social`, without a final slash.
    pub base: String,
    /// Private, loopback and link-local addresses were allowed when it was added.
    pub allow_private: bool,
}

/// Why a source is or is not visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// It is visited when due.
    #[default]
    Active,
    /// The network says it does not exist; looked at rarely.
    Gone,
    /// The network suspended it; looked at rarely.
    Suspended,
    /// It is not shown to us; looked at rarely.
    Private,
    /// It needs a credential that is missing or refused.
    AuthRequired,
    /// The last visit failed three times; it stays visible in `status`.
    Failed,
    /// Its owner asks not to be collected, and that is honoured.
    OptedOut,
    /// Taken off the list by a person; what was collected stays.
    Removed,
    /// A person lets it rest; it stays on the list and goes on where it was.
    Paused,
}

impl SourceState {
    /// The name in reports and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Gone => "gone",
            Self::Suspended => "suspended",
            Self::Private => "private",
            Self::AuthRequired => "auth_required",
            Self::Failed => "failed",
            Self::OptedOut => "opted_out",
            Self::Removed => "removed",
            Self::Paused => "paused",
        }
    }

    /// Whether it is visited at all, now or later by itself.
    pub fn is_watched(self) -> bool {
        !matches!(self, Self::Removed | Self::Paused)
    }

    /// All states, for reading them back.
    pub const ALL: [Self; 9] = [
        Self::Active,
        Self::Gone,
        Self::Suspended,
        Self::Private,
        Self::AuthRequired,
        Self::Failed,
        Self::OptedOut,
        Self::Removed,
        Self::Paused,
    ];
}

/// What a conditional request needs from the last answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    pub last_modified: Option<String>,
}

/// One thing worth visiting again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Its number; given by the store.
    pub id: SourceId,
    /// Where it lives.
    pub network: NetworkName,
    /// The endpoint of the definition through which it is read.
    pub endpoint: Arc<str>,
    /// The robot the endpoint belongs to.
    pub robot: RobotKind,
    /// Type of the root object: `account`, `post`, `tag`, `feed`, …
    pub root_kind: Arc<str>,
    /// Id of the root object; empty until the handle is resolved.
    pub root_id: String,
    /// The handle it was added by, where that is not the id.
    pub handle: Option<String>,
    /// Whether it is visited.
    pub state: SourceState,
    /// A person added it (0), or it was found so many steps away.
    pub depth: u16,
    /// History before this is not wanted.
    pub since: Option<Timestamp>,
    /// Posts older than this are dropped, where set.
    pub retention: Option<Span>,
    /// How much its news count ([`crate::Weight`]), 1 by default: a person's word, which no visit changes.
    pub weight: f32,
    /// When the next visit is due.
    pub due_at: Timestamp,
    /// When it was last visited with an answer.
    pub visited_at: Option<Timestamp>,
    /// Failed attempts in a row.
    pub attempts: u8,
    /// Text of the last failure, for `status`.
    pub failure: Option<String>,
    /// Which intervals are proven complete.
    #[serde(with = "crate::json_text")]
    pub coverage: Coverage,
    /// State of its change model; opaque here.
    #[serde(with = "serde_bytes")]
    pub model: Vec<u8>,
    /// For conditional requests.
    pub validators: Validators,
    /// What its publisher says about when to come.
    pub timetable: Timetable,
    /// What a probe showed of its root when its list was last read ([`crate::Pulse`]); `None` where none has.
    pub pulse: Option<String>,
    /// When its list was last read itself: a probe is a visit too, and shows no edits.
    pub read_at: Option<Timestamp>,
    /// A person wants it visited this often, whatever that is worth.
    pub pinned: Option<Span>,
    /// The epoch of its lease: who writes of it under a lower one is refused. Raised by whoever leases it; 0 before the first.
    pub epoch: u64,
    /// Whose credential alone it is read with, and who alone is shown what it brings ([`Viewer`]); `None`: everybody. It is
    /// said by where the source is stored.
    pub viewer: Option<Viewer>,
}

impl Source {
    /// A source that was never visited and is due at once.
    pub fn new(
        network: &NetworkName,
        endpoint: &str,
        robot: RobotKind,
        root_kind: &str,
        root_id: &str,
    ) -> Self {
        Self {
            id: SourceId(0),
            network: network.clone(),
            endpoint: endpoint.into(),
            robot,
            root_kind: root_kind.into(),
            root_id: root_id.to_owned(),
            handle: None,
            state: SourceState::Active,
            depth: 0,
            since: None,
            retention: None,
            weight: 1.0,
            due_at: Timestamp::MIN,
            visited_at: None,
            attempts: 0,
            failure: None,
            coverage: Coverage::default(),
            model: Vec::new(),
            validators: Validators::default(),
            timetable: Timetable::default(),
            pulse: None,
            read_at: None,
            pinned: None,
            epoch: 0,
            viewer: None,
        }
    }

    /// Whether it is a single page, which is compared with itself, and no list of posts.
    pub fn is_page(&self) -> bool {
        &*self.root_kind == PAGE && self.network.definition() == PAGE
    }

    /// What a person calls it: the handle where there is one, else the address of its root.
    pub fn label(&self) -> String {
        let read = match &self.viewer {
            Some(viewer) => format!("{}, as {viewer}", self.endpoint),
            None => self.endpoint.to_string(),
        };
        match &self.handle {
            Some(handle) => format!("{} {handle} ({read})", self.network),
            None => format!("{}/{}/{} ({read})", self.network, self.root_kind, self.root_id),
        }
    }

    /// The same, with the title of the list that it is before it.
    pub fn label_with(&self, title: Option<&str>) -> String {
        title.map_or_else(|| self.label(), |title| format!("{title} · {}", self.label()))
    }
}
