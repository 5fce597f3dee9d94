//! Crawls of forums that nobody here wrote, by their programming interfaces and shipped definitions.
//!
//! The same `NodeBB` whose pages `forum_servers` learns, asked as `networks/nodebb.toml` says, and Lemmy, asked as `networks/lemmy.toml` says: what the definitions were written
//! from is source text of later versions, so that this is the proof that they read a real server. Posts are made by the forum's own models, or by people
//! through the server's own interface.

mod lemmy;

use std::time::Duration;

use serde_json::Value;

use crate::forum_servers::engine::{Forum, Made};
use crate::support::freshet::Freshet;
use crate::support::{assert_each_once, need, until};
use lemmy::Lemmy;

/// Some fifty requests, one a second, as the definition's quota asks; a busy machine may double that.
const CRAWL_LIMIT: Duration = Duration::from_mins(4);

#[test]
fn nodebb() {
    let names = ["FRESHET_TEST_NODEBB", "FRESHET_TEST_NODEBB_NODE", "FRESHET_TEST_REDIS"];
    let Some([packages, node, redis]) = need("forum_apis::nodebb", names) else { return };
    let forum = Forum::nodebb(&packages, &node, &redis);
    let made = forum.fill("first", &[]).posts;
    let wanted: Vec<String> = made.iter().map(|post| post.id.clone()).collect();
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    freshet.ok(&["robots", "start", "comment"]);
    let host = forum.proxy.base.trim_start_matches("http://");
    freshet.ok(&["add", "--allow-private", &format!("nodebb:http://{host}/recent")]);

    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    until("all posts are stored", CRAWL_LIMIT, || {
        let stored = posts_of(&freshet.posts(), "post");
        wanted.iter().all(|id| stored.iter().any(|post| post["native_id"] == **id)).then_some(())
    });
    drop(run);
    let posts = freshet.posts();
    assert_each_once(&posts_of(&posts, "post"), &wanted);
    let mut topics: Vec<String> = made.iter().map(|post| post.topic.to_string()).collect();
    topics.sort();
    topics.dedup();
    assert_each_once(&posts_of(&posts, "topic"), &topics);
    assert_as_written(&posts, &made);
    let status = freshet.json(&["status"]);
    assert_eq!(status["complaints_count"].as_u64().unwrap_or(0), 0, "{status}");
    assert_eq!(forum.proxy.error_count(), 0, "nothing was asked in vain");
}

/// More posts than a page holds, so that the list has a second one; and more comments on one of them.
const POSTS: usize = 54;
const COMMENTS: usize = 53;

#[test]
fn lemmy() {
    let names = ["FRESHET_TEST_LEMMY", "FRESHET_TEST_POSTGRES_BIN"];
    let Some([program, postgres]) = need("forum_apis::lemmy", names) else { return };
    let server = Lemmy::start(&program, &postgres, &["ada", "bob"]);
    let (rivers, lakes) = (server.board("rivers"), server.board("lakes"));
    let posts: Vec<i64> =
        (0..POSTS).map(|turn| server.writes(turn, rivers, &format!("Post {turn} héllo"))).collect();
    let aside = server.writes(1, lakes, "A lake");
    let mut comments: Vec<(i64, Option<i64>)> = Vec::new();
    for turn in 0..COMMENTS {
        let parent = comments.last().map(|(id, _)| *id).filter(|_| turn % 3 == 1);
        let text = format!("comment {turn}");
        comments.push((server.comments(turn, posts[3], parent, &text), parent));
    }
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    freshet.ok(&["robots", "start", "comment"]);
    let reference = |rest: &str| format!("lemmy:{}/{rest}", server.proxy.base);
    freshet.ok(&["add", "--allow-private", &reference("c/rivers"), &reference("u/ada")]);

    let text = |id: &i64| id.to_string();
    let wanted_posts: Vec<String> = posts.iter().chain([&aside]).map(text).collect();
    let wanted_comments: Vec<String> = comments.iter().map(|(id, _)| text(id)).collect();
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    until("all posts and comments are stored", CRAWL_LIMIT, || {
        let stored = freshet.posts();
        let has = |kind, wanted: &[String]| {
            let stored = posts_of(&stored, kind);
            wanted.iter().all(|id| stored.iter().any(|post| post["native_id"] == **id))
        };
        (has("post", &wanted_posts) && has("comment", &wanted_comments)).then_some(())
    });
    drop(run);
    let stored = freshet.posts();
    assert_each_once(&posts_of(&stored, "post"), &wanted_posts);
    assert_each_once(&posts_of(&stored, "comment"), &wanted_comments);
    for comment in posts_of(&stored, "comment") {
        let id = comment["native_id"].as_str().and_then(|id| id.parse().ok());
        let parent = comments.iter().find(|(known, _)| Some(*known) == id).and_then(|(_, parent)| *parent);
        let reply_to = comment["reply_to"].as_str().map(str::to_owned);
        let expected = parent.map(|parent| parent.to_string());
        let told = reply_to.as_deref().and_then(|address| address.rsplit('/').next()).map(str::to_owned);
        assert_eq!(told, expected, "{comment}");
    }
    let ada: Vec<Value> = freshet.export("accounts").into_iter().filter(|it| it["handle"] == "ada").collect();
    assert_eq!(ada.len(), 1, "{ada:?}");
    let status = freshet.json(&["status"]);
    assert_eq!(status["complaints_count"].as_u64().unwrap_or(0), 0, "{status}");
    assert_eq!(server.proxy.error_count(), 0, "nothing was asked in vain");
    let asked = server.proxy.take_requests();
    assert!(asked.iter().any(|it| it.contains("/post/list") && it.contains("page=2")), "{asked:?}");

    server.deletes(0, posts[6]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "2s"], "again.log");
    until("the deletion is seen", CRAWL_LIMIT, || {
        let stored = posts_of(&freshet.posts(), "post");
        let post = stored.iter().find(|post| post["native_id"] == *text(&posts[6]))?;
        (!post["deleted_at"].is_null()).then_some(())
    });
    drop(run);
}

/// The exported posts of one type, told by their addresses.
fn posts_of(posts: &[Value], kind: &str) -> Vec<Value> {
    let part = format!("/{kind}/");
    let is_meant = |post: &&Value| post["id"].as_str().is_some_and(|id| id.contains(&part));
    posts.iter().filter(is_meant).cloned().collect()
}

/// Texts, threads and authors are the forum's.
fn assert_as_written(posts: &[Value], made: &[Made]) {
    for post in made.iter().filter(|post| !post.text.contains(['#', '*', '\n'])) {
        let stored = posts.iter().find(|it| {
            it["native_id"] == *post.id && it["id"].as_str().is_some_and(|id| id.contains("/post/"))
        });
        let stored = stored.expect("it was stored");
        let text = stored["text"].as_str().unwrap_or_default();
        assert!(text.contains(post.text.trim()), "{}: {text}", post.id);
        assert!(stored["author"].is_string(), "{stored}");
        assert!(stored["created_at"].is_number(), "{stored}");
    }
}
