//! Ranking problems on one design, as functions that are minimised together.

use super::design::Design;
use super::whitening::Whitening;
use crate::linalg::{dot, product_in_parallel};
use crate::parallel::{Grain, map};
use crate::solve::pairwise::{PairSets, PairwiseHinge};
use crate::solve::smooth::{Ask, Question, SmoothBatch};
use std::sync::{Mutex, PoisonError};

/// Unit vectors whose products are asked for at once.
const UNITS: usize = 32;

/// The rows and columns of one problem: all, or those of a fold.
pub(super) struct Part {
    /// The loss of the rows that take part.
    pub(super) loss: PairwiseHinge,
    /// Columns of the design that take part.
    pub(super) columns: Vec<u32>,
    /// What the variables are.
    pub(super) form: Form,
}

/// How variables become coefficients of columns, and what the ridge is.
pub(super) enum Form {
    /// $\beta = Tw$, ridge $\|w\|^2$.
    Whitened(Whitening),
    /// $\beta$ itself, ridge $\beta^\top K_{RR}\beta$ with the matrix given.
    Direct(Vec<f64>),
    /// Weights of features, ridge $\|w\|^2$; with the curvature of the loss along each.
    Plain(Vec<f64>),
}

impl Part {
    pub(super) fn n_variables(&self) -> usize {
        match &self.form {
            Form::Whitened(whitening) => whitening.rank,
            Form::Direct(_) | Form::Plain(_) => self.columns.len(),
        }
    }

    /// Coefficients of all columns of a design, for several vectors of variables.
    pub(super) fn coefficients(&self, inputs: &[&[f64]], n_columns: usize) -> Vec<Vec<f64>> {
        let n = self.columns.len();
        let own: Vec<f64> = match &self.form {
            Form::Whitened(whitening) => {
                let mut out = vec![0.0; inputs.len() * n];
                product_in_parallel(
                    &inputs.concat(),
                    &whitening.down,
                    whitening.rank,
                    n,
                    &mut out,
                );
                out
            }
            Form::Direct(_) | Form::Plain(_) => inputs.concat(),
        };
        let spread = |values: &[f64]| {
            let mut out = vec![0.0; n_columns];
            for (&column, &value) in self.columns.iter().zip(values) {
                out[column as usize] = value;
            }
            out
        };
        own.chunks(n.max(1)).map(spread).collect()
    }

    /// Turns derivatives by coefficients of all columns into those by variables.
    fn variables(&self, derivatives: &[&[f64]]) -> Vec<Vec<f64>> {
        let take = |values: &&[f64]| -> Vec<f64> {
            let columns = self.columns.iter();
            columns.map(|&column| values[column as usize]).collect()
        };
        let own: Vec<Vec<f64>> = derivatives.iter().map(take).collect();
        let Form::Whitened(whitening) = &self.form else {
            return own;
        };
        let mut out = vec![0.0; own.len() * whitening.rank];
        product_in_parallel(
            &own.concat(),
            &whitening.up,
            self.columns.len(),
            whitening.rank,
            &mut out,
        );
        // Without a variable there is nothing to write.
        let rank = whitening.rank.max(1);
        out.chunks(rank).map(<[f64]>::to_vec).collect()
    }

    /// The gradient of half the ridge.
    fn ridge(&self, input: &[f64]) -> Vec<f64> {
        match &self.form {
            Form::Direct(matrix) => {
                let rows = matrix.chunks(input.len().max(1));
                rows.map(|row| dot(row, input)).collect()
            }
            Form::Whitened(_) | Form::Plain(_) => input.to_vec(),
        }
    }
}

/// One function: a part with a λ.
struct Problem {
    part: usize,
    lambda: f64,
    /// Pairs at the point that was evaluated last, and at the accepted one.
    trial: PairSets,
    accepted: PairSets,
}

/// What is done with the questions about a part, which it gets the places of.
type PartWork<'a> = dyn Fn(&Part, &[usize]) -> Vec<Vec<f64>> + Sync + 'a;

/// All functions.
pub(super) struct RankBatch<'a> {
    design: &'a dyn Design,
    parts: &'a [Part],
    problems: Vec<Problem>,
}

impl<'a> RankBatch<'a> {
    /// Every part with every λ, the λ of one part after the other.
    pub(super) fn new(design: &'a dyn Design, parts: &'a [Part], lambdas: &[f64]) -> Self {
        let problem = |part: usize, lambda: f64| Problem {
            part,
            lambda,
            trial: PairSets::default(),
            accepted: PairSets::default(),
        };
        let all = (0..parts.len()).flat_map(|part| lambdas.iter().map(move |&l| (part, l)));
        Self {
            design,
            parts,
            problems: all.map(|(part, lambda)| problem(part, lambda)).collect(),
        }
    }

    /// Runs `work` for the questions about each part, and puts what it gives in the order of the
    /// questions.
    fn by_part(&self, asks: &[Ask], work: &PartWork<'_>) -> Vec<Vec<f64>> {
        let mut of_part = vec![Vec::new(); self.parts.len()];
        for (at, ask) in asks.iter().enumerate() {
            of_part[self.problems[ask.problem].part].push(at);
        }
        let answers = map(of_part.len(), Grain::ONE, &|part| {
            if of_part[part].is_empty() {
                Vec::new()
            } else {
                work(&self.parts[part], &of_part[part])
            }
        });
        let mut out = vec![Vec::new(); asks.len()];
        for (places, answers) in of_part.iter().zip(answers) {
            for (&at, answer) in places.iter().zip(answers) {
                out[at] = answer;
            }
        }
        out
    }

    /// Slopes, or products with the Hessian, of all scores; and the losses.
    fn bend(&mut self, asks: &[Ask], scores: &[Vec<f64>]) -> Vec<(f64, Vec<f64>)> {
        let sets: Vec<Mutex<PairSets>> = asks
            .iter()
            .map(|ask| Mutex::new(std::mem::take(&mut self.problems[ask.problem].trial)))
            .collect();
        let (problems, parts) = (&self.problems, self.parts);
        let bent = map(asks.len(), Grain::ONE, &|at| {
            let problem = &problems[asks[at].problem];
            let loss = &parts[problem.part].loss;
            let mut out = vec![0.0; loss.n_rows()];
            let mut trial = sets[at].lock().unwrap_or_else(PoisonError::into_inner);
            let value = match asks[at].question {
                Question::Evaluate => loss.evaluate(&scores[at], &mut trial, &mut out),
                Question::Product => {
                    loss.curve(&problem.accepted, &scores[at], &mut out);
                    0.0
                }
            };
            (value, out)
        });
        for (ask, sets) in asks.iter().zip(sets) {
            let sets = sets.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.problems[ask.problem].trial = sets;
        }
        bent
    }
}

fn slices(vectors: &[Vec<f64>]) -> Vec<&[f64]> {
    vectors.iter().map(Vec::as_slice).collect()
}

impl SmoothBatch for RankBatch<'_> {
    fn n_problems(&self) -> usize {
        self.problems.len()
    }

    fn n_variables(&self, problem: usize) -> usize {
        self.parts[self.problems[problem].part].n_variables()
    }

    fn answer(&mut self, asks: &mut [Ask]) {
        let n_columns = self.design.n_columns();
        let coefficients = self.by_part(asks, &|part, places| {
            let inputs: Vec<&[f64]> = places.iter().map(|&at| &asks[at].input[..]).collect();
            part.coefficients(&inputs, n_columns)
        });
        let scores = self.design.times(&slices(&coefficients));
        let bent = self.bend(asks, &scores);
        drop(scores);
        let slopes: Vec<&[f64]> = bent.iter().map(|(_, slopes)| &slopes[..]).collect();
        let derivatives = self.design.transposed_times(&slopes);
        let answers = self.by_part(asks, &|part, places| {
            let own: Vec<&[f64]> = places.iter().map(|&at| &derivatives[at][..]).collect();
            part.variables(&own)
        });
        for ((ask, answer), (loss, _)) in asks.iter_mut().zip(answers).zip(&bent) {
            let problem = &self.problems[ask.problem];
            let part = &self.parts[problem.part];
            let n_pairs = part.loss.n_pairs();
            let ridge = part.ridge(&ask.input);
            ask.value = loss / n_pairs + 0.5 * problem.lambda * dot(&ridge, &ask.input);
            let terms = answer.iter().zip(&ridge);
            ask.answer.clear();
            ask.answer
                .extend(terms.map(|(a, r)| a / n_pairs + problem.lambda * r));
        }
    }

    fn accept(&mut self, problem: usize) {
        let problem = &mut self.problems[problem];
        std::mem::swap(&mut problem.trial, &mut problem.accepted);
    }

    fn diagonal(&mut self, problem: usize, diagonal: &mut [f64]) {
        let Problem {
            part,
            lambda,
            accepted,
            ..
        } = &self.problems[problem];
        let part = &self.parts[*part];
        match &part.form {
            Form::Whitened(Whitening { curvatures, .. }) | Form::Plain(curvatures) => {
                let share = part.loss.quadratic_share(accepted);
                for (d, curvature) in diagonal.iter_mut().zip(curvatures) {
                    *d = share * curvature + lambda;
                }
            }
            Form::Direct(matrix) => {
                self.exact_diagonal(part, accepted, diagonal);
                let n = diagonal.len();
                for (k, d) in diagonal.iter_mut().enumerate() {
                    // Where the kernel is 0 nothing depends on the coefficient.
                    *d = (*d + lambda * matrix[k * n + k]).max(f64::MIN_POSITIVE);
                }
            }
        }
    }
}

impl RankBatch<'_> {
    /// The diagonal of the loss's Hessian: for each column $k_c$ of the design $k_c^\top H k_c / N$.
    fn exact_diagonal(&self, part: &Part, sets: &PairSets, diagonal: &mut [f64]) {
        let columns = diagonal.chunks_mut(UNITS).zip(part.columns.chunks(UNITS));
        for (diagonal, columns) in columns {
            let unit = |&column: &u32| {
                let mut unit = vec![0.0; self.design.n_columns()];
                unit[column as usize] = 1.0;
                unit
            };
            let units: Vec<Vec<f64>> = columns.iter().map(unit).collect();
            let values = self.design.times(&slices(&units));
            let entries = map(values.len(), Grain::ONE, &|at| {
                let mut product = vec![0.0; values[at].len()];
                part.loss.curve(sets, &values[at], &mut product);
                dot(&values[at], &product) / part.loss.n_pairs()
            });
            diagonal.copy_from_slice(&entries);
        }
    }
}
