//! A file as a subscriber: JSON lines, appended, resumed after whatever ended the last run.
//!
//! The subscription is named by the file's absolute path, so every file has a cursor of its own.
//! A line that a kill left torn is cut off before anything is appended; it is delivered again,
//! because the cursor moves only after the bytes are on the disk, or, of a pipe, read: what a reader
//! took and did not use is its own loss. Only what can be the beginning
//! of a line of ours is cut: a file that ends otherwise is somebody else's, and is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use freshet_store::api::Store;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Ack, Batch, DeliverError, Outlet, Subscriber, Subscription};

/// Which lines are ours, by how every one of them begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lines {
    /// Posts as exports have them; `id` is their first column.
    Exported,
    /// Records with what they are.
    Told,
}

impl Lines {
    fn start(self) -> &'static [u8] {
        match self {
            Self::Exported => b"{\"id\":",
            Self::Told => b"{\"kind\":",
        }
    }
}

/// How often it is asked whether a pipe has been read.
const READ_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
/// Bytes read at once when looking back for the end of the last whole line.
const LOOK_BACK: u64 = 64 * 1024;

impl Subscriber {
    /// A subscriber that appends every new, edited and deleted post to this file.
    /// A pipe is opened when there is something to deliver: that lasts until somebody reads it.
    pub fn to_file(path: &Path) -> Result<Self, DeliverError> {
        let is_pipe = std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
        let first = if is_pipe { None } else { Some(open(path, Lines::Exported)?) };
        let name = path.canonicalize().map_err(refused(path))?.display().to_string();
        let path = path.to_owned();
        let mut subscriber = Self::new(name, Box::new(move || open(&path, Lines::Exported)));
        subscriber.outlet = first;
        Ok(subscriber)
    }
}

impl Subscription {
    /// The same with a connection of its own; it reads the log through `store`.
    pub fn to_file(path: &Path, store: Box<dyn Store>) -> Result<Self, DeliverError> {
        Ok(Self { subscriber: Subscriber::to_file(path)?, store })
    }
}

fn refused(path: &Path) -> impl Fn(io::Error) -> DeliverError {
    move |why| DeliverError::File { path: path.display().to_string(), why }
}

/// Opens it for lines that begin so.
pub(super) fn open(path: &Path, lines: Lines) -> Result<Box<dyn Outlet>, DeliverError> {
    let refused = refused(path);
    let kind = std::fs::metadata(path).map(|found| found.file_type());
    let target = match kind {
        Ok(kind) if kind.is_fifo() => {
            Target::Pipe(OpenOptions::new().write(true).open(path).map_err(&refused)?)
        }
        Ok(kind) if !kind.is_file() => {
            Target::Device(OpenOptions::new().append(true).open(path).map_err(&refused)?)
        }
        _ => {
            let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
            let mut file = opened.map_err(&refused)?;
            cut_torn_line(&mut file, lines.start()).map_err(&refused)?;
            Target::File(file)
        }
    };
    Ok(Box::new(target))
}

/// A batch as JSON lines.
pub(super) fn lines(batch: &Batch) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(batch.lines.iter().map(|line| line.len() + 1).sum());
    for line in &batch.lines {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

impl Outlet for Target {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let written = self.write_all(&lines(batch)).and_then(|()| self.flush());
        written.map(|()| Ack::Taken).map_err(|error| format!("the record cannot be written: {error}"))
    }
}

/// What is written to; its flush ends when the bytes are where they can no longer be lost.
enum Target {
    /// On the disk. Were the bytes only on their way, a power cut could lose them.
    File(File),
    /// Read by somebody. What is still in a pipe when its reader dies is lost.
    Pipe(File),
    /// A terminal and the like: out of our hands at once.
    Device(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) | Self::Pipe(file) | Self::Device(file) => file.write(bytes),
        }
    }

    /// The cursor moves after this.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.sync_data(),
            Self::Pipe(file) => wait_until_read(file),
            Self::Device(file) => file.flush(),
        }
    }
}

/// Waits until a reader has taken all that is in the pipe; an error if the last reader goes.
fn wait_until_read(pipe: &File) -> io::Result<()> {
    while rustix::io::ioctl_fionread(pipe)? > 0 {
        let mut asked = [PollFd::new(pipe, PollFlags::empty())];
        poll(&mut asked, Some(&READ_EVERY))?;
        if asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
    Ok(())
}

fn cut_torn_line(file: &mut File, line_start: &[u8]) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let whole = end_of_last_line(file, length)?;
    if whole == length {
        return Ok(());
    }
    let mut start = Vec::with_capacity(line_start.len());
    file.seek(SeekFrom::Start(whole))?;
    file.take(line_start.len() as u64).read_to_end(&mut start)?;
    if !line_start.starts_with(&start) {
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
    use freshet_store::testing;
    use freshet_types::{Observation, Post, Timestamp, VisitId};
    use serde_json::Value;

    use super::*;
    use crate::compare::compare;
    use crate::core::Moment;

    fn see(store: &mut dyn Store, secs: i64, ids: &[&str], text: &str) {
        let post = |id: &&str| Post {
            id: (*id).to_owned(),
            kind: "post".into(),
            text: text.to_owned(),
            ..Post::default()
        };
        let posts = ids.iter().map(post).collect();
        let upload = Upload::new(VisitId(1), "hackernews".into(), Timestamp::from_secs(secs));
        let observation = Observation { posts, ..Observation::default() };
        store.apply(&[Upload { observation, ..upload }], compare).unwrap();
    }

    /// Delivers all there is, and stores the cursor where the store can be written.
    fn deliver(store: &mut dyn Store, db: &Path, path: &Path) -> Result<(), DeliverError> {
        let reader = testing::reader(db);
        let mut subscriber = Subscriber::to_file(path)?;
        subscriber.resume(&reader)?;
        let moment = Moment { now: Timestamp::from_secs(9), wall_ms: 0 };
        while subscriber.deliver(&reader, moment)?.is_some() {
            let progress = subscriber.progress();
            store.set_cursor(&progress.consumer(), progress.cursor())?;
        }
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
        let (path, db) = (dir.path().join("posts.jsonl"), dir.path().join("store.db"));
        let mut store = testing::open(&db);
        see(&mut store, 1, &["1", "2"], "a");
        deliver(&mut store, &db, &path).unwrap();
        deliver(&mut store, &db, &path).unwrap();
        assert_eq!(lines(&path), ["1a", "2a"], "nothing is delivered again after a clean end");
        see(&mut store, 2, &["1"], "b");
        let gone = Upload::new(VisitId(2), "hackernews".into(), Timestamp::from_secs(3));
        store.apply(&[Upload { deleted: vec![("post".into(), "2".into())], ..gone }], compare).unwrap();
        deliver(&mut store, &db, &path).unwrap();
        assert_eq!(lines(&path), ["1a", "2a", "1b", "2a!"]);
        let other = dir.path().join("other.jsonl");
        deliver(&mut store, &db, &other).unwrap();
        assert_eq!(lines(&other), ["1b", "2a!"], "another file has a cursor of its own");
    }

    #[test]
    fn a_kill_between_the_lines_and_the_cursor_delivers_twice_and_never_zero_times() {
        let dir = tempfile::tempdir().unwrap();
        let (path, db) = (dir.path().join("posts.jsonl"), dir.path().join("store.db"));
        let mut store = testing::open(&db);
        see(&mut store, 1, &["1", "2"], "a");
        // A store that cannot be written stops exactly there: the lines are out, the cursor stays.
        let mut reader = testing::reader(&db);
        assert!(matches!(deliver(&mut reader, &db, &path), Err(DeliverError::Store(_))));
        assert_eq!(lines(&path), ["1a", "2a"]);
        // And the kill tore the line after them.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..40]].concat()).unwrap();
        deliver(&mut store, &db, &path).unwrap();
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
            let opened = Subscription::to_file(&path, testing::memory());
            assert_eq!(opened.is_ok(), after.is_some(), "{before:.40}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after.unwrap_or(before), "{before:.40}");
        }
        let store = testing::memory();
        let error = Subscription::to_file(&dir.path().join("none/file"), store).unwrap_err().to_string();
        assert!(error.contains("none/file"), "{error}");
    }
}
