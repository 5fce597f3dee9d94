//! A file as a subscriber: JSON lines, appended, resumed after whatever ended the last run.
//!
//! The subscription is named by the file's absolute path, so every file has a cursor of its own.
//! A line that a kill left torn is cut off before anything is appended; it is delivered again,
//! because the cursor moves only after the bytes are on the disk. Only what can be the beginning
//! of a line of ours is cut: a file that ends otherwise is somebody else's, and is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use freshet_sink::{Format, RecordKind};

use super::{DeliverError, Subscription};

/// How every line begins; `id` is the first column of a post.
const LINE_START: &[u8] = b"{\"id\":";
/// Bytes read at once when looking back for the end of the last whole line.
const LOOK_BACK: u64 = 64 * 1024;

impl Subscription {
    /// A subscription that appends every new, edited and deleted post to this file.
    pub fn to_file(path: &Path) -> Result<Self, DeliverError> {
        let refused = |why: io::Error| DeliverError::File { path: path.display().to_string(), why };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(refused)?;
        let is_regular = file.metadata().map_err(refused)?.is_file();
        if is_regular {
            cut_torn_line(&mut file).map_err(refused)?;
        }
        let name = path.canonicalize().map_err(refused)?.display().to_string();
        let sink = Format::Jsonl
            .open(RecordKind::Posts, Appended { file, is_regular })
            .map_err(|why| DeliverError::Sink { name: name.clone(), why })?;
        Ok(Self::new(name, sink))
    }
}

/// A file whose flush reaches the disk.
struct Appended {
    file: File,
    is_regular: bool,
}

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    /// The cursor moves after this; were the bytes only on their way, a power cut could lose them.
    fn flush(&mut self) -> io::Result<()> {
        if self.is_regular { self.file.sync_data() } else { self.file.flush() }
    }
}

fn cut_torn_line(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let whole = end_of_last_line(file, length)?;
    if whole == length {
        return Ok(());
    }
    let mut start = Vec::with_capacity(LINE_START.len());
    file.seek(SeekFrom::Start(whole))?;
    file.take(LINE_START.len() as u64).read_to_end(&mut start)?;
    if !LINE_START.starts_with(&start) {
        let why = "its last line is not whole and not ours; name another file, or end that line";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    file.set_len(whole)
}

/// Where the last line break ends, 0 if there is none.
fn end_of_last_line(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    while end > 0 {
        let begin = end.saturating_sub(LOOK_BACK);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(begin))?;
        file.take(end - begin).read_to_end(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|&byte| byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use freshet_store::api::Store;
    use freshet_store::row::Upload;
    use freshet_store::sqlite::SqliteStore;
    use freshet_types::{Observation, Post, Timestamp, VisitId};
    use serde_json::Value;

    use super::*;
    use crate::compare::compare;

    fn see(store: &mut dyn Store, secs: i64, ids: &[&str], text: &str) {
        let post = |id: &&str| Post { id: (*id).to_owned(), text: text.to_owned(), ..Post::default() };
        let posts = ids.iter().map(post).collect();
        let upload = Upload::new(VisitId(1), "hackernews".into(), Timestamp::from_secs(secs));
        let observation = Observation { posts, ..Observation::default() };
        store.apply(&[Upload { observation, ..upload }], compare).unwrap();
    }

    fn deliver(store: &mut dyn Store, path: &Path) -> Result<(), DeliverError> {
        let mut subscription = Subscription::to_file(path)?;
        while subscription.deliver(store)? > 0 {}
        Ok(())
    }

    /// Ids and texts of all lines; every line is whole.
    fn lines(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let read = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let deleted = if line["deleted_at"].is_null() { "" } else { "!" };
            format!("{}{}{deleted}", line["native_id"].as_str().unwrap(), line["text"].as_str().unwrap())
        };
        text.lines().map(read).collect()
    }

    #[test]
    fn new_edited_and_deleted_posts_are_delivered_and_resumed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("posts.jsonl");
        let mut store = SqliteStore::in_memory().unwrap();
        see(&mut store, 1, &["1", "2"], "a");
        deliver(&mut store, &path).unwrap();
        deliver(&mut store, &path).unwrap();
        assert_eq!(lines(&path), ["1a", "2a"], "nothing is delivered again after a clean end");
        see(&mut store, 2, &["1"], "b");
        let gone = Upload::new(VisitId(2), "hackernews".into(), Timestamp::from_secs(3));
        store.apply(&[Upload { deleted: vec![("post".into(), "2".into())], ..gone }], compare).unwrap();
        deliver(&mut store, &path).unwrap();
        assert_eq!(lines(&path), ["1a", "2a", "1b", "2a!"]);
        let other = dir.path().join("other.jsonl");
        deliver(&mut store, &other).unwrap();
        assert_eq!(lines(&other), ["1b", "2a!"], "another file has a cursor of its own");
    }

    #[test]
    fn a_kill_between_the_lines_and_the_cursor_delivers_twice_and_never_zero_times() {
        let dir = tempfile::tempdir().unwrap();
        let (path, db) = (dir.path().join("posts.jsonl"), dir.path().join("store.db"));
        let mut store = SqliteStore::open(&db).unwrap();
        see(&mut store, 1, &["1", "2"], "a");
        // A store that cannot be written stops exactly there: the lines are out, the cursor stays.
        let mut reader = SqliteStore::open_reader(&db).unwrap();
        assert!(matches!(deliver(&mut reader, &path), Err(DeliverError::Store(_))));
        assert_eq!(lines(&path), ["1a", "2a"]);
        // And the kill tore the line after them.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..40]].concat()).unwrap();
        deliver(&mut store, &path).unwrap();
        assert_eq!(lines(&path), ["1a", "2a", "1a", "2a"]);
    }

    #[test]
    fn only_torn_lines_of_ours_are_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let long = format!("{{\"id\":\"{}", "x".repeat(3 * LOOK_BACK as usize));
        for (before, after) in [
            ("", Some("")),
            ("{\"id\":1}\n", Some("{\"id\":1}\n")),
            ("{\"id\":1}\n{\"i", Some("{\"id\":1}\n")),
            ("{\"id\":1}\n{\"id\":2,\"te", Some("{\"id\":1}\n")),
            (&long, Some("")),
            ("my notes", None),
            ("{\"name\": 1}", None),
        ] {
            std::fs::write(&path, before).unwrap();
            let opened = Subscription::to_file(&path);
            assert_eq!(opened.is_ok(), after.is_some(), "{before:.40}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after.unwrap_or(before), "{before:.40}");
        }
        let error = Subscription::to_file(&dir.path().join("none/file")).unwrap_err().to_string();
        assert!(error.contains("none/file"), "{error}");
    }
}
