//! The store seam: what a backend must do, one trait for each role, and [`Store`], all of them together.
//!
//! | role | for |
//! |---|---|
//! | [`Apply`] | step 8 of 10: what visits learned, in one transaction |
//! | [`Sources`] | sources and servers |
//! | [`ChangeLog`] | the numbered log of all changes, cursors of its consumers |
//! | [`Controls`] | messages to a running process, robots |
//! | [`Settings`] | texts under keys; typed by [`Setting`](crate::setting::Setting) |
//! | [`Read`] | rows for exports, models, delivery and search |
//! | [`Browse`](crate::browse::Browse) | questions of people who look around |
//! | [`ParkingLot`] | objects that wait for a property |
//! | [`Care`] | forgetting, expiring, checking |
//! | [`Keeping`] | what is kept of whom, and who still has to hear of what is not |
//! | [`Interest`] | what people ask about, counted by day |
//! | [`Streams`] | what servers send by themselves, and for whom |
//! | [`Subscriptions`] | who gets changes, and how far each has got |
//! | [`Unkept`] | what is seen and not kept |
//!
//! Contract, checked for every backend by `conformance`:
//! - [`Apply::apply`] is one transaction: all of its uploads or nothing, whatever kills the process;
//! - applying the same upload twice changes nothing the second time (objects are unique by address);
//! - the change log only grows, its numbers rise, and every change of an object is in it; a reader that follows it by number
//!   never passes over one that commits late ([`ChangeLog`]);
//! - what was leased before somebody else took the source over is refused ([`Apply::apply`]);
//! - a reader never sees half an `apply`;
//! - no method keeps anything open after it has returned: what is too much for one answer is read in pages ([`page`]);
//! - what is asked for many things at once is one question (`sources`, `objects`, `posts_of`), so that a backend on a server
//!   needs one round trip; the forms for one thing are provided over it.

mod apply;
mod care;
mod controls;
mod forward;
pub mod interest;
mod keeping;
mod log;
pub mod page;
mod parking;
mod read;
mod settings;
mod sources;
mod streams;
mod subscriptions;
mod unkept;

pub use self::apply::{Apply, Compare};
pub use self::care::Care;
pub use self::controls::Controls;
pub use self::interest::Interest;
pub use self::keeping::Keeping;
pub use self::log::ChangeLog;
pub use self::page::{Flow, Rows};
pub use self::parking::ParkingLot;
pub use self::read::Read;
pub use self::settings::Settings;
pub use self::sources::Sources;
pub use self::streams::Streams;
pub use self::subscriptions::Subscriptions;
pub use self::unkept::Unkept;
use crate::browse::Browse;
pub use crate::error::{StoreError, Trouble};

/// Everything that must survive: all roles, as most callers need them.
pub trait Store:
    Apply
    + Sources
    + Streams
    + ChangeLog
    + Controls
    + Settings
    + Read
    + Browse
    + ParkingLot
    + Care
    + Keeping
    + Interest
    + Subscriptions
    + Unkept
    + Send
{
}

impl<S> Store for S where
    S: Apply
        + Sources
        + Streams
        + ChangeLog
        + Controls
        + Settings
        + Read
        + Browse
        + ParkingLot
        + Care
        + Keeping
        + Interest
        + Subscriptions
        + Unkept
        + Send
        + ?Sized
{
}

/// All roles, for whoever calls the methods of a backend by its own type.
pub mod prelude {
    pub use super::{
        Apply as _, Care as _, ChangeLog as _, Controls as _, Interest as _, Keeping as _, ParkingLot as _,
        Read as _, Settings as _, Sources as _, Store as _, Streams as _, Subscriptions as _, Unkept as _,
    };
    pub use crate::browse::Browse as _;
}

/// The only answer to a question about one thing.
fn first<T>(answers: Vec<Option<T>>) -> Option<T> {
    answers.into_iter().next().flatten()
}

impl std::fmt::Debug for dyn Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}
