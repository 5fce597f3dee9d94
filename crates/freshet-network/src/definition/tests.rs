//! Shipped definitions are sound, the schema is published, and errors point at file, line and key.

use super::*;
use crate::definition::json_schema;

/// A small sound definition; tests replace a line of it.
const SOUND: &str = r#"name = "small"
title = "Small"
base = "https://small.example"
[types.account]
plinks = { karma = "int" }
colinks = { posts = "post" }
[types.post]
clinks = { author = "account" }
scolinks = { videos = "youtube/video" }
[endpoints.posts]
url = "/api/{{ root | urlencode }}/posts"
kind = "posts"
root = "account"
link = "posts"
items = [{ at = "/items", mapping = "post" }]
[mappings.post]
kind = "post"
id = "/id"
author = "/author"
hints = [{ link = "videos", in = "/text", pattern = "v=(\\w+)", to = "youtube/video/$1" }]
[mappings.account]
kind = "account"
id = "/id"
plinks = { karma = "/karma" }
[[quotas]]
name = "api"
scope = "ip"
limit = 60
window = "1h"
[[outcomes]]
outcome = "gone"
status = [404, 410]
[[references]]
pattern = 'https://small\.example/(?P<id>\w+)'
root = "account"
example = "https://small.example/ada"
"#;

fn check(from: &str, to: &str, expected: &str) {
    assert!(SOUND.contains(from), "the sound definition has no `{from}`");
    let error = Definition::parse("small.toml", &SOUND.replacen(from, to, 1)).expect_err(to);
    let first = error.to_string().lines().next().unwrap_or_default().to_owned();
    assert!(
        first.starts_with(expected),
        "instead of `{from}`: `{to}`\n expected {expected}\n      got {first}"
    );
}

#[test]
fn the_small_definition_is_sound() {
    Definition::parse("small.toml", SOUND).unwrap();
}

#[test]
fn pages_that_are_asked_for_again_and_again_are_checked() {
    let stream = |rest: &str| {
        format!(
            "[[stream]]\nname = \"s\"\nurl = \"/changed\"\nmessages = [{{ revisits = \"/*\" }}]\n{rest}\n[[quotas]]"
        )
    };
    let hint = "covers = [{ endpoint = \"posts\", proof = \"hint\" }]";
    let sound = stream(&format!("transport = \"poll\"\nevery = \"30s\"\n{hint}"));
    Definition::parse("small.toml", &SOUND.replacen("[[quotas]]", &sound, 1)).expect("it is sound");
    for (rest, expected) in [
        (format!("transport = \"poll\"\n{hint}"), "small.toml:25: key `stream[0]`: `every` is missing"),
        (
            format!("transport = \"poll\"\nevery = \"9s\"\n{hint}"),
            "small.toml:30: key `stream[0].every`: no page is asked for more often than every 10.0s",
        ),
        (
            format!("transport = \"sse\"\nevery = \"30s\"\n{hint}"),
            "small.toml:30: key `stream[0].every`: a connection stays open",
        ),
        (
            format!("transport = \"poll\"\nevery = \"30s\"\n{}", hint.replace("hint", "complete")),
            "small.toml:31: key `stream[0].covers`: a page that is asked for again and again proves nothing",
        ),
        (
            format!(
                "transport = \"poll\"\nevery = \"30s\"\n{hint}\ncursor = {{ param = \"c\", lasts = \"1h\" }}"
            ),
            "small.toml:25: key `stream[0]`: a page that is asked for again and again has neither",
        ),
    ] {
        check("[[quotas]]", &stream(&rest), expected);
    }
}

#[test]
fn the_form_of_roots_is_checked() {
    let url = "url = \"/api/{{ root | urlencode }}/posts\"";
    check(
        url,
        &format!("{url}\nroots = '('"),
        "small.toml:12: key `endpoints.posts.roots`: `(` is not a regular expression",
    );
    check(
        url,
        "url = \"/api/posts\"\nroots = 'x'",
        "small.toml:12: key `endpoints.posts.roots`: `url` has no plain `{{ root }}`",
    );
}

#[test]
fn syntax_and_type_errors_point_at_file_line_and_key() {
    check("title = \"Small\"", "title = Small", "small.toml:2: ");
    check("title = \"Small\"", "title = \"Small", "small.toml:2: ");
    check(
        "title = \"Small\"",
        "title = 3",
        "small.toml:2: key `title`: invalid type: integer `3`, expected a string",
    );
    check("title = \"Small\"\n", "", "small.toml:1: key `title`: it is missing");
    check(
        "title = \"Small\"",
        "titel = \"Small\"",
        "small.toml:2: key `titel`: there is no such key; did you mean `title`?",
    );
    check("title = \"Small\"", "title = \"a\"\ntitle = \"b\"", "small.toml:3: key `title`: duplicate key");
    check(
        "link = \"posts\"\n",
        "link = \"posts\"\npagng = 1\n",
        "small.toml:15: key `endpoints.posts.pagng`: there is no such key; did you mean `paging`?",
    );
    check(
        "link = \"posts\"\n",
        "link = \"posts\"\npaging = { style = \"link\", param = \"x\" }\n",
        "small.toml:15: key `endpoints.posts.paging",
    );
    check(
        "link = \"posts\"\n",
        "link = \"posts\"\npaging = { style = \"curser\" }\n",
        "small.toml:15: key `endpoints.posts.paging",
    );
    check(
        "scope = \"ip\"",
        "scope = \"ipp\"",
        "small.toml:27: key `quotas[0].scope`: `ipp` is not possible; did you mean `ip`?",
    );
    check("limit = 60", "limit = \"60\"", "small.toml:28: key `quotas[0].limit`: invalid type");
    check("kind = \"posts\"\n", "", "small.toml:10: key `endpoints.posts.kind`: it is missing");
    check("limit = 60\n", "", "small.toml:25: key `quotas[0].limit`: it is missing");
    check("id = \"/id\"\nauthor", "id = 7\nauthor", "small.toml:18: key `mappings.post.id`: ");
}

#[test]
fn errors_in_types_and_endpoints_point_at_file_line_and_key() {
    check("name = \"small\"", "name = \"Small One\"", "small.toml:1: key `name`: a name is made of");
    check(
        "base = \"https://small.example\"",
        "base = \"small.example\"",
        "small.toml:3: key `base`: `small.example` is not an http(s) URL",
    );
    check(
        "base = \"https://small.example\"",
        "base = \"https://{{ host }}\"",
        "small.toml:3: key `base`: a definition with one host",
    );
    check(
        "posts = \"post\" }",
        "posts = \"pots\" }",
        "small.toml:6: key `types.account.colinks.posts`: there is no type `pots`; did you mean `post`?",
    );
    check(
        "videos = \"youtube/video\"",
        "videos = \"youtube\"",
        "small.toml:9: key `types.post.scolinks.videos`: `youtube` is not `network/type`",
    );
    check(
        "/api/{{ root | urlencode }}/posts",
        "/api/{{ rot }}/posts",
        "small.toml:11: key `endpoints.posts.url`: the template does not work: undefined",
    );
    check(
        "/api/{{ root | urlencode }}/posts",
        "/api/{{ root",
        "small.toml:11: key `endpoints.posts.url`: the template does not work: syntax error",
    );
    check(
        "/api/{{ root | urlencode }}/posts",
        "api/posts",
        "small.toml:11: key `endpoints.posts.url`: it begins with `/`",
    );
    check(
        "root = \"account\"\nlink",
        "root = \"acount\"\nlink",
        "small.toml:13: key `endpoints.posts.root`: there is no type `acount`; did you mean `account`?",
    );
    check(
        "link = \"posts\"",
        "link = \"likes\"",
        "small.toml:14: key `endpoints.posts.link`: `types.account.colinks` does not declare `likes`",
    );
    check(
        "mapping = \"post\"",
        "mapping = \"pst\"",
        "small.toml:15: key `endpoints.posts.items[0].mapping`: there is no mapping `pst`; did you mean `post`?",
    );
    check(
        "items = [{ at = \"/items\", mapping = \"post\" }]\n",
        "",
        "small.toml:10: key `endpoints.posts`: `items` (or `members`) is missing",
    );
    check(
        "at = \"/items\"",
        "at = \"items\"",
        "small.toml:15: key `endpoints.posts.items[0].at`: `items` is not a JSON pointer",
    );
}

#[test]
fn errors_in_mappings_point_at_file_line_and_key() {
    check(
        "id = \"/id\"\nauthor",
        "id = \"jq:.id | nope\"\nauthor",
        "small.toml:18: key `mappings.post.id`: the jq program uses `nope`",
    );
    check(
        "author = \"/author\"",
        "reply_to = \"/parent\"",
        "small.toml:19: key `mappings.post.reply_to`: `types.post.clinks` does not declare `reply_to`",
    );
    check(
        "author = \"/author\"",
        "handle = \"/author\"",
        "small.toml:19: key `mappings.post.handle`: a mapping of kind `post` has no such field",
    );
    check(
        "id = \"/id\"\nauthor",
        "author",
        "small.toml:16: key `mappings.post`: a mapping of kind `post` needs `id`",
    );
    check(
        "plinks = { karma = \"/karma\" }",
        "plinks = { carma = \"/karma\" }",
        "small.toml:24: key `mappings.account.plinks.carma`: `types.account.plinks` does not declare `carma`",
    );
    check(
        "link = \"videos\", in",
        "link = \"vids\", in",
        "small.toml:20: key `mappings.post.hints[0].link`: `types.post` declares no sc- or sco-link `vids`",
    );
    check(
        "v=(\\\\w+)",
        "v=(\\\\w+",
        "small.toml:20: key `mappings.post.hints[0].pattern`: `v=(\\w+` is not a regular expression: unclosed group",
    );
    check(
        "to = \"youtube/video/$1\"",
        "to = \"$1\"",
        "small.toml:20: key `mappings.post.hints[0].to`: `$1` is not an address",
    );
}

#[test]
fn only_accounts_are_accounts() {
    let account = "kind = \"account\"\n";
    check(
        account,
        "kind = \"account\"\ntype = \"post\"\n",
        "small.toml:23: key `mappings.account.type`: only `account` is made by `kind = \"account\"`; use `kind = \"object\"`",
    );
    for kind in ["object", "post"] {
        check(
            account,
            &format!("kind = \"{kind}\"\ntype = \"account\"\n"),
            "small.toml:23: key `mappings.account.type`: an `account` is made by `kind = \"account\"`",
        );
    }
}

#[test]
fn a_type_is_made_by_mappings_of_one_kind() {
    let account = "[mappings.account]\n";
    let other = |kind: &str| {
        format!("[mappings.other]\nkind = \"{kind}\"\ntype = \"post\"\nid = \"/id\"\n[mappings.account]\n")
    };
    let small = SOUND.replacen(account, &other("post"), 1);
    Definition::parse("small.toml", &small).expect("two mappings of one kind may make a type");
    check(
        account,
        &other("object"),
        "small.toml:17: key `mappings.post.kind`: `mappings.other` makes `post` by `kind = \"object\"`, this one by `post`; \
         use `kind = \"object\"` in both, or two types",
    );
}

#[test]
fn errors_in_rules_point_at_file_line_and_key() {
    check(
        "window = \"1h\"",
        "window = \"an hour\"",
        "small.toml:29: key `quotas[0].window`: `an hour` is not a length of time",
    );
    check(
        "window = \"1h\"",
        "window = \"1h\"\nrequests = [\"pots\"]",
        "small.toml:30: key `quotas[0].requests`: there is no endpoint `pots`; did you mean `posts`?",
    );
    check(
        "window = \"1h\"",
        "window = \"1h\"\n[[quotas]]\nname = \"api\"\nscope = \"ip\"\nlimit = 1\nwindow = \"1s\"",
        "small.toml:31: key `quotas[1].name`: there is another quota `api`",
    );
    check(
        "status = [404, 410]",
        "status = \"4x\"",
        "small.toml:32: key `outcomes[0].status`: `4x` is not a range of statuses",
    );
    check("status = [404, 410]\n", "", "small.toml:30: key `outcomes[0]`: a rule needs at least one of");
    check(
        "[[outcomes]]",
        "[[limits]]\nreset = \"x-reset\"\n[[outcomes]]",
        "small.toml:31: key `limits[0].reset`: `x-reset` is no place",
    );
    check("(?P<id>\\w+)'", "(?P<id>\\w+'", "small.toml:34: key `references[0].pattern`: ");
}

#[test]
fn a_list_beside_is_checked() {
    let beside = |rule: &str| format!("author = {{ at = \"/author\", beside = {{ {rule} }} }}");
    let place = "small.toml:19: key `mappings.post.author.beside";
    for (rule, expected) in [
        ("at = \"users\", value = \"/name\"", format!("{place}.at`: `users` is not a JSON pointer")),
        ("at = \"/users\", value = \"name\"", format!("{place}.value`: `name` is not a JSON pointer")),
        (
            "at = \"/users\", value = \"/name\", when = { at = \"/a\", matches = \"(\" }",
            format!("{place}.when.matches`: `(` is not a regular expression"),
        ),
    ] {
        check("author = \"/author\"", &beside(rule), &expected);
    }
}

#[test]
fn all_problems_are_told_at_once() {
    let bad = SOUND
        .replace("\"1h\"", "\"x\"")
        .replace("[404, 410]", "\"y\"")
        .replace("link = \"posts\"", "link = \"z\"");
    let error = Definition::parse("small.toml", &bad).unwrap_err();
    assert_eq!(error.problems.len(), 3, "{error}");
}

#[test]
fn shipped_definitions_are_sound() {
    for (file, text) in crate::networks::SHIPPED {
        let definition = Definition::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
        for network in definition.family() {
            let connector = crate::DefinedConnector::new(&network).unwrap();
            let robots =
                freshet_types::Connector::endpoints(&connector).iter().filter(|one| one.robot.is_some());
            assert!(robots.count() > 0, "{} has something to visit", network.name);
        }
    }
}

#[test]
fn a_variant_has_its_own_endpoints_under_the_usual_names() {
    let bluesky = Definition::parse("b", include_str!("../../../../networks/bluesky.toml")).unwrap();
    let pds = &bluesky.family()[1];
    assert_eq!((pds.name.as_str(), pds.schema().network.as_str()), ("bluesky-pds", "bluesky-pds"));
    assert_eq!(pds.base_on(Some("pds.example")).as_deref(), Some("https://pds.example"));
    assert_eq!(bluesky.base_on(None).as_deref(), Some("https://public.api.bsky.app"));
    let connector = crate::DefinedConnector::new(pds).unwrap();
    let names: Vec<_> =
        freshet_types::Connector::endpoints(&connector).iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["account", "following", "lookup", "post", "posts", "records", "reposts"]);
}

/// Run with `FRESHET_BLESS=1` to write the schema anew.
#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../networks/schema.json");
    let schema = format!("{}\n", serde_json::to_string_pretty(&json_schema()).unwrap());
    #[expect(clippy::disallowed_methods, reason = "a developer's switch, read by this test only")]
    if std::env::var("FRESHET_BLESS").is_ok() {
        std::fs::write(&path, &schema).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == schema, "networks/schema.json is out of date; run this test with FRESHET_BLESS=1");
}
