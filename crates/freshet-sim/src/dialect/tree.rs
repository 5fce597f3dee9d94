//! What the dialects of JSON trees share: pages of lists, errors with a number or a reason, and how the world's own things are written.

use serde_json::{Value, json};

use super::{Ask, Reply};
use crate::world::text;

/// Items on a page by default, and the most that is given.
const LIMIT_DEFAULT: usize = 25;
const LIMIT_MAX: usize = 100;

/// An answer that refuses.
pub(super) fn error(status: u16, error: &Value) -> Reply {
    Reply { status, ..Reply::json(json!({"error": error}).to_string()) }
}

/// The id of the video at this place: eleven characters.
pub(super) fn video_id(post_index: u32) -> String {
    format!("v{post_index:010}")
}

/// What a post says.
pub(super) fn words(ask: &Ask<'_>, post_index: u32) -> String {
    let author = &ask.world.accounts[ask.world.posts.get(post_index).author as usize];
    text::words(ask.face().key(post_index), author.language, ask.world.posts.edits(post_index).len())
}

/// The name that an account shows.
pub(super) fn name(ask: &Ask<'_>, index: u32) -> String {
    let account = &ask.world.accounts[index as usize];
    text::display_name(&account.handle, text::mix(ask.world.options.seed, account.id))
}

/// An instant in a form of `strftime`.
pub(super) fn time(ms: i64, form: &str) -> String {
    let instant = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    instant.strftime(form).to_string()
}

/// A page of a list.
pub(super) struct Found<'l, T> {
    pub(super) items: Vec<&'l T>,
    /// Where the next page begins, as the cursors of these dialects are written; `None`: there is none.
    pub(super) after: Option<String>,
}

/// The wanted part of `list`, newest first; `list` rises by `key`.
pub(super) fn select<'l, T>(
    ask: &Ask<'_>,
    list: &'l [T],
    key: impl Fn(&T) -> u64,
    keep: impl Fn(&T) -> bool,
) -> Found<'l, T> {
    let number = |names: [&str; 2]| {
        let found = names.into_iter().find_map(|name| ask.request.param(name));
        found.and_then(|text| text.parse::<u64>().ok())
    };
    let limit =
        number(["limit", "maxResults"]).map_or(LIMIT_DEFAULT, |limit| (limit as usize).clamp(1, LIMIT_MAX));
    let end = number(["after", "pageToken"])
        .map_or(list.len(), |after| list.partition_point(|item| key(item) < after));
    let mut items: Vec<&T> = list[..end].iter().rev().filter(|item| keep(item)).take(limit + 1).collect();
    let has_more = items.len() > limit;
    items.truncate(limit);
    let after = items.last().filter(|_| has_more).map(|item| key(item).to_string());
    Found { items, after }
}
