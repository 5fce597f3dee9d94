//! Drives one policy through a forum's history at a fixed bandwidth.
//!
//! Pages are fetched one at a time at an even pace, so many a day, from the portal on; every page costs the same [list-wise, section
//! 4.3]. A policy says which page is next and is told what it showed; it knows nothing else. A policy that wants nothing
//! lets its turn pass. The last days are those that count.

use super::address::Address;
use super::history::History;
use super::measure::{Figures, Tally};
use super::setup::{DAY_S, Setup};
use super::site::{PostOrder, Sheet, Site};

/// Decides which page is next.
pub trait ForumPolicy {
    /// The name that people select it by.
    fn name(&self) -> &'static str;
    /// The page to fetch at `now_s`; `None` lets the turn pass.
    fn next(&mut self, now_s: f64) -> Option<Address>;
    /// What that page showed.
    fn learn(&mut self, now_s: f64, address: Address, sheet: &Sheet);
}

/// Runs a policy; gives what it reached.
pub fn run(history: &History, setup: &Setup, policy: &mut dyn ForumPolicy) -> Figures {
    let mut site = Site::new(history, setup.page_size, PostOrder::OldestFirst);
    let mut tally = Tally::new(history, *setup);
    let pace_s = DAY_S / setup.pages_per_day.max(f64::MIN_POSITIVE);
    let turns = (setup.pages_per_day * f64::from(setup.days)).max(0.0) as u64;
    for turn in 1..=turns {
        let now_s = setup.start.secs_f64() + turn as f64 * pace_s;
        let Some(address) = policy.next(now_s) else { continue };
        site.advance_to(now_s);
        let sheet = site.answer(address);
        tally.fetched(now_s, &sheet);
        policy.learn(now_s, address, &sheet);
    }
    tally.figures(policy.name())
}
