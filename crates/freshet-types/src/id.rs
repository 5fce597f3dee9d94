//! Numbers by which sources and visits are known everywhere. What they stand for is in [`crate::source`] and
//! [`crate::visit`].

use serde::{Deserialize, Serialize};

/// A source's number in the store; small, so that schedulers can use it as an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceId(pub u32);

/// The session id of a visit [SocWeb, section 4.1]: unique over all processes on one store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VisitId(pub u64);
