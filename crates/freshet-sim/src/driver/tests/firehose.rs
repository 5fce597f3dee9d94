//! The firehose of a data server on the virtual clock: whatever is killed and whatever the cursor is worth, what is stored is what is
//! true, once.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;
use crate::{Firehose, FirehoseOptions};

const PEOPLE: u32 = 8;
/// More than this and the test takes longer than the others; the real server is asked for more.
const FRAMES: usize = 4_000;
const GAP: Span = Span::from_secs(5);
const KILLS: usize = 20;

fn network() -> NetworkName {
    NetworkName::new("bluesky-pds", Some(HOST))
}

/// A scene in front of such a server, all of whose accounts are watched.
fn scene(seed: u64, kept: usize) -> (Scene, Firehose, Box<dyn Store>) {
    let mut scene = Scene::new(WorldOptions { accounts: 1, ..WorldOptions::default() }, Span::HOUR);
    scene.uses_streams = true;
    let began_at = scene.now() + Span::MINUTE;
    let options = FirehoseOptions { seed, people: PEOPLE, frames: FRAMES, began_at, gap: GAP, kept };
    let firehose = Firehose::new(options, Arc::new(scene.clock.clone()));
    scene.fetch = Some(Arc::new(firehose.clone()));
    let connector = scene.networks.connector("bluesky-pds").unwrap();
    let mut store = testing::memory();
    let instance = Instance { network: network(), base: format!("https://{HOST}"), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    for person in 0..PEOPLE {
        let did = Firehose::did(person);
        let sources = robot::sources_for(&*connector, &network(), RobotKind::Status, "account", &did, 0);
        store.add_sources(&sources).unwrap();
    }
    (scene, firehose, store)
}

/// All living posts are stored once and nothing is invented. Where the stream had no hole, texts are the last ones and all that is gone
/// is marked: nothing else shows that.
fn check<S: Store>(firehose: &Firehose, store: &S, has_hole: bool) {
    let stored = posts(store);
    let (truth, gone) = (firehose.truth(), firehose.gone());
    let gone: Set<&str> = gone.iter().map(String::as_str).collect();
    let ids: Set<&str> = stored.iter().map(|row| row.post.id.as_str()).collect();
    assert_eq!(ids.len(), stored.len(), "nothing is doubled");
    let lost: Vec<String> = truth.keys().filter(|id| !ids.contains(id.as_str())).cloned().collect();
    expect_none("lost", &lost);
    let is_right = |row: &&PostRow| match (truth.get(&row.post.id), row.deleted_at) {
        (Some(text), None) => has_hole || *text == row.post.text,
        (Some(_), Some(_)) => false,
        (None, deleted_at) => gone.contains(row.post.id.as_str()) && (has_hole || deleted_at.is_some()),
    };
    let wrong = stored.iter().filter(|row| !is_right(row));
    let wrong: Vec<String> = wrong.map(|row| format!("{} {:?}", row.post.id, row.deleted_at)).collect();
    expect_none("wrong", &wrong);
    assert!(truth.len() > 100, "{} posts are too few to tell anything", truth.len());
}

/// Until the last frame was sent, and some time to read it.
fn to_the_end(driver: &mut Driver<Box<dyn Store>>, scene: &Scene, began_at: Timestamp) {
    let ends_at = began_at + GAP * FRAMES as f64 + Span::HOUR * 2.0;
    driver.run_for((ends_at - scene.now()).max(Span::HOUR)).unwrap();
}

#[test]
fn who_is_killed_goes_on_where_the_store_is() {
    let (scene, firehose, mut store) = scene(1, FRAMES);
    let began_at = scene.now();
    let mut rng = Pcg32::seed_from_u64(1);
    for _ in 0..KILLS {
        let mut driver = scene.start(store);
        driver.run_steps(rng.random_range(5..500)).unwrap();
        store = driver.kill();
    }
    let mut driver = scene.start(store);
    to_the_end(&mut driver, &scene, began_at);
    check(&firehose, &driver.store, false);
    let stream = driver.report.work.streams.first().cloned().unwrap();
    assert!(stream.connected_at.is_some() && stream.dropped_count == 0, "{stream:?}");
    assert_eq!(stream.complete, ["posts", "reposts"], "{stream:?}");
    let row = driver.store.streams().unwrap().pop().unwrap();
    assert_eq!(row.cursor, Some(FRAMES.to_string()));
    let named = stored_accounts(&driver.store);
    assert!(
        named.iter().any(|row| row.account.handle.as_deref() == Some("person1.test")),
        "names are told too"
    );
}

#[test]
fn a_cursor_that_is_too_old_is_a_hole_that_visits_close() {
    let (scene, firehose, store) = scene(2, 10);
    let began_at = scene.now();
    let mut driver = scene.start(store);
    driver.run_for(Span::MINUTE * 30.0).unwrap();
    let store = driver.kill();
    let before = store.streams().unwrap().pop().unwrap();
    // So long that the server has dropped most of what came meanwhile, and not so long that we would not ask.
    scene.clock.set(scene.now() + Span::HOUR);
    let mut driver = scene.start(store);
    to_the_end(&mut driver, &scene, began_at);
    // An edit or a deletion in the hole is seen by nobody: what is missing is not deleted.
    check(&firehose, &driver.store, true);
    let after = driver.store.streams().unwrap().pop().unwrap();
    assert!(after.since > before.until, "a new stretch begins: {before:?}, {after:?}");
}

#[test]
fn a_cursor_of_the_future_is_given_up() {
    let (scene, firehose, mut store) = scene(3, FRAMES);
    let now = scene.now();
    let mark = freshet_store::row::StreamMark {
        name: "firehose".into(),
        since: now - Span::HOUR,
        until: now,
        cursor: Some("1000000".to_owned()),
        covers: Vec::new(),
        revisit: Vec::new(),
    };
    let upload = freshet_store::row::Upload::new(freshet_types::VisitId(0), network(), now);
    let upload = freshet_store::row::Upload { stream: Some(mark), ..upload };
    store.apply(&[upload], freshet_engine::compare::compare).unwrap();
    let mut driver = scene.start(store);
    to_the_end(&mut driver, &scene, now);
    check(&firehose, &driver.store, false);
    let row = driver.store.streams().unwrap().pop().unwrap();
    assert!(row.since >= now && row.cursor.is_some_and(|cursor| cursor.len() < 6), "it began anew");
}
