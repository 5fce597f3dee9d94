//! The stretch of a text in which most of what was asked for stands, with brackets around it.

use super::{Asked, Word, words};

/// Words of a snippet.
const LENGTH: usize = 24;

/// The best stretch of this text; its beginning where nothing of the query is in it.
pub(in crate::postgres) fn snippet(text: &str, asked: &Asked) -> String {
    let all: Vec<Word> = words(text).collect();
    let hits: Vec<bool> = all.iter().map(|word| is_asked(asked, &word.folded)).collect();
    let length = LENGTH.min(all.len());
    let count = |from: usize| hits[from..from + length].iter().filter(|hit| **hit).count();
    let first = hits.iter().position(|hit| *hit).unwrap_or(0);
    // A little of what stands before the first hit is shown too, where there is room.
    let nearest = first.saturating_sub(LENGTH / 4).min(all.len() - length);
    let best =
        (0..=all.len() - length).max_by_key(|from| (count(*from), usize::MAX - from.abs_diff(nearest)));
    let from = best.unwrap_or(0);
    let to = from + length;
    let mut out = String::new();
    let mut at = if from == 0 { 0 } else { all[from].from };
    if from > 0 {
        out.push('…');
    }
    for (word, is_hit) in all[from..to].iter().zip(&hits[from..to]) {
        out.push_str(&text[at..word.from]);
        let shown = &text[word.from..word.to];
        if *is_hit {
            out.extend(["[", shown, "]"]);
        } else {
            out.push_str(shown);
        }
        at = word.to;
    }
    if to < all.len() {
        out.push('…');
    } else {
        out.push_str(&text[at..]);
    }
    out
}

fn is_asked(asked: &Asked, word: &str) -> bool {
    asked
        .terms
        .iter()
        .any(|(term, is_beginning)| if *is_beginning { word.starts_with(term) } else { word == term })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_what_was_asked_for() {
        let long = format!("{} the dry river, {}", "word ".repeat(40).trim(), "more ".repeat(40).trim());
        for (text, query, expected) in [
            ("the river rose fast in May.", "fast", "the river rose [fast] in May."),
            ("Brücke!", "brucke", "[Brücke]!"),
            ("storms", "sto*", "[storms]"),
            ("", "a", ""),
            ("calm", "storm OR calm NOT wind", "[calm]"),
        ] {
            assert_eq!(snippet(text, &Asked::parse(query).unwrap()), expected);
        }
        let cut = snippet(&long, &Asked::parse("river dry").unwrap());
        assert!(
            cut.starts_with('…') && cut.ends_with('…') && cut.contains("the [dry] [river], more"),
            "{cut}"
        );
    }
}
