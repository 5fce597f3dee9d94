//! Feeds in XML: RSS in all versions, RDF, Atom, and what passes for them.
//!
//! Part of step 6 of 10. Elements are told by their names wherever they stand, since feeds in the wild put them anywhere; what is inside of an element that
//! nobody reads is passed over with it. One odd entry costs nothing else: a library that was used before (`feed-rs`) gave a feed up for
//! one attribute that it did not know, and panicked at some names. An entry that no end follows was cut off and is left out: half an entry
//! would look like one that was edited.

use std::borrow::Cow;

use url::Url;

use super::super::room::ITEMS_MAX;
use super::names::{Names, Space, bare};
use super::shape::{Entry, Feed, PARTS_MAX, Piece, absolute};
use super::value;
use crate::format::markup::{Scanner, Tag, Token};

/// Hours, or days, that a feed names as silent: no more than a day has, with some repeated.
const SKIPS_MAX: usize = 48;

/// A feed, as far as it was there.
#[derive(Debug)]
pub(super) struct Read<'a> {
    pub(super) feed: Feed<'a>,
    /// Entries that there was no room for.
    pub(super) left_out: usize,
    /// The feed ends before its end.
    pub(super) is_cut: bool,
}

/// The feed in a text, or why there is none.
pub(super) fn read<'a>(text: &'a str, url: &str) -> Result<Read<'a>, &'static str> {
    let mut reader = Reader {
        scanner: Scanner::new(text),
        names: Names::default(),
        feed: Feed::default(),
        entry: None,
        base: Url::parse(url).ok(),
        entry_base: None,
        left_out: 0,
    };
    let root = reader.root()?;
    let is_ended = root.is_empty || reader.run(root.name);
    Ok(Read { feed: reader.feed, left_out: reader.left_out, is_cut: !is_ended })
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    names: Names<'a>,
    feed: Feed<'a>,
    /// The entry that is open.
    entry: Option<Entry<'a>>,
    /// What addresses are relative to.
    base: Option<Url>,
    entry_base: Option<Url>,
    left_out: usize,
}

impl<'a> Reader<'a> {
    /// Finds the first tag of the feed; warnings that a program printed may stand before it.
    fn root(&mut self) -> Result<Tag<'a>, &'static str> {
        for token in self.scanner.by_ref() {
            let Token::Start(tag) = token else { continue };
            match &*bare(tag.name) {
                "html" => return Err("it is a page for people"),
                "rss" | "rdf" | "feed" => {
                    self.begin(&tag);
                    return Ok(tag);
                }
                // Some answers are one entry alone.
                "channel" | "entry" => {
                    self.begin(&tag);
                    self.entry = (&*bare(tag.name) == "entry").then(Entry::default);
                    return Ok(tag);
                }
                _ => {}
            }
        }
        Err("it has no element that begins one")
    }

    fn begin(&mut self, tag: &Tag<'a>) {
        self.names.declare(tag);
        if let Some(base) = tag.attribute("xml:base") {
            self.base = self.base.as_ref().and_then(|own| own.join(&base).ok()).or(Url::parse(&base).ok());
        }
        set(&mut self.feed.language, tag.attribute("xml:lang"));
    }

    /// Reads to the end of the feed; gives whether it is there.
    fn run(&mut self, root: &str) -> bool {
        let mut is_ended = false;
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Start(tag) => self.element(tag),
                Token::End(name) => match &*bare(name) {
                    "item" | "entry" => self.finish_entry(),
                    // Many feeds lack the last tag of all.
                    "channel" if &*bare(root) == "rss" => {
                        self.finish_entry();
                        is_ended = true;
                    }
                    _ => {}
                },
                Token::Text(_) | Token::CData(_) => {}
            }
            if matches!(token, Token::End(name) if name.eq_ignore_ascii_case(root)) {
                self.finish_entry();
                return true;
            }
        }
        is_ended && self.entry.is_none()
    }

    fn finish_entry(&mut self) {
        let Some(entry) = self.entry.take() else { return };
        self.entry_base = None;
        if self.feed.entries.len() < ITEMS_MAX {
            self.feed.entries.push(entry);
        } else {
            self.left_out += 1;
        }
    }

    fn element(&mut self, tag: Tag<'a>) {
        self.names.declare(&tag);
        let (space, name) = self.names.of(tag.name);
        match (space, &*name) {
            (Space::Core, "item" | "entry") => self.open_entry(&tag),
            (Space::Core, "channel") => self.begin(&tag),
            (Space::Core, "rss" | "feed") | (Space::Media, "group") => {}
            (Space::Core, "link") if tag.attributes.contains("href") => self.link(&tag),
            (Space::Core, "enclosure") | (Space::Media, "content" | "thumbnail") => {
                let address = tag.attribute("url").map(|url| self.absolute(url));
                match &mut self.entry {
                    Some(entry) if name == "thumbnail" => set(&mut entry.spare.picture, address),
                    Some(entry) => push(&mut entry.media, address),
                    None => {}
                }
            }
            (Space::Thread, "in-reply-to") => {
                if let Some(entry) = &mut self.entry {
                    set(&mut entry.reply_to, tag.attribute("ref"));
                }
            }
            _ => {
                let inside = if tag.is_empty { "" } else { self.scanner.inside(tag.name, is_bound) };
                match &mut self.entry {
                    Some(_) => self.entry_field(space, &name, &tag, inside),
                    None => self.feed_field(space, &name, &tag, inside),
                }
            }
        }
    }

    fn open_entry(&mut self, tag: &Tag<'a>) {
        self.finish_entry();
        let base = tag.attribute("xml:base");
        self.entry_base = base.and_then(|base| self.base.as_ref()?.join(&base).ok());
        let mut entry = Entry { language: tag.attribute("xml:lang"), ..Entry::default() };
        // RSS 1.0 names an entry by its address.
        entry.spare.link = tag.attribute("rdf:about").map(|about| self.absolute(about));
        self.entry = Some(entry);
        if tag.is_empty {
            self.finish_entry();
        }
    }

    /// Links of Atom, which stand in RSS as well.
    fn link(&mut self, tag: &Tag<'a>) {
        let Some(address) = tag.attribute("href").map(|href| self.absolute(href)) else { return };
        let relation = tag.attribute("rel").unwrap_or(Cow::Borrowed("alternate"));
        match (&mut self.entry, &*relation) {
            (Some(entry), "alternate") => set(&mut entry.link, Some(address)),
            (Some(entry), "enclosure") => push(&mut entry.media, Some(address)),
            (Some(entry), "replies") => set(&mut entry.comments_feed, Some(address)),
            (None, "alternate") => set(&mut self.feed.link, Some(address)),
            (None, "next") => set(&mut self.feed.next, Some(address)),
            (None, "hub") => set(&mut self.feed.hub, Some(address)),
            (None, "self") => set(&mut self.feed.topic, Some(address)),
            _ => {}
        }
    }

    fn feed_field(&mut self, space: Space, name: &str, tag: &Tag<'a>, inside: &'a str) {
        let feed = &mut self.feed;
        match (space, name) {
            (Space::Core, "title") => set(&mut feed.title, styled(tag, inside)),
            (Space::Core, "link") => {
                let address = value::text(inside).map(|text| absolute(text, self.base.as_ref()));
                set(&mut feed.link, address);
            }
            (Space::Core, "id") => set(&mut feed.id, value::text(inside)),
            (Space::Core, "description" | "subtitle" | "tagline") => {
                set(&mut feed.description, styled(tag, inside));
            }
            (Space::Core | Space::Dublin, "language") => {
                feed.language = value::text(inside).or(feed.language.take());
            }
            (Space::Core, "updated" | "modified" | "lastbuilddate" | "pubdate") | (Space::Dublin, "date") => {
                set(&mut feed.updated, value::text(inside));
            }
            (Space::Core, "author") | (Space::Dublin, "creator") => set(&mut feed.author, person(inside)),
            (Space::Core, "ttl") => set(&mut feed.ttl, value::text(inside)),
            (Space::Core, "skiphours") => feed.skip_hours = parts(inside, "hour"),
            (Space::Core, "skipdays") => feed.skip_days = parts(inside, "day"),
            (Space::Syndication, "updateperiod") => set(&mut feed.period, value::text(inside)),
            (Space::Syndication, "updatefrequency") => set(&mut feed.frequency, value::text(inside)),
            _ => {}
        }
    }

    fn entry_field(&mut self, space: Space, name: &str, tag: &Tag<'a>, inside: &'a str) {
        let base = self.entry_base.as_ref().or(self.base.as_ref());
        let Some(entry) = &mut self.entry else { return };
        let text = || value::text(inside);
        let address = || text().map(|text| absolute(text, base));
        match (space, name) {
            (Space::Core, "title") => set(&mut entry.title, styled(tag, inside)),
            (Space::Core, "link") => set(&mut entry.link, address()),
            (Space::Core, "guid") => {
                let is_address =
                    tag.attribute("ispermalink").is_none_or(|it| !it.eq_ignore_ascii_case("false"));
                let link = address().filter(|link| is_address && link.starts_with("http"));
                set(&mut entry.spare.link, link);
                set(&mut entry.id, text());
            }
            (Space::Core, "id") => set(&mut entry.id, text()),
            (Space::Core, "description" | "summary") => set(&mut entry.summary, styled(tag, inside)),
            (Space::Content, "encoded") | (Space::Core, "body") => set(&mut entry.content, text()),
            (Space::Core, "content") if is_text(tag) => set(&mut entry.content, styled(tag, inside)),
            (Space::Core, "pubdate" | "published" | "issued" | "created") => {
                set(&mut entry.published, text());
            }
            (Space::Dublin, "date" | "issued" | "created") => set(&mut entry.dated, text()),
            (Space::Core, "updated") | (Space::Core | Space::Dublin, "modified") => {
                set(&mut entry.updated, text());
            }
            (Space::Core, "author") | (Space::Dublin, "creator") => set(&mut entry.author, person(inside)),
            (Space::Core, "category") => {
                let named = tag.attribute("label").or_else(|| tag.attribute("term"));
                push(&mut entry.tags, named.or_else(text));
            }
            (Space::Dublin, "subject") => push(&mut entry.tags, text()),
            (Space::Dublin, "language") => entry.language = text(),
            (Space::Slash, "comments") | (Space::Thread, "total") => set(&mut entry.comment_count, text()),
            (Space::Comments, "commentrss") => set(&mut entry.comments_feed, address()),
            (Space::Media | Space::Podcast, _) => set_spare(entry, name, inside),
            _ => {}
        }
    }

    fn absolute(&self, address: Cow<'a, str>) -> Cow<'a, str> {
        absolute(address, self.entry_base.as_ref().or(self.base.as_ref()))
    }
}

/// What Media RSS and podcasts say; it counts where the entry itself is silent.
fn set_spare<'a>(entry: &mut Entry<'a>, name: &str, inside: &'a str) {
    match name {
        "title" => set(&mut entry.spare.title, value::text(inside)),
        "description" | "summary" => set(&mut entry.spare.summary, value::text(inside)),
        "author" => set(&mut entry.spare.author, value::text(inside)),
        _ => {}
    }
}

/// Ends of these end what stands in them.
fn is_bound(name: &str) -> bool {
    matches!(&*bare(name), "item" | "entry" | "channel" | "feed" | "rss" | "rdf")
}

/// Whether Atom's content is a text: not a file, and not somewhere else.
fn is_text(tag: &Tag<'_>) -> bool {
    let kind = tag.attribute("type").unwrap_or_default().to_ascii_lowercase();
    let is_file = ["image/", "audio/", "video/", "application/"].iter().any(|class| kind.starts_with(class));
    !is_file || kind.ends_with("xml")
}

/// A text of Atom, which says how it is written.
fn styled<'a>(tag: &Tag<'a>, inside: &'a str) -> Piece<'a> {
    let is_xhtml = tag.attribute("type").is_some_and(|kind| kind.to_ascii_lowercase().contains("xhtml"));
    if is_xhtml { value::xhtml(inside) } else { value::text(inside) }
}

/// The name of an author: Atom's has its own element, RSS writes `address (name)`.
fn person(inside: &str) -> Piece<'_> {
    if let Some(name) = parts(inside, "name").into_iter().next() {
        return Some(name);
    }
    let text = value::text(inside).filter(|text| !text.contains('<'))?;
    let named = text.strip_suffix(')').and_then(|text| text.split_once('('));
    let name = named.filter(|(address, _)| address.contains('@')).map(|(_, name)| name.trim().to_owned());
    Some(name.filter(|name| !name.is_empty()).map_or(text, Cow::Owned))
}

/// The texts of all elements of this name.
fn parts<'a>(inside: &'a str, wanted: &str) -> Vec<Cow<'a, str>> {
    let (mut scanner, mut found) = (Scanner::new(inside), Vec::new());
    while let Some(token) = scanner.next() {
        if let Token::Start(tag) = token
            && !tag.is_empty
            && *bare(tag.name) == *wanted
        {
            let text = value::text(scanner.inside(tag.name, is_bound));
            found.extend(text.filter(|_| found.len() < SKIPS_MAX));
        }
    }
    found
}

/// What comes first counts.
fn set<'a>(piece: &mut Piece<'a>, text: Piece<'a>) {
    if piece.is_none() {
        *piece = text;
    }
}

fn push<'a>(list: &mut Vec<Cow<'a, str>>, text: Piece<'a>) {
    if let Some(text) = text
        && list.len() < PARTS_MAX
        && !list.contains(&text)
    {
        list.push(text);
    }
}
