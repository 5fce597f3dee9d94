//! What a constraint is for: what is stored, what is expanded, what is visited again, who is let in.

use serde::{Deserialize, Serialize};

/// What a constraint decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Whether an object goes into the tables.
    #[default]
    Store,
    /// Whether robots expand a stored object: make sources of it.
    Follow,
    /// Whether a source is visited again after its first complete visit, by the object it belongs to.
    Revisit,
    /// Whether a new object that a page shows beside what it lists is let in at all.
    Discover,
}

impl Purpose {
    /// All of them, the usual one first.
    pub const ALL: [Self; 4] = [Self::Store, Self::Follow, Self::Revisit, Self::Discover];

    /// Its word in commands, reports and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Follow => "follow",
            Self::Revisit => "revisit",
            Self::Discover => "discover",
        }
    }

    /// The purpose of this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == word)
    }
}
