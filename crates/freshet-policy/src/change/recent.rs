//! The posts of the last week, as feed readers count them.
//!
//! Cost per look: O(news); at most [`POSTS_MAX`] are kept, the newest.

use freshet_types::{Span, Timestamp};

use super::ChangeModel;
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Posts kept of a week; the mean gap of so many says all.
const POSTS_MAX: usize = 128;
/// How far back posts count.
const WEEK: Span = Span::from_ms(7 * 86_400_000);

/// Times of the last posts, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    posts: Vec<Timestamp>,
}

impl Recent {
    /// Mean gap between the posts of the week before `now`; `None` with fewer than two.
    pub(crate) fn mean_gap_s(&self, now: Timestamp) -> Option<f64> {
        let first = self.posts.partition_point(|at| *at < now - WEEK);
        let posts = &self.posts[first..];
        let (oldest, newest) = (posts.first()?, posts.last()?);
        (posts.len() >= 2).then(|| (*newest - *oldest).secs_f64() / (posts.len() - 1) as f64)
    }
}

impl ChangeModel for Recent {
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut reader = Reader(bytes);
        let mut posts: Vec<_> = std::iter::from_fn(|| reader.time()).take(POSTS_MAX).collect();
        posts.sort_unstable();
        Self { posts }
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.posts.iter().fold(Writer::default(), |writer, at| writer.time(*at)).0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.posts.extend(look.news);
        self.posts.sort_unstable();
        let old = self.posts.partition_point(|at| *at < look.at - WEEK);
        self.posts.drain(..old.max(self.posts.len().saturating_sub(POSTS_MAX)));
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        let now = self.posts.last().copied().unwrap_or(Timestamp::MIN);
        self.mean_gap_s(now).map_or(pool.rate_per_s(), |gap_s| 1.0 / gap_s.max(1.0))
    }
}
