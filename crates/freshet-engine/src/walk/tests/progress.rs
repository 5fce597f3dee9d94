//! Lists that lead nowhere, and visits that get a few answers each: every walk makes progress or ends.

use freshet_types::Relation;

use super::*;

/// Requests after which a list that is read in rounds must have come to rest, whatever it does.
const ASKED_MAX: usize = 90;
/// Visits of the backlog in a row that are too many.
const BACKLOG_MAX: usize = 40;

type Server<'a> = dyn Fn(&Intent, usize) -> Page + 'a;

/// One visit that gets so many answers; whether its source waits in the backlog afterwards.
fn visit(
    source: &mut Source,
    (endpoint, aim, at_s): (&Endpoint, Aim, i64),
    grants: usize,
    server: &Server<'_>,
    asked: &mut Vec<Intent>,
) -> bool {
    let mut walk = Walk::start(source, endpoint, aim);
    for grant in 1.. {
        asked.push(walk.intent.clone());
        let page = server(&walk.intent, asked.len());
        let meaning = walk.read_page(source, endpoint, &page, seen(at_s));
        if grant == grants || !meaning.goes_on {
            let has_more = meaning.has_more || meaning.goes_on;
            return has_more && walk.may_go_on(&mut source.coverage, Timestamp::from_secs(at_s));
        }
    }
    unreachable!("grants are at least one")
}

/// Reads a list in five rounds, each a look at the news and what that leaves in the backlog, with visits of one to three answers, soon
/// after each other or far apart.
fn check(what: &str, (endpoint, source): (&Endpoint, &Source), server: &Server<'_>, expected: &str) {
    for (grants, gap_s) in [(1, 600), (2, 600), (3, 600), (1, 30_000), (2, 30_000)] {
        let (mut source, mut asked, mut at_s) = (source.clone(), Vec::new(), 1_000_000);
        for _ in 0..5 {
            let mut is_waiting = visit(&mut source, (endpoint, Aim::News, at_s), grants, server, &mut asked);
            let mut count = 0;
            while is_waiting {
                at_s += gap_s;
                count += 1;
                assert!(count < BACKLOG_MAX, "{what}, {grants} at a time: {asked:?}");
                is_waiting = visit(&mut source, (endpoint, Aim::History, at_s), grants, server, &mut asked);
            }
            at_s += gap_s;
        }
        assert!(asked.len() < ASKED_MAX, "{what}, {grants} at a time: {asked:?}");
        let found = if source.coverage.is_complete() {
            "complete".to_owned()
        } else {
            let holes = source.coverage.holes();
            holes.iter().find_map(|hole| hole.obstacle).map_or("open".to_owned(), |it| format!("{it:?}"))
        };
        assert_eq!(found, expected, "{what}, {grants} at a time: {:?}", source.coverage);
    }
}

fn posts() -> (Endpoint, Source) {
    (endpoint(PageKind::Posts, true), source(RobotKind::Status, "posts"))
}

fn following() -> (Endpoint, Source) {
    (endpoint(PageKind::Relations, false), source(RobotKind::Relation, "following"))
}

fn thread() -> (Endpoint, Source) {
    let endpoint = Endpoint { order: ListOrder::OldestFirst, ..endpoint(PageKind::Comments, true) };
    (endpoint, Source { root_kind: "thread".into(), ..source(RobotKind::Comment, "posts") })
}

/// A page that shows the posts of a range, the newest first, and leads on.
fn shown(ids: std::ops::RangeInclusive<i64>, next: Option<&str>) -> Page {
    let page = page_of(&ids.collect::<Vec<_>>(), &Intent::First);
    Page { next: next.map(str::to_owned), ..page }
}

fn rising(ids: std::ops::RangeInclusive<i64>, next: Option<&str>) -> Page {
    let mut page = shown(ids, next);
    page.observation.posts.reverse();
    page
}

fn followed(targets: &[&str], next: Option<&str>) -> Page {
    let relation = |target: &&str| Relation { source: "7".into(), target: (*target).into() };
    let observation =
        Observation { relations: targets.iter().map(relation).collect(), ..Observation::default() };
    Page { next: next.map(str::to_owned), observation, ..Page::default() }
}

fn cursor(intent: &Intent) -> &str {
    match intent {
        Intent::Next(cursor) => cursor,
        _ => "",
    }
}

#[test]
fn a_list_whose_last_link_leads_to_an_empty_page_is_read_to_its_end() {
    let (endpoint, source) = posts();
    let ids: Vec<i64> = (1..=15).collect();
    let eager = |intent: &Intent, _| {
        let page = page_of(&ids, intent);
        let next = page.observation.posts.last().map(|post| post.id.clone());
        Page { next, ..page }
    };
    check("every page has a link", (&endpoint, &source), &eager, "complete");
    let mut asked = Vec::new();
    let mut alone = source.clone();
    visit(&mut alone, (&endpoint, Aim::News, 1_000), 1, &eager, &mut asked);
    while visit(&mut alone, (&endpoint, Aim::History, 1_000), 1, &eager, &mut asked) {}
    let last = asked.iter().filter(|intent| **intent == Intent::Next("1".to_owned())).count();
    assert_eq!(last, 1, "the empty page is asked for once, and the top after it: {asked:?}");
    assert_eq!(asked.last(), Some(&Intent::First));
}

#[test]
fn an_account_that_hides_below_its_first_page_waits_for_a_change() {
    let (endpoint, source) = posts();
    let hidden = |_: &Intent, count| if count == 1 { shown(11..=20, Some("a")) } else { Page::default() };
    check("hidden after the first page", (&endpoint, &source), &hidden, "open");
}

#[test]
fn lists_that_go_round_or_on_and_on_are_left_with_the_reason() {
    let (endpoint, source) = posts();
    let list = (&endpoint, &source);
    let round = |intent: &Intent, _| match cursor(intent) {
        "" => shown(21..=30, Some("a")),
        "a" => shown(11..=20, Some("b")),
        "b" => shown(1..=10, Some("a")),
        _ => panic!("{intent:?}"),
    };
    check("a leads to b leads to a", list, &round, "Round");
    let same = |intent: &Intent, _| match cursor(intent) {
        "" => shown(21..=30, Some("a")),
        _ => Page { next: Some("a".to_owned()), ..Page::default() },
    };
    check("a leads to a", list, &same, "Round");
    let top = |_: &Intent, count: usize| shown(21..=30, Some(&format!("c{count}")));
    check("the top again under ever new names", list, &top, "Barren");
    let empty = |intent: &Intent, count: usize| match cursor(intent) {
        "" => shown(21..=30, Some("a")),
        _ => Page { next: Some(format!("c{count}")), ..Page::default() },
    };
    check("empty pages under ever new names", list, &empty, "Barren");
    let detour = |intent: &Intent, _| match cursor(intent) {
        "" => shown(21..=30, Some("a")),
        "a" => Page { next: Some("b".to_owned()), is_detour: true, ..Page::default() },
        _ => Page { next: Some("a".to_owned()), is_detour: true, ..Page::default() },
    };
    check("detours that lead to each other", list, &detour, "Round");
}

#[test]
fn sweeps_end_whatever_their_pages_lead_to() {
    let (endpoint, source) = following();
    let list = (&endpoint, &source);
    let eager = |intent: &Intent, _| match cursor(intent) {
        "" => followed(&["1", "2"], Some("a")),
        "a" => followed(&["3"], Some("b")),
        _ => followed(&[], None),
    };
    check("an empty last page", list, &eager, "complete");
    let round = |intent: &Intent, _| match cursor(intent) {
        "" => followed(&["1", "2"], Some("a")),
        "a" => followed(&["3"], Some("b")),
        _ => followed(&["4"], Some("a")),
    };
    check("a leads to b leads to a", list, &round, "Round");
}

#[test]
fn threads_end_whatever_their_pages_lead_to() {
    let (endpoint, source) = thread();
    let list = (&endpoint, &source);
    let blank = |intent: &Intent, _| match cursor(intent) {
        "" => rising(1..=10, Some("2")),
        _ => Page::default(),
    };
    check("a second page without posts", list, &blank, "Barren");
    let round = |intent: &Intent, _| match cursor(intent) {
        "" | "1" => rising(1..=10, Some("2")),
        _ => rising(11..=20, Some("1")),
    };
    check("the second page leads to the first", list, &round, "Round");
}

#[test]
fn a_list_that_is_left_is_tried_once_a_day_when_it_lives() {
    let (endpoint, mut source) = posts();
    let mut asked = Vec::new();
    let stuck = |top: i64| {
        move |intent: &Intent, _: usize| match cursor(intent) {
            "" => shown(top - 9..=top, Some("a")),
            _ => Page { next: Some("a".to_owned()), ..Page::default() },
        }
    };
    for (at_s, top, count) in [
        (1_000_000, 30, 2),
        // Nothing is new, then something is, then a day has passed as well.
        (1_090_000, 30, 1),
        (1_090_600, 31, 2),
        (1_091_200, 32, 1),
        (1_180_000, 33, 2),
    ] {
        asked.clear();
        visit(&mut source, (&endpoint, Aim::News, at_s), 9, &stuck(top), &mut asked);
        assert_eq!(asked.len(), count, "at {at_s}: {asked:?}");
    }
}

#[test]
fn a_sweep_that_could_not_read_a_page_cancels_nothing_even_after_a_break() {
    let (endpoint, mut source) = following();
    let complaint = freshet_types::Complaint::new("body", "an item has no id".to_owned());
    let patchy = Page { complaints: vec![complaint], ..followed(&["1"], Some("a")) };
    Walk::start(&source, &endpoint, Aim::News).read_page(&mut source, &endpoint, &patchy, seen(5));
    let mut walk = Walk::start(&source, &endpoint, Aim::History);
    assert!(walk.read_page(&mut source, &endpoint, &followed(&["3"], None), seen(9)).swept.is_none());
    for (next, is_swept) in [(Some("a"), false), (None, true)] {
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        let meaning = walk.read_page(&mut source, &endpoint, &followed(&["1"], next), seen(20));
        assert_eq!(meaning.swept.is_some(), is_swept, "the next sweep begins anew");
    }
}
