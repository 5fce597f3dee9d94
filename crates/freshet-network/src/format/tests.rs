//! Bodies in many encodings and formats, through one check each.

use freshet_types::{Response, Timestamp};
use serde_json::{Value, json};

use super::*;

mod html;
mod limits;

fn read(
    format: BodyFormat,
    declared: Option<&'static Encoding>,
    response: &Response,
) -> Result<Value, String> {
    let mut keys = Keys::default();
    keys.keep_all();
    let text = Text::new(response, declared);
    parse(format, &keys, &text).map(|parsed| Value::from(parsed.tree))
}

fn response(content_type: &str, body: &[u8]) -> Response {
    Response {
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        body: body.to_vec(),
        url: "https://site.example/feed.xml".to_owned(),
        received_at: Timestamp::from_secs(0),
    }
}

/// Text written in an encoding is read back: declared, announced, or found out.
fn check_encoding(label: &str, text: &str, can_be_guessed: bool) {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap();
    let json = json!({"text": text}).to_string();
    let bytes: Vec<u8> = match label {
        "utf-16le" => json.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => json.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => encoding.encode(&json).0.into_owned(),
    };
    let announced = response(&format!("application/json; charset=\"{label}\""), &bytes);
    let silent = response("application/json", &bytes);
    let lying = response("application/json; charset=utf-8", &bytes);
    let found =
        |declared, response: &Response| read(BodyFormat::Json, declared, response).unwrap()["text"].clone();
    assert_eq!(found(None, &announced), text, "{label} announced");
    assert_eq!(found(Some(encoding), &lying), text, "{label} declared");
    if can_be_guessed {
        assert_eq!(found(None, &silent), text, "{label} found out");
    }
}

#[test]
fn text_in_any_encoding_is_read() {
    check_encoding("utf-8", "Zażółć gęślą jaźń 日本", true);
    check_encoding(
        "iso-8859-1",
        "Il était une fois à l'étage, où l'élève mangeait une pêche près de la forêt",
        true,
    );
    check_encoding("shift_jis", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", true);
    check_encoding("gbk", "床前明月光，疑是地上霜。举头望明月，低头思故乡。", true);
    check_encoding("windows-1251", "Съешь же ещё этих мягких французских булок, да выпей чаю", true);
    check_encoding("euc-kr", "동해 물과 백두산이 마르고 닳도록 하느님이 보우하사", true);
    check_encoding("utf-16le", "Zażółć", true);
    check_encoding("utf-16be", "Zażółć", true);
}

#[test]
fn byte_order_marks_win() {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend("{\"text\": \"ż\"}".encode_utf16().flat_map(u16::to_le_bytes));
    let tree =
        read(BodyFormat::Json, None, &response("application/json; charset=iso-8859-1", &bytes)).unwrap();
    assert_eq!(tree["text"], "ż");
    let tree =
        read(BodyFormat::Json, None, &response("application/json", b"\xef\xbb\xbf{\"text\": 1}")).unwrap();
    assert_eq!(tree["text"], 1);
}

#[test]
fn what_is_not_json_says_what_it_is() {
    for (body, why) in [
        ("", "the body is empty"),
        ("<!DOCTYPE html><title>Blocked</title>", "begins with `<!DOCTYPE html>"),
        ("{\"items\": [1, 2", "EOF while parsing"),
        (&"[".repeat(1000), "recursion limit"),
    ] {
        let error = read(BodyFormat::Json, None, &response("application/json", body.as_bytes())).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn xml_becomes_a_tree() {
    let xml = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
        <list total="2"><!-- two --><post id="1"><text>a &amp; b &#233; &nbsp;</text><tag>x</tag><tag>y</tag></post>
        <post id="2"><text><![CDATA[<b>é</b>]]></text><empty/></post></list>"#;
    let bytes = encoding_rs::WINDOWS_1252.encode(xml).0.into_owned();
    let tree = read(BodyFormat::Xml, None, &response("text/xml", &bytes)).unwrap();
    assert_eq!(
        tree,
        json!({"list": {"@total": "2", "post": [
            {"@id": "1", "text": "a & b é &nbsp;", "tag": ["x", "y"]},
            {"@id": "2", "text": "<b>é</b>", "empty": ""},
        ]}})
    );
    for (body, why) in [
        ("<a><b></a>", "not XML"),
        ("<a><b>", "ends in the middle"),
        ("", "no XML element"),
        ("just text", "no XML element"),
        (&"<a>".repeat(1000), "deeper than 128"),
    ] {
        let error = read(BodyFormat::Xml, None, &response("text/xml", body.as_bytes())).unwrap_err();
        assert!(error.contains(why), "{body:.20}: {error}");
    }
}

#[test]
fn an_external_entity_is_not_fetched() {
    let xml = r#"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#;
    let tree = read(BodyFormat::Xml, None, &response("text/xml", xml.as_bytes())).unwrap();
    assert_eq!(tree, json!({"a": "&x;"}));
}

/// A feed has these entries: id, seconds of publication, title.
fn check_feed(body: &[u8], title: &str, entries: &[(&str, Option<i64>, &str)]) {
    let tree = read(BodyFormat::Feed, None, &response("application/xml", body)).unwrap();
    assert_eq!(tree["title"], title);
    let seen = tree["entries"].as_array().unwrap().iter().map(|entry| {
        let at = entry["published"].as_i64().or(entry["updated"].as_i64()).map(|ms| ms / 1000);
        (entry["id"].as_str().unwrap_or_default(), at, entry["title"].as_str().unwrap_or_default())
    });
    assert_eq!(seen.collect::<Vec<_>>(), entries);
}

const RSS2: &str = r#"<?xml version="1.0" encoding="windows-1252"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Café notes</title><link>https://site.example/</link><description>d</description><ttl>60</ttl>
<item><title>One</title><guid isPermaLink="false">n-1</guid><link>https://site.example/1</link><pubDate>Sun, 15 Nov 2026 10:00:00 GMT</pubDate><dc:creator>Ada</dc:creator><category>x</category><content:encoded><![CDATA[<p>é</p>]]></content:encoded></item>
<item><title>No guid</title><link>https://site.example/2</link><pubDate>15 Nov 2026 09:00 +0000</pubDate></item>
<item><title>Nothing</title><description>only text</description><pubDate>the day before</pubDate></item>
<item><title>To come</title><guid>n-4</guid><pubDate>Fri, 01 Jan 2100 00:00:00 GMT</pubDate></item>
</channel></rss>"#;

#[test]
fn every_feed_format_is_read() {
    let bytes = encoding_rs::WINDOWS_1252.encode(RSS2).0.into_owned();
    let tree = read(BodyFormat::Feed, None, &response("application/rss+xml", &bytes)).unwrap();
    let hash = tree["entries"][2]["id"].as_str().unwrap();
    assert!(hash.starts_with("hash:"), "{hash}");
    check_feed(
        &bytes,
        "Café notes",
        &[
            ("n-1", Some(1_794_736_800), "One"),
            ("https://site.example/2", Some(1_794_733_200), "No guid"),
            (hash, None, "Nothing"),
            ("n-4", Some(4_102_444_800), "To come"),
        ],
    );
    assert_eq!(tree["ttl_min"], 60);
    let first = &tree["entries"][0];
    assert_eq!(
        (&first["author"], &first["content"], &first["tags"]),
        (&json!("Ada"), &json!("<p>é</p>"), &json!(["x"]))
    );
    check_feed(
        br#"<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:f</id><title>Atom</title><updated>2026-11-15T10:00:00Z</updated>
        <link rel="next" href="/feed.xml?page=2"/>
        <entry><id>urn:1</id><title>A</title><published>2026-11-15T10:00:00Z</published><updated>2026-11-15T11:00:00Z</updated></entry>
        <entry><id>urn:2</id><title>B</title><updated>2026-11-15T09:00:00+01:00</updated></entry></feed>"#,
        "Atom",
        &[("urn:1", Some(1_794_736_800), "A"), ("urn:2", Some(1_794_729_600), "B")],
    );
    check_feed(
        br#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://site.example/"><title>RDF</title><link>https://site.example/</link><description>d</description></channel>
        <item rdf:about="https://site.example/r1"><title>R</title><link>https://site.example/r1</link><dc:date>2026-11-15T10:00:00Z</dc:date></item></rdf:RDF>"#,
        "RDF",
        &[("https://site.example/r1", Some(1_794_736_800), "R")],
    );
    check_feed(
        br#"{"version": "https://jsonfeed.org/version/1.1", "title": "JSON", "items": [{"id": "j1", "title": "J", "content_html": "<p>x</p>", "date_published": "2026-11-15T10:00:00Z"}]}"#,
        "JSON",
        &[("j1", Some(1_794_736_800), "J")],
    );
}

#[test]
fn what_is_no_feed_says_what_it_is() {
    for (body, why) in
        [("<html><body>404</body></html>", "begins with `<html>"), ("", "no feed"), ("{\"a\": 1}", "no feed")]
    {
        let error = read(BodyFormat::Feed, None, &response("text/html", body.as_bytes())).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_next_page_of_a_feed_is_absolute() {
    let body = br#"<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title>T</title><updated>2026-11-15T10:00:00Z</updated><link rel="next" href="https://site.example/feed.xml?page=2"/></feed>"#;
    let tree = read(BodyFormat::Feed, None, &response("application/atom+xml", body)).unwrap();
    assert_eq!(tree["next"], "https://site.example/feed.xml?page=2");
}

/// What skimming leaves of a body.
fn check_skimmed(names: &[&str], body: &str, expected: &Value) {
    let mut keys = Keys::default();
    for name in names {
        keys.add(name);
    }
    let response = response("application/json", body.as_bytes());
    let text = Text::new(&response, None);
    let read = parse(BodyFormat::Json, &keys, &text).map(|parsed| Value::from(parsed.tree));
    assert_eq!(&read.unwrap_or_else(Value::String), expected, "{names:?} of {body}");
}

#[test]
fn only_named_keys_are_kept() {
    let body =
        r#"[{"id": 7, "text": "a\nb", "card": {"id": [1, {"text": null}], "html": "<b>"}, "x": {"id": 1}}]"#;
    check_skimmed(&["id", "text"], body, &json!([{"id": 7, "text": "a\nb"}]));
    check_skimmed(&["id", "card"], body, &json!([{"id": 7, "card": {"id": [1, {}]}}]));
    check_skimmed(&[], body, &json!([{}]));
    // The same name written with an escape, a name twice (the first counts, as without skimming).
    check_skimmed(&["id"], r#"{"\u0069d": 1.5, "ideal": 2}"#, &json!({"id": 1.5}));
    check_skimmed(&["id"], r#"{"ID": 1, "": true, "id": -3}"#, &json!({"id": -3}));
}

#[test]
fn what_is_skipped_must_be_json_all_the_same() {
    for body in [r#"{"x": tru}"#, r#"{"x": [1, 2}"#, r#"{"x": "unfinished"#, r#"{"x": 1} 2"#, r#"{"x" 1}"#] {
        let response = response("application/json", body.as_bytes());
        assert!(parse(BodyFormat::Json, &Keys::default(), &Text::new(&response, None)).is_err(), "{body}");
    }
}
