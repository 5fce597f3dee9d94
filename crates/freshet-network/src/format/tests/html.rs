//! Pages in HTML: how markup becomes elements, what selectors find in them, and which text that is.

use super::*;
use crate::element;
use crate::selector::Selector;

fn page(html: &str) -> Response {
    Response {
        status: 200,
        headers: Vec::new(),
        body: html.as_bytes().to_vec(),
        url: "https://a.example/".to_owned(),
        received_at: Timestamp::MIN,
    }
}

/// What a selector finds on a page: texts of elements, or attributes.
fn found(html: &str, selector: &str) -> Vec<String> {
    let (response, keys) = (page(html), Keys::default());
    let text = Text::new(&response, None);
    let parsed = parse(BodyFormat::Html, &keys, &text).unwrap();
    let selector = Selector::compile(selector).unwrap();
    let shown = |tree: &&Tree<'_>| match *tree {
        Tree::Str(text) => text.to_string(),
        element => element::text(element).unwrap_or_default(),
    };
    let all: Vec<String> = selector.all(&parsed.tree).iter().map(shown).collect();
    assert_eq!(selector.first(&parsed.tree).as_ref().map(shown), all.first().cloned(), "the first of all");
    all
}

#[test]
fn selectors_find_elements_and_attributes() {
    let html = "<div id=top class='post  new' data-n=1><p>one <a HREF='/s/1?a=1&amp;b=2'>two</a></p><DIV class=post><a>three</a></DIV></div>\
        <ul><li>four<li class=last>five</ul><img src=x.jpg>";
    for (selector, expected) in [
        ("a", vec!["two", "three"]),
        ("A", vec!["two", "three"]),
        ("a @href", vec!["/s/1?a=1&b=2"]),
        (".post", vec!["one two\nthree"]),
        (".post .post", vec!["three"]),
        (".post > a", vec!["three"]),
        ("#top > p > a", vec!["two"]),
        ("> div > p", vec!["one two"]),
        ("div > a", vec!["three"]),
        ("ul a", vec![]),
        ("li", vec!["four", "five"]),
        ("li.last", vec!["five"]),
        ("[href]", vec!["two"]),
        ("a[href^='/s/']", vec!["two"]),
        ("a[href$=\"b=2\"]", vec!["two"]),
        ("a[href*=a] @href", vec!["/s/1?a=1&b=2"]),
        ("div[data-n=1] @class", vec!["post  new"]),
        (".pos", vec![]),
        ("*.new", vec!["one two\nthree"]),
        ("img @src", vec!["x.jpg"]),
        ("li @class", vec!["last"]),
    ] {
        assert_eq!(found(html, selector), expected, "{selector}");
    }
}

#[test]
fn texts_are_what_people_read() {
    for (html, expected) in [
        ("<p>a  b\n c</p>", "a b c"),
        ("<p>a<br>b<br/><br/>c<br><br><br>d</p>", "a\nb\n\nc\n\nd"),
        ("<p>a<b>b</b> <i>c</i></p>", "ab c"),
        ("<p>a &amp; b &lt;p&gt;&nbsp;c</p>", "a & b <p> c"),
        ("<p>1 < 2 and 3 > 2</p>", "1 < 2 and 3 > 2"),
    ] {
        assert_eq!(found(html, "p"), [expected], "{html}");
    }
    let hidden =
        "<div>a<script>if (1 < 2) { x('</div>'); } <!--</script><style>p{}</style><div>b</div></div>";
    assert_eq!(found(hidden, "body div"), Vec::<String>::new());
    assert_eq!(found(hidden, "> div"), ["a\nb"]);
}

#[test]
fn selectors_that_are_wrong_say_why() {
    for (selector, expected) in [
        ("", "1 to 16 steps"),
        ("a >", "nothing stands behind `>`"),
        ("a.", "a name is missing"),
        ("a[href", "`]` is missing"),
        ("a[=x]", "stands an attribute"),
        ("a:first-child", "are known"),
        ("a, b", "are known"),
        ("a @", "the name of an attribute"),
        ("a b c d e f g h i j k l m n o p q", "1 to 16 steps"),
    ] {
        let error = Selector::compile(selector).unwrap_err();
        assert!(error.contains(expected), "{selector}: {error}");
    }
}

#[test]
fn hostile_pages_are_bounded() {
    let read = |html: &str| {
        let (response, keys) = (page(html), Keys::default());
        let text = Text::new(&response, None);
        parse(BodyFormat::Html, &keys, &text).map(|parsed| parsed.left_out)
    };
    assert!(read("").unwrap_err().contains("no page of HTML"));
    assert!(read("{\"a\": 1}").unwrap_err().contains("begins with `{"));
    assert!(read(&"<p>a".repeat(80_000)).unwrap() > 10_000, "what finds no room is counted");
    for piece in
        ["<div>", "</div>", "<a b='", "<script>", "<!--", "<p a=\"b>", "<div class=a><p></div>", "&#", "<"]
    {
        let _ = read(&piece.repeat(50_000));
    }
    // What is nested too deep stands beside, and what follows it stands where it belongs.
    let deep = format!("{}deep{}<p>after</p>", "<div>".repeat(300), "</div>".repeat(300));
    assert_eq!(found(&deep, "> p"), ["after"]);
}
