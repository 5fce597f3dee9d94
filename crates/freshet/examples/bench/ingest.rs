//! `ingest`: step 8 against raw prepared-statement inserts of the same rows and indexes.

use freshet_store::bench;
use serde_json::json;

/// Posts per round.
const POSTS: usize = 400_000;

pub(crate) fn run() -> anyhow::Result<()> {
    let figures = bench::ingest(POSTS)?;
    println!("{POSTS} posts a round, batches by turns, best round");
    println!("  bare inserts  {:>10.0} posts/s", figures.raw_per_s);
    println!("  apply         {:>10.0} posts/s", figures.apply_per_s);
    println!(
        "  with a list   {:>10.0} posts/s (100,000 accounts and as many posts are forgotten)",
        figures.guarded_per_s
    );
    let line = json!({
        "bench": "ingest",
        "posts_per_s": figures.apply_per_s,
        "raw_posts_per_s": figures.raw_per_s,
        "guarded_posts_per_s": figures.guarded_per_s,
        "ratios": {"insert": figures.ratio},
    });
    println!("{line}");
    Ok(())
}
