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
    Ok(json!({
        "bench": "ingest",
        "posts_per_s": figures.apply_per_s,
        "raw_posts_per_s": figures.raw_per_s,
        "guarded_posts_per_s": figures.guarded_per_s,
        "ratios": {"insert": figures.ratio},
    }))
}
