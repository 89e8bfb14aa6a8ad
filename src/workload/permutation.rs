//! All numbers below a bound in random order, each once, without keeping a list.
//!
//! A Feistel network permutes the numbers of an even number of bits; what falls outside
//! the bound is sent through again until it is inside ("cycle walking"). Source: Black and
//! Rogaway, "Ciphers with Arbitrary Finite Domains", 2002.

/// Rounds of the network: enough for orders without visible pattern.
const ROUNDS: usize = 4;

/// A random order of the numbers from 0 to a bound.
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    bound: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// One order of the numbers below `bound` (at most 2⁶³), chosen by the seed.
    #[must_use]
    pub fn new(bound: u64, seed: u64) -> Self {
        let bits = u64::BITS - bound.saturating_sub(1).leading_zeros();
        let mut state = seed;
        let keys = std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        });
        Self { bound, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The number at a place below the bound.
    #[inline]
    #[must_use]
    pub fn at(&self, place: u64) -> u64 {
        let mut number = self.network(place);
        while number >= self.bound {
            number = self.network(number);
        }
        number
    }

    #[inline]
    fn network(&self, number: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finalizer of SplitMix64. Source: Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014.
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_once(bound in 1u64..5000, seed: u64) {
            let order = Permutation::new(bound, seed);
            let mut seen = vec![false; bound as usize];
            for place in 0..bound {
                let number = order.at(place) as usize;
                prop_assert!(!std::mem::replace(&mut seen[number], true));
            }
        }

        #[test]
        fn large_bounds_are_kept(bound in 1u64..1 << 62, place: u64, seed: u64) {
            prop_assert!(Permutation::new(bound, seed).at(place % bound) < bound);
        }
    }

    #[test]
    fn the_order_is_random() {
        let order = Permutation::new(10_000, 7);
        let neighbours = (1..10_000).filter(|&place| order.at(place) == order.at(place - 1) + 1);
        assert!(neighbours.count() < 10);
        let other = Permutation::new(10_000, 8);
        let same = (0..10_000).filter(|&place| order.at(place) == other.at(place));
        assert!(same.count() < 10);
        // Distances of successive numbers are those of random ones: a third of the bound.
        let steps: u64 = (1..10_000).map(|p| order.at(p).abs_diff(order.at(p - 1))).sum();
        assert!((3200..3470).contains(&(steps / 9_999)), "{}", steps / 9_999);
    }
}
