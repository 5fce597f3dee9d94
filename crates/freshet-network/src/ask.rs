//! Step 4 of 10: from a target and an intent to a request.
//!
//! Pure. The request never leaves the server that the target lives on: a cursor that is a URL
//! (from a `Link` header or a body) is refused when it names another host, whatever a network
//! says. What the request takes from which quota is computed here; whether it may leave is the
//! ledger's business.

use std::sync::Arc;

use freshet_types::definition::{CredentialUse, Paging, RequestChoice, RequestWord};
use freshet_types::{
    AskRefused, AuthUse, Intent, Mark, QuotaKey, QuotaNeed, QuotaScope, Request, StreamTarget, Target,
};
use url::Url;

use crate::definition::Plan;
use crate::definition::plan::{EndpointPlan, QuotaPlan};
use crate::paging::{self, Cursor, start_newer};
use crate::template::{Template, Variables, encode};

/// Longest URL that is sent; servers refuse longer ones anyway.
const URL_BYTES_MAX: usize = 8192;

/// The request for a part of the target.
pub(crate) fn ask(plan: &Plan, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused> {
    let asked = find(plan, target)?;
    let part = Part::new(asked, target, intent)?;
    let endpoint = asked.stand_in(intent).map_or(asked, |place| &plan.endpoints[place]);
    if endpoint.rule.needs_credential && target.credential.is_none() {
        let network = &target.instance.network;
        return Err(AskRefused(format!(
            "`{}` of `{network}` needs a credential; add one with `freshet credentials add {network}`",
            target.endpoint
        )));
    }
    let maker = Maker { plan, endpoint, target, part: &part };
    maker.request(asked)
}

/// The request that opens a stream. A credential is shown to the server itself only, wherever its stream is.
pub(crate) fn open(
    plan: &Plan,
    stream: &EndpointPlan,
    target: &StreamTarget<'_>,
) -> Result<Request, AskRefused> {
    let network = &target.instance.network;
    if stream.rule.needs_credential && target.credential.is_none() {
        return Err(AskRefused(format!(
            "the stream `{}` of `{network}` needs a credential; add one with `freshet credentials add {network}`",
            target.name
        )));
    }
    let asked = Target {
        instance: target.instance,
        endpoint: target.name,
        root: "",
        credential: target.credential,
        validators: None,
    };
    let cursor = target.cursor.map(str::to_owned);
    let part = Part { name: "first", root: "", cursor, newer: None, members: target.roots };
    let mut request = Maker { plan, endpoint: stream, target: &asked, part: &part }.request(stream)?;
    let host_of = |text: &str| Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
    if host_of(&request.url) != host_of(&target.instance.base) {
        request.auth = None;
    }
    Ok(request)
}

fn find<'p>(plan: &'p Plan, target: &Target<'_>) -> Result<&'p EndpointPlan, AskRefused> {
    plan.endpoint(target.instance.network.definition(), target.endpoint).ok_or_else(|| {
        AskRefused(format!("`{}` has no endpoint `{}`", target.instance.network, target.endpoint))
    })
}

/// Which part of a list is meant, with the cursor taken apart.
struct Part<'a> {
    name: &'static str,
    root: &'a str,
    cursor: Option<String>,
    newer: Option<Mark>,
    members: &'a [String],
}

impl<'a> Part<'a> {
    fn new(endpoint: &EndpointPlan, target: &Target<'a>, intent: &'a Intent) -> Result<Self, AskRefused> {
        let mut part = Self { name: "first", root: target.root, cursor: None, newer: None, members: &[] };
        let refuse =
            |what: &str| AskRefused(format!("`{}` of `{}` {what}", target.endpoint, target.instance.network));
        match intent {
            Intent::First => {}
            Intent::Next(text) => {
                let cursor = Cursor::parse(text)
                    .ok_or_else(|| refuse(&format!("does not understand the cursor `{text}`")))?;
                part.name = if cursor.above.is_some() { "newer" } else { "next" };
                part.newer = cursor.above.or(cursor.floor);
                part.cursor = cursor.own;
            }
            Intent::Newer(mark) => {
                if endpoint.newer.is_none() && !matches!(endpoint.rule.paging, Paging::Enumerate { .. }) {
                    return Err(refuse("cannot be asked for newer posts only"));
                }
                let cursor = start_newer(endpoint, mark);
                part.name = "newer";
                part.newer = cursor.above.or(cursor.floor);
            }
            Intent::Members(ids) => {
                let Some(members) = &endpoint.members else {
                    return Err(refuse("has no members to be fetched"));
                };
                if ids.is_empty() || ids.len() > members.batch {
                    return Err(refuse(&format!(
                        "fetches 1 to {} members at once, not {}",
                        members.batch,
                        ids.len()
                    )));
                }
                part.name = "members";
                part.members = ids;
                if members.batch == 1 {
                    part.root = &ids[0];
                }
            }
            Intent::Group(ids) => {
                let Some(group) = &endpoint.group else {
                    return Err(refuse("cannot be asked about in groups"));
                };
                if ids.is_empty() || ids.len() > group.roots_max {
                    return Err(refuse(&format!(
                        "is asked about 1 to {} roots at once, not {}",
                        group.roots_max,
                        ids.len()
                    )));
                }
                part.name = "group";
                part.members = ids;
            }
        }
        Ok(part)
    }
}

struct Maker<'a> {
    plan: &'a Plan,
    endpoint: &'a EndpointPlan,
    target: &'a Target<'a>,
    part: &'a Part<'a>,
}

impl Maker<'_> {
    fn request(&self, asked: &EndpointPlan) -> Result<Request, AskRefused> {
        let base = Url::parse(&self.target.instance.base).map_err(|error| {
            self.refuse(&format!("has no usable base `{}`: {error}", self.target.instance.base))
        })?;
        let host = match (base.host_str(), base.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let variables = Variables {
            root: self.part.root,
            host: &host,
            base: &self.target.instance.base,
            limit: self.endpoint.rule.page_size,
            cursor: self.part.cursor.as_deref(),
            newer: self.part.newer.as_ref(),
            members: self.part.members,
            intent: self.part.name,
        };
        let mut request = Request::get(&self.target.instance.network, self.url(asked, &variables)?);
        request.method = self.endpoint.rule.method;
        request.headers = self.headers(&variables)?;
        request.body = self.endpoint.body.as_ref().map(|body| self.render(body, &variables)).transpose()?;
        request.auth = self.auth();
        request.needs = self.needs();
        request.allow_private = self.target.instance.allow_private;
        request.is_page = self.endpoint.is_page;
        Ok(request)
    }

    fn refuse(&self, what: &str) -> AskRefused {
        AskRefused(format!("`{}` of `{}` {what}", self.endpoint.public.name, self.target.instance.network))
    }

    fn render(&self, template: &Template, variables: &Variables<'_>) -> Result<String, AskRefused> {
        self.plan
            .templates
            .render(template, variables)
            .map_err(|what| self.refuse(&format!("cannot be asked: {what}")))
    }

    fn url(&self, asked: &EndpointPlan, variables: &Variables<'_>) -> Result<String, AskRefused> {
        let path = self.render(&self.endpoint.url, variables)?;
        let whole = if path.starts_with("http") { path } else { format!("{}{path}", variables.base) };
        let own = Url::parse(&whole)
            .map_err(|error| self.refuse(&format!("makes no URL of `{whole}`: {error}")))?;
        if !matches!(own.scheme(), "http" | "https") || own.host_str().is_none() {
            return Err(self.refuse(&format!("is asked over http or https, not by `{whole}`")));
        }
        if let (Paging::Link {} | Paging::Url { .. }, Some(cursor)) =
            (&self.endpoint.rule.paging, variables.cursor)
        {
            return self.next_url(&own, cursor);
        }
        let query = self.query(asked, variables)?;
        let sign = if whole.contains('?') { '&' } else { '?' };
        let url = if query.is_empty() { whole } else { format!("{whole}{sign}{query}") };
        if url.len() > URL_BYTES_MAX {
            return Err(self.refuse(&format!("would need a URL of more than {URL_BYTES_MAX} bytes")));
        }
        Ok(url)
    }

    /// The URL that the network named as the next page, if it is on the same host.
    fn next_url(&self, own: &Url, cursor: &str) -> Result<String, AskRefused> {
        let mut next =
            own.join(cursor).map_err(|error| self.refuse(&format!("cannot go on at `{cursor}`: {error}")))?;
        let port = |url: &Url| url.port();
        if next.host_str() != own.host_str()
            || port(&next) != port(own)
            || !matches!(next.scheme(), "http" | "https")
        {
            let host = own.host_str().unwrap_or_default();
            return Err(self.refuse(&format!("names a next page on another host than `{host}`: `{next}`")));
        }
        // Servers behind a proxy often write `http` for themselves.
        let _ = next.set_scheme(own.scheme());
        Ok(next.into())
    }

    fn query(&self, asked: &EndpointPlan, variables: &Variables<'_>) -> Result<String, AskRefused> {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for (name, templates) in &self.endpoint.query {
            for template in templates {
                pairs.push((name, self.render(template, variables)?));
            }
        }
        if let (Some(newer), Some(_)) = (&self.endpoint.newer, variables.newer) {
            for (name, template) in &newer.query {
                pairs.retain(|(known, _)| known != name);
                pairs.push((name, self.render(template, variables)?));
            }
            if let Some(param) = &newer.rule.param {
                pairs.retain(|(known, _)| known != param);
                pairs.push((param, self.render(&newer.value, variables)?));
            }
        }
        if let (Some(param), Some(cursor)) = (self.cursor_param(), variables.cursor) {
            pairs.push(self.numbered(cursor).unwrap_or_else(|| (param, cursor.to_owned())));
        }
        let param = match self.part.name {
            "group" => asked.group.as_ref().and_then(|group| group.param.as_deref()),
            _ => asked.members.as_ref().and_then(|members| members.param.as_deref()),
        };
        if let Some(param) = param {
            pairs.extend(variables.members.iter().map(|id| (param, id.clone())));
        }
        let written = pairs.iter().filter(|(_, value)| !value.is_empty());
        Ok(written
            .map(|(name, value)| format!("{}={}", encode_name(name), encode(value)))
            .collect::<Vec<_>>()
            .join("&"))
    }

    /// The parameter with the number of a page, where the server gave no cursor.
    fn numbered(&self, cursor: &str) -> Option<(&str, String)> {
        let Paging::Cursor { page, .. } = &self.endpoint.rule.paging else { return None };
        Some((page.as_deref()?, cursor.strip_prefix(paging::NUMBERED)?.to_owned()))
    }

    fn cursor_param(&self) -> Option<&str> {
        match &self.endpoint.rule.paging {
            Paging::IdBound { param, .. }
            | Paging::Cursor { param, .. }
            | Paging::Page { param, .. }
            | Paging::Offset { param, .. }
            | Paging::TimeBound { param, .. } => param.as_deref(),
            Paging::None | Paging::Link {} | Paging::Enumerate { .. } | Paging::Url { .. } => None,
        }
    }

    fn headers(&self, variables: &Variables<'_>) -> Result<Vec<(String, String)>, AskRefused> {
        let mut headers = Vec::new();
        let own = &self.endpoint.headers;
        let common = self.plan.headers.iter().filter(|(name, _)| !own.iter().any(|(other, _)| other == name));
        for (name, template) in common.chain(own) {
            let value = self.render(template, variables)?;
            if value.contains(['\r', '\n']) {
                return Err(self.refuse(&format!("would need a line break in the header `{name}`")));
            }
            headers.push((name.clone(), value));
        }
        let validators =
            self.target.validators.filter(|_| self.part.name == "first" && self.endpoint.rule.is_conditional);
        if let Some(validators) = validators {
            let known =
                [("if-none-match", &validators.etag), ("if-modified-since", &validators.last_modified)];
            headers.extend(
                known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))),
            );
        }
        Ok(headers)
    }

    fn auth(&self) -> Option<AuthUse> {
        let credential = Arc::clone(&self.target.credential?.credential);
        Some(AuthUse { credential, scheme: self.plan.data.auth.first()?.clone() })
    }

    fn needs(&self) -> Vec<QuotaNeed> {
        self.plan.quotas.iter().filter_map(|quota| self.need(quota)).collect()
    }

    fn need(&self, quota: &QuotaPlan) -> Option<QuotaNeed> {
        let (name, key) = (&*self.endpoint.public.name, self.endpoint.key.as_str());
        let credential = self.target.credential;
        let applies = match quota.applies {
            CredentialUse::Any => true,
            CredentialUse::Anonymous => credential.is_none(),
            CredentialUse::Authenticated => credential.is_some(),
        };
        let counts = match &quota.requests {
            RequestChoice::Word(RequestWord::All) => true,
            RequestChoice::Word(RequestWord::Paged) => matches!(self.part.name, "next" | "newer"),
            RequestChoice::Endpoints(names) => names.iter().any(|one| one == key),
        };
        if !applies || !counts {
            return None;
        }
        // Without a credential there is neither app nor user, so nothing is counted.
        let holder: Arc<str> = match quota.rule.scope {
            QuotaScope::Ip => "ip".into(),
            QuotaScope::Endpoint => {
                format!("{}/{name}", credential.map_or("ip", |holder| &*holder.credential)).into()
            }
            QuotaScope::App => Arc::clone(&credential?.app),
            QuotaScope::Token => Arc::clone(&credential?.credential),
            QuotaScope::User => Arc::clone(&credential?.user),
        };
        let units = quota.costs.get(key).copied().unwrap_or(1);
        let network = &self.target.instance.network;
        let key = QuotaKey {
            network: if quota.is_shared { network.definition().into() } else { network.clone() },
            rule: Arc::clone(&quota.rule.name),
            holder,
        };
        Some(QuotaNeed { key, limit: quota.rule.limit, window: quota.rule.window, units })
    }
}

/// Names keep their brackets (`id[]`), as servers and people expect.
fn encode_name(name: &str) -> String {
    encode(name).replace("%5B", "[").replace("%5D", "]")
}
