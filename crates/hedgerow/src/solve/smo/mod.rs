//! Sequential minimal optimisation for
//! $$\min_\beta \tfrac12 \beta^\top K \beta + p^\top \beta \quad\text{subject to}\quad
//!   l_t \le \beta_t \le u_t,\; \textstyle\sum_{t \in g} \beta_t = \text{const for each group } g.$$
//!
//! All SVM duals take this form with $\beta_t = y_t \alpha_t$: the labels vanish into the bounds, and
//! the gradient $F = K\beta + p$ is $y_t G_t$ of the literature. A variable *may grow* if
//! $\beta_t < u_t$ and *may shrink* if $\beta_t > l_t$; the solution is optimal when
//! $\max_{\text{may grow}} -F_t - \min_{\text{may shrink}} -F_t \le \varepsilon$ in every group.
//!
//! | paper (Fan, Chen, Lin 2005) | here |
//! |---|---|
//! | $y_t \alpha_t$ | `beta` |
//! | $y_t \nabla f_t$ | `gradient` |
//! | $m(\alpha)$, $M(\alpha)$ | `max_up`, `-max_low` |
//! | $I_{up}$, $I_{low}$ | variables that may grow, may shrink |
//! | $a_{ij}$ | curvature |
//!
//! One iteration picks the most violating variable that may grow, pairs it with the variable that
//! promises the largest decrease (second-order selection), and moves both. [`DenseSolver`] runs on a
//! whole small matrix in memory, and goes over to an active-set method where pairs take too long;
//! [`solve`] takes rows of a matrix of any size from a
//! [`SymmetricMatrix`], leaves settled variables out while it runs (shrinking), and hints which
//! rows it will want next, because several rows at once are much cheaper than one at a time.

mod dense;
mod free_set;
mod large;
mod pair;

pub use dense::DenseSolver;
pub use large::solve;
pub(crate) use pair::objective;

use crate::Status;

/// A symmetric matrix that may be too large to hold, as the solver sees it.
pub trait SymmetricMatrix {
    /// Order of the matrix.
    fn len(&self) -> usize;

    /// True for the empty matrix.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The diagonal.
    fn diagonal(&self) -> Vec<f64>;

    /// Writes the sub-matrix of the given positions, row-major.
    fn submatrix_into(&self, positions: &[usize], out: &mut [f32]);

    /// Whether the first `len` entries of a row can be had without computing them.
    fn has_row(&self, position: usize, len: usize) -> bool;

    /// Makes the first `len` entries of the given rows available to [`SymmetricMatrix::row`],
    /// where the first row and the row loaded before must stay. Rows beyond the first are hints.
    fn load_rows(&mut self, positions: &[usize], len: usize);

    /// The first `len` entries of a loaded row.
    fn row(&self, position: usize, len: usize) -> &[f32];

    /// `sum[t] += Σ_r factors[r] · K[positions[r], start + t]`, without keeping the rows.
    fn add_columns(&self, positions: &[usize], factors: &[f64], start: usize, sum: &mut [f64]);

    /// Reorders rows and columns: position `p` then holds what was at `order[p]`. Only the first
    /// `active` positions will be asked for until the next call of [`SymmetricMatrix::permute`]
    /// or a longer row is.
    fn permute(&mut self, order: &[u32], active: usize);
}

/// The problem, apart from its matrix.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Linear term $p$.
    pub linear: Vec<f64>,
    /// Lower bounds $l$.
    pub lower: Vec<f64>,
    /// Upper bounds $u$.
    pub upper: Vec<f64>,
    /// A feasible start; the sums over the groups stay what they are here.
    pub start: Vec<f64>,
    /// Group (0 or 1) of each variable; `None` puts all into one.
    pub groups: Option<Vec<u8>>,
}

/// When to stop, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest violation of optimality that is accepted.
    pub tolerance: f64,
    /// Largest number of pair updates and of steps of second order; `None` for $\max(10^7, 100 n)$.
    pub max_iterations: Option<u64>,
    /// Largest wall-clock time.
    pub max_seconds: Option<f64>,
    /// Whether variables that seem settled at a bound are left out until the end.
    pub shrinking: bool,
}

/// What the solver found.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The variables.
    pub beta: Vec<f64>,
    /// The gradient $K\beta + p$.
    pub gradient: Vec<f64>,
    /// Value of the objective.
    pub objective: f64,
    /// Pair updates, and steps of second order.
    pub iterations: u64,
    /// Why it stopped.
    pub status: Status,
}

impl Solution {
    /// The multiplier of the equality constraint of a group: the mean gradient of its free
    /// variables, or the middle of the interval that the bounded ones leave. Variables whose
    /// bounds leave them no room say nothing.
    pub fn multiplier(&self, problem: &Problem, group: u8) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        let (mut at_most, mut at_least) = (f64::INFINITY, f64::NEG_INFINITY);
        for t in 0..self.beta.len() {
            let elsewhere = problem
                .groups
                .as_ref()
                .is_some_and(|groups| groups[t] != group);
            if elsewhere || problem.lower[t] == problem.upper[t] {
                continue;
            }
            let f = self.gradient[t];
            if self.beta[t] <= problem.lower[t] {
                at_most = at_most.min(f);
            } else if self.beta[t] >= problem.upper[t] {
                at_least = at_least.max(f);
            } else {
                sum += f;
                count += 1;
            }
        }
        if count > 0 {
            return sum / count as f64;
        }
        match (at_most.is_finite(), at_least.is_finite()) {
            (true, true) => 0.5 * (at_most + at_least),
            (true, false) => at_most,
            (false, true) => at_least,
            (false, false) => 0.0,
        }
    }
}
