//! `ingest`: step 8 against raw prepared-statement inserts of the same rows and indexes.

use freshet_store::bench;
use serde_json::{Value, json};

use crate::Scale;

/// Posts per round.
const POSTS: usize = 400_000;

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let posts = scale.pick(POSTS, 1);
    let figures = bench::ingest(posts)?;
    println!("{posts} posts a round, batches by turns, best round");
    println!("  bare inserts  {:>10.0} posts/s", figures.raw_per_s);
    println!("  apply         {:>10.0} posts/s", figures.apply_per_s);
    println!(
        "  with a list   {:>10.0} posts/s (100,000 accounts and as many posts are forgotten)",
        figures.guarded_per_s
    );
    // A new and empty schema of a server, where somebody names one.
    let beside = std::env::var_os("FRESHET_BENCH_STORE").and_then(|address| address.into_string().ok());
    let beside = beside.map(|address| bench::ingest_beside(&address, posts)).transpose()?;
    if let Some((file, other)) = beside {
        println!(
            "  by turns      {file:>10.0} posts/s into the file, {other:.0} into the server: {:.2}",
            other / file
        );
    }
    Ok(json!({
        "bench": "ingest",
        "server_posts_per_s": beside.map(|(_, other)| other),
        "posts_per_s": figures.apply_per_s,
        "raw_posts_per_s": figures.raw_per_s,
        "guarded_posts_per_s": figures.guarded_per_s,
        "ratios": {"insert": figures.ratio},
    }))
}
