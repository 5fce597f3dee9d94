//! Settings: what runs here, what can be changed while it runs, and what needs a new start.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use freshet_app::data::{CONTACT, Data};
use freshet_report::dashboard::SettingsReport;
use freshet_store::viewers::Viewers;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::Answer;
use super::render::Beside;
use super::site::Site;
use super::{budgets, constraints};

/// What changes while it runs: what, how, since when it counts.
const LIVE: [(&str, &str, &str); 10] = [
    (
        "Sources",
        "add, pause, pin, remove and watch again on Sources, or `freshet add`, `freshet remove`",
        "within a second",
    ),
    ("Robots", "start, pause, resume, stop on Robots, or `freshet robots`", "within a second"),
    ("Definitions of networks", "files in `networks/` of the data directory", "within a second"),
    ("Constraints", "below, or `freshet constraints`", "within a second"),
    ("Budgets", "below, or `freshet budget`", "within a second"),
    ("Whether it is kept", "`freshet networks set NAME store keep|never`", "for what is seen from then on"),
    ("Deleted posts", "`freshet networks set NAME on_delete keep|redact`", "for what is found from then on"),
    ("How long posts are kept", "`freshet retention`, `freshet networks set NAME retention SPAN`", "at once"),
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
    let report = describe(&site).await?;
    let live = LIVE.map(|(what, how, when)| json!({ "what": what, "how": how, "when": when }));
    let restart = RESTART.map(|(what, how)| json!({ "what": what, "how": how }));
    // As a list: the order is that of the report.
    let fact = |(name, value): (&String, &Value)| json!({ "name": name, "value": value });
    let facts: Vec<Value> = report.running.iter().map(fact).collect();
    let constraints = constraints::list(&site).await?;
    let budgets = budgets::list(&site).await?;
    // A login that is bound to a viewer has none to choose from.
    let viewers =
        if identity.viewer.is_none() { Viewers::of(site.parts.place.dir()).names() } else { Vec::new() };
    let encoded = |name: &str| url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>();
    let viewers: Vec<Value> =
        viewers.iter().map(|name| json!({ "name": &**name, "query": encoded(name) })).collect();
    let more = json!({ "viewers": viewers, "facts": facts, "budgets": budgets, "constraints": constraints, "live": live, "restart": restart });
    Ok(site.page(Some(&identity), "settings", "Settings", &Beside { report, more }))
}

/// What runs, as the API gives it.
pub(super) async fn describe(site: &Shared) -> Answer<SettingsReport> {
    site.read(view).await
}

fn view(site: &Site, data: &Data) -> Answer<SettingsReport> {
    let status = site.status(data)?;
    let access = if site.parts.access.is_open() { "open, on this computer only" } else { "after a login" };
    let before = [
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("data", json!(status.data)),
        ("clock", json!(status.clock)),
        ("is_running", json!(status.is_running)),
        ("pid", json!(status.pid)),
        ("policy", json!(status.run.as_ref().map(|run| &run.policy))),
        ("contact", json!(CONTACT.get(&data.store)?)),
    ];
    let chosen = site.parts.choices.iter().map(|(name, value)| (*name, json!(value)));
    let running = before.into_iter().chain(chosen).chain([("access", json!(access))]);
    Ok(SettingsReport {
        running: running.map(|(name, value)| (name.to_owned(), value)).collect(),
        started_at: status.run.map(|run| run.started_at),
    })
}
