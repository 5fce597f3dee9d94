//! How soon and how late a source is looked at again, whatever a policy thinks of it.

use freshet_types::Span;

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
