//! Front queues: what is due, by priority [SocWeb, section 4.1]. Step 3 of 10 (pick).
//!
//! [`CLASS_COUNT`] first-in-first-out lists, the most urgent class first. They are served by
//! stride scheduling: each class is worth twice the next, and none ever starves. The lists are
//! threaded through one shared array of links, four bytes a source, so that a million sources
//! due at once cost no more than none.
//! Invariant: an entry is in at most one list over one [`Links`]; the caller sees to it.

use crate::priority::CLASS_COUNT;

/// End of a list.
const END: u32 = u32::MAX;
/// Entries that are looked at for each that is wanted: those that are not meant stay, and must not be looked at without end.
const LOOKS_PER_SEAT: usize = 4;

/// The array that all lists over the same entries are threaded through.
#[derive(Debug, Default)]
pub struct Links(Vec<u32>);

impl Links {
    /// Makes room for entries 0 to `count - 1`.
    pub(crate) fn grow_to(&mut self, count: usize) {
        if count > self.0.len() {
            self.0.resize(count, END);
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}

/// Lists by class with a fair share for each.
#[derive(Debug)]
pub struct Front {
    heads: [u32; CLASS_COUNT],
    tails: [u32; CLASS_COUNT],
    /// When each class is served next, in virtual time; a service of class `c` costs `2^c`.
    passes: [u64; CLASS_COUNT],
    /// Virtual time of the last service.
    served_at: u64,
    len: usize,
}

impl Default for Front {
    fn default() -> Self {
        let (heads, tails) = ([END; CLASS_COUNT], [END; CLASS_COUNT]);
        Self { heads, tails, passes: [0; CLASS_COUNT], served_at: 0, len: 0 }
    }
}

impl Front {
    /// Entries in all classes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an entry that is in no list to its class; what is beyond the last is in the last.
    pub fn push(&mut self, links: &mut Links, class: u8, id: u32) {
        let class = usize::from(class).min(CLASS_COUNT - 1);
        links.0[id as usize] = END;
        match self.tails[class] {
            END => {
                self.heads[class] = id;
                // A class that was empty gains no credit for it.
                self.passes[class] = self.passes[class].max(self.served_at);
            }
            last => links.0[last as usize] = id,
        }
        self.tails[class] = id;
        self.len += 1;
    }

    /// Puts an entry that is in no list before all others of its class.
    pub(crate) fn push_first(&mut self, links: &mut Links, class: u8, id: u32) {
        let at = usize::from(class).min(CLASS_COUNT - 1);
        let head = self.heads[at];
        if head == END {
            return self.push(links, class, id);
        }
        links.0[id as usize] = head;
        self.heads[at] = id;
        self.len += 1;
    }

    /// Takes the first entry of the class whose turn it is, of those that are open.
    pub fn pop(&mut self, links: &Links, is_open: impl Fn(u8) -> bool) -> Option<(u8, u32)> {
        let waiting = (0..CLASS_COUNT).filter(|&class| self.heads[class] != END && is_open(class as u8));
        let class = waiting.min_by_key(|&class| self.passes[class])?;
        let id = self.heads[class];
        self.heads[class] = links.0[id as usize];
        if self.heads[class] == END {
            self.tails[class] = END;
        }
        self.served_at = self.passes[class];
        self.passes[class] += 1 << class;
        self.len -= 1;
        Some((class as u8, id))
    }

    /// Takes entries that are meant out of a class, in their order: at most `max`, and none where there are fewer than `min` among the first
    /// few that wait. The others keep their places, and the class pays nothing for the service.
    pub(crate) fn pop_some(
        &mut self,
        links: &mut Links,
        class: u8,
        (min, max): (usize, usize),
        is_meant: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let class = usize::from(class).min(CLASS_COUNT - 1);
        let after = |id: u32| Some(links.0[id as usize]).filter(|next| *next != END);
        let first = Some(self.heads[class]).filter(|head| *head != END);
        let waiting = std::iter::successors(first, |id| after(*id)).take(max * LOOKS_PER_SEAT);
        let taken: Vec<u32> = waiting.filter(|id| is_meant(*id)).take(max).collect();
        if taken.len() < min {
            return Vec::new();
        }
        let (mut before, mut at) = (END, self.heads[class]);
        for &id in &taken {
            while at != id {
                (before, at) = (at, links.0[at as usize]);
            }
            at = links.0[id as usize];
            match before {
                END => self.heads[class] = at,
                _ => links.0[before as usize] = at,
            }
            if at == END {
                self.tails[class] = before;
            }
        }
        self.len -= taken.len();
        taken
    }

    /// Takes an entry out of the middle of its class, by searching for it; gives whether it was in.
    pub fn remove(&mut self, links: &mut Links, class: u8, id: u32) -> bool {
        let class = usize::from(class).min(CLASS_COUNT - 1);
        let (mut before, mut at) = (END, self.heads[class]);
        while at != END && at != id {
            (before, at) = (at, links.0[at as usize]);
        }
        if at == END {
            return false;
        }
        let next = links.0[id as usize];
        match before {
            END => self.heads[class] = next,
            _ => links.0[before as usize] = next,
        }
        if next == END {
            self.tails[class] = before;
        }
        self.len -= 1;
        true
    }

    /// Memory held, in bytes, without the links.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes classes in order, pops `count`, and writes down the classes that came.
    fn check(pushed: &str, count: usize, expected: &str) {
        let (mut front, mut links) = (Front::default(), Links::default());
        links.grow_to(pushed.len());
        for (id, class) in pushed.bytes().enumerate() {
            front.push(&mut links, class - b'0', id as u32);
        }
        let popped: Vec<(u8, u32)> = std::iter::from_fn(|| front.pop(&links, |_| true)).take(count).collect();
        let classes: String = popped.iter().map(|(class, _)| char::from(b'0' + class)).collect();
        assert_eq!(classes, expected);
        for class in 0..CLASS_COUNT as u8 {
            let ids: Vec<u32> = popped.iter().filter(|pop| pop.0 == class).map(|pop| pop.1).collect();
            assert!(ids.is_sorted(), "first in, first out within a class");
        }
        assert_eq!(front.len(), pushed.len() - popped.len());
    }

    #[test]
    fn every_class_is_worth_twice_the_next() {
        check("", 1, "");
        check("3333", 9, "3333");
        check("111111000000", 9, "010010010");
        check("222211110000", 7, "0120010");
        check(&"70".repeat(300), 140, &format!("07{}7{}", "0".repeat(128), "0".repeat(9)));
    }

    #[test]
    fn an_entry_is_taken_out_of_the_middle() {
        for gone in 0..5 {
            let (mut front, mut links) = (Front::default(), Links::default());
            links.grow_to(5);
            for id in 0..5 {
                front.push(&mut links, 2, id);
            }
            assert!(front.remove(&mut links, 2, gone) && !front.remove(&mut links, 2, gone));
            front.push(&mut links, 2, gone);
            let popped: Vec<u32> =
                std::iter::from_fn(|| front.pop(&links, |_| true)).map(|pop| pop.1).collect();
            let expected: Vec<u32> = (0..5).filter(|&id| id != gone).chain([gone]).collect();
            assert_eq!(popped, expected);
        }
    }

    /// Pushes eight entries and takes even ones: which, and whether the others keep their order.
    fn check_pop_some((min, max): (usize, usize), expected: &[u32]) {
        let (mut front, mut links) = (Front::default(), Links::default());
        links.grow_to(9);
        (0..8).for_each(|id| front.push(&mut links, 3, id));
        let taken = front.pop_some(&mut links, 3, (min, max), |id| id.is_multiple_of(2));
        assert_eq!(taken, expected, "{min} to {max}");
        front.push(&mut links, 3, 8);
        let left: Vec<u32> = std::iter::from_fn(|| front.pop(&links, |_| true)).map(|pop| pop.1).collect();
        let rest: Vec<u32> = (0..9).filter(|id| !taken.contains(id)).collect();
        assert_eq!((left, front.len()), (rest, 0), "{min} to {max}: the others keep their order");
    }

    #[test]
    fn entries_that_are_meant_are_taken_together() {
        check_pop_some((1, 1), &[0]);
        check_pop_some((2, 3), &[0, 2, 4]);
        check_pop_some((4, 99), &[0, 2, 4, 6]);
        check_pop_some((5, 99), &[]);
        check_pop_some((0, 0), &[]);
        let (mut front, mut links) = (Front::default(), Links::default());
        assert!(front.pop_some(&mut links, 3, (0, 9), |_| true).is_empty());
    }

    #[test]
    fn a_class_that_slept_gains_no_credit() {
        let (mut front, mut links) = (Front::default(), Links::default());
        links.grow_to(200);
        for id in 0..100 {
            front.push(&mut links, 0, id);
        }
        for _ in 0..50 {
            front.pop(&links, |_| true);
        }
        for id in 100..200 {
            front.push(&mut links, 1, id);
        }
        let late =
            (0..30).filter(|_| front.pop(&links, |_| true).is_some_and(|(class, _)| class == 1)).count();
        assert!((9..=11).contains(&late), "a third of the turns, not all: {late}");
    }
}
