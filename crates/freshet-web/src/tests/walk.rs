//! Walks over the list of routes: every page answers, nothing answers without a login, nothing changes
//! without the word of the page. A new page is walked from its first day.

use reqwest::StatusCode;
use reqwest::header::{CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN};

use super::super::{guard, routes};
use super::{PASSWORD, TOKEN, Visitor, WithForm as _, filled};

#[tokio::test]
async fn every_page_answers_and_forbids_what_it_does_not_need() {
    let served = Visitor::start(None, None).await;
    for route in routes().list.iter().filter(|route| route.method == "GET") {
        let path = filled(route.path).replace("/posts/1", "/posts/2").replace("v1/graph", "v1/graph?at=1");
        let response = served.get(&path).await;
        let status = response.status();
        let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        for name in ["x-content-type-options", "referrer-policy", "x-frame-options"] {
            assert!(response.headers().contains_key(name), "{path}: {name}");
        }
        // A plan needs lists that were visited; a stream of live values has no end; a WebSocket is asked for as one.
        // Hubs are answered where they were asked something.
        let special = ["/api/v1/plan", "/api/v1/live", "/api/v1/subscriptions/{name}/socket", "/hub/{path}"];
        let is_special = special.contains(&route.path);
        if is_special {
            assert!(!status.is_server_error(), "{path}: {status}");
            continue;
        }
        let text = response.text().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{path}\n{text}");
        let is_page = text.starts_with("<!doctype html>");
        assert!(!is_page || text.contains("<main id=\"main\">") && text.contains("</html>"), "{path}");
        for inline in ["style=\"", "onclick=", "<style", "src=\"http", "href=\"javascript"] {
            assert!(!is_page || !text.contains(inline), "{path}: {inline}");
        }
    }
}

#[tokio::test]
async fn nothing_answers_without_a_login_where_a_password_is_set() {
    let served = Visitor::start(Some(PASSWORD), Some(TOKEN)).await;
    let list = routes().list;
    assert!(list.len() > 35, "the walk has something to walk");
    for route in &list {
        let path = filled(route.path);
        let open = guard::OPEN.contains(&route.path);
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
            let response = served.ask(method, &path).send().await.unwrap();
            let status = response.status();
            let to_login = status == StatusCode::SEE_OTHER
                && response.headers()[LOCATION].to_str().unwrap().starts_with("/login");
            assert!(open || status == StatusCode::UNAUTHORIZED || to_login, "{method} {path}: {status}");
            let text = response.text().await.unwrap();
            assert!(!text.contains("river") && !text.contains("a.example"), "{method} {path}");
        }
        let wrong = served.ask("GET", &path).bearer_auth("wrong-token").header(COOKIE, "freshet_session=x");
        let status = wrong.send().await.unwrap().status();
        // A wrong token that is shown again and again is told to wait.
        let refusals = [StatusCode::UNAUTHORIZED, StatusCode::SEE_OTHER, StatusCode::TOO_MANY_REQUESTS];
        assert!(open || refusals.contains(&status), "{path}: {status}");
    }
    let response = served.ask("GET", "/api/v1/status").bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn changes_need_the_word_of_the_page_and_come_from_it() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    for route in routes().list.iter().filter(|route| route.method == "POST") {
        if route.path == "/login" {
            continue;
        }
        let path = filled(route.path);
        let bare = served.ask("POST", &path).send().await.unwrap().status();
        assert_eq!(bare, StatusCode::FORBIDDEN, "{path}");
        let wrong = served.ask("POST", &path).fields(&[("csrf", "wrong")]).send().await.unwrap().status();
        assert_eq!(wrong, StatusCode::FORBIDDEN, "{path}");
        let foreign =
            served.ask("POST", &path).header(ORIGIN, "http://evil.example").fields(&[("csrf", &csrf)]);
        assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{path}");
    }
    let rebound = served.ask("GET", "/").header(HOST, "evil.example:8640").send().await.unwrap();
    assert_eq!(rebound.status(), StatusCode::MISDIRECTED_REQUEST);
    let started =
        served.ask("POST", "/robots/relation/start").fields(&[("csrf", &csrf)]).send().await.unwrap();
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    let robots: serde_json::Value = serde_json::from_str(&served.text("/api/v1/robots", 200).await).unwrap();
    assert_eq!(
        (&robots["robots"][0]["name"], &robots["robots"][0]["state"]),
        (&"relation".into(), &"running".into())
    );
    let paused =
        served.ask("POST", "/api/v1/sources/1/pause").header("x-csrf-token", &csrf).send().await.unwrap();
    assert!(paused.text().await.unwrap().contains("paused"));
    let text = served.text("/sources/1", 200).await;
    assert!(text.contains("Watch again"), "{text}");
    let watched =
        served.ask("POST", "/api/v1/sources/1/watch").header("x-csrf-token", &csrf).send().await.unwrap();
    assert!(watched.text().await.unwrap().contains("active"));
}
