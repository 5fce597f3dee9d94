//! Running other programs: quietly or aloud, always with a time limit where they may hang.
//!
//! Invariant: a child started here never outlives its `Guard`, and a quiet one that fails shows the end
//! of what it said.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Lines of a failed program's output that are shown.
const TAIL_LINES: usize = 25;

/// Between two looks at something that is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Waits on the wall.
#[expect(
    clippy::disallowed_methods,
    reason = "tasks wait for other processes, on the wall and not on a clock"
)]
pub(crate) fn wait(duration: Duration) {
    std::thread::sleep(duration);
}

/// Looks again and again until the condition holds; `false` when the limit came first.
pub(crate) fn comes_true(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() >= limit {
            return false;
        }
        wait(LOOK_EVERY);
    }
    true
}

/// A program of this name in `PATH`.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Runs with inherited output; fails when the program does.
pub(crate) fn aloud(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if status.success() { Ok(()) } else { bail!("`{}` failed with {status}", shown(command)) }
}

/// Runs with its output kept in `log`; on failure the error carries the end of it.
pub(crate) fn quietly(command: &mut Command, log: &Path, limit: Duration) -> Result<()> {
    let file = std::fs::File::create(log).with_context(|| format!("cannot create `{}`", log.display()))?;
    let twin = file.try_clone().with_context(|| format!("cannot share `{}`", log.display()))?;
    command.stdin(Stdio::null()).stdout(file).stderr(twin);
    let child = command.spawn().with_context(|| format!("cannot start `{}`", shown(command)))?;
    let status = Guard(child).finish_within(limit);
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("`{}` failed with {status}\n{}", shown(command), tail(log)),
        None => bail!("`{}` took longer than {} s\n{}", shown(command), limit.as_secs(), tail(log)),
    }
}

/// Standard output of a short program that must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` gave no UTF-8", shown(command)))
}

/// Does this short program exist and succeed? Its output is of no interest.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A child that is killed (SIGKILL) and waited for when dropped.
#[derive(Debug)]
pub(crate) struct Guard(pub(crate) Child);

impl Guard {
    /// Waits for the child's end; `None` when the limit came first.
    pub(crate) fn finish_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let mut status = None;
        comes_true(limit, || {
            status = self.0.try_wait().ok().flatten();
            status.is_some()
        });
        status
    }

    /// SIGKILL, now; says whether the child was still running.
    pub(crate) fn kill(&mut self) -> bool {
        let was_running = matches!(self.0.try_wait(), Ok(None));
        let _ = self.0.kill();
        let _ = self.0.wait();
        was_running
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.kill();
    }
}

fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        let _ = write!(text, " {}", arg.to_string_lossy());
    }
    text
}

fn tail(log: &Path) -> String {
    let text =
        std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, limit: Duration, expected: Result<(), &str>) {
        let log = std::env::temp_dir().join(format!("freshet-quiet-{}-{}", std::process::id(), script.len()));
        let result = quietly(Command::new("sh").args(["-c", script]), &log, limit);
        let _ = std::fs::remove_file(&log);
        match expected {
            Ok(()) => assert!(result.is_ok(), "{script}: {result:?}"),
            Err(part) => assert!(result.unwrap_err().to_string().contains(part), "{script}"),
        }
    }

    #[test]
    fn quiet_programs() {
        check("exit 0", Duration::from_secs(10), Ok(()));
        check("echo the last word >&2; exit 3", Duration::from_secs(10), Err("the last word"));
        check("echo waiting; sleep 60", Duration::from_millis(200), Err("took longer than"));
    }

    #[test]
    fn programs_are_found_or_not() {
        assert!(which("sh").is_some());
        assert!(which("no-such-program-here").is_none());
        assert!(works(&mut Command::new("true")));
        assert!(!works(&mut Command::new("no-such-program-here")));
    }
}
