//! Robots: which work, and starting, pausing, resuming and stopping them; which
//! credential each of them shows.
//!
//! The state is written to the store; a run that is under way sees it within a second.

use freshet_engine::collections;
use freshet_fetch::CredentialInfo;
use freshet_network::collections::{self as named, CollectionName, Collections};
use freshet_network::networks::Networks;
use freshet_report::robots::{CollectionLine, RobotLine, RobotsReport};
use freshet_store::api::Store;
use freshet_store::control::Control;
use freshet_store::row::RobotRow;
use freshet_types::{RobotKind, RobotState, Set};

use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::focus;
use crate::status;

/// What a robot can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    Start,
    /// Wait and keep your place.
    Pause,
    Resume,
    Stop,
}

impl Verb {
    /// What the robot does next, or why this cannot be asked of it.
    fn apply(self, now: RobotState) -> Result<RobotState, &'static str> {
        match (self, now) {
            (Self::Start, _) | (Self::Resume, RobotState::Running | RobotState::Paused) => {
                Ok(RobotState::Running)
            }
            (Self::Stop, _) => Ok(RobotState::Stopped),
            (Self::Pause, RobotState::Running | RobotState::Paused) => Ok(RobotState::Paused),
            (Self::Pause, RobotState::Stopped) => Err("it is stopped already"),
            (Self::Resume, RobotState::Stopped) => Err("it is stopped, not paused"),
        }
    }
}

/// Tells a robot; a run that is under way is told within a second.
pub fn steer(store: &mut dyn Store, verb: Verb, robot: RobotKind) -> anyhow::Result<()> {
    let rows = store.robots()?;
    let now = rows.iter().find(|row| row.kind == robot).map_or(RobotState::Stopped, |row| row.state);
    let next = verb.apply(now).map_err(|why| {
        let failure = Failure::misuse(format!("the robot `{robot}` cannot be told so: {why}"));
        failure.hint(format!("`freshet robots start {robot}` lets it work"))
    })?;
    store.set_robot(robot, next)?;
    store.push_control(&Control::Robots(robot))?;
    Ok(())
}

/// What `--only` takes for everything that definitions list.
const EVERYTHING: &str = "all";

/// Starts the robot `link` for these collections only, or for all of them again; or leaves these out. Where nothing would be left, it is stopped.
pub fn gather(data: &mut Data, networks: &Networks, verb: Verb, names: &[String]) -> anyhow::Result<()> {
    let refused = |why: String| {
        Failure::misuse(why).hint("`freshet robots list` shows the collections of the networks in use")
    };
    let takes_all = verb == Verb::Start && matches!(names, [name] if name == EVERYTHING);
    let mut chosen: Vec<CollectionName> = Vec::new();
    for name in names.iter().filter(|_| !takes_all) {
        let name: CollectionName = name.parse().map_err(refused)?;
        named::check(&networks.snapshot(), &name).map_err(refused)?;
        chosen.push(name);
    }
    if verb == Verb::Start {
        collections::choose(&mut data.store, &Collections::only(&chosen).map_err(refused)?)?;
        return steer(&mut data.store, Verb::Start, RobotKind::Link);
    }
    match collections::chosen(&data.store)?.without(&chosen).map_err(refused)? {
        Some(left) => Ok(collections::choose(&mut data.store, &left)?),
        None => steer(&mut data.store, Verb::Stop, RobotKind::Link),
    }
}

/// The robot shows this credential from now on, or the usual one; it must be in the file or the environment.
pub fn choose_credential(
    globals: &Globals,
    data: &mut Data,
    robot: RobotKind,
    name: Option<&str>,
) -> anyhow::Result<()> {
    let known = if name.is_some() { data.vault(globals)?.list() } else { Vec::new() };
    name_credential(&mut data.store, robot, name, &known)
}

/// The robot shows this credential from now on; a name that leads nowhere is refused.
fn name_credential(
    store: &mut dyn Store,
    robot: RobotKind,
    name: Option<&str>,
    known: &[CredentialInfo],
) -> anyhow::Result<()> {
    if let Some(name) = name {
        let found = known.iter().find(|it| &*it.name == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|it| &*it.name).collect();
            let failure = Failure::misuse(format!("there is no credential `{name}`"));
            failure.hint(match names.as_slice() {
                [] => "`freshet credentials add NETWORK` adds one".to_owned(),
                names => format!("the credentials are {}", names.join(", ")),
            })
        })?;
        if let Some(reserved) = found.robot.filter(|&reserved| reserved != robot) {
            let failure = Failure::misuse(format!("the credential `{name}` is reserved for `{reserved}`"));
            return Err(failure.hint("add it once more without --robot, under another name").into());
        }
    }
    store.set_robot_credential(robot, name)?;
    store.push_control(&Control::Robots(robot))?;
    Ok(())
}

/// All robots, and what the run under way, or the last one, had of each.
pub fn list(data: &Data, networks: &Networks) -> anyhow::Result<RobotsReport> {
    let run = status::live_report(&data.store)?;
    let hours = run.as_ref().map(|run| (run.now.0 - run.started_at.0).secs_f64() / 3600.0);
    let per_hour = |count: Option<u64>| {
        count.zip(hours.filter(|hours| *hours > 0.0)).map(|(count, hours)| count as f64 / hours)
    };
    let line = |row: RobotRow| {
        let count = run.as_ref().and_then(|run| run.work.collected_by_robot.get(&row.kind).copied());
        RobotLine {
            name: row.kind,
            state: row.state,
            credential: row.credential,
            collects: row.kind.collects().to_owned(),
            collected_count: count,
            collected_per_hour: per_hour(count),
        }
    };
    let rows = data.store.robots()?;
    let gathers =
        rows.iter().find(|row| row.kind == RobotKind::Link).map_or(RobotState::Stopped, |row| row.state);
    let chosen = collections::chosen(&data.store)?;
    let collection = |name: CollectionName| {
        let text = name.to_string();
        let count = run.as_ref().and_then(|run| run.work.collected_by_link.get(&text).copied());
        CollectionLine {
            state: if chosen.include_named(&name) { gathers } else { RobotState::Stopped },
            name: text,
            collected_count: count,
            collected_per_hour: per_hour(count),
        }
    };
    let collections = collections_in_use(&data.store, networks)?.into_iter().map(collection).collect();
    let robots = rows.into_iter().map(line).collect();
    let focus = focus::named(&data.store)?;
    Ok(RobotsReport { is_running: data.runner().is_some(), focus, robots, collections })
}

/// What the networks of which something is stored list for the robot `link`.
fn collections_in_use(store: &dyn Store, networks: &Networks) -> anyhow::Result<Vec<CollectionName>> {
    let mut definitions: Set<String> = Set::default();
    for (_, network) in store.networks_above(0)? {
        definitions.insert(network.definition().to_owned());
    }
    let registry = networks.snapshot();
    let used = definitions.iter().filter_map(|name| registry.get(name));
    let mut names: Vec<_> =
        used.flat_map(|network| named::of_network(&network.name, &*network.connector)).collect();
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use freshet_store::testing;

    use super::*;

    #[test]
    fn a_credential_is_named_only_where_it_can_be_used() {
        let info = |name: &str, robot| CredentialInfo {
            name: name.into(),
            network: "mastodon:a.example".into(),
            kind: freshet_fetch::CredentialKind::Bearer,
            robot,
            identifier: None,
            app: None,
            expires_at: None,
            state: freshet_fetch::CredentialState::Ready,
            origin: freshet_fetch::Origin::File,
        };
        let known = [info("free", None), info("taken", Some(RobotKind::User))];
        let mut store = testing::memory();
        for (robot, name, expected) in [
            (RobotKind::Status, Some("free"), Ok(Some("free"))),
            (RobotKind::User, Some("taken"), Ok(Some("taken"))),
            (RobotKind::Status, Some("taken"), Err("reserved for `user`")),
            (RobotKind::Status, Some("nobody"), Err("no credential `nobody`")),
            (RobotKind::Status, None, Ok(None)),
        ] {
            let named = name_credential(&mut store, robot, name, &known);
            match (named, expected) {
                (Ok(()), Ok(kept)) => {
                    let row = store.robots().unwrap().into_iter().find(|row| row.kind == robot).unwrap();
                    assert_eq!(row.credential.as_deref(), kept, "{robot} {name:?}");
                }
                (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
                (named, _) => panic!("{robot} {name:?}: {named:?}"),
            }
        }
    }

    #[test]
    fn states_follow_from_verbs() {
        use RobotState::{Paused, Running, Stopped};
        for (verb, now, next) in [
            (Verb::Start, Stopped, Some(Running)),
            (Verb::Start, Paused, Some(Running)),
            (Verb::Pause, Running, Some(Paused)),
            (Verb::Pause, Stopped, None),
            (Verb::Resume, Paused, Some(Running)),
            (Verb::Resume, Stopped, None),
            (Verb::Stop, Paused, Some(Stopped)),
            (Verb::Stop, Stopped, Some(Stopped)),
        ] {
            assert_eq!(verb.apply(now).ok(), next, "{verb:?} {now:?}");
        }
    }
}
