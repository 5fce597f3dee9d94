//! Tables in tables, times in words.

use jiff::civil::DateTime;

use super::super::site::{BoardRow, PostRow, ThreadRow};
use super::{Kind, Look, PageLink, author_link, board_link, link, moment, thread_link, words};

pub(super) struct Classic;

/// `14 May 2021, 10:35:20`.
fn shown(at: DateTime) -> String {
    at.strftime("%d %b %Y, %H:%M:%S").to_string()
}

impl Look for Classic {
    fn board(&self, row: &BoardRow) -> String {
        format!(
            "<tr><td class=\"row1\">{}</td><td class=\"row2\">{}</td><td class=\"row2\">{}</td><td class=\"row1\">{}</td></tr>\n",
            board_link(row),
            row.thread_count,
            row.post_count,
            shown(moment(row.last_s))
        )
    }

    fn thread(&self, row: &ThreadRow) -> String {
        format!(
            "<tr><td class=\"row1\"><span class=\"topictitle\">{}</span></td><td class=\"row2\">{}</td><td class=\"row2\">{}</td>\
             <td class=\"row1\"><span class=\"postdetails\">{}</span></td></tr>\n",
            thread_link(row),
            author_link(row.author),
            row.post_count - 1,
            shown(moment(row.last_s))
        )
    }

    fn post(&self, row: &PostRow) -> String {
        let joined = moment(i64::from(row.author) * 50_000 + 1_000_000_000).strftime("%d %b %Y").to_string();
        format!(
            "<tr><td class=\"author\"><a name=\"p{}\"></a><b>{}</b><br><span class=\"joined\">Joined: {joined}</span></td>\
             <td class=\"body\"><table><tr><td class=\"details\">Posted: {} {}</td></tr><tr><td class=\"text\"><p>{}</p></td></tr></table></td></tr>\n",
            row.post,
            author_link(row.author),
            shown(moment(row.at_s)),
            link(&format!("#p{}", row.post), &format!("#{}", row.post)),
            words::text(row.post, row.is_edited).join("</p><p>")
        )
    }

    fn list(&self, kind: Kind, rows: &str) -> String {
        let (class, head) = match kind {
            Kind::Portal => {
                ("boards", "<tr><th>Board</th><th>Topics</th><th>Posts</th><th>Last post</th></tr>")
            }
            Kind::Index => {
                ("topics", "<tr><th>Topic</th><th>Author</th><th>Replies</th><th>Last post</th></tr>")
            }
            Kind::Posts => ("posts", "<tr><th>Author</th><th>Message</th></tr>"),
        };
        format!("<table class=\"{class}\" width=\"100%\">{head}\n{rows}</table>")
    }

    fn frame(&self, title: &str, way: &str, content: &str, now: DateTime) -> String {
        format!(
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><table class=\"menu\"><tr><td>\
             <a href=\"/search\">Search</a></td><td><a href=\"/login\">Log in</a></td></tr></table><div class=\"way\">{way}</div>{content}\
             <p class=\"small\">All times are UTC. It is now {}</p></body></html>",
            shown(now)
        )
    }

    fn pager(&self, links: &[PageLink]) -> String {
        let one = |it: &PageLink| match it.address {
            Some(address) => link(&address.to_string(), &it.text),
            None => format!("<b>{}</b>", it.text),
        };
        let links: Vec<String> = links.iter().map(one).collect();
        format!("<div class=\"pages\">Go to page {}</div>", links.join(", "))
    }
}
