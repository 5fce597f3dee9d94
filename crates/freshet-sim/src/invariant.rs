//! What must hold between a world and what a crawl made of it: the judge, as pure functions.
//!
//! Each function gives its complaints, one line each; none is the only verdict that passes. The
//! world is asked for [`Fact`]s first, so that nothing here depends on how it is built. What a
//! crawl cannot know is not asked of it: `settled_at` says up to when the world must be
//! reflected, and *reach* how many of an author's newest posts one look shows.

use freshet_store::row::{AccountRow, PostRow};
use freshet_types::{Map, Politeness, Set, Span, Timestamp};
#[cfg(test)]
use freshet_types::{RobotKind, Source};

use crate::driver::Exchange;
use crate::world::{Relation, Standing, World};

/// What is true of one post.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// Its id, as the network gives it.
    pub id: String,
    /// Id of its author.
    pub author: String,
    /// When it was posted.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub edited_at: Option<Timestamp>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
    /// Since when its author is public; `None` while it is not.
    pub shown_since: Option<Timestamp>,
    /// It passes another post on.
    pub is_repost: bool,
}

/// Every post of a world so far, from old to new.
pub(crate) fn facts(world: &World) -> Vec<Fact> {
    let fact = |(post, post_index): (&crate::world::Post, u32)| {
        let author = &world.accounts[post.author as usize];
        let shown_since = (author.standing == Standing::Public).then_some(author.standing_since_ms);
        Fact {
            id: post.id.to_string(),
            author: author.id.to_string(),
            created_at: Timestamp::from_ms(post.created_at_ms()),
            edited_at: world.posts.edits(post_index).last().copied().map(Timestamp::from_ms),
            deleted_at: post.is_deleted().then(|| Timestamp::from_ms(post.deleted_at_ms)),
            shown_since: shown_since.map(Timestamp::from_ms),
            is_repost: matches!(post.relation(), Relation::RepostOf(_)),
        }
    };
    world.posts.all().iter().zip(0..).map(fact).collect()
}

/// Every post that `authors` showed before `settled_at` and still show is stored, alive.
pub(crate) fn nothing_lost(
    facts: &[Fact],
    stored: &[PostRow],
    authors: &Set<String>,
    settled_at: Timestamp,
) -> Vec<String> {
    let known: Map<&str, &PostRow> = by_id(stored);
    let is_due = |fact: &&Fact| {
        authors.contains(&fact.author)
            && fact.deleted_at.is_none()
            && fact.created_at.max(fact.shown_since.unwrap_or(Timestamp::MAX)) < settled_at
    };
    facts
        .iter()
        .filter(is_due)
        .filter_map(|fact| match known.get(fact.id.as_str()) {
            None => Some(format!("post {} of {} ({}) is lost", fact.id, fact.author, fact.created_at)),
            Some(row) if row.deleted_at.is_some() => Some(format!("post {} is wrongly deleted", fact.id)),
            Some(_) => None,
        })
        .collect()
}

/// Nothing is stored twice, nothing that never was, nothing otherwise than it was, and nothing
/// as deleted that is not.
pub(crate) fn nothing_invented(facts: &[Fact], stored: &[PostRow]) -> Vec<String> {
    let truth: Map<&str, &Fact> = facts.iter().map(|fact| (fact.id.as_str(), fact)).collect();
    let mut seen: Set<&str> = Set::default();
    let mut complaints = Vec::new();
    for row in stored {
        let id = row.post.id.as_str();
        if !seen.insert(id) {
            complaints.push(format!("post {id} is stored twice"));
        }
        match truth.get(id) {
            None => complaints.push(format!("post {id} never was")),
            // A post that was only referred to is a row without content.
            Some(_) if row.post.author.is_none() => {}
            Some(fact) => {
                if row.post.author.as_ref() != Some(&fact.author)
                    || row.post.created_at != Some(fact.created_at)
                {
                    complaints.push(format!("post {id} has another author or time"));
                }
                if row.deleted_at.is_some() && fact.deleted_at.is_none() {
                    complaints.push(format!("post {id} was not deleted"));
                }
            }
        }
    }
    complaints
}

/// Edits and deletions of posts within reach of a look, before `settled_at`, are known.
pub(crate) fn changes_known(
    facts: &[Fact],
    stored: &[PostRow],
    authors: &Set<String>,
    reach: usize,
    settled_at: Timestamp,
) -> Vec<String> {
    let known: Map<&str, &PostRow> = by_id(stored);
    let mut newer_count: Map<&str, usize> = Map::default();
    let mut complaints = Vec::new();
    for fact in facts.iter().rev().filter(|fact| authors.contains(&fact.author)) {
        let newer_count = newer_count.entry(fact.author.as_str()).or_default();
        *newer_count += 1;
        let is_shown = fact.shown_since.is_some_and(|since| since < settled_at);
        let (Some(row), true) = (known.get(fact.id.as_str()), is_shown && *newer_count < reach) else {
            continue;
        };
        let is_settled = |at: Option<Timestamp>| at.is_some_and(|at| at < settled_at);
        if is_settled(fact.deleted_at) && row.deleted_at.is_none() {
            complaints.push(format!("post {} was deleted and is not known to be", fact.id));
        }
        let is_edited = fact.deleted_at.is_none() && !fact.is_repost && is_settled(fact.edited_at);
        if is_edited && row.post.edited_at != fact.edited_at {
            complaints.push(format!("post {} is not stored in its newest version", fact.id));
        }
    }
    complaints
}

/// Coverage claims nothing that is not there: whatever an author showed between the ends of an interval that is said to be
/// complete, and still shows, is stored.
pub(crate) fn coverage_honest(facts: &[Fact], stored: &[PostRow], sources: &[Source]) -> Vec<String> {
    let known: Map<&str, &PostRow> = by_id(stored);
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| source.robot == RobotKind::Status) {
        for interval in &source.coverage.intervals {
            let is_inside = |fact: &&Fact| {
                fact.author == source.root_id
                    && fact.deleted_at.is_none()
                    && fact.shown_since.is_some_and(|since| since <= fact.created_at)
                    && (interval.oldest.at..=interval.newest.at).contains(&fact.created_at)
            };
            let missing = facts.iter().filter(is_inside).filter(|fact| !known.contains_key(fact.id.as_str()));
            complaints.extend(
                missing.map(|fact| format!("post {} of {} is covered, not stored", fact.id, fact.author)),
            );
        }
    }
    complaints
}

/// Accounts that are not public since before `settled_at` are on the list of invalid ones, and
/// those that are public since then are not.
pub(crate) fn standings_known(
    world: &World,
    stored: &[AccountRow],
    authors: &Set<String>,
    settled_at: Timestamp,
) -> Vec<String> {
    let invalid: Map<&str, bool> =
        stored.iter().map(|row| (row.account.id.as_str(), row.invalid.is_some())).collect();
    let is_settled = |since_ms: i64| Timestamp::from_ms(since_ms) < settled_at;
    world
        .accounts
        .iter()
        .filter(|account| authors.contains(&account.id.to_string()) && is_settled(account.standing_since_ms))
        .filter_map(|account| {
            let is_public = account.standing == Standing::Public;
            let is_invalid = *invalid.get(account.id.to_string().as_str())?;
            (is_invalid == is_public).then(|| {
                format!(
                    "account {} is {:?} and stands as {}",
                    account.id,
                    account.standing,
                    if is_invalid { "invalid" } else { "valid" }
                )
            })
        })
        .collect()
}

/// One server was never asked by more at once, nor sooner after the last request, than it wants.
pub(crate) fn polite(journal: &[Exchange], politeness: Politeness) -> Vec<String> {
    let mut complaints = Vec::new();
    for pair in journal.windows(2) {
        let gap: Span = pair[1].sent_at - pair[0].sent_at;
        if gap < politeness.pause {
            complaints.push(format!("only {gap} between two requests at {}", pair[1].sent_at));
        }
    }
    let mut open: Vec<Timestamp> = Vec::new();
    for exchange in journal {
        open.retain(|&until| until > exchange.sent_at);
        open.extend(exchange.answered_at);
        if open.len() > politeness.in_flight_max as usize {
            complaints.push(format!("{} requests in flight at {}", open.len(), exchange.sent_at));
        }
    }
    complaints
}

/// The most requests that left within any stretch of this length.
pub(crate) fn busiest(journal: &[Exchange], window: Span) -> usize {
    let mut from = 0;
    let mut most = 0;
    for to in 0..journal.len() {
        while journal[to].sent_at - journal[from].sent_at >= window {
            from += 1;
        }
        most = most.max(to - from + 1);
    }
    most
}

fn by_id(stored: &[PostRow]) -> Map<&str, &PostRow> {
    stored.iter().map(|row| (row.post.id.as_str(), row)).collect()
}
