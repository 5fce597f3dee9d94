//! Two viewers and everybody read the same account of one server, which shows each of them something else: a planted secret is found by its
//! viewer on every way out, by nobody else on any, and nowhere at all once the credential is removed.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use freshet_fetch::hostile::Hostile;

use crate::support::freshet::Freshet;
use crate::support::http;
use crate::support::until;
use crate::unkept::{files, serve, serve_to};

const LIMIT: Duration = Duration::from_secs(90);
const TOKENS: [(&str, &str); 2] = [("alpha", "token-of-alpha"), ("beta", "token-of-beta")];
/// The route of values that renew themselves.
const LIVE: &str = "/api/v1/live";
/// What only one of them is shown: a post of its own, another version of one that all see, a name.
const ALPHA: [&str; 3] = ["quillwort alone", "quillwort version", "Quillwort Name"];
const BETA: [&str; 3] = ["zanzibar alone", "zanzibar version", "Zanzibar Name"];
/// The ids of their own posts.
const IDS: [&str; 2] = ["771177", "882288"];

/// A server, and a data folder in which three read its one account.
struct Scene {
    freshet: Freshet,
    server: Hostile,
    network: String,
    _runtime: tokio::runtime::Runtime,
}

impl Scene {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
        let server = runtime.block_on(Hostile::start());
        serve(&server, &[("2", "everybody two"), ("1", "everybody one")], "Everybody Name");
        serve_to(
            &server,
            Some(TOKENS[0].1),
            &[(IDS[0], ALPHA[0]), ("2", ALPHA[1]), ("1", "everybody one")],
            ALPHA[2],
        );
        serve_to(
            &server,
            Some(TOKENS[1].1),
            &[(IDS[1], BETA[0]), ("2", BETA[1]), ("1", "everybody one")],
            BETA[2],
        );
        let freshet = Freshet::new().with_variable("FRESHET_PASSPHRASE", "correct horse battery");
        freshet.ok(&["init"]);
        let network = format!("mastodon:{}", server.authority());
        for (name, token) in TOKENS {
            let said = freshet
                .say_with_input(&["credentials", "add", &network, "--name", name], &format!("{token}\n"));
            assert_eq!(said.code, 0, "{said:?}");
        }
        Self { freshet, server, network, _runtime: runtime }
    }
}

/// What one of them may not be shown.
fn foreign(viewer: Option<&str>) -> Vec<&'static str> {
    let mut all = Vec::new();
    if viewer != Some("alpha") {
        all.extend(ALPHA.iter().chain([&IDS[0]]));
    }
    if viewer != Some("beta") {
        all.extend(BETA.iter().chain([&IDS[1]]));
    }
    all
}

/// Checks that none of these texts stands there.
fn check_without(what: &str, said: &[u8], texts: &[&str]) {
    for text in texts {
        let is_there = said.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!is_there, "`{text}` stands in {what}: {}", String::from_utf8_lossy(said));
    }
}

/// Everything that a command may say to one of them.
fn commands(network: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<Vec<String>> = [
        "search quillwort",
        "search zanzibar",
        "search every*",
        "status",
        "gaps",
        "explain ada",
        "complaints",
        "check",
        "subscriptions list",
    ]
    .iter()
    .flat_map(|line| [words(line), words(&format!("{line} --format json"))])
    .collect();
    for id in ["2", IDS[0], IDS[1]] {
        let address = format!("{network}/post/{id}");
        for command in ["get", "show"] {
            all.push(words(&format!("{command} {address}")));
            all.push(words(&format!("{command} {address} --format json")));
        }
    }
    for command in ["get", "show"] {
        all.push(words(&format!("{command} {network}/account/1")));
    }
    for kind in ["posts", "accounts", "relations", "changes", "objects", "links"] {
        for format in ["jsonl", "csv"] {
            all.push(words(&format!("export --kind {kind} --format {format}")));
        }
    }
    all
}

/// The commands that take no viewer, as everybody.
const PUBLIC: [&str; 7] = [
    "plan --calls-per-hour 10",
    "care",
    "robots list",
    "budget list",
    "constraints list",
    "networks list",
    "credentials list",
];

#[test]
fn a_planted_secret_shows_for_its_viewer_on_every_way_out_and_for_nobody_else() {
    let scene = Scene::new();
    let freshet = &scene.freshet;
    let told = |name: &str| freshet.folder().join(format!("{name}.jsonl"));
    let kinds = "posts,accounts,relations,links,deletions";
    // A viewer has something of its own before it has a subscription.
    let refused = freshet.say(&["subscriptions", "add", "mine", "--file", "x.jsonl", "--as", "alpha"]);
    assert!(refused.code == 2 && refused.err.contains("nothing was read as `alpha`"), "{refused:?}");
    let account = scene.server.url("/@ada");
    freshet.ok(&["add", "--allow-private", &account, "--as", "alpha"]);
    for (name, viewer) in [("all", None), ("mine", Some("alpha"))] {
        let file = told(name).to_string_lossy().into_owned();
        let mut args =
            vec!["subscriptions", "add", name, "--file", &file, "--from", "beginning", "--kinds", kinds];
        args.extend(viewer.iter().flat_map(|viewer| ["--as", viewer]));
        freshet.ok(&args);
    }
    let refused = freshet.say(&["subscriptions", "add", "open", "--websocket", "--as", "alpha"]);
    assert!(refused.code == 2 && refused.err.contains("WebSocket"), "{refused:?}");
    crawl(&scene);

    for viewer in [None, Some("alpha"), Some("beta")] {
        let mut heard = String::new();
        for command in commands(&scene.network) {
            let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
            args.extend(viewer.iter().flat_map(|viewer| ["--as", viewer]));
            let said = freshet.say(&args);
            // What is not there for somebody is not there: exit code 2, as for anything that nobody knows.
            let is_foreign = IDS.iter().any(|id| args.iter().any(|arg| arg.ends_with(id)));
            assert!(said.code == 0 || (is_foreign && said.code == 2), "{args:?}: {said:?}");
            // An error may repeat the address that was asked for; of what is there it says nothing.
            let texts: Vec<&str> = foreign(viewer)
                .into_iter()
                .filter(|text| !args.iter().any(|arg| arg.contains(text)))
                .collect();
            check_without(&format!("{args:?}"), said.out.as_bytes(), &texts);
            check_without(&format!("{args:?}"), said.err.as_bytes(), &texts);
            heard += &said.out;
        }
        let own = match viewer {
            None => ["everybody one", "everybody two", "Everybody Name"],
            Some("alpha") => ALPHA,
            Some(_) => BETA,
        };
        for text in own {
            assert!(heard.contains(text), "{viewer:?} is not shown `{text}`: {heard}");
        }
        check_folders(freshet, viewer, own);
    }
    for line in PUBLIC {
        let said = freshet.say(&line.split(' ').collect::<Vec<_>>());
        assert!(said.code <= 1, "{line}: {said:?}");
        check_without(line, said.out.as_bytes(), &foreign(None));
        let refused = freshet.say(&[&line.split(' ').collect::<Vec<_>>()[..], &["--as", "alpha"]].concat());
        assert!(refused.code == 2 && refused.err.contains("`alpha`"), "{line}: {refused:?}");
    }

    let all = std::fs::read(told("all")).expect("everybody's subscriber was told");
    check_without("the subscription of everybody", &all, &foreign(None));
    let mine = std::fs::read(told("mine")).expect("the viewer's subscriber was told");
    check_without("the subscription of a viewer", &mine, &foreign(Some("alpha")));
    let mine = String::from_utf8_lossy(&mine).into_owned();
    assert!(mine.contains(ALPHA[0]) && mine.contains(ALPHA[1]), "{mine}");

    let ids = |viewer: Option<&str>| -> Vec<u64> {
        let args = ["explain", "ada"].into_iter().chain(viewer.iter().flat_map(|viewer| ["--as", viewer]));
        let said = freshet.json(&args.collect::<Vec<_>>());
        let of_posts = |it: &&serde_json::Value| it["robot"] == "status";
        let sources = said["sources"].as_array().expect("a list").iter().filter(of_posts);
        sources.map(|it| it["source"].as_u64().expect("a number")).collect()
    };
    assert_eq!(ids(None).len(), 1);
    assert_eq!(ids(Some("alpha")).len(), 2, "a list read as two is two coverages");
    assert!(ids(Some("alpha")).contains(&ids(None)[0]) && ids(Some("alpha")) != ids(Some("beta")));

    check_dashboard(&scene);
    check_files(freshet);
    check_end(&scene);
}

/// Adds the account for all three, and crawls until each has what it is shown.
fn crawl(scene: &Scene) {
    let account = scene.server.url("/@ada");
    for viewer in ["nobody", "alpha", "beta"] {
        let said = scene.freshet.say(&["add", "--allow-private", &account, "--as", viewer]);
        match viewer {
            "nobody" => assert!(said.code == 2 && said.err.contains("no credential `nobody`"), "{said:?}"),
            _ => assert_eq!(said.code, 0, "{said:?}"),
        }
    }
    let feed = scene.server.url("/feed.xml");
    let said = scene.freshet.say(&["add", "--allow-private", &format!("rss:{feed}"), "--as", "alpha"]);
    assert!(said.code == 2 && said.err.contains("has no use for a credential"), "{said:?}");
    let said = scene.freshet.say(&["add", "@bob@other.example", "--as", "alpha"]);
    assert!(said.code == 2 && said.err.contains("shown to no other"), "{said:?}");
    // Adding what is there changes nothing, so the rest of the crawl is as everywhere.
    scene.freshet.ok(&["add", "--allow-private", &account]);
    let mut run = scene.freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s"], "run.log");
    for (viewer, texts) in [("alpha", ALPHA), ("beta", BETA)] {
        until("a viewer has what only it is shown", LIMIT, || {
            let kinds = ["posts", "accounts"]
                .map(|kind| scene.freshet.say(&["export", "--kind", kind, "--as", viewer]).out);
            let all = kinds.concat();
            texts.iter().all(|text| all.contains(text)).then_some(())
        });
    }
    until("everybody has the rest", LIMIT, || {
        let all = ["posts", "accounts"].map(|kind| scene.freshet.ok(&["export", "--kind", kind])).concat();
        ["everybody one", "everybody two", "Everybody Name"].iter().all(|it| all.contains(it)).then_some(())
    });
    let told = scene.freshet.folder().join("mine.jsonl");
    until("the viewer's subscriber has it too", LIMIT, || {
        let told = std::fs::read_to_string(&told).unwrap_or_default();
        (told.contains(ALPHA[0]) && told.contains(ALPHA[1])).then_some(())
    });
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "the run stops well");
    let log = std::fs::read(scene.freshet.folder().join("run.log")).expect("a log");
    check_without("what the run said", &log, &foreign(None));
}

/// Exports in folders, a snapshot and a graph.
fn check_folders(freshet: &Freshet, viewer: Option<&str>, own: [&str; 3]) {
    let at = |name: &str| freshet.folder().join(format!("{name}-{}", viewer.unwrap_or("all")));
    let as_viewer: Vec<&str> = viewer.iter().flat_map(|viewer| ["--as", viewer]).collect();
    for format in ["jsonl", "csv", "parquet"] {
        let dir = at(format).to_string_lossy().into_owned();
        let kinds = "posts,accounts,changes,objects,links,relations";
        let args = [&["export", "--format", format, "--kind", kinds, "-o", &dir], &as_viewer[..]].concat();
        freshet.ok(&args);
        check_folder(Path::new(&dir), viewer);
        let text: Vec<u8> =
            files(Path::new(&dir)).iter().flat_map(|it| std::fs::read(it).expect("a file")).collect();
        if format != "parquet" {
            assert!(own.iter().all(|text_of| String::from_utf8_lossy(&text).contains(text_of)), "{format}");
        }
    }
    let dir = at("snapshot").to_string_lossy().into_owned();
    freshet.ok(&[&["snapshot", &dir, "--data-format", "jsonl"], &as_viewer[..]].concat());
    check_folder(Path::new(&dir), viewer);
}

fn check_folder(dir: &Path, viewer: Option<&str>) {
    let all = files(dir);
    assert!(!all.is_empty(), "{} is empty", dir.display());
    for path in all {
        let bytes = std::fs::read(&path).expect("a file can be read");
        check_without(&path.display().to_string(), &bytes, &foreign(viewer));
    }
}

/// Every page and route that a GET reads, as everybody and as each viewer.
fn check_dashboard(scene: &Scene) {
    let freshet = &scene.freshet;
    let mut serving = freshet.start(&["dashboard", "--listen", "127.0.0.1:0"], "dashboard.log");
    let log = freshet.folder().join("dashboard.log");
    let base = until("the dashboard says where it is", LIMIT, || {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        said.lines()
            .find_map(|line| line.split("dashboard: ").nth(1))
            .map(|it| it.trim_end_matches('/').to_owned())
    });
    let routes = http::get(&base, "/api/v1/openapi.json");
    let routes = routes["paths"].as_object().expect("paths").iter();
    let mut paths: Vec<String> = routes
        .filter(|(path, what)| what.get("get").is_some() && !path.contains('{') && *path != LIVE)
        .map(|(path, _)| path.clone())
        .collect();
    paths.extend(
        ["/", "/sources", "/posts", "/posts?q=every*", "/robots", "/networks", "/plan", "/settings", "/care"]
            .map(str::to_owned),
    );
    paths.extend(
        ["/alerts", "/complaints", "/subscriptions", "/metrics", "/posts.jsonl", "/posts.csv"]
            .map(str::to_owned),
    );
    assert!(paths.len() > 25, "{paths:?}");
    for viewer in [None, Some("alpha"), Some("beta")] {
        let mut heard = String::new();
        for path in &paths {
            let mark = if path.contains('?') { '&' } else { '?' };
            let asked = viewer.map_or_else(|| path.clone(), |viewer| format!("{path}{mark}as={viewer}"));
            let (status, body) = http::ask(&base, &asked).expect("an answer");
            assert!(status < 500, "{asked}: {status} {body}");
            check_without(&asked, body.as_bytes(), &foreign(viewer));
            heard += &body;
        }
        let asked = viewer.map_or_else(|| LIVE.to_owned(), |viewer| format!("{LIVE}?as={viewer}"));
        let said = live(&base, &asked);
        assert!(String::from_utf8_lossy(&said).contains("data:"), "{}", String::from_utf8_lossy(&said));
        check_without(&asked, &said, &foreign(viewer));
        let own = match viewer {
            None => "everybody two",
            Some("alpha") => ALPHA[0],
            Some(_) => BETA[0],
        };
        assert!(heard.contains(own), "{viewer:?} is not shown `{own}`");
    }
    let (status, _) = http::ask(&base, "/api/v1/posts?as=nobody").expect("an answer");
    assert_eq!(status, 404);
    let form = http::Body::Form(&[("password", "x")]);
    let (status, body) = http::send("POST", &base, "/budgets?as=alpha", None, Some(form)).expect("an answer");
    assert!(status == 403 && body.contains("nothing is changed"), "{status} {body}");
    serving.send("TERM");
    serving.finish_within(LIMIT);
}

/// What the values that renew themselves say in a while; they never end.
fn live(base: &str, asked: &str) -> Vec<u8> {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the dashboard is there");
    stream.set_read_timeout(Some(Duration::from_secs(3))).expect("a time limit can be set");
    write!(stream, "GET {asked} HTTP/1.0\r\nHost: {host}\r\n\r\n").expect("a request can be sent");
    let (mut said, mut part) = (Vec::new(), [0; 4096]);
    while said.len() < 2 * part.len()
        && let Ok(count @ 1..) = stream.read(&mut part)
    {
        said.extend(&part[..count]);
    }
    said
}

/// Files outside of the folder of a viewer hold nothing of it.
fn check_files(freshet: &Freshet) {
    let data = freshet.data();
    for path in files(&data) {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let of = |viewer: &str| path.starts_with(data.join("viewers").join(viewer));
        let viewer = ["alpha", "beta"].into_iter().find(|viewer| of(viewer));
        check_without(&path.display().to_string(), &bytes, &foreign(viewer));
    }
    let own = std::fs::read(data.join("viewers/alpha/store.sqlite")).expect("a viewer has a store");
    let is_there = |text: &str| own.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(is_there(ALPHA[0]), "the search that finds nothing elsewhere finds it here");
}

/// What is forgotten is forgotten for viewers, and who is removed is gone.
fn check_end(scene: &Scene) {
    let freshet = &scene.freshet;
    freshet.ok(&["forget", &format!("{}/post/{}", scene.network, IDS[1]), "--yes"]);
    let holding = |texts: &[&str]| -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            texts.iter().any(|text| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        };
        files(&freshet.data()).into_iter().filter(holds).collect()
    };
    assert_eq!(holding(&[BETA[0]]), [] as [PathBuf; 0], "what is forgotten stands in a file of a viewer");
    assert!(!holding(&[BETA[1]]).is_empty(), "and nothing else is");
    freshet.ok(&["credentials", "remove", "alpha"]);
    assert_eq!(holding(&ALPHA), [] as [PathBuf; 0], "what a removed viewer saw stands in a file");
    assert!(!freshet.data().join("viewers/alpha").exists());
    for args in [&["search", "quillwort", "--as", "alpha"][..], &["export", "--as", "alpha"]] {
        let said = freshet.say(args);
        assert!(said.code == 2 && said.err.contains("nothing was read as `alpha`"), "{said:?}");
    }
    assert!(freshet.ok(&["export", "--as", "beta"]).contains(BETA[1]));
    assert!(freshet.ok(&["search", "every*"]).contains("everybody"));
}
