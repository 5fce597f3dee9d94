//! What people see and are told: names instead of ids, what a post said before, what adding costs, what removing does.

use freshet_engine::report::STATUS;
use freshet_store::api::Store;
use freshet_store::row::Upload;
use freshet_store::setting::Json;
use freshet_store::testing;
use freshet_types::{ChangeKind, NetworkName, Observation, Post, RobotKind, Source, Timestamp, VisitId};
use serde_json::json;

use super::{Visitor, WithForm as _, send};

fn store(served: &Visitor) -> Box<dyn Store> {
    testing::open(&served.folder.path().join("store.sqlite"))
}

async fn api(served: &Visitor, path: &str) -> serde_json::Value {
    serde_json::from_str(&served.text(path, 200).await).unwrap()
}

#[tokio::test]
async fn sources_are_called_by_what_people_know() {
    let served = Visitor::start(None, None).await;
    let network = NetworkName::from("mastodon:a.example");
    let source = |kind: &str, id: &str| Source::new(&network, "context", RobotKind::Comment, kind, id);
    let added = [source("post", "11"), source("account", "1"), source("post", "never-seen")];
    store(&served).add_sources(&added).unwrap();
    let list = api(&served, "/api/v1/sources?robot=comment").await;
    let names: Vec<&str> =
        list["sources"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, [&format!("{}: “quiet”", super::NAME), super::NAME, "never-seen"]);
    let page = served.text("/sources?robot=comment", 200).await;
    assert!(page.contains("“quiet”") && !page.contains("<img"), "{page}");
}

#[tokio::test]
async fn a_post_shows_what_it_said_before() {
    let served = Visitor::start(None, None).await;
    let mut upload =
        Upload::new(VisitId(2), NetworkName::from("mastodon:a.example"), Timestamp::from_secs(1_700_000_200));
    let edited =
        Post { id: "11".to_owned(), kind: "post".into(), text: "<p>loud</p>".to_owned(), ..Post::default() };
    upload.observation = Observation { posts: vec![edited], ..Observation::default() };
    store(&served).apply(&[upload], |_, _| Some(ChangeKind::Edited)).unwrap();
    let found = api(&served, "/api/v1/posts").await;
    let is_edited = |it: &&serde_json::Value| it["shown"] == "loud";
    let number = found["posts"].as_array().unwrap().iter().find(is_edited).unwrap()["post"].clone();
    let shown = api(&served, &format!("/api/v1/posts/{number}")).await;
    let before: Vec<_> = shown["changes"].as_array().unwrap().iter().map(|it| &it["before"]).collect();
    assert_eq!(before, [&json!(null), &json!("quiet")]);
    let page = served.text(&format!("/posts/{number}"), 200).await;
    assert!(page.contains("<td dir=\"auto\">quiet</td>"), "{page}");
}

#[tokio::test]
async fn adding_says_what_it_costs_by_server() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    let references = "https://b.example/@ada\nhttps://b.example/@eve\nrss:https://news.example/feed";
    let fields = [("csrf", csrf.as_str()), ("step", "preview"), ("references", references)];
    let page = served.ask("POST", "/sources/add").fields(&fields).send().await.unwrap().text().await.unwrap();
    for words in ["mastodon:b.example", "300 per 5m 00s", "its politeness"] {
        assert!(page.contains(words), "`{words}` is not in\n{page}");
    }
}

#[tokio::test]
async fn a_source_is_removed_and_watched_again() {
    let served = Visitor::start(None, None).await;
    for (verb, state) in [("remove", "removed"), ("remove", "removed"), ("watch", "active")] {
        let (status, told) = send(&served, &format!("/api/v1/sources/1/{verb}"), json!({})).await;
        assert_eq!((status, &told["state"]), (200, &json!(state)), "{told}");
        let page = served.text("/sources/1", 200).await;
        assert_eq!(page.contains("Watch again"), state == "removed", "{page}");
    }
    let (status, told) = send(&served, "/api/v1/sources/1/explode", json!({})).await;
    assert_eq!((status, told["hint"].as_str()), (404, Some("pause, watch or remove")), "{told}");
}

#[tokio::test]
async fn posts_are_taken_away_as_people_like_them() {
    let served = Visitor::start(None, None).await;
    for (kind, media_type) in [
        ("jsonl", "application/x-ndjson"),
        ("csv", "text/csv"),
        ("parquet", "application/vnd.apache.parquet"),
    ] {
        let response = served.get(&format!("/api/v1/posts.{kind}?q=quiet")).await;
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert!(header("content-type").starts_with(media_type), "{kind}");
        assert!(header("content-disposition").contains(&format!("posts.{kind}")), "{kind}");
        let bytes = response.bytes().await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        match kind {
            "parquet" => assert!(text.starts_with("PAR1") && text.ends_with("PAR1"), "{kind}"),
            "csv" => assert_eq!(text.lines().count(), 2, "{text}"),
            _ => assert_eq!(text.lines().count(), 1, "{text}"),
        }
    }
}

#[tokio::test]
async fn budgets_are_set_and_taken_away() {
    let served = Visitor::start(None, None).await;
    let allowed = |scope: &str, rate: &str| json!({ "scope": scope, "rate": rate });
    let path = "/api/v1/budgets";
    for (scope, rate) in
        [("all", "0/h"), ("all", "-5/h"), ("all", "many"), ("nowhere", "5/h"), ("https://no.example/", "5/h")]
    {
        let (status, told) = send(&served, path, allowed(scope, rate)).await;
        assert_eq!(status, 400, "{scope} {rate}: {told}");
    }
    let (status, told) = send(&served, path, allowed("mastodon", "600/h")).await;
    assert_eq!((status, told["budgets"][0]["rate"].as_str()), (200, Some("600/h")), "{told}");
    let (_, told) = send(&served, path, allowed("mastodon", "2/s")).await;
    assert_eq!(told["budgets"].as_array().map(Vec::len), Some(1), "the old one is replaced: {told}");
    assert!(served.text("/settings", 200).await.contains("2&#x2f;s"));
    let remove = format!("{path}/remove");
    for expected in [200, 400] {
        let (status, told) = send(&served, &remove, json!({ "scope": "mastodon" })).await;
        assert_eq!(status, expected, "{told}");
    }
    assert!(served.text("/settings", 200).await.contains("what the networks allow is spent"));
}

#[tokio::test]
async fn constraints_are_added_and_removed_by_number_and_text() {
    let served = Visitor::start(None, None).await;
    let wish = |expression: &str| json!({ "type": "post", "expression": expression });
    let path = "/api/v1/constraints";
    let (status, told) = send(&served, path, wish("post.plinks[\"like_count\"] > 10")).await;
    assert_eq!((status, told["constraints"][0]["number"].as_u64()), (200, Some(1)), "{told}");
    for wrong in ["", "post.", "post.plinks[", "1 + ", "nonsense(post)"] {
        let (status, told) = send(&served, path, wish(wrong)).await;
        assert!(status == 400 && told["hint"].is_string(), "{wrong}: {status} {told}");
    }
    let page = served.text("/settings", 200).await;
    assert!(page.contains("like_count&quot;] &gt; 10"), "{page}");
    for (number, expression, expected) in [
        ("1", json!("another one"), 409),
        ("2", json!(null), 409),
        ("x", json!(null), 404),
        ("1", json!("post.plinks[\"like_count\"] > 10"), 200),
    ] {
        let path = format!("{path}/{number}/remove");
        let (status, told) = send(&served, &path, json!({ "expression": expression })).await;
        assert_eq!(status, expected, "{number} {expression}: {told}");
    }
    assert!(served.text("/settings", 200).await.contains("everything is wanted"));
}

#[tokio::test]
async fn what_is_wrong_stands_on_the_overview_and_nothing_where_all_is_well() {
    let served = Visitor::start(None, None).await;
    let page = served.text("/", 200).await;
    assert!(!page.contains("Trouble") && !page.contains("Delivered to"), "{page}");
    let report = json!({
        "trouble": { "what": "the store is locked", "since": 1.0, "advice": "end the program that holds it" },
        "servers": [
            { "network": "mastodon:a.example", "is_down": true, "since": 1.0, "said": super::SCRIPT,
              "next_at": 2.0, "sources_count": 1200 },
            { "network": "mastodon:b.example", "is_down": false, "since": 1.0, "said": "timed out",
              "next_at": null, "sources_count": 1 },
        ],
        "servers_count": 7,
        "queues": { "due": 1203 },
        "subscribers": [
            { "name": "news.jsonl", "behind": 1500, "stalled_since": 1.0, "why": "nobody reads" },
            { "name": "calm.jsonl", "behind": 0, "stalled_since": null, "why": null },
        ],
    });
    let report = Json(serde_json::from_value(report).unwrap());
    STATUS.put(&mut store(&served), &report).unwrap();
    for path in ["/", "/part/overview"] {
        let page = served.text(path, 200).await;
        for words in [
            "the store is locked",
            "end the program that holds it",
            "mastodon:a.example</bdi></strong> is down",
            "&lt;script&gt;",
            "1,200 sources wait for it",
            "mastodon:b.example</bdi></strong> did not answer",
            "1 source waits for it",
            "and 5 more servers",
            "is 1,500 changes behind, and has taken nothing since",
            "nobody reads",
            "calm.jsonl</bdi></strong> has everything",
            "3 sources wait for their turn",
        ] {
            assert!(page.contains(words), "{path}: `{words}` is not in\n{page}");
        }
        assert!(!page.contains(super::SCRIPT), "{page}");
    }
}
