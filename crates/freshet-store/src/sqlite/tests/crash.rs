//! Death at any instant: the files as a killed process leaves them, cut at any byte of the log.
//!
//! With checkpoints off, the main file stands still and the write-ahead log only grows. A process
//! that dies leaves a prefix of it, torn anywhere. So every prefix must open, hold every apply
//! that was acknowledged within it, and nothing of any other.

use std::ops::ControlFlow;

use freshet_types::Post;
use proptest::prelude::*;

use super::model::page;
use crate::api::prelude::*;
use crate::conformance::compare;
use crate::row::Filter;
use crate::sqlite::SqliteStore;

/// Posts that each apply brings; all or none of them may be there.
const BATCH: usize = 30;

fn batch(number: usize) -> Vec<Post> {
    let post = |n: usize| Post {
        id: format!("{number}-{n}"),
        kind: "post".into(),
        author: Some(format!("author{}", n % 3)),
        text: format!("text {n} {}", "x".repeat(n * 7 % 300)),
        ..Post::default()
    };
    (0..BATCH).map(post).collect()
}

fn count(store: &SqliteStore) -> usize {
    let mut count = 0;
    let each = &mut |_| {
        count += 1;
        ControlFlow::Continue(())
    };
    store.each_post(&Filter::default(), each).unwrap();
    count
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]
    #[test]
    fn every_prefix_of_the_log_is_a_whole_store(cuts in prop::collection::vec(0.0..1.0_f64, 12)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("freshet.db");
        drop(SqliteStore::open(&path).unwrap());
        let mut store = SqliteStore::open(&path).unwrap();
        store.db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        let log = dir.path().join("freshet.db-wal");
        // Bytes of the log when each apply was acknowledged.
        let mut acknowledged = vec![std::fs::read(&log).map_or(0, |bytes| bytes.len())];
        for number in 0..8 {
            store.apply(&[page(number as i64, batch(number))], compare).unwrap();
            acknowledged.push(std::fs::metadata(&log).unwrap().len() as usize);
        }
        let (main, whole) = (std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap());
        drop(store);
        let at_edges = acknowledged.iter().copied();
        let anywhere = cuts.iter().map(|cut| (whole.len() as f64 * cut) as usize);
        for (number, length) in at_edges.chain(anywhere).enumerate() {
            let copy = dir.path().join(format!("copy{number}.db"));
            std::fs::write(&copy, &main).unwrap();
            std::fs::write(dir.path().join(format!("copy{number}.db-wal")), &whole[..length]).unwrap();
            let mut store = SqliteStore::open(&copy).unwrap();
            let applies = acknowledged.iter().filter(|&&bytes| bytes <= length).count() - 1;
            prop_assert_eq!(count(&store), applies * BATCH, "the log cut at {} of {}", length, whole.len());
            // What was not acknowledged is applied again, and then all is there once.
            for number in 0..8 {
                store.apply(&[page(number as i64, batch(number))], compare).unwrap();
            }
            prop_assert_eq!(count(&store), 8 * BATCH);
            let check: String = store.db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            prop_assert_eq!(check, "ok");
        }
    }
}
