//! Damaged stores: a row that makes no sense, a page overwritten with something else. What can be read is read, what cannot is
//! named, and `check` finds it.

use std::ops::ControlFlow;
use std::path::Path;

use freshet_types::Post;

use super::model::page;
use crate::api::StoreError;
use crate::api::prelude::*;
use crate::conformance::compare;
use crate::row::Filter;
use crate::sqlite::SqliteStore;

/// Posts of the store; some pages of them are leaves of the table.
const POSTS: usize = 2_000;

fn fill(path: &Path) {
    let mut store = SqliteStore::open(path).unwrap();
    let post = |n: usize| Post {
        id: n.to_string(),
        kind: "post".into(),
        author: Some("a".into()),
        text: format!("needle {n} {}", "x".repeat(200)),
        ..Post::default()
    };
    store.apply(&[page(1, (0..POSTS).map(post).collect())], compare).unwrap();
}

/// Reads all posts, passing over what is damaged; gives how many there were, and what was named.
fn read(store: &SqliteStore) -> (usize, Vec<String>) {
    let (mut count, mut named, mut filter) = (0, Vec::new(), Filter::default());
    loop {
        let each = &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        };
        match store.each_post(&filter, each) {
            Ok(()) => return (count, named),
            Err(StoreError::Damaged { thing, above, .. }) => {
                named.push(thing);
                let Some(above) = above else { return (count, named) };
                assert!(above > filter.above, "reading goes on");
                filter.above = above;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_row_that_makes_no_sense_is_passed_over_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    fill(&path);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.check(&mut |_| ()).unwrap(), []);
    store.db.execute_batch("UPDATE posts SET text = x'fffe' WHERE id IN (5, 700)").unwrap();
    let (count, named) = read(&store);
    assert_eq!((count, named), (POSTS - 2, vec!["post number 5".to_owned(), "post number 700".to_owned()]));
    let found = store.check(&mut |_| ()).unwrap();
    assert!(found.iter().any(|it| it.what.contains("post number 700 is damaged")), "{found:?}");
    assert!(found.iter().all(|it| !it.remedy.is_empty()));
}

#[test]
fn a_damaged_page_hides_its_rows_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    fill(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    // The leaf page that holds this post is overwritten, as a bad block does it.
    let mark = b"needle 1000 ";
    let at = bytes.windows(mark.len()).position(|window| window == mark).expect("the text is in the file");
    let page = at / 4096 * 4096;
    bytes[page..page + 4096].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    let store = SqliteStore::open_reader(&path).unwrap();
    let (count, named) = read(&store);
    assert!((POSTS - 30..POSTS).contains(&count), "{count} posts are left; {named:?}");
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].starts_with("every post from number "), "{named:?}");
    let found = store.check(&mut |_| ()).unwrap();
    assert!(found.iter().any(|it| it.subject == "posts" && it.remedy.contains("backup")), "{found:?}");
}

#[test]
fn what_does_not_fit_together_is_found() {
    for (sql, subject) in [
        ("UPDATE posts SET network = 99 WHERE id = 5", "posts"),
        ("UPDATE counters SET value = 7 WHERE name = 'posts'", "counters"),
        ("INSERT INTO cursors VALUES ('ring', 1000000)", "cursors"),
        (
            "INSERT INTO changes (number, object, class, kind, seen_at, visit) VALUES (9999, 9999, 1, 0, 1, 1)",
            "changes",
        ),
        ("INSERT INTO erasing (subject, step, object, id) VALUES (1, 8, 0, '')", "erasing"),
        (
            "INSERT INTO sources (network, robot, state, weight, due_at, depth, endpoint, root_kind, root_id, attempts, model, \
             coverage) VALUES (1, 'status', 'active', 1, 0, 0, 'x', 'account', 'a', 0, x'', 'no json')",
            "sources",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("freshet.db");
        fill(&path);
        let store = SqliteStore::open(&path).unwrap();
        store.db.execute_batch(sql).unwrap();
        let found = store.check(&mut |_| ()).unwrap();
        assert!(found.iter().any(|it| it.subject == subject), "{sql}: {found:?}");
    }
}
