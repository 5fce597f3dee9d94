//! Secrets are planted everywhere this crate takes them, and looked for everywhere it speaks.

use std::io::Write;
use std::sync::{Arc, Mutex};

use freshet_types::{AuthScheme, AuthUse, NetworkName, Request, SystemClock};

use crate::hostile::{Behaviour, Hostile};
use crate::recording::RECORDING_BYTES_MAX;
use crate::{Credential, CredentialKind, Fetch, HttpFetch, HttpOptions, Recorder, Replay, Vault};

const PLANTED: [&str; 4] = ["planted/bearer+1", "planted-password", "planted-token", "planted-phrase"];

/// All log lines of the process, whatever their level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn clean(where_found: &str, text: &str) {
    assert!(!text.contains("planted"), "a secret in {where_found}: {text}");
}

fn requests(server: &Hostile) -> Vec<Request> {
    let network = NetworkName::from(format!("test:{}", server.authority()).as_str());
    let schemes = [
        ("bearer", AuthScheme::Bearer),
        ("bearer", AuthScheme::Header { name: "X-Key".into() }),
        ("bearer", AuthScheme::Header { name: "bad name".into() }),
        ("bearer", AuthScheme::Query { name: "key".into() }),
        ("password", AuthScheme::Session { url: "/session".into(), token: "/token".into() }),
        ("password", AuthScheme::Session { url: "/echo".into(), token: "/token".into() }),
        ("bearer", AuthScheme::Session { url: "/session".into(), token: "/token".into() }),
        ("password", AuthScheme::Bearer),
        ("missing", AuthScheme::Bearer),
    ];
    let paths = [
        "/echo",
        "/ok",
        "/reset",
        "/half-body",
        "/garbage",
        "/encoded/wrong",
        "/bomb/br",
        "/storm",
        "/stall",
        "/redirect/echo",
        "/redirect/endless/0",
        "/mirror/",
        "/away",
        "/leak",
        "/html",
        "/huge-header",
    ];
    let mut requests = Vec::new();
    for (name, scheme) in &schemes {
        for path in paths {
            // Each credential looks into its own mirror: a server repeats what it was told.
            let path = if path == "/mirror/" { format!("{path}{name}") } else { path.to_owned() };
            requests.push(Request {
                auth: Some(AuthUse { credential: (*name).into(), scheme: scheme.clone() }),
                allow_private: path != "/ok",
                is_page: path.starts_with("/mirror"),
                ..Request::get(&network, server.url(&path))
            });
        }
    }
    requests
}

fn vault(server: &Hostile, folder: &std::path::Path) -> Vault {
    let network = NetworkName::from(format!("test:{}", server.authority()).as_str());
    let mut vault =
        Vault::open(&folder.join("credentials.age"), &PLANTED[3].into()).unwrap().with_work_factor(2);
    let bearer = Credential::new("bearer", &network, CredentialKind::Bearer, None, &PLANTED[0].into());
    vault.add(bearer.unwrap()).unwrap();
    let login = format!("me.example:{}", PLANTED[1]);
    let password =
        Credential::new("password", &network, CredentialKind::AppPassword, None, &login.as_str().into());
    vault.add(password.unwrap()).unwrap();
    vault.save().unwrap();
    vault
}

/// A server that repeats every secret it hears, in every place it can.
async fn mirror() -> Hostile {
    let server = Hostile::start().await;
    let headers =
        [("Link", "<http://a.example/?key=planted%2Fbearer%2B1>; rel=next"), ("X-Echo", PLANTED[0])];
    let body = r#"{"next":"planted\/bearer+1","also":"planted/bearer+1"}"#;
    server.route("/mirror/bearer", vec![Behaviour::answer(200, &headers, body.as_bytes())]);
    let headers = [("Set-Cookie", PLANTED[2]), ("X-Echo", PLANTED[1])];
    let body = format!("caf\u{e9} {} {}", PLANTED[1], PLANTED[2]);
    let latin: Vec<u8> = body.chars().map(|c| c as u8).collect();
    server.route("/mirror/password", vec![Behaviour::answer(200, &headers, &latin)]);
    server
        .route("/robots.txt", vec![Behaviour::answer(200, &[], b"User-agent: freshet\nDisallow: /private")]);
    server.route("/session", vec![Behaviour::json(200, r#"{"token":"planted-token"}"#)]);
    server.route("/away", vec![Behaviour::redirect(302, "http://10.0.0.1/?key=planted%2fbearer%2b1")]);
    server.route("/leak", vec![Behaviour::redirect(302, "http://nobody.invalid/?key=planted-password")]);
    server
}

#[tokio::test]
async fn no_secret_leaves_this_crate() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For all threads: a subscriber of one thread misses lines that other tests spoke first.
    tracing::subscriber::set_global_default(subscriber).expect("no other test takes the log");

    let folder = tempfile::tempdir().unwrap();
    let server = mirror().await;
    let vault = Arc::new(vault(&server, folder.path()));
    let options = HttpOptions {
        first_byte_max: std::time::Duration::from_millis(500),
        ..HttpOptions::new("test@example.org", Arc::new(SystemClock), Arc::clone(&vault))
    };
    clean("the debug text of the vault", &format!("{vault:?} {:?}", vault.list()));
    clean("the debug text of the options", &format!("{options:?}"));
    let fetch = Arc::new(HttpFetch::new(options).unwrap());
    let tape = folder.path().join("tape.jsonl");
    let recorder =
        Recorder::create(Arc::clone(&fetch) as Arc<dyn Fetch>, &tape, vault.scrubber(), RECORDING_BYTES_MAX)
            .unwrap();

    let (mut answered, mut failed) = (0, 0);
    for request in requests(&server) {
        match recorder.fetch(&request).await {
            Ok(response) => {
                answered += 1;
                clean("a response", &format!("{response:?} {}", String::from_utf8_lossy(&response.body)));
            }
            Err(fault) => {
                failed += 1;
                clean("a fault", &format!("{fault} {fault:?}"));
            }
        }
    }
    assert!(answered > 10 && failed > 40, "{answered} answered, {failed} failed");
    assert!(server.requests().join("\n").contains("planted-token"), "the secrets were really used");

    clean("the debug text of the fetcher", &format!("{fetch:?} {recorder:?}"));
    clean("the recording", &std::fs::read_to_string(&tape).unwrap());
    clean("the debug text of the replay", &format!("{:?}", Replay::open(&tape).unwrap()));
    let sealed = std::fs::read(folder.path().join("credentials.age")).unwrap();
    clean("the sealed file", &String::from_utf8_lossy(&sealed));
    let wrong = Vault::open(&folder.path().join("credentials.age"), &"planted-wrong".into()).unwrap_err();
    clean("the error of a wrong passphrase", &format!("{wrong} {wrong:?}"));
    let lines = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(lines.contains("fetched") && lines.contains("fetch failed"), "the log was on: {lines}");
    clean("the log", &lines);
}
