//! The lists of a forum as objects of the model: a front page contains boards, a board threads, a thread posts.
//!
//! Each is a composite object with an address like all others (`network/thread/ID`) and the root of a source. Only the
//! names of the types are here, and what may be a title: what contains what is the store's business, how pages of lists are
//! walked the engine's.

/// The type of a front page.
pub const PORTAL: &str = "portal";
/// The type of a list of threads.
pub const BOARD: &str = "board";
/// The type of a list of posts.
pub const THREAD: &str = "thread";

/// The types of lists, from the outside in.
pub const LIST_KINDS: [&str; 3] = [PORTAL, BOARD, THREAD];

/// Characters of a title: longer ones are cut, with an ellipsis for the rest.
pub const TITLE_CHARS_MAX: usize = 200;
/// Endings of titles that somebody has cut.
const CUT_ENDINGS: [&str; 2] = ["…", "..."];

/// A title as it may be kept: one line of words, of bounded length, without characters that steer a terminal or turn the
/// direction of the text around it. Titles are written by strangers. Nothing where no word is left.
pub fn clean_title(text: &str) -> Option<String> {
    let plain: String = text.chars().map(|c| if is_steering(c) { ' ' } else { c }).collect();
    let mut title = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = title.char_indices().nth(TITLE_CHARS_MAX) {
        title.truncate(cut);
        title.pop();
        title.push('…');
    }
    (!title.is_empty()).then_some(title)
}

/// Control characters, and those that change the direction of what follows.
fn is_steering(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}')
}

/// Whether a title is the beginning of a longer one: a narrow column shows less of it.
pub fn is_cut_of(title: &str, whole: &str) -> bool {
    let cut = CUT_ENDINGS.iter().find_map(|ending| title.strip_suffix(ending));
    cut.is_some_and(|start| whole.starts_with(start.trim_end()) && whole.len() > start.len())
}

/// Whether objects of this type are lists.
pub fn is_list(kind: &str) -> bool {
    LIST_KINDS.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(clean_title(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn titles_are_one_inert_line() {
        check("  How to\n\tbake ", Some("How to bake"));
        check("\u{1b}[31mred\u{7}\u{202e}der", Some("[31mred der"));
        check("\u{200e} \u{feff}\r\n", None);
        check("", None);
        check("Häuser & <b>Gärten</b>", Some("Häuser & <b>Gärten</b>"));
        let long = "ä".repeat(TITLE_CHARS_MAX + 1);
        let cut = clean_title(&long).unwrap();
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (TITLE_CHARS_MAX, true));
        check(&"ä".repeat(TITLE_CHARS_MAX), Some(&"ä".repeat(TITLE_CHARS_MAX)));
    }

    #[test]
    fn a_cut_title_is_known_by_its_beginning() {
        for (title, whole, expected) in [
            ("How to ba…", "How to bake", true),
            ("How to ...", "How to bake", true),
            ("How to bake", "How to bake", false),
            ("Why so…", "How to bake", false),
            ("How to bake…", "How to", false),
        ] {
            assert_eq!(is_cut_of(title, whole), expected, "{title}, {whole}");
        }
    }
}
