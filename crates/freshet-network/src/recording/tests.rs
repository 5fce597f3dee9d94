//! Recordings of the exact shape of the real ones, with invented people and texts.
//!
//! `fixtures/NETWORK.jsonl` holds exchanges, `NETWORK.expected` one line each: kind, posts,
//! accounts, first and last id, newest and oldest time, outcome, and `+N` for N complaints.

use freshet_types::{AccountState, Connector, Primitive};

use super::*;
use crate::DefinedConnector;

mod telegram;

fn definition(name: &str) -> Definition {
    let file = format!("networks/{name}.toml");
    let (_, text) =
        crate::networks::SHIPPED.iter().find(|(shipped, _)| *shipped == file).expect("it is shipped");
    Definition::parse(&file, text).unwrap_or_else(|error| panic!("{error}"))
}

/// A file of fixtures; `None` where there is none.
fn fixture(file: &str) -> Option<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    std::fs::read_to_string(folder.join(file)).ok()
}

fn show(report: &Reading) -> String {
    let kind = serde_json::to_value(report.kind).unwrap();
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let time = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |secs| secs.to_string());
    let line = format!(
        "{} {} {} {} {} {} {} {}",
        kind.as_str().unwrap(),
        report.posts,
        report.accounts,
        text(&report.first_id),
        text(&report.last_id),
        time(report.newest_created_at),
        time(report.oldest_created_at),
        report.outcome
    );
    match report.complaints.len() {
        0 => line,
        count => format!("{line} +{count}"),
    }
}

fn check(name: &str) {
    let definition = definition(name);
    let recordings = fixture(&format!("{name}.jsonl")).unwrap_or_else(|| panic!("{name} has no recordings"));
    let read = |(number, line)| (line, read_line(&definition, number + 1, line, Timestamp::MAX));
    let read: Vec<(&str, Reading)> = recordings.lines().enumerate().map(read).collect();
    let file = format!("{name}.expected");
    #[expect(clippy::disallowed_methods, reason = "a developer's switch, read by this test only")]
    if std::env::var("FRESHET_BLESS").is_ok() {
        let shown: Vec<String> = read.iter().map(|(_, report)| show(report)).collect();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        std::fs::write(folder.join(&file), shown.join("\n") + "\n").unwrap();
    }
    let expected = fixture(&file).unwrap_or_else(|| panic!("there is no {file}"));
    for (number, ((line, report), expected)) in read.iter().zip(expected.lines()).enumerate() {
        assert_eq!(show(report), expected, "{name}:{}\n{line}\n{:?}", number + 1, report.complaints);
    }
    assert_eq!(read.len(), expected.lines().count(), "{name}");
}

/// Run with `FRESHET_BLESS=1` to write what is expected anew, and look at every line of it. Single pages have no recordings:
/// any page would be one.
#[test]
fn recordings_of_every_shipped_network_are_read() {
    for (file, _) in crate::networks::SHIPPED {
        let name = file.trim_start_matches("networks/").trim_end_matches(".toml");
        if name != "page" {
            check(name);
        }
    }
}

#[test]
fn what_is_no_recording_says_so() {
    for line in ["", "{", "[]", "{\"url\": 3}", "{\"status\": 200}"] {
        let report = read_line(&definition("rss"), 7, line, Timestamp::MAX);
        assert_eq!((report.line, report.outcome, report.complaints.len()), (7, "bad_request", 1), "{line}");
        assert!(report.complaints[0].contains("no recording"), "{:?}", report.complaints);
    }
}

/// Reads a line of a fixture as the engine would.
fn page(name: &str, line: usize, endpoint: &str, root: &str) -> Page {
    let file = fixture(&format!("{name}.jsonl")).expect("it has recordings");
    let response = parse(file.lines().nth(line - 1).unwrap(), Timestamp::MAX).unwrap();
    let definition = definition(name);
    let connector = DefinedConnector::new(&definition).unwrap();
    let instance = Instance {
        network: NetworkName::new(name, None),
        base: "https://x.example".into(),
        allow_private: false,
    };
    let target = Target { instance: &instance, endpoint, root, credential: None, validators: None };
    connector.read(&target, &Intent::First, &response, Timestamp::from_secs(1_800_000_000))
}

#[test]
fn mastodon_posts_are_whole() {
    let page = page("mastodon", 1, "posts", "109300000000000001");
    assert_eq!(page.next.as_deref(), Some("115000000000000003"));
    assert_eq!((page.limits[0].limit, page.limits[0].remaining), (Some(300), Some(299)));
    let posts = &page.observation.posts;
    let shape: Vec<_> =
        posts.iter().map(|post| (&post.id[15..], post.is_embedded, post.repost_of.is_some())).collect();
    assert_eq!(
        shape,
        [
            ("005", false, false),
            ("004", false, true),
            ("002", true, false),
            ("003", false, false),
            ("002", true, false)
        ]
    );
    assert_eq!(posts[0].tags, ["Rust"]);
    assert_eq!(posts[0].edited_at.map(Timestamp::secs), Some(1_794_737_100));
    assert_eq!(posts[0].slinks[0].target.to_string(), "youtube/video/abcdefghijk");
    assert_eq!(posts[3].quote_of.as_deref(), Some("115000000000000002"));
    assert_eq!(posts[3].reply_to.as_deref(), Some("115000000000000001"));
    assert!(posts[0].plinks.contains(&("like_count".into(), Primitive::Int(3))), "{:?}", posts[0].plinks);
    let accounts = &page.observation.accounts;
    assert_eq!(accounts.len(), 2, "each author once");
    assert_eq!(accounts[0].handle.as_deref(), Some("ada"));
    let links: Vec<_> = accounts[0].slinks.iter().map(|it| format!("{} {}", it.name, it.target)).collect();
    assert_eq!(
        links,
        ["verified_links web/page/https://ada.example.org/"],
        "what is not verified is no link"
    );
}

#[test]
fn mastodon_accounts_and_relations_are_whole() {
    let suspended = page("mastodon", 3, "account", "109300000000000002");
    assert_eq!((suspended.kind, suspended.outcome), (PageKind::Account, Outcome::Suspended));
    assert_eq!(suspended.observation.accounts[0].state, AccountState::Suspended);
    let followers = page("mastodon", 4, "followers", "7");
    assert_eq!(followers.observation.relations[0].target, "7");
    assert_eq!(
        followers.next.as_deref(),
        Some("https://example.social/api/v1/accounts/109300000000000001/followers?limit=80&max_id=7")
    );
    let tags = page("mastodon", 8, "tags", "7");
    assert_eq!(
        (tags.observation.tags[0].account.as_str(), tags.observation.tags[0].name.as_str()),
        ("7", "rust")
    );
}

#[test]
fn bluesky_posts_are_whole() {
    let page = page("bluesky", 1, "posts", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa");
    let posts = &page.observation.posts;
    assert_eq!(
        posts[0].url.as_deref(),
        Some("https://bsky.app/profile/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/post/3laaaaaaaaaa5")
    );
    assert_eq!((posts[0].tags.as_slice(), posts[0].slinks.len()), (&["rust".to_owned()][..], 1));
    assert!(posts[1].repost_of.is_some() && !posts[1].is_embedded && posts[2].is_embedded);
    assert_eq!(posts[1].author.as_deref(), Some("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_eq!(posts[3].quote_of, posts[2].uri);
    assert_eq!(posts[3].reply_to, posts[3].root);
    assert!(
        posts.iter().any(|post| post.id.starts_with("repost:did:plc:aaaa")),
        "old answers name no repost record"
    );
    assert_eq!(page.next.as_deref(), Some("2026-11-12T09:00:00Z"));
}

#[test]
fn bluesky_opt_out_is_noticed() {
    assert!(
        page("bluesky", 4, "account", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa").observation.accounts[0].opts_out
    );
    assert!(
        !page("bluesky", 5, "followers", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa").observation.accounts[0].opts_out
    );
}

#[test]
fn a_data_server_is_followed_upwards_by_record_key() {
    let pds = definition("bluesky").family().remove(1);
    let connector = DefinedConnector::new(&pds).unwrap();
    let instance = Instance {
        network: NetworkName::new("bluesky-pds", Some("127.0.0.1:2583")),
        base: "http://127.0.0.1:2583".into(),
        allow_private: true,
    };
    let target = Target {
        instance: &instance,
        endpoint: "posts",
        root: "did:plc:a",
        credential: None,
        validators: None,
    };
    let mark = freshet_types::Mark {
        id: "at://did:plc:a/app.bsky.feed.post/3la".into(),
        at: Timestamp::from_secs(0),
    };
    let request = connector.ask(&target, &Intent::Newer(mark)).unwrap();
    assert_eq!(
        request.url,
        "http://127.0.0.1:2583/xrpc/com.atproto.repo.listRecords?collection=app.bsky.feed.post&limit=100&repo=did%3Aplc%3Aa&reverse=true&cursor=3la"
    );
    assert_eq!((request.needs.len(), request.needs[0].limit, request.allow_private), (1, 3000, true));
    let single = Target { endpoint: "post", root: "at://did:plc:a/app.bsky.feed.post/3la", ..target };
    let request = connector.ask(&single, &Intent::First).unwrap();
    assert!(
        request.url.ends_with("getRecord?collection=app.bsky.feed.post&repo=did%3Aplc%3Aa&rkey=3la"),
        "{}",
        request.url
    );
}

fn check_url(name: &str, host: Option<&str>, (endpoint, root): (&str, &str), intent: &Intent, url: &str) {
    let definition = definition(name);
    let connector = DefinedConnector::new(&definition).unwrap();
    let base = definition.base_on(host).unwrap();
    let instance = Instance { network: NetworkName::new(name, host), base, allow_private: false };
    let target = Target { instance: &instance, endpoint, root, credential: None, validators: None };
    assert_eq!(connector.ask(&target, intent).unwrap().url, url);
}

#[test]
fn shipped_endpoints_are_asked_by_these_urls() {
    let mark = freshet_types::Mark { id: "8".into(), at: Timestamp::from_secs(100) };
    let (first, next, newer) = (Intent::First, Intent::Next("7".into()), Intent::Newer(mark));
    let (host, posts) = (Some("example.social"), ("posts", "1"));
    let api = "https://example.social/api/v1/accounts";
    check_url("mastodon", host, ("lookup", "ada"), &first, &format!("{api}/lookup?acct=ada"));
    check_url("mastodon", host, posts, &first, &format!("{api}/1/statuses?limit=40"));
    check_url("mastodon", host, posts, &next, &format!("{api}/1/statuses?limit=40&max_id=7"));
    check_url("mastodon", host, posts, &newer, &format!("{api}/1/statuses?limit=40&min_id=8"));
    let feed = "https://public.api.bsky.app/xrpc/app.bsky.feed.getAuthorFeed?actor=did%3Aplc%3Aa";
    let feed = format!("{feed}&filter=posts_with_replies&limit=100");
    check_url("bluesky", None, ("posts", "did:plc:a"), &first, &feed);
    let hits = "https://hn.algolia.com/api/v1/search_by_date?hitsPerPage=500";
    let (posts, filter) = (("posts", "ada"), "numericFilters=created_at_i");
    check_url("hackernews", None, posts, &first, &format!("{hits}&tags=author_ada"));
    check_url("hackernews", None, posts, &next, &format!("{hits}&{filter}%3C%3D7&tags=author_ada"));
    check_url("hackernews", None, posts, &newer, &format!("{hits}&{filter}%3E99&tags=author_ada"));
    let item = "https://hacker-news.firebaseio.com/v0/item/8863.json";
    check_url("hackernews", None, ("item", "8863"), &first, item);
    let url = "https://blog.example/f?x=1";
    check_url("rss", Some("blog.example"), ("feed", url), &first, url);
}

#[test]
fn posts_of_further_networks_are_asked_for_by_these_urls() {
    let (first, next) = (Intent::First, Intent::Next("7".into()));
    let both = Intent::Group(vec!["rivers".into(), "lakes".into()]);
    let reddit = "https://oauth.reddit.com";
    for (endpoint, root, intent, path) in [
        ("posts", "ada", &next, "/user/ada/overview.json?limit=100&raw_json=1&sort=new&after=7"),
        ("replies", "t3_1abcd1", &first, "/comments/1abcd1.json?limit=500&raw_json=1&sort=new"),
        ("board_posts", "rivers", &both, "/r/rivers+lakes/new.json?limit=100&raw_json=1"),
        ("post", "t3_1abcd1", &first, "/api/info.json?id=t3_1abcd1&raw_json=1"),
    ] {
        check_url("reddit", None, (endpoint, root), intent, &format!("{reddit}{path}"));
    }
    let (forum, api) = (Some("forum.example"), "https://forum.example");
    for (network, endpoint, root, intent, path) in [
        (
            "discourse",
            "replies",
            "12",
            &Intent::Members(vec!["5".into(), "6".into()]),
            "/t/12/posts.json?post_ids[]=5&post_ids[]=6",
        ),
        ("discourse", "server_posts", "posts", &next, "/posts.json?before=7"),
        ("discourse", "board_topics", "rivers/5", &next, "/c/rivers/5.json?order=created&page=7"),
        ("nodebb", "replies", "12", &next, "/api/topic/12?sort=oldest_to_newest&page=7"),
        (
            "flarum",
            "posts",
            "ada",
            &first,
            "/api/posts?filter[author]=ada&filter[type]=comment&page[limit]=50&sort=-createdAt",
        ),
        (
            "lemmy",
            "board_posts",
            "rivers@a.example",
            &next,
            "/api/v3/post/list?community_name=rivers%40a.example&limit=50&sort=New&type_=All&page_cursor=7",
        ),
        ("lobsters", "posts", "ada", &next, "/~ada/stories.json?page=7"),
        ("misskey", "posts", "9a", &next, "/api/users/notes"),
    ] {
        check_url(network, forum, (endpoint, root), intent, &format!("{api}{path}"));
    }
}

#[test]
fn misskey_is_asked_by_a_body() {
    let definition = definition("misskey");
    let connector = DefinedConnector::new(&definition).unwrap();
    let instance = Instance {
        network: NetworkName::new("misskey", Some("misskey.example")),
        base: "https://misskey.example".into(),
        allow_private: false,
    };
    let mark = freshet_types::Mark { id: "9b".into(), at: Timestamp::from_secs(100) };
    let both = Intent::Group(vec!["9a".into(), "9b".into()]);
    for (endpoint, root, intent, body) in [
        ("posts", "9a", &Intent::First, r#""withChannelNotes": true}"#),
        ("posts", "9a", &Intent::Next("9c".into()), r#""withChannelNotes": true, "untilId": "9c"}"#),
        ("posts", "9a", &Intent::Newer(mark), r#""withChannelNotes": true, "sinceId": "9b"}"#),
        ("posts", "9a", &both, r#"{"userIds": ["9a", "9b"]}"#),
        ("lookup", "ada", &Intent::First, r#"{"username": "ada"}"#),
        ("lookup", "ada@a.example", &Intent::First, r#"{"username": "ada", "host": "a.example"}"#),
    ] {
        let target = Target { instance: &instance, endpoint, root, credential: None, validators: None };
        let request = connector.ask(&target, intent).unwrap();
        let sent = request.body.unwrap();
        assert!(sent.ends_with(body), "{sent}");
        serde_json::from_str::<Value>(&sent).unwrap();
    }
}

#[test]
fn youtube_needs_a_key_and_looks_at_many_channels_at_once() {
    let definition = definition("youtube");
    let connector = DefinedConnector::new(&definition).unwrap();
    let instance = Instance {
        network: NetworkName::new("youtube", None),
        base: definition.base_on(None).unwrap(),
        allow_private: false,
    };
    let root = "UCabcdefghijklmnopqrstuv";
    let target = Target { instance: &instance, endpoint: "posts", root, credential: None, validators: None };
    assert!(connector.ask(&target, &Intent::First).unwrap_err().to_string().contains("needs a credential"));
    let key = freshet_types::Holder::alone("key".into());
    let target = Target { credential: Some(&key), ..target };
    let request = connector.ask(&target, &Intent::First).unwrap();
    assert!(request.url.contains("playlistId=UUabcdefghijklmnopqrstuv"), "{}", request.url);
    assert_eq!((request.needs[0].limit, request.needs[0].units), (10_000, 1));
    let both = Intent::Group(vec![root.into(), "UCb".into()]);
    let request = connector.ask(&target, &both).unwrap();
    assert!(request.url.contains("id=UCabcdefghijklmnopqrstuv%2CUCb"), "{}", request.url);
    let pulses = parse(fixture("youtube.jsonl").unwrap().lines().nth(3).unwrap(), Timestamp::MAX).unwrap();
    let page = connector.read(&target, &both, &pulses, Timestamp::from_secs(1_800_000_000));
    assert_eq!((page.pulses.len(), page.pulses[0].value.as_str()), (2, "87"));
}

#[test]
fn previews_state_values_of_the_video_they_show() {
    let title = "video_title youtube/video/abcdefghijk A walk along the river";
    let check = |name: &str, line: usize, endpoint: &str, root: &str, channel: Option<&str>| {
        let page = page(name, line, endpoint, root);
        let links = page.observation.posts.iter().flat_map(|post| &post.slinks);
        let values = links.filter_map(|link| match &link.value {
            Some(Primitive::Text(text)) => Some(format!("{} {} {text}", link.name, link.target)),
            _ => None,
        });
        let channel = channel.map(|name| format!("video_channel youtube/video/abcdefghijk {name}"));
        let expected: Vec<String> = [title.to_owned()].into_iter().chain(channel).collect();
        assert_eq!(values.collect::<Vec<_>>(), expected, "{name}");
    };
    check("mastodon", 6, "status", "115000000000000005", Some("The rivers"));
    check(
        "bluesky",
        9,
        "post",
        "at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3laaaaaaaaaa5",
        None,
    );
    check("lemmy", 1, "board_posts", "rivers", None);
    check("reddit", 3, "board_posts", "rivers", Some("Rivers"));
}

#[test]
fn a_single_object_that_is_not_shown_is_gone() {
    let line = r#"{"url": "https://public.api.bsky.app/xrpc/app.bsky.feed.getPosts?uris=at://x", "status": 200, "body": {"posts": []}}"#;
    assert_eq!(read_line(&definition("bluesky"), 1, line, Timestamp::MAX).outcome, "gone");
}

/// `networks read` took every time for possible, so that a post of the year 2090 was the newest of its list.
#[test]
fn a_time_to_come_is_complained_about_in_recordings_too() {
    let now = Timestamp::from_secs(1_794_000_000);
    for (headers, at, newest) in [
        ("{}", "2026-11-01T00:00:00Z", Some(1_793_491_200)),
        ("{}", "2090-01-01T00:00:00Z", None),
        ("{}", "9999-12-31T23:59:59Z", None),
        (r#"{"Date": "Sun, 01 Jan 2090 00:00:00 GMT"}"#, "2090-01-01T00:00:00Z", Some(3_786_912_000)),
        (r#"{"Date": "soon"}"#, "2090-01-01T00:00:00Z", None),
    ] {
        let line = format!(
            r#"{{"url": "https://social.example/api/v1/accounts/7/statuses", "headers": {headers}, "body": [{{"id": "5", "created_at": "{at}", "content": "x", "account": {{"id": "7", "username": "ada"}}}}]}}"#
        );
        let read = read_line(&definition("mastodon"), 1, &line, now);
        let said = read.complaints.iter().filter(|one| one.contains("is to come")).count();
        assert_eq!((read.posts, read.newest_created_at), (1, newest), "{headers} {at}: {read:?}");
        assert_eq!(said, usize::from(newest.is_none()), "{headers} {at}: {read:?}");
    }
}

#[test]
fn hackernews_posts_are_whole() {
    let hits = page("hackernews", 1, "posts", "ada").observation;
    assert_eq!((hits.posts[0].reply_to.as_deref(), hits.posts[0].text.as_str()), (Some("8863"), "hello"));
    assert_eq!((hits.posts[1].text.as_str(), hits.posts[1].slinks.len()), ("A title", 1));
    assert_eq!(hits.accounts[0].id, "ada");
    let tree = page("hackernews", 3, "replies", "1").observation;
    assert!(tree.posts[3].is_deleted && tree.posts[3].author.is_none());
    let ids = page("hackernews", 11, "new_stories", "");
    assert_eq!(ids.members, ["3", "2", "1"]);
    let all = page("hackernews", 10, "everything", "");
    assert_eq!(
        (all.members.len(), all.members[0].as_str(), all.next.as_deref()),
        (200, "9130260", Some("9130060"))
    );
}

#[test]
fn feeds_are_their_own_accounts() {
    let page = page("rss", 1, "feed", "https://blog.example/feed.xml");
    let seen = &page.observation;
    assert_eq!(
        (seen.accounts[0].id.as_str(), seen.accounts[0].name.as_deref()),
        ("https://blog.example/feed.xml", Some("Blog"))
    );
    assert_eq!(seen.posts[0].author.as_deref(), Some("https://blog.example/feed.xml"));
    assert_eq!((seen.posts[0].text.as_str(), seen.posts[1].text.as_str()), ("B\n\ntext b", "A"));
    let endpoint = DefinedConnector::new(&definition("rss")).unwrap();
    let endpoint = endpoint.endpoint("feed").unwrap();
    assert!(endpoint.is_window && endpoint.order == freshet_types::ListOrder::NewestFirst);
}

#[test]
fn a_path_is_known_with_json_at_its_end_and_without() {
    for url in
        ["https://oauth.reddit.com/user/ada/about/?raw_json=1", "https://www.reddit.com/user/ada/about.json"]
    {
        let line = format!(r#"{{"url": "{url}", "body": {{"kind": "t2", "data": {{"name": "ada"}}}}}}"#);
        let report = read_line(&definition("reddit"), 1, &line, Timestamp::MAX);
        assert_eq!((report.kind, report.first_id.as_deref()), (PageKind::Account, Some("ada")), "{url}");
    }
}

#[test]
fn only_parameters_that_differ_tell_endpoints_apart() {
    for (query, kind) in [
        ("part=id&q=x&type=video", PageKind::Posts),
        ("part=id&q=x&type=channel", PageKind::Accounts),
        ("part=id,snippet&channelId=x&order=relevance&type=video", PageKind::Posts),
    ] {
        let url = format!("https://www.googleapis.com/youtube/v3/search?{query}");
        let line = format!(r#"{{"url": "{url}", "body": {{"items": []}}}}"#);
        assert_eq!(read_line(&definition("youtube"), 1, &line, Timestamp::MAX).kind, kind, "{query}");
    }
}

#[test]
fn authors_who_stand_beside_are_found() {
    let topics = page("flarum", 1, "topics", "all").observation;
    let authors: Vec<_> =
        topics.posts.iter().filter(|post| !post.is_embedded).map(|post| post.author.as_deref()).collect();
    assert_eq!(authors, [Some("ada"), Some("bob"), None], "the last one's account is deleted");
    let topics = page("discourse", 1, "latest", "posts").observation;
    let authors: Vec<_> = topics.posts.iter().map(|post| post.author.as_deref()).collect();
    assert_eq!(authors, [Some("ada"), Some("ada"), Some("bob")]);
}
