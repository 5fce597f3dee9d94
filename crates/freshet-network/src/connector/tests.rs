//! Every variant that real networks need, each as data through one check.
//!
//! The definitions are small and invented; what they say is how some real network works.

use freshet_types::{
    AccountState, Connector, Evidence, IdOrder, Instance, Intent, ListOrder, Mark, NetworkName, Outcome,
    Page, PageKind, Primitive, Request, Response, Target, Timestamp, Validators,
};

use crate::{DefinedConnector, Definition};

mod across;
mod bad;
mod feeds;
mod limits;
mod mapping;
mod merged;
mod objects;
mod paging;
mod probes;

const HEAD: &str = r#"
name = "net"
title = "Net"
base = "https://net.example"
id_order = "numeric"
auth = [{ kind = "bearer" }]
[types.account]
plinks = { karma = "int" }
colinks = { posts = "post", followers = "account" }
[types.post]
plinks = { score = "int", rate = "float", flag = "bool", seen = "time", title = "text" }
clinks = { author = "account", reply_to = "post", root = "post", repost_of = "post", quote_of = "post" }
[mappings.post]
kind = "post"
id = "/id"
created_at = "/at"
author = "/by"
[mappings.account]
kind = "account"
id = "/id"
handle = "/handle"
[endpoints.item]
url = "/item/{{ root | urlencode }}"
kind = "post"
root = "post"
role = "single"
items = [{ mapping = "post" }]
[endpoints.list]
url = "/list/{{ root | urlencode }}"
kind = "posts"
root = "account"
page_size = 2
items = [{ at = "/items", mapping = "post" }]
"#;

/// The small definition with lines added to its list endpoint (and tables after it).
fn connector(extra: &str) -> DefinedConnector {
    let definition =
        Definition::parse("net.toml", &format!("{HEAD}{extra}")).unwrap_or_else(|error| panic!("{error}"));
    DefinedConnector::new(&definition).unwrap()
}

fn instance() -> Instance {
    Instance {
        network: NetworkName::new("net", None),
        base: "https://net.example".into(),
        allow_private: false,
    }
}

fn target(instance: &Instance) -> Target<'_> {
    Target { instance, endpoint: "list", root: "ada", credential: None, validators: None }
}

fn ask(extra: &str, intent: &Intent) -> Request {
    connector(extra).ask(&target(&instance()), intent).unwrap_or_else(|error| panic!("{extra}: {error}"))
}

fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    Response {
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: body.as_bytes().to_vec(),
        url: "https://net.example/list/ada".to_owned(),
        received_at: now(),
    }
}

fn now() -> Timestamp {
    Timestamp::from_secs(1_000_000)
}

fn read(extra: &str, intent: &Intent, response: &Response) -> Page {
    connector(extra).read(&target(&instance()), intent, response, now())
}

fn mark(id: &str, at_s: i64) -> Mark {
    Mark { id: id.to_owned(), at: Timestamp::from_secs(at_s) }
}

#[test]
fn orders_and_ids_are_told_to_the_engine() {
    for (order, expected, id_order) in [
        ("insertion", ListOrder::NewestFirst, IdOrder::Numeric),
        ("claimed_time", ListOrder::NewestFirst, IdOrder::None),
        ("rank", ListOrder::Mixed, IdOrder::Numeric),
        ("oldest_first", ListOrder::Mixed, IdOrder::Numeric),
    ] {
        let connector = connector(&format!("order = \"{order}\"\n"));
        let endpoint = connector.endpoint("list").unwrap();
        assert_eq!((endpoint.order, endpoint.id_order), (expected, id_order), "{order}");
    }
    let lexical = connector("id_order = \"lexical\"\n");
    assert_eq!(lexical.endpoint("list").unwrap().id_order, IdOrder::Lexical);
    assert_eq!(lexical.single("post").map(|one| one.name.to_string()).as_deref(), Some("item"));
    assert!(lexical.lookup().is_none() && lexical.single("tag").is_none());
}

#[test]
fn requests_carry_method_body_headers_and_credential() {
    let extra = r#"
headers = { accept = "application/json", x-who = "{{ root }}" }
method = "POST"
body = '{"userId": {{ root | tojson }}, "limit": {{ limit }}{% if cursor %}, "untilId": {{ cursor | tojson }}{% endif %}}'
paging = { style = "id_bound" }
is_page = true
"#;
    let instance = instance();
    let credential = freshet_types::Holder::alone("key".into());
    let validators = Validators { etag: Some("W/\"1\"".into()), last_modified: None };
    let target = Target { credential: Some(&credential), validators: Some(&validators), ..target(&instance) };
    let request = connector(extra).ask(&target, &Intent::First).unwrap();
    assert_eq!(request.body.as_deref(), Some(r#"{"userId": "ada", "limit": 2}"#));
    assert_eq!(
        request.headers,
        [
            ("accept".to_owned(), "application/json".to_owned()),
            ("x-who".into(), "ada".into()),
            ("if-none-match".into(), "W/\"1\"".into())
        ]
    );
    assert_eq!(request.auth.map(|auth| auth.credential.to_string()).as_deref(), Some("key"));
    assert!(request.is_page);
    let request = connector(extra).ask(&target, &Intent::Next("9\"".into())).unwrap();
    assert_eq!(request.body.as_deref(), Some(r#"{"userId": "ada", "limit": 2, "untilId": "9\""}"#));
    assert_eq!(request.headers.len(), 2, "only the first page is conditional");
    let error =
        connector("needs_credential = true\n").ask(&self::target(&instance), &Intent::First).unwrap_err();
    assert!(error.to_string().contains("freshet credentials add net"), "{error}");
}

#[test]
fn an_unchanged_page_is_no_empty_page() {
    let page = read("", &Intent::First, &response(304, &[("etag", "\"2\"")], ""));
    assert!(page.is_unchanged && page.outcome == Outcome::Ok && page.complaints.is_empty());
    assert_eq!(page.validators.etag.as_deref(), Some("\"2\""));
}
