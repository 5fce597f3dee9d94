//! `reader`: who reads the crawl's deliveries stops reading, and is killed.
//!
//! The deliveries go into a FIFO. Its reader takes a little, then holds the pipe open and takes no more, so that
//! the pipe fills up; then it is killed. The crawl must store on, end when it is asked to, and give a
//! reader that comes back whole lines.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, Guard};

use super::Stage;
use super::compare;
use super::struck::Struck;

/// What the reader takes before it stops.
const TAKEN_BYTES: u64 = 4096;
/// How long it then holds the pipe, which takes 64 KiB.
const HELD: Duration = Duration::from_secs(4);
/// Every wait for the crawl: a busy machine needs seconds to start a program.
const PATIENCE: Duration = Duration::from_secs(20);
/// A run that is asked to end may wait for visits under way and for its subscribers, not for ever.
const END_LIMIT: Duration = Duration::from_secs(40);

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    // Every pipe is a subscriber of its own, so each strike begins with all posts.
    let fifo = stage.crawl.folder.join(format!("fifo-{}", stage.random.between(0, u64::MAX)));
    if !process::works(Command::new("mkfifo").arg(&fifo)) {
        return Ok(Struck::Skipped("`mkfifo` does not work here".to_owned()));
    }
    let fifo = fifo.to_string_lossy().into_owned();
    let taken = stage.crawl.folder.join("taken");
    let _ = std::fs::remove_file(&taken);
    let script = format!("exec 3<\"$0\"; head -c {TAKEN_BYTES} <&3 >\"$1\"; exec sleep 600 <&3");
    let mut reader = Command::new("sh");
    reader.args(["-c", &script, &fifo]).arg(&taken).stdin(Stdio::null());
    let mut reader = Guard(reader.spawn().context("cannot start the reader")?);
    let mut run = stage.crawl.run(&["--deliver", &fifo])?;
    run.comes_to("delivering to its reader", PATIENCE, || {
        std::fs::metadata(&taken).is_ok_and(|file| file.len() >= TAKEN_BYTES)
    })?;
    run.crawls_for(HELD, "while its reader took nothing")?;
    run.writes(PATIENCE, "while its reader took nothing")?;
    ensure!(reader.kill(), "the reader ended by itself");
    run.writes(PATIENCE, "after its reader was killed")?;
    run.ask_to_end(END_LIMIT).context("its reader was killed")?;
    let lines = come_back(stage, &fifo)?;
    let (held, taken) = (HELD.as_secs(), TAKEN_BYTES);
    Ok(Struck::Fired(format!(
        "it took {taken} bytes, held the pipe for {held} s and was killed; the next one got {lines} lines"
    )))
}

/// A reader that takes everything, and a run that is killed beside it; gives the whole lines that came.
fn come_back(stage: &mut Stage, fifo: &str) -> Result<usize> {
    let taken = stage.crawl.folder.join("taken-again");
    let file = std::fs::File::create(&taken).context("cannot create a file")?;
    let mut reader = Command::new("cat");
    let reader = reader.arg(fifo).stdin(Stdio::null()).stdout(file).spawn().context("cannot start `cat`")?;
    let mut reader = Guard(reader);
    let mut run = stage.crawl.run(&["--deliver", fifo])?;
    run.comes_to("delivering to a new reader", PATIENCE, || {
        std::fs::metadata(&taken).is_ok_and(|file| file.len() > TAKEN_BYTES)
    })?;
    run.kill("before it was killed")?;
    stage.kills += 1;
    ensure!(reader.finish_within(PATIENCE).is_some(), "the new reader saw no end");
    let text = std::fs::read(&taken).context("cannot read what was taken")?;
    // The kill tore the last line; what a dead reader left in the pipe is gone with the pipe.
    let text = String::from_utf8_lossy(&text);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Ok(compare::exported(whole).context("the new reader got torn lines")?.len())
}
