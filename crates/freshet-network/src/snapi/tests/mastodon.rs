//! The same calls through the shipped Mastodon definition, with canned answers.

use super::*;

const ACCOUNT: &str = r#"{"id": "1", "username": "ada", "acct": "ada", "display_name": "Ada", "note": "<p>rivers</p>",
    "url": "https://example.social/@ada", "uri": "https://example.social/users/ada", "locked": false, "bot": false,
    "created_at": "2024-01-02T00:00:00.000Z", "followers_count": 9, "following_count": 1, "statuses_count": 3,
    "last_status_at": "2024-05-06", "fields": []}"#;

fn status(id: &str, likes: u32, extra: &str) -> String {
    format!(
        r#"{{"id": "{id}", "created_at": "2024-05-06T07:08:09.000Z", "content": "<p>post {id}</p>", "account": {ACCOUNT},
            "uri": "https://example.social/users/ada/statuses/{id}", "favourites_count": {likes}, "reblogs_count": 0,
            "replies_count": 0, "visibility": "public", "sensitive": false, "spoiler_text": "", "tags": [{{"name": "rivers"}}]
            {extra}}}"#
    )
}

fn answer(url: &str) -> String {
    let (path, query) =
        url.trim_start_matches("https://example.social/api/v1/").split_once('?').unwrap_or((url, ""));
    let path = path.trim_start_matches("https://example.social/api/v1/");
    match (path, query.contains("max_id")) {
        ("accounts/1", _) => ACCOUNT.to_owned(),
        ("accounts/1/statuses", false) => format!("[{}, {}]", status("103", 50, ""), status("102", 5, "")),
        ("accounts/1/statuses", true) => format!("[{}]", status("101", 70, "")),
        ("accounts/1/followers", _) => format!("[{}]", ACCOUNT.replace(r#""1""#, r#""2""#)),
        ("accounts/1/featured_tags", _) => r#"[{"id": "5", "name": "rivers"}]"#.to_owned(),
        ("statuses/102", _) => {
            status("102", 5, r#", "in_reply_to_id": "101", "in_reply_to_account_id": "1""#)
        }
        ("statuses/101", _) => status("101", 70, ""),
        ("statuses/102/context", _) => {
            let reply = status("104", 1, r#", "in_reply_to_id": "102""#);
            format!(r#"{{"ancestors": [{}], "descendants": [{reply}]}}"#, status("101", 70, ""))
        }
        _ => "[]".to_owned(),
    }
}

/// Lists go on as long as a page says so.
fn headers(url: &str) -> Vec<(String, String)> {
    let is_first_page = url.contains("/statuses?") && !url.contains("max_id");
    let next = r#"<https://example.social/api/v1/accounts/1/statuses?limit=40&max_id=102>; rel="next""#;
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    if is_first_page {
        headers.push(("link".to_owned(), next.to_owned()));
    } else {
        headers.push(("link".to_owned(), r#"<https://example.social/x>; rel="prev""#.to_owned()));
    }
    headers
}

fn run(mut call: Call) -> (Vec<String>, Object, Call) {
    let mut urls = Vec::new();
    loop {
        match call.step() {
            Step::Ask(request) => {
                let url = request.url;
                let mut response = response(200, &answer(&url));
                response.headers = headers(&url);
                response.url.clone_from(&url);
                call.on_answer(&response, NOW);
                urls.push(url);
            }
            end => return (urls, done(end), call),
        }
    }
}

fn call(rules: &[(&str, &str)], kind: &str, id: &str, links: &[LinkKind]) -> (Vec<String>, Object, Call) {
    let networks = Arc::new(Networks::shipped());
    let instance = networks.understand("https://example.social/@ada").unwrap().instance;
    let snapi = Snapi::initialize(networks, Vec::new()).unwrap();
    constrain(&snapi, rules);
    run(snapi.get_object(&instance, kind, id, links, CallOptions::default()).unwrap())
}

#[test]
fn an_account_with_its_collections() {
    let (urls, account, call) = call(&[], "account", "1", &[LinkKind::P, LinkKind::Co]);
    assert_eq!(account.address.to_string(), "mastodon:example.social/account/1");
    assert_eq!(account.plinks["handle"], "ada".into());
    assert_eq!(account.plinks["followers_count"], 9.into());
    assert_eq!(ids(&account.colinks["posts"]), "103 102 101");
    assert_eq!(ids(&account.colinks["followers"]), "2");
    assert_eq!(ids(&account.colinks["tags"]), "rivers");
    assert_eq!(account.colinks["posts"][0].plinks["like_count"], 50.into());
    assert_eq!(account.colinks["posts"][0].clinks["author"].plinks["name"], "Ada".into());
    assert_eq!(urls.len(), 6, "{urls:#?}");
    assert_eq!(call.complaints(), []);
}

#[test]
fn a_post_with_its_thread() {
    let (_, post, call) = call(&[], "post", "102", &[LinkKind::C, LinkKind::Co]);
    assert_eq!(post.clinks["reply_to"].plinks["text"], "<p>post 101</p>".into());
    assert_eq!(ids(&post.colinks["replies"]), "104", "what it replies to is no reply");
    assert!(call.complaints().iter().all(|complaint| complaint.place == "quotes"), "{:?}", call.complaints());
}

#[test]
fn constraints_speak_of_the_definition() {
    let rules = [("mastodon/post", r#"post.plinks["like_count"] > 10 && post.author.followers_count < 100"#)];
    let (_, account, call) = call(&rules, "account", "1", &[LinkKind::Co]);
    assert_eq!(ids(&account.colinks["posts"]), "103 101");
    assert_eq!(call.unwanted_count(), 1);
}

#[test]
fn a_definition_is_replaced_while_a_call_is_under_way() {
    let networks = Arc::new(Networks::shipped());
    let instance = networks.understand("https://example.social/@ada").unwrap().instance;
    let snapi = Snapi::initialize(Arc::clone(&networks), Vec::new()).unwrap();
    let begin =
        || snapi.get_object(&instance, "account", "1", &[LinkKind::P], CallOptions::default()).unwrap();
    let mut early = begin();
    let text = include_str!("../../../../../networks/mastodon.toml").replace("/api/v1/", "/api/v9/");
    assert_eq!(snapi.apply_definition("mine.toml", &text).unwrap(), "mastodon");
    let url = |call: &mut Call| match call.step() {
        Step::Ask(request) => request.url,
        other => panic!("{other:?}"),
    };
    assert_eq!(url(&mut early), "https://example.social/api/v1/accounts/1");
    assert_eq!(url(&mut begin()), "https://example.social/api/v9/accounts/1");
    let error = snapi.apply_definition("mine.toml", "name = 3").unwrap_err().to_string();
    assert!(error.contains("mine.toml:1"), "{error}");
    assert_eq!(url(&mut begin()), "https://example.social/api/v9/accounts/1", "a wrong one changes nothing");
}
