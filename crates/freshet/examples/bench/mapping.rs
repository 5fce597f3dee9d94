//! `mapping`: step 6 for JSON, from the bytes of an answer to the page that the engine gets, against a mapping that
//! was written by hand for this network (`by_hand`), and against `serde_json` building its tree of the same bytes.
//!
//! The pages are those of `pipeline`: 40 posts of Mastodon's dialect each. All sides run on one thread, one after
//! the other, and the two mappings must give the same posts and accounts. Ratios are items a second; above 1 against the
//! tree means that reading and mapping together are quicker than the bare parse, because keys that the definition does not
//! name never become a tree.

use anyhow::{Context as _, ensure};
use freshet_network::networks::Networks;
use freshet_types::{Instance, Intent, NetworkName, Response, Target, Timestamp};
use serde_json::{Value, json};

use crate::Scale;
use crate::by_hand::ByHand;
use crate::pages::{self, PAGE, PAGES};
use crate::timing::best;

/// Pages that are read in a round.
const PAGE_COUNT: usize = 2_000;
const ROUNDS: u32 = 5;
/// When the answers are received.
const NOW: Timestamp = Timestamp::from_secs(1_800_000_000);

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let (page_count, rounds) = scale.pick((PAGE_COUNT, ROUNDS), (20, 1));
    let instance = Instance {
        network: NetworkName::new("mastodon", Some("bench.example")),
        base: "https://bench.example".to_owned(),
        allow_private: false,
    };
    let connector = Networks::shipped().connector("mastodon").context("mastodon is shipped")?;
    let answers: Vec<Response> = (0..page_count).map(answer).collect();
    let megabytes = answers.iter().map(|answer| answer.body.len()).sum::<usize>() as f64 / 1e6;
    let target =
        Target { instance: &instance, endpoint: "posts", root: "1", credential: None, validators: None };
    let by_hand = ByHand::new();
    for answer in answers.iter().step_by(PAGES) {
        let read = connector.read(&target, &Intent::First, answer, NOW).observation;
        let other = by_hand.read(&answer.body)?;
        ensure!(
            read.posts == other.posts,
            "posts differ:\n{:?}\n{:?}",
            read.posts.first(),
            other.posts.first()
        );
        ensure!(
            read.accounts == other.accounts,
            "accounts differ:\n{:?}\n{:?}",
            read.accounts,
            other.accounts
        );
    }
    let mut posts = 0;
    let read_s = best(rounds, || {
        let read = |answer| connector.read(&target, &Intent::First, answer, NOW).observation.posts.len();
        posts = answers.iter().map(read).sum();
        posts
    });
    ensure!(posts == page_count * PAGE, "{posts} posts were read of {}", page_count * PAGE);
    let parse_s = best(rounds, || {
        let parse = |answer: &Response| serde_json::from_slice::<Value>(&answer.body);
        answers.iter().flat_map(parse).count()
    });
    let hand_s = best(rounds, || {
        let read = |answer: &Response| by_hand.read(&answer.body).map_or(0, |seen| seen.posts.len());
        answers.iter().map(read).sum()
    });
    let (ratio, hand_ratio) = (parse_s / read_s, hand_s / read_s);
    println!("{page_count} pages of {PAGE} posts, {megabytes:.1} MB, best of {rounds} rounds");
    for (name, seconds) in [("a tree alone", parse_s), ("by hand", hand_s), ("by definition", read_s)] {
        println!(
            "  {name:<14} {:>9.0} pages/s  {:>7.1} MB/s",
            page_count as f64 / seconds,
            megabytes / seconds
        );
    }
    println!("  by definition / by hand {hand_ratio:.2}, by definition / tree {ratio:.2}");
    Ok(json!({
        "bench": "mapping",
        "pages_per_s": page_count as f64 / read_s,
        "posts_per_s": posts as f64 / read_s,
        "parse_pages_per_s": page_count as f64 / parse_s,
        "by_hand_pages_per_s": page_count as f64 / hand_s,
        "ratios": {"by_hand": hand_ratio, "parse": ratio},
    }))
}

fn answer(number: usize) -> Response {
    Response {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: pages::body(number / PAGES, number % PAGES).into_bytes(),
        url: "https://bench.example/api/v1/accounts/1/statuses?limit=40".to_owned(),
        received_at: NOW,
    }
}
