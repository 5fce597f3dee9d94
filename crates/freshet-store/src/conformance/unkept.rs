//! Behaviours of what is not kept: rows without content, edits and deletions as before, and what passes meanwhile.

use std::sync::Arc;

use freshet_types::{
    Account, Complaint, Lead, Observation, Post, Primitive, RobotKind, Source, Span, Tag, VisitId,
};

use super::kit::{
    Must, accounts, add, all_accounts, all_posts, apply, at, changes, hits, lines, network, only_post, post,
    posts, the_account, timeline, upload,
};
use crate::api::Store;
use crate::pass::Pass;
use crate::row::{NotKept, Parked, Storing, StreamMark, Upload};

/// A word that stands in every text that these behaviours make.
const SAID: &str = "saffron";

/// A post that says the word wherever it can.
fn telling(id: &str, author: &str) -> Post {
    Post {
        url: Some(format!("https://a.example/{SAID}")),
        uri: Some(SAID.into()),
        lang: Some(SAID.into()),
        tags: vec![SAID.into()],
        reply_to: Some("parent".into()),
        plinks: vec![("like_count".into(), Primitive::Int(3)), ("mood".into(), Primitive::Text(SAID.into()))],
        ..post(id, author, 10, SAID)
    }
}

/// An account that does.
fn profile(id: &str) -> Account {
    Account {
        handle: Some("ada".into()),
        name: Some(SAID.into()),
        bio: Some(SAID.into()),
        url: Some(SAID.into()),
        uri: Some(SAID.into()),
        location: Some(SAID.into()),
        followers_count: Some(7),
        plinks: vec![("motto".into(), Primitive::Text(SAID.into()))],
        id: id.into(),
        ..Account::default()
    }
}

/// The same with another name.
fn renamed(id: &str) -> Account {
    Account { name: Some("Cardamom".into()), ..profile(id) }
}

/// A network that keeps nothing.
fn never(store: &mut dyn Store) {
    store.set_keeping(&network(), Storing::Never).must();
}

/// What this handle does not keep passes through the pass that this gives.
fn passing(store: &mut dyn Store) -> Arc<Pass> {
    let pass = Arc::new(Pass::default());
    store.pass_through(&pass).must();
    pass
}

/// Nothing that is read of posts and accounts has the word.
#[track_caller]
fn says_nothing(store: &dyn Store) {
    let told = format!("{:?} {:?}", all_posts(store), all_accounts(store));
    assert!(!told.contains(SAID), "{told}");
    assert_eq!(hits(store, SAID), [""; 0]);
}

pub(super) fn content_is_not_kept_and_ids_and_counts_are(store: &mut dyn Store) {
    never(store);
    let tags = vec![Tag { account: "a".into(), name: SAID.into() }];
    let seen = Observation {
        posts: vec![telling("1", "a")],
        accounts: vec![profile("a")],
        tags,
        ..Observation::default()
    };
    let parked = Parked {
        address: format!("{}/post/9", network()),
        missing: "x".into(),
        parked_at: at(20),
        object: format!("\"{SAID}\""),
        source: None,
    };
    let complaints = vec![Complaint::new("post", format!("`{SAID}` is no number")).with_sample(SAID)];
    let applied = apply(store, Upload { parked: vec![parked], complaints, ..upload(20, seen.clone()) });
    assert_eq!((applied.new_posts.len(), applied.new_account_count, applied.new_tag_count), (1, 1, 1));
    says_nothing(store);
    let row = only_post(store);
    assert!(row.unkept.is_some(), "it says that its content is not here");
    let it = &row.post;
    assert_eq!((it.author.as_deref(), it.reply_to.as_deref()), (Some("a"), Some("parent")));
    assert_eq!((it.created_at, row.seen_at), (Some(at(10)), at(20)));
    assert_eq!(it.plinks, [("like_count".into(), Primitive::Int(3))], "robots are led by counts");
    let account = the_account(store, "a");
    assert!(account.unkept.is_some());
    assert_eq!((account.account.handle.as_deref(), account.account.followers_count), (Some("ada"), Some(7)));
    assert_eq!(store.counts().must().parked, 0);
    let complaint = store.complaints(None, 10, 10).must().remove(0);
    assert!(!format!("{complaint:?}").contains(SAID), "{complaint:?}");
    let again = apply(store, upload(30, seen));
    assert_eq!((again.new_posts.len(), again.edited_count, again.new_tag_count), (0, 0, 0));
    assert_eq!(lines(store).len(), 2, "{:?}", lines(store));
}

pub(super) fn edits_and_deletions_are_known_by_fingerprints(store: &mut dyn Store) {
    never(store);
    apply(store, posts(20, [telling("1", "a"), telling("2", "a")]));
    let versions: Vec<_> = all_posts(store).iter().map(|row| row.unkept).collect();
    assert_ne!(versions[0], versions[1], "equal texts have fingerprints of their own");
    let edited = Post { text: format!("more {SAID}"), ..telling("1", "a") };
    assert_eq!(apply(store, posts(30, [edited.clone(), telling("2", "a")])).edited_count, 1);
    assert_eq!(apply(store, posts(40, [edited, telling("2", "a")])).edited_count, 0);
    let gone = Upload { deleted: vec![("post".into(), "2".into())], ..posts(50, []) };
    assert_eq!(apply(store, gone).deleted_count, 1);
    apply(store, posts(60, [telling("2", "a")]));
    let expected = [
        "created account/a",
        "created post/1",
        "created post/2",
        "edited post/1",
        "deleted post/2",
        "restored post/2",
    ];
    assert_eq!(lines(store), expected);
    says_nothing(store);
    assert!(store.earlier_texts(changes(store)[1].object).must().is_empty());
}

pub(super) fn a_new_profile_is_told_of_though_it_is_not_kept(store: &mut dyn Store) {
    never(store);
    apply(store, posts(10, [telling("1", "a")]));
    for (secs, seen) in [(20, profile("a")), (30, profile("a")), (40, renamed("a"))] {
        apply(store, accounts(secs, [seen]));
    }
    // A short form says nothing of name and self-description.
    let short = Account { id: "a".into(), handle: Some("ada".into()), ..Account::default() };
    apply(store, accounts(50, [short]));
    let told = ["created account/a", "created post/1", "edited account/a", "edited account/a"];
    assert_eq!(lines(store), told, "first known by name only, then with a profile, then renamed");
    // Two forms in one transaction are two profiles.
    let uploads = [accounts(60, [profile("a")]), accounts(60, [renamed("a")])];
    store.apply(&uploads, super::compare).must();
    assert_eq!(lines(store).len(), told.len() + 2);
    says_nothing(store);
}

pub(super) fn whoever_has_a_pass_finds_what_is_passing(store: &mut dyn Store) {
    never(store);
    let pass = passing(store);
    apply(
        store,
        upload(
            20,
            Observation {
                posts: vec![telling("1", "a")],
                accounts: vec![profile("a")],
                ..Observation::default()
            },
        ),
    );
    let whole = only_post(store);
    let shown = Post { plinks: telling("1", "a").plinks, ..telling("1", "a") };
    assert_eq!((whole.post.text, whole.post.tags, whole.post.plinks), (shown.text, shown.tags, shown.plinks));
    assert_eq!((whole.unkept, the_account(store, "a").account.bio.as_deref()), (None, Some(SAID)));
    let edited = Post { text: "other".into(), ..telling("1", "a") };
    apply(store, posts(30, [edited]));
    assert_eq!(only_post(store).post.text, "other", "the version that the row has");
    pass.settle([store.last_change().must()]);
    assert!(only_post(store).unkept.is_some() && pass.bytes() == 0, "everybody has it");
    says_nothing(store);
}

pub(super) fn what_was_kept_stays_until_it_changes_or_is_taken_out(store: &mut dyn Store) {
    let seen = Observation {
        posts: vec![telling("1", "a"), telling("2", "a")],
        accounts: vec![profile("a")],
        ..Observation::default()
    };
    apply(store, upload(20, seen.clone()));
    assert_eq!(hits(store, SAID).len(), 2);
    never(store);
    apply(store, upload(30, seen.clone()));
    assert_eq!(lines(store).len(), 3, "nothing is new");
    assert_eq!(all_posts(store)[0].post.text, SAID, "what is stored stays");
    apply(store, posts(40, [Post { text: "other".into(), ..telling("1", "a") }]));
    let row = &all_posts(store)[0];
    assert!(row.unkept.is_some() && !format!("{row:?}").contains(SAID), "{row:?}");
    assert!(store.earlier_texts(row.object).must().is_empty(), "nor does what it said before stay");
    let mut count = 0;
    while let more @ 1.. = store.empty_some(&network()).must() {
        count += more;
    }
    assert_eq!(count, 2, "the post that did not change, and its author");
    while store.erase_some().must().is_some() {}
    says_nothing(store);
    let before = lines(store).len();
    let other = Post { text: "other".into(), ..telling("1", "a") };
    apply(
        store,
        upload(
            50,
            Observation {
                posts: vec![other, telling("2", "a")],
                accounts: vec![profile("a")],
                ..Observation::default()
            },
        ),
    );
    assert_eq!(lines(store).len(), before, "what was taken out is known by its fingerprint");
}

pub(super) fn what_is_kept_again_comes_back_as_restored(store: &mut dyn Store) {
    never(store);
    apply(store, posts(20, [telling("1", "a")]));
    store.set_keeping(&network(), Storing::Keep).must();
    assert_eq!(store.not_kept().must(), NotKept::default());
    apply(store, posts(30, [telling("1", "a")]));
    assert_eq!(lines(store).last().map(String::as_str), Some("restored post/1"));
    assert_eq!((only_post(store).post, only_post(store).unkept), (telling("1", "a"), None));
    assert_eq!(hits(store, SAID), ["1"]);
    apply(store, posts(40, [Post { text: "other".into(), ..telling("1", "a") }]));
    let earlier = store.earlier_texts(only_post(store).object).must();
    assert_eq!(earlier.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), [SAID]);
}

pub(super) fn a_source_may_keep_nothing_where_its_network_keeps(store: &mut dyn Store) {
    let (ada, bob) = (add(store, &timeline("a")), add(store, &timeline("b")));
    store.set_keeping_of(&[ada.id], Storing::Never).must();
    assert_eq!(store.are_unkept(&[ada.id, bob.id]).must(), [true, false]);
    assert_eq!(store.not_kept().must(), NotKept { sources_count: 1, ..NotKept::default() });
    for (source, id) in [(&ada, "1"), (&bob, "2")] {
        let seen = Upload { source: Some(source.clone()), ..posts(20, [telling(id, &source.root_id)]) };
        assert_eq!(store.keeps(&seen).must(), id == "2");
        apply(store, seen);
    }
    let unkept: Vec<bool> = all_posts(store).iter().map(|row| row.unkept.is_some()).collect();
    assert_eq!(unkept, [true, false]);
    // What comes of it keeps as little: a thread that it leads to, the comments on its post.
    let root = Source::new(&network(), "context", RobotKind::Comment, "post", "1");
    let comments = add(store, &root);
    let lead = Lead {
        endpoint: "thread".into(),
        robot: RobotKind::Comment,
        root_kind: "thread".into(),
        root_id: "t".into(),
        title: Some(SAID.into()),
        active_at: None,
        grain: Span::ZERO,
    };
    let seen = upload(30, Observation { leads: vec![lead], ..Observation::default() });
    let led_to = apply(store, Upload { source: Some(ada.clone()), ..seen }).led_to;
    assert_eq!(store.are_unkept(&[comments.id, led_to[0].id]).must(), [true, true]);
    // A source that keeps what it shows wins.
    apply(store, Upload { source: Some(bob), ..posts(40, [telling("1", "a")]) });
    assert!(all_posts(store).iter().all(|row| row.unkept.is_none()));
}

pub(super) fn a_stream_keeps_of_each_author_what_their_source_does(store: &mut dyn Store) {
    let ada = add(store, &timeline("a"));
    add(store, &timeline("b"));
    store.set_keeping_of(&[ada.id], Storing::Never).must();
    let mark = StreamMark {
        name: "all".into(),
        since: at(1),
        until: at(20),
        cursor: None,
        covers: Vec::new(),
        revisit: Vec::new(),
    };
    apply(store, Upload { stream: Some(mark), ..posts(20, [telling("1", "a"), telling("2", "b")]) });
    let unkept: Vec<bool> = all_posts(store).iter().map(|row| row.unkept.is_some()).collect();
    assert_eq!(unkept, [true, false]);
}

/// A page of which these posts lie outside of what is collected.
fn outside<const N: usize>(secs: i64, seen: [Post; N], ids: &[&str]) -> Upload {
    let mut page = posts(secs, seen);
    for id in ids {
        page.outside.hold_post(&"post".into(), id);
    }
    page
}

pub(super) fn what_lies_outside_of_what_is_collected_reaches_nobody(store: &mut dyn Store) {
    let pass = passing(store);
    let parked = Parked {
        address: format!("{}/post/9", network()),
        missing: "x".into(),
        parked_at: at(20),
        object: "{}".into(),
        source: None,
    };
    let page = outside(20, [telling("1", "a"), Post { text: "other".into(), ..telling("2", "a") }], &["1"]);
    let page = Upload { raw: Some(SAID.into()), parked: vec![parked], ..page };
    assert!(store.keeps(&page).must(), "what waits may wait");
    assert_eq!(apply(store, page).new_posts.len(), 2, "both count as seen");
    assert_eq!((pass.bytes(), store.counts().must().parked), (0, 1));
    let stored = |store: &dyn Store| -> Vec<_> {
        all_posts(store)
            .iter()
            .map(|row| (row.is_outside, row.unkept.is_some(), row.post.text.clone()))
            .collect()
    };
    let (bare, kept) = ((true, true, String::new()), |text: &str| (false, false, text.to_owned()));
    assert_eq!(stored(store), [bare.clone(), kept("other")]);
    assert_eq!(hits(store, "other"), ["2"]);
    let same = [telling("1", "a")];
    assert_eq!(apply(store, outside(30, same, &["1"])).edited_count, 0, "it is known by its fingerprint");
    let edited = Post { text: format!("more {SAID}"), ..telling("1", "a") };
    assert_eq!(apply(store, outside(40, [edited.clone()], &["1"])).edited_count, 1);
    assert_eq!(stored(store)[0], bare);
    // It says what it said and is collected from now on; then an edit leads out again.
    apply(store, posts(50, [edited.clone()]));
    assert_eq!(stored(store)[0], kept(&edited.text));
    apply(store, outside(60, [edited], &["1"]));
    assert!(!stored(store)[0].0, "what is stored stays");
    assert_eq!(apply(store, outside(70, [telling("1", "a")], &["1"])).edited_count, 1);
    assert_eq!(stored(store)[0], bare);
    let gone = Upload { deleted: vec![("post".into(), "1".into())], ..posts(80, []) };
    assert_eq!(apply(store, gone).deleted_count, 1);
    let told = [
        "created account/a",
        "created post/1",
        "created post/2",
        "edited post/1",
        "restored post/1",
        "edited post/1",
        "deleted post/1",
    ];
    assert_eq!(lines(store), told);
    while store.erase_some().must().is_some() {}
    assert_eq!(hits(store, SAID), [""; 0]);
    assert_eq!(store.forget("mastodon:a.example/post/1").must().payloads, 0, "its page was not kept");
    // Of a network that keeps nothing, what is collected passes and the rest does not.
    never(store);
    apply(store, outside(90, [telling("3", "a"), telling("4", "a")], &["3"]));
    assert_eq!(stored(store), [kept("other"), bare, kept(SAID)]);
}

pub(super) fn no_raw_payload_shows_what_is_not_kept(store: &mut dyn Store) {
    let page =
        |visit, seen: Vec<Post>| Upload { visit: VisitId(visit), raw: Some(SAID.into()), ..posts(20, seen) };
    apply(store, page(1, vec![telling("1", "a")]));
    never(store);
    apply(store, page(2, vec![telling("1", "a"), telling("2", "a")]));
    let erased = store.forget("mastodon:a.example/post/2").must();
    assert_eq!(erased.payloads, 0, "its page was not kept");
    while store.empty_some(&network()).must() > 0 {}
    let erased = store.forget("mastodon:a.example/post/1").must();
    assert_eq!((erased.posts, erased.payloads), (1, 0), "nor is what was kept before");
}
