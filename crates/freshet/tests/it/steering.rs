//! A crawl that is steered while it runs: robots rest and work again, definitions are replaced.
//!
//! The witness between crawl and world shows what is asked for, and from when on.

use std::time::{Duration, Instant};

use crate::support::freshet::Freshet;
use crate::support::process::Process;
use crate::support::proxy::Proxy;
use crate::support::world::World;
use crate::support::{until, wait_ms};

/// Wishes are seen within a second; a busy machine may need more.
const SOON: Duration = Duration::from_secs(5);

/// A crawl of a small world through a witness.
struct Crawl {
    freshet: Freshet,
    proxy: Proxy,
    run: Process,
    _world: World,
}

impl Crawl {
    fn start() -> Self {
        Self::start_with(&[])
    }

    /// With these tokens for the world's server, by the ends of their names.
    fn start_with(tokens: &[(&str, &str)]) -> Self {
        let world = World::start(6);
        let proxy = Proxy::before(world.port);
        let host = proxy.base.trim_start_matches("http://");
        let mut freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
        for (name, token) in tokens {
            let name = format!("FRESHET_CREDENTIAL_MASTODON_{name}");
            freshet = freshet.with_variable(&name, &format!("{host} {token}"));
        }
        freshet.ok(&["init"]);
        let mut authors: Vec<String> = world
            .truth()
            .iter()
            .map(|post| post["author"].as_str().expect("a post has an author").to_owned())
            .collect();
        authors.sort();
        authors.dedup();
        let references: Vec<String> =
            authors.iter().map(|author| format!("{}/@{author}", proxy.base)).collect();
        let args = ["add", "--allow-private"].into_iter().chain(references.iter().map(String::as_str));
        freshet.ok(&args.collect::<Vec<_>>());
        let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "5m"], "run.log");
        Self { freshet, proxy, run, _world: world }
    }

    /// Waits until something is asked for whose path and query contain this.
    fn wait_for(&self, what: &str, part: &str) -> Duration {
        let start = Instant::now();
        self.proxy.take_requests();
        until(what, SOON * 4, || self.has_asked(part).then_some(()));
        start.elapsed()
    }

    /// Whether anything like this was asked for since the last look.
    fn has_asked(&self, part: &str) -> bool {
        self.proxy.take_requests().iter().any(|request| request.contains(part))
    }

    fn state_of(&self, robot: &str) -> String {
        let status = self.freshet.json(&["status"]);
        status["robots"][robot].as_str().unwrap_or_default().to_owned()
    }

    fn is_alive(&mut self) -> bool {
        self.run.status().is_none()
    }
}

#[test]
fn robots_rest_and_work_again() {
    let mut crawl = Crawl::start();
    crawl.wait_for("timelines are read", "/statuses?");
    for (rest, work) in [("pause", "resume"), ("stop", "start")] {
        crawl.freshet.ok(&["robots", rest, "status"]);
        let expected = if rest == "pause" { "paused" } else { "stopped" };
        until("the crawl says so", SOON, || (crawl.state_of("status") == expected).then_some(()));
        // What was under way may still end.
        wait_ms(500);
        crawl.proxy.take_requests();
        wait_ms(2000);
        assert!(!crawl.has_asked("/statuses?"), "a robot that was told to {rest} still asks");
        crawl.freshet.ok(&["robots", work, "status"]);
        let took = crawl.wait_for("it works again", "/statuses?");
        assert!(took < SOON, "{work}: {took:?}");
    }
    assert!(crawl.is_alive());
}

#[test]
fn every_robot_shows_the_credential_that_was_named_for_it() {
    let mut crawl = Crawl::start_with(&[("ONE", "token-number-one"), ("TWO", "token-number-two")]);
    // Timelines are the status robot's, profiles the user robot's.
    let shown = |crawl: &Crawl, is_profile: bool| -> Vec<String> {
        let own = crawl.proxy.take_asked().into_iter().filter(|asked| {
            asked.path.contains("/accounts/")
                && !asked.path.contains("lookup")
                && asked.path.contains("/statuses") != is_profile
        });
        own.filter_map(|asked| asked.authorization).collect()
    };
    for (named, expected) in [
        (&["robots", "credential", "status"][..], "Bearer token-number-one"),
        (&["robots", "credential", "status", "mastodon-two"], "Bearer token-number-two"),
    ] {
        crawl.freshet.ok(named);
        // What was under way may still end.
        wait_ms(1500);
        crawl.proxy.take_asked();
        let mut lists = Vec::new();
        until("timelines are read", SOON * 4, || {
            lists.extend(shown(&crawl, false));
            (lists.len() > 3).then_some(())
        });
        assert!(lists.iter().all(|one| one == expected), "{expected}: {lists:?}");
    }
    let profiles =
        until("profiles are read", SOON * 4, || Some(shown(&crawl, true)).filter(|them| !them.is_empty()));
    assert!(profiles.iter().all(|one| one == "Bearer token-number-one"), "{profiles:?}");
    let robots = crawl.freshet.json(&["robots", "list"]);
    let status = robots["robots"].as_array().into_iter().flatten().find(|it| it["name"] == "status");
    assert_eq!(status.map(|it| it["credential"].clone()), Some("mastodon-two".into()), "{robots}");
    let said = crawl.freshet.say(&["robots", "credential", "status", "nobody"]);
    assert!(said.code == 2 && said.err.contains("mastodon-two"), "it names those there are: {said:?}");
    assert!(crawl.is_alive());
}

#[test]
fn a_definition_is_replaced_while_running() {
    let mut crawl = Crawl::start();
    crawl.wait_for("timelines are read by the shipped definition", "/statuses?limit=40");
    let folder = crawl.freshet.data().join("networks");
    std::fs::create_dir_all(&folder).unwrap();
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../networks/mastodon.toml");
    let shipped = std::fs::read_to_string(shipped).unwrap();
    let changed = shipped.replace("page_size = 40", "page_size = 7");
    assert_ne!(changed, shipped, "there is something to change");
    std::fs::write(folder.join("mastodon.toml"), changed).unwrap();
    crawl.wait_for("timelines are read by the new definition", "/statuses?limit=7");
    wait_ms(500);
    crawl.proxy.take_requests();
    wait_ms(1500);
    assert!(!crawl.has_asked("limit=40"), "the old definition is out of use");

    // A broken one is refused, and the crawl goes on with what it has.
    std::fs::write(folder.join("mastodon.toml"), "name = \"mastodon\"\nnonsense = 1\n").unwrap();
    wait_ms(1500);
    crawl.wait_for("timelines are still read", "/statuses?limit=7");
    assert!(crawl.is_alive());
    let log = std::fs::read_to_string(crawl.freshet.folder().join("run.log")).unwrap();
    assert!(log.contains("mastodon.toml") && log.contains("nonsense"), "it names file and key: {log}");
}
