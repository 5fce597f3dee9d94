//! Starts the forums, each behind a witness, and lets their own models write posts.
//!
//! The witness stands first: forums write their own address into their pages, and that must be the witness's.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::support::http;
use crate::support::process::Process;
use crate::support::proxy::Proxy;
use crate::support::services::{Postgres, Redis};
use crate::support::until;

/// Cold, on two busy cores, the slowest took half a minute.
const START_LIMIT: Duration = Duration::from_mins(1);

/// The loopback address of a server that listens at the port of its own address, whatever it is told.
const NODEBB_IP: &str = "127.0.0.2";

/// A free loopback port that no outgoing connection is given meanwhile: servers take it minutes later, and again.
fn lasting_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 1_000) as u16 * 10;
    let ports = std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed));
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.take(1_000).find(is_free).expect("loopback has a free port")
}

/// A post that a forum's own model wrote.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) topic: u64,
}

/// What was written at once.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Filled {
    pub(crate) posts: Vec<Made>,
    /// When all of it could be read, in seconds since 1970.
    pub(crate) at: f64,
}

/// A running forum; databases end after it.
#[derive(Debug)]
pub(crate) struct Forum {
    /// Where the crawl goes.
    pub(crate) proxy: Proxy,
    kind: Kind,
    server: Mutex<Option<Process>>,
    folder: TempDir,
    port: u16,
    _services: (Option<Postgres>, Option<Redis>),
}

#[derive(Debug)]
enum Kind {
    Spirit { environment: PathBuf },
    NodeBb { node: PathBuf },
    Misago { environment: PathBuf, variables: Vec<(&'static str, String)> },
}

impl Forum {
    /// A forum on SQLite.
    pub(crate) fn spirit(environment: &Path) -> Self {
        let forum = Self::new(Kind::Spirit { environment: environment.to_owned() }, None, None);
        run(forum.tool("spirit").args(["startproject", "forum"]));
        let settings = format!(
            "from .dev import *\nDEBUG = False\nTEMPLATES[0][\"OPTIONS\"][\"debug\"] = False\nLOGGING = {{}}\n\
             ST_SITE_URL = \"{}/\"\nST_TASK_MANAGER = None\n",
            forum.proxy.base
        );
        forum.write("forum/forum/settings/live.py", &settings);
        run(forum.tool("python").args(["manage.py", "spiritinstall"]));
        forum
    }

    /// A forum of 2016 on Redis.
    pub(crate) fn nodebb(packages: &Path, node: &Path, redis: &Path) -> Self {
        let redis = Redis::start(redis);
        let redis_port = redis.host.rsplit(':').next().expect("a host has a port").to_owned();
        let forum = Self::new(Kind::NodeBb { node: node.to_owned() }, None, Some(redis));
        run(Command::new("cp").arg("-r").arg(packages.join("node_modules/nodebb")).arg(forum.at("forum")));
        let modules = forum.at("forum/node_modules");
        std::os::unix::fs::symlink(packages.join("node_modules"), modules).expect("a link can be made");
        for folder in ["sounds", "category", "profile", "files", "system"] {
            std::fs::create_dir_all(forum.at("forum/public/uploads").join(folder))
                .expect("a folder can be made");
        }
        let setup = serde_json::json!({
            "url": forum.proxy.base, "secret": "x", "database": "redis", "redis:host": "127.0.0.1",
            "redis:port": redis_port, "redis:password": "", "redis:database": "3", "admin:username": "admin",
            "admin:email": "admin@example.com", "admin:password": "adminadmin1", "admin:password:confirm": "adminadmin1",
        });
        run(forum.tool("node").arg("app.js").arg(format!("--setup={setup}")));
        let config =
            std::fs::read_to_string(forum.at("forum/config.json")).expect("the setup wrote its settings");
        let mut config: serde_json::Value = serde_json::from_str(&config).expect("they are JSON");
        config["port"] = forum.port.into();
        config["bind_address"] = NODEBB_IP.into();
        forum.write("forum/config.json", &config.to_string());
        forum
    }

    /// A forum on PostgreSQL.
    pub(crate) fn misago(environment: &Path, postgres: &Path, redis: &Path) -> Self {
        let (postgres, redis) = (Postgres::start(postgres), Redis::start(redis));
        let postgres_port =
            postgres.url.rsplit(':').next().and_then(|it| it.split('/').next()).unwrap_or_default();
        let variables = vec![
            ("DJANGO_SETTINGS_MODULE", "live_settings".to_owned()),
            ("POSTGRES_DB", "postgres".to_owned()),
            ("POSTGRES_USER", "postgres".to_owned()),
            ("POSTGRES_PASSWORD", "x".to_owned()),
            ("POSTGRES_HOST", "127.0.0.1".to_owned()),
        ];
        let (postgres_port, redis_host) = (postgres_port.to_owned(), redis.host.clone());
        let kind = Kind::Misago { environment: environment.to_owned(), variables };
        let forum = Self::new(kind, Some(postgres), Some(redis));
        let settings = format!(
            "from devproject.settings import *\nDATABASES[\"default\"][\"PORT\"] = \"{postgres_port}\"\n\
             ALLOWED_HOSTS = [\"127.0.0.1\"]\nDEBUG = False\nSECRET_KEY = \"loopback\"\n\
             STATIC_ROOT = \"{folder}/static\"\nMEDIA_ROOT = \"{folder}/media\"\n\
             MISAGO_AVATAR_GALLERY = \"{folder}/gallery\"\n\
             INSTALLED_APPS = [it for it in INSTALLED_APPS if it != \"debug_toolbar\"]\n\
             MIDDLEWARE = [it for it in MIDDLEWARE if \"debug_toolbar\" not in it]\n\
             CELERY_BROKER_URL = \"redis://{redis_host}/1\"\nCELERY_TASK_ALWAYS_EAGER = True\n\
             MISAGO_ADDRESS = \"{base}/\"\n",
            folder = forum.folder.path().display(),
            base = forum.proxy.base
        );
        forum.write("forum/live_settings.py", &settings);
        run(forum.tool("django-admin").args(["migrate", "-v", "0"]));
        forum
    }

    fn new(kind: Kind, postgres: Option<Postgres>, redis: Option<Redis>) -> Self {
        let (proxy, port) = if matches!(kind, Kind::NodeBb { .. }) {
            Proxy::at_own_port(NODEBB_IP)
        } else {
            let port = lasting_port();
            (Proxy::before(port), port)
        };
        let folder = TempDir::with_prefix("freshet-forum-").expect("a folder for the forum");
        Self { proxy, kind, server: Mutex::new(None), folder, port, _services: (postgres, redis) }
    }

    /// Lets the forum's own models write; starts the server anew, since some keep what they have shown.
    pub(crate) fn fill(&self, what: &str, variables: &[(&str, &str)]) -> Filled {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/servers");
        let open = |name: &str| File::open(scripts.join(name)).expect("the script is there");
        let mut command = match &self.kind {
            Kind::Spirit { .. } => {
                let mut command = self.tool("python");
                command.args(["manage.py", "shell"]).stdin(open("spirit.py"));
                command
            }
            Kind::NodeBb { .. } => {
                let mut command = self.tool("node");
                command.arg(scripts.join("nodebb.js"));
                command
            }
            Kind::Misago { .. } => {
                let mut command = self.tool("django-admin");
                command.arg("shell").stdin(open("misago.py"));
                command
            }
        };
        let output = command.env("FILL", what).envs(variables.iter().copied()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let made = said.lines().find_map(|line| line.split_once("MADE ")).map(|(_, made)| made);
        let why = || format!("{said}\n{}", String::from_utf8_lossy(&output.stderr));
        let made = made.filter(|_| output.status.success()).unwrap_or_else(|| panic!("{}", why()));
        let made = serde_json::from_str(made).unwrap_or_else(|error| panic!("{error}: {made}"));
        if what != "more" {
            self.serve();
        }
        made
    }

    fn serve(&self) {
        let mut server = self.server.lock().expect("no test of this forum has failed");
        drop(server.take());
        let log = File::create(self.at("log")).expect("a file for the log");
        let twin = log.try_clone().expect("a file can be shared");
        let mut command = match &self.kind {
            Kind::NodeBb { .. } => {
                let mut command = self.tool("node");
                command.arg("app.js");
                command
            }
            Kind::Spirit { .. } | Kind::Misago { .. } => {
                let module =
                    if matches!(self.kind, Kind::Spirit { .. }) { "forum.wsgi" } else { "devproject.wsgi" };
                let mut command = self.tool("gunicorn");
                command.args([
                    "-b",
                    &format!("127.0.0.1:{}", self.port),
                    "-w",
                    "1",
                    "--threads",
                    "4",
                    module,
                ]);
                command
            }
        };
        let mut process = Process::start(command.stdout(log).stderr(twin)).ended_by("TERM");
        let ip = if matches!(self.kind, Kind::NodeBb { .. }) { NODEBB_IP } else { "127.0.0.1" };
        let base = format!("http://{ip}:{}", self.port);
        until("the forum", START_LIMIT, || {
            let log = || std::fs::read_to_string(self.at("log")).unwrap_or_default();
            assert!(process.status().is_none(), "the forum ended by itself:\n{}", log());
            http::is_up(&base, "/").then_some(())
        });
        *server = Some(process);
    }

    /// A program of the forum, in its folder.
    fn tool(&self, name: &str) -> Command {
        let is_made = name != "spirit";
        let environment = match &self.kind {
            Kind::NodeBb { node } => {
                let mut command = Command::new(node);
                command.current_dir(self.at("forum")).env("NODE_ENV", "production");
                return command;
            }
            Kind::Spirit { environment } | Kind::Misago { environment, .. } => environment,
        };
        let bin = environment.join("bin");
        let mut command = Command::new(bin.join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("a path can be extended"));
        let folder = if is_made { self.at("forum") } else { self.folder.path().to_owned() };
        command.current_dir(&folder).env("PYTHONPATH", &folder);
        match &self.kind {
            Kind::Misago { variables, .. } => {
                command.envs(variables.iter().map(|(name, value)| (name, value)))
            }
            _ => command.env("DJANGO_SETTINGS_MODULE", "forum.settings.live"),
        };
        command
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The requests that are for threads.
    pub(crate) fn threads(&self, requests: &[String]) -> Vec<String> {
        requests.iter().filter(|path| path.starts_with(self.prefix())).cloned().collect()
    }

    fn prefix(&self) -> &'static str {
        if matches!(self.kind, Kind::Misago { .. }) { "/t/" } else { "/topic/" }
    }

    /// Whether a request is for this thread.
    pub(crate) fn is_thread(&self, path: &str, topic: &str) -> bool {
        path.starts_with(self.prefix()) && path.split(['/', '?']).any(|part| part == topic)
    }

    /// Whether a request is for a page after the first.
    pub(crate) fn is_later_page(&self, path: &str) -> bool {
        match self.kind {
            Kind::Misago { .. } => path.trim_end_matches('/').split('/').count() > 4,
            _ => path.contains("page="),
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said =
        || String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", said());
}
