//! Feeding the robot `across`: stubs, whose networks may be new to this store.
//!
//! How far it goes is bounded as for the others: one step beyond the depth, so that links of what a person added are followed and links of
//! what those lead to are not; and one more to the author of what was read there. A server that nobody added is asked as its definition
//! says, never at a private address, under that network's own quota.

use freshet_store::api::{Store, StoreError};
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_types::{Change, ChangeKind, NetworkName, RobotKind, Set, Source, definition};

use super::Feeder;

impl Feeder {
    /// Whether the robot `across` is to visit it: a stub that what is near enough leads to, or the author of what such a stub became.
    pub(super) fn is_across(&self, change: &Change) -> bool {
        let is_author = change.kind == ChangeKind::Created && change.finder == Some(RobotKind::Across);
        let steps = match change.kind {
            ChangeKind::Pointed => 1,
            _ if is_author && self.is_fed(RobotKind::Across, change) => 2,
            _ => return false,
        };
        change.depth <= self.depth_max.saturating_add(steps)
    }

    /// Makes the servers known to which links lead and that nobody added; what has none is left out. Gives whether any is new.
    pub(super) fn meet_servers(
        &self,
        store: &mut dyn Store,
        sources: &mut Vec<Source>,
    ) -> Result<bool, StoreError> {
        let is_across = |source: &&Source| source.robot == RobotKind::Across;
        if !sources.iter().any(|source| is_across(&source)) {
            return Ok(false);
        }
        let mut known: Set<NetworkName> =
            store.instances()?.into_iter().map(|row| row.instance.network).collect();
        let mut has_new = false;
        for source in sources.iter().filter(is_across) {
            if known.contains(&source.network) {
                continue;
            }
            let Some(instance) = self.networks.instance_of(&source.network) else { continue };
            let definition = self.networks.definition(source.network.definition());
            let on_delete = match definition.map(|definition| definition.on_delete) {
                Some(definition::OnDelete::Redact) => OnDelete::Redact,
                Some(definition::OnDelete::Keep) | None => OnDelete::Keep,
            };
            store.put_instance(&InstanceRow { instance, on_delete })?;
            known.insert(source.network.clone());
            has_new = true;
        }
        sources.retain(|source| !is_across(&source) || known.contains(&source.network));
        Ok(has_new)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use freshet_frontier::Coordinator;
    use freshet_network::networks::Networks;
    use freshet_store::row::Upload;
    use freshet_store::testing;
    use freshet_types::{Account, Address, CrossLink, Observation, Post, RobotState, Timestamp, VisitId};

    use super::*;

    fn video() -> Address {
        "youtube/video/v1".parse().unwrap()
    }

    /// A page of posts at this depth, one of which shares a video.
    fn sharing(depth: u16) -> Upload {
        let slinks = vec![CrossLink::new("videos", video())];
        let post = Post { id: format!("p{depth}"), kind: "post".into(), slinks, ..Post::default() };
        Upload {
            robot: Some(RobotKind::Status),
            depth,
            followed: vec![video()],
            observation: Observation { posts: vec![post], ..Observation::default() },
            ..Upload::new(VisitId(1), "mastodon:a.example".into(), Timestamp::from_secs(1))
        }
    }

    /// The video as it was read through its own source, and the comments on it.
    fn read(source_depth: u16, author: &str) -> Upload {
        let id = format!("v{source_depth}");
        let post = Post { id, kind: "video".into(), author: Some(author.to_owned()), ..Post::default() };
        let account = Account { id: author.to_owned(), ..Account::default() };
        let observation =
            Observation { posts: vec![post], accounts: vec![account], ..Observation::default() };
        Upload {
            robot: Some(RobotKind::Across),
            depth: source_depth,
            observation,
            ..Upload::new(VisitId(2), "youtube".into(), Timestamp::from_secs(2))
        }
    }

    const NOW: Timestamp = Timestamp::from_secs(1_000);

    fn shown(sources: &[Source]) -> Vec<String> {
        let mut shown: Vec<_> = sources
            .iter()
            .map(|it| format!("{} {} {} {}", it.network, it.endpoint, it.root_id, it.depth))
            .collect();
        shown.sort();
        shown
    }

    fn sources(store: &dyn Store) -> Vec<Source> {
        store.sources_above(freshet_types::SourceId(0), 100).unwrap().rows
    }

    #[test]
    fn what_links_lead_to_is_visited_when_the_robot_is_started_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = testing::memory();
        let rings = Coordinator::open(dir.path(), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 0);
        for robot in RobotKind::ALL.into_iter().filter(|robot| *robot != RobotKind::Across) {
            store.set_robot(robot, RobotState::Running).unwrap();
        }
        store.apply(&[sharing(0), sharing(1)], |_, _| None).unwrap();
        feeder.tend(&mut store, 100, NOW).unwrap();
        assert!(sources(&store).iter().all(|it| it.network.as_str() != "youtube"), "nobody asked for it");
        store.set_robot(RobotKind::Across, RobotState::Running).unwrap();
        feeder.tend(&mut store, 100, NOW).unwrap();
        let across = |store: &dyn Store| -> Vec<Source> {
            sources(store).into_iter().filter(|it| it.robot == RobotKind::Across).collect()
        };
        assert_eq!(shown(&across(&store)), ["youtube replies v1 2", "youtube video v1 1"]);
        let servers = store.instances().unwrap();
        assert_eq!(servers.len(), 1, "its server is known, and the run is told");
        assert!(!servers[0].instance.allow_private && !store.controls_above(0).unwrap().is_empty());
        // The author of the video is read too; those of its comments are not.
        store.apply(&[read(1, "channel"), read(2, "commenter")], |_, _| None).unwrap();
        feeder.tend(&mut store, 100, NOW).unwrap();
        assert_eq!(
            shown(&across(&store)),
            ["youtube account channel 2", "youtube replies v1 2", "youtube video v1 1"]
        );
    }

    #[test]
    fn links_of_what_links_led_to_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = testing::memory();
        store.set_robot(RobotKind::Across, RobotState::Running).unwrap();
        let rings = Coordinator::open(dir.path(), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 0);
        store.apply(&[sharing(1)], |_, _| None).unwrap();
        feeder.tend(&mut store, 100, NOW).unwrap();
        assert_eq!(sources(&store), []);
        store.apply(&[sharing(0)], |_, _| None).unwrap();
        feeder.tend(&mut store, 100, NOW).unwrap();
        assert_eq!(sources(&store).len(), 2, "a shorter way was found");
    }
}
