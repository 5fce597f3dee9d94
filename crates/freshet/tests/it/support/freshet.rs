//! The program under test, with a data folder of its own.
//!
//! Every command has a time limit: a hanging program fails its test, it does not hang the run.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::process::Process;
use super::{has_all, wait_ms};

/// Longest that any single command may take; crawls are given at most a minute by `--for`.
const LIMIT: Duration = Duration::from_mins(2);
/// Longest that a graceful stop may take: requests under way are finished first.
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// A data folder and the binary that works on it.
#[derive(Debug)]
pub(crate) struct Freshet {
    folder: TempDir,
    variables: Vec<(String, String)>,
    clock: Option<String>,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    /// Exit code; -1 when it was killed.
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Freshet {
    /// An empty folder; `init` is the test's business.
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("freshet-it-").expect("a folder for the test");
        Self { folder, variables: Vec::new(), clock: None }
    }

    /// All commands follow this clock.
    pub(crate) fn with_clock(mut self, url: String) -> Self {
        self.clock = Some(url);
        self
    }

    /// All commands see this variable.
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder of the test; the data folder lies in it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Runs a command to its end.
    pub(crate) fn say(&self, args: &[&str]) -> Said {
        self.say_with_input(args, "")
    }

    /// Runs a command to its end, with this on its standard input.
    pub(crate) fn say_with_input(&self, args: &[&str], input: &str) -> Said {
        let files = TempDir::new_in(self.folder()).expect("a folder for the output");
        let at = |name: &str| files.path().join(name);
        std::fs::write(at("in"), input).expect("the input can be written");
        let mut command = self.command(args);
        command.stdin(File::open(at("in")).expect("the input can be read"));
        command.stdout(File::create(at("out")).expect("a file for the output"));
        command.stderr(File::create(at("err")).expect("a file for the errors"));
        let mut process = Process::with_input(&mut command);
        let status = process.finish_within(LIMIT);
        process.kill();
        let read =
            |name: &str| String::from_utf8_lossy(&std::fs::read(at(name)).unwrap_or_default()).into_owned();
        let said = Said {
            code: status.and_then(|status| status.code()).unwrap_or(-1),
            out: read("out"),
            err: read("err"),
        };
        assert!(status.is_some(), "`freshet {}` hangs\n{}\n{}", args.join(" "), said.out, said.err);
        said
    }

    /// Runs a command that must succeed; gives its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let said = self.say(args);
        assert_eq!(said.code, 0, "`freshet {}`\n{}\n{}", args.join(" "), said.out, said.err);
        said.out
    }

    /// A report as JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--format", "json"]].concat());
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("`freshet {}`: {error}\n{text}", args.join(" ")))
    }

    /// All posts, as exported.
    pub(crate) fn posts(&self) -> Vec<Value> {
        self.export("posts")
    }

    /// All records of one kind.
    pub(crate) fn export(&self, kind: &str) -> Vec<Value> {
        let text = self.ok(&["export", "--format", "jsonl", "--kind", kind]);
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// Runs for so long.
    pub(crate) fn run_for(&self, seconds: u32, ceiling: &str) -> String {
        let span = format!("{seconds}s");
        self.ok(&["run", "--headless", "--no-dashboard", "--ceiling", ceiling, "--for", &span])
    }

    /// Runs until every wanted post is exported and no hole is left, looking once a second, then stops
    /// it as a person would.
    ///
    /// Running out of time is no failure here: the caller compares, and says what is missing.
    pub(crate) fn run_until_stored(&self, wanted: &[String], ceiling: &str, limit: Duration) {
        let start = Instant::now();
        let mut run = self.start(&["run", "--headless", "--no-dashboard", "--ceiling", ceiling], "run.log");
        let log = || std::fs::read_to_string(self.folder().join("run.log")).unwrap_or_default();
        let is_done = || has_all(&self.posts(), wanted) && self.json(&["gaps"])["holes_count"] == 0;
        while start.elapsed() < limit && !is_done() {
            assert!(run.status().is_none(), "`run` ended by itself:\n{}", log());
            wait_ms(1000);
        }
        run.send("TERM");
        let status = run.finish_within(STOP_LIMIT);
        assert!(
            status.is_some_and(|status| status.success()),
            "`run` did not stop well: {status:?}\n{}",
            log()
        );
    }

    /// Starts a command and leaves it running; its output goes to a file of this name in the folder.
    pub(crate) fn start(&self, args: &[&str], log: &str) -> Process {
        let file = File::create(self.folder().join(log)).expect("a file for the output");
        let twin = file.try_clone().expect("a file can be shared");
        Process::start(self.command(args).stdout(file).stderr(twin))
    }

    /// The command, ready for more settings.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        // What comes after `--` is somebody else's.
        let own = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
        let mut command = bare(&args[..own]);
        command.arg("--data").arg(self.data()).current_dir(self.folder());
        if let Some(clock) = &self.clock {
            command.arg("--clock").arg(clock);
        }
        command.args(&args[own..]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The binary without a data folder, and without the settings of whoever runs the tests.
pub(crate) fn bare(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_freshet"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FRESHET_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}
