//! Turns: sources that are visited one after the other, round by round, whatever they are worth.
//!
//! A policy whose nature is an order alone (`rr`, `ring`, `random`, `organ-pipe`) plans no times. Its sources stand in a line, and
//! whenever there is a call the first of the line that can be visited has it and goes to the end.
//!
//! | order | the line | from |
//! |---|---|---|
//! | [`TurnOrder::Number`] | sorted by number when a round begins | CUVIM's round robin |
//! | [`TurnOrder::Ring`] | as it stands: who is visited goes to the end, newcomers join there | MBCrawler, section 2.1 |
//! | [`TurnOrder::Pipes`] | sorted as organ pipes by what is known when a round begins, the fastest in the middle | CUVIM, section 4.1 |
//! | [`TurnOrder::Lots`] | one of all, each as likely as the others, whoever was visited before | – |
//!
//! Whoever cannot be visited when its turn comes (it is being visited, or was a moment ago) keeps its place and stalls nobody: the next goes.
//! Whoever is gone is dropped when it is come by. A round ends when everybody had a turn, or nobody is left in it who could.
//! Pure: lots come from a hash of a seed and a count. Memory: four bytes a source. Cost of a turn: O(those that are passed over),
//! of a round O(n log n).

use std::collections::VecDeque;

use freshet_types::Timestamp;

use crate::partition::organ_pipes;

/// Lots that are drawn for one turn before the line is gone through from the last of them.
const DRAWS_MAX: usize = 16;

/// In which order sources have their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOrder {
    /// Those that were added first go first, round after round.
    Number,
    /// Who was visited goes to the end, and so does who joins.
    Ring,
    /// Each turn is drawn anew.
    Lots,
    /// The fastest in the middle of a round, by what is known when it begins.
    Pipes,
}

/// Whether a source can have its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Ready,
    /// It is being visited, or rests for a while.
    Soon,
    /// It has left the line.
    Gone,
}

/// The line of one server.
#[derive(Clone, Debug)]
pub struct Turns {
    order: TurnOrder,
    line: VecDeque<u32>,
    /// How many of its front are left of this round.
    left: usize,
    round: u64,
    seed: u64,
    draw_count: u64,
}

impl Turns {
    /// An empty line; the seed is for lots.
    pub fn new(order: TurnOrder, seed: u64) -> Self {
        Self { order, line: VecDeque::new(), left: 0, round: 0, seed, draw_count: 0 }
    }

    /// A source joins at the end. The caller sees to it that none stands there twice.
    pub fn join(&mut self, number: u32) {
        self.line.push_back(number);
    }

    /// Which round it is, from 1 on; 0 before the first turn.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// How many stand in the line.
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// Whether nobody does.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// How many are left of this round.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Whose turn it is. Those that have left the line are put into `gone`; `rate` is asked when a round begins.
    pub fn pop(
        &mut self,
        standing: impl Fn(u32) -> Standing,
        rate: impl Fn(u32) -> f64,
        gone: &mut Vec<u32>,
    ) -> Option<u32> {
        if self.order == TurnOrder::Lots {
            return self.draw(standing, gone);
        }
        if let Some(number) = self.pop_within(self.left, &standing, gone) {
            return Some(number);
        }
        // Nobody of this round can be visited. A new one begins with somebody who can.
        if !self.line.iter().any(|number| standing(*number) == Standing::Ready) {
            return None;
        }
        self.begin(rate);
        self.pop_within(self.left, &standing, gone)
    }

    /// The first of so many that is ready has its turn and goes to the end.
    fn pop_within(
        &mut self,
        count: usize,
        standing: impl Fn(u32) -> Standing,
        gone: &mut Vec<u32>,
    ) -> Option<u32> {
        let (mut at, mut count) = (0, count.min(self.line.len()));
        while at < count {
            let number = self.line[at];
            match standing(number) {
                Standing::Soon => at += 1,
                Standing::Ready => {
                    self.line.remove(at);
                    self.line.push_back(number);
                    self.left = self.left.saturating_sub(1);
                    return Some(number);
                }
                Standing::Gone => {
                    self.line.remove(at);
                    gone.push(number);
                    count -= 1;
                    self.left = self.left.saturating_sub(1);
                }
            }
        }
        None
    }

    fn begin(&mut self, rate: impl Fn(u32) -> f64) {
        let line = self.line.make_contiguous();
        match self.order {
            TurnOrder::Number => line.sort_unstable(),
            TurnOrder::Pipes => {
                line.sort_unstable();
                let rates: Vec<f64> = line.iter().map(|number| rate(*number)).collect();
                let piped: Vec<u32> = organ_pipes(&rates).iter().map(|at| line[*at as usize]).collect();
                line.copy_from_slice(&piped);
            }
            TurnOrder::Ring | TurnOrder::Lots => {}
        }
        self.left = self.line.len();
        self.round += 1;
    }

    /// Draws lots until somebody is ready.
    fn draw(&mut self, standing: impl Fn(u32) -> Standing, gone: &mut Vec<u32>) -> Option<u32> {
        if self.left == 0 {
            self.begin(|_| 0.0);
        }
        let mut at = 0;
        for _ in 0..DRAWS_MAX {
            at = self.lot()?;
            match standing(self.line[at]) {
                Standing::Ready => return Some(self.drawn(at)),
                Standing::Soon => {}
                Standing::Gone => gone.extend(self.line.swap_remove_back(at)),
            }
        }
        let count = self.line.len();
        let ready = (0..count)
            .map(|step| (at + step) % count)
            .find(|place| standing(self.line[*place]) == Standing::Ready);
        ready.map(|place| self.drawn(place))
    }

    /// A place of the line, each as likely as the others; none where it is empty.
    fn lot(&mut self) -> Option<usize> {
        self.draw_count += 1;
        let lot = mixed(self.seed ^ mixed(self.draw_count));
        lot.checked_rem(self.line.len() as u64).map(|at| at as usize)
    }

    fn drawn(&mut self, at: usize) -> u32 {
        self.left -= usize::from(self.left > 0);
        self.line[at]
    }
}

/// One who stands in a line, as whoever only reads the store knows it.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub number: u32,
    /// When it was last visited.
    pub visited_at: Option<Timestamp>,
    /// Posts a second.
    pub rate_per_s: f64,
}

/// How many have their turn before this source in the round that began at `begun_at`, or in the next where it has had its turn;
/// `None` where lots are drawn, or it does not stand there.
pub fn before(order: TurnOrder, members: &[Member], number: u32, begun_at: Timestamp) -> Option<usize> {
    let mut line = members.to_vec();
    match order {
        TurnOrder::Lots => return None,
        TurnOrder::Ring => {
            line.sort_by_key(|member| (member.visited_at.unwrap_or(Timestamp::MIN), member.number));
            return line.iter().position(|member| member.number == number);
        }
        TurnOrder::Number => line.sort_by_key(|member| member.number),
        TurnOrder::Pipes => {
            line.sort_by_key(|member| member.number);
            let rates: Vec<f64> = line.iter().map(|member| member.rate_per_s).collect();
            line = organ_pipes(&rates).iter().map(|at| line[*at as usize]).collect();
        }
    }
    let has_had = |member: &Member| member.visited_at.is_some_and(|at| at >= begun_at);
    let place = line.iter().position(|member| member.number == number)?;
    let left = |members: &[Member]| members.iter().filter(|member| !has_had(member)).count();
    Some(if has_had(&line[place]) { left(&line) + place } else { left(&line[..place]) })
}

/// A bijection of 64 bits in which every bit of the input moves half of the output
/// (the finaliser of `SplitMix64` [Steele 2014]).
pub(crate) fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests;
