//! Behaviours for people who look around: lists of sources and posts, names, histories, links, counts.

use freshet_types::{
    Instance, NetworkName, Observation, RobotKind, Source, SourceId, SourceState, VisitId, VisitSummary,
};

use super::kit::{
    Must, account, accounts, add, apply, at, changes, network, post, posts, relation, relations, timeline,
    upload,
};
use crate::api::{Store, StoreError};
use crate::browse::{Counted, PostQuery, RootName, SourceOrder, SourceQuery};
use crate::row::{Filter, InstanceRow, OnDelete, Upload};

const FEED: &str = "rss:b.example";

fn of_feed() -> Source {
    let source = Source::new(&FEED.into(), "entries", RobotKind::Status, "feed", "f");
    Source { handle: Some("100%".to_owned()), due_at: at(5), ..source }
}

/// Two accounts that are watched, one of them removed, and a feed.
fn fill(store: &mut dyn Store) -> Vec<Source> {
    let named = |id: &str, handle: &str, due: i64| Source {
        handle: Some(handle.to_owned()),
        due_at: at(due),
        ..timeline(id)
    };
    let sources = [named("1", "ada", 20), named("2", "b_b", 10), of_feed()];
    let added: Vec<Source> = sources.iter().map(|source| add(store, source)).collect();
    store.set_state(&[added[1].id], SourceState::Removed).must();
    added
}

/// The names of the sources that a query finds.
#[track_caller]
fn check_sources(store: &dyn Store, query: &SourceQuery, expected: &[&str]) {
    let page = store.list_sources(query).must();
    let found: Vec<&str> = page.sources.iter().filter_map(|it| it.handle.as_deref()).collect();
    assert_eq!(found, expected, "{query:?}");
    assert!(!page.is_partial && (page.count == found.len() || query.offset > 0 || query.limit < 3));
}

pub(super) fn sources_are_listed_filtered_and_sorted(store: &mut dyn Store) {
    fill(store);
    let all = SourceQuery { limit: 10, ..SourceQuery::default() };
    let text = |text: &str| SourceQuery { text: Some(text.to_owned()), ..all.clone() };
    let ordered = |order| SourceQuery { order, ..all.clone() };
    check_sources(store, &all, &["ada", "b_b", "100%"]);
    check_sources(store, &ordered(SourceOrder::Name), &["100%", "ada", "b_b"]);
    let active = SourceQuery { state: Some(SourceState::Active), ..ordered(SourceOrder::Due) };
    check_sources(store, &active, &["100%", "ada"]);
    check_sources(store, &text("@ad"), &["ada"]);
    check_sources(store, &text("00%"), &["100%"]);
    check_sources(store, &text("'; DROP TABLE sources"), &[]);
    check_sources(store, &SourceQuery { state: Some(SourceState::Removed), ..all.clone() }, &["b_b"]);
    check_sources(store, &SourceQuery { network: Some("rss".to_owned()), ..all.clone() }, &["100%"]);
    check_sources(store, &SourceQuery { robot: Some(RobotKind::Tag), ..all.clone() }, &[]);
    check_sources(store, &SourceQuery { limit: 1, offset: 1, ..all.clone() }, &["b_b"]);
    check_sources(store, &SourceQuery { limit: usize::MAX, offset: usize::MAX, ..all }, &[]);
}

pub(super) fn networks_are_those_whose_servers_were_added(store: &mut dyn Store) {
    fill(store);
    assert_eq!(store.source_networks().must(), [] as [NetworkName; 0]);
    let instance = Instance { network: network(), base: "https://a.example".into(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).must();
    assert_eq!(store.source_networks().must(), [network()]);
}

pub(super) fn posts_are_listed_and_filtered(store: &mut dyn Store) {
    apply(store, accounts(1, [account("a", "ada")]));
    apply(store, posts(2, [post("1", "a", 100, "the river rises"), post("2", "b", 200, "a dry river")]));
    let all = PostQuery { limit: 10, ..PostQuery::default() };
    let text = |text: &str| PostQuery { text: Some(text.to_owned()), ..all.clone() };
    let author = |author: &str| PostQuery { author: Some(author.to_owned()), ..all.clone() };
    for (query, expected) in [
        (all.clone(), &["2", "1"][..]),
        (text("river rises"), &["1"]),
        (author("@ada"), &["1"]),
        (author("b"), &["2"]),
        (PostQuery { since: Some(at(150)), ..all.clone() }, &["2"]),
        (PostQuery { until: Some(at(150)), ..text("river") }, &["1"]),
        (PostQuery { network: Some("rss".to_owned()), ..all.clone() }, &[]),
        (PostQuery { limit: 1, offset: 1, ..all.clone() }, &["1"]),
    ] {
        let hits = store.list_posts(&query).must();
        let found: Vec<&str> = hits.iter().map(|hit| hit.row.post.id.as_str()).collect();
        assert_eq!(found, expected, "{query:?}");
    }
    let refused = store.list_posts(&text("\""));
    assert!(matches!(refused, Err(StoreError::Query { .. })), "{refused:?}");
}

pub(super) fn sources_are_known_by_names(store: &mut dyn Store) {
    apply(store, accounts(1, [account("1", "ada")]));
    apply(store, posts(2, [post("p", "1", 100, "the river rises")]));
    let thread = Source::new(&network(), "replies", RobotKind::Comment, "post", "p");
    let unseen = timeline("nobody");
    let asked = [timeline("1"), thread, unseen];
    let names = store.root_names(&asked).must();
    let name = |who: Option<&str>, text: Option<&str>| RootName {
        who: who.map(str::to_owned),
        text: text.map(str::to_owned),
    };
    let expected = [name(Some("ada"), None), name(Some("ada"), Some("the river rises")), name(None, None)];
    assert_eq!(names, expected);
    assert_eq!(store.root_name(&asked[1]).must(), expected[1], "one by one as all at once");
    assert_eq!(store.titles_of(&asked).must(), [None, None, None], "none of them is a list of a forum");
}

pub(super) fn an_object_tells_its_history(store: &mut dyn Store) {
    apply(store, posts(1, [post("1", "a", 10, "one"), post("2", "a", 11, "other")]));
    apply(store, posts(2, [post("1", "a", 10, "two")]));
    apply(store, posts(3, [post("1", "a", 10, "three")]));
    let object = store.post_of(&network(), "post", "1").must().expect("it is there").object;
    let own: Vec<_> = changes(store).into_iter().filter(|change| change.object == object).collect();
    assert_eq!(store.changes_of(object, 10).must(), own);
    assert_eq!(store.changes_of(object, 2).must(), own[..2], "the oldest first");
    let earlier = store.earlier_texts(object).must();
    assert_eq!(earlier, [(own[1].number, "one".to_owned()), (own[2].number, "two".to_owned())]);
    assert_eq!(store.changes_of(1 << 40, 10).must(), []);
}

pub(super) fn visits_are_listed_newest_first(store: &mut dyn Store) {
    let sources = fill(store);
    let summary = |number: u64, source: SourceId| VisitSummary {
        id: VisitId(number),
        source,
        started_at: at(number as i64),
        ended_at: at(number as i64 + 1),
        fetch_count: 1,
        new_post_count: 0,
        outcome: "ok".into(),
        attempt: 0,
    };
    let visits = [summary(3, sources[0].id), summary(4, sources[2].id), summary(5, sources[0].id)];
    for visit in &visits {
        let summary = Some(visit.clone());
        apply(store, Upload { visit: visit.id, summary, ..upload(10, Observation::default()) });
    }
    assert_eq!(store.visits_of(sources[0].id, 10).must(), [visits[2].clone(), visits[0].clone()]);
    assert_eq!(store.visits_of(sources[0].id, 1).must(), [visits[2].clone()]);
    let asked = [sources[2].id, sources[1].id, sources[0].id, sources[2].id];
    let [one, two] = [visits[1].clone(), visits[2].clone()].map(|visit| vec![visit]);
    assert_eq!(store.visits_of_all(&asked, 1).must(), [one.clone(), vec![], two, one], "in the order asked");
    assert_eq!(store.visits_of_all(&[], 1).must(), [] as [Vec<VisitSummary>; 0]);
    let last: Vec<_> = store.last_visits(2).must().into_iter().map(|line| (line.visit, line.name)).collect();
    assert_eq!(last, [(visits[2].clone(), "ada".to_owned()), (visits[1].clone(), "100%".to_owned())]);
}

pub(super) fn links_are_followed_both_ways(store: &mut dyn Store) {
    apply(store, accounts(1, [account("a", "ada"), account("b", "bob")]));
    apply(store, relations(2, [relation("a", "b")]));
    apply(store, posts(3, [post("1", "a", 10, "x")]));
    let told = |object: u64| {
        let node = store.node(object).must().expect("it is there");
        let around = store.neighbours(&node, 10).must();
        let ties = around.ties.iter().map(|tie| {
            let arrow = if tie.is_out { ">" } else { "<" };
            format!("{}{} {}", arrow, tie.name, around.nodes[tie.node].id)
        });
        (node.label, ties.collect::<Vec<_>>())
    };
    let ada = store.account_of(&network(), "a").must().expect("it is there").object;
    assert_eq!(told(ada), ("ada".to_owned(), vec![">follows b".to_owned(), "<author 1".to_owned()]));
    let said = store.post_of(&network(), "post", "1").must().expect("it is there").object;
    assert_eq!(told(said).1, [">author a"]);
    assert_eq!(store.node(1 << 40).must(), None);
}

pub(super) fn rows_are_counted_by_day(store: &mut dyn Store) {
    const DAY: i64 = 86_400;
    assert_eq!(store.last_relation().must(), 0);
    apply(store, posts(5 * DAY, [post("1", "a", 0, "x"), post("2", "a", 2 * DAY + 7, "y")]));
    apply(store, posts(5 * DAY, [post("3", "a", 2 * DAY + 8, "z"), post("0", "a", -1, "before 1970")]));
    apply(store, relations(6 * DAY, [relation("a", "b"), relation("b", "a")]));
    let all = Filter::default();
    let count = |counted, filter: &Filter, up_to| store.count_by_day(counted, filter, up_to).must();
    assert_eq!(count(Counted::Posts, &all, u64::MAX), [(-1, 1), (0, 1), (2, 2)]);
    let since = Filter { since: Some(at(DAY)), ..Filter::default() };
    assert_eq!(count(Counted::Posts, &since, u64::MAX), [(2, 2)]);
    let first = store.post_of(&network(), "post", "1").must().expect("it is there").object;
    assert_eq!(count(Counted::Posts, &all, first), [(0, 1)], "no further than the number");
    assert_eq!(count(Counted::Relations, &all, u64::MAX), [(6, 2)]);
    let accounts = count(Counted::Accounts, &all, u64::MAX);
    assert_eq!(accounts.iter().map(|(_, count)| count).sum::<u64>(), 2);
    let last = store.last_relation().must();
    assert!(last > 0);
    assert_eq!(count(Counted::Relations, &all, last), [(6, 2)]);
}
