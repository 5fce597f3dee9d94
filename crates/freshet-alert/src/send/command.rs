//! A program that is told: no shell, its words as they were written, JSON on its standard input.
//!
//! It has a time limit, and none of our own variables: half of them are secrets.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use freshet_app::config;

/// Between two looks whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Bytes of its complaint that are read.
const COMPLAINT_BYTES_MAX: u64 = 400;

/// Runs it to its end; says why where that was none.
pub(super) fn run(line: &[String], limit: Duration, input: &str) -> Result<(), String> {
    let (program, args) = line.split_first().ok_or("there is no program")?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    for name in config::own_variables() {
        command.env_remove(name);
    }
    let mut child = command.spawn().map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    // A program need not read what it is told; the message is shorter than a pipe holds.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input.as_bytes());
    }
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                return Err(format!("`{program}` ended with {status}{}", complaint(&mut child)));
            }
            Ok(None) if began.elapsed() < limit => std::thread::park_timeout(LOOK_EVERY),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`{program}` took longer than {} s and was ended", limit.as_secs_f64()));
            }
            Err(error) => return Err(format!("`{program}` cannot be waited for: {error}")),
        }
    }
}

fn complaint(child: &mut Child) -> String {
    let mut bytes = Vec::new();
    let stderr = child.stderr.take();
    stderr.map(|stderr| stderr.take(COMPLAINT_BYTES_MAX).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &[&str], limit_ms: u64, expected: Result<(), &str>) {
        let line: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        let got = run(&line, Duration::from_millis(limit_ms), "{\"text\": \"hello\"}\n");
        match (&got, expected) {
            (Ok(()), Ok(())) => {}
            (Err(why), Err(part)) => assert!(why.contains(part), "{why} lacks {part}"),
            _ => panic!("{line:?}: {got:?}"),
        }
    }

    #[test]
    fn programs_end_or_are_ended() {
        check(&["true"], 5000, Ok(()));
        check(&["grep", "-q", "hello"], 5000, Ok(()));
        check(&["grep", "-q", "nonsense"], 5000, Err("ended with"));
        check(&["sleep", "60"], 200, Err("took longer"));
        check(&["no-such-program-here"], 5000, Err("cannot be started"));
        check(&[], 5000, Err("no program"));
        // No shell looks at it: this is one program of an odd name.
        check(&["true; true"], 5000, Err("cannot be started"));
        check(&["sh", "-c", "echo too bad >&2; exit 3"], 5000, Err("too bad"));
    }
}
