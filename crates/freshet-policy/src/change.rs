//! Change models, one file each.

mod change_rate;

pub use change_rate::ChangeRate;
