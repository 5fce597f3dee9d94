//! Numbers in two bytes and in one: amounts that decay a little at every visit.
//!
//! An unsigned float of 5 + 11 bits (or 4 + 4), cut from the bits of an `f32`. Rounding to the
//! nearest would stop a slow decay: a month's half-life takes a four-thousandth off between two
//! visits, less than half of the last bit. So amounts are rounded by a die: up with the
//! probability of the part that is cut off, which is right in the mean. The die is not chance
//! but a hash of what is told, so that the same history gives the same bytes.

/// Bits of an `f32` mantissa that two bytes do not keep.
const CUT_BITS: u32 = 12;
/// The smallest amount in two bytes is 2⁻¹², the largest just below 2²⁰.
const BASE: u32 = (127 - 12) << (23 - CUT_BITS);
/// Bits of an `f32` mantissa that one byte does not keep.
const CUT_BITS_TINY: u32 = 19;
/// The smallest amount in one byte is 2⁻⁶, the largest just below 2¹⁰.
const BASE_TINY: u32 = (127 - 6) << (23 - CUT_BITS_TINY);

/// A die: a stream of bits out of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Die(u64);

impl Die {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// 32 bits.
    pub(crate) fn throw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number from 0 to just below 1.
    pub(crate) fn share(&mut self) -> f32 {
        (self.throw() >> 8) as f32 / 16_777_216.0
    }
}

/// A number from 0 to just below 1 for each place of many, out of one throw: golden steps on from
/// it, so that none waits for the one before and together they are spread evenly.
#[inline]
pub(crate) fn share_of(throw: u32, slot: u32) -> f32 {
    let stepped = throw.wrapping_add(slot.wrapping_mul(0x9e37_79b9));
    // The high bits as the places behind the point of a number from 1 to 2.
    f32::from_bits((stepped >> 9) | 1.0_f32.to_bits()) - 1.0
}

/// An amount in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Small(pub(crate) u16);

impl Small {
    pub(crate) fn new(amount: f32, die: &mut Die) -> Self {
        Self(pack(amount, CUT_BITS, BASE, die).min(u32::from(u16::MAX)) as u16)
    }

    #[inline]
    pub(crate) fn get(self) -> f32 {
        unpack(u32::from(self.0), BASE, CUT_BITS)
    }
}

/// An amount in one byte, to six percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tiny(pub(crate) u8);

impl Tiny {
    pub(crate) fn new(amount: f32, die: &mut Die) -> Self {
        Self(pack(amount, CUT_BITS_TINY, BASE_TINY, die).min(u32::from(u8::MAX)) as u8)
    }

    #[inline]
    pub(crate) fn get(self) -> f32 {
        unpack(u32::from(self.0), BASE_TINY, CUT_BITS_TINY)
    }
}

/// The amount of a code. Zero is an amount too, without a branch: which it is depends on the source.
#[inline]
fn unpack(code: u32, base: u32, cut_bits: u32) -> f32 {
    let is_some = u32::from(code != 0);
    f32::from_bits(((code + base) << cut_bits) * is_some)
}

/// The code of an amount; 0 where it is too small or no amount.
fn pack(amount: f32, cut_bits: u32, base: u32, die: &mut Die) -> u32 {
    if amount.is_nan() || amount <= 0.0 {
        return 0;
    }
    let noise = die.throw() >> (32 - cut_bits);
    (amount.min(f32::MAX / 4.0).to_bits().saturating_add(noise) >> cut_bits).saturating_sub(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_their_size() {
        let mut die = Die::new(1);
        for amount in [0.001_f32, 0.1, 1.0, 3.7, 969.0, 400_000.0] {
            let got = Small::new(amount, &mut die).get();
            assert!((got / amount - 1.0).abs() < 1e-3, "{amount}: {got}");
        }
        for amount in [0.02_f32, 0.5, 1.0, 77.0, 1000.0] {
            let got = Tiny::new(amount, &mut die).get();
            assert!((got / amount - 1.0).abs() < 0.07, "{amount}: {got}");
        }
        for amount in [0.0, -1.0, f32::NAN, 1e-9] {
            assert!(Small::new(amount, &mut die).get() < 1e-3 && Tiny::new(amount, &mut die).get() < 0.02);
        }
        assert!((1_000_000.0..1_100_000.0).contains(&Small::new(f32::INFINITY, &mut die).get()));
    }

    #[test]
    fn slow_decay_is_not_lost() {
        let (mut amount, mut die) = (Small::new(1000.0, &mut Die::new(2)), Die::new(3));
        let keep = (-1.0_f32 / 2688.0).exp2();
        for _ in 0..2688 {
            amount = Small::new(amount.get() * keep, &mut die);
        }
        assert!((amount.get() - 500.0).abs() < 25.0, "{}", amount.get());
    }
}
