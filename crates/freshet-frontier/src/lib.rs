//! The frontier: what to visit next. Step 3 of 10 (pick).
//!
//! Two homes for what waits. **Rings** ([`ring`]) hold ids that were never visited, one ring a
//! robot, memory in front and disk behind, fed from the change log. The **wheel** ([`wheel`]) holds
//! the sources that were visited and their due times; what is due passes the [`front`] queues by
//! urgency and the [`back`] queues by politeness, and is handed out on a [`lease`].
//! [`Frontier`] joins wheel, front, back and leases; [`Coordinator`] joins the rings.
//!
//! Everything is synchronous and takes `now` as a parameter; only rings touch the disk. When a
//! source is due next the engine decides, with a policy; what a quota allows the engine knows.

pub mod back;
pub mod front;
pub mod frontier;
pub mod lease;
pub mod priority;
pub mod ring;
pub mod wheel;

pub use back::Trust;
pub use front::{Front, Links};
pub use frontier::Frontier;
pub use lease::Pick;
pub use ring::coordinator::Coordinator;
pub use ring::error::{RingError, RingWarning};
pub use ring::order::Turns;
pub use ring::{Ring, RingOptions};
pub use wheel::Wheel;
