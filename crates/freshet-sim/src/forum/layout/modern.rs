//! Articles with machine-readable times, as recent software writes them.

use jiff::civil::DateTime;

use super::super::site::{BoardRow, PostRow, ThreadRow};
use super::{Kind, Look, PageLink, author_link, board_link, link, moment, thread_link, words};

pub(super) struct Modern;

/// A time for machines, with a text for people.
fn shown(at: DateTime) -> String {
    format!("<time datetime=\"{}Z\">{}</time>", at.strftime("%Y-%m-%dT%H:%M:%S"), at.strftime("%b %-d, %Y"))
}

impl Look for Modern {
    fn board(&self, row: &BoardRow) -> String {
        format!(
            "<section class=\"category\"><h3>{}</h3><span class=\"count\">{}</span><div class=\"latest\">{}</div></section>\n",
            board_link(row),
            row.thread_count,
            shown(moment(row.last_s))
        )
    }

    fn thread(&self, row: &ThreadRow) -> String {
        format!(
            "<article class=\"topic\"><h2 class=\"topic-title\">{}</h2><div class=\"topic-by\">{}</div><span class=\"replies\">{}</span>\
             <div class=\"activity\">{}</div></article>\n",
            thread_link(row),
            author_link(row.author),
            row.post_count - 1,
            shown(moment(row.last_s))
        )
    }

    fn post(&self, row: &PostRow) -> String {
        format!(
            "<article class=\"message\" id=\"post-{}\"><header class=\"message-head\"><span class=\"username\">{}</span>\
             <a class=\"permalink\" href=\"#post-{}\">{}</a></header><div class=\"message-body\"><p>{}</p></div></article>\n",
            row.post,
            author_link(row.author),
            row.post,
            shown(moment(row.at_s)),
            words::text(row.post, row.is_edited).join("</p><p>")
        )
    }

    fn list(&self, kind: Kind, rows: &str) -> String {
        let class = match kind {
            Kind::Portal => "categories",
            Kind::Index => "topics",
            Kind::Posts => "stream",
        };
        format!("<main class=\"{class}\">\n{rows}</main>")
    }

    fn frame(&self, title: &str, way: &str, content: &str, _now: DateTime) -> String {
        format!(
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><header class=\"bar\">\
             <a href=\"/search\">Search</a><a href=\"/login\">Log in</a></header><nav class=\"crumbs\">{way}</nav>{content}\
             <footer>Read the <a href=\"/rules\">rules</a></footer></body></html>"
        )
    }

    fn pager(&self, links: &[PageLink]) -> String {
        let one = |it: &PageLink| match (it.address, it.text.as_str()) {
            (Some(address), "Next") => format!("<a rel=\"next\" href=\"{address}\">Next</a>"),
            (Some(address), "Previous") => format!("<a rel=\"prev\" href=\"{address}\">Previous</a>"),
            (Some(address), text) => link(&address.to_string(), text),
            (None, text) => format!("<span aria-current=\"page\">{text}</span>"),
        };
        let links: Vec<String> = links.iter().map(one).collect();
        format!("<nav class=\"pager\">{}</nav>", links.join(" "))
    }
}
