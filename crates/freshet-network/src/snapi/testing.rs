//! A small network for tests: accounts, posts, follows, replies, tags, spoken in plain JSON.
//!
//! An answer is `{"accounts": […], "posts": […], "next": …, "members": […]}`; an error is a bare
//! status. Lists have two entries a page.

use std::sync::Arc;

use freshet_types::{
    Account, AskRefused, Connector, Endpoint, IdOrder, Intent, LinkType, ObjectType, Observation, Outcome,
    Page, PageKind, Politeness, Post, Primitive, PrimitiveKind, Request, Response, RobotKind, Schema, Span,
    Tag, Target, Timestamp,
};
use serde_json::Value;

/// Speaks for the network `social`, or for another name in its dialect.
#[derive(Debug)]
pub(crate) struct TestConnector {
    name: String,
    /// Stands in every URL, to tell one definition from its successor.
    version: &'static str,
    endpoints: Vec<Endpoint>,
}

impl TestConnector {
    pub(crate) fn new() -> Self {
        Self::named("social", "v1")
    }

    pub(crate) fn named(name: &str, version: &'static str) -> Self {
        use PageKind::{Account, Comments, Posts, Relations, Tags};
        use RobotKind::{Comment, Relation, Status, User};
        let endpoint = |name: &str, robot, root: &str, kind| Endpoint {
            name: name.into(),
            robot,
            root_kind: root.into(),
            kind,
            page_size: 2,
            id_order: IdOrder::None,
            order: freshet_types::ListOrder::NewestFirst,
            is_window: false,
            relation: None,
            link: None,
            counted_by: None,
            members_max: 2,
            group: freshet_types::GroupAsk::default(),
            politeness: Politeness { pause: Span::ZERO, in_flight_max: 1 },
        };
        let endpoints = vec![
            endpoint("followers", Some(Relation), "account", Relations),
            endpoint("following", Some(Relation), "account", Relations),
            endpoint("account", Some(User), "account", Account),
            endpoint("posts", Some(Status), "account", Posts),
            endpoint("reposts", Some(Status), "post", Posts),
            endpoint("replies", Some(Comment), "post", Comments),
            endpoint("tags", Some(RobotKind::Tag), "account", Tags),
            endpoint("post", None, "post", PageKind::Post),
        ];
        Self { name: name.to_owned(), version, endpoints }
    }

    pub(crate) fn schema(&self) -> Schema {
        let links = |links: Vec<(&str, LinkType)>| ObjectType {
            links: links.into_iter().map(|(name, link)| (name.to_owned(), link)).collect(),
            ids: None,
        };
        let account = links(vec![
            ("handle", LinkType::P(PrimitiveKind::Text)),
            ("followers_count", LinkType::P(PrimitiveKind::Int)),
            ("posts", LinkType::Co("post".to_owned())),
            ("followers", LinkType::Co("account".to_owned())),
            ("following", LinkType::Co("account".to_owned())),
            ("tags", LinkType::Co("tag".to_owned())),
        ]);
        let post = links(vec![
            ("text", LinkType::P(PrimitiveKind::Text)),
            ("likes", LinkType::P(PrimitiveKind::Int)),
            ("author", LinkType::C("account".to_owned())),
            ("repost_of", LinkType::C("post".to_owned())),
            ("replies", LinkType::Co("post".to_owned())),
            ("reposts", LinkType::Co("post".to_owned())),
            ("video", LinkType::Sc(Some("video".to_owned()), "post".to_owned())),
        ]);
        let types = [("account", account), ("post", post), ("tag", links(vec![]))];
        Schema {
            network: self.name.clone(),
            types: types.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect(),
        }
    }
}

impl Connector for TestConnector {
    fn name(&self) -> &str {
        &self.name
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    fn lookup(&self) -> Option<&Endpoint> {
        None
    }

    fn single(&self, root_kind: &str) -> Option<&Endpoint> {
        self.endpoint(root_kind)
    }

    fn ask(&self, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused> {
        if target.root.is_empty() {
            return Err(AskRefused("nothing is asked for".to_owned()));
        }
        let tail = match intent {
            Intent::First => String::new(),
            Intent::Next(cursor) => format!("?cursor={cursor}"),
            Intent::Newer(mark) => format!("?newer={}", mark.id),
            Intent::Members(ids) | Intent::Group(ids) => format!("?ids={}", ids.join(",")),
        };
        let url = format!("{}/{}/{}/{}{tail}", self.name, self.version, target.endpoint, target.root);
        Ok(Request::get(&target.instance.network, url))
    }

    fn read(&self, target: &Target<'_>, _intent: &Intent, response: &Response, _now: Timestamp) -> Page {
        let outcome = match response.status {
            200 => Outcome::Ok,
            404 => Outcome::Gone,
            429 => Outcome::RateLimited { until: None },
            _ => Outcome::BadRequest,
        };
        let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
        let observation = Observation {
            posts: list("posts").iter().map(post).collect(),
            accounts: list("accounts").iter().map(account).collect(),
            tags: list("tags")
                .iter()
                .map(|tag| Tag { account: target.root.to_owned(), name: text(tag) })
                .collect(),
            ..Observation::default()
        };
        Page {
            kind: self.endpoint(target.endpoint).map(|endpoint| endpoint.kind).unwrap_or_default(),
            outcome,
            observation,
            next: body["next"].as_str().map(str::to_owned),
            members: list("members").iter().map(text).collect(),
            ..Page::default()
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn post(value: &Value) -> Post {
    let known = ["id", "author", "text", "repost_of", "is_embedded", "video"];
    let other = |(name, value): (&String, &Value)| {
        let is_other = !known.contains(&name.as_str());
        is_other.then(|| (Arc::from(name.as_str()), Primitive::Int(value.as_i64().unwrap_or_default())))
    };
    Post {
        id: text(&value["id"]),
        kind: "post".into(),
        author: value["author"].as_str().map(str::to_owned),
        text: text(&value["text"]),
        repost_of: value["repost_of"].as_str().map(str::to_owned),
        is_embedded: value["is_embedded"].as_bool().unwrap_or_default(),
        plinks: value.as_object().map(|fields| fields.iter().filter_map(other).collect()).unwrap_or_default(),
        slinks: value["video"]
            .as_str()
            .map(|video| freshet_types::CrossLink::new("video", video.parse().unwrap()))
            .into_iter()
            .collect(),
        ..Post::default()
    }
}

fn account(value: &Value) -> Account {
    Account {
        id: text(&value["id"]),
        handle: value["handle"].as_str().map(str::to_owned),
        followers_count: value["followers"].as_i64(),
        ..Account::default()
    }
}
