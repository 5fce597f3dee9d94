//! Imitations of software that tells how long ago, and of software whose pager stands in spans with a jump field.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// Lists of lists; boards tell "2 weeks, 3 days ago", names are words in the path, pages `/page/2/`.
pub(super) const FRESHNESS: Engine = Engine {
    name: "freshness",
    session_name: "sid",
    board_address: |_, board, page| match page {
        1 => format!("forums/forum/{}/", board.slug()),
        _ => format!("forums/forum/{}/page/{page}/", board.slug()),
    },
    thread_address: |_, thread, page| match page {
        1 => format!("forums/topic/{}/", thread.slug()),
        _ => format!("forums/topic/{}/page/{page}/", thread.slug()),
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<ul id=bbp-forum-{} class='loop-item-0 odd'><li class=bbp-forum-info><a class=bbp-forum-title href='{}'>{}</a></li><li class=bbp-forum-topic-count>{}</li><li class=bbp-forum-freshness><a href='{}' title='{}'>{}</a><p class=bbp-topic-meta><span class=bbp-topic-freshness-author><a href='/forums/users/{}/' class=bbp-author-name>{}</a></span></p></li></ul>",
                board.id,
                scene.href(&(FRESHNESS.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                scene.href(&(FRESHNESS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                scene.words().ago(thread.last().at),
                thread.last().name(),
                thread.last().name()
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        freshness_page(scene, &format!("<ul class=bbp-forums><li class=bbp-body>{rows}</li></ul>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let (first, last) = (&thread.posts[0], thread.last());
            let address = |page| scene.href(&(FRESHNESS.thread_address)(scene.variant, thread, page));
            let mut pages = String::new();
            if thread.page_count() > 1 {
                let links = (1..=thread.page_count())
                    .map(|it| format!("<a href='{}'>{it}</a> ", address(it)))
                    .collect::<Vec<_>>()
                    .concat();
                pages = format!("<span class=bbp-topic-pagination>{links}</span>");
            }
            format!(
                "<ul id=bbp-topic-{0} class='loop-item-1 even topic type-topic'><li class=bbp-topic-title><a class=bbp-topic-permalink href='{1}'>{2}</a>{pages}<p class=bbp-topic-meta><span class=bbp-topic-started-by>Started {3}: <a href='/forums/users/{4}/' class=bbp-author-name>{4}</a></span></p></li><li class=bbp-topic-voice-count>2</li><li class=bbp-topic-reply-count>{5}</li><li class=bbp-topic-freshness><a href='{6}' title='Reply To: {2}'>{7}</a><p class=bbp-topic-meta><span class=bbp-topic-freshness-author><a href='/forums/users/{8}/' class=bbp-author-name>{8}</a></span></p></li></ul>",
                thread.id,
                address(1),
                thread.title,
                scene.words().by,
                first.name(),
                thread.posts.len(),
                scene.href(&format!(
                    "{}#post-{}",
                    (FRESHNESS.thread_address)(scene.variant, thread, thread.page_count()),
                    last.id
                )),
                scene.words().ago(last.at),
                last.name()
            )
        };
        let ad = "<ul class='loop-item-2 odd ad'><li class=bbp-topic-title><a href='http://ads.example/m'>Buy ladders</a></li></ul>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = freshness_pager(scene, around);
        freshness_page(
            scene,
            &format!(
                "<div class=bbp-breadcrumb><a href='{}'>Forums</a> › {}</div><div class=bbp-pagination>{pager}</div><ul class=bbp-topics><li class=bbp-body>{rows}</li></ul>{pager}",
                scene.href("/forums/"),
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            let own = scene.href(&format!("{}#post-{}", (around.address)(around.page), post.id));
            format!(
                "<div id=post-{0} class=bbp-reply-header><div class=bbp-meta><span class=bbp-reply-post-date>{1}</span><a href='{own}' class=bbp-reply-permalink>#{0}</a></div></div><div class='loop-item-0 post-{0} reply'><div class=bbp-reply-author><a href='/forums/users/{2}/' class=bbp-author-name>{2}</a><div class=bbp-author-role>Participant</div></div><div class=bbp-reply-content><p>{3}</p></div></div>",
                post.id,
                freshness_time(scene, post.at),
                post.name(),
                post.text
            )
        };
        let ad = "<div class='loop-item-1 ad'><a href='http://ads.example/n'>Buy ropes</a></div>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = freshness_pager(scene, around);
        let board_link = scene.href(&(FRESHNESS.board_address)(scene.variant, board, 1));
        let last = scene.words().ago(thread.last().at);
        freshness_page(
            scene,
            &format!(
                "<div class=bbp-breadcrumb><a href='{}'>Forums</a> › <a href='{board_link}'>{}</a> › {}</div><div class=bbp-template-notice><p class=bbp-topic-description>This topic contains {} replies, and was last updated {} <a href='/forums/users/{}/'>{}</a> {last}.</p></div><div class=bbp-pagination>{pager}</div><ul id=topic-replies class=bbp-replies><li class=bbp-body>{rows}</li></ul>{pager}",
                scene.href("/forums/"),
                board.name,
                thread.title,
                thread.posts.len() - 1,
                scene.words().by,
                thread.last().name(),
                thread.last().name()
            ),
        )
    },
    has_exact_boards: false,
    has_exact_posts: true,
};

fn freshness_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    match words.code {
        "en" => format!("{} {}, {} at {}", words.month(at), at.day(), at.year(), at.strftime("%-I:%M %P")),
        "de" => format!("{}. {} {} um {}", at.day(), words.month(at), at.year(), at.strftime("%H:%M")),
        _ => format!("{} {} {} à {}", at.day(), words.month(at), at.year(), at.strftime("%H h %M min")),
    }
}

fn freshness_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    let mut text = "<div class=bbp-pagination-count>Viewing 4 posts - 1 through 4 (of 34 total)</div><div class=bbp-pagination-links>".to_owned();
    if around.page_count > 1 {
        if let Some(previous) = around.previous() {
            let _ = write!(text, "<a class='prev page-numbers' href='{}'>&larr;</a> ", scene.href(&previous));
        }
        for number in around.window(1, 1) {
            let _ = match number {
                None => write!(text, "<span class='page-numbers dots'>…</span> "),
                Some(it) if it == around.page => {
                    write!(text, "<span class='page-numbers current'>{it}</span> ")
                }
                Some(it) => write!(
                    text,
                    "<a class=page-numbers href='{}'>{it}</a> ",
                    scene.href(&(around.address)(it))
                ),
            };
        }
        if let Some(next) = around.next().filter(|_| scene.words().code != "de") {
            let _ = write!(text, "<a class='next page-numbers' href='{}'>&rarr;</a>", scene.href(&next));
        }
    }
    text + "</div>"
}

fn freshness_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["about/", "blog/", "forums/", "wp-login.php"]
        .map(|it| format!("<li><a href='/{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><ul class=menu>{menu}</ul><div class=entry-content><div id=forums>{content}</div></div><ul class=widget><li><a href='/2024/03/old-news/'>Old news</a></li></ul></body></html>"
    )
}

/// "Pages (9): 1 2 3 ... 9 Next »" with a field to jump, times with "Today" beside a title, two rows a post.
pub(super) const MULTIPAGES: Engine = Engine {
    name: "multipages",
    session_name: "sid",
    board_address: |variant, board, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("forumdisplay.php?fid={}", board.id),
        (false, _) => format!("forumdisplay.php?fid={}&page={page}", board.id),
        (true, 1) => format!("forum-{}.html", board.id),
        (true, _) => format!("forum-{}-page-{page}.html", board.id),
    },
    thread_address: |variant, thread, page| match (variant.is_rewritten, page) {
        (false, 1) => format!("showthread.php?tid={}", thread.id),
        (false, _) => format!("showthread.php?tid={}&page={page}", thread.id),
        (true, 1) => format!("thread-{}.html", thread.id),
        (true, _) => format!("thread-{}-page-{page}.html", thread.id),
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<tr><td class=trow1 align=center><img></td><td class=trow1><strong><a href='{}'>{}</a></strong><div class=smalltext>all</div></td><td class=trow1>{}</td><td class=trow1 align=right><span class=smalltext><a href='{}'><strong>{}</strong></a><br>{}<br>{} <a href='{}'>{}</a></span></td></tr>",
                scene.href(&(MULTIPAGES.board_address)(scene.variant, board, 1)),
                board.name,
                board.threads.len(),
                scene.href(
                    &format!("{}?action=lastpost", (MULTIPAGES.thread_address)(scene.variant, thread, 1))
                        .replacen(
                            "?action",
                            if scene.variant.is_rewritten { "?action" } else { "&action" },
                            1
                        )
                ),
                thread.title,
                multi_time(scene, thread.last().at),
                scene.words().by,
                scene.href(&format!("member.php?action=profile&uid={}", thread.last().author + 2)),
                thread.last().name()
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        multi_page(scene, &format!("<table class=tborder><tbody>{rows}</tbody></table>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let (first, last) = (&thread.posts[0], thread.last());
            let address = |page| scene.href(&(MULTIPAGES.thread_address)(scene.variant, thread, page));
            let mut pages = String::new();
            if thread.page_count() > 1 {
                let links = (1..=thread.page_count().min(4))
                    .map(|it| format!("<a href='{}'>{it}</a> ", address(it)))
                    .collect::<Vec<_>>()
                    .concat();
                pages = format!("<span class=smalltext>({}s: {links})</span>", scene.words().page);
            }
            let user =
                |post: &Post| scene.href(&format!("member.php?action=profile&uid={}", post.author + 2));
            format!(
                "<tr class=inline_row><td class='trow1 forumdisplay_regular'><span class=thread_status></span></td><td class='trow1'><div><span><span class=subject_old id=tid_{0}><a href='{1}'>{2}</a></span> {pages}</span><div class='author smalltext'><a href='{3}'>{4}</a></div></div></td><td class=trow1>{5}</td><td class='trow1' style='white-space: nowrap; text-align: right'><span class='lastpost smalltext'>{6}<br><a href='{7}'>Last Post</a>: <a href='{8}'>{9}</a></span></td></tr>",
                thread.id,
                address(1),
                thread.title,
                user(first),
                first.name(),
                thread.posts.len() - 1,
                multi_time(scene, last.at),
                scene.href(&format!("showthread.php?tid={}&action=lastpost", thread.id)),
                user(last),
                last.name()
            )
        };
        let ad = "<tr class=inline_row><td class=trow1 colspan=4><a href='http://ads.example/o'>Buy lamps</a></td></tr>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = multi_pager(scene, around);
        multi_page(
            scene,
            &format!(
                "<div class=navigation><a href='{}'>Forum</a> › {}</div>{pager}<table class=tborder><tbody>{rows}</tbody></table>{pager}",
                scene.href("index.php"),
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            format!(
                "<a name=pid{0} id=pid{0}></a><div class='post classic' id=post_{0}><div class=post_author><strong><span class=largetext><a href='{1}'>{2}</a></span></strong><div class=author_statistics>Posts: {3}<br>{4}: Mar 2011</div></div><div class=post_content><div class=post_head><div class='float_right'><strong><a href='{5}'>#{6}</a></strong></div><span class=post_date>{7}</span></div><div class='post_body' id=pid_{0}>{8}</div></div></div>",
                post.id,
                scene.href(&format!("member.php?action=profile&uid={}", post.author + 2)),
                post.name(),
                post.id % 200,
                scene.words().joined,
                scene.href(&format!("showthread.php?tid={0}&pid={1}#pid{1}", thread.id, post.id)),
                post.index + 1,
                multi_time(scene, post.at),
                post.text
            )
        };
        let ad = "<div class='post classic'><div class=post_author>Sponsor</div><div class=post_content><a href='http://ads.example/p'>Buy boots</a></div></div>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = multi_pager(scene, around);
        let board_link = scene.href(&(MULTIPAGES.board_address)(scene.variant, board, 1));
        let step = |to: &str| scene.href(&format!("showthread.php?tid={}&action={to}", thread.id));
        multi_page(
            scene,
            &format!(
                "<div class=navigation><a href='{}'>Forum</a> › <a href='{board_link}'>{}</a> › {}</div>{pager}<table class=tborder><tr><td id=posts_container><div id=posts>{rows}</div></td></tr></table>{pager}<div>« <a href='{}'>Next Oldest</a> | <a href='{}'>Next Newest</a> »</div>",
                scene.href("index.php"),
                board.name,
                thread.title,
                step("nextoldest"),
                step("nextnewest")
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn multi_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    match words.near(at) {
        Some(day) => format!("<span title='{}'>{day}</span>, {}", words.numbers(at), words.clock(at, false)),
        None => format!("{}, {}", words.numbers(at), words.clock(at, false)),
    }
}

fn multi_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text =
        format!("<div class=pagination><span class=pages>{}s ({}):</span> ", words.page, around.page_count);
    if let Some(previous) = around.previous() {
        let _ = write!(
            text,
            "<a href='{}' class=pagination_previous>« {}</a> ",
            scene.href(&previous),
            words.previous
        );
    }
    for number in around.window(1, 2) {
        let _ = match number {
            None => write!(text, "... "),
            Some(it) if it == around.page => write!(text, "<span class=pagination_current>{it}</span> "),
            Some(it) => write!(
                text,
                "<a href='{}' class=pagination_page>{it}</a> ",
                scene.href(&(around.address)(it))
            ),
        };
    }
    if let Some(next) = around.next() {
        let _ = write!(text, "<a href='{}' class=pagination_next>{} »</a> ", scene.href(&next), words.next);
    }
    text + "</div>"
}

fn multi_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["search.php", "memberlist.php", "calendar.php", "misc.php?action=help"]
        .map(|it| format!("<li><a href='{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><div id=container><ul class=top_links>{menu}</ul><div id=content>{content}</div><span class=smalltext>Current time: 07-20-2025, 12:00 PM</span></div></body></html>"
    )
}
