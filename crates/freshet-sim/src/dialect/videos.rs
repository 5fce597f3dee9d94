//! The same world in the dialect of the Data API of `YouTube`: accounts are channels, posts are videos, answers are comments.
//!
//! Only what the shipped definition asks for is answered. Counts are texts, something that does not exist is an answer without items, and
//! errors have a reason, as there. Reposts are no videos and are not shown.

use serde_json::{Value, json};

use super::tree::{self, error, name, select, video_id, words};
use super::{Ask, Reply};
use crate::world::{Relation, Standing};

/// Answers under a comment that its thread shows at once.
const NESTED_MAX: usize = 5;
/// Channels and videos that one request may name.
const IDS_MAX: usize = 50;

/// Answers what is asked under `/youtube/v3`.
pub(super) fn route(ask: &Ask<'_>, path: &[&str]) -> Reply {
    match path {
        ["channels"] => channels(ask),
        ["playlistItems"] => uploads(ask),
        ["videos"] => videos(ask),
        ["commentThreads"] => comments(ask),
        ["search"] => search(ask),
        _ => missing("notFound"),
    }
}

fn missing(reason: &str) -> Reply {
    error(404, &json!({"code": 404, "message": "Not found", "errors": [{"reason": reason}]}))
}

/// Items, or the answer that has none.
fn items(items: &[Value], next: Option<&str>) -> Reply {
    let shown = (!items.is_empty()).then_some(items);
    let body = json!({"pageInfo": {"totalResults": items.len()}, "items": shown, "nextPageToken": next});
    Reply::json(body.to_string())
}

fn channels(ask: &Ask<'_>) -> Reply {
    let by_handle = ask
        .request
        .param("forHandle")
        .and_then(|handle| ask.world.find_handle(handle.trim_start_matches('@')));
    let ids = ask.request.param("id").unwrap_or_default().split(',').take(IDS_MAX);
    let found = by_handle.into_iter().chain(ids.filter_map(|id| find_channel(ask, id.strip_prefix("UC")?)));
    let found = found.filter(|index| is_there(ask, *index)).map(|index| channel(ask, index));
    items(&found.collect::<Vec<_>>(), None)
}

fn search(ask: &Ask<'_>) -> Reply {
    let query = ask.request.param("q").unwrap_or_default().trim().to_lowercase();
    let is_found = |handle: &str| !query.is_empty() && handle.replace('_', " ").contains(&query);
    let found = (0..).zip(&ask.world.accounts).filter(|(_, account)| is_found(&account.handle)).take(IDS_MAX);
    let hit = |index: u32| {
        let id = channel_id(index);
        let snippet = json!({"channelId": id, "title": name(ask, index), "publishedAt": joined(ask, index)});
        json!({"id": {"kind": "youtube#channel", "channelId": id}, "snippet": snippet})
    };
    let found = found.filter(|(index, _)| is_there(ask, *index)).map(|(index, _)| hit(index));
    items(&found.collect::<Vec<_>>(), None)
}

fn uploads(ask: &Ask<'_>) -> Reply {
    let list = ask.request.param("playlistId").and_then(|id| find_channel(ask, id.strip_prefix("UU")?));
    let Some(index) = list.filter(|index| is_there(ask, *index)) else { return missing("playlistNotFound") };
    let (world, account) = (ask.world, &ask.world.accounts[index as usize]);
    let found = select(
        ask,
        &account.timeline,
        |&post_index| world.posts.get(post_index).id,
        |&post_index| is_video(ask, post_index),
    );
    let item = |post_index: u32| {
        let at = time(world.posts.get(post_index).created_at_ms());
        json!({
            "snippet": {
                "publishedAt": at,
                "channelId": channel_id(index),
                "channelTitle": name(ask, index),
                "title": format!("Video {post_index}"),
                "description": words(ask, post_index),
                "resourceId": {"videoId": video_id(post_index)},
            },
            "contentDetails": {"videoId": video_id(post_index), "videoPublishedAt": at},
            "status": {"privacyStatus": "public"},
        })
    };
    let shown = found.items.iter().map(|index| **index).collect();
    let listed: Vec<Value> = found.items.iter().map(|index| item(**index)).collect();
    Reply { shown, ..items(&listed, found.after.as_deref()) }
}

fn videos(ask: &Ask<'_>) -> Reply {
    let ids = ask.request.param("id").unwrap_or_default().split(',').take(IDS_MAX);
    let found: Vec<u32> = ids.filter_map(|id| find_video(ask, id)).collect();
    let shown = found.clone();
    let found: Vec<Value> = found.into_iter().map(|post_index| video(ask, post_index)).collect();
    Reply { shown, ..items(&found, None) }
}

fn comments(ask: &Ask<'_>) -> Reply {
    let found = ask.request.param("videoId").and_then(|id| find_video(ask, id));
    let Some(post_index) = found else { return missing("videoNotFound") };
    let posts = &ask.world.posts;
    let mut replies: Vec<u32> =
        posts.replies(post_index).filter(|reply| ask.world.is_visible(*reply)).collect();
    replies.reverse();
    let found = select(ask, &replies, |reply| posts.get(*reply).id, |_| true);
    let thread = |reply: u32| {
        let nested = posts.replies(reply).filter(|nested| ask.world.is_visible(*nested)).take(NESTED_MAX);
        let nested: Vec<Value> = nested.map(|nested| comment(ask, nested, post_index, Some(reply))).collect();
        let top = comment(ask, reply, post_index, None);
        json!({"snippet": {"videoId": video_id(post_index), "topLevelComment": top}, "replies": {"comments": nested}})
    };
    let threads: Vec<Value> = found.items.iter().map(|reply| thread(**reply)).collect();
    let next = found.after;
    let body = json!({"pageInfo": {"totalResults": threads.len()}, "items": threads, "nextPageToken": next});
    Reply::json(body.to_string())
}

fn channel(ask: &Ask<'_>, index: u32) -> Value {
    let account = &ask.world.accounts[index as usize];
    json!({
        "id": channel_id(index),
        "snippet": {"title": name(ask, index), "customUrl": format!("@{}", account.handle), "publishedAt": joined(ask, index)},
        "statistics": {
            "viewCount": (u64::from(account.post_count) * 100).to_string(),
            "subscriberCount": account.followers.len().to_string(),
            "videoCount": account.post_count.to_string(),
        },
        "contentDetails": {"relatedPlaylists": {"uploads": format!("UU{}", &channel_id(index)[2..])}},
    })
}

fn video(ask: &Ask<'_>, post_index: u32) -> Value {
    let post = ask.world.posts.get(post_index);
    let likes = ask.face().favourite_count(post_index);
    json!({
        "id": video_id(post_index),
        "snippet": {
            "publishedAt": time(post.created_at_ms()),
            "channelId": channel_id(post.author),
            "channelTitle": name(ask, post.author),
            "title": format!("Video {post_index}"),
            "description": words(ask, post_index),
        },
        "statistics": {
            "viewCount": (likes * 40 + 7).to_string(),
            "likeCount": likes.to_string(),
            "commentCount": post.reply_count.to_string(),
        },
        "status": {"privacyStatus": "public"},
        "contentDetails": {"duration": "PT3M20S"},
    })
}

fn comment(ask: &Ask<'_>, post_index: u32, video: u32, parent: Option<u32>) -> Value {
    let post = ask.world.posts.get(post_index);
    let at = time(post.created_at_ms());
    let snippet = json!({
        "videoId": video_id(video),
        "textOriginal": words(ask, post_index),
        "authorDisplayName": format!("@{}", ask.world.accounts[post.author as usize].handle),
        "authorChannelId": {"value": channel_id(post.author)},
        "likeCount": ask.face().favourite_count(post_index),
        "publishedAt": at,
        "updatedAt": at,
        "parentId": parent.map(comment_id),
    });
    json!({"id": comment_id(post_index), "snippet": snippet})
}

fn comment_id(post_index: u32) -> String {
    format!("c{post_index:010}")
}

fn channel_id(index: u32) -> String {
    format!("UC{index:022}")
}

fn joined(ask: &Ask<'_>, index: u32) -> String {
    time(ask.world.accounts[index as usize].joined_ms)
}

fn is_video(ask: &Ask<'_>, post_index: u32) -> bool {
    matches!(ask.world.posts.get(post_index).relation(), Relation::Original)
        && ask.world.is_visible(post_index)
}

fn find_video(ask: &Ask<'_>, id: &str) -> Option<u32> {
    let post_index: u32 = id.strip_prefix('v')?.parse().ok()?;
    ask.world.posts.all().get(post_index as usize)?;
    Some(post_index).filter(|post_index| is_video(ask, *post_index))
}

/// By the number that stands behind `UC` or `UU`.
fn find_channel(ask: &Ask<'_>, number: &str) -> Option<u32> {
    let index: u32 = number.parse().ok()?;
    ask.world.accounts.get(index as usize).map(|_| index)
}

fn is_there(ask: &Ask<'_>, index: u32) -> bool {
    ask.world.accounts[index as usize].standing == Standing::Public
}

fn time(ms: i64) -> String {
    tree::time(ms, "%Y-%m-%dT%H:%M:%SZ")
}
