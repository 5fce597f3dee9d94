//! What is understood, as one table over the shipped definitions, and what is said otherwise.

use crate::networks::Networks;

/// One line: the text, and `network type id-or-@handle base`.
const TABLE: &[(&str, &str)] = &[
    // Mastodon and compatibles.
    ("https://example.social/@ada", "mastodon:example.social account @ada https://example.social"),
    ("https://example.social/@ada/", "mastodon:example.social account @ada https://example.social"),
    ("https://Example.SOCIAL/@Ada", "mastodon:example.social account @Ada https://example.social"),
    ("https://example.social/@ada/media", "mastodon:example.social account @ada https://example.social"),
    ("https://example.social/@ada#top", "mastodon:example.social account @ada https://example.social"),
    ("https://example.social:443/@ada", "mastodon:example.social account @ada https://example.social"),
    ("https://example.social/users/ada", "mastodon:example.social account @ada https://example.social"),
    (
        "https://example.social/@ada@other.example",
        "mastodon:other.example account @ada https://other.example",
    ),
    ("https://example.social/web/@ada", "mastodon:example.social account @ada https://example.social"),
    ("http://127.0.0.1:4000/@ada", "mastodon:127.0.0.1:4000 account @ada http://127.0.0.1:4000"),
    ("http://localhost:3000/users/ada", "mastodon:localhost:3000 account @ada http://localhost:3000"),
    ("http://[::1]:3000/@ada", "mastodon:[::1]:3000 account @ada http://[::1]:3000"),
    ("@ada@example.social", "mastodon:example.social account @ada https://example.social"),
    ("ada@example.social", "mastodon:example.social account @ada https://example.social"),
    ("  acct:ada@example.social ", "mastodon:example.social account @ada https://example.social"),
    ("acct:ada.b-c@EXAMPLE.social", "mastodon:example.social account @ada.b-c https://example.social"),
    ("@ada@127.0.0.1:4000", "mastodon:127.0.0.1:4000 account @ada http://127.0.0.1:4000"),
    ("example.social/@ada", "mastodon:example.social account @ada https://example.social"),
    (
        "https://bücher.example/@ada",
        "mastodon:xn--bcher-kva.example account @ada https://xn--bcher-kva.example",
    ),
    ("https://example.social/tags/rivers", "mastodon:example.social tag rivers https://example.social"),
    ("https://example.social/tags/%C3%A9t%C3%A9", "mastodon:example.social tag été https://example.social"),
    ("https://example.social/@ada/112233", "mastodon:example.social post 112233 https://example.social"),
    (
        "https://example.social/@ada@other.example/112233",
        "mastodon:example.social post 112233 https://example.social",
    ),
    (
        "https://example.social/users/ada/statuses/112233",
        "mastodon:example.social post 112233 https://example.social",
    ),
    ("mastodon:example.social/account/7", "mastodon:example.social account 7 https://example.social"),
    ("mastodon:127.0.0.1:3000/account/7", "mastodon:127.0.0.1:3000 account 7 http://127.0.0.1:3000"),
    ("mastodon:http://127.0.0.1:4000/@ada", "mastodon:127.0.0.1:4000 account @ada http://127.0.0.1:4000"),
    // Bluesky.
    ("ada.bsky.social", "bluesky account @ada.bsky.social https://public.api.bsky.app"),
    ("@ada.bsky.social", "bluesky account @ada.bsky.social https://public.api.bsky.app"),
    ("@ada.example.org", "bluesky account @ada.example.org https://public.api.bsky.app"),
    (
        "https://bsky.app/profile/ada.example.org",
        "bluesky account @ada.example.org https://public.api.bsky.app",
    ),
    ("bsky.app/profile/ada.bsky.social", "bluesky account @ada.bsky.social https://public.api.bsky.app"),
    ("https://bsky.app/profile/did:plc:abc234", "bluesky account did:plc:abc234 https://public.api.bsky.app"),
    ("did:plc:abc234", "bluesky account did:plc:abc234 https://public.api.bsky.app"),
    ("did:web:example.org", "bluesky account did:web:example.org https://public.api.bsky.app"),
    ("at://did:plc:abc234", "bluesky account did:plc:abc234 https://public.api.bsky.app"),
    ("at://ada.example.org", "bluesky account @ada.example.org https://public.api.bsky.app"),
    (
        "at://did:plc:abc234/app.bsky.feed.post/3kabc",
        "bluesky post at://did:plc:abc234/app.bsky.feed.post/3kabc https://public.api.bsky.app",
    ),
    (
        "https://bsky.app/profile/ada.example.org/post/3kabc",
        "bluesky post at://ada.example.org/app.bsky.feed.post/3kabc https://public.api.bsky.app",
    ),
    ("bluesky/account/did:plc:abc234", "bluesky account did:plc:abc234 https://public.api.bsky.app"),
    ("bluesky:ada.example.org", "bluesky account @ada.example.org https://public.api.bsky.app"),
    (
        "bluesky:http://127.0.0.1:2584/ada.test",
        "bluesky:127.0.0.1:2584 account @ada.test http://127.0.0.1:2584",
    ),
    (
        "bluesky:http://127.0.0.1:2584/did:plc:abc234",
        "bluesky:127.0.0.1:2584 account did:plc:abc234 http://127.0.0.1:2584",
    ),
    (
        "bluesky-pds:http://127.0.0.1:2583/did:plc:abc234",
        "bluesky-pds:127.0.0.1:2583 account did:plc:abc234 http://127.0.0.1:2583",
    ),
    // Hacker News.
    ("https://news.ycombinator.com/user?id=ada", "hackernews account ada -"),
    ("news.ycombinator.com/user?id=ada_l", "hackernews account ada_l -"),
    ("https://news.ycombinator.com/item?id=8863", "hackernews post 8863 -"),
    ("hn:ada", "hackernews account ada -"),
    ("hackernews/post/8863", "hackernews post 8863 -"),
    // Feeds.
    (
        "https://example.org/index.xml",
        "rss:example.org account https://example.org/index.xml https://example.org",
    ),
    ("https://example.org/feed/", "rss:example.org account https://example.org/feed/ https://example.org"),
    (
        "http://example.org/blog/feed",
        "rss:example.org account http://example.org/blog/feed http://example.org",
    ),
    (
        "https://example.org/a.atom?x=1",
        "rss:example.org account https://example.org/a.atom?x=1 https://example.org",
    ),
    (
        "https://example.social/@ada.rss",
        "rss:example.social account https://example.social/@ada.rss https://example.social",
    ),
    ("rss:https://example.org/news", "rss:example.org account https://example.org/news https://example.org"),
    ("feed:https://example.org/news", "rss:example.org account https://example.org/news https://example.org"),
    ("feed://example.org/news", "rss:example.org account https://example.org/news https://example.org"),
    (
        "rss:http://127.0.0.1:8000/x",
        "rss:127.0.0.1:8000 account http://127.0.0.1:8000/x http://127.0.0.1:8000",
    ),
    (
        "https://www.youtube.com/feeds/videos.xml?channel_id=UC1",
        "rss:www.youtube.com account https://www.youtube.com/feeds/videos.xml?channel_id=UC1 https://www.youtube.com",
    ),
];

fn check(networks: &Networks, text: &str, expected: &str) {
    let reference = networks.understand(text).unwrap_or_else(|error| panic!("{error}"));
    let id = match (&reference.root_id, &reference.handle) {
        (Some(id), None) => id.clone(),
        (None, Some(handle)) => format!("@{handle}"),
        both => panic!("{text}: {both:?}"),
    };
    // Hacker News asks two hosts; which of them is the base is no business of references.
    let base = if expected.ends_with(" -") { "-" } else { &reference.instance.base };
    let shown = format!("{} {} {id} {base}", reference.instance.network, reference.root_kind);
    assert_eq!(shown, expected, "{text}");
    assert!(!reference.instance.allow_private, "that is for a person to say");
}

#[test]
fn references_are_understood() {
    let networks = Networks::shipped();
    for (text, expected) in TABLE {
        check(&networks, text, expected);
    }
}

#[test]
fn what_is_not_understood_says_what_would_be() {
    let networks = Networks::shipped();
    for (text, why) in [
        ("", "empty"),
        ("   ", "empty"),
        ("@ada", "say on which server: `@ada@example.social`"),
        ("ada", "not understood"),
        ("mastadon/account/7", "did you mean `mastodon`?"),
        ("nowhere/account/7", "no network `nowhere`"),
        ("mastodon:example.social/album/7", "no type `album`"),
        ("https://example.org/article", "if it is a feed, write `rss:https://example.org/article`"),
        ("https://www.tiktok.com/@ada", "`tiktok`, which has no definition here"),
        ("https://www.youtube.com/@ada", "`youtube`, which has no definition here"),
        ("threads.net/@ada", "`threads`, which has no definition here"),
        ("https://ada:secret@example.social/@ada", "take it out"),
        ("https://example.social/@a\u{0}da", "control characters"),
        ("bluesky-pds:did:plc:abc234", "not understood"),
    ] {
        let error = networks.understand(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let error = networks.understand("ada").unwrap_err().to_string();
    for example in ["@ada@example.social", "ada.bsky.social", "hn:ada", "rss:https://example.org/news"] {
        assert!(error.contains(example), "{error}");
    }
    assert!(networks.understand(&"a".repeat(10_000)).is_err());
}
