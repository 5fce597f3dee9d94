//! The part of the core that knows robots: whether they work, and with which credentials.

use freshet_store::row::RobotRow;
use freshet_types::{RobotKind, RobotState};

/// All robots.
#[derive(Debug)]
pub(super) struct Robots {
    states: [RobotState; RobotKind::ALL.len()],
    /// The credentials that a person named for them.
    credentials: [Option<String>; RobotKind::ALL.len()],
}

impl Default for Robots {
    fn default() -> Self {
        let credentials = Default::default();
        Self { states: [RobotState::Running; RobotKind::ALL.len()], credentials }
    }
}

impl Robots {
    pub(super) fn state(&self, robot: RobotKind) -> RobotState {
        self.states[robot as usize]
    }

    pub(super) fn credential(&self, robot: RobotKind) -> Option<&str> {
        self.credentials[robot as usize].as_deref()
    }

    /// Takes over what a person wants of a robot; gives whether its state changed.
    pub(super) fn set(&mut self, row: RobotRow) -> bool {
        self.credentials[row.kind as usize] = row.credential;
        std::mem::replace(&mut self.states[row.kind as usize], row.state) != row.state
    }
}
