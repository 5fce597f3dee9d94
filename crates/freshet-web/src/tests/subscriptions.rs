//! Subscriptions on the dashboard: what people see of them, and what they tell them.

use freshet_store::subscription::{Standing, Subscription, Way};
use freshet_store::testing;
use freshet_types::Timestamp;
use serde_json::json;

use super::{SCRIPT, Visitor, send};

/// A subscription that has lost something and failed, with a target that tries to break out.
fn add(served: &Visitor, name: &str, way: Way) {
    let mut store = testing::open(&served.folder.path().join("store.sqlite"));
    let subscription = Subscription { buffer_max: Some(1000), ..testing::subscription(name, way) };
    assert!(store.add_subscription(&subscription, 0).unwrap());
    let rows = store.subscriptions().unwrap();
    let standing = rows.into_iter().find(|row| row.subscription.name == name).unwrap().standing;
    let failure = Some((Timestamp::from_secs(2), format!("it said {SCRIPT}")));
    let standing = Standing { delivered_count: 5, dropped_count: 37, failed_count: 2, failure, ..standing };
    assert!(store.note_standing(name, &standing).unwrap());
}

#[tokio::test]
async fn subscriptions_are_shown_and_told() {
    let served = Visitor::start(None, None).await;
    assert!(served.text("/subscriptions", 200).await.contains("Nobody is told"));
    add(
        &served,
        "shop",
        Way::Webhook { url: format!("https://a.example/{SCRIPT}"), allow_private: false, secret: None },
    );
    let page = served.text("/subscriptions", 200).await;
    assert!(page.contains("shop") && page.contains(">37<") && page.contains("pause shop"), "{page}");
    assert!(!page.contains(SCRIPT), "{page}");
    let metrics = served.text("/metrics", 200).await;
    for line in [
        "freshet_deliver_dropped_total{subscription=\"shop\"} 37",
        "freshet_deliver_records_total{subscription=\"shop\"} 5",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    for (path, status, state) in [
        ("/api/v1/subscriptions/shop/pause", 200, json!("paused")),
        ("/api/v1/subscriptions/shop/resume", 200, json!("running")),
        ("/api/v1/subscriptions/shop/dance", 404, json!(null)),
        ("/api/v1/subscriptions/nobody/pause", 400, json!(null)),
        ("/api/v1/subscriptions/shop/remove", 200, json!(null)),
    ] {
        let (answered, body) = send(&served, path, json!({})).await;
        assert_eq!((answered, &body["subscriptions"][0]["state"]), (status, &state), "{path}: {body}");
    }
    assert!(served.text("/subscriptions", 200).await.contains("Nobody is told"));
}
