//! `cargo xtask chaos`: kills a crawl at random instants and proves that nothing was lost or doubled.
//!
//! It serves a simulated network over HTTP, adds every author, SIGKILLs `add` and `run` again and again,
//! lets one last run come to its end, and compares the export with the world's own list of posts. It uses
//! the finished binary only, as a person would. The same seed gives the same world and the same waits.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cache;
use crate::process::{self, Guard};

const USAGE: &str = "usage: cargo xtask chaos [--rounds N] [--seed N] [--freshet FILE]";
const ROUNDS_DEFAULT: u32 = 12;
const ACCOUNTS: &str = "120";
/// Simulated seconds a second: ten minutes.
const SPEED: &str = "600";
/// Longest time a source stays unvisited, in simulated time: six real seconds.
const CEILING: &str = "1h";
/// The last run covers four simulated hours, so every source is visited again at least thrice.
const LAST_RUN: &str = "25s";
/// A post counts as due when it is older than this at the end: six ceilings.
const LAG_ALLOWED_S: f64 = 6.0 * 3600.0;
const WORLD_START_LIMIT: Duration = Duration::from_secs(30);
const COMMAND_LIMIT: Duration = Duration::from_mins(2);
const HTTP_LIMIT: Duration = Duration::from_secs(20);

/// Runs the whole experiment; fails unless both numbers are zero.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::read(args)?;
    let freshet = match &options.freshet {
        Some(file) => file.clone(),
        None => build()?,
    };
    let folder = std::env::temp_dir().join(format!("freshet-chaos-{}", std::process::id()));
    cache::emptied(&folder)?;
    let result =
        Chaos::start(&freshet, &folder, options.seed).and_then(|mut chaos| chaos.play(options.rounds));
    if result.as_ref().is_ok_and(Report::is_clean) {
        std::fs::remove_dir_all(&folder).context("cannot remove the data folder")?;
    } else {
        println!("the data folder is kept in `{}`", folder.display());
    }
    let report = result?;
    println!("{}", report.line());
    for id in report.lost.iter().take(10) {
        println!("  lost: {id}");
    }
    for id in report.doubled.iter().take(10) {
        println!("  doubled: {id}");
    }
    ensure!(report.due_count > 0, "no post was due: the world served nothing to compare with");
    ensure!(report.is_clean(), "posts were lost or doubled; repeat with `--seed {}`", options.seed);
    Ok(())
}

#[derive(Debug)]
struct Options {
    rounds: u32,
    seed: u64,
    freshet: Option<PathBuf>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self> {
        let mut options = Self { rounds: ROUNDS_DEFAULT, seed: 11, freshet: None };
        for pair in args.chunks(2) {
            let [name, value] = pair else { bail!("`{}` needs a value\n{USAGE}", pair[0]) };
            let number = || value.parse::<u64>().with_context(|| format!("`{value}` is no number\n{USAGE}"));
            match name.as_str() {
                "--rounds" => options.rounds = u32::try_from(number()?).context("too many rounds")?,
                "--seed" => options.seed = number()?,
                "--freshet" => options.freshet = Some(PathBuf::from(value)),
                _ => bail!("no option `{name}`\n{USAGE}"),
            }
        }
        Ok(options)
    }
}

fn build() -> Result<PathBuf> {
    let cargo = || {
        let mut command = Command::new("cargo");
        command.current_dir(cache::repository());
        command
    };
    process::aloud(cargo().args(["build", "--release", "--package", "freshet"]))?;
    let metadata = process::output(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is no JSON")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(Path::new(target).join("release/freshet"))
}

/// A world, a data folder, and the hand that kills.
#[derive(Debug)]
struct Chaos {
    freshet: PathBuf,
    folder: PathBuf,
    base: String,
    authors: BTreeSet<String>,
    random: u64,
    kills: u32,
    _world: Guard,
}

impl Chaos {
    fn start(freshet: &Path, folder: &Path, seed: u64) -> Result<Self> {
        let listen = TcpListener::bind("127.0.0.1:0")
            .and_then(|socket| socket.local_addr())
            .context("no free port")?;
        let mut command = Command::new(freshet);
        command.args(["world", "serve", "--accounts", ACCOUNTS, "--speed", SPEED]);
        command.args(["--seed", &seed.to_string(), "--listen", &listen.to_string()]);
        let log = std::fs::File::create(folder.join("world.log")).context("cannot create the world's log")?;
        let world = command.stdout(Stdio::null()).stderr(log).spawn();
        let world = Guard(world.with_context(|| format!("cannot start `{}`", freshet.display()))?);
        let base = format!("http://{listen}");
        let truth = wait_for_truth(&base)?;
        let authors = truth.iter().filter_map(|post| post["author"].as_str()).map(str::to_owned).collect();
        Ok(Self {
            freshet: freshet.to_path_buf(),
            folder: folder.to_path_buf(),
            base,
            authors,
            random: seed,
            kills: 0,
            _world: world,
        })
    }

    fn play(&mut self, rounds: u32) -> Result<Report> {
        let start = Instant::now();
        let references = self.folder.join("references");
        let lines: Vec<String> =
            self.authors.iter().map(|author| format!("{}/@{author}\n", self.base)).collect();
        std::fs::write(&references, lines.concat()).context("cannot write the references")?;
        self.finish(&["init"])?;
        let references = references.to_string_lossy().into_owned();
        let add = ["add", "-f", &references, "--allow-private"];
        // `add` is killed too: a tenth of the rounds, at instants within its usual length.
        for _ in 0..rounds.div_ceil(10) {
            let mut child = self.spawn(&add)?;
            process::wait(self.instant(0, 400));
            self.kills += u32::from(child.kill());
        }
        self.finish(&add)?;
        let run = ["run", "--headless", "--no-dashboard", "--ceiling", CEILING];
        for round in 1..=rounds {
            let mut child = self.spawn(&run)?;
            process::wait(self.instant(100, 3500));
            ensure!(child.kill(), "round {round}: `run` ended by itself: {}", self.stderr());
            self.kills += 1;
            if round % 10 == 0 {
                println!("  {round} of {rounds} rounds, {} s", start.elapsed().as_secs());
            }
        }
        self.finish(&[&run[..], &["--for", LAST_RUN]].concat())?;
        let truth = truth(&self.base)?;
        let export = process::output(
            Command::new(&self.freshet)
                .args(["export", "--format", "jsonl", "--kind", "posts"])
                .arg("--data")
                .arg(self.data()),
        )?;
        compare(&self.authors, &truth, &export, self.kills)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn stderr(&self) -> String {
        std::fs::read_to_string(self.folder.join("stderr")).unwrap_or_default()
    }

    fn spawn(&self, args: &[&str]) -> Result<Guard> {
        let stderr = std::fs::File::create(self.folder.join("stderr")).context("cannot create the log")?;
        let mut command = Command::new(&self.freshet);
        command.args(args).arg("--clock").arg(format!("{}/clock", self.base)).arg("--data").arg(self.data());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn();
        Ok(Guard(child.with_context(|| format!("cannot start `{}`", self.freshet.display()))?))
    }

    fn finish(&self, args: &[&str]) -> Result<()> {
        match self.spawn(args)?.finish_within(COMMAND_LIMIT) {
            Some(status) if status.success() => Ok(()),
            Some(status) => bail!("`freshet {}` failed with {status}: {}", args.join(" "), self.stderr()),
            None => bail!("`freshet {}` did not end within {} s", args.join(" "), COMMAND_LIMIT.as_secs()),
        }
    }

    /// A random wait between two bounds (splitmix64: a fixed sequence for a fixed seed).
    fn instant(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Duration::from_millis(from_ms + (mixed ^ (mixed >> 31)) % (to_ms - from_ms))
    }
}

/// What was found.
#[derive(Debug, PartialEq)]
struct Report {
    kills: u32,
    due_count: usize,
    exported_count: usize,
    lost: Vec<String>,
    doubled: Vec<String>,
}

impl Report {
    fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.doubled.is_empty()
    }

    fn line(&self) -> String {
        let Self { kills, due_count, exported_count, lost, doubled } = self;
        let (lost, doubled) = (lost.len(), doubled.len());
        format!(
            "{kills} kills, {due_count} posts due, {exported_count} exported, lost {lost}, doubled {doubled}"
        )
    }
}

/// Every post of a watched author, old enough and still public, must be exported exactly once.
fn compare(authors: &BTreeSet<String>, truth: &[Value], export: &str, kills: u32) -> Result<Report> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in export.lines().filter(|line| !line.trim().is_empty()) {
        let post: Value = serde_json::from_str(line).with_context(|| format!("the export holds `{line}`"))?;
        let id = if post["native_id"].is_null() { &post["id"] } else { &post["native_id"] };
        let id = plain(id);
        *seen.entry(id.rsplit('/').next().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let newest = truth.iter().filter_map(|post| post["created_at"].as_f64()).fold(f64::MIN, f64::max);
    let due: Vec<String> = truth
        .iter()
        .filter(|post| post["created_at"].as_f64().is_some_and(|at| at < newest - LAG_ALLOWED_S))
        .filter(|post| post["author"].as_str().is_some_and(|author| authors.contains(author)))
        .filter(|post| post["deleted_at"].is_null() && post["hidden_at"].is_null())
        .map(|post| plain(&post["id"]))
        .collect();
    Ok(Report {
        kills,
        due_count: due.len(),
        exported_count: seen.values().sum(),
        lost: due.into_iter().filter(|id| !seen.contains_key(id)).collect(),
        doubled: seen.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect(),
    })
}

/// An id without JSON's quotes, whether it was written as a string or as a number.
fn plain(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn wait_for_truth(base: &str) -> Result<Vec<Value>> {
    let start = Instant::now();
    loop {
        match truth(base) {
            Ok(posts) if !posts.is_empty() => return Ok(posts),
            Err(error) if start.elapsed() > WORLD_START_LIMIT => {
                return Err(error.context("the world did not answer"));
            }
            Ok(_) if start.elapsed() > WORLD_START_LIMIT => bail!("the world holds no post"),
            _ => process::wait(Duration::from_millis(100)),
        }
    }
}

fn truth(base: &str) -> Result<Vec<Value>> {
    let text = get(base, "/truth.jsonl")?;
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("the truth holds `{line}`")))
        .collect()
}

/// A GET in HTTP/1.0, whose answer ends where the connection does.
fn get(base: &str, path: &str) -> Result<String> {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).with_context(|| format!("cannot connect to `{host}`"))?;
    stream.set_read_timeout(Some(HTTP_LIMIT)).context("cannot limit the wait")?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").context("cannot ask")?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(export: &[Value], lost: &[&str], doubled: &[&str]) {
        let at = |at: u32| json!({"created_at": at, "author": "a", "deleted_at": null, "hidden_at": null});
        let post = |id: &str, created_at: u32, changes: Value| {
            let mut post = at(created_at);
            post["id"] = json!(id);
            for (key, value) in changes.as_object().unwrap() {
                post[key] = value.clone();
            }
            post
        };
        let truth = [
            post("1", 100, json!({})),
            post("2", 200, json!({})),
            post("3", 300, json!({"deleted_at": 400})),
            post("4", 300, json!({"hidden_at": 400})),
            post("5", 300, json!({"author": "stranger"})),
            post("6", 1_000_000, json!({})),
        ];
        let export: Vec<String> = export.iter().map(Value::to_string).collect();
        let report = compare(&BTreeSet::from(["a".to_owned()]), &truth, &export.join("\n"), 7).unwrap();
        assert_eq!((report.due_count, report.kills), (2, 7));
        assert_eq!(
            (report.lost, report.doubled),
            (
                lost.iter().map(ToString::to_string).collect(),
                doubled.iter().map(ToString::to_string).collect()
            )
        );
    }

    #[test]
    fn export_and_truth_are_compared() {
        let line = |id: &str| json!({"id": format!("mastodon:x/post/{id}"), "native_id": id});
        check(&[line("1"), line("2")], &[], &[]);
        check(&[line("1"), line("2"), line("3"), line("6"), line("9")], &[], &[]);
        check(&[line("1")], &["2"], &[]);
        check(&[line("1"), line("2"), line("1")], &[], &["1"]);
        check(&[json!({"id": "mastodon:x/post/1"}), json!({"id": "x", "native_id": 2})], &[], &[]);
    }

    #[test]
    fn options_are_read() {
        let read =
            |text: &str| Options::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = read("--rounds 50 --seed 3").unwrap();
        assert_eq!((options.rounds, options.seed), (50, 3));
        for (text, error) in
            [("--rounds", "needs a value"), ("--rounds x", "no number"), ("--x 1", "no option")]
        {
            assert!(read(text).unwrap_err().to_string().contains(error), "{text}");
        }
    }
}
