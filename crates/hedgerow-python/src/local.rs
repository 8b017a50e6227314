//! Training of local machines.

use crate::arrays::{Meaning, Rows};
use crate::errors::from_library;
use crate::fit::{Name, ensure_length};
use crate::model::{Machine, Model};
use crate::threads::interruptible;
use hedgerow::data::{ClassLabels, ClassName, Dataset, SamplesView, Target};
use hedgerow::kernel::KernelSpec;
use hedgerow::local::{
    Around, Assign, Cover, FalkGrid, FalkParams, FalkSelection, LocalSvmParams, Validate,
};
use hedgerow::svm::SolverParams;
use hedgerow::{Error, Result};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// What the estimators ask for.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LocalSettings {
    /// Tag of the method.
    method: String,
    /// Text form of the kernel.
    kernel: String,
    neighbours: usize,
    core: f64,
    simple_cover: bool,
    assign: String,
    voters: u32,
    cost: f64,
    epsilon: f64,
    probability: bool,
    tolerance: f64,
    max_iterations: Option<u64>,
    seed: u64,
    /// Threads; 0 for the default.
    threads: usize,
    selection: Option<SelectionSettings>,
}

/// Local model selection before training.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct SelectionSettings {
    neighbours: Vec<usize>,
    costs: Vec<f64>,
    kernels: Vec<String>,
    models: usize,
    folds: usize,
    inner_half: bool,
    centres: bool,
    balance: bool,
}

impl LocalSettings {
    fn params(&self) -> Result<FalkParams> {
        Ok(FalkParams {
            k: self.neighbours,
            core_share: self.core,
            cover: if self.simple_cover {
                Cover::Simple
            } else {
                Cover::Levels
            },
            local: LocalSvmParams {
                cost: self.cost,
                epsilon: self.epsilon,
                probability: self.probability,
                class_weights: Vec::new(),
                solver: SolverParams {
                    kernel: KernelSpec::parse(&self.kernel)?,
                    tolerance: self.tolerance,
                    max_iterations: self.max_iterations,
                    seed: self.seed,
                    ..SolverParams::default()
                },
            },
            assign: match self.assign.as_str() {
                "nearest" => Assign::Nearest,
                "centre" => Assign::Centre,
                "vote" => Assign::Vote(self.voters),
                "blend" => Assign::Blend(self.voters),
                other => {
                    return Err(Error::UnknownName {
                        what: "assignment",
                        name: other.to_owned(),
                        known: "nearest, centre, vote, blend".to_owned(),
                    });
                }
            },
            ..FalkParams::default()
        })
    }
}

impl SelectionSettings {
    fn grid(&self) -> Result<FalkGrid> {
        let kernels: Result<Vec<KernelSpec>> = self
            .kernels
            .iter()
            .map(|text| KernelSpec::parse(text))
            .collect();
        Ok(FalkGrid {
            k: self.neighbours.clone(),
            costs: self.costs.clone(),
            kernels: kernels?,
            models: self.models,
            folds: self.folds,
            validate: if self.inner_half {
                Validate::InnerHalf
            } else {
                Validate::Core
            },
            around: if self.centres {
                Around::Centres
            } else {
                Around::Rows
            },
            balance: self.balance,
        })
    }
}

/// Names and values for the model file.
fn describe(method: &str, params: &FalkParams) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut push = |name: &str, value: String| pairs.push((name.to_owned(), value));
    push("neighbours", params.k.to_string());
    push("core", params.core_share.to_string());
    push("cost", params.local.cost.to_string());
    if method == "falk-svr" {
        push("epsilon", params.local.epsilon.to_string());
    } else {
        push("probability", params.local.probability.to_string());
    }
    push("kernel", params.local.solver.kernel.to_string());
    push("tolerance", params.local.solver.tolerance.to_string());
    push("seed", params.local.solver.seed.to_string());
    pairs
}

/// What is learnt: positions in the sorted class names, or real targets.
#[derive(FromPyObject)]
pub(crate) enum Targets<'py> {
    Codes(PyReadonlyArray1<'py, u32>),
    Values(PyReadonlyArray1<'py, f64>),
}

/// Neighbours, cost, kernel, score and deviation of a candidate.
type Row = (usize, f64, String, f64, f64);

/// Neighbours, cost and kernel that were trained with, and the candidates with the position of the
/// best, if there was a selection.
type Chosen = (usize, f64, String, Option<(usize, Vec<Row>)>);

fn table(selection: &FalkSelection) -> (usize, Vec<Row>) {
    let rows = selection.candidates.iter().map(|candidate| {
        (
            candidate.k,
            candidate.cost,
            candidate.kernel.to_string(),
            candidate.score,
            candidate.deviation,
        )
    });
    (selection.best, rows.collect())
}

/// Trains `falk-svm` or `falk-svr`, after local model selection if it is asked for.
#[pyfunction]
pub(crate) fn fit_local<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    targets: Targets<'py>,
    names: Vec<Name>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: LocalSettings,
) -> PyResult<(Model, Chosen)> {
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let held = rows.hold(Meaning::Features)?;
    let n_rows = held.view().n_rows();
    let target = match &targets {
        Targets::Codes(codes) => {
            let codes = codes.as_slice()?.to_vec();
            ensure_length("targets", n_rows, codes.len())?;
            let names: Vec<ClassName> = names.into_iter().map(ClassName::from).collect();
            Target::Classes(ClassLabels::new(names, codes).map_err(from_library)?)
        }
        Targets::Values(values) => {
            let values = values.as_slice()?.to_vec();
            ensure_length("targets", n_rows, values.len())?;
            Target::Real(values)
        }
    };
    let data = py
        .detach(|| dataset(held.view(), target, weights))
        .map_err(from_library)?;
    let params = settings.params().map_err(from_library)?;
    let grid = settings.selection.as_ref().map(SelectionSettings::grid);
    let grid = grid.transpose().map_err(from_library)?;
    let work = move || {
        let (params, selection) = match grid {
            None => (params, None),
            Some(grid) => {
                let (params, selection) = params.select(&data, &grid)?;
                (params, Some(selection))
            }
        };
        let fitted = params.fit(&data)?;
        Ok((fitted, params, selection))
    };
    let (fitted, params, selection) =
        interruptible(py, settings.threads, work)?.map_err(from_library)?;
    let model = Model::fitted(
        &settings.method,
        Machine::Falk(Box::new(fitted.model)),
        fitted.report,
        describe(&settings.method, &params),
    );
    let chosen = (
        params.k,
        params.local.cost,
        params.local.solver.kernel.to_string(),
        selection.as_ref().map(table),
    );
    Ok((model, chosen))
}

fn dataset(view: SamplesView<'_>, target: Target, weights: Option<&[f64]>) -> Result<Dataset> {
    view.ensure_finite()?;
    let all: Vec<usize> = (0..view.n_rows()).collect();
    let data = Dataset::new(view.select(&all), target)?;
    match weights {
        None => Ok(data),
        Some(weights) => data.with_weights(weights.to_vec()),
    }
}
