//! The words of a post without its markup, for people who read them in a terminal or on a page.
//!
//! Some networks give HTML, others plain text, and a text does not say which it is. The browsers' own tokeniser takes only
//! what is a tag for one: `a < b` and `<3` stay. What people see is still escaped where it is shown.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Elements that stand in lines of their own.
const BLOCKS: [&str; 10] = ["p", "br", "div", "li", "ul", "blockquote", "pre", "h1", "h2", "h3"];
/// Elements whose content is not for people.
const HIDDEN: [&str; 2] = ["script", "style"];

/// The words, with a line for each paragraph.
pub fn plain(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(text));
    let tokenizer = Tokenizer::new(Words::default(), TokenizerOpts::default());
    // No script of ours stops it, so it reads to the end at once.
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut words = tokenizer.sink.words.into_inner();
    words.truncate(words.trim_end().len());
    words
}

/// The words that were seen so far.
#[derive(Default)]
struct Words {
    words: RefCell<String>,
    is_hidden: Cell<bool>,
}

impl Words {
    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let is_start = tag.kind == TagKind::StartTag;
        if HIDDEN.contains(&&*tag.name) {
            self.is_hidden.set(is_start);
            return if is_start {
                TokenSinkResult::RawData(RawKind::Rawtext)
            } else {
                TokenSinkResult::Continue
            };
        }
        let mut words = self.words.borrow_mut();
        if BLOCKS.contains(&&*tag.name) && !words.is_empty() && !words.ends_with('\n') {
            words.push('\n');
        }
        TokenSinkResult::Continue
    }
}

impl TokenSink for Words {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => return self.tag(&tag),
            Token::CharacterTokens(text) if !self.is_hidden.get() => self.words.borrow_mut().push_str(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_words_stay() {
        for (text, expected) in [
            ("", ""),
            ("no markup\nat all", "no markup\nat all"),
            ("<p>one &amp; two</p><p>three</p>", "one & two\nthree"),
            ("<p>a<br>b<br/>c</p>", "a\nb\nc"),
            ("say <a href=\"https://a.example/\"><span>a</span>.example</a>!", "say a.example!"),
            ("I <3 this, a < b & c > d", "I <3 this, a < b & c > d"),
            ("&quot;caf&eacute;&#39;s&quot;", "\"café's\""),
            ("before<script>alert(1)</script>after", "beforeafter"),
            ("<a>#one</a> <a>#two</a>", "#one #two"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("an &unknown; one, R&D", "an &unknown; one, R&D"),
            ("今日は<b>いい</b>", "今日はいい"),
            ("<script>never closed", ""),
            ("cut in the mid<a hre", "cut in the mid"),
            ("<ul><li>x</li><li>y</li></ul>z", "x\ny\nz"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
