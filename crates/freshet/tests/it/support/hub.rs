//! A small site with a feed, and the hub that tells of it, over real sockets.
//!
//! The hub keeps to the standard: it asks back with a challenge before it believes a request, signs what it brings, and keeps leases. It shares no
//! code with what it is asked by; how it is to misbehave is said by the test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};

/// Bytes of a block of SHA-256, into which keys are filled up.
const BLOCK: usize = 64;
const PATIENCE: Duration = Duration::from_secs(20);

/// What the hub does with requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It asks back, and keeps the lease.
    #[default]
    Keeps,
    /// It takes the request, and then says no.
    Denies,
    /// It does not take the request.
    Refuses,
}

/// A request that the hub got, with what its challenge was answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) form: BTreeMap<String, String>,
    /// Status and body of the answer to what the hub asked back.
    pub(crate) answer: Option<(u16, String)>,
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<(String, String)>,
    mood: Mood,
    asked: Vec<Asked>,
}

/// The site and the hub.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Hub {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let hub = Self { port, state: Arc::default() };
        let one = hub.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let one = one.clone();
                std::thread::spawn(move || one.serve(stream));
            }
        });
        hub
    }

    pub(crate) fn feed(&self) -> String {
        format!("http://127.0.0.1:{}/feed.xml", self.port)
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        self.state.lock().expect("nobody died with it").mood = mood;
    }

    /// An entry that the feed shows from now on.
    pub(crate) fn publish(&self, id: &str, text: &str) {
        self.state.lock().expect("nobody died with it").entries.insert(0, (id.to_owned(), text.to_owned()));
    }

    /// Requests of this mode so far.
    pub(crate) fn asked(&self, mode: &str) -> Vec<Asked> {
        let asked = self.state.lock().expect("nobody died with it").asked.clone();
        asked.into_iter().filter(|it| it.form["hub.mode"] == mode).collect()
    }

    /// A page with these entries.
    pub(crate) fn page(&self, entries: &[(String, String)]) -> String {
        let base = format!("http://127.0.0.1:{}", self.port);
        let mut items = String::new();
        for (id, text) in entries {
            let _ = write!(
                items,
                "<item><guid isPermaLink=\"false\">{id}</guid><title>{text}</title><pubDate>Wed, 18 Nov 2026 10:00:00 GMT</pubDate></item>"
            );
        }
        format!(
            "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel><title>A feed</title>\
             <link>{base}/</link><atom:link rel=\"hub\" href=\"{base}/hub\"/><atom:link rel=\"self\" href=\"{base}/feed.xml\"/>{items}</channel></rss>"
        )
    }

    /// Brings this to whoever asked last; signed by this word, or not at all.
    pub(crate) fn bring(&self, body: &str, secret: Option<&str>) -> u16 {
        let asked = self.asked("subscribe");
        let callback = asked.last().expect("somebody has asked").form["hub.callback"].clone();
        let signature = secret.map_or_else(String::new, |word| {
            format!("X-Hub-Signature: sha256={}\r\n", hmac(word.as_bytes(), body.as_bytes()))
        });
        let headers = format!("Content-Type: application/rss+xml\r\n{signature}");
        ask("POST", &callback, &headers, body).0
    }

    /// The word that whoever asked last wants to have things signed by.
    pub(crate) fn secret(&self) -> String {
        self.asked("subscribe").last().expect("somebody has asked").form["hub.secret"].clone()
    }

    /// Asks back as it would after a request; gives the answer.
    pub(crate) fn verify(form: &BTreeMap<String, String>, topic: &str) -> (u16, String) {
        let word = "a challenge of some words & signs";
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("hub.mode", &form["hub.mode"]).append_pair("hub.topic", topic);
        query.append_pair("hub.challenge", word).append_pair("hub.lease_seconds", "3600");
        ask("GET", &format!("{}?{}", form["hub.callback"], query.finish()), "", "")
    }

    fn serve(&self, stream: TcpStream) {
        let Some((line, body)) = read(&stream) else { return };
        let path = line.split(' ').nth(1).unwrap_or_default();
        if path == "/hub" {
            return self.on_asked(stream, &body);
        }
        if path != "/feed.xml" {
            return answer(stream, "404 Not Found", "");
        }
        let entries = self.state.lock().expect("nobody died with it").entries.clone();
        answer(stream, "200 OK", &self.page(&entries));
    }

    fn on_asked(&self, stream: TcpStream, body: &str) {
        let form: BTreeMap<String, String> =
            url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
        let (place, mood) = {
            let mut state = self.state.lock().expect("nobody died with it");
            state.asked.push(Asked { form: form.clone(), answer: None });
            (state.asked.len() - 1, state.mood)
        };
        if mood == Mood::Refuses {
            return answer(stream, "403 Forbidden", "not for you");
        }
        answer(stream, "202 Accepted", "");
        let said = if mood == Mood::Denies {
            let topic =
                url::form_urlencoded::byte_serialize(form["hub.topic"].as_bytes()).collect::<String>();
            let query = format!("hub.mode=denied&hub.topic={topic}&hub.reason=not%20for%20you");
            ask("GET", &format!("{}?{query}", form["hub.callback"]), "", "")
        } else {
            Self::verify(&form, &form["hub.topic"])
        };
        self.state.lock().expect("nobody died with it").asked[place].answer = Some(said);
    }
}

/// HMAC-SHA256 as RFC 2104 has it.
fn hmac(key: &[u8], body: &[u8]) -> String {
    let mut block = [0; BLOCK];
    block[..key.len()].copy_from_slice(key);
    let padded = |mask: u8| block.map(|byte| byte ^ mask);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    let mut digits = String::new();
    for byte in outer {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The first line of a request, and its body.
fn read(stream: &TcpStream) -> Option<(String, String)> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, String::from_utf8(body).ok()?))
}

fn answer(mut stream: TcpStream, status: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// Status and body of the answer at an address.
fn ask(method: &str, url: &str, headers: &str, body: &str) -> (u16, String) {
    let rest = url.strip_prefix("http://").expect("it is on this computer");
    let (host, path) = rest.split_once('/').expect("an address has a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a patience");
    let head = format!(
        "{method} /{path} HTTP/1.0\r\nHost: elsewhere.example\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    // One who refuses a long body does not read all of it.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or((&said, ""));
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    (status, body.to_owned())
}
