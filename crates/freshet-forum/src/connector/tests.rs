//! Pages of an invented forum through the connector.

use freshet_types::Instance;

use super::*;
use crate::definition::{ListDefinition, PagesDefinition};
use crate::record::Anchor;

fn definition() -> ForumDefinition {
    let anchor = |path: &str| Anchor { path: path.to_owned(), up_count: 1 };
    let list = |urls: &str, path: &str| ListDefinition {
        urls: vec![urls.to_owned()],
        page_numbers: vec![crate::address::Slot::Query("page".to_owned())],
        times: vec![path.to_owned()],
        records: vec![anchor(path)],
        ..ListDefinition::default()
    };
    ForumDefinition {
        format: definition::FORMAT,
        host: "forum.test".to_owned(),
        portal: PagesDefinition { urls: vec!["/".to_owned()] },
        index: Some(ListDefinition {
            order: definition::ListOrder::NewestFirst,
            ..list("/board/*", "body/.list/.thread/.when")
        }),
        post: Some(ListDefinition {
            order: definition::ListOrder::OldestFirst,
            bodies: vec![".list/.post/.body".to_owned()],
            ..list("/topic/*/*", "body/.list/.post/.when")
        }),
        ..ForumDefinition::default()
    }
}

fn read(endpoint: &str, intent: &Intent, url: &str, html: &str) -> Page {
    let connector = ForumConnector::new("forum-forum.test", definition());
    let network = NetworkName::from("forum-forum.test");
    let instance = Instance { network, base: "http://forum.test".to_owned(), allow_private: false };
    let target =
        Target { instance: &instance, endpoint, root: "/topic/6/title", credential: None, validators: None };
    let response = Response {
        status: 200,
        headers: Vec::new(),
        body: format!("<html><body><h1>A thread</h1><div class=list>{html}</div></body></html>").into_bytes(),
        url: url.to_owned(),
        received_at: Timestamp::from_secs(1_800_000_000),
    };
    connector.read(&target, intent, &response, Timestamp::from_secs(1_800_000_000))
}

fn post(id: u32, day: u32, text: &str) -> String {
    format!(
        "<div class=post id=p{id}><a class=user href='/user/ada'>ada</a><i class=when>{day} May 2024, 10:00</i>\
         <div class=body>{text}</div></div>"
    )
}

#[test]
fn posts_have_their_own_ids_and_texts() {
    let html = post(41, 1, "first words")
        + &post(42, 2, "more words")
        + "<a href='?page=2'>2</a><a href='?page=3'>3</a>";
    let page = read(POSTS, &Intent::First, "http://forum.test/topic/6/title", &html);
    let posts = &page.observation.posts;
    let shown: Vec<_> =
        posts.iter().map(|it| (it.id.as_str(), it.text.as_str(), it.author.as_deref())).collect();
    assert_eq!(shown, [("41", "first words", Some("ada")), ("42", "more words", Some("ada"))]);
    assert_eq!(posts[0].created_at, Some(Timestamp::from_secs(1_714_557_600)));
    assert_eq!(page.next.as_deref(), Some("http://forum.test/topic/6/title?page=2"));
    assert_eq!(page.observation.accounts.len(), 1);
    assert!(
        posts[0].plinks.iter().any(|(name, value)| &**name == "thread_title" && *value == "A thread".into())
    );
}

#[test]
fn a_page_that_tells_of_more_pages_and_links_to_none_is_broken_off() {
    let posts = post(41, 1, "first words") + &post(42, 2, "more words");
    for (pager, is_broken_off) in [
        ("", false),
        ("<p>Page 1 of 12</p>", true),
        ("<p>Page 12 of 12</p>", false),
        ("<p>Pages: <b>1</b> <a href='/topic/6?go=b'>2</a> <a href='/topic/6?go=c'>3</a></p>", true),
        ("<p>Page 1 of 3 <b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a></p>", false),
        ("<p>Page 3 of 3 <a href='?page=1'>1</a> <a href='?page=2'>2</a> <b>3</b></p>", false),
        ("<a rel=next href='http://other.test/topic/6/title?page=2'>2</a>", false),
    ] {
        let html = posts.clone() + pager;
        let page = read(POSTS, &Intent::First, "http://forum.test/topic/6/title", &html);
        assert_eq!(page.is_broken_off, is_broken_off, "{pager}");
        assert_eq!(
            page.complaints.iter().any(|it| it.what.contains("no link leads")),
            is_broken_off,
            "{pager}"
        );
    }
}

#[test]
fn a_board_leads_to_its_threads_and_to_boards() {
    let row = |id: u32, day: u32| {
        format!(
            "<div class=thread><a href='/topic/{id}/title-{id}'>title</a><i class=when>{day} May 2024, 10:00</i></div>"
        )
    };
    let html = row(7, 9)
        + &row(6, 8)
        + "<a href='/board/9'><img src=i></a><a href='/board/9'>another</a><a href='/board/9?page=2'>2</a>";
    let page = read(THREADS, &Intent::First, "http://forum.test/board/4", &html);
    let leads: Vec<_> = page
        .observation
        .leads
        .iter()
        .map(|it| (&*it.endpoint, it.root_id.as_str(), it.title.as_deref(), it.active_at.is_some(), it.grain))
        .collect();
    assert_eq!(
        leads,
        [
            ("posts", "/topic/7/title-7", Some("title"), true, Span::MINUTE),
            ("posts", "/topic/6/title-6", Some("title"), true, Span::MINUTE),
            ("threads", "/board/9", Some("another"), false, Span::ZERO)
        ]
    );
    assert_eq!(page.title.as_deref(), Some("A thread"), "the page's own heading");
}

#[test]
fn a_front_page_tells_when_its_boards_were_active() {
    let row = |id: u32, times: &str| format!("<div><p><a href='/board/{id}'>board {id}</a></p>{times}</div>");
    let check = |html: &str, expected: &[Option<(i64, i64)>]| {
        let page = read(BOARDS, &Intent::First, "http://forum.test/", html);
        let told = page.observation.leads.iter().map(|it| Some((it.active_at?.secs(), it.grain.ms() / 1000)));
        assert_eq!(told.collect::<Vec<_>>(), expected, "{html}");
    };
    let (early, late) = ("<p>8 May 2024, 10:00</p>", "<p>9 May 2024, 10:00</p>");
    let (early_s, late_s) = (1_715_162_400, 1_715_248_800);
    check(&(row(1, early) + &row(2, late)), &[Some((early_s, 60)), Some((late_s, 60))]);
    check(&(row(1, &format!("{late}{early}")) + &row(2, "")), &[Some((late_s, 60)), None]);
    // Of one board all of the page would be the row.
    check(&row(1, early), &[None]);
    check(&(row(1, &early.repeat(4)) + &row(2, late)), &[None, Some((late_s, 60))]);
}

#[test]
fn a_page_number_that_a_redirect_drops_is_noticed() {
    let html = post(41, 1, "first words") + &post(42, 2, "more words");
    let asked = |cursor: &str| Intent::Next(cursor.to_owned());
    let dropped =
        read(POSTS, &asked("http://forum.test/topic/6?page=3"), "http://forum.test/topic/6/title", &html);
    assert!(dropped.is_detour && dropped.observation.posts.is_empty(), "{dropped:?}");
    assert_eq!(dropped.next.as_deref(), Some("http://forum.test/topic/6/title?page=3"));
    let again = asked("http://forum.test/topic/6/title?page=3");
    let lost = read(POSTS, &again, "http://forum.test/topic/6/title", &html);
    assert_eq!((lost.outcome, lost.observation.posts.len()), (Outcome::BadRequest, 0));
    let shorter = read(POSTS, &again, "http://forum.test/topic/6/title?page=2", &html);
    assert_eq!((shorter.outcome, shorter.observation.posts.len()), (Outcome::Ok, 0));
}

#[test]
fn a_login_form_is_no_empty_thread() {
    let page = read(
        POSTS,
        &Intent::First,
        "http://forum.test/login?next=/topic/6/title",
        "<form>who are you?</form>",
    );
    assert_eq!(page.outcome, Outcome::Private);
    let page = read(POSTS, &Intent::First, "http://forum.test/topic/6/title/", "<p>nothing here</p>");
    assert_eq!((page.outcome, page.complaints.is_empty()), (Outcome::Ok, false));
}

#[test]
fn a_forum_is_named_after_its_front_page() {
    for (front, name) in [
        ("http://forum.test/", "forum-forum.test"),
        ("http://127.0.0.1:3500/", "forum-127.0.0.1-3500"),
        ("https://example.org/Community/index.php", "forum-example.org-community-index.php"),
    ] {
        assert_eq!(network_name(&Url::parse(front).unwrap()).as_str(), name);
    }
}
