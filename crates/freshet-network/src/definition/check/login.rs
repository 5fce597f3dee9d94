//! Checks how a definition lets people log in: a secret is sent to these addresses, so they must be sound and encrypted.

use freshet_types::definition::{self as data, GrantName, Hosts, LoginKind, LoginRule};
use url::Host;

use super::Checker;

impl Checker<'_> {
    /// Every way to log in.
    pub(in crate::definition) fn check_login(&mut self, data: &data::Definition) {
        for (at, rule) in data.login.iter().enumerate() {
            let key = format!("login[{at}]");
            self.login_addresses(&key, rule, data.hosts);
            self.login_parts(&key, rule);
        }
    }

    fn login_addresses(&mut self, key: &str, rule: &LoginRule, hosts: Hosts) {
        let user = rule.user.as_ref().map(|user| user.url.as_str());
        let addresses = [
            ("authorize_url", rule.authorize_url.as_deref()),
            ("token_url", Some(rule.token_url.as_str())),
            ("request_token_url", rule.request_token_url.as_deref()),
            ("register_url", rule.register_url.as_deref()),
            ("user.url", user),
        ];
        for (name, url) in addresses {
            if let Some(Err(what)) = url.map(|url| check_address(url, hosts)) {
                self.problem(&format!("{key}.{name}"), what);
            }
        }
        if let Some(user) = &rule.user {
            self.pointer(&format!("{key}.user.at"), &user.at);
        }
    }

    fn login_parts(&mut self, key: &str, rule: &LoginRule) {
        let mut lacks = |name: &str, why: &str| self.problem(&format!("{key}.{name}"), why);
        let needs_person = rule.kind == LoginKind::Oauth1 || rule.grants.contains(&GrantName::Code);
        if needs_person && rule.authorize_url.is_none() {
            lacks("authorize_url", "it is needed where a person says yes");
        }
        if rule.grants.is_empty() {
            lacks("grants", "name at least one: `code` or `client_credentials`");
        }
        if rule.kind == LoginKind::Oauth1 {
            if rule.request_token_url.is_none() {
                lacks("request_token_url", "OAuth 1.0a begins with a request token");
            }
            if rule.register_url.is_some() {
                lacks("register_url", "apps of OAuth 1.0a are registered by a person");
            }
            if rule.grants.contains(&GrantName::ClientCredentials) {
                lacks("grants", "OAuth 1.0a has no tokens of an app alone");
            }
        } else if rule.request_token_url.is_some() {
            lacks("request_token_url", "only OAuth 1.0a has request tokens; say `kind = \"oauth1\"`");
        }
    }
}

/// Whether secrets may go to this address: on the base, or https; open only on this computer.
fn check_address(text: &str, hosts: Hosts) -> Result<(), String> {
    if text.starts_with('/') && !text.starts_with("//") {
        return Ok(());
    }
    if hosts == Hosts::One && text.contains("{{") {
        return Err("a definition with one host has plain addresses".to_owned());
    }
    let plain = text.replace("{{ host }}", "example.org").replace("{{host}}", "example.org");
    let url = url::Url::parse(&plain).ok().filter(|url| !plain.contains("{{") && url.has_host());
    let url = url.ok_or_else(|| format!("`{text}` is no address; write `https://…`, or `/…` on the base"))?;
    let is_loopback = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback) {
        return Err(format!("secrets go to `{text}`, which must be https"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, hosts: Hosts, problem: &str) {
        let found = check_address(url, hosts).err().unwrap_or_default();
        assert!(found.contains(problem) && found.is_empty() == problem.is_empty(), "{url}: {found}");
    }

    #[test]
    fn secrets_go_to_sound_addresses() {
        check("/oauth/token", Hosts::Many, "");
        check("https://{{ host }}/oauth/token", Hosts::Many, "");
        check("https://www.example.org/token", Hosts::One, "");
        check("http://127.0.0.1:8080/token", Hosts::One, "");
        check("http://localhost/token", Hosts::One, "");
        check("http://www.example.org/token", Hosts::One, "must be https");
        check("//example.org/token", Hosts::One, "is no address");
        check("ftp://127.0.0.1/token", Hosts::One, "must be https");
        check("https://{{ host }}/token", Hosts::One, "plain addresses");
        check("https://{{ root }}/token", Hosts::Many, "is no address");
    }
}
