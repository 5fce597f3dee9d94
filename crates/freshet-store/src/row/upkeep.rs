//! What a person is told of the whole store: counts, complaints, what was erased, what is wrong with it.
//!
//! Sums and samples only: nothing here leads a crawl, and no row of an object is in it.

use freshet_types::{Complaint, NetworkName, SourceId, SourceState, Timestamp};

/// The numbers of `freshet status` that the store knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Posts, deleted ones included.
    pub posts: u64,
    /// Posts marked as deleted.
    pub deleted: u64,
    pub accounts: u64,
    pub relations: u64,
    /// Objects that are neither posts, accounts nor lists.
    pub things: u64,
    /// Links that no row of an object tells, those that ended included.
    pub links: u64,
    /// Lines of the change log.
    pub changes: u64,
    pub visits: u64,
    /// Objects waiting for a property that a constraint needs.
    pub parked: u64,
    /// Sources by state.
    pub sources: Vec<(SourceState, u64)>,
}

/// Complaints of one kind about one endpoint of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintRow {
    pub network: NetworkName,
    /// The endpoint of the source; empty where nobody knows it any more.
    pub endpoint: String,
    /// What is wrong, without what differs from case to case.
    pub what: String,
    pub count: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// Some of them, the newest first.
    pub samples: Vec<ComplaintSample>,
}

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintSample {
    /// The source whose answer it is about.
    pub source: Option<SourceId>,
    pub seen_at: Timestamp,
    pub complaint: Complaint,
}

/// What `forget` erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    pub accounts: u64,
    pub posts: u64,
    pub relations: u64,
    pub things: u64,
    pub links: u64,
    /// Tags of accounts.
    pub tags: u64,
    pub sources: u64,
    pub visits: u64,
    /// Lines of the change log.
    pub changes: u64,
    pub payloads: u64,
    /// Objects that waited for a property.
    pub parked: u64,
}

impl std::ops::AddAssign for Erased {
    fn add_assign(&mut self, more: Self) {
        self.accounts += more.accounts;
        self.posts += more.posts;
        self.relations += more.relations;
        self.things += more.things;
        self.links += more.links;
        self.tags += more.tags;
        self.sources += more.sources;
        self.visits += more.visits;
        self.changes += more.changes;
        self.payloads += more.payloads;
        self.parked += more.parked;
    }
}

/// What marking something as forgotten did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgetting {
    /// It was not on the list of the forgotten before.
    pub is_new: bool,
    /// What went at once: the sources, and what was parked.
    pub erased: Erased,
    /// Posts that are left to erase, as far as they can be counted quickly.
    pub posts_left: u64,
}

/// Who and what a store keeps out, as keyed hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgottenList {
    /// The key; `None` where nobody was ever forgotten.
    pub key: Option<String>,
    /// Subject, class and hash of each.
    pub hashes: Vec<(i64, u8, i64)>,
}

/// Something that is wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: a table, a kind of row.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}
