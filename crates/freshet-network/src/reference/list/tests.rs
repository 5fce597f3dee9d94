//! Each format of list, recognised by its content.

use super::*;

fn check(format: ListFormat, text: &str, expected: &[(u64, &str)]) -> Listed {
    let listed = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(listed.format, format, "{text}");
    let found: Vec<_> = listed.references.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(found, expected, "{text}");
    listed
}

#[test]
fn plain_lists() {
    let text = "\u{feff}# ours\n\n@ada@example.social  # the first\r\nhttps://example.social/@bob#top\n@ada@example.social\n";
    check(ListFormat::Plain, text, &[(3, "@ada@example.social"), (4, "https://example.social/@bob#top")]);
    check(ListFormat::Plain, "", &[]);
    let long = format!("{}\nada.bsky.social\n", "x".repeat(LINE_BYTES_MAX + 5));
    let listed = check(ListFormat::Plain, &long, &[(2, "ada.bsky.social")]);
    assert_eq!(listed.complaints, [(1, format!("the line has more than {LINE_BYTES_MAX} bytes"))]);
}

#[test]
fn opml() {
    let text = r#"<?xml version="1.0"?>
<opml version="2.0"><head><title>ours</title></head><body>
<outline text="news">
  <outline type="rss" text="a" xmlUrl="https://example.org/feed?a=1&amp;b=2" htmlUrl="https://example.org"/>
  <outline text="deeper"><outline text="b" xmlurl='https://example.net/atom.xml'/></outline>
  <outline text="empty" xmlUrl=""/>
</outline></body></opml>"#;
    let expected = [(4, "rss:https://example.org/feed?a=1&b=2"), (5, "rss:https://example.net/atom.xml")];
    let listed = check(ListFormat::Opml, text, &expected);
    assert_eq!(listed.complaint_count, 1);
    for (text, why) in [("<rss><channel/></rss>", "not OPML"), ("<opml><outline", "no XML")] {
        let error = read(text.as_bytes(), None).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(matches!(read("<opml/>".as_bytes(), Some("url")), Err(ListError::NoColumns(_))));
}

/// The rest of the line was looked through for each element: this took a day.
#[test]
fn opml_in_one_long_line_takes_no_longer_than_in_many() {
    let count = 200_000;
    let outline = |at| format!("<outline xmlUrl='https://a.example/{at}'/>");
    let outlines = (0..count).map(outline).collect::<Vec<_>>().concat();
    let text = format!("<opml><body>{outlines}</body></opml>");
    assert_eq!(read(text.as_bytes(), None).unwrap().references.len(), count);
    let deep = format!("<opml><body>{}", "<outline text='a'>".repeat(500_000));
    let error = read(deep.as_bytes(), None).unwrap_err().to_string();
    assert!(error.contains("nested deeper than"), "{error}");
}

#[test]
fn tables() {
    let follows = "Account address,Show boosts,Notify on new posts,Languages\nada@example.social,true,false,\nbob@example.net,true,false,de\n";
    check(ListFormat::Csv, follows, &[(2, "ada@example.social"), (3, "bob@example.net")]);
    check(ListFormat::Csv, "ada@example.social,true\n", &[(1, "ada@example.social")]);
    let twarc_users =
        "id,created_at,username,name,url\n1,2020,ada,\"Ada\nL.\",https://t.example/x\n2,2020,bob,Bob,\n";
    check(ListFormat::Csv, twarc_users, &[(2, "https://twitter.com/ada"), (4, "https://twitter.com/bob")]);
    let twarc_posts = "id,text,author_id,author.username\n9,hi,1,ada\n8,ho,1,ada\n7,,2,\n";
    let listed = check(ListFormat::Csv, twarc_posts, &[(2, "https://twitter.com/ada")]);
    assert_eq!(listed.complaints, [(4, "column 4 is empty".to_owned())]);
    check(ListFormat::Csv, "did,handle,url\ndid:plc:a,ada.test,https://x\n", &[(2, "did:plc:a")]);
    check(
        ListFormat::Csv,
        "rank;handle\n1;ada.example.org\n2;bob\n",
        &[(2, "@ada.example.org"), (3, "https://twitter.com/bob")],
    );
    check(ListFormat::Csv, "user_id\n12\n", &[(2, "twitter/account/12")]);
    check(
        ListFormat::Csv,
        "Profile_URL\tn\nhttps://example.social/@ada\t1\n",
        &[(2, "https://example.social/@ada")],
    );
}

#[test]
fn a_column_may_be_named() {
    let read = |text: &str, column| read(text.as_bytes(), Some(column));
    let listed = read("a,Where,url\n1,@ada@example.social,x\n", "where").unwrap();
    assert_eq!(listed.references, [(2, "@ada@example.social".to_owned())]);
    let listed = read("{\"where\": {\"it\": \"hn:ada\"}}\n", "where.it").unwrap();
    assert_eq!(listed.references, [(1, "hn:ada".to_owned())]);
    let error = read("a,b\n1,2\n", "c").unwrap_err().to_string();
    assert_eq!(error, "there is no column `c`; the columns are a, b");
    assert!(read("hn:ada\n", "c").is_err());
}

#[test]
fn json_lines() {
    let text = concat!(
        "{\"id\": \"1\", \"username\": \"ada\"}\n",
        "\n",
        "{\"text\": \"hi\", \"author\": {\"username\": \"bob\"}}\n",
        "{\"full_text\": \"ho\", \"user\": {\"screen_name\": \"eve\"}}\n",
        "{\"data\": [{\"text\": \"x\"}], \"includes\": {\"users\": [{\"username\": \"dan\"}, {\"username\": \"ada\"}]}}\n",
        "{\"data\": [{\"username\": \"fay\"}]}\n",
        "{\"nothing\": 1}\n",
        "{broken\n",
        "{\"user_id\": 12}\n",
    );
    let twitter = |name: &str| format!("https://twitter.com/{name}");
    let expected = [(1, twitter("ada")), (3, twitter("bob")), (4, twitter("eve")), (5, twitter("dan"))];
    let more = [(6, twitter("fay")), (9, "twitter/account/12".to_owned())];
    let expected: Vec<_> = expected.iter().chain(&more).map(|(line, text)| (*line, text.as_str())).collect();
    let listed = check(ListFormat::JsonLines, text, &expected);
    assert_eq!(listed.complaints.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [7, 8]);
}

#[test]
fn a_quote_that_never_ends_is_an_error() {
    let text = format!("url,b\n\"{}", "x".repeat(RECORD_BYTES_MAX + (1 << 20)));
    let error = read(text.as_bytes(), None).unwrap_err().to_string();
    assert!(error.contains("is a quote missing?"), "{error}");
}
