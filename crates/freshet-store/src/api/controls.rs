//! Role: what people ask of a running process, and the robots they steer.

use freshet_types::{RobotKind, RobotState};

use super::StoreError;
use crate::control::{Control, ControlRow};
use crate::row::RobotRow;

/// Steering a running process through the store.
pub trait Controls {
    /// Leaves a message for the running process; gives its number.
    fn push_control(&mut self, control: &Control) -> Result<u64, StoreError>;
    /// Messages above this number, in order.
    fn controls_above(&self, number: u64) -> Result<Vec<ControlRow>, StoreError>;
    /// The robots.
    fn robots(&self) -> Result<Vec<RobotRow>, StoreError>;
    /// Sets a robot's state.
    fn set_robot(&mut self, kind: RobotKind, state: RobotState) -> Result<(), StoreError>;
    /// Sets the credential a robot is to use.
    fn set_robot_credential(&mut self, kind: RobotKind, name: Option<&str>) -> Result<(), StoreError>;
}
