//! Calls that ask about many roots at once, by every definition that has some: what is asked, and what the answer shows of each.
//!
//! One row of [`CASES`] for each list with a `probe` or a `merged` list; a definition that gains one and no row fails here.

use std::sync::Arc;

use freshet_network::networks::Networks;
use freshet_types::{Connector, Holder, Instance, Intent, Map, NetworkName, Page, Set, Target};

use super::{read, without_fields};

/// A list that is asked about for several roots.
struct Case {
    network: &'static str,
    endpoint: &'static str,
    roots: [&'static str; 2],
    /// What is asked, without the parameters that choose fields.
    url: &'static str,
    body: &'static str,
    answer: &'static str,
    /// Each root with its pulse, or with a post of its list.
    shown: &'static [&'static str],
    /// The first page of the first root's own list and the pulse that it shows, where it does.
    own: Option<(&'static str, &'static str)>,
}

const CASES: &[Case] = &[
    Case {
        network: "mastodon",
        endpoint: "posts",
        roots: ["7", "8"],
        url: "https://example.social/api/v1/accounts?id[]=7&id[]=8",
        body: "",
        answer: r#"[{"id": "8", "statuses_count": 80}, {"id": "7", "statuses_count": 70}, {"id": "9"}]"#,
        shown: &["8 80", "7 70"],
        own: Some((r#"[{"id": "70", "account": {"id": "7", "statuses_count": 71}}]"#, "71")),
    },
    Case {
        network: "mastodon",
        endpoint: "tag_posts",
        roots: ["rivers", "floods"],
        url: "https://example.social/api/v1/timelines/tag/rivers?limit=40&any[]=rivers&any[]=floods",
        body: "",
        answer: r#"[{"id": "70", "tags": [{"name": "rivers"}, {"name": "floods"}]}, {"id": "69", "tags": [{"name": "floods"}]}]"#,
        shown: &["rivers 70", "floods 70", "floods 69"],
        own: None,
    },
    Case {
        network: "bluesky",
        endpoint: "posts",
        roots: ["did:plc:a", "did:plc:b"],
        url: "https://public.api.bsky.app/xrpc/app.bsky.actor.getProfiles?actors=did%3Aplc%3Aa&actors=did%3Aplc%3Ab",
        body: "",
        answer: r#"{"profiles": [{"did": "did:plc:a", "handle": "a.test", "postsCount": 70}, {"did": "did:plc:b", "handle": "b.test", "postsCount": 0}]}"#,
        shown: &["did:plc:a 70", "did:plc:b 0"],
        own: None,
    },
    Case {
        network: "misskey",
        endpoint: "posts",
        roots: ["a7", "b8"],
        url: "https://example.social/api/users/show",
        body: r#"{"userIds": ["a7", "b8"]}"#,
        answer: r#"[{"id": "a7", "username": "ada", "notesCount": 70}, {"id": "b8", "username": "bob", "notesCount": 80}]"#,
        shown: &["a7 70", "b8 80"],
        own: None,
    },
    Case {
        network: "reddit",
        endpoint: "board_posts",
        roots: ["rivers", "Floods"],
        url: "https://oauth.reddit.com/r/rivers+Floods/new.json?limit=100&raw_json=1",
        body: "",
        answer: r#"{"kind": "Listing", "data": {"after": "t3_b", "children": [{"kind": "t3", "data": {"name": "t3_c", "subreddit": "Floods", "created_utc": 9}}, {"kind": "t3", "data": {"name": "t3_b", "subreddit": "rivers", "created_utc": 8}}]}}"#,
        shown: &["Floods t3_c", "rivers t3_b"],
        own: None,
    },
    Case {
        network: "youtube",
        endpoint: "posts",
        roots: ["UC7", "UC8"],
        url: "https://youtube.googleapis.com/youtube/v3/channels?id=UC7%2CUC8&maxResults=50&part=snippet%2Cstatistics%2CcontentDetails%2Cstatus",
        body: "",
        answer: r#"{"items": [{"id": "UC7", "statistics": {"videoCount": "70"}}, {"id": "UC8", "statistics": {}}]}"#,
        shown: &["UC7 70"],
        own: None,
    },
    Case {
        network: "hackernews",
        endpoint: "posts",
        roots: ["ada", "bob_2"],
        url: "https://hn.algolia.com/api/v1/search_by_date?hitsPerPage=500&tags=%28author_ada%2Cauthor_bob_2%29",
        body: "",
        answer: r#"{"hits": [{"objectID": "70", "author": "bob_2", "created_at_i": 9}, {"objectID": "69", "author": "ada", "created_at_i": 8}]}"#,
        shown: &["bob_2 70", "ada 69"],
        own: None,
    },
    Case {
        network: "stackexchange",
        endpoint: "posts",
        roots: ["17", "18"],
        url: "https://api.stackexchange.com/2.3/users/17;18/posts?filter=withbody&order=desc&pagesize=100&site=stackoverflow.com&sort=creation",
        body: "",
        answer: r#"{"items": [{"post_id": 3, "owner": {"user_id": 18}, "creation_date": 1}, {"post_id": 2, "owner": {"user_id": 17}, "creation_date": 1}], "has_more": true}"#,
        shown: &["18 3", "17 2"],
        own: None,
    },
    Case {
        network: "stackexchange",
        endpoint: "comments_of",
        roots: ["17", "18"],
        url: "https://api.stackexchange.com/2.3/users/17;18/comments?filter=withbody&order=desc&pagesize=100&site=stackoverflow.com&sort=creation",
        body: "",
        answer: r#"{"items": [{"comment_id": 5, "post_id": 3, "owner": {"user_id": 17}, "creation_date": 1}], "has_more": false}"#,
        shown: &["17 5"],
        own: None,
    },
    Case {
        network: "twitter",
        endpoint: "posts",
        roots: ["7", "8"],
        url: "https://api.x.com/2/users?ids=7%2C8",
        body: "",
        answer: r#"{"data": [{"id": "7", "most_recent_tweet_id": "70"}, {"id": "8", "most_recent_post_id": "80"}, {"id": "9"}]}"#,
        shown: &["7 70", "8 80"],
        own: None,
    },
    Case {
        network: "weibo",
        endpoint: "posts",
        roots: ["7", "8"],
        url: "https://api.weibo.com/2/users/counts.json?uids=7%2C8",
        body: "",
        answer: r#"[{"id": "7", "statuses_count": 70}, {"id": 8, "statuses_count": "80"}]"#,
        shown: &["7 70", "8 80"],
        own: Some((r#"{"statuses": [{"id": 1, "user": {"id": 7, "statuses_count": 71}}]}"#, "71")),
    },
    Case {
        network: "mastodon",
        endpoint: "replies",
        roots: ["7", "8"],
        url: "https://example.social/api/v1/statuses?id[]=7&id[]=8",
        body: "",
        answer: r#"[{"id": "7", "replies_count": 0}, {"id": "8", "replies_count": 3}]"#,
        shown: &["7 0", "8 3"],
        own: None,
    },
    Case {
        network: "bluesky",
        endpoint: "replies",
        roots: ["at://did:plc:a/app.bsky.feed.post/1", "at://did:plc:b/app.bsky.feed.post/2"],
        url: "https://public.api.bsky.app/xrpc/app.bsky.feed.getPosts?uris=at%3A%2F%2Fdid%3Aplc%3Aa%2Fapp.bsky.feed.post%2F1&uris=at%3A%2F%2Fdid%3Aplc%3Ab%2Fapp.bsky.feed.post%2F2",
        body: "",
        answer: r#"{"posts": [{"uri": "at://did:plc:b/app.bsky.feed.post/2", "replyCount": 3}]}"#,
        shown: &["at://did:plc:b/app.bsky.feed.post/2 3"],
        own: Some((
            r#"{"thread": {"post": {"uri": "at://did:plc:a/app.bsky.feed.post/1", "replyCount": 1}}}"#,
            "1",
        )),
    },
    Case {
        network: "reddit",
        endpoint: "replies",
        roots: ["t3_a", "t3_b"],
        url: "https://oauth.reddit.com/api/info.json?id=t3_a%2Ct3_b&raw_json=1",
        body: "",
        answer: r#"{"kind": "Listing", "data": {"children": [{"kind": "t3", "data": {"name": "t3_b", "num_comments": 3}}, {"kind": "t3", "data": {"name": "t3_a", "num_comments": 0}}]}}"#,
        shown: &["t3_b 3", "t3_a 0"],
        own: Some((
            r#"[{"kind": "Listing", "data": {"children": [{"kind": "t3", "data": {"name": "t3_a", "num_comments": 1}}]}}, {"kind": "Listing", "data": {"children": []}}]"#,
            "1",
        )),
    },
    Case {
        network: "youtube",
        endpoint: "replies",
        roots: ["v7", "v8"],
        url: "https://youtube.googleapis.com/youtube/v3/videos?id=v7%2Cv8&maxResults=50&part=snippet%2Cstatistics%2Cstatus%2CcontentDetails",
        body: "",
        answer: r#"{"items": [{"id": "v7", "statistics": {"viewCount": "9"}}, {"id": "v8", "statistics": {"commentCount": "3"}}]}"#,
        shown: &["v8 3"],
        own: None,
    },
    Case {
        network: "stackexchange",
        endpoint: "replies",
        roots: ["17", "18"],
        url: "https://api.stackexchange.com/2.3/posts/17;18?filter=withbody&pagesize=100&site=stackoverflow.com",
        body: "",
        answer: r#"{"items": [{"post_id": 17, "post_type": "question", "last_activity_date": 9}, {"post_id": 18, "post_type": "answer", "last_activity_date": 8}]}"#,
        shown: &["17 9", "18 8"],
        own: None,
    },
];

/// Networks that declare no quota.
const WITHOUT_QUOTA: [&str; 1] = ["bluesky"];

/// Parameters that choose fields; they are long, and change often.
const FIELDS: [&str; 1] = ["user.fields"];

/// The network by its shipped definition, and a server of it.
fn network(networks: &Networks, name: &str) -> (Arc<dyn Connector>, Instance) {
    let connector = networks.connector(name).unwrap_or_else(|| panic!("there is no `{name}`"));
    let somewhere = || Instance {
        network: NetworkName::new(name, Some("example.social")),
        base: "https://example.social".to_owned(),
        allow_private: false,
    };
    (connector, networks.instance_of(&NetworkName::from(name)).unwrap_or_else(somewhere))
}

fn shown(page: &Page) -> Vec<String> {
    let pulses = page.pulses.iter().map(|it| format!("{} {}", it.root, it.value));
    pulses.chain(page.shares.iter().map(|it| format!("{} {}", it.root, it.post))).collect()
}

fn check(networks: &Networks, case: &Case) {
    let what = format!("{} {}", case.network, case.endpoint);
    let ((connector, instance), credential) = (network(networks, case.network), Holder::alone("mine".into()));
    let target = Target {
        instance: &instance,
        endpoint: case.endpoint,
        root: case.roots[0],
        credential: Some(&credential),
        validators: None,
    };
    let intent = Intent::Group(case.roots.iter().map(|&root| root.to_owned()).collect());
    let request = connector.ask(&target, &intent).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(without_fields(&request.url, &FIELDS), case.url, "{what}");
    assert_eq!(request.body.as_deref().unwrap_or_default(), case.body, "{what}");
    assert_eq!(request.needs.is_empty(), WITHOUT_QUOTA.contains(&case.network), "{what}: its quotas");
    assert_eq!(shown(&read(&*connector, &target, &intent, case.answer)), case.shown, "{what}");
    if let Some((page, pulse)) = case.own {
        let own = shown(&read(&*connector, &target, &Intent::First, page));
        assert_eq!(own, [format!("{} {pulse}", case.roots[0])], "{what}");
    }
    // What is no such answer shows nothing, and does no harm.
    for odd in ["", "null", "[]", "{}", "[7, null, {}]", r#"{"items": {}, "data": [[]]}"#] {
        assert_eq!(shown(&read(&*connector, &target, &intent, odd)), [""; 0], "{what}: {odd}");
    }
}

#[test]
fn one_answer_tells_of_many_roots() {
    let networks = Networks::shipped();
    for case in CASES {
        check(&networks, case);
    }
}

#[test]
fn every_list_that_is_asked_about_in_groups_has_a_case() {
    let mut missing: Map<(String, String), usize> = Map::default();
    for network in Networks::shipped().snapshot().iter() {
        for endpoint in network.connector.endpoints().iter().filter(|endpoint| endpoint.group.roots_max > 0) {
            missing.insert((network.name.to_string(), endpoint.name.to_string()), endpoint.group.roots_max);
        }
    }
    assert!(missing.len() > 10, "{missing:?}");
    let known: Set<(String, String)> =
        CASES.iter().map(|case| (case.network.to_owned(), case.endpoint.to_owned())).collect();
    assert_eq!(known.len(), CASES.len(), "one case each");
    missing.retain(|list, _| !known.contains(list));
    assert!(missing.is_empty(), "without a case: {missing:?}");
}
