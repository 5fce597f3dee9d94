//! The one shape that feeds of all formats get: a tree that mappings can point into.
//!
//! Part of step 6 of 10. Here entries get their identity, too. It is the first of these that an entry has: the id that the feed gives it; its link,
//! unless that is the link of the whole feed; a hash of what does not change when an entry is corrected or moves down the page:
//! title, time of publication, and the beginning of its text without markup ([`BEGINNING_CHARS`]). The rest of the text is left out, since that is
//! where typos are mended and comment counts stand; the time of the last change and the place on the page for the
//! same reason. So an entry has the same id at every visit, and two entries that are the same are one.
//!
//! The text of an entry begins with its title, because search finds what stands in texts; not where the text begins with it anyway.

use std::borrow::Cow;
use std::hash::Hasher as _;

use freshet_types::{Map, Span};
use serde_json_borrow::ObjectAsVec;
use url::Url;

use super::super::Tree;
use super::super::room::bounded;
use super::when;
use crate::format::markup::{Scanner, Token};

/// Tags, and pictures or films, kept of one entry; what uses them takes a hundred at most.
pub(super) const PARTS_MAX: usize = 200;
/// Letters of a text that count for the identity of an entry: a sentence, and less than the shortest excerpt that feeds cut a text to.
const BEGINNING_CHARS: usize = 100;
/// A feed that says to be changed so soon after its publication says nothing: programs write both times one after the other.
const EDIT_GAP: Span = Span::MINUTE;

/// A text of a feed, borrowed from the body where it can be.
pub(super) type Piece<'a> = Option<Cow<'a, str>>;

/// What a feed says.
#[derive(Debug, Default)]
pub(super) struct Feed<'a> {
    pub(super) id: Piece<'a>,
    pub(super) title: Piece<'a>,
    pub(super) link: Piece<'a>,
    pub(super) description: Piece<'a>,
    pub(super) language: Piece<'a>,
    pub(super) updated: Piece<'a>,
    pub(super) author: Piece<'a>,
    /// Where it goes on [RFC 5005].
    pub(super) next: Piece<'a>,
    /// Who tells subscribers of news [`WebSub`](https://www.w3.org/TR/websub/).
    pub(super) hub: Piece<'a>,
    /// The address under which that hub knows it.
    pub(super) topic: Piece<'a>,
    pub(super) ttl: Piece<'a>,
    pub(super) period: Piece<'a>,
    pub(super) frequency: Piece<'a>,
    pub(super) skip_hours: Vec<Cow<'a, str>>,
    pub(super) skip_days: Vec<Cow<'a, str>>,
    pub(super) entries: Vec<Entry<'a>>,
}

/// What a feed says of one entry.
#[derive(Debug, Default)]
pub(super) struct Entry<'a> {
    pub(super) id: Piece<'a>,
    pub(super) title: Piece<'a>,
    pub(super) link: Piece<'a>,
    pub(super) summary: Piece<'a>,
    pub(super) content: Piece<'a>,
    /// When it was published, as written.
    pub(super) published: Piece<'a>,
    /// The same by Dublin Core, where the entry itself does not say it.
    pub(super) dated: Piece<'a>,
    /// When it was last changed, as written.
    pub(super) updated: Piece<'a>,
    pub(super) author: Piece<'a>,
    pub(super) language: Piece<'a>,
    pub(super) reply_to: Piece<'a>,
    pub(super) comment_count: Piece<'a>,
    pub(super) comments_feed: Piece<'a>,
    pub(super) tags: Vec<Cow<'a, str>>,
    pub(super) media: Vec<Cow<'a, str>>,
    /// What counts where the entry says nothing else.
    pub(super) spare: Spare<'a>,
}

/// What stands in for a part of an entry that is missing: other addresses, and what Media RSS and podcasts say.
#[derive(Debug, Default)]
pub(super) struct Spare<'a> {
    pub(super) link: Piece<'a>,
    pub(super) title: Piece<'a>,
    pub(super) summary: Piece<'a>,
    pub(super) author: Piece<'a>,
    pub(super) picture: Piece<'a>,
}

/// A tree, and what was passed over for it.
#[derive(Debug)]
pub(super) struct Shaped<'a> {
    pub(super) tree: Tree<'a>,
    /// Entries that have the id of another one and say something else.
    pub(super) twins: usize,
    /// Entries without anything.
    pub(super) blanks: usize,
}

/// The values of one object, by key.
type Values<'a> = Vec<(&'static str, Tree<'a>)>;

/// The tree of a feed.
pub(super) fn shape(feed: Feed<'_>) -> Shaped<'_> {
    let mut values = Values::new();
    let site = feed.link.clone();
    let (mut twins, mut blanks) = (0, 0);
    let mut entries = Vec::with_capacity(feed.entries.len());
    let mut seen: Map<String, u64> = Map::default();
    for mut entry in feed.entries {
        entry.settle();
        if entry.is_blank() {
            blanks += 1;
            continue;
        }
        let (id, print) = (entry.identity(site.as_deref()), entry.print());
        match seen.get(&id) {
            Some(known) if *known == print => continue,
            Some(_) => {
                twins += 1;
                continue;
            }
            None => drop(seen.insert(id.clone(), print)),
        }
        entry.author = entry.author.or_else(|| feed.author.clone());
        entry.language = entry.language.or_else(|| feed.language.clone());
        entries.push(entry.tree(id));
    }
    values.push(("entries", Tree::Array(entries)));
    for (key, text) in [
        ("id", feed.id),
        ("title", feed.title),
        ("link", feed.link),
        ("description", feed.description),
        ("language", feed.language),
        ("next", feed.next),
        ("hub", feed.hub),
        ("topic", feed.topic),
        ("period", feed.period),
    ] {
        put(&mut values, key, text);
    }
    put_number(&mut values, "updated", feed.updated.and_then(|text| when::read(&text)));
    put_number(&mut values, "ttl_min", number(feed.ttl));
    put_number(&mut values, "frequency", number(feed.frequency));
    values.push(("skip_hours", list(feed.skip_hours)));
    values.push(("skip_days", list(feed.skip_days)));
    Shaped { tree: object(values), twins, blanks }
}

impl<'a> Entry<'a> {
    fn is_blank(&self) -> bool {
        [&self.id, &self.link, &self.title, &self.summary, &self.content].iter().all(|piece| piece.is_none())
            && self.media.is_empty()
    }

    /// Puts in what stands in for what is missing.
    fn settle(&mut self) {
        let spare = std::mem::take(&mut self.spare);
        for (piece, other) in [
            (&mut self.link, spare.link),
            (&mut self.title, spare.title),
            (&mut self.summary, spare.summary),
            (&mut self.author, spare.author),
        ] {
            *piece = piece.take().or(other);
        }
        self.media.extend(spare.picture);
    }

    fn body(&self) -> Option<&str> {
        self.content.as_deref().or(self.summary.as_deref())
    }

    /// When it was published; where no time is understood, the first as it is written.
    fn published(&self) -> Result<Option<i64>, &str> {
        let texts = || [&self.published, &self.dated].into_iter().flatten();
        match texts().find_map(|text| when::read(text)) {
            Some(at) => Ok(Some(at)),
            None => texts().next().map_or(Ok(None), |text| Err(&**text)),
        }
    }

    /// By what it is known at every visit.
    fn identity(&self, site: Option<&str>) -> String {
        let own_link = self.link.as_deref().filter(|link| Some(*link) != site);
        if let Some(id) = self.id.as_deref().or(own_link) {
            return id.to_owned();
        }
        let mut hasher = freshet_types::map::Hasher::default();
        let beginning = self.body().map(|body| visible(body, BEGINNING_CHARS));
        let media = self.media.first().map(|url| &**url);
        for part in [self.title.as_deref(), beginning.as_deref(), media] {
            hasher.write(part.unwrap_or_default().as_bytes());
            hasher.write_u8(0xff);
        }
        hasher.write_i64(self.published().ok().flatten().unwrap_or_default());
        format!("hash:{:016x}", hasher.finish())
    }

    /// A number that differs where entries do.
    fn print(&self) -> u64 {
        let mut hasher = freshet_types::map::Hasher::default();
        for part in [&self.title, &self.link, &self.summary, &self.content] {
            hasher.write(part.as_deref().unwrap_or_default().as_bytes());
            hasher.write_u8(0xff);
        }
        hasher.finish()
    }

    fn tree(self, id: String) -> Tree<'a> {
        let mut values = Values::new();
        let updated = self.updated.as_deref().and_then(when::read);
        match self.published() {
            Ok(published) => {
                put_number(&mut values, "published", published);
                let gap_ms = published.zip(updated).map(|(published, updated)| updated - published);
                put_number(&mut values, "edited", updated.filter(|_| gap_ms > Some(EDIT_GAP.ms())));
            }
            // The mapping complains of it; not where another time does as well.
            Err(text) if updated.is_none() => {
                put(&mut values, "published", Some(Cow::Owned(text.to_owned())));
            }
            Err(_) => {}
        }
        put_number(&mut values, "updated", updated);
        put(&mut values, "id", Some(Cow::Owned(id)));
        let text = titled(self.title.as_deref(), self.body());
        for (key, piece) in [
            ("text", text.map(Cow::Owned)),
            ("title", self.title),
            ("link", self.link),
            ("summary", self.summary),
            ("content", self.content),
            ("author", self.author),
            ("language", self.language),
            ("reply_to", self.reply_to),
            ("comments_feed", self.comments_feed),
        ] {
            put(&mut values, key, piece);
        }
        put_number(&mut values, "comment_count", number(self.comment_count));
        values.push(("tags", list(self.tags)));
        values.push(("media", list(self.media)));
        object(values)
    }
}

/// The title, and below it the text, unless that begins with the title.
fn titled(title: Option<&str>, body: Option<&str>) -> Option<String> {
    let (Some(title), Some(body)) = (title, body) else { return title.or(body).map(str::to_owned) };
    let shown = visible(title, usize::MAX);
    let bare = shown.trim_end_matches(['…', '.', ' ']);
    let is_repeated = !bare.is_empty() && visible(body, bare.chars().count()) == bare;
    Some(if is_repeated { body.to_owned() } else { format!("{title}\n\n{body}") })
}

/// The first letters of a text that people see: without tags, and with one space between words.
fn visible(text: &str, chars_max: usize) -> String {
    let (mut shown, mut left) = (String::new(), chars_max);
    for token in Scanner::new(text) {
        let (Token::Text(piece) | Token::CData(piece)) = token else { continue };
        for word in piece.split_whitespace() {
            if !shown.is_empty() && left > 0 {
                shown.push(' ');
                left -= 1;
            }
            for letter in word.chars().take(left) {
                shown.push(letter);
                left -= 1;
            }
            if left == 0 {
                return shown;
            }
        }
    }
    shown
}

/// An address as seen from where the feed was found.
pub(super) fn absolute<'a>(address: Cow<'a, str>, base: Option<&Url>) -> Cow<'a, str> {
    if Url::parse(&address).is_ok() {
        return address;
    }
    let joined = base.and_then(|base| base.join(&address).ok());
    joined.map_or(address, |url| Cow::Owned(url.into()))
}

fn number(text: Piece<'_>) -> Option<i64> {
    text?.trim().parse().ok()
}

fn object(mut values: Values<'_>) -> Tree<'_> {
    values.shrink_to_fit();
    Tree::Object(ObjectAsVec::from_iter(values))
}

fn list(texts: Vec<Cow<'_, str>>) -> Tree<'_> {
    Tree::Array(texts.into_iter().take(PARTS_MAX).map(Tree::Str).collect())
}

fn put<'a>(values: &mut Values<'a>, key: &'static str, piece: Piece<'a>) {
    let piece = piece.map(|text| match text {
        Cow::Borrowed(text) => Cow::Borrowed(bounded(text)),
        Cow::Owned(mut text) => {
            text.truncate(bounded(&text).len());
            Cow::Owned(text)
        }
    });
    values.extend(piece.map(|text| (key, Tree::Str(text))));
}

fn put_number(values: &mut Values<'_>, key: &'static str, number: Option<i64>) {
    values.extend(number.map(|number| (key, Tree::Number(number.into()))));
}
