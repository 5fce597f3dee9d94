//! Private PostgreSQL and Redis instances on free loopback ports, gone with the test.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::process::{Process, free_port};
use super::{until, wait_ms};

const START_LIMIT: Duration = Duration::from_secs(30);

/// A running PostgreSQL.
#[derive(Debug)]
pub(crate) struct Postgres {
    /// Connection string of its superuser.
    pub(crate) url: String,
    psql: PathBuf,
    _process: Process,
    _folder: TempDir,
}

impl Postgres {
    /// Says something to the server as its superuser.
    pub(crate) fn say(&self, sql: &str) {
        let said =
            Command::new(&self.psql).args([&self.url, "-q", "-v", "ON_ERROR_STOP=1", "-c", sql]).output();
        let said = said.expect("psql can be started");
        assert!(said.status.success(), "{sql}: {}", String::from_utf8_lossy(&said.stderr));
    }

    /// Makes and starts a cluster with the programs in `bin`.
    pub(crate) fn start(bin: &Path) -> Self {
        let folder = TempDir::with_prefix("freshet-pg-").expect("a folder for PostgreSQL");
        let owner = unprivileged();
        if let Some((uid, gid)) = owner {
            chown(folder.path(), Some(uid), Some(gid)).expect("root can give a folder away");
        }
        let program = |name: &str| {
            let mut command = Command::new(bin.join(name));
            command
                .current_dir(folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            if let Some((uid, gid)) = owner {
                command.uid(uid).gid(gid);
            }
            command
        };
        let made = program("initdb").args(["-D", "data", "-A", "trust", "-U", "postgres", "-N"]).status();
        assert!(made.is_ok_and(|status| status.success()), "initdb failed");
        let port = free_port();
        let mut server = program("postgres");
        server.args(["-D", "data", "-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        server.arg("-c").arg(format!("unix_socket_directories={}", folder.path().display()));
        // The data lives as long as the test: no need to make it durable.
        server.args(["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]);
        let mut process = Process::start(&mut server).ended_by("INT");
        until("PostgreSQL", START_LIMIT, || {
            assert!(process.status().is_none(), "PostgreSQL ended by itself");
            let mut ready = program("pg_isready");
            let ready = ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status();
            ready.is_ok_and(|status| status.success()).then_some(())
        });
        Self {
            url: format!("postgresql://postgres@127.0.0.1:{port}/postgres"),
            psql: bin.join("psql"),
            _process: process,
            _folder: folder,
        }
    }
}

/// PostgreSQL refuses to run as root; Debian's package brings a user for it.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |args: &[&str]| {
        let output = Command::new("id").args(args).output().expect("`id` exists");
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    (id(&["-u"]) == Some(0)).then(|| {
        let user = (id(&["-u", "postgres"]), id(&["-g", "postgres"]));
        (user.0.expect("the user `postgres` exists"), user.1.expect("the user `postgres` has a group"))
    })
}

/// A running Redis.
#[derive(Debug)]
pub(crate) struct Redis {
    /// Host and port.
    pub(crate) host: String,
    _process: Process,
    _folder: TempDir,
}

impl Redis {
    /// Starts the program without persistence.
    pub(crate) fn start(program: &Path) -> Self {
        let folder = TempDir::with_prefix("freshet-redis-").expect("a folder for Redis");
        let port = free_port();
        let mut command = Command::new(program);
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.arg("--dir").arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Process::start(&mut command).ended_by("TERM");
        until("Redis", START_LIMIT, || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        wait_ms(20);
        Self { host: format!("127.0.0.1:{port}"), _process: process, _folder: folder }
    }
}
