//! One request that tells which of many roots have news.

use super::*;

/// A list that is asked about in groups of three at most.
const PROBE: &str = r#"robot = "status"
probe = { endpoint = "several", group = 3, param = "id[]", pulse = "/posts", seen = "/owner/posts" }
[endpoints.several]
url = "/several"
kind = "accounts"
root = "account"
items = [{ at = "/accounts", mapping = "account" }]
"#;

fn probe(ids: &[&str]) -> Intent {
    Intent::Group(ids.iter().map(|id| (*id).to_owned()).collect())
}

/// What an answer to a question shows of each root.
fn check(intent: &Intent, body: &str, expected: &[(&str, &str)]) {
    let page = read(PROBE, intent, &response(200, &[], body));
    let pulses: Vec<_> = page.pulses.iter().map(|pulse| (&*pulse.root, &*pulse.value)).collect();
    assert_eq!(pulses, expected, "{body}");
}

#[test]
fn a_probe_names_its_roots_and_shows_their_pulses() {
    let connector = connector(PROBE);
    assert_eq!(connector.endpoint("list").unwrap().group.roots_max, 3);
    assert_eq!(ask(PROBE, &probe(&["7", "a b"])).url, "https://net.example/several?id[]=7&id[]=a%20b");
    let refused = |intent: &Intent| connector.ask(&target(&instance()), intent).unwrap_err().to_string();
    let many = refused(&probe(&["1", "2", "3", "4"]));
    assert_eq!(many, "`list` of `net` is asked about 1 to 3 roots at once, not 4");
    assert!(refused(&probe(&[])).contains("not 0"));
    let accounts = r#"{"accounts": [{"id": "7", "posts": 42}, {"id": 8, "posts": "x9"}]}"#;
    check(&probe(&["7", "8"]), accounts, &[("7", "42"), ("8", "x9")]);
    // Without an id or a pulse, of the wrong shape, more than were asked for.
    check(&probe(&["7"]), r#"{"accounts": [{"posts": 1}, {"id": "8"}, 5, {"id": "9", "posts": {}}]}"#, &[]);
    check(&probe(&["7"]), r#"{"accounts": {}}"#, &[]);
    let same = r#"{"accounts": [{"id": 1, "posts": 1}, {"id": 2, "posts": 1}, {"id": 3, "posts": 1}, {"id": 4, "posts": 1}]}"#;
    check(&probe(&["1", "2", "3"]), same, &[("1", "1"), ("2", "1"), ("3", "1")]);
}

#[test]
fn the_list_itself_may_show_the_pulse() {
    check(&Intent::First, r#"{"items": [], "owner": {"posts": 43}}"#, &[("ada", "43")]);
    check(&Intent::First, r#"{"items": []}"#, &[]);
    check(&Intent::Next("=2".to_owned()), r#"{"items": [], "owner": {"posts": 43}}"#, &[]);
}

#[test]
fn what_makes_no_probe_is_refused_with_its_key() {
    for (from, to, expected) in [
        ("group = 3", "group = 1", "`endpoints.list.probe.group`: a request names 2 to 1000 roots at once"),
        ("\"several\", group", "\"severl\", group", "there is no endpoint `severl`; did you mean `several`?"),
        ("robot = \"status\"\n", "", "only lists that the robot `status` visits are asked about in groups"),
        ("pulse = \"/posts\"", "pulse = \"posts\"", "`posts` is not a JSON pointer"),
    ] {
        let text = format!("{HEAD}{}", PROBE.replace(from, to));
        let error = Definition::parse("net.toml", &text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
