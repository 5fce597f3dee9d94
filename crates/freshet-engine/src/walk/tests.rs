//! A walk against a list that lives on: whatever is posted between the visits, nothing is lost.

mod forum;
mod pinned;
mod progress;

use super::*;
use freshet_types::definition::RelationRole;
use freshet_types::{
    Account, AccountState, IdOrder, ListOrder, Mark, NetworkName, Observation, Politeness, Post,
};

pub(super) fn endpoint(kind: PageKind, is_newest_first: bool) -> Endpoint {
    Endpoint {
        name: "posts".into(),
        robot: Some(RobotKind::Status),
        root_kind: "account".into(),
        kind,
        page_size: 10,
        id_order: IdOrder::Numeric,
        order: if is_newest_first { ListOrder::NewestFirst } else { ListOrder::Mixed },
        is_window: false,
        relation: (kind == PageKind::Relations).then_some(RelationRole::Following),
        link: None,
        counted_by: None,
        members_max: 3,
        group: freshet_types::GroupAsk::default(),
        politeness: Politeness { pause: Span::ZERO, in_flight_max: 1 },
    }
}

fn source(robot: RobotKind, endpoint: &str) -> Source {
    Source::new(&NetworkName::from("net"), endpoint, robot, "account", "7")
}

fn seen(at_s: i64) -> Seen {
    Seen { at: Timestamp::from_secs(at_s), visit: VisitId(1) }
}

/// A page of the list `ids` (rising), ten at a time, newest first.
fn page_of(ids: &[i64], intent: &Intent) -> Page {
    let below = match intent {
        Intent::Next(cursor) => cursor.parse().unwrap(),
        _ => i64::MAX,
    };
    let shown: Vec<i64> = ids.iter().rev().copied().filter(|&id| id < below).take(10).collect();
    let posts = shown.iter().map(|&id| Post {
        id: id.to_string(),
        created_at: Some(Timestamp::from_secs(id)),
        ..Post::default()
    });
    let next = (shown.len() == 10).then(|| shown[9].to_string());
    Page {
        next,
        observation: Observation { posts: posts.collect(), ..Observation::default() },
        ..Page::default()
    }
}

/// One visit; gives the ids it saw and how many pages it took.
fn visit(source: &mut Source, ids: &[i64], aim: Aim, pages_max: u32) -> (Vec<i64>, u32, bool) {
    let endpoint = endpoint(PageKind::Posts, true);
    let mut walk = Walk::start(source, &endpoint, aim);
    let (mut got, mut pages) = (Vec::new(), 0);
    loop {
        let page = page_of(ids, &walk.intent);
        got.extend(page.observation.posts.iter().map(|post| post.id.parse::<i64>().unwrap()));
        let meaning = walk.read_page(source, &endpoint, &page, seen(10_000));
        pages += 1;
        if !meaning.goes_on || pages == pages_max {
            return (got, pages, meaning.has_more);
        }
    }
}

#[test]
fn a_quiet_source_costs_one_page_and_history_is_read_once() {
    let mut source = source(RobotKind::Status, "posts");
    let ids: Vec<i64> = (1..=35).collect();
    assert_eq!(visit(&mut source, &ids, Aim::News, 99).1, 4);
    assert!(source.coverage.is_complete());
    assert_eq!(visit(&mut source, &ids, Aim::News, 99).1, 1);
    let more: Vec<i64> = (1..=40).collect();
    assert_eq!(visit(&mut source, &more, Aim::News, 99).1, 1);
    assert!(source.coverage.is_complete());
}

#[test]
fn visits_cut_short_anywhere_lose_nothing() {
    for cut in 1..=5 {
        let mut source = source(RobotKind::Status, "posts");
        let mut stored = std::collections::BTreeSet::new();
        let mut ids: Vec<i64> = (1..=57).collect();
        for round in 0..12 {
            stored.extend(visit(&mut source, &ids, Aim::News, cut).0);
            stored.extend(visit(&mut source, &ids, Aim::History, cut).0);
            if round < 6 {
                let last = *ids.last().unwrap();
                ids.extend(last + 1..=last + 23);
            }
        }
        for _ in 0..40 {
            stored.extend(visit(&mut source, &ids, Aim::History, cut).0);
        }
        assert!(source.coverage.is_complete(), "cut after {cut}: {:?}", source.coverage);
        assert_eq!(stored.into_iter().collect::<Vec<_>>(), ids, "cut after {cut}");
    }
}

#[test]
fn an_empty_page_ends_the_list_only_if_its_top_still_shows_posts() {
    let endpoint = endpoint(PageKind::Posts, true);
    let ids: Vec<i64> = (1..=20).collect();
    // Twenty posts are two full pages: the third is empty, and the first confirms the end.
    let mut shown = source(RobotKind::Status, "posts");
    assert_eq!(visit(&mut shown, &ids, Aim::News, 99).1, 4);
    assert!(shown.coverage.is_complete());
    // The account is hidden after the first page: the hole stays, and closes when it is back.
    let mut hidden = source(RobotKind::Status, "posts");
    visit(&mut hidden, &ids, Aim::News, 1);
    let mut walk = Walk::start(&hidden, &endpoint, Aim::History);
    assert!(walk.read_page(&mut hidden, &endpoint, &Page::default(), seen(1)).goes_on);
    assert_eq!(walk.intent, Intent::First);
    assert!(!walk.read_page(&mut hidden, &endpoint, &Page::default(), seen(1)).goes_on);
    assert!(!hidden.coverage.is_complete());
    visit(&mut hidden, &ids, Aim::News, 99);
    assert!(hidden.coverage.is_complete());
}

#[test]
fn an_empty_list_is_believed_when_its_owner_stands_as_ever() {
    let endpoint = endpoint(PageKind::Posts, true);
    let owner = |state: AccountState| {
        let account = Account { id: "7".into(), state, ..Account::default() };
        Page {
            observation: Observation { accounts: vec![account], ..Observation::default() },
            ..Page::default()
        }
    };
    for (shown, is_believed) in [
        (owner(AccountState::Active), true),
        (owner(AccountState::Suspended), false),
        (owner(AccountState::Private), false),
        (Page::default(), false),
    ] {
        let mut source = source(RobotKind::Status, "posts");
        visit(&mut source, &(1..=25).collect::<Vec<_>>(), Aim::News, 2);
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        walk.has_owner = true;
        assert!(walk.read_page(&mut source, &endpoint, &Page::default(), seen(1)).goes_on);
        assert_eq!(walk.leg, Leg::Owner);
        let meaning = walk.read_page(&mut source, &endpoint, &shown, seen(20_000));
        assert_eq!((meaning.goes_on, meaning.lists.is_some()), (false, is_believed), "{shown:?}");
        assert_eq!(source.coverage.is_complete(), is_believed, "what is empty has no holes: {shown:?}");
    }
}

#[test]
fn one_visit_reads_its_share_and_says_that_there_is_more() {
    let mut source = source(RobotKind::Status, "posts");
    let ids: Vec<i64> = (1..=500).collect();
    let (_, pages, has_more) = visit(&mut source, &ids, Aim::News, 99);
    assert_eq!((pages, has_more), (PAGES_PER_VISIT_MAX, true));
}

#[test]
fn a_handle_is_looked_up_first_and_a_profile_serves_its_robot() {
    let account =
        |name: Option<&str>| Account { id: "7".into(), name: name.map(str::to_owned), ..Account::default() };
    for (robot, kind, name, goes_on) in [
        (RobotKind::Status, PageKind::Posts, Some("A"), true),
        (RobotKind::User, PageKind::Account, Some("A"), false),
        (RobotKind::User, PageKind::Account, None, true),
    ] {
        let mut source = source(robot, "posts");
        (source.root_id, source.handle) = (String::new(), Some("a@b".to_owned()));
        let endpoint = endpoint(kind, true);
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        assert_eq!(walk.leg, Leg::Lookup);
        let mut page = Page::default();
        assert!(walk.clone().read_page(&mut source, &endpoint, &page, seen(1)).is_unknown);
        page.observation.accounts.push(account(name));
        assert_eq!(walk.read_page(&mut source, &endpoint, &page, seen(1)).goes_on, goes_on, "{robot}");
        assert_eq!(source.root_id, "7");
    }
}

#[test]
fn a_relation_list_is_swept_to_its_end_over_several_visits() {
    let mut source = source(RobotKind::Relation, "following");
    let endpoint = endpoint(PageKind::Relations, false);
    let relations = vec![freshet_types::Relation { source: "7".to_owned(), target: "8".to_owned() }];
    let observation = Observation { relations, ..Observation::default() };
    let page = |next: Option<&str>| Page {
        next: next.map(str::to_owned),
        observation: observation.clone(),
        ..Page::default()
    };
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    assert!(walk.read_page(&mut source, &endpoint, &page(Some("p2")), seen(5)).goes_on);
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    assert_eq!(walk.intent, Intent::Next("p2".to_owned()), "a restart goes on where it stopped");
    let meaning = walk.read_page(&mut source, &endpoint, &page(None), seen(9));
    let swept = meaning.swept.expect("the list ended");
    assert!(swept.is_following);
    assert_eq!(swept.began_at, Timestamp::from_secs(5));
    assert_eq!(Walk::start(&source, &endpoint, Aim::News).intent, Intent::First);
}

#[test]
fn members_are_fetched_from_old_to_new_and_only_unknown_ones() {
    let mut source = source(RobotKind::Status, "posts");
    let endpoint = endpoint(PageKind::Posts, true);
    let ids = |range: std::ops::RangeInclusive<i64>| range.rev().map(|id| id.to_string()).collect::<Vec<_>>();
    let fetch = |source: &mut Source, list: Vec<String>| {
        let mut walk = Walk::start(source, &endpoint, Aim::News);
        let mut asked = Vec::new();
        let mut page = Page { members: list, ..Page::default() };
        while walk.read_page(source, &endpoint, &page, seen(100)).goes_on {
            let Intent::Members(batch) = walk.intent.clone() else { panic!("{:?}", walk.intent) };
            let numbers: Vec<i64> = batch.iter().map(|id| id.parse().unwrap()).collect();
            page = page_of(&numbers, &Intent::First);
            page.observation.posts.sort_by_key(|post| post.created_at);
            asked.extend(numbers);
        }
        asked
    };
    assert_eq!(fetch(&mut source, ids(1..=7)), (1..=7).collect::<Vec<_>>());
    assert_eq!(fetch(&mut source, ids(1..=9)), [8, 9]);
    assert!(source.coverage.is_complete());
    // The list holds ten, and more than that were added since: what scrolled by is a hole for good.
    assert_eq!(fetch(&mut source, ids(15..=24)), (15..=24).collect::<Vec<_>>());
    let holes = |source: &Source| -> Vec<(String, Option<String>, Option<String>)> {
        let holes = source.coverage.holes().into_iter();
        holes.map(|hole| (hole.above.id, hole.below.map(|mark| mark.id), hole.cursor)).collect()
    };
    let hole = [("15".to_owned(), Some("9".to_owned()), None)];
    assert_eq!(holes(&source), hole);
    assert_eq!(fetch(&mut source, ids(17..=26)), [25, 26]);
    assert_eq!(holes(&source), hole, "what is known again closes nothing below");
    assert_eq!(fetch(&mut source, ids(17..=26)), [] as [i64; 0]);
    assert_eq!(source.coverage.top().map(|top| top.until), Some(Timestamp::from_secs(100)));
}

#[test]
fn a_list_of_ids_alone_proves_nothing() {
    let mut source = source(RobotKind::Status, "posts");
    let endpoint = endpoint(PageKind::Posts, true);
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    let page = Page { members: vec!["2".to_owned(), "1".to_owned()], ..Page::default() };
    assert!(walk.read_page(&mut source, &endpoint, &page, seen(100)).goes_on);
    assert!(!source.coverage.is_complete(), "no member was fetched yet: {:?}", source.coverage);
}

fn relations(targets: &[&str], next: Option<&str>) -> Page {
    let relation = |target: &&str| freshet_types::Relation { source: "7".into(), target: (*target).into() };
    let relations = targets.iter().map(relation).collect();
    Page {
        next: next.map(str::to_owned),
        observation: Observation { relations, ..Observation::default() },
        ..Page::default()
    }
}

/// Sweeps a list that answers with these pages in turn; whether what they lack is cancelled.
fn check_sweep(pages: &[Page], is_swept: bool) {
    let endpoint = endpoint(PageKind::Relations, false);
    let mut source = source(RobotKind::Relation, "friends");
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    let mut swept = None;
    for (at, page) in pages.iter().enumerate() {
        let meaning = walk.read_page(&mut source, &endpoint, page, seen(10 + at as i64));
        assert_eq!(meaning.goes_on, at + 1 < pages.len(), "page {at} of {pages:?}");
        swept = swept.or(meaning.swept);
    }
    assert_eq!(swept.is_some(), is_swept, "{pages:?}");
    assert!(swept.is_none_or(|swept| swept.is_following && swept.began_at == Timestamp::from_secs(10)));
}

#[test]
fn only_a_list_that_was_read_as_a_whole_cancels() {
    let unread = Page {
        complaints: vec![freshet_types::Complaint::new("body", "an item has no id".to_owned())],
        ..relations(&["8"], None)
    };
    check_sweep(&[relations(&["8"], None)], true);
    check_sweep(&[relations(&["8"], Some("p2")), relations(&["9"], None)], true);
    check_sweep(&[relations(&[], None)], false);
    check_sweep(std::slice::from_ref(&unread), false);
    check_sweep(&[Page { next: Some("p2".into()), ..unread }, relations(&["9"], None)], false);
    // An empty page below: its top decides whether all of it was hidden meanwhile.
    check_sweep(&[relations(&["8"], Some("p2")), relations(&[], None), relations(&["8"], Some("p2"))], true);
    check_sweep(&[relations(&["8"], Some("p2")), relations(&[], None), relations(&[], None)], false);
}

#[test]
fn an_unchanged_top_does_not_end_the_history() {
    let mut source = source(RobotKind::Status, "posts");
    let ids: Vec<i64> = (1..=35).collect();
    visit(&mut source, &ids, Aim::News, 1);
    let endpoint = endpoint(PageKind::Posts, true);
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    assert_eq!(walk.intent, Intent::First);
    let unchanged = Page { is_unchanged: true, ..Page::default() };
    assert!(walk.read_page(&mut source, &endpoint, &unchanged, seen(10_001)).goes_on);
    assert_eq!(walk.intent, Intent::Next("26".to_owned()));
    visit(&mut source, &ids, Aim::News, 99);
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    assert!(!walk.read_page(&mut source, &endpoint, &unchanged, seen(10_002)).goes_on, "nothing is missing");
    assert!(source.coverage.is_complete());
}

#[test]
fn a_thread_that_lives_has_news() {
    let mut source = Source { root_kind: "post".into(), ..source(RobotKind::Comment, "replies") };
    let endpoint = Endpoint { relation: None, ..endpoint(PageKind::Comments, false) };
    for (ids, at_s, news) in [(1..=3, 10, 3), (1..=3, 20, 0), (1..=25, 30, 5)] {
        let page = Page { next: None, ..page_of(&ids.collect::<Vec<i64>>(), &Intent::First) };
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        let meaning = walk.read_page(&mut source, &endpoint, &page, seen(at_s));
        assert_eq!(meaning.news.len(), news, "at {at_s}");
    }
}

#[test]
fn a_list_that_leads_nowhere_is_left_with_a_hole() {
    let endpoint = endpoint(PageKind::Posts, true);
    let full = |next: &str| Page { next: Some(next.into()), ..page_of(&[11, 12], &Intent::First) };
    let empty = |next: String| Page { next: Some(next), ..Page::default() };
    for lead in ["same", "ever new"] {
        let mut source = source(RobotKind::Status, "posts");
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        let mut meaning = walk.read_page(&mut source, &endpoint, &full("c0"), seen(100));
        let mut pages = 1;
        while meaning.goes_on && pages < 50 {
            let next = if lead == "same" { "c0".to_owned() } else { format!("c{pages}") };
            meaning = walk.read_page(&mut source, &endpoint, &empty(next), seen(100));
            pages += 1;
        }
        assert!(meaning.complaint.is_some() && !meaning.has_more, "{lead}: {meaning:?}");
        assert!(!source.coverage.is_complete(), "{lead}");
        assert_eq!(Walk::start(&source, &endpoint, Aim::History).intent, Intent::First, "{lead}");
    }
}

#[test]
fn entries_without_times_are_told_apart_by_where_they_stand() {
    let endpoint = Endpoint { is_window: true, id_order: IdOrder::None, ..endpoint(PageKind::Posts, true) };
    let mut source = Source { root_kind: "feed".into(), ..source(RobotKind::Status, "entries") };
    let page = |ids: &[&str]| {
        let post = |id: &&str| Post { id: (*id).into(), ..Post::default() };
        let posts = ids.iter().map(post).collect();
        Page { observation: Observation { posts, ..Observation::default() }, ..Page::default() }
    };
    for (ids, at_s, news, hole_count) in [
        (&["b", "a"][..], 10, 0, 0),
        (&["b", "a"], 20, 0, 0),
        (&["d", "c", "b"], 30, 2, 0),
        (&["z", "y"], 40, 0, 1),
    ] {
        let mut walk = Walk::start(&source, &endpoint, Aim::News);
        let meaning = walk.read_page(&mut source, &endpoint, &page(ids), seen(at_s));
        assert_eq!((meaning.news.len(), meaning.lags.len()), (news, 0), "{ids:?}");
        assert_eq!(source.coverage.holes().len(), hole_count, "{ids:?}");
    }
}

#[test]
fn pages_without_times_follow_upon_each_other() {
    let endpoint = Endpoint { id_order: IdOrder::None, ..endpoint(PageKind::Posts, true) };
    let mut source = source(RobotKind::Status, "posts");
    let page = |ids: &[&str], next: Option<&str>| {
        let post = |id: &&str| Post { id: (*id).into(), ..Post::default() };
        let observation = Observation { posts: ids.iter().map(post).collect(), ..Observation::default() };
        Page { next: next.map(str::to_owned), observation, ..Page::default() }
    };
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    assert!(walk.read_page(&mut source, &endpoint, &page(&["d", "c"], Some("2")), seen(10)).goes_on);
    assert!(!walk.read_page(&mut source, &endpoint, &page(&["b", "a"], None), seen(20)).goes_on);
    assert_eq!(source.coverage.newest().map(|newest| newest.id.as_str()), Some("d"));
    assert!(source.coverage.is_complete());
    let mut walk = Walk::start(&source, &endpoint, Aim::News);
    let meaning = walk.read_page(&mut source, &endpoint, &page(&["e", "d"], Some("2")), seen(30));
    assert_eq!((meaning.news.len(), meaning.goes_on), (1, false), "{:?}", source.coverage);
}
