//! Sorting scores, with where they came from.
//!
//! Scores are cut into $2^{32}$ equal steps of their range; the step and the place of a score are
//! one whole number, and these are sorted digit by digit. Scores that share a step, few unless
//! one score is far from all others, are then compared themselves.

/// Bits of a digit: its counts fit into the nearest cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
const N_DIGITS: usize = 32_usize.div_ceil(DIGIT_BITS as usize);
/// Fewer scores are compared with each other.
const MIN_RADIX: usize = 512;

/// Memory that sorting needs, kept from call to call.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    keys: Vec<u64>,
    spare: Vec<u64>,
}

impl Order {
    /// Places of finite values in ascending order of these; equal ones in order of their places.
    pub(super) fn sort(&mut self, values: &[f64], places: &mut Vec<u32>) {
        self.sort_named(values.iter().copied().zip(0..), places, |place| {
            values[place as usize]
        });
    }

    /// Rows, given in ascending order, by ascending values, which are finite.
    pub(super) fn sort_rows(
        &mut self,
        rows: &[u32],
        value_of: impl Fn(u32) -> f64,
        sorted: &mut Vec<u32>,
    ) {
        let named = rows.iter().map(|&row| (value_of(row), row));
        self.sort_named(named, sorted, &value_of);
    }

    /// Names of values in ascending order of these; equal ones in order of their names.
    fn sort_named(
        &mut self,
        values: impl Iterator<Item = (f64, u32)> + Clone,
        names: &mut Vec<u32>,
        value_of: impl Fn(u32) -> f64,
    ) {
        let (mut low, mut high, mut n) = (f64::INFINITY, f64::NEG_INFINITY, 0usize);
        for (value, _) in values.clone() {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
            n += 1;
        }
        let exact = |&a: &u32, &b: &u32| {
            let order = value_of(a).partial_cmp(&value_of(b));
            order.unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(&b))
        };
        names.clear();
        let step = f64::from(u32::MAX) / (high - low);
        if n < MIN_RADIX || !step.is_finite() || step == 0.0 {
            names.extend(values.map(|(_, name)| name));
            names.sort_unstable_by(exact);
            return;
        }
        self.keys.clear();
        let key = |(value, name): (f64, u32)| {
            u64::from(((value - low) * step) as u32) << 32 | u64::from(name)
        };
        self.keys.extend(values.map(key));
        self.sort_keys();
        names.extend(self.keys.iter().map(|&key| key as u32));
        let mut start = 0;
        for run in self.keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            if run.len() > 1 {
                names[start..start + run.len()].sort_unstable_by(exact);
            }
            start += run.len();
        }
    }

    /// Sorts the keys by their upper halves, the last digit first.
    fn sort_keys(&mut self) {
        self.spare.resize(self.keys.len(), 0);
        let digit = |key: u64, at: usize| (key >> (32 + DIGIT_BITS * at as u32)) as usize % DIGITS;
        let mut ends = vec![[0u32; DIGITS]; N_DIGITS];
        for &key in &self.keys {
            for (at, ends) in ends.iter_mut().enumerate() {
                ends[digit(key, at)] += 1;
            }
        }
        for (at, ends) in ends.iter_mut().enumerate() {
            let mut sum = 0;
            for end in &mut *ends {
                let count = *end;
                *end = sum;
                sum += count;
            }
            for &key in &self.keys {
                let end = &mut ends[digit(key, at)];
                self.spare[*end as usize] = key;
                *end += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.spare);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let mut generator = Generator::new(3);
        let mut order = Order::default();
        for n in [0, 1, 2, 100, 511, 512, 5000] {
            for kind in 0..5 {
                let draw = |generator: &mut Generator, i: usize| match kind {
                    0 => (generator.normal() * 4.0).round(),
                    1 => 7.5,
                    // One far from all others: they share a step.
                    2 if i == 0 => 1e30,
                    2 | 3 => generator.normal(),
                    _ => f64::MAX * generator.range(-1.0, 1.0),
                };
                let values: Vec<f64> = (0..n).map(|i| draw(&mut generator, i)).collect();
                let mut places = Vec::new();
                order.sort(&values, &mut places);
                let mut expected: Vec<u32> = (0..n as u32).collect();
                expected.sort_by(|&a, &b| {
                    let order = values[a as usize].partial_cmp(&values[b as usize]);
                    order.expect("no value is NaN")
                });
                assert_eq!(places, expected, "{n} values of kind {kind}");
            }
        }
    }
}
