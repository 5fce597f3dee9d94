//! Behaviours of notices: written for whoever wants them, in one order with the log, and gone when nobody waits.

use freshet_types::Span;

use super::kit::{Must, apply, at, post, posts};
use crate::api::Store;
use crate::subscription::{Kind, Notice, Standing, Subscription, Way};
use crate::testing::subscription;

const ALICE: &str = "mastodon:a.example/account/a";

fn subscribe(store: &mut dyn Store, name: &str, kinds: &[Kind]) {
    let it = Subscription { kinds: kinds.to_vec(), added_at: at(7), ..subscription(name, Way::Stdout) };
    let newest = store.last_number().must();
    assert!(store.add_subscription(&it, newest).must());
}

/// This subscription has taken everything.
fn acknowledge(store: &mut dyn Store, name: &str) {
    let cursor = store.last_number().must();
    let rows = store.subscriptions().must();
    let row = rows.into_iter().find(|row| row.subscription.name == name).expect("it is there");
    assert!(store.note_standing(name, &Standing { cursor, ..row.standing }).must());
}

fn notices(store: &dyn Store) -> Vec<Notice> {
    store.notices_above(0, 100).must()
}

pub(super) fn who_is_forgotten_is_told_to_whoever_wants_to_hear(store: &mut dyn Store) {
    apply(store, posts(40, [post("1", "a", 11, "x"), post("2", "b", 12, "y")]));
    assert!(store.mark_forgotten(ALICE, at(50)).must().is_new);
    assert_eq!(notices(store), [], "nobody wants to hear of it, so no name is kept");
    subscribe(store, "posts", &[Kind::Posts]);
    store.mark_forgotten("mastodon:a.example/account/b", at(50)).must();
    assert_eq!(notices(store), []);
    subscribe(store, "care", &[Kind::Posts, Kind::Forgettings]);
    let before = store.last_number().must();
    let bob = "mastodon:a.example/account/c";
    store.mark_forgotten(bob, at(60)).must();
    let told = notices(store);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].number > before && told[0].number == store.last_number().must(), "{told:?}");
    assert_eq!((told[0].kind, told[0].at), (Kind::Forgettings, at(60)));
    assert!(told[0].record.contains(bob), "{told:?}");
    assert!(!store.mark_forgotten(bob, at(61)).must().is_new);
    assert_eq!(notices(store).len(), 1, "it was told already");
}

pub(super) fn a_notice_goes_when_all_have_taken_it(store: &mut dyn Store) {
    for name in ["a", "b"] {
        subscribe(store, name, &[Kind::Forgettings]);
    }
    subscribe(store, "alerts", &[Kind::Alerts]);
    store.mark_forgotten(ALICE, at(50)).must();
    assert!(store.put_notice(Kind::Alerts, "{}", at(51)).must());
    assert_eq!(notices(store).len(), 2);
    acknowledge(store, "a");
    assert_eq!(notices(store).len(), 2, "`b` has not taken it");
    acknowledge(store, "b");
    let left: Vec<Kind> = notices(store).into_iter().map(|notice| notice.kind).collect();
    assert_eq!(left, [Kind::Alerts], "kinds are waited for apart");
    assert!(store.remove_subscription("alerts").must());
    assert_eq!(notices(store), []);
    assert!(!store.put_notice(Kind::Alerts, "{}", at(52)).must(), "nobody wants it");
}

pub(super) fn nobody_is_waited_for_beyond_a_month_or_their_end(store: &mut dyn Store) {
    subscribe(store, "away", &[Kind::Forgettings]);
    store.mark_forgotten(ALICE, at(50)).must();
    store.expire(at(50) + Span::DAY * 29.0).must();
    assert_eq!(notices(store).len(), 1);
    store.expire(at(50) + Span::DAY * 31.0).must();
    assert_eq!(notices(store), []);
    store.mark_forgotten("mastodon:a.example/account/c", at(60)).must();
    let row = store.subscriptions().must().remove(0);
    assert!(store.note_standing("away", &Standing { is_ended: true, ..row.standing }).must());
    assert_eq!(notices(store), [], "its receiver wants nothing any more");
}
