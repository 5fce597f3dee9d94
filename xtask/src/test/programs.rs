//! The test programs that cargo builds, and how each is run.
//!
//! All are built by one `cargo test --no-run` over the whole workspace, so that no crate is built twice with other
//! features, and then run in queues beside each other. Product tests mostly wait for servers and timers, so more of them than there are
//! cores share the wait; what only computes fills it, and gives way to whoever looks at the wall clock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// The package whose integration tests watch the finished program.
const PRODUCT: &str = "freshet";
/// The package whose tests meet servers that are too slow, by the wall clock.
const FETCH: &str = "freshet-fetch";
/// Product tests that run at once: each waits most of its time, and two cores carry three of them without making any late.
const PRODUCT_LANES: usize = 3;
/// The product tests that keep a browser busy, or a program that asks thousands of questions. They are the longest and last by name, so that
/// all the others would have ended before them; they have a queue of their own.
const BROWSER: &str = "web_browser::";
/// Niceness of what has no hurry: a tenth of the share of the others, where both want the same core. At 5, a third of it, product tests with
/// servers of their own took four times as long as alone.
const NICE: &str = "10";

/// One test program, or a part of its tests.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    /// Package and target, such as `freshet-sim it`.
    pub(super) name: String,
    file: PathBuf,
    /// Where the package's manifest lies; tests run there.
    folder: PathBuf,
    /// Which of its tests; all unless said.
    part: &'static [&'static str],
    /// How many tests run at once, where the harness should not choose.
    lanes: Option<usize>,
    queue: Queue,
}

/// Programs of one queue run one after the other, queues beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Queue {
    /// What looks at the wall clock.
    Clock,
    Browser,
    Rest,
}

/// The programs in queues. Where names of tests are given, no program is divided.
pub(super) fn queues(programs: Vec<Program>, is_filtered: bool) -> Vec<Vec<Program>> {
    let mut queues: BTreeMap<Queue, Vec<Program>> = BTreeMap::new();
    for mut program in programs {
        if program.lanes.is_some() && !is_filtered {
            let name = format!("{} {BROWSER}", program.name);
            let browser =
                Program { name, part: &[BROWSER], lanes: None, queue: Queue::Browser, ..program.clone() };
            queues.entry(browser.queue).or_default().push(browser);
            program.part = &["--skip", BROWSER];
        }
        queues.entry(program.queue).or_default().push(program);
    }
    queues.into_values().collect()
}

/// Builds all test programs; cargo's own words go to the terminal.
pub(super) fn build(root: &Path) -> Result<Vec<Program>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).stderr(Stdio::inherit()).args([
        "test",
        "--workspace",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not build");
    }
    let mut programs: Vec<Program> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    if programs.is_empty() {
        bail!("cargo built no test program");
    }
    Ok(programs)
}

/// The test program that one line of cargo's output tells of.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let file = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let package = folder.file_name()?.to_str()?.to_owned();
    let target = message["target"]["name"].as_str()?;
    let is_integration = message["target"]["kind"][0] == "test";
    let is_product = package == PRODUCT && is_integration;
    let queue = if is_product || package == FETCH { Queue::Clock } else { Queue::Rest };
    let lanes = is_product.then_some(PRODUCT_LANES);
    Some(Program { name: format!("{package} {target}"), file, folder, part: &[], lanes, queue })
}

impl Program {
    /// The command that runs it, with the names of tests to run.
    pub(super) fn command(&self, filter: &[String]) -> Command {
        let mut command = self.started();
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.args(self.part).args(filter);
        let is_told = std::env::var_os("RUST_TEST_THREADS").is_some()
            || filter.iter().any(|arg| arg.starts_with("--test-threads"));
        if let Some(lanes) = self.lanes.filter(|_| !is_told) {
            command.env("RUST_TEST_THREADS", lanes.to_string());
        }
        command
    }

    /// How it is started: what does not look at the wall clock gives way, where that can be had.
    fn started(&self) -> Command {
        match process::which("nice").filter(|_| self.queue != Queue::Clock) {
            None => Command::new(&self.file),
            Some(nice) => {
                let mut command = Command::new(nice);
                command.args(["-n", NICE]).arg(&self.file);
                command
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(
        package: &str,
        kind: &str,
        executable: &Value,
        is_test: bool,
        expected: Option<(&str, Option<usize>, Queue)>,
    ) {
        let line = json!({
            "reason": "compiler-artifact",
            "manifest_path": format!("/clone/crates/{package}/Cargo.toml"),
            "target": {"name": "it", "kind": [kind]},
            "profile": {"test": is_test},
            "executable": executable,
        });
        let found = program(&line.to_string());
        let found = found.as_ref().map(|program| (program.name.as_str(), program.lanes, program.queue));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn only_test_programs_are_run_each_in_its_queue() {
        let file = json!("/target/it");
        let product = ("freshet it", Some(PRODUCT_LANES), Queue::Clock);
        check("freshet", "test", &file, true, Some(product));
        check("freshet", "bin", &file, true, Some(("freshet it", None, Queue::Rest)));
        check("freshet-fetch", "lib", &file, true, Some(("freshet-fetch it", None, Queue::Clock)));
        check("freshet-sim", "test", &file, true, Some(("freshet-sim it", None, Queue::Rest)));
        check("freshet", "bin", &file, false, None);
        check("freshet", "lib", &Value::Null, true, None);
        assert_eq!(program("   Compiling freshet"), None);
    }

    fn check_queues(is_filtered: bool, expected: &[&[(&str, &[&str])]]) {
        let named = |name: &str, lanes, queue| Program {
            name: name.to_owned(),
            file: PathBuf::from("it"),
            folder: PathBuf::from("crates"),
            part: &[],
            lanes,
            queue,
        };
        let programs = vec![
            named("freshet it", Some(PRODUCT_LANES), Queue::Clock),
            named("freshet-fetch freshet_fetch", None, Queue::Clock),
            named("freshet-sim it", None, Queue::Rest),
            named("xtask xtask", None, Queue::Rest),
        ];
        let queues = queues(programs, is_filtered);
        let found: Vec<Vec<(&str, &[&str])>> =
            queues.iter().map(|queue| queue.iter().map(|it| (it.name.as_str(), it.part)).collect()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_test_is_in_one_queue() {
        let rest: &[(&str, &[&str])] = &[("freshet-sim it", &[]), ("xtask xtask", &[])];
        let fetch: (&str, &[&str]) = ("freshet-fetch freshet_fetch", &[]);
        check_queues(true, &[&[("freshet it", &[]), fetch], rest]);
        let others: &[&str] = &["--skip", "web_browser::"];
        let browser: &[(&str, &[&str])] = &[("freshet it web_browser::", &["web_browser::"])];
        check_queues(false, &[&[("freshet it", others), fetch], browser, rest]);
    }
}
