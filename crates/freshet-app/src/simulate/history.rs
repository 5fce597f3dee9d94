//! Where a simulation takes its history and its weights from, besides a trace.

use std::path::Path;

use anyhow::Context as _;
use freshet_sim::trace::{History, Window};
use freshet_store::api::Flow;
use freshet_store::row::Filter;
use freshet_types::{Map, Timestamp};

use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::when::When;

/// What a backtest on one's own data cannot know.
pub const CAVEAT: &str = "\
These are the posts that were collected: what was never seen (deleted before the first look, lost
behind page limits, of sources added later) is not among them. Delays therefore come out somewhat
too well for every policy; compare policies with each other rather than with the world.";

/// The posts of the data directory, each author a source.
pub fn from_store(
    globals: &Globals,
    from: When,
    window: impl FnOnce(Timestamp) -> Window,
) -> anyhow::Result<(String, History)> {
    let data = Data::look(globals)?;
    let window = window(from.resolve(|| Ok(data.now_for_report(None)))?);
    Ok((data.dir().display().to_string(), collected(&data, window, usize::MAX)?))
}

/// The posts of a data directory in a window, at most so many, each author a source.
pub fn collected(data: &Data, window: Window, posts_max: usize) -> anyhow::Result<History> {
    let filter = Filter { since: Some(window.from), until: Some(window.end()), ..Filter::default() };
    let (mut users, mut posts) = (Map::default(), Vec::new());
    data.store.each_post(&filter, &mut |row| {
        // A post without a time says nothing about when to look.
        if let Some(at) = row.post.created_at {
            let next = users.len() as u64;
            let user = *users.entry((row.network.clone(), row.post.author.clone())).or_insert(next);
            posts.push((user, at.secs()));
        }
        if posts.len() > posts_max { Flow::Break(()) } else { Flow::Continue(()) }
    })?;
    if posts.len() > posts_max {
        return Err(Failure::misuse(format!("there are more than {posts_max} posts in this window"))
            .hint("choose fewer days, or use `freshet simulate --from-store`")
            .into());
    }
    let count = posts.len();
    let history = History::from_posts(window, posts);
    if history.posters.is_empty() {
        let message = format!(
            "no posts were collected between {} and {} ({count} in the whole window)",
            window.from,
            window.start()
        );
        return Err(Failure::misuse(message)
            .hint("choose an earlier `--from`, or fewer `--warm-days`")
            .into());
    }
    Ok(history)
}

/// `user<TAB>weight` lines.
pub fn weights(path: &Path) -> anyhow::Result<Map<u64, f64>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let mut weights = Map::default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let parts = line.split_once('\t').and_then(|(user, weight)| {
            let weight: f64 = weight.trim().parse().ok()?;
            Some((user.trim().parse().ok()?, weight)).filter(|_| weight.is_finite() && weight >= 0.0)
        });
        let Some((user, weight)) = parts else {
            let line_name = format!("{}:{number}", path.display());
            return Err(Failure::misuse(format!("`{line_name}` is no `user<TAB>weight`: `{line}`"))
                .hint("a weight is a number, 0 or more")
                .into());
        };
        weights.insert(user, weight);
    }
    Ok(weights)
}
