//! A server that speaks Mastodon's API and says only what would do harm if anybody believed it to be markup:
//! names, handles, ids, texts, tags, languages, addresses.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};

/// Each would set this on the page if it ran.
pub(crate) const FLAG: &str = "harmed";
/// Longest word.
const WORD_BYTES: usize = 100_000;

/// Texts that try to break out of where they stand.
pub(crate) fn texts() -> Vec<String> {
    vec![
        "<script>window.harmed=1</script>".to_owned(),
        "\"><img src=x onerror=\"window.harmed=2\">".to_owned(),
        "'><svg onload='window.harmed=3'>".to_owned(),
        "</title><script>window.harmed=4</script>".to_owned(),
        "</textarea></style></script><script>window.harmed=5</script>".to_owned(),
        "javascript:window.harmed=6".to_owned(),
        "&lt;script&gt;window.harmed=7&lt;/script&gt; &quot;&gt;&lt;img src=x onerror=window.harmed=7&gt;"
            .to_owned(),
        "\u{202e}gnp.exe \u{2066}\u{202d}turned".to_owned(),
        "a\0b\u{1}c\u{7f}\u{85}\u{2028}d".to_owned(),
        "👨\u{200d}👩\u{200d}👧\u{200d}👦🏳\u{fe0f}\u{200d}🌈e\u{301}\u{301}\u{301}".repeat(30),
        "{{ 7 * 7 }}{% include 'x' %}${7*7}".to_owned(),
        "<b>".repeat(200) + "deep",
        "x".repeat(WORD_BYTES),
        "`<img src=x onerror=window.harmed=8>` `".to_owned(),
    ]
}

/// A running server; ends with the tests.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where it is.
    pub(crate) base: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let base = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let world = Arc::new(World::new());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let world = Arc::clone(&world);
                std::thread::spawn(move || answer(&stream, &world));
            }
        });
        Self { base }
    }
}

/// What it has: an account for each text, which posts all texts.
struct World {
    accounts: Vec<Value>,
    posts: Vec<Value>,
}

impl World {
    fn new() -> Self {
        let texts = texts();
        let accounts = texts.iter().enumerate().map(|(at, text)| account(at, text)).collect();
        let posts = texts.iter().enumerate().map(|(at, text)| post(at, text)).collect();
        Self { accounts, posts }
    }

    fn answer(&self, path: &str) -> Option<Value> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let is_later = ["max_id=", "min_id=", "since_id="].iter().any(|key| query.contains(key));
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        Some(match parts.as_slice() {
            ["api", "v1", "accounts", "lookup"] => self.accounts[0].clone(),
            ["api", "v1", "accounts", _, "statuses"] if is_later => json!([]),
            ["api", "v1", "accounts", _, "statuses"] => json!(self.posts),
            ["api", "v1", "accounts", _, "followers" | "following"] => json!(self.accounts),
            ["api", "v1", "accounts", _, "featured_tags"] => {
                texts().iter().map(|text| json!({ "name": text, "id": text })).collect()
            }
            ["api", "v1", "accounts", _] => self.accounts[0].clone(),
            ["api", "v1", "statuses", _, "context"] => json!({ "ancestors": [], "descendants": self.posts }),
            _ => return None,
        })
    }
}

/// The first has an id that leads back to it; the others' ids are hostile too.
fn account(at: usize, text: &str) -> Value {
    let id = if at == 0 { "1".to_owned() } else { format!("{at}{}", cut(text)) };
    json!({
        "id": id, "acct": text, "username": text, "display_name": text, "note": text, "url": text, "uri": text,
        "created_at": "2024-01-01T00:00:00.000Z", "followers_count": 3, "following_count": 3, "statuses_count": 9,
        "avatar": text, "bot": false, "locked": false,
    })
}

fn post(at: usize, text: &str) -> Value {
    let id = if at < 3 { format!("10{at}") } else { format!("10{at}{}", cut(text)) };
    let tags: Vec<Value> = texts().iter().map(|text| json!({ "name": text, "url": text })).collect();
    json!({
        "id": id, "uri": text, "url": text, "content": text, "language": cut(text), "visibility": "public",
        "created_at": format!("2024-02-{:02}T00:00:00.000Z", at + 1), "account": account(0, &texts()[0]),
        "tags": tags, "mentions": [], "spoiler_text": text, "sensitive": false, "reblog": null,
        "in_reply_to_id": if at > 0 { json!("100") } else { Value::Null }, "in_reply_to_account_id": null,
        "media_attachments": [], "emojis": [], "card": { "url": text, "title": text },
    })
}

/// As long as an id may be.
fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

fn answer(mut stream: &TcpStream, world: &World) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    for line in lines {
        if line.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match world.answer(path) {
        Some(value) => ("200 OK", value.to_string()),
        None => ("404 Not Found", "{}".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
