//! Behaviours of care: redacting, forgetting, expiring.

use freshet_types::{
    Address, CrossLink, Observation, RobotKind, Source, SourceState, Span, Tag, VisitId, VisitSummary,
};

use super::kit::{
    Must, account, accounts, add, all_accounts, all_posts, all_relations, apply, at, changes, hits, lines,
    network, only_post, post, posts, relation, relations, timeline, upload,
};
use crate::api::Store;
use crate::row::{Applied, Erased, OnDelete, Parked, Upload};

fn rich(id: &str, author: &str, text: &str) -> freshet_types::Post {
    let mut rich = post(id, author, 10, text);
    rich.url = Some("https://a.example/1".into());
    rich.reply_to = Some("0".into());
    rich.tags = vec!["tag".into()];
    rich.plinks = vec![("likes".into(), 3.into())];
    let other: Address = "bluesky/post/x".parse().expect("an address");
    rich.slinks = vec![CrossLink::new("same_as", other)];
    rich
}

fn delete(id: &str, secs: i64) -> Upload {
    Upload { deleted: vec![("post".into(), id.into())], ..posts(secs, []) }
}

#[track_caller]
fn check_redacted(store: &dyn Store) {
    let row = only_post(store);
    let mut expected = post("1", "a", 10, "");
    expected.is_deleted = true;
    assert_eq!(row.post, expected, "id, author, times and the mark stay");
    assert!(row.deleted_at.is_some());
    assert_eq!(hits(store, "secret"), [] as [&str; 0]);
}

pub(super) fn redacting_erases_the_content_of_deleted_posts(store: &mut dyn Store) {
    store.set_on_delete(&network(), OnDelete::Redact).must();
    apply(store, posts(100, [rich("1", "a", "secret")]));
    assert_eq!(hits(store, "secret"), ["1"]);
    apply(store, delete("1", 200));
    check_redacted(store);
    let mut tombstone = rich("1", "a", "secret");
    tombstone.is_deleted = true;
    apply(store, posts(300, [tombstone]));
    check_redacted(store);
    apply(store, posts(400, [rich("1", "a", "public")]));
    assert_eq!(only_post(store).post, rich("1", "a", "public"), "who brings it back wants it back");
    assert_eq!(hits(store, "public"), ["1"]);
}

pub(super) fn redacting_reaches_back(store: &mut dyn Store) {
    apply(store, posts(100, [rich("1", "a", "secret")]));
    apply(store, delete("1", 200));
    assert_eq!(hits(store, "secret"), ["1"], "kept by default");
    store.set_on_delete(&network(), OnDelete::Redact).must();
    check_redacted(store);
    let other = Upload { network: "mastodon:b.example".into(), ..posts(100, [rich("2", "a", "kept")]) };
    apply(store, other);
    apply(store, Upload { network: "mastodon:b.example".into(), ..delete("2", 200) });
    assert_eq!(hits(store, "kept"), ["2"], "each network has its own rule");
}

pub(super) fn who_opts_out_is_left_alone(store: &mut dyn Store) {
    let by_handle = Source { handle: Some("alice".into()), ..timeline("") };
    let profile = Source { handle: Some("alice".into()), endpoint: "account".into(), ..timeline("a") };
    let removed = Source { endpoint: "following".into(), ..timeline("a") };
    let [other, list, profile, removed] =
        [timeline("b"), by_handle, profile, removed].map(|source| add(store, &source));
    store.set_state(&[removed.id], SourceState::Removed).must();
    apply(store, posts(90, [rich("1", "a", "kept"), rich("2", "b", "stays")]));
    let flag = |secs: i64| {
        let out = freshet_types::Account { opts_out: true, ..account("a", "alice") };
        let source = Some(Source { state: SourceState::OptedOut, ..profile.clone() });
        Upload { source, opted_out: vec!["a".into()], ..accounts(secs, [out]) }
    };
    assert_eq!(apply(store, flag(100)).rested, [list.id], "its own state the source says itself");
    let states = |store: &dyn Store| {
        [&other, &list, &profile, &removed].map(|it| store.source(it.id).must().map(|it| it.state.name()))
    };
    assert_eq!(states(store), [Some("active"), Some("opted_out"), Some("opted_out"), Some("removed")]);
    assert_eq!(hits(store, "kept"), ["1"], "kept, as deleted posts of this network are");
    let tags = add(store, &Source { endpoint: "tags".into(), ..timeline("a") });
    assert_eq!(tags.state, SourceState::OptedOut, "who opted out is not taken up anew");
    store.set_on_delete(&network(), OnDelete::Redact).must();
    assert_eq!(apply(store, flag(200)).rested, [], "they rest already");
    assert_eq!((hits(store, "kept"), hits(store, "stays")), (vec![], vec!["2".to_owned()]));
}

pub(super) fn who_opts_out_is_left_alone_on_other_pages(store: &mut dyn Store) {
    let whole = |opts_out: bool| freshet_types::Account {
        opts_out,
        followers_count: Some(3),
        ..account("a", "alice")
    };
    apply(store, posts(80, [rich("1", "a", "before")]));
    apply(store, accounts(90, [whole(true)]));
    // A short form, a mere mention, and an edit of what is known, on the page of somebody else.
    let short = Observation {
        accounts: vec![account("a", "alice")],
        posts: vec![rich("2", "a", "unwanted"), rich("3", "b", "stays"), rich("1", "a", "after")],
        ..Observation::default()
    };
    apply(store, upload(100, short));
    apply(store, posts(101, [rich("4", "a", "unwanted")]));
    let found = |store: &dyn Store, word: &str| hits(store, word).len();
    assert_eq!(["unwanted", "after", "before", "stays"].map(|word| found(store, word)), [0, 0, 1, 1]);
    apply(store, accounts(110, [whole(false)]));
    apply(store, posts(111, [rich("4", "a", "wanted")]));
    assert_eq!(found(store, "wanted"), 1, "who opts in again is collected again");
}

/// An account with everything that may hang on one, and a neighbour that stays.
fn populate(store: &mut dyn Store) -> Source {
    let source = add(store, &timeline("a"));
    let summary = VisitSummary {
        id: VisitId(5),
        source: source.id,
        started_at: at(1),
        ended_at: at(2),
        fetch_count: 1,
        new_post_count: 1,
        outcome: "ok".into(),
        attempt: 1,
    };
    apply(store, accounts(90, [account("a", "alice@a.example"), account("b", "bob@a.example")]));
    let page = [rich("1", "a", "secret one"), rich("2", "a", "secret two"), rich("3", "b", "stays")];
    apply(store, Upload { source: Some(source.clone()), summary: Some(summary), ..posts(100, page) });
    apply(store, posts(101, [rich("1", "a", "secret edited")]));
    apply(store, relations(102, [relation("a", "b"), relation("b", "a"), relation("b", "c")]));
    let tags =
        vec![Tag { account: "a".into(), name: "x".into() }, Tag { account: "b".into(), name: "x".into() }];
    apply(store, upload(103, Observation { tags, ..Observation::default() }));
    let parked = |id: &str| Parked {
        address: format!("{}/post/{id}", network()),
        missing: "likes".into(),
        parked_at: at(103),
        object: "{}".into(),
        source: None,
    };
    store.park(&[parked("1"), parked("3")]).must();
    source
}

#[track_caller]
fn check_forgotten(store: &dyn Store, erased: &Erased) {
    let expected = Erased {
        accounts: 1,
        posts: 2,
        relations: 2,
        things: 0,
        links: 0,
        tags: 1,
        sources: 1,
        visits: 1,
        changes: 5,
        payloads: erased.payloads,
        parked: 1,
    };
    assert_eq!(*erased, expected);
    assert_eq!(all_posts(store).iter().map(|row| &*row.post.id).collect::<Vec<_>>(), ["3"]);
    assert_eq!(all_accounts(store).iter().map(|row| &*row.account.id).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(all_relations(store).len(), 1);
    assert_eq!(lines(store), ["created account/b", "created post/3", "created account/c"]);
    assert_eq!(hits(store, "secret"), [] as [&str; 0]);
    assert_eq!(hits(store, "stays"), ["3"]);
    let counts = store.counts().must();
    assert_eq!((counts.posts, counts.accounts, counts.relations, counts.changes), (1, 2, 1, 3));
    assert_eq!((counts.visits, counts.parked, counts.sources), (0, 1, vec![]));
}

pub(super) fn forgetting_an_account_erases_all_of_it(store: &mut dyn Store) {
    populate(store);
    assert_eq!(hits(store, "secret").len(), 2);
    let erased = store.forget("mastodon:a.example/account/a").must();
    check_forgotten(store, &erased);
    assert_eq!(store.forget("mastodon:a.example/account/a").must(), Erased::default());
}

pub(super) fn forgetting_by_handle_and_by_number(store: &mut dyn Store) {
    let source = populate(store);
    let erased = store.forget(&source.id.0.to_string()).must();
    check_forgotten(store, &erased);
    let erased = store.forget("@bob@a.example").must();
    assert_eq!((erased.accounts, erased.posts, erased.relations, erased.tags), (1, 1, 1, 1));
    let erased = store.forget("mastodon:a.example/account/c").must();
    assert_eq!(erased, Erased { accounts: 1, changes: 1, ..Erased::default() });
    assert_eq!(changes(store), []);
    // A source that was never resolved has only its handle.
    add(store, &Source { handle: Some("carol@a.example".into()), ..timeline("") });
    assert_eq!(store.forget("carol@a.example").must(), Erased { sources: 1, ..Erased::default() });
}

pub(super) fn forgetting_a_post_leaves_the_others(store: &mut dyn Store) {
    populate(store);
    let comments = Source::new(&network(), "context", RobotKind::Comment, "post", "1");
    add(store, &comments);
    let erased = store.forget("mastodon:a.example/post/1").must();
    assert_eq!(erased, Erased { posts: 1, changes: 2, sources: 1, parked: 1, ..Erased::default() });
    assert_eq!(hits(store, "secret"), ["2"]);
    assert_eq!(all_accounts(store).len(), 3);
}

pub(super) fn forgetting_a_feed_erases_what_it_brought(store: &mut dyn Store) {
    let feed = Source::new(&network(), "feed", RobotKind::Status, "feed", "https://a.example/feed.xml");
    let feed = add(store, &feed);
    let mut entry = post("e1", "", 10, "entry");
    entry.author = None;
    apply(store, Upload { source: Some(feed), ..posts(100, [entry]) });
    apply(store, posts(100, [post("1", "b", 10, "other")]));
    let erased = store.forget("mastodon:a.example/feed/https://a.example/feed.xml").must();
    assert_eq!(erased, Erased { posts: 1, sources: 1, changes: 1, ..Erased::default() });
    assert_eq!(only_post(store).post.id, "1");
}

pub(super) fn forgetting_takes_the_text_out_of_reposts(store: &mut dyn Store) {
    let mut repost = post("2", "b", 20, "secret");
    repost.repost_of = Some("1".into());
    apply(store, posts(100, [post("1", "a", 10, "secret"), repost]));
    assert_eq!(hits(store, "secret").len(), 2);
    store.forget("mastodon:a.example/account/a").must();
    let left = only_post(store);
    assert_eq!((left.post.id.as_str(), left.post.text.as_str()), ("2", ""));
    assert_eq!(hits(store, "secret"), [] as [&str; 0]);
}

pub(super) fn forgetting_nothing_says_so(store: &mut dyn Store) {
    populate(store);
    apply(store, accounts(200, [account("empty", "")]));
    let before = (all_accounts(store).len(), all_posts(store));
    for reference in ["", "nobody", "99", "nowhere/account/a", "mastodon:a.example/account/zz", "%", "@"] {
        assert_eq!(store.forget(reference).must(), Erased::default(), "`{reference}`");
    }
    assert_eq!((all_accounts(store).len(), all_posts(store)), before);
}

pub(super) fn posts_expire_with_their_source_and_stay_away(store: &mut dyn Store) {
    let short = add(store, &Source { retention: Some(Span::from_secs(100)), ..timeline("a") });
    let long = add(store, &timeline("b"));
    let old_and_new = |author: &str, first: i64| {
        [post(&first.to_string(), author, 1000, "old"), post(&(first + 1).to_string(), author, 1090, "new")]
    };
    let page = Upload { source: Some(short), ..posts(1095, old_and_new("a", 1)) };
    apply(store, page.clone());
    apply(store, Upload { source: Some(long), ..posts(1095, old_and_new("b", 3)) });
    assert_eq!(store.expire(at(1100)).must(), 0, "not yet");
    assert_eq!(store.expire(at(1101)).must(), 1);
    let ids = |store: &dyn Store| all_posts(store).into_iter().map(|row| row.post.id).collect::<Vec<_>>();
    assert_eq!(ids(store), ["2", "3", "4"]);
    assert_eq!(hits(store, "old"), ["3"]);
    // The network still lists it; a later page does not bring it back.
    let later = Upload { seen_at: at(1150), ..page };
    assert_eq!(apply(store, later), Applied::default());
    assert_eq!(ids(store), ["2", "3", "4"]);
    assert_eq!(store.expire(at(9999)).must(), 1);
    assert_eq!(store.counts().must().posts, 2);
}

pub(super) fn a_retention_set_later_reaches_back(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    apply(store, Upload { source: Some(source.clone()), ..posts(100, [post("1", "a", 10, "x")]) });
    store.put_source(&Source { retention: Some(Span::from_secs(50)), ..source }).must();
    assert_eq!(store.expire(at(100)).must(), 1);
    assert_eq!(all_posts(store), []);
}

pub(super) fn posts_without_a_time_expire_too(store: &mut dyn Store) {
    let source = add(store, &Source { retention: Some(Span::from_secs(50)), ..timeline("a") });
    let undated = freshet_types::Post { created_at: None, ..post("1", "a", 0, "x") };
    apply(store, Upload { source: Some(source), ..posts(100, [undated]) });
    assert_eq!([store.expire(at(150)).must(), store.expire(at(151)).must()], [0, 1]);
}

pub(super) fn what_was_parked_belongs_to_its_source(store: &mut dyn Store) {
    let feed = Source { root_kind: "feed".into(), retention: Some(Span::from_secs(50)), ..timeline("f") };
    let feed = add(store, &feed);
    let brought = |id: &str| Upload { brought_by: Some(feed.id), ..posts(100, [post(id, "a", 90, "x")]) };
    apply(store, brought("1"));
    assert_eq!(store.expire(at(141)).must(), 1, "it is kept no longer than what its source brings");
    apply(store, brought("2"));
    let parked = Parked {
        address: format!("{}/post/3", network()),
        missing: "likes".into(),
        parked_at: at(103),
        object: "{}".into(),
        source: Some(feed.id),
    };
    store.park(std::slice::from_ref(&parked)).must();
    assert_eq!(store.parked(&parked.address).must(), Some(parked));
    let erased = store.forget("mastodon:a.example/feed/f").must();
    assert_eq!((erased.posts, erased.parked), (1, 1));
    assert_eq!(apply(store, brought("4")), Applied::default(), "late pages go with it");
}

pub(super) fn raw_payloads_go_with_what_they_show(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let page = |visit, secs, posts_of: Vec<freshet_types::Post>, raw: &str| Upload {
        visit: VisitId(visit),
        raw: Some(raw.as_bytes().to_vec()),
        ..posts(secs, posts_of)
    };
    apply(store, page(1, 100, vec![post("1", "a", 10, "x"), post("2", "b", 11, "y")], "both"));
    apply(store, page(1, 100, vec![post("1", "a", 10, "x"), post("2", "b", 11, "y")], "both"));
    apply(store, page(2, 101, vec![post("1", "a", 10, "x")], "again"));
    apply(store, page(3, 102, vec![post("2", "b", 11, "y")], "other"));
    apply(store, Upload { source: Some(source), ..page(4, 103, vec![], "empty page of a") });
    let erased = store.forget("mastodon:a.example/account/a").must();
    assert_eq!(erased.payloads, 3, "both pages that show the post, and the page of the source");
    let erased = store.forget("mastodon:a.example/post/2").must();
    assert_eq!(erased.payloads, 1);
}

pub(super) fn raw_payloads_go_with_redacted_posts(store: &mut dyn Store) {
    store.set_on_delete(&network(), OnDelete::Redact).must();
    apply(store, Upload { raw: Some(b"page".to_vec()), ..posts(100, [rich("1", "a", "secret")]) });
    apply(store, delete("1", 200));
    check_redacted(store);
    assert_eq!(store.forget("mastodon:a.example/account/a").must().payloads, 0, "it is gone already");
}
