//! Calls against a small network: links by kind, constraints at every step, bounds, replacement.

mod mastodon;

use freshet_types::{NetworkName, Outcome, Response, Timestamp};

use super::testing::TestConnector;
use super::*;
use crate::networks::Network;

const NOW: Timestamp = Timestamp::from_secs(1_800_000_000);

/// All six kinds of link.
const ALL_LINKS: [LinkKind; 6] =
    [LinkKind::P, LinkKind::C, LinkKind::Co, LinkKind::Sp, LinkKind::Sc, LinkKind::Sco];

/// What the network answers, by URL.
const SOCIAL: &[(&str, &str)] = &[
    ("social/v1/account/7", r#"{"accounts": [{"id": "7", "handle": "ada", "followers": 9}]}"#),
    (
        "social/v1/posts/7",
        r#"{"posts": [{"id": "a", "author": "7", "likes": 5}, {"id": "b", "author": "7", "likes": 50}],
            "accounts": [{"id": "7", "handle": "ada"}], "next": "2"}"#,
    ),
    ("social/v1/posts/7?cursor=2", r#"{"posts": [{"id": "c", "likes": 500}, {"id": "d"}], "next": "2"}"#),
    (
        "social/v1/followers/7",
        r#"{"accounts": [{"id": "8", "handle": "bob", "followers": 1}], "members": ["9", "10", "11"]}"#,
    ),
    (
        "social/v1/followers/7?ids=9,10",
        r#"{"accounts": [{"id": "9", "followers": 2}, {"id": "10", "followers": 3}]}"#,
    ),
    ("social/v1/followers/7?ids=11", r#"{"accounts": [{"id": "11", "followers": 4}]}"#),
    ("social/v1/tags/7", r#"{"tags": ["rivers"]}"#),
    (
        "social/v1/post/b",
        r#"{"posts": [{"id": "b", "author": "7", "text": "look", "likes": 50, "repost_of": "o", "video": "video/post/v"}]}"#,
    ),
    ("social/v1/post/o", r#"{"posts": [{"id": "o", "author": "8", "likes": 2}]}"#),
    ("video/v1/post/v", r#"{"posts": [{"id": "v", "likes": 7}]}"#),
    ("social/v1/post/odd", r#"{"posts": [{"id": "odd", "shares": 3}]}"#),
];

fn networks() -> Arc<Networks> {
    let networks = Networks::empty();
    for name in ["social", "video"] {
        let connector = TestConnector::named(name, "v1");
        let schema = connector.schema();
        networks.add(vec![Network::mined(Arc::new(connector), schema)]);
    }
    Arc::new(networks)
}

fn snapi() -> Snapi {
    Snapi::initialize(networks(), vec![App { network: "social".to_owned(), id: "app".to_owned() }]).unwrap()
}

fn instance() -> Instance {
    Instance {
        network: NetworkName::from("social"),
        base: "https://social.example".to_owned(),
        allow_private: false,
    }
}

fn response(status: u16, body: &str) -> Response {
    Response { status, headers: Vec::new(), body: body.into(), url: String::new(), received_at: NOW }
}

fn answer(url: &str) -> Response {
    match SOCIAL.iter().find(|(known, _)| *known == url) {
        Some((_, body)) => response(200, body),
        None => response(404, ""),
    }
}

/// Runs a call to its end; gives the URLs asked and the last step.
fn run(call: &mut Call) -> (Vec<String>, Step) {
    let mut urls = Vec::new();
    loop {
        match call.step() {
            Step::Ask(request) => {
                call.on_answer(&answer(&request.url), NOW);
                urls.push(request.url);
            }
            end => return (urls, end),
        }
    }
}

fn done(step: Step) -> Object {
    match step {
        Step::Done(object) => object,
        other => panic!("{other:?}"),
    }
}

fn ids(objects: &[Object]) -> String {
    objects.iter().map(|object| object.address.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn get(snapi: &Snapi, kind: &str, id: &str, links: &[LinkKind]) -> Call {
    snapi.get_object(&instance(), kind, id, links, CallOptions::default()).unwrap()
}

#[test]
fn an_object_comes_with_the_links_asked_for() {
    let snapi = snapi();
    let (urls, end) = run(&mut get(&snapi, "account", "7", &[LinkKind::P]));
    let object = done(end);
    assert_eq!(urls, ["social/v1/account/7"]);
    assert_eq!(object.plinks["handle"], "ada".into());
    assert!(object.colinks.is_empty());

    let mut call = get(&snapi, "account", "7", &[LinkKind::P, LinkKind::Co]);
    let (urls, end) = run(&mut call);
    let object = done(end);
    assert_eq!(ids(&object.colinks["posts"]), "a b c d");
    assert_eq!(ids(&object.colinks["followers"]), "8 9 10 11");
    assert_eq!(ids(&object.colinks["tags"]), "rivers");
    assert_eq!(object.colinks["posts"][1].clinks["author"].plinks["handle"], "ada".into());
    assert_eq!(urls.len(), 8);
    let complaints: Vec<_> = call.complaints().iter().map(|complaint| complaint.what.as_str()).collect();
    assert!(complaints.contains(&"the list runs in a circle"), "{complaints:?}");
    assert!(complaints.contains(&"the network says gone"), "a list that fails costs that list only");
}

#[test]
fn links_alone_do_not_ask_for_the_object() {
    let mut call =
        snapi().get_links(&instance(), "account", "7", &[LinkKind::Co], CallOptions::default()).unwrap();
    let (urls, end) = run(&mut call);
    assert!(!urls.contains(&"social/v1/account/7".to_owned()), "{urls:?}");
    assert_eq!(ids(&done(end).colinks["posts"]), "a b c d");
}

#[test]
fn linked_objects_are_fetched_across_networks() {
    let snapi = snapi();
    let (urls, end) = run(&mut get(&snapi, "post", "b", &[LinkKind::C, LinkKind::Sc]));
    let object = done(end);
    assert_eq!(object.clinks["author"].plinks["handle"], "ada".into());
    assert_eq!(object.clinks["repost_of"].plinks["likes"], 2.into());
    assert!(object.plinks.is_empty(), "p-links were not asked for");
    // `video` was mined and has no known server, so the link stays, unfetched.
    assert_eq!(object.sclinks["video"].address.to_string(), "video/post/v");
    assert_eq!(urls, ["social/v1/post/b", "social/v1/account/7", "social/v1/post/o"]);
}

fn constrain(snapi: &Snapi, rules: &[(&str, &str)]) {
    let rules: Vec<_> = rules.iter().map(|(kind, text)| Constraint::parse(kind, text).unwrap()).collect();
    snapi.apply_constraints(&rules).unwrap();
}

#[test]
fn constraints_are_applied_at_every_step() {
    let snapi = snapi();
    constrain(&snapi, &[("post", r#"post.plinks["likes"] > 10"#)]);
    let mut call = get(&snapi, "account", "7", &[LinkKind::Co]);
    let (_, end) = run(&mut call);
    assert_eq!(ids(&done(end).colinks["posts"]), "b c");
    assert_eq!(call.unwanted_count(), 1, "`a`");
    assert_eq!(call.parked_count(), 1, "`d`");

    constrain(&snapi, &[("account", "account.followers_count > 1000")]);
    let (urls, end) = run(&mut get(&snapi, "account", "7", &ALL_LINKS));
    assert!(matches!(&end, Step::Refused(why) if why.contains("social/account/7")), "{end:?}");
    assert_eq!(urls.len(), 1, "an unwanted object costs one request");

    // The rule about a collection is judged when the collection is there.
    constrain(&snapi, &[("account", "account.posts.exists(p, p.likes > 100)")]);
    let (_, end) = run(&mut get(&snapi, "account", "7", &[LinkKind::Co]));
    assert_eq!(ids(&done(end).colinks["posts"]), "a b c d");
    let (_, end) = run(&mut get(&snapi, "account", "7", &[LinkKind::P]));
    assert!(matches!(&end, Step::Parked { missing, .. } if missing == "account.posts"), "{end:?}");

    // A single link whose target is unwanted is dropped.
    constrain(&snapi, &[("post", "post.likes > 10")]);
    let (_, end) = run(&mut get(&snapi, "post", "b", &[LinkKind::C]));
    assert_eq!(done(end).clinks.keys().collect::<Vec<_>>(), ["author"]);
}

#[test]
fn constraints_that_fit_no_network_are_refused() {
    let snapi = snapi();
    for (kind, text, why) in [
        ("post", "post.plinks['lieks'] > 1", "no link `lieks`"),
        ("album", "album.id != ''", "no type `album`"),
        ("nowhere/post", "post.id != ''", "no network `nowhere`"),
    ] {
        let error = snapi.apply_constraints(&[Constraint::parse(kind, text).unwrap()]).unwrap_err();
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}

#[test]
fn links_that_the_definition_does_not_allow_are_complained_about() {
    let mut call = get(&snapi(), "post", "odd", &[LinkKind::P]);
    done(run(&mut call).1);
    assert!(call.complaints()[0].what.contains("may not have a link `shares`"), "{:?}", call.complaints());
}

#[test]
fn calls_are_bounded() {
    let check = |options: CallOptions, expected: &str, why: &str| {
        let mut call = snapi().get_object(&instance(), "account", "7", &[LinkKind::Co], options).unwrap();
        let object = done(run(&mut call).1);
        assert_eq!(object.colinks.get("posts").map(|posts| ids(posts)).unwrap_or_default(), expected);
        let complaints = format!("{:?}", call.complaints());
        assert!(complaints.contains(why), "{complaints}");
    };
    check(CallOptions { pages_max: 1, ..CallOptions::default() }, "a b", "stopped after 1 pages");
    check(CallOptions { requests_max: 1, ..CallOptions::default() }, "", "stopped after 1 requests");
    check(CallOptions { objects_max: 5, ..CallOptions::default() }, "a", "stopped after 5 objects");
}

#[test]
fn failures_are_told_and_retried() {
    let snapi = snapi();
    let (_, end) = run(&mut get(&snapi, "account", "nobody", &[LinkKind::P]));
    assert_eq!(end, Step::Failed(Outcome::Gone));
    let (_, end) = run(&mut get(&snapi, "account", "", &[LinkKind::P]));
    assert_eq!(end, Step::Refused("nothing is asked for".to_owned()));

    let limited = Step::Failed(Outcome::RateLimited { until: None });
    let mut call = get(&snapi, "account", "7", &[LinkKind::P]);
    for _ in 0..2 {
        assert!(matches!(call.step(), Step::Ask(_)));
        call.on_answer(&response(429, ""), NOW);
        assert_eq!(call.step(), limited);
    }
    assert!(matches!(call.step(), Step::Ask(_)), "a call goes on after a pause");
    call.on_answer(&answer("social/v1/account/7"), NOW);
    assert!(matches!(call.step(), Step::Done(_)));

    let mut call = get(&snapi, "account", "7", &[LinkKind::P]);
    for _ in 0..3 {
        assert!(matches!(call.step(), Step::Ask(_)));
        call.on_answer(&response(429, ""), NOW);
        assert_eq!(call.step(), limited);
    }
    assert_eq!(call.step(), limited, "three attempts, then a visible failure");
}

#[test]
fn a_call_under_way_finishes_with_the_definition_it_began_with() {
    let networks = networks();
    let snapi = Snapi::initialize(Arc::clone(&networks), Vec::new()).unwrap();
    let mut call = get(&snapi, "account", "7", &[LinkKind::Co]);
    let Step::Ask(first) = call.step() else { panic!("nothing is asked") };
    let successor = TestConnector::named("social", "v2");
    let schema = successor.schema();
    networks.add(vec![Network::mined(Arc::new(successor), schema)]);
    call.on_answer(&answer(&first.url), NOW);
    let (urls, end) = run(&mut call);
    assert!(urls.iter().all(|url| url.starts_with("social/v1/")), "{urls:?}");
    done(end);
    let Step::Ask(later) = get(&snapi, "account", "7", &[LinkKind::P]).step() else {
        panic!("nothing is asked")
    };
    assert_eq!(later.url, "social/v2/account/7");
}

#[test]
fn credentials_are_names_and_belong_to_applications() {
    let snapi = snapi();
    assert!(
        snapi.apply_credentials("ada", "other", "token").unwrap_err().to_string().contains("no application")
    );
    snapi.apply_credentials("ada", "app", "ada-token").unwrap();
    snapi.apply_credentials("bob", "app", "bob-token").unwrap();
    snapi.apply_credentials("bob", "app", "bob-token-2").unwrap();
    let credential = |network: &str, user: Option<&str>| snapi.credential(network, user);
    assert_eq!(credential("social", None).as_deref(), Some("ada-token"));
    assert_eq!(credential("social", Some("bob")).as_deref(), Some("bob-token-2"));
    assert_eq!(credential("social", Some("eve")), None);
    assert_eq!(credential("video", None), None);
    assert!(matches!(
        Snapi::initialize(networks(), vec![App { network: "nowhere".to_owned(), id: "x".to_owned() }]),
        Err(SnapiError::NoNetwork { .. })
    ));
    let error = snapi.get_object(&instance(), "album", "1", &[], CallOptions::default()).unwrap_err();
    assert!(error.to_string().contains("no type `album`; its types are account, post, tag"), "{error}");
}

#[test]
fn only_the_collections_asked_for_are_listed_and_what_was_shown_is_handed_over() {
    let snapi = snapi();
    let call = |options: CallOptions| {
        snapi.get_links(&instance(), "account", "7", &[LinkKind::Co], options).unwrap()
    };
    let mut tags = call(CallOptions { collections: vec!["tags".to_owned()], ..CallOptions::default() });
    let (urls, end) = run(&mut tags);
    assert_eq!(urls, ["social/v1/tags/7"]);
    done(end);
    let shown = tags.take_shown();
    assert_eq!((shown.len(), shown[0].0.as_str(), shown[0].1.tags[0].name.as_str()), (1, "social", "rivers"));
    assert!(tags.take_shown().is_empty(), "once");
    let mut handle = call(CallOptions { is_handle: true, ..CallOptions::default() });
    let (urls, end) = run(&mut handle);
    assert_eq!(
        (urls.len(), end),
        (0, Step::Refused("`social` cannot look up a handle; give an id".to_owned()))
    );
}
