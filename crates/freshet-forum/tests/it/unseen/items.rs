//! Imitations of software that draws with list items and articles: sentinels, discussions, freshness, multipages.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use super::scene::{Around, Board, Engine, Post, Scene, Thread};

/// `abbr` with seconds for new times and a title for old ones; the current page is a link; routes in the query or in the path.
pub(super) const SENTINELS: Engine = Engine {
    name: "sentinels",
    session_name: "_s",
    board_address: |variant, board, page| {
        let tail = if page == 1 { String::new() } else { format!("page-{page}") };
        let route = if variant.is_rewritten { "" } else { "index.php?" };
        format!("{route}forums/{}.{}/{tail}", board.slug(), board.id)
    },
    thread_address: |variant, thread, page| {
        let tail = if page == 1 { String::new() } else { format!("page-{page}") };
        let route = if variant.is_rewritten { "" } else { "index.php?" };
        format!("{route}threads/{}.{}/{tail}", thread.slug(), thread.id)
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<li class='node forum level_2'><div class=nodeInfo><div class=nodeText><h3 class=nodeTitle><a href='{}'>{}</a></h3></div><div class=nodeLastPost><span class=lastThreadTitle><a href='{}'>{}</a></span><span class=lastThreadMeta><span class=lastThreadUser><a class=username href='{}'>{}</a>,</span> {}</span></div></div></li>",
                scene.href(&(SENTINELS.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&(SENTINELS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                user(scene, thread.last()),
                thread.last().name(),
                sentinel_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        item_page(scene, &format!("<ol class=nodeList id=forums>{rows}</ol>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let address = |page| scene.href(&(SENTINELS.thread_address)(scene.variant, thread, page));
            let (first, last) = (&thread.posts[0], thread.last());
            let mut pages = String::new();
            if thread.page_count() > 1 {
                let links = (2..=thread.page_count().min(4))
                    .map(|it| format!("<a href='{}'>{it}</a> ", address(it)))
                    .collect::<Vec<_>>()
                    .concat();
                pages = format!("<span class=itemPageNav><span>...</span>{links}</span>");
            }
            format!(
                "<li id=thread-{0} class='discussionListItem visible' data-author='{1}'><div class='listBlock posterAvatar'><a href='{2}' class=avatar><img alt='{1}'></a></div><div class='listBlock main'><div class=titleText><h3 class=title><a href='{3}' class=PreviewTooltip>{4}</a></h3><div class=secondRow><div class='posterDate muted'><a href='{2}' class=username>{1}</a><span class=startDate>, <a class=faint href='{3}'>{5}</a></span>{pages}</div></div></div></div><div class='listBlock stats'><dl class=major><dt>Replies:</dt> <dd>{6}</dd></dl></div><div class='listBlock lastPost'><dl class=lastPostInfo><dt><a href='{7}' class=username>{8}</a></dt><dd class=muted><a href='{9}' class=dateTime>{10}</a></dd></dl></div></li>",
                thread.id,
                first.name(),
                user(scene, first),
                address(1),
                thread.title,
                sentinel_time(scene, first.at),
                thread.posts.len() - 1,
                user(scene, last),
                last.name(),
                scene.href(&format!("index.php?posts/{}/", last.id)),
                sentinel_time(scene, last.at)
            )
        };
        let ad = "<li class='discussionListItem ad'><div class='listBlock main'><a href='http://ads.example/i'>Buy boots</a></div></li>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = sentinel_pager(scene, around);
        item_page(
            scene,
            &format!(
                "<div class=titleBar><h1>{}</h1></div><div class=pageNavLinkGroup>{pager}</div><form><ol class=discussionListItems>{rows}</ol></form>{pager}",
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let row = |post: &&Post| {
            let own = scene.href(&format!("{}#post-{}", (around.address)(around.page), post.id));
            format!(
                "<li id=post-{0} class='message' data-author='{1}'><div class=messageUserInfo><div class=messageUserBlock><h3 class=userText><a href='{2}' class=username>{1}</a></h3><div class=extraUserInfo><dl class=pairsJustified><dt>{3}:</dt> <dd>Mar {4}, 2011</dd></dl></div></div></div><div class=messageInfo><div class=messageContent><article><blockquote class=messageText>{5}</blockquote></article></div><div class=messageMeta><div class=privateControls><span class=authorEnd><a href='{2}' class='username author'>{1}</a>, </span><a href='{6}' title=Permalink class='item muted'>{7}</a></div><div class=publicControls><a href='{6}' class='item muted postNumber'>#{8}</a></div></div></div></li>",
                post.id,
                post.name(),
                user(scene, post),
                scene.words().joined,
                post.author + 1,
                post.text,
                own,
                sentinel_time(scene, post.at),
                post.index + 1
            )
        };
        let ad = "<li class='message sponsored'><div class=messageInfo><a href='http://ads.example/j'>Buy lamps</a></div></li>";
        let rows = scene.with_ads(posts.iter().map(row).collect(), ad);
        let pager = sentinel_pager(scene, around);
        let start = sentinel_time(scene, thread.posts[0].at);
        let own = scene.href(&(SENTINELS.thread_address)(scene.variant, thread, 1));
        item_page(
            scene,
            &format!(
                "<div class=titleBar><h1>{}</h1><p id=pageDescription class=muted>Discussion in '<a href='{}'>{}</a>' started by <a href='{}' class=username>{}</a>, <a href='{own}'>{start}</a>.</p></div><div class=pageNavLinkGroup>{pager}</div><ol class=messageList id=messageList>{rows}</ol>{pager}",
                thread.title,
                scene.href(&(SENTINELS.board_address)(scene.variant, board, 1)),
                board.name,
                user(scene, &thread.posts[0]),
                thread.posts[0].name()
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn user(scene: &Scene<'_>, post: &Post) -> String {
    let route = if scene.variant.is_rewritten { "" } else { "index.php?" };
    scene.href(&format!("{route}members/{}.{}/", post.name(), post.author + 2))
}

fn sentinel_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    let date = format!("{} {}, {}", words.short_month(at), at.day(), at.year());
    let clock = at.strftime("%-I:%M %p");
    if words.near(at).is_some() {
        let unix_s = at.to_zoned(jiff::tz::TimeZone::UTC).expect("in range").timestamp().as_second();
        format!(
            "<abbr class=DateTime data-time={unix_s} data-diff=9 data-datestring='{date}' data-timestring='{clock}'>{date} at {clock}</abbr>"
        )
    } else {
        format!("<span class=DateTime title='{date} at {clock}'>{date}</span>")
    }
}

fn sentinel_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let words = scene.words();
    let mut text = format!(
        "<div class=PageNav data-page={} data-last={}><span class=pageNavHeader>{} {0} {} {1}</span><nav>",
        around.page, around.page_count, words.page, words.of
    );
    if let Some(previous) = around.previous() {
        let _ = write!(text, "<a href='{}' class=text>&lt; {}</a> ", scene.href(&previous), words.previous);
    }
    for number in around.window(1, 2).into_iter().flatten() {
        let class = if number == around.page { "currentPage" } else { "" };
        let _ =
            write!(text, "<a href='{}' class='{class}'>{number}</a> ", scene.href(&(around.address)(number)));
    }
    if let Some(next) = around.next().filter(|_| words.code != "de") {
        let _ = write!(text, "<a href='{}' class=text>{} &gt;</a>", scene.href(&next), words.next);
    }
    text + "</nav></div>"
}

fn item_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["help/", "login/", "search/", "recent-activity/"]
        .map(|it| format!("<li><a href='{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><ul class=publicTabs>{menu}</ul><div id=content>{content}</div></body></html>"
    )
}

/// `time` elements, first posts apart from comments, and pages `/p2`; the front page lists categories.
pub(super) const DISCUSSIONS: Engine = Engine {
    name: "discussions",
    session_name: "sid",
    board_address: |variant, board, page| {
        let (root, tail) = (
            if variant.is_rewritten { "index.php?p=/" } else { "" },
            if page == 1 { String::new() } else { format!("/p{page}") },
        );
        format!("{root}categories/{}{tail}", board.slug())
    },
    thread_address: |variant, thread, page| {
        let (root, tail) = (
            if variant.is_rewritten { "index.php?p=/" } else { "" },
            if page == 1 { String::new() } else { format!("/p{page}") },
        );
        format!("{root}discussion/{}/{}{tail}", thread.id, thread.slug())
    },
    front: |scene| {
        let row = |board: &Board| {
            let thread = &board.threads[0];
            format!(
                "<li id=Category_{} class='Item Depth1 Category-{}'><div class='ItemContent Category'><div class=TitleWrap><a href='{}' class=Title>{}</a></div><div class=Meta><span class='MItem LastDiscussionTitle'><a href='{}'>{}</a></span><span class='MItem LastCommentDate'>{}</span></div></div></li>",
                board.id,
                board.slug(),
                scene.href(&(DISCUSSIONS.board_address)(scene.variant, board, 1)),
                board.name,
                scene.href(&(DISCUSSIONS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                discussion_time(scene, thread.last().at)
            )
        };
        let rows: String = scene.boards.iter().map(row).collect();
        discussion_page(scene, &format!("<h1>Categories</h1><ul class='DataList CategoryList'>{rows}</ul>"))
    },
    board: |scene, board, threads, around| {
        let row = |thread: &&Thread| {
            let last = thread.last();
            format!(
                "<li id=Discussion_{0} class='Item Read ItemDiscussion'><div class='ItemContent Discussion'><div class=Title><a href='{1}' class=Title>{2}</a></div><div class='Meta Meta-Discussion'><span class='MItem MCount ViewCount'>{3} views</span> <span class='MItem MCount CommentCount'>{4} comments</span> <span class='MItem LastCommentBy'>Most recent {5} <a href='{6}'>{7}</a></span> <span class='MItem LastCommentDate'>{8}</span> <span class='MItem Category'><a href='{9}'>{10}</a></span></div></div></li>",
                thread.id,
                scene.href(&(DISCUSSIONS.thread_address)(scene.variant, thread, 1)),
                thread.title,
                thread.id % 500,
                thread.posts.len(),
                scene.words().by,
                scene.href(&format!("profile/{}/{}", last.author + 2, last.name())),
                last.name(),
                discussion_time(scene, last.at),
                scene.href(&(DISCUSSIONS.board_address)(scene.variant, board, 1)),
                board.name
            )
        };
        let ad = "<li class='Item ItemAd'><div class=ItemContent><a href='http://ads.example/k'>Buy stones</a></div></li>";
        let rows = scene.with_ads(threads.iter().map(row).collect(), ad);
        let pager = discussion_pager(scene, around);
        discussion_page(
            scene,
            &format!(
                "<h1>{}</h1><div class=PageControls>{pager}</div><ul class='DataList Discussions'>{rows}</ul>{pager}",
                board.name
            ),
        )
    },
    thread: |scene, board, thread, posts, around| {
        let header = |post: &Post| {
            let own = if post.index == 0 {
                (DISCUSSIONS.thread_address)(scene.variant, thread, 1)
            } else {
                format!("discussion/comment/{0}#Comment_{0}", post.id)
            };
            format!(
                "<div class=AuthorWrap><span class=Author><a href='{0}' class=PhotoWrap><img></a><a href='{0}' class=Username>{1}</a></span></div><div class=Meta><span class='MItem DateCreated'><a href='{2}' class=Permalink rel=nofollow>{3}</a></span></div>",
                scene.href(&format!("profile/{}/{}", post.author + 2, post.name())),
                post.name(),
                scene.href(&own),
                discussion_time(scene, post.at)
            )
        };
        let opening = posts.iter().filter(|post| post.index == 0).map(|post| {
            format!("<div id=Discussion_{} class='Item ItemDiscussion'><div class=Discussion><div class='Item-Header DiscussionHeader'>{}</div><div class=Item-BodyWrap><div class=Message>{}</div></div></div></div>", thread.id, header(post), post.text)
        });
        let opening: String = opening.collect();
        let row = |post: &&Post| {
            format!(
                "<li class='Item ItemComment' id=Comment_{}><div class=Comment><div class='Item-Header CommentHeader'>{}</div><div class=Item-BodyWrap><div class=Message>{}</div></div></div></li>",
                post.id,
                header(post),
                post.text
            )
        };
        let ad = "<li class='Item ItemAd'><div class=Comment><a href='http://ads.example/l'>Buy stones</a></div></li>";
        let rows = scene.with_ads(posts.iter().filter(|post| post.index > 0).map(row).collect(), ad);
        let pager = discussion_pager(scene, around);
        let board_link = scene.href(&(DISCUSSIONS.board_address)(scene.variant, board, 1));
        discussion_page(
            scene,
            &format!(
                "<span class=Breadcrumbs><a href='{}'>Home</a> › <a href='{board_link}'>{}</a></span><h1>{}</h1>{opening}<div class=CommentsWrap>{pager}<h2>Comments</h2><ul class='MessageList DataList Comments'>{rows}</ul>{pager}</div>",
                scene.href("/"),
                board.name,
                thread.title
            ),
        )
    },
    has_exact_boards: true,
    has_exact_posts: true,
};

fn discussion_time(scene: &Scene<'_>, at: DateTime) -> String {
    let words = scene.words();
    format!(
        "<time title='{} {}, {} {}' datetime='{}+00:00'>{} {}</time>",
        words.month(at),
        at.day(),
        at.year(),
        at.strftime("%-I:%M%p"),
        at.strftime("%Y-%m-%dT%H:%M:%S"),
        words.month(at),
        at.year()
    )
}

fn discussion_pager(scene: &Scene<'_>, around: &Around<'_>) -> String {
    if around.page_count == 1 {
        return String::new();
    }
    let mut text = "<div class='Pager NumberedPager'>".to_owned();
    let _ = match around.previous() {
        Some(previous) => write!(text, "<a href='{}' class=Previous rel=prev>«</a>", scene.href(&previous)),
        None => write!(text, "<span class=Previous>«</span>"),
    };
    for number in around.window(1, 2) {
        let _ = match number {
            None => write!(text, "<span class=Ellipsis>…</span>"),
            Some(it) => write!(
                text,
                "<a href='{}' class='{} p-{it}'>{it}</a>",
                scene.href(&(around.address)(it)),
                if it == around.page { "Highlight" } else { "" }
            ),
        };
    }
    let _ = match around.next() {
        Some(next) => write!(text, "<a href='{}' class=Next rel=next>»</a>", scene.href(&next)),
        None => write!(text, "<span class=Next>»</span>"),
    };
    text + "</div>"
}

fn discussion_page(scene: &Scene<'_>, content: &str) -> String {
    let menu: String = ["discussions", "activity", "entry/signin"]
        .map(|it| format!("<li><a href='{}'>{it}</a></li>", scene.href(it)))
        .concat();
    format!(
        "<html><head><base href='http://unseen.test/'><title>x</title></head><body><div id=Frame><ul class=SiteMenu>{menu}</ul><div id=Content class=ContentColumn>{content}</div></div></body></html>"
    )
}
