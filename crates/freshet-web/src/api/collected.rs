//! The part of the API about what was collected, and who collects it: posts, objects, forums, robots.
//!
//! What a call does is in the file of its subject, `posts.rs` for instance, which the pages use too.

use axum::Json;
use axum::extract::{Path, Query, State};
use freshet_report::forums::{ForumReport, ForumsReport};
use freshet_report::graph::GraphReport;
use freshet_report::object::ObjectReport;
use freshet_report::posts::{PostReport, PostsReport};
use freshet_report::robots::RobotsReport;

use super::{get, post};
use crate::answer::Answer;
use crate::{Routes, Shared, forums, graph, objects, posts, robots};

/// How posts are asked for.
const POSTS: &[(&str, &str)] = &[
    ("q", "words, as `freshet search` takes them"),
    ("network", "a network, or all servers of a definition"),
    ("author", "handle or id"),
    ("since", "created at or after: a date, a time, or a span back such as 7d"),
    ("until", "created before"),
    ("page", "from 1"),
];
/// How an object is asked for.
const OBJECT: &[(&str, &str)] = &[
    ("links", "links or paths of links, with commas between: author.handle,replies"),
    ("limit", "members of a collection, at most 1000"),
    ("offset", "members that are passed over"),
];

/// What was collected, and who collects it.
pub(super) fn add(routes: Routes) -> Routes {
    routes
        .add(get("/api/v1/posts", "A page of posts", POSTS).giving("PostsReport"), list_posts)
        .add(get("/api/v1/posts.jsonl", "All posts of a query as JSON lines", POSTS), posts::jsonl)
        .add(get("/api/v1/posts.csv", "All posts of a query as CSV", POSTS), posts::csv)
        .add(get("/api/v1/posts.parquet", "All posts of a query as Parquet", POSTS), posts::parquet)
        .add(get("/api/v1/posts/{number}", "One post and its changes", &[]).giving("PostReport"), one_post)
        .add(
            get(
                "/api/v1/graph",
                "What stands around an account or post",
                &[("at", "a number, handle or address")],
            )
            .giving("GraphReport"),
            graph_at,
        )
        .add(
            get("/api/v1/objects/{*address}", "One object, its values and links, by its address", OBJECT)
                .giving("ObjectReport"),
            one_object,
        )
        .add(get("/api/v1/forums", "The forums that were learned", &[]).giving("ForumsReport"), list_forums)
        .add(
            get("/api/v1/forums/{name}", "One forum and its threads", &[("page", "from 1")])
                .giving("ForumReport"),
            one_forum,
        )
        .add(get("/api/v1/robots", "The robots", &[]).giving("RobotsReport"), list_robots)
        .add(
            post("/api/v1/robots/{robot}/{verb}", "`start`, `pause`, `resume` or `stop`")
                .giving("RobotsReport"),
            tell_robot,
        )
}

async fn list_posts(
    State(site): State<Shared>,
    Query(asked): Query<posts::Asked>,
) -> Answer<Json<PostsReport>> {
    posts::list(&site, &asked).await.map(Json)
}

async fn one_post(State(site): State<Shared>, Path(number): Path<String>) -> Answer<Json<PostReport>> {
    posts::describe(&site, &number).await.map(Json)
}

async fn list_robots(State(site): State<Shared>) -> Answer<Json<RobotsReport>> {
    site.read(|site, data| Ok(freshet_app::robots::list(data, &site.parts.networks)?)).await.map(Json)
}

async fn tell_robot(
    State(site): State<Shared>,
    Path((robot, verb)): Path<(String, String)>,
) -> Answer<Json<RobotsReport>> {
    robots::tell(&site, &robot, &verb).await.map(Json)
}

async fn graph_at(
    State(site): State<Shared>,
    Query(asked): Query<graph::Asked>,
) -> Answer<Json<GraphReport>> {
    graph::describe(&site, &asked).await.map(Json)
}

async fn one_object(
    State(site): State<Shared>,
    Path(address): Path<String>,
    Query(asked): Query<objects::Asked>,
) -> Answer<Json<ObjectReport>> {
    objects::describe(&site, address, &asked).await.map(Json)
}

async fn list_forums(State(site): State<Shared>) -> Answer<Json<ForumsReport>> {
    forums::list(&site).await.map(Json)
}

async fn one_forum(
    State(site): State<Shared>,
    Path(name): Path<String>,
    Query(asked): Query<forums::Asked>,
) -> Answer<Json<ForumReport>> {
    forums::describe(&site, &name, &asked).await.map(Json)
}
