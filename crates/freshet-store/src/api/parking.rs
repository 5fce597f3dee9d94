//! Role: objects that constraints keep back: those that wait for a property, and those that robots make no sources of.

use freshet_types::{RobotKind, Timestamp};

use super::page::{Flow, ROWS_MAX, Rows, each_row};
use super::{StoreError, first};
use crate::row::{Held, Parked};

/// Parked objects.
pub trait ParkingLot {
    /// Parks objects that a constraint cannot judge yet.
    fn park(&mut self, parked: &[Parked]) -> Result<(), StoreError>;
    /// A page of parked objects above this address, in order of address.
    fn parked_above(&self, address: &str, limit: usize) -> Result<Rows<Parked, String>, StoreError>;
    /// All parked objects, in order of address.
    fn each_parked(&self, each: &mut dyn FnMut(Parked) -> Flow) -> Result<(), StoreError> {
        each_row(String::new(), |above| self.parked_above(above, ROWS_MAX), each)
    }
    /// The parked objects of these addresses, in the order asked for; `None` for one that is not parked.
    fn parked_of(&self, addresses: &[String]) -> Result<Vec<Option<Parked>>, StoreError>;
    /// The parked object of this address.
    fn parked(&self, address: &str) -> Result<Option<Parked>, StoreError> {
        self.parked_of(&[address.to_owned()]).map(first)
    }
    /// Takes these off the list.
    fn unpark(&mut self, addresses: &[String]) -> Result<(), StoreError>;
    /// Drops what was parked before this; gives how many.
    fn drop_parked(&mut self, before: Timestamp) -> Result<u64, StoreError>;
    /// Notes that robots make no sources of these objects until they were judged again.
    fn hold(&mut self, held: &[Held]) -> Result<(), StoreError>;
    /// Held objects that are to be judged again by now, the longest due first.
    fn held_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Held>, StoreError>;
    /// Holds these no longer.
    fn let_go(&mut self, held: &[(u64, RobotKind)]) -> Result<(), StoreError>;
    /// Has these objects judged again at once, as far as they are held; without a list all that are held.
    fn hasten_held(&mut self, objects: Option<&[u64]>) -> Result<(), StoreError>;
    /// How many are held, once for each robot.
    fn held_count(&self) -> Result<u64, StoreError>;
}
