//! Child processes that cannot outlive a test, and free ports for them.

use std::net::TcpListener;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::wait_ms;

/// Time for a server to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// A loopback port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    socket.local_addr().expect("a bound socket has an address").port()
}

/// A child that ends with the test: asked by `signal`, then killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    signal: Option<&'static str>,
}

impl Process {
    /// Starts the command without input; on drop it is killed at once.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::with_input(command.stdin(Stdio::null()))
    }

    /// Starts the command with the input it was given.
    pub(crate) fn with_input(command: &mut Command) -> Self {
        let shown = format!("{command:?}");
        let child = command.spawn();
        Self { child: child.unwrap_or_else(|error| panic!("cannot start {shown}: {error}")), signal: None }
    }

    /// On drop, asks by this signal first and waits a little: servers with children of their own need it.
    pub(crate) fn ended_by(mut self, signal: &'static str) -> Self {
        self.signal = Some(signal);
        self
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by name: `TERM`, `INT`, `KILL`.
    pub(crate) fn send(&self, signal: &str) {
        let _ = Command::new("kill").args([&format!("-{signal}"), &self.id().to_string()]).status();
    }

    /// Has it ended?
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be asked")
    }

    /// Waits for its end; `None` when the limit came first.
    pub(crate) fn finish_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Some(status) = self.status() {
                return Some(status);
            }
            wait_ms(20);
        }
        None
    }

    /// SIGKILL, now; says whether it was still running.
    pub(crate) fn kill(&mut self) -> bool {
        let was_running = self.status().is_none();
        let _ = self.child.kill();
        let _ = self.child.wait();
        was_running
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(signal) = self.signal
            && self.status().is_none()
        {
            self.send(signal);
            self.finish_within(GRACE);
        }
        self.kill();
    }
}
