//! Pages from templates: compiled in, checked at the start, every value escaped.
//!
//! Text from networks is markup there; here its tags are left out and the rest is escaped, so it
//! stays inert. Addresses become links only where they lead to the web.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use freshet_app::plain::plain;
use freshet_app::text::grouped;
use freshet_app::text::{one_line, relative};
use freshet_types::{Span, Timestamp};
use minijinja::value::{Serde, Value as Shown};
use minijinja::{Environment, State as Rendering, UndefinedBehavior, context};
use serde::Serialize;
use serde_json::Value;

use super::Shared;
use super::access::Identity;
use super::answer::Problem;
use super::chart::escape;
use super::viewer::seen_as;

/// Every template, by name.
const TEMPLATES: [(&str, &str); 27] = [
    ("base.html", include_str!("templates/base.html")),
    ("login.html", include_str!("templates/login.html")),
    ("problem.html", include_str!("templates/problem.html")),
    ("overview.html", include_str!("templates/overview.html")),
    ("overview_part.html", include_str!("templates/overview_part.html")),
    ("trouble_part.html", include_str!("templates/trouble_part.html")),
    ("plan.html", include_str!("templates/plan.html")),
    ("robots.html", include_str!("templates/robots.html")),
    ("robots_part.html", include_str!("templates/robots_part.html")),
    ("sources.html", include_str!("templates/sources.html")),
    ("add.html", include_str!("templates/add.html")),
    ("learn_part.html", include_str!("templates/learn_part.html")),
    ("source.html", include_str!("templates/source.html")),
    ("posts.html", include_str!("templates/posts.html")),
    ("post.html", include_str!("templates/post.html")),
    ("graph.html", include_str!("templates/graph.html")),
    ("forums.html", include_str!("templates/forums.html")),
    ("forum.html", include_str!("templates/forum.html")),
    ("experiments.html", include_str!("templates/experiments.html")),
    ("experiments_part.html", include_str!("templates/experiments_part.html")),
    ("networks.html", include_str!("templates/networks.html")),
    ("network.html", include_str!("templates/network.html")),
    ("complaints.html", include_str!("templates/complaints.html")),
    ("subscriptions.html", include_str!("templates/subscriptions.html")),
    ("care.html", include_str!("templates/care.html")),
    ("alerts.html", include_str!("templates/alerts.html")),
    ("settings.html", include_str!("templates/settings.html")),
];

/// The pages in the menu: path, name.
const MENU: [(&str, &str); 12] = [
    ("/", "Overview"),
    ("/sources", "Sources"),
    ("/posts", "Posts"),
    ("/graph", "Graph"),
    ("/forums", "Forums"),
    ("/robots", "Robots"),
    ("/networks", "Networks"),
    ("/experiments", "Experiments"),
    ("/subscriptions", "Subscriptions"),
    ("/care", "Care"),
    ("/alerts", "Alerts"),
    ("/settings", "Settings"),
];

/// Longest name in a page; whoever calls themselves more is known by the beginning of it.
const NAME_CHARS_MAX: usize = 120;

/// How long browsers keep script and style; they change with the program only.
const KEPT: &str = "max-age=300";

/// A report, and what only its page shows beside it.
#[derive(Serialize)]
pub(super) struct Beside<R> {
    /// The report, whose fields the template finds by their names.
    #[serde(flatten)]
    pub(super) report: R,
    /// An object with more of them.
    #[serde(flatten)]
    pub(super) more: Value,
}

/// The templates, ready.
pub(super) struct Pages(Environment<'static>);

impl Pages {
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut pages = Environment::new();
        pages.set_undefined_behavior(UndefinedBehavior::Chainable);
        pages.add_filter("num", |it: Shown| shown(&it, |number| grouped(number.max(0.0).round() as u64)));
        pages.add_filter("span", |it: Shown| shown(&it, |secs| Span::from_secs_f64(secs).to_string()));
        pages.add_filter("ago", ago);
        pages.add_filter("name", |it: Shown| Shown::from_safe_string(isolated(&it)));
        pages.add_filter("plain", |text: &str| plain(text));
        pages.add_filter("web", |url: &str| if is_web(url) { url.to_owned() } else { String::new() });
        pages.add_filter("marked", |text: &str| Shown::from_safe_string(marked(text)));
        pages.add_filter("words", |text: &str| text.replace('_', " "));
        for (name, source) in TEMPLATES {
            pages.add_template(name, source)?;
        }
        Ok(Self(pages))
    }

    /// A whole page; `name` is its template, `title` what the browser shows.
    pub(super) fn page(
        &self,
        now: Timestamp,
        identity: Option<&Identity>,
        name: &str,
        title: &str,
        shown: &impl Serialize,
    ) -> Response {
        let common = context! {
            title => short(title),
            section => section(name),
            menu => MENU,
            now => now.secs_f64(),
            csrf => identity.map(|identity| identity.csrf.clone()).unwrap_or_default(),
            is_known => identity.is_some(),
            viewer => seen_as(),
            is_bound => identity.is_some_and(|identity| identity.viewer.is_some()),
            is_session => identity.is_some_and(|identity| identity.is_session),
            version => env!("CARGO_PKG_VERSION"),
        };
        self.render(&format!("{name}.html"), context! { ..Shown::from(Serde(shown)), ..common })
    }

    /// What went wrong, as a page.
    pub(super) fn problem(&self, now: Timestamp, identity: Option<&Identity>, problem: &Problem) -> Response {
        let shown = serde_json::json!({
            "status": problem.status.as_u16(), "message": problem.message, "hint": problem.hint,
        });
        let title = problem.status.canonical_reason().unwrap_or("Problem");
        let mut response = self.page(now, identity, "problem", title, &shown);
        *response.status_mut() = problem.status;
        response
    }

    fn render(&self, template: &str, shown: Shown) -> Response {
        let rendered = self.0.get_template(template).and_then(|it| it.render(shown));
        match rendered {
            Ok(page) => Html(page).into_response(),
            Err(error) => {
                tracing::warn!("the page `{template}` cannot be rendered: {error:#}");
                (StatusCode::INTERNAL_SERVER_ERROR, Html("this page cannot be shown; the log says why"))
                    .into_response()
            }
        }
    }
}

/// The name in the menu under which a page stands.
fn section(page: &str) -> &'static str {
    match page {
        "overview" | "plan" | "complaints" => "Overview",
        "sources" | "source" | "add" => "Sources",
        "posts" | "post" => "Posts",
        "graph" => "Graph",
        "forums" | "forum" => "Forums",
        "experiments" => "Experiments",
        "robots" => "Robots",
        "networks" | "network" => "Networks",
        "subscriptions" => "Subscriptions",
        "care" => "Care",
        "alerts" => "Alerts",
        "settings" => "Settings",
        _ => "",
    }
}

/// A number as text; a dash for what is none.
fn shown(value: &Shown, text: impl Fn(f64) -> String) -> String {
    f64::try_from(value.clone()).ok().filter(|it| it.is_finite()).map_or_else(|| "–".to_owned(), text)
}

/// An instant from now, with the exact time for whoever points at it.
fn ago(rendering: &Rendering<'_, '_>, secs: &Shown) -> Shown {
    let at = |secs: f64| Timestamp::from_ms((secs * 1000.0) as i64);
    let number = |value: &Shown| f64::try_from(value.clone()).ok();
    let Some(secs) = number(secs) else { return Shown::from("–") };
    let now = rendering.lookup("now").as_ref().and_then(number).unwrap_or(secs);
    let (exact, shown) = (at(secs).to_string(), relative(at(secs), at(now)));
    // Both are made of digits and letters of ours.
    Shown::from_safe_string(format!("<time datetime=\"{exact}\" title=\"{exact}\">{shown}</time>"))
}

/// A name that somebody else chose, set apart from what stands beside it: letters that are written from
/// right to left turn around nothing of ours.
fn isolated(name: &Shown) -> String {
    let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
    format!("<bdi>{}</bdi>", escape(&short(&name)))
}

/// A name in one line of at most [`NAME_CHARS_MAX`] characters, without those that demand a direction:
/// one that is not closed would reach beyond the name, whatever is set around it.
pub(super) fn short(name: &str) -> String {
    let turns = |letter: &char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let line = |letter| if matches!(letter, '\u{2028}' | '\u{2029}') { ' ' } else { letter };
    let name: String = one_line(name).chars().filter(|letter| !turns(letter)).map(line).collect();
    if name.chars().nth(NAME_CHARS_MAX).is_none() {
        return name;
    }
    name.chars().take(NAME_CHARS_MAX - 1).chain(['…']).collect()
}

/// Escaped, and what stands between backticks as code.
fn marked(text: &str) -> String {
    let escaped = escape(text);
    let parts = escaped.split('`').enumerate();
    let count = escaped.matches('`').count();
    let shown = parts.map(|(at, part)| match at {
        0 => part.to_owned(),
        // A last one without its partner is a letter like others.
        _ if at % 2 == 1 && at == count => format!("`{part}"),
        _ if at % 2 == 1 => format!("<code>{part}"),
        _ => format!("</code>{part}"),
    });
    shown.collect()
}

/// Whether an address may become a link.
fn is_web(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// The style sheet.
pub(super) async fn style(State(_): State<Shared>) -> Response {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, KEPT)];
    (headers, include_str!("assets/style.css")).into_response()
}

/// The picture in the tab.
pub(super) async fn icon(State(_): State<Shared>) -> Response {
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, KEPT)];
    (headers, include_str!("assets/icon.svg")).into_response()
}

/// The script.
pub(super) async fn script(State(_): State<Shared>) -> Response {
    let headers = [(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, KEPT)];
    (headers, include_str!("assets/script.js")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_sound_and_only_web_addresses_are_links() {
        Pages::new().unwrap();
        assert_eq!(isolated(&Shown::from("a\0<b>\u{202e}")), "<bdi>a &lt;b&gt;</bdi>");
        assert_eq!(short("a\u{202e}b\u{2066}c\u{2069}\u{2029}d"), "abc d");
        assert_eq!(short(&"x".repeat(100_000)).chars().count(), NAME_CHARS_MAX);
        assert_eq!(marked("a `b` <i> `c` d `e"), "a <code>b</code> &lt;i&gt; <code>c</code> d `e");
        for (url, expected) in [
            ("https://a.example/1", true),
            ("javascript:alert(1)", false),
            (" javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("/relative", false),
        ] {
            assert_eq!(is_web(url), expected, "{url}");
        }
    }
}
