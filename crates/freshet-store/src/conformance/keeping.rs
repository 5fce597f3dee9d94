//! What is kept of whom: fates of what was taken out, retentions, erasures and exports that are remembered.

use freshet_types::{Address, End, Link, Observation, Post, RobotKind, Source, SourceId, Span};

use super::kit::{
    Must as _, account, accounts, add, all_posts, apply, at, load, network, post, posts, relation, relations,
    timeline, upload,
};
use crate::api::Store;
use crate::keeping::{Erasure, ErasureKind, ExportRow, Fate, KeptReason, Taken};
use crate::row::{Applied, OnDelete, Upload};

fn address(path: &str) -> Address {
    format!("{}/{path}", network()).parse().expect("an address")
}

fn object(path: &str, author: Option<&str>) -> Taken {
    Taken::Object { address: address(path), author: author.map(str::to_owned) }
}

#[track_caller]
fn check_fates(store: &dyn Store, expected: &[(Taken, Fate)]) {
    let taken: Vec<Taken> = expected.iter().map(|(taken, _)| taken.clone()).collect();
    let fates: Vec<Fate> = expected.iter().map(|(_, fate)| *fate).collect();
    assert_eq!(store.fates(&taken).must(), fates);
}

fn deleted(id: &str) -> Post {
    Post { is_deleted: true, ..post(id, "a", 10, "") }
}

pub(super) fn what_was_taken_out_has_a_fate(store: &mut dyn Store) {
    let flagged = freshet_types::Account { opts_out: true, ..account("c", "cleo") };
    apply(store, accounts(90, [account("a", "ada"), account("b", "bob"), flagged]));
    apply(store, posts(100, [post("1", "a", 10, "x"), post("2", "b", 11, "y"), post("3", "a", 12, "z")]));
    apply(store, relations(100, [relation("a", "b"), relation("b", "c")]));
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.into() };
    let likes = |post: &str| Link {
        from: end("account", "b"),
        name: "likes".into(),
        to: end("post", post),
        is_member: true,
    };
    apply(store, upload(100, Observation { links: vec![likes("2"), likes("3")], ..Observation::default() }));
    apply(store, posts(200, [deleted("1")]));
    let follows = |source: &str, target: &str| Taken::Relation {
        network: network(),
        source: source.into(),
        target: target.into(),
    };
    let line = |number, path: &str| Taken::Change { number, address: address(path) };
    check_fates(
        store,
        &[
            (object("post/1", Some("a")), Fate::Deleted(at(200))),
            (object("post/2", Some("b")), Fate::Kept),
            (object("account/a", None), Fate::Kept),
            (object("account/c", None), Fate::OptedOut),
            (object("post/99", None), Fate::Gone),
            (
                Taken::Object { address: "nowhere/post/1".parse().expect("an address"), author: None },
                Fate::Gone,
            ),
            (follows("a", "b"), Fate::Kept),
            (follows("b", "a"), Fate::Gone),
            (line(1, "account/a"), Fate::Kept),
            (line(9999, "account/a"), Fate::Gone),
            (Taken::Source(SourceId(7)), Fate::Gone),
        ],
    );
    store.set_on_delete(&network(), OnDelete::Redact).must();
    check_fates(store, &[(object("post/1", Some("a")), Fate::Redacted(Some(at(200))))]);
    let first = store.changes_above(0, 1).must()[0].number;
    store.forget("mastodon:a.example/account/a").must();
    check_fates(
        store,
        &[
            (object("post/1", Some("a")), Fate::Forgotten),
            (object("post/3", Some("a")), Fate::Forgotten),
            (object("account/a", None), Fate::Forgotten),
            (object("post/2", Some("b")), Fate::Kept),
            (follows("a", "b"), Fate::Forgotten),
            (follows("b", "c"), Fate::Kept),
            (line(first, "account/a"), Fate::Forgotten),
        ],
    );
    let linked =
        |from: &str, to: &str| Taken::Link { from: address(from), name: "likes".into(), to: address(to) };
    check_fates(
        store,
        &[(linked("account/b", "post/2"), Fate::Kept), (linked("account/b", "post/3"), Fate::Gone)],
    );
    // Who takes the wish back has not brought anything back.
    store.unforget("mastodon:a.example/account/a").must();
    check_fates(store, &[(object("post/3", Some("a")), Fate::Gone), (object("account/a", None), Fate::Gone)]);
}

pub(super) fn a_network_has_a_retention(store: &mut dyn Store) {
    let a = add(store, &timeline("a"));
    let b = add(store, &Source { retention: Some(Span::from_secs(50)), ..timeline("b") });
    let page = |source: &Source, posts_of: Vec<Post>| Upload {
        source: Some(source.clone()),
        ..posts(1000, posts_of)
    };
    apply(store, page(&a, vec![post("1", "a", 800, "old"), post("2", "a", 950, "new")]));
    apply(store, page(&b, vec![post("3", "b", 960, "new")]));
    apply(store, posts(1000, [post("4", "c", 10, "of nobody's list")]));
    let undated = Post { created_at: None, ..post("5", "c", 0, "no time of its own") };
    apply(store, posts(500, [undated]));
    store.retain_network(&network(), Some(Span::from_secs(100))).must();
    let rules = store.network_retentions().must();
    assert_eq!((rules.len(), rules[0].span, rules[0].sources), (1, Span::from_secs(100), None));
    let of_sources = store.source_retentions().must();
    assert_eq!(
        (of_sources.len(), of_sources[0].span, of_sources[0].sources),
        (1, Span::from_secs(50), Some(1))
    );
    let ids = |store: &dyn Store| all_posts(store).into_iter().map(|row| row.post.id).collect::<Vec<_>>();
    assert_eq!(store.expire(at(1005)).must(), 3);
    assert_eq!(ids(store), ["2", "3"], "its own span is shorter, and the network's holds for all");
    assert_eq!(store.expire(at(1011)).must(), 1);
    assert_eq!(ids(store), ["2"]);
    // What is too old is not stored again, by whomever it is shown.
    assert_eq!(apply(store, page(&a, vec![post("1", "a", 800, "old")])), Applied::default());
    assert_eq!(apply(store, posts(1000, [post("4", "c", 10, "again")])), Applied::default());
    assert_eq!(load(store, a.id).retention, None, "the source has no rule of its own by that");
    store.retain_network(&network(), None).must();
    assert_eq!(store.network_retentions().must(), []);
    apply(store, posts(1000, [post("4", "c", 10, "again")]));
    assert_eq!((store.expire(at(9999)).must(), ids(store)), (0, vec!["2".to_owned(), "4".to_owned()]));
    let expired = store.erasures().must();
    assert_eq!((expired.len(), expired[0].posts, expired[0].kind), (1, 4, ErasureKind::Expired));
}

pub(super) fn a_source_is_kept_longer_or_shorter(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    apply(store, Upload { source: Some(source.clone()), ..posts(100, [post("1", "a", 10, "x")]) });
    store.retain(&[source.id], Some(Span::from_secs(50))).must();
    assert_eq!(load(store, source.id).retention, Some(Span::from_secs(50)));
    assert_eq!(store.expire(at(100)).must(), 1, "it reaches back");
    let visited = Source { visited_at: Some(at(100)), ..load(store, source.id) };
    store.put_source(&visited).must();
    store.retain(&[source.id], Some(Span::from_secs(20))).must();
    assert_eq!(load(store, source.id).visited_at, Some(at(100)), "less is there already");
    store.retain(&[source.id, SourceId(99)], None).must();
    let longer = load(store, source.id);
    assert_eq!((longer.retention, longer.visited_at), (None, None), "it is read anew");
}

pub(super) fn erasures_are_noted_in_counts(store: &mut dyn Store) {
    let note = |number, kind, secs, posts| Erasure {
        number,
        kind,
        first_at: at(secs),
        last_at: at(secs),
        posts,
        others: 0,
        receipt: None,
    };
    let wish = store.note_erasure(&note(0, ErasureKind::Forgotten, 100, 0)).must();
    let other = store.note_erasure(&note(0, ErasureKind::Forgotten, 100, 0)).must();
    assert_ne!(wish, other, "each wish is one of its own");
    let day = store.note_erasure(&note(0, ErasureKind::Expired, 200, 3)).must();
    assert_eq!(store.note_erasure(&note(0, ErasureKind::Expired, 300, 4)).must(), day);
    assert_ne!(store.note_erasure(&note(0, ErasureKind::Expired, 300 + 86_400, 1)).must(), day);
    assert_ne!(store.note_erasure(&note(0, ErasureKind::Redacted, 300, 1)).must(), day);
    let told =
        Erasure { others: 2, receipt: Some("abc".into()), ..note(wish, ErasureKind::Forgotten, 100, 9) };
    assert_eq!(store.note_erasure(&told).must(), wish);
    assert_eq!(store.note_erasure(&note(other, ErasureKind::Forgotten, 100, 0)).must(), other);
    let rows = store.erasures().must();
    assert_eq!((rows.len(), &rows[0]), (4, &told), "a wish that met nothing is taken back");
    assert_eq!((rows[1].posts, rows[1].first_at, rows[1].last_at), (7, at(200), at(300)));
}

pub(super) fn exports_are_remembered(store: &mut dyn Store) {
    let export = |path: &str, is_snapshot| ExportRow {
        path: path.into(),
        is_snapshot,
        made_at: at(100),
        up_to: 7,
        heard_at: at(100),
    };
    store.note_export(&export("/b", true)).must();
    store.note_export(&export("/a", false)).must();
    let heard = ExportRow { heard_at: at(900), ..export("/b", true) };
    store.note_export(&heard).must();
    assert_eq!(store.exports().must(), [export("/a", false), heard]);
    assert_eq!([store.drop_export("/a").must(), store.drop_export("/a").must()], [true, false]);
    apply(store, posts(100, [post("1", "a", 10, "x"), post("2", "a", 10, "y")]));
    apply(store, posts(200, [deleted("1")]));
    apply(store, posts(300, [deleted("2")]));
    let numbers: Vec<u64> = all_posts(store).iter().map(|row| row.object).collect();
    let since = |secs, up_to| store.deleted_since(at(secs), up_to).must();
    assert_eq!(since(0, u64::MAX), (2, Some(at(200))));
    assert_eq!(since(200, u64::MAX), (1, Some(at(300))));
    assert_eq!(since(0, numbers[0]), (1, Some(at(200))));
    assert_eq!(since(300, u64::MAX), (0, None));
}

pub(super) fn what_is_kept_has_a_reason(store: &mut dyn Store) {
    let watched = add(store, &timeline("a"));
    add(store, &Source { depth: 1, ..timeline("b") });
    let gone = add(store, &timeline("c"));
    store.set_state(&[gone.id], freshet_types::SourceState::Removed).must();
    let flagged = freshet_types::Account { opts_out: true, ..account("c", "cleo") };
    apply(store, accounts(90, [account("a", "ada"), account("b", "bob"), flagged]));
    let page = vec![post("1", "a", 10, "x"), post("2", "d", 11, "y")];
    apply(store, Upload { source: Some(watched.clone()), ..posts(100, page) });
    apply(store, relations(100, [relation("a", "e")]));
    let edited = upload(
        200,
        Observation {
            posts: vec![Post { edited_at: Some(at(20)), ..post("1", "a", 10, "z") }],
            ..Observation::default()
        },
    );
    apply(store, edited);
    let sums = store.kept().must();
    let found: Vec<_> =
        sums.rows.iter().map(|row| (row.reason, row.accounts, row.posts, row.opted_out)).collect();
    let expected = [
        (KeptReason::Watched, 1, 1, 0),
        (KeptReason::Robot, 1, 0, 0),
        (KeptReason::Removed, 1, 0, 1),
        (KeptReason::Shown, 1, 1, 0),
        (KeptReason::Named, 1, 0, 0),
    ];
    assert_eq!((found.as_slice(), sums.forgotten, sums.is_erasing), (&expected[..], 0, false));
    let of = store.kept_of(&address("account/a")).must();
    assert_eq!((of.sources.len(), of.sources[0].robot, of.sources[0].depth), (1, RobotKind::Status, 0));
    assert_eq!((of.posts.len(), of.posts[0].source, of.posts[0].posts), (1, Some(watched.id), 1));
    assert_eq!((of.posts[0].first_at, of.posts[0].label.as_deref()), (at(100), Some("a")));
    assert_eq!((of.following, of.followers, of.earlier_texts, of.is_forgotten), (1, 0, 1, false));
    store.forget("mastodon:a.example/account/a").must();
    let of = store.kept_of(&address("account/a")).must();
    assert!(of.is_forgotten && of.posts.is_empty() && of.sources.is_empty(), "{of:?}");
    assert_eq!(store.kept().must().forgotten, 1);
}
