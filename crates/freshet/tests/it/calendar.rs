//! `freshet calendar`: set, listed, taken away, and what is said about files that are no calendars.

use crate::support::freshet::Freshet;

const GERMANY: &str =
    "zone = \"Europe/Berlin\"\n[holidays]\n\"new year\" = [\"2025-01-01\", \"2026-01-01\"]\n";

fn with_files() -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    for (name, text) in [
        ("germany.toml", GERMANY),
        ("gulf.toml", "weekend = [\"fri\", \"sat\"]\n"),
        ("february.toml", "[holidays]\ncarnival = [\"2026-02-30\"]\n"),
        ("mars.toml", "zone = \"Mars/Olympus\"\n"),
        ("twice.toml", "[holidays]\na = [\"2026-01-01\"]\nb = [\"2026-01-01\"]\n"),
        ("odd.toml", "zone = \"UTC\"\nholiday = 5\n"),
        ("empty.toml", ""),
    ] {
        std::fs::write(freshet.folder().join(name), text).expect("the folder is ours");
    }
    freshet
}

#[test]
fn a_calendar_is_set_listed_and_taken_away() {
    let freshet = with_files();
    assert!(freshet.ok(&["calendar", "list"]).contains("no calendars"));
    freshet.ok(&["calendar", "set", "all", "germany.toml"]);
    let report = freshet.json(&["calendar", "set", "rss", "gulf.toml"]);
    let scopes: Vec<_> =
        report["calendars"].as_array().unwrap().iter().map(|it| it["scope"].clone()).collect();
    assert_eq!(scopes, ["all", "rss"]);
    assert_eq!(report["calendars"][0]["zone"], "Europe/Berlin");
    assert_eq!(report["calendars"][0]["dates_count"], 2);
    assert_eq!(report["calendars"][1]["weekend"][0], "fri");
    let text = freshet.ok(&["calendar", "remove", "rss"]);
    assert!(text.contains("Europe/Berlin") && !text.contains("rss"), "{text}");
    assert!(freshet.ok(&["calendar", "check", "gulf.toml"]).contains("fri, sat"));
}

#[test]
fn what_is_no_calendar_is_named() {
    let freshet = with_files();
    for (args, words) in [
        (["check", "february.toml"].as_slice(), ["february.toml", "2026-02-30"]),
        (&["check", "mars.toml"], ["`zone`", "Mars/Olympus"]),
        (&["check", "twice.toml"], ["2026-01-01", "`b`"]),
        (&["check", "odd.toml"], ["line 2", "holiday"]),
        (&["check", "empty.toml"], ["empty.toml", "it is empty"]),
        (&["check", "absent.toml"], ["absent.toml", "cannot be read"]),
        (&["set", "nowhere", "germany.toml"], ["nowhere", "networks list"]),
        (&["remove", "all"], ["no calendar was set", "calendar list"]),
    ] {
        let said = freshet.say(&[&["calendar"], args].concat());
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert!(words.iter().all(|word| said.err.contains(word)), "{args:?}: {}", said.err);
    }
}
