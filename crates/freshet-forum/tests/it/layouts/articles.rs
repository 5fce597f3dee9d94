//! Layouts of articles, of boards that show titles only, and of questions apart from their answers.

use super::style::{Style, numbers, slug};

/// Articles with machine times, the next page said in the head, titles in addresses.
pub(super) fn articles() -> Style {
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

/// Boards that show titles only, as some do for readers without scripts; relative times would need a fetch time.
pub(super) fn titles_only() -> Style {
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

/// A question that stands apart from its answers, on every page.
pub(super) fn questions() -> Style {
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
