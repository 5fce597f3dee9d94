//! Behaviours of interest: what people ask about, counted by day.

use freshet_types::{Source, SourceState};

use super::kit::{Must, account, accounts, add, apply, post, posts, the_account, timeline};
use crate::api::Store;
use crate::api::interest::{DAYS, Inquiry, ROWS_PER_DAY_MAX, Ranked};
use crate::row::Upload;

/// Some day.
const TODAY: i64 = 20_000;

/// A source of this account, which posted so much, and the numbers of the posts.
fn author(store: &mut dyn Store, id: &str, count: usize) -> (Source, Vec<u64>) {
    apply(store, accounts(1, [account(id, &format!("@{id}@a.example"))]));
    let source = add(store, &timeline(id));
    let written = (0..count).map(|n| post(&format!("{id}{n}"), id, 10 + n as i64, "x"));
    let page = Upload { source: Some(source.clone()), ..posts(100, written.collect::<Vec<_>>()) };
    apply(store, page);
    let all = super::kit::all_posts(store).into_iter();
    let numbers = all.filter(|row| row.post.author.as_deref() == Some(id)).map(|row| row.object).collect();
    (source, numbers)
}

fn shown(posts: &[u64]) -> Inquiry {
    Inquiry { posts: posts.to_vec(), ..Inquiry::default() }
}

/// Source, how often its user was asked about, how often something of it was an answer.
fn counted(store: &dyn Store, day: i64) -> Vec<(u32, u64, u64)> {
    let rows = store.interest(day).must().into_iter();
    rows.map(|row| (row.source.0, row.asked_count, row.returned_count)).collect()
}

pub(super) fn inquiries_count_for_whom_they_show(store: &mut dyn Store) {
    let (ada, posts_of_ada) = author(store, "ada", 3);
    let (bob, posts_of_bob) = author(store, "bob", 1);
    assert_eq!(counted(store, TODAY), []);
    let both = [posts_of_ada.clone(), posts_of_bob].concat();
    store.count_inquiries(TODAY, &[shown(&both), shown(&posts_of_ada[..1])]).must();
    let (a, b) = (ada.id.0, bob.id.0);
    assert_eq!(counted(store, TODAY), [(a, 2, 4), (b, 1, 1)], "an inquiry once, an answer for each post");
    let number = the_account(store, "ada").object;
    let page = Inquiry { accounts: vec![number], sources: vec![bob.id], ..Inquiry::default() };
    store.count_inquiries(TODAY, &[page]).must();
    assert_eq!(counted(store, TODAY), [(a, 3, 5), (b, 2, 2)]);
    let nobody = Inquiry { posts: vec![999_999], accounts: vec![999_999], ..Inquiry::default() };
    store.count_inquiries(TODAY, &[nobody]).must();
    assert_eq!(counted(store, TODAY), [(a, 3, 5), (b, 2, 2)], "what is not there is not counted");
}

pub(super) fn interest_lasts_seven_days(store: &mut dyn Store) {
    let (ada, posts_of_ada) = author(store, "ada", 1);
    let a = ada.id.0;
    store.count_inquiries(TODAY, &[shown(&posts_of_ada)]).must();
    store.count_inquiries(TODAY + 1, &[shown(&posts_of_ada)]).must();
    assert_eq!(counted(store, TODAY + 1), [(a, 2, 2)]);
    assert_eq!(counted(store, TODAY + DAYS - 1), [(a, 2, 2)]);
    assert_eq!(counted(store, TODAY + DAYS), [(a, 1, 1)], "the first day is over");
    assert_eq!(counted(store, TODAY + DAYS + 1), []);
    assert_eq!(counted(store, TODAY), [(a, 1, 1)], "nobody is asked about in the future");
    store.count_inquiries(TODAY + DAYS, &[]).must();
    assert_eq!(counted(store, TODAY), [], "old days are swept");
    store.count_inquiries(TODAY - 30, &[]).must();
    assert_eq!(counted(store, TODAY + 1), [], "and days that a wrong clock left");
}

pub(super) fn who_is_forgotten_was_never_asked_about(store: &mut dyn Store) {
    let (ada, posts_of_ada) = author(store, "ada", 1);
    let (bob, posts_of_bob) = author(store, "bob", 1);
    store.count_inquiries(TODAY, &[shown(&[posts_of_ada, posts_of_bob].concat())]).must();
    store.forget("mastodon:a.example/account/ada").must();
    assert_eq!(counted(store, TODAY), [(bob.id.0, 1, 1)]);
    store.forget(&bob.id.0.to_string()).must();
    assert_eq!(counted(store, TODAY), []);
    assert_eq!(store.source(ada.id).must(), None);
}

pub(super) fn a_day_has_so_many_rows(store: &mut dyn Store) {
    let ids: Vec<String> = (0..=ROWS_PER_DAY_MAX).map(|n| n.to_string()).collect();
    let sources: Vec<Source> = ids.iter().map(|id| timeline(id)).collect();
    let added = store.add_sources(&sources).must();
    for part in added.chunks(1_000) {
        let sources = part.iter().map(|(id, _)| *id).collect();
        store.count_inquiries(TODAY, &[Inquiry { sources, ..Inquiry::default() }]).must();
    }
    assert_eq!(counted(store, TODAY).len(), ROWS_PER_DAY_MAX);
    let first = Inquiry { sources: vec![added[0].0], ..Inquiry::default() };
    store.count_inquiries(TODAY, &[first]).must();
    assert_eq!(counted(store, TODAY)[0], (added[0].0.0, 2, 2), "those that are counted go on");
}

pub(super) fn ranks_stand_for_the_lists_of_accounts(store: &mut dyn Store) {
    let (ada, _) = author(store, "ada", 0);
    let (bob, _) = author(store, "bob", 0);
    let (eve, _) = author(store, "eve", 0);
    assert_eq!(store.ranked().must(), Ranked::default(), "nobody ranks");
    let number = |store: &dyn Store, id: &str| the_account(store, id).object;
    let (a, b, e) = (number(store, "ada"), number(store, "bob"), number(store, "eve"));
    store.set_ranks(&[(b, 0.5), (a, 0.25), (e, 0.0), (999_999, 1.0), (e, f64::NAN), (e, -1.0)]).must();
    let both = Ranked { scores: vec![(ada.id, 0.25), (bob.id, 0.5)], list_count: 3 };
    assert_eq!(store.ranked().must(), both, "whoever is unknown or has no score is left out");
    store.set_state(&[eve.id], SourceState::Paused).must();
    assert_eq!(store.ranked().must().list_count, 2, "those that wait are not among the others");
    store.set_ranks(&[(a, 0.75)]).must();
    assert_eq!(store.ranked().must().scores, [(ada.id, 0.75)], "scores are set whole");
    store.forget("mastodon:a.example/account/ada").must();
    assert_eq!(store.ranked().must(), Ranked::default(), "who is forgotten has none");
}
