//! The life of a subscription at a hub, by the instant.

use super::*;

const PUBLIC: &str = "https://me.example";

fn feed(number: i64) -> Feed {
    Feed {
        source: SourceId(number as u32),
        label: format!("feed {number}"),
        definition: "rss".to_owned(),
        hub: "https://hub.example/".to_owned(),
        topic: format!("https://a.example/{number}"),
        allow_private: false,
    }
}

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(1_000_000 + secs)
}

fn question(mode: &str, feed: &Feed, lease_s: Option<u32>) -> Question {
    let (mode, topic, challenge) = (mode.to_owned(), feed.topic.clone(), "word".to_owned());
    Question { mode, topic, challenge, lease_s, reason: String::new() }
}

/// A desk with one feed whose hub was asked; the path that it was given.
fn asked(feed: &Feed) -> (Desk, String) {
    let mut desk = Desk::default();
    desk.follow(vec![feed.clone()], at(0));
    let errand = desk.next_errand(at(0)).expect("it is to be asked");
    assert_eq!((&errand.feed, errand.is_leaving), (feed, false));
    desk.on_asking(&errand.path, at(0));
    assert_eq!(desk.next_errand(at(0)), None, "once");
    (desk, errand.path)
}

fn state(desk: &Desk, secs: i64) -> String {
    desk.lines(at(secs)).first().map_or_else(String::new, |line| line.state.clone())
}

/// What comes of a body that is signed by nobody.
fn unsigned(desk: &mut Desk, path: &str, secs: i64) -> Taken {
    desk.receive(path, ("application/rss+xml".to_owned(), b"x".to_vec()), "sha256=00", at(secs))
}

#[test]
fn a_hub_is_believed_only_where_it_asks_what_was_asked() {
    let feed = feed(1);
    let (mut desk, path) = asked(&feed);
    let answer = Some("word".to_owned());
    assert_eq!(desk.verify("somewhere", &question("subscribe", &feed, None), at(1)), None);
    assert_eq!(
        desk.verify(&path, &question("subscribe", &self::feed(2), None), at(1)),
        None,
        "another topic"
    );
    assert_eq!(desk.verify(&path, &question("unsubscribe", &feed, None), at(1)), None, "nobody leaves");
    let long = Question { challenge: "x".repeat(2000), ..question("subscribe", &feed, None) };
    assert_eq!(desk.verify(&path, &long, at(1)), None);
    assert_eq!((state(&desk, 1).as_str(), unsigned(&mut desk, &path, 1)), ("asked", Taken::Unasked));
    assert_eq!(desk.verify(&path, &question("subscribe", &feed, Some(100)), at(1)), answer);
    assert_eq!(desk.verify(&path, &question("subscribe", &feed, Some(100)), at(2)), None, "twice");
    assert_eq!((state(&desk, 2).as_str(), unsigned(&mut desk, &path, 2)), ("live", Taken::Unsigned));
    assert_eq!(desk.lines(at(2))[0].refused_count, 1);
    assert_eq!(unsigned(&mut desk, "somewhere", 2), Taken::Unasked);
}

#[test]
fn a_lease_is_renewed_before_it_ends_and_nothing_is_taken_after_it() {
    let feed = feed(1);
    let (mut desk, path) = asked(&feed);
    desk.verify(&path, &question("subscribe", &feed, Some(1000)), at(0));
    assert_eq!(desk.next_errand(at(799)), None);
    assert_eq!(desk.next_errand(at(800)).map(|errand| errand.path), Some(path.clone()));
    desk.on_asking(&path, at(800));
    assert_eq!(state(&desk, 801), "live", "until the hub has asked back");
    desk.verify(&path, &question("subscribe", &feed, Some(1000)), at(801));
    assert_eq!((state(&desk, 1100).as_str(), desk.next_errand(at(1500))), ("live", None));
    // It goes away: its lease ends, and it is asked again.
    desk.on_asking(&path, at(1601));
    desk.on_failed(&path, "no answer", at(1602));
    desk.pass(at(1802), PUBLIC);
    assert_eq!((state(&desk, 1802).as_str(), unsigned(&mut desk, &path, 1802)), ("resting", Taken::Unasked));
    assert_eq!(desk.lines(at(1802))[0].why.as_deref(), Some("no answer"));
    assert!(desk.next_errand(at(2100)).is_none() && desk.next_errand(at(2202)).is_some());
    // Leases of a second do not make us ask every second.
    desk.on_asking(&path, at(2202));
    desk.verify(&path, &question("subscribe", &feed, Some(1)), at(2202));
    desk.pass(at(2204), PUBLIC);
    assert!(desk.next_errand(at(2261)).is_none() && desk.next_errand(at(2262)).is_some());
}

#[test]
fn a_hub_that_says_no_or_does_not_ask_back_is_left_alone() {
    let feed = feed(1);
    let (mut desk, path) = asked(&feed);
    let denied = Question { reason: "not for\n you".to_owned(), ..question("denied", &feed, None) };
    assert_eq!(desk.verify(&path, &denied, at(5)), Some(String::new()));
    assert_eq!(desk.lines(at(5))[0].why.as_deref(), Some("the hub says no: not for you"));
    assert!(desk.next_errand(at(86_000)).is_none() && desk.next_errand(at(86_405)).is_some());
    let (mut desk, path) = asked(&feed);
    desk.pass(at(301), PUBLIC);
    let line = desk.lines(at(301)).remove(0);
    assert!(line.state == "resting" && line.why.is_some_and(|why| why.contains(PUBLIC)));
    assert!(desk.next_errand(at(900)).is_none() && desk.next_errand(at(901)).is_some());
    desk.on_asking(&path, at(901));
    desk.pass(at(1300), PUBLIC);
    assert!(
        desk.next_errand(at(2400)).is_none() && desk.next_errand(at(2500)).is_some(),
        "longer and longer"
    );
}

#[test]
fn leave_is_taken_of_a_hub_when_its_feed_goes() {
    let feed = feed(1);
    let (mut desk, path) = asked(&feed);
    desk.verify(&path, &question("subscribe", &feed, None), at(0));
    desk.follow(Vec::new(), at(10));
    let errand = desk.next_errand(at(10)).unwrap();
    assert!(errand.is_leaving && errand.path == path);
    desk.on_asking(&path, at(10));
    assert_eq!(unsigned(&mut desk, &path, 11), Taken::Unasked, "nothing is taken of it any more");
    assert_eq!(desk.verify(&path, &question("unsubscribe", &feed, None), at(11)), Some("word".to_owned()));
    assert!(!desk.knows(&path));
    // One that never told us anything is forgotten; one that does not confirm is, too.
    let (mut desk, path) = asked(&feed);
    desk.follow(Vec::new(), at(1));
    assert!(!desk.knows(&path));
    let (mut desk, path) = asked(&feed);
    desk.verify(&path, &question("subscribe", &feed, None), at(0));
    desk.follow(vec![Feed { hub: "https://other.example/".to_owned(), ..feed.clone() }], at(1));
    assert_eq!(desk.lines(at(1)).len(), 2, "another hub is another subscription");
    desk.on_asking(&path, at(1));
    desk.pass(at(400), PUBLIC);
    assert!(!desk.knows(&path) && desk.lines(at(400)).len() == 1);
}

#[test]
fn feeds_and_what_waits_are_bounded() {
    let mut desk = Desk::default();
    desk.follow((0..2 * FEEDS_MAX as i64).map(feed).collect(), at(0));
    assert_eq!(desk.lines(at(0)).len(), FEEDS_MAX);
    let feed = feed(1);
    let (mut desk, path) = asked(&feed);
    desk.verify(&path, &question("subscribe", &feed, None), at(0));
    let secret = "what is signed";
    desk.all.get_mut(&path).unwrap().secret = HubSecret::of(secret);
    let signature = HubSecret::of(secret).signature(b"x");
    let mut bring = || desk.receive(&path, (String::new(), b"x".to_vec()), &signature, at(1));
    let taken: Vec<Taken> = (0..=PUSHES_MAX).map(|_| bring()).collect();
    assert!(taken[..PUSHES_MAX].iter().all(|it| *it == Taken::Yes));
    assert_eq!(taken[PUSHES_MAX], Taken::Busy);
    while desk.next_push().is_some() {}
    assert_eq!(desk.lines(at(1))[0].taken_count, PUSHES_MAX as u64);
}
