//! How much memory a page takes while it is read: each case in a process of its own, by what the system counts.
//!
//! The pages are as hostile as the largest that are read can be. A process that reads nothing is measured as well and taken
//! off. Only Linux says what a process took at most, so this is a test of Linux alone.
#![cfg(target_os = "linux")]

use std::process::Command;

use freshet_forum::page::{Page, Source};
use freshet_forum::tree::BYTES_MAX;
use url::Url;

/// Most memory that reading one takes, in pages; the page itself is one of them.
const RATIO_MAX: f64 = 8.0;
/// Tells a process which case is its own.
const CASE: &str = "FRESHET_MEMORY_CASE";

/// Names of cases, and what they repeat.
const CASES: &[(&str, &str)] = &[
    ("nothing", ""),
    ("paragraphs", "<p>"),
    ("letters", "<i>x</i>"),
    ("links", "<a href=/@>x</a>"),
    ("attributes", "<b data-a=1 data-b=2 data-c=3>x</b>"),
    ("formatting", "<p><b id=@>x"),
    ("text", "words and more words, "),
    ("times", "<p>15 Nov 2026 10:00</p>"),
    ("threads", "<li><a href=/t/@>title @</a> by <b>name</b> 15.11.2026 10:00</li>"),
];

/// The most memory that this process had at any time, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux says it");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("it is a number")
}

/// Reads the case that the environment names, and prints the peak; without one, does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "a process learns its case from the one that started it")]
fn one_case() {
    let Ok(name) = std::env::var(CASE) else { return };
    let (_, repeated) = CASES.iter().find(|(case, _)| *case == name).unwrap();
    let mut html = String::with_capacity(BYTES_MAX);
    let mut number = 0;
    while !repeated.is_empty() && html.len() + repeated.len() + 16 < BYTES_MAX {
        html.push_str(&repeated.replace('@', &number.to_string()));
        number += 1;
    }
    let url = Url::parse("https://forum.example/t/1").unwrap();
    let page = Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: Some(1_800_000_000) });
    println!("read {} nodes; peak_kib={}", page.tree.len(), peak_kib());
}

fn measure(name: &str) -> (u64, String) {
    let own = std::env::current_exe().expect("a test is a program");
    let output = Command::new(own)
        .args(["--exact", "one_case", "--nocapture"])
        .env(CASE, name)
        .output()
        .expect("it can be started again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let peak = text.split("peak_kib=").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    (peak.unwrap_or_else(|| panic!("{name}: {text}{}", String::from_utf8_lossy(&output.stderr))), text)
}

#[test]
fn reading_takes_a_few_times_the_page() {
    let (nothing, _) = measure("nothing");
    let mut over = Vec::new();
    for (name, _) in &CASES[1..] {
        let (peak, text) = measure(name);
        let pages = (peak.saturating_sub(nothing) * 1024) as f64 / BYTES_MAX as f64;
        println!("{name}: {pages:.1} pages; {}", text.lines().find(|it| it.contains("read ")).unwrap_or("-"));
        if pages > RATIO_MAX {
            over.push(format!("{name}: {pages:.1}"));
        }
    }
    assert!(over.is_empty(), "these take more than {RATIO_MAX} pages: {over:?}");
}
