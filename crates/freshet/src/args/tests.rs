//! The command line as a contract: what is accepted, what is refused, what the defaults are.

use clap::CommandFactory as _;

use super::*;

mod documents;
mod reference;

fn parse(line: &str) -> Result<Args, clap::Error> {
    Args::try_parse_from(std::iter::once("freshet").chain(line.split_whitespace()))
}

#[test]
fn the_declaration_is_sound() {
    Args::command().debug_assert();
}

/// What people and checks rely on.
const CONTRACT: &[&str] = &[
    "demo --headless --for 30s --seed 7",
    "init --clock http://127.0.0.1:4000/clock --data x",
    "--data x init",
    "add https://example.social/@ada @bob@example.org --since 7d --allow-private",
    "add -f list.csv --column handle --since 2026-01-01",
    "remove @ada@example.social",
    "forget mastodon:example.social/account/1 --yes",
    "forget --undo @ada@example.social --format json",
    "check --format json",
    "copy data postgres://db/freshet --format json",
    "add --store never https://example.social/@ada",
    "add --store postgres://db/freshet --store never https://example.social/@ada",
    "--store postgres://db/freshet status",
    "export --store postgres://me@db/freshet?options=-csearch_path%3Da --format jsonl",
    "run --headless --for 60s --no-dashboard --ceiling 1h --policy change_rate --clock http://h/clock",
    "dashboard",
    "dashboard --listen 127.0.0.1:0 --for 5s",
    "dashboard password",
    "run --listen 127.0.0.1:0",
    "status --format json",
    "explain 7",
    "plan",
    "plan --lag 10m --format json",
    "plan --calls-per-hour 200",
    "gaps --format json --data x",
    "search word --limit 5",
    "find bluesky ada lovelace --add --limit 5",
    "robots list --format json",
    "robots start relation",
    "robots pause status",
    "robots resume comment",
    "robots stop tag",
    "run --deliver new.jsonl --depth 2",
    "constraints list --format json",
    "constraints add post depth<=1",
    "constraints remove 1",
    "constraints clear",
    "constraints wait 14",
    "subscriptions list",
    "subscriptions add a --file new.jsonl --from beginning",
    "subscriptions add a --webhook https://a.example/ --kinds posts,deletions --where post true --where account true --unsigned",
    "subscriptions add a --stdout --drop-beyond 5000 --from 7d",
    "subscriptions add a --from change:7 -- jq -c .record",
    "subscriptions replay a --from beginning",
    "budget list --format json",
    "budget set mastodon 600/h",
    "budget set all -5/h",
    "budget remove all",
    "budget clear",
    "calendar list --format json",
    "calendar set all days.toml",
    "calendar remove all",
    "calendar check days.toml",
    "export --format parquet --kind accounts --since 7d --until 2026-01-01 -o out",
    "export --kind posts,accounts,relations,changes -o out",
    "export --split day --dry-run --restart -o out",
    "export --apply-deletions out --format json",
    "export --tombstones out",
    "snapshot folder --title T --data-format csv --since 7d --format json",
    "snapshot verify folder --format json",
    "alerts --limit 5 --format json",
    "alerts test phone",
    "alerts config",
    "status --quiet --color never",
    "add @ada@example.social --weight 0.5",
    "weight @ada@example.social 17 2.5 --format json",
    "run --importance off",
    "networks list",
    "networks show mastodon",
    "networks check a.toml b.toml",
    "networks read --network mastodon --recordings r.jsonl --format jsonl",
    "networks set mastodon:example.social on_delete redact",
    "networks set mastodon retention 90d --yes",
    "networks set mastodon retention keep",
    "retention @ada@example.social 17 90d --format json",
    "retention 17 keep",
    "add x --retention 1h --yes",
    "care",
    "care --format json",
    "care @ada@example.social --format json",
    "care set within 30d",
    "care drop out",
    "forget x --yes --receipt receipt.json",
    "networks schema",
    "credentials add bluesky --name n --robot relation --kind app_password",
    "credentials list",
    "credentials remove n",
    "world serve --seed 11 --accounts 120 --speed 600 --listen 127.0.0.1:0",
    "completions bash",
    "man -o pages",
    "status -vv",
];

#[test]
fn the_contract_is_accepted() {
    for line in CONTRACT {
        if let Err(error) = parse(line) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn misuse_is_refused() {
    for (line, word) in [
        ("init --contact me(at)home", "mail address"),
        ("add", "REF"),
        ("add --column x", "file"),
        ("add x --since soon", "a span back"),
        ("add x --weight 0", "0.001 to 1000"),
        ("weight x -1", "negative"),
        ("run --importance perhaps", "`on` or `off`"),
        ("run --for soon", "30s"),
        ("run --ceiling 0", "30s"),
        ("plan --lag soon", "10m"),
        ("plan --calls-per-hour 0", "above 0"),
        ("plan --lag 1m --calls-per-hour 9", "cannot be used with"),
        ("status --clock nowhere", "http://"),
        ("export --format xml", "jsonl, csv, parquet"),
        ("export --kind likes", "posts, accounts"),
        ("export --apply-deletions a --tombstones b", "cannot be used with"),
        ("export --apply-deletions a -o b", "cannot be used with"),
        ("robots start dog", "relation, user"),
        ("constraints add post", "EXPRESSION"),
        ("constraints wait 0", "1..=3650"),
        ("subscriptions add a", "required"),
        ("subscriptions add a --file x --stdout", "cannot be used with"),
        ("subscriptions add a --file x --allow-private", "cannot be used with"),
        ("subscriptions add a --stdout --from yesteryear", "no place in the log"),
        ("find bluesky", "WORDS"),
        ("networks set mastodon colour red", "on_delete, retention"),
        ("retention x soon", "90d"),
        ("care set soon", "unrecognized"),
        ("care set within soon", "30s"),
        ("add x --yes", "--retention"),
        ("forget x --undo --receipt f", "cannot be used with"),
        ("world serve --speed 0", "above 0"),
        ("world serve --accounts 0", "accounts"),
        ("credentials add bluesky --kind cookie", "app_password"),
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), 2, "{line}");
        assert!(error.to_string().contains(word), "{line}: {error}");
    }
}
