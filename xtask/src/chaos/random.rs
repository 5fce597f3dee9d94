//! Waits and choices that are the same for the same seed.

use std::time::Duration;

/// Numbers by splitmix64: a fixed sequence for a fixed seed.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from the first bound to just below the second.
    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from + (mixed ^ (mixed >> 31)) % (to - from)
    }

    /// A wait between two bounds.
    pub(super) fn wait_ms(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        Duration::from_millis(self.between(from_ms, to_ms))
    }

    /// Puts a list into an order of its own.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.between(0, at as u64 + 1) as usize;
            list.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_within_the_bounds() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            let mut list: Vec<u64> = (0..7).collect();
            random.shuffle(&mut list);
            list.extend((0..100).map(|_| random.between(5, 9)));
            list
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        let mut shuffled = draw(3);
        let drawn = shuffled.split_off(7);
        shuffled.sort_unstable();
        assert_eq!(shuffled, [0, 1, 2, 3, 4, 5, 6]);
        assert!(drawn.iter().all(|number| (5..9).contains(number)));
    }
}
