//! The roles of those who want something of a store: who subscribes, and what people ask about.
//!
//! Delivering is the engine's; here is only how far each subscriber has come.

use freshet_types::Timestamp;

use crate::api::interest::{Inquiry, InterestRow, Ranked};
use crate::api::{Interest, StoreError, Subscriptions};
use crate::postgres::{PostgresStore, failed, interest, notices, ranks, subscriptions};
use crate::subscription::{Kind, Notice, Standing, State, Subscription, SubscriptionRow};

impl Subscriptions for PostgresStore {
    fn subscriptions(&self) -> Result<Vec<SubscriptionRow>, StoreError> {
        subscriptions::all(&self.db).map_err(failed("read the subscriptions"))
    }

    fn add_subscription(&mut self, subscription: &Subscription, cursor: u64) -> Result<bool, StoreError> {
        self.write("add a subscription", |db| subscriptions::add(db, subscription, cursor))
    }

    fn set_subscription(&mut self, name: &str, state: State) -> Result<bool, StoreError> {
        self.write("set a subscription", |db| subscriptions::set_state(db, name, state))
    }

    fn move_subscription(&mut self, name: &str, cursor: u64) -> Result<bool, StoreError> {
        self.write("move a subscription", |db| subscriptions::move_to(db, name, cursor))
    }

    fn remove_subscription(&mut self, name: &str) -> Result<bool, StoreError> {
        self.write("remove a subscription", |db| subscriptions::remove(db, name))
    }

    fn note_standing(&mut self, name: &str, standing: &Standing) -> Result<bool, StoreError> {
        self.write("write down how far a subscriber is", |db| subscriptions::note(db, name, standing))
    }

    fn put_notice(&mut self, kind: Kind, record: &str, at: Timestamp) -> Result<bool, StoreError> {
        self.write("tell subscribers something", |db| notices::put(db, kind, record, at))
    }

    fn notices_above(&self, number: u64, limit: usize) -> Result<Vec<Notice>, StoreError> {
        notices::above(&self.db, number, limit).map_err(failed("read what subscribers are told"))
    }
}

impl Interest for PostgresStore {
    fn count_inquiries(&mut self, day: i64, inquiries: &[Inquiry]) -> Result<(), StoreError> {
        self.write("count what was asked", |db| interest::count(db, day, inquiries))
    }

    fn interest(&self, day: i64) -> Result<Vec<InterestRow>, StoreError> {
        interest::of(&self.db, day).map_err(failed("read what was asked about"))
    }

    fn set_ranks(&mut self, ranks: &[(u64, f64)]) -> Result<(), StoreError> {
        self.write("write who ranks high", |db| ranks::set(db, ranks))
    }

    fn ranked(&self) -> Result<Ranked, StoreError> {
        ranks::of(&self.db).map_err(failed("read who ranks high"))
    }
}
