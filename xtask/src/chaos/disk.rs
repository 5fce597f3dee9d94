//! `disk`: the disk is full for a while.
//!
//! Root mounts a small file system in memory, copies the data folder there, lets the crawl go on in it, fills it up,
//! makes room again, and copies the data back. Everybody else limits the size of the files that the
//! crawl may write, which fails like a full disk does, with another error.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::process::{self, Guard};

use super::Stage;
use super::crawl::{Crawl, Run};
use super::struck::Struck;

/// Room beside the data; small, because it is filled, and much more than a round needs.
const ROOM_BYTES: u64 = 32 << 20;
/// How long there is none.
const FULL: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest file that a limited crawl may write: less than one page of a database and its log's head.
const LIMIT_BYTES: &str = "4096";
/// What a run says that was met by it; it may also stand still without a word.
const WORDS: [&str; 4] = ["full", "space", "too large", "i/o"];

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    // A command that ends in peace leaves the log of writes empty, so the next writes need room.
    stage.crawl.finish(&["status"])?;
    let volume = stage.crawl.folder.join("volume");
    let is_limited = || process::works(Command::new("prlimit").arg("--version"));
    let fired = match Volume::mount(&volume, size_of(&stage.crawl.data)? + ROOM_BYTES)? {
        Some(volume) => fill(stage, &volume),
        None if is_limited() => limit(stage),
        None => Ok(Struck::Skipped("neither `mount` (root only) nor `prlimit` works".to_owned())),
    };
    fired.context("the disk was full")
}

/// On a file system of its own, which is filled.
fn fill(stage: &mut Stage, volume: &Volume) -> Result<Struck> {
    let (home, guest) = (stage.crawl.data.clone(), volume.0.join("data"));
    copy(&home, &guest)?;
    let crawl = Crawl { data: guest.clone(), ..stage.crawl.clone() };
    let filler = volume.0.join("filler");
    let result = crawl.run(&[]).and_then(|mut run| {
        run.begins(&stage.proxy, PATIENCE)?;
        let bytes = write_until_full(&filler)?;
        let met = be_met(&crawl, &mut run)?;
        std::fs::remove_file(&filler).context("cannot make room again")?;
        run.writes(PATIENCE, "when there was room again")?;
        run.kill("when there was room again")?;
        Ok(Struck::Fired(format!("filled with {} KiB for {} s, {met}", bytes / 1024, FULL.as_secs())))
    });
    // Also after a failure: what was stored there is what the next rounds go on with.
    std::fs::remove_dir_all(&home).context("cannot replace the data folder")?;
    copy(&guest, &home)?;
    stage.kills += u32::from(result.is_ok());
    result
}

/// With a limit on the size of files, set and lifted while the run goes on.
fn limit(stage: &mut Stage) -> Result<Struck> {
    let crawl = stage.crawl.clone();
    let command = crawl.command(&crawl.run_args(&[]))?;
    // The signal that comes with the error would end the program: a full disk sends none.
    let mut patient = Command::new("sh");
    patient.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    patient.arg(command.get_program()).args(command.get_args());
    patient.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    patient.stderr(std::fs::File::create(crawl.folder.join("run.log")).context("cannot create the log")?);
    let mut run = Run::of(&crawl, Guard(patient.spawn().context("cannot start `sh`")?));
    run.begins(&stage.proxy, PATIENCE)?;
    let set = |run: &Run<'_>, size: &str| {
        let (id, size) = (run.id().to_string(), format!("--fsize={size}:"));
        process::works(Command::new("prlimit").args(["--pid", &id, &size]))
    };
    ensure!(set(&run, LIMIT_BYTES), "`prlimit` could not limit the run");
    let met = be_met(&crawl, &mut run)?;
    ensure!(set(&run, "unlimited"), "`prlimit` could not lift the limit");
    run.writes(PATIENCE, "without a limit again")?;
    run.kill("without a limit again")?;
    stage.kills += 1;
    Ok(Struck::Fired(format!(
        "no file could grow for {} s (no root, so no disk of its own), {met}",
        FULL.as_secs()
    )))
}

/// Waits out the fault; gives what shows that the run was met by it.
fn be_met(crawl: &Crawl, run: &mut Run<'_>) -> Result<String> {
    run.crawls_for(FULL / 2, "while the disk was full")?;
    let before = crawl.written();
    run.crawls_for(FULL / 2, "while the disk was full")?;
    let stood_still = crawl.written() == before;
    let said = crawl.said("run").to_lowercase();
    let word = WORDS.iter().find(|word| said.contains(**word));
    ensure!(stood_still || word.is_some(), "the run wrote on and said nothing: it was never met");
    Ok(match word {
        Some(word) => format!("the run said `{word}` and wrote again after it"),
        None => "the store stood still and was written again after it".to_owned(),
    })
}

/// A file system in memory; gone when dropped.
#[derive(Debug)]
struct Volume(PathBuf);

impl Volume {
    /// `None` where that is not allowed.
    fn mount(folder: &Path, bytes: u64) -> Result<Option<Self>> {
        cache::emptied(folder)?;
        let size = format!("size={bytes}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "freshet-chaos"]).arg(folder);
        Ok(process::works(&mut mount).then(|| Self(folder.to_owned())))
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if !process::works(Command::new("umount").arg(&self.0)) {
            process::works(Command::new("umount").arg("-l").arg(&self.0));
        }
    }
}

/// Bytes that could be written until there was no more room.
fn write_until_full(path: &Path) -> Result<u64> {
    let mut file = std::fs::File::create(path).context("cannot create the filler")?;
    let mut bytes = 0;
    // Large pieces first, then as small as a page, so that nothing is left.
    for size in [1 << 20, 4096] {
        loop {
            match file.write_all(&vec![1; size]) {
                Ok(()) => bytes += size as u64,
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => return Err(error).context("cannot fill the disk"),
            }
        }
    }
    Ok(bytes)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    process::output(Command::new("cp").arg("-a").arg(from).arg(to)).map(|_| ())
}

/// Bytes on disk of everything in a folder.
fn size_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).context("cannot list the data folder")?.flatten() {
        let metadata = entry.metadata().context("cannot look at the data folder")?;
        bytes += if metadata.is_dir() { size_of(&entry.path())? } else { metadata.blocks() * 512 };
    }
    Ok(bytes)
}
