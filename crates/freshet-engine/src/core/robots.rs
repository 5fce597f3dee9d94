//! The part of the core that knows robots: whether they work, and with which credentials.

use std::num::NonZeroUsize;

use freshet_store::row::RobotRow;
use freshet_types::{Holder, RobotKind, RobotState};

/// Credentials that one request chooses from; prices know no more scopes than so many bring.
const HOLDERS_MAX: usize = 8;

/// All robots.
#[derive(Debug)]
pub(super) struct Robots {
    states: [RobotState; RobotKind::ALL.len()],
    /// The credentials that a person named for them.
    credentials: [Option<String>; RobotKind::ALL.len()],
    /// Requests that were granted so far: where several credentials are equally good, each has its turn.
    turn: usize,
}

impl Default for Robots {
    fn default() -> Self {
        let credentials = Default::default();
        Self { states: [RobotState::Running; RobotKind::ALL.len()], credentials, turn: 0 }
    }
}

impl Robots {
    pub(super) fn state(&self, robot: RobotKind) -> RobotState {
        self.states[robot as usize]
    }

    pub(super) fn credential(&self, robot: RobotKind) -> Option<&str> {
        self.credentials[robot as usize].as_deref()
    }

    /// The credentials in the order in which they are to be tried: the one that the visit began with first, since
    /// cursors may be its own, then in turn.
    pub(super) fn in_turn(&self, mut holders: Vec<Holder>, begun_with: Option<&str>) -> Vec<Holder> {
        holders.truncate(HOLDERS_MAX);
        if let Some(count) = NonZeroUsize::new(holders.len()) {
            holders.rotate_left(self.turn % count);
        }
        if let Some(at) = holders.iter().position(|it| Some(&*it.credential) == begun_with) {
            holders[..=at].rotate_right(1);
        }
        holders
    }

    /// A request was granted.
    pub(super) fn next_turn(&mut self) {
        self.turn = self.turn.wrapping_add(1);
    }

    /// Takes over what a person wants of a robot; gives whether its state changed.
    pub(super) fn set(&mut self, row: RobotRow) -> bool {
        self.credentials[row.kind as usize] = row.credential;
        std::mem::replace(&mut self.states[row.kind as usize], row.state) != row.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_turn_and_a_visit_keeps_its_own() {
        let holders = || ["a", "b", "c"].map(|name| Holder::alone(name.into())).to_vec();
        let names = |holders: Vec<Holder>| -> String { holders.iter().map(|it| &*it.credential).collect() };
        let mut robots = Robots::default();
        assert_eq!(names(robots.in_turn(holders(), None)), "abc");
        robots.next_turn();
        assert_eq!(names(robots.in_turn(holders(), None)), "bca");
        assert_eq!(names(robots.in_turn(holders(), Some("a"))), "abc");
        assert_eq!(names(robots.in_turn(holders(), Some("gone"))), "bca");
        assert_eq!(names(robots.in_turn(Vec::new(), Some("a"))), "");
    }
}
