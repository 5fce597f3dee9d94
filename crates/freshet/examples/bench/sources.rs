//! `sources`: the dashboard over a million sources, as a browser meets it. How long until its first page,
//! and how long each search, sort and filter of the list takes, over HTTP, beside a tenth of a second.
//!
//! The program that is measured is the one built beside this benchmark; `cargo xtask bench sources`
//! builds both.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, Options};
use freshet_types::{
    Clock as _, Coverage, Instance, Interval, Mark, NetworkName, RobotKind, Source, SourceState, Span,
    SystemClock, Timestamp, VisitId,
};
use serde_json::{Map, Value, json};

use crate::Scale;

/// Sources, unless a number is given after the name of the benchmark.
const SOURCES: u32 = 1_000_000;
/// Added in one transaction.
const BATCH: u32 = 20_000;
/// Servers they live on.
const SERVERS: u32 = 200;
/// Times that each question is asked; the median counts, the worst is told.
const ROUNDS: usize = 5;
/// What the page must keep to.
const LIMIT_MS: f64 = 100.0;
const START_LIMIT_S: f64 = 2.0;
/// Longest silence of the program.
const SILENCE_MAX: Duration = Duration::from_mins(2);

/// Questions to the list: words, filters, orders, deep pages, and some that find nothing.
const QUESTIONS: [&str; 18] = [
    "",
    "sort=name",
    "sort=due",
    "sort=visited",
    "q=user12345",
    "q=777777",
    "q=user",
    "q=user&sort=due",
    "q=zz",
    "q=u&sort=visited",
    "q=nobody-is-called-so",
    "state=failed&sort=due",
    "state=paused",
    "robot=comment&sort=due",
    "robot=tag&sort=name",
    "network=mastodon:s7.example&sort=visited",
    "network=mastodon&robot=user&state=active&sort=due",
    "sort=due&page=1000",
];

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let asked = || std::env::args().nth(2).and_then(|text| text.parse().ok());
    let (count, rounds) = match scale {
        Scale::Full => (asked().unwrap_or(SOURCES), ROUNDS),
        Scale::Small => (2_000, 1),
    };
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    fill(&folder.path().join("store.sqlite"), count)?;
    let filled_s = began.elapsed().as_secs_f64();
    // As a crawl does when it has nothing else to do.
    let began = Instant::now();
    let mut store =
        freshet_store::open(&folder.path().join("store.sqlite"), Access::Write, Options::default())?;
    while store.index(BATCH as usize)? > 0 {}
    drop(store);
    let indexed_s = began.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(folder.path().join("store.sqlite"))?.len();
    println!(
        "{count} sources, {:.0} MB, added in {filled_s:.0} s, names indexed in {indexed_s:.0} s",
        bytes as f64 / 1e6
    );
    let began = Instant::now();
    let mut served = Served::start(folder.path())?;
    let (_, size) = served.ask("/")?;
    let first_page_s = began.elapsed().as_secs_f64();
    println!(
        "  start to first page       {first_page_s:>8.2} s   {:>5.2} of 2 s  ({size} bytes)",
        first_page_s / START_LIMIT_S
    );
    let (mut figures, mut ratios) = (Map::new(), Map::new());
    ratios.insert("start_of_2_s".to_owned(), json!(first_page_s / START_LIMIT_S));
    let mut worst_ms = 0.0_f64;
    for question in QUESTIONS {
        let mut times = Vec::new();
        for _ in 0..rounds {
            let (time, _) = served.ask(&format!("/sources?{question}"))?;
            times.push(time.as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[rounds / 2], times[rounds - 1]);
        worst_ms = worst_ms.max(median);
        let name = if question.is_empty() { "all" } else { question };
        println!("  {name:<50} {median:>7.1} ms (worst {worst:>6.1})  {:>5.2} of 100 ms", median / LIMIT_MS);
        figures.insert(name.to_owned(), json!(median));
        ratios.insert(name.to_owned(), json!(median / LIMIT_MS));
    }
    for path in ["/", "/api/v1/status", "/robots"] {
        let (time, _) = served.ask(path)?;
        println!("  {path:<50} {:>7.1} ms", time.as_secs_f64() * 1000.0);
    }
    Ok(json!({
        "bench": "sources", "sources": count, "bytes": bytes, "add_per_s": f64::from(count) / filled_s,
        "names_per_s": f64::from(count) / indexed_s,
        "first_page_s": first_page_s, "worst_median_ms": worst_ms, "ms": figures, "ratios": ratios,
    }))
}

/// The dashboard of the program that was built beside this one.
struct Served {
    child: Child,
    host: String,
}

impl Served {
    fn start(data: &Path) -> anyhow::Result<Self> {
        let program = program()?;
        let mut child = Command::new(program)
            .args(["dashboard", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .context("the program cannot be started")?;
        let said = child.stdout.take().context("its output is piped")?;
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let host = lines.find_map(|line| line.strip_prefix("dashboard: http://").map(str::to_owned));
        let host = host.context("it did not say where the dashboard is")?;
        Ok(Self { child, host: host.trim_end_matches('/').to_owned() })
    }

    /// How long an answer took, and its length.
    fn ask(&mut self, path: &str) -> anyhow::Result<(Duration, usize)> {
        let began = Instant::now();
        let mut stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.host)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let took = began.elapsed();
        if !answer.starts_with(b"HTTP/1.0 200") && !answer.starts_with(b"HTTP/1.1 200") {
            bail!("{path}: {}", String::from_utf8_lossy(&answer).lines().next().unwrap_or_default());
        }
        Ok((took, answer.len()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let beside = here.parent().and_then(Path::parent).map(|folder| folder.join("freshet"));
    beside.filter(|path| path.is_file()).context("`freshet` is not built; use `cargo xtask bench sources`")
}

/// Sources as a long crawl leaves them: many servers, all robots, all states, models and coverage.
fn fill(path: &Path, count: u32) -> anyhow::Result<()> {
    let mut store = freshet_store::open(path, Access::Write, Options::default())?;
    let now = SystemClock.now();
    let networks: Vec<NetworkName> =
        (0..SERVERS).map(|at| NetworkName::from(format!("mastodon:s{at}.example").as_str())).collect();
    for network in &networks {
        let base = format!("https://{}", network.host().unwrap_or_default());
        let instance = Instance { network: network.clone(), base, allow_private: false };
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep })?;
    }
    let mut at = 0;
    while at < count {
        let until = (at + BATCH).min(count);
        let batch: Vec<Source> = (at..until).map(|number| source(&networks, number, count, now)).collect();
        store.add_sources(&batch)?;
        at = until;
    }
    Ok(())
}

fn source(networks: &[NetworkName], number: u32, count: u32, now: Timestamp) -> Source {
    // Spread over everything by a hash, so that nothing is in the order of numbers; what was found
    // last is of one kind, as in a real crawl.
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    let pick = |among: u64, salt: u32| (mixed >> salt) % among;
    let robot = match (number > count / 20 * 19, pick(3, 3)) {
        (true, _) => RobotKind::Comment,
        (false, 0) => RobotKind::User,
        (false, _) => RobotKind::Status,
    };
    let endpoint = match robot {
        RobotKind::User => "account",
        RobotKind::Comment => "context",
        _ => "account_posts",
    };
    let network = &networks[pick(u64::from(SERVERS), 5) as usize];
    let mut source = Source::new(network, endpoint, robot, "account", &format!("10{number:09}"));
    source.handle = (robot != RobotKind::Comment).then(|| format!("user{number}@{}", pick(97, 7)));
    source.state = match pick(1000, 9) {
        0 => SourceState::Failed,
        1..=9 => SourceState::Gone,
        10..=14 => SourceState::Suspended,
        _ => SourceState::Active,
    };
    let ago = Span::from_secs(pick(86_400, 11) as i64);
    source.visited_at = Some(now - ago);
    source.due_at = now + Span::from_secs(pick(86_400, 13) as i64) - Span::HOUR;
    source.model = vec![7; 120];
    let mark = |at: Timestamp| Mark { id: format!("11{}", at.ms()), at };
    let interval = |older: f64, is_bottom| Interval {
        newest: mark(now - ago - Span::DAY * older),
        oldest: mark(now - ago - Span::DAY * (older + 9.0)),
        until: now - ago - Span::DAY * older,
        below: None,
        is_bottom,
        visit: VisitId(u64::from(number)),
    };
    source.coverage =
        Coverage { intervals: vec![interval(0.0, false), interval(10.0, true)], ..Coverage::default() };
    source
}
