//! Invented forums in many layouts and languages are learned and read without a mistake.

use std::fmt::Write as _;

use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use jiff::civil::DateTime;

use crate::invented::{Around, Board, Look, Post, Thread, draw, read};

/// A layout as data: how rows, lists, pages and times are written.
struct Style {
    name: &'static str,
    board_address: fn(&Board, usize) -> String,
    thread_address: fn(&Thread, usize) -> String,
    /// Around everything; `{}` is the content, `{bread}` the way to the board.
    frame: &'static str,
    portal_row: fn(&Self, &Board) -> String,
    thread_row: fn(&Self, &Board, &Thread) -> String,
    post_row: fn(&Self, &Thread, &Post) -> String,
    /// Around rows of boards, threads, posts.
    lists: [(&'static str, &'static str); 3],
    pager: fn(&Around) -> String,
    time: fn(DateTime) -> String,
    shown: &'static str,
    is_newest_first: bool,
    repeats_opening: bool,
    shows_board_times: bool,
}

impl Style {
    fn page(&self, bread: &str, head: &str, content: &str) -> String {
        let menu = "<ul class=menu><li><a href='/'>Home</a></li><li><a href='/login'>Log in</a></li><li><a href='/help'>Help</a></li></ul>";
        let frame = self.frame.replace("{bread}", bread).replace("{}", content);
        format!(
            "<html><head><title>x</title>{head}</head><body>{menu}{frame}<p>Time now: {}</p></body></html>",
            (self.time)(DateTime::constant(2025, 7, 20, 12, 0, 0, 0))
        )
    }

    fn way(&self, board: &Board) -> String {
        format!("<a href='/'>forum</a> › <a href='{}'>{}</a>", (self.board_address)(board, 1), board.name)
    }

    fn head(around: &Around, pager: &str) -> String {
        let is_told = pager.contains("rel-in-head") && around.page < around.page_count;
        if is_told {
            format!("<link rel=next href='{}'>", (around.address)(around.page + 1))
        } else {
            String::new()
        }
    }
}

impl Look for Style {
    fn board_address(&self, board: &Board, page: usize) -> String {
        (self.board_address)(board, page)
    }

    fn thread_address(&self, thread: &Thread, page: usize) -> String {
        (self.thread_address)(thread, page)
    }

    fn portal(&self, boards: &[Board]) -> String {
        let rows: String = boards.iter().map(|board| (self.portal_row)(self, board)).collect();
        self.page("", "", &format!("{}{rows}{}", self.lists[0].0, self.lists[0].1))
    }

    fn board(&self, board: &Board, threads: &[&Thread], around: &Around) -> String {
        let rows: String = threads.iter().map(|thread| (self.thread_row)(self, board, thread)).collect();
        let pager = (self.pager)(around);
        let content =
            format!("<h1>{}</h1>{pager}{}{rows}{}{pager}", board.name, self.lists[1].0, self.lists[1].1);
        self.page("<a href='/'>forum</a>", &Self::head(around, &pager), &content)
    }

    fn thread(&self, board: &Board, thread: &Thread, posts: &[&Post], around: &Around) -> String {
        let rows: String = posts.iter().map(|post| (self.post_row)(self, thread, post)).collect();
        let pager = (self.pager)(around);
        let first = &thread.posts[0];
        let opening = if self.repeats_opening {
            format!(
                "<div class=question><h2>{}</h2><div class=asked>asked {} by <a href='/user/{}'>{}</a></div><div class=text>{}</div></div>",
                thread.title,
                (self.time)(first.at),
                first.author,
                first.author,
                first.text
            )
        } else {
            String::new()
        };
        let content = format!(
            "<h1>{}</h1>{opening}{pager}{}{rows}{}{pager}",
            thread.title, self.lists[2].0, self.lists[2].1
        );
        self.page(&self.way(board), &Self::head(around, &pager), &content)
    }

    fn is_newest_first(&self) -> bool {
        self.is_newest_first
    }

    fn repeats_opening(&self) -> bool {
        self.repeats_opening
    }

    fn shown(&self) -> &'static str {
        self.shown
    }
}

/// Numbers, the current one without a link, and words around them.
fn numbers(around: &Around, previous: &str, next: &str) -> String {
    if around.page_count < 2 {
        return String::new();
    }
    let mut text = "<div class=pages>".to_owned();
    if around.page > 1 && !previous.is_empty() {
        let _ = write!(text, "<a href='{}'>{previous}</a> ", (around.address)(around.page - 1));
    }
    for page in 1..=around.page_count {
        if page == around.page {
            let _ = write!(text, "<b>{page}</b> ");
        } else {
            let _ = write!(text, "<a href='{}'>{page}</a> ", (around.address)(page));
        }
    }
    if around.page < around.page_count && !next.is_empty() {
        let _ = write!(text, "<a href='{}'>{next}</a>", (around.address)(around.page + 1));
    }
    text + "</div>"
}

fn slug(text: &str) -> String {
    text.replace(' ', "-")
}

/// Rows of plain tables without a single class, two rows a post, dates of the United States, join dates beside every post.
fn bare_tables() -> Style {
    Style {
        name: "bare tables",
        board_address: |board, page| {
            if page == 1 {
                format!("/show.php?f={}", board.id)
            } else {
                format!("/show.php?f={}&page={page}", board.id)
            }
        },
        thread_address: |thread, page| {
            if page == 1 {
                format!("/read.php?t={}", thread.id)
            } else {
                format!("/read.php?t={}&page={page}", thread.id)
            }
        },
        frame: "<table><tr><td>{bread}</td></tr></table>{}",
        portal_row: |style, board| {
            let last = &board.threads[0];
            format!(
                "<tr><td><a href='/show.php?f={}'>{}</a></td><td>9</td><td>{}<br>in <a href='/read.php?t={}'>{}</a></td></tr>",
                board.id,
                board.name,
                (style.time)(last.last().at),
                last.id,
                last.title
            )
        },
        thread_row: |style, _, thread| {
            format!(
                "<tr><td><a href='/read.php?t={}'>{}</a><br><a href='/member.php?u={}'>{}</a></td><td>{}<br>by <a href='/member.php?u={}'>{}</a></td><td>{}</td></tr>",
                thread.id,
                thread.title,
                thread.posts[0].author,
                thread.posts[0].author,
                (style.time)(thread.last().at),
                thread.last().author,
                thread.last().author,
                thread.posts.len()
            )
        },
        post_row: |style, thread, post| {
            let joined = 1 + post.author.len();
            format!(
                "<tr><td>{}</td><td><a href='/read.php?p={}#post{}'>#{}</a></td></tr><tr><td><a href='/member.php?u={}'>{}</a><br>Join Date: Mar {:02}-2005, 10:0{joined} AM</td><td><b>{}</b><p>{}</p><a href='/reply.php?p={}'>Quote</a></td></tr>",
                (style.time)(post.at),
                post.id,
                post.id,
                post.id % 10,
                post.author,
                post.author,
                joined,
                thread.title,
                post.text,
                post.id
            )
        },
        lists: [
            ("<table>", "</table>"),
            ("<table><tr><td>Thread</td><td>Last Post</td><td>Replies</td></tr>", "</table>"),
            ("<table>", "</table>"),
        ],
        pager: |around| numbers(around, "&lt;", "&gt;"),
        time: |at| at.strftime("%m-%d-%Y, %I:%M %p").to_string(),
        shown: "%Y-%m-%dT%H:%M",
        is_newest_first: false,
        repeats_opening: false,
        shows_board_times: true,
    }
}

/// Replies are numbered in the line of the time, edits have times too, pages are tails of the thread's number.
fn numbered_replies() -> Style {
    Style {
        name: "numbered replies",
        board_address: |board, page| format!("/index.php?board={}.{}", board.id, (page - 1) * 6),
        thread_address: |thread, page| format!("/index.php?topic={}.{}", thread.id, (page - 1) * 4),
        frame: "<div id=wrap><div class=navigate>{bread}</div>{}</div>",
        portal_row: |style, board| {
            format!(
                "<tr class=windowbg><td class=info><a href='/index.php?board={}.0'>{}</a></td><td class=lastpost>Last post by <a href='/index.php?action=profile;u=1'>ada</a><br>in <a href='/index.php?topic={}.0'>{}</a><br>on {}</td></tr>",
                board.id,
                board.name,
                board.threads[0].id,
                board.threads[0].title,
                (style.time)(board.threads[0].last().at)
            )
        },
        thread_row: |style, _, thread| {
            format!(
                "<tr><td class=subject><a href='/index.php?topic={}.0'>{}</a><p>Started by <a href='/index.php?action=profile;user={}'>{}</a></p></td><td class=stats>{} replies</td><td class=lastpost><a href='/index.php?topic={}.msg{}#new'><img></a>{}<br>by <a href='/index.php?action=profile;user={}'>{}</a></td></tr>",
                thread.id,
                thread.title,
                thread.posts[0].author,
                thread.posts[0].author,
                thread.posts.len(),
                thread.id,
                thread.last().id,
                (style.time)(thread.last().at),
                thread.last().author,
                thread.last().author
            )
        },
        post_row: |style, thread, post| {
            let reply = if thread.posts[0].id == post.id {
                String::new()
            } else {
                format!("Reply #{} ", post.id % 50)
            };
            let edit = if post.id % 5 == 0 {
                "<div class=modified>« Last Edit: May 3, 2025, 01:02:03 PM by ada »</div>"
            } else {
                ""
            };
            format!(
                "<div class='post_wrapper windowbg{}'><div class=poster><h4><a href='/index.php?action=profile;user={}'>{}</a></h4><ul><li>Posts: {}</li></ul></div><div class=postarea><div class=keyinfo><h5><a href='/index.php?topic={}.msg{}#msg{}'>Re: {}</a></h5><div class=smalltext>« <strong>{reply}on:</strong> {} »</div></div><div class=inner id=msg_{}>{}</div>{edit}</div></div>",
                post.id % 2,
                post.author,
                post.author,
                post.id,
                thread.id,
                post.id,
                post.id,
                thread.title,
                (style.time)(post.at),
                post.id,
                post.text
            )
        },
        lists: [
            ("<table>", "</table>"),
            ("<table class=topics><tbody>", "</tbody></table>"),
            ("<div id=forumposts>", "</div>"),
        ],
        pager: |around| numbers(around, "", "»"),
        time: |at| at.strftime("%B %d, %Y, %I:%M:%S %p").to_string(),
        shown: "%Y-%m-%dT%H:%M:%S",
        is_newest_first: false,
        repeats_opening: false,
        shows_board_times: true,
    }
}

/// Articles with machine times, the next page said in the head, titles in addresses.
fn articles() -> Style {
    Style {
        name: "articles",
        board_address: |board, page| {
            format!(
                "/c/{}-{}{}",
                board.id,
                slug(&board.name),
                if page == 1 { String::new() } else { format!("?page={page}") }
            )
        },
        thread_address: |thread, page| {
            format!(
                "/d/{}-{}{}",
                thread.id,
                slug(&thread.title),
                if page == 1 { String::new() } else { format!("?page={page}") }
            )
        },
        frame: "<main><nav>{bread}</nav>{}</main>",
        portal_row: |_, board| {
            format!(
                "<section class=tag><h2><a href='/c/{}-{}'>{}</a></h2><p>All about it</p></section>",
                board.id,
                slug(&board.name),
                board.name
            )
        },
        thread_row: |style, _, thread| {
            format!(
                "<li class=item><a class=face href='/u/{}'>A</a><a class=main href='/d/{}-{}'><h3>{}</h3></a><span class=said><a href='/u/{}'>{}</a> replied {}</span></li>",
                thread.posts[0].author,
                thread.id,
                slug(&thread.title),
                thread.title,
                thread.last().author,
                thread.last().author,
                (style.time)(thread.last().at)
            )
        },
        post_row: |style, thread, post| {
            format!(
                "<article class=entry id=p{}><header><a class=who href='/u/{}'>{}</a> <a class=when href='/d/{}/{}'>{}</a></header><div class=body><p>{}</p></div></article>",
                post.id,
                post.author,
                post.author,
                thread.id,
                post.id,
                (style.time)(post.at),
                post.text
            )
        },
        lists: [("<div>", "</div>"), ("<ul class=items>", "</ul>"), ("<div class=stream>", "</div>")],
        pager: |around| {
            if around.page_count > 1 { "<i class=rel-in-head></i>".to_owned() } else { String::new() }
        },
        time: |at| {
            format!(
                "<time datetime='{}+02:00'>{}</time>",
                at.strftime("%Y-%m-%dT%H:%M:%S"),
                at.strftime("%d %b")
            )
        },
        shown: "%Y-%m-%dT%H:%M:%S+02:00",
        is_newest_first: false,
        repeats_opening: false,
        shows_board_times: true,
    }
}

/// German, day before month, pages in the path.
fn german() -> Style {
    Style {
        name: "german",
        board_address: |board, page| {
            format!(
                "/forum/{}-{}/{}",
                slug(&board.name),
                board.id,
                if page == 1 { String::new() } else { format!("seite-{page}/") }
            )
        },
        thread_address: |thread, page| {
            format!(
                "/thema/{}-{}/{}",
                slug(&thread.title),
                thread.id,
                if page == 1 { String::new() } else { format!("seite-{page}/") }
            )
        },
        frame: "<div class=brot>{bread}</div>{}",
        portal_row: |style, board| {
            format!(
                "<div class=forumzeile><a class=forumname href='/forum/{}-{}/'>{}</a><span class=letzter>{}</span></div>",
                slug(&board.name),
                board.id,
                board.name,
                (style.time)(board.threads[0].last().at)
            )
        },
        thread_row: |style, _, thread| {
            format!(
                "<div class=zeile><div class=titel><a href='/thema/{}-{}/'>{}</a></div><div class=anfang>{}, {}</div><div class=letzter>{} von {}</div></div>",
                slug(&thread.title),
                thread.id,
                thread.title,
                thread.posts[0].author,
                (style.time)(thread.posts[0].at),
                (style.time)(thread.last().at),
                thread.last().author
            )
        },
        post_row: |style, _, post| {
            format!(
                "<div class=beitrag id=b{}><div class=person><a href='/mitglied/{}'>{}</a><br>Registriert seit: 03.04.200{}</div><div class=kopf>Verfasst am {}</div><div class=inhalt>{}</div></div>",
                post.id,
                post.author,
                post.author,
                post.author.len(),
                (style.time)(post.at),
                post.text
            )
        },
        lists: [("<div>", "</div>"), ("<div class=liste>", "</div>"), ("<div class=beitraege>", "</div>")],
        pager: |around| numbers(around, "Zurück", "Weiter"),
        time: |at| at.strftime("%d.%m.%Y, %H:%M Uhr").to_string(),
        shown: "%Y-%m-%dT%H:%M",
        is_newest_first: false,
        repeats_opening: false,
        shows_board_times: true,
    }
}

/// Japanese, the newest post first.
fn japanese() -> Style {
    Style {
        name: "japanese",
        board_address: |board, page| format!("/b/{}?p={page}", board.id),
        thread_address: |thread, page| format!("/s/{}?p={page}", thread.id),
        frame: "{bread}{}",
        portal_row: |_, board| {
            format!("<dt><a href='/b/{}?p=1'>{}</a></dt><dd>ようこそ</dd>", board.id, board.name)
        },
        thread_row: |style, _, thread| {
            format!(
                "<tr class=sure><td><a href='/s/{}?p=1'>{}</a></td><td class=kazu>{}</td><td class=hi>{}</td></tr>",
                thread.id,
                thread.title,
                thread.posts.len(),
                (style.time)(thread.last().at)
            )
        },
        post_row: |style, _, post| {
            format!(
                "<dl class=res id=r{}><dt>{} : <b>{}</b> : {}</dt><dd>{}</dd></dl>",
                post.id,
                post.id,
                post.author,
                (style.time)(post.at),
                post.text
            )
        },
        lists: [("<dl>", "</dl>"), ("<table>", "</table>"), ("<div class=resu>", "</div>")],
        pager: |around| numbers(around, "前へ", "次へ"),
        time: |at| at.strftime("%Y年%m月%d日 %H時%M分").to_string(),
        shown: "%Y-%m-%dT%H:%M",
        is_newest_first: true,
        repeats_opening: false,
        shows_board_times: true,
    }
}

/// A question that stands apart from its answers, on every page.
fn questions() -> Style {
    Style {
        name: "questions",
        board_address: |board, page| {
            format!("/topics/{}{}", board.id, if page == 1 { String::new() } else { format!("/page/{page}") })
        },
        thread_address: |thread, page| {
            format!(
                "/questions/{}{}",
                thread.id,
                if page == 1 { String::new() } else { format!("?start={}", (page - 1) * 4) }
            )
        },
        frame: "<div class=way>{bread}</div><div class=main>{}</div>",
        portal_row: |_, board| {
            format!("<div class=topic><h3><a href='/topics/{}'>{}</a></h3></div>", board.id, board.name)
        },
        thread_row: |style, _, thread| {
            format!(
                "<div class=summary><div class=votes>3</div><h3><a href='/questions/{}'>{}</a></h3><div class=started>active {} <a href='/user/{}'>{}</a></div></div>",
                thread.id,
                thread.title,
                (style.time)(thread.last().at),
                thread.last().author,
                thread.last().author
            )
        },
        post_row: |style, _, post| {
            format!(
                "<div class=answer id=answer-{}><div class=text>{}</div><div class=signed>answered {} by <a href='/user/{}'>{}</a></div></div>",
                post.id,
                post.text,
                (style.time)(post.at),
                post.author,
                post.author
            )
        },
        lists: [("<div>", "</div>"), ("<div class=summaries>", "</div>"), ("<div class=answers>", "</div>")],
        pager: |around| numbers(around, "prev", "next"),
        time: |at| at.strftime("%b %d, %Y at %H:%M").to_string(),
        shown: "%Y-%m-%dT%H:%M",
        is_newest_first: false,
        repeats_opening: true,
        shows_board_times: true,
    }
}

/// Boards that show titles only, as some do for readers without scripts; relative times would need a fetch time.
fn titles_only() -> Style {
    Style {
        name: "titles only",
        portal_row: |_, board| {
            format!(
                "<section class=tag><a href='/tag/{}-{}?page=1'>{}</a></section>",
                board.id,
                slug(&board.name),
                board.name
            )
        },
        board_address: |board, page| format!("/tag/{}-{}?page={page}", board.id, slug(&board.name)),
        thread_row: |_, _, thread| {
            format!("<li><a href='/d/{}-{}'>{}</a></li>", thread.id, slug(&thread.title), thread.title)
        },
        pager: |around| numbers(around, "« Previous Page", "Next Page »"),
        shows_board_times: false,
        ..articles()
    }
}

fn russian_time(at: DateTime) -> String {
    let months = ["янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"];
    let month = months[at.month() as usize - 1];
    format!("{} {month} {}, {:02}:{:02}", at.day(), at.year(), at.hour(), at.minute())
}

/// Russian, a board inside the board above its threads, numbers of pages beside titles, edits in the text.
fn russian() -> Style {
    Style {
        name: "russian",
        board_address: |board, page| {
            format!(
                "/viewforum?f={}{}",
                board.id,
                if page == 1 { String::new() } else { format!("&start={}", (page - 1) * 6) }
            )
        },
        thread_address: |thread, page| {
            format!(
                "/viewtopic?t={}{}",
                thread.id,
                if page == 1 { String::new() } else { format!("&start={}", (page - 1) * 4) }
            )
        },
        frame: "<div class=path>{bread}</div><div class=body>{}</div>",
        portal_row: |style, board| {
            format!(
                "<tr class=frow><td><a class=forumlink href='/viewforum?f={}'>{}</a></td><td class=last>{}</td></tr>",
                board.id,
                board.name,
                (style.time)(board.threads[0].last().at)
            )
        },
        thread_row: |style, board, thread| {
            let inner = if thread.id == board.threads[0].id {
                format!(
                    "<tr><td class=name><a href='/viewforum?f={}'>inner board</a></td><td class=who><a href='/profile?user=ada'>ada</a></td><td class=last><p class=stamp>{}</p></td></tr>",
                    board.id + 40,
                    (style.time)(thread.last().at)
                )
            } else {
                String::new()
            };
            format!(
                "{inner}<tr><td class=name><a href='/viewtopic?t={}'>{}</a> [ <a href='/viewtopic?t={}'>1</a>, <a href='/viewtopic?t={}&start=4'>2</a> ]</td><td class=who><a href='/profile?user={}'>{}</a></td><td class=last><p class=stamp>{}</p></td></tr>",
                thread.id,
                thread.title,
                thread.id,
                thread.id,
                thread.posts[0].author,
                thread.posts[0].author,
                (style.time)(thread.last().at)
            )
        },
        post_row: |style, _, post| {
            format!(
                "<table class=post><tr><td class=author><b>{}</b><br>Зарегистрирован: {}</td><td><a name=p{}></a><span class=when>Добавлено: {}</span><div class=text>{}<br>Последний раз редактировалось: {}</div></td></tr></table>",
                post.author,
                (style.time)(DateTime::constant(2010, 1, 2, 3, post.author.len() as i8, 0, 0)),
                post.id,
                (style.time)(post.at),
                post.text,
                (style.time)(DateTime::constant(2025, 1, 1, 1, 1, 0, 0))
            )
        },
        lists: [("<table>", "</table>"), ("<table class=topics>", "</table>"), ("<div>", "</div>")],
        pager: |around| numbers(around, "Пред.", "След."),
        time: russian_time,
        shown: "%Y-%m-%dT%H:%M",
        is_newest_first: false,
        repeats_opening: false,
        shows_board_times: true,
    }
}

fn check(style: &Style) {
    let drawn = draw(style);
    let pages = read(&drawn);
    let learned = learn(&pages);
    let mut wrong = Vec::new();
    for (page, expected) in pages.iter().zip(&drawn) {
        let reading = inspect(page, &learned.definition);
        let times: Vec<String> =
            reading.records.iter().map(|it| it.local.clone().unwrap_or_default()).collect();
        let is_timed = expected.kind == "post" || (expected.kind == "index" && style.shows_board_times);
        if reading.kind.name() != expected.kind {
            wrong.push(format!("{} is {}, not {}", expected.url, reading.kind.name(), expected.kind));
        } else if is_timed && times != expected.times {
            wrong.push(format!("{} has {times:?}, not {:?}", expected.url, expected.times));
        } else if reading.next_url != expected.next {
            wrong
                .push(format!("{} goes on at {:?}, not {:?}", expected.url, reading.next_url, expected.next));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {} of {} wrong\n{}\n{}\n{}",
        style.name,
        wrong.len(),
        drawn.len(),
        wrong[..wrong.len().min(6)].join("\n"),
        learned.report,
        learned.definition.to_toml()
    );
}

#[test]
fn bare_tables_are_read() {
    check(&bare_tables());
}

#[test]
fn numbered_replies_are_read() {
    check(&numbered_replies());
}

#[test]
fn articles_are_read() {
    check(&articles());
}

#[test]
fn german_forums_are_read() {
    check(&german());
}

#[test]
fn japanese_forums_are_read() {
    check(&japanese());
}

#[test]
fn questions_apart_from_their_answers_are_read() {
    check(&questions());
}

#[test]
fn boards_without_times_are_read() {
    check(&titles_only());
}

#[test]
fn russian_forums_are_read() {
    check(&russian());
}
