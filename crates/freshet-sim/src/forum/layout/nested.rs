//! Divisions in divisions and lists, twelve-hour clocks, times to the minute.

use jiff::civil::DateTime;

use super::super::site::{BoardRow, PostRow, ThreadRow};
use super::{Kind, Look, PageLink, author_link, board_link, link, moment, thread_link, words};

pub(super) struct Nested;

/// `Fri May 14, 2021 10:35 am`.
fn shown(at: DateTime) -> String {
    let half = if at.hour() < 12 { "am" } else { "pm" };
    format!("{} {half}", at.strftime("%a %b %d, %Y %-I:%M"))
}

impl Look for Nested {
    fn board(&self, row: &BoardRow) -> String {
        format!(
            "<li class=\"row\"><dl><dt><div class=\"inner\">{}</div></dt><dd class=\"topics\">{}</dd><dd class=\"lastpost\"><span>{}</span></dd></dl></li>\n",
            board_link(row),
            row.thread_count,
            shown(moment(row.last_s))
        )
    }

    fn thread(&self, row: &ThreadRow) -> String {
        format!(
            "<li class=\"row\"><dl><dt><div class=\"inner\">{}<br>by {} » {}</div></dt><dd class=\"replies\">{}</dd>\
             <dd class=\"lastpost\"><span>{}</span></dd></dl></li>\n",
            thread_link(row),
            author_link(row.author),
            shown(moment(row.started_s)),
            row.post_count - 1,
            shown(moment(row.last_s))
        )
    }

    fn post(&self, row: &PostRow) -> String {
        let joined = shown(moment(i64::from(row.author) * 50_000 + 1_000_000_000));
        format!(
            "<div id=\"p{}\" class=\"post\"><div class=\"profile\"><div class=\"name\">{}</div><div class=\"joined\"><b>Joined:</b> {joined}</div></div>\
             <div class=\"postbody\"><div class=\"head\">{} by {} » <span class=\"when\">{}</span></div><div class=\"content\"><p>{}</p></div></div></div>\n",
            row.post,
            author_link(row.author),
            link(&format!("#p{}", row.post), "Re:"),
            words::author(row.author),
            shown(moment(row.at_s)),
            words::text(row.post, row.is_edited).join("</p><p>")
        )
    }

    fn list(&self, kind: Kind, rows: &str) -> String {
        match kind {
            Kind::Portal => format!("<ul class=\"forums\">\n{rows}</ul>"),
            Kind::Index => format!("<div class=\"bg\"><ul class=\"topiclist\">\n{rows}</ul></div>"),
            Kind::Posts => format!("<div class=\"posts\">\n{rows}</div>"),
        }
    }

    fn frame(&self, title: &str, way: &str, content: &str, now: DateTime) -> String {
        format!(
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><div id=\"wrap\"><ul class=\"nav\">\
             <li><a href=\"/search\">Search</a></li><li><a href=\"/register\">Register</a></li></ul><div class=\"crumbs\">{way}</div>\
             <div id=\"body\">{content}</div><div class=\"footer\">It is currently {} · All times are UTC</div></div></body></html>",
            shown(now)
        )
    }

    fn pager(&self, links: &[PageLink]) -> String {
        let one = |it: &PageLink| match it.address {
            Some(address) => format!("<li>{}</li>", link(&address.to_string(), &it.text)),
            None => format!("<li class=\"active\"><span>{}</span></li>", it.text),
        };
        let links: String = links.iter().map(one).collect();
        format!("<div class=\"pagination\"><ul>{links}</ul></div>")
    }
}
