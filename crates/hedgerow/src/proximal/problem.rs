//! One problem of two groups of rows: its matrices and the way to its surfaces.

use super::design::Design;
use super::dual_route::{self, Side};
use super::pencil::{Surface, both, may_reverse, regularise, reversed};
use super::words::Regularisation;
use crate::error::ensure_memory;
use crate::{Error, Result};

/// Columns up to which the matrices are formed.
const DENSE_ORDER: usize = 1001;

/// What is added to the matrices.
#[derive(Debug, Clone, Copy)]
pub(super) enum Recipe {
    /// One pencil for both surfaces; shares for the first and the second matrix.
    Shared(Regularisation, [f64; 2]),
    /// A pencil a surface, with a multiple of the identity where its own rows count.
    Apart(f64),
}

/// A problem of two groups.
pub(super) struct Problem<'a> {
    pub(super) design: &'a Design<'a>,
    /// Rows of the data.
    pub(super) first: &'a [u32],
    pub(super) second: &'a [u32],
    pub(super) recipe: Recipe,
    pub(super) memory_bytes: u64,
    pub(super) route: Route,
}

/// How a problem may be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// By its matrices.
    Matrices,
    /// By its rows, where they are many.
    RowsIfMany,
    /// By its rows.
    #[cfg(test)]
    Rows,
}

impl Problem<'_> {
    /// The surfaces of both groups.
    pub(super) fn both(&self) -> Result<[Surface; 2]> {
        match self.by_rows(2)? {
            Some(mut found) if found.len() == 2 => {
                let second = found.pop().ok_or(Error::NoEigenvalues)?;
                let first = found.pop().ok_or(Error::NoEigenvalues)?;
                Ok([first, second])
            }
            _ => self.by_matrices(),
        }
    }

    /// The surface of the first group.
    pub(super) fn first(&self) -> Result<Surface> {
        match self.by_rows(1)?.and_then(|mut found| found.pop()) {
            Some(surface) => Ok(surface),
            None => self.by_matrices().map(|[first, _]| first),
        }
    }

    /// The shares of the diagonals, if the problem may be solved by its rows. Shares so large that
    /// the ends may change places need the matrices.
    fn diagonal_shares(&self) -> Option<(bool, [f64; 2])> {
        let many = match self.route {
            Route::Matrices => false,
            Route::RowsIfMany => self.design.order() > DENSE_ORDER,
            #[cfg(test)]
            Route::Rows => true,
        };
        let many = many
            && match self.recipe {
                Recipe::Shared(_, shares) => !may_reverse(shares),
                Recipe::Apart(_) => false,
            };
        match self.recipe {
            Recipe::Shared(Regularisation::Diagonal, shares) if many => Some((true, shares)),
            Recipe::Shared(Regularisation::Tikhonov, shares) if many => Some((false, shares)),
            _ => None,
        }
    }

    /// The first surfaces, without forming a matrix; `None` where that is no way.
    fn by_rows(&self, count: usize) -> Result<Option<Vec<Surface>>> {
        let Some((of_diagonal, shares)) = self.diagonal_shares() else {
            return Ok(None);
        };
        let order = self.design.order();
        let n = (self.first.len() + self.second.len()) as u64;
        // The rows, those of a group scaled, and its matrix.
        let needed = 8 * n * (2 * order as u64 + n);
        ensure_memory("kernel values of all rows", needed, self.memory_bytes)?;
        let rows = |group: &[u32]| -> Result<Vec<f64>> {
            let mut out = vec![0.0; group.len() * order];
            self.design.write(group, &mut out)?;
            Ok(out)
        };
        let groups = [rows(self.first)?, rows(self.second)?];
        let squares = |rows: &[f64]| {
            let mut sums = vec![0.0; order];
            for row in rows.chunks_exact(order) {
                for (sum, x) in sums.iter_mut().zip(row) {
                    *sum += x * x;
                }
            }
            sums
        };
        // What is added to the products of a group comes from the other one.
        let added = |other: &[f64], share: f64| -> Vec<f64> {
            if of_diagonal {
                squares(other).iter().map(|x| share * x).collect()
            } else {
                vec![share; order]
            }
        };
        let diagonals = [added(&groups[1], shares[0]), added(&groups[0], shares[1])];
        let side = |at: usize| Side {
            rows: &groups[at],
            diagonal: &diagonals[at],
        };
        let found: Option<Vec<Surface>> = (0..count)
            .map(|at| dual_route::surface(&side(at), &side(1 - at)))
            .collect();
        Ok(found)
    }

    fn by_matrices(&self) -> Result<[Surface; 2]> {
        let order = self.design.order();
        // Two matrices, their sum, its factor, the reduced problem and its vectors.
        let needed = 6 * 8 * (order as u64) * (order as u64);
        ensure_memory(
            "the matrices of the eigenproblem",
            needed,
            self.memory_bytes,
        )?;
        let mut g = self.design.gram(self.first)?;
        let mut h = self.design.gram(self.second)?;
        match self.recipe {
            Recipe::Shared(rule, shares) => {
                self.add_literal(rule, shares, &mut g, &mut h)?;
                let added = regularise(rule, shares, order, &mut g, &mut h);
                let mut surfaces = both(order, &g, &h)?;
                if reversed(rule, shares, order, [&g, &h], &added, &surfaces) {
                    surfaces.swap(0, 1);
                }
                Ok(surfaces)
            }
            Recipe::Apart(delta) => {
                let raised = |matrix: &[f64]| {
                    let mut raised = matrix.to_vec();
                    for i in 0..order {
                        raised[i * order + i] += delta;
                    }
                    raised
                };
                let [first, _] = both(order, &raised(&g), &h)?;
                let [second, _] = both(order, &raised(&h), &g)?;
                Ok([first, second])
            }
        }
    }

    /// Adds what the literal readings of the report say: rows with one kernel value and the −1.
    fn add_literal(
        &self,
        rule: Regularisation,
        [to_first, to_second]: [f64; 2],
        g: &mut [f64],
        h: &mut [f64],
    ) -> Result<()> {
        let own = match rule {
            Regularisation::LiteralRectangular => false,
            Regularisation::LiteralOwnClass => true,
            _ => return Ok(()),
        };
        let order = self.design.order();
        let n_first = self.first.len();
        for (group, start, share, matrix) in [
            (self.second, n_first, to_first, g),
            (self.first, 0, to_second, h),
        ] {
            let mut rows = vec![0.0; group.len() * order];
            self.design.write(group, &mut rows)?;
            let last = order - 1;
            for i in 0..group.len() {
                let (column, value) = if own {
                    (start + i, 1.0)
                } else {
                    (i, rows[i * order + i])
                };
                matrix[column * order + column] += share * value * value;
                matrix[column * order + last] -= share * value;
                matrix[last * order + column] -= share * value;
                matrix[last * order + last] += share;
            }
        }
        Ok(())
    }
}
