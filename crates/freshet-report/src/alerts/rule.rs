//! The names of the rules by which alerts are found.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleName {
    /// A source that should speak says nothing.
    Silence,
    /// A source says very much at once.
    Burst,
    /// Posts were lost.
    Hole,
    /// A quota was spent before its time.
    Quota,
    /// A credential is missing or refused.
    Login,
    /// A source is no more.
    Dead,
    /// What is read cannot be written down.
    Store,
    /// A server does not answer.
    Server,
}

impl RuleName {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Silence,
        Self::Burst,
        Self::Hole,
        Self::Quota,
        Self::Login,
        Self::Dead,
        Self::Store,
        Self::Server,
    ];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Silence => "silence",
            Self::Burst => "burst",
            Self::Hole => "hole",
            Self::Quota => "quota",
            Self::Login => "login",
            Self::Dead => "dead",
            Self::Store => "store",
            Self::Server => "server",
        }
    }

    /// What its threshold is measured in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Silence | Self::Burst => "probability below",
            Self::Hole => "posts that may be lost, at least",
            Self::Quota => "share of the window left, at least",
            Self::Login => "sources, at least",
            Self::Dead => "hours without an answer, at least",
            Self::Store => "seconds of trouble, at least",
            Self::Server => "minutes down, at least",
        }
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RuleName {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|rule| rule.name() == text);
        found.ok_or_else(|| format!("there is no rule `{text}`; the rules are {names}"))
    }
}
