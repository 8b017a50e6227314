//! kNN-SVM: an SVM for every query, trained on its nearest rows.
//!
//! With $r_q$ the order of the rows by their distance from the query $q$ in the feature space of
//! the kernel, the answer is that of the machine
//! $$f_q(x) = \sum_{i \le k} \beta_i K(x_{r_q(i)}, x) - \rho$$
//! trained on the rows $r_q(1), \dots, r_q(k)$ alone: C-SVC (one-vs-one among the classes that occur
//! there) or ε-SVR. If these rows agree, no machine is needed. $k = 1$ is 1-NN, and so is $k = 2$ with
//! a linear or Gaussian kernel; $k = N$ is the SVM on all rows.
//!
//! | document | here |
//! |---|---|
//! | $k$ | [`KnnSvmParams::neighbours`] |
//! | $K$, $C$, $\sigma$ | [`KnnSvmParams::local`] |
//! | $r_q$ | [`crate::neighbours`] |
//!
//! There is no training but the arrangement of the rows; a query costs a search and $O(k^3)$.

use super::lazy::SearchableRows;
use super::learner::{Learner, Workspace};
use super::machine::LocalModel;
use super::params::{LOCAL_KERNELS, LocalSvmParams, METRIC_CLASS};
use super::ready::{DecisionScratch, Ready};
use crate::data::{ClassName, Dataset, SamplesView};
use crate::estimator::estimator;
use crate::machines::pairs;
use crate::method::{Card, PythonClass, Task};
use crate::neighbours::{IndexParams, Neighbour};
use crate::parallel::{Grain, concat, try_map};
use crate::params::params;
use crate::spares::Spares;
use crate::{Error, Fitted, Prediction, Predictor, Report, Result, ScoreMatrix};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// Parameters of kNN-SVM.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnnSvmParams {
    /// Rows that a machine is trained on, k; at most all rows.
    #[param(default = 200, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// How the machine of a neighbourhood is trained.
    #[param(flatten)]
    pub local: LocalSvmParams,
    /// The neighbour search.
    #[param(skip)]
    pub index: IndexParams,
}

impl KnnSvmParams {
    /// Sets C.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.local.cost = cost;
        self
    }

    /// Sets the kernel; percentiles in it are taken in every neighbourhood.
    pub fn with_kernel(mut self, kernel: impl Into<crate::kernel::KernelSpec>) -> Self {
        self.local.solver.kernel = kernel.into();
        self
    }

    /// Sets the width of the tube of ε-SVR.
    pub fn with_epsilon(mut self, epsilon: f64) -> Self {
        self.local.epsilon = epsilon;
        self
    }

    /// Sets whether every machine is calibrated for probabilities.
    pub fn with_probability(mut self, probability: bool) -> Self {
        self.local.probability = probability;
        self
    }

    /// Keeps the rows with a positive weight and arranges them for searching. Data with classes
    /// give a classifier, data with real targets a regressor.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<KnnSvm>> {
        self.check()?;
        let start = Instant::now();
        let solver = &self.local.solver;
        let rows = SearchableRows::new(
            data,
            &solver.kernel,
            solver.seed,
            &self.index,
            self.neighbours,
        )?;
        let params = self.clone();
        let model = KnnSvm::from_parts(KnnSvmParts { params, rows })?;
        let report = Report {
            support_vectors: model.n_rows(),
            seconds: start.elapsed().as_secs_f64(),
            ..Report::trivial()
        };
        Ok(Fitted::new(model, report))
    }
}

/// Everything that a model file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnnSvmParts {
    params: KnnSvmParams,
    rows: SearchableRows,
}

/// A fitted kNN-SVM: the rows, and how machines are trained on them.
#[derive(Debug, Clone, PartialEq)]
pub struct KnnSvm {
    parts: KnnSvmParts,
}

/// What the machine of a query says about it.
struct Opinion<'a> {
    model: &'a LocalModel,
    /// Decision values; none for a constant.
    decisions: &'a [f64],
}

impl KnnSvm {
    fn from_parts(parts: KnnSvmParts) -> Result<Self> {
        // What is wrong with classes and kernel is better told before the first query.
        Learner::new(&parts.rows.store, &parts.params.local)?;
        Ok(Self { parts })
    }

    /// The parameters.
    pub fn params(&self) -> &KnnSvmParams {
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

    /// Trains a machine for every query and keeps what `answer` makes of its opinion.
    fn consult<T: Send>(
        &self,
        queries: SamplesView<'_>,
        answer: impl Fn(&Opinion<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let rows = &self.parts.rows;
        let mut learner = Learner::new(&rows.store, &self.parts.params.local)?;
        let mut all = Vec::with_capacity(queries.n_rows());
        rows.for_each_block(queries, self.parts.params.neighbours, |queries, lists| {
            all.extend(self.consult_block(&mut learner, queries, lists, &answer)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn consult_block<T: Send>(
        &self,
        learner: &mut Learner<'_>,
        queries: SamplesView<'_>,
        lists: &[Vec<Neighbour>],
        answer: &(impl Fn(&Opinion<'_>) -> Result<T> + Sync),
    ) -> Result<Vec<T>> {
        // A width from percentiles depends on the order of the rows, a given kernel does not: then
        // a machine depends on the set of its rows only, and queries that share it share the work.
        let ordered = self.parts.params.local.solver.kernel.has_percentiles();
        let task_of = |q: usize| {
            let mut rows: Vec<u32> = lists[q].iter().map(|found| found.row).collect();
            if !ordered {
                rows.sort_unstable();
            }
            (rows, q as u32)
        };
        let mut tasks: Vec<(Vec<u32>, u32)> =
            concat(lists.len(), 16, &|part| part.map(task_of).collect());
        tasks.par_sort_unstable();
        let groups: Vec<&[(Vec<u32>, u32)]> = tasks.chunk_by(|a, b| a.0 == b.0).collect();
        learner.expect(groups.len());
        let workspaces = Spares::<Workspace>::new();
        let answers: Vec<Vec<(u32, T)>> = try_map(groups.len(), Grain::ONE, &|number| {
            let group = groups[number];
            let rows = &group[0].0;
            if rows.is_empty() {
                return Err(Error::NoRows);
            }
            let asked: Vec<u32> = group.iter().map(|&(_, q)| q).collect();
            // Everything random in a machine depends on its rows alone, not on the place
            // of the query.
            let (model, _) = workspaces.lend(|workspace| learner.learn(rows, 0, workspace))?;
            let mut scratch = DecisionScratch::default();
            let mut answers = Vec::with_capacity(asked.len());
            match &model {
                LocalModel::Constant(_) => {
                    let decisions = &[];
                    for &q in &asked {
                        let opinion = Opinion {
                            model: &model,
                            decisions,
                        };
                        answers.push((q, answer(&opinion)?));
                    }
                }
                LocalModel::Machines(machines) => {
                    let own = self.samples();
                    Ready::new(machines, own)?.decide(
                        machines,
                        own,
                        queries,
                        &asked,
                        &mut scratch,
                        &mut |at, decisions| {
                            let opinion = Opinion {
                                model: &model,
                                decisions,
                            };
                            answers.push((asked[at], answer(&opinion)?));
                            Ok(())
                        },
                    )?;
                }
            }
            Ok(answers)
        })?;
        let mut answers: Vec<(u32, T)> = answers.into_iter().flatten().collect();
        answers.sort_unstable_by_key(|&(q, _)| q);
        Ok(answers.into_iter().map(|(_, value)| value).collect())
    }
}

impl Opinion<'_> {
    fn class(&self) -> u32 {
        match self.model {
            LocalModel::Constant(code) => *code as u32,
            LocalModel::Machines(machines) => machines.class(self.decisions),
        }
    }

    fn value(&self) -> f64 {
        match self.model {
            LocalModel::Constant(value) => *value,
            LocalModel::Machines(_) => self.decisions[0],
        }
    }

    /// Of two classes: positive for the first. Rows that agree are at the margin.
    fn preference(&self) -> f64 {
        match self.model {
            LocalModel::Constant(code) => 1.0 - 2.0 * code,
            LocalModel::Machines(_) => self.decisions[0],
        }
    }

    /// The votes of one-vs-one.
    fn votes(&self, out: &mut [f64]) {
        match self.model {
            LocalModel::Constant(code) => out[*code as usize] = out.len() as f64 - 1.0,
            LocalModel::Machines(machines) => {
                let classes = &machines.classes;
                for ((first, second), &value) in pairs(classes.len()).zip(self.decisions) {
                    let winner = if value > 0.0 { first } else { second };
                    out[classes[winner] as usize] += 1.0;
                }
            }
        }
    }

    fn probabilities(&self, out: &mut [f64]) -> Result<()> {
        match self.model {
            LocalModel::Constant(code) => {
                out[*code as usize] = 1.0;
                Ok(())
            }
            LocalModel::Machines(machines) => machines.probabilities(self.decisions, out),
        }
    }
}

impl Predictor for KnnSvm {
    fn n_features(&self) -> usize {
        self.parts.rows.n_features()
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.parts.rows.class_names()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        if self.classes().is_none() {
            let values = self.consult(samples, |opinion| Ok(opinion.value()))?;
            return Ok(Prediction::Real(values));
        }
        let codes = self.consult(samples, |opinion| Ok(opinion.class()))?;
        Ok(Prediction::Classes(codes))
    }

    /// Two classes: one column, positive for the first. More: the votes of one-vs-one for every
    /// class. Regression: the estimate.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(self.predict_with_scores(samples)?.1)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let Some(names) = self.classes() else {
            let values = self.consult(samples, |opinion| Ok(opinion.value()))?;
            let scores = ScoreMatrix {
                columns: vec!["value".to_owned()],
                values: values.clone(),
            };
            return Ok((Prediction::Real(values), scores));
        };
        let (columns, width) = match names {
            [first, second] => (vec![format!("{first}/{second}")], 1),
            _ => (names.iter().map(ToString::to_string).collect(), names.len()),
        };
        let opinions = self.consult(samples, |opinion| {
            let mut scores = vec![0.0; width];
            match names {
                [_, _] => scores[0] = opinion.preference(),
                _ => opinion.votes(&mut scores),
            }
            Ok((opinion.class(), scores))
        })?;
        let mut codes = Vec::with_capacity(opinions.len());
        let mut values = Vec::with_capacity(opinions.len() * width);
        for (code, scores) in opinions {
            codes.push(code);
            values.extend(scores);
        }
        Ok((Prediction::Classes(codes), ScoreMatrix { columns, values }))
    }

    /// Where all rows of a neighbourhood agree, their class is certain.
    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let Some(names) = self.classes() else {
            return Err(Error::NoProbabilities);
        };
        if !self.parts.params.local.probability {
            return Err(Error::NoProbabilities);
        }
        let width = names.len();
        let rows = self.consult(samples, |opinion| {
            let mut out = vec![0.0; width];
            opinion.probabilities(&mut out)?;
            Ok(out)
        })?;
        Ok(ScoreMatrix {
            columns: names.iter().map(ToString::to_string).collect(),
            values: rows.concat(),
        })
    }
}

impl Serialize for KnnSvm {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KnnSvm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = KnnSvmParts::deserialize(deserializer)?;
        let checked = parts.params.check().and_then(|()| parts.rows.validate());
        let model = checked.and_then(|()| Self::from_parts(parts));
        model.map_err(serde::de::Error::custom)
    }
}

const GRID: &[&str] = &["neighbours=50,200", "cost=2^-1:2:7"];

estimator!(KnnSvmParams => KnnSvm, [
    Card {
        name: "knn-svm",
        about: "kNN-SVM: classification by an SVM on the rows near each query",
        grid: GRID,
        without: &["epsilon"],
        kernels: LOCAL_KERNELS,
        readable_since: 3,
        page: "knn",
        python: PythonClass {
            name: "KNNSVMClassifier",
            base: "CalibratedClassifier",
            about: "kNN-SVM: a support vector machine for every row to predict, trained on the \
                    training rows nearest to it.",
            ..METRIC_CLASS
        },
        ..Card::PLAIN
    },
    Card {
        name: "knn-svr",
        about: "kNN-SVM with ε-SVR: regression by a machine on the rows near",
        task: Task::Real,
        grid: GRID,
        without: &["class_weights", "probability"],
        kernels: LOCAL_KERNELS,
        readable_since: 3,
        page: "knn",
        python: PythonClass {
            name: "KNNSVMRegressor",
            about: "kNN-SVM with epsilon-support vector regression: a machine for every row to \
                    predict, trained on the training rows nearest to it.",
            ..METRIC_CLASS
        },
        ..Card::PLAIN
    },
]);
