//! The address guard: no request reaches a machine that the open web does not mean.
//!
//! Two locks. Literal addresses and names are checked in every URL, redirects included; what a
//! name resolves to is checked inside the client's own resolver, so that the address checked is
//! the address connected to and a second answer of the name server changes nothing.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use freshet_types::{Fault, FaultKind};
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// How names become addresses; replaceable, so that tests need no name server.
pub type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Longest URL that is sent; servers refuse longer ones anyway.
const URL_BYTES_MAX: usize = 8192;

/// Asks the computer's resolver.
pub(crate) fn system_lookup() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    })
}

/// Reads a URL and refuses what must not be asked.
pub(crate) fn check_url(text: &str, allow_private: bool) -> Result<Url, Fault> {
    if text.len() > URL_BYTES_MAX {
        return Err(Fault::new(FaultKind::Request, format!("the URL is longer than {URL_BYTES_MAX} bytes")));
    }
    let url =
        Url::parse(text).map_err(|error| Fault::new(FaultKind::Request, format!("bad URL: {error}")))?;
    check_parsed(&url, allow_private)?;
    Ok(url)
}

/// The same for a URL that is read already, as redirects are.
pub(super) fn check_parsed(url: &Url, allow_private: bool) -> Result<(), Fault> {
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("only http and https are fetched, not `{}`", url.scheme());
        return Err(Fault::new(FaultKind::Request, message));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Fault::new(FaultKind::Request, "a URL must not hold a user name or password"));
    }
    let is_forbidden = match url.host() {
        None => return Err(Fault::new(FaultKind::Request, "the URL has no host")),
        Some(Host::Ipv4(ip)) => is_forbidden(ip.into()),
        Some(Host::Ipv6(ip)) => is_forbidden(ip.into()),
        Some(Host::Domain(name)) => is_local_name(name),
    };
    if is_forbidden && !allow_private {
        return Err(forbidden(url.host_str().unwrap_or_default()));
    }
    Ok(())
}

/// The fault for an address that is not to be asked.
pub(super) fn forbidden(host: &str) -> Fault {
    let message = format!(
        "`{host}` is a private, loopback or otherwise special address; add the source with `--allow-private` to allow it"
    );
    Fault::new(FaultKind::ForbiddenAddress, message)
}

/// Names that mean this computer whatever a name server says (RFC 6761).
fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address belongs to no public host.
pub fn is_forbidden(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_forbidden_v4(ip),
        IpAddr::V6(ip) => is_forbidden_v6(ip),
    }
}

fn is_forbidden_v4(ip: Ipv4Addr) -> bool {
    /// Azure's metadata service: public by its number, reachable only from inside.
    const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);
    let octets = ip.octets();
    let is_shared = octets[0] == 100 && octets[1] & 0xc0 == 64;
    let is_protocol = octets[..3] == [192, 0, 0];
    let is_benchmark = octets[0] == 198 && octets[1] & 0xfe == 18;
    let is_relay = octets[..3] == [192, 88, 99];
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        || octets[0] == 0
        || octets[0] >= 240
        || is_shared
        || is_protocol
        || is_benchmark
        || is_relay
        || ip == AZURE_METADATA
}

fn is_forbidden_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let embedded =
        |high: u16, low: u16| is_forbidden_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match (segments[0], segments[1]) {
        // ::, ::1, and IPv4 in its mapped (::ffff:0:0/96), translated and compatible forms.
        (0, 0) if matches!(segments[2..6], [0, 0, 0, 0 | 0xffff] | [0, 0, 0xffff, 0]) => {
            embedded(segments[6], segments[7])
        }
        // NAT64, well-known and local prefix; the local one may lead anywhere inside.
        (0x64, 0xff9b) => segments[2] != 0 || embedded(segments[6], segments[7]),
        // 6to4 carries its IPv4 address behind the prefix.
        (0x2002, high) => embedded(high, segments[2]),
        // Teredo, ORCHID, benchmarks, documentation, discard.
        (0x2001, 0..=0x01ff | 0xdb8) | (0x3fff, 0..=0x0fff) | (0x100, 0) => true,
        // Only 2000::/3 is given to hosts; unique-local, link-local and multicast lie outside.
        (first, _) => first & 0xe000 != 0x2000,
    }
}

/// The client's resolver: the guarded one passes on public addresses only.
pub(super) struct Resolver {
    pub(super) lookup: Lookup,
    pub(super) allow_private: bool,
}

/// Found in the source chain of the client's error, and turned into a fault of its own kind.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` resolves to no public address")]
pub(super) struct ForbiddenName(pub(super) String);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let looked_up = (self.lookup)(name.as_str().to_owned());
        let allow_private = self.allow_private;
        Box::pin(async move {
            let mut addresses = looked_up.await?;
            let had_some = !addresses.is_empty();
            addresses.retain(|ip| allow_private || !is_forbidden(*ip));
            if addresses.is_empty() {
                let name = name.as_str().to_owned();
                let why = format!("`{name}` has no address");
                return Err(if had_some { ForbiddenName(name).into() } else { why.into() });
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: &str) {
        let shown = match check_url(url, false) {
            Ok(_) => "allowed".to_owned(),
            Err(fault) => format!("{:?}: {}", fault.kind, fault.message),
        };
        assert!(shown.contains(expected), "{url}: {shown}");
    }

    #[test]
    fn urls_are_judged() {
        for url in [
            "https://example.org/",
            "http://93.184.215.14:8080/x",
            "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
            "https://[64:ff9b::5db8:d70e]/",
            "https://localhost.example.org/",
        ] {
            check(url, "allowed");
        }
        for url in [
            "http://127.0.0.1/",
            "http://127.1:8080/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://10.1.2.3/",
            "http://172.31.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://100.64.0.1/",
            "http://100.100.100.200/",
            "http://168.63.129.16/",
            "http://0.0.0.0/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://198.18.0.1/",
            "http://localhost:3000/",
            "http://LOCALHOST./",
            "http://app.localhost/",
            "http://[::]/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[::ffff:0:127.0.0.1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:1::]/",
            "http://[2001:db8::1]/",
            "http://[fc00::1]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://[100::1]/",
        ] {
            check(url, "ForbiddenAddress");
            assert!(check_url(url, true).is_ok(), "{url} with allowance");
        }
        check("file:///etc/passwd", "only http and https");
        check("gopher://example.org/", "only http and https");
        check("https://user:word@example.org/", "user name or password");
        check("nonsense", "bad URL");
        check("https://", "bad URL");
        check(&format!("https://example.org/{}", "x".repeat(9000)), "longer than");
    }
}
