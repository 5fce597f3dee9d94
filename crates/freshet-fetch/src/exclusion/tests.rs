//! Tests of the exclusion rules on a clock that the test moves.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use super::*;

#[derive(Debug, Default)]
struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// Status 0 means that nobody answered.
fn answer(status: u16, body: &str) -> Result<Response, Fault> {
    if status == 0 {
        return Err(Fault::new(FaultKind::Timeout, body));
    }
    Ok(Response {
        status,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
        url: String::new(),
        received_at: Timestamp::default(),
    })
}

async fn ask(
    exclusions: &Exclusions,
    url: &str,
    answer: Result<Response, Fault>,
    asked_count: &AtomicUsize,
) -> String {
    let url = url.parse().unwrap();
    let verdict = exclusions.check(&url, |robots_url| {
        assert!(robots_url.ends_with("example:81/robots.txt"), "{robots_url}");
        asked_count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { answer })
    });
    match verdict.await {
        Ok(()) => "allowed".to_owned(),
        Err(fault) => format!("{:?}: {}", fault.kind, fault.message),
    }
}

/// One answer of robots.txt, one page, one verdict.
async fn check(robots: Result<Response, Fault>, path: &str, expected: &str) {
    let exclusions = Exclusions::new(Arc::new(HandClock::default()));
    let shown = ask(&exclusions, &format!("http://a.example:81{path}"), robots, &AtomicUsize::new(0)).await;
    assert!(shown.contains(expected), "{path}: {shown}");
}

#[tokio::test]
async fn rules_are_followed() {
    let file = "User-agent: *\nDisallow: /all\n\nUser-agent: Freshet\nDisallow: /ours\nAllow: /ours/open\n";
    check(answer(200, file), "/all", "allowed").await;
    check(
        answer(200, file),
        "/ours/x?y",
        "Excluded: robots.txt of `a.example` excludes `/ours/x` by its rule `/ours`",
    )
    .await;
    check(answer(200, file), "/ours/open", "allowed").await;
    check(answer(200, "User-agent: *\nDisallow: /\n"), "/", "Excluded").await;
    check(answer(200, "<html>not a robots.txt</html>"), "/", "allowed").await;
    check(answer(404, ""), "/", "allowed").await;
    check(answer(403, "User-agent: *\nDisallow: /\n"), "/", "allowed").await;
    check(answer(429, ""), "/", "Unwell: `a.example` cannot give its robots.txt (status 429)").await;
    check(answer(503, ""), "/", "Unwell: `a.example` cannot give its robots.txt (status 503)").await;
    check(Err(Fault::new(FaultKind::Redirects, "circle")), "/", "allowed").await;
    check(answer(0, "slow"), "/", "Timeout: robots.txt of `a.example` is out of reach").await;
    let long = format!("User-agent: *\nDisallow: /early\n{}Disallow: /late\n", "# filler\n".repeat(60_000));
    check(answer(200, &long), "/early", "Excluded").await;
    check(answer(200, &long), "/late", "allowed").await;
}

#[tokio::test]
async fn a_file_is_asked_for_once_a_day_and_survives_an_outage() {
    let clock = Arc::new(HandClock::default());
    let exclusions = Exclusions::new(Arc::clone(&clock) as Arc<dyn Clock>);
    let asked_count = AtomicUsize::new(0);
    let url = "http://a.example:81/closed";
    let file = || answer(200, "User-agent: *\nDisallow: /closed\nCrawl-delay: 2.5\n");
    for (at_secs, robots, expected, total) in [
        (0, file(), "Excluded", 1),
        (86_399, file(), "Excluded", 1),
        (86_400, answer(500, ""), "by its rule", 2),
        (86_500, answer(500, ""), "by its rule", 2),
        (87_001, answer(404, ""), "allowed", 3),
    ] {
        clock.0.store(at_secs, Ordering::Relaxed);
        let shown = ask(&exclusions, url, robots, &asked_count).await;
        assert!(shown.contains(expected), "at {at_secs}: {shown}");
        assert_eq!(asked_count.load(Ordering::Relaxed), total, "at {at_secs}");
        if at_secs == 0 {
            assert_eq!(exclusions.pause(&url.parse().unwrap()), Some(Span::from_ms(2500)));
        }
    }
}

#[tokio::test]
async fn many_askers_ask_once_and_memory_is_bounded() {
    let exclusions = Exclusions::new(Arc::new(HandClock::default()));
    let asked_count = AtomicUsize::new(0);
    let file = "User-agent: *\nDisallow: /closed\n";
    let askers = (0..20).map(|_| ask(&exclusions, "http://a.example:81/", answer(200, file), &asked_count));
    let verdicts = futures::future::join_all(askers).await;
    assert!(verdicts.iter().all(|verdict| verdict == "allowed"));
    assert_eq!(asked_count.load(Ordering::Relaxed), 1);

    for number in 0..ORIGINS_MAX + 50 {
        ask(&exclusions, &format!("http://{number}.example:81/"), answer(404, ""), &asked_count).await;
    }
    assert!(exclusions.origins.lock().unwrap().len() <= ORIGINS_MAX);
    let large = format!("# {}", "x".repeat(500_000));
    for number in 0..80 {
        ask(&exclusions, &format!("http://large-{number}.example:81/"), answer(200, &large), &asked_count)
            .await;
    }
    let origins = exclusions.origins.lock().unwrap();
    let bytes: usize =
        origins.values().filter_map(|origin| origin.known()).map(|known| known.size_bytes).sum();
    assert!(bytes <= BYTES_MAX + large.len(), "{bytes}");
}

#[tokio::test]
async fn an_outage_is_over_as_soon_as_the_server_is_back() {
    let clock = Arc::new(HandClock::default());
    let exclusions = Exclusions::new(Arc::clone(&clock) as Arc<dyn Clock>);
    let asked_count = AtomicUsize::new(0);
    for (at_secs, robots, expected) in [
        (0, answer(503, ""), "Unwell"),
        (2, answer(0, "refused"), "out of reach"),
        (4, answer(404, ""), "allowed"),
        (5, answer(503, ""), "allowed"),
    ] {
        clock.0.store(at_secs, Ordering::Relaxed);
        let shown = ask(&exclusions, "http://a.example:81/x", robots, &asked_count).await;
        assert!(shown.contains(expected), "at {at_secs}: {shown}");
    }
    assert_eq!(asked_count.load(Ordering::Relaxed), 3);
}
