//! What a page says about its place: `Page 2 of 9`, `Seite 2/9`.
//!
//! It names no address, but it proves which of the links turns the page, and that a list goes on where no link was found.

use crate::page::Page;

/// Words for a page, in some twenty languages.
const PAGE: &str = "page seite página pagina pág pag strona strana stránka страница стр сторінка sayfa sida side sivu oldal σελίδα \
pagină halaman trang";
/// Words between the number of a page and how many there are.
const OF: &str = "of von de sur di van z ze из з av af af od din of di dari sur från til από / no";
/// Texts longer than this are prose.
const TEXT_CHARS_MAX: usize = 60;

/// The number of the page, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) page: i64,
    pub(super) count: i64,
}

impl Position {
    /// Where the page says it stands; the first that it says counts.
    pub(super) fn of(page: &Page) -> Option<Self> {
        let mut recent: Vec<String> = Vec::new();
        for text in (0..page.tree.len()).filter_map(|node| page.tree.text(node)) {
            if text.trim().is_empty() {
                continue;
            }
            if text.len() > TEXT_CHARS_MAX {
                recent.clear();
                continue;
            }
            for token in tokens(text) {
                recent.push(token);
                if let Some(found) = read(&recent) {
                    return Some(found);
                }
                if recent.len() >= TOKENS {
                    recent.remove(0);
                }
            }
        }
        None
    }

    pub(super) fn has_more(self) -> bool {
        self.page < self.count
    }
}

/// Tokens of a position: word, number, word, number.
const TOKENS: usize = 4;

/// Words and numbers in lower case, and slashes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in text.chars() {
        if c == '/' {
            tokens.push(c.to_string());
        }
        let is_kept = c.is_alphanumeric();
        match tokens.last_mut().filter(|_| is_kept && is_open) {
            Some(token) if token.chars().all(|it| it.is_ascii_digit() == c.is_ascii_digit()) => {
                token.extend(c.to_lowercase());
            }
            _ if is_kept => tokens.push(c.to_lowercase().collect()),
            _ => {}
        }
        is_open = is_kept;
    }
    tokens
}

fn read(recent: &[String]) -> Option<Position> {
    let [.., word, page, of, count] = recent else { return None };
    let is_one = |words: &str, word: &str| words.split_ascii_whitespace().any(|it| it == word);
    let number = |text: &str| text.parse::<i64>().ok().filter(|it| (1..super::NUMBER_MAX).contains(it));
    let (page, count) = (number(page)?, number(count)?);
    (is_one(PAGE, word) && is_one(OF, of) && page <= count).then_some(Position { page, count })
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::page::Source;

    #[test]
    fn positions_are_read_in_many_languages() {
        for (html, expected) in [
            ("<p>Page 2 of 9</p>", Some((2, 9))),
            ("<span>Page <b>1</b> of <b>12</b></span>", Some((1, 12))),
            ("<li>Seite 3 von 4 •</li>", Some((3, 4))),
            ("<p>Page 2/9</p>", Some((2, 9))),
            ("<p>Страница 1 из 5</p>", Some((1, 5))),
            ("<p>Page 9 of 2</p>", None),
            ("<p>Showing 1 of 5 pages</p>", None),
            (
                "<p>On page 3 of the book there are 4 mills, and that is all that can be said of them here</p>",
                None,
            ),
        ] {
            let url = Url::parse("http://forum.test/").unwrap();
            let page = Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: None });
            assert_eq!(Position::of(&page).map(|it| (it.page, it.count)), expected, "{html}");
        }
    }
}
