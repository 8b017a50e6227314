//! Training.

use crate::arrays::{Meaning, Rows};
use crate::errors::{from_library, from_method};
use crate::model::Model;
use crate::threads::interruptible;
use crate::values::{Settings, settings, to_python};
use hedgerow::data::{ClassLabels, ClassName, Dataset, SamplesView, Scaling, Target};
use hedgerow::params::Value;
use hedgerow::{Error, Result, Searched};
use hedgerow_methods::{
    Calibrating, MetricChoice, MetricSource, ModelFrame, Pipeline, Stored, Trained, class_sizes,
    frame_of,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A class name from a number or a text.
#[derive(FromPyObject)]
pub(crate) enum Name {
    Number(f64),
    Text(String),
}

impl From<Name> for ClassName {
    fn from(name: Name) -> Self {
        match name {
            Name::Number(value) => Self::Number(value),
            Name::Text(text) => Self::Text(text),
        }
    }
}

/// What is learnt from: positions in the sorted class names, or real targets.
#[derive(FromPyObject)]
pub(crate) enum Targets<'py> {
    Classes((PyReadonlyArray1<'py, u32>, Vec<Name>)),
    /// The sorted names are an ordered scale.
    Levels((PyReadonlyArray1<'py, u32>, Vec<Name>, bool)),
    Values(PyReadonlyArray1<'py, f64>),
}

pub(crate) fn ensure_length(what: &'static str, expected: usize, found: usize) -> PyResult<()> {
    if expected == found {
        return Ok(());
    }
    Err(from_library(Error::Shape {
        what,
        expected,
        found,
    }))
}

/// A method's own search: axes with the values to try, and how candidates are compared.
type Search = (Vec<(String, Vec<Value>)>, Settings);

fn search_of(dict: &Bound<'_, PyDict>) -> PyResult<Search> {
    let (mut axes, mut how) = (Vec::new(), Vec::new());
    for (name, value) in settings(dict)? {
        match value {
            Value::List(values) => axes.push((name, values)),
            value => how.push((name, value)),
        }
    }
    Ok((axes, how))
}

pub(crate) fn target(targets: Option<Targets<'_>>, n_rows: usize) -> PyResult<Target> {
    Ok(match targets {
        None => Target::None,
        Some(Targets::Values(values)) => {
            let values = values.as_slice()?.to_vec();
            ensure_length("targets", n_rows, values.len())?;
            Target::Real(values)
        }
        Some(Targets::Classes((codes, names))) => Target::Classes(labels(codes, names, n_rows)?),
        Some(Targets::Levels((codes, names, _))) => Target::Ordinal(labels(codes, names, n_rows)?),
    })
}

fn labels(
    codes: PyReadonlyArray1<'_, u32>,
    names: Vec<Name>,
    n_rows: usize,
) -> PyResult<ClassLabels> {
    let codes = codes.as_slice()?.to_vec();
    ensure_length("targets", n_rows, codes.len())?;
    let names: Vec<ClassName> = names.into_iter().map(ClassName::from).collect();
    ClassLabels::new(names, codes).map_err(from_library)
}

pub(crate) fn dataset(
    view: SamplesView<'_>,
    target: Target,
    weights: Option<&[f64]>,
) -> Result<Dataset> {
    view.ensure_finite()?;
    let all: Vec<usize> = (0..view.n_rows()).collect();
    let data = Dataset::new(view.select(&all), target)?;
    match weights {
        None => Ok(data),
        Some(weights) => data.with_weights(weights.to_vec()),
    }
}

/// Weights of columns: given ones, or for how many seconds they may be learned, infinity for no limit.
#[derive(FromPyObject)]
pub(crate) enum Weights<'py> {
    Given(PyReadonlyArray1<'py, f64>),
    Learned(f64),
}

fn metric(weights: Weights<'_>, seed: u64) -> PyResult<MetricChoice> {
    Ok(match weights {
        Weights::Learned(seconds) => {
            MetricChoice::learned(seed, seconds.is_finite().then_some(seconds))
        }
        Weights::Given(weights) => MetricChoice {
            source: MetricSource::Given(weights.as_slice()?.to_vec()),
            groups: None,
            search: None,
            text: "given".to_owned(),
        },
    })
}

/// What training leaves.
struct Learned {
    frame: ModelFrame,
    trained: Trained,
    searched: Option<Searched>,
}

/// Weighs the columns and searches if asked to, then trains.
fn train(mut pipeline: Pipeline, search: Option<Search>, given: &Dataset) -> Result<Learned> {
    if let (Some(metric), Some((axes, _))) = (&mut pipeline.metric, &search) {
        metric.search = Some(axes.clone());
    }
    let prepared = pipeline.prepare(given, &|_| Ok(()))?;
    let data = prepared.data(given);
    let searched = match (search, pipeline.trainer.own_search()) {
        (Some((axes, how)), Some(own)) => Some(own.search(data, &axes, &how, &|_| Ok(()))?),
        _ => None,
    };
    if let Some(searched) = &searched {
        let (values, ..) = &searched.candidates[searched.best];
        let names = searched.names.iter().map(|&name| name.to_owned());
        let best: Settings = names.zip(values.iter().cloned()).collect();
        pipeline.trainer = pipeline.trainer.with(&best)?;
    }
    let trained = pipeline.trainer.fit(data)?;
    let classes = trained.model.classes().unwrap_or_default();
    let calibration = pipeline.calibration(given, classes)?;
    let described = pipeline.describe();
    let mut frame = frame_of(prepared.preprocessing, described, &trained.report);
    frame.class_sizes = class_sizes(&*trained.model, given);
    frame.calibration = calibration;
    Ok(Learned {
        frame,
        trained,
        searched,
    })
}

/// What a search found: the chosen position, and a column for each name.
fn found<'py>(py: Python<'py>, searched: &Searched) -> PyResult<(usize, Bound<'py, PyDict>)> {
    let table = PyDict::new(py);
    for (at, name) in searched.names.iter().enumerate() {
        let column = searched.candidates.iter();
        let column = column.map(|(values, ..)| to_python(py, &values[at]));
        table.set_item(name, column.collect::<PyResult<Vec<_>>>()?)?;
    }
    let scores: Vec<f64> = searched.candidates.iter().map(|one| one.1).collect();
    let deviations: Vec<f64> = searched.candidates.iter().map(|one| one.2).collect();
    table.set_item("mean_score", scores)?;
    table.set_item("std_score", deviations)?;
    Ok((searched.best, table))
}

type Outcome<'py> = (
    Model,
    Option<Bound<'py, PyArray1<i64>>>,
    Option<(usize, Bound<'py, PyDict>)>,
);

/// Trains a method by its name. Returns the model, the rows that became support vectors in the
/// order of scikit-learn, and what the method's own search found.
#[pyfunction]
#[pyo3(signature = (
    method, rows, targets, weights, values, seed, threads, search=None, isotonic=false, metric=None
))]
#[allow(
    clippy::too_many_arguments,
    reason = "Python hands over all of a fit at once"
)]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    method: &str,
    rows: Rows<'py>,
    targets: Option<Targets<'py>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    values: &Bound<'py, PyDict>,
    seed: u64,
    threads: usize,
    search: Option<&Bound<'py, PyDict>>,
    isotonic: bool,
    metric: Option<Weights<'py>>,
) -> PyResult<Outcome<'py>> {
    let method = hedgerow_methods::by_name(method)
        .ok_or_else(|| PyValueError::new_err(format!("there is no method {method:?}")))?;
    let table = method.defaults().table();
    let refused = from_method(&table);
    let trainer = method.trainer(&settings(values)?, seed).map_err(&refused)?;
    let search = search.map(search_of).transpose()?;
    let meaning = if trainer.is_precomputed() {
        Meaning::TrainingKernel
    } else {
        Meaning::Features
    };
    let held = rows.hold(meaning)?;
    let target = target(targets, held.view().n_rows())?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let data = py
        .detach(|| dataset(held.view(), target, weights))
        .map_err(from_library)?;
    if isotonic && trainer.is_precomputed() {
        return Err(PyValueError::new_err(
            "an isotonic map is fitted to parts of the rows: give the features and a kernel",
        ));
    }
    let pipeline = Pipeline {
        coding: None,
        scaling: Scaling::None,
        choice: None,
        metric: metric
            .map(|weights| self::metric(weights, seed))
            .transpose()?,
        cleaning: None,
        resampling: None,
        trainer,
        calibrating: isotonic.then_some(Calibrating { folds: 5, seed }),
    };
    let learned = interruptible(py, threads, move || train(pipeline, search, &data))?;
    let Learned {
        frame,
        trained,
        searched,
    } = learned.map_err(&refused)?;
    let stored = Stored::fitted(method.card.name, frame, trained.model);
    let model = Model::new(stored);
    let support = trained.support.map(|rows| model.in_order(&rows));
    let support = support.map(|rows| rows.into_pyarray(py));
    let searched = searched.map(|searched| found(py, &searched)).transpose()?;
    Ok((model, support, searched))
}
