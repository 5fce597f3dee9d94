//! What comes over the wire, or does not: faults, silence, bodies, answers that are trouble.

use super::*;

#[tokio::test]
async fn a_request_with_little_patience_waits_no_longer() {
    let server = Hostile::start().await;
    let (first_byte_max, total_max) = (HANG * 2, HANG * 3);
    let fetch = HttpFetch::new(HttpOptions { first_byte_max, total_max, ..options(Vault::empty()) }).unwrap();
    for path in ["/stall", "/drip-in-body"] {
        let asked = Request { patience: Some(Span::from_ms(300)), ..request(&server.url(path)) };
        let shown = shown(&fetch, &asked).await;
        assert!(shown.starts_with("Timeout"), "{path}: {shown}");
    }
}

#[tokio::test]
async fn trouble_on_the_wire_becomes_a_typed_fault() {
    let server = Hostile::start().await;
    check(
        &fetcher(),
        &server,
        &[
            ("/reset", "Broken: `127.0.0.1"),
            ("/reset-in-body", "Broken"),
            ("/empty-reply", "Broken"),
            ("/garbage", "Broken"),
            ("/not-http", "Broken"),
            ("/half-body", "Broken"),
            ("/missing-last-chunk", "Broken"),
            ("/bad-chunk", "Broken"),
            ("/length-too-long", "Broken"),
            ("/lengths-disagree", "Broken"),
            ("/length-too-short", "200 {}"),
            ("/huge-header", "TooLarge"),
            ("/many-headers", "TooLarge"),
            ("/long-headers", "TooLarge: the headers are longer than 65536 bytes"),
            ("/endless-headers", "TooLarge"),
            ("/announced-giant", "TooLarge"),
            ("/endless-body", "TooLarge: `127.0.0.1"),
            // After all that, the same client still works.
            ("/ok", "200 {\"hello\":\"world\"}"),
        ],
    )
    .await;
}

#[tokio::test]
async fn silence_becomes_a_time_out_soon() {
    let server = Hostile::start().await;
    let started = Instant::now();
    check(
        &impatient(),
        &server,
        &[
            ("/stall", "Timeout: `127.0.0.1"),
            ("/stall-in-headers", "Timeout"),
            ("/stall-in-body", "Timeout"),
            ("/drip-in-headers", "Timeout"),
            ("/drip-in-body", "Timeout: `127.0.0.1`: the exchange did not end in time"),
        ],
    )
    .await;
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn bodies_are_decompressed_within_limits() {
    let server = Hostile::start().await;
    let hello = "200 {\"hello\":\"world\"}";
    check(
        &fetcher(),
        &server,
        &[
            ("/encoded/gzip", hello),
            ("/encoded/deflate", hello),
            ("/encoded/raw-deflate", hello),
            ("/encoded/zstd", hello),
            ("/encoded/br", hello),
            ("/encoded/identity", hello),
            ("/encoded/nothing", "200 "),
            ("/encoded/wrong", "Encoding: `127.0.0.1"),
            ("/encoded/wrong-br", "Encoding"),
            ("/encoded/wrong-zstd", "Encoding"),
            ("/encoded/cut", "Encoding"),
            ("/encoded/cut-br", "Encoding"),
            ("/encoded/cut-zstd", "Encoding"),
            ("/encoded/unknown", "Encoding"),
            ("/bomb/gzip", "Bomb: `127.0.0.1"),
            ("/bomb/deflate", "Bomb"),
            ("/bomb/zstd", "Bomb"),
            ("/bomb/br", "Bomb"),
            ("/bomb/twice", "Encoding"),
        ],
    )
    .await;
}

#[tokio::test]
async fn answers_that_are_trouble_are_passed_on() {
    let server = Hostile::start().await;
    check(
        &fetcher(),
        &server,
        &[
            ("/storm", "429 {\"error\""),
            ("/storm/retry-after", "429"),
            ("/unavailable", "503 "),
            ("/html", "200 <!doctype html>"),
            ("/wrong-charset", "200 gr\u{fffd}\u{fffd}e"),
            ("/unknown-charset", "200 nuqneH"),
            ("/no-content", "204 "),
            ("/not-modified", "304 "),
            ("/nowhere", "404 {\"error\""),
        ],
    )
    .await;
    let before = Clock::now(&SystemClock);
    let response = fetcher().fetch(&request(&server.url("/storm/retry-after"))).await.unwrap();
    assert_eq!(response.header("retry-after"), Some("120"));
    assert!(response.received_at >= before && response.received_at < Timestamp::MAX);
}

#[tokio::test]
async fn two_fetchers_live_side_by_side() {
    let server = Hostile::start().await;
    for fetch in [fetcher(), fetcher()] {
        assert!(shown(&fetch, &request(&server.url("/ok"))).await.starts_with("200"));
    }
}

#[tokio::test]
async fn no_server_no_connection() {
    let server = Hostile::start().await;
    let url = server.url("/ok");
    drop(server);
    tokio::task::yield_now().await;
    let shown = shown(&fetcher(), &request(&url)).await;
    assert!(shown.starts_with("Connect: `127.0.0.1"), "{shown}");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let tls = request(&format!("https://{}/", listener.local_addr().unwrap()));
    let plain = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream
    });
    let shown = self::shown(&fetcher(), &tls).await;
    assert!(shown.starts_with("Tls: `127.0.0.1"), "{shown}");
    drop(plain.await);
}
