//! Items of every shape: ids, values, nesting, relations, tags, states, XML.

use super::*;

#[test]
fn ids_stay_texts_whatever_they_are() {
    let body = r#"{"items": [{"id": 9007199254740993}, {"id": "01HX"}, {"id": ""}, {"id": null}, {"id": 1.5}, {"id": {"a": 1}}]}"#;
    let page = read("", &Intent::First, &response(200, &[], body));
    let ids: Vec<_> = page.observation.posts.iter().map(|post| post.id.as_str()).collect();
    assert_eq!(ids, ["9007199254740993", "01HX", "1.5"]);
    let complaints: Vec<_> =
        page.complaints.iter().map(|one| format!("{}: {}", one.place, one.what)).collect();
    assert_eq!(
        complaints,
        ["/items/2: the item has no id", "/items/3: the item has no id", "/items/5: the item has no id"]
    );
}

#[test]
fn a_place_may_be_missing_where_it_is_said_to_be_optional() {
    for (key, outcome) in [("", Outcome::Unreadable), (", is_optional = true", Outcome::Ok)] {
        let extra = format!(
            "[endpoints.found]\nurl = \"/found\"\nkind = \"posts\"\nroot = \"account\"\nitems = [{{ at = \"/data\", mapping = \"post\"{key} }}]\n"
        );
        let (connector, instance) = (connector(&extra), instance());
        let target = Target { endpoint: "found", ..target(&instance) };
        let page = connector.read(&target, &Intent::First, &response(200, &[], r#"{"meta": {}}"#), now());
        assert_eq!((page.complaints.is_empty(), &page.outcome), (outcome == Outcome::Ok, &outcome), "{key}");
    }
}

#[test]
fn an_answer_without_content_is_no_broken_one() {
    let page = read("", &Intent::First, &response(204, &[], ""));
    assert_eq!((page.complaints.len(), page.outcome), (0, Outcome::Ok));
    let page = read("", &Intent::First, &response(200, &[], ""));
    assert_eq!((page.complaints.len(), page.outcome), (1, Outcome::Transient));
}

#[test]
fn complaints_are_bounded() {
    let items = vec!["{}"; 200].join(",");
    let page = read("", &Intent::First, &response(200, &[], &format!("{{\"items\": [{items}]}}")));
    assert_eq!(page.complaints.len(), 51);
    assert_eq!(page.complaints[50].what, "150 more complaints like these");
    assert_eq!(page.outcome, Outcome::Unreadable, "nothing of it could be read");
}

#[test]
fn values_take_the_kind_that_the_schema_wants() {
    let extra = r#"
[mappings.rich]
kind = "post"
id = { at = "/id", prefix = "t3_" }
text = ["/none", "/body"]
tags = ["/tags", "/facets/*/features/*/tag"]
url = { at = "/u", match = "^at://([^/]+)/(.+)$", to = "https://x.example/$1/$2" }
repost_of = "jq:.refs[] | select(.type == \"retweeted\") | .id"
plinks = { score = "/score", rate = "/rate", flag = "/flag", seen = { at = "/seen", time = "epoch_ms" }, title = "=fixed" }
deleted = [{ at = "/deleted" }]
[endpoints.rich]
url = "/rich"
kind = "posts"
root = "account"
items = [{ mapping = "rich" }]
"#;
    let body = r##"[{"id": 7, "body": "hi", "tags": ["#a"], "facets": [{"features": [{"tag": "b"}, {"uri": "x"}]}, {}],
        "u": "at://me/1", "score": "12", "rate": "0.5", "flag": "1", "seen": 1500, "deleted": "1",
        "refs": [{"type": "quoted", "id": "1"}, {"type": "retweeted", "id": "2"}]}]"##;
    let (connector, instance) = (connector(extra), instance());
    let page = connector.read(
        &Target { endpoint: "rich", ..target(&instance) },
        &Intent::First,
        &response(200, &[], body),
        now(),
    );
    let post = &page.observation.posts[0];
    assert_eq!((post.id.as_str(), post.text.as_str(), post.is_deleted), ("t3_7", "hi", true));
    assert_eq!(post.tags, ["a", "b"]);
    assert_eq!(post.url.as_deref(), Some("https://x.example/me/1"));
    assert_eq!(post.repost_of.as_deref(), Some("2"));
    let values: Vec<_> = post.plinks.iter().map(|(name, value)| format!("{name} {value:?}")).collect();
    assert_eq!(
        values,
        ["flag Bool(true)", "rate Float(0.5)", "score Int(12)", "seen Int(1500)", "title Text(\"fixed\")"]
    );
}

#[test]
fn items_inside_items_are_read() {
    let extra = r#"
[mappings.node]
kind = "post"
id = "/id"
author = "/user/id"
reply_to = "$root"
embeds = [
    { at = "/user", mapping = "account" },
    { at = "/original", mapping = "node" },
    { at = "/replies", each = "/data", mapping = "node", is_listed = true },
]
skip = [{ at = "/kind", equals = "more" }]
variants = [{ when = { at = "/kind", equals = "short" }, mapping = "post" }]
[endpoints.thread]
url = "/thread"
kind = "comments"
root = "post"
items = [{ at = "/root", mapping = "node" }]
"#;
    let body = r#"{"root": {"id": 1, "user": {"id": "ada", "handle": "ada"}, "original": {"id": 9, "user": {"id": "bob"}, "replies": [{"data": {"id": 10}}]},
        "replies": [{"data": {"id": 2, "user": {"id": "ada"}, "replies": ""}}, {"data": {"kind": "more", "id": 3}}, {"data": {"kind": "short", "id": 4}}, {}]}}"#;
    let (connector, instance) = (connector(extra), instance());
    let page = connector.read(
        &Target { endpoint: "thread", ..target(&instance) },
        &Intent::First,
        &response(200, &[], body),
        now(),
    );
    let posts: Vec<_> =
        page.observation.posts.iter().map(|post| (post.id.as_str(), post.is_embedded)).collect();
    assert_eq!(posts, [("1", false), ("9", true), ("10", true), ("2", false), ("4", false)]);
    let accounts: Vec<_> = page.observation.accounts.iter().map(|account| account.id.as_str()).collect();
    assert_eq!(accounts, ["ada", "bob"], "each account once");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

#[test]
fn relations_tags_states_and_opt_outs_are_read() {
    let extra = r##"
[mappings.person]
kind = "account"
id = "/id"
bio = "/bio"
plinks = { karma = "/karma" }
states = [{ state = "suspended", when = { at = "/suspended", equals = true } }, { state = "private", when = { at = "/locked" } }]
opts_out = [{ at = "/noindex", equals = true }, { at = "/bio", matches = "#nobot" }, { at = "/labels", each = "/val", equals = "!no" }]
[mappings.tag]
kind = "tag"
account = "$root"
name = "jq:to_entries[] | select(.key != \"weight\") | .value"
[endpoints.followers]
url = "/followers"
kind = "relations"
root = "account"
relation = "followers"
items = [{ mapping = "person" }]
[endpoints.following]
url = "/following"
kind = "relations"
root = "account"
relation = "following"
items = [{ mapping = "person" }]
[endpoints.tags]
url = "/tags"
kind = "tags"
root = "account"
items = [{ mapping = "tag" }]
"##;
    let (connector, instance) = (connector(extra), instance());
    let read = |endpoint: &str, body: &str| {
        connector
            .read(&Target { endpoint, ..target(&instance) }, &Intent::First, &response(200, &[], body), now())
            .observation
    };
    let body = r#"[{"id": 1, "locked": true, "bio": "x #nobot"}, {"id": 2, "suspended": true, "labels": [{"val": "!no"}]}, {"id": 3, "noindex": false, "labels": []}]"#;
    let seen = read("followers", body);
    let relations: Vec<_> =
        seen.relations.iter().map(|one| format!("{}>{}", one.source, one.target)).collect();
    assert_eq!(relations, ["1>ada", "2>ada", "3>ada"]);
    let accounts: Vec<_> = seen.accounts.iter().map(|one| (one.state, one.opts_out)).collect();
    assert_eq!(
        accounts,
        [(AccountState::Private, true), (AccountState::Suspended, true), (AccountState::Active, false)]
    );
    let relations: Vec<_> = read("following", body)
        .relations
        .iter()
        .map(|one| format!("{}>{}", one.source, one.target))
        .collect();
    assert_eq!(relations, ["ada>1", "ada>2", "ada>3"]);
    let tags = read("tags", r#"[{"547035": "art", "weight": 50}, {"2": "music", "weight": "1"}]"#).tags;
    assert_eq!(
        tags.iter().map(|tag| format!("{} {}", tag.account, tag.name)).collect::<Vec<_>>(),
        ["ada art", "ada music"]
    );
}

#[test]
fn a_post_from_the_future_has_no_time() {
    let page = read(
        "",
        &Intent::First,
        &response(
            200,
            &[],
            r#"{"items": [{"id": 1, "at": 1001000}, {"id": 2, "at": 9000000000}, {"id": 3, "at": "soon"}]}"#,
        ),
    );
    let times: Vec<_> =
        page.observation.posts.iter().map(|post| post.created_at.map(Timestamp::secs)).collect();
    assert_eq!(times, [Some(1_001_000), None, None]);
    assert_eq!(page.complaints.len(), 2);
}

#[test]
fn an_xml_api_is_mapped_like_any_other() {
    let extra = r#"
[mappings.element]
kind = "post"
id = "/@id"
author = "/user/@name"
text = "/text"
created_at = "/date"
tags = "/tag"
plinks = { score = "/score" }
[endpoints.xml]
url = "/list.xml"
kind = "posts"
root = "account"
format = "xml"
items = [{ at = "/list/post", mapping = "element" }]
paging = { style = "cursor", param = "from", at = "/list/@next" }
"#;
    let body = r#"<list next="9"><post id="2"><user name="ada"/><text lang="en">Hi &amp; bye</text><date>Sun, 11 Jan 1970 10:00:00 GMT</date><tag>a</tag><tag>b</tag><score>7</score></post></list>"#;
    let (connector, instance) = (connector(extra), instance());
    let page = connector.read(
        &Target { endpoint: "xml", ..target(&instance) },
        &Intent::First,
        &response(200, &[], body),
        now(),
    );
    let post = &page.observation.posts[0];
    assert_eq!(
        (post.id.as_str(), post.author.as_deref(), post.text.as_str()),
        ("2", Some("ada"), "Hi & bye")
    );
    assert_eq!((post.created_at.map(Timestamp::secs), post.tags.len()), (Some(900_000), 2));
    assert_eq!(page.next.as_deref(), Some("9"));
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}
