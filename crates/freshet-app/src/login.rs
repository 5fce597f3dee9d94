//! Logging in: an app and a person's consent become a credential in the encrypted file.
//!
//! The passphrase is tried before anybody is asked for consent, and what was got is saved before anything else is said.
//! How the person is told where to go, and how the answer comes back, is the program's; no secret is ever shown.

use std::path::PathBuf;
use std::time::Duration;

use freshet_fetch::login::{Login, Pending, Place};
use freshet_fetch::oauth::App;
use freshet_fetch::oauth::listen::Listener;
use freshet_fetch::{Credential, CredentialInfo, CredentialKind, HttpFetch, HttpOptions, Vault};
use freshet_network::networks::Networks;
use freshet_types::definition::{GrantName, LoginKind, LoginRule};
use freshet_types::{Instance, NetworkName};
use secrecy::SecretString;

use crate::config::Globals;
use crate::credentials::check_network;
use crate::data::{CONTACT_UNKNOWN, Data, vault_path};
use crate::failure::Failure;
use crate::find::instance;

/// How long a person may take to say yes.
const CONSENT_MAX: Duration = Duration::from_mins(10);

/// Who wants to log in where.
#[derive(Debug, Default)]
pub struct Wish<'a> {
    /// The network, or the server of it.
    pub network: &'a str,
    /// Which protocol, where the network has more than one.
    pub kind: Option<LoginKind>,
    /// Whose consent; the usual one unless given.
    pub grant: Option<GrantName>,
    /// The app, unless it can be registered on the spot.
    pub app: Option<App>,
    /// What to call the credential; the network's name unless given.
    pub name: Option<&'a str>,
    /// Whose it is, where the network does not say.
    pub user: Option<&'a str>,
    /// The port that the browser comes back to; a free one unless given.
    pub port: Option<u16>,
    /// Loopback and private addresses may be asked.
    pub allow_private: bool,
}

/// A login under way.
pub struct LoggingIn {
    fetch: HttpFetch,
    place: Place,
    name: String,
    user: Option<String>,
    path: PathBuf,
    passphrase: SecretString,
    /// Waits for a person, unless the app speaks for itself.
    waiting: Option<(Pending, Listener)>,
    app: Option<App>,
}

impl std::fmt::Debug for LoggingIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoggingIn").field("network", &self.place.network).finish_non_exhaustive()
    }
}

impl LoggingIn {
    /// Begins: after this, a person can say yes, or the app has all it needs.
    pub async fn begin(
        globals: &Globals,
        data: &Data,
        networks: &Networks,
        passphrase: SecretString,
        wish: Wish<'_>,
    ) -> anyhow::Result<Self> {
        let (place, grant) = place(data, networks, &wish)?;
        let path = vault_path(data.dir());
        let name = wish.name.unwrap_or(wish.network).to_owned();
        let is_free = |info: &CredentialInfo| {
            let is_oauth = matches!(info.kind, CredentialKind::Oauth2 | CredentialKind::Oauth1);
            *info.name != *name || (is_oauth && info.network == place.network)
        };
        if !Vault::open(&path, &passphrase)?.list().iter().all(is_free) {
            let failure = Failure::misuse(format!("there is another credential `{name}`"));
            return Err(failure.hint("choose a name with --name, or remove that one first").into());
        }
        let contact = data.contact(globals)?.unwrap_or_else(|| CONTACT_UNKNOWN.to_owned());
        let fetch = HttpFetch::new(HttpOptions::new(contact, data.clock().await?, Vault::empty()))?;
        let user = wish.user.map(str::to_owned);
        let mut login = Self { fetch, place, name, user, path, passphrase, waiting: None, app: None };
        if grant == GrantName::ClientCredentials {
            login.app = Some(match wish.app {
                Some(app) => app,
                None => login.login().register(None).await?,
            });
        } else {
            let listener = Listener::open(wish.port).await?;
            let redirect = listener.redirect();
            let app = match wish.app {
                Some(app) => app,
                None => login.login().register(Some(&redirect)).await?,
            };
            login.waiting = Some((login.login().begin(app, redirect).await?, listener));
        }
        Ok(login)
    }

    /// What the person opens in a browser; `None` where nobody needs to.
    pub fn address(&self) -> Option<&str> {
        self.waiting.as_ref().map(|(pending, _)| pending.address.as_str())
    }

    /// Waits until the browser comes back, for a while.
    pub async fn answer(&self) -> anyhow::Result<String> {
        let answer = match &self.waiting {
            Some((_, listener)) => listener.answer(CONSENT_MAX).await,
            None => Some(String::new()),
        };
        answer.ok_or_else(|| {
            let failure = Failure::new(format!("nobody said yes to `{}` in time", self.place.network));
            failure
                .hint("start the login again; on a machine without a browser, paste the address it ends at")
                .into()
        })
    }

    /// Ends it with the answer: what may be shown of the credential that is in the file now.
    pub async fn finish(mut self, answer: &str) -> anyhow::Result<CredentialInfo> {
        let mut credential = match (self.waiting.take(), &self.app) {
            (Some((pending, _)), _) => self.login().finish(pending, answer).await?,
            (None, Some(app)) => self.login().app_token(app).await?,
            (None, None) => return Err(Failure::new("the login has not begun").into()),
        };
        credential.identifier = self.user.take().or(credential.identifier);
        let info = credential.info();
        self.keep(credential)?;
        Ok(info)
    }

    fn keep(&self, credential: Credential) -> anyhow::Result<()> {
        let ((), _) = Vault::change(&self.path, &self.passphrase, |vault| {
            // Whoever logs in again keeps what the robots were told.
            let robot = vault.list().iter().find(|it| it.name == credential.name).and_then(|it| it.robot);
            vault.put(Credential { robot, ..credential })
        })?;
        Ok(())
    }

    fn login(&self) -> Login<'_> {
        Login { fetch: &self.fetch, place: &self.place, name: &self.name }
    }
}

/// Says what is wrong with a wish, before anybody is asked for a secret.
pub fn check(data: &Data, networks: &Networks, wish: &Wish<'_>) -> anyhow::Result<()> {
    place(data, networks, wish).map(drop)
}

/// Where the network is logged in to, by its definition, and whose consent that takes.
fn place(data: &Data, networks: &Networks, wish: &Wish<'_>) -> anyhow::Result<(Place, GrantName)> {
    let network = check_network(networks, wish.network)?;
    let definition = networks.definition(network.definition());
    let rules = definition.as_ref().map_or(&[] as &[LoginRule], |definition| &definition.login);
    let rule = rules.iter().find(|rule| wish.kind.is_none_or(|kind| rule.kind == kind)).ok_or_else(|| {
        let failure = match (rules, wish.kind) {
            ([_, ..], Some(kind)) => Failure::misuse(format!("`{network}` has no login by {}", kind.name())),
            _ => Failure::misuse(format!("`{network}` has no login that its definition knows")),
        };
        failure.hint(format!("add a token that you have with `freshet credentials add {network}`"))
    })?;
    let grant = wish.grant.or(rule.grants.first().copied()).unwrap_or(GrantName::Code);
    if !rule.grants.contains(&grant) {
        let names: Vec<&str> = rule.grants.iter().map(|grant| grant.name()).collect();
        let failure = Failure::misuse(format!("`{}` has no grant `{}`", wish.network, grant.name()));
        return Err(failure.hint(format!("it has {}", names.join(", "))).into());
    }
    let mut instance = instance(data, networks, &network, None)?;
    instance.allow_private |= wish.allow_private;
    let rule = on(rule, &instance, &network);
    Ok((Place { rule, allow_private: instance.allow_private, network }, grant))
}

/// The rule with whole addresses.
fn on(rule: &LoginRule, instance: &Instance, network: &NetworkName) -> LoginRule {
    let base = base(instance);
    let whole = |text: &str| {
        if let Some(rest) = text.strip_prefix('/') {
            return format!("{base}/{rest}");
        }
        let host = network.host().unwrap_or_default();
        text.replace("{{ host }}", host).replace("{{host}}", host)
    };
    let maybe = |text: &Option<String>| text.as_deref().map(whole);
    let mut rule = rule.clone();
    rule.authorize_url = maybe(&rule.authorize_url);
    rule.request_token_url = maybe(&rule.request_token_url);
    rule.register_url = maybe(&rule.register_url);
    rule.token_url = whole(&rule.token_url);
    if let Some(user) = &mut rule.user {
        user.url = whole(&user.url);
    }
    rule
}

/// Servers on this computer have no certificate, and whoever allows private addresses means them.
fn base(instance: &Instance) -> String {
    let is_loopback = url::Url::parse(&instance.base).ok().is_some_and(|url| match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    });
    match instance.base.strip_prefix("https://") {
        Some(rest) if is_loopback && instance.allow_private => format!("http://{rest}"),
        _ => instance.base.clone(),
    }
}
