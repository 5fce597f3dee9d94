//! What all sources under one budget share: the pool, the price of a visit, the objective.

use std::str::FromStr;

use crate::Pool;
use crate::calendar::Calendars;
use crate::group::Group;
use crate::price::HourPrices;

/// What a plan is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Little time from post to visit, summed over posts.
    #[default]
    Delay,
    /// Many distinct posts, where a page shows only so many and the rest is lost.
    Capture,
}

impl Objective {
    /// The name that people select it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::Capture => "capture",
        }
    }
}

impl FromStr for Objective {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Delay, Self::Capture]
            .into_iter()
            .find(|objective| objective.name() == text)
            .ok_or_else(|| format!("there is no objective `{text}`; the objectives are delay and capture"))
    }
}

/// What a rule weighs a visit against.
#[derive(Clone, Debug)]
pub struct Market {
    /// What the sources have in common.
    pub pool: Pool,
    /// The price of one visit, in the rule's own unit; above 0.
    pub price: f64,
    /// What is asked for.
    pub objective: Objective,
    /// How many times longer than the ceiling a source may stay unvisited, at least 1: more where
    /// the quota does not permit the ceiling.
    pub ceiling_stretch: f64,
    /// How the price varies over the day, for rules that plan ahead.
    pub hours: HourPrices,
    /// No plan leaves a source unvisited for much longer, in hours.
    pub gap_h_max: f64,
    /// What one call can do for several sources.
    pub group: Group,
    /// Which days are not like others, for sources of which somebody said so.
    pub calendars: Calendars,
}

impl Market {
    /// A market before any evidence, with a price of one.
    pub fn new(objective: Objective) -> Self {
        Self {
            pool: Pool::default(),
            price: 1.0,
            objective,
            ceiling_stretch: 1.0,
            hours: HourPrices::default(),
            gap_h_max: f64::INFINITY,
            group: Group::NONE,
            calendars: Calendars::default(),
        }
    }
}
