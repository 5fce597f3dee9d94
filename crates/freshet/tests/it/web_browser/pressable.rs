//! Everything on the pages that can be pressed, read from the templates, and what of it a test has pressed.
//!
//! A kind of link or button is a template, what is done (`link`, `get`, `post`), its `rel`, and where it
//! leads, with holes where the template writes values. A new one that nobody presses fails the test.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

/// Stands for what a template writes.
const HOLE: char = '\0';

/// One thing that was pressed, as its page described it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Pressed {
    /// The path of its page.
    page: String,
    kind: String,
    target: String,
    rel: String,
    /// It stands in the content, not around it.
    is_inside: bool,
    /// The page told what went wrong.
    is_problem: bool,
}

/// A kind of link or button.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pressable {
    template: String,
    kind: String,
    rel: String,
    pattern: String,
}

/// Fails when a link or button of a template was never pressed.
pub(crate) fn check_all_pressed(pressed: &[Pressed]) {
    let left = left(pressed);
    assert!(left.is_empty(), "never pressed:\n{}", left.join("\n"));
}

/// What was never pressed, in words.
fn left(pressed: &[Pressed]) -> Vec<String> {
    let all = pressable();
    let done: BTreeSet<&Pressable> = pressed.iter().filter_map(|it| kind_of(it, &all)).collect();
    let said =
        |it: &Pressable| format!("{} {} {} {}", it.template, it.kind, it.rel, it.pattern.replace(HOLE, "{}"));
    all.iter().filter(|it| !done.contains(it)).map(said).collect()
}

/// The kind that was pressed: of those on its page that fit, the one that says most.
fn kind_of<'a>(pressed: &Pressed, all: &'a BTreeSet<Pressable>) -> Option<&'a Pressable> {
    let templates = match pressed {
        Pressed { is_inside: false, .. } => vec!["base"],
        Pressed { is_problem: true, .. } if pressed.page != "/login" => vec!["problem"],
        Pressed { page, .. } => templates_of(page),
    };
    let fits = |it: &&Pressable| {
        templates.contains(&&*it.template)
            && it.kind == pressed.kind
            && it.rel == pressed.rel
            && is_like(&it.pattern, &pressed.target)
    };
    all.iter().filter(fits).max_by_key(|it| it.pattern.chars().filter(|letter| *letter != HOLE).count())
}

/// The templates of which a page is made.
fn templates_of(page: &str) -> Vec<&'static str> {
    let mut parts = page.trim_matches('/').splitn(2, '/');
    match (parts.next().unwrap_or_default(), parts.next()) {
        ("", _) => vec!["overview", "overview_part"],
        ("sources", None) => vec!["sources"],
        ("plan", _) => vec!["plan"],
        ("sources", Some("add")) => vec!["add", "learn_part"],
        ("sources", Some(_)) => vec!["source"],
        ("posts", None) => vec!["posts"],
        ("posts", Some(_)) => vec!["post"],
        ("graph", _) => vec!["graph"],
        ("forums", None) => vec!["forums"],
        ("forums", Some(_)) => vec!["forum"],
        ("robots", _) => vec!["robots", "robots_part"],
        ("networks", None) => vec!["networks"],
        ("networks", Some(_)) => vec!["network"],
        ("experiments", _) => vec!["experiments", "experiments_part"],
        ("alerts", _) => vec!["alerts"],
        ("complaints", _) => vec!["complaints"],
        ("settings", _) => vec!["settings"],
        ("subscriptions", _) => vec!["subscriptions"],
        ("care", _) => vec!["care"],
        ("login", _) => vec!["login"],
        _ => Vec::new(),
    }
}

/// Whether a text is what a pattern says, with anything in its holes.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split(HOLE);
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// All kinds of links and buttons of all templates.
fn pressable() -> BTreeSet<Pressable> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../freshet-web/src/templates");
    let files = std::fs::read_dir(folder).expect("the templates are there");
    let mut found = BTreeSet::new();
    for path in files.map(|file| file.expect("a file has a name").path()) {
        let template = path.file_stem().expect("a template has a name").to_string_lossy().into_owned();
        let text = without_code(&std::fs::read_to_string(&path).expect("a template can be read"));
        for (tag, target) in [("<a ", "href"), ("<form ", "action")] {
            for element in text.split(tag).skip(1).filter_map(|rest| rest.split('>').next()) {
                let of = |name: &str| attribute(element, name).unwrap_or_default();
                let kind = if tag == "<a " { "link".to_owned() } else { of("method") };
                found.insert(Pressable {
                    template: template.clone(),
                    kind,
                    rel: of("rel"),
                    pattern: of(target),
                });
            }
        }
    }
    found
}

/// A template with holes where it writes values, and nothing where it decides.
fn without_code(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, code) = rest.split_at(at);
        text += before;
        let (end, hole) = match code.get(..2) {
            Some("{{") => ("}}", Some(HOLE)),
            Some("{%") => ("%}", None),
            _ => ("{", Some('{')),
        };
        text.extend(hole);
        rest = code.split_once(end).map_or("", |(_, after)| after);
    }
    text + rest
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let value = element.split(&format!("{name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&amp;", "&"))
}

#[test]
fn kinds_are_read_from_templates_and_found_again() {
    let text = without_code("{% if a > 1 %}<a rel=\"next\" href=\"?q={{ q|urlencode }}&amp;page={{ p }}\">");
    let element = text.split("<a ").nth(1).expect("a link");
    assert_eq!(attribute(element, "href").as_deref(), Some("?q=\0&page=\0"));
    assert_eq!(attribute(element, "rel").as_deref(), Some("next"));
    for (pattern, text, expected) in [
        ("?q=\0&page=\0", "?q=&page=2", true),
        ("?q=\0&page=\0", "?q=&sort=2", false),
        ("/sources/\0", "/sources/7", true),
        ("/sources", "/sources/7", false),
        ("\0", "http://a.example/", true),
        ("/robots/\0/\0", "/robots/tag/start", true),
    ] {
        assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
    }
    let all = left(&[]);
    for words in [
        "login post  /login",
        "base post  /logout",
        "sources get  ",
        "posts link next ?{}&page={}",
        "source post  /sources/{}/remove",
        "networks post  /credentials/{}/remove",
    ] {
        assert!(all.iter().any(|it| it == words), "`{words}` is not in {all:#?}");
    }
    let pressed = |page: &str, kind: &str, target: &str, is_inside| Pressed {
        page: page.to_owned(),
        kind: kind.to_owned(),
        target: target.to_owned(),
        rel: String::new(),
        is_inside,
        is_problem: false,
    };
    for (one, words) in [
        (pressed("/sources/7", "post", "/sources/7/remove", true), "source post  /sources/{}/remove"),
        (pressed("/posts", "post", "/logout", false), "base post  /logout"),
        (pressed("/sources", "link", "/sources/add", true), "sources link  /sources/add"),
    ] {
        let rest = left(&[one]);
        assert!(rest.len() + 1 == all.len() && !rest.iter().any(|it| it == words), "{words}: {rest:#?}");
    }
}
