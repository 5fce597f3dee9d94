//! Shares by the number of descriptors, and a process that has few of them among many servers.

use std::process::Command;
use std::sync::Arc;

use freshet_types::{NetworkName, Request, SystemClock};
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::{Fetch as _, HttpFetch, HttpOptions, Vault};

fn check(limit: u64, visits_max: usize, idle_max: usize) {
    assert_eq!(Share::of(limit), Share { visits_max, idle_max }, "{limit}");
    let worst = visits_max as u64 * (PER_VISIT - 1) + idle_max as u64;
    assert!(worst + RESERVED.min(limit / 2) <= limit.max(16), "{limit}: {worst} at worst");
}

#[test]
fn shares_leave_enough_for_everything_else() {
    check(16, 4, 0);
    check(64, 5, 6);
    check(256, 53, 54);
    check(1024, 256, 416);
    check(4096, 256, 2048);
    check(u64::MAX, 256, 2048);
}

/// Says to the child where the servers are.
const PORTS: &str = "FRESHET_TEST_PORTS";
/// More than the child has descriptors.
const SERVERS: usize = 400;
const LIMIT: u64 = 256;

/// Answers on one connection until it is closed.
async fn answer(mut stream: TcpStream) {
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}

async fn serve() -> Vec<u16> {
    let mut ports = Vec::new();
    for _ in 0..SERVERS {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        ports.push(listener.local_addr().unwrap().port());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream));
            }
        });
    }
    ports
}

/// Asks every server three times, as many at once as there may be.
async fn ask_all(ports: &[u16]) {
    assert_eq!(limit(), LIMIT);
    let options = HttpOptions::new("a@b.example", Arc::new(SystemClock), Arc::new(Vault::empty()));
    let fetch = HttpFetch::new(options).unwrap();
    let open = |port: u16| {
        let url = format!("http://127.0.0.1:{port}/");
        Request { allow_private: true, ..Request::get(&NetworkName::from("test"), url) }
    };
    let fetch = &fetch;
    let asked = (0..3).flat_map(|_| ports.iter().copied());
    let answers = futures::stream::iter(asked)
        .map(|port| async move { fetch.fetch(&open(port)).await.map(|response| response.status) })
        .buffer_unordered(LIMIT as usize);
    let answers: Vec<_> = answers.collect().await;
    let faults: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(faults.is_empty(), "{} faults, the first: {}", faults.len(), faults[0]);
    assert_eq!(answers.len(), 3 * SERVERS);
    let left = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    assert!(left < LIMIT - RESERVED / 2, "{left} descriptors are still open");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_with_few_descriptors_asks_more_servers_than_it_has() {
    if let Some(ports) = std::env::var_os(PORTS) {
        let ports = ports.into_string().unwrap();
        return ask_all(&ports.split(' ').map(|port| port.parse().unwrap()).collect::<Vec<_>>()).await;
    }
    raise();
    let ports: Vec<String> = serve().await.iter().map(u16::to_string).collect();
    let own = std::env::current_exe().unwrap();
    let name = "descriptors::tests::a_process_with_few_descriptors_asks_more_servers_than_it_has";
    let child = move || {
        let script = format!("ulimit -n {LIMIT} && exec \"$0\" --exact {name} --nocapture");
        Command::new("sh").args(["-c", &script]).arg(own).env(PORTS, ports.join(" ")).output().unwrap()
    };
    let output = tokio::task::spawn_blocking(child).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
