//! Both worlds, read through the definitions that a crawl uses.

use freshet_network::definition::Definition;
use freshet_network::networks::Networks;
use freshet_types::{Holder, Instance, Intent, NetworkName, Outcome, Page, Response, RobotKind, Target};

use super::*;
use crate::WorldRequest;

const BASE: &str = "http://world.test";

/// Both definitions, as a crawl of both worlds has them.
fn networks() -> Networks {
    let networks = Networks::shipped();
    networks.apply_definition("graph.toml", GRAPH).expect("it is sound");
    networks
}

/// Reads a list or an object whole, page by page.
fn read(world: &mut World, networks: &Networks, name: &str, endpoint: &str, root: &str) -> Vec<Page> {
    let connector = networks.connector(name).expect("it has a definition");
    let instance = Instance { network: NetworkName::from(name), base: BASE.into(), allow_private: true };
    // The shipped definition asks nothing without a key.
    let key = Holder::alone("key".into());
    let credential = (name == "youtube").then_some(&key);
    let target = Target { instance: &instance, endpoint, root, credential, validators: None };
    let (mut intent, mut pages, now) = (Intent::First, Vec::new(), world.now());
    loop {
        let request = connector.ask(&target, &intent).expect("it can be asked");
        let path = request.url.strip_prefix(BASE).expect("it is our world");
        let answer = world.answer(&WorldRequest::get(path), now);
        let response = Response {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            url: request.url.clone(),
            received_at: now,
        };
        let page = connector.read(&target, &intent, &response, now);
        assert!(page.complaints.is_empty(), "{endpoint} of {root}: {:?}", page.complaints);
        let next = page.next.clone();
        pages.push(page);
        match next {
            Some(cursor) => intent = Intent::Next(cursor),
            None => return pages,
        }
    }
}

/// How many a list has in all, by `count`.
fn sum(pages: &[Page], count: impl Fn(&Page) -> usize) -> usize {
    pages.iter().map(count).sum()
}

#[test]
fn albums_are_visited_where_posts_are_not() {
    let networks = networks();
    let are_visited = |robots: &[RobotKind]| networks.are_others_visited(["graph"].into_iter(), robots);
    assert!(!are_visited(&[RobotKind::User, RobotKind::Status, RobotKind::Relation]));
    assert!(are_visited(&[RobotKind::Link]), "photos are listed by album");
}

#[test]
fn no_declared_link_of_the_graph_is_empty() {
    let definition = Definition::parse("graph.toml", GRAPH).expect("it is sound");
    assert_eq!(definition.unfilled(), []);
}

#[test]
fn a_definition_reads_all_posts_albums_and_friends() {
    let mut world = Society::new(7, 40).expect("it can be made").graph;
    let networks = networks();
    let (mut posts, mut albums, mut photos, mut shared) = (0, 0, 0, 0);
    for index in 0..world.accounts.len() {
        let account = &world.accounts[index];
        let is_public = account.standing == crate::Standing::Public;
        let (id, friends) = (account.id.to_string(), account.following.len());
        let is_listed = |post_index: &&u32| {
            let post = world.posts.get(**post_index);
            !post.is_deleted() && !matches!(post.relation(), crate::world::Relation::ReplyTo(_))
        };
        let truth = account.timeline.iter().filter(is_listed).count();
        if !is_public {
            continue;
        }
        let profile = read(&mut world, &networks, "graph", "account", &id);
        assert_eq!(profile[0].observation.accounts[0].id, id);
        assert_eq!(profile[0].observation.things.len(), 1, "a home town");
        let listed = read(&mut world, &networks, "graph", "posts", &id);
        assert_eq!(sum(&listed, |page| page.observation.posts.len()), truth, "posts of {id}");
        shared +=
            sum(&listed, |page| page.observation.posts.iter().filter(|post| !post.slinks.is_empty()).count());
        posts += truth;
        let known = read(&mut world, &networks, "graph", "friends", &id);
        assert!(sum(&known, |page| page.observation.relations.len()) <= friends);
        let pages = read(&mut world, &networks, "graph", "albums", &id);
        let all: Vec<String> =
            pages.iter().flat_map(|page| &page.observation.things).map(|it| it.id.clone()).collect();
        albums += all.len();
        for album in all {
            let pages = read(&mut world, &networks, "graph", "album_photos", &album);
            photos += sum(&pages, |page| page.observation.posts.len());
        }
    }
    assert!(
        posts > 1000 && albums > 20 && photos > albums,
        "{posts} posts, {albums} albums, {photos} photos"
    );
    assert!(shared * 10 > posts && shared * 3 < posts, "{shared} of {posts} share a video");
}

#[test]
fn every_shared_video_is_there_with_channel_and_comments() {
    let Society { mut graph, mut videos } = Society::new(7, 40).expect("it can be made");
    let (networks, mut comments) = (networks(), 0);
    let authority = graph.accounts().max_by_key(|account| account.post_count).unwrap().id.to_string();
    let pages = read(&mut graph, &networks, "graph", "posts", &authority);
    let mut links: Vec<_> =
        pages.iter().flat_map(|page| &page.observation.posts).flat_map(|post| &post.slinks).collect();
    links.truncate(20);
    assert!(!links.is_empty());
    for link in links {
        let address = &link.target;
        assert_eq!((&*link.name, address.network.as_str(), &*address.kind), ("videos", "youtube", "video"));
        let page = read(&mut videos, &networks, "youtube", "video", &address.id).pop().unwrap();
        let channel = page.observation.posts[0].author.clone().expect("a video has a channel");
        let page = read(&mut videos, &networks, "youtube", "account", &channel).pop().unwrap();
        assert_eq!(page.observation.accounts[0].id, channel);
        comments += sum(&read(&mut videos, &networks, "youtube", "replies", &address.id), |page| {
            page.observation.posts.len()
        });
        let uploads = read(&mut videos, &networks, "youtube", "posts", &channel);
        let has_it = |page: &Page| page.observation.posts.iter().any(|post| post.id == address.id);
        assert!(uploads.iter().any(has_it), "{} is among the uploads of {channel}", address.id);
    }
    assert!(comments > 0);
}

#[test]
fn what_is_not_there_is_gone_in_both_dialects() {
    let Society { mut graph, mut videos } = Society::new(7, 40).expect("it can be made");
    let networks = networks();
    for (name, endpoint, root) in [
        ("graph", "account", "5"),
        ("graph", "posts", "5"),
        ("graph", "album_photos", "99999999"),
        ("graph", "replies", "1_2"),
        ("youtube", "video", "v9999999999"),
        ("youtube", "account", "UC0000000000000000999999"),
        ("youtube", "replies", "v9999999999"),
    ] {
        let world = if name == "graph" { &mut graph } else { &mut videos };
        let page = read(world, &networks, name, endpoint, root).pop().unwrap();
        assert_eq!(page.outcome, Outcome::Gone, "{name} {endpoint} {root}");
    }
}
