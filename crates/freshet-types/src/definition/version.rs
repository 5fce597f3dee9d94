//! Which text of a definition is meant.
//!
//! Definitions are replaced while everything runs, and orders that were made by one may be read elsewhere: the version says
//! whether both have the same. It is a hash of the text, so processes agree on it without speaking to each other; equal texts are one version.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The version of a definition: a hash of its text as loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DefinitionVersion(u64);

impl DefinitionVersion {
    /// The version of this text.
    pub fn of(text: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }
}

impl fmt::Display for DefinitionVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
