//! Who may look: logins, tokens, addresses, encryption.

use std::sync::Arc;

use freshet_app::place::Place;
use freshet_fetch::{HttpFetch, HttpOptions, Vault};
use freshet_network::networks::Networks;
use freshet_types::SystemClock;
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, StatusCode};
use secrecy::SecretString;

use super::super::access::{hash, password_path};
use super::super::{Access, Parts, TlsFiles, bind, serve, tls};
use super::{PASSWORD, Visitor, WithForm as _, fill};

#[tokio::test]
async fn a_login_opens_a_session_and_a_logout_ends_it() {
    let served = Visitor::start(Some(PASSWORD), None).await;
    let login = |password: &'static str| {
        served.ask("POST", "/login").fields(&[("password", password), ("next", "/sources")]).send()
    };
    let refused = login("wrong").await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    let response = login(PASSWORD).await.unwrap();
    assert_eq!(
        (response.status(), &response.headers()[LOCATION]),
        (StatusCode::SEE_OTHER, &"/sources".parse().unwrap())
    );
    let cookie = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let page = served.ask("GET", "/sources").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    let text = page.text().await.unwrap();
    let csrf = text.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let logout = |csrf: String| {
        served.ask("POST", "/logout").header(COOKIE, &cookie).fields(&[("csrf", &csrf)]).send()
    };
    assert_eq!(logout("wrong".to_owned()).await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(logout(csrf).await.unwrap().status(), StatusCode::SEE_OTHER);
    let after = served.ask("GET", "/sources").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(after.status(), StatusCode::SEE_OTHER);
    let mut statuses = Vec::new();
    for _ in 0..12 {
        statuses.push(login("wrong").await.unwrap().status());
    }
    assert_eq!(statuses.last(), Some(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
    assert_eq!(login(PASSWORD).await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_login_never_leads_elsewhere() {
    let served = Visitor::start(Some(PASSWORD), None).await;
    for (next, expected) in [("/posts?q=a", "/posts?q=a"), ("/\t/evil.example", "/"), ("//evil.example", "/")]
    {
        let login = served.ask("POST", "/login").fields(&[("password", PASSWORD), ("next", next)]);
        assert_eq!(login.send().await.unwrap().headers()[LOCATION], expected, "{next:?}");
    }
    let page = served.text("/login?next=/%09/evil.example", 200).await;
    assert!(!page.contains("evil"), "{page}");
}

#[tokio::test]
async fn other_addresses_are_refused_without_a_password() {
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("store.sqlite"));
    let parts = Parts {
        place: Place::new(folder.path(), None),
        networks: Arc::new(Networks::shipped()),
        clock: Arc::new(SystemClock),
        credentials: None,
        passphrase: None,
        tls: None,
        access: Access::new(folder.path(), None).unwrap(),
        choices: Vec::new(),
        readers: None,
        hubs: None,
    };
    // Bound and refused at once: nothing is served on it.
    let listener = bind(Some("0.0.0.0:0".parse().unwrap())).await.unwrap();
    let refused = serve(listener, parts).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("no password"), "{refused}");
}

#[tokio::test]
async fn the_dashboard_is_served_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("store.sqlite"));
    std::fs::write(password_path(folder.path()), hash(&SecretString::from(PASSWORD)).unwrap()).unwrap();
    let path = |name: &str| Some(folder.path().join(name));
    // Made for this test, worth nothing elsewhere.
    std::fs::write(path("cert.pem").unwrap(), include_str!("cert.pem")).unwrap();
    std::fs::write(path("key.pem").unwrap(), include_str!("key.pem")).unwrap();
    let files = TlsFiles { tls_cert: path("cert.pem"), tls_key: path("key.pem") };
    let parts = Parts {
        place: Place::new(folder.path(), None),
        networks: Arc::new(Networks::shipped()),
        clock: Arc::new(SystemClock),
        credentials: Some(Vec::new()),
        passphrase: None,
        tls: tls::config(&files).unwrap(),
        access: Access::new(folder.path(), None).unwrap(),
        choices: Vec::new(),
        readers: None,
        hubs: None,
    };
    let served = serve(bind(Some("127.0.0.1:0".parse().unwrap())).await.unwrap(), parts).unwrap();
    assert!(served.url.starts_with("https://"), "{}", served.url);
    let options = HttpOptions::new("a@b.example".to_owned(), Arc::new(SystemClock), Arc::new(Vault::empty()));
    drop(HttpFetch::new(options).unwrap());
    // Somebody who connects and says nothing keeps nobody out.
    let address = served.url.trim_start_matches("https://").trim_end_matches('/').to_owned();
    let _silent = tokio::net::TcpStream::connect(&address).await.unwrap();
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .tls_danger_accept_invalid_certs(true)
        .no_proxy()
        .build()
        .unwrap();
    let healthy = client.get(format!("{}healthz", served.url)).send().await.unwrap();
    assert_eq!(healthy.text().await.unwrap(), "ok\n");
    let login = client.post(format!("{}login", served.url)).fields(&[("password", PASSWORD)]);
    let cookie = login.send().await.unwrap().headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.contains("; Secure"), "{cookie}");
    // In the open it answers nothing.
    assert!(client.get(format!("http://{address}/healthz")).send().await.is_err());
}
