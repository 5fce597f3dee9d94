//! Subscriptions: who gets changes, from where on, by which way; pausing, resuming, replaying, removing and trying them.
//!
//! They are rows of the store; a run that is under way sees a change within a second. What signs a webhook's batches is made
//! here, kept in the encrypted file, and shown once.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use freshet_engine::deliver::way::Means;
use freshet_engine::deliver::{Ack, Readers, Stop, test_batch};
use freshet_fetch::hook::{self, HookTarget};
use freshet_fetch::nats::{self, NatsTarget};
use freshet_fetch::{Credential, CredentialKind, Vault};
use freshet_network::networks::Networks;
use freshet_report::subscriptions::{
    FilterLine, SubscriptionAdded, SubscriptionLine, SubscriptionTest, SubscriptionsReport,
};
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::Control;
use freshet_store::subscription::{
    Filter, Kind, NAME_CHARS_MAX, SUBSCRIPTIONS_MAX, State, Subscription, SubscriptionRow, Way, is_name,
};
use freshet_types::NetworkName;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::config::{self, Globals};
use crate::constraints::{self, checked};
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::notice;
use crate::when::When;

/// Most filters of one subscription; each is judged for every object of its type.
const FILTERS_MAX: usize = 16;
/// Smallest buffer: one batch of the log.
const BUFFER_MIN: u64 = 1000;

/// From which change on somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Whatever comes after this moment.
    Now,
    /// Everything that the log has.
    Beginning,
    /// What comes after the change of this number.
    Change(u64),
    /// What was noticed at this time or later.
    Since(When),
}

impl FromStr for From {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("change:");
        match (text, number) {
            ("now", _) => Ok(Self::Now),
            ("beginning", _) => Ok(Self::Beginning),
            (_, Some(number)) => {
                number.parse().map(Self::Change).map_err(|_| format!("`{number}` is no number of a change"))
            }
            _ => text.parse().map(Self::Since).map_err(|_| {
                format!("`{text}` is no place in the log; write `now`, `beginning`, `change:123`, `7d` or `2026-01-05`")
            }),
        }
    }
}

impl From {
    /// The change after which it begins.
    fn resolve(self, data: &Data) -> anyhow::Result<u64> {
        let newest = data.store.last_change()?;
        Ok(match self {
            Self::Now => newest,
            Self::Beginning => 0,
            Self::Change(number) if number > newest => {
                let failure =
                    Failure::misuse(format!("there is no change {number} yet; the newest is {newest}"));
                return Err(failure.hint("`now` begins after the newest").into());
            }
            Self::Change(number) => number,
            Self::Since(when) => {
                let at = when.resolve(|| data.now())?;
                data.store.first_change_since(at)?.map_or(newest, |first| first - 1)
            }
        })
    }
}

/// A subscription as a person wishes it.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    pub name: &'a str,
    /// Words for what it gets; posts without any.
    pub kinds: &'a [String],
    /// Where to. A webhook's secret is made here.
    pub way: Way,
    /// Types and expressions.
    pub filters: Vec<(&'a str, &'a str)>,
    pub from: From,
    /// Changes that it may be behind before the oldest are dropped.
    pub buffer_max: Option<u64>,
    /// A webhook's batches are signed.
    pub is_signed: bool,
    /// What a bus asks for: a token, or USER:PASSWORD.
    pub login: Option<SecretString>,
}

/// Adds one that makes sense.
pub fn add(
    globals: &Globals,
    data: &mut Data,
    networks: &Networks,
    wish: Wish<'_>,
) -> anyhow::Result<SubscriptionAdded> {
    let name = wish.name;
    if !is_name(name) {
        let failure = Failure::misuse(format!("`{name}` cannot be the name of a subscription"));
        let hint = "letters, digits, `-`, `_` and `.`, beginning with a letter or digit";
        return Err(failure.hint(format!("{hint}, at most {NAME_CHARS_MAX} of them")).into());
    }
    if let (Some(viewer), Way::Websocket) = (data.viewer(), &wish.way) {
        let failure =
            Failure::misuse(format!("nobody reads what `{viewer}` sees over a WebSocket: any login could"));
        return Err(failure.hint("`--file`, `--command` or `--webhook` lead to one place").into());
    }
    let all = data.store.subscriptions()?;
    if all.iter().any(|row| row.subscription.name == name) {
        let failure = Failure::misuse(format!("there is a subscription `{name}` already"));
        return Err(failure
            .hint(format!("`freshet subscriptions remove {name}`, or choose another name"))
            .into());
    }
    if all.len() >= SUBSCRIPTIONS_MAX {
        return Err(Failure::misuse(format!("there are {SUBSCRIPTIONS_MAX} subscriptions already"))
            .hint("remove one that nobody needs")
            .into());
    }
    if wish.buffer_max.is_some_and(|max| max < BUFFER_MIN) {
        let failure = Failure::misuse(format!("a buffer holds at least {BUFFER_MIN} changes"));
        return Err(failure.hint("without `--drop-beyond` nothing is dropped").into());
    }
    let (kinds, filters) = (kinds(wish.kinds)?, filters(networks, &wish.filters)?);
    if wish.buffer_max.is_some() && kinds.contains(&Kind::Forgettings) {
        let failure =
            Failure::misuse("forgettings must not be dropped: receivers would keep whom they should erase");
        return Err(failure
            .hint("add a subscription of its own for `--kinds forgettings`, without `--drop-beyond`")
            .into());
    }
    let mut way = checked_way(wish.way)?;
    let cursor = wish.from.resolve(data)?;
    let secret = if wish.is_signed { keep_secret(globals, data, name, &mut way)? } else { None };
    if let Some(login) = &wish.login {
        keep_login(globals, data, (name, login), &mut way)?;
    }
    let subscription = Subscription {
        name: name.to_owned(),
        kinds,
        way,
        filters,
        buffer_max: wish.buffer_max,
        state: State::Running,
        added_at: data.now()?,
    };
    if !data.store.add_subscription(&subscription, cursor)? {
        return Err(Failure::new(format!("somebody has just added a subscription `{name}`")).into());
    }
    data.store.push_control(&Control::Subscriptions)?;
    Ok(SubscriptionAdded { subscription: one(data, name)?, secret })
}

fn kinds(words: &[String]) -> Result<Vec<Kind>, Failure> {
    let mut kinds = words.iter().map(|word| word.trim().parse()).collect::<Result<Vec<Kind>, _>>();
    kinds.as_mut().map(|kinds| kinds.sort()).ok();
    let mut kinds = kinds.map_err(Failure::misuse)?;
    kinds.dedup();
    Ok(if kinds.is_empty() { vec![Kind::Posts] } else { kinds })
}

fn filters(networks: &Networks, wished: &[(&str, &str)]) -> anyhow::Result<Vec<Filter>> {
    if wished.len() > FILTERS_MAX {
        let failure = Failure::misuse(format!("{} filters are too many", wished.len()));
        return Err(failure.hint(format!("join some with `&&`; at most {FILTERS_MAX} are judged")).into());
    }
    let filter = |(type_name, expression): &(&str, &str)| {
        let constraint = checked(networks, constraints::Wish { type_name, expression, purpose: "" })?;
        Ok(Filter { type_name: (*type_name).to_owned(), text: constraint.text().to_owned() })
    };
    wished.iter().map(filter).collect()
}

/// The way, where it can lead somewhere.
fn checked_way(way: Way) -> anyhow::Result<Way> {
    match way {
        Way::File(path) => {
            let path = std::path::absolute(&path)
                .map_err(|error| Failure::misuse(format!("`{path}` is no path: {error}")))?;
            if !path.parent().is_some_and(Path::is_dir) {
                let failure = Failure::misuse(format!("`{}` lies in no folder that exists", path.display()));
                return Err(failure.hint("make the folder first").into());
            }
            Ok(Way::File(path.display().to_string()))
        }
        Way::Webhook { url, allow_private, secret } => {
            let target = HookTarget { url, allow_private, secret };
            hook::check(&target).map_err(|fault| Failure::misuse(fault.message))?;
            Ok(Way::Webhook { url: target.url, allow_private, secret: target.secret })
        }
        Way::Nats { url, subject, stream, login } => {
            let target = NatsTarget { url, subject, stream, login };
            nats::check(&target).map_err(|fault| Failure::misuse(fault.message))?;
            let NatsTarget { url, subject, stream, login } = target;
            Ok(Way::Nats { url, subject, stream, login })
        }
        other => Ok(other),
    }
}

/// Makes the secret of a webhook and keeps it in the encrypted file; gives it, to be shown once.
fn keep_secret(globals: &Globals, data: &Data, name: &str, way: &mut Way) -> anyhow::Result<Option<String>> {
    let Way::Webhook { url, secret, .. } = way else { return Ok(None) };
    let made = hook::new_secret()?;
    *secret = Some(put_secret(globals, data, (name, &made), ("hook", url.as_str()))?);
    Ok(Some(made.expose_secret().to_owned()))
}

/// Keeps what a bus asks for in the encrypted file.
fn keep_login(
    globals: &Globals,
    data: &Data,
    (name, given): (&str, &SecretString),
    way: &mut Way,
) -> anyhow::Result<()> {
    if let Way::Nats { url, login, .. } = way {
        *login = Some(put_secret(globals, data, (name, given), ("bus", url.as_str()))?);
    }
    Ok(())
}

/// Puts a secret of a subscription into the encrypted file; gives its name there.
fn put_secret(
    globals: &Globals,
    data: &Data,
    (name, secret): (&str, &SecretString),
    (sort, url): (&str, &str),
) -> anyhow::Result<String> {
    let key = secret_name(name);
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let network = NetworkName::from(format!("{sort}:{host}").as_str());
    let credential = Credential::new(&key, &network, CredentialKind::Bearer, None, secret)?;
    let passphrase = data::passphrase(globals, "Passphrase of the credentials file: ")?;
    Vault::change(&data::vault_path(data.dir()), &passphrase, |vault| vault.put(credential))?;
    Ok(key)
}

/// Under which name the file has what signs.
fn secret_name(name: &str) -> String {
    format!("subscription-{name}")
}

/// All of them.
pub fn list(data: &Data) -> anyhow::Result<SubscriptionsReport> {
    Ok(SubscriptionsReport { subscriptions: lines(&data.store)? })
}

/// The same, for whoever shows them among other things.
pub(crate) fn lines(store: &dyn Store) -> Result<Vec<SubscriptionLine>, StoreError> {
    let rows = store.subscriptions()?;
    let newest = if rows.is_empty() { 0 } else { store.last_change()? };
    Ok(rows.into_iter().map(|row| line(row, newest)).collect())
}

fn line(SubscriptionRow { subscription: it, standing }: SubscriptionRow, newest: u64) -> SubscriptionLine {
    let (failed_at, failure) = standing.failure.unzip();
    SubscriptionLine {
        state: it.state.name().to_owned(),
        kinds: it.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        way: it.way.name().to_owned(),
        target: if it.way == Way::Websocket { socket_path(&it.name) } else { it.way.target() },
        filters: it
            .filters
            .into_iter()
            .map(|filter| FilterLine { type_name: filter.type_name, text: filter.text })
            .collect(),
        name: it.name,
        buffer_max: it.buffer_max,
        added_at: UnixNumber::of(it.added_at),
        cursor: standing.cursor,
        behind: newest.saturating_sub(standing.cursor),
        delivered_count: standing.delivered_count,
        dropped_count: standing.dropped_count,
        lost_count: standing.lost_count,
        failed_count: standing.failed_count,
        failure,
        failed_at: failed_at.and_then(UnixNumber::of),
    }
}

/// Where the dashboard has the WebSocket of a subscription.
fn socket_path(name: &str) -> String {
    format!("/api/v1/subscriptions/{name}/socket")
}

/// Refuses one that nobody can read over a WebSocket at the moment.
pub fn check_readable(data: &Data, name: &str) -> anyhow::Result<()> {
    let it = find(data, name)?.subscription;
    if it.way != Way::Websocket {
        let failure =
            Failure::misuse(format!("`{name}` goes to a {} and not over a WebSocket", it.way.name()));
        return Err(failure.hint("`freshet subscriptions add NAME --websocket` adds one that does").into());
    }
    if it.state != State::Running {
        let failure = Failure::misuse(format!("`{name}` is {}", it.state.name()));
        return Err(failure.hint(format!("`freshet subscriptions resume {name}` lets it go on")).into());
    }
    Ok(())
}

fn find(data: &Data, name: &str) -> anyhow::Result<SubscriptionRow> {
    let rows = data.store.subscriptions()?;
    let known: Vec<String> = rows.iter().map(|row| row.subscription.name.clone()).collect();
    rows.into_iter().find(|row| row.subscription.name == name).ok_or_else(|| {
        let known = if known.is_empty() { "there is none yet".to_owned() } else { known.join(", ") };
        Failure::misuse(format!("there is no subscription `{name}`")).hint(format!("known: {known}")).into()
    })
}

fn one(data: &Data, name: &str) -> anyhow::Result<SubscriptionLine> {
    Ok(line(find(data, name)?, data.store.last_change()?))
}

/// What a subscription can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Wait and keep your place.
    Pause,
    /// Go on; also one that its receiver has ended.
    Resume,
    Remove,
}

/// Tells a subscription; a run that is under way obeys within a second.
pub fn steer(data: &mut Data, verb: Verb, name: &str) -> anyhow::Result<()> {
    let row = find(data, name)?;
    match (verb, row.subscription.state) {
        (Verb::Pause, State::Ended) => {
            let failure = Failure::misuse(format!("`{name}` was ended by its receiver"));
            return Err(failure.hint(format!("`freshet subscriptions resume {name}` tries it again")).into());
        }
        (Verb::Pause, _) => drop(data.store.set_subscription(name, State::Paused)?),
        (Verb::Resume, _) => drop(data.store.set_subscription(name, State::Running)?),
        (Verb::Remove, _) => drop(data.store.remove_subscription(name)?),
    }
    data.store.push_control(&Control::Subscriptions)?;
    Ok(())
}

/// Forgets what signed the batches of one that was removed, where the file can be opened without asking anybody.
pub fn forget_secret(globals: &Globals, data: &Data, name: &str) {
    let path = data::vault_path(data.dir());
    let Some(passphrase) = globals.config.passphrase.as_ref().filter(|_| path.is_file()) else { return };
    let key = secret_name(name);
    if let Err(error) = Vault::change(&path, passphrase, |vault| {
        // One that is not there needs no removing.
        drop(vault.remove(&key));
        Ok(())
    }) {
        notice::warn(format!("the secret `{key}` stays in the credentials file: {error}"));
    }
}

/// Delivers again, from there on.
pub fn replay(data: &mut Data, name: &str, from: From) -> anyhow::Result<()> {
    find(data, name)?;
    let cursor = from.resolve(data)?;
    data.store.move_subscription(name, cursor)?;
    data.store.push_control(&Control::Subscriptions)?;
    Ok(())
}

/// What outlets are opened with.
pub(crate) fn means(
    networks: Arc<Networks>,
    contact: &str,
    clock: Arc<dyn freshet_types::Clock>,
    vault: freshet_fetch::LiveVault,
) -> Means {
    let (contact, hidden) = (contact.to_owned(), config::own_variables().collect());
    Means { networks, contact, clock, vault, hidden, readers: Readers::default() }
}

/// Sends one marked record, by the way that batches go; says what came back. Nothing is counted and no cursor moves.
pub fn test(globals: &Globals, data: &Data, name: &str) -> anyhow::Result<SubscriptionTest> {
    let row = find(data, name)?;
    let way = &row.subscription.way;
    if *way == Way::Stdout {
        let failure = Failure::misuse(format!("`{name}` goes to the standard output of a run"));
        return Err(failure.hint("start a run and look there").into());
    }
    if *way == Way::Websocket {
        let failure =
            Failure::misuse(format!("`{name}` is read by whoever connects to the dashboard of a run"));
        return Err(failure.hint(format!("start a run and connect to `{}`", socket_path(name))).into());
    }
    let contact = data.contact(globals)?.unwrap_or_else(|| data::CONTACT_UNKNOWN.to_owned());
    let clock = data::block_on(data.clock())?;
    let batch = test_batch(name, clock.now(), row.standing.cursor);
    let vault = match way {
        Way::Webhook { secret: Some(_), .. } | Way::Nats { login: Some(_), .. } => {
            data.live_vault(globals)?
        }
        _ => Arc::new(Vault::empty()).into(),
    };
    let means = means(Arc::new(Networks::empty()), &contact, clock, vault);
    let outcome = means
        .open(&row, &Stop::default())
        .map_err(|error| error.to_string())
        .and_then(|mut outlet| outlet.deliver(&batch));
    let (is_taken, said) = match outcome {
        Ok(Ack::Taken) => (true, "it was taken".to_owned()),
        Ok(Ack::Gone(why)) => (false, format!("{why}; in a run this would end the subscription")),
        Err(why) => (false, why),
    };
    Ok(SubscriptionTest { name: name.to_owned(), is_taken, said })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_log_are_read() {
        let check =
            |text: &str, expected: Option<From>| assert_eq!(text.parse::<From>().ok(), expected, "{text}");
        check("now", Some(From::Now));
        check("beginning", Some(From::Beginning));
        check("change:17", Some(From::Change(17)));
        check("change:x", None);
        check("yesterday-ish", None);
        assert!(matches!("7d".parse(), Ok(From::Since(When::Ago(_)))));
        assert!(matches!("2026-01-05".parse(), Ok(From::Since(When::At(_)))));
    }
}
