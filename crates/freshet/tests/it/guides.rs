//! The guides, typed as they are printed: every command of theirs runs in a shell, in order, and every line of output that
//! they show is one that the program prints now, but for its figures.
//!
//! Ports are exchanged for free ones. What serves (`world serve`) is left running beside the rest. What needs a person at a
//! terminal, a machine to install on or the Internet is named in [`Guide::leaves_out`]; that those commands can be typed at all is
//! tested where arguments are read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::process::{Process, free_port};
use crate::support::{http, need_programs, until};

/// Longest that all commands of a guide may take together.
const LIMIT: Duration = Duration::from_mins(4);
/// Before the output of a command in what the shell says.
const SIGN: &str = "@@ command";

/// A guide and what it stands on.
struct Guide {
    name: &'static str,
    /// What was typed before the guide begins, in a data directory of a world that is served at the port it names.
    before: Option<&'static str>,
    /// Commands that cannot be tried here, by how they begin.
    leaves_out: &'static [&'static str],
    /// Commands that fail, as the guide says.
    fails: &'static [&'static str],
    /// Lines of output that are like the real ones in shape only by chance.
    varies: &'static [&'static str],
}

/// One command, and what the guide says that it prints.
#[derive(Debug)]
struct Step {
    command: String,
    shown: Vec<String>,
}

#[test]
fn your_first_crawl() {
    check(&Guide {
        name: "first-crawl",
        before: None,
        leaves_out: &[],
        fails: &[],
        varies: &["30 of 100 lists", "97 of 100 lists", "    ", "  median lag"],
    });
}

#[test]
fn add_a_network() {
    check(&Guide { name: "add-a-network", before: None, leaves_out: &[], fails: &[], varies: &[] });
}

#[test]
fn robots_and_depth() {
    check(&Guide {
        name: "robots-and-depth",
        before: Some("freshet status"),
        leaves_out: &[],
        fails: &["freshet robots pause comment"],
        varies: &["relation", "status", "user", "0|", "1|", "2|"],
    });
}

#[test]
fn care() {
    check(&Guide {
        name: "care",
        before: Some("freshet add @bob@example.social"),
        // It asks a person.
        leaves_out: &["freshet forget"],
        fails: &[],
        varies: &["sources", "  opted_out"],
    });
}

fn check(guide: &Guide) {
    let programs = ["bash", "curl", "python3", "sqlite3"];
    if !need_programs(&format!("guides::{}", guide.name), &programs) {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/guide/{}.md", guide.name));
    let text = std::fs::read_to_string(path).expect("the guide can be read");
    let (world, site) = (free_port(), free_port());
    let text = text.replace(":4040", &format!(":{world}")).replace("8765", &site.to_string());
    let folder = TempDir::with_prefix("freshet-guide-").expect("a folder for the guide");
    for (name, text) in files(&text) {
        std::fs::write(folder.path().join(name), text).expect("a file of the guide can be written");
    }
    std::fs::write(folder.path().join("secret.txt"), "alice.bsky.social:a-secret\n").expect("a secret");
    let is_wanted = |step: &Step| !guide.leaves_out.iter().any(|it| step.command.starts_with(it));
    let steps: Vec<Step> = steps(&text).into_iter().filter(is_wanted).collect();
    let is_server = |step: &Step| step.command.starts_with("freshet world serve");
    let mut served = None;
    if guide.before.is_some() {
        served = Some(serve(
            &format!("freshet world serve --seed 7 --speed 60 --listen 127.0.0.1:{world}"),
            world,
            folder.path(),
        ));
    }
    if let Some(step) = steps.iter().find(|step| is_server(step)) {
        let command = format!("{} --listen 127.0.0.1:{world}", step.command);
        served = Some(serve(&command, world, folder.path()));
        let said = std::fs::read_to_string(folder.path().join("world.log")).unwrap_or_default();
        compare(guide, step, &said);
    }
    let steps: Vec<&Step> = steps.iter().filter(|step| !is_server(step)).collect();
    let script = script(guide, &steps, (world, site));
    let said = run(&script, folder.path());
    for (at, step) in steps.iter().enumerate() {
        let after = said.split_once(&format!("{SIGN} {at}\n")).map(|(_, after)| after);
        let after = after.unwrap_or_else(|| panic!("`{}` was not reached\n{said}", step.command));
        let (said, code) = after.split_once(&format!("{SIGN} {at} ended ")).expect("a command ends");
        let is_done = code.starts_with("0\n");
        let may_fail = guide.fails.contains(&step.command.as_str());
        assert!(is_done || may_fail, "{}: `{}` failed\n{said}", guide.name, step.command);
        compare(guide, step, said);
    }
    drop(served);
}

/// All steps in one script, with a sign before and after each.
fn script(guide: &Guide, steps: &[&Step], (world, site): (u16, u16)) -> String {
    let mut script = String::new();
    if let Some(before) = guide.before {
        let clock = format!("http://127.0.0.1:{world}/clock");
        let init = format!("freshet init --contact you@example.org --clock {clock}");
        let _ = writeln!(script, "export FRESHET_DATA=crawl\n{init}\n{before}");
    }
    for (at, step) in steps.iter().enumerate() {
        // A person is not as quick as a script: a server that was just started answers by then.
        if at > 0 && steps[at - 1].command.contains("http.server") {
            let _ =
                writeln!(script, "until curl -s -o site.log http://127.0.0.1:{site}/; do sleep 0.2; done");
        }
        let secret = if asks_for_secret(&step.command) { " < secret.txt" } else { "" };
        let _ = writeln!(script, "echo '{SIGN} {at}'\n{}{secret}\necho '{SIGN} {at} ended '$?", step.command);
    }
    script
}

/// Whether a person would type a secret now.
fn asks_for_secret(command: &str) -> bool {
    command.starts_with("freshet credentials add") && !command.contains('<')
}

/// Every line that is shown is printed, but for figures, names and what is left out.
fn compare(guide: &Guide, step: &Step, said: &str) {
    let printed: BTreeSet<String> = said.lines().map(shape).collect();
    for line in &step.shown {
        let is_free = guide.varies.iter().any(|it| line.starts_with(it)) || line.trim().is_empty();
        let (start, end) = line.split_once('…').map_or((shape(line), None), |(start, end)| {
            (shape(start), Some(shape(end.rsplit('…').next().unwrap_or(end))))
        });
        let is_printed = printed.iter().any(|it| match &end {
            None => *it == start,
            Some(end) => it.starts_with(&start) && it.ends_with(end.as_str()),
        });
        assert!(
            is_free || is_printed,
            "{}: `{}` does not print\n  {line}\nbut\n{said}",
            guide.name,
            step.command
        );
    }
}

/// A line without what differs from crawl to crawl: numbers, names of simulated accounts, plurals and gaps.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for word in line.split_whitespace() {
        let is_account = word.split('_').count() == 3 && word.ends_with(|c: char| c.is_ascii_digit());
        let word =
            if is_account { "account".to_owned() } else { word.replace(|c: char| c.is_ascii_digit(), "0") };
        let mut letters: String = word.clone();
        while letters.contains("00") {
            letters = letters.replace("00", "0");
        }
        let letters = letters.replace("0+", "0");
        shape.push_str(letters.trim_end_matches(['s', ';']));
        shape.push(' ');
    }
    shape.trim_end().to_owned()
}

/// The commands of a guide: those after `$ `, with the lines that a shell would wait for.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in blocks(text, "") {
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(command) = line.strip_prefix("$ ") {
                let mut command = command.to_owned();
                while !is_whole(&command) {
                    let Some(more) = lines.next() else { panic!("`{command}` has no end") };
                    command.push('\n');
                    command.push_str(more);
                }
                steps.push(Step { command, shown: Vec::new() });
            } else if let Some(step) = steps.last_mut().filter(|_| block.starts_with("$ ")) {
                step.shown.push(line.to_owned());
            }
        }
    }
    assert!(!steps.is_empty(), "the guide has commands");
    steps
}

/// Whether a shell would begin to work on it.
fn is_whole(command: &str) -> bool {
    let said = Command::new("bash").args(["-n", "-c", command]).stdin(Stdio::null()).output();
    said.is_ok_and(|said| said.status.success() && said.stderr.is_empty())
}

/// Files that a guide asks to save: blocks of TOML, under the name that the sentence before them gives.
fn files(text: &str) -> Vec<(String, String)> {
    let toml = blocks(text, "toml");
    let names = text.lines().filter_map(|line| line.strip_prefix("Save this as `")?.split('`').next());
    names.map(str::to_owned).zip(toml).collect()
}

fn blocks(text: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), None::<(bool, String)>);
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => {
                blocks.extend(open.take().filter(|(is_meant, _)| *is_meant).map(|(_, it)| it));
            }
            (Some(named), None) => open = Some((named == language, String::new())),
            (None, Some((_, block))) => block.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    blocks
}

fn serve(command: &str, port: u16, folder: &Path) -> Process {
    let log = std::fs::File::create(folder.join("world.log")).expect("a file for the world's words");
    let mut shell = shell(folder);
    let process =
        Process::start(shell.arg("-c").arg(format!("exec {command}")).stdout(log).stderr(Stdio::null()));
    let base = format!("http://127.0.0.1:{port}");
    until("the world", Duration::from_mins(1), || http::is_up(&base, "/clock").then_some(()));
    process
}

/// Runs a script to its end; gives all that it says.
fn run(script: &str, folder: &Path) -> String {
    let (path, log) = (folder.join("guide.sh"), folder.join("guide.log"));
    // What the guide leaves running ends with the script.
    std::fs::write(&path, format!("trap 'kill $(jobs -p) 2> /dev/null' EXIT\n{script}")).expect("a script");
    let file = std::fs::File::create(&log).expect("a file for what it says");
    let twin = file.try_clone().expect("a file can be shared");
    let mut process = Process::start(shell(folder).arg(&path).stdout(file).stderr(twin)).ended_by("TERM");
    let status = process.finish_within(LIMIT);
    let said = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    assert!(status.is_some(), "the guide does not end\n{said}");
    said
}

/// A shell in the folder that finds the program under test and a passphrase.
fn shell(folder: &Path) -> Command {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_freshet"));
    let mut path = program.parent().expect("a program lies in a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder)
        .env("FRESHET_PASSPHRASE", "a passphrase");
    command.env_remove("FRESHET_DATA").env_remove("FRESHET_CONTACT");
    command
}
