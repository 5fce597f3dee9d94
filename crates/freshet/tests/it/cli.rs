//! The command line from outside: help, errors that name the thing, exit codes, and secrets that stay secret.
//!
//! Exit codes: 0 done, 1 failed, 2 misuse.

use std::path::Path;
use std::time::Duration;

use crate::support::freshet::{Freshet, Said};
use crate::support::world::World;
use crate::support::{until, wait_ms};

/// Runs a command and looks for its exit code and for words in what it said.
fn check(freshet: &Freshet, args: &[&str], code: i32, words: &[&str]) -> Said {
    let said = freshet.say(args);
    let all = format!("{}\n{}", said.out, said.err);
    assert_eq!(said.code, code, "`freshet {}`\n{all}", args.join(" "));
    for word in words {
        assert!(all.contains(word), "`freshet {}` does not say `{word}`\n{all}", args.join(" "));
    }
    assert!(!all.contains("panicked"), "`freshet {}`\n{all}", args.join(" "));
    said
}

#[test]
fn help() {
    let freshet = Freshet::new();
    let commands = [
        "demo",
        "init",
        "add",
        "remove",
        "pause",
        "resume",
        "weight",
        "retention",
        "forget",
        "care",
        "run",
        "dashboard",
        "status",
        "explain",
        "plan",
        "gaps",
        "check",
        "copy",
        "complaints",
        "search",
        "find",
        "get",
        "show",
        "graph",
        "robots",
        "constraints",
        "subscriptions",
        "focus",
        "alerts",
        "export",
        "snapshot",
        "forum",
        "networks",
        "login",
        "credentials",
        "world",
        "simulate",
    ];
    check(&freshet, &["--help"], 0, &commands);
    for command in commands {
        check(&freshet, &[command, "--help"], 0, &["Usage:"]);
    }
    check(&freshet, &["--version"], 0, &["freshet 0."]);
}

#[test]
fn misuse() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    for (args, words) in [
        (&["nonsense"][..], &["nonsense"][..]),
        (&["status", "--nonsense"], &["--nonsense"]),
        (&["status", "--format", "nonsense"], &["nonsense", "json"]),
        (&["export", "--format", "nonsense"], &["nonsense", "jsonl", "csv", "parquet"]),
        (&["export", "--kind", "nonsense"], &["nonsense", "posts"]),
        (&["robots", "start", "nonsense"], &["nonsense", "relation"]),
        (&["run", "--for", "nonsense"], &["nonsense"]),
        (&["add"], &["REF"]),
        (&["add", "what is this?"], &["what is this?", "@user@", "bsky", "feed"]),
        (&["add", "@a@host", "--since", "nonsense"], &["nonsense"]),
        (&["add", "@a@host", "--weight", "0"], &["`0`", "from 0.001 to 1000", "freshet pause"]),
        (&["add", "@a@host", "--weight", "-1"], &["`-1`", "negative", "from 0.001 to 1000"]),
        (&["add", "@a@host", "--weight", "inf"], &["`inf`", "too large"]),
        (&["weight", "@a@host", "nan"], &["`nan`", "no number"]),
        (&["weight", "@a@host", "much"], &["`much`", "from 0.001 to 1000"]),
        (&["weight", "@a@host", "-2"], &["`-2`", "negative"]),
        (&["weight", "2"], &["W"]),
        (&["weight", "@nobody@host", "2"], &["no source is known", "@nobody@host"]),
        (&["run", "--importance", "perhaps"], &["perhaps", "`on` or `off`"]),
    ] {
        check(&freshet, args, 2, words);
    }
}

#[test]
fn failures_name_the_thing() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let text = "name = \"odd\"\ntitle = \"Odd\"\nnonsense = 1\n";
    std::fs::write(freshet.folder().join("odd.toml"), text).unwrap();
    std::fs::write(freshet.folder().join("forum.toml"), "format = 1\nhost = \"forum.example\"\n").unwrap();
    for (args, words) in [
        (&["networks", "check", "odd.toml"][..], &["odd.toml:3", "nonsense"][..]),
        (&["networks", "check", "absent.toml"], &["absent.toml"]),
        (&["networks", "show", "nowhere"], &["nowhere", "mastodon"]),
        (&["forum", "learn", "absent"], &["absent", "index.tsv", "captured"]),
        (&["forum", "learn", "http://127.0.0.1:9/"], &["127.0.0.1", "--allow-private"]),
        (&["add", "--as", "forum", "--allow-private", "http://127.0.0.1:9/"], &["127.0.0.1:9"]),
        (&["networks", "check", "forum.toml"], &["forum.toml", "front"]),
        (&["forum", "inspect", "page.html"], &["page.html", "--url"]),
        (&["add", "-f", "absent.txt"], &["absent.txt"]),
        (&["explain", "mastodon:nowhere.example/account/1"], &["nowhere.example"]),
        (&["get", "mastodon:nowhere.example/account/1"], &["nothing is stored of", "--online"]),
        (&["get", "nowhere/account/1"], &["has no definition here"]),
        (&["get", "nobody at all"], &["no object is known"]),
        (&["get", "mastodon:a.example/post/1", "author."], &["a link has a name"]),
        (&["show", "mastodon:nowhere.example/account/1"], &["nothing is stored of"]),
        (&["graph", "mastodon:nowhere.example/account/1", "-o", "x.svg"], &["nothing is stored of"]),
        (&["graph", "mastodon:nowhere.example/account/1", "-o", "x.png"], &[".graphml"]),
        (&["networks", "read", "--network", "mastodon", "--recordings", "absent.jsonl"], &["absent.jsonl"]),
    ] {
        let said = freshet.say(args);
        assert!(said.code == 1 || said.code == 2, "`freshet {}` ended with {}", args.join(" "), said.code);
        check(&freshet, args, said.code, words);
    }
}

#[test]
fn a_partly_understood_list_adds_what_it_can() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    std::fs::write(freshet.folder().join("list"), "# friends\n@ada@example.social\n???\n").unwrap();
    check(&freshet, &["add", "-f", "list"], 1, &["???"]);
    check(&freshet, &["explain", "@ada@example.social"], 0, &["ada"]);
}

#[test]
fn a_weight_is_set_shown_and_kept() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    check(&freshet, &["add", "@ada@example.social", "@bob@example.social", "--weight", "5"], 0, &["2 added"]);
    check(&freshet, &["explain", "@ada@example.social"], 0, &["weight: 5 as set", "nobody asked about it"]);
    check(&freshet, &["weight", "@ada@example.social", "0.2"], 0, &["of weight 0.2 now"]);
    check(&freshet, &["weight", "@ada@example.social", "0.2"], 0, &["nothing changed"]);
    check(&freshet, &["add", "@ada@example.social"], 0, &["1 already there"]);
    check(&freshet, &["explain", "@ada@example.social"], 0, &["weight: 0.2 as set"]);
    check(&freshet, &["explain", "@bob@example.social"], 0, &["weight: 5 as set"]);
    check(&freshet, &["add", "@bob@example.social", "--weight", "3"], 0, &["1 already there"]);
    check(&freshet, &["explain", "@bob@example.social"], 0, &["weight: 3 as set"]);
}

#[test]
fn foreign_store_is_left_alone() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let store = freshet.data().join("store.sqlite");
    assert!(store.is_file(), "the store lies at its place");
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(freshet.data().join(format!("store.sqlite{end}")));
    }
    let foreign = "this is not a store ".repeat(500);
    std::fs::write(&store, &foreign).unwrap();
    check(&freshet, &["status"], 1, &["store.sqlite"]);
    assert_eq!(std::fs::read_to_string(&store).unwrap(), foreign, "the file is untouched");
}

#[test]
fn a_second_run_is_refused() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let mut first = freshet.start(&["run", "--headless", "--no-dashboard"], "run.log");
    let pid = first.id().to_string();
    // Only then: a second run that came first would be the one that holds the folder.
    until("the first run holds the folder", Duration::from_secs(20), || {
        (freshet.json(&["status"])["is_running"] == true).then_some(())
    });
    let refused = freshet.say(&["run", "--headless", "--no-dashboard", "--for", "1s"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(&pid), "{refused:?} does not name {pid}");
    let status = freshet.json(&["status"]);
    assert!(status.to_string().contains(&pid), "{status}");
    // A killed run leaves nothing behind that would refuse the next one.
    assert!(first.kill(), "the first run is still there");
    freshet.run_for(1, "1h");
}

#[test]
fn robots_are_steered_while_running() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let _run = freshet.start(&["run", "--headless", "--no-dashboard"], "run.log");
    for (verb, state) in
        [("start", "running"), ("pause", "paused"), ("resume", "running"), ("stop", "stopped")]
    {
        freshet.ok(&["robots", verb, "relation"]);
        until(verb, Duration::from_secs(10), || {
            let robots = freshet.json(&["robots", "list"]);
            let mut robots = robots["robots"].as_array().expect("robots are listed").iter();
            robots.any(|robot| robot["name"] == "relation" && robot["state"] == state).then_some(())
        });
    }
}

#[test]
fn completions_and_manual() {
    let freshet = Freshet::new();
    for shell in ["bash", "zsh", "fish"] {
        check(&freshet, &["completions", shell], 0, &["freshet", "export"]);
    }
    check(&freshet, &["man"], 0, &[".TH"]);
    freshet.ok(&["man", "-o", "pages"]);
    let pages = std::fs::read_dir(freshet.folder().join("pages")).unwrap().count();
    assert!(pages > 10, "{pages} pages");
}

/// What must be found nowhere.
const SECRETS: [&str; 3] = ["planted-token-e7a1", "planted-file-secret-93bc", "planted-passphrase-5d20"];

#[test]
fn secrets_stay_secret() {
    let world = World::start(4);
    let server = world.base.trim_start_matches("http://").to_owned();
    let freshet = Freshet::new()
        .with_clock(format!("{}/clock", world.base))
        .with_variable("FRESHET_CREDENTIAL_MASTODON", &format!("{server} {}", SECRETS[0]))
        .with_variable("FRESHET_PASSPHRASE", SECRETS[2]);
    let mut heard = Vec::new();
    heard.push(freshet.say(&["init"]));
    let network = format!("mastodon:{server}");
    let planted = |network: &str| {
        let add = ["credentials", "add", network, "--name", "planted", "--robot", "status"];
        freshet.say_with_input(&add, &format!("{}\n", SECRETS[1]))
    };
    let refused = planted("mastodon");
    assert!(refused.code == 2 && refused.err.contains("mastodon:example.social"), "{refused:?}");
    let added = planted(&network);
    assert_eq!(added.code, 0, "{added:?}");
    heard.extend([refused, added]);
    let author = world.truth()[0]["author"].as_str().unwrap().to_owned();
    // One source answers, the other's server is not there.
    heard.push(freshet.say(&[
        "add",
        "--allow-private",
        &format!("{}/@{author}", world.base),
        "http://127.0.0.1:9/@gone",
    ]));
    heard.push(freshet.say(&[
        "run",
        "-vv",
        "--headless",
        "--no-dashboard",
        "--ceiling",
        "10m",
        "--keep-raw",
        "--for",
        "5s",
    ]));
    assert_eq!(heard.last().unwrap().code, 0, "{heard:?}");
    assert!(!freshet.posts().is_empty(), "the crawl stored something");
    for args in [
        &["status"][..],
        &["status", "--format", "json"],
        &["gaps", "--format", "json"],
        &["complaints", "--format", "json"],
        &["robots", "list", "--format", "json"],
        &["credentials", "list"],
        &["credentials", "list", "--format", "json"],
        &["networks", "show", "mastodon"],
        &["export", "--kind", "posts"],
        &["export", "--kind", "accounts"],
        &["export", "--kind", "relations"],
        &["export", "--format", "csv"],
        &["alerts", "--format", "json"],
        &["snapshot", "taken"],
        &["search", "planted", "--format", "json"],
    ] {
        heard.push(freshet.say(args));
    }
    // Names of credentials are no secrets and must be listed.
    assert!(heard.iter().any(|said| said.out.contains("planted")), "the credential is listed by its name");
    for secret in SECRETS {
        for said in &heard {
            assert!(
                !said.out.contains(secret) && !said.err.contains(secret),
                "`{secret}` was said: {said:?}"
            );
        }
        assert_not_in_files(freshet.folder(), secret);
    }
}

fn assert_not_in_files(folder: &Path, secret: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            assert_not_in_files(&path, secret);
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "`{secret}` is written in `{}`", path.display());
        }
    }
}

#[test]
fn everything_works_while_running() {
    let world = World::start(4);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    wait_ms(500);
    let author = world.truth()[0]["author"].as_str().unwrap().to_owned();
    let reference = format!("{}/@{author}", world.base);
    freshet.ok(&["add", "--allow-private", &reference]);
    // Originals of what the author shared are others' posts: they are stored, and stay.
    let own_count = || freshet.posts().iter().filter(|post| post["author"] == author).count();
    until("a source added meanwhile is visited", Duration::from_secs(20), || (own_count() > 0).then_some(()));
    freshet.ok(&["explain", &reference]);
    freshet.json(&["gaps"]);
    let forgotten = freshet.ok(&["forget", &reference, "--yes"]);
    assert!(!forgotten.trim().is_empty(), "`forget` says what it erased");
    wait_ms(1500);
    assert_eq!(own_count(), 0, "what was forgotten stays away");
    drop(run);
}
