//! The dashboard: pages, an HTTP API and metrics over one data directory.
//!
//! Pages are rendered here, on the server, from the very reports that commands print; charts are SVG;
//! one small script brings live values. Everything is compiled in, and nothing is asked of another
//! host. Connections are bounded at the [`door`], and who may look is decided in one place before any
//! page ([`guard`]). It reads the store with connections of its own and steers as commands do, through
//! the store, so a crawl never waits for it.
//!
//! A page is a file: what it shows, its handlers, its templates. Add it to [`routes`]. Nothing here prints, and no report is
//! written twice: they come from `freshet-app` and `freshet-alert`.
//!
//! | room | does |
//! |---|---|
//! | [`door`], [`seats`], [`stall`], [`tls`] | connections: bounded in number, time and patience |
//! | [`guard`], [`access`], [`tries`], [`login`], [`next`] | who may look: host, login, token, the form's word |
//! | [`site`] | what all pages stand on: store, clock, networks, templates |
//! | [`answer`], [`render`], [`chart`], [`names`] | problems as answers; templates; drawings; names of sources |
//! | [`overview`], [`sources`], [`source`], [`posts`], [`graph`], [`forums`], [`plan`], [`robots`], [`networks`], [`experiments`], [`alerts`], [`complaints`], [`subscriptions`], [`care`], [`settings`] | a page each |
//! | [`hub`] | where hubs of feeds ask back and bring what is new |
//! | [`socket`] | the WebSockets over which subscriptions are read |
//! | [`live`], [`learn`], [`download`], [`credentials`], [`constraints`], [`budgets`], [`trouble`] | parts of pages: live values, forums being learned, files, forms |
//! | [`bench`], [`jobs`], [`interest`] | work in the background: the one backtest, forums that wait to be learned, counting what people ask about |
//! | [`api`], [`objects`], [`openapi`], [`metrics`] | the same for programs |

mod access;
mod alerts;
mod answer;
mod api;
mod bench;
mod budgets;
mod care;
mod chart;
mod complaints;
mod constraints;
mod credentials;
mod door;
mod download;
mod experiments;
mod forum_chart;
mod forums;
mod graph;
mod graph_chart;
mod guard;
mod hub;
mod interest;
mod jobs;
mod learn;
mod live;
mod login;
mod metrics;
mod names;
mod networks;
mod next;
mod objects;
mod openapi;
mod overview;
mod plan;
mod posts;
mod render;
mod robots;
mod seats;
mod settings;
mod site;
mod socket;
mod source;
mod sources;
mod stall;
mod subscriptions;
#[cfg(test)]
mod tests;
mod tls;
mod tries;
mod trouble;
mod viewer;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::handler::Handler;
use axum::routing::{get, post};
use freshet_app::failure::Failure;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use access::{Access, set_password, set_viewer_password};
use answer::Problem;
pub use site::Parts;
use site::Site;
pub use tls::{TlsFiles, config as tls_config};

/// Where it is served unless something else is asked for.
const PORT: u16 = 8640;
/// Ports tried from there on: several crawls on one computer each have their dashboard.
const PORTS_TRIED: u16 = 20;

/// What every handler is given.
type Shared = Arc<Site>;

/// A path, what may be asked of it, and for the API what it says.
#[derive(Clone, Copy, Debug)]
struct Route {
    method: &'static str,
    path: &'static str,
    /// What it gives, in a sentence; pages are described by themselves.
    summary: Option<&'static str>,
    /// Names and meanings of the parameters of its query.
    query: &'static [(&'static str, &'static str)],
    /// The report that it answers with, by the name of its schema.
    report: Option<&'static str>,
}

impl Route {
    /// It answers with this report.
    const fn giving(self, report: &'static str) -> Self {
        Self { report: Some(report), ..self }
    }
}

/// All routes, and the list of them: the API's document and the tests walk the same list.
struct Routes {
    router: Router<Shared>,
    list: Vec<Route>,
}

impl Routes {
    fn get<T: 'static>(self, path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        self.add(Route { method: "GET", path, summary: None, query: &[], report: None }, handler)
    }

    fn post<T: 'static>(self, path: &'static str, handler: impl Handler<T, Shared>) -> Self {
        self.add(Route { method: "POST", path, summary: None, query: &[], report: None }, handler)
    }

    fn add<T: 'static>(mut self, route: Route, handler: impl Handler<T, Shared>) -> Self {
        let handled = if route.method == "GET" { get(handler) } else { post(handler) };
        self.list.push(route);
        self.router = self.router.route(route.path, handled);
        self
    }
}

/// Everything that can be asked for.
fn routes() -> Routes {
    let routes = Routes { router: Router::new(), list: Vec::new() }
        .get("/", overview::page)
        .get("/part/overview", overview::part)
        .get("/plan", plan::page)
        .get("/robots", robots::page)
        .get("/part/robots", robots::part)
        .post("/robots/{robot}/{verb}", robots::steer)
        .get("/sources", sources::page)
        .get("/sources/add", sources::add_page)
        .post("/sources/add", sources::add)
        .get("/part/learn", learn::part)
        .get("/sources/{number}", source::page)
        .post("/sources/{number}/pin", source::pin_form)
        .post("/sources/{number}/weight", source::weigh_form)
        .post("/sources/{number}/{verb}", source::steer)
        .get("/posts", posts::page)
        .get("/posts/{number}", posts::one)
        .get("/graph", graph::page)
        .get("/forums", forums::page)
        .get("/forums/{name}", forums::one)
        .get("/experiments", experiments::page)
        .get("/part/experiments", experiments::part)
        .post("/experiments", experiments::start_form)
        .post("/experiments/cancel", experiments::cancel_form)
        .post("/credentials", credentials::add_form)
        .post("/credentials/{name}/remove", credentials::remove_form)
        .get("/networks", networks::page)
        .get("/networks/{name}", networks::one)
        .get("/complaints", complaints::page)
        .get("/care", care::page)
        .get("/subscriptions", subscriptions::page)
        .post("/subscriptions/{name}/{verb}", subscriptions::steer)
        .get("/alerts", alerts::page)
        .post("/alerts/test/{name}", alerts::test)
        .get("/settings", settings::page)
        .post("/budgets", budgets::set_form)
        .post("/budgets/remove", budgets::remove_form)
        .post("/constraints", constraints::add_form)
        .post("/constraints/{number}/remove", constraints::remove_form)
        .get("/login", login::login_page)
        .post("/login", login::login)
        .post("/logout", login::logout)
        .get("/metrics", metrics::page)
        .get("/healthz", api::health)
        .get("/readyz", api::ready)
        .get("/assets/style.css", render::style)
        .get("/assets/script.js", render::script)
        .get("/assets/icon.svg", render::icon);
    api::add(hub::add(routes))
}

fn router(site: Shared) -> Router {
    let layer = axum::middleware::from_fn_with_state(Arc::clone(&site), guard::guard);
    routes()
        .router
        .fallback(async || Problem::not_found("there is no such page"))
        .method_not_allowed_fallback(async || Problem::method())
        .layer(layer)
        .with_state(site)
}

/// Listens where asked; else on loopback at the usual port or the next free one.
pub async fn bind(asked: Option<SocketAddr>) -> anyhow::Result<TcpListener> {
    if let Some(address) = asked {
        return TcpListener::bind(address)
            .await
            .with_context(|| format!("the dashboard cannot listen on `{address}`"));
    }
    for port in PORT..PORT + PORTS_TRIED {
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            return Ok(listener);
        }
    }
    let failure =
        Failure::new(format!("no port from {PORT} to {} is free for the dashboard", PORT + PORTS_TRIED - 1));
    Err(failure.hint("name another with --listen 127.0.0.1:PORT, or leave it out with --no-dashboard").into())
}

/// A dashboard that is served until this is dropped.
#[derive(Debug)]
pub struct Served {
    /// Where people find it.
    pub url: String,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves in the background. Whoever listens beyond loopback must ask for a password or token.
pub fn serve(listener: TcpListener, parts: Parts) -> anyhow::Result<Served> {
    let address = listener.local_addr().context("the dashboard has no address")?;
    let is_local = address.ip().is_loopback();
    if !is_local && parts.access.is_open() {
        let failure = Failure::misuse(format!(
            "`{address}` can be reached from other computers, and the dashboard has no password"
        ));
        return Err(failure
            .hint("set one with `freshet dashboard password`, or give a token in FRESHET_DASHBOARD_TOKEN")
            .into());
    }
    let tls = parts.tls.clone();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let router = router(Arc::new(Site::new(parts, is_local)?));
    let task = tokio::spawn(door::serve(listener, tls, router, door::Patience::USUAL));
    Ok(Served { url: format!("{scheme}://{address}/"), task })
}
