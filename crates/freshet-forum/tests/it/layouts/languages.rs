//! Layouts in German, Japanese and Russian: words, orders of day and month, and what else comes with them.

use jiff::civil::DateTime;

use super::style::{Style, numbers, slug};

/// German, day before month, pages in the path.
pub(super) fn german() -> Style {
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
pub(super) fn japanese() -> Style {
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

fn russian_time(at: DateTime) -> String {
    let months = ["янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"];
    let month = months[at.month() as usize - 1];
    format!("{} {month} {}, {:02}:{:02}", at.day(), at.year(), at.hour(), at.minute())
}

/// Russian, a board inside the board above its threads, numbers of pages beside titles, edits in the text.
pub(super) fn russian() -> Style {
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
