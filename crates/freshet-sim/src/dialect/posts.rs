//! Endpoints about posts: one post, its thread, its history, its reposters and likers; timelines.

use super::accounts::{merged_page, people_page, post_page};
use super::json::{Object, push_list};
use super::page::Bounds;
use super::{Ask, Reply};
use crate::world::{Edge, Relation, text};

/// Posts on a page by default; twice as many at most.
const POSTS_DEFAULT: usize = 20;
/// Tags of one list that are taken into account, as on the real thing.
const TAGS_MAX: usize = 4;
/// Posts that one request may name.
const IDS_MAX: usize = 20;
/// Most of a thread that is shown without and with a token: ancestors, descendants, depth.
const THREAD_ANONYMOUS: (usize, usize, usize) = (40, 60, 20);
const THREAD_WITH_TOKEN: (usize, usize, usize) = (4096, 4096, usize::MAX);

pub(super) fn several(ask: &Ask<'_>) -> Reply {
    let named = ask.request.query.iter().filter(|(name, _)| name == "id[]").take(IDS_MAX);
    let found: Vec<u32> = named.filter_map(|(_, id)| find(ask, id)).collect();
    list(ask, found)
}

pub(super) fn one(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find(ask, id) else { return Reply::missing() };
    let mut body = String::new();
    ask.face().post(&mut body, post_index);
    Reply { shown: vec![post_index], ..Reply::json(body) }
}

pub(super) fn context(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find(ask, id) else { return Reply::missing() };
    let is_known = ask.request.token().is_some();
    let (up_max, down_max, depth_max) = if is_known { THREAD_WITH_TOKEN } else { THREAD_ANONYMOUS };
    let (mut face, mut body) = (ask.face(), String::new());
    let mut object = Object::open(&mut body);
    object.nest("ancestors", |out| {
        push_list(out, ancestors(ask, post_index, up_max), |out, post_index| face.post(out, post_index));
    });
    let below = descendants(ask, post_index, down_max, depth_max);
    object.nest("descendants", |out| push_list(out, below, |out, post_index| face.post(out, post_index)));
    object.close();
    Reply::json(body)
}

/// What a post answers, and what that answers, oldest first; a deleted post ends the chain.
fn ancestors(ask: &Ask<'_>, post_index: u32, count_max: usize) -> Vec<u32> {
    let parent = |post_index: &u32| match ask.world.posts.get(*post_index).relation() {
        Relation::ReplyTo(parent) => Some(parent).filter(|parent| !ask.world.posts.get(*parent).is_deleted()),
        _ => None,
    };
    let chain = std::iter::successors(parent(&post_index), parent).take(count_max);
    let mut found: Vec<u32> = chain.filter(|post_index| ask.world.is_visible(*post_index)).collect();
    found.reverse();
    found
}

/// All answers below a post, depth first, older siblings first; below a deleted one nothing is known.
fn descendants(ask: &Ask<'_>, post_index: u32, count_max: usize, depth_max: usize) -> Vec<u32> {
    let posts = &ask.world.posts;
    let mut found = Vec::new();
    let mut open: Vec<(u32, usize)> = posts.replies(post_index).map(|reply| (reply, 1)).collect();
    while let Some((reply, depth)) = open.pop() {
        if found.len() == count_max {
            break;
        }
        if posts.get(reply).is_deleted() {
            continue;
        }
        if ask.world.is_visible(reply) {
            found.push(reply);
        }
        if depth < depth_max {
            open.extend(posts.replies(reply).map(|next| (next, depth + 1)));
        }
    }
    found
}

pub(super) fn history(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find(ask, id) else { return Reply::missing() };
    let (mut face, mut body) = (ask.face(), String::new());
    let versions = 0..=ask.world.posts.edits(post_index).len();
    push_list(&mut body, versions, |out, edit_count| face.version(out, post_index, edit_count));
    Reply::json(body)
}

pub(super) fn reposters(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find(ask, id) else { return Reply::missing() };
    let posts = &ask.world.posts;
    let mut reposts: Vec<u32> =
        posts.reposts(post_index).filter(|repost| ask.world.is_visible(*repost)).collect();
    reposts.reverse();
    people_page(ask, &reposts, |repost| posts.get(*repost).id, |repost| posts.get(*repost).author)
}

/// As many followers of the author as the post says that like it; who likes it goes on doing so.
pub(super) fn likers(ask: &Ask<'_>, id: &str) -> Reply {
    let Some(post_index) = find(ask, id) else { return Reply::missing() };
    let (face, author) = (ask.face(), ask.world.posts.get(post_index).author);
    let mut fans: Vec<&Edge> = ask.world.accounts[author as usize].followers.iter().collect();
    fans.sort_by_key(|fan| face.fondness(post_index, fan.other));
    fans.truncate(usize::try_from(face.favourite_count(post_index)).unwrap_or(usize::MAX));
    fans.sort_by_key(|fan| fan.number);
    people_page(ask, &fans, |fan| u64::from(fan.number), |fan| fan.other)
}

pub(super) fn public_timeline(ask: &Ask<'_>) -> Reply {
    let world = ask.world;
    // Everybody lives here, so there is nothing remote; media do not exist.
    if ask.request.is_on("remote") || ask.request.is_on("only_media") {
        return list(ask, Vec::new());
    }
    let bounds = Bounds::read(ask, POSTS_DEFAULT);
    let found = bounds.select(
        world.posts.all(),
        |post| post.id,
        // Neither answers nor reposts belong here, as on the real thing.
        |post| matches!(post.relation(), Relation::Original) && world.is_post_visible(post),
    );
    let post_indices: Vec<u32> = found.iter().filter_map(|post| world.posts.find(post.id)).collect();
    post_page(ask, &bounds, &post_indices)
}

pub(super) fn tag_timeline(ask: &Ask<'_>, tag: &str) -> Reply {
    let also = ask.request.query.iter().filter(|(name, _)| name == "any[]").map(|(_, tag)| tag.as_str());
    let mut names: Vec<&str> = Vec::new();
    for name in std::iter::once(tag).chain(also) {
        if !names.contains(&name) && names.len() < TAGS_MAX {
            names.push(name);
        }
    }
    let found = names.iter().filter_map(|name| text::find_tag(name));
    let lists: Vec<&[u32]> = found.map(|tag| ask.world.tagged[tag as usize].as_slice()).collect();
    merged_page(ask, &Bounds::read(ask, POSTS_DEFAULT), &lists)
}

fn list(ask: &Ask<'_>, post_indices: Vec<u32>) -> Reply {
    let (mut face, mut body) = (ask.face(), String::new());
    push_list(&mut body, &post_indices, |out, post_index| face.post(out, *post_index));
    Reply { shown: post_indices, ..Reply::json(body) }
}

/// The post of an id, if everybody can see it.
fn find(ask: &Ask<'_>, id: &str) -> Option<u32> {
    let found = ask.world.posts.find(id.parse().ok()?);
    found.filter(|post_index| ask.world.is_visible(*post_index))
}
