//! The numbers of tariffs and scopes in one process: places in the lists of [`super::Prices`], never stored.

use freshet_types::{RobotKind, ServerKey};

/// The tariff of one robot at one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TariffKey {
    server: ServerKey,
    robot: RobotKind,
}

impl TariffKey {
    /// What visits of this robot to this server pay.
    pub(crate) const fn new(server: ServerKey, robot: RobotKind) -> Self {
        Self { server, robot }
    }

    /// Whose.
    pub(crate) fn server(self) -> ServerKey {
        self.server
    }

    /// Every server has a tariff for each robot, one after the other.
    pub(super) fn index(self) -> usize {
        self.server.index() * RobotKind::ALL.len() + self.robot as usize
    }

    /// The tariff at this place.
    pub(super) fn at(index: usize) -> Self {
        let robots = RobotKind::ALL.len();
        let server = u32::try_from(index / robots).expect("servers are numbered in 32 bits");
        Self { server: ServerKey(server), robot: RobotKind::ALL[index % robots] }
    }

    /// Whose visits.
    pub(crate) fn robot(self) -> RobotKind {
        self.robot
    }
}

/// One scope: a bucket of the ledger, or a server's politeness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeKey(u32);

impl ScopeKey {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The scope at this place.
    pub(super) fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("scopes are numbered in 32 bits"))
    }
}
