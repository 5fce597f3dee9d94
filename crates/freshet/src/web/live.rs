//! Live values: an open connection over which the numbers of the pages arrive while they change.
//!
//! Two events: `values`, every second, the numbers by key as text, ready to show; `part`, every few
//! seconds, asks the page to fetch its changing part anew. A browser that loses the connection comes
//! back by itself. At most so many listen at once as the site has seats for.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::Shared;
use super::answer::{Answer, Problem};
use super::overview;
use super::site::Site;
use crate::data::Data;

/// Between two `values`.
const VALUES_EVERY: Duration = Duration::from_secs(1);
/// So many of them to one `part`.
const PART_EVERY: u64 = 5;

/// The stream.
pub(super) async fn stream(State(site): State<Shared>) -> Answer<Response> {
    let seat = Arc::clone(&site.listeners).try_acquire_owned();
    let seat = seat.map_err(|_| Problem::busy("too many pages are open; close some of them"))?;
    let events = futures::stream::unfold((site, seat, 0_u64), async |(site, seat, count)| {
        if count > 0 {
            tokio::time::sleep(VALUES_EVERY).await;
        }
        let event = if count > 0 && count.is_multiple_of(PART_EVERY) {
            // Browsers drop an event that carries nothing.
            Event::default().event("part").data("now")
        } else {
            let values = site.read(values).await.unwrap_or_else(|_| json!({}));
            Event::default().event("values").data(values.to_string())
        };
        Some((Ok::<_, Infallible>(event), (site, seat, count + 1)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// All numbers, by key; notes under `KEY_note`.
fn values(site: &Site, data: &Data) -> Answer<Value> {
    let status = site.status(data)?;
    let mut values = Map::new();
    for tile in overview::tiles(&status, &Site::history(data)?) {
        let key = tile["key"].as_str().unwrap_or_default().to_owned();
        values.insert(format!("{key}_note"), tile["note"].clone());
        values.insert(key, tile["value"].clone());
    }
    let state = if status["is_running"] == true { "running" } else { "not running" };
    values.insert("state".to_owned(), json!(state));
    Ok(Value::Object(values))
}
