//! Imitations of software that counts pages in the tail of an address: by first record, or by number in a route.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// "Pages: 1 [2] 3 ... 9" without a word for next; « Reply #3 on: Today at 10:15:12 AM » in a table of a table.
pub(super) const REPLY_NUMBERS: Engine = Engine {
    name: "reply numbers",
    session_name: "PHPSESSID",
    board_address: |variant, board, page| {
        let start = (page - 1) * 5;
        if variant.is_rewritten {
            format!("index.php/board,{}.{start}.html", board.id)
        } else {
            format!("index.php?board={}.{start}", board.id)
        }
    },
    thread_address: |variant, thread, page| {
        let start = (page - 1) * 4;
        if variant.is_rewritten {
            format!("index.php/topic,{}.{start}.html", thread.id)
        } else {
            format!("index.php?topic={}.{start}", thread.id)
        }
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<tr><td class=windowbg align=center><a href='{0}'><img src=off.gif></a></td><td class=windowbg2 align=left width='60%'><b><a href='{0}' name=b{1}>{2}</a></b><br>all of them</td><td class=windowbg align=center><span class=smalltext>99 Posts in<br>{3} Topics</span></td><td class=windowbg2 width='22%'><span class=smalltext><b>Last post</b> {4} <a href='{5}'>{6}</a><br>in <a href='{7}'>{8}</a><br>on {9}</span></td></tr>",
                scene.href(&(REPLY_NUMBERS.board_address)(scene.variant, board, 1)),
                board.id,
                board.name,
                board.threads.len(),
                scene.words().by,
                member(scene, thread.last()),
                thread.last().name(),
                message(scene, thread, thread.last()),
                thread.title,
                reply_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        reply_page(
            scene,
            &format!(
                "<div class=tborder><table class=bordercolor><tr><td colspan=4 class=catbg><a name=1>All</a></td></tr>{rows}</table></div>"
            ),
        )
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let address = |page| scene.href(&(REPLY_NUMBERS.thread_address)(scene.variant, thread, page));
            let mut pages = String::new();
            if thread.page_count() > 1 {
                let links = (1..=thread.page_count())
                    .map(|it| format!("<a href='{}'>{it}</a> ", address(it)))
                    .collect::<Vec<_>>()
                    .concat();
                pages = format!("<small id=pages1>« {links}»</small>");
            }
            let (first, last) = (&thread.posts[0], thread.last());
            format!(
                "<tr><td class=windowbg2 align=center><img src=normal.gif></td><td class=windowbg2 align=center><img src=xx.gif></td><td class=windowbg><span id=msg_{0}><a href='{1}'>{2}</a></span> {pages}</td><td class=windowbg2 width='14%'><a href='{3}' title='View the profile'>{4}</a></td><td class=windowbg align=center>{5}</td><td class=windowbg align=center>{6}</td><td class=windowbg2 width='22%'><a href='{7}'><img src=last.gif></a><span class=smalltext>{8}<br>{9} <a href='{10}'>{11}</a></span></td></tr>",
                first.id,
                address(1),
                thread.title,
                member(scene, first),
                first.name(),
                thread.posts.len() - 1,
                thread.id % 777,
                message(scene, thread, last),
                reply_time(scene, last.at),
                scene.words().by,
                member(scene, last),
                last.name()
            )
        };
        let ad = "<tr><td class=windowbg2 colspan=7 align=center><a href='http://ads.example/e'>Buy oars</a></td></tr>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = reply_pager(scene, around);
        let own = scene.href(&(REPLY_NUMBERS.board_address)(scene.variant, board, 1));
        let by_title = scene.href(&format!("index.php?board={}.0;sort=subject", board.id));
        reply_page(
            scene,
            &format!(
                "<div><a name=top></a><span class=nav><b><a href='{}' class=nav>Forum</a></b> &gt; <b><a href='{own}' class=nav>{}</a></b></span></div><table width='100%'><tr><td class=middletext>{pager} &nbsp;&nbsp;<a href='#bot'><b>Go Down</b></a></td></tr></table><div class=tborder><table class=bordercolor><tr><td class=catbg3 colspan=3><a href='{by_title}'>Subject</a></td><td class=catbg3>Started by</td><td class=catbg3>Replies</td><td class=catbg3>Views</td><td class=catbg3>Last post</td></tr>{rows}</table></div><table width='100%'><tr><td class=middletext>{pager}</td></tr></table>",
                scene.href("index.php"),
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            let reply = if post.index == 0 {
                String::new()
            } else {
                format!("{} #{} ", scene.words().reply, post.index)
            };
            let edit = if post.index % 4 == 3 {
                "« <i>Last Edit: July 02, 2025, 01:02:03 PM by ada</i> »"
            } else {
                ""
            };
            format!(
                "<tr><td style='padding: 1px 1px 0 1px'><a name=msg{0}></a><table width='100%' cellpadding=3 class=bordercolor><tr><td class=windowbg{11}><table width='100%' style='table-layout: fixed'><tr><td valign=top width='16%' rowspan=2 style='overflow: hidden'><b><a href='{1}'>{2}</a></b><br><span class=smalltext>Full Member<br>Posts: {3}<br></span></td><td valign=top width='85%' height='100%'><table width='100%'><tr><td valign=middle><a href='{4}'><img src=xx.gif></a></td><td valign=middle><div style='font-weight: bold' id=subject_{0}><a href='{4}'>Re: {5}</a></div><div class=smalltext>« <b>{reply}{6}:</b> {7} »</div></td><td align=right class=smalltext><a href='{8}'>Quote</a></td></tr></table><hr class=hrcolor><div class=post>{9}</div></td></tr><tr><td valign=bottom class=smalltext width='85%'><table width='100%'><tr><td align=left class=smalltext id=modified_{0}>{edit}</td><td align=right class=smalltext><a href='{10}'>Report</a> Logged</td></tr></table></td></tr></table></td></tr></table></td></tr>",
                post.id,
                member(scene, post),
                post.name(),
                post.id % 300,
                message(scene, thread, post),
                thread.title,
                scene.words().posted,
                reply_time(scene, post.at),
                scene.href(&format!("index.php?action=post;quote={};topic={}.0", post.id, thread.id)),
                post.text,
                scene.href(&format!("index.php?action=reporttm;topic={}.0;msg={}", thread.id, post.id)),
                if post.index.is_multiple_of(2) { "" } else { "2" }
            )
        };
        let ad = "<tr><td style='padding: 1px 1px 0 1px'><table width='100%' class=bordercolor><tr><td class=windowbg><a href='http://ads.example/f'>Buy nets</a></td></tr></table></td></tr>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = reply_pager(scene, around);
        let step = |to: &str| scene.href(&format!("index.php?topic={}.0;prev_next={to}#new", thread.id));
        reply_page(
            scene,
            &format!(
                "<div><span class=nav><b><a href='{}' class=nav>Forum</a></b> &gt; <b><a href='{}' class=nav>{}</a></b> &gt; <b>{}</b></span></div><table width='100%'><tr><td class=middletext>{pager} &nbsp;<a href='#lastPost'><b>Go Down</b></a></td><td align=right><a href='{}'>Print</a></td></tr></table><table class=tborder width='100%'><tr class=catbg3><td>Author</td><td>Topic: {} (Read 99 times)</td></tr></table><form><table width='100%' class=bordercolor>{rows}</table></form><table width='100%'><tr><td class=middletext>{pager}</td></tr></table><div class=nav><a href='{}'>« previous</a> <a href='{}'>next »</a></div>",
                scene.href("index.php"),
                scene.href(&(REPLY_NUMBERS.board_address)(scene.variant, board, 1)),
                board.name,
                thread.title,
                scene.href(&format!("index.php?action=printpage;topic={}.0", thread.id)),
                thread.title,
                step("prev"),
                step("next")
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn member(scene: &Scene<'_>, post: &Post) -> String {
    scene.href(&format!("index.php?action=profile;u={}", post.author + 4))
}

fn message(scene: &Scene<'_>, thread: &Thread, post: &Post) -> String {
    if scene.variant.is_rewritten {
        scene.href(&format!("index.php/topic,{}.msg{1}.html#msg{1}", thread.id, post.id))
    } else {
        scene.href(&format!("index.php?topic={}.msg{1}#msg{1}", thread.id, post.id))
    }
}

fn reply_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let clock = words.clock(at, true);
    match (words.near(at), words.code) {
        (Some(day), _) => format!("<b>{day}</b> {} {clock}", words.at),
        (None, "en") => format!("{} {:02}, {}, {clock}", words.month(at), at.day(), at.year()),
        (None, "de") => format!("{:02}. {} {}, {clock}", at.day(), words.month(at), at.year()),
        (None, _) => format!("{:02} {} {} {} {clock}", at.day(), words.month(at), at.year(), words.at),
    }
}

fn reply_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    let mut text = format!("{}s: ", scene.words().page);
    for number in around.window(1, 2) {
        let _ = match number {
            None => write!(text, "<b> ... </b> "),
            Some(it) if it == around.page => write!(text, "[<b>{it}</b>] "),
            Some(it) => {
                write!(text, "<a class=navPages href='{}'>{it}</a> ", scene.href(&(around.address)(it)))
            }
        };
    }
    text
}

fn reply_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["help", "search", "calendar", "login", "register"]
        .map(|it| {
            format!(
                "<td class=maintab_back><a href='{}'>{it}</a></td>",
                scene.href(&format!("index.php?action={it}"))
            )
        })
        .concat();
    let now = reply_time(scene, super::scene::FETCHED);
    format!(
        "<html><head><title>x</title><base href='http://unseen.test/'></head><body><div class=tborder><span class=smalltext>{}</span></div><table class=maintab><tr>{menu}</tr></table><div id=bodyarea>{content}</div></body></html>",
        now.replace("<b>", "").replace("</b>", "")
    )
}

/// List items; the whole address of a thread is a route in the query (`show.php?12-Title/page2`), the current page a script.
pub(super) const ROUTES: Engine = Engine {
    name: "routes in the query",
    session_name: "s",
    board_address: |variant, board, page| {
        let tail = if page == 1 { String::new() } else { format!("/page{page}") };
        let order = if page == 1 || variant.is_rewritten { "" } else { "&order=desc" };
        if variant.is_rewritten {
            format!("forums/{}-{}{tail}", board.id, board.slug())
        } else {
            format!("forumdisplay.php?{}-{}{tail}{order}", board.id, board.slug())
        }
    },
    thread_address: |variant, thread, page| {
        let tail = if page == 1 { String::new() } else { format!("/page{page}") };
        if variant.is_rewritten {
            format!("threads/{}-{}{tail}", thread.id, thread.slug())
        } else {
            format!("showthread.php?{}-{}{tail}", thread.id, thread.slug())
        }
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<li id=forum{} class='forumbit_post old'><div class=forumrow><div class=foruminfo><h2 class=forumtitle><a href='{}'>{}</a></h2></div><div class=forumlastpost><p class=lastposttitle><a href='{}' class=threadtitle>{}</a></p><div class=lastpostby>{} <a class=username href='{}'>{}</a></div><p class=lastpostdate>{}</p></div></div></li>",
                board.id,
                scene.href(&(ROUTES.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&(ROUTES.thread_address)(scene.variant, thread, 1)),
                thread.title,
                scene.words().by,
                scene.href(&format!("member.php?{}-{}", thread.last().author + 2, thread.last().name())),
                thread.last().name(),
                route_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        route_page(scene, &format!("<ol id=forums class=floatcontainer>{rows}</ol>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let address = |page| scene.href(&(ROUTES.thread_address)(scene.variant, thread, page));
            let mut pages = String::new();
            if thread.page_count() > 1 {
                let links = (1..=thread.page_count().min(4))
                    .map(|it| format!(" <span><a href='{}'>{it}</a></span>", address(it)))
                    .collect::<Vec<_>>()
                    .concat();
                pages = format!(
                    "<div class=pagination><dl class='pagination'><dt class=label>{} Pages</dt><dd>{links}</dd></dl></div>",
                    thread.page_count()
                );
            }
            let (first, last) = (&thread.posts[0], thread.last());
            let user = |post: &Post| scene.href(&format!("member.php?{}-{}", post.author + 2, post.name()));
            format!(
                "<li class='threadbit old' id=thread_{0}><div class='rating0 nonsticky'><div class=threadinfo title='{1}'><div class=inner><h3 class=threadtitle><a class=title href='{2}' id=thread_title_{0}>{3}</a></h3><div class=threadmeta><p class=threaddesc></p><div class=author><span class=label>Started {4} <a href='{5}' class='username understate' title='Started {4} {6} on {7}'>{6}</a>,&nbsp;{8}</span>{pages}</div></div></div></div><ul class='threadstats td'><li>Replies: <a href='#'>{9}</a></li><li>Views: 99</li></ul><dl class='threadlastpost td'><dt class=lastpostby>{4} <strong><a href='{10}' class=username>{11}</a></strong></dt><dd>{12} <a href='{13}' class=lastpostdate><img></a></dd></dl></div></li>",
                thread.id,
                first.text,
                address(1),
                thread.title,
                scene.words().by,
                user(first),
                first.name(),
                route_time(scene, first.at).replace("<span class=time>", "").replace("</span>", ""),
                route_time(scene, first.at),
                thread.posts.len() - 1,
                user(last),
                last.name(),
                route_time(scene, last.at),
                scene.href(&format!("{}?p={1}#post{1}", "showthread.php", last.id))
            )
        };
        let ad = "<li class='threadbit ad'><div class=rating0><a href='http://ads.example/g'>Buy sails</a></div></li>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = route_pager(scene, around);
        route_page(
            scene,
            &format!(
                "<div id=breadcrumb><a href='{}'>Forum</a> {}</div><h1>{}</h1>{pager}<ol id=threads class=threads>{rows}</ol>{pager}",
                scene.href("index.php"),
                board.name,
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            format!(
                "<li class='postbitlegacy postcontainer old' id=post_{0}><div class=posthead><span class=postdate><span class=date>{1}</span></span><span class=nodecontrols><a name=post{0} href='{2}' class=postcounter>#{3}</a></span></div><div class=postdetails><div class=userinfo><div class=username_container><a class='username offline' href='{4}'>{5}</a></div><dl class=userinfo_extra><dt>{6}</dt><dd>Mar 2005</dd><dt>Posts</dt><dd>{7}</dd></dl></div><div class=postbody><h2 class=title>{8}</h2><div class=content id=post_message_{0}><blockquote class=postcontent>{9}</blockquote></div></div></div></li>",
                post.id,
                route_time(scene, post.at),
                scene.href(&format!(
                    "{}?p={1}&viewfull=1#post{1}",
                    (ROUTES.thread_address)(scene.variant, thread, 1).replace('?', "/"),
                    post.id
                )),
                post.index + 1,
                scene.href(&format!("member.php?{}-{}", post.author + 2, post.name())),
                post.name(),
                scene.words().joined,
                post.id % 500,
                thread.title,
                post.text
            )
        };
        let ad = "<li class='postbitlegacy postcontainer ad'><div class=posthead>Advertisement</div><a href='http://ads.example/h'>Buy masts</a></li>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = route_pager(scene, around);
        route_page(
            scene,
            &format!(
                "<div id=breadcrumb><a href='{}'>Forum</a> <a href='{}'>{}</a></div><h1><span class=threadtitle><a href='{}'>{}</a></span></h1>{pager}<ol id=posts class=posts>{rows}</ol>{pager}<div class=navlinks>« <a href='{2}'>Previous Thread</a> | <a href='{2}'>Next Thread</a> »</div>",
                scene.href("index.php"),
                scene.href(&(ROUTES.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&(ROUTES.thread_address)(scene.variant, thread, 1)),
                thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn route_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let date = words.near(at).map_or_else(|| words.numbers(at), ToOwned::to_owned);
    format!("{date},&nbsp;<span class=time>{}</span>", words.clock(at, false))
}

fn route_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!(
        "<div class=pagination_top><form class=pagination><span><a href='javascript://' class=popupctrl>{} {} {} {}</a></span>",
        words.page, around.page, words.of, around.page_count
    );
    if let Some(previous) = around.previous() {
        let _ = write!(
            text,
            "<span class=prev_next><a rel=prev href='{}' title='{}'><img src=previous-right.png></a></span>",
            scene.href(&previous),
            words.previous
        );
    }
    for number in around.window(0, 2).into_iter().flatten() {
        let _ = if number == around.page {
            write!(
                text,
                "<span class=selected><a href='javascript://' title='Results 1 to 4 of 34'>{number}</a></span>"
            )
        } else {
            write!(
                text,
                "<span><a href='{}' title='Show results 5 to 8 of 34'>{number}</a></span>",
                scene.href(&(around.address)(number))
            )
        };
    }
    text.push_str("<span class=separator>...</span>");
    if let Some(next) = around.next().filter(|_| words.code != "fr") {
        let _ = write!(
            text,
            "<span class=prev_next><a rel=next href='{}' title='{}'><img src=next-right.png></a></span><span class=first_last><a href='{}'>{}<img></a></span>",
            scene.href(&next),
            words.next,
            scene.href(&around.last()),
            words.last
        );
    }
    text + "</form></div>"
}

fn route_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["register.php", "faq.php", "calendar.php", "search.php"]
        .map(|it| format!("<li><a href='{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><ul id=navtabs>{menu}</ul><div class=body_wrapper>{content}</div><div id=footer_time>All times are GMT. The time now is <span class=time>12:00 PM</span>.</div></body></html>"
    )
}
