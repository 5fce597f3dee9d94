//! Role: objects that wait for a property which a constraint needs.

use freshet_types::Timestamp;

use super::page::{Flow, ROWS_MAX, Rows, each_row};
use super::{StoreError, first};
use crate::row::Parked;

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
}
