//! What a programmer would write for Mastodon alone: `serde` reads a page into structs made for it, and those become posts and accounts.
//!
//! The twin of the shipped definition for `mapping`: the same fields, the same states, the same pointers into other networks, so that
//! both sides do the same work; the benchmark compares what they give before it takes the time. It looks for the rare (`youtube`,
//! `href`, a mark of opting out) with a plain search first, as a programmer would who minds speed. Not here: complaints, since
//! the pages have nothing to complain about.

use std::sync::Arc;

use anyhow::Context as _;
use freshet_types::{Account, AccountState, Observation, Post, PostKind, Primitive, Set, Timestamp};
use serde::Deserialize;

#[derive(Deserialize)]
struct Status {
    id: String,
    created_at: String,
    edited_at: Option<String>,
    content: String,
    url: Option<String>,
    uri: Option<String>,
    in_reply_to_id: Option<String>,
    reblog: Option<Box<Self>>,
    language: Option<String>,
    #[serde(default)]
    tags: Vec<TagName>,
    spoiler_text: Option<String>,
    visibility: Option<String>,
    sensitive: Option<bool>,
    replies_count: Option<i64>,
    reblogs_count: Option<i64>,
    favourites_count: Option<i64>,
    quotes_count: Option<i64>,
    card: Option<Card>,
    #[serde(default)]
    media_attachments: Vec<Attachment>,
    account: Profile,
}

#[derive(Deserialize)]
struct Attachment {
    url: Option<String>,
}

#[derive(Deserialize)]
struct TagName {
    name: String,
}

#[derive(Deserialize)]
struct Card {
    url: Option<String>,
}

#[derive(Deserialize)]
struct Profile {
    id: String,
    acct: String,
    display_name: Option<String>,
    note: Option<String>,
    url: Option<String>,
    uri: Option<String>,
    created_at: Option<String>,
    followers_count: Option<i64>,
    following_count: Option<i64>,
    statuses_count: Option<i64>,
    avatar: Option<String>,
    bot: Option<bool>,
    locked: Option<bool>,
    limited: Option<bool>,
    suspended: Option<bool>,
    noindex: Option<bool>,
    last_status_at: Option<String>,
}

/// Names of values, made once.
pub(crate) struct ByHand {
    warning: Arc<str>,
    visibility: Arc<str>,
    is_sensitive: Arc<str>,
    reply_count: Arc<str>,
    repost_count: Arc<str>,
    like_count: Arc<str>,
    quote_count: Arc<str>,
    card_url: Arc<str>,
    media_urls: Arc<str>,
    avatar: Arc<str>,
    is_bot: Arc<str>,
    is_locked: Arc<str>,
    is_limited: Arc<str>,
    last_post_at: Arc<str>,
    videos: Arc<str>,
    account_links: [Arc<str>; 3],
}

impl ByHand {
    pub(crate) fn new() -> Self {
        Self {
            warning: "warning".into(),
            visibility: "visibility".into(),
            is_sensitive: "is_sensitive".into(),
            reply_count: "reply_count".into(),
            repost_count: "repost_count".into(),
            like_count: "like_count".into(),
            quote_count: "quote_count".into(),
            card_url: "card_url".into(),
            media_urls: "media_urls".into(),
            avatar: "avatar".into(),
            is_bot: "is_bot".into(),
            is_locked: "is_locked".into(),
            is_limited: "is_limited".into(),
            last_post_at: "last_post_at".into(),
            videos: "videos".into(),
            account_links: ["verified_links", "channels", "mirror"].map(Arc::from),
        }
    }

    /// What the page shows.
    pub(crate) fn read(&self, body: &[u8]) -> anyhow::Result<Observation> {
        let statuses: Vec<Status> = serde_json::from_slice(body)?;
        let mut seen = Observation::default();
        let mut known = Set::default();
        for status in statuses {
            self.status(status, false, &mut seen, &mut known)?;
        }
        Ok(seen)
    }

    fn status(
        &self,
        mut status: Status,
        is_embedded: bool,
        seen: &mut Observation,
        known: &mut Set<String>,
    ) -> anyhow::Result<()> {
        anyhow::ensure!(!status.content.contains("youtu"), "the pages share no videos");
        let original = status.reblog.take();
        let mut plinks = Vec::with_capacity(8);
        let mut add = |name: &Arc<str>, value: Option<Primitive>| {
            plinks.extend(value.map(|value| (Arc::clone(name), value)));
        };
        add(&self.card_url, text(status.card.and_then(|card| card.url)));
        add(&self.is_sensitive, status.sensitive.map(Primitive::Bool));
        add(&self.like_count, status.favourites_count.map(Primitive::Int));
        let media: Vec<String> = status.media_attachments.into_iter().filter_map(|it| it.url).collect();
        add(&self.media_urls, Some(Primitive::Text(media.join("\n"))));
        add(&self.quote_count, status.quotes_count.map(Primitive::Int));
        add(&self.reply_count, status.replies_count.map(Primitive::Int));
        add(&self.repost_count, status.reblogs_count.map(Primitive::Int));
        add(&self.visibility, text(status.visibility));
        add(&self.warning, text(status.spoiler_text));
        seen.posts.push(Post {
            id: status.id,
            kind: PostKind::from("post"),
            author: Some(status.account.id.clone()),
            created_at: Some(instant(&status.created_at)?),
            edited_at: status.edited_at.as_deref().map(instant).transpose()?,
            text: status.content,
            url: status.url,
            uri: status.uri,
            reply_to: status.in_reply_to_id,
            repost_of: original.as_ref().map(|post| post.id.clone()),
            lang: status.language,
            tags: status.tags.into_iter().map(|tag| tag.name).collect(),
            is_embedded,
            plinks,
            slinks_seen: vec![Arc::clone(&self.videos)],
            ..Post::default()
        });
        if known.insert(status.account.id.clone()) {
            seen.accounts.push(self.account(status.account)?);
        }
        match original {
            Some(original) => self.status(*original, true, seen, known),
            None => Ok(()),
        }
    }

    fn account(&self, profile: Profile) -> anyhow::Result<Account> {
        let note = profile.note.as_deref().unwrap_or_default();
        anyhow::ensure!(!note.contains('#') && !note.contains("href"), "the pages have no notes");
        let state = match (profile.suspended, profile.locked) {
            (Some(true), _) => AccountState::Suspended,
            (_, Some(true)) => AccountState::Private,
            _ => AccountState::Active,
        };
        let mut plinks = Vec::with_capacity(5);
        let mut add = |name: &Arc<str>, value: Option<Primitive>| {
            plinks.extend(value.map(|value| (Arc::clone(name), value)));
        };
        add(&self.avatar, text(profile.avatar));
        add(&self.is_bot, profile.bot.map(Primitive::Bool));
        add(&self.is_locked, profile.locked.map(Primitive::Bool));
        add(&self.is_limited, profile.limited.map(Primitive::Bool));
        add(&self.last_post_at, text(profile.last_status_at));
        Ok(Account {
            id: profile.id,
            handle: Some(profile.acct),
            name: profile.display_name,
            bio: profile.note.filter(|note| !note.is_empty()),
            url: profile.url,
            uri: profile.uri,
            created_at: profile.created_at.as_deref().map(instant).transpose()?,
            followers_count: profile.followers_count,
            following_count: profile.following_count,
            posts_count: profile.statuses_count,
            state,
            opts_out: profile.noindex == Some(true),
            plinks,
            slinks_seen: self.account_links.to_vec(),
            ..Account::default()
        })
    }
}

/// Empty texts say nothing.
fn text(value: Option<String>) -> Option<Primitive> {
    value.filter(|text| !text.is_empty()).map(Primitive::Text)
}

fn instant(text: &str) -> anyhow::Result<Timestamp> {
    let at: jiff::Timestamp = text.parse().with_context(|| format!("`{text}` is no time"))?;
    Ok(Timestamp::from_ms(at.as_millisecond()))
}
