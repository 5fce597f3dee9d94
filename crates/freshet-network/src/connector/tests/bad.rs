//! Bad input: each case costs one record, or one value of it, is said once with a sample, and leaves the rest of the page.

use super::*;

const EXTRA: &str = r#"
[mappings.full]
kind = "post"
id = "/id"
created_at = "/at"
edited_at = "/edited"
author = "/by"
text = "/text"
reply_to = "/re"
tags = { at = "/tags", each = "/name" }
plinks = { title = { at = "/visibility", known = ["public", "private"] }, score = "/likes", rate = "/score", seen = "/open" }
[endpoints.full]
url = "/full"
kind = "posts"
root = "account"
items = [{ at = "/items", mapping = "full" }]
[mappings.person]
kind = "account"
id = "/id"
handle = "/handle"
followers_count = "/followers"
created_at = "/at"
[endpoints.people]
url = "/people"
kind = "accounts"
root = "account"
items = [{ at = "/items", mapping = "person" }]
"#;

fn page(endpoint: &str, body: &str) -> Page {
    let (connector, instance) = (connector(EXTRA), instance());
    let target = Target { endpoint, ..target(&instance) };
    connector.read(&target, &Intent::First, &response(200, &[], body), now())
}

/// Puts a bad item between two good ones: what is said of it, its sample, and whether it is kept.
fn check(item: &str, what: &str, is_kept: bool) {
    let body = format!(r#"{{"items": [{{"id": 1, "at": 10}}, {item}, {{"id": 3, "at": 30}}]}}"#);
    let page = page("full", &body);
    let ids: Vec<_> = page.observation.posts.iter().map(|post| post.id.as_str()).collect();
    assert_eq!(
        (ids.first(), ids.last(), ids.len()),
        (Some(&"1"), Some(&"3"), 2 + usize::from(is_kept)),
        "{item}"
    );
    assert_eq!(page.outcome, Outcome::Ok, "{item}");
    let said: Vec<_> = page.complaints.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(said, [what], "{item}");
    let complaint = &page.complaints[0];
    assert_eq!(complaint.place, "/items/1", "{item}");
    let bare = |text: &str| text.replace(' ', "");
    assert!(
        !complaint.sample.is_empty() && bare(item).starts_with(&bare(&complaint.sample)[..4]),
        "{complaint:?}"
    );
}

#[test]
fn one_bad_record_is_one_complaint_and_the_rest_is_kept() {
    check("[1, 2]", "the item has no id", false);
    check("\"text\"", "the item has no id", false);
    check(r#"{"at": 20}"#, "the item has no id", false);
    check(r#"{"id": {"a": 1}}"#, "the item has no id", false);
    check(r#"{"id": 36893488147419103233}"#, "the id is a number too large to be exact", false);
    check(r#"{"id": 2, "at": "soon"}"#, "`\"soon\"` is not a time that is understood", true);
    check(r#"{"id": 2, "at": {"s": 1}}"#, "`{}` is not a time that is understood", true);
    check(
        r#"{"id": 2, "at": "9999-12-31T23:59:59Z"}"#,
        "it claims to be of `253402300799000 ms since 1970`, which is to come",
        true,
    );
    check(
        r#"{"id": 2, "at": 20, "edited": 99999999}"#,
        "it claims to be of `1973-03-03T09:46:39Z`, which is to come",
        true,
    );
    check(r#"{"id": 2, "at": "12026-01-01"}"#, "`\"12026-01-01\"` is not a time that is understood", true);
    check(
        r#"{"id": 2, "at": 20, "text": ["a"]}"#,
        "there is no text where `text` should be, but a structure",
        true,
    );
    check(
        r#"{"id": 2, "at": 20, "by": {"id": 1}}"#,
        "there is no text where `author` should be, but a structure",
        true,
    );
    check(r#"{"id": 2, "at": 20, "re": 2}"#, "it answers or repeats itself", true);
    check(r#"{"id": 2, "at": 20, "visibility": "odd"}"#, "`odd` is no value of `title` that is known", true);
    check(r#"{"id": 2, "at": 20, "visibility": {"a": 1}}"#, "there is no text where `title` should be", true);
    check(r#"{"id": 2, "at": 20, "likes": "many"}"#, "there is no number where `score` should be", true);
    check(r#"{"id": 2, "at": 20, "likes": [3]}"#, "there is no number where `score` should be", true);
    check(r#"{"id": 2, "at": 20, "score": true}"#, "there is no number where `rate` should be", true);
    check(
        r#"{"id": 2, "at": 20, "open": "soon"}"#,
        "there is no time that is understood where `seen` should be",
        true,
    );
    check(r#"{"id": 2, "at": 20, "tags": "river"}"#, "there is no list where `tags` should be", true);
    check(r#"{"id": true, "at": 20}"#, "the id is true or false", false);
}

/// What looks odd and is not: such records are used as they are.
#[test]
fn what_can_be_used_is_no_complaint() {
    for item in [
        r#"{"id": 18446744073709551615, "at": 20}"#,
        r#"{"id": "99999999999999999999999999", "at": 20}"#,
        r#"{"id": 2, "at": 20, "text": 7, "by": 12}"#,
        r#"{"id": 2}"#,
        r#"{"id": 2, "at": "", "text": null, "re": null, "visibility": "public"}"#,
        r#"{"id": 2, "at": false, "unknown": [{"a": {}}]}"#,
        r#"{"id": 2, "likes": "", "score": false, "open": null, "visibility": [], "tags": []}"#,
        r#"{"id": 2, "likes": "12", "score": "1.5", "open": 30, "tags": [{"name": "a"}, 3]}"#,
    ] {
        let page = page("full", &format!(r#"{{"items": [{item}]}}"#));
        assert_eq!((page.observation.posts.len(), page.complaints), (1, vec![]), "{item}");
    }
}

#[test]
fn counts_and_names_of_accounts_are_what_they_claim() {
    let body = r#"{"items": [{"id": 1, "followers": "many"}, {"id": 2, "handle": {}}, {"id": 3, "followers": "12", "at": 99999999}]}"#;
    let page = page("people", body);
    let said: Vec<_> = page.complaints.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(
        said,
        [
            "there is no number where `followers_count` should be",
            "there is no text where `handle` should be, but a structure",
            "it claims to be of `1973-03-03T09:46:39Z`, which is to come",
        ]
    );
    let accounts = &page.observation.accounts;
    assert_eq!((accounts.len(), accounts[2].followers_count), (3, Some(12)));
}

#[test]
fn circles_of_answers_are_cut() {
    for (answers, cut) in [
        (&[("1", "2"), ("2", "3"), ("3", "1"), ("4", "1")][..], 1),
        (&[("1", "2"), ("2", "1"), ("3", "4"), ("4", "3")], 2),
        (&[("1", "2"), ("2", "3"), ("4", "3")], 0),
    ] {
        let items: Vec<_> =
            answers.iter().map(|(id, re)| format!(r#"{{"id": "{id}", "re": "{re}"}}"#)).collect();
        let page = page("full", &format!(r#"{{"items": [{}]}}"#, items.join(",")));
        let is_open = page.observation.posts.iter().filter(|post| post.reply_to.is_none()).count();
        assert_eq!((is_open, page.complaints.len(), page.observation.posts.len()), (cut, cut, answers.len()));
        assert!(page.complaints.iter().all(|one| one.what.contains("circle")), "{answers:?}");
    }
}

/// A whole answer of another shape is a complaint with its beginning, and no loss of what is known.
#[test]
fn answers_of_the_wrong_shape_are_shown_as_they_begin() {
    for (body, outcome, said, shown) in [
        ("<html>Please log in</html>", Outcome::Transient, "the body is not JSON", "<html>Please"),
        ("", Outcome::Transient, "the body is empty", ""),
        (r#"{"error": "no"}"#, Outcome::Unreadable, "there is nothing at the place", ""),
        (r#"{"items": "none"}"#, Outcome::Unreadable, "the item has no id", "\"none\""),
        ("null", Outcome::Unreadable, "the body is `null`", ""),
        (r#"{"items": {"id": null}}"#, Outcome::Unreadable, "the item has no id", "{\"id\":null}"),
    ] {
        let page = page("full", body);
        assert_eq!((page.outcome, page.complaints.len()), (outcome, 1), "{body}");
        let complaint = &page.complaints[0];
        assert!(complaint.what.starts_with(said), "{body}: {complaint:?}");
        assert!(complaint.sample.starts_with(shown), "{body}: {complaint:?}");
        assert_eq!(complaint.sample.is_empty(), shown.is_empty(), "{body}: {complaint:?}");
    }
}
