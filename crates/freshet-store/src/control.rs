//! What a person may ask a running process to do, through the store.
//!
//! A message is stored as two texts, a verb and an argument. One that this version does not know, because a newer one left it, is
//! [`Control::Unknown`]: whoever reads it passes over it with a warning.

use freshet_types::{Request, RobotKind, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

const SOURCES: &str = "sources";
const ROBOTS: &str = "robots";
const CONSTRAINTS: &str = "constraints";
const BUDGETS: &str = "budgets";
const CALENDARS: &str = "calendars";
const SETTINGS: &str = "settings";
const ALERT_TEST: &str = "alert-test";
const GUEST: &str = "guest";
const SUBSCRIPTIONS: &str = "subscriptions";

/// Something a person asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Sources are others than before, or in another state.
    Sources(SourcesChange),
    /// A robot was started, paused or stopped, or has another credential.
    Robots(RobotKind),
    /// Constraints are to be read and applied anew.
    Constraints(ConstraintsChange),
    /// Budgets are to be read anew.
    Budgets,
    /// Calendars are to be read anew.
    Calendars,
    /// A setting of a network changed: its name.
    Settings(String),
    /// A receiver of alerts, by its name, wants a test message.
    AlertTest(String),
    /// Subscriptions are others than before, or in another state.
    Subscriptions,
    /// A command that asks a network itself wants to do so under the ledger of the run.
    Guest(Box<GuestAsk>),
    /// A message of another version.
    Unknown {
        /// What it asks for.
        verb: String,
        /// What it is about.
        argument: String,
    },
}

/// What happened to sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourcesChange {
    /// So many are new.
    Added(u64),
    /// These are not watched any more.
    Removed(Vec<SourceId>),
    Paused(Vec<SourceId>),
    /// These are watched again.
    Watched(Vec<SourceId>),
    /// The pace of this one was chosen by a person.
    Pinned(SourceId),
    /// There is word of news of this one: its next visit is due earlier than it was.
    Due(SourceId),
    /// Something was forgotten. What it was is not said: nobody may read it here.
    Forgotten,
    /// These have another weight.
    Weighed(Vec<SourceId>),
    /// Something that only another version understands.
    #[serde(untagged)]
    Other(serde_json::Value),
}

/// What a command that asks a network itself wants of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuestAsk {
    /// May this request leave? Answered by the number of the message.
    Grant(Request),
    /// A request that was granted took so many exchanges more, or was told that there are too many.
    Spent {
        request: Request,
        extra_count: u32,
        /// The server said "too many".
        is_refused: bool,
        /// Until then, as the server says.
        refused_until: Option<Timestamp>,
    },
}

/// Why constraints are applied anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintsChange {
    /// The rules changed.
    Changed,
    /// Something was forgotten, and may be parked.
    Forgotten,
}

/// A message in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlRow {
    /// Its place, rising.
    pub number: u64,
    /// What is asked for.
    pub control: Control,
}

impl Control {
    /// As it is stored: the verb and the argument.
    pub fn to_stored(&self) -> (&str, String) {
        match self {
            Self::Sources(change) => {
                (SOURCES, serde_json::to_string(change).expect("numbers and texts are plain data"))
            }
            Self::Robots(robot) => (ROBOTS, robot.name().to_owned()),
            Self::Constraints(ConstraintsChange::Changed) => (CONSTRAINTS, "changed".to_owned()),
            Self::Constraints(ConstraintsChange::Forgotten) => (CONSTRAINTS, "forgotten".to_owned()),
            Self::Budgets => (BUDGETS, "changed".to_owned()),
            Self::Calendars => (CALENDARS, "changed".to_owned()),
            Self::Settings(name) => (SETTINGS, name.clone()),
            Self::AlertTest(receiver) => (ALERT_TEST, receiver.clone()),
            Self::Subscriptions => (SUBSCRIPTIONS, "changed".to_owned()),
            Self::Guest(ask) => {
                (GUEST, serde_json::to_string(ask).expect("a request without its secrets is plain data"))
            }
            Self::Unknown { verb, argument } => (verb, argument.clone()),
        }
    }

    /// What was stored. Whatever is said of known things is taken to be about them, so that nothing that somebody asked
    /// for is missed.
    pub fn from_stored(verb: &str, argument: &str) -> Self {
        let unknown = || Self::Unknown { verb: verb.to_owned(), argument: argument.to_owned() };
        match verb {
            SOURCES => {
                let other = || SourcesChange::Other(serde_json::Value::from(argument));
                Self::Sources(serde_json::from_str(argument).unwrap_or_else(|_| other()))
            }
            ROBOTS => argument.parse().map_or_else(|_| unknown(), Self::Robots),
            CONSTRAINTS if argument == "forgotten" => Self::Constraints(ConstraintsChange::Forgotten),
            CONSTRAINTS => Self::Constraints(ConstraintsChange::Changed),
            BUDGETS => Self::Budgets,
            CALENDARS => Self::Calendars,
            SETTINGS => Self::Settings(argument.to_owned()),
            ALERT_TEST => Self::AlertTest(argument.to_owned()),
            SUBSCRIPTIONS => Self::Subscriptions,
            GUEST => serde_json::from_str(argument).map_or_else(|_| unknown(), Self::Guest),
            _ => unknown(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(control: &Control, verb: &str, argument: &str) {
        assert_eq!(control.to_stored(), (verb, argument.to_owned()));
        assert_eq!(Control::from_stored(verb, argument), *control);
    }

    #[test]
    fn messages_are_stored_as_they_always_were() {
        let sources = |change| Control::Sources(change);
        check(&sources(SourcesChange::Added(3)), "sources", r#"{"added":3}"#);
        let ids = || vec![SourceId(1), SourceId(2)];
        check(&sources(SourcesChange::Removed(ids())), "sources", r#"{"removed":[1,2]}"#);
        check(&sources(SourcesChange::Paused(ids())), "sources", r#"{"paused":[1,2]}"#);
        check(&sources(SourcesChange::Watched(ids())), "sources", r#"{"watched":[1,2]}"#);
        check(&sources(SourcesChange::Pinned(SourceId(7))), "sources", r#"{"pinned":7}"#);
        check(&sources(SourcesChange::Due(SourceId(7))), "sources", r#"{"due":7}"#);
        check(&sources(SourcesChange::Forgotten), "sources", r#""forgotten""#);
        check(&sources(SourcesChange::Weighed(ids())), "sources", r#"{"weighed":[1,2]}"#);
        check(&sources(SourcesChange::Other(serde_json::json!({"moved": 1}))), "sources", r#"{"moved":1}"#);
        check(&Control::Robots(RobotKind::Comment), "robots", "comment");
        check(&Control::Constraints(ConstraintsChange::Changed), "constraints", "changed");
        check(&Control::Constraints(ConstraintsChange::Forgotten), "constraints", "forgotten");
        check(&Control::Budgets, "budgets", "changed");
        check(&Control::Calendars, "calendars", "changed");
        check(&Control::Settings("on_delete".into()), "settings", "on_delete");
        check(&Control::AlertTest("me".into()), "alert-test", "me");
        check(&Control::Subscriptions, "subscriptions", "changed");
        let guest = GuestAsk::Grant(Request::get(&"n".into(), "https://n.example/".to_owned()));
        let (_, argument) = Control::Guest(Box::new(guest.clone())).to_stored();
        check(&Control::Guest(Box::new(guest)), "guest", &argument);
        let dance = || Control::Unknown { verb: "dance".into(), argument: "a tango".into() };
        check(&dance(), "dance", "a tango");
    }
}
