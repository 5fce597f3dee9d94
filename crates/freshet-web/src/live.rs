//! Live values: an open connection over which the numbers of the pages arrive while they change.
//!
//! Two events: `values`, every second, the numbers by key as text, ready to show; `part`, every few
//! seconds, asks the page to fetch its changing part anew. A browser that loses the connection comes
//! back by itself. Few listen at once, and one address never takes all places ([`super::site::LISTENERS`]); whoever stops
//! reading loses the place to the next one, and everybody comes back after [`VALUES_MAX`], so that what
//! waits in buffers for a page that sleeps is bounded too.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use freshet_app::data::Data;
use serde_json::{Map, Value, json};

use super::Shared;
use super::answer::{Answer, Problem};
use super::door::Guest;
use super::overview;
use super::site::Site;

/// Between two `values`.
const VALUES_EVERY: Duration = Duration::from_secs(1);
/// So many of them to one `part`.
const PART_EVERY: u64 = 5;

/// Events after which a page must ask again: ten minutes.
const VALUES_MAX: u64 = 600;
/// How soon a browser does so.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// The stream.
pub(super) async fn stream(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
) -> Answer<Response> {
    let held = site.listeners.occupy(guest.peer);
    let held = held.ok_or_else(|| Problem::busy("too many pages are open; close some of them"))?;
    let events = futures::stream::unfold((site, held, 0_u64), async |(site, mut held, count)| {
        let (seat, loss) = (&held.0, &mut held.1);
        // Nobody asks for the next event before the last one is on its way.
        seat.rests();
        if count > VALUES_MAX || loss.has_happened() {
            return None;
        }
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
        let event = if count == 0 { event.retry(RETRY_AFTER) } else { event };
        Some((Ok::<_, Infallible>(event), (site, held, count + 1)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// All numbers, by key; notes under `KEY_note`.
fn values(site: &Site, data: &Data) -> Answer<Value> {
    let status = site.status(data)?;
    let mut values = Map::new();
    for tile in overview::tiles(&status, &Site::history(data)?) {
        values.insert(format!("{}_note", tile.key), tile.note.into());
        values.insert(tile.key.to_owned(), tile.value.into());
    }
    let state = if status.is_running { "running" } else { "not running" };
    values.insert("state".to_owned(), json!(state));
    Ok(Value::Object(values))
}
