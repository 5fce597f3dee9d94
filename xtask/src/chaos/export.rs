//! `export`: an export is killed in its midst and given again; another one's reader dies.
//!
//! Both beside a crawl. The export that goes on must hold every post once; the one without a reader must
//! end by itself.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::cache;
use crate::process::Guard;

use super::Stage;
use super::compare;
use super::struck::Struck;

/// An export that had ended before the kill proves nothing; so often another one is killed, earlier.
const TRIES: u32 = 12;
/// The longest wait before a kill; it is halved whenever an export was quicker.
const KILL_AFTER_MS: u64 = 600;
/// The store must be so large before: some hundred posts.
const STORED_BYTES: u64 = 2 << 20;
/// What the reader of the other export takes.
const TAKEN_BYTES: usize = 1000;
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn strike(stage: &mut Stage) -> Result<Struck> {
    let folder = stage.crawl.folder.join("out");
    cache::emptied(&folder)?;
    let out = folder.to_string_lossy().into_owned();
    let command = ["export", "--format", "jsonl", "--kind", "posts", "--checkpoint-every", "500", "-o", &out];
    let crawl = stage.crawl.clone();
    let mut run = crawl.run(&[])?;
    run.comes_to("storing something to export", PATIENCE, || crawl.bytes() > STORED_BYTES)?;
    let (mut kills, mut longest_ms) = (0, KILL_AFTER_MS);
    for _ in 0..TRIES {
        let mut child = crawl.spawn(&command)?;
        run.crawls_for(stage.random.wait_ms(1, longest_ms), "beside an export")?;
        if child.kill() {
            kills += 1;
        } else {
            longest_ms = (longest_ms / 2).max(2);
            cache::emptied(&folder)?;
        }
        if kills >= 3 {
            break;
        }
    }
    ensure!(kills > 0, "no export lasted long enough to be killed");
    crawl.finish(&command)?;
    let text = std::fs::read_to_string(folder.join("posts.jsonl")).context("cannot read the export")?;
    let seen = compare::exported(&text)?;
    let doubled: Vec<&String> = seen.iter().filter(|(_, count)| **count > 1).map(|(id, _)| id).collect();
    ensure!(doubled.is_empty(), "an export that was killed {kills} times holds posts twice: {doubled:?}");
    let without_reader = lose_reader(stage)?;
    run.kill("beside an export")?;
    stage.kills += 1;
    let count = seen.len();
    Ok(Struck::Fired(format!("killed {kills} times, then {count} posts once each; {without_reader}")))
}

/// An export to standard output whose reader takes a little and dies.
fn lose_reader(stage: &Stage) -> Result<String> {
    let child = stage.crawl.command(&["export"])?.stdout(Stdio::piped()).spawn();
    let mut child = Guard(child.context("cannot start an export")?);
    let mut output = child.0.stdout.take().context("its output is piped")?;
    output.read_exact(&mut [0; TAKEN_BYTES]).context("the export gave too little")?;
    drop(output);
    let status = child.finish_within(PATIENCE).context("an export without a reader did not end")?;
    let said = stage.crawl.said("export");
    ensure!(!said.contains("panicked"), "an export without a reader panicked: {said}");
    Ok(format!("one without a reader ended with {status}"))
}
