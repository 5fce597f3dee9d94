//! Behaviours of subscriptions: rows that come back whole, and a person's word that wins.

use super::kit::{Must, at};
use crate::api::Store;
use crate::subscription::{Filter, Kind, Standing, State, Subscription, Way};
use crate::testing::subscription;

fn made(name: &str) -> Subscription {
    Subscription { added_at: at(7), ..subscription(name, Way::File("/tmp/new.jsonl".into())) }
}

fn standing(store: &dyn Store, name: &str) -> Option<Standing> {
    let all = store.subscriptions().must();
    all.into_iter().find(|row| row.subscription.name == name).map(|row| row.standing)
}

fn generation(store: &dyn Store, name: &str) -> u64 {
    standing(store, name).expect("it is there").generation
}

pub(super) fn subscriptions_come_back_whole(store: &mut dyn Store) {
    let filters = vec![Filter { type_name: "post".into(), text: "post.likes > 1".into() }];
    let ways = [
        Way::File("/a b/ü".into()),
        Way::Stdout,
        Way::Command(vec!["sh".into(), "-c".into(), "cat".into()]),
        Way::Webhook { url: "https://a.example/".into(), allow_private: true, secret: Some("s".into()) },
        Way::Websocket,
        Way::Nats {
            url: "nats://127.0.0.1:4222".into(),
            subject: "a.b".into(),
            stream: Some("A".into()),
            login: None,
        },
    ];
    for (way, place) in ways.into_iter().zip(0..) {
        let name = format!("s{place}");
        let (kinds, filters) = (Kind::ALL.to_vec(), filters.clone());
        let it =
            Subscription { kinds, way, filters, buffer_max: Some(9), state: State::Paused, ..made(&name) };
        assert!(store.add_subscription(&it, place).must());
        assert!(!store.add_subscription(&made(&name), 99).must(), "a name is taken once");
        let row = store.subscriptions().must().pop().expect("it was added");
        assert_eq!(row.subscription, it, "in order of name, the newest is the last");
        let generation = row.standing.generation;
        assert_eq!(row.standing, Standing { generation, cursor: place, ..Standing::default() });
    }
}

pub(super) fn how_far_a_subscriber_is_stays(store: &mut dyn Store) {
    assert!(store.add_subscription(&made("a"), 3).must());
    let noted = Standing {
        generation: generation(store, "a"),
        cursor: 12,
        delivered_count: 5,
        dropped_count: 4,
        untold_count: 2,
        lost_count: 3,
        failed_count: 1,
        failure: Some((at(9), "no answer".into())),
        is_ended: false,
    };
    assert!(store.note_standing("a", &noted).must());
    assert_eq!(standing(store, "a"), Some(noted.clone()));
    assert_eq!(store.cursor("deliver:a").must(), 12, "cursors stand among all others");
    assert!(store.note_standing("a", &Standing { is_ended: true, ..noted }).must());
    assert_eq!(store.subscriptions().must()[0].subscription.state, State::Ended);
    assert!(!store.note_standing("b", &Standing::default()).must(), "there is no `b`");
}

pub(super) fn a_persons_word_is_not_undone_by_a_run(store: &mut dyn Store) {
    assert!(store.add_subscription(&made("a"), 3).must());
    let first = generation(store, "a");
    let late = Standing { generation: first, cursor: 50, delivered_count: 50, ..Standing::default() };
    assert!(store.move_subscription("a", 0).must());
    assert!(!store.note_standing("a", &late).must(), "it was moved since");
    assert_eq!(standing(store, "a").expect("it is there").cursor, 0);
    let current = Standing { generation: generation(store, "a"), ..late };
    assert!(store.set_subscription("a", State::Paused).must());
    assert!(store.note_standing("a", &current).must(), "what was under way before a pause has arrived");
    assert_eq!(store.subscriptions().must()[0].subscription.state, State::Paused);
    assert!(store.remove_subscription("a").must() && store.add_subscription(&made("a"), 3).must());
    assert!(!store.note_standing("a", &current).must(), "it is another one of the same name");
    assert!(!store.move_subscription("b", 0).must() && !store.set_subscription("b", State::Running).must());
}

pub(super) fn a_removed_subscription_leaves_no_cursor(store: &mut dyn Store) {
    assert!(store.add_subscription(&made("a"), 3).must());
    assert!(store.remove_subscription("a").must() && !store.remove_subscription("a").must());
    assert_eq!((store.subscriptions().must(), store.cursor("deliver:a").must()), (Vec::new(), 0));
}
