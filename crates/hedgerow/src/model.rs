//! What every fitted model has in common.

use crate::data::{ClassName, SamplesView};
use crate::{Error, Result, Status};
use serde::{Deserialize, Serialize};

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Why the solver (or the worst of several) stopped.
    pub status: Status,
    /// Pair updates summed over all solves.
    pub iterations: u64,
    /// Objective (dual for SVMs), summed over all solves.
    pub objective: f64,
    /// Distinct training rows that the model keeps.
    pub support_vectors: usize,
    /// Rows whose multiplier is at its upper bound, summed over all solves.
    pub bounded: usize,
    /// Wall-clock seconds of the fit.
    pub seconds: f64,
}

impl Report {
    /// The report of a fit that had nothing to solve.
    pub fn trivial() -> Self {
        Self {
            status: Status::Converged,
            iterations: 0,
            objective: 0.0,
            support_vectors: 0,
            bounded: 0,
            seconds: 0.0,
        }
    }
}

/// A model together with the report of its training.
#[derive(Debug, Clone)]
pub struct Fitted<M> {
    /// The model: owns all that it needs to predict.
    pub model: M,
    /// How training went.
    pub report: Report,
    /// Rows of the data set that became support vectors, in the order of the model's support
    /// vectors; `None` where a model has none of its own. Rows of weight 0 count in the numbering.
    pub support: Option<Vec<u32>>,
}

impl<M> Fitted<M> {
    /// A model that does not rest on single rows.
    pub fn new(model: M, report: Report) -> Self {
        Self {
            model,
            report,
            support: None,
        }
    }

    /// Names the rows that became support vectors.
    pub fn with_support(mut self, support: Vec<u32>) -> Self {
        self.support = Some(support);
        self
    }
}

/// Predictions for a batch of rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// Class index of each row, into [`Predictor::classes`].
    Classes(Vec<u32>),
    /// Real value of each row.
    Real(Vec<f64>),
}

impl Prediction {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(codes) => codes.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A row-major table of numbers with named columns: decision values or probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreMatrix {
    /// Name of each column, for example a class or a pair of classes.
    pub columns: Vec<String>,
    /// `n_rows × columns.len()` values, row-major.
    pub values: Vec<f64>,
}

impl ScoreMatrix {
    /// The scores of row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        let width = self.columns.len();
        &self.values[i * width..(i + 1) * width]
    }

    /// What rises with a class of two: its own column or that of the pair `class/rival`, or the
    /// negated one of the rival. `None` when the columns are named otherwise.
    pub fn rising_with(&self, class: &ClassName, rival: &ClassName) -> Option<Vec<f64>> {
        let find = |name: &ClassName, other: &ClassName| {
            let (name, pair) = (name.to_string(), format!("{name}/{other}"));
            let mut columns = self.columns.iter();
            columns.position(|column| *column == name || *column == pair)
        };
        let (at, sign) = match find(class, rival) {
            Some(at) => (at, 1.0),
            None => (find(rival, class)?, -1.0),
        };
        Some((0..self.n_rows()).map(|i| sign * self.row(i)[at]).collect())
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        if self.columns.is_empty() {
            0
        } else {
            self.values.len() / self.columns.len()
        }
    }
}

/// What a model of ordered levels expects.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelValues {
    /// Value of each level, in the order of the classes.
    pub of_levels: Vec<f64>,
    /// The value expected of each row.
    pub expected: Vec<f64>,
}

/// What every fitted model can do. Implementations are immutable and may be shared by threads.
pub trait Predictor: Send + Sync {
    /// Number of features the model was trained on. Rows with more features are an error for a
    /// dense view; sparse rows and narrower views read as zeros beyond their width.
    fn n_features(&self) -> usize;

    /// Class names in the order of the codes in [`Prediction::Classes`]; `None` for regression.
    fn classes(&self) -> Option<&[ClassName]>;

    /// The class that precision, recall and rankings refer to, if the model has learnt to tell it
    /// from the rest; otherwise it is the one whose name sorts last.
    fn positive(&self) -> Option<&ClassName> {
        None
    }

    /// Whether the classes are levels of an ordered scale, ascending, and the only score rises with
    /// them.
    fn ranks_levels(&self) -> bool {
        false
    }

    /// The values of the levels, and what is expected of every row; `None` without levels.
    fn level_values(&self, _samples: SamplesView<'_>) -> Result<Option<LevelValues>> {
        Ok(None)
    }

    /// Predicts every row.
    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction>;

    /// Predicts a single row, which may be narrower than the model: the code of its class, or its
    /// real value. Methods made for quick answers do this without asking for memory.
    fn predict_row(&self, row: &[f64]) -> Result<f64> {
        let view = SamplesView::Dense {
            n_rows: 1,
            n_features: row.len(),
            values: row,
        };
        Ok(match self.predict(view)? {
            Prediction::Classes(codes) => f64::from(codes[0]),
            Prediction::Real(values) => values[0],
        })
    }

    /// Decision values of every row; the columns depend on the method.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix>;

    /// Predictions and decision values of every row; the work that both need is done once.
    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        Ok((self.predict(samples)?, self.scores(samples)?))
    }

    /// Class probabilities of every row, one column a class.
    fn probabilities(&self, _samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Err(Error::NoProbabilities)
    }
}
