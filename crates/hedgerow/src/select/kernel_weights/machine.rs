//! The support vector machine with the smoothed hinge at fixed weights, by Newton's method.
//!
//! $$\min_{\beta, b}\ \tfrac12 \beta^\top K \beta + C\sum_i \ell_\varepsilon(y_i f_i), \qquad
//!   f = K\beta + b.$$
//!
//! At the optimum $\beta_i = -C y_i \ell'_\varepsilon(y_i f_i)$: 0 beyond the margin, $C y_i$ on the
//! straight part $L$ of the loss, $\tfrac{C}{2\varepsilon}(y_i - f_i)$ on the parabola $Q$. A step of
//! Newton's method solves for that with the sets as they are,
//!
//! $$\begin{pmatrix} K_{QQ} + \tfrac{2\varepsilon}{C} I & 1 \\ 1^\top & 0 \end{pmatrix}
//!   \begin{pmatrix} \beta_Q \\ b \end{pmatrix} =
//!   \begin{pmatrix} y_Q - K_{QL}\beta_L \\ -1^\top \beta_L \end{pmatrix},$$
//!
//! and goes to the lowest point on the way there. A full step that leaves the sets as they are is the
//! optimum. The factor of $K_{QQ}$ grows and shrinks with $Q$ where that is less work than a new one.

use super::hinge::smoothed_hinge;
use super::kernel::BLOCK_ROWS;
use crate::linalg::{GrowingCholesky, add_gram, dot, mirror_upper, raised_factor};
use crate::parallel::concat;
use crate::{Error, Result, Status};

/// Most steps of Newton's method.
const MAX_STEPS: usize = 200;
/// Decrease of the objective, relative to it, that ends the search.
const LEAST_DECREASE: f64 = 1e-13;
/// A new factor costs about as much as so many changed rows out of all.
const REFACTOR_SHARE: usize = 24;
/// Halvings that find the lowest point of a line.
const HALVINGS: usize = 60;
/// Least pivot of a factor, as a share of the diagonal entry.
const LEAST_PIVOT: f64 = 1e-12;

/// A machine $f(x) = \sum_{j} \beta_j k(x_j, x) + b$.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// Rows of the kernel functions.
    pub(super) basis: Vec<usize>,
    /// $\beta$ of each.
    pub(super) coefficients: Vec<f64>,
    pub(super) bias: f64,
    /// $\beta^\top K \beta$.
    pub(super) norm: f64,
    /// $\tfrac12 \beta^\top K \beta + C\sum\ell$.
    pub(super) objective: f64,
    pub(super) status: Status,
}

impl Machine {
    /// $\beta$ of every row.
    pub(super) fn by_row(&self, n: usize) -> Vec<f64> {
        let mut out = vec![0.0; n];
        for (&i, &beta) in self.basis.iter().zip(&self.coefficients) {
            out[i] = beta;
        }
        out
    }
}

/// What does not change between steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Losses<'a> {
    /// $y_i = \pm 1$.
    pub(super) signs: &'a [f64],
    pub(super) cost: f64,
    pub(super) epsilon: f64,
}

impl Losses<'_> {
    fn sum(&self, decisions: &[f64]) -> f64 {
        let terms = decisions.iter().zip(self.signs);
        self.cost
            * terms
                .map(|(f, y)| smoothed_hinge(y * f, self.epsilon).0)
                .sum::<f64>()
    }

    /// The part of the loss that a row lies on: 0 beyond the margin, 1 parabola, 2 straight.
    fn part(&self, row: usize, decision: f64) -> u8 {
        let margin = self.signs[row] * decision;
        if margin >= 1.0 {
            0
        } else if margin < 1.0 - 2.0 * self.epsilon {
            2
        } else {
            1
        }
    }

    /// The share of the way from one machine to another with the least objective; `norms` are
    /// $\beta^\top K\beta$, $\beta^\top K\hat\beta$ and $\hat\beta^\top K\hat\beta$.
    fn lowest(&self, from: &[f64], to: &[f64], norms: [f64; 3]) -> f64 {
        let slope = |share: f64| {
            let form =
                -(1.0 - share) * norms[0] + (1.0 - 2.0 * share) * norms[1] + share * norms[2];
            let mut sum = 0.0;
            for ((f, g), y) in from.iter().zip(to).zip(self.signs) {
                let at = f + share * (g - f);
                sum += smoothed_hinge(y * at, self.epsilon).1 * y * (g - f);
            }
            form + self.cost * sum
        };
        if slope(1.0) <= 0.0 {
            return 1.0;
        }
        bisect(0.0, 1.0, slope)
    }

    /// The bias that makes the losses of some outputs least.
    fn best_bias(&self, outputs: &[f64]) -> f64 {
        let most = outputs.iter().fold(0.0f64, |most, f| most.max(f.abs())) + 2.0;
        bisect(-most, most, |bias| {
            let terms = outputs.iter().zip(self.signs);
            terms
                .map(|(f, y)| smoothed_hinge(y * (f + bias), self.epsilon).1 * y)
                .sum()
        })
    }
}

/// Where an increasing function is 0.
fn bisect(mut low: f64, mut high: f64, slope: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// Trains with a kernel function at every row. `matrix` is the kernel matrix; `start` are the
/// coefficients of every row and the bias of a machine near by.
pub(super) fn train(matrix: &[f64], losses: Losses<'_>, start: Option<(&[f64], f64)>) -> Machine {
    let n = losses.signs.len();
    let (mut beta, mut bias) =
        start.map_or_else(|| (vec![0.0; n], 0.0), |(beta, bias)| (beta.to_vec(), bias));
    let mut outputs = product(matrix, &beta);
    let mut decisions: Vec<f64> = outputs.iter().map(|f| f + bias).collect();
    let mut norm = dot(&beta, &outputs);
    let mut objective = 0.5 * norm + losses.sum(&decisions);
    let mut factor = ParabolaFactor::new(2.0 * losses.epsilon / losses.cost);
    let mut status = Status::IterationLimit;
    for _ in 0..MAX_STEPS {
        let parts: Vec<u8> = (0..n).map(|i| losses.part(i, decisions[i])).collect();
        let (next, next_bias) = factor.target(matrix, losses, &parts);
        let next_outputs = product(matrix, &next);
        // Where any bias would do, it follows after the step.
        let any_bias = next_bias.is_none();
        let next_bias = next_bias.unwrap_or(bias);
        let goal: Vec<f64> = next_outputs.iter().map(|f| f + next_bias).collect();
        let norms = [norm, dot(&beta, &next_outputs), dot(&next, &next_outputs)];
        let share = losses.lowest(&decisions, &goal, norms);
        let before = objective;
        let blend = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
        };
        (beta, outputs) = (blend(&beta, &next), blend(&outputs, &next_outputs));
        bias = if any_bias {
            losses.best_bias(&outputs)
        } else {
            bias + share * (next_bias - bias)
        };
        decisions = outputs.iter().map(|f| f + bias).collect();
        norm = dot(&beta, &outputs);
        objective = 0.5 * norm + losses.sum(&decisions);
        let kept = share == 1.0 && (0..n).all(|i| losses.part(i, decisions[i]) == parts[i]);
        if kept || before - objective <= LEAST_DECREASE * before.abs() {
            status = Status::Converged;
            break;
        }
    }
    let basis: Vec<usize> = (0..n).filter(|&i| beta[i] != 0.0).collect();
    Machine {
        coefficients: basis.iter().map(|&i| beta[i]).collect(),
        basis,
        bias,
        norm,
        objective,
        status,
    }
}

/// $K\beta$ for a symmetric matrix.
fn product(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let n = vector.len();
    if vector.iter().all(|&value| value == 0.0) {
        return vec![0.0; n];
    }
    concat(n, BLOCK_ROWS, &|rows| {
        rows.map(|i| dot(&matrix[i * n..(i + 1) * n], vector))
            .collect()
    })
}

/// The factor of $K_{QQ} + \tfrac{2\varepsilon}{C} I$ from one step to the next.
struct ParabolaFactor {
    ridge: f64,
    members: Vec<usize>,
    factor: GrowingCholesky,
}

impl ParabolaFactor {
    fn new(ridge: f64) -> Self {
        Self {
            ridge,
            members: Vec::new(),
            factor: GrowingCholesky::default(),
        }
    }

    /// Where a step of Newton's method leads with these parts: coefficients and bias, `None` where
    /// any bias would do.
    fn target(
        &mut self,
        matrix: &[f64],
        losses: Losses<'_>,
        parts: &[u8],
    ) -> (Vec<f64>, Option<f64>) {
        let n = parts.len();
        let mut beta = vec![0.0; n];
        for (i, &part) in parts.iter().enumerate() {
            if part == 2 {
                beta[i] = losses.cost * losses.signs[i];
            }
        }
        self.follow(matrix, n, parts);
        if self.members.is_empty() {
            return (beta, None);
        }
        let straight: f64 = beta.iter().sum();
        let members = &self.members;
        let mut right = concat(members.len(), BLOCK_ROWS, &|at| {
            at.map(|at| {
                let i = members[at];
                losses.signs[i] - dot(&matrix[i * n..(i + 1) * n], &beta)
            })
            .collect()
        });
        let mut ones = vec![1.0; members.len()];
        self.factor.solve(&mut right);
        self.factor.solve(&mut ones);
        let bias = (right.iter().sum::<f64>() + straight) / ones.iter().sum::<f64>();
        for ((&i, r), one) in members.iter().zip(&right).zip(&ones) {
            beta[i] = r - bias * one;
        }
        (beta, Some(bias))
    }

    /// Makes the factor that of the rows on the parabola.
    fn follow(&mut self, matrix: &[f64], n: usize, parts: &[u8]) {
        let wanted: Vec<usize> = (0..n).filter(|&i| parts[i] == 1).collect();
        let gone: Vec<usize> = (0..self.members.len())
            .filter(|&at| parts[self.members[at]] != 1)
            .collect();
        let mut held = vec![false; n];
        for &i in &self.members {
            held[i] = true;
        }
        let come: Vec<usize> = wanted.iter().copied().filter(|&i| !held[i]).collect();
        if (gone.len() + come.len()) * REFACTOR_SHARE > wanted.len() {
            let m = wanted.len();
            let mut block = Vec::with_capacity(m * m);
            for (at, &i) in wanted.iter().enumerate() {
                block.extend(wanted.iter().map(|&j| matrix[i * n + j]));
                block[at * m + at] += self.ridge;
            }
            self.members.clear();
            if self.factor.fill(m, block) {
                self.members = wanted;
                return;
            }
            // Pivot by pivot, each raised as far as it needs.
            self.factor.reset(m);
            return self.add(matrix, n, &wanted);
        }
        for &at in gone.iter().rev() {
            self.factor.remove(at);
            self.members.remove(at);
        }
        self.add(matrix, n, &come);
    }

    fn add(&mut self, matrix: &[f64], n: usize, rows: &[usize]) {
        for &i in rows {
            let column = self.members.iter().map(|&j| matrix[i * n + j]);
            let diagonal = matrix[i * n + i] + self.ridge;
            self.factor.push(column, diagonal, LEAST_PIVOT * diagonal);
            self.members.push(i);
        }
    }
}

/// Trains with kernel functions at the rows of a basis only. `rectangle` are the kernel values of
/// every row with the basis, row by row.
pub(super) fn train_on_basis(
    rectangle: &[f64],
    basis: &[usize],
    losses: Losses<'_>,
    start: Option<(&[f64], f64)>,
) -> Result<Machine> {
    let (n, m) = (losses.signs.len(), basis.len());
    let mut square = Vec::with_capacity(m * m);
    for &i in basis {
        square.extend_from_slice(&rectangle[i * m..(i + 1) * m]);
    }
    let outputs_of = |beta: &[f64]| -> Vec<f64> {
        concat(n, BLOCK_ROWS, &|rows| {
            rows.map(|i| dot(&rectangle[i * m..(i + 1) * m], beta))
                .collect()
        })
    };
    let form = |beta: &[f64], outputs: &[f64]| -> f64 {
        basis.iter().zip(beta).map(|(&i, b)| b * outputs[i]).sum()
    };
    let (mut beta, mut bias) =
        start.map_or_else(|| (vec![0.0; m], 0.0), |(beta, bias)| (beta.to_vec(), bias));
    let mut outputs = outputs_of(&beta);
    let mut decisions: Vec<f64> = outputs.iter().map(|f| f + bias).collect();
    let mut norm = form(&beta, &outputs);
    let mut objective = 0.5 * norm + losses.sum(&decisions);
    let mut status = Status::IterationLimit;
    for _ in 0..MAX_STEPS {
        let parts: Vec<u8> = (0..n).map(|i| losses.part(i, decisions[i])).collect();
        let mut next = normal_equations(rectangle, &square, bias, losses, &parts)?;
        let next_bias = next.pop().unwrap_or_default();
        let next_outputs = outputs_of(&next);
        let goal: Vec<f64> = next_outputs.iter().map(|f| f + next_bias).collect();
        let norms = [norm, form(&next, &outputs), form(&next, &next_outputs)];
        let share = losses.lowest(&decisions, &goal, norms);
        let before = objective;
        let blend = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
        };
        (beta, outputs, decisions) = (
            blend(&beta, &next),
            blend(&outputs, &next_outputs),
            blend(&decisions, &goal),
        );
        bias += share * (next_bias - bias);
        norm = form(&beta, &outputs);
        objective = 0.5 * norm + losses.sum(&decisions);
        let kept = share == 1.0 && (0..n).all(|i| losses.part(i, decisions[i]) == parts[i]);
        if kept || before - objective <= LEAST_DECREASE * before.abs() {
            status = Status::Converged;
            break;
        }
    }
    Ok(Machine {
        basis: basis.to_vec(),
        coefficients: beta,
        bias,
        norm,
        objective,
        status,
    })
}

/// The coefficients and, last, the bias that are best while rows stay on their parts of the loss.
fn normal_equations(
    rectangle: &[f64],
    square: &[f64],
    bias: f64,
    losses: Losses<'_>,
    parts: &[u8],
) -> Result<Vec<f64>> {
    /// Rows whose products are added at once.
    const CHUNK: usize = 4096;
    let m = square.len().isqrt();
    let width = m + 1;
    let weight = losses.cost / (2.0 * losses.epsilon);
    let mut matrix = vec![0.0; width * width];
    let mut right = vec![0.0; width];
    let mut rows: Vec<f64> = Vec::new();
    for (i, &part) in parts.iter().enumerate() {
        let row = &rectangle[i * m..(i + 1) * m];
        let factor = losses.signs[i] * [0.0, weight, losses.cost][part as usize];
        if part > 0 {
            for (sum, value) in right.iter_mut().zip(row) {
                *sum += factor * value;
            }
            right[m] += factor;
        }
        if part == 1 {
            rows.extend_from_slice(row);
            rows.push(1.0);
        }
        if rows.len() >= CHUNK * width || i + 1 == parts.len() {
            add_gram(&rows, width, &mut matrix);
            rows.clear();
        }
    }
    for value in &mut matrix {
        *value *= weight;
    }
    mirror_upper(&mut matrix, width);
    for i in 0..m {
        for j in 0..m {
            matrix[i * width + j] += square[i * m + j];
        }
    }
    if !parts.contains(&1) {
        // The bias alone has no curvature then: it is held near to where it is.
        matrix[width * width - 1] = weight;
        right[m] += weight * bias;
    }
    let (factor, _) = raised_factor(width, &matrix).ok_or(Error::NoEigenvalues)?;
    factor.solve(&mut right);
    Ok(right)
}
