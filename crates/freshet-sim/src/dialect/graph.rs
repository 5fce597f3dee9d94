//! The same world in the dialect of Facebook's Graph API: users with posts, albums, friends and home towns.
//!
//! It is what SocWeb's two use-cases crawl: posts that share videos of another network, albums with photos, a search by name. Users,
//! posts and friends are the world's accounts, posts and follows; albums, photos and places follow from an account's number, so that nothing
//! of them is stored. Answers to posts are comments and stand in no timeline. Errors have a status of 400 and a number, as there.

mod album;

use serde_json::{Value, json};

use super::tree::{self, Found, error, name, select, video_id, words};
use super::{Ask, Reply};
use crate::world::{Account, Relation, Standing};

use album::Album;

/// One post in so many shares a video, where there are videos to share.
const SHARED_EVERY: u64 = 5;
/// Users that a search finds.
const FOUND_MAX: usize = 100;

/// Answers what is asked under a version: `/v1.0/…`.
pub(super) fn route(ask: &Ask<'_>, path: &[&str]) -> Reply {
    match path {
        ["search"] => search(ask),
        [id] => one(ask, id),
        [id, "posts"] => posts(ask, id),
        [id, "friends"] => friends(ask, id),
        [id, "albums"] => albums(ask, id),
        [id, "photos"] => photos(ask, id),
        [id, "comments"] => comments(ask, id),
        _ => missing(),
    }
}

fn missing() -> Reply {
    let message = "Unsupported get request. The object does not exist";
    error(400, &json!({"message": message, "type": "GraphMethodException", "code": 100, "error_subcode": 33}))
}

fn one(ask: &Ask<'_>, id: &str) -> Reply {
    if let Some(post_index) = find_post(ask, id) {
        return Reply { shown: vec![post_index], ..Reply::json(post(ask, post_index).to_string()) };
    }
    if let Some(album) = find_album(ask, id) {
        return Reply::json(album.show(ask.world).to_string());
    }
    find_user(ask, id).map_or_else(missing, |index| Reply::json(user(ask, index).to_string()))
}

/// Users by a part of their name: how a crawl finds its first ids.
fn search(ask: &Ask<'_>) -> Reply {
    let query = ask.request.param("q").unwrap_or_default().trim().to_lowercase();
    let is_found = |account: &Account| {
        let is_there = !matches!(account.standing, Standing::Suspended | Standing::Departed);
        is_there && !query.is_empty() && account.handle.replace('_', " ").contains(&query)
    };
    let found = (0..).zip(&ask.world.accounts).filter(|(_, account)| is_found(account));
    let data: Vec<Value> = found.take(FOUND_MAX).map(|(index, _)| person(ask, index)).collect();
    Reply::json(json!({"data": data}).to_string())
}

fn posts(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(index) = find_user(ask, id) else { return missing() };
    let world = ask.world;
    let account = &world.accounts[index as usize];
    let since_ms =
        ask.request.param("since").and_then(|text| text.parse::<i64>().ok()).map(|secs| secs * 1000);
    let list: &[u32] = if account.standing == Standing::Public { &account.timeline } else { &[] };
    let found = select(
        ask,
        list,
        |&post_index| world.posts.get(post_index).id,
        |&post_index| {
            let post = world.posts.get(post_index);
            let is_answer = matches!(post.relation(), Relation::ReplyTo(_));
            !is_answer
                && !post.is_deleted()
                && since_ms.is_none_or(|since_ms| post.created_at_ms() > since_ms)
        },
    );
    let shown = found.items.iter().map(|index| **index).collect();
    Reply { shown, ..page(&found, |&post_index| post(ask, post_index)) }
}

fn friends(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(index) = find_user(ask, id) else { return missing() };
    let account = &ask.world.accounts[index as usize];
    let found =
        select(ask, &account.following, |edge| u64::from(edge.number), |edge| is_there(ask, edge.other));
    page(&found, |edge| person(ask, edge.other))
}

fn albums(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(index) = find_user(ask, id) else { return missing() };
    let mut albums = Album::all_of(ask.world, index);
    albums.sort_unstable_by_key(|album| album.created_ms);
    let found = select(ask, &albums, |album| album.created_ms.unsigned_abs(), |_| true);
    page(&found, |album| album.show(ask.world))
}

fn photos(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(album) = find_album(ask, id) else { return missing() };
    let photos: Vec<u64> = (0..album.photo_count).collect();
    let found = select(ask, &photos, |photo| *photo, |_| true);
    page(&found, |photo| album.photo(ask, *photo))
}

fn comments(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find_post(ask, id) else { return missing() };
    let posts = &ask.world.posts;
    let mut replies: Vec<u32> =
        posts.replies(post_index).filter(|reply| ask.world.is_visible(*reply)).collect();
    replies.reverse();
    let found = select(ask, &replies, |reply| posts.get(*reply).id, |_| true);
    page(&found, |reply| comment(ask, *reply))
}

fn user(ask: &Ask<'_>, index: u32) -> Value {
    let account = &ask.world.accounts[index as usize];
    let last = account.timeline.last().map(|post_index| ask.world.posts.get(*post_index).created_at_ms());
    json!({
        "id": account.id.to_string(),
        "name": name(ask, index),
        "username": account.handle,
        "link": format!("{}/{}", ask.base, account.handle),
        "posts_count": account.post_count,
        "friends_count": account.following.len(),
        "last_post_time": last.map(time),
        "hometown": album::place(ask.world, index),
    })
}

/// A user as posts and lists name one.
fn person(ask: &Ask<'_>, index: u32) -> Value {
    json!({"id": ask.world.accounts[index as usize].id.to_string(), "name": name(ask, index)})
}

fn post(ask: &Ask<'_>, post_index: u32) -> Value {
    let post = ask.world.posts.get(post_index);
    let original = match post.relation() {
        Relation::RepostOf(original) => Some(original),
        _ => None,
    };
    let video = shared_video(ask, post_index);
    json!({
        "id": post_id(ask, post_index),
        "created_time": time(post.created_at_ms()),
        "from": person(ask, post.author),
        "type": if video.is_some() { "video" } else { "status" },
        "message": original.is_none().then(|| words(ask, post_index)),
        "parent_id": original.map(|original| post_id(ask, original)),
        "link": video.map(|video| format!("https://www.youtube.com/watch?v={}", video_id(video))),
        "likes": {"count": ask.face().favourite_count(post_index)},
        "comments": {"count": post.reply_count},
    })
}

fn comment(ask: &Ask<'_>, post_index: u32) -> Value {
    let post = ask.world.posts.get(post_index);
    json!({
        "id": post_id(ask, post_index),
        "created_time": time(post.created_at_ms()),
        "from": person(ask, post.author),
        "message": words(ask, post_index),
        "like_count": ask.face().favourite_count(post_index),
    })
}

/// The video that a post shares, by its place in the world of videos.
fn shared_video(ask: &Ask<'_>, post_index: u32) -> Option<u32> {
    let videos = &ask.world.options.videos;
    let is_original = matches!(ask.world.posts.get(post_index).relation(), Relation::Original);
    let key = ask.face().key(post_index);
    let shares = is_original && !videos.is_empty() && key.is_multiple_of(SHARED_EVERY);
    shares.then(|| videos[(key / SHARED_EVERY) as usize % videos.len()])
}

/// Posts are named with their author's id before their own.
fn post_id(ask: &Ask<'_>, post_index: u32) -> String {
    let post = ask.world.posts.get(post_index);
    format!("{}_{}", ask.world.accounts[post.author as usize].id, post.id)
}

fn find_post(ask: &Ask<'_>, id: &str) -> Option<u32> {
    let (_, id) = id.split_once('_')?;
    let found = ask.world.posts.find(id.parse().ok()?);
    found.filter(|post_index| ask.world.is_visible(*post_index))
}

fn find_album(ask: &Ask<'_>, id: &str) -> Option<Album> {
    let album = Album::find(ask.world, id.parse().ok()?)?;
    is_there(ask, album.owner).then_some(album)
}

/// By id or by name.
fn find_user(ask: &Ask<'_>, id: &str) -> Option<u32> {
    let found = match id.parse() {
        Ok(id) => ask.world.find_account(id),
        Err(_) => ask.world.find_handle(id),
    };
    found.filter(|index| is_there(ask, *index))
}

fn is_there(ask: &Ask<'_>, index: u32) -> bool {
    !matches!(ask.world.accounts[index as usize].standing, Standing::Suspended | Standing::Departed)
}

/// A time as the Graph API writes it.
fn time(ms: i64) -> String {
    tree::time(ms, "%Y-%m-%dT%H:%M:%S+0000")
}

/// A page with these items of a list.
fn page<T>(found: &Found<'_, T>, show: impl Fn(&T) -> Value) -> Reply {
    let data: Vec<Value> = found.items.iter().map(|item| show(item)).collect();
    Reply::json(json!({"data": data, "paging": {"cursors": {"after": found.after}}}).to_string())
}
