//! One list that shows the posts of many roots.

use super::*;

/// A list of which three at most can be read as one.
const MERGED: &str = r#"robot = "status"
merged = { endpoint = "together", group = 3, param = "any[]", root = "jq:.tags[].name" }
[endpoints.together]
url = "/together/{{ root | urlencode }}"
kind = "posts"
root = "account"
page_size = 2
items = [{ at = "/items", mapping = "post" }]
paging = { style = "id_bound", param = "max_id", ends = "short" }
"#;

fn group(ids: &[&str]) -> Intent {
    Intent::Group(ids.iter().map(|id| (*id).to_owned()).collect())
}

/// Whose each post of an answer is, and whether the list goes on below.
fn check(body: &str, expected: &[(&str, &str)], goes_on: bool) {
    let page = read(MERGED, &group(&["ada", "bob"]), &response(200, &[], body));
    let shares: Vec<_> = page.shares.iter().map(|share| (&*share.root, &*share.post)).collect();
    assert_eq!((shares.as_slice(), page.next.is_some()), (expected, goes_on), "{body}");
    assert_eq!(page.kind, PageKind::Posts);
}

#[test]
fn a_merged_page_says_whose_each_post_is_and_whether_it_ends() {
    let connector = connector(MERGED);
    let asks = connector.endpoint("list").unwrap().group;
    assert_eq!((asks.roots_max, asks.posts_max), (3, 2));
    let url = ask(MERGED, &group(&["ada", "b b"])).url;
    assert_eq!(url, "https://net.example/together/ada?any[]=ada&any[]=b%20b");
    let both = r#"{"items": [{"id": "9", "at": 9, "tags": [{"name": "ada"}, {"name": "bob"}]}, {"id": "8", "at": 8, "tags": [{"name": "bob"}]}]}"#;
    check(both, &[("ada", "9"), ("bob", "9"), ("bob", "8")], true);
    check(r#"{"items": [{"id": 9, "at": 9, "tags": [{"name": "ada"}]}]}"#, &[("ada", "9")], false);
    // Without an id, without roots, of the wrong shape.
    check(r#"{"items": [{"at": 9, "tags": [{"name": "ada"}]}, {"id": "7", "at": 7}]}"#, &[], true);
    check(r#"{"items": []}"#, &[], false);
}

#[test]
fn what_makes_no_merged_list_is_refused_with_its_key() {
    for (from, to, expected) in [
        ("group = 3", "group = 0", "`endpoints.list.merged.group`: a request names 2 to 1000 roots at once"),
        ("\"together\", group", "\"item\", group", "`item` does not list posts, the newest first"),
        ("page_size = 2\nitems", "page_size = 2\norder = \"oldest_first\"\nitems", "the newest first"),
        ("robot = \"status\"\n", "", "only lists that the robot `status` visits are asked about in groups"),
        (
            "[endpoints.together]",
            "probe = { endpoint = \"together\", group = 3, pulse = \"/id\" }\n[endpoints.together]",
            "a list has a `probe` or is `merged`, not both",
        ),
    ] {
        let text = format!("{HEAD}{}", MERGED.replace(from, to));
        let error = Definition::parse("net.toml", &text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
