//! Behaviours of links into other networks: evidence, confidence, ends; and of the stubs that they lead to.

use freshet_types::{
    Account, Address, ChangeKind, Confidence, CrossLink, End, Evidence, Link, LinkKind, Observation, Post,
    Primitive, RobotKind, VisitId,
};

use super::kit::{Must, account, accounts, all_posts, apply, at, changes, network, post, posts, upload};
use crate::api::Store;
use crate::browse::Counted;
use crate::row::{AnyLinkRow, CrossLinkQuery, CrossLinkRow, Filter, Upload};

const VIDEO: &str = "youtube/video/v1";

fn address(text: &str) -> Address {
    text.parse().expect("an address")
}

fn link(name: &str, target: &str, confidence: f64) -> CrossLink {
    CrossLink {
        evidence: Evidence::new("/bio", &format!("see {target}")),
        confidence: Confidence::new(confidence).expect("a share"),
        ..CrossLink::new(name, address(target))
    }
}

/// A profile that shows these links, and would show others of these names.
fn profile(id: &str, links: &[CrossLink], seen: &[&str]) -> Account {
    let slinks_seen = seen.iter().map(|&name| name.into()).collect();
    Account { slinks: links.to_vec(), slinks_seen, ..account(id, &format!("@{id}@a.example")) }
}

fn of(store: &dyn Store, id: &str, with_ended: bool) -> Vec<CrossLinkRow> {
    let from = Address::new(&network(), "account", id);
    store
        .cross_links(&CrossLinkQuery {
            from: Some(&from),
            with_ended,
            limit: 10,
            ..CrossLinkQuery::default()
        })
        .must()
}

fn to(store: &dyn Store, target: &str) -> Vec<(String, f64)> {
    let target = address(target);
    let query = CrossLinkQuery { to: Some(&target), limit: 10, ..CrossLinkQuery::default() };
    let rows = store.cross_links(&query).must().into_iter();
    rows.map(|row| (row.from.id.clone(), row.link.confidence.share())).collect()
}

pub(super) fn links_across_keep_what_speaks_for_them(store: &mut dyn Store) {
    let site = link("site", "web/page/https://ada.example/", 0.97);
    let count = CrossLink {
        kind: LinkKind::Sp,
        value: Some(Primitive::Int(12)),
        ..link("followers", "bluesky/account/did:plc:a", 0.5)
    };
    let both = [site.clone(), count.clone()];
    apply(
        store,
        Upload { visit: VisitId(7), ..accounts(100, [profile("a", &both, &["site", "followers"])]) },
    );
    let row = &of(store, "a", false)[0];
    assert_eq!((&row.link, row.visit, row.seen_at, row.last_seen_at), (&site, VisitId(7), at(100), at(100)));
    assert_eq!(super::kit::the_account(store, "a").account.slinks, both, "in the order they were seen in");
    let more = CrossLink { value: Some(Primitive::Int(15)), ..count };
    apply(store, accounts(8000, [profile("a", &[site.clone(), more.clone()], &["site", "followers"])]));
    let rows = of(store, "a", true);
    assert_eq!((rows.len(), &rows[1].link), (2, &more), "a value is brought up to date");
    assert_eq!((rows[0].visit, rows[0].seen_at, rows[0].last_seen_at), (VisitId(7), at(100), at(8000)));
}

pub(super) fn a_proven_link_outranks_a_mention(store: &mut dyn Store) {
    let target = "bluesky/account/did:plc:x";
    for (id, confidence) in [("mentions", 0.5), ("proves", 0.97), ("guesses", 0.2)] {
        apply(store, accounts(100, [profile(id, &[link("same_as", target, confidence)], &[])]));
    }
    let ranked = [("proves".to_owned(), 0.97), ("mentions".to_owned(), 0.5), ("guesses".to_owned(), 0.2)];
    assert_eq!(to(store, target), ranked);
    let first = store.links_across(&address(target), 1).must();
    assert_eq!(first, [(Address::new(&network(), "account", "proves"), "same_as".to_owned())]);
}

pub(super) fn a_link_across_ends_when_a_whole_look_lacks_it(store: &mut dyn Store) {
    let old = link("site", "web/page/https://old.example/", 0.8);
    let ended = |store: &dyn Store| of(store, "a", true)[0].cancelled_at;
    apply(store, accounts(100, [profile("a", std::slice::from_ref(&old), &["site"])]));
    apply(store, accounts(200, [profile("a", &[], &[])]));
    assert_eq!(ended(store), None, "a short form says nothing");
    apply(store, accounts(300, [profile("a", &[], &["channels"])]));
    assert_eq!(ended(store), None, "nor does a look at something else");
    apply(store, accounts(50, [profile("a", &[], &["site"])]));
    assert_eq!(ended(store), None, "nor a page from before");
    apply(store, accounts(400, [profile("a", &[], &["site"])]));
    assert_eq!((ended(store), of(store, "a", false)), (Some(at(400)), vec![]));
    assert_eq!(super::kit::the_account(store, "a").account.slinks, []);
    apply(store, accounts(350, [profile("a", std::slice::from_ref(&old), &["site"])]));
    assert_eq!(ended(store), Some(at(400)), "what comes late does not revive it");
    apply(store, accounts(500, [profile("a", &[old], &["site"])]));
    assert_eq!((ended(store), of(store, "a", true).len()), (None, 1), "it is back, and one row");
}

pub(super) fn all_links_are_read_in_order_of_number(store: &mut dyn Store) {
    const DAY: i64 = 86_400;
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.into() };
    let like = |who: &str| Link {
        from: end("post", "1"),
        name: "likers".into(),
        to: end("account", who),
        is_member: true,
    };
    let liked = |secs, who: &[&str]| {
        let links = who.iter().map(|who| like(who)).collect();
        upload(secs, Observation { links, ..Observation::default() })
    };
    let site = link("site", "web/page/https://ada.example/", 0.97);
    let views = CrossLink { kind: LinkKind::Sp, value: Some(Primitive::Int(7)), ..link("views", VIDEO, 0.5) };
    apply(store, accounts(100, [profile("a", &[site], &["site"])]));
    apply(store, liked(200, &["b"]));
    apply(store, posts(300, [Post { slinks: vec![views.clone()], ..post("1", "a", 10, "look") }]));
    apply(store, accounts(400, [profile("a", &[], &["site"])]));
    apply(store, liked(2 * DAY, &["b", "c"]));
    let read = |filter: &Filter, limit: usize| {
        let (mut rows, mut above) = (Vec::new(), Some(filter.above));
        while let Some(number) = above {
            let page = store.links(&filter.from(number), limit).must();
            assert!(page.rows.len() <= limit);
            rows.extend(page.rows);
            above = page.next;
        }
        rows
    };
    let all = read(&Filter::default(), 10);
    let told = |row: &AnyLinkRow| format!("{}/{} {} {}", row.from.kind, row.from.id, row.name, row.to);
    let here = network();
    let expected = [
        "account/a site web/page/https://ada.example/".to_owned(),
        format!("post/1 likers {here}/account/b"),
        format!("post/1 views {VIDEO}"),
        format!("post/1 likers {here}/account/c"),
    ];
    assert_eq!(all.iter().map(told).collect::<Vec<_>>(), expected);
    assert!(all.is_sorted_by(|a, b| a.number < b.number), "one number for both kinds of link");
    for limit in [1, 2, 3] {
        assert_eq!(read(&Filter::default(), limit), all, "in pages of {limit}");
    }
    let kinds: Vec<_> = all.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [LinkKind::Sc, LinkKind::Co, LinkKind::Sp, LinkKind::Co]);
    assert_eq!((all[0].seen_at, all[0].cancelled_at), (at(100), Some(at(400))), "what ended is told");
    assert_eq!((all[1].seen_at, all[1].last_seen_at, &all[1].claim), (at(200), at(2 * DAY), &None));
    assert_eq!((&all[2].value, &all[2].claim), (&views.value, &Some((views.evidence, views.confidence))));
    let late = Filter { since: Some(at(DAY)), ..Filter::default() };
    let foreign = Filter { network: Some("youtube".into()), ..Filter::default() };
    assert_eq!((read(&late, 10).len(), read(&foreign, 10).len()), (1, 0), "by the object that has it");
    let count = |filter: &Filter, up_to| store.count_by_day(Counted::Links, filter, up_to).must();
    assert_eq!(count(&Filter::default(), u64::MAX), [(0, 3), (2, 1)]);
    assert_eq!(count(&Filter::default(), all[1].number), [(0, 2)]);
    assert_eq!((count(&late, u64::MAX), count(&foreign, u64::MAX)), (vec![(2, 1)], vec![]));
    assert!(store.last_number().must() >= all[3].number);
}

/// A post that shares a video; whoever uploads it can read videos.
fn sharing(secs: i64, id: &str, depth: u16) -> Upload {
    let shared = Post { slinks: vec![link("videos", VIDEO, 0.5)], ..post(id, "a", 10, "look") };
    Upload { followed: vec![address(VIDEO)], depth, robot: Some(RobotKind::Status), ..posts(secs, [shared]) }
}

/// The lines of the log that are about the video.
fn told(store: &dyn Store) -> Vec<(ChangeKind, u16)> {
    let lines = changes(store).into_iter().filter(|line| line.address == address(VIDEO));
    lines.map(|line| (line.kind, line.depth)).collect()
}

pub(super) fn what_a_link_leads_to_becomes_a_stub_once(store: &mut dyn Store) {
    let before = store.counts().must();
    apply(store, sharing(100, "1", 1));
    apply(store, sharing(100, "1", 1));
    apply(store, sharing(200, "2", 1));
    assert_eq!(told(store), [(ChangeKind::Pointed, 2)], "one step further than what leads to it");
    let line = changes(store).into_iter().find(|line| line.address == address(VIDEO)).expect("the line");
    let object = store.object(line.object).must().expect("the stub");
    assert_eq!(
        (object.network.as_str(), object.kind.as_str(), object.id.as_str(), object.depth),
        ("youtube", "video", "v1", 2)
    );
    let counts = store.counts().must();
    assert_eq!((counts.posts - before.posts, counts.things), (2, before.things), "a stub is no post");
    assert_eq!(all_posts(store).len(), 2);
    assert_eq!(store.post_of(&"youtube".into(), "video", "v1").must(), None);
    apply(store, sharing(300, "3", 0));
    assert_eq!(told(store), [(ChangeKind::Pointed, 1), (ChangeKind::Pointed, 1)], "a shorter way is told");
}

pub(super) fn a_stub_that_is_read_is_an_ordinary_post(store: &mut dyn Store) {
    apply(store, sharing(100, "1", 0));
    let video = Post { kind: "video".into(), ..post("v1", "c", 20, "a film") };
    let page = || Upload { network: "youtube".into(), depth: 1, ..posts(200, [video.clone()]) };
    apply(store, page());
    apply(store, page());
    apply(store, sharing(300, "2", 0));
    assert_eq!(told(store), [(ChangeKind::Pointed, 1), (ChangeKind::Created, 1)]);
    assert_eq!(
        store.post_of(&"youtube".into(), "video", "v1").must().expect("it is read").post.text,
        "a film"
    );
    let known = "youtube/video/v2";
    let other = Post { kind: "video".into(), ..post("v2", "c", 20, "another") };
    apply(store, Upload { network: "youtube".into(), ..posts(400, [other]) });
    let shared = Post { slinks: vec![link("videos", known, 0.5)], ..post("9", "a", 10, "x") };
    apply(store, Upload { followed: vec![address(known)], ..posts(500, [shared]) });
    let lines = changes(store).into_iter().filter(|line| line.address == address(known)).count();
    assert_eq!(lines, 1, "what is known needs no stub");
}

pub(super) fn a_link_into_a_network_that_nobody_reads_stays_a_link(store: &mut dyn Store) {
    apply(store, Upload { followed: Vec::new(), ..sharing(100, "1", 0) });
    assert_eq!((told(store), to(store, VIDEO)), (vec![], vec![("1".to_owned(), 0.5)]));
    let value = CrossLink { kind: LinkKind::Sp, value: Some(Primitive::Int(3)), ..link("views", VIDEO, 0.5) };
    let stating = Post { slinks: vec![value], ..post("2", "a", 10, "x") };
    apply(store, Upload { followed: vec![address(VIDEO)], ..posts(200, [stating]) });
    assert_eq!(told(store), [], "a value is nothing to visit");
}

pub(super) fn a_forgotten_stub_leaves_nothing(store: &mut dyn Store) {
    apply(store, sharing(100, "1", 0));
    store.forget(VIDEO).must();
    assert_eq!((told(store), to(store, VIDEO)), (vec![], vec![]));
    apply(store, sharing(200, "2", 0));
    assert_eq!((told(store), to(store, VIDEO)), (vec![], vec![]), "and does not come back");
    assert_eq!(store.check(&mut |_| {}).must(), []);
}
