//! Cuts a feed in XML down to what may be built of it, in one pass that builds nothing.
//!
//! Part of step 6 of 10. `feed-rs` makes several hundred bytes of an empty element, compares each attribute with all before
//! it and looks through all namespaces in scope for each name. So elements, entries, attributes, namespaces and nesting
//! are counted here first. Where one goes beyond its limit, the text ends after the last entry before it, and
//! the elements that are open there are closed. A text that is no XML is handed on as it is: `feed-rs` says what is
//! wrong with it.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::room::ITEMS_MAX;

/// Elements of one feed. Feeds have a dozen for an entry, and some thousand entries at most; the largest things that
/// are made of one (pictures and films) take some 500 bytes.
const ELEMENTS_MAX: usize = 100_000;
/// Levels of nesting, as for other XML.
const DEPTH_MAX: usize = 128;
/// Signs of attributes (`=`) in one element: feeds have a few, and addresses with parameters in them some dozens.
const ATTRIBUTES_MAX: usize = 512;
/// Declarations of namespaces in one feed.
const NAMESPACES_MAX: usize = 1_000;
/// An entry or another part of the feed is complete when no more elements than these are open: the feed and its channel.
const OPEN_MAX: usize = 2;

/// What is left of a text.
pub(super) struct Trimmed<'a> {
    pub(super) text: Cow<'a, str>,
    /// Entries that are not.
    pub(super) left_out: usize,
}

/// A place after which a text may end.
#[derive(Default)]
struct Spot {
    at: usize,
    open: Vec<String>,
}

/// Cuts a text where it holds too much.
pub(super) fn trim(text: &str) -> Trimmed<'_> {
    let mut counts = Counts::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut spot = Spot::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if counts.add(&start, open.len() + 1) {
                    return cut(text, &spot);
                }
                open.push(start.name().as_ref().to_owned());
            }
            Ok(Event::Empty(start)) => {
                if counts.add(&start, open.len() + 1) {
                    return cut(text, &spot);
                }
            }
            Ok(Event::End(_)) => drop(open.pop()),
            Ok(Event::Eof) | Err(_) => return Trimmed { text: Cow::Borrowed(text), left_out: 0 },
            Ok(_) => continue,
        }
        if !open.is_empty() && open.len() <= OPEN_MAX {
            spot.at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
            // They are the same for nearly all spots.
            if spot.open != open {
                spot.open.clone_from(&open);
            }
        }
    }
}

/// The text up to a spot, with all elements closed that are open there.
fn cut<'a>(text: &'a str, spot: &Spot) -> Trimmed<'a> {
    let (kept, rest) = text.split_at(spot.at);
    let entries = |name: &str| rest.matches(name).count();
    let left_out = (entries("<item") + entries("<entry")).max(1);
    let mut text = kept.to_owned();
    for name in spot.open.iter().rev() {
        text.extend(["</", name, ">"]);
    }
    Trimmed { text: Cow::Owned(text), left_out }
}

/// What was met so far.
#[derive(Default)]
struct Counts {
    elements: usize,
    entries: usize,
    namespaces: usize,
}

impl Counts {
    /// Adds one more element; gives whether that is too much.
    fn add(&mut self, start: &BytesStart<'_>, depth: usize) -> bool {
        let raw: &str = start;
        self.elements += 1;
        self.entries += usize::from(matches!(start.local_name().as_ref(), "item" | "entry"));
        self.namespaces += raw.matches("xmlns").count();
        self.elements > ELEMENTS_MAX
            || self.entries > ITEMS_MAX
            || self.namespaces > NAMESPACES_MAX
            || depth > DEPTH_MAX
            || raw.bytes().filter(|&byte| byte == b'=').count() > ATTRIBUTES_MAX
    }
}
