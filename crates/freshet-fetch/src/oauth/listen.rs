//! Waiting for the browser to come back: one answer, on this computer only.
//!
//! Everything is bounded: how long, how many connections, how much of each is read. What came is not judged here.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::FetchError;

/// Connections that are looked at: browsers open some that they never use.
const CONNECTIONS_MAX: usize = 64;
/// Longest head of a request.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// How long a browser may take to send it.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// What the person sees in the browser.
const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>freshet</title>\
<p>freshet has the answer. You may close this page.</p></html>";

/// A door for the browser.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    port: u16,
}

impl Listener {
    /// Opens it at this port of loopback, or at a free one.
    pub async fn open(port: Option<u16>) -> Result<Self, FetchError> {
        let failed = |error: std::io::Error| {
            let at = port.map_or("any port".to_owned(), |port| format!("port {port}"));
            FetchError::Client(format!("the browser cannot come back to {at} of this computer: {error}"))
        };
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port })
    }

    /// Where the browser comes back to.
    pub fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The address that the browser came back to; `None` when nobody came in time.
    pub async fn answer(&self, patience: Duration) -> Option<String> {
        timeout(patience, self.first()).await.ok().flatten()
    }

    async fn first(&self) -> Option<String> {
        let mut connections = JoinSet::new();
        let mut left = CONNECTIONS_MAX;
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if left > 0 => {
                    if let Ok((stream, _)) = accepted {
                        left -= 1;
                        connections.spawn(timeout(HEAD_TIME_MAX, serve(stream)));
                    }
                }
                Some(served) = connections.join_next() => {
                    if let Ok(Ok(Some(query))) = served {
                        return Some(format!("{}?{query}", self.redirect()));
                    }
                }
                else => return None,
            }
        }
    }
}

/// The query of an answer, if this connection brought one.
async fn serve(mut stream: TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&chunk[..count]);
        if head.len() > HEAD_BYTES_MAX {
            return None;
        }
    }
    let line = String::from_utf8_lossy(&head);
    let query = query_of(line.lines().next().unwrap_or_default());
    let (status, body) = if query.is_some() { ("200 OK", PAGE) } else { ("404 Not Found", "") };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // Whether the browser shows the page changes nothing.
    drop(stream.write_all(answer.as_bytes()).await);
    drop(stream.shutdown().await);
    query
}

/// `GET /?code=…&state=… HTTP/1.1`: what stands behind the question mark, of an answer only.
fn query_of(line: &str) -> Option<String> {
    let target = line.strip_prefix("GET /?")?.split(' ').next()?;
    let is_answer = |key: &str| matches!(key, "code" | "error" | "oauth_token" | "denied");
    let mut keys = url::form_urlencoded::parse(target.as_bytes());
    keys.any(|(key, _)| is_answer(&key)).then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_an_answer_counts() {
        let listener = Listener::open(None).await.unwrap();
        let say = |text: &'static str| async move {
            let mut stream = TcpStream::connect(("127.0.0.1", listener.port)).await.unwrap();
            stream.write_all(text.as_bytes()).await.unwrap();
            let mut said = String::new();
            drop(stream.read_to_string(&mut said).await);
            said
        };
        let idle = TcpStream::connect(("127.0.0.1", listener.port)).await.unwrap();
        let asked = async {
            let icon = say("GET /favicon.ico HTTP/1.1\r\n\r\n").await;
            let post = say("POST /?code=1 HTTP/1.1\r\n\r\n").await;
            let other = say("GET /?hello=1 HTTP/1.1\r\n\r\n").await;
            let answer = say("GET /?code=a%20b&state=s HTTP/1.1\r\nHost: x\r\n\r\n").await;
            assert!([icon, post, other].iter().all(|said| said.starts_with("HTTP/1.1 404")));
            assert!(answer.contains("You may close this page"), "{answer}");
        };
        let (answer, ()) = tokio::join!(listener.answer(Duration::from_mins(1)), asked);
        assert_eq!(answer.unwrap(), format!("{}?code=a%20b&state=s", listener.redirect()));
        drop(idle);
        assert_eq!(listener.answer(Duration::from_millis(20)).await, None);
    }
}
