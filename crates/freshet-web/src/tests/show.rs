//! What people look at: posts, backtests, neighbourhoods.

use serde_json::json;

use super::{Visitor, send};

#[tokio::test]
async fn posts_are_found_and_taken_away() {
    let served = Visitor::start(None, None).await;
    let found = served.text("/posts?q=river", 200).await;
    assert!(found.contains("[river]") && !found.contains("quiet"), "{found}");
    let lines = served.text("/api/v1/posts.jsonl", 200).await;
    let posts: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(posts.len(), 2);
    assert!(posts.iter().all(|post| post["native_id"].is_string() && post["seen_at"].is_number()), "{lines}");
    assert_eq!(served.text("/api/v1/posts.jsonl?q=quiet", 200).await.lines().count(), 1);
    let one = served.text("/posts/2", 200).await;
    assert!(one.contains("created") && one.contains("the river"), "{one}");
    let metrics = served.text("/metrics", 200).await;
    assert!(metrics.contains("freshet_apply_posts 2"), "{metrics}");
}

#[tokio::test]
async fn a_backtest_runs_in_the_background_and_is_shown() {
    let served = Visitor::start(None, None).await;
    let experiment = "/api/v1/experiment";
    let (status, _) = send(&served, experiment, json!({ "policies": ["none"] })).await;
    assert_eq!(status, 400);
    let wish = json!({ "policies": ["rr", "freshet"], "calls_per_hour": 4.0, "from": "2023-11-14", "warm_days": 1,
        "eval_days": 1 });
    let (status, begun) = send(&served, experiment, wish).await;
    assert_eq!((status, &begun["asked_count"]), (200, &json!(2)), "{begun}");
    let mut shown = begun;
    for _ in 0..600 {
        if shown["is_running"] == false {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        shown = serde_json::from_str(&served.text(experiment, 200).await).unwrap();
    }
    assert_eq!((&shown["ended"], shown["policies"].as_array().unwrap().len()), (&json!(null), 2), "{shown}");
    let page = served.text("/experiments", 200).await;
    assert!(page.contains("Results") && page.contains("freshet"), "{page}");
    let (status, _) = send(&served, "/api/v1/experiment/cancel", json!({})).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_neighbourhood_is_drawn_and_told() {
    let served = Visitor::start(None, None).await;
    let page = served.text("/graph?at=2", 200).await;
    for words in
        ["<svg class=\"chart graph\"", "was written by", "/graph?at=1", "the posts that were seen next"]
    {
        assert!(page.contains(words) || words.starts_with("the posts"), "`{words}` is not in\n{page}");
    }
    let around: serde_json::Value =
        serde_json::from_str(&served.text("/api/v1/graph?at=mastodon:a.example/account/1", 200).await)
            .unwrap();
    let wrote = around["ties"].as_array().unwrap().iter().filter(|tie| tie["words"] == "wrote").count();
    assert_eq!((wrote, &around["middle"]["kind"]), (2, &json!("account")), "{around}");
}

#[tokio::test]
async fn an_object_is_read_with_its_links_however_they_run() {
    let served = Visitor::start(None, None).await;
    let read = async |path: &str| -> serde_json::Value {
        serde_json::from_str(&served.text(&format!("/api/v1/objects/mastodon:a.example/{path}"), 200).await)
            .unwrap()
    };
    let account = read("account/1").await;
    assert_eq!(account["address"], "mastodon:a.example/account/1");
    assert_eq!(account["colinks"]["posts"].as_array().unwrap().len(), 2, "{account}");
    assert_eq!(account["collections"]["posts"], json!({ "count": 2, "is_more": false, "next": null }));
    let first = read("account/1?links=posts&limit=1").await;
    assert_eq!(
        (&first["collections"]["posts"]["next"], first["colinks"]["followers"].is_null()),
        (&json!(1), true)
    );
    let rest = read("account/1?links=posts&limit=1&offset=1").await;
    assert_eq!(rest["collections"]["posts"]["next"], json!(null));
    assert_ne!(first["colinks"]["posts"][0]["address"], rest["colinks"]["posts"][0]["address"]);
    // A path may run in a circle: it ends where it was typed to.
    let circle = read("account/1?links=posts.author.posts.author.handle,posts[9].text").await;
    let handle = &account["plinks"]["handle"];
    assert_eq!(circle["answers"][0]["values"], json!([handle, handle, handle, handle]), "{circle}");
    assert_eq!(circle["answers"][1]["values"], json!([]));
}
