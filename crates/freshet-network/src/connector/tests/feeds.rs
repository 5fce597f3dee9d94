//! Feeds as they are in the wild, each as data: what is read of it, and what is complained about. All are invented; what is odd about them is not.

use std::sync::{Arc, LazyLock};

use super::*;
use crate::networks::Networks;

/// 2026-11-16.
const NOW: Timestamp = Timestamp::from_secs(1_794_787_200);

fn page_of(content_type: &str, body: &[u8]) -> Page {
    static CONNECTOR: LazyLock<Arc<dyn Connector>> =
        LazyLock::new(|| Networks::shipped().connector("rss").unwrap());
    let network = NetworkName::new("rss", Some("site.example"));
    let instance = Instance { network, base: "https://site.example".to_owned(), allow_private: false };
    let root = "https://site.example/feed.xml";
    let target = Target { instance: &instance, endpoint: "feed", root, credential: None, validators: None };
    let headers =
        vec![("content-type".to_owned(), content_type.to_owned()), ("etag".to_owned(), "\"1\"".to_owned())];
    let response =
        Response { status: 200, headers, body: body.to_vec(), url: root.to_owned(), received_at: NOW };
    CONNECTOR.read(&target, &Intent::First, &response, NOW)
}

/// Posts, a line each: id, time of posting without its date, time of editing where there is one, and the text.
fn lines(page: &Page) -> Vec<String> {
    let clock = |at: Timestamp| at.to_string().replace("2026-11-15T", "").replace(":00Z", "");
    let line = |post: &freshet_types::Post| {
        let at = post.created_at.map_or_else(|| "-".to_owned(), clock);
        let edited = post.edited_at.map_or_else(String::new, |at| format!(" edited {}", clock(at)));
        format!("{} {at}{edited} {}", post.id, post.text.replace('\n', "|"))
    };
    page.observation.posts.iter().map(line).collect()
}

#[track_caller]
fn check(body: &str, expected: &[&str], complaints: &[&str]) {
    check_bytes("application/xml", body.as_bytes(), expected, complaints);
}

#[track_caller]
fn check_bytes(content_type: &str, body: &[u8], expected: &[&str], complaints: &[&str]) {
    let page = page_of(content_type, body);
    let shown = String::from_utf8_lossy(body);
    assert_eq!(lines(&page), expected, "{shown}\n{:?}", page.complaints);
    assert_eq!(page.complaints.len(), complaints.len(), "{shown}\n{:?}", page.complaints);
    for (complaint, part) in page.complaints.iter().zip(complaints) {
        assert!(complaint.what.contains(part), "{shown}\n{complaint:?}");
    }
}

/// An RSS feed around these items.
fn rss(items: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>T</title><link>https://site.example/</link>{items}</channel></rss>"
    )
}

/// An Atom feed around these entries.
fn atom(entries: &str) -> String {
    format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>urn:f</id><title>T</title>{entries}</feed>")
}

const DATE: &str = "<pubDate>Sun, 15 Nov 2026 10:00:00 GMT</pubDate>";

#[test]
fn broken_markup_is_read_as_a_browser_reads_it() {
    let item = |inside: &str| rss(&format!("<item><guid>1</guid>{DATE}{inside}</item>"));
    for (inside, text) in [
        ("<title>R&D & more</title>", "R&D & more"),
        ("<title>a&nbsp;b &eacute; &unknown;</title>", "a\u{a0}b é &unknown;"),
        ("<title>a\u{1}\u{b}b&#2;</title>", "ab"),
        ("<title>1 < 2 <3</title>", "1 < 2 <3"),
        (
            "<title/><description>one<br>two<img src=x.png>three</description>",
            "one<br>two<img src=x.png>three",
        ),
        ("<description>&lt;p&gt;a &amp;amp; b</description>", "<p>a &amp; b"),
        ("<description><![CDATA[<p>a & b]]></description>", "<p>a & b"),
        ("<description><p>never closed</item>", "<p>never closed"),
        (
            "<title>T</title><content:encoded><![CDATA[<b>x]]></content:encoded><description>y</description>",
            "T||<b>x",
        ),
        ("<link>a\"b</link><enclosure url=\"x.mp3\" length=><title>quotes</title>", "quotes"),
    ] {
        check(&item(inside), &[&format!("1 10:00 {text}")], &[]);
    }
    for (inside, text) in [
        (
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>a<br>b<img src='x'>c</p></div></content>",
            "<p>a<br>b<img src='x'>c</p>",
        ),
        ("<content type='html'>&lt;img src='x'&gt;&nbsp;y</content>", "<img src='x'>\u{a0}y"),
        ("<content type='html'><p>not escaped<br>at all</content>", "<p>not escaped<br>at all"),
        ("<summary>s</summary><content src='https://site.example/1.pdf' type='application/pdf'/>", "s"),
        ("<title type='html'>&lt;b&gt;x&lt;/b&gt;</title>", "<b>x</b>"),
    ] {
        let entry = format!("<entry><id>1</id><updated>2026-11-15T10:00:00Z</updated>{inside}</entry>");
        check(&atom(&entry), &[&format!("1 10:00 {text}")], &[]);
    }
}

#[test]
fn what_stands_around_a_feed_is_passed_over() {
    let feed = rss(&format!("<item><guid>1</guid><title>A</title>{DATE}</item>"));
    for body in [
        format!("\u{feff}{feed}"),
        format!("\n\n  \r\n{feed}"),
        format!("<br />\n<b>Warning</b>: something is wrong in line 7<br />\n{feed}"),
        format!("{feed}<script>alert('x')</script><!-- 0.2 s --></html>"),
        feed.replace(
            "<?xml version=\"1.0\"?>",
            "<?xml version=\"1.0\" encoding=\"no-such-thing\"?><!DOCTYPE rss [<!ENTITY x \"y>\">]>",
        ),
        feed.replace("</rss>", ""),
        feed.replace("version=\"2.0\"", "version=\"2.01\""),
        feed.replace(" version=\"2.0\"", ""),
        feed.replace("<channel>", "<channel xml:lang='en'>\u{b}"),
    ] {
        check(&body, &["1 10:00 A"], &[]);
    }
}

#[test]
fn a_feed_that_is_cut_off_keeps_what_came_before() {
    let item = |id: u8| format!("<item><guid>{id}</guid><title>A</title>{DATE}</item>");
    let feed = rss(&format!("{}{}", item(1), item(2)));
    let second = feed.find("<guid>2").unwrap();
    for end in [second + 3, second + 20, feed.find("</channel>").unwrap() - 4] {
        check(&feed[..end], &["1 10:00 A"], &["cut off in the middle; 1 entries"]);
        let page = page_of("application/xml", &feed.as_bytes()[..end]);
        assert!(page.is_broken_off && page.validators == Validators::default());
    }
    check(&feed[..feed.find("</channel>").unwrap()], &["1 10:00 A", "2 10:00 A"], &["cut off"]);
    let entry = "<entry><id>1</id><updated>2026-11-15T10:00:00Z</updated><title>A</title></entry>";
    check(
        &atom(entry).replace("</feed>", "<entry><id>2</id><content>half a te"),
        &["1 10:00 A"],
        &["cut off"],
    );
}

#[test]
fn a_wrong_encoding_is_found_out() {
    let feed = |declared: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{declared}\"?>{}",
            rss("<item><guid>1</guid><title>Café à la crème</title></item>")
        )
        .replacen("<?xml version=\"1.0\"?>", "", 1)
    };
    let latin = |declared: &str| encoding_rs::WINDOWS_1252.encode(&feed(declared)).0.into_owned();
    for (content_type, body) in [
        ("application/xml", feed("iso-8859-1").into_bytes()),
        ("application/xml; charset=iso-8859-1", feed("utf-8").into_bytes()),
        ("application/xml; charset=utf-16", feed("utf-16").into_bytes()),
        ("application/xml; charset=utf-8", latin("iso-8859-1")),
        ("application/xml; charset=utf-8", latin("utf-8")),
        ("application/xml", latin("utf-8")),
        ("application/xml", latin("windows-1252")),
    ] {
        check_bytes(content_type, &body, &["1 - Café à la crème"], &[]);
    }
}

#[test]
fn well_known_kinds_of_feeds_are_read_with_all_that_they_say() {
    let films = r#"<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom">
 <link rel="self" href="http://films.example/feeds/videos.xml?channel_id=UC1"/><id>yt:channel:1</id><yt:channelId>1</yt:channelId><title>Ada's films</title>
 <link rel="alternate" href="https://films.example/channel/UC1"/><author><name>Ada</name><uri>https://films.example/channel/UC1</uri></author>
 <entry><id>yt:video:abcdefghijk</id><yt:videoId>abcdefghijk</yt:videoId><yt:channelId>UC1</yt:channelId><title>A film</title>
  <link rel="alternate" href="https://www.youtube.com/watch?v=abcdefghijk"/><author><name>Ada</name></author>
  <published>2026-11-15T10:00:00+00:00</published><updated>2026-11-15T12:30:00+00:00</updated>
  <media:group><media:title>A film</media:title><media:content url="https://www.youtube.com/v/abcdefghijk?version=3" type="application/x-shockwave-flash" width="640" height="390"/>
   <media:thumbnail url="https://i.films.example/vi/abcdefghijk/hqdefault.jpg" width="480" height="360"/><media:description>How rivers rise &amp; fall.</media:description>
   <media:community><media:starRating count="3" average="5.00" min="1" max="5"/><media:statistics views="77"/></media:community></media:group></entry></feed>"#;
    check(films, &["yt:video:abcdefghijk 10:00 edited 12:30 A film||How rivers rise & fall."], &[]);
    let page = page_of("text/xml", films.as_bytes());
    let post = &page.observation.posts[0];
    assert_eq!(post.url.as_deref(), Some("https://www.youtube.com/watch?v=abcdefghijk"));
    assert_eq!(
        post.slinks.first().map(|link| link.target.to_string()).as_deref(),
        Some("youtube/video/abcdefghijk")
    );
    let news = r#"<?xml version="1.0" encoding="UTF-8"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:syn="http://purl.org/rss/1.0/modules/syndication/">
<channel rdf:about="https://news.example/"><title>News</title><link>https://news.example/</link><description>d</description><dc:language>en-us</dc:language>
<syn:updatePeriod>hourly</syn:updatePeriod><syn:updateFrequency>2</syn:updateFrequency><items><rdf:Seq><rdf:li rdf:resource="https://news.example/1"/></rdf:Seq></items>
<image rdf:resource="https://news.example/i.png"/></channel><image rdf:about="https://news.example/i.png"><title>Not this</title><link>https://news.example/i</link></image>
<item rdf:about="https://news.example/1"><title>Dam breaks</title><link>https://news.example/1?from=rss</link><description>Nobody hurt.</description>
<dc:creator>bob</dc:creator><dc:date>2026-11-15T10:00:00+00:00</dc:date><dc:subject>water</dc:subject><slash:department>dept</slash:department>
<slash:section>it</slash:section><slash:comments>42</slash:comments><slash:hit_parade>42,40</slash:hit_parade></item></rdf:RDF>"#;
    check(news, &["https://news.example/1?from=rss 10:00 Dam breaks||Nobody hurt."], &[]);
    let page = page_of("text/xml", news.as_bytes());
    let post = &page.observation.posts[0];
    assert_eq!((post.lang.as_deref(), post.tags.as_slice()), (Some("en-us"), &["water".to_owned()][..]));
    assert!(format!("{:?}", post.plinks).contains("(\"comment_count\", Int(42))"), "{:?}", post.plinks);
    assert_eq!(page.timetable.and_then(|timetable| timetable.period_min), Some(30));
    let json = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "J", "hubs": [{"type": "WebSub", "url": "https://hub.example/"}],
 "items": [{"id": 7, "title": "Seven", "content_html": "<p>x</p>", "date_published": "2026-11-15T10:00:00Z", "date_modified": "2026-11-15T10:00:09Z"}]}"#;
    check_bytes("application/feed+json", json.as_bytes(), &["7 10:00 Seven||<p>x</p>"], &[]);
    let old = "<rss version='0.91'><channel><title>T</title><item><title>A</title><link>/a</link></item></channel></rss>";
    check(old, &["https://site.example/a - A"], &[]);
    let third = "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>T</title><entry><id>1</id><title>A</title>\
                 <issued>2026-11-15T10:00:00Z</issued><modified>2026-11-15T11:00:00Z</modified></entry></feed>";
    check(third, &["1 10:00 edited 11:00 A"], &[]);
}

#[test]
fn an_entry_without_an_id_is_known_by_what_does_not_change() {
    let id_of = |items: &str| page_of("text/xml", rss(items).as_bytes()).observation.posts[0].id.clone();
    let plain = |title: &str, text: &str, at: &str| {
        format!("<item><title>{title}</title><description>{text}</description><pubDate>{at}</pubDate></item>")
    };
    let at = "Sun, 15 Nov 2026 10:00:00 GMT";
    let long = "The water is rising, and nobody at the bridge has seen so much of it since the spring of the year before last. ";
    let first = id_of(&plain("A", long, at));
    assert!(first.starts_with("hash:"), "{first}");
    for same in [
        plain("A", &format!("{long}Corrected."), at),
        plain("A", &format!("<![CDATA[<p>{long}</p>]]>"), at),
        plain("A", &format!("\n  {long}"), "15 Nov 2026 11:00:00 +0100"),
        format!("<item><title>New</title></item>{}", plain("A", long, at))
            .replace("<item><title>New</title></item>", ""),
        // A link that all entries have is nobody's.
        plain("A", long, at).replace("</item>", "<link>https://site.example/</link></item>"),
    ] {
        assert_eq!(id_of(&same), first, "{same}");
    }
    for other in [
        plain("B", long, at),
        plain("A", "Something else.", at),
        plain("A", long, "Sun, 15 Nov 2026 10:00:01 GMT"),
    ] {
        assert_ne!(id_of(&other), first, "{other}");
    }
    let twice = format!("{0}{0}", plain("A", long, at));
    assert_eq!(page_of("text/xml", rss(&twice).as_bytes()).observation.posts.len(), 1);
    let link = "<item><title>A</title><link>/a</link></item>";
    assert_eq!(id_of(link), "https://site.example/a");
    let twins =
        "<item><guid>1</guid><title>A</title></item><item><guid>1</guid><title>B</title></item><item/>";
    check(&rss(twins), &["1 - A"], &["1 entries have the id of another", "1 entries hold nothing"]);
}

#[test]
fn a_time_that_is_not_understood_costs_no_entry() {
    let item = |date: &str| rss(&format!("<item><guid>1</guid><title>A</title>{date}</item>"));
    for (date, line, complaints) in [
        ("<pubDate>15 Nov 26 10:00 GMT</pubDate>", "1 10:00 A", &[][..]),
        ("<pubDate>vorgestern</pubDate>", "1 - A", &["`\"vorgestern\"` is not a time"]),
        ("<pubDate>vorgestern</pubDate><dc:date>2026-11-15T10:00</dc:date>", "1 10:00 A", &[]),
        ("<pubDate>?</pubDate><atom:updated>2026-11-15T10:00:00Z</atom:updated>", "1 10:00 A", &[]),
        ("<pubDate/>", "1 - A", &[]),
        ("<pubDate>Fri, 01 Jan 2100 00:00:00 GMT</pubDate>", "1 - A", &["which is to come"]),
    ] {
        check(&item(date), &[line], complaints);
    }
}

#[test]
fn a_time_of_change_is_an_edit_only_well_after_publication() {
    for (published, updated, line) in [
        ("10:00:00", "10:00:00", "1 10:00 A"),
        ("10:00:00", "10:00:40", "1 10:00 A"),
        ("10:00:00", "09:00:00", "1 10:00 A"),
        ("10:00:00", "11:00:00", "1 10:00 edited 11:00 A"),
    ] {
        let times =
            format!("<published>2026-11-15T{published}Z</published><updated>2026-11-15T{updated}Z</updated>");
        check(&atom(&format!("<entry><id>1</id><title>A</title>{times}</entry>")), &[line], &[]);
    }
    check(
        &atom("<entry><id>1</id><title>A</title><updated>2026-11-15T10:00:00Z</updated></entry>"),
        &["1 10:00 A"],
        &[],
    );
}

#[test]
fn a_title_is_part_of_the_text_once() {
    for (title, body, text) in [
        ("Dam breaks", "Nobody hurt.", "Dam breaks||Nobody hurt."),
        ("Dam breaks…", "Dam breaks and nobody is hurt.", "Dam breaks and nobody is hurt."),
        ("Dam  breaks", "&lt;p&gt;Dam breaks&lt;/p&gt;", "<p>Dam breaks</p>"),
        ("", "Nobody hurt.", "Nobody hurt."),
        ("Dam breaks", "", "Dam breaks"),
        ("…", "Nobody hurt.", "…||Nobody hurt."),
    ] {
        let item =
            format!("<item><guid>1</guid><title>{title}</title><description>{body}</description></item>");
        check(&rss(&item), &[&format!("1 - {text}")], &[]);
    }
}

#[test]
fn what_a_publisher_says_about_when_to_come_is_noted() {
    let channel = |inside: &str| page_of("text/xml", rss(inside).as_bytes()).timetable.unwrap();
    let told = channel(
        "<ttl>45</ttl><skipHours><hour>0</hour><hour>24</hour><hour>5</hour><hour>late</hour></skipHours>\
         <skipDays><day>Saturday</day><day>sunday</day></skipDays><sy:updatePeriod>daily</sy:updatePeriod>\
         <sy:updateFrequency>4</sy:updateFrequency><atom:link rel=\"hub\" href=\"https://hub.example/\"/>",
    );
    let expected = freshet_types::Timetable {
        ttl_min: Some(45),
        period_min: Some(360),
        skip_hours: 1 | 1 << 5,
        skip_days: 0b110_0000,
        hub: Some("https://hub.example/".to_owned()),
    };
    assert_eq!(told, expected);
    assert!(
        channel("<ttl>never</ttl><ttl>-5</ttl><skipHours/><sy:updatePeriod>sometimes</sy:updatePeriod>")
            .is_empty()
    );
    assert_eq!(page_of("text/html", b"<html>no feed</html>").timetable, None);
}

/// Pieces that make feeds, whole and broken.
const PIECES: [&str; 24] = [
    "<rss version='2.0'>",
    "<channel>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>",
    "<rdf:RDF>",
    "<item>",
    "<entry>",
    "</item>",
    "</entry>",
    "<title>",
    "</title>",
    "<link href='",
    "<content type='xhtml'>",
    "<pubDate>",
    "<updated>2026-11-15T10:00:00Z</updated>",
    "&#x",
    "&nbsp;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "<?",
    "<![",
    "é\u{0}",
    "'>",
    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..proptest::prelude::ProptestConfig::with_cases(256) })]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        page_of("application/xml", &bytes);
    }

    #[test]
    fn no_pieces_of_feeds_make_the_reader_panic(places in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let body: String = places.into_iter().map(|place| PIECES[place]).collect();
        let page = page_of("application/xml", body.as_bytes());
        proptest::prop_assert!(page.observation.posts.len() <= body.len());
    }
}
