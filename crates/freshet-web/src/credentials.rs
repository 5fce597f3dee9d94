//! Adding and removing credentials: the secret goes into the encrypted file as `freshet credentials` puts
//! it there, and is never shown again, not even to whoever typed it.
//!
//! The passphrase of the file is that of the environment, or is typed with the secret; it is kept
//! nowhere. Secrets are taken on this computer or over TLS only.

use std::sync::PoisonError;

use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::credentials::{self, Wanted, line_of};
use freshet_app::data::{Data, vault_path};
use freshet_fetch::{CredentialInfo, CredentialKind, FetchError, Origin};
use freshet_report::credentials::{CredentialAdded, CredentialRemoved};
use freshet_types::RobotKind;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::Shared;
use super::answer::{Answer, Problem};
use super::site::Site;

/// What is typed; no `Debug`, so that nobody can log it.
#[derive(Deserialize)]
pub(super) struct Typed {
    #[serde(default)]
    network: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    robot: String,
    #[serde(default)]
    app: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    secret: String,
    #[serde(default)]
    passphrase: String,
}

/// What is typed to remove one.
#[derive(Default, Deserialize)]
pub(super) struct Unlocking {
    #[serde(default)]
    passphrase: String,
}

/// The names that are known by now; `None` while the file is locked.
pub(super) fn known(site: &Site) -> Option<Vec<CredentialInfo>> {
    site.credentials.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The form for adding was sent.
pub(super) async fn add_form(State(site): State<Shared>, Form(typed): Form<Typed>) -> Answer<Response> {
    add(&site, typed).await?;
    Ok(Redirect::to("/networks?told=added#credentials").into_response())
}

/// The button for removing was pressed.
pub(super) async fn remove_form(
    State(site): State<Shared>,
    Path(name): Path<String>,
    Form(unlocking): Form<Unlocking>,
) -> Answer<Response> {
    remove(&site, name, unlocking).await?;
    Ok(Redirect::to("/networks?told=removed#credentials").into_response())
}

/// Adds one; gives what may be shown of it.
pub(super) async fn add(site: &Shared, typed: Typed) -> Answer<CredentialAdded> {
    fn given(text: &str) -> Option<&str> {
        Some(text.trim()).filter(|text| !text.is_empty())
    }
    let misread = |error: String| Problem::bad(error);
    let kind = given(&typed.kind).map(str::parse).transpose().map_err(misread)?;
    let robot = given(&typed.robot).map(str::parse::<RobotKind>).transpose().map_err(misread)?;
    let network = given(&typed.network).ok_or_else(|| Problem::bad("name the network it is for"))?.to_owned();
    let name = given(&typed.name).map(str::to_owned);
    let secret = SecretString::from(typed.secret);
    if secret.expose_secret().trim().is_empty() {
        return Err(Problem::bad("no secret was typed"));
    }
    let passphrase = passphrase(site, typed.passphrase)?;
    let info = in_file(site, move |site| {
        let wanted = Wanted {
            network: &network,
            name: name.as_deref(),
            kind: kind.unwrap_or(CredentialKind::Bearer),
            robot,
            app: given(&typed.app),
            user: given(&typed.user),
            secret: &secret,
        };
        credentials::keep(&vault_path(site.parts.place.dir()), &passphrase, &site.parts.networks, &wanted)
    })
    .await?;
    Ok(CredentialAdded { credential: line_of(&info), note: credentials::SEEN.to_owned() })
}

/// Removes one; gives what it was.
pub(super) async fn remove(site: &Shared, name: String, unlocking: Unlocking) -> Answer<CredentialRemoved> {
    let passphrase = passphrase(site, unlocking.passphrase)?;
    let info = in_file(site, move |site| {
        credentials::discard(&mut Data::reopen(&site.parts.place)?, &passphrase, &name)
    })
    .await?;
    Ok(CredentialRemoved { removed: line_of(&info), note: credentials::SEEN.to_owned() })
}

/// The passphrase that was typed, or that of the environment. A secret never travels in the open.
fn passphrase(site: &Shared, typed: String) -> Answer<SecretString> {
    if !site.is_local && site.parts.tls.is_none() {
        let problem = Problem::new(StatusCode::CONFLICT, "secrets are not taken over an open connection");
        return Err(problem.hint("serve the dashboard with --tls-cert and --tls-key, or on this computer"));
    }
    if !typed.is_empty() {
        return Ok(SecretString::from(typed));
    }
    site.parts.passphrase.clone().ok_or_else(|| {
        Problem::bad("the credentials file needs its passphrase")
            .hint("type it with the secret, or give it in FRESHET_PASSPHRASE when the dashboard is started")
    })
}

/// Opening the file is slow on purpose; then what is known is what it holds, and the environment's.
async fn in_file(
    site: &Shared,
    change: impl FnOnce(&Site) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> + Send + 'static,
) -> Answer<CredentialInfo> {
    let theirs = std::sync::Arc::clone(site);
    let changed = tokio::task::spawn_blocking(move || change(&theirs)).await;
    // What the file refuses is what was typed: a wrong passphrase, a name that is taken or unknown.
    let refused = |error: anyhow::Error| match error.downcast_ref::<FetchError>() {
        Some(refusal) => Problem::bad(refusal.to_string()),
        None => Problem::from(error),
    };
    let (info, of_file) =
        changed.map_err(|_| Problem::busy("the change could not be made"))?.map_err(refused)?;
    let mut known = site.credentials.lock().unwrap_or_else(PoisonError::into_inner);
    let others = known.take().unwrap_or_default().into_iter().filter(|it| it.origin == Origin::Environment);
    *known = Some(others.chain(of_file).collect());
    Ok(info)
}
