//! Learning a forum anew while it is crawled: who may ask for pages, how often it is tried, and what came of it.
//!
//! When nothing of a forum's pages can be read any more (`core/unread.rs`), its server is left alone and somebody outside
//! the engine may learn its layout anew: the engine knows no forum, only that one is unreadable. Whoever learns gets an
//! [`Errand`], and through it a grant for each page: politeness, storms and quotas are those of every visit, and while the
//! errand lasts no visit asks. One errand a forum in [`RELEARN_EVERY`], whatever comes of it; what came of the last one is
//! noted in the store, so that a new process keeps to that too.
//!
//! What it does not do: fetch, learn or judge.

use freshet_store::setting::{Setting, SettingValue};
use freshet_types::{Map, NetworkName, Request, Span, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

/// Setting under which the store remembers what came of learning anew.
pub(crate) const RELEARN: Setting<Notes> = Setting::new("relearnt");
/// From one try to the next, by the clock of the crawl: a site that is being rebuilt looks different every hour.
pub(crate) const RELEARN_EVERY: Span = Span::from_secs(6 * 3600);

/// What came of learning a forum anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When it began.
    pub at: Timestamp,
    /// The forum is read by what was learned then.
    pub is_accepted: bool,
    /// What was found, or why it was not accepted.
    pub what: String,
}

/// What came of it, by network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(pub Map<NetworkName, Note>);

impl SettingValue for Notes {
    fn to_stored(&self) -> String {
        self.to_text()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        Ok(Self::from_text(text))
    }
}

impl Notes {
    /// As an earlier process left them; none where that cannot be read.
    pub fn from_text(text: &str) -> Self {
        let notes: Vec<(NetworkName, Note)> = serde_json::from_str(text).unwrap_or_default();
        Self(notes.into_iter().collect())
    }

    /// For the store, in order of name.
    pub fn to_text(&self) -> String {
        let mut notes: Vec<(&NetworkName, &Note)> = self.0.iter().collect();
        notes.sort_by_key(|(network, _)| *network);
        serde_json::to_string(&notes).expect("notes are plain data")
    }
}

/// What whoever learns wants of the run.
#[derive(Debug)]
pub enum Ask {
    /// May this request leave? Answered when it may.
    Grant(Box<Request>, oneshot::Sender<()>),
    /// The errand has ended: what was found, or why nothing came of it.
    Ended(NetworkName, Result<String, String>),
}

/// Learn this forum anew. Dropping it ends it without success.
#[derive(Debug)]
pub struct Errand {
    network: NetworkName,
    asks: mpsc::UnboundedSender<Ask>,
    is_told: bool,
}

impl Errand {
    /// To learn this network anew.
    pub fn new(network: NetworkName, asks: mpsc::UnboundedSender<Ask>) -> Self {
        Self { network, asks, is_told: false }
    }

    /// Which network.
    pub fn network(&self) -> &NetworkName {
        &self.network
    }

    /// Waits until this request may leave; false when the run has ended.
    pub async fn may_ask(&self, request: &Request) -> bool {
        let (reply, granted) = oneshot::channel();
        self.asks.send(Ask::Grant(Box::new(request.clone()), reply)).is_ok() && granted.await.is_ok()
    }

    /// Tells what came of it.
    pub fn end(mut self, outcome: Result<String, String>) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: Result<String, String>) {
        if !std::mem::replace(&mut self.is_told, true) {
            // Nobody listening means that the run has ended.
            let _ = self.asks.send(Ask::Ended(self.network.clone(), outcome));
        }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        self.tell(Err("learning anew was broken off".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_as_they_were() {
        let mut notes = Notes::default();
        let note = Note { at: Timestamp::from_secs(7), is_accepted: true, what: "60 pages".to_owned() };
        notes.0.insert(NetworkName::from("forum-f.example"), note);
        assert_eq!(Notes::from_text(&notes.to_text()), notes);
        assert_eq!(Notes::from_text("no notes"), Notes::default());
    }

    #[test]
    fn an_errand_that_is_dropped_ends_without_success() {
        let (asks, mut received) = mpsc::unbounded_channel();
        drop(Errand::new("forum-f.example".into(), asks.clone()));
        assert!(matches!(received.try_recv(), Ok(Ask::Ended(_, Err(_)))));
        Errand::new("forum-f.example".into(), asks).end(Ok("60 pages".to_owned()));
        assert!(matches!(received.try_recv(), Ok(Ask::Ended(_, Ok(_)))));
        assert!(received.try_recv().is_err(), "it is told once");
    }
}
