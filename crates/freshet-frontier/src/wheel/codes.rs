//! Due ticks in three and a half bytes each: two share seven bytes.
//!
//! A code is the low 27 bits of a tick and, above them, a bit that says whether the entry is in. What ten million
//! entries are due is looked through from front to back when a window begins, so they lie close together.

/// Bits of a tick that are kept.
pub(super) const TICK_BITS: u32 = 27;
/// The entry is in.
const IN: u32 = 1 << TICK_BITS;
/// Where the codes of a pair stand in its bits: 24 bits of each, then the four high ones of each.
const LOW_BITS: u32 = 24;
/// See [`LOW_BITS`].
const HIGH_BITS: u32 = 4;
/// Pairs that are looked through at a time.
const BLOCK: usize = 128;
/// The arrays grow by an eighth instead of doubling: at 10^7 entries doubling wastes 17 MB.
const GROWTH_DIVISOR: usize = 8;
/// The least they grow by.
const GROWTH_MIN: usize = 1024;

/// The due ticks of all entries, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Codes(Vec<[u8; 7]>);

impl Codes {
    /// Makes room for entries 0 to `count - 1` at once.
    pub(super) fn reserve(&mut self, count: usize) {
        self.0.reserve_exact(count.div_ceil(2).saturating_sub(self.0.len()));
    }

    /// Makes entries 0 to `count - 1`, of which new ones are not in.
    pub(super) fn grow_to(&mut self, count: usize) {
        let pair_count = count.div_ceil(2);
        if pair_count <= self.0.len() {
            return;
        }
        if pair_count > self.0.capacity() {
            let step = (self.0.len() / GROWTH_DIVISOR).max(GROWTH_MIN);
            self.0.reserve_exact((pair_count - self.0.len()).max(step));
        }
        self.0.resize(pair_count, [0; 7]);
    }

    /// The low bits of an entry's due tick; `None` if it is not in.
    pub(super) fn get(&self, id: u32) -> Option<u32> {
        let code = codes(*self.0.get(id as usize / 2)?)[id as usize % 2];
        (code & IN != 0).then_some(code & !IN)
    }

    /// An entry is due at a tick, or not in.
    pub(super) fn set(&mut self, id: u32, tick: Option<i64>) {
        let pair = &mut self.0[id as usize / 2];
        let mut both = codes(*pair);
        both[id as usize % 2] = tick.map_or(0, |tick| (tick as u32 % IN) | IN);
        let [bytes @ .., _] = bits_of(both).to_le_bytes();
        *pair = bytes;
    }

    /// Calls with every entry that is in and whose tick has these bits above the lowest `shift`, and with its tick.
    pub(super) fn each_in(&self, shift: u32, high: u32, mut each: impl FnMut(u32, u32)) {
        // Both halves of a pair are compared where they stand.
        let (wanted, compared) = ((high << shift) | IN, (2 * IN - 1) & (u32::MAX << shift));
        let wanted = bits_of([wanted; 2]);
        let compared = [bits_of([compared, 0]), bits_of([0, compared])];
        let mut found = [0; 2 * BLOCK];
        for (block, pairs) in self.0.chunks(BLOCK).enumerate() {
            // Without a branch for each: which of them are found follows no pattern.
            let mut found_count = 0;
            for (pair, bytes) in pairs.iter().enumerate() {
                let other = bits(*bytes) ^ wanted;
                for (half, compared) in compared.iter().enumerate() {
                    found[found_count % (2 * BLOCK)] = (2 * (BLOCK * block + pair) + half) as u32;
                    found_count += usize::from(other & compared == 0);
                }
            }
            for id in &found[..found_count] {
                self.get(*id).into_iter().for_each(|tick| each(*id, tick));
            }
        }
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<[u8; 7]>()
    }
}

/// The low bits of a code.
const LOW: u64 = (1 << LOW_BITS) - 1;

/// The bits of a pair.
fn bits(pair: [u8; 7]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..7].copy_from_slice(&pair);
    u64::from_le_bytes(bytes)
}

/// The bits of two codes.
fn bits_of(codes: [u32; 2]) -> u64 {
    let [first, second] = codes.map(u64::from);
    let high = (first >> LOW_BITS) | ((second >> LOW_BITS) << HIGH_BITS);
    (first & LOW) | ((second & LOW) << LOW_BITS) | (high << (2 * LOW_BITS))
}

/// The codes of a pair.
fn codes(pair: [u8; 7]) -> [u32; 2] {
    let bits = bits(pair);
    let high = (bits >> (2 * LOW_BITS)) as u32;
    let of = |low: u64, high: u32| (low & LOW) as u32 | ((high % (1 << HIGH_BITS)) << LOW_BITS);
    [of(bits, high), of(bits >> LOW_BITS, high >> HIGH_BITS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_keep_their_ticks() {
        let mut codes = Codes::default();
        codes.grow_to(5);
        let ticks = [0, (1 << TICK_BITS) - 1, 0x0555_5555, 0x2aa_aaaa];
        for (first, second) in ticks.into_iter().flat_map(|tick| ticks.map(|other| (tick, other))) {
            codes.set(2, Some(first));
            codes.set(3, Some(second));
            let low = |tick: i64| (tick % (1 << TICK_BITS)) as u32;
            assert_eq!(
                [1, 2, 3, 4].map(|id| codes.get(id)),
                [None, Some(low(first)), Some(low(second)), None]
            );
        }
        codes.set(3, None);
        assert_eq!((codes.get(3), codes.get(2).is_some(), codes.get(1000)), (None, true, None));
    }

    #[test]
    fn those_of_a_window_are_found() {
        let mut codes = Codes::default();
        codes.grow_to(1001);
        for id in (0..1001).filter(|id| id % 3 != 0) {
            codes.set(id, Some(i64::from(id) * 7));
        }
        let mut found = Vec::new();
        codes.each_in(8, 2, |id, tick| found.push((id, tick)));
        let expected: Vec<_> =
            (0..1001).filter(|id| id % 3 != 0 && id * 7 / 256 == 2).map(|id| (id, id * 7)).collect();
        assert_eq!(found, expected);
        found.clear();
        codes.each_in(8, 0, |id, tick| found.push((id, tick)));
        assert_eq!(found[0], (1, 7), "what is not in is not found");
    }
}
