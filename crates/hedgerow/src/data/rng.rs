//! One seeded source of randomness, the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// ChaCha-based generator of everything random in the toolkit.
#[derive(Debug, Clone)]
pub struct Generator {
    inner: ChaCha8Rng,
    spare_normal: Option<f64>,
}

impl Generator {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            inner: ChaCha8Rng::seed_from_u64(seed),
            spare_normal: None,
        }
    }

    /// An independent generator for the sub-task `index`, so that parallel tasks do not share one.
    pub fn for_task(seed: u64, index: u64) -> Self {
        let mut inner = ChaCha8Rng::seed_from_u64(seed);
        inner.set_stream(index.wrapping_add(1));
        Self {
            inner,
            spare_normal: None,
        }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.inner.next_u64()
    }

    /// Uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform integer below `bound`, without bias. `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let zone = u64::MAX - u64::MAX % bound;
        loop {
            let bits = self.bits();
            if bits < zone {
                return (bits % bound) as usize;
            }
        }
    }

    /// Standard normal (polar method).
    pub fn normal(&mut self) -> f64 {
        if let Some(value) = self.spare_normal.take() {
            return value;
        }
        loop {
            let u = self.range(-1.0, 1.0);
            let v = self.range(-1.0, 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * s.ln() / s).sqrt();
                self.spare_normal = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// Fisher–Yates shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// `count` distinct integers below `bound`, ascending.
    pub fn sample(&mut self, bound: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..bound).collect();
        let count = count.min(bound);
        for i in 0..count {
            let j = i + self.below(bound - i);
            all.swap(i, j);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}
