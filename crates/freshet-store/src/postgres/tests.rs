//! The PostgreSQL backend against the contract, at a real server that each test starts for itself; what only a server has: several
//! writers, lost connections, strangers' tables, addresses.

mod server;

use freshet_types::{NetworkName, Timestamp, VisitId};

use self::server::{Server, need};
use super::*;
use crate::api::Store;
use crate::api::prelude::*;
use crate::conformance;
use crate::row::Upload;

const NETWORK: &str = "mastodon:a.example";

fn raw() -> Options {
    Options { keep_raw: true, ..Options::default() }
}

fn boxed(address: &str, options: Options) -> Box<dyn Store> {
    Box::new(PostgresStore::open(address, options).expect("the store can be opened"))
}

/// A page that shows one post.
fn page_of(id: &str) -> Upload {
    let post = freshet_types::Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some("a".to_owned()),
        created_at: Some(Timestamp::from_secs(10)),
        text: format!("text of {id}"),
        ..freshet_types::Post::default()
    };
    let mut upload = Upload::new(VisitId(1), NETWORK.into(), Timestamp::from_secs(100));
    upload.observation.posts = vec![post];
    upload
}

#[test]
fn a_store_in_postgres_conforms() {
    let Some(bin) = need("a_store_in_postgres_conforms") else { return };
    let server = Server::start(&bin);
    conformance::check(|| boxed(&server.fresh(), Options::default()));
    conformance::check_raw(|| boxed(&server.fresh(), raw()));
}

#[test]
fn two_handles_of_a_store_in_postgres_conform() {
    let Some(bin) = need("two_handles_of_a_store_in_postgres_conform") else { return };
    let server = Server::start(&bin);
    conformance::check_pair(|| {
        let address = server.fresh();
        (boxed(&address, Options::default()), boxed(&address, Options::default()))
    });
}

#[test]
fn a_store_in_postgres_is_opened_made_and_refused() {
    let Some(bin) = need("a_store_in_postgres_is_opened_made_and_refused") else { return };
    let server = Server::start(&bin);
    let address = server.fresh();
    let refused = |opened: Result<PostgresStore, StoreError>, expected: &str| {
        let error = opened.map(drop).expect_err(expected).to_string();
        assert!(error.contains(expected) && !error.contains("secret"), "{error}");
    };
    refused(PostgresStore::open_reader(&address, Options::default()), "freshet init");
    let mut store = boxed(&address, Options::default());
    store.set_setting("key", "value").unwrap();
    let mut reader = PostgresStore::open_reader(&address, Options::default()).unwrap();
    assert_eq!(reader.setting("key").unwrap().as_deref(), Some("value"));
    assert!(reader.search("word", 10).unwrap().is_empty());
    assert!(reader.check(&mut |_| ()).unwrap().is_empty());
    let written = reader.set_setting("key", "other").unwrap_err().to_string();
    assert!(written.contains("opened for reading"), "{written}");

    let strangers = server.fresh();
    server.say("CREATE TABLE s1.mine (id int)").unwrap();
    refused(PostgresStore::open(&strangers, Options::default()), "tables of another program");
    server.say("UPDATE s0.refinery_schema_history SET version = 1000").unwrap();
    refused(PostgresStore::open(&address, Options::default()), "newer freshet");
    refused(PostgresStore::open(&server.address("nowhere"), Options::default()), "make it first");
    for (address, expected) in [
        ("postgres://me:secret@127.0.0.1:1/x?sslmode=require", "not there yet"),
        ("postgres://me:secret@127.0.0.1:1/x", "is the PostgreSQL server up"),
        ("postgres://me:secret@127.0.0.1:nonsense/x", "no address"),
        ("postgres://", "names no server"),
    ] {
        refused(PostgresStore::open(address, Options::default()), expected);
    }
}

/// A server that dies and comes back: what was told to be stored is there, the error is one that passes, and the next call connects.
#[test]
fn a_server_that_dies_is_waited_for() {
    let Some(bin) = need("a_server_that_dies_is_waited_for") else { return };
    let mut server = Server::start(&bin);
    let address = server.fresh();
    let mut store = boxed(&address, Options::default());
    let post = |id: &str| page_of(id);
    store.apply(&[post("1")], conformance::compare).unwrap();
    server.kill();
    let error = store.apply(&[post("2")], conformance::compare).unwrap_err();
    assert_eq!(error.trouble(), Some(Trouble::Away), "{error}");
    let error = store.last_change().unwrap_err();
    assert_eq!(error.trouble(), Some(Trouble::Away), "{error}");
    server.run();
    store.apply(&[post("2")], conformance::compare).unwrap();
    store.apply(&[post("1"), post("2")], conformance::compare).unwrap();
    let rows = store.posts(&crate::row::Filter::default(), 10).unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.post.id.as_str()).collect::<Vec<_>>(), ["1", "2"]);
}

/// Calls from inside a runtime do not panic, whatever kind it is.
#[test]
fn a_store_may_be_asked_from_inside_a_runtime() {
    let Some(bin) = need("a_store_may_be_asked_from_inside_a_runtime") else { return };
    let server = Server::start(&bin);
    let address = server.fresh();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let count = runtime.block_on(async {
        let mut store = boxed(&address, Options::default());
        store.reserve_visits(5).unwrap();
        store.reserve_visits(1).unwrap()
    });
    assert_eq!(count, 6);
}

/// A writer that holds the lock too long is told of, not waited for without end; what it wrote and did not commit is not there.
#[test]
fn a_writer_waits_for_another_so_long_and_no_longer() {
    let Some(bin) = need("a_writer_waits_for_another_so_long_and_no_longer") else { return };
    let server = Server::start(&bin);
    let address = server.fresh();
    let one = PostgresStore::open(&address, Options::default()).unwrap();
    let busy = std::time::Duration::from_millis(100);
    let mut other = PostgresStore::open(&address, Options { busy, ..Options::default() }).unwrap();
    let undone = one.write("hold the lock", |db| {
        control::set_setting(db, "key", "never")?;
        let error = other.set_setting("key", "value").unwrap_err();
        assert_eq!(error.trouble(), Some(Trouble::Busy), "{error}");
        Err::<(), _>(db::Error::NoRow)
    });
    assert!(undone.is_err());
    assert_eq!(other.setting("key").unwrap(), None);
    other.set_setting("key", "value").unwrap();
    assert_eq!(one.setting("key").unwrap().as_deref(), Some("value"));
}

/// The views answer, and say what the rows say.
#[test]
fn researchers_find_the_same_views() {
    let Some(bin) = need("researchers_find_the_same_views") else { return };
    let server = Server::start(&bin);
    let mut store = PostgresStore::open(&server.fresh(), Options::default()).unwrap();
    let network = NetworkName::from(NETWORK);
    let source =
        freshet_types::Source::new(&network, "posts", freshet_types::RobotKind::Status, "account", "a");
    store.add_sources(&[source]).unwrap();
    store.apply(&[page_of("1")], conformance::compare).unwrap();
    let count = |view: &str| -> i64 {
        store.db.query_row(&format!("SELECT count(*) FROM {view}"), [], |row| row.get(0)).unwrap()
    };
    for (view, expected) in [
        ("users", 1),
        ("statuses", 1),
        ("objects", 2),
        ("links", 1),
        ("invalid_users", 0),
        ("user_relations", 0),
        ("invalid_relations", 0),
        ("comments", 0),
        ("user_tags", 0),
        ("user_tag_history", 0),
        ("coverage", 0),
        ("boards", 0),
        ("threads", 0),
        ("earlier_statuses", 0),
        ("link_history", 0),
        ("cross_link_history", 0),
        ("complaints", 0),
    ] {
        assert_eq!(count(view), expected, "{view}");
    }
}

/// Both backends have every table that a copy moves, and no other; a store moves there and back, cut off on its way, and is the same.
#[test]
fn a_store_moves_there_and_back() {
    let Some(bin) = need("a_store_moves_there_and_back") else { return };
    let server = Server::start(&bin);
    let dir = tempfile::tempdir().unwrap();
    let (first, last) = (dir.path().join("first.db"), dir.path().join("last.db"));
    let mut store = crate::testing::open(&first);
    let ids: Vec<String> = (0..5_000).map(|n| n.to_string()).collect();
    for ids in ids.chunks(1_000) {
        let mut upload = page_of("zero\0");
        upload.observation.posts.extend(ids.iter().flat_map(|id| page_of(id).observation.posts));
        store.apply(&[upload], conformance::compare).unwrap();
    }
    store.set_setting("key", "value").unwrap();
    store
        .push_control(&crate::control::Control::Sources(crate::control::SourcesChange::Removed(Vec::new())))
        .unwrap();
    assert_eq!(store.search("4711", 10).unwrap().len(), 1);
    drop(store);
    let middle = server.fresh();
    let mut pieces = 0;
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        crate::copy(&first, &middle, &mut |table, _| {
            pieces += usize::from(table == "changes");
            assert!(pieces < 2, "cut off here");
        })
    }));
    assert!(stopped.is_err(), "it was cut off");
    let there = crate::copy(&first, &middle, &mut |_, _| ()).unwrap();
    assert!(there.is_resumed && there.moved < 15_000, "{}", there.moved);
    let back = crate::copy(&middle, &last, &mut |_, _| ()).unwrap();
    assert_eq!((there.tables, back.is_resumed), (back.tables, false));
    let again = crate::copy(&first, &middle, &mut |_, _| ()).unwrap_err().to_string();
    assert!(again.contains("not empty"), "{again}");
    for mut store in [boxed(&middle, Options::default()), crate::testing::open(&last)] {
        assert_eq!(store.search("4711", 10).unwrap().len(), 1, "words are found again");
        assert_eq!(store.counts().unwrap().posts, 5_001);
        let number = store.push_control(&crate::control::Control::Sources(
            crate::control::SourcesChange::Removed(Vec::new()),
        ));
        assert_eq!(number.unwrap(), 2, "numbers go on");
        assert!(store.check(&mut |_| ()).unwrap().is_empty());
    }
}

#[test]
fn every_table_is_moved() {
    let Some(bin) = need("every_table_is_moved") else { return };
    let server = Server::start(&bin);
    let dir = tempfile::tempdir().unwrap();
    let store = PostgresStore::open(&server.fresh(), Options::default()).unwrap();
    let here = "SELECT table_name, column_name FROM information_schema.columns JOIN pg_tables ON tablename = table_name \
                AND schemaname = table_schema WHERE table_schema = current_schema() AND is_generated = 'NEVER' \
                AND table_name NOT IN ('refinery_schema_history', 'post_text')";
    let mut here: Vec<(String, String)> = store
        .db
        .prepare_cached(here)
        .and_then(|mut find| find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .unwrap();
    here.sort();
    let columns = |table: &crate::transfer::Table| {
        let name = table.name.to_owned();
        table.columns.iter().map(move |column| (name.clone(), column.0.to_owned())).collect::<Vec<_>>()
    };
    let mut moved: Vec<(String, String)> = crate::transfer::TABLES.iter().flat_map(columns).collect();
    moved.sort();
    assert_eq!(here, moved, "in PostgreSQL");
    let sqlite = crate::sqlite::SqliteStore::open(&dir.path().join("store.db")).unwrap();
    assert_eq!(sqlite.columns(), moved, "in SQLite");
}
