//! `pegasos`: linear SVMs by stochastic subgradients.

use super::linear::{ClassArgs, describe_classes};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use clap::ValueEnum;
use hedgerow::svm::linear::{Bias, LinearClassifier, PegasosParams, Stop};
use hedgerow_io::LibSvmType;

/// Pegasos.
pub(crate) struct Pegasos;

/// How the intercept is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Treatment {
    /// No intercept
    None,
    /// The weight of a constant feature
    Feature,
    /// By its own subgradient, within the loss only
    Subgradient,
    /// Minimised over in every step; for large batches
    Inner,
    /// The heuristic with its own rate
    Rate,
}

/// When to stop before the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StopRule {
    /// Do all steps
    Never,
    /// When one step moves the weights by no more than the tolerance
    Step,
    /// When their mean over a pass moves by no more than the tolerance, relative to its norm
    Pass,
}

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PegasosArgs {
    /// Regulariser [default: 1 / (cost × rows)]
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    lambda: Option<f64>,
    /// Penalty of a margin violation, if lambda is not given
    #[arg(
        short = 'c',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    cost: f64,
    /// Weigh rows such that both classes of a machine weigh the same (Weighted-Pegasos)
    #[arg(long, help_heading = "Model")]
    balanced: bool,
    #[command(flatten)]
    classes: ClassArgs,
    /// How the intercept is learned
    #[arg(long, default_value = "feature", help_heading = "Model")]
    bias: Treatment,
    /// Value of the constant feature
    #[arg(
        short = 'B',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    bias_feature: f64,
    /// Factor of the intercept's steps with --bias rate
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.01,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    bias_rate: f64,
    /// Leave the intercept out of the margin test, as the algorithm is printed
    #[arg(long, help_heading = "Model")]
    margin_without_bias: bool,
    /// Rows drawn in a step
    #[arg(
        short = 'k',
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Solver"
    )]
    batch: usize,
    /// Largest number of steps
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000_000,
        help_heading = "Solver"
    )]
    max_iterations: u64,
    /// When to stop before that
    #[arg(long, default_value = "pass", help_heading = "Solver")]
    stop: StopRule,
    /// Tolerance of the stop rule [default: 0.001 for pass, 0.0001 for step]
    #[arg(
        short = 'e',
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    tolerance: Option<f64>,
}

impl Method for Pegasos {
    type Args = PegasosArgs;
    type Params = PegasosParams;
    type Model = LinearClassifier;

    const NAME: &'static str = "pegasos";
    const ABOUT: &'static str = "Pegasos: linear SVM by stochastic subgradients";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=2^-9:2:7"];
    const TUNABLE: &'static [&'static str] = &["cost", "lambda"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &PegasosArgs, seed: u64) -> Result<PegasosParams, Failure> {
        let mut params = PegasosParams::default()
            .with_cost(args.cost)
            .with_balanced(args.balanced)
            .with_multiclass(args.classes.multiclass.into())
            .with_batch(args.batch)
            .with_max_iterations(args.max_iterations)
            .with_seed(seed);
        params.lambda = args.lambda;
        params.class_weights.clone_from(&args.classes.class_weight);
        params.bias = match args.bias {
            Treatment::None => Bias::None,
            Treatment::Feature => Bias::Feature(args.bias_feature),
            Treatment::Subgradient => Bias::Subgradient,
            Treatment::Inner => Bias::Inner,
            Treatment::Rate => Bias::Rate(args.bias_rate),
        };
        params.bias_in_margin = !args.margin_without_bias;
        params.stop = match args.stop {
            StopRule::Never => Stop::Never,
            StopRule::Step => Stop::Step(args.tolerance.unwrap_or(1e-4)),
            StopRule::Pass => Stop::Pass(args.tolerance.unwrap_or(1e-3)),
        };
        Ok(params)
    }

    fn describe(params: &PegasosParams) -> Vec<(String, String)> {
        let bias = match params.bias {
            Bias::None => "none".to_owned(),
            Bias::Feature(value) => format!("feature {}", exact(value)),
            Bias::Subgradient => "subgradient".to_owned(),
            Bias::Inner => "inner".to_owned(),
            Bias::Rate(tau) => format!("rate {}", exact(tau)),
        };
        let stop = match params.stop {
            Stop::Never => "never".to_owned(),
            Stop::Step(tolerance) => format!("step {}", exact(tolerance)),
            Stop::Pass(tolerance) => format!("pass {}", exact(tolerance)),
        };
        let mut pairs = match params.lambda {
            Some(lambda) => vec![("lambda".to_owned(), exact(lambda))],
            None => vec![("cost".to_owned(), exact(params.cost))],
        };
        pairs.push(("balanced".to_owned(), params.balanced.to_string()));
        pairs.extend(describe_classes(&params.class_weights, params.multiclass));
        pairs.push(("bias".to_owned(), bias));
        let in_margin = params.bias_in_margin.to_string();
        pairs.push(("bias_in_margin".to_owned(), in_margin));
        pairs.push(("batch".to_owned(), params.batch.to_string()));
        pairs.push((
            "max_iterations".to_owned(),
            params.max_iterations.to_string(),
        ));
        pairs.push(("stop".to_owned(), stop));
        pairs.push(("seed".to_owned(), params.seed.to_string()));
        pairs
    }

    fn set(params: &mut PegasosParams, name: &str, value: f64) -> bool {
        match name {
            "cost" => params.cost = value,
            "lambda" => params.lambda = Some(value),
            _ => return false,
        }
        true
    }
}
