//! The crawl that is disturbed: the finished program with a data folder, used as a person would.
//!
//! Invariant: a run that ends by itself while a fault is on is an error that carries what it said last.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, Guard};

use super::proxy::Proxy;
use super::world::World;

/// Longest time a source stays unvisited, in simulated time.
const CEILING: &str = "1h";
/// Where the store writes first, beside its database.
const LOG_OF_WRITES: &str = "store.sqlite-wal";
const COMMAND_LIMIT: Duration = Duration::from_mins(2);

/// A program, a data folder and a clock.
#[derive(Clone, Debug)]
pub(super) struct Crawl {
    pub(super) freshet: PathBuf,
    /// For logs and whatever a fault needs beside the data.
    pub(super) folder: PathBuf,
    pub(super) data: PathBuf,
    pub(super) clock: String,
    pub(super) ceiling: &'static str,
}

impl Crawl {
    pub(super) fn new(freshet: &Path, folder: &Path, clock: String) -> Self {
        let data = folder.join("data");
        Self { freshet: freshet.to_owned(), folder: folder.to_owned(), data, clock, ceiling: CEILING }
    }

    /// Writes down how every author of the world is called by those who ask at this server.
    pub(super) fn write_references(&self, world: &World, server: std::net::SocketAddr) -> Result<String> {
        let references = self.folder.join("references");
        let lines: Vec<String> =
            world.authors.iter().map(|author| format!("http://{server}/@{author}\n")).collect();
        std::fs::write(&references, lines.concat()).context("cannot write the references")?;
        Ok(references.to_string_lossy().into_owned())
    }

    /// What the last command of this name said on standard error.
    pub(super) fn said(&self, command: &str) -> String {
        std::fs::read(self.log(command))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    fn log(&self, command: &str) -> PathBuf {
        self.folder.join(format!("{command}.log"))
    }

    /// The program with these arguments; nothing is started yet.
    pub(super) fn command(&self, args: &[&str]) -> Result<Command> {
        let log = self.log(args.first().copied().unwrap_or_default());
        let stderr = std::fs::File::create(&log).context("cannot create the log")?;
        let mut command = Command::new(&self.freshet);
        command.args(args).arg("--clock").arg(&self.clock).arg("--data").arg(&self.data);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        Ok(command)
    }

    pub(super) fn spawn(&self, args: &[&str]) -> Result<Guard> {
        let child = self.command(args)?.spawn();
        Ok(Guard(child.with_context(|| format!("cannot start `{}`", self.freshet.display()))?))
    }

    /// Lets a command come to its end, which must be a good one.
    pub(super) fn finish(&self, args: &[&str]) -> Result<()> {
        match self.spawn(args)?.finish_within(COMMAND_LIMIT) {
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                bail!("`freshet {}` failed with {status}: {}", args.join(" "), self.said(args[0]))
            }
            None => bail!("`freshet {}` did not end within {} s", args.join(" "), COMMAND_LIMIT.as_secs()),
        }
    }

    /// Begins to crawl.
    pub(super) fn run(&self, more: &[&str]) -> Result<Run<'_>> {
        Ok(Run { crawl: self, process: self.spawn(&self.run_args(more))? })
    }

    /// The arguments of a crawl.
    pub(super) fn run_args<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        [&["run", "--headless", "--no-dashboard", "--ceiling", self.ceiling], more].concat()
    }

    /// All posts, as JSON lines.
    pub(super) fn export(&self) -> Result<String> {
        let args = ["export", "--format", "jsonl", "--kind", "posts"];
        process::output(self.command(&args)?.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// Bytes of the store's files.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = |name| std::fs::metadata(self.data.join(name)).map_or(0, |file| file.len());
        ["store.sqlite", LOG_OF_WRITES].into_iter().map(bytes).sum()
    }

    /// Length and time of the log of writes: two that differ have a commit between them. The file of the database
    /// itself is also touched when pages are moved there from the log, which is no commit.
    pub(super) fn written(&self) -> Option<(u64, SystemTime)> {
        let file = std::fs::metadata(self.data.join(LOG_OF_WRITES)).ok()?;
        Some((file.len(), file.modified().ok()?))
    }
}

/// A `freshet run` that is under way; killed when dropped.
#[derive(Debug)]
pub(super) struct Run<'a> {
    crawl: &'a Crawl,
    process: Guard,
}

impl<'a> Run<'a> {
    /// A run that was started in another way.
    pub(super) fn of(crawl: &'a Crawl, process: Guard) -> Self {
        Self { crawl, process }
    }

    pub(super) fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Fails when the run is over.
    pub(super) fn goes_on(&mut self, meanwhile: &str) -> Result<()> {
        let Ok(Some(status)) = self.process.0.try_wait() else { return Ok(()) };
        bail!("`run` ended by itself, {meanwhile}, with {status}: {}", self.crawl.said("run").trim())
    }

    /// Lets it crawl for so long; it must not end.
    pub(super) fn crawls_for(&mut self, time: Duration, meanwhile: &str) -> Result<()> {
        process::comes_true(time, || self.goes_on(meanwhile).is_err());
        self.goes_on(meanwhile)
    }

    /// Waits until the condition holds; the run must neither end nor need longer than the limit.
    pub(super) fn comes_to(
        &mut self,
        what: &str,
        limit: Duration,
        mut condition: impl FnMut() -> bool,
    ) -> Result<()> {
        let mut is_there = false;
        process::comes_true(limit, || {
            is_there = condition();
            is_there || self.goes_on(what).is_err()
        });
        self.goes_on(&format!("before {what}"))?;
        ensure!(is_there, "`run` did not come to this within {} s: {what}", limit.as_secs());
        Ok(())
    }

    /// The store is written once more.
    pub(super) fn writes(&mut self, limit: Duration, meanwhile: &str) -> Result<()> {
        let (crawl, before) = (self.crawl, self.crawl.written());
        self.comes_to(&format!("writing its store, {meanwhile}"), limit, || crawl.written() != before)
    }

    /// It has begun in earnest: a request was sent, and the store was written after it.
    pub(super) fn begins(&mut self, proxy: &Proxy, limit: Duration) -> Result<()> {
        let before = proxy.request_count();
        self.comes_to("its first request", limit, || proxy.request_count() > before)?;
        self.writes(limit, "after its first request")
    }

    /// SIGKILL; it must have been running.
    pub(super) fn kill(mut self, meanwhile: &str) -> Result<()> {
        self.goes_on(meanwhile)?;
        self.process.kill();
        Ok(())
    }

    /// SIGTERM; it must end within the limit.
    pub(super) fn ask_to_end(mut self, limit: Duration) -> Result<ExitStatus> {
        let script = format!("kill -TERM {}", self.id());
        ensure!(process::works(Command::new("sh").args(["-c", &script])), "cannot send a signal to `run`");
        let status = self.process.finish_within(limit);
        status.with_context(|| format!("`run` did not end within {} s when asked to", limit.as_secs()))
    }
}
