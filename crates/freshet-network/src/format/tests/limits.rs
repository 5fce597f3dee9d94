//! Bodies that hold more than anybody needs: what has room is read, the rest is counted.

use super::*;
use crate::format::room::{TEXT_BYTES_MAX, VALUES_MAX};

/// What is read of a body: its tree as JSON, and how many elements were left out.
fn parsed(format: BodyFormat, names: &[&str], body: &str) -> (Value, usize) {
    let mut keys = Keys::default();
    for name in names {
        keys.add(name);
    }
    if names.is_empty() {
        keys.keep_all();
    }
    let response = response("text/plain", body.as_bytes());
    let text = Text::new(&response, None);
    let parsed = parse(format, &keys, &text).unwrap_or_else(|why| panic!("{why}"));
    (Value::from(parsed.tree), parsed.left_out)
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(","))
}

#[test]
fn items_beyond_the_limit_are_counted_and_not_built() {
    let body = list(ITEMS_MAX + 7, |number| format!("{{\"id\":{number}}}"));
    let (tree, left_out) = parsed(BodyFormat::Json, &["id"], &body);
    assert_eq!((tree.as_array().unwrap().len(), left_out), (ITEMS_MAX, 7));
}

#[test]
fn an_item_in_which_the_room_runs_out_is_left_out_as_a_whole() {
    let item = |number: usize| format!("{{\"id\":{number},\"tags\":{}}}", list(50, |_| "1".to_owned()));
    let body = format!("{{\"items\":{},\"id\":1}}", list(ITEMS_MAX, item));
    for names in [&["id", "items", "tags"][..], &[]] {
        let (tree, left_out) = parsed(BodyFormat::Json, names, &body);
        let items = tree["items"].as_array().unwrap();
        // An item is 53 values: itself, its id, its list and what is in that.
        assert!(items.len() <= VALUES_MAX / 53 && items.len() > VALUES_MAX / 60, "{}", items.len());
        assert!(items.iter().all(|item| item["tags"].as_array().is_some_and(|tags| tags.len() == 50)));
        // The list of the last one lost some, too.
        assert!(left_out >= ITEMS_MAX - items.len(), "{left_out}");
    }
}

#[test]
fn a_text_beyond_the_limit_is_cut_at_a_letter() {
    let long = "é".repeat(TEXT_BYTES_MAX);
    for body in [format!("{{\"id\":\"x{long}\"}}"), format!("{{\"id\":\"\\u0078{long}\"}}")] {
        let (tree, _) = parsed(BodyFormat::Json, &["id"], &body);
        assert_eq!(tree["id"].as_str().map(str::len), Some(TEXT_BYTES_MAX - 1));
    }
}

#[test]
fn xml_beyond_the_limit_is_left_out() {
    let (tree, left_out) =
        parsed(BodyFormat::Xml, &[], &format!("<a><b/>{}<c>7</c></a>", "<b x='1'/>".repeat(200_000)));
    let kept = tree["a"]["b"].as_array().unwrap().len();
    assert!(kept < 60_000 && kept + left_out == 200_001, "{kept} {left_out}");
    assert_eq!(tree["a"]["c"], "7");
}

/// How many entries a feed has, and how many were left out.
fn check_feed_cut(body: &str, entries: usize, left_out: usize) {
    let (tree, left) = parsed(BodyFormat::Feed, &[], body);
    assert_eq!((tree["entries"].as_array().unwrap().len(), left), (entries, left_out), "{body:.60}");
    assert_eq!(tree["title"], "T", "{body:.60}");
}

/// Bodies that are made to cost a reader memory or time; each of them is read in one pass.
#[test]
fn feeds_beyond_the_limit_are_read_as_far_as_there_is_room() {
    let rss = |inside: &str| format!("<rss version='2.0'><channel><title>T</title>{inside}</channel></rss>");
    let items = |count: usize| {
        (0..count).map(|it| format!("<item><guid>{it}</guid></item>")).collect::<Vec<_>>().concat()
    };
    check_feed_cut(&rss(&items(50)), 50, 0);
    check_feed_cut(&rss(&items(ITEMS_MAX + 5)), ITEMS_MAX, 5);
    // Blank ones count until there is no more room, and hold nothing.
    check_feed_cut(&rss(&"<item/>".repeat(1_000_000)), 0, 1_000_000 - ITEMS_MAX);
    let many = format!("<item><guid>m</guid>{}</item>", "<category>c</category>".repeat(300_000));
    check_feed_cut(&rss(&format!("{}{many}", items(2))), 3, 0);
    let attributes = (0..1_000_000).map(|number| format!(" a{number}=''")).collect::<Vec<_>>().concat();
    check_feed_cut(&rss(&format!("{}<item><guid>m</guid><b{attributes}/></item>", items(2))), 3, 0);
    let deep = format!("{}{}", "<b>".repeat(100_000), "</b>".repeat(100_000));
    check_feed_cut(&rss(&format!("{}<item><guid>m</guid>{deep}</item>", items(2))), 3, 0);
    let spaces = (0..100_000).map(|it| format!("<x:b xmlns:x{it}='{it}'>")).collect::<Vec<_>>().concat();
    check_feed_cut(&rss(&format!("{}<item><guid>m</guid>{spaces}</item>", items(2))), 3, 0);
    let entries =
        (0..ITEMS_MAX + 3).map(|it| format!("<entry><id>{it}</id></entry>")).collect::<Vec<_>>().concat();
    check_feed_cut(
        &format!("<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>{entries}</feed>"),
        ITEMS_MAX,
        3,
    );
}

/// A reader that looks for the end of each of these from where it begins never ends.
#[test]
fn what_never_ends_is_looked_for_once() {
    let feed = "<rss version='2.0'><channel><title>T</title><item><guid>1</guid>";
    for piece in [
        "<",
        "<!--",
        "<![CDATA[",
        "<![",
        "<?x",
        "<a ",
        "<a b='",
        "</",
        "&",
        "&#",
        "<item ",
        "<item>",
        "<![x>",
        "<a b='>'",
    ] {
        let body = format!("{feed}{}", piece.repeat(1_000_000 / piece.len()));
        let (tree, _) = parsed(BodyFormat::Feed, &[], &body);
        assert_eq!(tree["title"], "T", "{piece}");
    }
}

/// Every item gets one author of the feed, and not all.
#[test]
fn a_json_feed_is_read_in_the_same_bounds() {
    let feed =
        |rest: &str| format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"T\",{rest}}}");
    let items = list(ITEMS_MAX + 9, |number| format!("{{\"id\":{number}}}"));
    check_feed_cut(&feed(&format!("\"items\":{items}")), ITEMS_MAX, 9);
    let authors = list(10_000, |number| format!("{{\"name\":\"n{number}\"}}"));
    let (tree, _) = parsed(BodyFormat::Feed, &[], &feed(&format!("\"authors\":{authors},\"items\":{items}")));
    assert_eq!((&tree["entries"][5]["author"], &tree["entries"][5]["id"]), (&json!("n0"), &json!("5")));
    let item = r#""items":[{"url":"https://a.example/1","content_html":" <p>h</p> ","content_text":"h","tags":["x",7],
        "date_published":"2026-11-15T10:00:00Z","author":{"name":"Ada"}},{"content_text":"only"}]"#;
    let (tree, _) = parsed(BodyFormat::Feed, &[], &feed(item));
    let expected = json!({"media": [], "text": "<p>h</p>", "tags": ["x", "7"], "id": "https://a.example/1", "author": "Ada",
        "link": "https://a.example/1", "summary": "h", "content": "<p>h</p>", "published": 1_794_736_800_000_i64});
    assert_eq!(tree["entries"][0], expected);
    assert!(tree["entries"][1]["id"].as_str().unwrap().starts_with("hash:"));
}

#[test]
fn an_author_with_an_address_behind_a_wide_letter_is_read() {
    let body = "<rss version='2.0'><channel><title>T</title><managingEditor>long name €a@b.example</managingEditor>\
                <item><guid>1</guid><author>a@b.example (Zoë)</author></item></channel></rss>";
    let (tree, _) = parsed(BodyFormat::Feed, &[], body);
    assert_eq!(tree["entries"][0]["author"], "Zoë");
}
