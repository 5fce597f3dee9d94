//! A program as a subscriber: JSON lines on its standard input, no shell, started anew with a growing wait when it ends.
//!
//! A batch counts as taken when the program has read all of it from the pipe; what it does with it is its own business. A
//! program that ends or reads nothing for a while is given the whole batch again once it runs anew. It sees none of our own
//! variables: half of them are secrets.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Ack, Batch, Outlet, Stop};

/// How often it is asked whether somebody wants it to end.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// Looks after which a program that has read nothing more is given up: a minute.
const LOOKS_MAX: u32 = 600;
/// How often it is asked whether the pipe is empty.
const READ_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
/// The same minute in those.
const READS_MAX: u32 = 12_000;
/// How long a program may take to end by itself after its input has ended, in looks of 50 ms.
const END_LOOKS: u32 = 40;
const END_LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes of its complaints that are kept, the last ones.
const COMPLAINT_BYTES_MAX: usize = 300;
/// How long they are waited for after its end.
const COMPLAINT_WAIT: Duration = Duration::from_secs(2);

/// A program under way.
pub(super) struct Program {
    name: String,
    child: Child,
    /// Open until it is dropped.
    stdin: Option<ChildStdin>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// Closed when all that it complained of was read.
    complained: Receiver<()>,
    stop: Stop,
}

impl Program {
    /// Starts it; `hidden` are the variables that it must not see.
    pub(super) fn start(line: &[String], hidden: &[OsString], stop: Stop) -> io::Result<Self> {
        let no_program = || io::Error::new(io::ErrorKind::InvalidInput, "there is no program");
        let (name, args) = line.split_first().ok_or_else(no_program)?;
        let mut command = Command::new(name);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        for variable in hidden {
            command.env_remove(variable);
        }
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("it was asked for");
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let complaint = Arc::new(Mutex::new(Vec::new()));
        let (on_end, complained) = channel::<()>();
        if let Some(mut stderr) = child.stderr.take() {
            let kept = Arc::clone(&complaint);
            // It ends when the program, and whoever the program started, has ended.
            std::thread::spawn(move || {
                let _on_end = on_end;
                let mut bytes = [0; 1024];
                while let Ok(count @ 1..) = stderr.read(&mut bytes) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.extend_from_slice(&bytes[..count]);
                    let excess = kept.len().saturating_sub(COMPLAINT_BYTES_MAX);
                    kept.drain(..excess);
                }
            });
        }
        Ok(Self { name: name.clone(), child, stdin: Some(stdin), complaint, complained, stop })
    }

    fn hand_over(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().expect("it is open until it is dropped");
        let (mut left, mut looks) = (bytes, 0);
        while !left.is_empty() {
            match stdin.write(left) {
                Ok(count) => (left, looks) = (&left[count..], 0),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    looks = look(looks, LOOKS_MAX, &self.stop)?;
                    poll(&mut [PollFd::new(stdin, PollFlags::OUT)], Some(&LOOK_EVERY))?;
                }
                Err(error) => return Err(error),
            }
        }
        let (mut held, mut looks) = (u64::MAX, 0);
        loop {
            match rustix::io::ioctl_fionread(stdin.as_fd())? {
                0 => return Ok(()),
                count if count < held => (held, looks) = (count, 0),
                _ => looks = look(looks, READS_MAX, &self.stop)?,
            }
            let mut asked = [PollFd::new(stdin, PollFlags::empty())];
            poll(&mut asked, Some(&READ_EVERY))?;
            if asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        }
    }

    /// Why it takes no more.
    fn why(&mut self, error: &io::Error) -> String {
        if error.kind() != io::ErrorKind::BrokenPipe {
            return format!("`{}`: {error}", self.name);
        }
        let status = match self.end() {
            Some(status) => format!("ended with {status}"),
            None => "closed its input, and was ended".to_owned(),
        };
        // Whoever it started may hold its complaints open: they are not waited for long.
        let _ = self.complained.recv_timeout(COMPLAINT_WAIT);
        let kept = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&kept);
        let said = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        format!("`{}` {status}{}", self.name, said.map(|line| format!(": {line}")).unwrap_or_default())
    }

    /// Closes its input and gives it a moment to end; then it is ended. Gives how it ended by itself.
    fn end(&mut self) -> Option<std::process::ExitStatus> {
        self.stdin = None;
        for _ in 0..END_LOOKS {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::park_timeout(END_LOOK_EVERY),
                Err(_) => break,
            }
        }
        // One that is gone already needs no ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }
}

/// Counts a look; an error where it was the last, or nobody wants to look any more.
fn look(looks: u32, looks_max: u32, stop: &Stop) -> io::Result<u32> {
    if stop.is_stopped() {
        return Err(io::Error::other("it was stopped"));
    }
    if looks >= looks_max {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "it has read nothing for a minute"));
    }
    Ok(looks + 1)
}

impl Outlet for Program {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        match self.hand_over(&super::file::lines(batch)) {
            Ok(()) => Ok(Ack::Taken),
            Err(error) => Err(self.why(&error)),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.stdin.is_some() {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: &[&str]) -> io::Result<Program> {
        let line: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        Program::start(&line, &["FRESHET_HIDDEN".into()], Stop::default())
    }

    fn batch(count: usize) -> Batch {
        Batch { cursor: 7, lines: (0..count).map(|n| format!("{{\"n\":{n}}}")).collect() }
    }

    /// What a program says to one batch, until it says something.
    fn check(line: &[&str], expected: &str) {
        let said = match start(line) {
            Err(error) => error.to_string(),
            // More than a pipe holds: whoever does not read is noticed.
            Ok(mut program) => match program.deliver(&batch(50_000)) {
                Ok(ack) => format!("{ack:?}"),
                Err(why) => why,
            },
        };
        assert!(said.contains(expected), "{line:?}: {said}");
    }

    #[test]
    fn programs_take_batches_or_say_why_not() {
        check(&["cat"], "Taken");
        check(&["sh", "-c", "head -c 100 >/dev/null; echo too bad >&2; exit 3"], "exit status: 3: too bad");
        check(&["true"], "`true` ended with exit status: 0");
        check(&["sh", "-c", "exec 0<&-; exec sleep 60"], "closed its input, and was ended");
        check(&["no-such-program-here"], "No such file");
        check(&["cat; cat"], "No such file");
        check(&[], "no program");
    }

    #[test]
    fn a_program_gets_every_line_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("got");
        let line = format!("cat >> '{}'", path.display());
        let mut program = start(&["sh", "-c", &line]).unwrap();
        assert_eq!(program.deliver(&batch(3)), Ok(Ack::Taken));
        assert_eq!(program.deliver(&batch(2)), Ok(Ack::Taken));
        drop(program);
        let got = std::fs::read_to_string(&path).unwrap();
        assert_eq!(got, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":0}\n{\"n\":1}\n");
    }

    #[test]
    fn somebody_who_reads_nothing_is_left_when_wanted() {
        let mut program = start(&["sleep", "60"]).unwrap();
        let stop = program.stop.clone();
        let waiting = std::thread::spawn(move || program.deliver(&batch(50_000)));
        stop.stop();
        let why = waiting.join().unwrap().unwrap_err();
        assert!(why.contains("it was stopped"), "{why}");
    }
}
