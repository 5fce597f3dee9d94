//! Candidates for times: where on a page a time is written, and what.
//!
//! The first step of seed 004, section 3.3. A time may stand in a text (perhaps spread over several inline elements:
//! `<b>Today</b> at 02:05`), in `datetime`, in a `title`, in a `meta`, or as a number of seconds in a `data-` attribute. What stands
//! on one element in several forms is one candidate; the form made for machines is believed first, then the one with a
//! time of day. Long texts are not looked at: a date in a post's body is no candidate worth its cost.

use super::steps::{PATH_STEPS, Steps};
use crate::time::scan::{self, is_noise};
use crate::time::{Date, Written};
use crate::tree::{NodeId, Tree};

/// Times of one page that are kept.
pub const STAMPS_MAX: usize = 10_000;
/// A text longer than this is prose; only its first lines are looked at.
const TEXT_CHARS_MAX: usize = 260;
/// Characters of an attribute that may be a time.
const ATTRIBUTE_CHARS_MAX: usize = 80;
/// Lines at the start of a long text that may be the head of a post.
const HEAD_LINES: usize = 3;
/// Characters before a time that may say what it is.
const LABEL_CHARS_MAX: usize = 40;
/// Elements that do not break a line.
const INLINE: [&str; 32] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i",
    "img", "input", "ins", "kbd", "label", "mark", "nobr", "q", "s", "small", "span", "strong", "sub", "sup",
    "time", "tt", "u", "wbr",
];
/// Inline elements that only change how a text looks.
const LOOKS: [&str; 12] =
    ["b", "strong", "em", "i", "u", "font", "span", "mark", "nobr", "big", "small", "s"];

/// A time written on a page.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The element that carries it.
    pub node: NodeId,
    /// The element's last steps; ends with `~` where the words before it say joined, edited and the like.
    pub path: String,
    /// What is written.
    pub written: Written,
    /// The text it was read from.
    pub raw: String,
    /// Whether it was made for machines.
    pub is_machine: bool,
    /// Whether the words before it say that it is not the time of a post.
    pub is_noise: bool,
}

/// All candidates, and the offset that the page's small print states.
pub(super) fn collect(tree: &Tree, steps: &Steps) -> (Vec<Stamp>, Option<i32>) {
    let mut collector = Collector {
        tree,
        steps,
        stamps: Vec::new(),
        run: Run::default(),
        previous: String::new(),
        offset_s: None,
    };
    let mut open: Vec<NodeId> = Vec::new();
    for node in 0..tree.len() {
        while open.last().is_some_and(|&block| tree.end(block) <= node) {
            let ended = open.pop();
            if ended.is_some_and(|node| tree.tag(node) == "a") {
                collector.run.text.push(EDGE);
            } else {
                collector.flush();
            }
        }
        collector.visit(node, &mut open);
        if collector.stamps.len() >= STAMPS_MAX {
            break;
        }
    }
    collector.flush();
    let mut stamps = collector.stamps;
    stamps.sort_by_key(|stamp| stamp.node);
    (stamps, collector.offset_s)
}

/// The text of one line of inline elements, with where each part came from.
#[derive(Default)]
struct Run {
    text: String,
    parts: Vec<(usize, NodeId)>,
}

struct Collector<'a> {
    tree: &'a Tree,
    steps: &'a Steps,
    stamps: Vec<Stamp>,
    run: Run,
    /// The text of the run before, which may be the label of this one.
    previous: String,
    offset_s: Option<i32>,
}

/// Ends the path of times that follow words such as joined or edited.
const NOISE_MARK: &str = "~";
/// Stands in a run where a link starts or ends: a time does not reach over it.
const EDGE: char = '\u{1f}';

impl Collector<'_> {
    fn visit(&mut self, node: NodeId, open: &mut Vec<NodeId>) {
        let tree = self.tree;
        if let Some(text) = tree.text(node) {
            self.run.parts.push((self.run.text.len(), node));
            // Line feeds of the source are spaces; those of a run are `br`.
            push_spaced(&mut self.run.text, text);
            return;
        }
        match tree.tag(node) {
            "br" => self.run.text.push('\n'),
            "a" => {
                self.run.text.push(EDGE);
                open.push(node);
            }
            tag if INLINE.contains(&tag) => {}
            _ => {
                self.flush();
                open.push(node);
            }
        }
        self.attributes(node);
    }

    /// Looks for times in the attributes of an element.
    fn attributes(&mut self, node: NodeId) {
        let mut best: Option<(u8, Written, String)> = None;
        let tag = self.tree.tag(node);
        for (name, value) in self.tree.attributes(node) {
            if value.len() < 4
                || value.len() > ATTRIBUTE_CHARS_MAX
                || !value.bytes().any(|it| it.is_ascii_digit())
            {
                continue;
            }
            let (rank, written) = match name {
                "datetime" => (3, scan_one(value)),
                "content" if tag == "meta" && self.tree.attribute(node, "itemprop").is_some() => {
                    (3, scan_one(value))
                }
                "title" => (1, scan_one(value)),
                "data-time" | "data-timestamp" | "data-date" | "data-utime" | "data-epoch"
                | "data-unixtime" | "data-datetime" | "data-utc" => (
                    2,
                    seconds(value).or_else(|| scan_one(value).filter(|it| matches!(it.date, Date::Full(..)))),
                ),
                _ => continue,
            };
            let Some(written) = written else { continue };
            // A machine's form without a time of day is worth less than a person's with one.
            let rank = rank + if written.has_clock() { 10 } else { 0 };
            if best.as_ref().is_none_or(|(known, ..)| *known < rank) {
                best = Some((rank, written, value.to_owned()));
            }
        }
        if let Some((rank, written, raw)) = best {
            let label = self.label(self.run.text.len());
            let is_noise = is_noise(&label);
            let path = self.path(node, is_noise);
            self.stamps.push(Stamp { node, path, written, raw, is_machine: rank % 10 >= 2, is_noise });
        }
    }

    /// Looks for times in the run that ends here.
    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run.text.trim().is_empty() {
            return;
        }
        let is_short = run.text.len() <= TEXT_CHARS_MAX || run.text.chars().nth(TEXT_CHARS_MAX).is_none();
        let limit = if is_short {
            run.text.len()
        } else {
            run.text.match_indices('\n').nth(HEAD_LINES).map_or(0, |(at, _)| at).min(TEXT_CHARS_MAX)
        };
        let text = &run.text[..run.text.floor_char_boundary(limit)];
        if self.offset_s.is_none() && text.len() < TEXT_CHARS_MAX {
            self.offset_s = scan::stated_offset_s(text);
        }
        if text.len() >= 2 {
            let found = scan::scan(text);
            self.run = run;
            for (range, written) in &found {
                self.text_stamp(range.clone(), *written);
            }
            let run = std::mem::take(&mut self.run);
            self.previous = run.text;
        } else {
            self.previous = run.text;
        }
    }

    fn text_stamp(&mut self, range: std::ops::Range<usize>, written: Written) {
        let part = self.run.parts.iter().rev().find(|(start, _)| *start <= range.start);
        let Some(&(_, text_node)) = part else { return };
        let Some(mut node) = self.tree.parent(text_node) else { return };
        // The attribute of an inline element around the text says the same time better.
        let carrier = self
            .tree
            .ancestors(node)
            .take(3)
            .find(|&at| self.stamps.iter().rev().take(8).any(|it| it.node == at));
        if let Some(carrier) = carrier {
            self.merge(carrier, range, written);
            return;
        }
        while LOOKS.contains(&self.tree.tag(node)) && self.tree.attribute(node, "class").is_none() {
            let Some(parent) = self.tree.parent(node) else { break };
            node = parent;
        }
        let is_noise = is_noise(&self.label(range.start));
        let path = self.path(node, is_noise);
        let raw = self.run.text[range].replace(EDGE, " ").trim().to_owned();
        self.stamps.push(Stamp { node, path, written, raw, is_machine: false, is_noise });
    }

    /// The path of an element; what is no post's time is kept apart from posts' times at the same place.
    fn path(&self, node: NodeId, is_noise: bool) -> String {
        let path = self.steps.path(self.tree, node, PATH_STEPS);
        if is_noise { path + NOISE_MARK } else { path }
    }

    /// A text on an element that has a time already: the better of the two stays.
    fn merge(&mut self, carrier: NodeId, range: std::ops::Range<usize>, written: Written) {
        let raw = self.run.text[range].trim().to_owned();
        if let Some(stamp) = self.stamps.iter_mut().rev().find(|it| it.node == carrier)
            && !stamp.written.has_clock()
            && written.has_clock()
        {
            (stamp.written, stamp.raw, stamp.is_machine) = (written, raw, false);
        }
    }

    /// What is written before a place of the run, on its line; or the short text before the run.
    fn label(&self, at: usize) -> String {
        let before = &self.run.text[..at];
        let line = before.rsplit(['\n', EDGE]).next().unwrap_or_default().trim();
        let line = if line.is_empty() { before.rsplit('\n').next().unwrap_or_default().trim() } else { line };
        if !line.is_empty() {
            let skip = line.chars().count().saturating_sub(LABEL_CHARS_MAX);
            return line.chars().skip(skip).collect();
        }
        let previous = self.previous.trim();
        if previous.chars().nth(LABEL_CHARS_MAX).is_none() { previous.to_owned() } else { String::new() }
    }
}

/// Appends a text with a space for every white space in it.
fn push_spaced(line: &mut String, text: &str) {
    let mut parts = text.split(|c: char| c.is_whitespace() && c != ' ');
    line.extend(parts.next());
    for part in parts {
        line.push(' ');
        line.push_str(part);
    }
}

/// The one time that an attribute is.
fn scan_one(value: &str) -> Option<Written> {
    scan::scan(value).into_iter().next().map(|(_, written)| written)
}

/// Seconds or milliseconds since 1970, between 1990 and 2100.
fn seconds(value: &str) -> Option<Written> {
    let number: i64 = value.trim().parse().ok()?;
    let unix_s = if number > 100_000_000_000 { number / 1000 } else { number };
    let is_plausible = (631_152_000..4_102_444_800).contains(&unix_s);
    is_plausible.then_some(Written {
        date: Date::Unix(unix_s),
        day_time: None,
        offset_s: None,
        weekday: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expected: &[&str]) {
        let tree = crate::tree::parse(html.as_bytes());
        let (stamps, _) = collect(&tree, &Steps::of(&tree));
        let found: Vec<String> = stamps
            .iter()
            .map(|it| {
                format!(
                    "{}{}{}",
                    it.raw,
                    if it.is_machine { " !" } else { "" },
                    if it.is_noise { " ?" } else { "" }
                )
            })
            .collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn times_stand_in_texts_and_attributes() {
        check("<p>By <a href=/u>ada</a> on Sept. 2, 2026, 4:07 a.m.</p>", &["Sept. 2, 2026, 4:07 a.m."]);
        check("<td><b>Today</b> at 02:05:11 PM<br>by <a>x</a></td>", &["Today at 02:05:11 PM"]);
        check("<td>06-30-2008 <span class=time>02:05 PM</span></td>", &["06-30-2008 02:05 PM"]);
        check("<span class=t title='2026-09-07T16:06:24.000Z'></span>", &["2026-09-07T16:06:24.000Z"]);
        check(
            "<time datetime='2026-01-23T09:12:42+0000' title='Jan 23, 2026 at 9:12 AM'>Jan 23, 2026</time>",
            &["2026-01-23T09:12:42+0000 !"],
        );
        check("<div title='May 3, 2026, 12:32 p.m.'><i></i>3 May</div>", &["May 3, 2026, 12:32 p.m."]);
        check("<dl><dt>Joined</dt><dd>Jan 1, 2009</dd></dl>", &["Jan 1, 2009 ?"]);
        check("<p>Joined: 05 Jan 2004<br>Posts: 123</p>", &["05 Jan 2004 ?"]);
        check("<p>Last edited by ada; 06-30-2008 at 02:05 PM.</p>", &["06-30-2008 at 02:05 PM ?"]);
        check("<p>no time at all</p>", &[]);
    }
}
