//! Channels of Telegram, read from pages in HTML.

use super::*;

#[test]
fn posts_are_whole_and_newest_first() {
    let page = page("telegram", 1, "posts", "RiverWatch");
    assert_eq!((page.outcome, page.complaints.len()), (Outcome::Ok, 0));
    assert_eq!(page.next.as_deref(), Some("101"), "the next page is older");
    let posts = &page.observation.posts;
    let ids: Vec<_> = posts.iter().map(|post| post.id.as_str()).collect();
    assert_eq!(ids, ["riverwatch/105", "riverwatch/104", "riverwatch/103", "riverwatch/102"]);
    let value = |at: usize, name: &str| {
        posts[at].plinks.iter().find(|(known, _)| **known == *name).map(|(_, value)| value.clone())
    };
    assert_eq!(posts[0].text, "How deep is it?");
    assert_eq!(value(0, "view_count"), Some(Primitive::Int(1_000_000)));
    assert_eq!(posts[1].text, "It fell to 2 m.", "the text of the post that is answered is not its own");
    assert_eq!(posts[1].reply_to.as_deref(), Some("riverwatch/102"));
    assert_eq!(value(1, "signature"), Some(Primitive::Text("Ada".into())));
    assert_eq!(
        (value(1, "is_edited"), value(2, "is_edited")),
        (Some(Primitive::Bool(true)), Some(Primitive::Bool(false)))
    );
    assert_eq!(value(1, "photo"), Some(Primitive::Text("https://cdn.example/river.jpg".into())));
    assert_eq!(posts[2].repost_of.as_deref(), Some("lakewatch/55"));
    assert_eq!(value(2, "forwarded_from"), Some(Primitive::Text("Lake Watch".into())));
    assert_eq!(posts[3].text, "The river stands at 3 m.\n\nMore at rivers.example #flood 🌊");
    assert_eq!(
        (posts[3].tags.as_slice(), posts[3].author.as_deref()),
        (&["flood".to_owned()][..], Some("RiverWatch"))
    );
    assert_eq!(posts[3].url.as_deref(), Some("https://t.me/riverwatch/102"));
    assert_eq!(posts[3].slinks[0].target.to_string(), "youtube/video/abcdefghijk");
    assert_eq!(value(3, "view_count"), Some(Primitive::Int(1200)));
}

#[test]
fn a_channel_tells_of_itself_on_every_page() {
    for line in [1, 3] {
        let page = page("telegram", line, "posts", "riverwatch");
        let channel = &page.observation.accounts[0];
        assert_eq!((channel.id.as_str(), channel.handle.as_deref()), ("riverwatch", Some("riverwatch")));
        assert_eq!(channel.name.as_deref(), Some("River Watch & Co"));
        assert_eq!(channel.bio.as_deref(), Some("Levels of all rivers.\nFilms: youtube.com/channel/…"));
        assert_eq!(channel.followers_count, Some(12_300));
        assert!(
            channel.plinks.contains(&("photo_count".into(), Primitive::Int(1204))),
            "{:?}",
            channel.plinks
        );
        assert!(
            channel.plinks.contains(&("is_verified".into(), Primitive::Bool(true))),
            "{:?}",
            channel.plinks
        );
    }
    assert_eq!(page("telegram", 2, "posts", "riverwatch").next, None, "the first page of the channel");
}
