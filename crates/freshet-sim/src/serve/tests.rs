//! A served world, spoken to over a real socket.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::{Faults, Limits, WorldOptions};

async fn served(
    options: WorldOptions,
) -> (SocketAddr, Stopper, tokio::task::JoinHandle<Result<(), SimError>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Server::new(World::new(options).unwrap(), listener, 600.0).unwrap();
    (server.address().unwrap(), server.stopper(), tokio::spawn(server.run()))
}

/// Head and body of the answer to one GET.
async fn get(address: SocketAddr, target: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // A connection that is broken on purpose may end in an error; what came before it counts.
    let _ = stream.read_to_end(&mut bytes).await;
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let body = bytes.split_off((head + 4).min(bytes.len()));
    (String::from_utf8(bytes).unwrap(), body)
}

/// Undoes chunked transfer.
fn joined(body: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), body);
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        out.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    out
}

#[tokio::test]
async fn a_world_is_served_with_its_clock_and_its_truth() {
    let options = WorldOptions { accounts: 120, ..WorldOptions::default() };
    let ready_at = options.ready_at().secs_f64();
    let (address, stopper, task) = served(options).await;

    let (_, body) = get(address, "/clock").await;
    let clock: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(clock["speed"], 600.0);
    assert!(clock["now"].as_f64().unwrap() >= ready_at);

    let (head, body) = get(address, "/truth.jsonl").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let text = String::from_utf8(joined(&body)).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 5000, "{} lines", lines.len());
    let line =
        lines.iter().rev().find(|line| line["hidden_at"].is_null() && line["deleted_at"].is_null()).unwrap();
    let (id, author) = (line["id"].as_str().unwrap(), line["author"].as_str().unwrap());

    let (head, body) = get(address, &format!("/api/v1/accounts/lookup?acct={author}")).await;
    assert!(head.contains("x-ratelimit-remaining: 299"), "{head}");
    let account: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(account["url"], format!("http://{address}/@{author}"));
    let target = format!("/api/v1/accounts/{}/statuses?limit=40", account["id"].as_str().unwrap());
    let (head, body) = get(address, &target).await;
    assert!(head.contains(&format!("link: <http://{address}/api/v1/accounts/")), "{head}");
    let page: Vec<serde_json::Value> = serde_json::from_slice(&body).unwrap();
    assert!(page.iter().any(|post| post["id"] == id));

    stopper.stop();
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_broken_answer_promises_more_than_it_gives() {
    let faults = Faults { share: 1.0, ..Faults::default() };
    let options = WorldOptions { accounts: 5, faults, limits: Limits::OFF, ..WorldOptions::default() };
    let (address, stopper, task) = served(options).await;
    let mut broken_count = 0;
    for _ in 0..40 {
        let (head, body) = get(address, "/api/v1/timelines/public").await;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: Option<usize> = length.and_then(|length| length.parse().ok());
        broken_count += usize::from(length.is_none_or(|length| length > body.len()));
    }
    assert!((2..25).contains(&broken_count), "{broken_count} of 40 broke off");
    let (head, _) = get(address, "/clock").await;
    assert!(head.starts_with("HTTP/1.1 200"), "the clock never fails");
    stopper.stop();
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_speed_without_meaning_is_refused() {
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let world = World::new(WorldOptions { accounts: 1, ..WorldOptions::default() }).unwrap();
        let error = Server::new(world, listener, speed).unwrap_err().to_string();
        assert!(error.contains("`speed`"), "{error}");
    }
}
