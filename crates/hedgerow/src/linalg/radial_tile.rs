//! Gaussian values of a tile of inner products.

use super::Real;

#[inline(always)]
fn gaussian_tile_body<const FMA: bool>(tile: &mut [f64], row: f64, columns: &[f64]) {
    for (value, &column) in tile.iter_mut().zip(columns) {
        let exponent = 2.0 * *value - row - column;
        // Rounding must not make a value above 1.
        let exponent = if exponent < 0.0 { exponent } else { 0.0 };
        *value = exponent.exp_fast::<FMA>();
    }
}

multiversion! {
    /// Inner products of one row with several become $e^{-\|a - b\|^2}$, given the squared norms.
    pub(crate) fn gaussian_tile[](tile: &mut [f64], row: f64, columns: &[f64]) = gaussian_tile_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_formula() {
        let (a, others) = (0.7f64, [0.7, -0.2, 1.9, 0.7 + 1e-9]);
        let mut tile = others.map(|b| a * b);
        gaussian_tile(&mut tile, a * a, &others.map(|b| b * b));
        for (value, b) in tile.iter().zip(others) {
            assert!((value - (-(a - b) * (a - b)).exp()).abs() < 1e-14, "{b}");
            assert!(*value <= 1.0);
        }
    }
}
