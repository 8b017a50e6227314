//! Training.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::model::{Machine, Model};
use crate::threads::interruptible;
use hedgerow::data::{ClassLabels, ClassName, Dataset, SamplesView, Target};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::svm::{
    NuSvcParams, NuSvrParams, OneClassParams, SolverParams, SvcParams, SvmClassifier, SvrParams,
};
use hedgerow::{Error, Fitted, Result};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;

/// What the estimators ask for.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    /// Tag of the method.
    method: String,
    /// Text form of the kernel.
    kernel: String,
    cost: f64,
    nu: f64,
    epsilon: f64,
    tolerance: f64,
    cache_bytes: usize,
    shrinking: bool,
    max_iterations: Option<u64>,
    seed: u64,
    /// Threads; 0 for the default.
    threads: usize,
}

impl Settings {
    fn solver(&self, kernel: Kernel) -> SolverParams {
        SolverParams {
            kernel: kernel.into(),
            tolerance: self.tolerance,
            cache_bytes: self.cache_bytes,
            shrinking: self.shrinking,
            max_iterations: self.max_iterations,
            max_seconds: None,
            seed: self.seed,
        }
    }

    /// Names and values for the model file.
    fn describe(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut push = |name: &str, value: String| pairs.push((name.to_owned(), value));
        if matches!(self.method.as_str(), "svm" | "svr" | "nu-svr") {
            push("cost", self.cost.to_string());
        }
        if matches!(self.method.as_str(), "nu-svm" | "nu-svr" | "one-class") {
            push("nu", self.nu.to_string());
        }
        if self.method == "svr" {
            push("epsilon", self.epsilon.to_string());
        }
        push("kernel", self.kernel.clone());
        push("tolerance", self.tolerance.to_string());
        push("shrinking", self.shrinking.to_string());
        pairs
    }
}

/// Rows to train on: positions in the caller's arrays, kernel and weights.
struct Plan {
    kept: Vec<usize>,
    kernel: Kernel,
    weights: Option<Vec<f64>>,
}

/// Leaves out rows of weight 0 and fixes the kernel by the rows that are left, as the library
/// would: the kernel must not feel in which order the rows are trained on.
fn plan(view: SamplesView<'_>, weights: Option<&[f64]>, settings: &Settings) -> Result<Plan> {
    let n_rows = view.n_rows();
    view.ensure_finite()?;
    if let Some(weights) = weights
        && weights.len() != n_rows
    {
        return Err(Error::Shape {
            what: "sample weights",
            expected: n_rows,
            found: weights.len(),
        });
    }
    let spec = KernelSpec::parse(&settings.kernel)?;
    let kept: Vec<usize> = (0..n_rows)
        .filter(|&i| weights.is_none_or(|weights| weights[i] != 0.0))
        .collect();
    if kept.is_empty() {
        return Err(Error::NoRows);
    }
    let kernel = match spec.fixed() {
        None if kept.len() < n_rows => spec.resolve(view.select(&kept).view(), settings.seed)?,
        _ => spec.resolve(view, settings.seed)?,
    };
    Ok(Plan {
        kept,
        kernel,
        weights: weights.map(<[f64]>::to_vec),
    })
}

impl Plan {
    /// The rows, with a target for the kept ones.
    fn dataset(&self, view: SamplesView<'_>, target: Target) -> Result<Dataset> {
        let data = Dataset::new(view.select(&self.kept), target)?;
        match &self.weights {
            None => Ok(data),
            Some(weights) => data.with_weights(self.kept.iter().map(|&i| weights[i]).collect()),
        }
    }

    /// The caller's rows that became support vectors.
    ///
    /// Support vectors are training rows in their order, class after class, so each is looked for
    /// after the one before. Of rows that are equal in all features the first is named.
    fn support(&self, view: SamplesView<'_>, model: &Model, groups: &[Range<usize>]) -> Vec<i64> {
        let support = model.support();
        let support = support.view();
        let mut found = Vec::with_capacity(support.n_rows());
        if model.keeps_serials() {
            let mut serial = [0.0];
            for s in 0..support.n_rows() {
                support.row(s).write_dense(&mut serial);
                found.push(serial[0] as i64 - 1);
            }
            return found;
        }
        let mut s = 0;
        for (group, &count) in groups.iter().zip(&model.support_counts()) {
            let end = s + count as usize;
            for &i in &self.kept[group.clone()] {
                if s == end {
                    break;
                }
                if equal_rows(view, i, support, s) {
                    found.push(i as i64);
                    s += 1;
                }
            }
        }
        found
    }
}

fn equal_rows(a: SamplesView<'_>, i: usize, b: SamplesView<'_>, j: usize) -> bool {
    use hedgerow::data::Row;
    match (a.row(i), b.row(j)) {
        (Row::Dense(x), Row::Dense(y)) => x == y,
        (
            Row::Sparse { indices, values },
            Row::Sparse {
                indices: other_indices,
                values: other_values,
            },
        ) => indices == other_indices && values == other_values,
        _ => false,
    }
}

type Outcome<'py> = (Model, Bound<'py, PyArray1<i64>>);

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

fn unknown_method(method: &str) -> PyErr {
    PyValueError::new_err(format!("there is no such method here: {method:?}"))
}

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

/// Trains `svm` or `nu-svm`; `codes` are positions in the sorted `names`. Returns the model and
/// the rows that became support vectors.
#[pyfunction]
pub(crate) fn fit_classifier<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    names: Vec<Name>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: Settings,
) -> PyResult<Outcome<'py>> {
    let names: Vec<ClassName> = names.into_iter().map(ClassName::from).collect();
    let codes = codes.as_slice()?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let held = rows.hold(Meaning::of_training(&settings.kernel))?;
    ensure_length("targets", held.view().n_rows(), codes.len())?;
    let (plan, groups, data) = py
        .detach(|| prepare_classes(held.view(), codes, &names, weights, &settings))
        .map_err(from_library)?;
    let solver = settings.solver(plan.kernel.clone());
    let fit: Box<dyn FnOnce() -> Result<Fitted<SvmClassifier>> + Send> =
        match settings.method.as_str() {
            "svm" => {
                let params = SvcParams::default()
                    .with_cost(settings.cost)
                    .with_solver(solver);
                Box::new(move || params.fit(&data))
            }
            "nu-svm" => {
                let params = NuSvcParams::default()
                    .with_nu(settings.nu)
                    .with_solver(solver);
                Box::new(move || params.fit(&data))
            }
            unknown => return Err(unknown_method(unknown)),
        };
    let fitted = interruptible(py, settings.threads, fit)?
        .and_then(|fitted| rename(fitted, names))
        .map_err(from_library)?;
    let machine = Machine::Classifier(fitted.model);
    let model = Model::fitted(
        &settings.method,
        machine,
        fitted.report,
        settings.describe(),
    );
    let support = py.detach(|| plan.support(held.view(), &model, &groups));
    Ok((model, support.into_pyarray(py)))
}

/// Rows class by class, so that the library meets the classes in their sorted order.
fn prepare_classes(
    view: SamplesView<'_>,
    codes: &[u32],
    names: &[ClassName],
    weights: Option<&[f64]>,
    settings: &Settings,
) -> Result<(Plan, Vec<Range<usize>>, Dataset)> {
    let mut plan = plan(view, weights, settings)?;
    plan.kept.sort_by_key(|&i| codes[i]);
    let sorted: Vec<u32> = plan.kept.iter().map(|&i| codes[i]).collect();
    let mut groups = Vec::with_capacity(names.len());
    for (c, name) in names.iter().enumerate() {
        let first = sorted.partition_point(|&code| (code as usize) < c);
        let last = sorted.partition_point(|&code| code as usize <= c);
        if first == last {
            return Err(Error::TooFewRows {
                class: name.to_string(),
                needed: 1,
                found: 0,
            });
        }
        groups.push(first..last);
    }
    // Place holders: the library would turn the names -1 and 1 round.
    let places = (0..names.len()).map(|c| ClassName::Text(c.to_string()));
    let labels = ClassLabels::new(places.collect(), sorted)?;
    let data = plan.dataset(view, Target::Classes(labels))?;
    Ok((plan, groups, data))
}

/// Gives the classes their names.
fn rename(fitted: Fitted<SvmClassifier>, names: Vec<ClassName>) -> Result<Fitted<SvmClassifier>> {
    let mut parts = fitted.model.parts();
    parts.classes = names;
    Ok(Fitted {
        model: SvmClassifier::from_parts(parts)?,
        report: fitted.report,
        support: fitted.support,
    })
}

/// Trains `svr` or `nu-svr`. Returns the model and the rows that became support vectors.
#[pyfunction]
pub(crate) fn fit_regressor<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    targets: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: Settings,
) -> PyResult<Outcome<'py>> {
    let targets = targets.as_slice()?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let held = rows.hold(Meaning::of_training(&settings.kernel))?;
    ensure_length("targets", held.view().n_rows(), targets.len())?;
    let (plan, data) = py
        .detach(|| {
            let plan = plan(held.view(), weights, &settings)?;
            let targets = plan.kept.iter().map(|&i| targets[i]).collect();
            let data = plan.dataset(held.view(), Target::Real(targets))?;
            Ok((plan, data))
        })
        .map_err(from_library)?;
    let solver = settings.solver(plan.kernel.clone());
    let fitted = match settings.method.as_str() {
        "svr" => {
            let params = SvrParams::default()
                .with_cost(settings.cost)
                .with_epsilon(settings.epsilon)
                .with_solver(solver);
            interruptible(py, settings.threads, move || params.fit(&data))?
        }
        "nu-svr" => {
            let params = NuSvrParams::default()
                .with_cost(settings.cost)
                .with_nu(settings.nu)
                .with_solver(solver);
            interruptible(py, settings.threads, move || params.fit(&data))?
        }
        unknown => return Err(unknown_method(unknown)),
    }
    .map_err(from_library)?;
    let machine = Machine::Regressor(fitted.model);
    let model = Model::fitted(
        &settings.method,
        machine,
        fitted.report,
        settings.describe(),
    );
    let all = 0..plan.kept.len();
    let support = py.detach(|| plan.support(held.view(), &model, &[all]));
    Ok((model, support.into_pyarray(py)))
}

/// Trains `one-class`. Returns the model and the rows that became support vectors.
#[pyfunction]
pub(crate) fn fit_one_class<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: Settings,
) -> PyResult<Outcome<'py>> {
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let held = rows.hold(Meaning::of_training(&settings.kernel))?;
    let (plan, data) = py
        .detach(|| {
            let plan = plan(held.view(), weights, &settings)?;
            let data = plan.dataset(held.view(), Target::None)?;
            Ok((plan, data))
        })
        .map_err(from_library)?;
    let params = OneClassParams::default()
        .with_nu(settings.nu)
        .with_solver(settings.solver(plan.kernel.clone()));
    let fitted =
        interruptible(py, settings.threads, move || params.fit(&data))?.map_err(from_library)?;
    let machine = Machine::OneClass(fitted.model);
    let model = Model::fitted(
        &settings.method,
        machine,
        fitted.report,
        settings.describe(),
    );
    let all = 0..plan.kept.len();
    let support = py.detach(|| plan.support(held.view(), &model, &[all]));
    Ok((model, support.into_pyarray(py)))
}
