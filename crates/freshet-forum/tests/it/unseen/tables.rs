//! Imitations of software that draws with tables: a "Goto page" line, and legends of rows.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// "Goto page 1, 2, 3  Next" in a cell, whose links carry the order of the list too; a post is three rows, quotes are tables.
pub(super) const GOTO_LINES: Engine = Engine {
    name: "goto lines",
    session_name: "sid",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("viewforum.php?f={}", board.id),
        (false, _) => format!("viewforum.php?f={}&topicdays=0&start={}", board.id, (page - 1) * 5),
        (true, 1) => format!("forum-{}.html", board.id),
        (true, _) => format!("forum-{},{}.html", board.id, (page - 1) * 5),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("viewtopic.php?t={}", thread.id),
        (false, _) => {
            format!("viewtopic.php?t={}&postdays=0&postorder=asc&start={}", thread.id, (page - 1) * 4)
        }
        (true, 1) => format!("topic-{}.html", thread.id),
        (true, _) => format!("topic-{},{}.html", thread.id, (page - 1) * 4),
    },
    front: |scene| {
        let row = |board: &Board| {
            let last = board.threads[0].last();
            format!(
                "<tr><td class=row1 align=center height=50><img src=folder.gif alt='No new posts'></td><td class=row1 width='100%'><span class=forumlink> <a href='{}' class=forumlink>{}</a><br></span> <span class=genmed>all of them<br></span></td><td class=row2 align=center><span class=gensmall>{}</span></td><td class=row2 align=center><span class=gensmall>99</span></td><td class=row2 align=center nowrap> <span class=gensmall>{}<br><a href='{}'>{}</a> <a href='{}'><img src=latest.gif></a></span></td></tr>",
                scene.href(&(GOTO_LINES.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                goto_time(scene, last.at),
                profile(scene, last),
                last.name(),
                scene.href(&format!("viewtopic.php?p={0}#{0}", last.id))
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        goto_page(
            scene,
            &format!(
                "<table class=forumline><tr><th colspan=2>Forum</th><th>Topics</th><th>Posts</th><th>Last Post</th></tr><tr><td class=catLeft colspan=2><span class=cattitle><a href='{}' class=cattitle>All</a></span></td><td class=rowpic colspan=3>&nbsp;</td></tr>{rows}</table>",
                scene.href("index.php?c=1")
            ),
        )
    },
    board: goto_board,
    thread: goto_thread,
    has_exact_boards: true,
    has_exact_posts: true,
};

fn profile(scene: &Scene<'_>, post: &Post) -> String {
    scene.href(&format!("profile.php?mode=viewprofile&u={}", post.author + 3))
}

fn goto_board(scene: &Scene<'_>, board: &Board, threads: &[&Thread], around: &Around<'_>) -> String {
    let own = scene.href(&(GOTO_LINES.board_address)(scene.variant, board, 1));
    let row = |thread: &&Thread| {
        let address = |page| scene.href(&(GOTO_LINES.thread_address)(scene.variant, thread, page));
        let mut pages = String::new();
        if thread.page_count() > 1 {
            let links = (1..=thread.page_count()).filter(|it| *it < 3 || *it + 2 > thread.page_count());
            let links: Vec<String> = links.map(|it| format!("<a href='{}'>{it}</a>", address(it))).collect();
            pages = format!("<br>[ <img src=icon.gif>{}: {} ] ", scene.words().goto, links.join(", "));
        }
        format!(
            "<tr><td class=row1 align=center width=20><img src=folder.gif></td><td class=row1 width='100%'><span class=topictitle><a href='{}' class=topictitle>{}</a></span><span class=gensmall>{pages}</span></td><td class=row2 align=center><span class=postdetails>{}</span></td><td class=row3 align=center><span class=name><a href='{}'>{}</a></span></td><td class=row2 align=center><span class=postdetails>{}</span></td><td class=row3Right align=center nowrap><span class=postdetails>{}<br><a href='{}'>{}</a> <a href='{}'><img src=latest.gif></a></span></td></tr>",
            address(1),
            thread.title,
            thread.posts.len() - 1,
            profile(scene, &thread.posts[0]),
            thread.posts[0].name(),
            thread.id % 977,
            goto_time(scene, thread.last().at),
            profile(scene, thread.last()),
            thread.last().name(),
            scene.href(&format!("viewtopic.php?p={0}#{0}", thread.last().id))
        )
    };
    let ad = "<tr><td class=row1 colspan=6 align=center><a href='http://ads.example/a'><img src=ad.gif></a></td></tr>";
    let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
    let pager = goto_pager(scene, around);
    goto_page(
        scene,
        &format!(
            "<table width='100%'><tr><td align=left valign=bottom colspan=2><a class=maintitle href='{own}'>{}</a><br><span class=gensmall><b>Moderators: None</b></span></td><td align=right nowrap><span class=gensmall><b>{pager}</b></span></td></tr><tr><td><a href='{}'><img src=post.gif></a></td><td class=nav width='100%'><span class=nav>&nbsp;<a href='{}' class=nav>Forum Index</a> -> <a class=nav href='{own}'>{}</a></span></td><td></td></tr></table><table class=forumline><tr><th colspan=2>Topics</th><th>Replies</th><th>Author</th><th>Views</th><th>Last Post</th></tr>{rows}<tr><td class=catBottom colspan=6><span class=genmed>Display topics from previous: <select><option>All Topics</option></select></span></td></tr></table><table width='100%'><tr><td align=right nowrap><span class=gensmall>All times are GMT<br></span><span class=nav>{pager}</span></td></tr><tr><td align=left><span class=nav>{} <b>{}</b> {} <b>{}</b></span></td></tr></table>",
            board.name,
            scene.href(&format!("posting.php?mode=newtopic&f={}", board.id)),
            scene.href("index.php"),
            board.name,
            scene.words().page,
            around.page,
            scene.words().of,
            around.page_count
        ),
    )
}

fn goto_thread(
    scene: &Scene<'_>,
    board: &Board,
    thread: &Thread,
    posts: &[&Post],
    around: &Around<'_>,
) -> String {
    let row = |post: &&Post| {
        let quote = if post.index % 3 == 1 {
            "<table width='90%'><tr><td><span class=genmed><b>dana wrote:</b></span></td></tr><tr><td class=quote>lantern under the copper mill</td></tr></table><span class=postbody><br></span>"
        } else {
            ""
        };
        let edited = if post.index % 4 == 2 {
            "<span class=gensmall><br><br>Last edited by emil on Tue Jul 08, 2025 9:31 am; edited 1 time in total</span>"
        } else {
            ""
        };
        format!(
            "<tr><td width=150 align=left valign=top class=row1><span class=name><a name={0}></a><b>{1}</b></span><br><span class=postdetails><br><br><br>{2}: 0{3} Jan 2004<br>Posts: {4}<br>Location: mill</span><br></td><td class=row1 width='100%' height=28 valign=top><table width='100%'><tr><td width='100%'><a href='{5}'><img src=minipost.gif></a><span class=postdetails>{6}: {7}<span class=gen>&nbsp;</span>&nbsp; &nbsp;Post subject: {8}</span></td><td nowrap><a href='{9}'><img src=quote.gif></a></td></tr><tr><td colspan=2><hr></td></tr><tr><td colspan=2><span class=postbody>{10}</span>{quote}{edited}</td></tr></table></td></tr><tr><td class=row1 width=150><span class=nav><a href='#top' class=nav>Back to top</a></span></td><td class=row1 height=28 nowrap><table><tr><td nowrap><a href='{11}'><img src=profile.gif></a></td></tr></table></td></tr><tr><td class=spaceRow colspan=2 height=1><img src=spacer.gif></td></tr>",
            post.id,
            post.name(),
            scene.words().joined,
            post.author + 1,
            post.id % 400,
            scene.href(&format!("viewtopic.php?p={0}#{0}", post.id)),
            scene.words().posted,
            goto_time(scene, post.at),
            thread.title,
            scene.href(&format!("posting.php?mode=quote&p={}", post.id)),
            post.text,
            profile(scene, post)
        )
    };
    let ad = "<tr><td class=row1 width=150><span class=name><b>Sponsor</b></span></td><td class=row1><a href='http://ads.example/b'><img src=ad.gif></a></td></tr><tr><td class=spaceRow colspan=2 height=1></td></tr>";
    let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
    let pager = goto_pager(scene, around);
    let own = scene.href(&(GOTO_LINES.thread_address)(scene.variant, thread, 1));
    goto_page(
        scene,
        &format!(
            "<table width='100%'><tr><td align=left valign=bottom colspan=2><a class=maintitle href='{own}'>{}</a><br><span class=gensmall><b>{pager}</b><br>&nbsp;</span></td></tr></table><table width='100%'><tr><td class=nav><span class=nav><a href='{}' class=nav>Forum Index</a> -> <a href='{}' class=nav>{}</a></span></td></tr></table><table class=forumline><tr align=right><td class=catHead colspan=2><span class=nav><a href='{}' class=nav>View previous topic</a> :: <a href='{}' class=nav>View next topic</a></span></td></tr><tr><th class=thLeft>Author</th><th class=thRight>Message</th></tr>{rows}<tr align=center><td class=catBottom colspan=2><span class=gensmall>Display posts from previous: <select><option>All Posts</option></select></span></td></tr></table><table width='100%'><tr><td align=right nowrap><span class=gensmall>All times are GMT<br></span><span class=nav>{pager}</span></td></tr><tr><td><span class=nav>{} <b>{}</b> {} <b>{}</b></span></td></tr></table>",
            thread.title,
            scene.href("index.php"),
            scene.href(&(GOTO_LINES.board_address)(scene.variant, board, 1)),
            board.name,
            scene.href(&format!("viewtopic.php?t={}&view=previous", thread.id)),
            scene.href(&format!("viewtopic.php?t={}&view=next", thread.id)),
            scene.words().page,
            around.page,
            scene.words().of,
            around.page_count
        ),
    )
}

fn goto_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let clock = at.strftime("%-I:%M %P").to_string();
    if words.code == "de" {
        return at.strftime("%d.%m.%Y, %H:%M").to_string();
    }
    format!("{} {} {:02}, {} {clock}", words.day(at), words.short_month(at), at.day(), at.year())
}

fn goto_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!("{} ", words.goto);
    if let Some(previous) = around.previous() {
        let _ = write!(text, "<a href='{}'>{}</a>&nbsp;&nbsp;", scene.href(&previous), words.previous);
    }
    let edge = if around.page_count > 10 { 3 } else { 2 };
    let mut is_first = true;
    for number in around.window(edge, 1) {
        if !is_first {
            text.push_str(", ");
        }
        is_first = false;
        let _ = match number {
            None => write!(text, "... "),
            Some(it) if it == around.page => write!(text, "<b>{it}</b>"),
            Some(it) => write!(text, "<a href='{}'>{it}</a>", scene.href(&(around.address)(it))),
        };
    }
    if let Some(next) = around.next().filter(|_| words.code != "fr") {
        let _ = write!(text, "&nbsp;&nbsp;<a href='{}'>{}</a>", scene.href(&next), words.next);
    }
    text
}

fn goto_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String =
        ["faq.php", "search.php", "memberlist.php", "groupcp.php", "profile.php?mode=register", "login.php"]
            .map(|it| {
                format!(
                    "<span class=mainmenu>&nbsp;<a href='{}' class=mainmenu>{it}</a></span> ",
                    scene.href(it)
                )
            })
            .concat();
    format!(
        "<html><head><title>x</title></head><body><a name=top></a><table width='100%'><tr><td class=bodyline><table width='100%'><tr><td>{menu}</td></tr></table><table width='100%'><tr><td><span class=gensmall>The time now is Sun Jul 20, 2025 12:00 pm<br></span></td></tr></table>{content}</td></tr></table></body></html>"
    )
}

/// "Page 1 of 12 1 2 3 11 > Last" in a row of cells; the order of the list beside the number on boards.
pub(super) const LEGENDS: Engine = Engine {
    name: "legends",
    session_name: "s",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("forumdisplay.php?f={}", board.id),
        (false, _) => format!("forumdisplay.php?f={}&order=desc&page={page}", board.id),
        (true, 1) => format!("{}/", board.slug()),
        (true, _) => format!("{}/index{page}.html", board.slug()),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("showthread.php?t={}", thread.id),
        (false, _) => format!("showthread.php?t={}&page={page}", thread.id),
        (true, 1) => format!("all-boards/{}-{}.html", thread.id, thread.slug()),
        (true, _) => format!("all-boards/{}-{}-{page}.html", thread.id, thread.slug()),
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<tr align=center><td class=alt1Active align=left><div><a href='{}'><strong>{}</strong></a></div><div class=smallfont>all of them</div></td><td class=alt2><div class=smallfont align=left><div><a href='{}'><strong>{}</strong></a></div><div>{} <a href='{}'>{}</a></div><div align=right>{}</div></div></td><td class=alt1>{}</td></tr>",
                scene.href(&(LEGENDS.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&format!("showthread.php?goto=newpost&t={}", thread.id)),
                thread.title,
                scene.words().by,
                scene.href(&format!("member.php?u={}", thread.last().author + 2)),
                thread.last().name(),
                legend_time(scene, thread.last().at),
                board.threads.len()
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        legend_page(scene, &format!("<table class=tborder><tbody>{rows}</tbody></table>"))
    },
    board: legend_board,
    thread: legend_thread,
    has_exact_boards: true,
    has_exact_posts: true,
};

fn legend_board(scene: &Scene<'_>, board: &Board, threads: &[&Thread], around: &Around<'_>) -> String {
    let row = |thread: &&Thread| {
        let address = |page| scene.href(&(LEGENDS.thread_address)(scene.variant, thread, page));
        let mut pages = String::new();
        if thread.page_count() > 1 {
            let links =
                (1..=thread.page_count().min(4)).map(|it| format!("<a href='{}'>{it}</a>", address(it)));
            let links: Vec<String> = links.collect();
            pages = format!(
                "<span class=smallfont>(<img src=multi.gif> {} ... <a href='{}'>{}</a>)</span>",
                links.join(" "),
                address(thread.page_count()),
                scene.words().last
            );
        }
        format!(
            "<tr><td class=alt1 id=td_threadstatusicon_{0}><img></td><td class=alt2><img></td><td class=alt1 id=td_threadtitle_{0} title='{1}'><div><a href='{2}' id=thread_title_{0}>{3}</a> {pages}</div><div class=smallfont><span style='cursor:pointer'>{4}</span></div></td><td class=alt2 title='Replies: 3, Views: 99'><div class=smallfont style='text-align:right'>{5}<br>{6} <a href='{7}'>{8}</a> <a href='{9}'><img></a></div></td><td class=alt1 align=center><a href='#'>{10}</a></td></tr>",
            thread.id,
            thread.posts[0].text,
            address(1),
            thread.title,
            thread.posts[0].name(),
            legend_time(scene, thread.last().at),
            scene.words().by,
            scene.href(&format!("member.php?find=lastposter&t={}", thread.id)),
            thread.last().name(),
            scene.href(&format!("showthread.php?p={0}#post{0}", thread.last().id)),
            thread.posts.len() - 1
        )
    };
    let ad = "<tr><td class=alt1 colspan=5><div class=smallfont><a href='http://ads.example/c'>Buy ropes</a></div></td></tr>";
    let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
    let pager = legend_pager(scene, around);
    legend_page(
        scene,
        &format!(
            "<table class=tborder><tr><td class=alt1><span class=navbar><a href='{}'>Forum</a></span> &gt; <strong>{}</strong></td></tr></table>{pager}<table class=tborder id=threadslist><tbody>{rows}</tbody></table>{pager}",
            scene.href("index.php"),
            board.name
        ),
    )
}

fn legend_thread(
    scene: &Scene<'_>,
    board: &Board,
    thread: &Thread,
    posts: &[&Post],
    around: &Around<'_>,
) -> String {
    let row = |post: &&Post| {
        format!(
            "<div id=edit{0}><table id=post{0} class=tborder><tr><td class=thead><div class=normal style='float:right'>#<a href='{1}' name={2}><strong>{2}</strong></a></div><div class=normal><a name=post{0}><img></a> {3} </div></td></tr><tr><td class=alt2><table><tr><td nowrap><div id=postmenu_{0}><a class=bigusername href='{4}'>{5}</a></div><div class=smallfont>Member</div></td><td width='100%'>&nbsp;</td><td nowrap><div class=smallfont><div>{6}: Mar 2005</div><div>Posts: {7}</div></div></td></tr></table></td></tr><tr><td class=alt1 id=td_post_{0}><div class=smallfont><strong>{8}</strong></div><hr><div id=post_message_{0}>{9}</div></td></tr></table></div>",
            post.id,
            scene.href(&format!("showpost.php?p={}&postcount={}", post.id, post.index + 1)),
            post.index + 1,
            legend_time(scene, post.at),
            scene.href(&format!("member.php?u={}", post.author + 2)),
            post.name(),
            scene.words().joined,
            post.id % 500,
            thread.title,
            post.text
        )
    };
    let ad = "<div><table class=tborder><tr><td class=thead>Advertisement</td></tr><tr><td class=alt1><a href='http://ads.example/d'>Buy lamps</a></td></tr></table></div>";
    let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
    let pager = legend_pager(scene, around);
    legend_page(
        scene,
        &format!(
            "<table class=tborder><tr><td class=alt1><span class=navbar><a href='{}'>Forum</a></span> &gt; <span class=navbar><a href='{}'>{}</a></span><br><strong>{}</strong></td></tr></table>{pager}<div id=posts>{rows}</div>{pager}<div class=smallfont>« <a href='{}'>Previous Thread</a> | <a href='{}'>Next Thread</a> »</div>",
            scene.href("index.php"),
            scene.href(&(LEGENDS.board_address)(scene.variant, board, 1)),
            board.name,
            thread.title,
            scene.href(&format!("showthread.php?t={}&goto=nextoldest", thread.id)),
            scene.href(&format!("showthread.php?t={}&goto=nextnewest", thread.id))
        ),
    )
}

fn legend_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let date = words.near(at).map_or_else(|| words.numbers(at), ToOwned::to_owned);
    format!("{date}, <span class=time>{}</span>", words.clock(at, false))
}

fn legend_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!(
        "<div class=pagenav align=right><table class=tborder><tr><td class=menu_control>{} {} {} {}</td>",
        words.page, around.page, words.of, around.page_count
    );
    if let Some(previous) = around.previous() {
        let _ = write!(
            text,
            "<td class=alt1><a class=smallfont href='{}' title='{} - 1'>&lt;</a></td>",
            scene.href(&previous),
            words.previous
        );
    }
    for number in around.window(0, 2).into_iter().flatten() {
        let _ = if number == around.page {
            write!(
                text,
                "<td class=alt2><span class=smallfont title='Showing results 1 to 4 of 34'><strong>{number}</strong></span></td>"
            )
        } else {
            write!(
                text,
                "<td class=alt1><a class=smallfont href='{}' title='Show results 5 to 8 of 34'>{number}</a></td>",
                scene.href(&(around.address)(number))
            )
        };
    }
    if let Some(next) = around.next().filter(|_| words.code != "de") {
        let _ = write!(
            text,
            "<td class=alt1><a class=smallfont href='{}' title='x'>&gt;</a></td><td class=alt1 nowrap><a class=smallfont href='{}'>{} <strong>&raquo;</strong></a></td>",
            scene.href(&next),
            scene.href(&around.last()),
            words.last
        );
    }
    text + "</tr></table></div>"
}

fn legend_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["register.php", "faq.php", "memberlist.php", "calendar.php", "search.php"]
        .map(|it| format!("<td class=menu_control><a href='{}'>{it}</a></td>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><table class=tborder><tr>{menu}</tr></table>{content}<div class=smallfont align=center>All times are GMT. The time now is <span class=time>12:00 PM</span>.</div></body></html>"
    )
}
