//! Pages of news that are asked for again and again: streams without a connection.
//!
//! A page such as "what changed in the last minutes" tells of many sources with one call, of those who are watched and of many who are
//! not. It proves nothing, since it forgets: it makes sources due, and their visits prove. What it is worth is known only by asking, so its
//! price is found as a wait is: an answer that is about nobody who is watched doubles the time until the next one, up to
//! [`GAP_MAX`]; one that is halves it, down to what the definition allows. Where the calls that it
//! takes are scarce it keeps to a share of them, like whatever else no policy times (`core/shares.rs`).
//!
//! A page shows the same root for minutes. Who stood on the last page already is not due again for it; a change on top of a change is
//! found by the visit, or by the policy.

use freshet_types::{QuotaKey, Set, Span, Timestamp};

use super::super::Core;
use super::{Name, Stage};
use crate::quota::Claim;

/// Longest time between two answers that are about nobody.
const GAP_MAX: Span = Span::from_secs(1800);

/// What is known of a page that is asked for again and again.
#[derive(Debug, Default)]
pub(super) struct Poll {
    /// The time until it is asked for again.
    gap: Span,
    /// The quotas that its request takes from.
    pub(super) paid: Vec<QuotaKey>,
    /// Roots that the last answer named.
    named: Set<String>,
    /// Answered since then, without a failure.
    pub(super) since: Option<Timestamp>,
}

impl Poll {
    /// Its request takes this from quotas.
    pub(super) fn note_claim(&mut self, claim: &Claim) {
        self.paid = claim.all_needs().map(|need| need.key.clone()).collect();
    }

    /// An answer was about somebody who is watched, or not.
    pub(super) fn judge(&mut self, is_news: bool) {
        self.gap = if is_news { self.gap * 0.5 } else { (self.gap * 2.0).min(GAP_MAX) };
    }

    /// Leaves of the roots that an answer names those that the one before did not.
    pub(super) fn keep_new(&mut self, roots: &mut Vec<String>) {
        let named: Set<String> = roots.iter().cloned().collect();
        roots.retain(|root| !self.named.contains(root));
        self.named = named;
    }
}

impl Core {
    /// A page was answered, and nothing more comes of this request; gives whether this was a page.
    pub(super) fn note_answered(&mut self, name: &Name, now: Timestamp) -> bool {
        let Some(stream) = self.streams.all.get_mut(name) else { return false };
        let (Some(every), Stage::Connected { .. }) = (stream.info.every, &stream.stage) else { return false };
        let share = self.prices.poll_gap(name.0, &stream.poll.paid, now);
        stream.poll.gap = stream.poll.gap.max(every);
        stream.poll.since = stream.poll.since.or(Some(now));
        stream.retry_at = now + stream.poll.gap.max(share.unwrap_or(Span::ZERO));
        (stream.stage, stream.failure_count) = (Stage::Idle, 0);
        true
    }
}
