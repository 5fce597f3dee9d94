//! Entities as Mastodon shapes them: accounts, posts, tags, mentions.
//!
//! All fields that the real ones have are present, so that a reader which works here works
//! there. Times have milliseconds, an account's birthday is cut to midnight, ids are texts.

use std::fmt::{self, Display, Write};

use freshet_types::Map;

use super::json::{Object, push_list};
use super::percent_encoded;
use crate::World;
use crate::world::{Account, DAY_MS, HOUR_MS, Relation, Standing, text};

/// Writes entities for one answer; the same account is worked out only once.
pub(super) struct Face<'a> {
    world: &'a World,
    base: String,
    accounts: Map<u32, String>,
}

impl<'a> Face<'a> {
    pub(super) fn new(world: &'a World, base: &str) -> Self {
        Self { world, base: base.to_owned(), accounts: Map::default() }
    }

    /// An account entity.
    pub(super) fn account(&mut self, out: &mut String, index: u32) {
        if !self.accounts.contains_key(&index) {
            let mut text = String::with_capacity(1024);
            self.write_account(&mut text, index);
            self.accounts.insert(index, text);
        }
        out.push_str(&self.accounts[&index]);
    }

    fn write_account(&self, out: &mut String, index: u32) {
        let account = &self.world.accounts[index as usize];
        let key = text::mix(self.world.options.seed, account.id);
        let (base, handle) = (&self.base, &account.handle);
        let is_suspended = account.standing == Standing::Suspended;
        let name = if is_suspended { String::new() } else { text::display_name(handle, key) };
        let last_ms =
            account.timeline.last().map(|post_index| self.world.posts.get(*post_index).created_at_ms());
        let counted = |count: usize| if is_suspended { 0 } else { count };
        let picture = if is_suspended { "missing" } else { handle };
        let mut object = Object::open(out);
        object
            .quoted("id", account.id)
            .quoted("username", handle)
            .quoted("acct", handle)
            .text("display_name", &name)
            .value("locked", account.standing == Standing::Private)
            .value("bot", !is_suspended && key.is_multiple_of(16))
            .value("discoverable", !is_suspended)
            .value("indexable", !is_suspended)
            .value("group", false)
            .quoted("created_at", Millis(account.joined_ms.div_euclid(DAY_MS) * DAY_MS))
            .text("note", &if is_suspended { String::new() } else { note(account, key) })
            .quoted("url", format_args!("{base}/@{handle}"))
            .quoted("uri", format_args!("{base}/users/{handle}"))
            .quoted("avatar", format_args!("{base}/avatars/{picture}.png"))
            .quoted("avatar_static", format_args!("{base}/avatars/{picture}.png"))
            .quoted("header", format_args!("{base}/headers/{picture}.png"))
            .quoted("header_static", format_args!("{base}/headers/{picture}.png"))
            .value("followers_count", counted(account.followers.len()))
            .value("following_count", counted(account.following.len()))
            .value("statuses_count", counted(account.post_count as usize))
            .maybe("last_status_at", last_ms.filter(|_| !is_suspended).map(Day))
            .value("hide_collections", false)
            .value("noindex", false);
        if is_suspended {
            object.value("suspended", true);
        }
        object.value("emojis", "[]").value("roles", "[]");
        object.nest("fields", |out| {
            let is_shown = !is_suspended && key.is_multiple_of(3);
            push_list(out, is_shown.then_some(()), |out, ()| {
                let mut field = Object::open(out);
                field.text("name", "Site").text("value", &format!("https://{handle}.example"));
                field.value("verified_at", "null").close();
            });
        });
        object.close();
    }

    /// A post entity, with the post inside where it is a repost.
    pub(super) fn post(&mut self, out: &mut String, post_index: u32) {
        let world = self.world;
        let post = world.posts.get(post_index);
        let original = match post.relation() {
            Relation::RepostOf(original) => original,
            _ => post_index,
        };
        let is_repost = original != post_index;
        let shown = world.posts.get(original);
        let account = &world.accounts[post.author as usize];
        let writer = &world.accounts[shown.author as usize];
        let reply = self.reply_to(post_index);
        let (base, handle, id) = (self.base.clone(), &account.handle, post.id);
        let mut object = Object::open(out);
        object
            .quoted("id", id)
            .quoted("created_at", Millis(post.created_at_ms()))
            .maybe("in_reply_to_id", reply.map(|(parent, _)| parent))
            .maybe("in_reply_to_account_id", reply.map(|(_, author)| author))
            .value("sensitive", false)
            .text("spoiler_text", "")
            .quoted("visibility", "public")
            .quoted("language", text::language(writer.language));
        if is_repost {
            object.quoted("uri", format_args!("{base}/users/{handle}/statuses/{id}/activity"));
            object.quoted("url", format_args!("{base}/users/{handle}/statuses/{id}/activity"));
        } else {
            object.quoted("uri", format_args!("{base}/users/{handle}/statuses/{id}"));
            object.quoted("url", format_args!("{base}/@{handle}/{id}"));
        }
        object
            .value("replies_count", if is_repost { 0 } else { shown.reply_count })
            .value("reblogs_count", if is_repost { 0 } else { shown.repost_count })
            .value("favourites_count", self.favourite_count(post_index))
            .value("quotes_count", 0)
            .maybe("edited_at", world.posts.edits(original).last().copied().map(Millis))
            .text("content", &self.content(original, world.posts.edits(original).len()))
            .nest("reblog", |out| if is_repost { self.post(out, original) } else { out.push_str("null") })
            .value("application", "null")
            .nest("account", |out| self.account(out, post.author))
            .value("media_attachments", "[]")
            .nest("mentions", |out| self.mentions(out, original))
            .nest("tags", |out| {
                push_list(out, self.tags(original), |out, tag| self.tag(out, tag));
            })
            .value("emojis", "[]")
            .value("card", "null")
            .value("poll", "null")
            .value("quote", "null")
            .close();
    }

    /// One version of a post, as its edit history shows it.
    pub(super) fn version(&mut self, out: &mut String, post_index: u32, edit_count: usize) {
        let post = self.world.posts.get(post_index);
        let edits = self.world.posts.edits(post_index);
        let at_ms = edit_count.checked_sub(1).map_or(post.created_at_ms(), |edit| edits[edit]);
        let author = post.author;
        Object::open(out)
            .text("content", &self.content(post_index, edit_count))
            .text("spoiler_text", "")
            .value("sensitive", false)
            .quoted("created_at", Millis(at_ms))
            .nest("account", |out| self.account(out, author))
            .value("media_attachments", "[]")
            .value("emojis", "[]")
            .close();
    }

    /// A tag as posts show it.
    pub(super) fn tag(&self, out: &mut String, tag: u8) {
        let (base, name) = (&self.base, text::tag_name(tag));
        let page = percent_encoded(name);
        Object::open(out).text("name", name).quoted("url", format_args!("{base}/tags/{page}")).close();
    }

    /// The tags a post bears.
    pub(super) fn tags(&self, post_index: u32) -> impl Iterator<Item = u8> + use<> {
        let author = &self.world.accounts[self.world.posts.get(post_index).author as usize];
        text::tags(self.key(post_index), author.tags)
    }

    /// The text of a post in HTML, after so many edits.
    pub(super) fn content(&self, post_index: u32, edit_count: usize) -> String {
        let world = self.world;
        let author = &world.accounts[world.posts.get(post_index).author as usize];
        let mut html = String::with_capacity(256);
        html.push_str("<p>");
        if let Some(mentioned) = self.mentioned(post_index) {
            let (base, handle) = (&self.base, &world.accounts[mentioned as usize].handle);
            write!(
                html,
                "<span class=\"h-card\"><a href=\"{base}/@{handle}\" class=\"u-url mention\">@<span>{handle}</span></a></span> "
            )
            .expect("memory takes every text");
        }
        text::push_html(&mut html, &text::words(self.key(post_index), author.language, edit_count));
        for tag in self.tags(post_index) {
            let (base, name) = (&self.base, text::tag_name(tag));
            let page = percent_encoded(name);
            write!(
                html,
                " <a href=\"{base}/tags/{page}\" class=\"mention hashtag\" rel=\"tag\">#<span>{name}</span></a>"
            )
            .expect("memory takes every text");
        }
        html.push_str("</p>");
        html
    }

    fn mentions(&self, out: &mut String, post_index: u32) {
        push_list(out, self.mentioned(post_index), |out, index| {
            let account = &self.world.accounts[index as usize];
            let (base, handle) = (&self.base, &account.handle);
            Object::open(out)
                .quoted("id", account.id)
                .quoted("username", handle)
                .quoted("url", format_args!("{base}/@{handle}"))
                .quoted("acct", handle)
                .close();
        });
    }

    /// Whom a post mentions: the author of what it answers, unless that is the same person.
    fn mentioned(&self, post_index: u32) -> Option<u32> {
        let post = self.world.posts.get(post_index);
        match post.relation() {
            Relation::ReplyTo(parent) => {
                Some(self.world.posts.get(parent).author).filter(|author| *author != post.author)
            }
            _ => None,
        }
    }

    /// Ids of what a post answers and of its author; none where that was deleted, as Mastodon forgets it.
    fn reply_to(&self, post_index: u32) -> Option<(u64, u64)> {
        match self.world.posts.get(post_index).relation() {
            Relation::ReplyTo(parent) => {
                let parent = Some(self.world.posts.get(parent)).filter(|parent| !parent.is_deleted())?;
                Some((parent.id, self.world.accounts[parent.author as usize].id))
            }
            _ => None,
        }
    }

    /// Grows over the first day, with the author's audience.
    pub(super) fn favourite_count(&self, post_index: u32) -> u64 {
        let post = self.world.posts.get(post_index);
        // What is liked of a repost is the original.
        if matches!(post.relation(), Relation::RepostOf(_)) {
            return 0;
        }
        let audience = self.world.accounts[post.author as usize].followers.len() as u64;
        let hours = (self.world.now().ms() - post.created_at_ms()).clamp(0, DAY_MS) / HOUR_MS;
        (self.key(post_index) >> 40) % 64 * (audience.min(1000) + 4) * hours as u64 / (24 * 256)
    }

    /// In which order those who follow the author come to like the post.
    pub(super) fn fondness(&self, post_index: u32, fan: u32) -> u64 {
        text::mix(self.key(post_index), u64::from(fan))
    }

    pub(super) fn key(&self, post_index: u32) -> u64 {
        text::mix(self.world.options.seed, u64::from(post_index))
    }
}

fn note(account: &Account, key: u64) -> String {
    let mut html = String::from("<p>");
    text::push_html(&mut html, &text::words(!key, account.language, 0));
    html.push_str("</p>");
    html
}

/// An instant with milliseconds, as posts show it.
struct Millis(i64);

impl Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::MAX);
        write!(f, "{instant:.3}")
    }
}

/// The date of an instant.
pub(super) struct Day(pub(super) i64);

impl Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::MAX);
        write!(f, "{}", instant.to_zoned(jiff::tz::TimeZone::UTC).date())
    }
}
