//! Policies, one file each, selectable by name.

mod change_rate;
mod ring_order;

use std::sync::Arc;

use freshet_types::Span;

use crate::Policy;

pub use change_rate::ByChangeRate;
pub use ring_order::RingOrder;

/// The bounds every policy keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacing {
    /// No source is looked at again sooner.
    pub floor: Span,
    /// No source stays unvisited longer, quota permitting.
    pub ceiling: Span,
}

impl Default for Pacing {
    fn default() -> Self {
        Self { floor: Span::from_secs(30), ceiling: Span::HOUR * 6.0 }
    }
}

/// The names that [`policy_named`] knows.
pub const POLICY_NAMES: &[&str] = &["change-rate", "ring"];

/// The policy of this name.
pub fn policy_named(name: &str, pacing: Pacing) -> Option<Arc<dyn Policy>> {
    match name {
        "change-rate" => Some(Arc::new(ByChangeRate { pacing })),
        "ring" => Some(Arc::new(RingOrder)),
        _ => None,
    }
}
