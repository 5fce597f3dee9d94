//! Crawls of three forums that nobody here wrote, each given only the address of its front page.
//!
//! Their posts are made through the forums' own models (`xtask/servers`); pages, page numbers and times are theirs. A
//! witness between crawl and server counts what is asked: every post is stored once, no page is fetched twice in a first
//! crawl, a crawl of what did not change asks for lists only, and new posts are found within two looks at a list.

pub(crate) mod engine;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::{assert_each_once, need, until, wait_ms};
use engine::{Forum, Made};

/// A first crawl takes seconds; a busy machine may need many times that.
const CRAWL_LIMIT: Duration = Duration::from_mins(3);
/// Boards come up every two seconds; a page of a server on a busy machine may take many.
const NEWS_LIMIT: Duration = Duration::from_mins(3);
/// Threads whose titles are looked at.
const TITLES_LOOKED: usize = 5;
/// How long nothing must happen where nothing changed.
const QUIET_MS: u64 = 6_000;

#[test]
fn spirit() {
    let Some([environment]) = need("forum_servers::spirit", ["FRESHET_TEST_SPIRIT"]) else { return };
    check(&Forum::spirit(&environment));
}

#[test]
fn nodebb() {
    let names = ["FRESHET_TEST_NODEBB", "FRESHET_TEST_NODEBB_NODE", "FRESHET_TEST_REDIS"];
    let Some([packages, node, redis]) = need("forum_servers::nodebb", names) else { return };
    check(&Forum::nodebb(&packages, &node, &redis));
}

#[test]
fn misago() {
    let names = ["FRESHET_TEST_MISAGO", "FRESHET_TEST_POSTGRES_BIN", "FRESHET_TEST_REDIS"];
    let Some([environment, postgres, redis]) = need("forum_servers::misago", names) else { return };
    check(&Forum::misago(&environment, &postgres, &redis));
}

fn check(forum: &Forum) {
    let made = forum.fill("first", &[]).posts;
    let mut wanted: Vec<String> = made.iter().map(|post| post.id.clone()).collect();
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let said = freshet.ok(&["add", "--allow-private", &format!("{}/", forum.proxy.base)]);
    assert!(said.contains("learned `forum-127.0.0.1-"), "{said}");
    forum.proxy.take_requests();

    freshet.run_until_stored(&wanted, "1h", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    assert_eq!(freshet.posts().len(), wanted.len(), "nothing but the posts is stored as a post");
    assert_texts(&freshet.posts(), &made);
    assert_titles(&freshet);
    let gaps = freshet.json(&["gaps"]);
    assert_eq!((&gaps["holes_count"], &gaps["unvisited_count"]), (&0.into(), &0.into()), "{gaps}");
    assert_asked_once(forum.proxy.take_requests(), forum.proxy.error_count());

    let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "2s"], "run.log");
    wait_ms(QUIET_MS);
    let threads = forum.threads(&forum.proxy.take_requests());
    assert!(threads.is_empty(), "threads that did not change were fetched: {threads:?}");

    let topics = Topics::of(&made);
    let more = forum.fill("more", &[("TOPIC", &topics.short), ("LONG_TOPIC", &topics.long)]);
    wanted.extend(more.posts.iter().map(|post| post.id.clone()));
    wait_for(&freshet, &wanted);
    assert_found_soon(forum, &topics.long, more.at);

    let env = [("TOPIC", &topics.edited), ("EDITED", &topics.edited_post), ("DELETED", &topics.deleted_post)];
    let last = forum.fill("edit", &env.map(|(name, value)| (name, value.as_str())));
    wanted.extend(last.posts.iter().map(|post| post.id.clone()));
    let posts = until("an edit and a deletion are seen", NEWS_LIMIT, || {
        let posts = freshet.posts();
        let is_edited = found(&posts, &topics.edited_post)["text"] == "second thoughts";
        (is_edited && !found(&posts, &topics.deleted_post)["deleted_at"].is_null()).then_some(posts)
    });
    let deleted = posts.iter().filter(|post| !post["deleted_at"].is_null()).count();
    assert_eq!(deleted, 1, "only what its neighbours prove is deleted");
    wait_for(&freshet, &wanted);
    run.send("TERM");
    assert!(run.finish_within(NEWS_LIMIT).is_some_and(|status| status.success()), "it stops when asked");
    assert_each_once(&freshet.posts(), &wanted);
    assert_events(&freshet, &topics);
}

/// Threads that are changed later.
struct Topics {
    short: String,
    long: String,
    edited: String,
    edited_post: String,
    deleted_post: String,
}

impl Topics {
    /// The longest thread, and two of which a page holds all posts.
    fn of(made: &[Made]) -> Self {
        let posts_of = |topic: u64| made.iter().filter(move |post| post.topic == topic);
        let mut topics: Vec<(usize, u64)> =
            made.iter().map(|it| (posts_of(it.topic).count(), it.topic)).collect();
        topics.sort_unstable();
        topics.dedup();
        let long = topics.last().expect("there are threads").1;
        let medium: Vec<u64> =
            topics.iter().filter(|(count, _)| (8..=10).contains(count)).map(|it| it.1).collect();
        let own: Vec<&Made> = posts_of(medium[1]).collect();
        Self {
            short: medium[0].to_string(),
            long: long.to_string(),
            edited: medium[1].to_string(),
            edited_post: own[own.len() - 1].id.clone(),
            deleted_post: own[own.len() - 3].id.clone(),
        }
    }
}

fn wait_for(freshet: &Freshet, wanted: &[String]) {
    until("new posts are stored", NEWS_LIMIT, || {
        crate::support::has_all(&freshet.posts(), wanted).then_some(())
    });
}

fn assert_texts(posts: &[Value], made: &[Made]) {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for post in made.iter().filter(|post| !post.text.contains('#')) {
        let text = found(posts, &post.id)["text"].as_str().unwrap_or_default();
        assert_eq!(plain(text), plain(&post.text), "{}", post.id);
    }
}

/// Threads are called what lists call them: each something of its own, where headings may be the name of the site.
fn assert_titles(freshet: &Freshet) {
    let posts = freshet.posts();
    let threads = posts.iter().filter_map(|post| post["properties"]["thread"].as_str());
    let threads: BTreeSet<&str> = threads.collect();
    let title = |thread: &&str| {
        let told = freshet.json(&["explain", thread]);
        told["sources"][0]["title"].as_str().map(str::to_owned)
    };
    let titles: Vec<Option<String>> = threads.iter().take(TITLES_LOOKED).map(title).collect();
    let known: BTreeSet<&String> = titles.iter().flatten().collect();
    assert!(known.len() == titles.len() && known.len() > 1, "{titles:?}");
}

/// A first crawl asks for no page twice, but where the server failed.
fn assert_asked_once(mut requests: Vec<String>, error_count: usize) {
    requests.retain(|path| path != "/robots.txt");
    requests.sort();
    let twice: Vec<_> = requests.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    assert!(twice.len() <= error_count, "asked for twice, with {error_count} errors: {twice:?}");
}

/// The long thread is asked for from its last page on, after two looks at any list at most.
fn assert_found_soon(forum: &Forum, long: &str, written_at: f64) {
    let asked = forum.proxy.take_asked();
    let own: Vec<&str> =
        asked.iter().map(|it| it.path.as_str()).filter(|path| forum.is_thread(path, long)).collect();
    assert!(
        !own.is_empty() && own.iter().all(|path| forum.is_later_page(path)),
        "known pages of it: {own:?}"
    );
    let before = asked.iter().take_while(|it| !forum.is_thread(&it.path, long));
    let looks = before.filter(|it| it.at > written_at && it.path == "/").count();
    assert!(looks <= 2, "found after {looks} looks at the front page: {asked:?}");
}

/// Each change is one event, and what did not change has none but its creation.
fn assert_events(freshet: &Freshet, topics: &Topics) {
    let changes = freshet.export("changes");
    let kinds = |id: &str| {
        let own = changes
            .iter()
            .filter(|it| it["id"].as_str().is_some_and(|it| it.ends_with(&format!("/post/{id}"))));
        own.filter_map(|change| change["kind"].as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(&topics.edited_post), "created edited");
    assert_eq!(kinds(&topics.deleted_post), "created deleted");
    let edits = changes.iter().filter(|change| change["kind"] == "edited").count();
    assert_eq!(edits, 1, "pages that were read again changed nothing");
}

/// The exported post of this id; null if there is none.
fn found<'a>(posts: &'a [Value], id: &str) -> &'a Value {
    posts.iter().find(|post| post["native_id"] == id).unwrap_or(&Value::Null)
}
