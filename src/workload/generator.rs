//! The pseudo-random numbers of the workload.
//!
//! [`Xoshiro`] (Blackman and Vigna, 2018) splits into streams for several workers.
//! [`Mt19937`] is PostMark's generator: the Mersenne Twister of Matsumoto and Nishimura
//! (1998) with the seeding their code had in 1999.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Length of the Mersenne Twister's state, in 32-bit words.
const STATE_WORDS: usize = 624;
/// Distance of the word mixed into each new one.
const MIDDLE: usize = 397;

/// A source of uniform 32-bit draws.
pub trait Generator {
    /// The next uniform 32-bit number.
    fn draw(&mut self) -> u32;

    /// PostMark's `R(n)`: a draw modulo `n`; for `n` = 0 it is 0 and *draws nothing*.
    ///
    /// Above 2³² (beyond anything PostMark can express) two draws make one 64-bit
    /// number, the first its high half.
    #[inline]
    fn below(&mut self, n: u64) -> u64 {
        match u32::try_from(n) {
            Ok(0) => 0,
            Ok(n) => u64::from(self.draw() % n),
            Err(_) => ((u64::from(self.draw()) << 32) | u64::from(self.draw())) % n,
        }
    }
}

/// xoshiro256++, whose jumps of 2¹²⁸ draws give each worker a stream of its own.
#[derive(Debug, Clone)]
pub struct Xoshiro(Xoshiro256PlusPlus);

impl Xoshiro {
    /// The stream of a worker, counted from 0.
    #[must_use]
    pub fn new(seed: u64, worker: u64) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..worker).for_each(|_| generator.jump());
        Self(generator)
    }
}

impl Generator for Xoshiro {
    #[inline]
    fn draw(&mut self) -> u32 {
        self.0.next_u32()
    }
}

/// Either generator.
#[derive(Debug, Clone)]
pub enum AnyGenerator {
    /// PostMark's.
    Postmark(Box<Mt19937>),
    /// One that splits.
    Xoshiro(Xoshiro),
}

impl AnyGenerator {
    /// The draws already made, and which of them is the next; none where they are not
    /// made in blocks.
    #[inline]
    #[must_use]
    pub fn block(&self) -> (&[u32], usize) {
        match self {
            Self::Postmark(generator) => generator.block(),
            Self::Xoshiro(_) => (&[], 0),
        }
    }
}

impl Generator for AnyGenerator {
    #[inline]
    fn draw(&mut self) -> u32 {
        match self {
            Self::Postmark(generator) => generator.draw(),
            Self::Xoshiro(generator) => generator.draw(),
        }
    }
}

/// MT19937 with the 1999 seeding: each state word takes the high halves of two
/// successive values of the LCG `s ← 69069·s + 1 (mod 2³²)`, which starts at the seed.
///
/// Draws are made a whole state at a time, so that those to come can be looked at.
#[derive(Debug, Clone)]
pub struct Mt19937 {
    state: [u32; STATE_WORDS],
    draws: [u32; STATE_WORDS],
    next: usize,
}

impl Mt19937 {
    /// Seeds the generator. PostMark's seed is a 32-bit word.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        let mut lcg = seed;
        let mut high_half = || {
            let half = lcg & 0xffff_0000;
            lcg = lcg.wrapping_mul(69_069).wrapping_add(1);
            half
        };
        let state = std::array::from_fn(|_| high_half() | (high_half() >> 16));
        Self { state, draws: [0; STATE_WORDS], next: STATE_WORDS }
    }

    /// The block of draws already made, and which of them is the next.
    #[inline]
    #[must_use]
    pub fn block(&self) -> (&[u32], usize) {
        (&self.draws, self.next)
    }

    /// The "twist" replaces the whole state by its successor; "tempering" makes draws of it.
    #[cold]
    fn refill(&mut self) {
        for i in 0..STATE_WORDS {
            let joined =
                (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % STATE_WORDS] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + MIDDLE) % STATE_WORDS] ^ (joined >> 1) ^ odd;
        }
        for (draw, &word) in self.draws.iter_mut().zip(&self.state) {
            *draw = temper(word);
        }
        self.next = 0;
    }
}

#[inline]
fn temper(word: u32) -> u32 {
    let mut y = word;
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

impl Generator for Mt19937 {
    #[inline]
    fn draw(&mut self) -> u32 {
        if self.next == STATE_WORDS {
            self.refill();
        }
        let draw = self.draws[self.next];
        self.next += 1;
        draw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes PostMark writes with seed 42, as seen in a trace of its system calls.
    #[test]
    fn first_draws_are_postmarks() {
        let mut generator = Mt19937::new(42);
        let text: String =
            (0..32).map(|_| char::from(32 + (generator.draw() % 95) as u8)).collect();
        assert_eq!(text, "LeZebJ6S5~qPv$C$py}hmKd H58nM4~.");
    }

    #[test]
    fn nothing_is_drawn_for_zero() {
        let mut generator = Mt19937::new(1);
        let mut same = generator.clone();
        assert_eq!(generator.below(0), 0);
        assert_eq!(generator.draw(), same.draw());
    }

    #[test]
    fn wide_bounds_are_met() {
        let mut generator = Mt19937::new(7);
        let bound = (1u64 << 40) + 3;
        let most = (0..1000).map(|_| generator.below(bound)).max().expect("1000 draws");
        assert!(most < bound && most > 1 << 39);
    }
}
