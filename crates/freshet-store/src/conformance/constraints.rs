//! Behaviours that constraints rely on: what is withheld, what is parked, all with the upload.

use freshet_types::{End, Link, Observation, Post, PostKind, RobotKind, Thing};

use super::kit::{
    Must, account, accounts, all_accounts, all_posts, all_relations, apply, at, compare, lines, network,
    only_post, post, posts, relation, relations, the_account, upload,
};
use crate::api::{Flow, Store};
use crate::row::{Collection, Held, Listing, NewestQuery, Parked, Upload, Withheld};

fn withheld(posts: &[&str], accounts: &[&str]) -> Withheld {
    let mut withheld = Withheld::default();
    for id in posts {
        withheld.hold_post(&"post".into(), id);
    }
    withheld.accounts.extend(accounts.iter().map(|id| (*id).to_owned()));
    withheld
}

fn parked(id: &str, object: &str) -> Parked {
    Parked {
        address: format!("{}/post/{id}", network()),
        missing: "post.like_count".into(),
        parked_at: at(100),
        object: object.into(),
        source: None,
    }
}

pub(super) fn withheld_posts_are_kept_up_to_date_and_not_stored_anew(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "first")]));
    let page = [post("1", "a", 10, "edited"), post("2", "b", 20, "unwanted")];
    let applied = apply(store, Upload { withheld: withheld(&["1", "2"], &[]), ..posts(101, page) });
    assert_eq!((applied.new_posts.len(), applied.edited_count), (0, 1));
    assert_eq!(only_post(store).post.text, "edited");
    assert_eq!(lines(store), ["created account/a", "created post/1", "edited post/1"], "nor is its author");
    let gone = Post { is_deleted: true, ..post("1", "a", 10, "") };
    apply(store, Upload { withheld: withheld(&["1"], &[]), ..posts(102, [gone]) });
    assert!(only_post(store).deleted_at.is_some());
}

pub(super) fn withheld_posts_are_not_missing(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "x"), post("2", "a", 20, "x"), post("3", "a", 30, "x")]));
    let lists = Some(Listing { author: "a".into(), from: at(5), to: at(40) });
    let page = [post("3", "a", 30, "x"), post("4", "a", 25, "never stored"), post("1", "a", 10, "x")];
    let applied = apply(store, Upload { lists, withheld: withheld(&["1", "4"], &[]), ..posts(101, page) });
    assert_eq!(applied.missing, ["2"]);
}

pub(super) fn what_is_withheld_of_one_type_is_not_of_another(store: &mut dyn Store) {
    let comment = Post { kind: "comment".into(), ..post("1", "a", 10, "wanted") };
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.into() };
    let liked = |kind: &str| Link {
        from: end(kind, "1"),
        name: "likers".into(),
        to: end("account", "b"),
        is_member: true,
    };
    let mut page = posts(100, [post("1", "a", 10, "unwanted"), comment]);
    page.observation.links = vec![liked("post"), liked("comment")];
    let applied = apply(store, Upload { withheld: withheld(&["1"], &[]), ..page });
    assert_eq!(applied.new_link_count, 1, "of the comment");
    assert_eq!(only_post(store).post.text, "wanted");
    // Types that share their ids are one object, whatever it is called.
    let item = |kind: &str, id: &str| Post {
        kind: PostKind::new(kind).in_space(Some("item")),
        ..post(id, "a", 10, "an item")
    };
    let mut held = Withheld::default();
    held.hold_post(&item("story", "7").kind, "7");
    apply(store, Upload { withheld: held, ..posts(101, [item("job", "7")]) });
    assert_eq!(all_posts(store).len(), 1);
}

pub(super) fn withheld_accounts_and_their_relations_stay_out(store: &mut dyn Store) {
    apply(store, accounts(100, [account("a", "ada")]));
    apply(store, relations(100, [relation("a", "b")]));
    let seen = Observation {
        accounts: vec![account("a", "ada2"), account("b", "bob"), account("c", "cy")],
        relations: vec![relation("a", "b"), relation("a", "c")],
        posts: vec![post("1", "c", 10, "x")],
        ..Observation::default()
    };
    apply(store, Upload { withheld: withheld(&[], &["a", "b", "c"]), ..upload(101, seen) });
    assert_eq!(
        the_account(store, "a").account.handle.as_deref(),
        Some("ada2"),
        "a profile is kept up to date"
    );
    assert_eq!(the_account(store, "b").account.handle, None, "a bare row stays bare");
    assert_eq!(all_accounts(store).len(), 2, "nobody is stored anew");
    assert_eq!(all_relations(store).len(), 1);
    assert_eq!(all_posts(store).len(), 1, "posts have constraints of their own");
}

pub(super) fn what_was_withheld_can_be_let_in_by_the_same_transaction(store: &mut dyn Store) {
    let seen = || accounts(100, [account("a", "ada")]);
    let out = Upload { withheld: withheld(&[], &["a"]), ..seen() };
    store.apply(&[out, seen()], compare).must();
    assert_eq!(the_account(store, "a").account.handle.as_deref(), Some("ada"));
}

pub(super) fn parking_is_part_of_the_upload(store: &mut dyn Store) {
    let page = || posts(100, [post("1", "a", 10, "x")]);
    let waits = Upload { withheld: withheld(&["1"], &[]), parked: vec![parked("1", "{}")], ..page() };
    apply(store, waits);
    assert_eq!((all_posts(store).len(), store.counts().must().parked), (0, 1));
    let mut all = Vec::new();
    store
        .each_parked(&mut |one| {
            all.push(one);
            Flow::Continue(())
        })
        .must();
    assert_eq!(all, [parked("1", "{}")]);
    apply(store, Upload { unparked: vec![parked("1", "").address], ..page() });
    assert_eq!((all_posts(store).len(), store.counts().must().parked), (1, 0));
}

pub(super) fn forgetting_reaches_what_is_parked(store: &mut dyn Store) {
    let address = |kind: &str, id: &str| format!("{}/{kind}/{id}", network());
    let by =
        |id: &str, author: &str| parked(id, &format!(r#"{{"author":"{}"}}"#, address("account", author)));
    store.park(&[by("1", "a"), by("2", "a"), by("3", "ab"), by("4", "c")]).must();
    assert_eq!(store.forget(&address("account", "a")).must().parked, 2);
    assert_eq!(store.forget(&address("post", "4")).must().parked, 1);
    assert_eq!(store.counts().must().parked, 1, "a longer id is another id");
}

fn end(kind: &str, id: &str) -> End {
    End { kind: kind.into(), id: id.into() }
}

pub(super) fn withheld_things_and_their_links_stay_out(store: &mut dyn Store) {
    let thing = |id: &str, name: &str| Thing {
        id: id.into(),
        kind: "place".into(),
        name: Some(name.into()),
        ..Thing::default()
    };
    apply(store, upload(100, Observation { things: vec![thing("1", "old")], ..Observation::default() }));
    let link = |id: &str| Link {
        from: end("account", "a"),
        name: "home".into(),
        to: end("place", id),
        is_member: false,
    };
    let seen = Observation {
        things: vec![thing("1", "new"), thing("2", "unwanted")],
        links: vec![link("2")],
        ..Observation::default()
    };
    let things = ["1", "2"].into_iter().map(|id| end("place", id)).collect();
    let applied =
        apply(store, Upload { withheld: Withheld { things, ..Withheld::default() }, ..upload(101, seen) });
    let found = store.things_of(&network(), &[("place", "1"), ("place", "2")]).must();
    let names: Vec<_> = found.into_iter().map(|row| row.and_then(|row| row.thing.name)).collect();
    assert_eq!(names, [Some("new".to_owned()), None], "what is stored is kept up to date");
    assert_eq!(applied.new_link_count, 0);
}

pub(super) fn members_of_collections_come_newest_first(store: &mut dyn Store) {
    let reply =
        |id: &str, secs: i64, to: &str| Post { reply_to: Some(to.into()), ..post(id, "b", secs, "re") };
    let page = [
        post("1", "a", 10, "x"),
        post("2", "a", 30, "x"),
        post("3", "a", 20, "x"),
        reply("4", 40, "1"),
        reply("5", 50, "1"),
        reply("6", 60, "2"),
    ];
    apply(store, posts(100, page));
    apply(store, posts(101, [Post { is_deleted: true, ..post("3", "a", 20, "") }]));
    apply(store, relations(110, [relation("b", "a")]));
    apply(store, relations(111, [relation("c", "a"), relation("a", "d")]));
    let like = |id: &str| Link {
        from: end("post", "1"),
        name: "likers".into(),
        to: end("account", id),
        is_member: true,
    };
    apply(store, upload(120, Observation { links: vec![like("b"), like("c")], ..Observation::default() }));
    for (object, collection, limit, expected) in [
        (("account", "a"), Collection::Posts, 9, "post/2@30 post/1@10"),
        (("account", "a"), Collection::Posts, 1, "post/2@30"),
        (("account", "nobody"), Collection::Posts, 9, ""),
        (("post", "1"), Collection::Replies, 9, "post/5@50 post/4@40"),
        (("comment", "1"), Collection::Replies, 9, ""),
        (("account", "a"), Collection::Followers, 9, "account/c@111 account/b@110"),
        (("account", "a"), Collection::Following, 9, "account/d@111"),
        (("post", "1"), Collection::Linked("likers"), 9, "account/c@120 account/b@120"),
        (("post", "1"), Collection::Linked("reposters"), 9, ""),
    ] {
        let found = store.newest_members(&network(), &NewestQuery { object, collection, limit }).must();
        let show = |it: &crate::row::Member| format!("{}/{}@{}", it.end.kind, it.end.id, it.at.ms() / 1000);
        assert_eq!(
            found.iter().map(show).collect::<Vec<_>>().join(" "),
            expected,
            "{object:?} {collection:?}"
        );
    }
}

pub(super) fn held_objects_are_judged_again_in_turn(store: &mut dyn Store) {
    let held = |object: u64, robot, secs: i64| Held { object, robot, judge_at: at(secs) };
    let due = |store: &dyn Store, secs: i64, limit| -> Vec<u64> {
        store.held_due(at(secs), limit).must().into_iter().map(|held| held.object).collect()
    };
    let (user, status) = (RobotKind::User, RobotKind::Status);
    store.hold(&[held(7, status, 300), held(8, status, 100), held(9, user, 200)]).must();
    store.hold(&[held(8, status, 250)]).must();
    assert_eq!((due(store, 260, 9), due(store, 260, 1), due(store, 100, 9)), (vec![9, 8], vec![9], vec![]));
    store.hasten_held(Some(&[7, 77])).must();
    assert_eq!(due(store, 100, 9), [7]);
    store.let_go(&[(7, status), (9, status)]).must();
    assert_eq!(store.held_count().must(), 2, "the other robot's is kept");
    store.hasten_held(None).must();
    assert_eq!(due(store, 0, 9), [8, 9]);
}
