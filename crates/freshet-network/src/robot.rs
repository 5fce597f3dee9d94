//! The robots as data: who wants which object, and who feeds whom [MBCrawler, sections 2.1–2.2].
//!
//! | robot | collects | feeds with accounts it meets | feeds with posts it meets |
//! |---|---|---|---|
//! | relation | who follows whom | relation, user, status, tag | – |
//! | user | profiles | – | – |
//! | status | posts of an account, reposts of a post | relation, user, status, tag | comment, status |
//! | comment | replies to a post | relation, user, status, tag | – |
//! | tag | tags of an account | – | – |
//! | link | members of any collection that a definition lists | relation, user, status, tag, link | comment, status, link |
//! | across | what links of other networks lead to | across, with the author of what it read | – |
//!
//! The first four rows are the paper's; the tag robot is the one its authors added for Weibo, with
//! a queue of accounts like the user robot's. "Status feeds status with posts" is the chain of
//! reposts. A robot that is switched off simply leaves its ring unread.
//!
//! How the rules are realised: nobody pushes into another robot's ring. Every account or post that
//! is stored for the first time appears exactly once in the change log, and each robot's ring
//! consumes the log from its own cursor and asks [`fed_by`]. So an id enters a ring exactly once,
//! whichever robot met it first, and a ring that was switched off catches up later. A thing that a
//! person adds feeds every robot that has an endpoint for it.
//!
//! The robot `across` is fed with stubs alone, which no other robot takes; it reads the object itself, and the comments on it, through the
//! endpoints that definitions have for these anyway.
//!
//! This file decides; it neither queues nor visits.

use freshet_types::{Connector, Endpoint, NetworkName, PageKind, RobotKind, Source};

/// The root type that accounts have in every definition.
pub const ACCOUNT: &str = "account";

/// Who is fed with an object of this type when `finder` meets it for the first time.
fn feeds(finder: RobotKind, root_kind: &str) -> &'static [RobotKind] {
    use RobotKind::{Across, Comment, Link, Relation, Status, Tag, User};
    match (finder, root_kind) {
        (Relation | Status | Comment | Link, ACCOUNT) => &[Relation, User, Status, Tag, Link],
        (Status | Link, _) => &[Status, Comment, Link],
        (Across, ACCOUNT) => &[Across],
        (User | Tag | Relation | Comment | Across, _) => &[],
    }
}

/// The robots that have an endpoint for objects of this type, in the order of the paper.
pub(crate) fn wanted_by(connector: &dyn Connector, root_kind: &str) -> Vec<RobotKind> {
    let has_endpoint = |robot: &RobotKind| {
        connector
            .endpoints()
            .iter()
            .any(|endpoint| endpoint.robot == Some(*robot) && *endpoint.root_kind == *root_kind)
    };
    RobotKind::ALL.into_iter().filter(has_endpoint).collect()
}

/// The robots whose rings take in an object that `finder` met; `None`: a person added it.
pub fn fed_by(finder: Option<RobotKind>, connector: &dyn Connector, root_kind: &str) -> Vec<RobotKind> {
    let mut robots = wanted_by(connector, root_kind);
    if finder == Some(RobotKind::Across) && can_follow(connector, root_kind, "") {
        robots.push(RobotKind::Across);
    }
    if let Some(finder) = finder {
        robots.retain(|robot| feeds(finder, root_kind).contains(robot));
    }
    robots
}

/// Whether an object that a link of another network leads to can be read by itself.
pub fn can_follow(connector: &dyn Connector, root_kind: &str, id: &str) -> bool {
    connector.single(root_kind).is_some()
        && (handle_of(root_kind, id).is_none() || connector.lookup().is_some())
}

/// The handle by which a link names an account whose id it does not know: `@ada`.
fn handle_of<'a>(root_kind: &str, id: &'a str) -> Option<&'a str> {
    id.strip_prefix('@').filter(|handle| root_kind == ACCOUNT && !handle.is_empty())
}

/// The sources through which `across` visits an object: itself, and the comments on it, whose authors are a step further away.
fn sources_across(
    connector: &dyn Connector,
    network: &NetworkName,
    (root_kind, root_id): (&str, &str),
    depth: u16,
) -> Vec<Source> {
    let source = |endpoint: &Endpoint, id: &str, depth: u16| Source {
        depth,
        ..Source::new(network, &endpoint.name, RobotKind::Across, root_kind, id)
    };
    let Some(own) = connector.single(root_kind) else { return Vec::new() };
    if let Some(handle) = handle_of(root_kind, root_id) {
        return vec![Source { handle: Some(handle.to_owned()), ..source(own, "", depth) }];
    }
    let is_of = |endpoint: &&Endpoint| {
        endpoint.kind == PageKind::Comments
            && endpoint.robot == Some(RobotKind::Comment)
            && *endpoint.root_kind == *root_kind
    };
    let comments = connector.endpoints().iter().filter(is_of);
    let comments = comments.map(|endpoint| source(endpoint, root_id, depth.saturating_add(1)));
    [source(own, root_id, depth)].into_iter().chain(comments).collect()
}

/// The sources through which `robot` visits an object: one for each of its endpoints.
pub fn sources_for(
    connector: &dyn Connector,
    network: &NetworkName,
    robot: RobotKind,
    root_kind: &str,
    root_id: &str,
    depth: u16,
) -> Vec<Source> {
    if robot == RobotKind::Across {
        return sources_across(connector, network, (root_kind, root_id), depth);
    }
    let is_for = |endpoint: &&Endpoint| endpoint.robot == Some(robot) && *endpoint.root_kind == *root_kind;
    connector
        .endpoints()
        .iter()
        .filter(is_for)
        .map(|endpoint| Source { depth, ..Source::new(network, &endpoint.name, robot, root_kind, root_id) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapi::testing::TestConnector;

    fn check(finder: Option<RobotKind>, root_kind: &str, expected: &str) {
        let connector = TestConnector::new();
        let fed: Vec<_> = fed_by(finder, &connector, root_kind).into_iter().map(RobotKind::name).collect();
        assert_eq!(fed.join(" "), expected, "{finder:?} meets {root_kind}");
    }

    #[test]
    fn robots_feed_each_other_as_in_the_paper() {
        use RobotKind::{Comment, Relation, Status, Tag, User};
        check(Some(Relation), "account", "relation user status tag");
        check(Some(Relation), "post", "");
        check(Some(User), "account", "");
        check(Some(User), "post", "");
        check(Some(Status), "account", "relation user status tag");
        check(Some(Status), "post", "status comment");
        check(Some(Comment), "account", "relation user status tag");
        check(Some(Comment), "post", "");
        check(Some(Tag), "account", "");
        check(None, "account", "relation user status tag");
        check(None, "post", "status comment");
        check(None, "album", "");
    }

    #[test]
    fn the_shipped_networks_have_work_for_their_robots() {
        let networks = crate::networks::Networks::shipped();
        for (network, root_kind, expected) in [
            ("mastodon", "account", "relation user status tag"),
            ("mastodon", "post", "comment link"),
            ("mastodon", "tag", "status"),
            ("bluesky", "account", "relation user status"),
            ("rss", "account", "status"),
        ] {
            let connector = networks.connector(network).unwrap();
            let names: Vec<_> = wanted_by(&*connector, root_kind).into_iter().map(RobotKind::name).collect();
            assert_eq!(names.join(" "), expected, "{network} {root_kind}");
        }
    }

    #[test]
    fn what_links_of_other_networks_lead_to_is_read_by_itself() {
        let networks = crate::networks::Networks::shipped();
        for (network, kind, id, expected) in [
            ("youtube", "video", "v", "video 1 v,replies 2 v"),
            ("youtube", "account", "UC1", "account 1 UC1"),
            ("mastodon", "account", "@ada", "account 1 @ada"),
            ("bluesky", "post", "at://x", "post 1 at://x,replies 2 at://x"),
            ("rss", "account", "x", ""),
        ] {
            let connector = networks.connector(network).unwrap();
            let name = NetworkName::from(network);
            let sources = sources_for(&*connector, &name, RobotKind::Across, kind, id, 1);
            let shown = |it: &Source| {
                let root = it.handle.as_ref().map_or(it.root_id.clone(), |handle| format!("@{handle}"));
                format!("{} {} {root}", it.endpoint, it.depth)
            };
            let shown: Vec<_> = sources.iter().map(shown).collect();
            assert_eq!(shown.join(","), expected, "{network} {kind}");
            assert_eq!(can_follow(&*connector, kind, id), !expected.is_empty(), "{network} {kind}");
        }
    }

    #[test]
    fn a_robot_visits_an_object_through_each_of_its_endpoints() {
        let connector = TestConnector::new();
        let network = NetworkName::from("social");
        let sources = sources_for(&connector, &network, RobotKind::Relation, "account", "7", 3);
        let shown: Vec<_> = sources.iter().map(|source| (&*source.endpoint, source.depth)).collect();
        assert_eq!(shown, [("followers", 3), ("following", 3)]);
        assert_eq!(sources[0].root_id, "7");
        assert!(sources_for(&connector, &network, RobotKind::Comment, "account", "7", 0).is_empty());
    }
}
