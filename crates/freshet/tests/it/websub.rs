//! Hubs of feeds, over real sockets: a run asks, is asked back, and stores what is brought and signed; nothing else is believed.

use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::hub::{Hub, Mood};
use crate::support::process::{Process, free_port};
use crate::support::until;

const LIMIT: Duration = Duration::from_secs(40);

/// A run that hubs reach, and the feed of the hub in it.
fn listening(hub: &Hub) -> (Freshet, Process, u16) {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    freshet.ok(&["add", "--allow-private", &format!("rss:{}", hub.feed())]);
    let port = free_port();
    let (address, public) = (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"));
    let run = freshet.start(
        &["run", "--headless", "--listen", &address, "--websub-at", &public, "--ceiling", "1d"],
        "run.log",
    );
    (freshet, run, port)
}

/// What is told of the feed's hub.
fn line(freshet: &Freshet) -> Value {
    freshet.json(&["status"])["hubs"]["feeds"][0].clone()
}

fn in_state(freshet: &Freshet, state: &str) -> Value {
    until(state, LIMIT, || Some(line(freshet)).filter(|line| line["state"] == state))
}

/// The titles that are stored.
fn texts(freshet: &Freshet) -> Vec<String> {
    let mut texts: Vec<String> =
        freshet.posts().iter().map(|post| post["text"].as_str().unwrap_or_default().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn what_a_hub_brings_is_stored_if_it_is_signed() {
    let hub = Hub::start();
    hub.publish("1", "the first");
    let (freshet, _run, port) = listening(&hub);
    let live = in_state(&freshet, "live");
    assert!(live["until"].is_number() && live["why"].is_null(), "{live}");
    let asked = hub.asked("subscribe").remove(0);
    assert_eq!(asked.answer, Some((200, "a challenge of some words & signs".to_owned())));
    assert!(asked.form["hub.topic"] == hub.feed() && asked.form["hub.secret"].len() >= 40, "{asked:?}");
    let public = format!("http://127.0.0.1:{port}/hub/");
    assert!(asked.form["hub.callback"].starts_with(&public), "{asked:?}");

    // What is signed is there within moments, though the feed itself is not asked.
    let secret = hub.secret();
    let entry = |id: &str, text: &str| vec![(id.to_owned(), text.to_owned())];
    assert_eq!(hub.bring(&hub.page(&entry("2", "the second")), Some(&secret)), 202);
    until("what was brought", LIMIT, || (texts(&freshet) == ["the first", "the second"]).then_some(()));
    assert_eq!(hub.bring(&hub.page(&entry("2", "the second")), Some(&secret)), 202, "twice is once");

    // Who signs wrongly or not at all is thanked, and nothing comes of it; nor is a long body read.
    assert_eq!(hub.bring(&hub.page(&entry("3", "a lie")), Some("another word")), 202);
    assert_eq!(hub.bring(&hub.page(&entry("3", "a lie")), None), 202);
    assert_eq!(hub.bring(&"x".repeat(2 << 20), Some(&secret)), 413);
    // The hub asks back without having been asked: about this feed, another one, and at another address.
    assert_eq!(Hub::verify(&asked.form, &hub.feed()).0, 404);
    assert_eq!(Hub::verify(&asked.form, "http://127.0.0.1/other.xml").0, 404);
    let mut elsewhere = asked.form.clone();
    elsewhere.insert("hub.callback".to_owned(), format!("{public}somewhere"));
    assert_ne!(Hub::verify(&elsewhere, &hub.feed()).0, 200);
    let told = until("the count", LIMIT, || Some(line(&freshet)).filter(|line| line["refused_count"] == 2));
    assert_eq!(told["taken_count"], 2, "{told}");
    assert_eq!(texts(&freshet), ["the first", "the second"]);
    let said = freshet.ok(&["status"]);
    assert!(said.contains("hubs tell of 1 of 1 feed") && said.contains("2 not signed"), "{said}");
    let explained = freshet.ok(&["explain", &format!("rss:{}", hub.feed())]).replace('\n', " ");
    assert!(explained.contains("which tells this run"), "{explained}");

    // What cannot be read makes the feed due, and the visit finds what is new.
    hub.publish("4", "the fourth");
    assert_eq!(hub.bring("news!", Some(&secret)), 202);
    until("the visit", LIMIT, || texts(&freshet).contains(&"the fourth".to_owned()).then_some(()));
    let why = line(&freshet)["why"].as_str().unwrap_or_default().to_owned();
    assert!(why.contains("no page of the feed"), "{why}");

    // Whoever is not watched any more is taken leave of.
    freshet.ok(&["remove", &format!("rss:{}", hub.feed())]);
    let left = until("the leave", LIMIT, || hub.asked("unsubscribe").pop().filter(|it| it.answer.is_some()));
    assert_eq!(left.answer.map(|(status, _)| status), Some(200));
    assert_eq!(hub.bring(&hub.page(&entry("5", "too late")), Some(&secret)), 410);
}

#[test]
fn no_secret_of_a_hub_lies_in_the_data_directory() {
    let hub = Hub::start();
    hub.publish("1", "the first");
    let (freshet, run, _) = listening(&hub);
    in_state(&freshet, "live");
    let secret = hub.secret();
    drop(run);
    for entry in std::fs::read_dir(freshet.data()).unwrap().flatten().filter(|it| it.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!is_there, "`{}` holds it", entry.path().display());
    }
    // The next run asks anew, at another address and by another secret.
    let before = hub.asked("subscribe").remove(0).form["hub.callback"].clone();
    let (port, public) = (free_port(), before[..before.rfind("/hub/").unwrap()].to_owned());
    let address = public.replace("http://", "");
    let _run =
        freshet.start(&["run", "--headless", "--listen", &address, "--websub-at", &public], "again.log");
    until("another request", LIMIT, || (hub.asked("subscribe").len() > 1).then_some(port));
    in_state(&freshet, "live");
    let after = hub.asked("subscribe").pop().unwrap();
    assert!(after.form["hub.callback"] != before && after.form["hub.secret"] != secret, "{after:?}");
}

#[test]
fn a_hub_that_says_no_is_told_and_left_alone() {
    for (mood, why) in
        [(Mood::Refuses, "the hub answered 403"), (Mood::Denies, "the hub says no: not for you")]
    {
        let hub = Hub::start();
        hub.set_mood(mood);
        hub.publish("1", "the first");
        let (freshet, _run, _) = listening(&hub);
        let line = in_state(&freshet, "resting");
        assert_eq!(line["why"], why, "{line}");
        assert_eq!((hub.asked("subscribe").len(), texts(&freshet)), (1, vec!["the first".to_owned()]));
        let said = freshet.ok(&["status"]).replace('\n', " ");
        assert!(said.contains("hubs tell of 0 of 1 feed") && said.contains("is resting"), "{said}");
    }
}

#[test]
fn an_address_that_leads_elsewhere_is_told() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let port = free_port();
    let wrong = format!("http://127.0.0.1:{}", free_port());
    let address = format!("127.0.0.1:{port}");
    let _run = freshet.start(&["run", "--headless", "--listen", &address, "--websub-at", &wrong], "run.log");
    let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
    until("the warning", LIMIT, || {
        log().contains(&format!("hubs do not reach this run at `{wrong}`")).then_some(())
    });
    for (args, part) in [
        (&["run", "--no-dashboard", "--websub-at", "https://a.example"][..], "cannot be used with"),
        (&["run", "--headless", "--websub-at", "a.example"], "is no address at which hubs reach"),
    ] {
        let elsewhere = Freshet::new();
        elsewhere.ok(&["init"]);
        let said = elsewhere.say(args);
        assert!(said.code == 2 && said.err.contains(part), "{said:?}");
    }
}
