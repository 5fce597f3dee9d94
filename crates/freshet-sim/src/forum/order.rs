//! The order of a board's threads by last activity: the k-th most recently active, at any time, in O(log n).
//!
//! A binary indexed tree over the board's posts in order of time: 1 where a post is the newest of its thread. A new post
//! moves its thread's mark from its last post to itself; the k-th from the end is found by descending the tree.

/// Marks at the newest post of each thread.
#[derive(Clone, Debug)]
pub(super) struct Order {
    sums: Vec<u32>,
    count: u32,
}

impl Order {
    /// For a board of so many posts.
    pub(super) fn new(post_count: usize) -> Self {
        Self { sums: vec![0; post_count + 1], count: 0 }
    }

    /// Threads there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// A post at `index`; `before` is its thread's newest place so far.
    pub(super) fn bump(&mut self, before: Option<u32>, index: u32) {
        if let Some(before) = before {
            self.add(before, u32::MAX);
        } else {
            self.count += 1;
        }
        self.add(index, 1);
    }

    /// `u32::MAX` takes one away: sums wrap around and back.
    fn add(&mut self, index: u32, amount: u32) {
        let mut at = index as usize + 1;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add(amount);
            at += at & at.wrapping_neg();
        }
    }

    /// The place of the k-th newest mark, k from 0.
    pub(super) fn newest(&self, k: u32) -> Option<u32> {
        let mut rest = self.count.checked_sub(k).filter(|rest| *rest > 0)?;
        let mut at = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            let next = at + step;
            if next < self.sums.len() && self.sums[next] < rest {
                at = next;
                rest -= self.sums[next];
            }
            step /= 2;
        }
        Some(at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_sorting() {
        // Thread of each post in turn; after every post the order must be that of a plain list.
        let threads = [0_usize, 1, 2, 1, 0, 3, 3, 2, 4, 0];
        let mut order = Order::new(threads.len());
        let mut newest: Vec<Option<u32>> = vec![None; 5];
        for (index, &thread) in threads.iter().enumerate() {
            order.bump(newest[thread], index as u32);
            newest[thread] = Some(index as u32);
            let mut expected: Vec<u32> = newest.iter().copied().flatten().collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            let got: Vec<u32> = (0..order.count()).filter_map(|k| order.newest(k)).collect();
            assert_eq!(got, expected);
            assert_eq!(order.newest(order.count()), None);
        }
    }
}
