//! Fares: what a look costs where one call may ask about many sources at once.
//!
//! A visit is a call of its own and costs c. A *probe* asks about K sources with one call, and tells of each whether there is
//! news; a source pays its share c/K, and c more if there is news, for that must be fetched. With x posts expected since the
//! look before, and posts that come in bursts so that none came with probability 1/(1+x) (a geometric count), a look costs
//!
//! f(x) = min( c,  c/K + c·x/(1+x) )
//!
//! So what plans is the same look-ahead as without groups, with a price that depends on what gathered in between. Of the
//! second term the part that grows like x does not move a look: every post costs its visit, whenever it is found.
//! What moves it is the rest, the *timing price* f − x·f′ = c/K + c·(x/(1+x))²: the share, and what is saved by fetching
//! two posts with one visit. Where it reaches c (x beyond √K or so), visits without a probe are cheaper.
//!
//! A page of a *merged list* shows up to P posts of K sources with one call. A source pays its place in the group and the room of its posts,
//!
//! f(x) = min( c,  c/K + c·x/P )
//!
//! and no visit follows. The second part grows like x, so looks are timed by c/K alone.
//!
//! A source of which a probe told news has a backlog: L(u) starts above zero, and only a visit ends its waiting.

use crate::group::Group;

/// What a look costs, in posts times hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fare {
    /// A visit of its own.
    pub(crate) visit: f32,
    /// The share of a source in a call for a group; as much as a visit where there are none.
    pub(crate) share: f32,
    /// What the room of a post on a merged page costs; 0 where a call for a group brings no posts.
    pub(crate) room: f32,
    /// Posts that are known to wait: the first look is a visit.
    pub(crate) backlog: f32,
}

impl Fare {
    /// Of a visit that costs so much, by what a call can do for a group.
    pub fn new(visit: f64, group: Group) -> Self {
        let room = if group.is_merged() { visit / group.room() } else { 0.0 };
        let share = visit / group.size.max(1.0);
        Self { visit: visit as f32, share: share as f32, room: room as f32, backlog: 0.0 }
    }

    /// Where each source needs a call of its own.
    pub fn single(visit: f64) -> Self {
        Self::new(visit, Group::NONE)
    }

    /// After a probe that told of so many posts.
    pub(crate) fn with_backlog(self, posts: f64) -> Self {
        Self { backlog: posts as f32, ..self }
    }

    /// Whether calls for groups are of any use here.
    #[inline(always)]
    pub(crate) fn is_grouped(&self) -> bool {
        self.share < self.visit
    }

    /// What a call for a group costs beside its share, where so many posts gathered since the look before: the visit that may follow a probe,
    /// or the room on a merged page.
    #[inline(always)]
    pub(crate) fn rest(&self, posts: f32) -> f32 {
        if self.room > 0.0 { self.room * posts } else { self.visit * chance(posts) }
    }

    /// What a look with a group costs in all.
    #[inline(always)]
    pub(crate) fn grouped(&self, posts: f32) -> f32 {
        self.share + self.rest(posts)
    }

    /// What the cheaper look costs.
    #[inline(always)]
    pub(crate) fn look(&self, posts: f32) -> f32 {
        let grouped = self.grouped(posts);
        if grouped < self.visit { grouped } else { self.visit }
    }

    /// What the first look costs.
    #[inline(always)]
    pub(crate) fn first(&self, posts: f32) -> f32 {
        if self.backlog > 0.0 { self.visit } else { self.look(posts) }
    }

    /// How the price of a look grows with what it finds.
    pub(crate) fn slope(&self, posts: f32) -> f32 {
        match () {
            () if self.grouped(posts) >= self.visit => 0.0,
            () if self.room > 0.0 => self.room,
            () => self.visit * (1.0 - chance(posts)).powi(2),
        }
    }

    /// The price that times a look which finds so much.
    pub(crate) fn timing(&self, posts: f32) -> f32 {
        if self.room > 0.0 {
            return if self.grouped(posts) < self.visit { self.share } else { self.visit };
        }
        (self.share + self.visit * chance(posts).powi(2)).min(self.visit)
    }
}

/// The chance that anything came where so many posts were expected.
#[inline(always)]
pub(crate) fn chance(posts: f32) -> f32 {
    posts / (1.0 + posts)
}
