//! `logistic`: logistic regression.

use super::linear::{BiasArgs, ClassArgs, TimeArgs, describe_bias, describe_classes};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::svm::linear::{LinearClassifier, LogisticParams};
use hedgerow_io::LibSvmType;

/// Logistic regression.
pub(crate) struct Logistic;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LogisticArgs {
    /// Weight of the losses against the regulariser
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
    classes: ClassArgs,
    #[command(flatten)]
    bias: BiasArgs,
    /// Do not regularise the intercept
    #[arg(short = 'R', long, help_heading = "Model")]
    free_bias: bool,
    /// Stop when the norm of the gradient, relative to its first, is below this (LIBLINEAR's -e)
    #[arg(
        short = 'e',
        long,
        value_name = "X",
        default_value_t = 0.01,
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    tolerance: f64,
    /// Largest number of Newton steps
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        help_heading = "Solver"
    )]
    max_iterations: u32,
    #[command(flatten)]
    time: TimeArgs,
}

impl Method for Logistic {
    type Args = LogisticArgs;
    type Params = LogisticParams;
    type Model = LinearClassifier;

    const NAME: &'static str = "logistic";
    const ABOUT: &'static str = "Logistic regression: classification with probabilities";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=2^-9:2:7"];
    const TUNABLE: &'static [&'static str] = &["cost"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &LogisticArgs, _seed: u64) -> Result<LogisticParams, Failure> {
        let mut params = LogisticParams::default()
            .with_cost(args.cost)
            .with_multiclass(args.classes.multiclass.into())
            .with_bias(args.bias.value())
            .with_regularised_bias(!args.free_bias)
            .with_tolerance(args.tolerance);
        params.class_weights.clone_from(&args.classes.class_weight);
        params.max_iterations = args.max_iterations;
        params.max_seconds = args.time.max_seconds;
        Ok(params)
    }

    fn describe(params: &LogisticParams) -> Vec<(String, String)> {
        let mut pairs = vec![("cost".to_owned(), exact(params.cost))];
        pairs.extend(describe_classes(&params.class_weights, params.multiclass));
        pairs.push(describe_bias(params.bias));
        let free = !params.regularised_bias;
        pairs.push(("free_bias".to_owned(), free.to_string()));
        pairs.push(("tolerance".to_owned(), exact(params.tolerance)));
        pairs
    }

    fn set(params: &mut LogisticParams, name: &str, value: f64) -> bool {
        let known = name == "cost";
        if known {
            params.cost = value;
        }
        known
    }
}
