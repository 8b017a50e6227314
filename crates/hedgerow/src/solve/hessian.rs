//! The Hessian of a linear learner, formed.
//!
//! $$H = I + \sum_i D_{ii}\, x_i x_i^\top$$
//! with the constant feature as a last coordinate of $x_i$. Conjugate gradients need no more of it
//! than products, each of which is a pass over the rows; where many products are needed and there
//! are few features, it is cheaper to form the matrix and to factor it. From one Newton step to the
//! next only the rows whose $D_{ii}$ has changed are added, or taken away: with the squared hinge
//! those that have come within the margin or left it.

use crate::linalg::{CHUNK, Columns, cholesky, cholesky_solve};

/// Largest order: the matrix takes 32 MB.
const MAX_ORDER: usize = 2048;
/// Cost of preparing a value, and of a product of two, while the matrix is formed, and of a product
/// while it is factored, in visits of a value by conjugate gradients: measured.
const FILL_COST: f64 = 6.0;
const FORM_COST: f64 = 0.12;
const FACTOR_COST: f64 = 0.3;

/// The rows that a Hessian is the sum of.
pub(super) struct HessianRows<'a> {
    /// Adds a multiple of a row to a vector.
    pub(super) add_row: &'a dyn Fn(usize, f64, &mut [f64]),
    pub(super) members: &'a [u32],
    /// $D_{ii}$ of each member, not negative.
    pub(super) curvatures: &'a [f64],
    /// Value of the constant feature.
    pub(super) bias: f64,
    /// Coordinates, that of the constant feature included.
    pub(super) order: usize,
}

/// $\sum_i D_{ii}\, x_i x_i^\top$, lower triangle.
#[derive(Debug)]
pub(super) struct Hessian {
    sums: Vec<f64>,
    /// $D_{ii}$ of each member as it is in the sums.
    curvatures: Vec<f64>,
    /// Share of the cost of the first matrix that the first step has to justify.
    first_share: f64,
}

impl Hessian {
    /// No rows yet; `None` if the matrix would be too large. `first_share` of the cost of the first
    /// matrix must pay in one step: little where later ones will be much cheaper.
    pub(super) fn new(order: usize, n_members: usize, first_share: f64) -> Option<Self> {
        (order <= MAX_ORDER).then(|| Self {
            sums: Vec::new(),
            curvatures: vec![0.0; n_members],
            first_share,
        })
    }

    /// Brings the sums up to date if that costs less than `visits`, visits of values by conjugate
    /// gradients; whether it was done.
    pub(super) fn update(&mut self, rows: &HessianRows<'_>, visits: f64) -> bool {
        let order = rows.order as f64;
        let changes = self.curvatures.iter().zip(rows.curvatures);
        let changed = changes.filter(|(old, new)| old != new).count();
        let share = if self.sums.is_empty() {
            self.first_share
        } else {
            1.0
        };
        let form = changed as f64 * order * (FILL_COST + order / 2.0 * FORM_COST);
        let factor = order * order * order / 6.0 * FACTOR_COST;
        let pays = share * form + factor <= visits;
        if pays {
            self.sums.resize(rows.order * rows.order, 0.0);
            self.add_changes(rows);
        }
        pays
    }

    /// Adds what curvatures have gained, and takes away what they have lost.
    fn add_changes(&mut self, rows: &HessianRows<'_>) {
        let mut columns = Columns::new(rows.order);
        for sign in [1.0, -1.0] {
            let gains = self.curvatures.iter().zip(rows.curvatures).enumerate();
            let gains = gains.map(|(t, (old, new))| (t, sign * (new - old)));
            let changed: Vec<(usize, f64)> = gains.filter(|&(_, gain)| gain > 0.0).collect();
            for part in changed.chunks(CHUNK) {
                columns.fill(part.len(), |at, row| {
                    let (t, gain) = part[at];
                    let root = gain.sqrt();
                    let (features, constant) = row.split_at_mut(rows.order - 1);
                    (rows.add_row)(rows.members[t] as usize, root, features);
                    constant[0] = root * rows.bias;
                });
                columns.add_products(sign, &mut self.sums);
            }
        }
        self.curvatures.copy_from_slice(rows.curvatures);
    }

    /// Solves $H s = -g$; `bias_ridge` stands for 1 in the row of the constant feature. `None` if
    /// rounding has left a matrix that is not positive definite.
    pub(super) fn newton_step(&self, gradient: &[f64], bias_ridge: f64) -> Option<Vec<f64>> {
        let order = gradient.len();
        let mut matrix = self.sums.clone();
        for f in 0..order {
            let ridge = if f + 1 == order { bias_ridge } else { 1.0 };
            matrix[f * order + f] += ridge;
        }
        let factor = cholesky(order, matrix)?;
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        cholesky_solve(order, &factor, &mut step);
        step.iter().all(|s| s.is_finite()).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Generator;
    use crate::linalg::{DENSE_LANES, DenseStore, add_row};
    use std::borrow::Cow;

    const ORDER: usize = DENSE_LANES + 1;
    const BIAS: f64 = 0.5;

    /// $H s + g$, from the definition.
    fn left_over(
        rows: &[f64],
        curvatures: &[f64],
        ridge: f64,
        step: &[f64],
        g: &[f64],
    ) -> Vec<f64> {
        let mut sum: Vec<f64> = step.iter().zip(g).map(|(s, g)| s + g).collect();
        sum[ORDER - 1] += (ridge - 1.0) * step[ORDER - 1];
        for (row, d) in rows.chunks_exact(DENSE_LANES).zip(curvatures) {
            let mut row = row.to_vec();
            row.push(BIAS);
            let along: f64 = row.iter().zip(step).map(|(x, s)| x * s).sum();
            for (sum, x) in sum.iter_mut().zip(&row) {
                *sum += d * along * x;
            }
        }
        sum
    }

    /// Rows come, change and go; members are rows in another order, one of them twice.
    #[test]
    fn changes_lead_to_the_matrix_of_the_definition() {
        let mut generator = Generator::new(4);
        let n = CHUNK + 40;
        let values: Vec<f64> = (0..n * DENSE_LANES).map(|_| generator.normal()).collect();
        let store = DenseStore {
            width: DENSE_LANES,
            values: Cow::Borrowed(values.as_slice()),
        };
        let mut members: Vec<u32> = (0..n as u32).rev().collect();
        members[3] = 7;
        let own: Vec<f64> = members
            .iter()
            .flat_map(|&m| values[m as usize * DENSE_LANES..][..DENSE_LANES].to_vec())
            .collect();
        let mut hessian = Hessian::new(ORDER, n, 1.0).expect("a small matrix");
        let gradient: Vec<f64> = (0..ORDER).map(|_| generator.normal()).collect();
        for (round, ridge) in [(0, 1.0), (1, 0.0), (2, 1.0)] {
            let curvatures: Vec<f64> = (0..n)
                .map(|t| f64::from(u32::from((t + round) % 3 != 0)) * (1.0 + (t * round) as f64))
                .collect();
            let rows = HessianRows {
                add_row: &|i, factor, sum| add_row(&store, i, factor, sum),
                members: &members,
                curvatures: &curvatures,
                bias: BIAS,
                order: ORDER,
            };
            assert!(
                !hessian.update(&rows, 10.0),
                "work for more than it may cost"
            );
            assert!(hessian.update(&rows, f64::INFINITY));
            let step = hessian.newton_step(&gradient, ridge).expect("definite");
            for value in left_over(&own, &curvatures, ridge, &step, &gradient) {
                assert!(value.abs() < 1e-9, "round {round}: {value} is left");
            }
        }
    }

    #[test]
    fn what_is_not_definite_has_no_step() {
        let hessian = Hessian {
            sums: vec![0.0; 4],
            curvatures: Vec::new(),
            first_share: 1.0,
        };
        assert_eq!(hessian.newton_step(&[1.0, 1.0], 0.0), None);
        assert!(Hessian::new(MAX_ORDER + 1, 5, 1.0).is_none());
    }
}
