//! Training of trees of linear SVMs.

use crate::arrays::Rows;
use crate::errors::from_library;
use crate::fit::Name;
use crate::labelled::{labelled, unknown};
use crate::model::{Machine, Model};
use crate::threads::interruptible;
use hedgerow::Result;
use hedgerow::tree::{
    Coefficients, ForestParams, Frame, HlsvmParams, Impurity, NodeSolver, Threshold,
    TreeMulticlass, Weighting,
};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// What the estimator asks for.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TreeSettings {
    lambda: Option<f64>,
    lambda_search: u32,
    holdout: f64,
    min_share: Option<f64>,
    max_depth: Option<u32>,
    impurity: String,
    balanced: bool,
    frame: String,
    threshold: String,
    multiclass: String,
    trees: usize,
    row_share: f64,
    feature_share: f64,
    probability: bool,
    single: bool,
    tolerance: f64,
    max_passes: u32,
    seed: u64,
    /// Threads; 0 for the default.
    threads: usize,
}

impl TreeSettings {
    fn params(&self) -> Result<HlsvmParams> {
        Ok(HlsvmParams {
            lambda: self.lambda,
            lambda_search: self.lambda_search,
            holdout: self.holdout,
            min_share: self.min_share,
            max_depth: self.max_depth,
            impurity: match self.impurity.as_str() {
                "entropy" => Impurity::Entropy,
                "gini" => Impurity::Gini,
                name => return Err(unknown("criterion", name, "entropy, gini")),
            },
            weighting: if self.balanced {
                Weighting::Balanced
            } else {
                Weighting::Uniform
            },
            solver: NodeSolver::Dcd {
                tolerance: self.tolerance,
                max_passes: self.max_passes,
            },
            frame: match self.frame.as_str() {
                "raw" => Frame::Raw,
                "centred" => Frame::Centred,
                "standardised" => Frame::Standardised,
                name => return Err(unknown("frame", name, "raw, centred, standardised")),
            },
            threshold: match self.threshold.as_str() {
                "svm" => Threshold::Svm,
                "best-gain" => Threshold::BestGain,
                name => return Err(unknown("threshold", name, "svm, best-gain")),
            },
            multiclass: match self.multiclass.as_str() {
                "direct" => TreeMulticlass::Direct,
                "one-vs-one" => TreeMulticlass::OneVsOne,
                name => return Err(unknown("multi_class", name, "direct, one-vs-one")),
            },
            forest: (self.trees != 1).then_some(ForestParams {
                trees: self.trees,
                row_share: self.row_share,
                bootstrap: false,
                feature_share: self.feature_share,
            }),
            probability: self.probability,
            coefficients: if self.single {
                Coefficients::Single
            } else {
                Coefficients::Double
            },
            seed: self.seed,
            ..HlsvmParams::default()
        })
    }

    /// Names and values for the model file.
    fn describe(&self) -> Vec<(String, String)> {
        let or = |value: Option<f64>| value.map_or("by rows".to_owned(), |v| v.to_string());
        [
            ("lambda", or(self.lambda)),
            ("lambda_search", self.lambda_search.to_string()),
            ("holdout", self.holdout.to_string()),
            ("min_share", or(self.min_share)),
            ("impurity", self.impurity.clone()),
            ("frame", self.frame.clone()),
            ("threshold", self.threshold.clone()),
            ("multiclass", self.multiclass.clone()),
            ("trees", self.trees.to_string()),
            ("tolerance", self.tolerance.to_string()),
            ("max_passes", self.max_passes.to_string()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

/// Trains `h-lsvm`; `codes` are positions in the sorted `names`.
#[pyfunction]
pub(crate) fn fit_tree<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    names: Vec<Name>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    settings: TreeSettings,
) -> PyResult<Model> {
    let data = labelled(py, rows, codes, names, weights)?;
    let params = settings.params().map_err(from_library)?;
    let fitted =
        interruptible(py, settings.threads, move || params.fit(&data))?.map_err(from_library)?;
    let machine = Machine::Trees(Box::new(fitted.model));
    Ok(Model::fitted(
        "h-lsvm",
        machine,
        fitted.report,
        settings.describe(),
    ))
}
