//! Behaviours of posts: new, edited, deleted, back, missing, embedded.

use freshet_types::{Address, ChangeKind, CrossLink, Post, PostKind, Primitive, Source};

use super::kit::{
    Must, add, all_posts, apply, at, changes, compare, lines, network, only_post, post, posts, timeline,
    upload,
};
use crate::api::Store;
use crate::row::{Applied, Listing, Upload};

pub(super) fn new_posts_are_reported_and_come_back_whole(store: &mut dyn Store) {
    let mut full = post("1", "a", 10, "<p>text & \u{1f600}</p>");
    full.edited_at = Some(at(11));
    full.url = Some("https://a.example/@a/1".into());
    full.uri = Some("https://a.example/users/a/1".into());
    full.reply_to = Some("0".into());
    full.root = Some("00".into());
    full.repost_of = Some("r".into());
    full.quote_of = Some("q".into());
    full.lang = Some("en".into());
    full.tags = vec!["one".into(), "zwei \"2\"".into()];
    full.plinks = vec![("likes".into(), Primitive::Int(3)), ("is_pinned".into(), Primitive::Bool(true))];
    let other: Address = "bluesky/post/at://did:plc:x/app.bsky.feed.post/3k".parse().expect("an address");
    full.slinks = vec![CrossLink::new("same_as", other.clone()), CrossLink::new("seen_in", other)];
    let bare = post("2", "a", 20, "");
    let applied = apply(store, posts(100, [full.clone(), bare.clone()]));
    assert_eq!(applied.new_posts, [at(10), at(20)], "in page order");
    let stored = all_posts(store);
    assert_eq!(stored.iter().map(|row| &row.post).collect::<Vec<_>>(), [&full, &bare]);
    assert_eq!(stored[0].network, network());
    assert_eq!(stored[0].seen_at, at(100));
    assert_eq!(store.post(stored[0].object).must().as_ref(), Some(&stored[0]));
    assert_eq!(store.post(1 << 40).must(), None);
}

pub(super) fn the_same_upload_twice_changes_nothing(store: &mut dyn Store) {
    let page = posts(100, [post("1", "a", 10, "one"), post("2", "b", 20, "two")]);
    apply(store, page.clone());
    let before = (all_posts(store), changes(store), store.counts().must());
    assert_eq!(apply(store, page), Applied::default());
    assert_eq!((all_posts(store), changes(store), store.counts().must()), before);
}

pub(super) fn types_that_share_their_ids_share_their_posts(store: &mut dyn Store) {
    let typed =
        |kind: &str| Post { kind: PostKind::new(kind).in_space(Some("item")), ..post("1", "a", 10, "one") };
    apply(store, posts(100, [typed("comment")]));
    let applied = apply(store, posts(101, [typed("story")]));
    assert_eq!(applied, Applied::default());
    assert_eq!(only_post(store).post, typed("comment"), "the first type stays");
    let number = |kind| store.post_of(&network(), kind, "1").must().map(|row| row.object);
    assert!(number("story").is_some() && number("story") == number("comment"), "either type finds it");
    apply(store, Upload { deleted: vec![("story".into(), "1".into())], ..posts(102, []) });
    assert!(only_post(store).deleted_at.is_some(), "either type says that it is gone");
}

pub(super) fn the_same_id_of_two_types_is_two_posts(store: &mut dyn Store) {
    let comment = PostKind::new("comment").leading_to(None, Some("post"));
    let comment = Post { kind: comment, root: Some("1".into()), ..post("1", "b", 20, "an answer") };
    let applied = apply(store, posts(100, [post("1", "a", 10, "a question"), comment.clone()]));
    assert_eq!((applied.new_posts.len(), applied.edited_count), (2, 0));
    let found = |kind| store.post_of(&network(), kind, "1").must().map(|row| row.post);
    assert_eq!(found("comment"), Some(comment.clone()));
    assert_eq!(found("post").map(|post| post.text), Some("a question".to_owned()));
    assert_eq!(found("album"), None);
    let edited = Post { edited_at: Some(at(30)), text: "a better answer".into(), ..comment };
    assert_eq!(apply(store, posts(200, [edited])).edited_count, 1);
    apply(store, Upload { deleted: vec![("post".into(), "1".into())], ..posts(300, []) });
    let stored = all_posts(store);
    let shown: Vec<_> = stored.iter().map(|row| (row.post.text.as_str(), row.deleted_at.is_some())).collect();
    assert_eq!(shown, [("a question", true), ("a better answer", false)], "each has its own fate");
    assert_eq!(
        apply(store, Upload { deleted: vec![("album".into(), "1".into())], ..posts(400, []) }).deleted_count,
        0
    );
}

pub(super) fn ids_are_unique_per_network_only(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "here")]));
    let there = Upload { network: "mastodon:b.example".into(), ..posts(100, [post("1", "a", 10, "there")]) };
    assert_eq!(apply(store, there).new_posts.len(), 1);
    assert_eq!(all_posts(store).len(), 2);
}

pub(super) fn an_edit_replaces_the_text_and_is_logged(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "old")]));
    let mut edited = post("1", "a", 10, "new");
    edited.edited_at = Some(at(150));
    edited.tags = vec!["tag".into()];
    let applied = apply(store, posts(200, [edited.clone()]));
    assert_eq!(applied, Applied { edited_count: 1, ..Applied::default() });
    let stored = only_post(store);
    assert_eq!(stored.post, edited);
    assert_eq!(stored.seen_at, at(100), "the first sight stays");
    assert_eq!(lines(store), ["created account/a", "created post/1", "edited post/1"]);
    assert_eq!(apply(store, posts(300, [edited])), Applied::default());
}

pub(super) fn counts_change_quietly(store: &mut dyn Store) {
    let likes = |count| {
        let mut one = post("1", "a", 10, "text");
        one.plinks = vec![("likes".into(), Primitive::Int(count)), ("shown".into(), Primitive::Bool(true))];
        posts(100 + count, [one])
    };
    apply(store, likes(1));
    let before = changes(store);
    assert_eq!(apply(store, likes(7)), Applied::default());
    assert_eq!(only_post(store).post.plinks[0].1, Primitive::Int(7));
    assert_eq!(changes(store), before);
}

pub(super) fn a_short_form_takes_nothing_away(store: &mut dyn Store) {
    let mut full = post("1", "a", 10, "text");
    full.url = Some("https://a.example/1".into());
    full.lang = Some("en".into());
    full.plinks = vec![("likes".into(), Primitive::Int(1)), ("visibility".into(), "public".into())];
    apply(store, posts(100, [full.clone()]));
    let mut short = post("1", "a", 10, "text");
    short.plinks = vec![("likes".into(), Primitive::Int(2))];
    short.is_embedded = true;
    apply(store, posts(101, [short]));
    full.plinks[0].1 = Primitive::Int(2);
    assert_eq!(only_post(store).post, full);
}

pub(super) fn a_deletion_marks_and_keeps_the_text(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "text")]));
    let mut tombstone = post("1", "a", 10, "");
    tombstone.is_deleted = true;
    let applied = apply(store, posts(200, [tombstone.clone()]));
    assert_eq!(applied, Applied { deleted_count: 1, ..Applied::default() });
    let stored = only_post(store);
    assert_eq!((stored.post.text.as_str(), stored.deleted_at), ("text", Some(at(200))));
    assert!(stored.post.is_deleted);
    assert_eq!(apply(store, posts(300, [tombstone])), Applied::default());
    assert_eq!(lines(store).last().map(String::as_str), Some("deleted post/1"));
    assert_eq!(store.counts().must().deleted, 1);
}

pub(super) fn a_tombstone_of_an_unknown_post_is_stored_as_deleted(store: &mut dyn Store) {
    let mut tombstone = post("1", "a", 10, "");
    tombstone.is_deleted = true;
    let applied = apply(store, posts(100, [tombstone]));
    assert_eq!((applied.new_posts.len(), applied.deleted_count), (1, 1));
    assert_eq!(only_post(store).deleted_at, Some(at(100)));
}

pub(super) fn a_deleted_post_can_come_back(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "text")]));
    let gone = Upload { deleted: vec![("post".into(), "1".into())], ..posts(200, []) };
    apply(store, gone);
    apply(store, posts(300, [post("1", "a", 10, "text again")]));
    let stored = only_post(store);
    assert_eq!((stored.post.text.as_str(), stored.deleted_at), ("text again", None));
    assert_eq!(lines(store).last().map(String::as_str), Some("restored post/1"));
    assert_eq!(store.counts().must().deleted, 0);
}

pub(super) fn the_word_of_the_network_deletes(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "text"), post("2", "a", 20, "stays")]));
    let deleted = vec![("post".into(), "1".into()), ("post".into(), "unknown".into())];
    let gone = Upload { deleted, ..posts(200, []) };
    assert_eq!(apply(store, gone.clone()).deleted_count, 1);
    assert_eq!(apply(store, gone), Applied::default());
    let stored = all_posts(store);
    assert_eq!((stored[0].deleted_at, stored[1].deleted_at), (Some(at(200)), None));
}

pub(super) fn missing_is_reported_and_not_deleted(store: &mut dyn Store) {
    let all = (1..=5).map(|n| post(&n.to_string(), "a", n * 10, "text"));
    apply(store, posts(100, all.chain([post("other", "b", 30, "not of this author")])));
    let page = [post("2", "a", 20, "text"), post("4", "a", 40, "text")];
    let lists = Some(Listing { author: "a".into(), from: at(20), to: at(50) });
    let applied = apply(store, Upload { lists, ..posts(200, page) });
    assert_eq!(applied.missing, ["5", "3"], "both ends included, newest first");
    assert_eq!(store.counts().must().deleted, 0);
    let deleted = vec![("post".into(), "3".into())];
    let lists = Some(Listing { author: "a".into(), from: at(30), to: at(30) });
    let applied = apply(store, Upload { lists, deleted, ..posts(300, []) });
    assert_eq!(applied.missing, Vec::<String>::new(), "the deleted are not missed");
}

pub(super) fn missing_are_those_of_the_own_list(store: &mut dyn Store) {
    let [posts_list, reposts_list] = ["posts", "reposts"].map(|endpoint| {
        let source = Source { endpoint: endpoint.into(), ..timeline("a") };
        add(store, &source)
    });
    let page = |source: &Source, secs: i64, ids: &[&str]| {
        let all = ids.iter().map(|id| post(id, "a", id.parse().unwrap_or(0), "text"));
        Upload { source: Some(source.clone()), ..posts(secs, all) }
    };
    // The last stood inside another post before its own list showed it.
    let inside = Post { is_embedded: true, ..post("16", "a", 16, "text") };
    apply(store, posts(90, [inside]));
    apply(store, page(&posts_list, 100, &["10", "12", "14", "16"]));
    apply(store, page(&reposts_list, 100, &["11", "13", "15"]));
    let look = |source: &Source, secs: i64| {
        let lists = Some(Listing { author: "a".into(), from: at(0), to: at(50) });
        Upload { lists, ..page(source, secs, &["10", "11"]) }
    };
    assert_eq!(apply(store, look(&posts_list, 200)).missing, ["16", "14", "12"]);
    assert_eq!(apply(store, look(&reposts_list, 200)).missing, ["15", "13"]);
    apply(store, Upload { checked: vec!["16".into()], ..page(&posts_list, 300, &[]) });
    assert_eq!(apply(store, look(&posts_list, 301)).missing, ["14", "12"], "16 was asked about a moment ago");
    let later = apply(store, look(&posts_list, 300 + 86_400)).missing;
    assert_eq!(later, ["14", "12", "16"], "a day later again, after those never asked about");
}

pub(super) fn embedded_posts_are_stored_but_not_new_in_the_list(store: &mut dyn Store) {
    let mut repost = post("1", "a", 20, "");
    repost.repost_of = Some("0".into());
    let mut original = post("0", "b", 10, "original");
    original.is_embedded = true;
    let applied = apply(store, posts(100, [repost, original]));
    assert_eq!(applied.new_posts, [at(20)]);
    assert_eq!(applied.new_account_count, 2);
    assert_eq!(all_posts(store).len(), 2);
    let numbers: Vec<_> =
        changes(store).iter().filter(|c| &*c.address.kind == "post").map(|c| c.depth).collect();
    assert_eq!(numbers, [0, 1], "what stands inside is a step further away");
    apply(store, posts(200, [post("0", "b", 10, "original")]));
    assert!(!all_posts(store)[1].post.is_embedded, "a list has shown it");
}

pub(super) fn depth_only_gets_smaller(store: &mut dyn Store) {
    let page = |depth, secs| Upload { depth, ..posts(secs, [post("1", "a", 10, "text")]) };
    apply(store, page(3, 100));
    let object = only_post(store).object;
    let depth = |store: &dyn Store| store.object(object).must().expect("it is there").depth;
    assert_eq!(depth(store), 3);
    apply(store, page(1, 101));
    assert_eq!(depth(store), 1);
    apply(store, page(5, 102));
    assert_eq!(depth(store), 1);
    let told: Vec<_> = changes(store).into_iter().map(|change| change.kind).collect();
    assert_eq!(told[2..], [ChangeKind::Approached; 2], "the account and the post, once each");
}

pub(super) fn an_upload_that_fails_nowhere_applies_in_order(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let pages: Vec<_> = (0..50)
        .map(|n| {
            let mut page = upload(100 + n, freshet_types::Observation::default());
            page.observation.posts = vec![post("1", "a", 10, &format!("version {n}"))];
            page.source = Some(source.clone());
            page
        })
        .collect();
    let applied = store.apply(&pages, compare).must();
    assert_eq!(applied.len(), 50);
    assert_eq!(applied.iter().map(|one| one.edited_count).sum::<u32>(), 49);
    assert_eq!(only_post(store).post.text, "version 49");
    assert_eq!(store.apply(&[], compare).must(), []);
}
