//! Links into other networks: evidence, confidence, values, and what a look would have shown.

use freshet_types::{CrossLink, LinkKind};

use super::*;

const EXTRA: &str = r#"
[types.person]
sclinks = { twin = "video/account" }
scolinks = { sites = "web/page" }
splinks = { viewers = "int", joined = "time", title = "text" }
[mappings.person]
kind = "object"
type = "person"
id = "/id"
splinks = [
  { link = "viewers", in = "/bio", pattern = '@(\w+) has ([\d,]+) viewers', to = "video/account/$1", value = "$2", confidence = 0.3 },
  { link = "joined", in = "/bio", pattern = '@(\w+) since (\d{4}-\d\d-\d\d)', to = "video/account/$1", value = "$2" },
  { link = "title", in = "/card/url", pattern = 'video\.example/(\d+)', to = "video/clip/$1", value_in = ["/card/title", "/card/name"] },
]
[[mappings.person.hints]]
link = "sites"
in = { at = "/fields", each = "/value", where = "/verified" }
pattern = '(https?://[^"\s<]+)'
to = "web/page/$1"
confidence = 0.97
[[mappings.person.hints]]
link = "sites"
in = ["/bio", "/about"]
pattern = '(https?://[^"\s<]+)'
to = "web/page/$1"
[[mappings.person.hints]]
link = "twin"
in = "/bio"
pattern = '@(\w+)'
to = "video/account/$1"
[endpoints.person]
url = "/person"
kind = "other"
root = "account"
items = [{ mapping = "person" }]
"#;

/// The links of an item, and the names of those that it would have shown.
fn check(item: &str, links: &[&str], seen: &str) {
    let (connector, instance) = (connector(EXTRA), instance());
    let target = Target { endpoint: "person", ..target(&instance) };
    let page = connector.read(&target, &Intent::First, &response(200, &[], item), now());
    assert_eq!(page.complaints, [], "{item}");
    let person = &page.observation.things[0];
    let shown = |it: &CrossLink| {
        let value = it.value.as_ref().map_or(String::new(), |value| format!(" = {value:?}"));
        let Evidence { place, text } = &it.evidence;
        format!("{} {:?} {}{value} ({place}: {text})", it.name, it.confidence, it.target)
    };
    assert_eq!(person.slinks.iter().map(shown).collect::<Vec<_>>(), links, "{item}");
    let names: Vec<&str> = person.slinks_seen.iter().map(|name| &**name).collect();
    assert_eq!(names.join(" "), seen, "{item}");
    let is_value = |it: &CrossLink| (it.kind == LinkKind::Sp) == it.value.is_some();
    assert!(person.slinks.iter().all(is_value), "{item}");
}

#[test]
fn the_surest_of_several_places_speaks_for_a_link() {
    check(
        r#"{"id": 1, "bio": "https://a.example https://b.example", "fields": [
            {"value": "<a href=\"https://a.example\">", "verified": "2026"}, {"value": "https://c.example"}]}"#,
        &[
            "sites 0.97 web/page/https://a.example (/fields: https://a.example)",
            "sites 0.5 web/page/https://b.example (/bio: https://b.example)",
        ],
        "sites twin viewers joined",
    );
}

#[test]
fn a_value_of_another_network_is_read_with_whose_it_is() {
    check(
        r#"{"id": 1, "bio": "@ada has 12,345 viewers, @ada since 2020-01-01"}"#,
        &[
            "twin 0.5 video/account/ada (/bio: @ada)",
            "viewers 0.3 video/account/ada = Int(12345) (/bio: @ada has 12,345 viewers)",
            "joined 0.5 video/account/ada = Int(1577836800000) (/bio: @ada since 2020-01-01)",
        ],
        "twin viewers joined",
    );
    check(
        r#"{"id": 1, "bio": "@ada has 99999999999999999999 viewers"}"#,
        &["twin 0.5 video/account/ada (/bio: @ada)"],
        "twin viewers joined",
    );
}

#[test]
fn a_value_may_stand_beside_the_pointer() {
    let card = |rest: &str| format!(r#"{{"id": 1, "card": {{"url": "https://video.example/7"{rest}}}}}"#);
    let title = r#"title 0.5 video/clip/7 = Text("A walk") (/card/url: video.example/7)"#;
    check(&card(r#", "title": " A walk ""#), &[title], "title");
    check(&card(r#", "name": "A walk""#), &[title], "title");
    for nothing in ["", r#", "title": """#, r#", "title": null"#, r#", "title": {}"#] {
        check(&card(nothing), &[], "title");
    }
    let long = "é".repeat(1000);
    let kept = format!(r#"title 0.5 video/clip/7 = Text("{}") (/card/url: video.example/7)"#, &long[..1000]);
    check(&card(&format!(r#", "title": "{long}""#)), &[&kept], "title");
}

#[test]
fn a_look_says_which_links_it_would_have_shown() {
    check(r#"{"id": 1}"#, &[], "");
    check(r#"{"id": 1, "bio": null, "fields": []}"#, &[], "");
    check(r#"{"id": 1, "bio": ""}"#, &[], "twin viewers joined");
    check(r#"{"id": 1, "about": "", "fields": []}"#, &[], "sites");
}

#[test]
fn sp_links_need_a_declared_link_and_a_value() {
    for (from, to, expected) in [
        ("link = \"viewers\", in", "link = \"watchers\", in", "declares no sp-link `watchers`"),
        ("value = \"$2\", confidence", "confidence", "`mappings.person.splinks[0].value`: a value is needed"),
        ("confidence = 0.3", "confidence = 3", "a confidence is a number from 0 to 1"),
        ("confidence = 0.97", "value = \"1\"", "only `splinks` state values"),
        ("confidence = 0.97", "value_in = \"/name\"", "only `splinks` state values"),
        ("value_in = [", "value = \"$1\", value_in = [", "`value` already; take one away"),
        ("value_in = [\"/card/title\", \"/card/name\"]", "confidence = 0.4", "or `value_in` with the field"),
        ("link = \"twin\"\nin", "link = \"viewers\"\nin", "declares no sc- or sco-link `viewers`"),
    ] {
        assert!(EXTRA.contains(from), "`{from}` is not there");
        let error = Definition::parse("net.toml", &format!("{HEAD}{}", EXTRA.replace(from, to))).unwrap_err();
        assert!(error.to_string().contains(expected), "{to}: {error}");
    }
}
