//! Imitations that were written first and that nothing was ever fitted to: what they score says how unseen software fares.
//!
//! Whoever mends mining looks at the others; a change is not made because of these.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// Blocks with a pager before and after the list, whose current number is bold; full times with seconds.
pub(super) const PLAIN_BLOCKS: Engine = Engine {
    name: "plain blocks",
    session_name: "sid",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("viewforum.php?id={}", board.id),
        (false, _) => format!("viewforum.php?id={}&p={page}", board.id),
        (true, 1) => format!("forum/{}/{}/", board.id, board.slug()),
        (true, _) => format!("forum/{}/{}/page/{page}/", board.id, board.slug()),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("viewtopic.php?id={}", thread.id),
        (false, _) => format!("viewtopic.php?id={}&p={page}", thread.id),
        (true, 1) => format!("topic/{}/{}/", thread.id, thread.slug()),
        (true, _) => format!("topic/{}/{}/page/{page}/", thread.id, thread.slug()),
    },
    front: |scene| {
        let row = |board: &Board| {
            let last = board.threads[0].last();
            format!(
                "<tr class=rowodd><td class=tcl><div class=tclcon><h3><a href='{}'>{}</a></h3></div></td><td class=tc2>{}</td><td class=tcr><a href='{}'>{}</a> <span class=byuser>{} {}</span></td></tr>",
                scene.href(&(PLAIN_BLOCKS.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                scene.href(&format!("viewtopic.php?pid={0}#p{0}", last.id)),
                plain_time(scene, last.at),
                scene.words().by,
                last.name()
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        plain_page(
            scene,
            &format!(
                "<div id=idx1 class=blocktable><div class=box><div class=inbox><table><tbody>{rows}</tbody></table></div></div></div>"
            ),
        )
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let last = thread.last();
            format!(
                "<tr class=rowodd><td class=tcl><div class=icon><div class=nosize>1</div></div><div class=tclcon><div><a href='{}'>{}</a> <span class=byuser>{} {}</span></div></div></td><td class=tc2>{}</td><td class=tc3>{}</td><td class=tcr><a href='{}'>{}</a> <span class=byuser>{} {}</span></td></tr>",
                scene.href(&(PLAIN_BLOCKS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                scene.words().by,
                thread.posts[0].name(),
                thread.posts.len() - 1,
                thread.id % 300,
                scene.href(&format!("viewtopic.php?pid={0}#p{0}", last.id)),
                plain_time(scene, last.at),
                scene.words().by,
                last.name()
            )
        };
        let ad = "<tr class=rowodd><td class=tcl colspan=4><div class=tclcon><a href='http://ads.example/x'>Buy ladders</a></div></td></tr>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let links = plain_links(scene, around);
        plain_page(
            scene,
            &format!(
                "<div class=linkst><div class=inbox>{links}<ul><li><a href='{}'>Index</a></li><li>{}</li></ul></div></div><div id=vf class=blocktable><div class=box><div class=inbox><table><tbody>{rows}</tbody></table></div></div></div><div class=linksb>{links}</div>",
                scene.href("index.php"),
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            format!(
                "<div id=p{0} class='blockpost row{1}'><h2><span><span class=conr>#{2}&nbsp;</span><a href='{3}'>{4}</a></span></h2><div class=box><div class=inbox><div class=postleft><dl><dt><strong><a href='{5}'>{6}</a></strong></dt><dd class=usertitle>Member</dd><dd>{7}: 2011-03-0{8}</dd></dl></div><div class=postright><h3>Re: {9}</h3><div class=postmsg><p>{10}</p></div></div></div></div></div>",
                post.id,
                post.index % 2,
                post.index + 1,
                scene.href(&format!("viewtopic.php?pid={0}#p{0}", post.id)),
                plain_time(scene, post.at),
                scene.href(&format!("profile.php?id={}", post.author + 2)),
                post.name(),
                scene.words().joined,
                post.author + 1,
                thread.title,
                post.text
            )
        };
        let ad = "<div class='blockpost row1'><h2><span>Sponsored</span></h2><div class=box><a href='http://ads.example/y'>Buy ropes</a></div></div>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let links = plain_links(scene, around);
        let board_link = scene.href(&(PLAIN_BLOCKS.board_address)(scene.variant, board, 1));
        plain_page(
            scene,
            &format!(
                "<div class=linkst>{links}<ul><li><a href='{}'>Index</a></li><li><a href='{board_link}'>{}</a></li><li>{}</li></ul></div>{rows}<div class=postlinksb>{links}</div>",
                scene.href("index.php"),
                board.name,
                thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn plain_time(scene: &Scene<'_>, at: DateTime) -> String {
    match scene.words().near(at) {
        Some(day) => format!("{day} {}", at.strftime("%H:%M:%S")),
        None => at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    }
}

fn plain_links(scene: &Scene<'_>, around: &Around<'_>) -> String {
    let mut text = format!("<p class=pagelink>{}s: ", scene.words().page);
    for number in around.window(1, 2) {
        let _ = match number {
            None => write!(text, " &hellip; "),
            Some(it) if it == around.page => write!(text, " <strong>{it}</strong> "),
            Some(it) => write!(text, " <a href='{}'>{it}</a> ", scene.href(&(around.address)(it))),
        };
    }
    text + "</p>"
}

fn plain_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["index.php", "userlist.php", "search.php", "register.php", "login.php"]
        .map(|it| format!("<li><a href='{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><div id=wrap><div id=brdmenu><ul>{menu}</ul></div>{content}</div></body></html>"
    )
}

/// Rows with microformats: `abbr` with machines' times, pages counted by their first record, pagers of list items.
pub(super) const PUBLISHED: Engine = Engine {
    name: "published",
    session_name: "s",
    board_address: |variant, board, page| {
        let start = if page == 1 { String::new() } else { format!("page__st__{}", (page - 1) * 5) };
        let route = if variant.is_rewritten { "index.php?/forum" } else { "index.php/forum" };
        format!("{route}/{}-{}/{start}", board.id, board.slug())
    },
    thread_address: |variant, thread, page| {
        let start = if page == 1 { String::new() } else { format!("page__st__{}", (page - 1) * 4) };
        let route = if variant.is_rewritten { "index.php?/topic" } else { "index.php/topic" };
        format!("{route}/{}-{}/{start}", thread.id, thread.slug())
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<tr class=row1><td class=altrow><img></td><td><h4><a href='{}'>{}</a></h4></td><td class=stats><ul><li>{} topics</li></ul></td><td class=altrow><ul class=last_post><li><a href='{}'>{}</a></li><li>{}</li></ul></td></tr>",
                scene.href(&(PUBLISHED.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                scene.href(&(PUBLISHED.thread_address)(scene.variant, thread, 1)),
                thread.title,
                published_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        published_page(
            scene,
            &format!("<div class=category_block><table class=list_table>{rows}</table></div>"),
        )
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let address = (PUBLISHED.thread_address)(scene.variant, thread, 1);
            format!(
                "<tr class='__topic row1' id=trow_{0}><td class=col_f_icon><img></td><td class=col_f_content><h4><a id=tid-link-{0} href='{1}' class=topic_title title='{2} - started'>{2}</a></h4><br><span class='desc lighter blend_links'>Started {3} <a class='___hover' href='{4}'>{5}</a></span></td><td class=col_f_views><ul><li>{6} replies</li></ul></td><td class=col_f_post><ul class=last_post><li><a href='{7}'>{8}</a></li><li><a href='{9}' title='Go to last post'>{10}</a></li></ul></td></tr>",
                thread.id,
                scene.href(&address),
                thread.title,
                scene.words().by,
                scene.href(&format!(
                    "index.php?/user/{}-{}/",
                    thread.posts[0].author + 3,
                    thread.posts[0].name()
                )),
                thread.posts[0].name(),
                thread.posts.len() - 1,
                scene.href(&format!(
                    "index.php?/user/{}-{}/",
                    thread.last().author + 3,
                    thread.last().name()
                )),
                thread.last().name(),
                scene.href(&format!("{address}?view=getlastpost")),
                published_time(scene, thread.last().at)
            )
        };
        let ad = "<tr class=row2><td colspan=4><a href='http://ads.example/z'>Buy nets</a></td></tr>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = published_pager(scene, around);
        published_page(
            scene,
            &format!(
                "<h1 class=ipsType_pagetitle>{}</h1><div class=topic_controls>{pager}</div><table class=list_table id=forum_table>{rows}</table>{pager}",
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let address = (PUBLISHED.thread_address)(scene.variant, thread, 1);
        let row = |post: &&Post| {
            format!(
                "<div class='post_block hentry' id=post_id_{0}><h3><span class=post_id><a rel=bookmark href='{1}#entry{0}'>#{2}</a></span><span class='author vcard'><a class='url fn' href='{3}'>{4}</a></span></h3><div class=author_info><ul><li>Group: Members</li><li>{5}: 1{6}-March 09</li></ul></div><div class=post_body><p class='posted_info desc'>{7} <abbr class=published title='{8}+00:00'>{9}</abbr></p><div class='post entry-content'>{10}</div></div></div>",
                post.id,
                scene.href(&address),
                post.index + 1,
                scene.href(&format!("index.php?/user/{}-{}/", post.author + 3, post.name())),
                post.name(),
                scene.words().joined,
                post.author,
                scene.words().posted,
                post.at.strftime("%Y-%m-%dT%H:%M:%S"),
                published_time(scene, post.at),
                post.text
            )
        };
        let ad = "<div class='post_block hentry'><h3>Sponsored</h3><a href='http://ads.example/w'>Buy oars</a></div>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = published_pager(scene, around);
        published_page(
            scene,
            &format!(
                "<ol id=breadcrumb><li><a href='{}'>Home</a></li><li><a href='{}'>{}</a></li></ol><h1>{}</h1><div class=topic_controls>{pager}</div><div class=ipsBox>{rows}</div><div>{pager}</div>",
                scene.href("index.php"),
                scene.href(&(PUBLISHED.board_address)(scene.variant, board, 1)),
                board.name,
                thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn published_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    match words.near(at) {
        Some(day) => format!("{day}, {}", words.clock(at, false)),
        None => format!("{:02} {} {} - {}", at.day(), words.month(at), at.year(), words.clock(at, false)),
    }
}

fn published_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return "<p class='pagination no_pages'><span>1 page</span></p>".to_owned();
    }
    let words = scene.words();
    let mut text = "<ul class='pagination left'>".to_owned();
    if let Some(previous) = around.previous() {
        let _ = write!(
            text,
            "<li class=prev><a href='{}' rel=prev>{}</a></li>",
            scene.href(&previous),
            words.previous
        );
    }
    let _ = write!(
        text,
        "<li class=pagejump><a href='#'>{} {} {} {}</a></li>",
        words.page, around.page, words.of, around.page_count
    );
    for number in around.window(0, 2).into_iter().flatten() {
        let _ = if number == around.page {
            write!(text, "<li class='page active'>{number}</li>")
        } else {
            write!(
                text,
                "<li class=page><a href='{}' title='{number}'>{number}</a></li>",
                scene.href(&(around.address)(number))
            )
        };
    }
    if let Some(next) = around.next() {
        let _ =
            write!(text, "<li class=next><a href='{}' rel=next>{}</a></li>", scene.href(&next), words.next);
        let _ = write!(
            text,
            "<li class=last><a href='{}' rel=last>{} →</a></li>",
            scene.href(&around.last()),
            words.last
        );
    }
    text + "</ul>"
}

fn published_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String =
        ["index.php?app=members", "index.php?app=calendar", "index.php?app=core&module=search"]
            .map(|it| format!("<li><a href='{}'>x</a></li>", scene.href(it)))
            .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body id=board_body><ul id=primary_nav>{menu}</ul><div id=content>{content}</div></body></html>"
    )
}
