//! A loopback server with no quota: canned pages of a Mastodon timeline, as fast as a socket.
//!
//! Every account has `PAGES` full pages and a last empty one. Bodies are made once, before the
//! clock runs; the server only looks a page up and writes it.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Posts on a page.
pub(crate) const PAGE: usize = 40;
/// Full pages of an account.
pub(crate) const PAGES: usize = 10;

/// All answers, ready to be written.
pub(crate) struct Pages {
    accounts: usize,
    answers: Vec<Vec<u8>>,
}

impl Pages {
    /// Pages of so many accounts.
    pub(crate) fn new(accounts: usize) -> Self {
        let answers = (0..accounts * PAGES).map(|at| answer(at / PAGES, at % PAGES)).collect();
        Self { accounts, answers }
    }

    /// Posts on all pages.
    pub(crate) fn post_count(&self) -> usize {
        self.accounts * PAGES * PAGE
    }

    /// Pages in all.
    pub(crate) fn page_count(&self) -> usize {
        self.accounts * PAGES
    }

    /// Serves them on a free port.
    pub(crate) async fn serve(self) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let pages = Arc::new(self);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, Arc::clone(&pages)));
            }
        });
        Ok(address)
    }

    fn find(&self, head: &str) -> Option<&[u8]> {
        let path = head.split(' ').nth(1)?;
        let account: usize = path.strip_prefix("/api/v1/accounts/")?.split('/').next()?.parse().ok()?;
        let page = match path.split_once("max_id=") {
            None => 0,
            Some((_, bound)) => {
                let bound: usize = bound.split('&').next()?.parse().ok()?;
                (0..=PAGES).find(|&page| page > 0 && id(account, page * PAGE - 1) == bound)?
            }
        };
        if page == PAGES { Some(EMPTY) } else { self.answers.get(account * PAGES + page).map(Vec::as_slice) }
    }
}

/// The addresses of all pages of so many accounts, for a bare client.
pub(crate) fn urls(address: SocketAddr, accounts: usize) -> Vec<String> {
    let url = |at: usize| {
        let (account, page) = (at / PAGES, at % PAGES);
        let bound =
            if page == 0 { String::new() } else { format!("&max_id={}", id(account, page * PAGE - 1)) };
        format!("http://{address}/api/v1/accounts/{account}/statuses?limit=40{bound}")
    };
    (0..accounts * PAGES).map(url).collect()
}

const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]";
const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";

async fn converse(mut stream: TcpStream, pages: Arc<Pages>) {
    let _ = stream.set_nodelay(true);
    let mut heard = Vec::with_capacity(4096);
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = heard.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&heard[..end]).into_owned();
            heard.drain(..end + 4);
            let line = head.lines().next().unwrap_or_default();
            if stream.write_all(pages.find(line).unwrap_or(NOT_FOUND)).await.is_err() {
                return;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => heard.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Ids fall from the newest post (0) to the oldest, all of the same length.
fn id(account: usize, post: usize) -> usize {
    100_000_000_000_000_000 + account * 1_000_000 + (PAGES * PAGE - post)
}

/// One page of a timeline: a list of posts, the newest first.
pub(crate) fn body(account: usize, page: usize) -> String {
    let mut body = String::from("[");
    for post in page * PAGE..(page + 1) * PAGE {
        if body.len() > 1 {
            body.push(',');
        }
        write_post(&mut body, account, post);
    }
    body.push(']');
    body
}

fn answer(account: usize, page: usize) -> Vec<u8> {
    let body = body(account, page);
    let next = id(account, (page + 1) * PAGE - 1);
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nlink: <http://127.0.0.1/api/v1/accounts/{account}/statuses?limit=40&max_id={next}>; rel=\"next\"\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    answer.extend_from_slice(body.as_bytes());
    answer
}

fn write_post(body: &mut String, account: usize, post: usize) {
    let id = id(account, post);
    let (day, hour, minute) = (1 + (400 - post) / 20, post % 24, post % 60);
    let _ = write!(
        body,
        r#"{{"id":"{id}","created_at":"2026-01-{:02}T{hour:02}:{minute:02}:00.000Z","in_reply_to_id":null,"in_reply_to_account_id":null,"sensitive":false,"spoiler_text":"","visibility":"public","language":"en","uri":"http://127.0.0.1/users/a{account}/statuses/{id}","url":"http://127.0.0.1/@a{account}/{id}","replies_count":{},"reblogs_count":{},"favourites_count":{},"edited_at":null,"content":"<p>Post {post} of account {account}: the water is rising again and nobody at the bridge has seen so much of it since the spring of the year before last</p>","reblog":null,"account":{{"id":"{account}","username":"a{account}","acct":"a{account}","display_name":"Account {account}","locked":false,"bot":false,"created_at":"2020-01-01T00:00:00.000Z","note":"","url":"http://127.0.0.1/@a{account}","uri":"http://127.0.0.1/users/a{account}","followers_count":10,"following_count":20,"statuses_count":400,"fields":[]}},"media_attachments":[],"mentions":[],"tags":[],"emojis":[],"card":null}}"#,
        day.clamp(1, 28),
        post % 7,
        post % 5,
        post % 11,
    );
}
