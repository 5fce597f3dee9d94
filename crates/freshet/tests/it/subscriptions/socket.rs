//! A subscription over a WebSocket of a real run: a reader that dies again and again before it has said that it has a batch.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::{LIMIT, ids, line_of, watch_all};
use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

const TOKEN: &str = "token-of-this-test";

/// A reader of the subscription `live`, or the status of the refusal.
async fn connect(base: &str) -> Result<WebSocketStream<Upgraded>, u16> {
    let url = format!("{base}/api/v1/subscriptions/live/socket");
    // An error means that another test of this process has done it.
    drop(rustls::crypto::ring::default_provider().install_default());
    let asked = reqwest::Client::new().get(url).bearer_auth(TOKEN);
    let asked = asked.header("connection", "Upgrade").header("upgrade", "websocket");
    let asked =
        asked.header("sec-websocket-version", "13").header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA==");
    let answered = asked.send().await.map_err(|_| 0_u16)?;
    if answered.status() != 101 {
        return Err(answered.status().as_u16());
    }
    let upgraded = answered.upgrade().await.map_err(|_| 0_u16)?;
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, None).await)
}

/// The next batch; `None` when the connection has ended or nothing comes.
async fn batch(wire: &mut WebSocketStream<Upgraded>) -> Option<Value> {
    loop {
        match tokio::time::timeout(Duration::from_secs(5), wire.next()).await.ok()?? {
            Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
            Ok(Message::Ping(_)) => {}
            _ => return None,
        }
    }
}

#[test]
fn a_reader_over_a_websocket_loses_nothing_by_dying() {
    let world = World::start(6);
    let freshet = Freshet::new()
        .with_clock(format!("{}/clock", world.base))
        .with_variable("FRESHET_DASHBOARD_TOKEN", TOKEN);
    freshet.ok(&["init"]);
    watch_all(&freshet, &world);
    freshet.ok(&["subscriptions", "add", "live", "--websocket", "--from", "beginning"]);
    let refused = freshet.say(&["subscriptions", "test", "live"]);
    assert!(refused.code == 2 && refused.err.contains("/api/v1/subscriptions/live/socket"), "{refused:?}");
    let run = freshet.start(&["run", "--headless", "--ceiling", "10m", "--listen", "127.0.0.1:0"], "run.log");
    let base = until("the dashboard says where it is", LIMIT, || {
        let said = std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
        let line = said.lines().find_map(|line| line.strip_prefix("dashboard: ")).map(str::to_owned);
        line.map(|url| url.trim_end_matches('/').to_owned())
    });
    until("posts are stored", LIMIT, || (freshet.posts().len() > 20).then_some(()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut got: BTreeSet<String> = BTreeSet::new();
    runtime.block_on(async {
        // Every other connection dies with a batch in its hands.
        for turn in 0..40 {
            let Ok(mut wire) = connect(&base).await else { continue };
            while let Some(batch) = batch(&mut wire).await {
                if turn % 2 == 0 {
                    break;
                }
                got.extend(ids(batch["records"].as_array().unwrap()));
                let word = format!("{{\"ack\":{}}}", batch["cursor"]);
                wire.send(Message::text(word)).await.unwrap();
            }
            let stored: BTreeSet<String> =
                freshet.posts().iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect();
            if turn % 2 == 1 && stored.is_subset(&got) {
                break;
            }
        }
    });
    let line = line_of(&freshet, "live");
    assert!(line["delivered_count"].as_u64() >= Some(got.len() as u64), "{line}");
    assert_eq!(line["dropped_count"], 0);
    let stored: BTreeSet<String> =
        freshet.posts().iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect();
    let missing = stored.difference(&got).count();
    assert!(missing <= stored.len() / 10 && got.len() > 20, "{missing} of {} are missing", stored.len());
    drop(run);
}
