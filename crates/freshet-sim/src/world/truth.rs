//! The truth about every post so far, against which a crawl is judged.
//!
//! Times are unix seconds of world time with milliseconds. `hidden_at` is set while the author
//! is suspended or private and is null again once the account is back.

use serde::{Serialize, Serializer};

use super::World;
use super::rhythm::NEVER_MS;

/// Bytes of one line of `truth.jsonl`, roughly; saves growing the buffer.
const LINE_BYTES: usize = 128;

/// What is true of one post.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TruthLine<'a> {
    /// Its id; a string in JSON, as the network gives it.
    #[serde(serialize_with = "as_text")]
    pub id: u64,
    /// Handle of its author.
    pub author: &'a str,
    /// When it was posted.
    pub created_at: f64,
    /// When it was deleted, by its author or with the account.
    pub deleted_at: Option<f64>,
    /// Since when it is hidden with its author.
    pub hidden_at: Option<f64>,
}

impl World {
    /// The truth about every post so far, from old to new.
    pub fn truth(&self) -> impl Iterator<Item = TruthLine<'_>> + '_ {
        (0..self.post_count()).map(|post_index| self.truth_line(post_index))
    }

    /// Lines of `truth.jsonl` for the posts from `first`, at most `count` of them.
    pub(crate) fn truth_jsonl(&self, first: usize, count: usize) -> Vec<u8> {
        let last = first.saturating_add(count).min(self.post_count());
        let mut out = Vec::with_capacity(last.saturating_sub(first) * LINE_BYTES);
        for post_index in first..last {
            serde_json::to_writer(&mut out, &self.truth_line(post_index)).expect("memory takes every line");
            out.push(b'\n');
        }
        out
    }

    fn truth_line(&self, post_index: usize) -> TruthLine<'_> {
        let post = &self.posts.all()[post_index];
        let author = &self.accounts[post.author as usize];
        let created_at_ms = post.created_at_ms();
        TruthLine {
            id: post.id,
            author: &author.handle,
            created_at: seconds(created_at_ms),
            deleted_at: (post.deleted_at_ms != NEVER_MS).then(|| seconds(post.deleted_at_ms)),
            // A post written behind closed doors was hidden from its first moment.
            hidden_at: author.hidden_since_ms().map(|since_ms| seconds(since_ms.max(created_at_ms))),
        }
    }
}

fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn as_text<S: Serializer>(id: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
