//! Two stores in memory, read as one: whose version is read, and where what is added goes.

use freshet_types::{Account, NetworkName, Observation, Post, RobotKind, Timestamp, VisitId};

use super::*;
use crate::api::prelude::*;
use crate::browse::{PostQuery, SourceQuery};
use crate::conformance::compare;
use crate::row::{Filter, InstanceRow, OnDelete, Upload};
use crate::testing;

fn network() -> NetworkName {
    NetworkName::from("mastodon:a.example")
}

fn post(id: &str, text: &str) -> Post {
    let author = Some("1".to_owned());
    Post { id: id.to_owned(), kind: "post".into(), text: text.to_owned(), author, ..Post::default() }
}

/// A store that has seen these posts of one author.
fn store(secs: i64, posts: &[(&str, &str)]) -> Box<dyn Store> {
    let mut store = testing::memory();
    let mut page = Upload::new(VisitId(1), network(), Timestamp::from_secs(secs));
    page.observation = Observation {
        posts: posts.iter().map(|(id, text)| post(id, text)).collect(),
        accounts: vec![Account { id: "1".to_owned(), handle: Some("ada".to_owned()), ..Account::default() }],
        ..Observation::default()
    };
    store.apply(&[page], compare).unwrap();
    while store.index(100).unwrap() == 100 {}
    store
}

fn viewed() -> Viewed {
    let public = store(10, &[("1", "everybody one"), ("2", "everybody two")]);
    let own = store(20, &[("2", "everybody two, and a secret"), ("3", "secret three")]);
    Viewed::new(public, own, "ada")
}

#[test]
fn where_both_have_an_object_the_viewer_s_is_read() {
    let viewed = viewed();
    let mut all = Vec::new();
    let each = &mut |row: crate::row::PostRow| {
        all.push((row.post.id.clone(), row.post.text.clone(), row.object));
        crate::api::Flow::Continue(())
    };
    viewed.each_post(&Filter::default(), each).unwrap();
    let texts: Vec<(&str, &str)> = all.iter().map(|(id, text, _)| (&**id, &**text)).collect();
    assert_eq!(texts, [("1", "everybody one"), ("2", "everybody two, and a secret"), ("3", "secret three")]);
    for (id, text, object) in &all {
        assert_eq!(viewed.post(*object).unwrap().unwrap().post.text, *text, "{id} by its number");
        let found = viewed.post_of(&network(), "post", id).unwrap().unwrap();
        assert_eq!((&found.post.text, found.object), (text, *object), "{id} by its name");
    }
    let page = viewed.list_posts(&PostQuery { limit: 2, offset: 1, ..PostQuery::default() }).unwrap();
    assert_eq!(page.len(), 2);
    let hits = viewed.search("secret", 10).unwrap();
    assert_eq!(hits.len(), 2);
    assert_eq!(viewed.search("everybody", 10).unwrap().len(), 2, "one of both, not two");
    let mut accounts = 0;
    viewed
        .each_account(&Filter::default(), &mut |_| {
            accounts += 1;
            crate::api::Flow::Continue(())
        })
        .unwrap();
    assert_eq!(accounts, 1);
    let changes = viewed.changes_above(0, 100).unwrap();
    assert!(changes.windows(2).all(|pair| pair[0].number < pair[1].number), "{changes:?}");
    assert_eq!(viewed.last_change().unwrap(), changes.last().unwrap().number);
    let after = viewed.changes_above(changes[1].number, 2).unwrap();
    assert_eq!(after, changes[2..4], "it goes on in the middle");
}

#[test]
fn numbers_of_sources_are_given_once_and_each_stands_where_it_was_added() {
    let source = |handle: &str| {
        let mut source = Source::new(&network(), "posts", RobotKind::Status, "account", "");
        source.handle = Some(handle.to_owned());
        source
    };
    let mut viewed = viewed().for_changes();
    let instance = freshet_types::Instance {
        network: network(),
        base: "https://a.example".to_owned(),
        allow_private: false,
    };
    viewed.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    assert!(viewed.public.instances().unwrap().is_empty(), "everybody knows nothing of it");
    let (public, _) = viewed.public.add_sources(&[source("ada")]).unwrap()[0];
    let added = viewed.add_sources(&[source("ada"), source("bob")]).unwrap();
    let (next, _) = viewed.public.add_sources(&[source("carol")]).unwrap()[0];
    let mut ids = vec![public, added[0].0, added[1].0, next];
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{added:?}");
    assert_eq!(viewed.add_sources(&[source("bob")]).unwrap(), [(added[1].0, false)]);
    assert_eq!(viewed.find_sources("ada").unwrap().len(), 1, "who changes something sees the viewer's");
    viewed.set_state(&[added[0].0], freshet_types::SourceState::Paused).unwrap();
    let viewed = Viewed { is_for_changes: false, ..viewed };
    let found = viewed.find_sources("ada").unwrap();
    let viewers: Vec<Option<&str>> = found.iter().map(|it| it.viewer.as_deref()).collect();
    assert_eq!(viewers, [Some("ada"), None]);
    assert_eq!(found[0].state, freshet_types::SourceState::Paused);
    assert_eq!(found[1].state, freshet_types::SourceState::Active);
    let mut all = Vec::new();
    viewed
        .each_source(&mut |it| {
            all.push(it.id);
            crate::api::Flow::Continue(())
        })
        .unwrap();
    assert_eq!(all, ids);
    let page = viewed.list_sources(&SourceQuery { offset: 1, limit: 2, ..SourceQuery::default() }).unwrap();
    assert_eq!((page.sources.len(), page.count), (2, 4));
}
