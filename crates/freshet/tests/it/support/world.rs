//! A simulated network served over HTTP by the program itself.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::freshet::bare;
use super::process::{Process, free_port};
use super::{http, until};

/// Simulated seconds a second: an hour passes in six seconds.
pub(crate) const SPEED: f64 = 600.0;

/// A served world.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) base: String,
    pub(crate) port: u16,
    _process: Process,
}

impl World {
    /// Serves a world of so many accounts and waits until it answers.
    pub(crate) fn start(accounts: u32) -> Self {
        let port = free_port();
        let listen = format!("127.0.0.1:{port}");
        let (accounts, speed) = (accounts.to_string(), SPEED.to_string());
        let args = [
            "world",
            "serve",
            "--seed",
            "11",
            "--accounts",
            &accounts,
            "--speed",
            &speed,
            "--listen",
            &listen,
        ];
        let mut command = bare(&args);
        let process = Process::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let base = format!("http://{listen}");
        until("the world", Duration::from_secs(30), || http::is_up(&base, "/clock").then_some(()));
        let clock = http::get(&base, "/clock");
        assert_eq!(clock["speed"].as_f64(), Some(SPEED), "{clock}");
        assert!(clock["now"].is_number(), "{clock}");
        Self { base, port, _process: process }
    }

    /// Every post so far.
    pub(crate) fn truth(&self) -> Vec<Value> {
        let (status, text) = http::ask(&self.base, "/truth.jsonl").expect("the world answers");
        assert_eq!(status, 200);
        text.lines().map(|line| serde_json::from_str(line).expect("a line of truth is JSON")).collect()
    }
}
