//! Tests of fetching over HTTP against the hostile server: every fault is typed, none hangs.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use freshet_types::{Method, NetworkName, SystemClock, Timestamp};

use super::*;
use crate::hostile::{Behaviour, Hostile};
use crate::{Credential, CredentialKind, Vault};

/// A test that takes longer has hung; a loaded machine needs much of it.
const HANG: Duration = Duration::from_mins(1);

fn options(vault: Vault) -> HttpOptions {
    HttpOptions {
        body_bytes_max: 1 << 20,
        decoded_bytes_max: 4 << 20,
        ..HttpOptions::new("test@example.org", Arc::new(SystemClock), Arc::new(vault))
    }
}

fn fetcher() -> HttpFetch {
    HttpFetch::new(options(Vault::empty())).unwrap()
}

/// Short waits, for servers that keep silent.
fn impatient() -> HttpFetch {
    let options = HttpOptions {
        first_byte_max: Duration::from_millis(300),
        between_bytes_max: Duration::from_millis(300),
        total_max: Duration::from_millis(900),
        ..options(Vault::empty())
    };
    HttpFetch::new(options).unwrap()
}

fn request(url: &str) -> Request {
    Request { allow_private: true, ..Request::get(&NetworkName::from("test"), url) }
}

async fn shown(fetch: &HttpFetch, request: &Request) -> String {
    match timeout(HANG, fetch.fetch(request)).await.expect("no fetch hangs") {
        Ok(response) => format!("{} {}", response.status, String::from_utf8_lossy(&response.body)),
        Err(fault) => format!("{:?}: {}", fault.kind, fault.message),
    }
}

/// Fetches each path and compares what came of it.
async fn check(fetch: &HttpFetch, server: &Hostile, cases: &[(&str, &str)]) {
    for (path, expected) in cases {
        let shown = shown(fetch, &request(&server.url(path))).await;
        let start: String = shown.chars().take(200).collect();
        assert!(start.starts_with(expected), "{path}: {start}");
    }
}

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
    let before = freshet_types::Clock::now(&SystemClock);
    let response = fetcher().fetch(&request(&server.url("/storm/retry-after"))).await.unwrap();
    assert_eq!(response.header("retry-after"), Some("120"));
    assert!(response.received_at >= before && response.received_at < Timestamp::MAX);
}

#[tokio::test]
async fn redirects_are_followed_as_far_as_is_wise() {
    let server = Hostile::start().await;
    check(
        &fetcher(),
        &server,
        &[
            ("/redirect/ok", "200 {\"hello\":\"world\"}"),
            ("/redirect/endless/0", "Redirects: `127.0.0.1` redirects more than 5 times"),
            ("/redirect/here", "Redirects: `127.0.0.1` redirects in a circle"),
            ("/redirect/circle", "Redirects: `127.0.0.1` redirects in a circle"),
            ("/redirect/nonsense", "Redirects"),
            ("/redirect/nowhere", "302 {}"),
            ("/redirect/file", "Request: `127.0.0.1` redirects: only http and https"),
            // The allowance was for this host, not for whatever it names.
            ("/redirect/private", "ForbiddenAddress: `127.0.0.1` redirects: `10.0.0.1`"),
            ("/redirect/metadata", "ForbiddenAddress: `127.0.0.1` redirects: `169.254.169.254`"),
            ("/redirect/userinfo", "Request: `127.0.0.1` redirects: a URL must not hold"),
        ],
    )
    .await;
    let response = fetcher().fetch(&request(&server.url("/redirect/ok"))).await.unwrap();
    assert_eq!(response.url, server.url("/ok"));
}

/// Whoever grants each redirect gets them one by one, and each request is one exchange.
#[tokio::test]
async fn redirects_are_told_to_those_who_grant_them() {
    let server = Hostile::start().await;
    for (path, expected) in [
        ("/ok", "200 {\"hello\":\"world\"} after 0, 1 sent"),
        ("/redirect/ok", "200 {\"hello\":\"world\"} after 2, 3 sent"),
        ("/redirect/nowhere", "302 {} after 0, 1 sent"),
        ("/redirect/endless/0", "Redirects: `127.0.0.1` redirects more than 5 times after 5, 6 sent"),
        ("/redirect/here", "Redirects: `127.0.0.1` redirects in a circle after 0, 1 sent"),
        ("/redirect/circle", "Redirects: `127.0.0.1` redirects in a circle after 1, 2 sent"),
        ("/redirect/private", "ForbiddenAddress: `127.0.0.1` redirects: `10.0.0.1`"),
    ] {
        let (fetch, before, mut passed) = (fetcher(), server.requests().len(), Vec::new());
        let shown = loop {
            let redirects = Redirects::Told(passed.clone());
            let asked = Request { redirects, ..request(&server.url(path)) };
            let answer = timeout(HANG, fetch.fetch(&asked)).await.expect("no fetch hangs");
            assert_eq!(asked.meter.extra_count(), 0, "{path}");
            match answer {
                Ok(response) => match response.redirect() {
                    Some(redirect) => passed.push(redirect),
                    None => break format!("{} {}", response.status, String::from_utf8_lossy(&response.body)),
                },
                Err(fault) => break format!("{:?}: {}", fault.kind, fault.message),
            }
        };
        let sent = server.requests().len() - before;
        let shown = format!("{shown} after {}, {sent} sent", passed.len());
        assert!(shown.starts_with(expected), "{path}: {shown}");
    }
}

#[tokio::test]
async fn what_rides_on_a_request_is_counted() {
    let server = Hostile::start().await;
    let fetch = fetcher();
    for (path, is_page, expected) in [
        ("/ok", false, 0),
        ("/redirect/ok", false, 2),
        // The first page of a server brings its robots.txt along.
        ("/ok", true, 1),
        ("/ok", true, 0),
        ("/redirect/endless/0", true, 5),
    ] {
        let asked = Request { is_page, ..request(&server.url(path)) };
        drop(fetch.fetch(&asked).await);
        assert_eq!(asked.meter.extra_count(), expected, "{path}");
    }
}

/// Names that a hook resolves: `public.example` to the test server, as if it were public.
fn hooked(addresses: &'static [&'static str]) -> HttpOptions {
    let lookup: guard::Lookup = Arc::new(move |name| {
        assert!(name.ends_with(".example"), "{name}");
        let found: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(async move { Ok(found) })
    });
    HttpOptions { lookup, ..options(Vault::empty()) }
}

#[tokio::test]
async fn private_addresses_are_refused_unless_allowed() {
    let server = Hostile::start().await;
    let port = server.port();
    let closed = |url: &str| Request::get(&NetworkName::from("test"), url);
    for (addresses, url, expected) in [
        (&["127.0.0.1"][..], server.url("/ok"), "ForbiddenAddress: `127.0.0.1`"),
        (&["127.0.0.1"], format!("http://localhost:{port}/ok"), "ForbiddenAddress: `localhost`"),
        (&["127.0.0.1"], format!("http://rebound.example:{port}/ok"), "ForbiddenAddress: `rebound.example`"),
        (&["10.0.0.1", "::1", "fd00::1"], format!("http://inside.example:{port}/ok"), "ForbiddenAddress"),
        (&["::ffff:127.0.0.1"], format!("http://mapped.example:{port}/ok"), "ForbiddenAddress"),
        (&[], "http://nobody.example/".to_owned(), "Dns: `nobody.example`"),
    ] {
        let fetch = HttpFetch::new(hooked(addresses)).unwrap();
        let shown = shown(&fetch, &closed(&url)).await;
        assert!(shown.starts_with(expected), "{url}: {shown}");
        assert!(server.requests().is_empty(), "nothing was sent for {url}");
    }
    let fetch = HttpFetch::new(hooked(&["127.0.0.1"])).unwrap();
    let allowed = request(&format!("http://rebound.example:{port}/ok"));
    assert!(shown(&fetch, &allowed).await.starts_with("200"));
}

/// A redirect is judged like a first URL; nothing is sent to where it leads.
#[tokio::test]
async fn redirects_to_private_addresses_are_refused() {
    let closed = Request::get(&NetworkName::from("test"), "http://93.184.215.14/");
    let hop = Hop::first(&closed).unwrap();
    for (location, kind) in [
        ("http://10.0.0.1/", FaultKind::ForbiddenAddress),
        ("http://169.254.169.254/latest/meta-data/", FaultKind::ForbiddenAddress),
        ("//[::1]/", FaultKind::ForbiddenAddress),
        ("http://localhost/", FaultKind::ForbiddenAddress),
        ("file:///etc/passwd", FaultKind::Request),
    ] {
        let redirect = Redirect { status: 302, location: location.into() };
        let fault = hop.next(&redirect, &Scrubber::default()).err().expect(location);
        assert_eq!(fault.kind, kind, "{location}");
        assert!(fault.message.contains("`93.184.215.14` redirects"), "{}", fault.message);
    }
}

#[tokio::test]
async fn every_request_says_who_we_are() {
    let server = Hostile::start().await;
    let fetch = fetcher();
    let expected = format!("freshet/{} (+test@example.org)", env!("CARGO_PKG_VERSION"));
    assert_eq!(fetch.user_agent(), expected);
    let mut asked = request(&server.url("/echo"));
    asked.headers.push(("Accept".into(), "application/json".into()));
    let echo = shown(&fetch, &asked).await.to_lowercase();
    for header in [
        format!("user-agent: {expected}"),
        "accept-encoding: gzip, br, zstd, deflate".into(),
        "accept: application/json".into(),
    ] {
        assert!(echo.contains(&header), "{header} in {echo}");
    }
    for (name, value) in
        [("User-Agent", "Mozilla"), ("Cookie", "a=b"), ("bad name", "x"), ("x", "line\nbreak")]
    {
        let asked = Request { headers: vec![(name.into(), value.into())], ..request(&server.url("/echo")) };
        assert!(shown(&fetch, &asked).await.starts_with("Request: the header"), "{name}");
    }
    for contact in ["", "not ascii ü", "two (parens)", "a\r\nb"] {
        let options = HttpOptions { contact: contact.into(), ..options(Vault::empty()) };
        assert!(matches!(HttpFetch::new(options), Err(FetchError::Contact(_))), "{contact}");
    }
}

#[tokio::test]
async fn bodies_are_posted_and_stay_at_home() {
    let (home, stranger) = (Hostile::start().await, Hostile::start().await);
    home.route("/away", vec![Behaviour::redirect(307, &stranger.url("/echo"))]);
    home.route("/answer", vec![Behaviour::redirect(303, "/echo")]);
    let fetch = fetcher();
    let post = |path: &str| Request {
        method: Method::Post,
        body: Some("{\"q\":1}".into()),
        ..request(&home.url(path))
    };
    let echo = shown(&fetch, &post("/echo")).await;
    assert!(
        echo.contains("POST /echo") && echo.ends_with("{\"q\":1}") && echo.contains("application/json"),
        "{echo}"
    );
    let echo = shown(&fetch, &post("/answer")).await;
    assert!(echo.contains("GET /echo") && !echo.contains("{\"q\":1}"), "{echo}");
    assert!(shown(&fetch, &post("/away")).await.starts_with("ForbiddenAddress"), "another port");
    assert!(stranger.requests().is_empty());
}

#[tokio::test]
async fn exclusion_rules_are_asked_for_pages_only() {
    let server = Hostile::start().await;
    let long = format!("User-agent: *\nDisallow: /echo\n{}", "# filler\n".repeat(200_000));
    server.route("/robots.txt", vec![Behaviour::answer(200, &[], long.as_bytes())]);
    let fetch = fetcher();
    let page = |path: &str| Request { is_page: true, ..request(&server.url(path)) };
    assert!(
        shown(&fetch, &request(&server.url("/echo"))).await.starts_with("200"),
        "API calls are not pages"
    );
    assert_eq!(server.count("/robots.txt"), 0);
    let excluded = shown(&fetch, &page("/echo")).await;
    assert!(excluded.starts_with("Excluded: robots.txt of `127.0.0.1` excludes `/echo`"), "{excluded}");
    assert!(shown(&fetch, &page("/ok")).await.starts_with("200"));
    assert!(
        shown(&fetch, &page("/redirect/echo")).await.starts_with("Excluded"),
        "redirects are asked for too"
    );
    assert_eq!(server.count("/robots.txt"), 1);

    let deaf = HttpFetch::new(HttpOptions { honour_exclusion: false, ..options(Vault::empty()) }).unwrap();
    assert!(shown(&deaf, &page("/echo")).await.starts_with("200"));

    let stern = Hostile::start().await;
    stern.route("/robots.txt", vec![Behaviour::answer(200, &[], b"User-agent: freshet\nCrawl-delay: 3\n")]);
    let asked = Request { is_page: true, ..request(&stern.url("/ok")) };
    assert!(shown(&fetch, &asked).await.starts_with("200"));
    assert_eq!(fetch.exclusion_pause(&stern.url("/anything")), Some(Span::from_secs(3)));
}

#[tokio::test]
async fn a_host_is_not_flooded() {
    let server = Hostile::start().await;
    server.route(
        "/slow",
        vec![Behaviour::new(vec![crate::hostile::Step::Drip(
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec(),
            Duration::from_millis(2),
        )])],
    );
    let fetch = HttpFetch::new(HttpOptions { in_flight_per_host_max: 1, ..options(Vault::empty()) }).unwrap();
    let asked = request(&server.url("/slow"));
    let started = Instant::now();
    let answers = futures::future::join_all((0..5).map(|_| fetch.fetch(&asked))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert!(started.elapsed() >= Duration::from_millis(5 * 38 * 2), "one after the other");
}

fn vault(network: &str, secret: &str, kind: CredentialKind) -> Vault {
    let mut vault = Vault::empty();
    let credential = Credential::new("mine", &NetworkName::from(network), kind, None, &secret.into());
    vault.add(credential.unwrap()).unwrap();
    vault
}

fn with_auth(server: &Hostile, path: &str, scheme: AuthScheme) -> Request {
    Request {
        network: NetworkName::from(format!("test:{}", server.authority()).as_str()),
        auth: Some(AuthUse { credential: "mine".into(), scheme }),
        ..request(&server.url(path))
    }
}

#[tokio::test]
async fn credentials_are_shown_at_home_and_nowhere_else() {
    let (home, stranger) = (Hostile::start().await, Hostile::start().await);
    home.route("/away", vec![Behaviour::redirect(302, &stranger.url("/echo"))]);
    let network = format!("test:{}", home.authority());
    let fetch = HttpFetch::new(options(vault(&network, "s3cret/token+1", CredentialKind::Bearer))).unwrap();
    let query = AuthScheme::Query { name: "key".into() };
    for (scheme, sent) in [
        (AuthScheme::Bearer, "authorization: Bearer s3cret/token+1"),
        (AuthScheme::Header { name: "X-Api-Key".into() }, "x-api-key: s3cret/token+1"),
        (query.clone(), "GET /redirect/echo?key=s3cret%2Ftoken%2B1"),
    ] {
        let mut asked = with_auth(&home, "/redirect/echo", scheme.clone());
        asked.headers.push(("X-Own".into(), "own".into()));
        let echo = fetch.fetch(&asked).await.unwrap();
        let text = String::from_utf8(echo.body).unwrap();
        assert!(home.requests().iter().any(|request| request.contains(sent)), "{sent}");
        assert!(text.contains("[secret]") && !text.contains("s3cret"), "an echo is scrubbed: {text}");
        assert_eq!(echo.url, home.url("/echo"), "no secret in the URL that answered");

        let away = with_auth(&home, "/away", scheme);
        let away = shown(&fetch, &Request { headers: asked.headers, ..away }).await;
        assert!(away.starts_with("ForbiddenAddress"), "another port is another server: {away}");
    }
    assert!(stranger.requests().is_empty());

    let replaced = with_auth(&home, "/echo?a=1&key=%5Bsecret%5D&b=2", query);
    assert!(shown(&fetch, &replaced).await.contains("/echo?a=1&b=2&key=[secret]"));
    let foreign = with_auth(&stranger, "/echo", AuthScheme::Bearer);
    assert!(shown(&fetch, &foreign).await.starts_with("Credential: credential `mine` is for `test:127"));
    let mut missing = with_auth(&home, "/echo", AuthScheme::Bearer);
    missing.auth = Some(AuthUse { credential: "other".into(), scheme: AuthScheme::Bearer });
    assert!(shown(&fetch, &missing).await.starts_with("Credential: credential `other` is missing"));
}

fn session() -> AuthScheme {
    AuthScheme::Session { url: "/session".into(), token: "/accessJwt".into() }
}

#[tokio::test]
async fn a_session_is_made_kept_and_renewed_once() {
    let server = Hostile::start().await;
    let tokens = ["token-one", "token-two", "token-three"];
    server.route(
        "/session",
        tokens.map(|token| Behaviour::json(200, &format!("{{\"accessJwt\":\"{token}\"}}"))).to_vec(),
    );
    let expired = Behaviour::json(400, r#"{"error":"ExpiredToken","message":"Token has expired"}"#);
    let ok = Behaviour::json(200, "{}");
    server.route("/feed", vec![ok.clone(), ok.clone(), expired, ok, Behaviour::json(401, "{}")]);
    let network = format!("test:{}", server.authority());
    let fetch = HttpFetch::new(options(vault(&network, "did:plc:me:pass-word", CredentialKind::AppPassword)))
        .unwrap();
    let asked = with_auth(&server, "/feed", session());

    let both = futures::future::join(shown(&fetch, &asked), shown(&fetch, &asked)).await;
    assert_eq!(both, ("200 {}".into(), "200 {}".into()));
    assert_eq!(server.count("/session"), 1, "one log-in serves both");
    assert_eq!(shown(&fetch, &asked).await, "200 {}", "an expired token is renewed");
    assert_eq!(server.count("/session"), 2);
    for _ in 0..2 {
        assert!(
            shown(&fetch, &asked).await.starts_with("401"),
            "with a new token, the network's word stands"
        );
        assert_eq!(server.count("/session"), 2, "no log-in for each refusal");
    }
    let requests = server.requests().join("\n");
    assert!(requests.contains(r#"{"identifier":"did:plc:me","password":"pass-word"}"#), "{requests}");
    assert!(requests.contains("authorization: Bearer token-two"));
}

#[tokio::test]
async fn a_refused_password_rests_and_a_busy_network_is_heard() {
    let server = Hostile::start().await;
    let busy = Behaviour::answer(429, &[("ratelimit-reset", "1700000000")], b"slow down");
    server.route("/session", vec![busy, Behaviour::json(401, r#"{"error":"AuthenticationRequired"}"#)]);
    let network = format!("test:{}", server.authority());
    let fetch =
        HttpFetch::new(options(vault(&network, "me:pass-word", CredentialKind::AppPassword))).unwrap();
    let asked = with_auth(&server, "/feed", session());
    let busy = fetch.fetch(&asked).await.unwrap();
    assert_eq!((busy.status, busy.header("ratelimit-reset")), (429, Some("1700000000")));
    for _ in 0..3 {
        let refused = shown(&fetch, &asked).await;
        assert!(
            refused.starts_with("Credential: credential `mine`: `127.0.0.1` refused it (status 401)"),
            "{refused}"
        );
    }
    assert_eq!(server.count("/session"), 2, "a refused password is not tried again at once");
    assert_eq!(server.count("/feed"), 0);

    let stranger = Hostile::start().await;
    let scheme = AuthScheme::Session { url: stranger.url("/session"), token: "/accessJwt".into() };
    assert!(shown(&fetch, &with_auth(&server, "/feed", scheme)).await.contains("is not shown to"));
    assert!(stranger.requests().is_empty(), "a password stays with its server");

    let bearer = vault(&network, "token", CredentialKind::Bearer);
    let fetch = HttpFetch::new(options(bearer)).unwrap();
    assert!(shown(&fetch, &asked).await.contains("has no identifier"));
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
