//! Exports that are killed in the middle of a file, and what they become when they go on.

use std::collections::BTreeMap;

use freshet_app::progress::Progress;

use super::super::write::Batch;
use super::*;

/// Posts of the store that is exported.
const POSTS: i64 = 100;
/// Accounts that like a post of it; two of them are known before.
const LINKS: i64 = 60;
/// Days of its first batch.
const BATCH_DAYS: usize = 8;

/// Posts of a hundred authors, on twelve days, with relations.
fn many() -> Box<dyn Store> {
    let mut store = testing::memory();
    let posts =
        (0..POSTS).map(|n| Post { author: Some(n.to_string()), ..post(&n.to_string(), n % 12 * DAY) });
    apply(&mut store, posts.collect());
    let likers = (0..LINKS).map(|n| link("likers", &n.to_string())).collect();
    let observation = Observation { links: likers, ..Observation::default() };
    let upload = Upload::new(VisitId(6), "social:a.example".into(), Timestamp::from_secs(2_000));
    store.apply(&[Upload { observation, ..upload }], |_, _| None).unwrap();
    store
}

fn all(store: &dyn Store, format: Format, is_split: bool) -> Wish {
    // Two kinds: each checkpoint waits for the disk, and the product's tests have the others.
    let kinds = vec![RecordKind::Posts, RecordKind::Relations];
    Wish { format, kinds, ..wish(Bounds::now(store).unwrap(), is_split) }
}

/// All bytes of a folder, except the manifest, which says where the store is from.
fn bytes(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = found_names(dir).into_iter();
    names.map(|name| (name.clone(), std::fs::read(dir.join(name)).unwrap())).collect()
}

fn found_names(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.ends_with(MANIFEST) => {}
                path => names.push(path.strip_prefix(dir).unwrap().display().to_string()),
            }
        }
    }
    names
}

/// An export of everything in one go.
fn at_once(store: &dyn Store, wish: &Wish) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let parts = plan(store, wish).unwrap();
    let _ = to_folder(store, dir.path(), wish, &parts, &mut manifest(wish.up_to)).unwrap();
    bytes(dir.path())
}

/// Writes until this many changes of the store are written, then dies: nothing is finished, and of what was
/// written after the last checkpoint some is on disk.
fn until(store: &dyn Store, dir: &Path, wish: &Wish, manifest: &mut Manifest, change: u64) {
    let parts = plan(store, wish).unwrap();
    let kind = parts[0].kind;
    let parts: Vec<&Part> = parts.iter().filter(|part| part.kind == kind).take(BATCH_DAYS).collect();
    let cut = Wish { up_to: Bounds { change, relation: change, link: change }, ..wish.clone() };
    let batch = Batch { store, dir, wish: &cut, parts: &parts };
    let (mut open, above) = batch.open(manifest).unwrap();
    let _ = batch.scan(&mut open, above, manifest, &mut Progress::new("test", 0, 0)).unwrap();
    open.values_mut().for_each(|file| file.relieve().unwrap());
    manifest.write(dir).unwrap();
}

/// Dies at each of these changes, goes on and ends; the folder is as if it had been written at once.
fn check(format: Format, is_split: bool, lives: &[&[u64]]) {
    let store = many();
    check_wish(&store, &all(&store, format, is_split), lives);
}

fn check_wish(store: &dyn Store, wish: &Wish, lives: &[&[u64]]) {
    let (format, is_split) = (wish.format, wish.is_split);
    let whole = at_once(store, wish);
    for deaths in lives {
        let dir = tempfile::tempdir().unwrap();
        let mut manifest = manifest(wish.up_to);
        for &change in *deaths {
            until(store, dir.path(), wish, &mut manifest, change);
            manifest = Manifest::read(dir.path()).unwrap().unwrap();
        }
        let kept = manifest.open.as_ref().map_or(0, |open| open.above);
        assert!(kept > 0, "{format} {is_split} {deaths:?}: something is kept");
        let _ = to_folder(store, dir.path(), wish, &plan(store, wish).unwrap(), &mut manifest).unwrap();
        assert!(bytes(dir.path()) == whole, "{format} {is_split} {deaths:?}");
        assert!(manifest.is_complete && manifest.open.is_none());
    }
}

#[test]
fn a_killed_export_is_the_same_to_the_byte() {
    for format in Format::ALL {
        check(format, false, &[&[20], &[190], &[20, 60, 61, 150]]);
        // Split files have their checkpoints after eight times as many records.
        check(format, true, &[&[190], &[190, 200]]);
    }
}

#[test]
fn killed_exports_of_links_are_the_same_to_the_byte() {
    let store = many();
    let newest = store.last_number().unwrap();
    for format in Format::ALL {
        let wish = Wish { kinds: vec![RecordKind::Links], ..all(&store, format, false) };
        check_wish(&store, &wish, &[&[newest - 40], &[newest - 45, newest - 5]]);
    }
}

#[test]
fn what_was_spoilt_meanwhile_begins_anew() {
    let store = many();
    for format in Format::ALL {
        let wish = all(&store, format, false);
        for spoilt in ["part", "memo", "both"] {
            let dir = tempfile::tempdir().unwrap();
            let mut manifest = manifest(wish.up_to);
            until(&store, dir.path(), &wish, &mut manifest, 50);
            let file = |ending: &str| dir.path().join(format!("posts.{format}.{ending}"));
            for ending in ["part", "memo"].iter().filter(|it| spoilt == "both" || **it == spoilt) {
                if file(ending).is_file() {
                    std::fs::write(file(ending), "something else").unwrap();
                }
            }
            let mut manifest = Manifest::read(dir.path()).unwrap().unwrap();
            let _ =
                to_folder(&store, dir.path(), &wish, &plan(&store, &wish).unwrap(), &mut manifest).unwrap();
            assert!(bytes(dir.path()) == at_once(&store, &wish), "{format} {spoilt}");
        }
    }
}

#[test]
fn what_was_forgotten_meanwhile_is_in_no_file() {
    for format in [Format::Jsonl, Format::Csv] {
        let mut store = many();
        let wish = all(&store, format, false);
        let dir = tempfile::tempdir().unwrap();
        let mut manifest = manifest(wish.up_to);
        until(&store, dir.path(), &wish, &mut manifest, 60);
        store.forget("social:a.example/account/7").unwrap();
        let mut manifest = Manifest::read(dir.path()).unwrap().unwrap();
        let _ = to_folder(&store, dir.path(), &wish, &plan(&store, &wish).unwrap(), &mut manifest).unwrap();
        let files = bytes(dir.path());
        assert!(files == at_once(&store, &wish), "{format}");
        let posts = String::from_utf8_lossy(&files[&format!("posts.{format}")]).into_owned();
        assert!(!posts.contains("text 7\"") && !posts.contains("text 7,"), "{posts}");
        assert_eq!(manifest.files[0].records_count as i64, POSTS - 1);
    }
}

#[test]
fn finished_files_with_forgotten_records_are_written_anew() {
    let mut store = many();
    let wish = all(&store, Format::Jsonl, true);
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = manifest(wish.up_to);
    let _ = to_folder(&store, dir.path(), &wish, &plan(&store, &wish).unwrap(), &mut manifest).unwrap();
    manifest.is_complete = false;
    manifest.write(dir.path()).unwrap();
    store.forget("social:a.example/account/7").unwrap();
    let mut manifest = Manifest::read(dir.path()).unwrap().unwrap();
    let _ = to_folder(&store, dir.path(), &wish, &plan(&store, &wish).unwrap(), &mut manifest).unwrap();
    assert!(bytes(dir.path()) == at_once(&store, &wish));
}
