//! What strangers may take: connections, guesses, places. Whoever owns the dashboard is served beside them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use reqwest::header::{COOKIE, RETRY_AFTER, SET_COOKIE};
use reqwest::{Client, RequestBuilder, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::super::site;
use super::{PASSWORD, TOKEN, Visitor, WithForm as _};

/// More than there are places for connections, whoever asks.
const MANY: usize = 300;
/// Far longer than it takes; without it, what fails would wait for ever.
const SOON: Duration = Duration::from_mins(1);
/// More than may be guessed in a minute.
const GUESSES: usize = 12;

/// Somebody at another address of this computer.
fn stranger() -> Client {
    let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let builder = Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    builder.local_address(address).build().unwrap()
}

fn url(served: &Visitor, path: &str) -> String {
    format!("{}{path}", served.served.url.trim_end_matches('/'))
}

#[tokio::test]
async fn the_owner_gets_a_page_beside_connections_that_say_nothing() {
    let served = Visitor::start(None, None).await;
    let address = served.served.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let unfinished = [
        "",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\npassword=",
    ];
    let mut silent = Vec::new();
    for sent in unfinished.iter().cycle().take(MANY) {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        silent.push(stream);
    }
    served.text("/", 200).await;
    let status = stranger().get(url(&served, "/healthz")).send().await.unwrap().status();
    assert_eq!(status, StatusCode::OK);
    // The first ones gave way, so there are never more than there is room for.
    let mut said = Vec::new();
    let end = tokio::time::timeout(SOON, silent[0].read_to_end(&mut said)).await;
    assert!(end.is_ok() && said.is_empty(), "{end:?}");
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn a_strangers_wrong_tokens_are_limited_and_lock_nobody_else_out() {
    let served = Visitor::start(Some(PASSWORD), Some(TOKEN)).await;
    let (stranger, path) = (stranger(), url(&served, "/api/v1/status"));
    for guess in 0..GUESSES {
        let said = status(stranger.get(&path).bearer_auth(format!("guess-{guess}"))).await;
        let expected = if guess < 10 { StatusCode::UNAUTHORIZED } else { StatusCode::TOO_MANY_REQUESTS };
        assert_eq!(said, expected, "guess {guess}");
    }
    let late = stranger.get(&path).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(late.status(), StatusCode::TOO_MANY_REQUESTS, "guessing does not go on");
    assert!(late.headers().contains_key(RETRY_AFTER), "{:?}", late.headers());
    assert_eq!(status(stranger.get(url(&served, "/healthz")).bearer_auth("guess")).await, StatusCode::OK);
    assert_eq!(status(served.ask("GET", "/api/v1/status").bearer_auth(TOKEN)).await, StatusCode::OK);
}

#[tokio::test]
async fn a_strangers_wrong_passwords_do_not_lock_the_owner_out() {
    let served = Visitor::start(Some(PASSWORD), None).await;
    let stranger = stranger();
    let fields = |password: &'static str| [("password", password)];
    for _ in 0..GUESSES {
        status(stranger.post(url(&served, "/login")).fields(&fields("wrong"))).await;
    }
    let said = status(stranger.post(url(&served, "/login")).fields(&fields(PASSWORD))).await;
    assert_eq!(said, StatusCode::TOO_MANY_REQUESTS);
    let owner = |cookie: &str| served.ask("POST", "/login").header(COOKIE, cookie).fields(&fields(PASSWORD));
    let first = owner("").send().await.unwrap();
    assert_eq!(first.status(), StatusCode::SEE_OTHER, "the owner has another address");
    let given = first.headers().get_all(SET_COOKIE).iter().map(|it| it.to_str().unwrap().to_owned());
    let browser = given.into_iter().find(|it| it.starts_with("freshet_browser=")).unwrap();
    assert!(browser.contains("HttpOnly") && browser.contains("SameSite=Strict"), "{browser}");
    let browser = browser.split(';').next().unwrap();
    // Now the stranger sits at the owner's address, behind the same proxy for instance.
    for _ in 0..GUESSES {
        status(served.ask("POST", "/login").fields(&fields("wrong"))).await;
    }
    assert_eq!(status(owner("")).await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(status(owner(browser)).await, StatusCode::SEE_OTHER, "a browser that is known gets in");
    assert_eq!(status(owner("freshet_browser=made-up")).await, StatusCode::TOO_MANY_REQUESTS);
    // The word opens nothing by itself.
    assert_eq!(status(served.ask("GET", "/sources").header(COOKIE, browser)).await, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn one_address_does_not_take_all_places_of_pages_that_listen() {
    let served = Visitor::start(None, None).await;
    let mut listening = Vec::new();
    for _ in 0..site::LISTENERS.share {
        listening.push(served.get("/api/v1/live").await);
    }
    assert!(listening.iter().all(|it| it.status() == StatusCode::OK));
    assert_eq!(served.get("/api/v1/live").await.status(), StatusCode::SERVICE_UNAVAILABLE);
    let other = stranger().get(url(&served, "/api/v1/live")).send().await.unwrap();
    assert_eq!(other.status(), StatusCode::OK);
    served.text("/", 200).await;
}
