//! Logging in and staying so, through the finished binary: consent in a browser or pasted, tokens that are renewed, taken
//! back, added and removed while a crawl runs. The network is a small one of our own; nothing is secret in its answers.

use std::time::Duration;

use crate::support::freshet::{Freshet, Said};
use crate::support::http;
use crate::support::oauth::OauthServer;
use crate::support::until;

/// Longest that anything here takes; opening the credentials file takes seconds on a busy machine.
const LIMIT: Duration = Duration::from_mins(2);

fn definition() -> &'static str {
    r#"
name = "tiny"
title = "A tiny network"
hosts = "many"
base = "http://{{ host }}"
pause = "0s"
auth = [{ kind = "bearer" }]

[[login]]
kind = "oauth2"
authorize_url = "/oauth/authorize"
token_url = "/oauth/token"
register_url = "/api/v1/apps"
scopes = ["read"]
grants = ["code", "client_credentials"]
user = { url = "/me", at = "/name" }

[types.account]
colinks = { posts = "post" }

[types.post]
clinks = { author = "account" }

[endpoints.posts]
url = "/{{ root }}"
kind = "posts"
root = "account"
robot = "status"
link = "posts"
items = [{ at = "/posts", mapping = "post" }]
page_size = 20

[mappings.post]
kind = "post"
id = "/id"
author = "$root"
created_at = "/at"
text = "/text"

[[references]]
pattern = 'tiny:(?P<scheme>http)://(?P<host>[^/]+)/(?P<id>.+)'
root = "account"
example = "tiny:http://tiny.example/ada"
"#
}

fn with_network() -> (Freshet, OauthServer, String) {
    let freshet = Freshet::new().with_variable("FRESHET_PASSPHRASE", "open sesame");
    freshet.ok(&["init"]);
    let folder = freshet.data().join("networks");
    std::fs::create_dir_all(&folder).expect("a folder for the definition");
    std::fs::write(folder.join("tiny.toml"), definition()).expect("the definition can be written");
    let server = OauthServer::start();
    let network = format!("tiny:{}", server.authority());
    (freshet, server, network)
}

/// Nothing that anybody may read holds a secret.
fn assert_silent(texts: &[&str]) {
    for secret in ["app-secret", "access-", "refresh-", "code-1"] {
        assert!(texts.iter().all(|text| !text.contains(secret)), "`{secret}` is told:\n{}", texts.join("\n"));
    }
}

fn pasted(freshet: &Freshet, network: &str, more: &[&str], line: &str) -> Said {
    let args = ["login", network, "--allow-private", "--no-browser"];
    freshet.say_with_input(&[&args[..], more].concat(), line)
}

#[test]
fn a_person_says_yes_in_a_browser() {
    let (freshet, server, network) = with_network();
    server.with(|state| state.lasts = Some(3600));
    let args = ["login", &network, "--allow-private", "--no-browser"];
    let mut login = freshet.start(&args, "login.log");
    let log = || std::fs::read_to_string(freshet.folder().join("login.log")).unwrap_or_default();
    let address = until("the address is shown", LIMIT, || {
        log()
            .lines()
            .find_map(|line| line.trim().strip_prefix("http://").map(|rest| format!("http://{rest}")))
    });
    // What a browser does: it asks the network, is sent back, and shows what it finds there.
    let redirected = until("the network sends the browser back", LIMIT, || redirect_of(&address));
    let url = url::Url::parse(&redirected).unwrap();
    assert_eq!(url.host_str(), Some("127.0.0.1"));
    let base = format!("http://127.0.0.1:{}", url.port().unwrap());
    let (status, page) = http::ask(&base, &format!("/?{}", url.query().unwrap())).unwrap();
    assert_eq!(status, 200);
    assert!(page.contains("You may close this page"), "{page}");
    assert!(login.finish_within(LIMIT).is_some_and(|status| status.success()), "{}", log());
    assert!(log().contains("logged in"), "{}", log());
    assert_silent(&[&log()]);

    let list = freshet.json(&["credentials", "list"]);
    let line = &list["credentials"][0];
    for (field, expected) in
        [("kind", "oauth2"), ("app", "app-1"), ("identifier", "ada"), ("state", "ready"), ("origin", "file")]
    {
        assert_eq!(line[field], expected, "{list}");
    }
    assert!(line["expires_at"].is_number(), "{list}");
    let file = std::fs::read(freshet.data().join("credentials.age")).unwrap();
    assert_silent(&[&list.to_string(), &String::from_utf8_lossy(&file)]);
    let asked = server.with(|state| state.asked.join("\n"));
    assert!(asked.contains("code_verifier=") && asked.contains("client_secret=app-secret"), "{asked}");
}

fn redirect_of(address: &str) -> Option<String> {
    let rest = address.strip_prefix("http://")?;
    let (authority, path) = rest.split_once('/')?;
    let mut stream = std::net::TcpStream::connect(authority).ok()?;
    std::io::Write::write_all(
        &mut stream,
        format!("GET /{path} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes(),
    )
    .ok()?;
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stream, &mut said).ok()?;
    said.lines().find_map(|line| line.strip_prefix("Location: ").map(|it| it.trim().to_owned()))
}

#[test]
fn what_goes_wrong_is_said_with_what_to_do() {
    let (freshet, server, network) = with_network();
    let check = |more: &[&str], line: &str, expected: &[&str]| {
        let said = pasted(&freshet, &network, more, line);
        assert_ne!(said.code, 0, "{}", said.out);
        for part in expected {
            assert!(said.err.contains(part), "{line}: `{part}` is missing in\n{}", said.err);
        }
        assert_silent(&[&said.out]);
    };
    check(&[], "http://127.0.0.1:1/?code=code-1&state=forged\n", &[&network, "is not to our question"]);
    check(&[], "http://127.0.0.1:1/?hello=1\n", &[&network, "paste the whole address"]);
    check(&[], "code-2\n", &[&network, "invalid_grant", "log in once more"]);
    for (answer, expected) in [
        ((200, "<html>hello</html>"), "answered something else (status 200)"),
        ((503, "{}"), "status 503; try again later"),
        ((401, r#"{"error":"invalid_client"}"#), "check the app's id and secret"),
        ((302, ""), "sends secrets elsewhere"),
    ] {
        server.with(|state| state.token_answer = Some(answer));
        check(&[], "code-1\n", &[&network, expected]);
    }
    let other = freshet.say(&["login", "hackernews"]);
    assert!(other.err.contains("has no login") && other.code == 2, "{}", other.err);
    // Nobody was asked for a secret in vain.
    let without = Freshet::new().say(&["login", "hackernews"]);
    assert!(without.err.contains("has no login") && without.code == 2, "{}", without.err);
    let unnamed = freshet.say(&["login", "tiny"]);
    assert!(unnamed.err.contains("many servers"), "{}", unnamed.err);
    let public = freshet.say(&["login", &network]);
    assert!(public.err.contains("--allow-private"), "{}", public.err);
    assert!(!freshet.data().join("credentials.age").exists(), "nothing was kept");
}

#[test]
fn a_token_is_renewed_while_a_crawl_runs_and_may_be_taken_back() {
    let (freshet, server, network) = with_network();
    let base = format!("tiny:http://{}", server.authority());
    server.with(|state| state.lasts = Some(1));
    let said = pasted(&freshet, &network, &["--name", "mine"], "code-1\n");
    assert_eq!(said.code, 0, "{}", said.err);
    freshet.ok(&["add", "--allow-private", &format!("{base}/ada")]);
    // It has run out when the crawl begins; the next one lasts.
    server.with(|state| {
        state.tokens.clear();
        state.lasts = Some(3600);
    });
    freshet.run_until_stored(&["post-of-ada".to_owned()], "1s", LIMIT);
    let (asked, refresh) = server.with(|state| (state.asked.clone(), state.refresh.clone()));
    assert_eq!(asked.iter().filter(|it| it.contains("grant_type=refresh_token")).count(), 1, "{asked:?}");
    assert_eq!(refresh.as_deref(), Some("refresh-2"));

    // What was renewed was saved: a second crawl goes on with it, and a refused token is renewed once more.
    server.with(|state| state.tokens.clear());
    freshet.ok(&["add", "--allow-private", &format!("{base}/bob")]);
    freshet.run_until_stored(&["post-of-bob".to_owned()], "1s", LIMIT);
    assert_eq!(server.with(|state| state.refresh.clone()).as_deref(), Some("refresh-3"));

    // Taken back: it rests, and everybody is told what to do.
    server.with(|state| {
        state.tokens.clear();
        state.is_taken_back = true;
    });
    freshet.ok(&["add", "--allow-private", &format!("{base}/eve")]);
    let ran = freshet.say(&["run", "--headless", "--no-dashboard", "--ceiling", "1s", "--for", "8s"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let list = freshet.ok(&["credentials", "list"]);
    let wanted = format!("needs `freshet login {network} --name mine` again");
    assert!(list.replace('\n', " ").contains("login"), "{list}");
    assert_eq!(freshet.json(&["credentials", "list"])["credentials"][0]["state"], "refused");
    assert!(ran.err.contains(&wanted) || ran.out.contains(&wanted), "{}\n{}", ran.err, ran.out);
    assert_silent(&[&list, &ran.err, &ran.out]);
    let asked = server.with(|state| state.asked.clone());
    assert_eq!(
        asked.iter().filter(|it| it.contains("refresh-3")).count(),
        1,
        "it is not asked for again: {asked:?}"
    );

    // The crawl went on without it, and was told that it needs one. Logging in again makes it good.
    server.with(|state| state.is_taken_back = false);
    let said = pasted(&freshet, &network, &["--name", "mine"], "code-1\n");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(freshet.json(&["credentials", "list"])["credentials"][0]["state"], "ready");
    freshet.run_until_stored(&["post-of-eve".to_owned()], "1s", LIMIT);
}

#[test]
fn a_running_crawl_sees_what_is_added_and_removed() {
    let (freshet, server, network) = with_network();
    server.with(|state| state.tokens.push("typed-token".to_owned()));
    freshet.ok(&["add", "--allow-private", &format!("tiny:http://{}/ada", server.authority())]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s"], "run.log");
    let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
    until("it asks without a credential", LIMIT, || {
        server.with(|state| (!state.shown.is_empty()).then_some(()))
    });
    let added = freshet.say_with_input(&["credentials", "add", &network, "--name", "late"], "typed-token\n");
    assert_eq!(added.code, 0, "{}", added.err);
    until("the crawl uses it", LIMIT, || log().contains("credentials in use: late").then_some(()));
    until("what was refused is asked for again, and stored", LIMIT, || {
        freshet.posts().iter().any(|post| post.to_string().contains("post-of-ada")).then_some(())
    });
    let path = freshet.data().join("credentials.age");
    let sound = std::fs::read(&path).unwrap();
    std::fs::write(&path, "not a file of ours").unwrap();
    until("a broken file is told", LIMIT, || log().contains("stay in use").then_some(()));
    freshet.ok(&["add", "--allow-private", &format!("tiny:http://{}/eve", server.authority())]);
    until("the old one stays in use", LIMIT, || {
        freshet.posts().iter().any(|post| post.to_string().contains("post-of-eve")).then_some(())
    });
    std::fs::write(&path, sound).unwrap();
    freshet.ok(&["credentials", "remove", "late"]);
    until("what was removed is used no more", LIMIT, || {
        log().contains("credentials no longer used: late").then_some(())
    });
    drop(run);
}
