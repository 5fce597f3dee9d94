//! Saved pages of real forums with known answers, where a folder of them is named.
//!
//! `FRESHET_TEST_FORUM_PAGES` names a folder with one folder a site (`SITE/*.html.gz`), `index.tsv` (site, file, url, kind,
//! second acceptable kind, time of fetch) and `labels.jsonl` (records and next page of each). Without it the test is skipped
//! aloud. Pages of other people's forums are not part of this repository.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use freshet_forum::inspect::{PageReading, inspect};
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use freshet_types::Map;
use serde_json::Value;
use url::Url;

/// Shares that are asked for, in percent.
const KINDS_MIN: f64 = 97.0;
const TIMES_MIN: f64 = 95.0;
const NEXT_MIN: f64 = 97.0;

/// The pages of one site, with their names and acceptable kinds.
#[derive(Default)]
struct Site {
    facts: Vec<(String, [String; 2])>,
    pages: Vec<Page>,
}

/// How many there are, and how many of them are right.
#[derive(Debug, Default)]
struct Score {
    pages: [usize; 2],
    times: [usize; 2],
    next: [usize; 2],
}

#[test]
fn saved_pages_are_read_right() {
    let Some(folder) = need("saved_pages_are_read_right", "FRESHET_TEST_FORUM_PAGES") else { return };
    let labels = read(&folder.join("labels.jsonl"));
    let labels: Map<(String, String), Value> = labels
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("labels are JSON lines"))
        .map(|label| ((text(&label["site"]), text(&label["file"])), label))
        .collect();
    let mut score = Score::default();
    for (name, site) in sites(&folder) {
        let learned = learn(&site.pages);
        for ((file, kinds), page) in site.facts.iter().zip(&site.pages) {
            let reading = inspect(page, &learned.definition);
            score.add(kinds, &reading, &labels[&(name.clone(), file.clone())]);
        }
    }
    let percent = |[all, right]: [usize; 2]| 100.0 * right as f64 / all.max(1) as f64;
    let (kinds, times, next) = (percent(score.pages), percent(score.times), percent(score.next));
    let is_good = kinds >= KINDS_MIN && times >= TIMES_MIN && next >= NEXT_MIN;
    assert!(is_good, "kinds {kinds:.1} %, times {times:.1} %, next {next:.1} %: {score:?}");
}

impl Score {
    fn add(&mut self, kinds: &[String; 2], reading: &PageReading, label: &Value) {
        self.pages[0] += 1;
        self.pages[1] += usize::from(kinds.iter().any(|kind| kind == reading.kind.name()));
        if !matches!(label["kind"].as_str(), Some("index" | "post")) {
            return;
        }
        let records = label["records"].as_array().map_or(&[][..], Vec::as_slice);
        let is_exact = |record: &&Value| record["approx"].is_null();
        if records.iter().any(|record| is_exact(&record)) {
            self.times[0] += 1;
            let is_right = records.len() == reading.records.len()
                && records.iter().zip(&reading.records).all(|(record, found)| {
                    let wanted = [&record["time"], &record["attr_time"], &record["start_time"]];
                    let found = minute(found.local.as_deref().unwrap_or_default());
                    !is_exact(&record) || wanted.iter().any(|it| minute(it.as_str().unwrap_or("?")) == found)
                });
            self.times[1] += usize::from(is_right);
        }
        self.next[0] += 1;
        self.next[1] += usize::from(key(label["next_url"].as_str()) == key(reading.next_url.as_deref()));
    }
}

fn minute(time: &str) -> String {
    time.replace(' ', "T").chars().take(16).collect()
}

fn key(url: Option<&str>) -> Option<String> {
    url.and_then(|it| Url::parse(it).ok()).map(|it| freshet_forum::address::key(&it))
}

fn sites(folder: &Path) -> Vec<(String, Site)> {
    let table = read(&folder.join("index.tsv"));
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("the table has a head");
    let mut sites: Vec<(String, Site)> = Vec::new();
    for row in lines {
        let cell = |name: &str| {
            let at = head.iter().position(|it| *it == name);
            at.and_then(|at| row.get(at)).map(|it| (*it).to_owned()).unwrap_or_default()
        };
        let (name, file) = (cell("site"), cell("file"));
        let packed = std::fs::read(folder.join(&name).join(&file)).expect("the page is there");
        let mut html = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut html).expect("the page is packed");
        let url = Url::parse(&cell("url")).expect("the address is one");
        let fetched_s =
            jiff::fmt::rfc2822::parse(&cell("captured")).ok().map(|it| it.timestamp().as_second());
        if sites.last().is_none_or(|(known, _)| *known != name) {
            sites.push((name, Site::default()));
        }
        let (_, site) = sites.last_mut().expect("one was just added");
        site.facts.push((file, [cell("kind"), cell("alt_kind")]));
        site.pages.push(Page::read(&Source { html: &html, url: &url, fetched_s }));
    }
    sites
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The path in this variable, or a loud and counted skip.
fn need(test: &str, name: &str) -> Option<PathBuf> {
    let found = std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if found.is_none() {
        skip(test, &format!("`{name}` is not set; name a folder of saved pages with answers"));
    }
    found
}

/// Records that a test could not run.
#[expect(clippy::print_stdout, reason = "whoever runs `cargo test` by hand should see it too")]
fn skip(test: &str, reason: &str) {
    println!("SKIPPED: {test}: {reason}");
    let Some(path) = std::env::var_os("FRESHET_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.expect("the file of skips can be opened");
    writeln!(file, "{test}: {reason}").expect("the file of skips can be written");
}
