//! Settings: what runs here, what can be changed while it runs, and what needs a new start.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use freshet_app::data::{CONTACT, Data};
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::Answer;
use super::constraints;
use super::site::Site;

/// What changes while it runs: what, how, since when it counts.
const LIVE: [(&str, &str, &str); 7] = [
    (
        "Sources",
        "add, pause, pin, remove and watch again on Sources, or `freshet add`, `freshet remove`",
        "within a second",
    ),
    ("Robots", "start, pause, resume, stop on Robots, or `freshet robots`", "within a second"),
    ("Definitions of networks", "files in `networks/` of the data directory", "within a second"),
    ("Constraints", "below, or `freshet constraints`", "within a second"),
    ("Deleted posts", "`freshet networks set NAME on_delete keep|redact`", "for what is found from then on"),
    ("Credential of a robot", "`freshet robots credential`", "within a second"),
    ("Erasing", "`freshet forget`", "at once"),
];

/// What needs a new start.
const RESTART: [(&str, &str); 7] = [
    ("Policy", "`freshet run --policy NAME`"),
    ("Longest time unvisited", "`freshet run --ceiling SPAN`"),
    ("Steps from what was added", "`freshet run --depth N`"),
    ("Secrets", "on Networks, or `freshet credentials add`; then start again"),
    ("Contact in the user agent", "`freshet init --contact ADDRESS`"),
    ("Answers as received", "`freshet run --keep-raw`"),
    ("Address, password and TLS of this page", "`--listen`, `freshet dashboard password`, `--tls-cert`"),
];

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let mut shown = describe(&site).await?;
    let live = LIVE.map(|(what, how, when)| json!({ "what": what, "how": how, "when": when }));
    // As a list: the order is that of the report.
    let facts = shown["running"].as_object().into_iter().flatten();
    let facts: Vec<Value> = facts.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    shown["facts"] = json!(facts);
    shown["constraints"] = constraints::list(&site).await?;
    shown["live"] = json!(live);
    shown["restart"] = json!(RESTART.map(|(what, how)| json!({ "what": what, "how": how })));
    Ok(site.page(Some(&identity), "settings", "Settings", &shown))
}

/// What runs, as the API gives it.
pub(super) async fn describe(site: &Shared) -> Answer<Value> {
    site.read(view).await
}

fn view(site: &Site, data: &Data) -> Answer<Value> {
    let status = site.status(data)?;
    let mut running = serde_json::Map::new();
    running.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    for key in ["data", "clock", "is_running", "pid", "policy"] {
        running.insert(key.to_owned(), status[key].clone());
    }
    running.insert("contact".to_owned(), json!(CONTACT.get(&data.store)?));
    for (name, value) in &site.parts.choices {
        running.insert((*name).to_owned(), json!(value));
    }
    let access = if site.parts.access.is_open() { "open, on this computer only" } else { "after a login" };
    running.insert("access".to_owned(), json!(access));
    Ok(json!({ "running": running, "started_at": status["started_at"] }))
}
