//! What people ask the dashboard and the API about, counted after they were answered: never before the answer, never instead
//! of it.
//!
//! An inquiry waits in memory, at most [`WAITING_MAX`] of them, until the site's writing connection has counted it a moment
//! later, with all that came meanwhile. What cannot be counted is dropped: an answer is worth more than its count. Only numbers of posts,
//! accounts and sources are kept for that moment, and nothing of what was typed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshet_engine::importance::day_of;
use freshet_store::api::interest::Inquiry;

use super::Shared;
use super::viewer::seen_as;

/// Inquiries that wait to be counted; a person makes one in some seconds, a program perhaps hundreds.
const WAITING_MAX: usize = 1_000;
/// How long they wait: what is asked in one go is one transaction.
const WAIT: Duration = Duration::from_secs(1);

/// Inquiries that wait to be counted.
#[derive(Debug, Default)]
pub(super) struct Inquiries(Mutex<Vec<Inquiry>>);

/// Somebody asked, and was shown these.
pub(super) fn note(site: &Shared, inquiry: Inquiry) {
    // What a viewer asks about is counted nowhere: weights are for everybody to see.
    if seen_as().is_some() || !site.inquiries.push(inquiry) {
        return;
    }
    let site = Arc::clone(site);
    tokio::spawn(async move {
        tokio::time::sleep(WAIT).await;
        let inquiries = site.inquiries.drain();
        let counted = site
            .write(move |site, data| Ok(data.store.count_inquiries(day_of(site.now()), &inquiries)?))
            .await;
        if let Err(problem) = counted {
            tracing::debug!("what was asked is not counted: {}", problem.message);
        }
    });
}

impl Inquiries {
    /// Lets one wait; gives whether it is the first, so that somebody must come for it.
    fn push(&self, inquiry: Inquiry) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < WAITING_MAX && inquiry != Inquiry::default() {
            waiting.push(inquiry);
            return waiting.len() == 1;
        }
        false
    }

    fn drain(&self) -> Vec<Inquiry> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_wait_and_one_comes_for_all() {
        let inquiries = Inquiries::default();
        let one = |post| Inquiry { posts: vec![post], ..Inquiry::default() };
        assert!(!inquiries.push(Inquiry::default()), "nothing was shown");
        let firsts = (0..2 * WAITING_MAX as u64).filter(|&post| inquiries.push(one(post))).count();
        assert_eq!((firsts, inquiries.drain().len()), (1, WAITING_MAX));
        assert!(inquiries.push(one(1)), "the next one is the first again");
    }
}
