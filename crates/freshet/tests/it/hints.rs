//! Whatever goes wrong, the program names the thing and ends with a hint: commands against faults, as data.

use crate::support::freshet::Freshet;

/// What would help nobody: it is for errors that nobody foresaw.
const LAST_RESORT: &str = "says more of what happens";

/// Runs a command that must fail with this code, and looks for these words and for a hint at its end.
fn check(freshet: &Freshet, args: &[&str], code: i32, words: &[&str]) {
    let said = freshet.say(args);
    let name = format!("freshet {}", args.join(" "));
    assert_eq!(said.code, code, "`{name}`\n{}\n{}", said.out, said.err);
    let all = format!("{}{}", said.out, said.err);
    for word in words {
        assert!(all.contains(word), "`{name}` does not say `{word}`\n{all}");
    }
    let hint = said.err.rsplit_once("hint: ").map(|(_, hint)| hint.trim());
    assert!(hint.is_some_and(|hint| !hint.is_empty()), "`{name}` has no hint\n{all}");
    assert!(!all.contains(LAST_RESORT), "`{name}` has a hint that does not help\n{all}");
    assert!(!all.contains("panicked") && !all.contains("For more information"), "`{name}`\n{all}");
}

#[test]
fn a_missing_data_directory() {
    let freshet = Freshet::new();
    for line in [
        "status",
        "gaps",
        "plan",
        "alerts",
        "robots list",
        "robots start tag",
        "constraints list",
        "explain x",
        "search x",
        "remove x",
        "pause x",
        "resume x",
        "forget x --yes",
        "export",
        "snapshot folder",
        "run",
        "dashboard",
        "simulate --from-store --from 7d --policies rr --calls-per-hour 3",
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, 2, &["no data directory", "freshet init", "--data"]);
    }
}

#[test]
fn a_file_where_the_data_directory_should_be() {
    let freshet = Freshet::new();
    std::fs::write(freshet.data(), "x").unwrap();
    for line in ["status", "gaps", "run --for 1s", "export", "search x"] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, 2, &["is a file", "--data"]);
    }
    for line in ["init", "add @ada@example.social"] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, 1, &["cannot be made", "in the way"]);
    }
}

#[test]
fn what_is_asked_for_makes_no_sense() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    for (line, words) in [
        ("nonsense", &["nonsense", "freshet --help"][..]),
        ("status --nonsense", &["--nonsense", "freshet status --help"]),
        ("plan --lag soon", &["soon", "10m", "freshet plan --help"]),
        ("plan --calls-per-hour -3", &["-3", "above 0"]),
        ("plan --lag 1m --calls-per-hour 3", &["--lag", "--calls-per-hour"]),
        ("plan", &["nothing to plan with", "freshet add"]),
        ("run --for soon", &["soon", "30s"]),
        ("run --policy nonsense --for 1s", &["nonsense", "change-rate"]),
        ("run --listen nowhere", &["nowhere", "IP:PORT"]),
        ("run --listen 0.0.0.0:0 --for 1s", &["0.0.0.0", "freshet dashboard password"]),
        ("status --clock nonsense", &["nonsense", "system"]),
        ("init --contact me", &["me", "you@example.org"]),
        ("explain 99", &["99", "number of a source"]),
        ("remove nobody", &["nobody", "handle"]),
        ("pause nobody", &["nobody", "handle"]),
        ("resume nobody", &["nobody", "handle"]),
        ("forget nobody", &["nobody", "--yes"]),
        ("forget nobody --yes", &["nobody", "address"]),
        ("search AND", &["AND", "a phrase"]),
        ("find nowhere x", &["nowhere", "mastodon"]),
        ("find rss x", &["rss", "cannot be searched", "mastodon"]),
        ("find mastodon x", &["many servers", "mastodon:example.social"]),
        ("robots start dog", &["dog", "relation"]),
        ("robots pause tag", &["tag", "freshet robots start tag"]),
        ("robots credential status nobody", &["nobody", "freshet credentials add"]),
        ("constraints add post +", &["post", "freshet constraints --help"]),
        ("focus set", &["words, a tag, a language or a place", "freshet focus set --tag"]),
        ("focus set --lang xx", &["`xx` is no language", "--lang en"]),
        ("focus set --tag a --explore 101%", &["`101%`", "--explore 10%"]),
        ("constraints add dog true", &["dog", "account"]),
        ("constraints add account true --for fun", &["fun", "discover"]),
        ("constraints add mastodon/tag true", &["no effect", "freshet constraints --help"]),
        ("constraints add mastodon/server true --for revisit", &["no effect"]),
        ("constraints add mastodon/account account.location=='x'", &["column 8", "nothing fills `location`"]),
        (
            "constraints add account account.posts.within('soon').size()>1",
            &["column 22", "`soon` is no span"],
        ),
        ("constraints test account true nobody", &["nobody", "account/1"]),
        ("constraints remove 9", &["9", "freshet constraints list"]),
        ("networks show nowhere", &["nowhere", "mastodon"]),
        ("networks read --network nowhere --recordings x", &["nowhere", "mastodon"]),
        ("credentials add nowhere", &["nowhere", "mastodon"]),
        ("credentials add mastodon", &["mastodon", "example.social"]),
        ("export --kind likes", &["likes", "posts"]),
        ("export --since soon", &["soon", "7d"]),
        ("simulate", &["--trace", "freshet simulate --help"]),
        ("simulate --trace x --policies dog --from 2019-01-01 --calls-per-hour 4", &["dog", "rr"]),
        ("simulate --from-store --from 7d --policies rr --calls-per-hour 4", &["posts"]),
        ("completions dos", &["dos", "bash"]),
        ("alerts test nobody", &["nobody", "freshet alerts config"]),
        ("snapshot verify nowhere", &["nowhere", "freshet snapshot DIR"]),
        ("world serve --layout odd", &["odd", "classic"]),
        ("world serve --accounts 0", &["0", "freshet world serve --help"]),
        ("demo --for soon", &["soon", "30s"]),
        ("dashboard password", &["standard input", "empty line"]),
        ("forum inspect page.html", &["page.html", "--url"]),
        ("forum inspect page.html --url x", &["x", "https://"]),
        ("add what?", &["what?", "@user@host"]),
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, 2, words);
    }
}

#[test]
fn what_is_kept_cannot_be_set_so() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    for (line, words) in [
        ("networks set mastodon on_delete redact", &["mastodon", "add something"][..]),
        ("networks set mastodon on_delete burn", &["burn", "redact"]),
        ("networks set mastodon retention soon", &["soon", "90d"]),
        ("networks set mastodon retention 1", &["--yes", "90d"]),
        ("retention @nobody@host 90d", &["@nobody@host"]),
        ("care drop nowhere", &["nowhere", "freshet care"]),
        ("export --apply-deletions nowhere", &["nowhere", "export -o"]),
        ("networks set mastodon store sometimes", &["sometimes", "never"]),
        ("networks set mastodon on_delete redact --erase", &["--erase", "store never"]),
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, 2, words);
    }
}

#[test]
fn files_that_are_not_what_they_should_be() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let at = |name: &str| freshet.folder().join(name);
    std::fs::write(at("binary"), [0xff, 0xfe, 0x00, 0x80]).unwrap();
    std::fs::write(at("odd.toml"), "name = \"odd\"\n").unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    for (line, code, words) in [
        ("networks check odd.toml", 1, &["odd.toml:1", "definitions.md"][..]),
        ("networks check folder", 1, &["folder", "not a directory"]),
        ("networks check binary", 1, &["binary", "UTF-8"]),
        ("networks check absent", 1, &["absent", "path"]),
        ("networks read --network mastodon --recordings folder", 1, &["folder", "not a directory"]),
        ("networks read --network mastodon --recordings absent", 1, &["absent", "path"]),
        ("add -f absent", 1, &["absent", "path"]),
        ("add -f folder", 2, &["folder", "OPML"]),
        ("add -f binary", 2, &["line 1", "@user@host"]),
        ("forum learn folder", 2, &["folder/index.tsv", "captured"]),
        ("forum inspect absent --url http://a.example/ --site absent", 1, &["absent", "path"]),
        (
            "simulate --trace absent --policies rr --from 2019-01-01 --calls-per-hour 4",
            1,
            &["absent", "a trace is"],
        ),
        (
            "simulate --trace binary --policies rr --from 2019-01-01 --calls-per-hour 4",
            1,
            &["binary", "a trace is"],
        ),
        ("world serve --forum absent", 1, &["absent", "trace"]),
        ("run --for 1s --no-dashboard --record folder", 1, &["folder", "not a directory"]),
        ("run --for 1s --no-dashboard --deliver folder", 1, &["folder", "not a directory"]),
        ("man -o binary", 1, &["binary", "in the way"]),
        ("export -o binary", 2, &["binary", "name a folder"]),
        ("world serve --listen 203.0.113.9:1", 1, &["203.0.113.9:1", "127.0.0.1"]),
        ("dashboard --listen 203.0.113.9:1", 1, &["203.0.113.9:1", "127.0.0.1"]),
        ("run --for 1s --clock http://127.0.0.1:9/clock", 1, &["127.0.0.1:9", "--clock system"]),
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        check(&freshet, &args, code, words);
    }
}
