//! Where a login leads: to a page of ours, never elsewhere.
//!
//! Browsers read addresses generously: they leave out tabs and line ends, take `\` for `/`, and take what
//! follows two slashes for a host. So nothing is repaired here: what is not plainly a path of ours,
//! as our own redirects write it, leads to the first page.

/// Longest path that is followed: longer than any of ours with a query.
const NEXT_BYTES_MAX: usize = 2048;
/// Where everything else leads.
const FIRST_PAGE: &str = "/";

/// The path, if it is one of ours; else the first page.
pub(super) fn local(next: &str) -> &str {
    if is_local(next) { next } else { FIRST_PAGE }
}

fn is_local(next: &str) -> bool {
    let is_plain = next.len() <= NEXT_BYTES_MAX
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        && !next.contains('#');
    let (path, _query) = next.split_once('?').unwrap_or((next, ""));
    // What a name in a path needs is encoded once; slashes, controls and percent signs never are.
    let is_decoded_plain = || {
        let bytes = path.as_bytes();
        (0..bytes.len()).filter(|at| bytes[*at] == b'%').all(|at| {
            let digits =
                path.get(at + 1..at + 3).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            byte.is_some_and(|byte| !byte.is_ascii_control() && !matches!(byte, b'/' | b'\\' | b'%'))
        })
    };
    is_plain && path.starts_with('/') && !path.contains("//") && is_decoded_plain()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_ours_only() {
        for ours in [
            "/",
            "/sources?q=a",
            "/sources/12",
            "/posts?q=%22two+words%22%0A&page=2",
            "/graph?at=mastodon:a.example/account/1",
            "/networks/mastodon%20b",
            "/posts?q=https://a.example//b",
        ] {
            assert_eq!(local(ours), ours);
        }
        for elsewhere in [
            "",
            "sources",
            "//evil.example/",
            "///evil.example/",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r/evil.example",
            "\t//evil.example",
            " //evil.example",
            "/ /evil.example",
            "/\0/evil.example",
            "/\u{7f}/evil.example",
            "/\u{a0}/evil.example",
            "/%09/evil.example",
            "/%0a/evil.example",
            "/%0D/evil.example",
            "/%2f/evil.example",
            "/%2Fevil.example",
            "/%5cevil.example",
            "/%5C/evil.example",
            "/%2509/evil.example",
            "/%",
            "/%1",
            "/%+9/evil.example",
            "/a//evil.example",
            "/.//evil.example",
            "/x#//evil.example",
            "/sources?q=a\tb",
            "/sources\r\nSet-Cookie: a=b",
        ] {
            assert_eq!(local(elsewhere), "/", "{elsewhere:?}");
        }
        let long = format!("/{}", "a".repeat(NEXT_BYTES_MAX));
        assert_eq!(local(&long), "/");
    }

    /// The same as a browser would read it: whatever is let through stays here.
    #[test]
    fn what_is_let_through_stays_here_in_the_eyes_of_a_browser() {
        let here = url::Url::parse("http://here.example/login").unwrap();
        let pieces =
            ["/", "\\", "\t", "\n", "%09", "%2f", "%5c", ".", "..", "evil.example", "?", "#", ":", "@"];
        let mut let_through = 0;
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let next = format!("/{one}{two}{three}evil.example");
                    let led = here.join(local(&next)).unwrap();
                    assert_eq!(led.host_str(), Some("here.example"), "{next:?}");
                    let_through += usize::from(local(&next) == next);
                }
            }
        }
        assert!(let_through > 0, "the test has something to look at");
    }
}
