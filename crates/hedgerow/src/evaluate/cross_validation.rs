//! Cross-validation: every split is trained and tested, folds in parallel, results in order.

use super::classification::{ConfusionMatrix, log_loss};
use super::ranking::{Ties, auc, average_precision, mauc};
use super::regression::{
    mean_absolute_error, mean_squared_error, r_squared, root_mean_squared_log_error,
    squared_correlation,
};
use super::statistics::mean_and_deviation;
use crate::data::{ClassLabels, ClassName, Dataset, Split, Target};
use crate::parallel::{Grain, map};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};

/// What is measured on a test part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// Fraction of rows predicted right.
    Accuracy,
    /// Mean recall of the classes.
    BalancedAccuracy,
    /// Mean $F_1$ of the classes.
    MacroF1,
    /// Area under the ROC curve; two classes and a model with a score or probability for one.
    Auc,
    /// Mean precision over the positives, best scores first; as for the AUC.
    AveragePrecision,
    /// Share of the pairs of different levels that are in the right order; ordered levels and a
    /// model that ranks them.
    Mauc,
    /// Root of the mean squared difference of the logarithms of 1 + the value of the level, expected
    /// and true; ordered levels and a model that ranks them.
    RootMeanSquaredLogError,
    /// Mean negative logarithm of the true class's probability; models with probabilities.
    LogLoss,
    /// Mean squared error.
    MeanSquaredError,
    /// Mean absolute error.
    MeanAbsoluteError,
    /// Coefficient of determination.
    RSquared,
    /// Squared correlation.
    SquaredCorrelation,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 12] = [
        Self::Accuracy,
        Self::BalancedAccuracy,
        Self::MacroF1,
        Self::Auc,
        Self::AveragePrecision,
        Self::Mauc,
        Self::RootMeanSquaredLogError,
        Self::LogLoss,
        Self::MeanSquaredError,
        Self::MeanAbsoluteError,
        Self::RSquared,
        Self::SquaredCorrelation,
    ];

    /// Name for tables and machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced-accuracy",
            Self::MacroF1 => "macro-f1",
            Self::Auc => "auc",
            Self::AveragePrecision => "average-precision",
            Self::Mauc => "mauc",
            Self::RootMeanSquaredLogError => "rmsle",
            Self::LogLoss => "log-loss",
            Self::MeanSquaredError => "mean-squared-error",
            Self::MeanAbsoluteError => "mean-absolute-error",
            Self::RSquared => "r-squared",
            Self::SquaredCorrelation => "squared-correlation",
        }
    }

    /// The metric of a name, or an error that lists the names.
    pub fn by_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|metric| metric.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "metric",
                name: name.to_owned(),
                known: Self::ALL.map(Metric::name).join(", "),
            })
    }

    /// True for scores, false for losses.
    pub fn larger_is_better(self) -> bool {
        !matches!(
            self,
            Self::RootMeanSquaredLogError
                | Self::LogLoss
                | Self::MeanSquaredError
                | Self::MeanAbsoluteError
        )
    }

    /// The value that no model can better.
    pub fn best_possible(self) -> f64 {
        if self.larger_is_better() { 1.0 } else { 0.0 }
    }
}

/// Results on one test part.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// Rows tested, as indices into the whole data.
    pub rows: Vec<usize>,
    /// Prediction of each of these rows; codes index [`CrossValidation::classes`].
    pub prediction: Prediction,
    /// The metrics that could be computed, in the order of [`Metric::ALL`].
    pub metrics: Vec<(Metric, f64)>,
}

impl Fold {
    /// The value of a metric, if it could be computed.
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        let found = self.metrics.iter().find(|(name, _)| *name == metric);
        found.map(|(_, value)| *value)
    }
}

/// Mean and sample standard deviation over the folds that have the metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The metric.
    pub metric: Metric,
    /// Mean over the folds.
    pub mean: f64,
    /// Standard deviation over the folds, divisor n − 1; 0 for one fold.
    pub deviation: f64,
    /// Number of folds that have the metric.
    pub folds: usize,
}

/// Results of a cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// Class names that the codes of predictions index: those of the data, then any that only
    /// models know. `None` for regression.
    pub classes: Option<Vec<ClassName>>,
    /// One entry a split, in the order of the splits.
    pub folds: Vec<Fold>,
}

impl CrossValidation {
    /// Mean and deviation of every metric that at least one fold has.
    pub fn summaries(&self) -> Vec<Summary> {
        Metric::ALL
            .into_iter()
            .filter_map(|metric| {
                let values: Vec<f64> = self.folds.iter().filter_map(|f| f.metric(metric)).collect();
                let (mean, deviation) = mean_and_deviation(&values).ok()?;
                Some(Summary {
                    metric,
                    mean,
                    deviation,
                    folds: values.len(),
                })
            })
            .collect()
    }

    /// Mean and deviation of one metric, if some fold has it.
    pub fn summary(&self, metric: Metric) -> Option<Summary> {
        self.summaries().into_iter().find(|s| s.metric == metric)
    }

    /// Out-of-fold class code of each of `n_rows` rows; `None` for rows that no split tested, the
    /// last split's answer for rows that several did.
    pub fn predicted_codes(&self, n_rows: usize) -> Vec<Option<u32>> {
        let mut all = vec![None; n_rows];
        for fold in &self.folds {
            if let Prediction::Classes(codes) = &fold.prediction {
                for (&i, &code) in fold.rows.iter().zip(codes) {
                    all[i] = Some(code);
                }
            }
        }
        all
    }

    /// Out-of-fold real value of each of `n_rows` rows, as [`CrossValidation::predicted_codes`].
    pub fn predicted_values(&self, n_rows: usize) -> Vec<Option<f64>> {
        let mut all = vec![None; n_rows];
        for fold in &self.folds {
            if let Prediction::Real(values) = &fold.prediction {
                for (&i, &value) in fold.rows.iter().zip(values) {
                    all[i] = Some(value);
                }
            }
        }
        all
    }

    /// Confusion matrix of all tested rows together; rows tested twice count twice.
    pub fn confusion(&self, data: &Dataset) -> Result<ConfusionMatrix> {
        let truth = data.classes()?.codes();
        let names = self.classes.as_deref().unwrap_or_default();
        let (mut actual, mut predicted) = (Vec::new(), Vec::new());
        for fold in &self.folds {
            if let Prediction::Classes(codes) = &fold.prediction {
                actual.extend(fold.rows.iter().map(|&i| truth[i]));
                predicted.extend_from_slice(codes);
            }
        }
        ConfusionMatrix::new(names, &actual, &predicted)
    }
}

/// Trains on the training part and predicts the test part of every split.
///
/// Folds run in parallel on the caller's pool; the result does not depend on its size. Of several
/// failing folds the first one's error is returned.
pub fn cross_validate<F>(data: &Dataset, splits: &[Split], fit: F) -> Result<CrossValidation>
where
    F: Fn(&Dataset) -> Result<Box<dyn Predictor>> + Sync,
{
    if splits.is_empty() {
        return Err(Error::Shape {
            what: "splits of a cross-validation",
            expected: 1,
            found: 0,
        });
    }
    let outcomes: Vec<Result<Outcome>> = map(splits.len(), Grain::COARSE, &|at| {
        let split = &splits[at];
        let model = fit(&data.select(&split.train))?;
        test_rows(model.as_ref(), data, &split.test, |_| true)
    });
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    let classes = match data.target() {
        Target::Classes(labels) | Target::Ordinal(labels) => {
            let mut names = labels.names().to_vec();
            for name in outcomes.iter().flat_map(|outcome| &outcome.classes) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            Some(names)
        }
        _ => None,
    };
    let folds = outcomes
        .into_iter()
        .zip(splits)
        .map(|(mut outcome, split)| {
            // A fold's own list of names may lack what other folds' models know: recode.
            if let (Prediction::Classes(codes), Some(names)) = (&mut outcome.prediction, &classes) {
                let to = code_map(&outcome.classes, names);
                for code in codes {
                    *code = to[*code as usize];
                }
            }
            Fold {
                rows: split.test.clone(),
                prediction: outcome.prediction,
                metrics: outcome.metrics,
            }
        })
        .collect();
    Ok(CrossValidation { classes, folds })
}

/// The metrics of a fitted model on data with targets.
pub fn evaluate(model: &dyn Predictor, data: &Dataset) -> Result<Vec<(Metric, f64)>> {
    let rows: Vec<usize> = (0..data.n_rows()).collect();
    test_rows(model, data, &rows, |_| true).map(|outcome| outcome.metrics)
}

/// One metric of a fitted model, without the work that only other metrics need.
pub fn measure(model: &dyn Predictor, data: &Dataset, metric: Metric) -> Result<f64> {
    let rows: Vec<usize> = (0..data.n_rows()).collect();
    let outcome = test_rows(model, data, &rows, |wanted| wanted == metric)?;
    let found = outcome
        .metrics
        .into_iter()
        .find(|(name, _)| *name == metric);
    found.map(|(_, value)| value).ok_or(Error::Target {
        needed: "a fold and a model for which the chosen metric exists",
        found: "one without it (choose another metric)",
    })
}

struct Outcome {
    /// Names of the data, then those that only this model knows.
    classes: Vec<ClassName>,
    prediction: Prediction,
    metrics: Vec<(Metric, f64)>,
}

/// Predicts the rows and computes the metrics; those that cost more predictions only if wanted.
fn test_rows(
    model: &dyn Predictor,
    data: &Dataset,
    rows: &[usize],
    wanted: impl Fn(Metric) -> bool,
) -> Result<Outcome> {
    let test = data.select(rows);
    let prediction = model.predict(test.samples().view())?;
    match (test.target(), prediction) {
        (Target::Classes(_) | Target::Ordinal(_), Prediction::Classes(codes)) => {
            classification_outcome(model, &test, &codes, wanted)
        }
        (Target::Real(truth), Prediction::Real(values)) => {
            let metrics = vec![
                (
                    Metric::MeanSquaredError,
                    mean_squared_error(truth, &values)?,
                ),
                (
                    Metric::MeanAbsoluteError,
                    mean_absolute_error(truth, &values)?,
                ),
                (Metric::RSquared, r_squared(truth, &values)?),
                (
                    Metric::SquaredCorrelation,
                    squared_correlation(truth, &values)?,
                ),
            ];
            Ok(Outcome {
                classes: Vec::new(),
                prediction: Prediction::Real(values),
                metrics,
            })
        }
        (_, prediction) => {
            // One of these two says what the data lack for such a model.
            match prediction {
                Prediction::Classes(_) => test.classes().map(|_| ())?,
                Prediction::Real(_) => test.real_targets().map(|_| ())?,
            }
            unreachable!("invariant: target and prediction of one kind were handled above")
        }
    }
}

fn classification_outcome(
    model: &dyn Predictor,
    test: &Dataset,
    codes: &[u32],
    wanted: impl Fn(Metric) -> bool,
) -> Result<Outcome> {
    let labels = test.classes()?;
    let model_names = model.classes().ok_or(Error::Target {
        needed: "a model that knows its class names",
        found: "a model without them",
    })?;
    let mut classes = labels.names().to_vec();
    for name in model_names {
        if !classes.contains(name) {
            classes.push(name.clone());
        }
    }
    let to = code_map(model_names, &classes);
    let codes: Vec<u32> = codes.iter().map(|&code| to[code as usize]).collect();
    let confusion = ConfusionMatrix::new(&classes, labels.codes(), &codes)?;
    let mut metrics = vec![
        (Metric::Accuracy, confusion.accuracy()),
        (Metric::BalancedAccuracy, confusion.balanced_accuracy()),
        (Metric::MacroF1, confusion.macro_f_beta(1.0)),
    ];
    let ranked = wanted(Metric::Auc) || wanted(Metric::AveragePrecision);
    let probabilities = if ranked || wanted(Metric::LogLoss) {
        match model.probabilities(test.samples().view()) {
            Ok(table) => Some(table),
            Err(Error::NoProbabilities) => None,
            Err(error) => return Err(error),
        }
    } else {
        None
    };
    if classes.len() == 2 && ranked {
        let table = match &probabilities {
            Some(table) => table.clone(),
            None => model.scores(test.samples().view())?,
        };
        metrics.extend(ranking_metrics(model, labels, &classes, &table));
    }
    let is_ordered = matches!(test.target(), Target::Ordinal(_)) && model.ranks_levels();
    if is_ordered && wanted(Metric::Mauc) {
        let scores = model.scores(test.samples().view())?.values;
        // A fold of a single level has no pairs.
        if let Ok(value) = mauc(labels.codes(), &scores, Ties::Half) {
            metrics.push((Metric::Mauc, value));
        }
    }
    if is_ordered
        && wanted(Metric::RootMeanSquaredLogError)
        && let Some(value) = log_error_of_levels(model, test)?
    {
        metrics.push((Metric::RootMeanSquaredLogError, value));
    }
    if let Some(value) = probabilities.and_then(|table| {
        let row = aligned_probabilities(&table, &classes)?;
        log_loss(labels.codes(), &row, classes.len(), 1e-15).ok()
    }) {
        metrics.push((Metric::LogLoss, value));
    }
    Ok(Outcome {
        classes,
        prediction: Prediction::Classes(codes),
        metrics,
    })
}

/// The logarithmic error of a model of levels; `None` if it has none, or does not know a level of the
/// rows.
pub fn log_error_of_levels(model: &dyn Predictor, data: &Dataset) -> Result<Option<f64>> {
    let Some(levels) = model.level_values(data.samples().view())? else {
        return Ok(None);
    };
    let (labels, classes) = (data.classes()?, model.classes().unwrap_or_default());
    let value = |name: &ClassName| {
        let place = classes.iter().position(|class| class == name);
        place.map(|at| levels.of_levels[at])
    };
    let values: Vec<Option<f64>> = labels.names().iter().map(value).collect();
    let truth = labels.codes().iter().map(|&code| values[code as usize]);
    let Some(truth) = truth.collect::<Option<Vec<f64>>>() else {
        return Ok(None);
    };
    root_mean_squared_log_error(&truth, &levels.expected).map(Some)
}

/// How well the scores of a two-class model order the rows. A fold without one of the classes has no
/// such metric.
fn ranking_metrics(
    model: &dyn Predictor,
    labels: &ClassLabels,
    classes: &[ClassName],
    table: &ScoreMatrix,
) -> Vec<(Metric, f64)> {
    let own = model.positive();
    let own = own.and_then(|name| classes.iter().position(|other| other == name));
    let positive = own.unwrap_or(labels.positive() as usize);
    let Some(scores) = table.rising_with(&classes[positive], &classes[1 - positive]) else {
        return Vec::new();
    };
    let codes = labels.codes().iter();
    let is_positive: Vec<bool> = codes.map(|&c| c as usize == positive).collect();
    let Ok(area) = auc(&is_positive, &scores, Ties::Half) else {
        return Vec::new();
    };
    let precision = average_precision(&is_positive, &scores);
    let precision = precision.map(|value| (Metric::AveragePrecision, value));
    [(Metric::Auc, area)].into_iter().chain(precision).collect()
}

/// Probabilities in the order of `classes`, row-major; classes the model lacks get 0.
fn aligned_probabilities(table: &ScoreMatrix, classes: &[ClassName]) -> Option<Vec<f64>> {
    let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
    let to: Vec<usize> = table
        .columns
        .iter()
        .map(|column| names.iter().position(|name| name == column))
        .collect::<Option<_>>()?;
    let mut out = vec![0.0; table.n_rows() * classes.len()];
    for i in 0..table.n_rows() {
        for (&c, &p) in to.iter().zip(table.row(i)) {
            out[i * classes.len() + c] = p;
        }
    }
    Some(out)
}

/// For each name of `from`, its place in `to`, which has them all.
fn code_map(from: &[ClassName], to: &[ClassName]) -> Vec<u32> {
    from.iter()
        .map(|name| {
            let place = to.iter().position(|other| other == name);
            place.expect("invariant: the list was extended by every name") as u32
        })
        .collect()
}
