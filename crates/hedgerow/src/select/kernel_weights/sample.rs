//! The rows that products with the Hessian are made of.

use crate::data::Generator;

/// Rows that products with the Hessian are made of at most. A model only has to tell a good direction;
/// whether a step is good is asked of all rows.
const SAMPLED_ROWS: usize = 512;

/// The same random rows for the same number of rows.
pub(super) fn sample(n: usize) -> Option<(Vec<bool>, f64)> {
    if n < 2 * SAMPLED_ROWS {
        return None;
    }
    let mut sampled = vec![false; n];
    for i in Generator::new(n as u64).sample(n, SAMPLED_ROWS) {
        sampled[i] = true;
    }
    Some((sampled, n as f64 / SAMPLED_ROWS as f64))
}
