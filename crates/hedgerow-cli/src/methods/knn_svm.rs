//! `knn-svm` and `knn-svr`: a machine for every query, trained on its nearest rows.

use super::kernel_machine::{self, SolverArgs};
use super::svm::class_weight;
use super::{Method, Model, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::data::ClassName;
use hedgerow::local::{KnnSvm, KnnSvmParams, LocalSvmParams};
use hedgerow::svm::SolverParams;
use hedgerow_io::LibSvmType;
use serde_json::{Value, json};

/// A C-SVC for every query.
pub(crate) struct KnnSvmClassifier;

/// An ε-SVR for every query.
pub(crate) struct KnnSvmRegressor;

/// Neighbourhoods and the machines on them.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KnnSvmArgs {
    /// Rows that a machine is trained on
    #[arg(
        short = 'K',
        long,
        value_name = "N",
        default_value_t = 200,
        help_heading = "Neighbourhoods"
    )]
    neighbours: usize,
    /// Price of a violated margin or error
    #[arg(
        short = 'c',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    cost: f64,
    #[command(flatten)]
    solver: SolverArgs,
}

impl KnnSvmArgs {
    fn params(&self, method: &str, seed: u64) -> Result<KnnSvmParams, Failure> {
        Ok(KnnSvmParams {
            k: self.neighbours,
            local: LocalSvmParams {
                cost: self.cost,
                solver: self.solver.local_solver(method, seed)?,
                ..LocalSvmParams::default()
            },
            ..KnnSvmParams::default()
        })
    }
}

/// Options of the classifier.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KnnSvmClassifierArgs {
    /// Weight of a class: multiplies the cost of its rows; may be repeated
    #[arg(
        long,
        value_name = "CLASS=X",
        allow_hyphen_values = true,
        value_parser = class_weight,
        help_heading = "Model"
    )]
    class_weight: Vec<(ClassName, f64)>,
    /// Calibrate every machine, so that the model can tell probabilities
    #[arg(long, help_heading = "Model")]
    probability: bool,
    /// LIBSVM's letter of --probability
    #[arg(short = 'b', value_name = "0|1", value_parser = crate::args::switch, help_heading = "Model")]
    libsvm_probability: Option<bool>,
    #[command(flatten)]
    local: KnnSvmArgs,
}

/// Options of the regressor.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KnnSvmRegressorArgs {
    /// Errors up to this cost nothing
    #[arg(
        short = 'p',
        long,
        value_name = "X",
        default_value_t = 0.1,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    epsilon: f64,
    #[command(flatten)]
    local: KnnSvmArgs,
}

fn describe(params: &KnnSvmParams) -> Vec<(String, String)> {
    let mut pairs = vec![
        ("neighbours".to_owned(), params.k.to_string()),
        ("cost".to_owned(), exact(params.local.cost)),
    ];
    for (class, weight) in &params.local.class_weights {
        pairs.push((format!("class_weight {class}"), exact(*weight)));
    }
    pairs
}

fn set(params: &mut KnnSvmParams, name: &str, value: f64) -> bool {
    match name {
        "neighbours" => params.k = value.max(0.0).round() as usize,
        "cost" => params.local.cost = value,
        "epsilon" => params.local.epsilon = value,
        _ => return false,
    }
    true
}

impl Method for KnnSvmClassifier {
    type Args = KnnSvmClassifierArgs;
    type Params = KnnSvmParams;
    type Model = KnnSvm;

    const NAME: &'static str = "knn-svm";
    const ABOUT: &'static str = "kNN-SVM: classification by an SVM on the rows near each query";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["neighbours=50,200", "cost=2^-1:2:7"];
    const TUNABLE: &'static [&'static str] = &["neighbours", "cost"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &KnnSvmClassifierArgs, seed: u64) -> Result<KnnSvmParams, Failure> {
        let mut params = args.local.params(Self::NAME, seed)?;
        params.local.class_weights.clone_from(&args.class_weight);
        params.local.probability = args.probability || args.libsvm_probability == Some(true);
        Ok(params)
    }

    fn describe(params: &KnnSvmParams) -> Vec<(String, String)> {
        let mut pairs = describe(params);
        let probability = params.local.probability.to_string();
        pairs.push(("probability".to_owned(), probability));
        pairs.extend(kernel_machine::describe(&params.local.solver));
        pairs
    }

    fn set(params: &mut KnnSvmParams, name: &str, value: f64) -> bool {
        name != "epsilon" && set(params, name, value)
    }

    fn solver(params: &mut KnnSvmParams) -> Option<&mut SolverParams> {
        Some(&mut params.local.solver)
    }
}

impl Method for KnnSvmRegressor {
    type Args = KnnSvmRegressorArgs;
    type Params = KnnSvmParams;
    type Model = KnnSvm;

    const NAME: &'static str = "knn-svr";
    const ABOUT: &'static str = "kNN-SVM with ε-SVR: regression by a machine on the rows near";
    const TASK: Task = Task::Real;
    const GRID: &'static [&'static str] = &["neighbours=50,200", "cost=2^-1:2:7"];
    const TUNABLE: &'static [&'static str] = &["neighbours", "cost", "epsilon"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &KnnSvmRegressorArgs, seed: u64) -> Result<KnnSvmParams, Failure> {
        let mut params = args.local.params(Self::NAME, seed)?;
        params.local.epsilon = args.epsilon;
        Ok(params)
    }

    fn describe(params: &KnnSvmParams) -> Vec<(String, String)> {
        let mut pairs = describe(params);
        pairs.push(("epsilon".to_owned(), exact(params.local.epsilon)));
        pairs.extend(kernel_machine::describe(&params.local.solver));
        pairs
    }

    fn set(params: &mut KnnSvmParams, name: &str, value: f64) -> bool {
        set(params, name, value)
    }

    fn solver(params: &mut KnnSvmParams) -> Option<&mut SolverParams> {
        Some(&mut params.local.solver)
    }
}

impl Model for KnnSvm {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("rows", json!(self.n_rows())),
            ("neighbours", json!(self.params().k)),
        ]
    }
}
