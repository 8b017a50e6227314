//! Kernel k-NN: the majority, or the mean, of the nearest rows.
//!
//! With $r_q(1), r_q(2), \dots$ the rows in the order of their distance
//! $d_K(x, q)^2 = K(x,x) + K(q,q) - 2K(x,q)$ from a query $q$, equal distances by row number,
//! $$\mathrm{kNN}(q) = \arg\max_c \sum_{i \le k} w_{r_q(i)} [y_{r_q(i)} = c],\qquad
//! \text{or } \frac{\sum_{i\le k} w_{r_q(i)}\, y_{r_q(i)}}{\sum_{i\le k} w_{r_q(i)}}$$
//! for real targets. Of several classes with most votes the one that stands first in the order of
//! distance wins. With $k = 1$ all rows that are equal to the nearest one vote.
//!
//! | document | here |
//! |---|---|
//! | $k$ | [`KnnParams::neighbours`] |
//! | $K$ | [`KnnParams::kernel`] |
//! | $w$ | weights of the rows, 1 unless given |
//! | conservative majority rule | [`Vote::Conservative`] |

use super::lazy::SearchableRows;
use super::params::METRIC_CLASS;
use super::store::Answers;
use super::twins::Twins;
use crate::data::{ClassName, Dataset, SamplesView};
use crate::estimator::estimator;
use crate::kernel::{Kernel, KernelSpec};
use crate::method::{Card, PythonClass, Task};
use crate::neighbours::{IndexParams, Neighbour};
use crate::parallel::{Grain, for_each};
use crate::params::params;
use crate::{Error, Fitted, Prediction, Predictor, Report, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// Lists of neighbours that one task counts.
const TASK_LISTS: usize = 64;

/// What a tie means for a row whose own label is known, see [`Knn::leave_one_out`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Vote {
    /// The class that is met first in the order of distance.
    #[default]
    Majority,
    /// The row's own class, if it is among those with most votes: the row has the benefit of the
    /// doubt. New rows have no label, so their answers are those of [`Vote::Majority`].
    Conservative,
}

/// Parameters of kernel k-NN.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnnParams {
    /// Rows that vote, k; at most all rows.
    #[param(default = 1, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Kernel whose feature space distances are taken in; linear (Euclidean) by default.
    #[param(default = Kernel::Linear.into(), flatten)]
    pub kernel: KernelSpec,
    /// What a tie means for a row with a known label.
    #[param(skip)]
    pub vote: Vote,
    /// The neighbour search.
    #[param(skip)]
    pub index: IndexParams,
    /// Seed for percentiles in the kernel.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl KnnParams {
    /// Keeps the rows with a positive weight and arranges them for searching. Data with classes
    /// give a classifier, data with real targets a regressor.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<Knn>> {
        self.check()?;
        let start = Instant::now();
        let rows =
            SearchableRows::new(data, &self.kernel, self.seed, &self.index, self.neighbours)?;
        let report = Report {
            support_vectors: rows.store.len(),
            seconds: start.elapsed().as_secs_f64(),
            ..Report::trivial()
        };
        let params = self.clone();
        let model = Knn::from_parts(KnnParts { params, rows });
        Ok(Fitted::new(model, report))
    }
}

/// Everything that a model file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnnParts {
    params: KnnParams,
    rows: SearchableRows,
}

/// A fitted k-NN classifier or regressor: the rows themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Knn {
    parts: KnnParts,
    /// Kept for k = 1 only.
    twins: Option<Twins>,
}

impl Knn {
    fn from_parts(parts: KnnParts) -> Self {
        let needed = parts.params.neighbours == 1;
        let twins = needed
            .then(|| Twins::new(parts.rows.store.view()))
            .flatten();
        Self { parts, twins }
    }

    /// The parameters.
    pub fn params(&self) -> &KnnParams {
        &self.parts.params
    }

    /// Number of training rows.
    pub fn n_rows(&self) -> usize {
        self.parts.rows.store.len()
    }

    /// The training rows.
    pub fn samples(&self) -> SamplesView<'_> {
        self.parts.rows.store.view()
    }

    /// The answer for each training row from the others. Copies of a row are other rows.
    pub fn leave_one_out(&self) -> Result<Prediction> {
        let mut ballot = self.ballot(self.n_rows());
        let k = self.parts.params.neighbours;
        let rows = &self.parts.rows;
        if rows.store.len() < 2 {
            return Err(Error::Shape {
                what: "rows to leave one out of",
                expected: 2,
                found: rows.store.len(),
            });
        }
        rows.for_each_other_block(k, |first, lists| ballot.count(lists, Some(first)))?;
        Ok(ballot.result().0)
    }

    fn ballot(&self, n_queries: usize) -> Ballot<'_> {
        let width = self.parts.rows.class_names().map_or(1, <[ClassName]>::len);
        Ballot {
            model: self,
            width,
            winners: Vec::with_capacity(n_queries),
            scores: Vec::with_capacity(n_queries * width),
        }
    }

    /// The rows that vote, in the order of distance.
    fn voters<'a>(
        &'a self,
        list: &'a [Neighbour],
        left_out: Option<u32>,
    ) -> impl Iterator<Item = u32> + Clone + 'a {
        // The only neighbour stands for all of its twins.
        let twins = match (&self.twins, list) {
            (Some(twins), [nearest]) => twins.of(nearest.row),
            _ => &[],
        };
        let list = if twins.is_empty() { list } else { &[] };
        let rows = list.iter().map(|found| found.row);
        rows.chain(twins.iter().copied())
            .filter(move |&row| Some(row) != left_out)
    }

    /// Writes votes, or the mean, and returns the winner.
    fn answer(&self, list: &[Neighbour], own: Option<u32>, scores: &mut [f64]) -> u32 {
        let store = &self.parts.rows.store;
        let voters = self.voters(list, own);
        match &store.answers {
            Answers::Classes(labels) => {
                let codes = labels.codes();
                for row in voters.clone() {
                    scores[codes[row as usize] as usize] += store.weight(row);
                }
                let most = scores.iter().copied().fold(0.0, f64::max);
                let leads = |code: &u32| scores[*code as usize] >= most;
                let own = own
                    .filter(|_| self.parts.params.vote == Vote::Conservative)
                    .map(|row| codes[row as usize])
                    .filter(leads);
                let mut in_order = voters.map(|row| codes[row as usize]);
                own.or_else(|| in_order.find(leads)).unwrap_or(0)
            }
            Answers::Real(targets) => {
                let (mut sum, mut weights) = (0.0, 0.0);
                for row in voters {
                    let weight = store.weight(row);
                    sum += weight * targets[row as usize];
                    weights += weight;
                }
                scores[0] = sum / weights;
                0
            }
        }
    }
}

/// Votes while they are counted.
struct Ballot<'a> {
    model: &'a Knn,
    width: usize,
    winners: Vec<u32>,
    scores: Vec<f64>,
}

impl Ballot<'_> {
    /// Counts the votes of the next queries: training rows from number `first` on, if given.
    fn count(&mut self, lists: &[Vec<Neighbour>], first: Option<usize>) -> Result<()> {
        if lists.iter().any(Vec::is_empty) {
            return Err(Error::NoRows);
        }
        let start = self.scores.len();
        self.scores.resize(start + lists.len() * self.width, 0.0);
        let model = self.model;
        let n_before = self.winners.len();
        self.winners.resize(n_before + lists.len(), 0);
        let width = self.width;
        let tasks = self.scores[start..]
            .chunks_mut(TASK_LISTS * width)
            .zip(self.winners[n_before..].chunks_mut(TASK_LISTS));
        for_each(tasks, Grain::COARSE, &|task, (scores, winners)| {
            let scores = scores.chunks_mut(width);
            for (at, (scores, winner)) in scores.zip(winners).enumerate() {
                let at = task * TASK_LISTS + at;
                let own = first.map(|first| (first + at) as u32);
                *winner = model.answer(&lists[at], own, scores);
            }
        });
        Ok(())
    }

    fn result(self) -> (Prediction, ScoreMatrix) {
        let Some(names) = self.model.parts.rows.class_names() else {
            let scores = ScoreMatrix {
                columns: vec!["value".to_owned()],
                values: self.scores,
            };
            return (Prediction::Real(scores.values.clone()), scores);
        };
        let scores = ScoreMatrix {
            columns: names.iter().map(ToString::to_string).collect(),
            values: self.scores,
        };
        (Prediction::Classes(self.winners), scores)
    }
}

impl Predictor for Knn {
    fn n_features(&self) -> usize {
        self.parts.rows.n_features()
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.parts.rows.class_names()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        Ok(self.predict_with_scores(samples)?.0)
    }

    /// The votes for every class; the mean for real targets.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(self.predict_with_scores(samples)?.1)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let mut ballot = self.ballot(samples.n_rows());
        let k = self.parts.params.neighbours;
        let rows = &self.parts.rows;
        rows.for_each_block(samples, k, |_, lists| ballot.count(lists, None))?;
        Ok(ballot.result())
    }

    /// The share of every class in the votes.
    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        if self.classes().is_none() {
            return Err(Error::NoProbabilities);
        }
        let mut votes = self.scores(samples)?;
        for row in votes.values.chunks_mut(votes.columns.len().max(1)) {
            let sum: f64 = row.iter().sum();
            for share in row {
                *share /= sum;
            }
        }
        Ok(votes)
    }
}

impl Serialize for Knn {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Knn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = KnnParts::deserialize(deserializer)?;
        let checked = parts.params.check().and_then(|()| parts.rows.validate());
        checked.map_err(serde::de::Error::custom)?;
        Ok(Self::from_parts(parts))
    }
}

/// The kernels of LIBSVM's letter `t`; the Gaussian has the neighbours of the linear one.
const KERNELS: &[&str] = &[
    "linear",
    "poly(gamma=1, coef0=1, degree=3)",
    "rbf(gamma=1)",
    "sigmoid(gamma=1, coef0=1)",
];

const GRID: &[&str] = &["neighbours=1,3,5,7,9,11,15,23,39,71"];

estimator!(KnnParams => Knn, [
    Card {
        name: "knn",
        about: "k-NN: the majority of the nearest rows, also in the feature space of a kernel",
        grid: GRID,
        kernels: KERNELS,
        page: "knn",
        python: PythonClass {
            name: "KNNClassifier",
            base: "ProbabilityClassifier",
            about: "Kernel k-nearest neighbours: the majority of the nearest rows.\n\nNeighbours \
                    are exact; ``kernel`` names the feature space in which distances are taken.",
            ..METRIC_CLASS
        },
        ..Card::PLAIN
    },
    Card {
        name: "knn-regression",
        about: "k-NN regression: the mean of the nearest rows",
        task: Task::Real,
        grid: GRID,
        kernels: KERNELS,
        page: "knn",
        python: PythonClass {
            name: "KNNRegressor",
            about: "Kernel k-nearest neighbours: the mean of the nearest rows.\n\nNeighbours \
                    are exact; ``kernel`` names the feature space in which distances are taken.",
            ..METRIC_CLASS
        },
        ..Card::PLAIN
    },
]);
