//! Layouts of tables and numbered replies, as forums had them for twenty years.

use super::style::{Style, numbers};

/// Rows of plain tables without a single class, two rows a post, dates of the United States, join dates beside every post.
pub(super) fn bare_tables() -> Style {
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
pub(super) fn numbered_replies() -> Style {
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
