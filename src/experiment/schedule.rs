//! The order of runs: randomised, balanced, and the same again from its seed.
//!
//! A block holds every arm once. As many blocks as there are arms form a Latin square:
//! over them each arm comes once in each place, so that what changes within a block falls
//! on all alike. Source: Fisher, *The Design of Experiments* (1935), chapter V.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Draws orders of blocks.
#[derive(Debug, Clone)]
pub struct Schedule {
    seed: u64,
    arms: usize,
}

impl Schedule {
    /// Of so many arms, from a seed.
    #[must_use]
    pub fn new(seed: u64, arms: usize) -> Self {
        Self { seed, arms }
    }

    /// The order of a block: indices of arms. Block 0 warms up, and is outside the squares.
    #[must_use]
    pub fn order(&self, block: u64) -> Vec<usize> {
        let Some(counted) = block.checked_sub(1).filter(|_| self.arms > 0) else {
            return permutation(self.arms, &mut self.source(0));
        };
        let (square, row) = (counted / self.arms as u64, counted % self.arms as u64);
        // A source of its own for each square: no block depends on how many there will be.
        let mut source = self.source(square + 1);
        let (arms, rows) =
            (permutation(self.arms, &mut source), permutation(self.arms, &mut source));
        let columns = permutation(self.arms, &mut source);
        let row = rows[row as usize];
        columns.into_iter().map(|column| arms[(row + column) % self.arms]).collect()
    }

    fn source(&self, square: u64) -> Xoshiro256PlusPlus {
        let mut source = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // Far apart in the sequence by the seed alone, not by jumps: squares may be many.
        let own = source.next_u64() ^ square.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Xoshiro256PlusPlus::seed_from_u64(own)
    }
}

/// The numbers below `count` in random order (Fisher and Yates).
fn permutation(count: usize, source: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, below(last + 1, source));
    }
    order
}

/// A number below `bound`, all equally likely. Source: Lemire, *Fast random integer
/// generation in an interval* (2019); for bounds this small the bias is below 2⁻⁵⁰.
fn below(bound: usize, source: &mut Xoshiro256PlusPlus) -> usize {
    ((u128::from(source.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_arm_once_a_block_and_once_in_each_place_of_a_square(
            seed: u64, arms in 2usize..7, square in 0u64..50,
        ) {
            let schedule = Schedule::new(seed, arms);
            let first = square * arms as u64 + 1;
            let orders: Vec<Vec<usize>> =
                (first..first + arms as u64).map(|block| schedule.order(block)).collect();
            for order in &orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                prop_assert_eq!(sorted, (0..arms).collect::<Vec<_>>());
            }
            for place in 0..arms {
                let mut column: Vec<usize> = orders.iter().map(|order| order[place]).collect();
                column.sort_unstable();
                prop_assert_eq!(column, (0..arms).collect::<Vec<_>>());
            }
        }

        #[test]
        fn the_seed_alone_decides(seed: u64, block in 0u64..1000) {
            let again = Schedule::new(seed, 4).order(block);
            prop_assert_eq!(Schedule::new(seed, 4).order(block), again);
        }
    }

    #[test]
    fn either_arm_comes_first_in_half_of_the_blocks_and_not_in_turn() {
        let schedule = Schedule::new(1, 2);
        let first: Vec<usize> = (1..=200).map(|block| schedule.order(block)[0]).collect();
        assert_eq!(first.iter().sum::<usize>(), 100);
        let repeated = first.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!((25..75).contains(&repeated), "{repeated} of 199 as the one before");
    }

    #[test]
    fn other_seeds_give_other_orders() {
        let of = |seed| (1..=20).map(|block| Schedule::new(seed, 3).order(block)).collect();
        let (one, two): (Vec<_>, Vec<_>) = (of(1), of(2));
        assert_ne!(one, two);
    }
}
