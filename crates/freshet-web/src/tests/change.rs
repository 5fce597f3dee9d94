//! What people change: sources are added and pinned, credentials kept and removed.

use reqwest::header::LOCATION;
use serde_json::json;

use super::{Visitor, WithForm as _, send};

#[tokio::test]
async fn adding_is_shown_before_it_is_done() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    let send = |step: &'static str| {
        let fields = [
            ("csrf", csrf.as_str()),
            ("step", step),
            ("references", "https://b.example/@eve\nno such thing"),
        ];
        served.ask("POST", "/sources/add").fields(&fields).send()
    };
    let preview = send("preview").await.unwrap().text().await.unwrap();
    assert!(
        preview.contains("mastodon:b.example&#x2f;account @eve") && preview.contains("1 of 2 are understood"),
        "{preview}"
    );
    assert!(!served.text("/sources", 200).await.contains("b.example"));
    let added = send("add").await.unwrap().text().await.unwrap();
    assert!(added.contains("<strong>1</strong> added"), "{added}");
    assert!(served.text("/sources?q=eve", 200).await.contains("mastodon:b.example"));
    let call = served.ask("POST", "/api/v1/sources").header("x-csrf-token", &csrf);
    let body = serde_json::json!({ "references": ["https://b.example/@bob"], "is_preview": true });
    let preview =
        call.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
    assert!(preview.text().await.unwrap().contains("\"sources_count\":2"));
}

#[tokio::test]
async fn a_source_is_pinned_and_let_go() {
    let served = Visitor::start(None, None).await;
    let pin = "/api/v1/sources/1/pin";
    for (every, status) in [
        (json!("10m"), 200),
        (json!("1s"), 400),
        (json!("soon"), 400),
        (json!("9999d"), 400),
        (json!(5), 422),
    ] {
        let (answered, body) = send(&served, pin, json!({ "every": every })).await;
        assert_eq!(answered, status, "{every}: {body}");
    }
    let page = served.text("/sources/1", 200).await;
    assert!(page.contains("pinned to 10m 00s") && page.contains("visited every 10m 00s"), "{page}");
    let (_, body) = send(&served, pin, json!({ "every": null })).await;
    assert_eq!(body["pinned_s"], serde_json::Value::Null);
    assert!(!served.text("/sources/1", 200).await.contains("pinned to"));
    assert_eq!(send(&served, "/api/v1/sources/99/pin", json!({ "every": "1h" })).await.0, 404);
}

#[tokio::test]
async fn a_source_is_weighed() {
    let served = Visitor::start(None, None).await;
    let weight = "/api/v1/sources/1/weight";
    for (wanted, status, words) in [
        (json!("2.5"), 200, "\"changed_count\":1"),
        (json!("2.5"), 200, "\"changed_count\":0"),
        (json!("0"), 400, "from 0.001 to 1000"),
        (json!("-1"), 400, "negative"),
        (json!("inf"), 400, "too large"),
        (json!("NaN"), 400, "no number"),
        (json!("much"), 400, "no number"),
        (json!(null), 400, "no number"),
        (json!(2.5), 200, "\"changed_count\":0"),
    ] {
        let (answered, body) = send(&served, weight, json!({ "weight": wanted })).await;
        assert_eq!(answered, status, "{wanted}: {body}");
        assert!(body.to_string().contains(words), "{wanted}: {body}");
    }
    let source: serde_json::Value =
        serde_json::from_str(&served.text("/api/v1/sources/1", 200).await).unwrap();
    assert_eq!(source["counts"]["weight"], json!(2.5), "{source}");
    assert!(served.text("/sources/1", 200).await.contains("2.5 as set"));
    assert!(served.text("/sources", 200).await.contains("<td class=\"n\">2.5</td>"));
    assert_eq!(send(&served, "/api/v1/sources/99/weight", json!({ "weight": "2" })).await.0, 404);
}

#[tokio::test]
async fn what_is_asked_about_is_counted_after_the_answer() {
    let served = Visitor::start(None, None).await;
    let object = "/api/v1/objects/mastodon:a.example/account/1";
    for path in ["/posts?q=river", "/api/v1/posts?author=1", "/sources/1", "/api/v1/sources/1", object] {
        served.text(path, 200).await;
    }
    // Lists of everything ask about nobody.
    for path in ["/posts", "/sources", "/api/v1/posts"] {
        served.text(path, 200).await;
    }
    let store = freshet_store::testing::reader(&served.folder.path().join("store.sqlite"));
    let today = freshet_engine::importance::day_of(freshet_types::Clock::now(&freshet_types::SystemClock));
    for _ in 0..200 {
        let days = [today, today + 1].map(|day| store.interest(day).unwrap());
        let counted = days.iter().any(|rows| rows.first().is_some_and(|row| row.asked_count == 5));
        if counted {
            assert!(days.iter().flatten().all(|row| row.source.0 == 1), "{days:?}");
            let shown = served.text("/sources/1", 200).await;
            assert!(shown.contains("0.71 times a day (EIR)"), "{shown}");
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nothing was counted");
}

#[tokio::test]
async fn a_credential_is_added_and_removed_and_its_secret_never_shown() {
    const SECRET: &str = "planted-secret-7f3a";
    let served = Visitor::start(None, None).await;
    let wish = |extra: serde_json::Value| {
        let mut wish = json!({ "network": "mastodon:a.example", "secret": SECRET });
        for (key, value) in extra.as_object().unwrap() {
            wish[key] = value.clone();
        }
        wish
    };
    let add = "/api/v1/credentials";
    for (extra, status) in [
        (json!({}), 400),
        (json!({ "network": "none", "passphrase": "p" }), 400),
        (json!({ "network": "mastodon", "passphrase": "p" }), 400),
        (json!({ "secret": " ", "passphrase": "p" }), 400),
        (json!({ "kind": "smile", "passphrase": "p" }), 400),
        (json!({ "name": "mine", "passphrase": "open sesame" }), 200),
        (json!({ "name": "mine", "passphrase": "open sesame" }), 400),
        (json!({ "name": "other", "passphrase": "wrong" }), 400),
    ] {
        let (answered, body) = send(&served, add, wish(extra.clone())).await;
        assert_eq!(answered, status, "{extra}: {body}");
        assert!(!body.to_string().contains(SECRET), "{body}");
    }
    for path in ["/networks", "/api/v1/credentials", "/settings", "/metrics"] {
        let text = served.text(path, 200).await;
        assert!(!text.contains(SECRET) && !text.contains("open sesame"), "{path}");
    }
    assert!(served.text("/networks", 200).await.contains("remove mine"));
    let file = std::fs::read(served.folder.path().join("credentials.age")).unwrap();
    assert!(!file.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "it is encrypted");
    let remove = "/api/v1/credentials/mine/remove";
    assert_eq!(send(&served, remove, json!({ "passphrase": "wrong" })).await.0, 400);
    assert_eq!(send(&served, remove, json!({ "passphrase": "open sesame" })).await.0, 200);
    assert!(!served.text("/networks", 200).await.contains("remove mine"));
}

/// Sends a form from a page that somebody loaded a while ago; what the next page says, and its status.
async fn press(served: &Visitor, path: &str, fields: &[(&str, &str)]) -> (u16, String) {
    let csrf = served.csrf().await;
    let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
    let response = served.ask("POST", path).fields(&fields).send().await.unwrap();
    let status = response.status().as_u16();
    match response.headers().get(LOCATION).map(|next| next.to_str().unwrap().to_owned()) {
        Some(next) => (status, served.text(&next, 200).await),
        None => (status, response.text().await.unwrap()),
    }
}

#[tokio::test]
async fn a_stale_page_overwrites_nothing_and_is_told() {
    let served = Visitor::start(None, None).await;
    let (pin, weight) = ("/sources/1/pin", "/sources/1/weight");
    // Each row: what is pressed, the fields, the status, what is said, and the state from then on.
    for (path, fields, status, words, state) in [
        ("/sources/1/pause", vec![], 303, "It is paused", "paused"),
        ("/sources/1/pause", vec![], 303, "it was paused already", "paused"),
        ("/sources/1/watch", vec![], 303, "It is watched again", "active"),
        ("/sources/1/watch", vec![], 303, "it was watched already", "active"),
        (pin, vec![("every", "10m"), ("was", "")], 303, "interval was changed", "active"),
        (pin, vec![("every", "15m"), ("was", "")], 409, "meanwhile, to `10m`", "active"),
        (pin, vec![("every", ""), ("was", "1h")], 409, "meanwhile, to `10m`", "active"),
        (pin, vec![("every", "10m"), ("was", "")], 303, "interval was changed", "active"),
        (pin, vec![("every", "15m"), ("was", "10m")], 303, "pinned to 15m", "active"),
        (weight, vec![("weight", "2"), ("was", "1")], 303, "Its weight was changed", "active"),
        (weight, vec![("weight", "3"), ("was", "1")], 409, "meanwhile, to `2`", "active"),
        (weight, vec![("weight", "2"), ("was", "1")], 303, "Its weight was changed", "active"),
        (weight, vec![("weight", "zero"), ("was", "2")], 400, "no number", "active"),
        ("/sources/1/remove", vec![], 303, "It is removed", "removed"),
        ("/sources/1/remove", vec![], 303, "it was removed already", "removed"),
        ("/sources/1/pause", vec![], 409, "it was removed meanwhile", "removed"),
        ("/sources/1/watch", vec![], 303, "It is watched again", "active"),
        ("/sources/77/pause", vec![], 404, "may have been forgotten", "active"),
        ("/robots/tag/start", vec![], 303, "pause tag", "active"),
        ("/robots/tag/start", vec![], 303, "pause tag", "active"),
        ("/robots/tag/stop", vec![], 303, "start tag", "active"),
        ("/robots/tag/resume", vec![], 400, "it is stopped, not paused", "active"),
        ("/credentials/none/remove", vec![("passphrase", "p")], 400, "credential", "active"),
        ("/alerts/test/none", vec![], 400, "nothing runs", "active"),
        ("/experiments/cancel", vec![], 303, "Run a backtest", "active"),
    ] {
        let (answered, text) = press(&served, path, &fields).await;
        assert_eq!(answered, status, "{path} {fields:?}\n{text}");
        assert!(text.contains(words), "{path} {fields:?}: `{words}` is not in\n{text}");
        let source: serde_json::Value =
            serde_json::from_str(&served.text("/api/v1/sources/1", 200).await).unwrap();
        assert_eq!(source["state"], state, "{path} {fields:?}");
    }
    // An address that was kept tells nothing that is no longer so.
    let later = served.text("/sources/1?told=pause", 200).await;
    assert!(!later.contains("It is paused"), "{later}");
}
