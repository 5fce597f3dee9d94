//! Showing a credential: the secret is put into a request on its way out, and taken out of
//! whatever comes back.
//!
//! Invariant: a secret goes only to the server its credential is for, encrypted unless that is a
//! private address that was allowed, and no response that
//! leaves here holds it, even if the server repeats it in a link or a body.

use std::sync::Arc;

use freshet_types::{AuthScheme, AuthUse, Fault, FaultKind, Response};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::hop::Hop;
use crate::credential::Credential;
use crate::{Scrubber, Vault};

/// The credential that a request names, if it may be shown to this URL.
pub(super) fn credential<'v>(
    vault: &'v Vault,
    auth: &AuthUse,
    hop: &Hop<'_>,
    url: &Url,
) -> Result<&'v Credential, Fault> {
    let (name, network) = (&auth.credential, &hop.request.network);
    let fail = |why: String| Err(Fault::new(FaultKind::Credential, format!("credential `{name}` {why}")));
    let Some(credential) = vault.credential(name) else {
        return fail(format!("is missing; add it with `freshet credentials add {network}`"));
    };
    let host = url.host_str().unwrap_or_default();
    if url.scheme() != "https" && !hop.allow_private {
        return fail(format!("is not shown to `{host}` without encryption; add its sources by https"));
    }
    if credential.may_go_to(network, url) {
        return Ok(credential);
    }
    fail(format!("is for `{}` and is not shown to `{host}` for `{network}`", credential.network))
}

/// Puts the secret where the scheme says; a session's token is shown as `Bearer`.
pub(super) fn show(
    scheme: &AuthScheme,
    secret: &SecretString,
    url: &mut Url,
    headers: &mut HeaderMap,
) -> Result<(), Fault> {
    let secret = secret.expose_secret();
    match scheme {
        AuthScheme::Bearer | AuthScheme::Session { .. } => {
            headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {secret}"))?);
        }
        AuthScheme::Header { name } => {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| Fault::new(FaultKind::Request, format!("`{name}` is not a header's name")))?;
            headers.insert(name, sensitive(secret)?);
        }
        AuthScheme::Query { name } => show_in_query(url, name, secret),
    }
    Ok(())
}

/// Marked as sensitive, so that not even the client's own traces show it.
pub(super) fn sensitive(text: &str) -> Result<HeaderValue, Fault> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| Fault::new(FaultKind::Credential, "the secret holds characters that no header may"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Replaces the parameter where a link of the network already has it, else adds it.
fn show_in_query(url: &mut Url, name: &str, secret: &str) {
    if url.query_pairs().any(|(key, _)| key == name) {
        let pairs: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(key, _)| key != name)
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    url.query_pairs_mut().append_pair(name, secret);
}

/// The response without the credential's secrets, should the server repeat them.
pub(super) fn scrubbed(scrubber: &Scrubber, owner: &Arc<str>, mut response: Response) -> Response {
    for (_, value) in &mut response.headers {
        if let std::borrow::Cow::Owned(clean) = scrubber.scrub_of(owner, value) {
            *value = clean;
        }
    }
    response.body = scrubber.scrub_bytes_of(owner, response.body);
    response
}
