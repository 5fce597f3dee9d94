//! Text inside XML: signs that mean something are written otherwise, those that XML forbids are left out.

/// The text as an attribute or between two tags may hold it.
pub(super) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| is_allowed(*letter)) {
        match letter {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            letter => written.push(letter),
        }
    }
    written
}

/// What a document of XML 1.0 may contain.
fn is_allowed(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r') || (letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}'))
}
