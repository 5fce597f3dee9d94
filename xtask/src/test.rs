//! `cargo xtask test`: every test of the workspace, real servers included, and an honest count.
//!
//! A test that cannot run because a server is lacking returns early after appending a line
//! `name: reason` to the file named by `FRESHET_SKIPS`. The test harness counts it as passed; this task takes it out again,
//! shows it, and prints how long each test program took, and one last line `N passed, N failed, N skipped`.

mod programs;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::programs::Program;
use crate::{cache, servers};

/// Runs all tests, or those whose name contains the filter.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let (options, filter) = match args.iter().position(|arg| arg == "--") {
        Some(at) => (&args[..at], &args[at + 1..]),
        None => (args, &[][..]),
    };
    let is_quick = match options {
        [] => false,
        [option] if option == "--quick" => true,
        _ => bail!("usage: cargo xtask test [--quick] [-- FILTER]"),
    };
    let start = Instant::now();
    let mut variables: Vec<(&'static str, PathBuf)> = Vec::new();
    if is_quick {
        println!("quick: real servers are left out, their tests skip");
    } else {
        println!("preparing the real servers in `{}`", cache::folder().display());
        variables.extend(servers::prepare()?.variables);
    }
    variables.extend(saved_pages().map(|folder| ("FRESHET_TEST_FORUM_PAGES", folder)));
    let skips = std::env::temp_dir().join(format!("freshet-skips-{}", std::process::id()));
    std::fs::write(&skips, "").with_context(|| format!("cannot write `{}`", skips.display()))?;
    variables.push(("FRESHET_SKIPS", skips.clone()));
    let ran = run_all(&variables, filter);
    let skipped = skipped(&skips);
    let _ = std::fs::remove_file(&skips);
    let (counts, is_success) = ran?;
    for line in &skipped {
        println!("SKIPPED: {line}");
    }
    let passed = counts.passed.saturating_sub(skipped.len());
    println!("{} s", start.elapsed().as_secs());
    println!("{passed} passed, {} failed, {} skipped", counts.failed, skipped.len() + counts.ignored);
    if is_success { Ok(()) } else { bail!("tests failed or did not build") }
}

/// Builds and runs all test programs, and says how long each took.
fn run_all(variables: &[(&'static str, PathBuf)], filter: &[String]) -> Result<(Counts, bool)> {
    let start = Instant::now();
    let programs = programs::build(&cache::repository())?;
    let mut times = vec![("build".to_owned(), start.elapsed())];
    let mut counts = Counts::default();
    let mut is_success = true;
    let queues = programs::queues(programs, !filter.is_empty());
    let ran: Vec<Result<Vec<Ran>>> = std::thread::scope(|scope| {
        let running: Vec<_> =
            queues.iter().map(|queue| scope.spawn(move || run_queue(queue, variables, filter))).collect();
        running.into_iter().map(|queue| queue.join().expect("running programs does not panic")).collect()
    });
    for queue in ran {
        for ran in queue? {
            is_success &= ran.is_success;
            counts.add(&ran.counts);
            times.push((ran.name, ran.time));
        }
    }
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    println!("== time");
    for (name, time) in times.iter().filter(|(_, time)| time.as_secs() > 0) {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
    Ok((counts, is_success))
}

/// A test program that has ended.
struct Ran {
    name: String,
    counts: Counts,
    time: Duration,
    is_success: bool,
}

/// Runs these programs one after the other.
fn run_queue(
    programs: &[Program],
    variables: &[(&'static str, PathBuf)],
    filter: &[String],
) -> Result<Vec<Ran>> {
    let mut ran = Vec::new();
    for program in programs {
        let start = Instant::now();
        let mut command = program.command(filter);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let (counts, is_success) = count(&program.name, &mut command)?;
        ran.push(Ran { name: program.name.clone(), counts, time: start.elapsed(), is_success });
    }
    Ok(ran)
}

/// The labelled forum pages, where whoever tests keeps them beside the clone.
fn saved_pages() -> Option<PathBuf> {
    let folder = cache::repository().parent()?.join("shared/forum_pages");
    folder.is_dir().then_some(folder)
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// Adds a harness's last line: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
    fn add_line(&mut self, line: &str) {
        let Some(rest) = line.trim().strip_prefix("test result:") else { return };
        let words: Vec<&str> = rest.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let Ok(count) = pair[0].parse::<usize>() else { continue };
            match pair[1] {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }
}

/// Runs a test program and adds up its results; did it succeed?
///
/// What becomes of each test is shown at once, the rest of what it says (above all why tests failed) in one piece when it has ended,
/// because other programs speak meanwhile.
fn count(name: &str, command: &mut Command) -> Result<(Counts, bool)> {
    let mut counts = Counts::default();
    let mut held = format!("== {name}\n");
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start a test program")?;
    let stdout = child.stdout.take().expect("the output is piped");
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("cannot read the output of a test program")?;
        let line = String::from_utf8_lossy(&line);
        counts.add_line(&line);
        if is_of_one_test(&line) {
            println!("{line}");
        } else if !line.is_empty() {
            held.extend([&*line, "\n"]);
        }
    }
    let status = child.wait().context("cannot wait for a test program")?;
    print!("{held}");
    Ok((counts, status.success()))
}

/// Whether the harness tells what becomes of a test: `test name ... ok`.
fn is_of_one_test(line: &str) -> bool {
    line.starts_with("test ") && !line.starts_with("test result:")
}

fn skipped(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_added_up() {
        let mut counts = Counts::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
        ] {
            counts.add_line(line);
        }
        assert_eq!(counts, Counts { passed: 4, failed: 2, ignored: 1 });
        let mut twice = Counts::default();
        for _ in 0..2 {
            twice.add(&counts);
        }
        assert_eq!(twice, Counts { passed: 8, failed: 4, ignored: 2 });
    }
}
