//! Searching: posts in the store by their text, or accounts on a network by their name.
//!
//! The first asks nobody; the second sends one request, through the endpoint of the
//! definition that has the role `search`, with the network's credential, if any. It stores nothing.

use std::sync::Arc;

use freshet_fetch::{Fetch as _, HttpFetch, HttpOptions};
use freshet_network::DefinedConnector;
use freshet_network::networks::Networks;
use freshet_report::search::{FoundAccount, FoundPost};
use freshet_report::time::UnixNumber;
use freshet_store::api::interest::Inquiry;
use freshet_store::row::Hit;
use freshet_types::{Account, Connector as _, Instance, Intent, NetworkName, Outcome, Target};

use crate::config::Globals;
use crate::data::{self, CONTACT_UNKNOWN, Data, block_on};
use crate::failure::Failure;
use crate::notice;

/// The posts that match, at most so many, and what of them is to be counted once they are shown ([`crate::interest`]).
pub fn posts(globals: &Globals, query: &str, limit: usize) -> anyhow::Result<(Vec<FoundPost>, Inquiry)> {
    let hits = open(globals)?.store.search(query, limit).map_err(misuse)?;
    let inquiry = Inquiry { posts: hits.iter().map(|hit| hit.row.object).collect(), ..Inquiry::default() };
    Ok((hits.into_iter().map(found_post).collect(), inquiry))
}

/// Accounts that a network finds by this name, at most so many.
pub fn accounts(
    globals: &Globals,
    wish: &AccountWish<'_>,
    limit: usize,
) -> anyhow::Result<Vec<FoundAccount>> {
    let accounts = block_on(search_online(globals, wish, &NetworkName::from(wish.network)))?;
    Ok(accounts.into_iter().take(limit).map(found_account).collect())
}

/// Which accounts are looked for, and where.
#[derive(Clone, Copy, Debug)]
pub struct AccountWish<'a> {
    /// The network that is asked.
    pub network: &'a str,
    /// The words to look for.
    pub query: &'a str,
    /// Loopback and private addresses may be asked.
    pub allow_private: bool,
}

/// The directory, for looking; where the search index is behind what was collected, it is brought up to date first, if that
/// may be.
fn open(globals: &Globals) -> anyhow::Result<Data> {
    let data = Data::look(globals)?;
    if !data.store.is_search_behind()? {
        return Ok(data);
    }
    Ok(Data::open(globals).unwrap_or_else(|_| {
        notice::note("the newest posts are not in the search index yet, and it cannot be written to");
        data
    }))
}

/// A query that is not understood is the person's slip, not the store's failure.
pub fn misuse(error: freshet_store::api::StoreError) -> anyhow::Error {
    match error {
        freshet_store::api::StoreError::Query { .. } => Failure::misuse(error.to_string())
            .hint("words, \"a phrase\", a OR b, NOT c, pre*; quote what holds other signs")
            .into(),
        other => other.into(),
    }
}

/// A post that was found, as searches show it.
pub fn found_post(hit: Hit) -> FoundPost {
    let (network, post) = (hit.row.network, hit.row.post);
    FoundPost {
        id: format!("{network}/{}/{}", post.kind, post.id),
        network,
        author: hit.row.author_handle.or(post.author),
        created_at: post.created_at.and_then(UnixNumber::of),
        snippet: hit.snippet,
        text: post.text,
        url: post.url,
    }
}

/// An account that was found, as searches show it.
fn found_account(account: Account) -> FoundAccount {
    FoundAccount {
        native_id: account.id,
        handle: account.handle,
        name: account.name,
        bio: account.bio,
        followers_count: account.followers_count,
        posts_count: account.posts_count,
        url: account.url,
    }
}

async fn search_online(
    globals: &Globals,
    wish: &AccountWish<'_>,
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
    instance.allow_private |= wish.allow_private;
    let vault = Arc::new(data.vault(globals)?);
    let credential = vault.choose(&instance.network, None);
    let target = Target {
        instance: &instance,
        endpoint: &endpoint.name,
        root: wish.query,
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
