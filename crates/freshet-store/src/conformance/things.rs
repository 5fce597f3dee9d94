//! Behaviours of things and links: seen, filled in, led elsewhere, swept, forgotten.

use freshet_types::{Address, CrossLink, End, Link, Observation, Post, Primitive, Thing};

use super::kit::{Must, account, accounts, all_accounts, apply, at, lines, network, post, posts, upload};
use crate::api::Store;
use crate::row::{Applied, LinkQuery, LinkRow, LinkSweep, Upload};

fn place(id: &str, name: &str) -> Thing {
    Thing { id: id.into(), kind: "place".into(), name: Some(name.into()), ..Thing::default() }
}

fn things(secs: i64, things: impl IntoIterator<Item = Thing>) -> Upload {
    upload(secs, Observation { things: things.into_iter().collect(), ..Observation::default() })
}

fn end(text: &str) -> End {
    let (kind, id) = text.split_once('/').expect("type/id");
    End { kind: kind.into(), id: id.into() }
}

fn link(from: &str, name: &str, to: &str) -> Link {
    let is_member = name.ends_with('s');
    Link { from: end(from), name: name.into(), to: end(to), is_member }
}

fn links(secs: i64, links: impl IntoIterator<Item = Link>) -> Upload {
    upload(secs, Observation { links: links.into_iter().collect(), ..Observation::default() })
}

pub(super) fn objects_are_counted_by_type(store: &mut dyn Store) {
    assert!(store.count_by_kind().must().is_empty());
    apply(store, things(1, [place("1", "a"), place("2", "b")]));
    apply(store, posts(2, [post("1", "9", 2, "a"), post("2", "9", 2, "b")]));
    let gone = Post { is_deleted: true, ..post("2", "9", 2, "b") };
    apply(store, posts(3, [gone]));
    let counted: Vec<_> = store.count_by_kind().must().into_iter().map(|it| (it.kind, it.count)).collect();
    let expected = [("account", 1), ("place", 2), ("post", 1)];
    assert_eq!(counted, expected.map(|(kind, count)| (kind.to_owned(), count)));
}

/// The links from this object, those that ended too.
fn from(store: &dyn Store, text: &str) -> Vec<LinkRow> {
    let (kind, id) = text.split_once('/').expect("type/id");
    let query = LinkQuery {
        network: &network(),
        object: (kind, id),
        is_inward: false,
        name: None,
        with_cancelled: true,
        limit: 100,
    };
    let rows = store.links_of(&query).must();
    let inward = |row: &LinkRow| {
        let to = &row.link.to;
        let back = LinkQuery { object: (&to.kind, &to.id), is_inward: true, ..query };
        store.links_of(&back).must().contains(row)
    };
    assert!(rows.iter().all(inward), "a link is found from both of its ends");
    rows
}

fn standing(store: &dyn Store, text: &str) -> Vec<String> {
    let rows = from(store, text).into_iter().filter(|row| row.cancelled_at.is_none());
    rows.map(|row| format!("{} {}/{}", row.link.name, row.link.to.kind, row.link.to.id)).collect()
}

pub(super) fn things_are_stored_once_and_filled_in(store: &mut dyn Store) {
    let mut full = place("3", "Ghent");
    full.url = Some("https://a.example/places/3".into());
    full.created_at = Some(at(5));
    full.plinks = vec![("longitude".into(), Primitive::Float(3.7))];
    let other: Address = "wiki/page/Ghent".parse().expect("an address");
    full.slinks = vec![CrossLink::new("described_by", other.clone())];
    apply(store, things(100, [full.clone()]));
    assert_eq!(apply(store, things(101, [full.clone()])), Applied::default());
    apply(store, things(102, [Thing { plinks: vec![], url: None, slinks: vec![], ..full.clone() }]));
    let stored = store.things_of(&network(), &[("place", "3"), ("album", "3")]).must();
    let row = stored[0].clone().expect("it is there");
    assert_eq!((row.thing, row.seen_at, row.network), (full, at(100), network()));
    assert_eq!(stored[1], None, "another type");
    apply(store, things(200, [place("3", "Gent")]));
    assert_eq!(lines(store), ["created place/3", "edited place/3"]);
    assert_eq!(store.counts().must().things, 1);
    let here = Address::new(&network(), "place", "3");
    assert_eq!(store.links_across(&other, 10).must(), [(here, "described_by".to_owned())]);
}

pub(super) fn a_post_an_account_and_a_thing_may_share_an_id(store: &mut dyn Store) {
    apply(store, posts(100, [post("3", "3", 10, "text")]));
    apply(store, things(100, [place("3", "Ghent"), Thing { kind: "album".into(), ..place("3", "Summer") }]));
    assert_eq!(lines(store), ["created account/3", "created post/3", "created place/3", "created album/3"]);
    assert_eq!(store.counts().must().things, 2);
}

pub(super) fn members_are_stored_swept_and_revived(store: &mut dyn Store) {
    let likes = |secs, who: &[&str]| {
        links(secs, who.iter().map(|who| link("post/1", "likers", &format!("account/{who}"))))
    };
    let applied = apply(store, likes(100, &["a", "b", "c"]));
    assert_eq!((applied.new_link_count, applied.new_account_count), (3, 3), "who likes becomes known");
    assert_eq!(apply(store, likes(100, &["a", "b", "c"])), Applied::default());
    assert_eq!(all_accounts(store).len(), 3);
    let sweep = LinkSweep { from: end("post/1"), name: "likers".into(), began_at: at(200) };
    apply(store, Upload { links_swept: Some(sweep), ..likes(200, &["a", "c"]) });
    assert_eq!(standing(store, "post/1"), ["likers account/a", "likers account/c"]);
    let gone = from(store, "post/1").into_iter().find(|row| row.cancelled_at.is_some()).expect("b stays");
    assert_eq!((gone.seen_at, gone.last_seen_at, gone.cancelled_at), (at(100), at(100), Some(at(200))));
    apply(store, likes(150, &["b"]));
    assert_eq!(standing(store, "post/1").len(), 2, "what was seen before says nothing about now");
    apply(store, likes(300, &["b"]));
    assert_eq!(standing(store, "post/1").len(), 3);
    let expected = ["unlinked link/post/1>likers>account/b", "restored link/post/1>likers>account/b"];
    assert_eq!(lines(store)[3..], expected);
    let all = store.links_above(0, 10).must();
    let rows: Vec<LinkRow> = all.iter().map(|it| it.row.clone()).collect();
    assert_eq!(rows, from(store, "post/1"), "in order of number");
    assert!(all.is_sorted_by_key(|it| it.number) && all.iter().all(|it| it.network == network()));
    assert_eq!(store.links_above(all[0].number, 1).must(), all[1..2]);
}

pub(super) fn a_single_link_leads_to_one_object(store: &mut dyn Store) {
    let home = |secs, place: &str| links(secs, [link("account/a", "hometown", place)]);
    apply(store, home(100, "place/1"));
    apply(store, home(200, "place/2"));
    assert_eq!(standing(store, "account/a"), ["hometown place/2"]);
    apply(store, home(150, "place/1"));
    assert_eq!(standing(store, "account/a"), ["hometown place/2"], "a late page changes nothing");
    apply(store, home(300, "place/1"));
    assert_eq!(standing(store, "account/a"), ["hometown place/1"]);
}

pub(super) fn what_is_forgotten_takes_its_links_along(store: &mut dyn Store) {
    apply(store, accounts(100, [account("a", "ada"), account("b", "bob")]));
    apply(store, things(100, [place("1", "Ghent")]));
    let all = || {
        let of = [("account/a", "place/1"), ("account/b", "place/1")];
        let homes = of.map(|(who, place)| link(who, "hometown", place));
        links(100, homes.into_iter().chain([link("account/b", "friends", "account/a")]))
    };
    apply(store, all());
    store.forget("mastodon:a.example/account/a").must();
    assert_eq!(standing(store, "account/b"), ["hometown place/1"]);
    assert!(from(store, "account/a").is_empty());
    apply(store, Upload { seen_at: at(200), ..all() });
    assert_eq!(standing(store, "account/b"), ["hometown place/1"], "and stays forgotten");
    store.forget("mastodon:a.example/place/1").must();
    assert_eq!(store.things_of(&network(), &[("place", "1")]).must(), [None]);
    apply(store, things(300, [place("1", "Ghent")]));
    assert_eq!(store.things_of(&network(), &[("place", "1")]).must(), [None]);
    assert!(standing(store, "account/b").is_empty());
}
