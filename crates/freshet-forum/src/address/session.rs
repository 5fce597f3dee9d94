//! Which parameters are sessions: they change from visit to visit, and the page is the same.
//!
//! Two ways to tell: a name that servers give to sessions with a long value, and a long value of letters and digits that every link
//! of a page with that parameter has in common, whatever it is called.

use freshet_types::Map;
use url::Url;

use super::parts::SEPARATORS;

/// Names that servers give to session parameters.
const SESSION_NAMES: [&str; 8] =
    ["sid", "phpsessid", "jsessionid", "sessionid", "session_id", "osessid", "aspsessionid", "s"];
/// A session id is at least so many hexadecimal or base-64 characters.
const SESSION_CHARS_MIN: usize = 16;
/// Links of a page that share a token before it is a session.
const SHARED_MIN: usize = 4;

/// Takes session ids out of an address; the order of what is left stays.
pub(crate) fn drop_session(url: &mut Url) {
    // One byte is looked for quicker than a word, and hardly any path has it.
    if url.path().contains(';')
        && let Some(at) = url.path().find(";jsessionid=")
    {
        let path = url.path()[..at].to_owned();
        url.set_path(&path);
    }
    drop_pairs(url, is_session);
}

/// Takes sessions out of a page's links and its own address that only the page as a whole shows.
pub(crate) fn drop_tokens(url: &mut Url, links: &mut [&mut Url]) {
    let mut values: Map<&str, (&str, usize)> = Map::default();
    for link in links.iter().filter(|link| link.host_str() == url.host_str()) {
        let pieces = link.query().unwrap_or_default().split(SEPARATORS);
        for (name, value) in
            pieces.filter_map(|piece| piece.split_once('=')).filter(|(_, value)| is_token(value))
        {
            let known = values.entry(name).or_insert((value, 0));
            // Two values of one name on one page are no session.
            *known = if known.0 == value { (value, known.1 + 1) } else { ("", 0) };
        }
    }
    let names: Vec<String> = values
        .into_iter()
        .filter(|(_, (_, count))| *count >= SHARED_MIN)
        .map(|(name, _)| name.to_owned())
        .collect();
    if names.is_empty() {
        return;
    }
    let is_shared = |piece: &str| {
        piece
            .split_once('=')
            .is_some_and(|(name, value)| is_token(value) && names.iter().any(|it| it == name))
    };
    for link in links.iter_mut() {
        drop_pairs(link, is_shared);
    }
    drop_pairs(url, is_shared);
}

fn drop_pairs(url: &mut Url, is_dropped: impl Fn(&str) -> bool) {
    let Some(query) = url.query() else { return };
    if !query.split(SEPARATORS).any(&is_dropped) {
        return;
    }
    let pieces =
        query.split_inclusive(SEPARATORS).filter(|piece| !is_dropped(piece.trim_end_matches(SEPARATORS)));
    let kept = pieces.collect::<String>();
    let kept = kept.trim_end_matches(SEPARATORS).to_owned();
    url.set_query(Some(kept.as_str()).filter(|it| !it.is_empty()));
}

fn is_session(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    value.len() >= SESSION_CHARS_MIN
        && SESSION_NAMES.iter().any(|it| it.eq_ignore_ascii_case(name))
        && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Long, of letters and digits, and of both.
fn is_token(value: &str) -> bool {
    value.len() >= SESSION_CHARS_MIN
        && value.bytes().all(|it| it.is_ascii_alphanumeric())
        && value.bytes().any(|it| it.is_ascii_digit())
        && value.bytes().any(|it| it.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::resolve;

    #[test]
    fn sessions_are_left_out() {
        let base = Url::parse("http://forum.test/").unwrap();
        for (href, expected) in [
            ("/t.php?sid=44ef6b8926694d2b544dcb8caaedcf22&t=5", "http://forum.test/t.php?t=5"),
            ("/t.php?t=5&PHPSESSID=44ef6b8926694d2b544d", "http://forum.test/t.php?t=5"),
            ("/t.php?PHPSESSID=44ef6b8926694d2b544d;topic=5.0;x", "http://forum.test/t.php?topic=5.0;x"),
            ("/t.php?s=5", "http://forum.test/t.php?s=5"),
            ("/t;jsessionid=ABC123?p=1", "http://forum.test/t?p=1"),
        ] {
            assert_eq!(resolve(&base, href).map(String::from).as_deref(), Some(expected), "{href}");
        }
        assert_eq!(resolve(&base, "javascript:void(0)"), None);
    }

    #[test]
    fn a_token_that_all_links_share_is_a_session() {
        let page = |tokens: [&str; 5]| {
            let read = |text: String| Url::parse(&text).unwrap();
            let mut url = read(format!("http://forum.test/b?zen={}", tokens[0]));
            let mut links: Vec<Url> = (0..)
                .zip(tokens)
                .map(|(at, it)| read(format!("http://forum.test/t?id={at}&zen={it}")))
                .collect();
            drop_tokens(&mut url, &mut links.iter_mut().collect::<Vec<_>>());
            format!("{url} {}", links[3])
        };
        let token = "9f3ac0e1b2d44558aa01";
        assert_eq!(page([token; 5]), "http://forum.test/b http://forum.test/t?id=3");
        let other = "00aa11bb22cc33dd44ee";
        let found = page([token, token, other, token, token]);
        assert!(found.contains("zen="), "two values are no session: {found}");
        assert!(page(["english"; 5]).contains("zen="));
    }
}
