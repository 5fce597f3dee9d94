//! Recorded exchanges, read as if they had just happened: `freshet networks read`.
//!
//! A line is one JSON object with `method`, `url`, `status`, `headers` (an object, or a list of
//! pairs) and `body` (a text, or JSON). The endpoint is found by matching the URL against the
//! definition's templates, of all variants; an address that no endpoint knows is judged by the
//! shape of its body. Nothing is stored and nothing is asked.

use std::borrow::Cow;
use std::sync::LazyLock;

use freshet_types::definition::{Hosts, TimeFormat};
use freshet_types::{
    Instance, Intent, Map, NetworkName, Outcome, Page, PageKind, Response, Target, Timestamp,
};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::definition::Definition;
use crate::definition::plan::EndpointPlan;
use crate::read::{self, Tally};
use crate::template::{Part, Template, Variable};
use crate::times;

/// Longest line that is read.
pub const LINE_BYTES_MAX: usize = 64 << 20;
/// What some servers want at the end of a path, and others leave out.
const JSON_ENDING: &str = ".json";

/// The version of an API in the pattern of a path: `/v23\.0/`, `/2/`.
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"/v?\d+(?:\\\.\d+)*/").expect("this pattern is sound"));
/// Any version in its place, or none.
const ANY_VERSION: &str = r"/(?:v?\d+(?:\.\d+)*/)?";

/// What a recorded exchange shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Number of the line, from 1.
    pub line: usize,
    /// What the answer is about.
    pub kind: PageKind,
    /// Post-like items: those inside another post are not counted.
    pub posts: usize,
    /// Accounts that the answer lists: mere authors are not counted.
    pub accounts: usize,
    /// Id of the first item, in the order of the document.
    pub first_id: Option<String>,
    /// Id of the last one.
    pub last_id: Option<String>,
    /// Newest posting time, in seconds since 1970.
    pub newest_created_at: Option<i64>,
    /// Oldest posting time.
    pub oldest_created_at: Option<i64>,
    /// Name of the outcome.
    pub outcome: &'static str,
    /// What could not be used.
    pub complaints: Vec<String>,
}

/// A line of a recording.
#[derive(Deserialize)]
struct Recorded {
    url: String,
    #[serde(default = "default_status")]
    status: u16,
    #[serde(default)]
    headers: Headers,
    #[serde(default = "no_body")]
    body: Value,
}

fn no_body() -> Value {
    Value::String(String::new())
}

fn default_status() -> u16 {
    200
}

/// Headers, as tools write them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Headers {
    Pairs(Vec<(String, String)>),
    Object(std::collections::BTreeMap<String, Value>),
    Nothing(()),
}

impl Default for Headers {
    fn default() -> Self {
        Self::Nothing(())
    }
}

impl Headers {
    fn pairs(self) -> Vec<(String, String)> {
        let lower = |(name, value): (String, String)| (name.to_ascii_lowercase(), value);
        match self {
            Self::Pairs(pairs) => pairs.into_iter().map(lower).collect(),
            Self::Object(map) => {
                let flat = map.into_iter().flat_map(|(name, value)| match value {
                    Value::Array(list) => list.into_iter().map(|one| (name.clone(), text_of(one))).collect(),
                    single => vec![(name, text_of(single))],
                });
                flat.map(lower).collect()
            }
            Self::Nothing(()) => Vec::new(),
        }
    }
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Reads one line of a recording by a definition. A time that is still to come is complained about: after `now`, and after the
/// answer's own `Date`, should its recorder's clock be ahead.
pub fn read_line(definition: &Definition, line: usize, json_line: &str, now: Timestamp) -> Reading {
    match parse(json_line, now) {
        Ok(response) => read_response(definition, line, &response),
        Err(what) => report(
            line,
            &Page { outcome: Outcome::BadRequest, ..Page::default() },
            &Tally::default(),
            vec![what],
        ),
    }
}

fn parse(json_line: &str, now: Timestamp) -> Result<Response, String> {
    if json_line.len() > LINE_BYTES_MAX {
        return Err(format!("the line has more than {LINE_BYTES_MAX} bytes"));
    }
    let recorded: Recorded = serde_json::from_str(json_line).map_err(|error| {
        format!("the line is no recording (`method`, `url`, `status`, `headers`, `body`): {error}")
    })?;
    let body = match recorded.body {
        Value::String(text) => text.into_bytes(),
        tree => tree.to_string().into_bytes(),
    };
    let mut headers = recorded.headers.pairs();
    // A recorder decodes bodies into text, so what was declared for the bytes no longer holds.
    for (_, value) in headers.iter_mut().filter(|(name, _)| name == "content-type") {
        value.truncate(value.find(';').unwrap_or(value.len()));
    }
    let said = headers.iter().find(|(name, _)| name == "date").map(|(_, value)| value.as_str());
    let said = said.and_then(|value| times::read_text(value, TimeFormat::Rfc2822));
    let received_at = said.map_or(now, |at| at.max(now));
    Ok(Response { status: recorded.status, headers, body, url: recorded.url, received_at })
}

fn read_response(definition: &Definition, line: usize, response: &Response) -> Reading {
    let url = Url::parse(&response.url).ok();
    let found = url.as_ref().and_then(|url| find_endpoint(definition, url));
    let (page, tally) = match found {
        Some((endpoint, root)) => read_as(definition, endpoint, &root, response),
        None => read_unknown(definition, response),
    };
    report(line, &page, &tally, Vec::new())
}

fn read_as(
    definition: &Definition,
    endpoint: &EndpointPlan,
    root: &str,
    response: &Response,
) -> (Page, Tally) {
    let url = Url::parse(&response.url).ok();
    let host = url.as_ref().and_then(Url::host_str).filter(|_| definition.hosts == Hosts::Many);
    let base = url.as_ref().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let instance = Instance { network: NetworkName::new(&definition.name, host), base, allow_private: false };
    let target = Target {
        instance: &instance,
        endpoint: &endpoint.public.name,
        root,
        credential: None,
        validators: None,
    };
    let (page, mut tally) =
        read::read(&definition.plan, endpoint, &target, &Intent::First, response, response.received_at);
    // Told is the order of the document.
    if endpoint.items.iter().any(|group| group.is_reversed) {
        std::mem::swap(&mut tally.first, &mut tally.last);
    }
    (page, tally)
}

/// The endpoint whose template gives this URL, and the root in it.
fn find_endpoint<'d>(definition: &'d Definition, url: &Url) -> Option<(&'d EndpointPlan, String)> {
    // Some servers answer the same with `.json` and without it.
    let twin = match url.path().trim_end_matches('/').strip_suffix(JSON_ENDING) {
        Some(bare) => bare.to_owned(),
        None => format!("{}{JSON_ENDING}", url.path().trim_end_matches('/')),
    };
    find_by_path(definition, url, url.path()).or_else(|| find_by_path(definition, url, &twin))
}

fn find_by_path<'d>(definition: &'d Definition, url: &Url, path: &str) -> Option<(&'d EndpointPlan, String)> {
    let query: Map<String, String> =
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    let mut by_path = endpoints_at(definition, path);
    // The longest text in a template is the most special endpoint.
    let text = by_path.iter().map(|endpoint| literal_bytes(&endpoint.url)).max();
    by_path.retain(|endpoint| Some(literal_bytes(&endpoint.url)) == text);
    let fitting =
        by_path.iter().filter_map(|endpoint| Some((query_fit(endpoint, &by_path, &query)?, *endpoint)));
    let best = fitting.max_by_key(|(fit, endpoint)| {
        let is_usual =
            endpoint.public.robot.is_some() || endpoint.rule.role != freshet_types::definition::Role::List;
        (*fit, is_usual, std::cmp::Reverse(endpoint.key.as_str()))
    });
    // An address with other parameters than usual is still that of the only endpoint with its path.
    let endpoint = match (best, by_path.as_slice()) {
        (Some((_, endpoint)), _) => endpoint,
        (None, [only]) => only,
        _ => return None,
    };
    Some((endpoint, root_in(endpoint, path, url, &query)))
}

/// The endpoints with this path; where there are none, those whose path differs in the version of the API alone, since
/// recordings outlive versions.
fn endpoints_at<'d>(definition: &'d Definition, path: &str) -> Vec<&'d EndpointPlan> {
    let endpoints = &definition.plan.endpoints;
    let exact: Vec<_> = endpoints.iter().filter(|endpoint| endpoint.path.is_match(path)).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_alike = |endpoint: &&EndpointPlan| {
        let loose = VERSION.replace(endpoint.path.as_str(), ANY_VERSION);
        matches!(loose, Cow::Owned(_)) && Regex::new(&loose).is_ok_and(|pattern| pattern.is_match(path))
    };
    endpoints.iter().filter(is_alike).collect()
}

/// How many constant parameters agree; `None` when one differs that tells endpoints of this path apart.
fn query_fit(
    endpoint: &EndpointPlan,
    rivals: &[&EndpointPlan],
    query: &Map<String, String>,
) -> Option<usize> {
    let mut fit = 0;
    for (name, _) in &endpoint.query {
        let Some((constant, is_whole)) = constant(endpoint, name) else { continue };
        let is_telling =
            || rivals.iter().any(|rival| self::constant(rival, name) != Some((constant, is_whole)));
        match query.get(name) {
            Some(value) if value == constant || !is_whole && value.starts_with(constant) => fit += 1,
            Some(_) if is_telling() => return None,
            None if !is_whole => return None,
            Some(_) | None => {}
        }
    }
    Some(fit)
}

/// The constant value of a parameter, or its constant beginning (`tags=author_…`), and whether it is the whole.
fn constant<'e>(endpoint: &'e EndpointPlan, name: &str) -> Option<(&'e str, bool)> {
    let (_, templates) = endpoint.query.iter().find(|(own, _)| own == name)?;
    match templates.as_slice() {
        [Template::Parts(parts)] => match parts.as_slice() {
            [Part::Text(text)] => Some((text.as_str(), true)),
            [Part::Text(text), ..] => Some((text.as_str(), false)),
            _ => None,
        },
        _ => None,
    }
}

/// Bytes of a template that are fixed: the more, the more special the endpoint.
fn literal_bytes(template: &Template) -> usize {
    match template {
        Template::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text
                    .split_once("://")
                    .map_or(text.len(), |(_, rest)| rest.find('/').map_or(0, |at| rest.len() - at)),
                Part::Variable { .. } => 0,
            })
            .sum(),
        Template::Engine(_) => 1,
    }
}

/// The root in a URL: a group of the path, a parameter, or the whole address.
fn root_in(endpoint: &EndpointPlan, path: &str, url: &Url, query: &Map<String, String>) -> String {
    if let Some(root) = endpoint
        .path
        .captures(path)
        .and_then(|captures| captures.name("root").map(|found| found.as_str().to_owned()))
    {
        let pair = format!("root={}", root.replace('+', "%2B"));
        let decoded =
            url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned());
        return decoded.unwrap_or(root);
    }
    let is_root = |part: &Part| matches!(part, Part::Variable { variable: Variable::Root, .. });
    for (name, templates) in &endpoint.query {
        let [Template::Parts(parts)] = templates.as_slice() else { continue };
        let (Some(value), true) = (query.get(name), parts.iter().any(is_root)) else { continue };
        let before = match parts.first() {
            Some(Part::Text(text)) => text.as_str(),
            _ => "",
        };
        return value.strip_prefix(before).unwrap_or(value).to_owned();
    }
    if matches!(&endpoint.url, Template::Parts(parts) if parts.iter().any(is_root)) {
        url.to_string()
    } else {
        String::new()
    }
}

/// An answer of an address that no endpoint knows: by its status, or by its shape.
fn read_unknown(definition: &Definition, response: &Response) -> (Page, Tally) {
    let endpoints = &definition.plan.endpoints;
    let mut best: Option<(usize, Page, Tally)> = None;
    let is_good = (200..300).contains(&response.status);
    // Who only says that something was done need not say it in any format.
    if is_good && response.body.is_empty() {
        return (Page { kind: PageKind::Other, ..Page::default() }, Tally::default());
    }
    if is_good {
        for endpoint in endpoints.iter().filter(|endpoint| !endpoint.items.is_empty()) {
            let (page, tally) = read_as(definition, endpoint, "", response);
            let worth = worth(&page);
            if page.outcome == Outcome::Ok && worth > best.as_ref().map_or(0, |(known, ..)| *known) {
                best = Some((worth, page, tally));
            }
        }
    }
    if let Some((_, mut page, tally)) = best {
        page.kind = match page.kind {
            PageKind::Comments => PageKind::Posts,
            PageKind::Relations => PageKind::Accounts,
            other => other,
        };
        return (page, tally);
    }
    // Any endpoint can judge the status; one for single objects would miss its object.
    let any = endpoints.iter().find(|endpoint| endpoint.rule.role != freshet_types::definition::Role::Single);
    let mut page = any.map(|endpoint| read_as(definition, endpoint, "", response).0).unwrap_or_default();
    page.observation = freshet_types::Observation::default();
    // What another endpoint's mapping misses here says nothing about this answer.
    page.complaints.retain(|complaint| complaint.place == "body");
    if matches!(page.outcome, Outcome::Transient | Outcome::Unreadable)
        && is_good
        && page.complaints.is_empty()
    {
        page.outcome = Outcome::Ok;
    }
    let is_error = page.outcome != Outcome::Ok;
    page.kind = if is_error { PageKind::Error } else { PageKind::Other };
    (page, Tally::default())
}

/// How many objects of a page look like what they were taken for.
fn worth(page: &Page) -> usize {
    if !page.complaints.is_empty() {
        return 0;
    }
    let posts = page.observation.posts.iter().filter(|post| {
        let says_something = !post.text.is_empty() || post.uri.is_some() || post.repost_of.is_some();
        post.created_at.is_some() && post.author.is_some() && says_something
    });
    let accounts = page.observation.accounts.iter().filter(|account| {
        account.handle.is_some() && (account.created_at.is_some() || account.name.is_some())
    });
    posts.count() * 2 + accounts.count()
}

fn report(line: usize, page: &Page, tally: &Tally, mut complaints: Vec<String>) -> Reading {
    let listed = || page.observation.posts.iter().filter(|post| !post.is_embedded);
    let times = || listed().filter_map(|post| post.created_at).map(Timestamp::secs);
    let kind = match page.kind {
        // An address that may show an account or a post, and showed a post.
        PageKind::Account if tally.account_count == 0 && tally.post_count == 1 => PageKind::Post,
        PageKind::Account if tally.account_count == 0 && tally.post_count > 1 => PageKind::Posts,
        PageKind::Post if tally.post_count > 1 => PageKind::Posts,
        // One that may show a record of any kind, and showed a profile.
        PageKind::Post if tally.post_count == 0 && tally.account_count == 1 => PageKind::Account,
        PageKind::Account if tally.account_count > 1 => PageKind::Accounts,
        // A search finds what there is, whatever it was asked for.
        PageKind::Accounts if tally.post_count > tally.account_count => PageKind::Posts,
        kind => kind,
    };
    complaints.extend(page.complaints.iter().map(|one| format!("{}: {}", one.place, one.what)));
    Reading {
        line,
        kind,
        posts: tally.post_count,
        accounts: tally.account_count,
        first_id: tally.first.as_ref().map(|mark| mark.id.clone()),
        last_id: tally.last.as_ref().map(|mark| mark.id.clone()),
        newest_created_at: times().max(),
        oldest_created_at: times().min(),
        outcome: page.outcome.name(),
        complaints,
    }
}

#[cfg(test)]
mod tests;
