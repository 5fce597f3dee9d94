//! `freshet search`: posts in the store by their text, or accounts on a network by their name.
//!
//! The first asks nobody; the second sends one request, through the endpoint of the
//! definition that has the role `search`, with the network's credential, if any. It stores nothing.

use std::process::ExitCode;
use std::sync::Arc;

use freshet_fetch::{Fetch as _, HttpFetch, HttpOptions};
use freshet_network::DefinedConnector;
use freshet_network::networks::Networks;
use freshet_store::row::Hit;
use freshet_types::{Account, Connector as _, Instance, Intent, NetworkName, Outcome, Target, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::args::SearchArgs;
use crate::config::Globals;
use crate::data::{self, CONTACT_UNKNOWN, Data, block_on};
use crate::failure::Failure;
use crate::output::{self, COLUMNS, Report, fitted, one_line, seconds, shorten, wrapped};
use crate::plain::plain;

/// Columns of an author.
const AUTHOR_COLUMNS_MAX: usize = 20;
/// Before the text of a post, which stands below its author and address.
const INDENT: &str = "    ";

/// Searches here or there.
pub(crate) fn execute(globals: &Globals, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    match &args.network {
        Some(network) if args.online => {
            let accounts = block_on(search_online(globals, args, &NetworkName::from(network.as_str())))?;
            let accounts = accounts.into_iter().take(args.limit as usize).map(FoundAccount::new).collect();
            output::print(args.report, &AccountsReport { network: network.clone(), accounts })?;
        }
        _ => {
            let data = open(globals)?;
            let hits = data.store.search(&args.query, args.limit as usize).map_err(misuse)?;
            let hits = hits.into_iter().map(FoundPost::new).collect();
            output::print(args.report, &PostsReport { query: args.query.clone(), hits })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The directory, for looking; where the search index is behind what was collected, it is brought up to date first, if that
/// may be.
fn open(globals: &Globals) -> anyhow::Result<Data> {
    let data = Data::look(globals)?;
    if !data.store.is_search_behind()? {
        return Ok(data);
    }
    Ok(Data::open(globals).unwrap_or_else(|_| {
        output::note("the newest posts are not in the search index yet, and it cannot be written to");
        data
    }))
}

/// A query that is not understood is the person's slip, not the store's failure.
pub(crate) fn misuse(error: freshet_store::api::StoreError) -> anyhow::Error {
    match error {
        freshet_store::api::StoreError::Query { .. } => Failure::misuse(error.to_string())
            .hint("words, \"a phrase\", a OR b, NOT c, pre*; quote what holds other signs")
            .into(),
        other => other.into(),
    }
}

#[derive(Serialize)]
struct PostsReport {
    query: String,
    hits: Vec<FoundPost>,
}

/// A post as searches show it.
#[derive(Serialize)]
pub(crate) struct FoundPost {
    id: String,
    network: String,
    author: Option<String>,
    created_at: Value,
    snippet: String,
    text: String,
    url: Option<String>,
    #[serde(skip)]
    shown_at: String,
}

impl FoundPost {
    /// Of a hit.
    pub(crate) fn new(hit: Hit) -> Self {
        let (network, post) = (hit.row.network, hit.row.post);
        Self {
            id: format!("{network}/{}/{}", post.kind, post.id),
            network: network.to_string(),
            author: hit.row.author_handle.or(post.author),
            created_at: post.created_at.map_or_else(|| json!(null), seconds),
            snippet: hit.snippet,
            text: post.text,
            url: post.url,
            shown_at: post.created_at.map_or_else(|| "no time".to_owned(), minute),
        }
    }
}

/// An instant to the minute, in UTC.
fn minute(at: Timestamp) -> String {
    let shown = at.to_string();
    shown.get(..16).unwrap_or(&shown).replace('T', " ")
}

impl Report for PostsReport {
    fn text(&self) -> String {
        if self.hits.is_empty() {
            return format!("no post matches `{}`", self.query);
        }
        let hit = |it: &FoundPost| {
            let author = shorten(it.author.as_deref().unwrap_or("somebody"), AUTHOR_COLUMNS_MAX);
            let text = wrapped(&plain(&it.snippet).replace('\n', " "), COLUMNS - INDENT.len(), INDENT);
            let (head, id) = (format!("{}  {author}", it.shown_at), one_line(&it.id));
            // Addresses are for copying, so they are never cut.
            let fits = head.width() + 2 + id.width() <= COLUMNS;
            let between = if fits { "  ".to_owned() } else { format!("\n{INDENT}") };
            format!("{head}{between}{id}\n{INDENT}{text}")
        };
        self.hits.iter().map(hit).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Serialize)]
struct AccountsReport {
    network: String,
    accounts: Vec<FoundAccount>,
}

#[derive(Serialize)]
struct FoundAccount {
    native_id: String,
    handle: Option<String>,
    name: Option<String>,
    bio: Option<String>,
    followers_count: Option<i64>,
    posts_count: Option<i64>,
    url: Option<String>,
}

impl FoundAccount {
    fn new(account: Account) -> Self {
        Self {
            native_id: account.id,
            handle: account.handle,
            name: account.name,
            bio: account.bio,
            followers_count: account.followers_count,
            posts_count: account.posts_count,
            url: account.url,
        }
    }
}

impl Report for AccountsReport {
    fn text(&self) -> String {
        if self.accounts.is_empty() {
            return format!("no account was found on {}", self.network);
        }
        let number = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let row = |it: &FoundAccount| {
            vec![
                it.handle.clone().unwrap_or_else(|| it.native_id.clone()),
                it.name.clone().unwrap_or_default(),
                number(it.followers_count),
                number(it.posts_count),
                it.url.clone().unwrap_or_default(),
            ]
        };
        fitted(&["handle", "name", "#followers", "#posts", "address"], self.accounts.iter().map(row))
    }
}

async fn search_online(
    globals: &Globals,
    args: &SearchArgs,
    network: &NetworkName,
) -> anyhow::Result<Vec<Account>> {
    let data = Data::create(globals)?;
    let networks = data::networks(globals)?;
    let definition = networks.definition(network.definition());
    let connector = definition.map(|definition| DefinedConnector::new(&definition)).transpose()?;
    let found = connector.as_ref().and_then(|connector| Some((connector, connector.search()?)));
    let (connector, endpoint) = found.ok_or_else(|| {
        let failure = Failure::misuse(format!("accounts cannot be searched on `{network}`"));
        failure.hint(format!("the networks are {}", networks.names().join(", ")))
    })?;
    let mut instance = instance(&data, &networks, network)?;
    instance.allow_private |= args.allow_private;
    let vault = Arc::new(data.vault(globals)?);
    let credential = vault.choose(&instance.network, None);
    let target = Target {
        instance: &instance,
        endpoint: &endpoint.name,
        root: &args.query,
        credential: credential.as_ref(),
        validators: None,
    };
    let clock = data.clock().await?;
    let contact = data.contact(globals)?.unwrap_or_else(|| CONTACT_UNKNOWN.to_owned());
    let fetch = HttpFetch::new(HttpOptions::new(contact, Arc::clone(&clock), vault))?;
    let request = connector.ask(&target, &Intent::First)?;
    let response = fetch.fetch(&request).await?;
    let page = connector.read(&target, &Intent::First, &response, clock.now());
    if page.outcome == Outcome::Ok {
        return Ok(page.observation.accounts);
    }
    let failure = Failure::new(format!("`{network}` answered `{}`", page.outcome.name()));
    Err(match page.outcome {
        Outcome::AuthRequired => {
            failure.hint(format!("add a credential with `freshet credentials add {network}`")).into()
        }
        _ => failure.hint("is it the right server, and is it up? try again later").into(),
    })
}

/// The server as it was added, else as its definition knows it.
fn instance(data: &Data, networks: &Networks, network: &NetworkName) -> anyhow::Result<Instance> {
    let stored = data.store.instances()?.into_iter().find(|row| row.instance.network == *network);
    stored.map(|row| row.instance).or_else(|| networks.instance_of(network)).ok_or_else(|| {
        let name = network.definition();
        let failure = Failure::misuse(format!("`{name}` has many servers, and none is named"));
        failure.hint(format!("name one: --network {name}:example.social")).into()
    })
}
