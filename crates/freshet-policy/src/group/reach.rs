//! Whom a page of a merged list is for: how far back it reaches decides for whom it is enough.
//!
//! The page shows the newest P posts of its members, those that are known already among them. A member is served if the page goes down to its last
//! look. So a busy member leaves no room for those that were looked at before its last posts, however little is expected of
//! them, and whoever was not looked at for long makes the posts of all others since then fill the page:
//!
//! load(t) = Σ over members of (posts expected since their last look + posts known since t) ≤ room,  t = the oldest of their last looks
//!
//! For some t, those who were looked at since are taken by what they bring for their part of the page, 1/K + load/room, as long as there is
//! room; the t that brings most is the one. What is known comes from the looks themselves ([`Recent`]), and is not stored:
//! after a restart pages may be too short for a while.

use std::collections::{BTreeSet, VecDeque};

use freshet_types::{Map, Timestamp};

use super::Group;

/// Last looks that are tried as the reach of a page.
const REACHES_MAX: usize = 12;
/// Posts that are remembered of all sources that share their calls.
const RECENT_MAX: usize = 8192;
/// The least that a source takes of a page, as a share: nobody is for nothing.
const PART_MIN: f64 = 1e-6;

/// Those who may go with a merged page, for each place on it.
pub const CANDIDATES_PER_SEAT: usize = 4;

/// One who may go with a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// By which number its posts are remembered.
    pub number: u32,
    /// What a look at it now saves, in prices of a call.
    pub brought: f64,
    /// Posts that are expected since its last look.
    pub posts: f64,
    /// Its last look.
    pub looked_at: Timestamp,
}

/// The newest posts that looks showed, by source; those of one instant are one.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Whose they are, in the order in which they were seen.
    seen: VecDeque<u32>,
    times: Map<u32, BTreeSet<Timestamp>>,
}

impl Recent {
    /// A look at a source showed these posts, new or not.
    pub fn note(&mut self, number: u32, posts: impl IntoIterator<Item = Timestamp>) {
        for at in posts {
            if self.times.entry(number).or_default().insert(at) {
                self.seen.push_back(number);
            }
            if self.seen.len() > RECENT_MAX {
                self.forget_first();
            }
        }
    }

    fn forget_first(&mut self) {
        let Some(number) = self.seen.pop_front() else { return };
        if let Some(times) = self.times.get_mut(&number) {
            times.pop_first();
            if times.is_empty() {
                self.times.remove(&number);
            }
        }
    }

    /// Posts of a source since an instant that looks have shown.
    fn count(&self, number: u32, since: Timestamp) -> usize {
        self.times.get(&number).map_or(0, |times| times.range(since..).count())
    }
}

/// Whom the best page is for, by their places among the candidates, and what they bring together. Where one leads, the first candidate goes with
/// it whatever comes.
pub fn best_page(
    group: Group,
    room: f64,
    candidates: &[Candidate],
    recent: &Recent,
    is_led: bool,
) -> (Vec<usize>, f64) {
    let mut reaches: Vec<Timestamp> = candidates.iter().map(|it| it.looked_at).collect();
    reaches.sort_unstable_by(|a, b| b.cmp(a));
    reaches.dedup();
    let step = reaches.len().div_ceil(REACHES_MAX).max(1);
    // From the oldest on, so that nobody is left out for ever.
    let tried = reaches.iter().rev().step_by(step);
    let mut best = (Vec::new(), f64::NEG_INFINITY);
    for &reach in tried {
        if is_led && candidates.first().is_some_and(|lead| lead.looked_at < reach) {
            break;
        }
        let page = page_to(reach, (group, room), candidates, recent, is_led);
        if page.1 > best.1 {
            best = page;
        }
    }
    best
}

/// Whom a page that reaches back to an instant is for.
fn page_to(
    reach: Timestamp,
    (group, room): (Group, f64),
    candidates: &[Candidate],
    recent: &Recent,
    is_led: bool,
) -> (Vec<usize>, f64) {
    let load = |it: &Candidate| it.posts + recent.count(it.number, reach) as f64;
    let mut ranked: Vec<(f64, f64, usize)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, it)| it.looked_at >= reach)
        .map(|(place, it)| {
            let load = load(it);
            let is_lead = is_led && place == 0;
            let part = (1.0 / group.size + load / room).max(PART_MIN);
            (if is_lead { f64::INFINITY } else { it.brought / part }, load, place)
        })
        .collect();
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    let (mut members, mut brought, mut left) = (Vec::new(), 0.0, room);
    for (_, load, place) in ranked {
        if members.len() as f64 >= group.size {
            break;
        }
        if load <= left || (is_led && place == 0) {
            left -= load;
            brought += candidates[place].brought;
            members.push(place);
        }
    }
    (members, brought)
}

#[cfg(test)]
mod tests {
    use freshet_types::Span;

    use super::*;

    fn ago(hours: f64) -> Timestamp {
        Timestamp::from_secs(1_700_000_000) - Span::HOUR * hours
    }

    /// Candidates by what they bring, what is expected of them, how many hours ago they were looked at and posted: for whom a page with room
    /// for ten posts of four is.
    fn check(candidates: &[(f64, f64, f64, &[f64])], is_led: bool, expected: &[usize]) {
        let mut recent = Recent::default();
        let mut all = Vec::new();
        for (number, (brought, posts, looked_h, known)) in (0..).zip(candidates) {
            recent.note(number, known.iter().map(|hours| ago(*hours)));
            all.push(Candidate { number, brought: *brought, posts: *posts, looked_at: ago(*looked_h) });
        }
        let (mut members, brought) = best_page(Group::new(4.0, 10.0), 10.0, &all, &recent, is_led);
        members.sort_unstable();
        assert_eq!(members, expected, "{candidates:?}");
        let sum: f64 = members.iter().map(|place| all[*place].brought).sum();
        assert!(members.is_empty() || (brought - sum).abs() < 1e-9, "{brought}, not {sum}");
    }

    #[test]
    fn a_page_is_for_those_it_reaches() {
        check(&[], false, &[]);
        // There is room for all, whenever they were looked at.
        check(&[(1.0, 1.0, 0.1, &[]), (1.0, 1.0, 9.0, &[])], false, &[0, 1]);
        // Four places: who brings least stays out.
        check(&[(0.5, 0.0, 1.0, &[][..]); 5], false, &[0, 1, 2, 3]);
        let many: [f64; 9] = std::array::from_fn(|post| 0.2 + post as f64 / 100.0);
        // What was posted lately, though it is known, hides those looked at before.
        check(
            &[(1.0, 1.0, 0.1, &many), (0.4, 1.0, 1.0, &[]), (0.4, 1.0, 1.0, &[]), (0.4, 1.0, 1.0, &[])],
            false,
            &[1, 2, 3],
        );
        check(&[(1.0, 1.0, 0.1, &many), (0.4, 1.0, 1.0, &[])], false, &[0]);
        // Who was looked at after it goes with it.
        check(&[(1.0, 1.0, 0.1, &many), (0.4, 1.0, 0.1, &[])], false, &[0, 1]);
        let long_ago: [f64; 30] = std::array::from_fn(|post| 3.0 + post as f64 / 100.0);
        // Known posts that nobody has to see again take no room.
        check(&[(1.0, 1.0, 0.1, &long_ago), (0.4, 1.0, 1.0, &[])], false, &[0, 1]);
    }

    #[test]
    fn who_leads_goes_with_its_page() {
        let many: [f64; 9] = std::array::from_fn(|post| 0.2 + post as f64 / 100.0);
        let others = [(0.4, 1.0, 1.0, &[][..]), (0.4, 1.0, 1.0, &[]), (0.4, 1.0, 1.0, &[])];
        let [one, two, three] = others;
        check(&[(1.0, 1.0, 0.1, &many), one, two, three], true, &[0]);
        check(&[(0.1, 99.0, 2.0, &[]), one, two], true, &[0]);
        check(&[(0.1, 0.0, 2.0, &[]), one, two, three], true, &[0, 1, 2, 3]);
    }

    #[test]
    fn the_posts_of_one_who_posts_without_end_are_forgotten_in_their_order() {
        let mut recent = Recent::default();
        let seconds = |count: usize| (0..count).map(|second| ago(1.0) + Span::SECOND * second as f64);
        recent.note(7, [ago(9.0)]);
        recent.note(8, seconds(RECENT_MAX));
        assert_eq!((recent.count(7, ago(99.0)), recent.count(8, ago(2.0))), (0, RECENT_MAX));
        // What is shown again is no more than it was.
        recent.note(8, seconds(RECENT_MAX));
        assert_eq!(recent.count(8, ago(2.0)), RECENT_MAX);
        recent.note(7, [ago(0.5), ago(0.7)]);
        assert_eq!((recent.count(7, ago(0.6)), recent.count(8, ago(2.0))), (1, RECENT_MAX - 2));
    }
}
