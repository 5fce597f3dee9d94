//! Hands a page to the tokenizer piece by piece, and keeps it from working more than a page is worth.
//!
//! `html5ever` compares each attribute of a tag with all those before it: one tag of eight megabytes would keep it busy
//! for hours. Its tokenizer has no limit for that, and does not say in which state it is. But it can be seen whether a
//! token came out. Where none came for a while, the tokenizer is inside a tag, a comment or a doctype; when that has
//! had more bytes that could begin an attribute than any honest one, those that follow are replaced, so that no further
//! attribute can begin until the token ends. So nothing here has to know the states of the tokenizer, and
//! no page can lead it astray. The tail of an endless attribute is garbled by that; nobody reads it.
//!
//! Invariant: a tag has at most [`SEPARATORS_MAX`] attributes and those of two pieces; the builder gets
//! [`ATTRIBUTES_MAX`] of them. What it does not do: decide what is kept of the page (see [`super::sink`]).

use std::borrow::Cow;
use std::cell::Cell;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink as _};

use super::sink::{Draft, is_kept};
use super::{ATTRIBUTES_MAX, BYTES_MAX, Tree};

/// Bytes of one letter in UTF-8.
const LETTER_BYTES_MAX: usize = 4;
/// Bytes fed between two looks at the limits: what one piece can make of the page beyond them is bounded by its square.
const PIECE_BYTES: usize = 2 << 10;
/// Bytes that can begin an attribute, in one tag, before they are replaced. Honest tags have some dozens, and those with
/// data for scripts in an attribute some hundreds.
const SEPARATORS_MAX: usize = 512;
/// What separators are replaced by: a letter of a name, of a value and of a comment alike.
const BLUNT: &str = "_";

/// Reads a page; bytes that are no UTF-8 become replacement characters.
pub fn parse(page: &[u8]) -> Tree {
    let end = page.len().min(BYTES_MAX);
    // Not in the middle of a letter, or all of the page would be copied to replace half of one.
    let is_middle = |&end: &usize| page.get(end).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (end.saturating_sub(LETTER_BYTES_MAX - 1)..=end).rfind(|end| !is_middle(end)).unwrap_or(end);
    let (mut tree, cut) = build(&String::from_utf8_lossy(&page[..end]));
    let is_long = page.len() > BYTES_MAX;
    tree.cut = cut.or(is_long.then_some("the page is larger than 8 MiB; the rest was not read"));
    tree
}

/// Reads a text, and says why its end was not read when it was not.
fn build(text: &str) -> (Tree, Option<&'static str>) {
    // Some forums put the whole list into `noscript` for readers like us.
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let sink = Counted { builder: TreeBuilder::new(Draft::default(), options), tokens: Cell::new(0) };
    let mut intake = Intake {
        tokenizer: Tokenizer::new(sink, TokenizerOpts::default()),
        queue: BufferQueue::default(),
        separators: 0,
    };
    let mut at = 0;
    let mut cut = None;
    while at < text.len() && cut.is_none() {
        at += intake.feed(&text[at..]);
        cut = intake.draft().is_full();
    }
    intake.tokenizer.end();
    (intake.tokenizer.sink.builder.sink.finish(), cut)
}

struct Intake {
    tokenizer: Tokenizer<Counted>,
    queue: BufferQueue,
    /// Those of the pieces since the last token.
    separators: usize,
}

impl Intake {
    /// Feeds the first piece of what is left; gives its length.
    fn feed(&mut self, rest: &str) -> usize {
        let is_blunt = self.separators > SEPARATORS_MAX;
        let mut end = rest.floor_char_boundary(PIECE_BYTES);
        if is_blunt {
            // To the next place where the token can end, so that nothing behind it is replaced.
            end = rest.as_bytes()[..end].iter().position(|&byte| byte == b'>').map_or(end, |at| at + 1);
        }
        let piece = &rest[..end];
        let given =
            if is_blunt { Cow::Owned(piece.replace(is_separator, BLUNT)) } else { Cow::Borrowed(piece) };
        let before = self.tokenizer.sink.tokens.get();
        self.queue.push_back(StrTendril::from_slice(&given));
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
        let is_inside = self.tokenizer.sink.tokens.get() == before;
        self.separators = if is_inside { self.separators + piece.matches(is_separator).count() } else { 0 };
        end
    }

    fn draft(&self) -> &Draft {
        &self.tokenizer.sink.builder.sink
    }
}

/// What stands between two attributes, or ends one: quotes need a `=` before them.
fn is_separator(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ' | '/' | '=')
}

/// The tree builder, with the tokens it got counted and their attributes bounded.
struct Counted {
    builder: TreeBuilder<u32, Draft>,
    tokens: Cell<u64>,
}

impl TokenSink for Counted {
    type Handle = u32;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<u32> {
        match &mut token {
            Token::ParseError(_) => {}
            Token::TagToken(tag) => {
                self.tokens.set(self.tokens.get() + 1);
                trim(tag);
            }
            _ => self.tokens.set(self.tokens.get() + 1),
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The builder sorts and compares the attributes of formatting tags, each with all those that are open.
fn trim(tag: &mut Tag) {
    if tag.attrs.len() > ATTRIBUTES_MAX {
        tag.attrs.retain(|attribute| is_kept(&attribute.name.local));
        tag.attrs.truncate(ATTRIBUTES_MAX);
    }
}
