//! Candidates for times: where on a page a time is written, and what.
//!
//! The first step of seed 004, section 3.3. A time may stand in a text (perhaps spread over several inline elements:
//! `<b>Today</b> at 02:05`), in `datetime`, in a `title`, in a `meta`, or as a number of seconds in a `data-` attribute. What stands
//! on one element in several forms is one candidate; the form made for machines is believed first, then the one with a
//! time of day. Long texts are not looked at: a date in a post's body is no candidate worth its cost.

mod run;

use std::ops::Range;

use html5ever::{LocalName, local_name};

use super::paths::{PathId, PathWriter};
use super::steps::PATH_STEPS;
use crate::time::scan::Scanner;
use crate::time::{Date, Written};
use crate::tree::{NodeId, Tree};
use run::{EDGE, Run, TEXT_CHARS_MAX, label, looked_at};

/// Times of one page that are kept.
pub(crate) const STAMPS_MAX: usize = 10_000;
/// Characters of an attribute that may be a time.
const ATTRIBUTE_CHARS_MAX: usize = 80;
/// Inline elements that only change how a text looks.
const LOOKS: [&str; 12] =
    ["b", "strong", "em", "i", "u", "font", "span", "mark", "nobr", "big", "small", "s"];

/// What an element does to the line of text that it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// Goes on in it.
    Inline,
    /// Goes on in it, and a time does not reach over its edges.
    Link,
    /// Begins the next line of it.
    Break,
    Block,
}

/// A match of the parser's own names, which are numbers: this is asked of every element of every page.
fn flow(tag: &LocalName) -> Flow {
    match *tag {
        local_name!("br") => Flow::Break,
        local_name!("a") => Flow::Link,
        local_name!("abbr") | local_name!("acronym") | local_name!("b") | local_name!("bdi") => Flow::Inline,
        local_name!("bdo") | local_name!("big") | local_name!("cite") | local_name!("code") => Flow::Inline,
        local_name!("data") | local_name!("dfn") | local_name!("em") | local_name!("font") => Flow::Inline,
        local_name!("i") | local_name!("img") | local_name!("input") | local_name!("ins") => Flow::Inline,
        local_name!("kbd") | local_name!("label") | local_name!("mark") | local_name!("nobr") => Flow::Inline,
        local_name!("q") | local_name!("s") | local_name!("small") | local_name!("span") => Flow::Inline,
        local_name!("strong") | local_name!("sub") | local_name!("sup") => Flow::Inline,
        local_name!("time") | local_name!("tt") | local_name!("u") | local_name!("wbr") => Flow::Inline,
        _ => Flow::Block,
    }
}

/// A time written on a page.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The element that carries it.
    pub node: NodeId,
    /// The element's last steps; ends with `~` where the words before it say joined, edited and the like.
    pub path: PathId,
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
pub(super) fn collect(tree: &Tree, paths: &mut PathWriter<'_>) -> (Vec<Stamp>, Option<i32>) {
    let mut collector = Collector {
        tree,
        paths,
        scanner: Scanner::default(),
        labels: Scanner::default(),
        stamps: Vec::new(),
        run: Run::default(),
        previous: Run::default(),
        offset_s: None,
    };
    let mut open: Vec<(NodeId, Flow)> = Vec::new();
    for node in 0..tree.len() {
        while let Some(&(block, flow)) = open.last()
            && tree.end(block) <= node
        {
            open.pop();
            if flow == Flow::Link {
                collector.run.mark(EDGE);
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

struct Collector<'a, 'b> {
    tree: &'a Tree,
    paths: &'a mut PathWriter<'b>,
    scanner: Scanner,
    /// Reads labels while the other's times are looked at.
    labels: Scanner,
    stamps: Vec<Stamp>,
    run: Run<'a>,
    /// The run before, whose text may be the label of this one.
    previous: Run<'a>,
    offset_s: Option<i32>,
}

impl Collector<'_, '_> {
    fn visit(&mut self, node: NodeId, open: &mut Vec<(NodeId, Flow)>) {
        let tree = self.tree;
        if let Some(text) = tree.text(node) {
            // Line feeds of the source are spaces; those of a run are `br`.
            self.run.add(node, text);
            return;
        }
        let flow = tree.element(node).map_or(Flow::Block, flow);
        match flow {
            Flow::Break => self.run.mark('\n'),
            Flow::Link => self.run.mark(EDGE),
            Flow::Inline => {}
            Flow::Block => self.flush(),
        }
        if matches!(flow, Flow::Link | Flow::Block) {
            open.push((node, flow));
        }
        self.attributes(node);
    }

    /// Looks for times in the attributes of an element.
    fn attributes(&mut self, node: NodeId) {
        let tree = self.tree;
        let mut best: Option<(u8, Written, &str)> = None;
        for (name, value) in tree.attributes_named(node) {
            let Some(form) = Form::of(tree, node, name) else { continue };
            if value.len() < 4
                || value.len() > ATTRIBUTE_CHARS_MAX
                || !value.bytes().any(|it| it.is_ascii_digit())
            {
                continue;
            }
            let Some(written) = self.written(form, value) else { continue };
            // A machine's form without a time of day is worth less than a person's with one.
            let rank = form as u8 + if written.has_clock() { 10 } else { 0 };
            if best.is_none_or(|(known, ..)| known < rank) {
                best = Some((rank, written, value));
            }
        }
        if let Some((rank, written, raw)) = best {
            let is_machine = rank % 10 >= Form::Seconds as u8;
            self.push(node, self.run.text().len(), Stamped { written, raw: raw.to_owned(), is_machine });
        }
    }

    /// The one time that an attribute is.
    fn written(&mut self, form: Form, value: &str) -> Option<Written> {
        let mut scan_one = || self.scanner.scan(value).first().map(|(_, written)| *written);
        match form {
            Form::People | Form::Machines => scan_one(),
            Form::Seconds => {
                seconds(value).or_else(|| scan_one().filter(|it| matches!(it.date, Date::Full(..))))
            }
        }
    }

    /// Looks for times in the run that ends here.
    fn flush(&mut self) {
        if self.run.text().trim().is_empty() {
            self.run.clear();
            return;
        }
        let limit = looked_at(self.run.text());
        if limit >= 2 {
            if self.offset_s.is_none() && limit < TEXT_CHARS_MAX {
                self.offset_s = self.scanner.stated_offset_s(&self.run.text()[..limit]);
            }
            let mut scanner = std::mem::take(&mut self.scanner);
            for (range, written) in scanner.scan(&self.run.text()[..limit]) {
                self.text_stamp(range.clone(), *written);
            }
            self.scanner = scanner;
        }
        std::mem::swap(&mut self.previous, &mut self.run);
        self.run.clear();
    }

    fn text_stamp(&mut self, range: Range<usize>, written: Written) {
        let part = self.run.parts.iter().rev().find(|(start, _)| *start <= range.start);
        let Some(&(_, text_node)) = part else { return };
        let Some(mut node) = self.tree.parent(text_node) else { return };
        // The attribute of an inline element around the text says the same time better.
        let carrier = self
            .tree
            .ancestors(node)
            .take(3)
            .find(|&at| self.stamps.iter().rev().take(8).any(|it| it.node == at));
        if let Some(carrier) = carrier
            && self.merge(carrier, text_node, &range, written)
        {
            return;
        }
        let written = carrier.map_or(written, |carrier| self.taken_from(carrier, written));
        while LOOKS.contains(&self.tree.tag(node)) && self.tree.named(node, &local_name!("class")).is_none() {
            let Some(parent) = self.tree.parent(node) else { break };
            node = parent;
        }
        let at = range.start;
        let raw = self.run.text()[range].replace(EDGE, " ").trim().to_owned();
        self.push(node, at, Stamped { written, raw, is_machine: false });
    }

    /// Keeps a time; what is written before `at` in the run says whose it is.
    fn push(&mut self, node: NodeId, at: usize, stamped: Stamped) {
        let is_noise = self.labels.is_noise(label(&self.run.text()[..at], self.previous.text()));
        let path = self.paths.path(node, PATH_STEPS, is_noise);
        let Stamped { written, raw, is_machine } = stamped;
        self.stamps.push(Stamp { node, path, written, raw, is_machine, is_noise });
    }

    /// A text on an element that has a time already: the better of the two stays. Gives whether the element keeps it: where the text
    /// goes on behind the element (`<span title=…>Today</span>, 14:05`), its time stands where such texts stand without one.
    fn merge(&mut self, carrier: NodeId, text_node: NodeId, range: &Range<usize>, written: Written) -> bool {
        let end =
            self.run.parts.iter().rev().find(|(start, _)| *start < range.end).map_or(text_node, |it| it.1);
        let Some(stamp) = self.stamps.iter_mut().rev().find(|it| it.node == carrier) else { return true };
        let is_better = !stamp.written.has_clock() && written.has_clock();
        if is_better && self.tree.is_within(end, carrier) {
            let raw = self.run.text()[range.clone()].trim().to_owned();
            (stamp.written, stamp.raw, stamp.is_machine) = (written, raw, false);
        }
        !is_better || self.tree.is_within(end, carrier)
    }

    /// Takes a day from an element that carries it and gives it to the text around, which says how far back it was and when.
    fn taken_from(&mut self, carrier: NodeId, written: Written) -> Written {
        let Some(at) = self.stamps.iter().rposition(|it| it.node == carrier) else { return written };
        let carried = self.stamps.remove(at).written;
        let is_day = matches!(carried.date, Date::Full(..) | Date::Numbers(..));
        if is_day && matches!(written.date, Date::DaysBack(_)) {
            return Written { date: carried.date, ..written };
        }
        written
    }
}

/// A time that was found, before anybody looked what stands before it.
struct Stamped {
    written: Written,
    raw: String,
    is_machine: bool,
}

/// What an attribute is for, the best last.
#[derive(Clone, Copy)]
enum Form {
    People = 1,
    Seconds = 2,
    Machines = 3,
}

impl Form {
    fn of(tree: &Tree, node: NodeId, name: &LocalName) -> Option<Self> {
        match *name {
            local_name!("class") | local_name!("href") | local_name!("id") => None,
            local_name!("datetime") => Some(Self::Machines),
            local_name!("title") => Some(Self::People),
            local_name!("content") => {
                let is_property = tree.element(node) == Some(&local_name!("meta"))
                    && tree.named(node, &local_name!("itemprop")).is_some();
                is_property.then_some(Self::Machines)
            }
            _ => match &**name {
                "data-time" | "data-timestamp" | "data-date" | "data-utime" | "data-epoch"
                | "data-unixtime" | "data-datetime" | "data-utc" => Some(Self::Seconds),
                _ => None,
            },
        }
    }
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
    use crate::page::Steps;

    fn check(html: &str, expected: &[&str]) {
        let tree = crate::tree::parse(html.as_bytes());
        let steps = Steps::of(&tree);
        let (stamps, _) = collect(&tree, &mut PathWriter::new(&tree, &steps));
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
        check("<td><span title='06-29-2008'>Yesterday</span>, 02:05 PM<br>x</td>", &["Yesterday, 02:05 PM"]);
        check(
            "<td>by <a>x</a> <span class=date>07/18/25</span> <span class=time>08:55 AM</span></td>",
            &["07/18/25 08:55 AM"],
        );
        check("<p>no time at all</p>", &[]);
    }
}
