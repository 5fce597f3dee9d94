//! Absurd questions: whatever is asked, the answer is a page, or says what would be understood; and soon.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::routes;
use super::{FORUM, Visitor, WithForm as _, filled};

/// A page over a store of this size is made in milliseconds; a machine may be busy.
const SLOW: Duration = Duration::from_secs(5);

/// Every name that a query of any page has, beside those that the API describes.
const PAGE_NAMES: [&str; 4] = ["over", "told", "next", "page"];

/// What nobody means.
fn absurd_values() -> Vec<String> {
    let short = [
        "-1",
        "0",
        "1e99",
        "NaN",
        "18446744073709551616",
        "9223372036854775808",
        "DROP",
        "'; DROP TABLE posts; --",
        "0000-99-99",
        "-9999-01-01",
        "9999-12-31T23:59:59.999Z",
        "99999999999d",
        "a\0b",
        "%",
        "*",
        "NEAR(",
        "\"",
        "mastodon:",
        "../../etc/passwd",
        "\u{202e}gnp.exe",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    ];
    let long = ["x".repeat(201), "🙂".repeat(200), "1".repeat(400), "x".repeat(20_000)];
    short.into_iter().map(str::to_owned).chain(long).collect()
}

/// Asks and judges: an answer, soon, that is no failure inside; refusals say something.
async fn check(served: &Visitor, path: &str) {
    let began = Instant::now();
    let response = served.get(path).await;
    let (status, shown) = (response.status(), path.chars().take(120).collect::<String>());
    let text = if path.starts_with("/api/v1/live") { String::new() } else { response.text().await.unwrap() };
    assert!(!status.is_server_error(), "{shown}: {status}\n{text}");
    assert!(began.elapsed() < SLOW, "{shown}: {:?}", began.elapsed());
    let is_told = text.contains("role=\"alert\">") || text.contains("\"error\":");
    assert!(!status.is_client_error() || is_told, "{shown}: {status}\n{text}");
}

#[tokio::test]
async fn no_page_fails_or_dawdles_over_an_absurd_query() {
    let served = Visitor::start(None, None).await;
    let list = routes().list;
    let mut names: Vec<&str> = list.iter().flat_map(|route| route.query).map(|(name, _)| *name).collect();
    names.extend(PAGE_NAMES);
    names.sort_unstable();
    names.dedup();
    let values = absurd_values();
    let asked = |name: &str, value: &str| -> String {
        url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
    };
    for route in list.iter().filter(|route| route.method == "GET") {
        let path = filled(route.path);
        // All names at once, where one would be refused before the others; and each name once.
        let all = |value: &str| names.iter().map(|name| asked(name, value)).collect::<Vec<_>>().join("&");
        for query in ["&&&==", "q", "page=%ff", "q=%ff%fe", "since=%zz", &all("-1"), &all("a")] {
            check(&served, &format!("{path}?{query}")).await;
        }
        for (at, name) in names.iter().enumerate() {
            check(&served, &format!("{path}?{}", asked(name, &values[at % values.len()]))).await;
        }
    }
    let forum = format!("/forums/{FORUM}");
    for (page, names) in [
        ("/sources", &["q", "state", "network", "robot", "sort", "page"][..]),
        ("/posts", &["q", "network", "author", "since", "until", "page"]),
        ("/graph", &["at"]),
        ("/login", &["next"]),
        ("/api/v1/plan", &["lag", "calls_per_hour"]),
        (&forum, &["page"]),
    ] {
        for (name, value) in names.iter().flat_map(|name| values.iter().map(move |value| (name, value))) {
            check(&served, &format!("{page}?{}", asked(name, value))).await;
        }
    }
}

/// More than any browser sends is refused by the server itself, before any page.
#[tokio::test]
async fn a_megabyte_of_question_is_refused() {
    let served = Visitor::start(None, None).await;
    let host = served.served.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    let asked = format!("GET /sources?q={} HTTP/1.1\r\nHost: {host}\r\n\r\n", "x".repeat(1_000_000));
    // It may hang up while there is still more to say.
    let _ = stream.write_all(asked.as_bytes()).await;
    let mut answer = [0; 12];
    let heard = stream.read_exact(&mut answer).await;
    assert!(heard.is_err() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    check(&served, "/sources").await;
}

#[tokio::test]
async fn no_form_fails_over_absurd_fields() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    let fields = [
        ("/sources/add", "references"),
        ("/sources/add", "since"),
        ("/sources/1/pin", "every"),
        ("/sources/1/pin", "was"),
        ("/sources/1/weight", "weight"),
        ("/sources/1/weight", "was"),
        ("/experiments", "calls_per_hour"),
        ("/experiments", "warm_days"),
        ("/experiments", "from"),
        ("/experiments", "policies"),
        ("/credentials", "network"),
        ("/credentials", "kind"),
        ("/login", "next"),
    ];
    for (path, field) in fields {
        for value in absurd_values() {
            let form = served.ask("POST", path).fields(&[("csrf", &csrf), (field, &value)]);
            let response = form.send().await.unwrap();
            let (status, text) = (response.status(), response.text().await.unwrap());
            assert!(!status.is_server_error(), "{path} {field}={value:.60}: {status}\n{text}");
        }
    }
    let big = "https://a.example/@eve\n".repeat(60_000);
    let status = served.ask("POST", "/sources/add").fields(&[("csrf", &csrf), ("references", &big)]);
    assert_eq!(status.send().await.unwrap().status(), StatusCode::PAYLOAD_TOO_LARGE);
    for path in ["/sources/99/pause", "/sources/1/explode", "/robots/none/start", "/robots/tag/explode"] {
        let status = served.ask("POST", path).fields(&[("csrf", &csrf)]).send().await.unwrap().status();
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn absurd_questions_get_clear_answers() {
    let served = Visitor::start(None, None).await;
    for (path, status, words) in [
        ("/nowhere", 404, "no such page"),
        ("/api/v1/nowhere", 404, "\"error\""),
        ("/sources/999999", 404, "no source"),
        ("/sources/99999999999999999999", 404, "no source"),
        ("/posts/0", 404, "no such post"),
        ("/posts/x", 404, "no such post"),
        ("/networks/none", 404, "mastodon"),
        ("/graph?at=nobody", 404, "no account or post"),
        ("/graph?at=99999999999999999999", 404, "no account or post"),
        ("/forums/none", 404, "no forum"),
        ("/api/v1/graph", 400, "in the middle"),
        ("/api/v1/objects/mastodon:a.example/account/none", 404, "nothing is stored of"),
        ("/api/v1/objects/nowhere/account/1", 404, "has no definition here"),
        ("/api/v1/objects/x", 404, "no object is known as"),
        ("/api/v1/objects/mastodon:a.example/account/1?links=shoe_size", 400, "followers_count"),
        ("/api/v1/objects/mastodon:a.example/account/1?limit=many", 400, "up to 1000"),
        ("/sources?page=0", 400, "from 1 to"),
        ("/sources?page=999999999", 400, "narrow the list"),
        ("/sources?page=-1", 400, "from 1 to"),
        ("/sources?state=odd", 400, "active"),
        ("/sources?sort=odd", 400, "number"),
        ("/sources?q=a&q=b", 400, "not understood"),
        ("/posts?since=soon", 400, "a time is"),
        ("/posts?q=%22", 400, "not a search query"),
        ("/api/v1/posts.jsonl?q=%22", 400, "not a search query"),
        ("/api/v1/gaps?limit=many", 400, "up to 1000"),
        ("/api/v1/plan?lag=never", 400, "10m"),
        ("/api/v1/plan?calls_per_hour=NaN", 400, "above 0"),
        ("/%00", 404, "no such page"),
    ] {
        let text = served.text(path, status).await;
        assert!(text.contains(words), "{path}: `{words}` is not in\n{text}");
    }
    let long = format!("/posts?q={}", "x".repeat(5000));
    assert!(served.text(&long, 400).await.contains("longer than"));
    for (method, path) in [("POST", "/sources"), ("DELETE", "/"), ("PUT", "/api/v1/status")] {
        let csrf = served.csrf().await;
        let status = served.ask(method, path).header("x-csrf-token", csrf).send().await.unwrap().status();
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
    }
}
