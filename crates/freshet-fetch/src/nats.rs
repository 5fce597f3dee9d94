//! NATS JetStream: messages that are published, each taken when the server has said in which stream it lies.
//!
//! The connection, its login and its limits are here; what a message is, and whether it is tried again, is the caller's
//! business. Invariants: every wait is bounded; a login stands in no address and in no text that leaves; nothing of the
//! server is changed, since whoever owns a bus makes its streams. Messages of a call are on their way together, and leave in
//! order. Other servers that this one names are not followed: a bus is where a person says it is.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::{AccountErrorKind, PublishAckFuture, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use freshet_types::{Fault, FaultKind};
use secrecy::ExposeSecret as _;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use url::Url;

use crate::{FetchError, LiveVault, Scrubber};

/// Longest until a connection stands, login included.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Longest until one message is acknowledged.
const ACK_MAX: Duration = Duration::from_secs(10);
/// Longest until all messages of a call are.
const TOTAL_MAX: Duration = Duration::from_secs(30);
/// Messages on their way at once: enough to fill the line, few enough to come again after an error.
const OPEN_MAX: usize = 256;
/// The oldest server that is used: before it unknown settings of a stream are ignored without a word.
const SERVER_MIN: (i64, i64) = (2, 11);
/// What connections are called in the server's own lists.
const CLIENT_NAME: &str = "freshet";
/// The header that names the subscription.
const NAME_HEADER: &str = "freshet-subscription";

/// Where to, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsTarget {
    /// `nats://HOST:PORT`, or `tls://HOST:PORT`.
    pub url: String,
    pub subject: String,
    /// The stream that has to keep it; any without.
    pub stream: Option<String>,
    /// The name under which the vault has a token, or USER:PASSWORD.
    pub login: Option<String>,
}

/// What is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsMessage {
    /// Two of the same are one, if the second comes while the stream remembers the first.
    pub id: Option<String>,
    pub body: String,
}

/// A bus that is told something.
pub struct Nats {
    target: NatsTarget,
    /// Who is telling.
    name: String,
    client: Client,
    context: Context,
    scrubber: Arc<Scrubber>,
    /// Its connection lives in it; gone only while it is dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nats").field("target", &self.target).finish_non_exhaustive()
    }
}

/// Whether this bus can be told anything.
pub fn check(target: &NatsTarget) -> Result<(), Fault> {
    let refused = |what: String| Err(Fault::new(FaultKind::Request, what));
    let url = match Url::parse(&target.url) {
        Ok(url) if matches!(url.scheme(), "nats" | "tls") && url.has_host() => url,
        _ => return refused(format!("`{}` is no address of a bus; it reads nats://HOST:4222", target.url)),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refused("a login has no place in an address; `--login` asks for it".to_owned());
    }
    let is_fit =
        |word: &str| !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_subject = is_fit(&target.subject)
        && target.subject.split('.').all(|part| !part.is_empty() && part != "*" && part != ">");
    if !is_subject {
        let subject = &target.subject;
        return refused(format!(
            "`{subject}` is no subject to publish to; it reads `freshet.posts`, without `*` and `>`"
        ));
    }
    match &target.stream {
        Some(stream) if !is_fit(stream) || stream.contains(['.', '*', '>', '/', '\\']) => {
            refused(format!("`{stream}` cannot be the name of a stream"))
        }
        _ => Ok(()),
    }
}

impl Nats {
    /// A connection for this target alone, in the name of a subscription.
    pub fn open(vault: &LiveVault, name: &str, target: NatsTarget) -> Result<Self, Fault> {
        check(&target)?;
        let options = options(vault, &target)?;
        // A thread of its own answers the server's questions between two batches.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| {
            Fault::new(FaultKind::Request, FetchError::Client(error.to_string()).to_string())
        })?;
        let scrubber = vault.scrubber();
        let connected = runtime.block_on(async { timeout(CONNECT_MAX, options.connect(&target.url)).await });
        let client = match connected {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let kind = match error.kind() {
                    ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                        FaultKind::Credential
                    }
                    ConnectErrorKind::TimedOut => FaultKind::Timeout,
                    ConnectErrorKind::Dns => FaultKind::Dns,
                    ConnectErrorKind::Tls => FaultKind::Tls,
                    _ => FaultKind::Connect,
                };
                let said = scrubber.scrub(&error.to_string()).into_owned();
                return Err(Fault::new(kind, format!("`{}` cannot be connected to: {said}", target.url)));
            }
            Err(_) => {
                let what =
                    format!("`{}` does not answer within {} seconds", target.url, CONNECT_MAX.as_secs());
                return Err(Fault::new(FaultKind::Timeout, what));
            }
        };
        let (major, minor) = SERVER_MIN;
        if !client.is_server_compatible(major, minor, 0) {
            let version = client.server_info().version;
            let what =
                format!("`{}` is nats-server {version}; {major}.{minor} or later is needed", target.url);
            return Err(Fault::new(FaultKind::Request, what));
        }
        // Making it starts a task.
        let entered = runtime.enter();
        let context = jetstream::ContextBuilder::new().timeout(ACK_MAX).build(client.clone());
        drop(entered);
        Ok(Self { target, name: name.to_owned(), client, context, scrubber, runtime: Some(runtime) })
    }

    /// Publishes these in order, and waits until all of them are kept.
    pub fn publish(&self, messages: Vec<NatsMessage>) -> Result<(), Fault> {
        let runtime = self.runtime.as_ref().expect("it is there until it is dropped");
        let published = runtime.block_on(async { timeout(TOTAL_MAX, self.publish_all(messages)).await });
        published.unwrap_or_else(|_| {
            let what = format!("`{}` takes longer than {} seconds", self.target.url, TOTAL_MAX.as_secs());
            Err(Fault::new(FaultKind::Timeout, what))
        })
    }

    async fn publish_all(&self, messages: Vec<NatsMessage>) -> Result<(), Fault> {
        let mut open: VecDeque<PublishAckFuture> = VecDeque::new();
        for message in messages {
            if open.len() >= OPEN_MAX
                && let Some(oldest) = open.pop_front()
            {
                self.kept(oldest).await?;
            }
            let sent = self.context.send_publish(self.target.subject.clone(), self.outgoing(message)).await;
            match sent {
                Ok(ack) => open.push_back(ack),
                Err(error) => return Err(self.fault(&error).await),
            }
        }
        while let Some(oldest) = open.pop_front() {
            self.kept(oldest).await?;
        }
        Ok(())
    }

    fn outgoing(&self, message: NatsMessage) -> PublishMessage {
        let mut outgoing =
            PublishMessage::build().payload(message.body.into()).header(NAME_HEADER, self.name.as_str());
        if let Some(id) = &message.id {
            outgoing = outgoing.message_id(id);
        }
        if let Some(stream) = &self.target.stream {
            outgoing = outgoing.expected_stream(stream);
        }
        outgoing
    }

    async fn kept(&self, ack: PublishAckFuture) -> Result<(), Fault> {
        match ack.await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.fault(&error).await),
        }
    }

    /// What went wrong, and what to do about it.
    async fn fault(&self, error: &PublishError) -> Fault {
        let NatsTarget { url, subject, .. } = &self.target;
        match error.kind() {
            PublishErrorKind::StreamNotFound => {
                let what = if self.lacks_jetstream().await {
                    format!("`{url}` has no JetStream; start its server with `-js`")
                } else {
                    format!(
                        "no stream keeps `{subject}`; make one, as in `nats stream add NAME --subjects {subject}`"
                    )
                };
                Fault::new(FaultKind::Request, what)
            }
            PublishErrorKind::MaxPayloadExceeded => {
                let max = self.client.server_info().max_payload;
                let what = format!(
                    "a record is larger than the {max} bytes that `{url}` takes; raise its `max_payload`"
                );
                Fault::new(FaultKind::TooLarge, what)
            }
            PublishErrorKind::TimedOut => {
                let what = format!("`{url}` acknowledged nothing within {} seconds", ACK_MAX.as_secs());
                Fault::new(FaultKind::Timeout, what)
            }
            _ => {
                let why =
                    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
                let said = self.scrubber.scrub(&why).into_owned();
                Fault::new(FaultKind::Broken, format!("`{url}` did not keep it: {said}"))
            }
        }
    }

    /// Whether the server says that it has none. One that may not be asked says nothing.
    async fn lacks_jetstream(&self) -> bool {
        match self.context.query_account().await {
            Ok(_) => false,
            Err(error) => matches!(
                error.kind(),
                AccountErrorKind::JetStreamUnavailable | AccountErrorKind::JetStream(_)
            ),
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        // Whatever is still open is not waited for.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

fn options(vault: &LiveVault, target: &NatsTarget) -> Result<ConnectOptions, Fault> {
    let options = ConnectOptions::new()
        .name(CLIENT_NAME)
        .connection_timeout(CONNECT_MAX)
        .request_timeout(Some(ACK_MAX))
        .require_tls(target.url.starts_with("tls:"))
        .ignore_discovered_servers();
    let Some(name) = &target.login else { return Ok(options) };
    let now = vault.now();
    let credential = now.credential(name).ok_or_else(|| {
        let why = format!(
            "the login `{name}` is not known here; give FRESHET_PASSPHRASE, or remove the subscription and add it anew"
        );
        Fault::new(FaultKind::Credential, why)
    })?;
    let secret = credential.secret.expose_secret();
    Ok(match secret.split_once(':') {
        Some((user, password)) => options.user_and_password(user.to_owned(), password.to_owned()),
        None => options.token(secret.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vault;

    fn target(url: &str, subject: &str, stream: Option<&str>) -> NatsTarget {
        let stream = stream.map(str::to_owned);
        NatsTarget { url: url.to_owned(), subject: subject.to_owned(), stream, login: None }
    }

    #[test]
    fn what_is_no_bus_is_refused_with_the_reason() {
        for (url, subject, stream, part) in [
            ("nats://127.0.0.1:4222", "freshet.posts", None, ""),
            ("tls://bus.example", "a", Some("POSTS"), ""),
            ("http://bus.example", "a", None, "no address of a bus"),
            ("nats:", "a", None, "no address of a bus"),
            ("bus.example:4222", "a", None, "no address of a bus"),
            ("nats://me:secret@bus.example", "a", None, "`--login`"),
            ("nats://bus.example", "", None, "no subject"),
            ("nats://bus.example", "a b", None, "no subject"),
            ("nats://bus.example", "a.*", None, "no subject"),
            ("nats://bus.example", "a..b", None, "no subject"),
            ("nats://bus.example", "a", Some("a.b"), "name of a stream"),
        ] {
            let said =
                check(&target(url, subject, stream)).map_or_else(|fault| fault.message, |()| String::new());
            assert!(said.contains(part) && said.is_empty() == part.is_empty(), "{url} {subject}: {said}");
            assert!(!said.contains("secret@"), "{said}");
        }
    }

    #[test]
    fn a_bus_that_is_not_there_or_says_nonsense_is_a_fault() {
        let vault: LiveVault = Arc::new(Vault::empty()).into();
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{}", closed.local_addr().unwrap());
        drop(closed);
        let fault = Nats::open(&vault, "a", target(&url, "a", None)).unwrap_err();
        assert!(fault.message.contains("cannot be connected to"), "{}", fault.message);
        let rude = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{}", rude.local_addr().unwrap());
        let talking = std::thread::spawn(move || {
            let (mut stream, _) = rude.accept().unwrap();
            std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        });
        let fault = Nats::open(&vault, "a", target(&url, "a", None)).unwrap_err();
        assert!(fault.message.contains("cannot be connected to"), "{}", fault.message);
        talking.join().unwrap();
        let login = NatsTarget { login: Some("subscription-a".to_owned()), ..target(&url, "a", None) };
        let fault = Nats::open(&vault, "a", login).unwrap_err();
        assert!(fault.kind == FaultKind::Credential && fault.message.contains("FRESHET_PASSPHRASE"));
    }

    #[test]
    fn an_old_server_is_refused_with_a_sentence() {
        let vault: LiveVault = Arc::new(Vault::empty()).into();
        let old = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{}", old.local_addr().unwrap());
        let talking = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _) = old.accept().unwrap();
            let hello =
                r#"INFO {"server_id":"a","version":"2.9.10","headers":true,"max_payload":1048576,"proto":1}"#;
            write!(stream, "{hello}\r\n").unwrap();
            let mut heard = [0; 4096];
            // Its CONNECT and PING, perhaps in parts.
            let _ = stream.read(&mut heard);
            stream.write_all(b"PONG\r\n").unwrap();
            // Until it hangs up.
            while stream.read(&mut heard).is_ok_and(|count| count > 0) {}
        });
        let fault = Nats::open(&vault, "a", target(&url, "a", None)).unwrap_err();
        assert!(fault.message.contains("nats-server 2.9.10; 2.11 or later"), "{}", fault.message);
        talking.join().unwrap();
    }
}
