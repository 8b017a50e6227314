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

use super::class_tasks::{ClassTasks, Solved};
use super::{Hyperplane, LinearClassifier};
use crate::data::Dataset;
use crate::error::ensure_memory;
use crate::estimator::estimator;
use crate::linalg::{CHUNK, Columns, cholesky_solve, dot, ensure_finite_norms, ridge_cholesky};
use crate::machines::{Multiclass, pairs};
use crate::method::{Card, PythonClass};
use crate::params::{ClassWeights, params};
use crate::{Error, Fitted, Result, Status};
use serde::{Deserialize, Serialize};

/// Largest scatter matrix.
const MAX_BYTES: u64 = 1 << 30;
/// Fisher's discriminant: the direction along which class means lie furthest apart relative to the
/// spread within classes; see the source of the module for the formulas.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FisherParams {
    /// Share of the mean variance that is added to every variance; raised where the matrix is
    /// singular.
    ///
    /// It is then the least of $10^{-10}, 10^{-8}, \dots$ that helps.
    #[param(default = 0.0, least = 0.0, tunable)]
    pub ridge: f64,
    /// Factors of the weight of the rows of some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", no_python)]
    pub class_weights: ClassWeights,
}

impl FisherParams {
    /// Trains on the rows with a positive weight. The objective of the report is the value of the
    /// quotient, summed over the pairs of classes.
    ///
    /// # Errors
    /// [`Error::Memory`] if the scatter matrix would take more than a gigabyte.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearClassifier>> {
        self.check()?;
        let tasks = ClassTasks::new(data, &self.class_weights, Multiclass::OneVsRest)?;
        let (k, d) = (tasks.n_classes(), tasks.data.n_features());
        if k == 1 {
            return tasks.assemble(false, Vec::new());
        }
        let needed = (d as u64).saturating_mul(d as u64).saturating_mul(8);
        ensure_memory(
            "the scatter matrix of Fisher's discriminant",
            needed,
            MAX_BYTES,
        )?;
        ensure_finite_norms(tasks.data.samples().view())?;
        let moments = Moments::of(&tasks);
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
        tasks.assemble(false, solved)
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
    fn of(tasks: &ClassTasks<'_>) -> Self {
        let view = tasks.data.samples().view();
        let (n, d, k) = (view.n_rows(), view.n_features(), tasks.n_classes());
        let mut totals = vec![0.0; k];
        for (&class, &weight) in tasks.class_of_row.iter().zip(&tasks.weights) {
            totals[class as usize] += weight;
        }
        let all: f64 = totals.iter().sum();
        // Twice: the second pass takes away what rounding left of large columns in the first.
        let mut centre = vec![0.0; d];
        for i in 0..n {
            let share = tasks.weights[i] / all;
            view.row(i).for_each(|f, x| centre[f] += share * x);
        }
        let mut means = vec![vec![0.0; d]; k];
        let mut row = vec![0.0; d];
        for i in 0..n {
            let class = tasks.class_of_row[i] as usize;
            let share = tasks.weights[i] / totals[class];
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
                let root = (tasks.weights[i] / all).sqrt();
                let mean = &means[tasks.class_of_row[i] as usize];
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

estimator!(FisherParams => LinearClassifier, [Card {
    name: "fda",
    about: "Fisher's discriminant: the nearest projected class mean",
    grid: &["ridge=0,1e-6,1e-4,1e-3,1e-2,1e-1,1"],
    page: "linear",
    python: PythonClass {
        name: "FisherDiscriminant",
        base: "LinearClassifier",
        about: "Fisher's discriminant: the class whose mean is nearest in the metric of the spread \
                within classes.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
