//! What is kept of whom, and who still has to hear of what is not: the rows of [`Keeping`](crate::api::Keeping).

use freshet_types::{Address, NetworkName, RobotKind, SourceId, SourceState, Span, Timestamp};

/// Something that was taken out of a store, as an export names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A post, an account or a thing, with the id of its author where it has one.
    Object {
        address: Address,
        author: Option<String>,
    },
    /// That one account follows another.
    Relation {
        network: NetworkName,
        source: String,
        target: String,
    },
    Link {
        from: Address,
        name: String,
        to: Address,
    },
    /// A line of the change log, with the object that it is about.
    Change {
        number: u64,
        address: Address,
    },
    Source(SourceId),
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is stored, and nothing is to be said of it.
    Kept,
    /// It is stored and marked as deleted on its network.
    Deleted(Timestamp),
    /// Its content was erased; what is left is its id, its author and its times.
    Redacted(Option<Timestamp>),
    /// It is an account that asks not to be collected.
    OptedOut,
    /// Nobody may have it: somebody asked to forget it.
    Forgotten,
    /// It is not stored any more: its time was over, or it went with something else.
    Gone,
}

/// Why something was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasureKind {
    /// A person asked to forget it.
    Forgotten,
    /// It was older than a retention allows.
    Expired,
    /// Its network deleted it, or its author asks not to be collected.
    Redacted,
}

impl ErasureKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Forgotten, Self::Expired, Self::Redacted];

    /// As it is stored and told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Expired => "expired",
            Self::Redacted => "redacted",
        }
    }
}

/// That something was erased, in counts that name nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// Its number; 0 before it has one.
    pub number: u64,
    pub kind: ErasureKind,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub posts: u64,
    /// Accounts, relations, links and things.
    pub others: u64,
    /// The SHA-256 of the receipt that was given.
    pub receipt: Option<String>,
}

/// An export or a snapshot that was made from this store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRow {
    /// Its folder, absolute.
    pub path: String,
    pub is_snapshot: bool,
    pub made_at: Timestamp,
    /// The newest number that is in it.
    pub up_to: u64,
    /// What was erased before is not in it.
    pub heard_at: Timestamp,
}

/// How long something is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionRow {
    pub network: NetworkName,
    pub span: Span,
    /// How many sources have it; `None` for the rule of the whole network.
    pub sources: Option<u64>,
}

/// Why an account is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptReason {
    /// A person watches it.
    Watched,
    /// A robot found it and visits it.
    Robot,
    /// It is visited no more; what was collected stays.
    Removed,
    /// Posts of it stand on pages of others: reposts, replies, lists.
    Shown,
    /// It is named only: somebody follows it, or is followed by it.
    Named,
}

impl KeptReason {
    /// All of them, each at the place of its number in answers of a backend.
    pub const ALL: [Self; 5] = [Self::Watched, Self::Robot, Self::Removed, Self::Shown, Self::Named];

    /// As it is told to programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Watched => "watched",
            Self::Robot => "robot",
            Self::Removed => "removed",
            Self::Shown => "shown",
            Self::Named => "named",
        }
    }
}

/// Accounts of one network that are known for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRow {
    pub network: NetworkName,
    pub reason: KeptReason,
    pub accounts: u64,
    pub posts: u64,
    /// Of the accounts, those that ask not to be collected.
    pub opted_out: u64,
}

/// What is kept, in sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSums {
    /// In order of network and reason.
    pub rows: Vec<KeptRow>,
    /// Wishes to forget that are obeyed.
    pub forgotten: u64,
    /// Some of what is to be forgotten is not erased yet.
    pub is_erasing: bool,
}

/// A source that watches an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSource {
    pub id: SourceId,
    pub robot: RobotKind,
    pub state: SourceState,
    /// 0: a person added it; else so many steps from what a person added.
    pub depth: u16,
    pub retention: Option<Span>,
    pub visited_at: Option<Timestamp>,
}

/// Posts of an account that one source brought first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPosts {
    /// `None` where that is not known any more.
    pub source: Option<SourceId>,
    /// What that source watches, where it is still there: its handle or id.
    pub label: Option<String>,
    pub posts: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

/// Everything that is kept of one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptOf {
    /// It was asked to forget it.
    pub is_forgotten: bool,
    pub sources: Vec<KeptSource>,
    pub posts: Vec<KeptPosts>,
    pub deleted_posts: u64,
    /// Texts of its posts from before they were edited.
    pub earlier_texts: u64,
    /// Whom it follows.
    pub following: u64,
    /// Who follows it.
    pub followers: u64,
    pub tags: u64,
    pub links: u64,
    /// Raw answers that show it or its posts.
    pub payloads: u64,
}
