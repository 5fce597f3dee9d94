//! Manners: who we say we are, what is posted, exclusion rules, how much a host is asked at once.

use super::*;

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
