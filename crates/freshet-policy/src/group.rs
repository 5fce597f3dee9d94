//! A group: what one call can do for several sources.
//!
//! A call for a group is a *probe*, which tells who of up to K sources has news, or a page of a *merged list*, which shows the newest P posts
//! of them all and so ends the waiting of everyone whose posts it shows whole. What either costs a source stands in
//! [`crate::lookahead::Fare`]; how a policy that only ranks uses them, in [`crate::in_order`]; whom a page is for, in [`reach`].

pub mod reach;

/// What one call can do for several sources of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Sources that it asks about, at least 1; 1 where each needs a call of its own.
    pub size: f64,
    /// Posts that it shows of all of them together, where it is a page of a merged list; 0 where it only tells who has news.
    pub page: f64,
}

impl Group {
    /// Each source needs a call of its own.
    pub const NONE: Self = Self { size: 1.0, page: 0.0 };

    /// A call asks about so many sources, and shows so many posts of them, none where it only tells who has news.
    pub fn new(size: f64, page: f64) -> Self {
        let sound = |value: f64| if value.is_finite() { value } else { 0.0 };
        Self { size: sound(size).max(1.0), page: sound(page).max(0.0) }
    }

    /// Whether a call can do anything for several sources.
    pub fn is_any(&self) -> bool {
        self.size > 1.0
    }

    /// Whether it brings their posts.
    pub fn is_merged(&self) -> bool {
        self.is_any() && self.page > 0.0
    }

    /// Posts that a page of a merged list is meant to show: what comes in bursts needs room.
    pub fn room(&self) -> f64 {
        self.page * FILL
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::NONE
    }
}

/// Share of a merged page that its members are expected to fill.
const FILL: f64 = 0.7;
