//! Two networks that lead into each other: people who post, in one world, and the videos that they share, in another.
//!
//! What SocWeb's use-cases need [SocWeb, sections 5.2 and 5.3]: a world in the dialect of a Graph API, whose posts link to videos, and a
//! world in the dialect of a video site, where those videos have facts, comments and channels. One seed makes both. The first is
//! read by a definition of its own, which is kept here and not shipped, since no real network is like it any more; the
//! second by the shipped one, at another address.

use std::sync::Arc;

use crate::{Dialect, SimError, World, WorldOptions};

/// The definition of the world of posts.
pub const GRAPH: &str = include_str!("../definitions/graph.toml");
/// The video site has so many times fewer accounts than the network of posts.
const VIDEO_ACCOUNTS_SHARE: u32 = 4;

/// What the spider is told, as type, expression and purpose: friends but not their friends, people again only if they post much, recent
/// albums that many talk about.
pub const SPIDER_RULES: &[(&str, &str, &str)] = &[
    FRIENDS_ONLY,
    ("graph/account", "account.posts_count > 60", "revisit"),
    ("graph/album", "now - album.created_at < span(\"7d\") && album.comment_count > 1000", "follow"),
];
/// What the crawl of both networks is told.
pub const WORLD_RULES: &[(&str, &str, &str)] = &[FRIENDS_ONLY];
const FRIENDS_ONLY: (&str, &str, &str) = ("graph/account", "depth <= 1", "discover");

/// Both worlds, each still to be served.
#[derive(Debug)]
pub struct Society {
    /// Speaks the Graph dialect; its posts share videos of the other.
    pub graph: World,
    /// Speaks the video site's dialect.
    pub videos: World,
}

impl Society {
    /// Makes both, with so many people; every video that is shared was there before both began to live.
    pub fn new(seed: u64, accounts: u32) -> Result<Self, SimError> {
        let videos = World::new(WorldOptions {
            seed: seed.wrapping_add(1),
            accounts: (accounts / VIDEO_ACCOUNTS_SHARE).max(1),
            dialect: Dialect::Videos,
            ..WorldOptions::default()
        })?;
        let graph = World::new(WorldOptions {
            seed,
            accounts,
            // Nobody shares a video that is not there yet.
            start_at: videos.options().start_at,
            history: videos.options().history,
            dialect: Dialect::Graph,
            videos: Arc::from(videos.originals()),
            ..WorldOptions::default()
        })?;
        Ok(Self { graph, videos })
    }
}

#[cfg(test)]
mod tests;
