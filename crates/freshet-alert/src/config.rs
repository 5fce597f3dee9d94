//! `alerts.toml` in the data directory: thresholds, quiet times and receivers.
//!
//! Works without the file: then all rules hold as usual, and alerts are only listed. Secrets do not stand
//! in it: a receiver's password or token is the environment variable `FRESHET_ALERT_SECRET_NAME`. A web
//! address may itself be a secret (many services make it one), so it is shown by its host alone.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use freshet_app::failure::Failure;
use freshet_types::{Map, Span};
use serde::Deserialize;
use url::Url;

use super::rule::{Rule, RuleName, Rules};

/// Largest file that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Most receivers.
const RECEIVERS_MAX: usize = 20;
/// Longest that a program may take, unless something else is asked for.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);
/// Longest that may be asked for: other receivers wait meanwhile.
const COMMAND_LIMIT_MAX: Duration = Duration::from_mins(2);

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlertConfig {
    pub rules: Rules,
    /// Who is told.
    pub receivers: Vec<Receiver>,
}

/// Somebody who is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Receiver {
    /// What people call it.
    pub name: String,
    /// Of which rules; all where none is named.
    pub rules: Vec<RuleName>,
    pub way: Way,
}

/// How somebody is told.
#[derive(Clone, PartialEq)]
pub enum Way {
    /// JSON is sent to this address by POST.
    Webhook {
        url: Url,
        /// It may be a private or loopback address.
        allow_private: bool,
    },
    /// A program is started, with JSON on its standard input.
    Command {
        /// Program and arguments; no shell looks at them.
        line: Vec<String>,
        /// It is ended after so long.
        limit: Duration,
    },
    /// A mail is sent.
    Mail(freshet_fetch::mail::MailRoute),
}

/// Shown without what may be secret.
impl std::fmt::Debug for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Way {
    /// For people, without what may be secret.
    pub fn shown(&self) -> String {
        match self {
            Self::Webhook { url, .. } => format!("{}://{}/…", url.scheme(), url.host_str().unwrap_or("?")),
            Self::Command { line, .. } => format!("runs `{}`", line.first().map_or("?", String::as_str)),
            Self::Mail(route) => format!("mail to {} by {}", route.to.join(", "), route.server),
        }
    }
}

impl Receiver {
    /// Whether it wants to know.
    pub fn wants(&self, rule: RuleName) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }
}

/// Where the file lies.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("alerts.toml")
}

/// Reads the file; without one, everything is as usual.
pub fn read(dir: &Path) -> anyhow::Result<AlertConfig> {
    let path = path(dir);
    let mut text = String::new();
    match std::fs::File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(AlertConfig::default()),
        opened => opened
            .and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text))
            .with_context(|| format!("`{}` cannot be read", path.display()))?,
    };
    parse(&text).map_err(|why| {
        Failure::misuse(format!("`{}`: {why}", path.display()))
            .hint("`freshet alerts config` prints a file to start from")
            .into()
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    rules: Map<String, RawRule>,
    #[serde(default)]
    receivers: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    is_on: Option<bool>,
    threshold: Option<f64>,
    quiet: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReceiver {
    #[serde(default)]
    rules: Vec<String>,
    webhook: Option<String>,
    #[serde(default)]
    allow_private: bool,
    command: Option<Vec<String>>,
    limit: Option<String>,
    mail_to: Option<Vec<String>>,
    mail_from: Option<String>,
    server: Option<String>,
    port: Option<u16>,
    security: Option<freshet_fetch::mail::Security>,
    user: Option<String>,
}

fn parse(text: &str) -> Result<AlertConfig, String> {
    let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut config = AlertConfig::default();
    for (name, raw) in document.rules {
        let name: RuleName = name.parse()?;
        config.rules.0[name as usize] = rule(name, &raw)?;
    }
    if document.receivers.len() > RECEIVERS_MAX {
        return Err(format!("there are more than {RECEIVERS_MAX} receivers"));
    }
    for (name, raw) in document.receivers {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        if name.is_empty() || !name.chars().all(is_plain) || name.parse::<RuleName>().is_ok() {
            return Err(format!(
                "`{name}` cannot name a receiver; letters and digits do, names of rules do not"
            ));
        }
        let raw: RawReceiver = raw.try_into().map_err(|error| format!("receivers.{name}: {error}"))?;
        config.receivers.push(receiver(&name, raw).map_err(|why| format!("receivers.{name}: {why}"))?);
    }
    Ok(config)
}

fn rule(name: RuleName, raw: &RawRule) -> Result<Rule, String> {
    let usual = Rule::usual(name);
    let threshold = raw.threshold.unwrap_or(usual.threshold);
    if !threshold.is_finite() || threshold < 0.0 {
        return Err(format!("rules.{name}: the threshold is a number from 0 on"));
    }
    let quiet = match &raw.quiet {
        None => usual.quiet,
        Some(text) => span(text).map_err(|why| format!("rules.{name}: {why}"))?,
    };
    Ok(Rule { is_on: raw.is_on.unwrap_or(true), threshold, quiet })
}

fn span(text: &str) -> Result<Span, String> {
    Span::parse(text).ok_or_else(|| format!("`{text}` is no span such as 30s, 10m, 6h or 7d"))
}

fn receiver(name: &str, raw: RawReceiver) -> Result<Receiver, String> {
    let rules = raw.rules.iter().map(|rule| rule.parse()).collect::<Result<Vec<RuleName>, String>>()?;
    let way = match (raw.webhook, raw.command, raw.mail_to) {
        (Some(url), None, None) => {
            let url = Url::parse(&url).map_err(|error| format!("`webhook` is no address: {error}"))?;
            if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
                return Err("`webhook` is an http:// or https:// address".to_owned());
            }
            Way::Webhook { url, allow_private: raw.allow_private }
        }
        (None, Some(line), None) => {
            if line.first().is_none_or(String::is_empty) {
                return Err("`command` is a list: the program, then its arguments".to_owned());
            }
            let limit = raw.limit.as_deref().map(span).transpose()?.map_or(COMMAND_LIMIT, Span::to_std);
            Way::Command { line, limit: limit.min(COMMAND_LIMIT_MAX) }
        }
        (None, None, Some(to)) => Way::Mail(freshet_fetch::mail::MailRoute::new(
            to,
            raw.mail_from.ok_or("`mail_from` is missing")?,
            raw.server.ok_or("`server` is missing")?,
            (raw.security.unwrap_or_default(), raw.port),
            raw.user,
        )?),
        _ => return Err("give exactly one of `webhook`, `command` and `mail_to`".to_owned()),
    };
    Ok(Receiver { name: name.to_owned(), rules, way })
}

/// A file to start from: the rules as they are set, and a receiver of each kind.
pub fn example(rules: &Rules) -> String {
    let mut text = String::from(
        "# What is worth an alert, and who is told. A running crawl sees a change within a second.\n\
         # `quiet`: how long nothing more is said about the same subject.\n",
    );
    for name in RuleName::ALL {
        let rule = rules.of(name);
        let _ = write!(
            text,
            "\n[rules.{name}]\nis_on = {}\nthreshold = {:?}  # {}\nquiet = \"{}h\"\n",
            rule.is_on,
            rule.threshold,
            name.unit(),
            rule.quiet.ms() / Span::HOUR.ms().max(1)
        );
    }
    text + RECEIVERS
}

const RECEIVERS: &str = r#"
# Secrets stand in the environment: FRESHET_ALERT_SECRET_NAME, where NAME is the receiver's, in capitals.
# It is the password of a mailbox, or the bearer token of a webhook.

# [receivers.phone]
# webhook = "https://push.example.org/my-topic"   # gets JSON by POST
# rules = ["silence", "dead"]                     # all of them, where none is named

# [receivers.desk]
# command = ["notify-send", "freshet"]            # no shell; JSON on standard input
# limit = "10s"

# [receivers.me]
# mail_to = ["you@example.org"]
# mail_from = "freshet@example.org"
# server = "smtp.example.org"
# security = "starttls"                           # or "tls", or "none" on loopback
# user = "you@example.org"
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<usize, &str>) {
        match (parse(text), expected) {
            (Ok(config), Ok(count)) => assert_eq!(config.receivers.len(), count, "{text}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{why} lacks {part}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn files_are_understood_or_refused_by_name() {
        check("", Ok(0));
        check(&example(&Rules::default()), Ok(0));
        let uncommented =
            RECEIVERS.lines().filter(|line| !line.starts_with("# Secrets") && !line.starts_with("# It is"));
        let uncommented: String =
            uncommented.map(|line| line.trim_start_matches("# ").to_owned() + "\n").collect();
        check(&uncommented, Ok(3));
        check("[rules.silence]\nthreshold = 0.5\nquiet = \"2d\"\n", Ok(0));
        check("[rules.nonsense]\n", Err("`nonsense`"));
        check("[rules.dead]\nthreshold = -1.0\n", Err("rules.dead"));
        check("[rules.dead]\nquiet = \"soon\"\n", Err("`soon`"));
        check("[receivers.a]\n", Err("exactly one"));
        check("[receivers.a]\nwebhook = \"ftp://h/\"\n", Err("http"));
        check("[receivers.a]\ncommand = []\n", Err("the program"));
        check("[receivers.dead]\ncommand = [\"x\"]\n", Err("`dead`"));
        check("[receivers.a]\nmail_to = [\"a@b.example\"]\nserver = \"h\"\n", Err("mail_from"));
        check(
            "[receivers.a]\nmail_to = [\"nonsense\"]\nmail_from = \"a@b.example\"\nserver = \"h\"\n",
            Err("nonsense"),
        );
        check("[receivers.a]\ncommand = [\"x\"]\nsecret = \"s\"\n", Err("secret"));
    }

    #[test]
    fn an_address_is_shown_by_its_host() {
        let config = parse("[receivers.a]\nwebhook = \"https://hooks.example/T0/secret\"\n").unwrap();
        let shown = format!("{config:?}");
        assert!(shown.contains("hooks.example") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let mut rules = Rules::default();
        rules.0[0].threshold = 0.25;
        rules.0[5].is_on = false;
        assert_eq!(parse(&example(&rules)).unwrap().rules, rules);
    }
}
