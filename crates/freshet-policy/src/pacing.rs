//! How soon and how late a source is looked at again, whatever a policy thinks of it.

use freshet_types::Span;

/// The bounds every policy keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacing {
    /// No source is looked at again sooner.
    pub floor: Span,
    /// No source stays unvisited longer, quota permitting.
    pub ceiling: Span,
    /// Share of the calls that keeping the ceiling may take: where it takes more, the quota does not permit it.
    pub ceiling_share: f64,
}

impl Pacing {
    /// Share of the calls that go to a ceiling nobody asked for: what is left decides how soon news are seen.
    pub const USUAL_SHARE: f64 = 0.25;
    /// And to one that a person set.
    pub const WANTED_SHARE: f64 = 0.9;
}

impl Default for Pacing {
    fn default() -> Self {
        Self { floor: Span::from_secs(30), ceiling: Span::HOUR * 6.0, ceiling_share: Self::USUAL_SHARE }
    }
}
