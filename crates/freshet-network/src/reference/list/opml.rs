//! OPML: the subscriptions that feed readers exchange.
//!
//! Read element by element, in time that grows with the length of the file alone: each byte is looked at once for the end
//! of its line, however long the line and however deep the outlines are.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Collector, LINE_BYTES_MAX, LINES_MAX, ListError, ListFormat, Listed};

/// Longest element: an outline with a long description.
const ELEMENT_BYTES_MAX: u64 = 1 << 20;

/// Deepest nesting: folders in folders; people have three or four levels.
const DEPTH_MAX: usize = 1_000;

/// Takes `xmlUrl` of every outline.
pub(super) fn read(input: impl BufRead) -> Result<Listed, ListError> {
    let mut collector = Collector::new(ListFormat::Opml);
    collector.line = 1;
    let mut reader = Reader::from_reader(Lines { input, line: 1, left: ELEMENT_BYTES_MAX, known: 0 });
    reader.config_mut().check_end_names = false;
    let mut buffer = Vec::new();
    let mut is_opml = false;
    let mut depth = 0_usize;
    loop {
        reader.get_mut().left = ELEMENT_BYTES_MAX;
        collector.line = reader.get_ref().line;
        let event = reader.read_event_into(&mut buffer).map_err(|error| ListError::Malformed {
            line: collector.line,
            what: format!("this is no XML: {error}"),
        })?;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            let what = format!("outlines are nested deeper than {DEPTH_MAX} levels");
            return Err(ListError::Malformed { line: collector.line, what });
        }
        match event {
            Event::Start(element) | Event::Empty(element) => match element.local_name().as_ref() {
                "opml" => is_opml = true,
                "outline" => add_outline(&mut collector, &element),
                _ => {}
            },
            Event::Eof if is_opml => return Ok(collector.listed),
            Event::Eof => {
                let what = "this XML is not OPML; a feed itself is added by its address".to_owned();
                return Err(ListError::Malformed { line: 1, what });
            }
            _ => {}
        }
        if collector.line > LINES_MAX {
            collector.complain(format!("only the first {LINES_MAX} lines are read"));
            return Ok(collector.listed);
        }
        buffer.clear();
    }
}

fn add_outline(collector: &mut Collector, element: &BytesStart<'_>) {
    for attribute in element.attributes().with_checks(false) {
        let Ok(attribute) = attribute else {
            collector.complain("an outline has a broken attribute".to_owned());
            return;
        };
        if !attribute.key.as_ref().eq_ignore_ascii_case("xmlUrl") {
            continue;
        }
        let Ok(url) = quick_xml::escape::unescape(&attribute.value) else {
            return collector.complain("an outline has a broken xmlUrl".to_owned());
        };
        let url = url.trim();
        if url.is_empty() || url.len() > LINE_BYTES_MAX {
            return collector.complain("an outline has an empty or endless xmlUrl".to_owned());
        }
        // Whatever it ends with, it is a feed: the reader of the list said so.
        collector.add(&format!("rss:{url}"));
    }
}

/// Counts lines, and fails when one element takes more bytes than any should.
struct Lines<R> {
    input: R,
    line: u64,
    left: u64,
    /// Bytes ahead up to the end of the line or of what was read; zero where nobody has looked yet.
    known: usize,
}

impl<R: BufRead> std::io::Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = self.fill_buf()?;
        let length = piece.len().min(buffer.len());
        buffer[..length].copy_from_slice(&piece[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.left == 0 {
            return Err(std::io::Error::other("an element is too long"));
        }
        let buffer = self.input.fill_buf()?;
        // At most a line at a time, so that the count is right for what follows.
        if self.known == 0 {
            self.known = buffer.iter().position(|&byte| byte == b'\n').map_or(buffer.len(), |at| at + 1);
        }
        Ok(&buffer[..self.known])
    }

    fn consume(&mut self, amount: usize) {
        let buffer = self.input.fill_buf().unwrap_or_default();
        // The end of a line is the last byte of what is known.
        if amount > 0 && amount == self.known && buffer.get(amount - 1) == Some(&b'\n') {
            self.line += 1;
        }
        self.known = self.known.saturating_sub(amount);
        self.left = self.left.saturating_sub(amount as u64);
        self.input.consume(amount);
    }
}
