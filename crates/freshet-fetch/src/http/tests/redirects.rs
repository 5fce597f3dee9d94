//! Redirects: followed as far as is wise, told to those who grant them, counted.

use super::*;

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
