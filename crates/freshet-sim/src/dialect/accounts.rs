//! Endpoints about accounts: look-up, profile, posts, followers, tags, search.

use super::entity::Day;
use super::json::{Object, push_list};
use super::page::{Bounds, Newer};
use super::{Ask, Reply, percent_encoded};
use crate::world::{Account, Edge, Relation, Standing, text};

/// Posts on a page by default; twice as many at most.
const POSTS_DEFAULT: usize = 20;
/// Posts on a page of a merged list by default; twice as many at most.
const MERGED_DEFAULT: usize = 500;
/// People on a page by default; twice as many at most.
const PEOPLE_DEFAULT: usize = 40;
/// Accounts that one request may name.
const IDS_MAX: usize = 40;

pub(super) fn several(ask: &Ask<'_>) -> Reply {
    let named = ask.request.query.iter().filter(|(name, _)| name == "id[]").take(IDS_MAX);
    let found: Vec<u32> = named.filter_map(|(_, id)| find(ask, id)).collect();
    let (mut face, mut body) = (ask.face(), String::new());
    push_list(&mut body, found, |out, index| face.account(out, index));
    Reply::json(body)
}

pub(super) fn lookup(ask: &Ask<'_>) -> Reply {
    let found = ask.request.param("acct").and_then(|acct| find_acct(ask, acct));
    found.map_or_else(Reply::missing, |index| show(ask, index))
}

pub(super) fn one(ask: &Ask<'_>, id: &str) -> Reply {
    find(ask, id).map_or_else(Reply::missing, |index| show(ask, index))
}

pub(super) fn timeline(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(index) = find(ask, id) else { return Reply::missing() };
    let (world, request) = (ask.world, ask.request);
    let account = &world.accounts[index as usize];
    // Media and pinned posts do not exist here, so these lists are empty.
    let is_empty =
        account.standing != Standing::Public || request.is_on("only_media") || request.is_on("pinned");
    let no_replies = request.is_on("exclude_replies");
    let no_reposts = request.is_on("exclude_reblogs");
    let tag = request.param("tagged").map(text::find_tag);
    let face = ask.face();
    let (bounds, list) = match world.window() {
        Some(size) => {
            let first = account.timeline.len().saturating_sub(size);
            (Bounds::newest(size), &account.timeline[first..])
        }
        None => (Bounds::read(ask, POSTS_DEFAULT), &account.timeline[..]),
    };
    let list: &[u32] = if is_empty { &[] } else { list };
    let found = bounds.select(
        list,
        |post_index| world.posts.get(*post_index).id,
        |post_index| {
            let post = world.posts.get(*post_index);
            let is_wanted = match post.relation() {
                // An answer to oneself is a thread, which Mastodon keeps.
                Relation::ReplyTo(parent) => !no_replies || world.posts.get(parent).author == index,
                Relation::RepostOf(_) => !no_reposts && tag.is_none(),
                Relation::Original => true,
            };
            let is_tagged = tag.is_none_or(|tag| face.tags(*post_index).any(|one| Some(one) == tag));
            is_wanted && is_tagged && !post.is_deleted()
        },
    );
    post_page(ask, &bounds, &found.into_iter().copied().collect::<Vec<_>>())
}

/// What several accounts posted, as one list.
pub(super) fn merged_timeline(ask: &Ask<'_>) -> Reply {
    let bounds = Bounds::read(ask, MERGED_DEFAULT);
    let named = ask.request.query.iter().filter(|(name, _)| name == "id[]");
    let lists: Vec<&[u32]> = named
        .filter_map(|(_, id)| find(ask, id))
        .map(|index| &ask.world.accounts[index as usize])
        .filter(|account| account.standing == Standing::Public)
        .map(|account| account.timeline.as_slice())
        .collect();
    merged_page(ask, &bounds, &lists)
}

/// A page of what stands on any of these lists, each post once.
pub(super) fn merged_page(ask: &Ask<'_>, bounds: &Bounds, lists: &[&[u32]]) -> Reply {
    let id = |post_index: &u32| ask.world.posts.get(*post_index).id;
    let is_shown = |post_index: &u32| ask.world.is_visible(*post_index);
    let newest = |list: &&[u32]| bounds.select(list, id, is_shown).into_iter().copied().collect::<Vec<u32>>();
    let mut all: Vec<u32> = lists.iter().flat_map(newest).collect();
    all.sort_unstable_by_key(id);
    all.dedup();
    let found: Vec<u32> = bounds.select(&all, id, |_| true).into_iter().copied().collect();
    post_page(ask, bounds, &found)
}

/// A page of posts with its links; shared by all lists of posts.
pub(super) fn post_page(ask: &Ask<'_>, bounds: &Bounds, found: &[u32]) -> Reply {
    let keys: Vec<u64> = found.iter().map(|post_index| ask.world.posts.get(*post_index).id).collect();
    let (mut face, mut body) = (ask.face(), String::with_capacity(found.len() * 2048));
    push_list(&mut body, found, |out, post_index| face.post(out, *post_index));
    let link = bounds.link(ask, Newer::MinId, &keys);
    Reply { link, shown: found.to_vec(), ..Reply::json(body) }
}

pub(super) fn follows(ask: &Ask<'_>, id: &str, list: fn(&Account) -> &Vec<Edge>) -> Reply {
    let Some(index) = find(ask, id) else { return Reply::missing() };
    let account = &ask.world.accounts[index as usize];
    let edges: &[Edge] = if account.standing == Standing::Suspended { &[] } else { list(account) };
    people_page(ask, edges, |edge| u64::from(edge.number), |edge| edge.other)
}

/// A page of accounts; its keys appear in the `Link` header only.
pub(super) fn people_page<T>(
    ask: &Ask<'_>,
    list: &[T],
    key: impl Fn(&T) -> u64,
    account: impl Fn(&T) -> u32,
) -> Reply {
    let bounds = Bounds::read(ask, PEOPLE_DEFAULT);
    let is_shown = |index: u32| {
        !matches!(ask.world.accounts[index as usize].standing, Standing::Suspended | Standing::Departed)
    };
    let found = bounds.select(list, &key, |item| is_shown(account(item)));
    let keys: Vec<u64> = found.iter().map(|item| key(item)).collect();
    let (mut face, mut body) = (ask.face(), String::with_capacity(found.len() * 1024));
    push_list(&mut body, found, |out, item| face.account(out, account(item)));
    Reply { link: bounds.link(ask, Newer::SinceId, &keys), ..Reply::json(body) }
}

pub(super) fn featured_tags(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(index) = find(ask, id) else { return Reply::missing() };
    let world = ask.world;
    let account = &world.accounts[index as usize];
    let mut tags: Vec<u8> =
        if account.standing == Standing::Public { account.tags.to_vec() } else { Vec::new() };
    tags.sort_unstable();
    tags.dedup();
    let face = ask.face();
    let mut body = String::new();
    push_list(&mut body, tags, |out, tag| {
        let bearing = |post_index: &&u32| {
            let post = world.posts.get(**post_index);
            let is_repost = matches!(post.relation(), Relation::RepostOf(_));
            !is_repost && !post.is_deleted() && face.tags(**post_index).any(|one| one == tag)
        };
        let (base, handle, name) = (&ask.base, &account.handle, text::tag_name(tag));
        let last = account.timeline.iter().rev().find(bearing);
        Object::open(out)
            .quoted("id", u64::from(index) * 256 + u64::from(tag))
            .text("name", name)
            .quoted("url", format_args!("{base}/@{handle}/tagged/{}", percent_encoded(name)))
            .quoted("statuses_count", account.timeline.iter().filter(bearing).count())
            .maybe("last_status_at", last.map(|post_index| Day(world.posts.get(*post_index).created_at_ms())))
            .close();
    });
    Reply::json(body)
}

pub(super) fn search(ask: &Ask<'_>) -> Reply {
    let request = ask.request;
    let query = request.param("q").unwrap_or_default().trim().to_lowercase();
    let limit = request.param("limit").and_then(|text| text.parse().ok()).unwrap_or(POSTS_DEFAULT);
    let limit = limit.clamp(1, POSTS_DEFAULT * 2);
    let is_wanted = |kind: &str| request.param("type").is_none_or(|wanted| wanted == kind);
    let mut people: Vec<u32> = Vec::new();
    if is_wanted("accounts") && !query.is_empty() {
        let name = query.trim_start_matches('@');
        let name = name.strip_suffix(&format!("@{}", ask.host())).unwrap_or(name);
        people = (0..)
            .zip(&ask.world.accounts)
            .filter(|(_, account)| is_found(account, name))
            .map(|(index, _)| index)
            .take(limit)
            .collect();
    }
    let mut tags: Vec<u8> = Vec::new();
    if is_wanted("hashtags") && !query.is_empty() {
        let name = query.trim_start_matches('#');
        tags = (0..text::TAG_COUNT).filter(|tag| text::tag_name(*tag).contains(name)).take(limit).collect();
    }
    let (mut face, mut body) = (ask.face(), String::new());
    let mut object = Object::open(&mut body);
    object.nest("accounts", |out| push_list(out, people, |out, index| face.account(out, index)));
    object.value("statuses", "[]");
    object.nest("hashtags", |out| push_list(out, tags, |out, tag| face.tag(out, tag)));
    object.close();
    Reply::json(body)
}

fn is_found(account: &Account, name: &str) -> bool {
    let is_there = matches!(account.standing, Standing::Public | Standing::Private);
    // The handle holds the words of the display name.
    is_there && (account.handle.contains(name) || account.handle.replace('_', " ").contains(name))
}

/// The account of an id, unless it was deleted.
fn find(ask: &Ask<'_>, id: &str) -> Option<u32> {
    let found = ask.world.find_account(id.parse().ok()?);
    found.filter(|index| ask.world.accounts[*index as usize].standing != Standing::Departed)
}

/// The account of `handle` or `handle@host`, unless it was deleted or lives elsewhere.
pub(super) fn find_acct(ask: &Ask<'_>, acct: &str) -> Option<u32> {
    let acct = acct.trim_start_matches('@');
    let (handle, host) = acct.split_once('@').unwrap_or((acct, ask.host()));
    if !host.eq_ignore_ascii_case(ask.host()) {
        return None;
    }
    let found = ask.world.find_handle(handle);
    found.filter(|index| ask.world.accounts[*index as usize].standing != Standing::Departed)
}

fn show(ask: &Ask<'_>, index: u32) -> Reply {
    let mut body = String::new();
    ask.face().account(&mut body, index);
    Reply::json(body)
}
