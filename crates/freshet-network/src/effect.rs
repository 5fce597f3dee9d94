//! What a constraint can do in a crawl: which links ever become known, and which purposes matter for which types.
//!
//! A constraint that waits for what nobody brings, or that decides nothing, is refused when it is added: it would look as if it
//! worked. What fills a link is asked of the definition; a collection is known where rows of the store tell its members
//! ([`Collection`]). Nothing is judged here.

use freshet_types::definition::RelationRole;
use freshet_types::{LinkType, PageKind};

use crate::constraint::{Constraint, ConstraintError, Purpose};
use crate::networks::{Network, Registry};
use crate::robot::{ACCOUNT, wanted_by};

/// The types of which forums that were mined show objects that are judged; their lists are not.
const MINED: [&str; 2] = ["post", ACCOUNT];

/// Where the members of a collection are known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// The page shows them with the object.
    Shown,
    /// Posts whose author the object is.
    Posts,
    /// Posts that reply to the object.
    Replies,
    /// Accounts that follow the object.
    Followers,
    /// Accounts that the object follows.
    Following,
    /// Links of this name.
    Linked,
}

/// Where the members of this collection of objects of a type are known from; `None` where nobody collects them.
pub fn collection(network: &Network, type_name: &str, link: &str) -> Option<Collection> {
    let Some(definition) = &network.definition else {
        return (type_name == ACCOUNT && link == "posts").then_some(Collection::Posts);
    };
    let endpoints = network.connector.endpoints().iter();
    let listing = endpoints
        .filter(|endpoint| *endpoint.root_kind == *type_name && network.link_of(endpoint) == Some(link));
    let mut told = listing.filter_map(|endpoint| match (endpoint.relation, endpoint.kind) {
        // Tags have rows of their own, which are no objects.
        (_, PageKind::Tags) => None,
        _ if endpoint.link.is_some() => endpoint.robot.map(|_| Collection::Linked),
        (Some(RelationRole::Followers), _) => endpoint.robot.map(|_| Collection::Followers),
        (Some(RelationRole::Following), _) => endpoint.robot.map(|_| Collection::Following),
        (None, PageKind::Posts) if type_name == ACCOUNT => Some(Collection::Posts),
        (None, PageKind::Comments) => Some(Collection::Replies),
        _ => None,
    });
    let shown = |as_links| if as_links { Collection::Linked } else { Collection::Shown };
    told.next().or_else(|| definition.shows(type_name, link).map(shown))
}

/// Why this constraint would decide nothing in a crawl, or wait for what never comes, though it fits a network.
pub fn refusal(registry: &Registry, constraint: &Constraint) -> Option<ConstraintError> {
    let is_meant = |name: &str| constraint.network().is_none_or(|wanted| wanted == name);
    let networks = registry.iter().filter(|network| is_meant(&network.name));
    let mut why = None;
    for network in networks.filter(|network| constraint.check(&network.schema).is_ok()) {
        let told = match no_effect(network, constraint) {
            Some(told) => told,
            None => match constraint
                .check_for_crawl(&network.schema, &|kind, link| never_known(network, kind, link))
            {
                Ok(()) => return None,
                Err(error) => error,
            },
        };
        // The place in the text says more than that another network has no such objects.
        why = match why {
            Some(known @ ConstraintError::At { .. }) => Some(known),
            known if matches!(told, ConstraintError::NoEffect { .. }) => known.or(Some(told)),
            _ => Some(told),
        };
    }
    why
}

/// Why a crawl of this network never knows a link of objects of this type.
fn never_known(network: &Network, type_name: &str, link: &str) -> Option<String> {
    let declared = network.schema.types.get(type_name).and_then(|it| it.links.get(link))?;
    if matches!(declared, LinkType::Co(_)) {
        let instead = match (type_name, link) {
            (ACCOUNT, _) => "; ask for a count, such as `account.followers_count`",
            _ => "; ask for a value of the object or of its author",
        };
        let is_known = collection(network, type_name, link).is_some();
        return (!is_known).then(|| {
            format!(
                "no robot of {} brings the collection `{link}` of a `{type_name}`: every one of them would wait in vain{instead}",
                network.name
            )
        });
    }
    let is_filled = network.definition.as_ref().is_none_or(|definition| definition.fills(type_name, link));
    (!is_filled).then(|| {
        format!(
            "nothing fills `{link}` of a `{type_name}` of {}, no mapping and no hint: every one of them would wait in vain; \
             `freshet networks show {}` has the links",
            network.name, network.name
        )
    })
}

fn no_effect(network: &Network, constraint: &Constraint) -> Option<ConstraintError> {
    let (kind, name) = (constraint.type_name(), &network.name);
    let is_judged = match &network.definition {
        Some(definition) => definition.makes(kind),
        None => MINED.contains(&kind),
    };
    let why = match constraint.purpose() {
        _ if !is_judged => format!("a crawl of {name} reads no object of this type, it only names them"),
        Purpose::Discover if kind != ACCOUNT && !is_shown_beside(network, kind) => {
            format!("no page of {name} shows a `{kind}` beside what it lists")
        }
        Purpose::Follow | Purpose::Revisit if wanted_by(&*network.connector, kind).is_empty() => {
            format!("no robot visits a `{kind}` of {name}")
        }
        _ => return None,
    };
    Some(ConstraintError::NoEffect { type_name: kind.to_owned(), purpose: constraint.purpose(), why })
}

/// Whether pages show objects of this type inside others.
fn is_shown_beside(network: &Network, type_name: &str) -> bool {
    network.definition.as_ref().is_some_and(|definition| definition.embeds(type_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Networks;

    fn check(type_name: &str, purpose: Purpose, text: &str, why: Option<&str>) {
        let constraint = Constraint::parse(type_name, text).unwrap().with_purpose(purpose);
        let found = refusal(&Networks::shipped().snapshot(), &constraint).map(|error| error.to_string());
        match (why, &found) {
            (None, None) => {}
            (Some(why), Some(found)) => assert!(found.contains(why), "{type_name} {text}: {found}"),
            _ => panic!("{type_name} {text}: {found:?}"),
        }
    }

    #[test]
    fn what_never_comes_and_what_decides_nothing_is_refused() {
        use Purpose::{Discover, Follow, Revisit, Store};
        for (type_name, purpose, text, why) in [
            ("account", Store, "account.posts.exists(p, p.like_count >= 100)", None),
            ("account", Store, "size(account.followers) > 10 && account.following.all(f, f.id != '1')", None),
            ("mastodon/post", Store, "post.replies.within('1h').size() > 3", None),
            ("mastodon/post", Store, "post.likers.exists(a, a.followers_count > 9)", None),
            ("mastodon/post", Store, "post.author.posts.rate('1h') > 3.0", None),
            ("mastodon/post", Store, "post.tags.contains('x')", None),
            (
                "mastodon/post",
                Store,
                "size(post.quotes) > 1",
                Some("column 10: no robot of mastodon brings the collection `quotes`"),
            ),
            ("mastodon/account", Store, "size(account.tags) > 1", Some("no robot of mastodon brings")),
            (
                "mastodon/account",
                Store,
                "account.location == 'x'",
                Some("column 8: nothing fills `location`"),
            ),
            (
                "mastodon/account",
                Store,
                "account.posts.exists(p, size(p.replies) > 1)",
                Some("a collection of a member"),
            ),
            (
                "mastodon/account",
                Store,
                "account.posts.exists(p, p.author.handle == 'a')",
                Some("only its own values"),
            ),
            (
                "mastodon/post",
                Store,
                "post.reply_to.reply_to.reply_to.reply_to.text == ''",
                Some("at most 3 links are followed"),
            ),
            (
                "mastodon/account",
                Store,
                "account.handle.exists(h, true)",
                Some("only a collection can be gone through"),
            ),
            ("mastodon/tag", Store, "tag.id == 'x'", Some("reads no object of this type")),
            ("mastodon/account", Follow, "depth <= 1", None),
            ("mastodon/post", Follow, "depth <= 1", None),
            ("hackernews/account", Revisit, "depth < 1", None),
            ("mastodon/post", Revisit, "now - post.created_at < span('7d')", None),
            ("mastodon/server", Revisit, "depth < 1", Some("no effect")),
            ("mastodon/post", Discover, "depth < 1", None),
            ("mastodon/account", Discover, "depth < 1", None),
            ("rss/post", Discover, "depth < 1", Some("beside what it lists")),
        ] {
            check(type_name, purpose, text, why);
        }
    }
}
