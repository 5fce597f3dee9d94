//! An imitation that nothing was fitted to, see [`super::held_out`], and one that was held out until its faults were looked at.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// Tables in tables with dates of two digits a part, page numbers in the middle of a path or behind a word.
pub(super) const FLAT_TABLES: Engine = Engine {
    name: "flat tables",
    session_name: "PHPSESSID",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("threads.php?show=postlist&Board={}", board.id),
        (false, _) => format!("threads.php?show=postlist&Board={}&page={page}", board.id),
        (true, _) => format!("threads.php/forums/{}/{page}/{}", board.id, board.slug()),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("threads.php?show=showflat&Number={}", thread.id),
        (false, _) => format!("threads.php?show=showflat&Number={}&page={page}", thread.id),
        (true, 1) => format!("threads.php/topics/{}/{}", thread.id, thread.slug()),
        (true, _) => format!("threads.php/topics/{}/{page}/{}", thread.id, thread.slug()),
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<tr><td class=alt-1><img></td><td class=alt-2><a class=forumtitle href='{}'>{}</a></td><td class=alt-1>{}</td><td class=alt-2><a href='{}'>{}</a><br>{} {}<br>{}</td></tr>",
                scene.href(&(FLAT_TABLES.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                scene.href(&(FLAT_TABLES.thread_address)(scene.variant, thread, 1)),
                thread.title,
                scene.words().by,
                thread.last().name(),
                flat_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        flat_page(
            scene,
            &format!("<table class=t_outer><tr><td><table class=t_inner>{rows}</table></td></tr></table>"),
        )
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let (first, last) = (&thread.posts[0], thread.last());
            format!(
                "<tr id=postrow-inline-{}><td class='alt-1 acvm'><img></td><td class='topicsubject alt-1'><div><a href='{}'>{}</a></div><div class=small>{} <a href='{}'>{}</a></div></td><td class='topicreplies alt-1'>{}</td><td class='topictime alt-1'>{}<br>{} <a href='{}'>{}</a></td></tr>",
                thread.id,
                scene.href(&(FLAT_TABLES.thread_address)(scene.variant, thread, 1)),
                thread.title,
                scene.words().by,
                scene.href(&format!("threads.php/users/{}/{}", first.author + 2, first.name())),
                first.name(),
                thread.posts.len() - 1,
                flat_time(scene, last.at),
                scene.words().by,
                scene.href(&format!("threads.php/users/{}/{}", last.author + 2, last.name())),
                last.name()
            )
        };
        let ad = "<tr><td class=alt-1 colspan=4><a href='http://ads.example/q'>Buy sails</a></td></tr>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = flat_pager(scene, around);
        flat_page(
            scene,
            &format!(
                "<h1>{}</h1>{pager}<table class=t_outer><tr><td><table class=t_inner>{rows}</table></td></tr></table>{pager}",
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            format!(
                "<tr><td colspan=2 class=subjecttable id=Post{0}><a href='{1}'>Re: {2}</a> <span class=small>[<a href='{3}'>{4}</a>] {5}</span> <a href='{6}'>#{0}</a></td></tr><tr><td class=author-content><a href='{3}'>{4}</a><br>{7}: <span class=date>03/1{8}/04</span><br>Posts: 3{8}</td><td class=post-content><div class=post_inner><div id=body{0}>{9}</div></div></td></tr>",
                post.id,
                scene.href(&format!("threads.php/posts/{}", post.id)),
                thread.title,
                scene.href(&format!("threads.php/users/{}/{}", post.author + 2, post.name())),
                post.name(),
                flat_time(scene, post.at),
                scene.href(&format!("threads.php/topics/{0}/{1}#Post{1}", thread.id, post.id)),
                scene.words().joined,
                post.author,
                post.text
            )
        };
        let ad = "<tr><td colspan=2 class=subjecttable>Sponsored</td></tr><tr><td></td><td class=post-content><a href='http://ads.example/r'>Buy masts</a></td></tr>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = flat_pager(scene, around);
        let board_link = scene.href(&(FLAT_TABLES.board_address)(scene.variant, board, 1));
        flat_page(
            scene,
            &format!(
                "<span class=breadcrumbs><a href='{}'>Forums</a> » <a href='{board_link}'>{}</a> » {}</span>{pager}<table class=t_inner>{rows}</table>{pager}",
                scene.href("threads.php"),
                board.name,
                thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn flat_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let form = if words.code == "en" { "%m/%d/%y" } else { "%d/%m/%y" };
    let date = words.near(at).map_or_else(|| at.strftime(form).to_string(), ToOwned::to_owned);
    format!("<span class=date>{date}</span> <span class=time>{}</span>", words.clock(at, false))
}

fn flat_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!(
        "<table class=fr><tr><td class=pages>{} {} {} {}</td>",
        words.page, around.page, words.of, around.page_count
    );
    if let Some(previous) = around.previous() {
        let _ = write!(text, "<td class=page-n><a href='{}'>&lt;</a></td>", scene.href(&previous));
    }
    for number in around.window(1, 1) {
        let _ = match number {
            None => write!(text, "<td class=page-n>...</td>"),
            Some(it) if it == around.page => write!(text, "<td class=page-cur>{it}</td>"),
            Some(it) => write!(
                text,
                "<td class=page-n><a href='{}' title='{} {it}'>{it}</a></td>",
                scene.href(&(around.address)(it)),
                words.goto
            ),
        };
    }
    if let Some(next) = around.next() {
        let _ = write!(text, "<td class=page-n><a href='{}'>&gt;</a></td>", scene.href(&next));
    }
    text + "</tr></table>"
}

fn flat_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["threads.php?show=cfrm", "threads.php?show=search", "threads.php?show=faq"]
        .map(|it| format!("<td><a href='{}'>x</a></td>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><table class=t_outer><tr>{menu}</tr></table>{content}<div class=footer>Powered</div></body></html>"
    )
}

/// Articles with data attributes everywhere, `time` elements with machines' times, arrows made of icons.
pub(super) const DATA_ISLANDS: Engine = Engine {
    name: "data islands",
    session_name: "s",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("forum/{}-{}/", board.id, board.slug()),
        (false, _) => format!("forum/{}-{}/?page={page}", board.id, board.slug()),
        (true, 1) => format!("index.php?/forum/{}-{}/", board.id, board.slug()),
        (true, _) => format!("index.php?/forum/{}-{}/page/{page}/", board.id, board.slug()),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("topic/{}-{}/", thread.id, thread.slug()),
        (false, _) => format!("topic/{}-{}/?page={page}", thread.id, thread.slug()),
        (true, 1) => format!("index.php?/topic/{}-{}/", thread.id, thread.slug()),
        (true, _) => format!("index.php?/topic/{}-{}/page/{page}/", thread.id, thread.slug()),
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<li class='cForumRow ipsDataItem' data-forumid={}><div class=ipsDataItem_main><h4 class=ipsDataItem_title><a href='{}'>{}</a></h4></div><ul class=ipsDataItem_lastPoster><li><a href='{}'>{}</a></li><li class=ipsType_light>{}</li></ul></li>",
                board.id,
                scene.href(&(DATA_ISLANDS.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&(DATA_ISLANDS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                island_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        island_page(scene, "", &format!("<ol class=ipsDataList>{rows}</ol>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let (first, last) = (&thread.posts[0], thread.last());
            format!(
                "<li class='ipsDataItem ipsDataItem_responsivePhoto' data-rowid={}><div class=ipsDataItem_main><h4 class=ipsDataItem_title><span><a href='{}' title='{}'><span>{}</span></a></span></h4><div class=ipsDataItem_meta><span>{} <a href='{}' class=ipsType_break>{}</a>, </span>{}</div></div><ul class=ipsDataItem_stats><li>{} replies</li></ul><ul class=ipsDataItem_lastPoster><li><a href='{}'>{}</a></li><li class=ipsType_light><a href='{}'>{}</a></li></ul></li>",
                thread.id,
                scene.href(&(DATA_ISLANDS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                thread.title,
                scene.words().by,
                scene.href(&format!("profile/{}-{}/", first.author + 2, first.name())),
                first.name(),
                island_time(scene, first.at),
                thread.posts.len() - 1,
                scene.href(&format!("profile/{}-{}/", last.author + 2, last.name())),
                last.name(),
                scene.href(&format!(
                    "{}?do=getLastComment",
                    (DATA_ISLANDS.thread_address)(scene.variant, thread, 1)
                )),
                island_time(scene, last.at)
            )
        };
        let ad = "<li class='ipsDataItem ipsDataItem_responsivePhoto'><div class=ipsDataItem_main><a href='http://ads.example/t'>Buy lamps</a></div></li>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = island_pager(scene, around);
        island_page(
            scene,
            "",
            &format!("<h1>{}</h1>{pager}<ol class='ipsDataList cTopicList'>{rows}</ol>{pager}", board.name),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            format!(
                "<a id=comment-{0}></a><article id=elComment_{0} class='cPost ipsBox ipsComment'><aside class=cAuthorPane><h3><strong><a href='{1}'>{2}</a></strong></h3><ul><li>Members</li><li>{3}9 posts</li></ul></aside><div class=ipsColumn><div class=ipsComment_meta><a href='{4}' class=ipsType_blendLinks>{5} {6}</a></div><div class=cPost_contentWrap><div data-role=commentContent><p>{7}</p></div></div></div></article>",
                post.id,
                scene.href(&format!("profile/{}-{}/", post.author + 2, post.name())),
                post.name(),
                post.author,
                scene.href(&format!(
                    "{}?do=findComment&comment={1}#comment-{1}",
                    (DATA_ISLANDS.thread_address)(scene.variant, thread, 1),
                    post.id
                )),
                scene.words().posted,
                island_time(scene, post.at),
                post.text
            )
        };
        let ad = "<article class='cPost ipsBox ipsComment'><aside class=cAuthorPane></aside><div class=ipsColumn><a href='http://ads.example/u'>Buy boots</a></div></article>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = island_pager(scene, around);
        let mut head = String::new();
        if let Some(next) = around.next() {
            let _ = write!(
                head,
                "<link rel=next href='{}'><link rel=last href='{}'>",
                scene.href(&next),
                scene.href(&around.last())
            );
        }
        let board_link = scene.href(&(DATA_ISLANDS.board_address)(scene.variant, board, 1));
        island_page(
            scene,
            &head,
            &format!(
                "<nav class=ipsBreadcrumb><a href='/'>Home</a> <a href='{board_link}'>{}</a></nav><h1>{}</h1>{pager}<div id=elPostFeed>{rows}</div>{pager}",
                board.name, thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn island_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    format!(
        "<time datetime='{}Z' title='{} {}' data-short='1 yr'>{} {}, {}</time>",
        at.strftime("%Y-%m-%dT%H:%M:%S"),
        at.strftime("%m/%d/%Y"),
        words.clock(at, false),
        words.month(at),
        at.day(),
        at.year()
    )
}

fn island_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!("<ul class=ipsPagination data-pages={}>", around.page_count);
    for number in around.window(0, 3).into_iter().flatten() {
        let active = if number == around.page { " ipsPagination_active" } else { "" };
        let _ = write!(
            text,
            "<li class='ipsPagination_page{active}'><a href='{}' data-page={number}>{number}</a></li>",
            scene.href(&(around.address)(number))
        );
    }
    if let Some(next) = around.next() {
        let _ = write!(
            text,
            "<li class=ipsPagination_next><a href='{}' rel=next>{}</a></li><li class=ipsPagination_last><a href='{}'><i class='fa fa-angle-double-right'></i></a></li>",
            scene.href(&next),
            words.next,
            scene.href(&around.last())
        );
    }
    let _ = write!(
        text,
        "<li class=ipsPagination_pageJump><a href='#'>{} {} {} {} <i class='fa fa-caret-down'></i></a></li>",
        words.page, around.page, words.of, around.page_count
    );
    text + "</ul>"
}

fn island_page(scene: &Scene<'_>, head: &str, content: &str) -> String {
    let menu: String = ["discover/", "search/", "login/"]
        .map(|it| format!("<li><a href='{}'>x</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title>{head}</head><body><ul class=menu>{menu}</ul><main>{content}</main></body></html>"
    )
}
