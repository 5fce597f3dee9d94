//! What people ask, as a tree of words, and as the `tsquery` that it becomes.
//!
//! As FTS5 has it, words beside each other bind most, then `NOT`, `AND`, `OR`. A word that has no letters or digits is no condition.

use super::words;

/// Brackets within brackets.
const DEPTH_MAX: usize = 50;
/// How far apart words of `NEAR` may stand where nobody says it, and at most.
const NEAR: usize = 10;

/// A query that was understood.
#[derive(Debug)]
pub(in crate::postgres) struct Asked {
    /// For the server.
    pub(in crate::postgres) query: String,
    /// Words that are looked for, and whether each is the beginning of a word.
    pub(super) terms: Vec<(String, bool)>,
}

#[derive(Debug, PartialEq)]
enum Sign {
    /// Words, and whether the last is a beginning; whether it was quoted.
    Phrase(String, bool),
    And,
    Or,
    Not,
    Near,
    Open,
    Close,
    Comma,
}

impl Asked {
    /// Understands a query, or says what is wrong with it.
    pub(in crate::postgres) fn parse(query: &str) -> Result<Self, String> {
        if !query.contains(char::is_alphanumeric) {
            return Err("it has no words".to_owned());
        }
        let is_operator = |word: &str| matches!(word, "AND" | "OR" | "NOT") || word.starts_with("NEAR(");
        let is_plain =
            !query.contains(['"', '(', ')', '*', '^']) && !query.split_whitespace().any(is_operator);
        let mut reader = Reader { signs: Vec::new(), at: 0, terms: Vec::new() };
        reader.signs = if is_plain {
            query.split_whitespace().map(|word| Sign::Phrase(word.to_owned(), false)).collect()
        } else {
            signs(query)?
        };
        let tree = reader.any(0)?;
        if reader.at < reader.signs.len() {
            return Err("a bracket closes that was not opened".to_owned());
        }
        let query = tree.ok_or_else(|| "it has no words".to_owned())?;
        Ok(Self { query, terms: reader.terms })
    }
}

fn signs(query: &str) -> Result<Vec<Sign>, String> {
    let mut signs = Vec::new();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let end = rest[1..].find('"').ok_or("a quotation mark is not closed")?;
                signs.push(Sign::Phrase(rest[1..=end].to_owned(), false));
                end + 2
            }
            '(' => {
                signs.push(Sign::Open);
                1
            }
            ')' => {
                signs.push(Sign::Close);
                1
            }
            ',' => {
                signs.push(Sign::Comma);
                1
            }
            '*' => {
                match signs.last_mut() {
                    Some(Sign::Phrase(_, is_beginning)) => *is_beginning = true,
                    _ => return Err("a `*` stands behind a word".to_owned()),
                }
                1
            }
            '^' => {
                return Err("a store in PostgreSQL knows no `^`: it cannot ask for the first word".to_owned());
            }
            _ => {
                let is_end = |it: char| it.is_whitespace() || "\"()*^,".contains(it);
                let end = rest.find(is_end).unwrap_or(rest.len());
                signs.push(match &rest[..end] {
                    "AND" => Sign::And,
                    "OR" => Sign::Or,
                    "NOT" => Sign::Not,
                    "NEAR" if rest[end..].starts_with('(') => Sign::Near,
                    word => Sign::Phrase(word.to_owned(), false),
                });
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(signs)
}

struct Reader {
    signs: Vec<Sign>,
    at: usize,
    terms: Vec<(String, bool)>,
}

/// A part of the query as the server takes it; `None` where it has no words.
type Part = Option<String>;

fn joined(one: Part, sign: &str, other: Part) -> Part {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("({one} {sign} {other})")),
        (one, other) => one.or(other),
    }
}

impl Reader {
    fn takes(&mut self, sign: &Sign) -> bool {
        let is_next = self.signs.get(self.at) == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn any(&mut self, depth: usize) -> Result<Part, String> {
        let mut part = self.all(depth)?;
        while self.takes(&Sign::Or) {
            let other = self.all(depth)?;
            part = joined(part, "|", other);
        }
        Ok(part)
    }

    fn all(&mut self, depth: usize) -> Result<Part, String> {
        let mut part = self.without(depth)?;
        while self.takes(&Sign::And) {
            let other = self.without(depth)?;
            part = joined(part, "&", other);
        }
        Ok(part)
    }

    fn without(&mut self, depth: usize) -> Result<Part, String> {
        let mut part = self.beside(depth)?;
        while self.takes(&Sign::Not) {
            let wanted = self.terms.len();
            let other = self.beside(depth)?;
            self.terms.truncate(wanted);
            part = match (part, other) {
                (Some(part), Some(other)) => Some(format!("({part} & !{other})")),
                (part, _) => part,
            };
        }
        Ok(part)
    }

    fn beside(&mut self, depth: usize) -> Result<Part, String> {
        let mut part = self.one(depth)?;
        while matches!(self.signs.get(self.at), Some(Sign::Phrase(..) | Sign::Open | Sign::Near)) {
            let other = self.one(depth)?;
            part = joined(part, "&", other);
        }
        Ok(part)
    }

    fn one(&mut self, depth: usize) -> Result<Part, String> {
        if self.takes(&Sign::Near) {
            return self.near();
        }
        if self.takes(&Sign::Open) {
            if depth >= DEPTH_MAX {
                return Err("it has too many brackets within brackets".to_owned());
            }
            let part = self.any(depth + 1)?;
            if self.takes(&Sign::Close) {
                return Ok(part);
            }
            return Err("a bracket is not closed".to_owned());
        }
        match self.phrase() {
            Some(phrase) => Ok(phrase),
            None => Err("a word is missing beside `AND`, `OR`, `NOT` or a bracket".to_owned()),
        }
    }

    /// The phrase that stands here; `None` where there is none.
    fn phrase(&mut self) -> Option<Part> {
        let Some(Sign::Phrase(text, is_beginning)) = self.signs.get(self.at) else { return None };
        self.at += 1;
        let mut all: Vec<String> = words(text).map(|word| word.folded).collect();
        let last = all.len().saturating_sub(1);
        let ends = |at: usize| *is_beginning && at == last;
        self.terms.extend(all.iter().enumerate().map(|(at, word)| (word.clone(), ends(at))));
        for (at, word) in all.iter_mut().enumerate() {
            *word = format!("'{word}'{}", if ends(at) { ":*" } else { "" });
        }
        Some((!all.is_empty()).then(|| format!("({})", all.join(" <-> "))))
    }

    /// Words that stand near each other, in any order.
    fn near(&mut self) -> Result<Part, String> {
        self.takes(&Sign::Open);
        let mut parts = Vec::new();
        while let Some(phrase) = self.phrase() {
            parts.extend(phrase);
        }
        let mut apart = NEAR;
        if self.takes(&Sign::Comma) {
            let Some(Sign::Phrase(number, _)) = self.signs.get(self.at) else {
                return Err("behind the comma of `NEAR` stands a number".to_owned());
            };
            apart = number.parse().map_err(|_| "behind the comma of `NEAR` stands a number".to_owned())?;
            self.at += 1;
        }
        if !self.takes(&Sign::Close) {
            return Err("a bracket is not closed".to_owned());
        }
        let pair = |one: &String, other: &String| {
            let ways = 1..=apart.min(NEAR) + 1;
            let ways =
                ways.flat_map(|by| [format!("({one} <{by}> {other})"), format!("({other} <{by}> {one})")]);
            format!("({})", ways.collect::<Vec<_>>().join(" | "))
        };
        let pairs: Vec<String> = parts.windows(2).map(|two| pair(&two[0], &two[1])).collect();
        if pairs.is_empty() { Ok(parts.pop()) } else { Ok(Some(format!("({})", pairs.join(" & ")))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_means_what_it_means_to_fts5() {
        for (query, expected) in [
            ("storm", Ok("('storm')")),
            ("Storm coast", Ok("(('storm') & ('coast'))")),
            ("don't c++", Ok("(('don' <-> 't') & ('c'))")),
            ("storm OR calm sea", Ok("(('storm') | (('calm') & ('sea')))")),
            ("a b NOT c", Ok("((('a') & ('b')) & !('c'))")),
            ("a AND b OR c", Ok("((('a') & ('b')) | ('c'))")),
            ("\"calm coast\"", Ok("('calm' <-> 'coast')")),
            ("sto*", Ok("('sto':*)")),
            ("(a OR b) c", Ok("((('a') | ('b')) & ('c'))")),
            ("NEAR(a b, 0)", Ok("(((('a') <1> ('b')) | (('b') <1> ('a'))))")),
            ("a OR \"++\"", Ok("('a')")),
            ("it's ' :* 'quoted", Ok("((('it' <-> 's') & ('quoted')))")),
            ("", Err("no words")),
            ("\"open", Err("quotation")),
            ("(storm", Err("bracket")),
            ("storm)", Err("bracket")),
            ("AND", Err("word is missing")),
            ("storm AND", Err("word is missing")),
            ("NOT storm", Err("word is missing")),
            ("^storm", Err("first word")),
            ("\"\" OR \"\" x NEAR(a", Err("not closed")),
        ] {
            match (Asked::parse(query), expected) {
                (Ok(asked), Ok(expected)) => {
                    let plain = |text: &str| text.replace(['(', ')'], "");
                    assert_eq!(plain(&asked.query), plain(expected), "{query}");
                }
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{query}: {why}"),
                (found, _) => panic!("{query}: {found:?}"),
            }
        }
        assert!(
            Asked::parse(&"(".repeat(10_000)).is_err()
                && Asked::parse(&format!("{}a", "(".repeat(10_000))).is_err()
        );
    }
}
