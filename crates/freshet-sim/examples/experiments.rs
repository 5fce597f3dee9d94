//! Runs studies and writes their pages: what `cargo xtask experiments` builds and starts.
//!
//! `experiments --traces DIR --out DIR [--check] [NAME...]`: all studies unless some are named. With `--check` nothing is
//! written; pages that would change are named, and the run fails. The page about speed is never compared.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a development tool talks to a terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use freshet_sim::study::{Page, STUDIES, Study, Traces};

/// Differs from run to run.
const SPEED: &str = "speed.md";

struct Options {
    traces: PathBuf,
    out: PathBuf,
    is_check: bool,
    names: Vec<String>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options(std::env::args().skip(1))?;
    let traces = Traces::open(&options.traces).map_err(|error| error.to_string())?;
    let mut is_same = true;
    for study in STUDIES.iter().filter(|study| wants(&options, study)) {
        let began = Instant::now();
        let pages = study.run(&traces).map_err(|error| format!("{}: {error}", study.name))?;
        println!("{}: {:.1} s", study.name, began.elapsed().as_secs_f64());
        for (file, text) in pages.iter().flat_map(files) {
            is_same &= deliver(&options, &file, &text)?;
        }
    }
    is_same &= deliver(&options, "README.md", &index())?;
    Ok(is_same || !options.is_check)
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options =
        Options { traces: PathBuf::new(), out: PathBuf::new(), is_check: false, names: Vec::new() };
    while let Some(arg) = args.next() {
        let mut folder = || args.next().map(PathBuf::from).ok_or_else(|| format!("`{arg}` needs a folder"));
        match arg.as_str() {
            "--traces" => options.traces = folder()?,
            "--out" => options.out = folder()?,
            "--check" => options.is_check = true,
            name if STUDIES.iter().any(|study| study.name == name) => options.names.push(arg),
            other => {
                let known: Vec<_> = STUDIES.iter().map(|study| study.name).collect();
                return Err(format!("there is no study `{other}`; the studies are {}", known.join(", ")));
            }
        }
    }
    if options.traces.as_os_str().is_empty() || options.out.as_os_str().is_empty() {
        return Err("give `--traces DIR` and `--out DIR`".to_owned());
    }
    Ok(options)
}

fn wants(options: &Options, study: &Study) -> bool {
    options.names.is_empty() || options.names.iter().any(|name| name == study.name)
}

fn files(page: &Page) -> Vec<(String, String)> {
    let mut files = vec![(format!("{}.md", page.name), page.markdown().to_owned())];
    files.extend(page.plots.iter().cloned());
    files
}

/// Writes a file, or says whether it would change.
fn deliver(options: &Options, file: &str, text: &str) -> Result<bool, String> {
    let path = options.out.join(file);
    if options.is_check {
        let is_same = file == SPEED || std::fs::read_to_string(&path).is_ok_and(|found| found == text);
        if !is_same {
            println!("  differs: {file}");
        }
        return Ok(is_same);
    }
    std::fs::create_dir_all(&options.out).map_err(|error| cannot_write(&options.out, &error))?;
    std::fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?;
    Ok(true)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("`{}` cannot be written: {error}", path.display())
}

/// The index of the pages.
fn index() -> String {
    let mut page = Page::new("README", "Results");
    page.text(
        "What the policies reach, and how far that is from what the papers report. Every page is made by \
         `cargo xtask experiments` (all of them) or `cargo xtask experiments NAME`, from recorded histories that are not part of the \
         project: `--traces DIR` names their folder, otherwise `../shared/traces` is looked for. Windows and seeds are fixed, so a run on any machine \
         gives the same bytes; `cargo xtask experiments --check` compares. Only `speed.md` differs.",
    );
    let row = |study: &Study| {
        vec![
            format!("[{}]({}.md)", study.name, study.name),
            study.about.to_owned(),
            study.seed.to_owned(),
            format!("`cargo xtask experiments {}`", study.name),
        ]
    };
    page.table(&["page", "what it shows", "seed", "command"], STUDIES.iter().map(row));
    page.text(
        "Traces: a1 accounts of the United States Congress (github.com/alexlitel/congresstweets, MIT), a3 public figures \
         (github.com/bpb27/trump-tweet-archive), a5 a chat (github.com/indieweb/indieweb-chat-archive), b6 chat rooms \
         (github.com/freeCodeCamp/gitter-history, BSD-3-Clause): user and time of each post, nothing else; b1, b2, b3, b4 and b8 are forums \
         (github.com/leanprover-community/archive, github.com/bitcoin-data/github-metadata-backup-bitcoin-bitcoin, \
         github.com/gitgitgadget/git-mailing-list-mirror, github.com/MichaelChirico/r-mailing-list-archive, \
         github.com/pieper/slicer-discourse-archive): board, thread, time and author. A small excerpt of a1 \
         lies in `crates/freshet-sim/samples`; `freshet simulate --trace` runs on it without any of these, and \
         `freshet simulate --forum` on any forum's history.",
    );
    page.markdown().to_owned()
}
