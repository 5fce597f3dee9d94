//! Role: who gets changes, and how far each has got.
//!
//! A person's word wins: adding and moving one begins a generation, and what a run tells of another one
//! ([`Subscriptions::note_standing`]) changes nothing. So a replay is never undone by a batch that was under way.

use freshet_types::Timestamp;

use super::StoreError;
use crate::subscription::{Kind, Notice, Standing, State, Subscription, SubscriptionRow};

/// Subscriptions, as rows.
pub trait Subscriptions {
    /// All of them, in order of name.
    fn subscriptions(&self) -> Result<Vec<SubscriptionRow>, StoreError>;
    /// Adds one that has taken everything up to this change; gives whether the name was free.
    fn add_subscription(&mut self, subscription: &Subscription, cursor: u64) -> Result<bool, StoreError>;
    /// Lets it run, pauses it; gives whether there is one. One that had ended begins anew.
    fn set_subscription(&mut self, name: &str, state: State) -> Result<bool, StoreError>;
    /// Moves it to this change: whatever comes after it is delivered again. Gives whether there is one.
    fn move_subscription(&mut self, name: &str, cursor: u64) -> Result<bool, StoreError>;
    /// Removes it with its cursor; gives whether there was one.
    fn remove_subscription(&mut self, name: &str) -> Result<bool, StoreError>;
    /// Writes down how far it has got; gives whether it is still of this generation, or nothing was written.
    fn note_standing(&mut self, name: &str, standing: &Standing) -> Result<bool, StoreError>;
    /// Lets those subscribers be told who want to hear of this kind; gives whether there are any. It is kept until all of them
    /// have taken it, and a month at most.
    fn put_notice(&mut self, kind: Kind, record: &str, at: Timestamp) -> Result<bool, StoreError>;
    /// Notices above this number of the log, in order.
    fn notices_above(&self, number: u64, limit: usize) -> Result<Vec<Notice>, StoreError>;
}
