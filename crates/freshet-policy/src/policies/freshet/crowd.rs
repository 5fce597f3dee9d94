//! Calls that ask about several sources, under the look-ahead.
//!
//! In prices of a call: a source that is looked at now instead of later saves its regret v, in which the fare of the cheaper
//! look is paid ([`crate::lookahead::Fare`]). So a visit is worth v + f(x) − 1 more than it costs, and a probe of some sources
//! Σ (v + f(x) − x/(1+x)) − 1: each member brings what it saves but the visit that may follow, and the call is paid once. A page of a merged list
//! is worth Σ (v + f(x)) − 1, of members that it reaches ([`crate::group::reach`]).
//! Whatever is worth most gets the call: groups form by what is expected of their members, not by number.

use freshet_types::{Span, Timestamp};

use super::roster::Lookahead;
use crate::group::reach::{CANDIDATES_PER_SEAT, Candidate, best_page};
use crate::lookahead::{self, Fare, Outlook};
use crate::roster::{Call, Groups, pick_best};

impl<M: Outlook> Lookahead<M> {
    /// What a visit to a source is worth more than it costs at an instant, what it would bring to a group, and what is expected of it.
    fn offers(&mut self, number: usize, now: Timestamp, factor: f64) -> (f64, f64, f32) {
        let value = self.value(number, now);
        let source = &self.sources[number];
        if source.backlog > 0.0 {
            return (value, f64::NEG_INFINITY, 0.0);
        }
        let elapsed_h = lookahead::hours(source.visited_at, now);
        let posts = self.cards[number].as_ref().and_then(|card| card.posts.as_ref());
        let posts = posts.map_or(0.0, |posts| posts.at(elapsed_h)).max(0.0) as f32;
        let fare = Fare::new(1.0, self.market.group);
        let paid = value + f64::from(fare.look(posts)) * factor;
        (paid - factor, paid - f64::from(fare.rest(posts)) * factor, posts)
    }

    /// Keeps of those who would go with a page of a merged list whom the best one is for; gives what it is worth.
    fn fit_page(
        &mut self,
        ranked: &[(f64, u64, u32)],
        members: &mut Vec<usize>,
        now: Timestamp,
        factor: f64,
    ) -> f64 {
        let group = self.market.group;
        let mut candidate = |&(_, _, number): &(f64, u64, u32)| {
            let (visit, _, posts) = self.offers(number as usize, now, factor);
            let looked_at = self.sources[number as usize].visited_at;
            Candidate { number, brought: visit + factor, posts: f64::from(posts), looked_at }
        };
        let candidates: Vec<Candidate> = ranked.iter().map(&mut candidate).collect();
        let (places, brought) = best_page(group, group.room(), &candidates, &self.recent, false);
        members.clear();
        members.extend(places.into_iter().map(|place| candidates[place].number as usize));
        brought - factor
    }
}

impl<M: Outlook> Groups for Lookahead<M> {
    fn spend(&mut self, now: Timestamp, members: &mut Vec<usize>) -> Option<Call> {
        members.clear();
        self.mark_before(now);
        let factor =
            self.market.hours.factor(((now - Span::SECOND).secs().rem_euclid(86_400) / 3600) as usize);
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        let mut best = (f64::NEG_INFINITY, None);
        for number in 0..self.sources.len() {
            if self.sources[number].visited_at >= now && self.sources[number].backlog <= 0.0 {
                continue;
            }
            let (visit, brought, _) = self.offers(number, now, factor);
            if best.1.is_none() || visit > best.0 {
                best = (visit, Some(number));
            }
            // Whom a page of this instant did not reach, another would not.
            let was_asked = self.asked.0 == now && self.asked.1.contains(&number);
            if brought > 0.0 && !was_asked {
                ranked.push((brought, self.sources[number].turn, number as u32));
            }
        }
        let is_merged = self.market.group.is_merged();
        let count = self.market.group.size as usize * if is_merged { CANDIDATES_PER_SEAT } else { 1 };
        pick_best(&mut ranked, count, members);
        let group = if is_merged {
            self.fit_page(&ranked, members, now, factor)
        } else {
            ranked.iter().map(|(brought, ..)| brought).sum::<f64>() - factor
        };
        self.ranked = ranked;
        let (visit, number) = (best.0, best.1?);
        let is_group = members.len() > 1 && group > visit;
        self.marginal = Some((now, if is_group { group } else { visit }));
        if is_group && is_merged {
            if self.asked.0 != now {
                self.asked = (now, Vec::new());
            }
            self.asked.1.extend_from_slice(members);
        }
        Some(if is_group { Call::Group } else { Call::Visit(number) })
    }

    fn note_told(&mut self, number: usize, at: Timestamp, posts: u32) {
        let source = &mut self.sources[number];
        (source.visited_at, source.backlog) = (at, f64::from(posts));
        self.cards[number] = None;
    }
}

impl<M: Outlook> Lookahead<M> {
    /// What the last call of the slot before was worth tells how wrong the price of its hour was.
    fn mark_before(&mut self, now: Timestamp) {
        if let Some((at, worth)) = self.marginal.take_if(|(at, _)| *at < now) {
            self.market.hours.mark(at - Span::SECOND, worth);
        }
    }
}
