//! What one page showed, flat and typed: the bulk currency between read, compare and apply.
//!
//! Ids are the network's own; the network is the visit's. Everything a definition maps beyond
//! the named fields travels in `plinks`. One malformed record never costs the page: it becomes
//! a [`Complaint`](crate::Complaint).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CrossLink, PostKind, Primitive, RobotKind, Span, Timestamp};

/// Everything one page showed, in document order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Posts, the ones that another post contains (originals of reposts) included.
    pub posts: Vec<Post>,
    /// Accounts: authors of posts, members of lists, the profile itself.
    pub accounts: Vec<Account>,
    /// Who follows whom.
    pub relations: Vec<Relation>,
    /// Tags of accounts.
    pub tags: Vec<Tag>,
    /// Lists that the page leads to.
    pub leads: Vec<Lead>,
    /// Objects of all other types.
    pub things: Vec<Thing>,
    /// Links within the network that no field of the above tells.
    pub links: Vec<Link>,
}

impl Observation {
    /// Adds what another page or message showed. Of an object that is shown twice the later form is stored, as of two pages.
    pub fn append(&mut self, more: Self) {
        // What is added to nothing is taken as it is: a frame of a stream has one message nearly always.
        if *self == Self::default() {
            *self = more;
            return;
        }
        let Self { posts, accounts, relations, tags, leads, things, links } = more;
        self.posts.extend(posts);
        self.accounts.extend(accounts);
        self.relations.extend(relations);
        self.tags.extend(tags);
        self.leads.extend(leads);
        self.things.extend(things);
        self.links.extend(links);
    }
}

/// A list that a page leads to: a board of a forum, a thread of a board. It becomes a source, and
/// one that is known is due when the page shows that something happened there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The endpoint through which it is read.
    pub endpoint: Arc<str>,
    /// The robot that the endpoint works for.
    pub robot: RobotKind,
    /// Type of the root object.
    pub root_kind: Arc<str>,
    /// Id of the root object.
    pub root_id: String,
    /// What the page calls it, as [`crate::list::clean_title`] leaves it.
    pub title: Option<String>,
    /// When something last happened in it, as the page shows; not before this.
    pub active_at: Option<Timestamp>,
    /// How coarsely that is written: it happened less than this after `active_at`.
    pub grain: Span,
}

impl Lead {
    /// When the list is worth a visit because of what the page shows, where `newest_at` is its newest
    /// post that is known and `visited_at` its last visit; `None`: nothing happened in it.
    ///
    /// A time to the minute may hide a post of the same minute from a visit in that minute: then one
    /// more visit is due when the minute is over.
    pub fn due_at(
        &self,
        newest_at: Option<Timestamp>,
        visited_at: Timestamp,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let (from, until) = (self.active_at?, self.active_at? + self.grain);
        match newest_at {
            None => (visited_at < until).then_some(now),
            Some(newest_at) if from > newest_at => Some(now),
            Some(newest_at) => (until > newest_at && visited_at < until).then_some(until.max(now)),
        }
    }
}

/// Anything authored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Post {
    /// The network's id.
    pub id: String,
    /// Object type: `post`, `comment`, or what the definition calls it.
    pub kind: PostKind,
    /// Id of the author's account.
    pub author: Option<String>,
    /// When it was posted, as the network says.
    pub created_at: Option<Timestamp>,
    /// When it was last edited.
    pub edited_at: Option<Timestamp>,
    /// That it was edited then is a claim that holds beside another text only: feeds renew the time of a post that says the same as before.
    pub is_edit_claimed: bool,
    /// The text as the network gives it (it may be HTML).
    pub text: String,
    /// Where people read it.
    pub url: Option<String>,
    /// The id that is the same on every server that has a copy.
    pub uri: Option<String>,
    /// Id of the post it replies to.
    pub reply_to: Option<String>,
    /// Id of the first post of the thread.
    pub root: Option<String>,
    /// Id of the post it repeats.
    pub repost_of: Option<String>,
    /// Id of the post it quotes.
    pub quote_of: Option<String>,
    pub lang: Option<String>,
    /// Tags without their hash sign.
    pub tags: Vec<String>,
    /// The network marks it as deleted.
    pub is_deleted: bool,
    /// It stands inside another post (the original of a repost): stored, but no member of the list.
    pub is_embedded: bool,
    /// All other values, by association name.
    pub plinks: Vec<(Arc<str>, Primitive)>,
    /// Links into other networks.
    pub slinks: Vec<CrossLink>,
    /// Names of the links across that this look shows where they are: one of them that is not in `slinks` is no more.
    pub slinks_seen: Vec<Arc<str>>,
}

/// The state a network reports of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    #[default]
    Active,
    /// Suspended by the network.
    Suspended,
    /// Its posts are for approved followers only.
    Private,
    /// It lives elsewhere now.
    Moved,
    /// It no longer exists.
    Gone,
}

impl AccountState {
    /// The name in exports, in the model and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Private => "private",
            Self::Moved => "moved",
            Self::Gone => "gone",
        }
    }

    /// All states, for reading them back.
    pub const ALL: [Self; 5] = [Self::Active, Self::Suspended, Self::Private, Self::Moved, Self::Gone];
}

/// The user object of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The network's id.
    pub id: String,
    /// What people type to name it.
    pub handle: Option<String>,
    pub name: Option<String>,
    /// Self-description as the network gives it.
    pub bio: Option<String>,
    /// Where people look at it.
    pub url: Option<String>,
    /// The id that is the same on every server that knows it.
    pub uri: Option<String>,
    /// Location as the account states it.
    pub location: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// How many follow it.
    pub followers_count: Option<i64>,
    /// How many it follows.
    pub following_count: Option<i64>,
    /// How many posts it has.
    pub posts_count: Option<i64>,
    /// What the network reports of it.
    pub state: AccountState,
    /// It asks not to be collected or indexed.
    pub opts_out: bool,
    /// All other values, by association name.
    pub plinks: Vec<(Arc<str>, Primitive)>,
    /// Links into other networks.
    pub slinks: Vec<CrossLink>,
    /// Names of the links across that this look shows where they are.
    pub slinks_seen: Vec<Arc<str>>,
}

/// `source` follows `target`; ids of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Relation {
    pub source: String,
    /// Who is followed.
    pub target: String,
}

/// An account carries a tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tag {
    /// Id of the account.
    pub account: String,
    /// The tag, without a hash sign.
    pub name: String,
}

/// An object of any other type that a definition declares: a place, an album, a channel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thing {
    /// The network's id.
    pub id: String,
    /// Its type, as the definition calls it.
    pub kind: Arc<str>,
    /// What people call it.
    pub name: Option<String>,
    /// Where people look at it.
    pub url: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// All other values, by association name.
    pub plinks: Vec<(Arc<str>, Primitive)>,
    /// Links into other networks.
    pub slinks: Vec<CrossLink>,
    /// Names of the links across that this look shows where they are.
    pub slinks_seen: Vec<Arc<str>>,
}

/// One end of a link: an object of the page's network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct End {
    /// Its type.
    pub kind: Arc<str>,
    pub id: String,
}

/// A c-link, or the link to one member of a collection (co-link).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    pub from: End,
    /// Association name, as the type of `from` declares it.
    pub name: Arc<str>,
    pub to: End,
    /// It is one of a collection; otherwise there is one of this name, and a new one replaces it.
    pub is_member: bool,
}

impl Post {
    /// A number that changes when what the author wrote changes; counts do not enter.
    pub fn version(&self) -> u64 {
        let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
        hasher.update(self.text.as_bytes());
        hasher.update(&[0xff]);
        let edited_at = self.edited_at.filter(|_| !self.is_edit_claimed);
        hasher.update(&edited_at.map_or(0, Timestamp::ms).to_le_bytes());
        for tag in &self.tags {
            hasher.update(tag.as_bytes());
            hasher.update(&[0xfe]);
        }
        hasher.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_later_stands_behind() {
        let post = |id: &str| Post { id: id.to_owned(), ..Post::default() };
        let shown = |id: &str| Observation {
            posts: vec![post(id)],
            accounts: vec![Account { id: id.to_owned(), ..Account::default() }],
            ..Observation::default()
        };
        let mut all = Observation::default();
        all.append(Observation::default());
        assert_eq!(all, Observation::default());
        for id in ["a", "b", "a"] {
            all.append(shown(id));
        }
        let posts: Vec<&str> = all.posts.iter().map(|post| &*post.id).collect();
        let accounts: Vec<&str> = all.accounts.iter().map(|account| &*account.id).collect();
        assert_eq!((posts, accounts), (vec!["a", "b", "a"], vec!["a", "b", "a"]));
    }

    #[test]
    fn a_time_alone_makes_another_version_where_it_is_no_mere_claim() {
        let post = |text: &str, edited_s: i64, is_edit_claimed| Post {
            text: text.to_owned(),
            edited_at: Some(Timestamp::from_secs(edited_s)),
            is_edit_claimed,
            ..Post::default()
        };
        assert_ne!(post("a", 1, false).version(), post("a", 2, false).version());
        assert_eq!(post("a", 1, true).version(), post("a", 2, true).version());
        assert_ne!(post("a", 1, true).version(), post("b", 1, true).version());
    }

    fn check(active_s: i64, grain_s: i64, newest_s: Option<i64>, visited_s: i64, expected: Option<i64>) {
        let lead = Lead {
            endpoint: "posts".into(),
            robot: RobotKind::Comment,
            root_kind: "thread".into(),
            root_id: "/t/1".to_owned(),
            title: None,
            active_at: Some(Timestamp::from_secs(active_s)),
            grain: Span::from_secs(grain_s),
        };
        let at = Timestamp::from_secs;
        let due_at = lead.due_at(newest_s.map(at), at(visited_s), at(1000));
        assert_eq!(due_at, expected.map(at), "{active_s} {grain_s} {newest_s:?} {visited_s}");
    }

    #[test]
    fn a_list_is_due_when_something_happened_in_it() {
        check(900, 1, Some(800), 850, Some(1000));
        check(900, 1, Some(900), 950, None);
        check(900, 1, None, 950, None);
        check(900, 1, None, 850, Some(1000));
        // Visited within the minute that is shown: once more when it is over.
        check(960, 60, Some(960), 980, Some(1020));
        check(960, 60, Some(960), 1030, None);
        // Written less exactly than the thread itself does.
        check(960, 60, Some(990), 995, Some(1020));
        // Nothing new, though only the day is shown.
        check(0, 500, Some(900), 950, None);
    }
}
