//! Networks: what is defined, what of it is watched, which limits hold and how far they are spent;
//! credentials by name. Secrets never come here: the store of secrets gives names only.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use freshet_app::data::{Data, vault_path};
use freshet_app::networks;
use freshet_store::row::OnDelete;
use freshet_types::RobotKind;
use freshet_types::definition::Definition;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem, Told};
use super::site::Site;
use super::{credentials, overview};

/// All networks.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(told): Query<Told>,
) -> Answer<Response> {
    let mut shown = site
        .read(|site, data| {
            let mut shown = json!(networks::list_report(&site.parts.networks));
            let servers = servers(data)?;
            for network in shown["networks"].as_array_mut().into_iter().flatten() {
                let name = network["name"].as_str().unwrap_or_default();
                let watched = servers.iter().filter(|server| server["definition"] == name).count();
                network["servers_count"] = json!(watched);
            }
            shown["servers"] = json!(servers);
            shown["quotas"] = json!(overview::quotas(&site.status(data)?));
            shown["credentials"] = json!(credentials::known(site));
            shown["has_passphrase"] = json!(site.parts.passphrase.is_some());
            shown["has_file"] = json!(vault_path(&site.parts.dir).is_file());
            shown["takes_secrets"] = json!(site.is_local || site.parts.tls.is_some());
            shown["all_robots"] = json!(RobotKind::ALL.map(RobotKind::name));
            Ok(shown)
        })
        .await?;
    let told = ["added", "removed"].into_iter().find(|known| *known == told.told);
    shown["told"] = json!(told.map(|told| format!("{told}; {}", freshet_app::credentials::RESTART)));
    Ok(site.page(Some(&identity), "networks", "Networks", &shown))
}

/// One network.
pub(super) async fn one(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Path(name): Path<String>,
) -> Answer<Response> {
    let mut shown = describe(&site, &name)?;
    let definition = name.clone();
    let (servers, quotas) = site
        .read(move |site, data| {
            let of = |key: &'static str| {
                let definition = definition.clone();
                move |it: &Value| it[key].as_str().is_some_and(|it| it.split(':').next() == Some(&definition))
            };
            let servers: Vec<Value> = servers(data)?.into_iter().filter(of("network")).collect();
            let quotas = overview::quotas(&site.status(data)?).into_iter();
            Ok((servers, quotas.filter(of("network")).collect::<Vec<_>>()))
        })
        .await?;
    shown["servers"] = json!(servers);
    shown["spent"] = json!(quotas);
    shown["toml"] = json!(networks::to_toml(&definition_of(&site, &name)?));
    Ok(site.page(Some(&identity), "network", &name, &shown))
}

fn definition_of(site: &Site, name: &str) -> Answer<Definition> {
    let networks = &site.parts.networks;
    let found = networks.definition(name).map(|definition| definition.written());
    found.ok_or_else(|| Problem {
        status: axum::http::StatusCode::NOT_FOUND,
        ..networks::no_network(networks, name).into()
    })
}

/// A definition, as `freshet networks show` gives it.
pub(super) fn describe(site: &Site, name: &str) -> Answer<Value> {
    Ok(json!(definition_of(site, name)?))
}

/// The servers that were added.
fn servers(data: &Data) -> Answer<Vec<Value>> {
    let server = |row: &freshet_store::row::InstanceRow| {
        let network = &row.instance.network;
        json!({
            "network": network.to_string(), "definition": network.definition(), "base": row.instance.base,
            "allow_private": row.instance.allow_private,
            "on_delete": if row.on_delete == OnDelete::Redact { "redact" } else { "keep" },
        })
    };
    Ok(data.store.instances()?.iter().map(server).collect())
}
