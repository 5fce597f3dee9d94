//! What lies on disk, from outside: damaged, cut off, read-only, open to others; what is forgotten, and what `check` says.

use std::path::{Path, PathBuf};

use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{Observation, Post, Timestamp, VisitId};

use crate::support::freshet::{Freshet, Said};

/// Posts of the store; a page of it holds some ten.
const POSTS: usize = 1_000;
/// Bytes of a page.
const PAGE: usize = 4_096;

fn store_path(freshet: &Freshet) -> PathBuf {
    freshet.data().join("store.sqlite")
}

/// A data directory with posts that no network gave.
fn filled() -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let mut store = testing::open(&store_path(&freshet));
    let post = |n: usize| Post {
        id: n.to_string(),
        kind: "post".into(),
        author: Some("a".into()),
        text: format!("needle {n} {}", "x".repeat(300)),
        ..Post::default()
    };
    let posts = (0..POSTS).map(post).collect();
    let upload = Upload {
        observation: Observation { posts, ..Observation::default() },
        ..Upload::new(VisitId(1), "mastodon:a.example".into(), Timestamp::from_secs(1))
    };
    store.apply(&[upload], |_, _| None).expect("the posts are stored");
    store.index(usize::MAX).expect("the posts are indexed");
    freshet
}

#[track_caller]
fn check(freshet: &Freshet, args: &[&str], code: i32, words: &[&str]) -> Said {
    let said = freshet.say(args);
    let all = format!("{}\n{}", said.out, said.err);
    assert_eq!(said.code, code, "`freshet {}`\n{all}", args.join(" "));
    assert!(!all.contains("panicked"), "{all}");
    for word in words {
        assert!(all.contains(word), "`freshet {}` does not say `{word}`\n{all}", args.join(" "));
    }
    said
}

#[test]
fn a_damaged_page_costs_an_export_its_posts_only() {
    let freshet = filled();
    check(&freshet, &["check"], 0, &["whole"]);
    assert_eq!(freshet.json(&["check"])["is_whole"], true);
    let path = store_path(&freshet);
    let mut bytes = std::fs::read(&path).expect("the store is read");
    let mark = b"needle 500 ";
    let at = bytes.windows(mark.len()).position(|window| window == mark).expect("the text is in the file");
    bytes[at / PAGE * PAGE..][..PAGE].fill(0x5a);
    std::fs::write(&path, &bytes).expect("the store is written");
    let words = ["left out: every post from number", "damaged", "`freshet check`"];
    let said = check(&freshet, &["export", "--kind", "posts"], 1, &words);
    let lines = said.out.lines().count();
    assert!((POSTS - 20..POSTS).contains(&lines), "{lines} posts");
    let folder = freshet.folder().join("out");
    let folder = folder.to_str().expect("a plain path");
    check(&freshet, &["export", "--kind", "posts,accounts", "-o", folder], 1, &words);
    let lines_in_file =
        std::fs::read_to_string(Path::new(folder).join("posts.jsonl")).expect("the file is there");
    assert_eq!(lines_in_file.lines().count(), lines);
    check(&freshet, &["check"], 1, &["posts:", "to do:", "backup"]);
    assert_eq!(freshet.say(&["check", "--format", "json"]).code, 1);
    let snapshot = freshet.folder().join("snapshot");
    check(&freshet, &["snapshot", snapshot.to_str().expect("a plain path")], 1, &["damaged"]);
}

#[test]
fn a_store_that_was_cut_off_is_not_made_anew() {
    let freshet = filled();
    let path = store_path(&freshet);
    let bytes = std::fs::read(&path).expect("the store is read");
    for (kept, word) in [(0, "cut off"), (PAGE, "damaged"), (bytes.len() / 2, "damaged")] {
        std::fs::write(&path, &bytes[..kept]).expect("the store is cut");
        for command in [&["status"][..], &["init"], &["add", "@ada@example.social"], &["check"]] {
            check(&freshet, command, 1, &[word, "store.sqlite"]);
        }
        assert_eq!(std::fs::read(&path).expect("the store is read"), bytes[..kept], "it is as it was");
    }
}

#[test]
fn what_is_forgotten_is_not_added_until_that_is_taken_back() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let ada = "@ada@example.social";
    freshet.ok(&["add", ada]);
    check(&freshet, &["forget", ada, "--yes"], 0, &["sources"]);
    check(&freshet, &["forget", ada, "--yes"], 2, &["nothing is stored"]);
    check(&freshet, &["add", ada], 1, &["is forgotten", "forget --undo", "0 added"]);
    check(&freshet, &["add", ada, "@bob@example.social"], 1, &["1 added", "1 forgotten"]);
    check(&freshet, &["forget", "--undo", "@eve@example.social"], 2, &["is not forgotten"]);
    check(&freshet, &["forget", "--undo", ada], 0, &["may be collected again"]);
    check(&freshet, &["add", ada], 0, &["1 added"]);
    let address = "mastodon:example.social/account/9";
    check(&freshet, &["forget", address, "--yes"], 0, &["kept out from now on"]);
    check(&freshet, &["check"], 0, &[]);
}

#[cfg(unix)]
#[test]
fn others_may_not_look_into_a_data_directory() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let freshet = filled();
    let data = freshet.data();
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").mode() & 0o777;
    assert_eq!((mode(&data), mode(&store_path(&freshet))), (0o700, 0o600));
    for (path, mode) in [(data.clone(), 0o755), (store_path(&freshet), 0o644)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("it is opened up");
    }
    check(&freshet, &["check"], 1, &["permissions: others may look into", "store.sqlite"]);
    assert_eq!(mode(&data), 0o755, "looking changes nothing");
    check(&freshet, &["init"], 0, &["closed to them now"]);
    assert_eq!((mode(&data), mode(&store_path(&freshet))), (0o700, 0o600));
    check(&freshet, &["check"], 0, &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_to_is_looked_at() {
    let freshet = filled();
    freshet.ok(&["add", "@ada@example.social"]);
    let data = freshet.data();
    let Some(frozen) = Frozen::new(&data) else {
        println!("SKIPPED: nobody here can make a folder read-only");
        return;
    };
    for args in [
        &["status"][..],
        &["gaps"],
        &["explain", "1"],
        &["search", "needle"],
        &["robots", "list"],
        &["constraints", "list"],
        &["networks", "list"],
        &["alerts"],
        &["check"],
    ] {
        check(&freshet, args, 0, &[]);
    }
    let said = check(&freshet, &["export", "--kind", "posts"], 0, &[]);
    assert_eq!(said.out.lines().count(), POSTS);
    check(&freshet, &["add", "@bob@example.social"], 1, &["store.sqlite"]);
    drop(frozen);
}

/// A folder that is read-only while this lives: by its mode, or for the superuser by a mount over itself.
#[cfg(target_os = "linux")]
struct Frozen {
    dir: PathBuf,
    is_mounted: bool,
}

#[cfg(target_os = "linux")]
impl Frozen {
    fn new(dir: &Path) -> Option<Self> {
        let is_open = || std::fs::write(dir.join("probe"), "").is_ok();
        set_mode(dir, 0o500);
        let mut frozen = Self { dir: dir.to_owned(), is_mounted: false };
        if is_open() {
            let _ = std::fs::remove_file(dir.join("probe"));
            frozen.is_mounted = mount(&["--bind"], &[dir, dir]) && mount(&["-o", "remount,bind,ro"], &[dir]);
        }
        (!is_open()).then_some(frozen)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Frozen {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = std::process::Command::new("umount").arg(&self.dir).status();
        }
        set_mode(&self.dir, 0o700);
    }
}

#[cfg(target_os = "linux")]
fn mount(words: &[&str], dirs: &[&Path]) -> bool {
    std::process::Command::new("mount").args(words).args(dirs).status().is_ok_and(|status| status.success())
}

#[cfg(target_os = "linux")]
fn set_mode(dir: &Path, mode: u32) {
    std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(mode))
        .expect("our own folder");
}
