//! Sums over rows, one a feature.

/// Adds terms to sums.
pub(super) fn add(sums: &mut [f64], terms: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

/// Subtracts $\sum_j s_j x_{jl}^2$.
pub(super) fn subtract_squares(sums: &mut [f64], basis: &[f64], column_sums: &[f64]) {
    if sums.is_empty() {
        return;
    }
    for (row, column) in basis.chunks_exact(sums.len()).zip(column_sums) {
        for (sum, x) in sums.iter_mut().zip(row) {
            *sum -= column * x * x;
        }
    }
}
