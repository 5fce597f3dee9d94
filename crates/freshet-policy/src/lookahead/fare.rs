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
//! A source of which a probe told news has a backlog: L(u) starts above zero, and only a visit ends its waiting.

/// What a look costs, in posts times hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fare {
    /// A visit of its own.
    pub(crate) visit: f32,
    /// The share of a source in a probe; as much as a visit where there are no probes.
    pub(crate) share: f32,
    /// Posts that are known to wait: the first look is a visit.
    pub(crate) backlog: f32,
}

impl Fare {
    /// Of a visit that costs so much where a call asks about so many sources.
    pub fn new(visit: f64, group: f64) -> Self {
        Self { visit: visit as f32, share: (visit / group.max(1.0)) as f32, backlog: 0.0 }
    }

    /// Where there are no probes.
    pub fn single(visit: f64) -> Self {
        Self::new(visit, 1.0)
    }

    /// After a probe that told of so many posts.
    pub(crate) fn with_backlog(self, posts: f64) -> Self {
        Self { backlog: posts as f32, ..self }
    }

    /// Whether probes are of any use here.
    #[inline(always)]
    pub(crate) fn is_grouped(&self) -> bool {
        self.share < self.visit
    }

    /// What a probe costs that finds what gathered since the look before, with the visit that may follow.
    #[inline(always)]
    pub(crate) fn probe(&self, posts: f32) -> f32 {
        self.share + self.visit * chance(posts)
    }

    /// What the cheaper look costs.
    #[inline(always)]
    pub(crate) fn look(&self, posts: f32) -> f32 {
        let probe = self.probe(posts);
        if probe < self.visit { probe } else { self.visit }
    }

    /// What the first look costs.
    #[inline(always)]
    pub(crate) fn first(&self, posts: f32) -> f32 {
        if self.backlog > 0.0 { self.visit } else { self.look(posts) }
    }

    /// How the price of a look grows with what it finds.
    pub(crate) fn slope(&self, posts: f32) -> f32 {
        if self.probe(posts) < self.visit { self.visit * (1.0 - chance(posts)).powi(2) } else { 0.0 }
    }

    /// The price that times a look which finds so much.
    pub(crate) fn timing(&self, posts: f32) -> f32 {
        (self.share + self.visit * chance(posts).powi(2)).min(self.visit)
    }
}

/// The chance that anything came where so many posts were expected.
#[inline(always)]
pub(crate) fn chance(posts: f32) -> f32 {
    posts / (1.0 + posts)
}
