//! The words of a post without its markup, for people who read them in a terminal or on a page.
//!
//! Some networks give HTML, others plain text, and a text does not say which it is. The browsers' own tokeniser takes only
//! what is a tag for one: `a < b` and `<3` stay. What people see is still escaped where it is shown.

use freshet_forum::tree;

/// Elements after which a new line begins.
const BLOCKS: [&str; 9] = ["p", "br", "div", "li", "blockquote", "pre", "h1", "h2", "h3"];

/// The words, with a line for each paragraph.
pub(crate) fn plain(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    let tree = tree::parse(text.as_bytes());
    let mut words = String::new();
    // Where the block ends that a new line follows.
    let mut end = 0;
    for node in 0..tree.len() {
        let is_block = BLOCKS.contains(&tree.tag(node));
        if (is_block || end > 0 && node >= end) && !words.is_empty() && !words.ends_with('\n') {
            words.push('\n');
        }
        if is_block {
            end = tree.end(node);
        }
        words.push_str(tree.text(node).unwrap_or_default());
    }
    words.truncate(words.trim_end().len());
    words
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
            ("cut in the mid<a hre", "cut in the mid"),
            ("<ul><li>x</li><li>y</li></ul>z", "x\ny\nz"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
