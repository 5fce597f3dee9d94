//! Feeds (RSS 2.0, RSS 1.0, RSS 0.9x, Atom, JSON Feed) as one tree that mappings can point into.
//!
//! ```text
//! {id, title, link, description, language, updated, next, hub, topic, ttl_min, period, frequency, skip_hours: [], skip_days: [],
//!  entries: [{id, title, link, summary, content, text, published, updated, edited, author, language, reply_to,
//!             comment_count, comments_feed, tags: [], media: []}]}
//! ```
//!
//! Part of step 6 of 10. Times are milliseconds since 1970; one that is not understood stays as written, and the mapping complains of it. `text` is the title
//! and below it the content or summary. `edited` is there where an entry was changed after it was published ([`shape`]). What is
//! broken is read as a browser would read it ([`super::markup`]), in work that grows with the body and with nothing else. A feed
//! that is cut off keeps the entries before the cut, and one complaint tells of it.

mod json;
mod names;
mod shape;
mod value;
mod when;
mod xml;

use super::Parsed;

/// The feed, or what is wrong with it.
pub(super) fn parse<'a>(text: &'a str, url: &str) -> Result<Parsed<'a>, String> {
    let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace() || c.is_control());
    let wrong = |error: &str| {
        let start: String = text.chars().take(40).collect();
        format!("the body is no feed ({error}); it begins with `{}`", start.escape_debug())
    };
    let (feed, left_out, is_cut) = if text.starts_with('{') {
        let (feed, left_out) = json::read(text).map_err(|error| wrong(&error))?;
        (feed, left_out, false)
    } else {
        let xml::Read { feed, left_out, is_cut } = xml::read(text, url).map_err(wrong)?;
        (feed, left_out, is_cut)
    };
    let count = feed.entries.len();
    let shape::Shaped { tree, twins, blanks } = shape::shape(feed);
    let mut complaints = Vec::new();
    if is_cut {
        complaints
            .push(format!("the feed is cut off in the middle; {count} entries before the cut are read"));
    }
    if twins > 0 {
        let what =
            "entries have the id of another one on the page and say something else; the first of each counts";
        complaints.push(format!("{twins} {what}"));
    }
    if blanks > 0 {
        complaints.push(format!("{blanks} entries hold nothing"));
    }
    Ok(Parsed { complaints, is_cut, ..Parsed::new(tree, left_out) })
}
