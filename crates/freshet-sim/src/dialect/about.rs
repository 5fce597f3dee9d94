//! What a server says about itself, and its pages for people.
//!
//! The pages are small and valid; nobody is meant to mine them, but links to them must work.

use std::fmt::Write;

use serde_json::json;

use super::accounts::find_acct;
use super::{Ask, Reply};
use crate::world::{Relation, Standing, text};

/// The release whose behaviour is shown.
const VERSION: &str = "4.5.0";
/// Posts on a profile page.
const PAGE_POSTS_MAX: usize = 20;

pub(super) fn instance(ask: &Ask<'_>) -> Reply {
    let (base, host) = (&ask.base, ask.host());
    Reply::json(
        json!({
            "domain": host,
            "title": "A simulated world",
            "version": VERSION,
            "source_url": base,
            "description": "Nobody here is real.",
            "usage": {"users": {"active_month": active_count(ask)}},
            "thumbnail": {"url": format!("{base}/thumbnail.png")},
            "icon": [],
            "languages": ["en"],
            "configuration": {
                "urls": {"streaming": null},
                "accounts": {"max_featured_tags": 10, "max_pinned_statuses": 5},
                "statuses": {"max_characters": 500, "max_media_attachments": 4, "characters_reserved_per_url": 23},
                "timelines_access": {
                    "live_feeds": {"local": "public", "remote": "public"},
                    "hashtag_feeds": {"local": "public", "remote": "public"}
                }
            },
            "registrations": {"enabled": false, "approval_required": false, "message": null},
            "api_versions": {"mastodon": 7},
            "contact": {"email": format!("admin@{host}"), "account": null},
            "rules": []
        })
        .to_string(),
    )
}

pub(super) fn instance_v1(ask: &Ask<'_>) -> Reply {
    let (base, host) = (&ask.base, ask.host());
    Reply::json(
        json!({
            "uri": host,
            "title": "A simulated world",
            "short_description": "Nobody here is real.",
            "description": "Nobody here is real.",
            "email": format!("admin@{host}"),
            "version": VERSION,
            "urls": {},
            "stats": {
                "user_count": ask.world.accounts.len(),
                "status_count": ask.world.post_count(),
                "domain_count": 1
            },
            "thumbnail": format!("{base}/thumbnail.png"),
            "languages": ["en"],
            "registrations": false,
            "approval_required": false,
            "invites_enabled": false,
            "contact_account": null,
            "rules": []
        })
        .to_string(),
    )
}

pub(super) fn node_links(ask: &Ask<'_>) -> Reply {
    let href = format!("{}/nodeinfo/2.0", ask.base);
    let rel = "http://nodeinfo.diaspora.software/ns/schema/2.0";
    Reply::json(json!({"links": [{"rel": rel, "href": href}]}).to_string())
}

pub(super) fn node_info(ask: &Ask<'_>) -> Reply {
    Reply::json(
        json!({
            "version": "2.0",
            "software": {"name": "mastodon", "version": VERSION},
            "protocols": ["activitypub"],
            "services": {"outbound": [], "inbound": []},
            "usage": {
                "users": {"total": ask.world.accounts.len(), "activeMonth": active_count(ask)},
                "localPosts": ask.world.post_count()
            },
            "openRegistrations": false,
            "metadata": {}
        })
        .to_string(),
    )
}

pub(super) fn exclusion() -> Reply {
    let body =
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /media_proxy/\nDisallow: /interact/\n";
    Reply { content_type: "text/plain; charset=utf-8", ..Reply::json(body.to_owned()) }
}

pub(super) fn front_page(ask: &Ask<'_>) -> Reply {
    let count = ask.world.accounts.len();
    page(200, "A simulated world", &format!("<p>{count} accounts; none of them is real.</p>"))
}

pub(super) fn profile_page(ask: &Ask<'_>, acct: &str) -> Reply {
    let Some(index) = find_acct(ask, acct) else { return missing_page() };
    let world = ask.world;
    let account = &world.accounts[index as usize];
    match account.standing {
        Standing::Suspended => return page(410, "This account was suspended", ""),
        Standing::Private => return page(200, &account.handle, "<p>This account is private.</p>"),
        Standing::Public | Standing::Departed => {}
    }
    let face = ask.face();
    let mut body = String::new();
    let visible = account.timeline.iter().rev().filter(|post_index| world.is_visible(**post_index));
    for post_index in visible.take(PAGE_POSTS_MAX) {
        let (id, handle) = (world.posts.get(*post_index).id, &account.handle);
        let shown = original(ask, *post_index);
        let content = face.content(shown, world.posts.edits(shown).len());
        writeln!(body, "<article id=\"{id}\"><a href=\"/@{handle}/{id}\">{id}</a>{content}</article>")
            .expect("memory takes every text");
    }
    page(200, &format!("@{}", account.handle), &body)
}

pub(super) fn post_page(ask: &Ask<'_>, id: &str) -> Reply {
    let world = ask.world;
    let found = id.parse().ok().and_then(|id| world.posts.find(id));
    let Some(post_index) = found.filter(|post_index| world.is_visible(*post_index)) else {
        return missing_page();
    };
    let shown = original(ask, post_index);
    let handle = &world.accounts[world.posts.get(post_index).author as usize].handle;
    page(200, &format!("@{handle}"), &ask.face().content(shown, world.posts.edits(shown).len()))
}

pub(super) fn missing_page() -> Reply {
    page(404, "There is nothing here", "")
}

fn original(ask: &Ask<'_>, post_index: u32) -> u32 {
    match ask.world.posts.get(post_index).relation() {
        Relation::RepostOf(original) => original,
        _ => post_index,
    }
}

fn active_count(ask: &Ask<'_>) -> usize {
    ask.world.accounts.iter().filter(|account| account.standing == Standing::Public).count()
}

fn page(status: u16, title: &str, body: &str) -> Reply {
    let mut head = String::new();
    text::push_html(&mut head, title);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{head}</title></head>\n\
         <body><h1>{head}</h1>\n{body}</body></html>\n"
    );
    Reply::html(status, html)
}
