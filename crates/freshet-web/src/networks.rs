//! Networks: what is defined, what of it is watched, which limits hold and how far they are spent;
//! credentials by name. Secrets never come here: the store of secrets gives names only.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use freshet_app::credentials::line_of;
use freshet_app::data::{Data, vault_path};
use freshet_app::networks;
use freshet_report::credentials::CredentialLine;
use freshet_report::networks::NetworkLine;
use freshet_store::row::OnDelete;
use freshet_types::definition::Definition;
use freshet_types::{NetworkName, RobotKind};
use serde::Serialize;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem, Told};
use super::credentials;
use super::overview::{self, QuotaRow};
use super::render::Beside;
use super::site::Site;

/// All networks.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(told): Query<Told>,
) -> Answer<Response> {
    let told = ["added", "removed"].into_iter().find(|known| *known == told.told);
    let told = told.map(|told| format!("{told}; {}", freshet_app::credentials::SEEN));
    let shown = site
        .read(|site, data| {
            let servers = servers(data)?;
            let row = |line: NetworkLine| NetworkRow {
                servers_count: servers.iter().filter(|server| server.definition == line.name).count(),
                line,
            };
            Ok(NetworksPage {
                networks: networks::list_report(&site.parts.networks).networks.into_iter().map(row).collect(),
                servers,
                quotas: overview::quotas(&site.status(data)?),
                credentials: credentials::known(site).map(|known| known.iter().map(line_of).collect()),
                has_passphrase: site.parts.passphrase.is_some(),
                has_file: vault_path(site.parts.place.dir()).is_file(),
                takes_secrets: site.is_local || site.parts.tls.is_some(),
                all_robots: RobotKind::ALL,
                told,
            })
        })
        .await?;
    Ok(site.page(Some(&identity), "networks", "Networks", &shown))
}

/// What the page shows.
#[derive(Serialize)]
struct NetworksPage {
    networks: Vec<NetworkRow>,
    servers: Vec<ServerRow>,
    quotas: Vec<QuotaRow>,
    credentials: Option<Vec<CredentialLine>>,
    has_passphrase: bool,
    has_file: bool,
    takes_secrets: bool,
    all_robots: [RobotKind; RobotKind::ALL.len()],
    told: Option<String>,
}

/// A network, and how many of its servers are watched.
#[derive(Serialize)]
struct NetworkRow {
    #[serde(flatten)]
    line: NetworkLine,
    servers_count: usize,
}

/// A server that was added.
#[derive(Serialize)]
struct ServerRow {
    network: NetworkName,
    definition: String,
    base: String,
    allow_private: bool,
    on_delete: &'static str,
    /// What is seen is kept; else it goes to subscribers only.
    is_kept: bool,
}

/// One network.
pub(super) async fn one(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Path(name): Path<String>,
) -> Answer<Response> {
    let definition = describe(&site, &name)?;
    let meant = name.clone();
    let (servers, spent) = site
        .read(move |site, data| {
            let is_meant = |network: &NetworkName| network.definition() == meant;
            let servers: Vec<_> = servers(data)?.into_iter().filter(|it| is_meant(&it.network)).collect();
            let quotas = overview::quotas(&site.status(data)?).into_iter();
            Ok((servers, quotas.filter(|it| is_meant(&it.quota.network)).collect::<Vec<_>>()))
        })
        .await?;
    let more = json!({ "servers": servers, "spent": spent, "toml": networks::to_toml(&definition) });
    let shown = Beside { report: definition, more };
    Ok(site.page(Some(&identity), "network", &name, &shown))
}

/// A definition, as `freshet networks show` gives it.
pub(super) fn describe(site: &Site, name: &str) -> Answer<Definition> {
    let networks = &site.parts.networks;
    let found = networks.definition(name).map(|definition| definition.written());
    found.ok_or_else(|| Problem {
        status: axum::http::StatusCode::NOT_FOUND,
        ..networks::no_network(networks, name).into()
    })
}

/// The servers that were added.
fn servers(data: &Data) -> Answer<Vec<ServerRow>> {
    let unkept = data.store.not_kept()?.networks;
    let server = |row: freshet_store::row::InstanceRow| ServerRow {
        is_kept: !unkept.contains(&row.instance.network),
        definition: row.instance.network.definition().to_owned(),
        network: row.instance.network,
        base: row.instance.base,
        allow_private: row.instance.allow_private,
        on_delete: if row.on_delete == OnDelete::Redact { "redact" } else { "keep" },
    };
    Ok(data.store.instances()?.into_iter().map(server).collect())
}
