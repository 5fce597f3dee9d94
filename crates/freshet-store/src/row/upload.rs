//! What a page brings to the store.
//!
//! One [`Upload`] is one transaction: whatever a page taught has to be in it, or it is lost with the process that read it.
//! What it asks to be left out stands in `withheld`, what came of it in `applied`. Nothing here reads or writes a store.

use std::sync::Arc;

use freshet_types::{
    Address, Complaint, End, NetworkName, Observation, RobotKind, Source, SourceId, Timestamp, Viewer,
    VisitId, VisitSummary,
};
use serde::{Deserialize, Serialize};

use super::list::ListPage;
use super::stream::StreamMark;
use super::withheld::{Parked, Withheld};

/// What one page, or the end of one visit, brings to the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upload {
    pub visit: VisitId,
    /// The epoch under which its source was leased; 0 where it comes of no lease, and is never refused.
    pub epoch: u64,
    /// The robot whose visit it is; it goes into the change log as the finder.
    pub robot: Option<RobotKind>,
    /// The network its ids belong to.
    pub network: NetworkName,
    /// When the page was received.
    pub seen_at: Timestamp,
    /// Steps from what a person added; what is found here is one further away.
    pub depth: u16,
    /// What it showed.
    pub observation: Observation,
    /// The answer as received, to be kept compressed, where raw payloads are wanted.
    #[serde(with = "serde_bytes")]
    pub raw: Option<Vec<u8>>,
    /// The whole new state of the source; written in the same transaction.
    pub source: Option<Source>,
    /// The source that brought this, where it is not written with it.
    pub brought_by: Option<SourceId>,
    /// The source had opted out when the visit began: only such a visit may end that.
    pub was_opted_out: bool,
    /// The page lists every post of `author` created between these instants (both included):
    /// stored ones that it lacks are reported as missing.
    pub lists: Option<Listing>,
    /// Posts that were asked about one by one, whatever the answer.
    pub checked: Vec<String>,
    /// Objects of which the network itself said that they are gone.
    pub deleted: Vec<(String, String)>,
    /// The account of this id was found suspended, private, moved or gone.
    pub invalid: Option<(String, String)>,
    /// All relations of this account in this direction were seen since this instant:
    /// older ones were cancelled.
    pub relations_swept: Option<RelationSweep>,
    /// All members of this collection were seen since this instant: older ones were cancelled. The collections of the tag robot are
    /// the tags of an account.
    pub links_swept: Option<LinkSweep>,
    /// Accounts that ask not to be collected: their sources rest from now on, and their posts are
    /// redacted where those of this network are when they are deleted.
    pub opted_out: Vec<String>,
    /// What of the observation the constraints keep out.
    pub withheld: Withheld,
    /// What of it lies outside a focus that is all that is collected: rows without content stay of it. Judged where it is stored, so this
    /// does not travel.
    #[serde(skip)]
    pub outside: Withheld,
    /// Objects that a constraint cannot judge yet; they wait from now on.
    pub parked: Vec<Parked>,
    /// Addresses of objects that wait no longer.
    pub unparked: Vec<String>,
    /// The page of a list that this is, where its source is one.
    pub page: Option<ListPage>,
    /// The visit ended with this.
    pub summary: Option<VisitSummary>,
    /// What could not be used of its answers.
    pub complaints: Vec<Complaint>,
    /// Objects of other networks that its links lead to and that a definition can read: they become stubs.
    pub followed: Vec<Address>,
    /// The stream that brought it, and how far it has come.
    pub stream: Option<StreamMark>,
    /// Who alone may be shown it: it goes into the store of that viewer, and into no other.
    pub viewer: Option<Viewer>,
}

impl Upload {
    /// An upload that says nothing yet.
    pub fn new(visit: VisitId, network: NetworkName, seen_at: Timestamp) -> Self {
        Self {
            visit,
            epoch: 0,
            robot: None,
            network,
            seen_at,
            depth: 0,
            observation: Observation::default(),
            raw: None,
            source: None,
            brought_by: None,
            was_opted_out: false,
            lists: None,
            checked: Vec::new(),
            deleted: Vec::new(),
            invalid: None,
            relations_swept: None,
            links_swept: None,
            opted_out: Vec::new(),
            withheld: Withheld::default(),
            outside: Withheld::default(),
            parked: Vec::new(),
            unparked: Vec::new(),
            page: None,
            summary: None,
            complaints: Vec::new(),
            followed: Vec::new(),
            stream: None,
            viewer: None,
        }
    }
}

/// A stretch of one author's list that a page shows completely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Id of the author's account.
    pub author: String,
    /// From this instant.
    pub from: Timestamp,
    /// To this one.
    pub to: Timestamp,
}

/// A relation list that was read from its first to its last page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationSweep {
    /// Id of the account whose list it is.
    pub account: String,
    /// The list names whom it follows (`true`) or who follows it (`false`).
    pub is_following: bool,
    /// When its first page was asked for.
    pub began_at: Timestamp,
}

/// A collection that was read from its first to its last page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSweep {
    /// Whose collection it is.
    pub from: End,
    /// Its association name.
    pub name: Arc<str>,
    /// When its first page was asked for.
    pub began_at: Timestamp,
}
