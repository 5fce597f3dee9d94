//! Paging styles a to j, newer-than styles, and the guard against other hosts.

use super::*;

/// Two posts: ids 20 and 10, posted at 200 and 100.
const PAGE: &str = r#"{"items": [{"id": "20", "at": 200}, {"id": 10, "at": 100}]"#;

/// A first page with `tail` in its body goes on at `cursor`, which is asked for by `url`.
fn check_paging(paging: &str, headers: &[(&str, &str)], tail: &str, cursor: Option<&str>, url: &str) {
    let extra = format!("paging = {paging}\n");
    let page = read(&extra, &Intent::First, &response(200, headers, &format!("{PAGE}{tail}}}")));
    assert_eq!(page.next.as_deref(), cursor, "{paging} {tail}: {:?}", page.complaints);
    assert_eq!(page.observation.posts.len(), 2, "{paging}");
    if let Some(cursor) = cursor {
        assert_eq!(ask(&extra, &Intent::Next(cursor.to_owned())).url, url, "{paging}");
    }
}

#[test]
fn servers_without_cursors_count_pages() {
    let paging = r#"{ style = "cursor", param = "page_cursor", at = "/next", page = "page" }"#;
    let url = |query: &str| format!("https://net.example/list/ada?{query}");
    check_paging(paging, &[], r#", "next": "P7""#, Some("P7"), &url("page_cursor=P7"));
    check_paging(paging, &[], "", Some("#2"), &url("page=2"));
    let extra = format!("paging = {paging}\n");
    let full = response(200, &[], &format!("{PAGE}}}"));
    assert_eq!(read(&extra, &Intent::Next("#2".to_owned()), &full).next.as_deref(), Some("#3"));
    let empty = response(200, &[], r#"{"items": []}"#);
    assert_eq!(read(&extra, &Intent::Next("#3".to_owned()), &empty).next, None, "an empty page is the last");
}

#[test]
fn ids_links_and_cursors_go_on() {
    // (a) id bounds; exclusive, and inclusive as Weibo's
    check_paging(
        r#"{ style = "id_bound", param = "max_id" }"#,
        &[],
        "",
        Some("10"),
        "https://net.example/list/ada?max_id=10",
    );
    check_paging(
        r#"{ style = "id_bound", param = "max_id", is_inclusive = true }"#,
        &[],
        "",
        Some("9"),
        "https://net.example/list/ada?max_id=9",
    );
    // (b) Link header only
    let link = [(
        "link",
        "<https://net.example/list/ada?max_id=7>; rel=\"next\", <https://net.example/x>; rel=\"prev\"",
    )];
    check_paging(
        r#"{ style = "link" }"#,
        &link,
        "",
        Some("https://net.example/list/ada?max_id=7"),
        "https://net.example/list/ada?max_id=7",
    );
    check_paging(r#"{ style = "link" }"#, &[], "", None, "");
    // (c) opaque cursor in the body; (d) Reddit's `after`; an end that is a number
    check_paging(
        r#"{ style = "cursor", param = "cursor", at = "/cursor" }"#,
        &[],
        r#", "cursor": "a b""#,
        Some("a b"),
        "https://net.example/list/ada?cursor=a%20b",
    );
    check_paging(r#"{ style = "cursor", param = "cursor", at = "/cursor" }"#, &[], "", None, "");
    check_paging(
        r#"{ style = "cursor", param = "after", at = "/data/after" }"#,
        &[],
        r#", "data": {"after": "t3_x"}"#,
        Some("t3_x"),
        "https://net.example/list/ada?after=t3_x",
    );
    check_paging(
        r#"{ style = "cursor", param = "after", at = "/data/after" }"#,
        &[],
        r#", "data": {"after": null}"#,
        None,
        "",
    );
    check_paging(
        r#"{ style = "cursor", param = "cursor", at = "/next_cursor", end = "0" }"#,
        &[],
        r#", "next_cursor": 0"#,
        None,
        "",
    );
}

#[test]
fn pages_and_offsets_go_on() {
    // (e) page numbers: by a flag, by a count, by a full page
    check_paging(
        r#"{ style = "page", param = "page", more = "/has_more" }"#,
        &[],
        r#", "has_more": true"#,
        Some("2"),
        "https://net.example/list/ada?page=2",
    );
    check_paging(
        r#"{ style = "page", param = "page", more = "/has_more" }"#,
        &[],
        r#", "has_more": false"#,
        None,
        "",
    );
    check_paging(
        r#"{ style = "page", param = "page", count = "/pages" }"#,
        &[],
        r#", "pages": 2"#,
        Some("2"),
        "https://net.example/list/ada?page=2",
    );
    check_paging(r#"{ style = "page", param = "page", count = "/pages" }"#, &[], r#", "pages": 1"#, None, "");
    check_paging(
        r#"{ style = "page", param = "page", count = "/pages" }"#,
        &[],
        r#", "pages": 18446744073709551615"#,
        Some("2"),
        "https://net.example/list/ada?page=2",
    );
    check_paging(
        r#"{ style = "page", param = "page", first = 0 }"#,
        &[],
        "",
        Some("1"),
        "https://net.example/list/ada?page=1",
    );
    // (f) offset
    check_paging(
        r#"{ style = "offset", param = "page[offset]" }"#,
        &[],
        "",
        Some("2"),
        "https://net.example/list/ada?page[offset]=2",
    );
}

#[test]
fn times_and_urls_go_on() {
    // (g) time bounds, in every writing
    check_paging(
        r#"{ style = "time_bound", param = "until" }"#,
        &[],
        "",
        Some("100"),
        "https://net.example/list/ada?until=100",
    );
    check_paging(
        r#"{ style = "time_bound", param = "until", format = "epoch_ms" }"#,
        &[],
        "",
        Some("100000"),
        "https://net.example/list/ada?until=100000",
    );
    check_paging(
        r#"{ style = "time_bound", param = "until", format = "iso8601" }"#,
        &[],
        "",
        Some("1970-01-01T00:01:40Z"),
        "https://net.example/list/ada?until=1970-01-01T00%3A01%3A40Z",
    );
    // (j) a whole URL in the body, absolute or not
    check_paging(
        r#"{ style = "url", at = "/paging/next" }"#,
        &[],
        r#", "paging": {"next": "https://net.example/p?after=x"}"#,
        Some("https://net.example/p?after=x"),
        "https://net.example/p?after=x",
    );
    check_paging(
        r#"{ style = "url", at = "/next" }"#,
        &[],
        r#", "next": "/p?before=1""#,
        Some("https://net.example/p?before=1"),
        "https://net.example/p?before=1",
    );
    check_paging(r#"{ style = "none" }"#, &[], "", None, "");
}

#[test]
fn lists_end_as_their_networks_say() {
    let one = r#"{"items": [{"id": "20", "at": 200}]}"#;
    let prev = [("link", "<https://net.example/x>; rel=\"prev\"")];
    for (ends, headers, body, goes_on) in [
        ("empty", &[][..], one, true),
        ("empty", &[][..], r#"{"items": []}"#, false),
        ("short", &[][..], one, false),
        ("no_link", &prev[..], one, false),
        ("no_link", &[][..], one, true),
    ] {
        let extra = format!("paging = {{ style = \"id_bound\", param = \"max_id\", ends = \"{ends}\" }}\n");
        let page = read(&extra, &Intent::First, &response(200, headers, body));
        assert_eq!(page.next.is_some(), goes_on, "{ends} {headers:?} {body}");
    }
}

#[test]
fn ids_first_then_members() {
    // (h) ids first
    let extra = "members = { at = \"/kids\", endpoint = \"item\" }\n";
    let page = read(extra, &Intent::First, &response(200, &[], r#"{"items": [], "kids": [3, "2", 1]}"#));
    assert_eq!(page.members, ["3", "2", "1"]);
    let intent = Intent::Members(vec!["3".into()]);
    assert_eq!(ask(extra, &intent).url, "https://net.example/item/3");
    let page = read(extra, &intent, &response(200, &[], r#"{"id": 3, "at": 5}"#));
    assert_eq!((page.kind, page.observation.posts[0].id.as_str()), (PageKind::Posts, "3"));
    let batch = "members = { at = \"/kids\", endpoint = \"list\", batch = 20, param = \"post_ids[]\" }\n";
    let url = ask(batch, &Intent::Members(vec!["3".into(), "2".into()])).url;
    assert_eq!(url, "https://net.example/list/ada?post_ids[]=3&post_ids[]=2");
    let error = connector(extra)
        .ask(&target(&instance()), &Intent::Members(vec!["1".into(), "2".into()]))
        .unwrap_err();
    assert_eq!(error.to_string(), "`list` of `net` fetches 1 to 1 members at once, not 2");
}

#[test]
fn ids_are_counted_down_and_up() {
    // (i) enumeration
    let extra = "members = { endpoint = \"item\" }\npaging = { style = \"enumerate\", at = \"\" }\n";
    let enumerate = |intent: &Intent| {
        let page = read(extra, intent, &response(200, &[], "5"));
        (page.members, page.next)
    };
    let (members, next) = enumerate(&Intent::First);
    assert_eq!((members, next.as_deref()), (vec!["5".to_owned(), "4".into()], Some("3")));
    let (members, next) = enumerate(&Intent::Next("1".into()));
    assert_eq!((members, next), (vec!["1".to_owned()], None));
    let (members, next) = enumerate(&Intent::Newer(mark("2", 0)));
    assert_eq!(members, ["4", "3"]);
    let (members, next) = enumerate(&Intent::Next(next.unwrap()));
    assert_eq!((members, next), (vec!["5".to_owned()], None));
}

/// Newer than post 5 of time 50: asked by `url`; the page goes on at `next_url`.
fn check_newer(extra: &str, url: &str, body: &str, ids: &[&str], next_url: Option<&str>) {
    let newer = Intent::Newer(mark("5", 50));
    assert_eq!(ask(extra, &newer).url, url, "{extra}");
    let page = read(extra, &newer, &response(200, &[], body));
    let seen: Vec<_> = page.observation.posts.iter().map(|post| post.id.as_str()).collect();
    assert_eq!(seen, ids, "{extra}");
    let next = page.next.map(|cursor| ask(extra, &Intent::Next(cursor)).url);
    assert_eq!(next.as_deref(), next_url, "{extra}");
}

#[test]
fn every_newer_style_is_asked_for_and_goes_on() {
    let page = &format!("{PAGE}}}");
    let ascending = r#"{"items": [{"id": "10", "at": 100}, {"id": "20", "at": 200}], "cursor": "k20"}"#;
    // min_id: the page right above the mark, go on upwards
    check_newer(
        "paging = { style = \"id_bound\", param = \"max_id\" }\nnewer = { style = \"min_id\", param = \"min_id\" }\n",
        "https://net.example/list/ada?min_id=5",
        page,
        &["20", "10"],
        Some("https://net.example/list/ada?min_id=20"),
    );
    // since_id: the newest page with a floor, go on downwards with the same floor
    check_newer(
        "paging = { style = \"id_bound\", param = \"max_id\" }\nnewer = { style = \"since_id\", param = \"since_id\" }\n",
        "https://net.example/list/ada?since_id=5",
        page,
        &["20", "10"],
        Some("https://net.example/list/ada?since_id=5&max_id=10"),
    );
    // a time, in a parameter or inside a filter
    check_newer(
        "paging = { style = \"page\", param = \"page\" }\nnewer = { style = \"time\", param = \"fromdate\" }\n",
        "https://net.example/list/ada?fromdate=50",
        page,
        &["20", "10"],
        Some("https://net.example/list/ada?fromdate=50&page=2"),
    );
    check_newer(
        "newer = { style = \"time\", param = \"publishedAfter\", format = \"iso8601\" }\n",
        "https://net.example/list/ada?publishedAfter=1970-01-01T00%3A00%3A50Z",
        page,
        &["20", "10"],
        None,
    );
    check_newer(
        "newer = { style = \"time\", param = \"numericFilters\", value = \"created_at_i>{{ newer.at_s }}\" }\n",
        "https://net.example/list/ada?numericFilters=created_at_i%3E50",
        page,
        &["20", "10"],
        None,
    );
    // an ascending cursor: turned round, go on upwards
    check_newer(
        "paging = { style = \"cursor\", param = \"cursor\", at = \"/cursor\" }\nnewer = { style = \"ascending\", param = \"cursor\", query = { reverse = \"true\" } }\n",
        "https://net.example/list/ada?reverse=true&cursor=5",
        ascending,
        &["20", "10"],
        Some("https://net.example/list/ada?reverse=true&cursor=k20"),
    );
    // none
    let error = connector("").ask(&target(&instance()), &Intent::Newer(mark("5", 50))).unwrap_err();
    assert_eq!(error.to_string(), "`list` of `net` cannot be asked for newer posts only");
}

#[test]
fn a_next_page_on_another_host_is_refused() {
    let connector = connector("paging = { style = \"link\" }\n");
    for (cursor, answer) in [
        ("https://net.example/list/ada?x=1", Ok("https://net.example/list/ada?x=1")),
        ("http://net.example/list/ada?x=1", Ok("https://net.example/list/ada?x=1")),
        ("https://evil.example/list/ada", Err("another host")),
        ("https://net.example:8443/list", Err("another host")),
        ("https://net.example@evil.example/", Err("another host")),
        ("http://169.254.169.254/latest", Err("another host")),
        ("file:///etc/passwd", Err("another host")),
        ("//evil.example/", Err("another host")),
    ] {
        let request = connector.ask(&target(&instance()), &Intent::Next(cursor.to_owned()));
        match (request, answer) {
            (Ok(request), Ok(url)) => assert_eq!(request.url, url),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{cursor}: {error}"),
            (request, _) => panic!("{cursor}: {request:?}"),
        }
    }
}

/// A page whose list goes on without saying where is not at its end.
fn check_broken_off(paging: &str, body: &str, why: Option<&str>) {
    let page = read(&format!("paging = {paging}\n"), &Intent::First, &response(200, &[], body));
    assert_eq!(page.is_broken_off, why.is_some(), "{paging} {body}");
    assert_eq!(page.next, None, "{paging} {body}");
    let complaints: Vec<String> = page.complaints.iter().map(|one| one.what.clone()).collect();
    assert!(why.is_none_or(|why| complaints.iter().any(|what| what.contains(why))), "{body}: {complaints:?}");
}

#[test]
fn a_list_that_cannot_be_followed_is_not_at_its_end() {
    let inclusive = r#"{ style = "id_bound", param = "max_id", is_inclusive = true }"#;
    check_broken_off(inclusive, r#"{"items": [{"id": "x9", "at": 100}]}"#, Some("no number"));
    check_broken_off(inclusive, r#"{"items": [{"id": "0", "at": 100}]}"#, None);
    check_broken_off(inclusive, r#"{"items": []}"#, None);
    let timed = r#"{ style = "time_bound", param = "before", format = "epoch_s" }"#;
    check_broken_off(timed, r#"{"items": [{"id": "9", "at": 9}, {"id": "8"}]}"#, Some("has no time"));
}

#[test]
fn a_page_of_which_nothing_can_be_read_is_no_empty_page() {
    for (body, outcome) in [
        (r#"{"items": []}"#, Outcome::Ok),
        (r#"{"things": []}"#, Outcome::Unreadable),
        (r#"{"items": [{"at": 9}, {"at": 8}]}"#, Outcome::Unreadable),
        (r#"{"items": [{"at": 9}, {"id": "8", "at": 8}]}"#, Outcome::Ok),
    ] {
        let page = read("", &Intent::First, &response(200, &[], body));
        assert_eq!(page.outcome, outcome, "{body}");
    }
}

#[test]
fn an_answer_of_any_length_gives_a_bounded_page() {
    let items = vec![r#"{"id": 1, "at": 9}"#; 30_000].join(",");
    let page = read("", &Intent::First, &response(200, &[], &format!(r#"{{"items": [{items}]}}"#)));
    assert_eq!(page.observation.posts.len(), 20_000);
    assert!(page.is_broken_off && page.complaints.len() == 1, "{:?}", page.complaints);
}
