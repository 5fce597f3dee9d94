//! How the program reads in a terminal: eighty columns, colour only where it is wanted, quiet where it is asked for.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::freshet::Freshet;
use crate::support::need_programs;
use crate::support::process::Process;
use crate::support::world::World;

/// Longest that a command in a terminal may take.
const LIMIT: Duration = Duration::from_mins(2);

/// Columns of a plain terminal.
const COLUMNS: usize = 80;

/// Columns that a line takes; none of these reports has letters that are two wide.
fn width(line: &str) -> usize {
    line.chars().count()
}

#[test]
fn reports_fit_into_eighty_columns() {
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let author = world.truth()[0]["author"].as_str().unwrap().to_owned();
    let reference = format!("{}/@{author}", world.base);
    let gone = format!("{}/@nobody_of_this_very_long_name_that_goes_on_and_on_and_on", world.base);
    let long = "http://127.0.0.1:9/@somebody_on_a_server_that_does_not_answer_to_anybody";
    freshet.ok(&["add", "--allow-private", &reference, &gone, long]);
    freshet.ok(&["add", "https://example.social/@never_visited_because_it_is_not_reachable_from_here"]);
    let run = freshet.ok(&["run", "--no-dashboard", "--ceiling", "10m", "--for", "12s"]);
    let mut reports = vec![("run".to_owned(), run)];
    for args in [
        &["status"][..],
        &["gaps"],
        &["plan"],
        &["plan", "--lag", "10m"],
        &["plan", "--calls-per-hour", "100000"],
        &["explain", &reference],
        &["explain", &gone],
        &["explain", long],
        &["alerts"],
        &["robots", "list"],
        &["networks", "list"],
        &["search", "river OR the OR de OR です"],
        &["export", "--dry-run", "--kind", "posts,accounts,relations,changes", "--split", "day"],
    ] {
        let said = freshet.say(args);
        reports.push((args.join(" "), format!("{}{}", said.out, said.err)));
    }
    for (name, text) in reports {
        assert!(!text.contains('\u{1b}'), "`{name}` has colour\n{text}");
        for line in text.lines() {
            assert!(width(line) <= COLUMNS, "`{name}`: {} columns: {line}\n{text}", width(line));
        }
    }
}

#[test]
fn colour_and_quiet_are_heeded() {
    let freshet = Freshet::new();
    let coloured = freshet.say(&["status", "--color", "always"]);
    assert!(coloured.err.contains("\u{1b}[1;31merror:") && coloured.err.contains("hint:"), "{coloured:?}");
    for args in [&["status"][..], &["status", "--color", "never"], &["--color", "never", "nonsense"]] {
        let said = freshet.say(args);
        assert!(said.code != 0 && !said.err.contains('\u{1b}'), "{said:?}");
    }
    let bare = Freshet::new().with_variable("NO_COLOR", "1");
    assert!(bare.say(&["status", "--color", "always"]).err.contains('\u{1b}'), "what is typed goes first");
    freshet.ok(&["init"]);
    let quiet = freshet.say(&["run", "--quiet", "--for", "1s"]);
    assert!(quiet.code == 0 && quiet.err.is_empty() && quiet.out.lines().count() == 1, "{quiet:?}");
    let both = freshet.say(&["status", "--quiet", "--verbose"]);
    assert_eq!(both.code, 2, "{both:?}");
}

/// Runs a line in a pseudo-terminal of this size; gives everything that was drawn.
fn in_terminal(freshet: &Freshet, size: (usize, usize), line: &str) -> String {
    let (columns, rows) = size;
    let drawn = freshet.folder().join("drawn");
    let shell = format!("stty cols {columns} rows {rows}; {line} --data '{}'", freshet.data().display());
    let mut command = Command::new("script");
    command.args(["-qec", &shell]).arg(&drawn).env("SHELL", "/bin/sh").env_remove("NO_COLOR");
    let status = Process::start(command.stdout(Stdio::null()).stderr(Stdio::null())).finish_within(LIMIT);
    assert!(status.is_some_and(|status| status.success()), "`{line}` ended with {status:?}");
    String::from_utf8_lossy(&std::fs::read(drawn).expect("what was drawn")).into_owned()
}

/// Text without the words by which a terminal is steered.
fn bare(drawn: &str) -> String {
    let mut text = String::new();
    let mut rest = drawn;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = &after[end..];
    }
    let text = (text + rest).replace('\r', "");
    // The recorder of the terminal signs its work.
    text.lines().filter(|line| !line.starts_with("Script ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_live_view_fits_its_terminal() {
    if !need_programs("terminal::the_live_view", &["script"]) {
        return;
    }
    let world = World::start(6);
    let program = env!("CARGO_BIN_EXE_freshet");
    for size in [(60, 20), (80, 24), (120, 40)] {
        let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
        freshet.ok(&["init"]);
        for author in world.truth().iter().map(|post| post["author"].as_str().unwrap()).take(3) {
            freshet.ok(&["add", "--allow-private", &format!("{}/@{author}", world.base)]);
        }
        let line = format!("{program} run --no-dashboard --ceiling 10m --for 6s");
        let text = bare(&in_terminal(&freshet, size, &line));
        for word in [
            "freshet run",
            "history",
            "lists",
            "lag",
            "calls ready",
            "now",
            "waits",
            "robots",
            "posts as they come in",
        ] {
            assert!(text.contains(word), "`{word}` is not drawn in {size:?}\n{text}");
        }
        for line in text.lines().filter(|line| line.is_ascii() || line.contains('─')) {
            assert!(width(line) <= size.0.max(COLUMNS), "{} columns in {size:?}: {line}", width(line));
        }
        let rules: Vec<usize> = text.lines().filter(|line| line.starts_with("───")).map(width).collect();
        assert!(rules.iter().all(|&width| width < size.0) && !rules.is_empty(), "{size:?}: {rules:?}");
    }
}

#[test]
fn long_work_shows_its_progress_in_a_terminal_and_nothing_elsewhere() {
    if !need_programs("terminal::long_work", &["script"]) {
        return;
    }
    let freshet = Freshet::new();
    let list: Vec<String> = (0..6_000).map(|number| format!("@a{number}@example.social")).collect();
    std::fs::write(freshet.folder().join("list"), list.join("\n")).unwrap();
    let list = freshet.folder().join("list").display().to_string();
    let said = freshet.say(&["add", "-f", &list]);
    assert!(said.err.is_empty() && !said.out.contains('█'), "{said:?}");
    let line = format!("{} add -f '{list}'", env!("CARGO_BIN_EXE_freshet"));
    let text = bare(&in_terminal(&freshet, (80, 24), &line));
    assert!(text.contains("of 6,000") && text.contains('█'), "{text}");
    assert!(text.contains("6000 already there"), "{text}");
    let text = bare(&in_terminal(&freshet, (80, 24), &format!("{line} --quiet")));
    assert!(!text.contains('█') && text.contains("6000 already there"), "{text}");
}
