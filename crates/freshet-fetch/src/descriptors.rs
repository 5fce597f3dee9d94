//! File descriptors: how many this process may have, and how they are shared out.
//!
//! Every connection takes one, and so does every file of the store. Where they run out, nothing can be asked or written,
//! so the limits of a run follow from what is there when it starts: visits at once, and connections that are kept open in
//! between. The usual soft limit (1,024 on Linux) is only a caution for old programs; it is raised to the hard one.
//! Sharing is all that happens here: [`crate::http`] keeps to its share, the engine to the visits.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for everything but fetching: the store's connections with three files each, rings, logs, the dashboard and
/// those who look at it.
const RESERVED: u64 = 96;
/// Where there are hardly more than those, a part of all is for fetching: one in so many.
const SCARCE_PART: u64 = 4;
/// Descriptors that a visit may need at its worst moment: two addresses tried at once, and a name looked up.
const PER_VISIT: u64 = 3;
/// Visits at once, however many descriptors there are.
const VISITS_MAX: u64 = 256;
/// And however few.
const VISITS_MIN: u64 = 4;
/// Idle connections kept in all, however many descriptors there are: they are memory, too.
const IDLE_MAX: u64 = 2048;

/// What fetching may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Exchanges at once, hence also visits at once.
    pub visits_max: usize,
    /// Connections that are kept open though nobody uses them.
    pub idle_max: usize,
}

impl Share {
    /// Of so many descriptors.
    pub fn of(limit: u64) -> Self {
        let sockets = limit.saturating_sub(RESERVED).max(limit / SCARCE_PART);
        let visits = (sockets / PER_VISIT).clamp(VISITS_MIN, VISITS_MAX);
        let idle = sockets.saturating_sub(visits * (PER_VISIT - 1)).min(IDLE_MAX);
        Self { visits_max: visits as usize, idle_max: idle as usize }
    }

    /// Of those that this process may have now.
    pub fn now() -> Self {
        Self::of(limit())
    }

    /// Whether there are too few descriptors for the usual number of visits.
    pub fn is_scarce(self) -> bool {
        self.visits_max < VISITS_MAX as usize
    }
}

/// Descriptors that this process may have.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Raises the limit as far as this process may; gives what it is now.
pub fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::debug!("the limit of file descriptors stays at {current:?}: {error}");
    }
    limit()
}

#[cfg(test)]
mod tests;
