//! How the program reads in a terminal: eighty columns, colour only where it is wanted, quiet where it is asked for.

use crate::support::freshet::Freshet;
use crate::support::world::World;

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
