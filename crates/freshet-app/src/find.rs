//! Finding accounts on a network by words, and watching them: how a crawl is seeded by a search.
//!
//! One request or a few go out, through the endpoint of the definition that has the role `search`, with the network's credential, if any, each
//! granted by the run under way or by the stored ledger ([`crate::guest`]).
//! Nothing is stored but what is to be added, and that is added as [`crate::add`] would by its address: what the network calls an account
//! is taken by its id only where no address of it is understood.

use std::sync::Arc;

use freshet_fetch::{HttpFetch, HttpOptions};
use freshet_network::DefinedConnector;
use freshet_network::networks::Networks;
use freshet_network::robot::ACCOUNT;
use freshet_report::add::AddReport;
use freshet_report::find::{AccountsFound, FoundAccount};
use freshet_types::{
    Account, Connector as _, Instance, Intent, NetworkName, Outcome, Reference, Response, Set, Target,
};
use url::Url;

use crate::add::{self, AddWish};
use crate::config::Globals;
use crate::data::{self, CONTACT_UNKNOWN, Data, block_on};
use crate::failure::Failure;
use crate::guest::Guest;

/// Pages of results that are asked for at most.
const PAGES_MAX: usize = 5;

/// Which accounts are looked for, and where.
#[derive(Clone, Debug)]
pub struct FindWish {
    /// The network that is asked: its name, with the server where there are many.
    pub network: String,
    /// The words to look for.
    pub query: String,
    /// At most so many.
    pub limit: usize,
    /// They are watched from now on.
    pub adds: bool,
    /// Loopback and private addresses may be asked.
    pub allow_private: bool,
}

/// Finds accounts, and adds them where that is wished.
pub fn find(globals: &Globals, wish: &FindWish) -> anyhow::Result<AccountsFound> {
    let networks = data::networks(globals)?;
    let (name, base) = server(&wish.network);
    let connector = searchable(&networks, &name)?;
    let mut data = Data::create(globals)?;
    let mut instance = instance(&data, &networks, &name, base)?;
    instance.allow_private |= wish.allow_private;
    let accounts = block_on(ask((globals, &networks), &mut data, &connector, &instance, wish))?;
    let added = wish.adds.then(|| watch(&mut data, &networks, (&instance, &accounts), wish)).transpose()?;
    let accounts = accounts.into_iter().map(found).collect();
    Ok(AccountsFound { network: instance.network.to_string(), accounts, added })
}

/// The name of a network, and its base where a person gave an address: `mastodon:http://127.0.0.1:4040`.
fn server(text: &str) -> (NetworkName, Option<String>) {
    let address = text.split_once(':').and_then(|(name, rest)| Some((name, Url::parse(rest).ok()?)));
    let address = address.filter(|(_, url)| matches!(url.scheme(), "http" | "https"));
    match address {
        Some((name, url)) => {
            let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
            (NetworkName::new(name, Some(host)), Some(url.origin().ascii_serialization()))
        }
        None => (NetworkName::from(text), None),
    }
}

/// What speaks for the network, if that finds accounts.
fn searchable(networks: &Networks, network: &NetworkName) -> anyhow::Result<DefinedConnector> {
    let Some(definition) = networks.definition(network.definition()) else {
        let failure = Failure::misuse(format!("there is no network `{}`", network.definition()));
        return Err(failure.hint(format!("the networks are {}", networks.names().join(", "))).into());
    };
    let connector = DefinedConnector::new(&definition)?;
    if connector.search().is_some() {
        return Ok(connector);
    }
    let can = |name: &&String| {
        let definition = networks.definition(name);
        definition.and_then(|it| DefinedConnector::new(&it).ok()).is_some_and(|it| it.search().is_some())
    };
    let names = networks.names();
    let able: Vec<&str> = names.iter().filter(can).map(String::as_str).collect();
    let failure = Failure::misuse(format!("accounts cannot be searched on `{network}`"));
    Err(failure.hint(format!("they can on {}; add what you know with `freshet add`", able.join(", "))).into())
}

/// The server as it was added, as a person gave it, else as its definition knows it.
pub(crate) fn instance(
    data: &Data,
    networks: &Networks,
    network: &NetworkName,
    base: Option<String>,
) -> anyhow::Result<Instance> {
    let stored = data.store.instances()?.into_iter().find(|row| row.instance.network == *network);
    let given = || base.map(|base| Instance { network: network.clone(), base, allow_private: false });
    let known = stored.map(|row| row.instance).or_else(given).or_else(|| networks.instance_of(network));
    known.ok_or_else(|| {
        let name = network.definition();
        let failure = Failure::misuse(format!("`{name}` has many servers, and none is named"));
        failure.hint(format!("name one: `freshet find {name}:example.social …`")).into()
    })
}

/// Asks for results, page by page, until there are enough.
async fn ask(
    (globals, networks): (&Globals, &Networks),
    data: &mut Data,
    connector: &DefinedConnector,
    instance: &Instance,
    wish: &FindWish,
) -> anyhow::Result<Vec<Account>> {
    let Some(endpoint) = connector.search() else { return Ok(Vec::new()) };
    let vault = data.live_vault(globals)?;
    let viewers = data.viewers();
    let holders = vault.now().holders(&instance.network, None, None);
    let credential = holders.into_iter().find(|holder| !viewers.has(&holder.credential));
    let target = Target {
        instance,
        endpoint: &endpoint.name,
        root: &wish.query,
        credential: credential.as_ref(),
        validators: None,
    };
    let clock = data.clock().await?;
    let contact = data.contact(globals)?.unwrap_or_else(|| CONTACT_UNKNOWN.to_owned());
    let fetch = HttpFetch::new(HttpOptions::new(contact, Arc::clone(&clock), vault))?;
    let mut guest = Guest::new(data, networks, &fetch, &*clock);
    let (mut all, mut seen, mut intent) = (Vec::new(), Set::default(), Intent::First);
    for _ in 0..PAGES_MAX {
        let request = connector.ask(&target, &intent)?;
        let mut page = None;
        let read = |response: &Response, now| {
            page.insert(connector.read(&target, &intent, response, now)).outcome.clone()
        };
        guest.send(&request, read).await??;
        let Some(page) = page else { break };
        if page.outcome != Outcome::Ok {
            return Err(refused(&instance.network, &page.outcome));
        }
        all.extend(page.observation.accounts.into_iter().filter(|it| seen.insert(it.id.clone())));
        let Some(next) = page.next.filter(|_| all.len() < wish.limit) else { break };
        intent = Intent::Next(next);
    }
    all.truncate(wish.limit);
    Ok(all)
}

fn refused(network: &NetworkName, outcome: &Outcome) -> anyhow::Error {
    let failure = Failure::new(format!("`{network}` answered `{}`", outcome.name()));
    match outcome {
        Outcome::AuthRequired => {
            failure.hint(format!("add a credential with `freshet credentials add {network}`")).into()
        }
        _ => failure.hint("is it the right server, and is it up? try again later").into(),
    }
}

/// Watches what was found.
fn watch(
    data: &mut Data,
    networks: &Networks,
    (instance, accounts): (&Instance, &[Account]),
    wish: &FindWish,
) -> anyhow::Result<AddReport> {
    let references: Vec<(String, Reference)> =
        accounts.iter().map(|account| meant(networks, instance, account)).collect();
    let args = AddWish { allow_private: wish.allow_private, ..AddWish::default() };
    add::add_references(data, networks, &args, references)
}

/// The account as its address means it, else by its id on the server that was asked.
fn meant(networks: &Networks, instance: &Instance, account: &Account) -> (String, Reference) {
    let texts = [&account.url, &account.handle].into_iter().flatten();
    let mut understood = texts.filter_map(|text| Some((text.clone(), networks.understand(text).ok()?)));
    let is_meant = |(_, reference): &(String, Reference)| {
        let network = &reference.instance.network;
        network.definition() == instance.network.definition() && *reference.root_kind == *ACCOUNT
    };
    let by_id = || Reference {
        instance: instance.clone(),
        root_kind: ACCOUNT.into(),
        root_id: Some(account.id.clone()),
        handle: account.handle.clone(),
    };
    understood
        .find(is_meant)
        .unwrap_or_else(|| (account.handle.clone().unwrap_or_else(|| account.id.clone()), by_id()))
}

/// An account that was found, as the report shows it.
fn found(account: Account) -> FoundAccount {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_named_with_or_without_its_address() {
        for (text, name, base) in [
            ("bluesky", "bluesky", None),
            ("mastodon:example.social", "mastodon:example.social", None),
            ("mastodon:127.0.0.1:4040", "mastodon:127.0.0.1:4040", None),
            ("mastodon:http://127.0.0.1:4040/", "mastodon:127.0.0.1:4040", Some("http://127.0.0.1:4040")),
            ("mastodon:https://example.social", "mastodon:example.social", Some("https://example.social")),
        ] {
            assert_eq!(server(text), (NetworkName::from(name), base.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn an_account_is_added_by_its_address_and_else_by_its_id() {
        let networks = Networks::shipped();
        for (network, url, handle, expected) in [
            (
                "mastodon:a.example",
                Some("https://b.example/@ada"),
                "ada@b.example",
                "mastodon:b.example/account @ada",
            ),
            // The same address means a Mastodon server to whoever types it.
            ("misskey:a.example", Some("https://a.example/@ada"), "ada", "misskey:a.example/account/7"),
            ("lemmy:a.example", None, "ada", "lemmy:a.example/account/7"),
        ] {
            let instance = networks.instance_of(&network.into()).unwrap();
            let account = Account {
                id: "7".to_owned(),
                url: url.map(str::to_owned),
                handle: Some(handle.to_owned()),
                ..Account::default()
            };
            assert_eq!(meant(&networks, &instance, &account).1.to_string(), expected, "{network}");
        }
    }
}
