//! A private PostgreSQL on a free loopback port, gone with the test. Every store has a schema of its own in it.

use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::super::db::Connection;
use crate::options::Options;

const BIN: &str = "FRESHET_TEST_POSTGRES_BIN";
const START_LIMIT: Duration = Duration::from_mins(1);

/// The folder of the server's programs, or a loud and counted skip.
pub(super) fn need(test: &str) -> Option<PathBuf> {
    let found = std::env::var_os(BIN).filter(|value| !value.is_empty()).map(PathBuf::from);
    if found.is_none() {
        let reason = format!("`{BIN}` is not set; run `cargo xtask test`, which installs what it names");
        println!("SKIPPED: {test}: {reason}");
        if let Some(path) = std::env::var_os("FRESHET_SKIPS") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            let mut file = file.expect("the file of skips can be opened");
            writeln!(file, "{test}: {reason}").expect("the file of skips can be written");
        }
    }
    found
}

/// A running server.
pub(super) struct Server {
    folder: tempfile::TempDir,
    bin: PathBuf,
    owner: Option<(u32, u32)>,
    port: u16,
    process: Option<Child>,
    next: AtomicU32,
}

impl Server {
    /// Makes and starts a cluster with the programs in this folder.
    pub(super) fn start(bin: &Path) -> Self {
        let folder = tempfile::TempDir::with_prefix("freshet-pg-").expect("a folder for PostgreSQL");
        let owner = unprivileged();
        if let Some((uid, gid)) = owner {
            chown(folder.path(), Some(uid), Some(gid)).expect("root can give a folder away");
        }
        let socket = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = socket.local_addr().expect("a bound socket has an address").port();
        drop(socket);
        let next = AtomicU32::new(0);
        let mut server = Self { folder, bin: bin.to_owned(), owner, port, process: None, next };
        let mut make = server.program("initdb");
        let made = make.args(["-D", "data", "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8"]).status();
        assert!(made.is_ok_and(|status| status.success()), "initdb failed");
        server.run();
        server
    }

    /// Starts the server, again perhaps.
    pub(super) fn run(&mut self) {
        let mut command = self.program("postgres");
        command.args(["-D", "data", "-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", self.folder.path().display()));
        // The data lives as long as the test: no need to make it durable.
        command.args(["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200"]);
        self.process = Some(command.spawn().expect("PostgreSQL starts"));
        let start = Instant::now();
        while self.say("SELECT 1").is_err() {
            assert!(start.elapsed() < START_LIMIT, "PostgreSQL does not answer");
            std::thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// Ends the server as a power cut does: all of its processes, at once.
    pub(super) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            // SIGQUIT is the server's own word for ending without tidying up, children included.
            let _ = Command::new("kill").args(["-QUIT", &process.id().to_string()]).status();
            let _ = process.wait();
        }
    }

    /// Says something to the server in a connection of its own.
    pub(super) fn say(&self, sql: &str) -> Result<(), String> {
        let config = self.address("public").parse().expect("the address is well formed");
        let db = Connection::open(config, String::new(), Options::default(), false);
        db.and_then(|db| db.execute_batch(sql)).map_err(|error| error.to_string())
    }

    /// The address of a schema that no other store has.
    pub(super) fn fresh(&self) -> String {
        let name = format!("s{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.say(&format!("CREATE SCHEMA {name}")).expect("a schema can be made");
        self.address(&name)
    }

    pub(super) fn address(&self, schema: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?options=-csearch_path%3D{schema}", self.port)
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((uid, gid)) = self.owner {
            command.uid(uid).gid(gid);
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
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
