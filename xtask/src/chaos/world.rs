//! The simulated network of an experiment: `freshet world serve` as a process, and what it says of itself.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process::{self, Guard};

const START_LIMIT: Duration = Duration::from_secs(30);
const HTTP_LIMIT: Duration = Duration::from_secs(20);

/// What kind of world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) seed: u64,
    pub(super) accounts: u32,
    /// Simulated seconds a second.
    pub(super) speed: u32,
}

/// A world that runs until it is dropped.
#[derive(Debug)]
pub(super) struct World {
    pub(super) address: SocketAddr,
    /// Everybody who has posted.
    pub(super) authors: BTreeSet<String>,
    _process: Guard,
}

impl World {
    pub(super) fn start(freshet: &Path, log: &Path, kind: Kind) -> Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")
            .and_then(|socket| socket.local_addr())
            .context("no free port")?;
        let mut command = Command::new(freshet);
        command.args(["world", "serve", "--accounts", &kind.accounts.to_string()]);
        command.args(["--speed", &kind.speed.to_string(), "--seed", &kind.seed.to_string()]);
        command.args(["--listen", &address.to_string()]);
        let log = std::fs::File::create(log).context("cannot create the world's log")?;
        let started = command.stdout(Stdio::null()).stderr(log).spawn();
        let process = Guard(started.with_context(|| format!("cannot start `{}`", freshet.display()))?);
        let mut world = Self { address, authors: BTreeSet::new(), _process: process };
        let posts = world.wait_for_truth()?;
        world.authors = posts.iter().filter_map(|post| post["author"].as_str()).map(str::to_owned).collect();
        Ok(world)
    }

    /// Every post so far.
    pub(super) fn truth(&self) -> Result<Vec<Value>> {
        let text = get(self.address, "/truth.jsonl")?;
        text.lines()
            .map(|line| serde_json::from_str(line).with_context(|| format!("the truth holds `{line}`")))
            .collect()
    }

    fn wait_for_truth(&self) -> Result<Vec<Value>> {
        let start = Instant::now();
        loop {
            match self.truth() {
                Ok(posts) if !posts.is_empty() => return Ok(posts),
                Err(error) if start.elapsed() > START_LIMIT => {
                    return Err(error.context("the world did not answer"));
                }
                Ok(_) if start.elapsed() > START_LIMIT => bail!("the world holds no post"),
                _ => process::wait(Duration::from_millis(100)),
            }
        }
    }
}

/// A GET in HTTP/1.0, whose answer ends where the connection does.
pub(super) fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("cannot connect to `{address}`"))?;
    stream.set_read_timeout(Some(HTTP_LIMIT)).context("cannot limit the wait")?;
    // In one piece: whoever answers after the first part of a question resets the connection.
    let question = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(question.as_bytes()).context("cannot ask")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).context("cannot read the answer")?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer has no head")?;
    ensure!(
        head.split(' ').nth(1) == Some("200"),
        "`{path}` answered {}",
        head.lines().next().unwrap_or_default()
    );
    Ok(body.to_owned())
}
