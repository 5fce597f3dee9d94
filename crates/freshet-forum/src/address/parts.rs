//! What an address is made of: segments and parameters, wherever the software of a site puts them.
//!
//! Some software writes its paths behind the question mark (`show.php?12-title/page2`, `index.php?/topic/12-title/`,
//! `index.php?p=/d/12`), because the server hands it nothing else. Such a *route* is read as a path: what follows is the same page
//! under either form. Parameters are separated by `&` or, as some software has it, by `;`.

use url::Url;

/// What separates parameters.
pub(super) const SEPARATORS: [char; 2] = ['&', ';'];

/// Longest name of a parameter that holds a route: `p`, `q`, `r`.
const ROUTE_NAME_BYTES_MAX: usize = 2;

/// The segments of path and route that are not empty.
pub fn segments(url: &Url) -> Vec<&str> {
    all_segments(url).collect()
}

pub(crate) fn all_segments(url: &Url) -> impl Iterator<Item = &str> {
    split_path(url.path()).chain(split_path(route(url).unwrap_or_default()))
}

pub(super) fn split_path(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// The query's pairs in the order of their names.
pub fn pairs(url: &Url) -> Vec<(&str, &str)> {
    let query = url.query().unwrap_or_default();
    let routed = usize::from(route(url).is_some());
    let pieces = query.split(SEPARATORS).skip(routed).filter(|pair| !pair.is_empty());
    let mut pairs: Vec<_> = pieces.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    pairs.sort_unstable();
    pairs
}

/// The path behind the question mark: the first piece of the query without a name, if it looks like a path or begins with a number, or
/// a value that is a path, given to a file.
pub(super) fn route(url: &Url) -> Option<&str> {
    let first = url.query()?.split(SEPARATORS).next()?;
    let Some((name, value)) = first.split_once('=') else {
        let is_route = first.contains('/') || first.starts_with(|c: char| c.is_ascii_digit());
        return is_route.then_some(first);
    };
    let is_given_to_file =
        || url.path().rsplit('/').next().is_some_and(|it| it.is_empty() || it.contains('.'));
    // Log-in pages are told the page to return to in a longer word (`next`, `return`): each would be another page, without end.
    (value.starts_with('/') && name.len() <= ROUTE_NAME_BYTES_MAX && is_given_to_file()).then_some(value)
}

/// The address with more behind its path, or behind its route where it has one.
pub(super) fn extended(url: &Url, more: &str) -> Url {
    let mut longer = url.clone();
    if route(url).is_some()
        && let Some(query) = url.query()
    {
        let end = query.find(SEPARATORS).unwrap_or(query.len());
        let (piece, rest) = query.split_at(end);
        longer.set_query(Some(&format!("{}/{more}{rest}", piece.trim_end_matches('/'))));
    } else {
        longer.set_path(&format!("{}/{more}", url.path().trim_end_matches('/')));
    }
    longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_paths() {
        for (address, expected) in [
            ("/show.php?12-a-title/page2&o=1", "show.php 12-a-title page2 | o=1"),
            ("/index.php?/topic/12-a/", "index.php topic 12-a | "),
            ("/index.php?p=/d/12/a&x=2", "index.php d 12 a | x=2"),
            ("/?q=/node/5", "node 5 | "),
            ("/login?next=/topic/5", "login | next=/topic/5"),
            ("/user/login/?next=/topic/5/", "user login | next=/topic/5/"),
            ("/i.php?topic=12.0;topicseen", "i.php | topic=12.0 topicseen="),
            ("/b/5?unread", "b 5 | unread="),
            ("/v.php?t=5&a=1", "v.php | a=1 t=5"),
        ] {
            let url = Url::parse("http://forum.test").unwrap().join(address).unwrap();
            let pairs: Vec<String> =
                pairs(&url).iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(format!("{} | {}", segments(&url).join(" "), pairs.join(" ")), expected, "{address}");
        }
    }
}
