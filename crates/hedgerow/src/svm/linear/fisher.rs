//! Fisher's discriminant.
//!
//! $$\max_w \frac{w^\top S_B w}{w^\top S_W w}, \qquad S_B = (\mu_+ - \mu_-)(\mu_+ - \mu_-)^\top, \qquad
//!   S_W = \sum_c \sum_{i \in c} \nu_i (x_i - \mu_c)(x_i - \mu_c)^\top,$$
//! is solved by $w \propto S_W^{-1}(\mu_+ - \mu_-)$, and a row belongs to the class whose mean is nearer
//! on that line. With more classes the distance to a mean is taken in the metric of $S_W^{-1}$, which
//! for two classes is the same rule: class $c$ has the value
//! $\langle \Sigma^{-1}\mu_c, x\rangle - \tfrac12 \mu_c^\top \Sigma^{-1} \mu_c$ with $\Sigma = S_W / \sum\nu$. It is Bayes'
//! rule for Gaussian classes of equal size with a common covariance.
//!
//! | book | here |
//! |---|---|
//! | $\mu_c$ | `means` |
//! | $S_W / \sum_i \nu_i$ | `scatter` |
//! | $\mu$ of $S_W + \mu I$ | `ridge`, relative to the mean of the diagonal |

use super::frame::{Frame, Solved};
use super::{Hyperplane, LinearClassifier};
use crate::data::{ClassName, Dataset};
use crate::error::{ensure_memory, ensure_not_negative};
use crate::linalg::{CHUNK, Columns, cholesky_solve, dot, ensure_finite_norms, ridge_cholesky};
use crate::machines::{Multiclass, check_class_weights, pairs};
use crate::{Error, Fitted, Result, Status};
use serde::{Deserialize, Serialize};

/// Largest scatter matrix.
const MAX_BYTES: u64 = 1 << 30;
/// Fisher's discriminant: the direction along which class means lie furthest apart relative to the
/// spread within classes; see the source of the module for the formulas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FisherParams {
    /// Share of the mean variance that is added to every variance; 0 by default. Where the matrix
    /// turns out to be singular it is raised to the least of $10^{-10}, 10^{-8}, \dots$ that helps.
    pub ridge: f64,
    /// Factors of the weight of the rows of some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
}

impl Default for FisherParams {
    fn default() -> Self {
        Self {
            ridge: 0.0,
            class_weights: Vec::new(),
        }
    }
}

impl FisherParams {
    /// Sets the ridge.
    pub fn with_ridge(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_not_negative("ridge", self.ridge)?;
        check_class_weights(&self.class_weights)
    }

    /// Trains on the rows with a positive weight. The objective of the report is the value of the
    /// quotient, summed over the pairs of classes.
    ///
    /// # Errors
    /// [`Error::Memory`] if the scatter matrix would take more than a gigabyte.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let frame = Frame::new(data, &self.class_weights, Multiclass::OneVsRest)?;
        let (k, d) = (frame.n_classes(), frame.data.n_features());
        if k == 1 {
            return frame.assemble(false, Vec::new());
        }
        let needed = (d as u64).saturating_mul(d as u64).saturating_mul(8);
        ensure_memory(
            "the scatter matrix of Fisher's discriminant",
            needed,
            MAX_BYTES,
        )?;
        ensure_finite_norms(frame.data.samples().view())?;
        let moments = Moments::of(&frame);
        let factor = factor(d, &moments.scatter, self.ridge)?;
        // Classes relative to the mean of all: differences survive columns far from 0.
        let solved: Vec<Vec<f64>> = moments
            .means
            .iter()
            .map(|mean| {
                let mut direction = mean.clone();
                cholesky_solve(d, &factor, &mut direction);
                direction
            })
            .collect();
        let plane = |direction: Vec<f64>, threshold: f64| Hyperplane {
            intercept: -threshold - dot(&direction, &moments.centre),
            weights: direction,
        };
        let quotient = |a: usize, b: usize| -> f64 {
            let gaps = moments.means[a].iter().zip(&moments.means[b]);
            let directions = solved[a].iter().zip(&solved[b]);
            gaps.zip(directions)
                .map(|((ma, mb), (wa, wb))| (ma - mb) * (wa - wb))
                .sum()
        };
        let planes: Vec<Hyperplane> = if k == 2 {
            let direction: Vec<f64> = solved[0]
                .iter()
                .zip(&solved[1])
                .map(|(a, b)| a - b)
                .collect();
            let middle: Vec<f64> = moments.means[0]
                .iter()
                .zip(&moments.means[1])
                .map(|(a, b)| 0.5 * (a + b))
                .collect();
            let threshold = dot(&direction, &middle);
            vec![plane(direction, threshold)]
        } else {
            solved
                .iter()
                .zip(&moments.means)
                .map(|(direction, mean)| plane(direction.clone(), 0.5 * dot(direction, mean)))
                .collect()
        };
        let objective: f64 = pairs(k).map(|(a, b)| quotient(a, b)).sum();
        let n = planes.len() as f64;
        let solved = planes
            .into_iter()
            .map(|plane| Solved {
                plane,
                objective: objective / n,
                iterations: 1,
                status: Status::Converged,
                support: 0,
                bounded: 0,
            })
            .collect();
        frame.assemble(false, solved)
    }
}

/// Means of the classes relative to that of all rows, and the pooled covariance within classes.
struct Moments {
    centre: Vec<f64>,
    means: Vec<Vec<f64>>,
    /// Row-major; the lower triangle is complete.
    scatter: Vec<f64>,
}

impl Moments {
    fn of(frame: &Frame<'_>) -> Self {
        let view = frame.data.samples().view();
        let (n, d, k) = (view.n_rows(), view.n_features(), frame.n_classes());
        let mut totals = vec![0.0; k];
        for (&class, &weight) in frame.class_of_row.iter().zip(&frame.weights) {
            totals[class as usize] += weight;
        }
        let all: f64 = totals.iter().sum();
        // Twice: the second pass takes away what rounding left of large columns in the first.
        let mut centre = vec![0.0; d];
        for i in 0..n {
            let share = frame.weights[i] / all;
            view.row(i).for_each(|f, x| centre[f] += share * x);
        }
        let mut means = vec![vec![0.0; d]; k];
        let mut row = vec![0.0; d];
        for i in 0..n {
            let class = frame.class_of_row[i] as usize;
            let share = frame.weights[i] / totals[class];
            view.row(i).write_dense(&mut row);
            for ((mean, x), c) in means[class].iter_mut().zip(&row).zip(&centre) {
                *mean += share * (x - c);
            }
        }
        let mut scatter = vec![0.0; d * d];
        let mut columns = Columns::new(d);
        for start in (0..n).step_by(CHUNK) {
            // Centred values of some rows times the roots of their shares.
            columns.fill(CHUNK.min(n - start), |at, row| {
                let i = start + at;
                view.row(i).write_dense(row);
                let root = (frame.weights[i] / all).sqrt();
                let mean = &means[frame.class_of_row[i] as usize];
                for ((x, centre), mean) in row.iter_mut().zip(&centre).zip(mean) {
                    *x = root * (*x - centre - mean);
                }
            });
            columns.add_products(1.0, &mut scatter);
        }
        Self {
            centre,
            means,
            scatter,
        }
    }
}

/// The Cholesky factor of the scatter matrix.
fn factor(d: usize, scatter: &[f64], ridge: f64) -> Result<Vec<f64>> {
    let Some((factor, share)) = ridge_cholesky(d, scatter, ridge) else {
        return Err(Error::Parameter {
            name: "ridge",
            value: ridge,
            requirement: "such that the scatter matrix is positive definite",
        });
    };
    if share > ridge {
        tracing::info!(
            ridge = share,
            "the scatter matrix is singular: ridge raised"
        );
    }
    Ok(factor)
}
