//! `lock`: another program holds the store for itself, longer than the store waits for a lock.
//!
//! The other program is Python with its own SQLite, which shares no code and no process with the crawl.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, Guard};

use super::Stage;
use super::struck::Struck;

/// Half as long again as the store itself waits.
const HELD: Duration = Duration::from_secs(15);
/// Every wait for the crawl. Longer waits between two attempts would be a fault of their own.
const PATIENCE: Duration = Duration::from_secs(30);
const SCRIPT: &str = "\
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
db.execute('BEGIN EXCLUSIVE')
print('held', flush=True)
sys.stdin.readline()
db.execute('ROLLBACK')
";

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    if !process::works(Command::new("python3").args(["-c", "import sqlite3"])) {
        return Ok(Struck::Skipped("no `python3` with its module `sqlite3`".to_owned()));
    }
    let crawl = stage.crawl.clone();
    let mut run = crawl.run(&[])?;
    run.begins(&stage.proxy, PATIENCE)?;
    let mut other = Command::new("python3");
    other.args(["-c", SCRIPT]).arg(crawl.data.join("store.sqlite"));
    other.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut other = Guard(other.spawn().context("cannot start `python3`")?);
    let mut said = String::new();
    let output = other.0.stdout.take().context("its output is piped")?;
    BufReader::new(output).read_line(&mut said).context("cannot hear the other program")?;
    ensure!(said.trim() == "held", "the other program did not get its lock");
    let before = crawl.written();
    run.crawls_for(HELD, "while another program held the store")?;
    ensure!(crawl.written() == before, "the store was written though another program held it");
    let mut input = other.0.stdin.take().context("its input is piped")?;
    input.write_all(b"enough\n").context("cannot speak to the other program")?;
    ensure!(
        other.finish_within(PATIENCE).is_some_and(|status| status.success()),
        "the other program did not let go"
    );
    run.writes(PATIENCE, "after the lock")?;
    run.crawls_for(stage.random.wait_ms(300, 1500), "after the lock")?;
    run.kill("after the lock")?;
    stage.kills += 1;
    let held = HELD.as_secs();
    Ok(Struck::Fired(format!("held for {held} s, nothing was written meanwhile, and again after it")))
}
