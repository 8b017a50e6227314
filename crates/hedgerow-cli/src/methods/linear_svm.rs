//! `linear-svm`: linear SVMs without a kernel.

use super::linear::{BiasArgs, ClassArgs, TimeArgs, describe_bias, describe_classes};
use super::{Method, Task};
use crate::args::switch;
use crate::failure::Failure;
use crate::table::exact;
use clap::ValueEnum;
use hedgerow::svm::linear::{HingeLoss, LinearClassifier, LinearSolver, LinearSvmParams};
use hedgerow_io::LibSvmType;

/// Linear SVM.
pub(crate) struct LinearSvm;

/// What a violated margin costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Loss {
    /// L1: the violation
    Hinge,
    /// L2: its square
    SquaredHinge,
}

/// Which problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Solver {
    /// The dual, and the primal if that takes too long
    Auto,
    /// Dual coordinate descent
    Dual,
    /// Newton's method on the primal; squared hinge only
    Primal,
}

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LinearSvmArgs {
    /// Penalty of a margin violation
    #[arg(
        short = 'c',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    cost: f64,
    /// What a violated margin costs
    #[arg(long, default_value = "squared-hinge", help_heading = "Model")]
    loss: Loss,
    #[command(flatten)]
    classes: ClassArgs,
    #[command(flatten)]
    bias: BiasArgs,
    /// Which problem is solved
    #[arg(long, default_value = "auto", help_heading = "Solver")]
    solver: Solver,
    /// Stop when the objective is known to be within a thousandth of this of the optimum (dual), or
    /// when the gradient has shrunk to this share and about a hundredth of it is left to gain
    /// (primal) [default: 0.1 for the dual, 0.01 for the primal]
    #[arg(
        short = 'e',
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    tolerance: Option<f64>,
    /// Leave settled rows out of most passes
    #[arg(
        long,
        value_name = "0|1",
        default_value = "1",
        value_parser = switch,
        action = clap::ArgAction::Set,
        help_heading = "Solver"
    )]
    shrinking: bool,
    /// Largest number of passes over the rows
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        help_heading = "Solver"
    )]
    max_iterations: u32,
    #[command(flatten)]
    time: TimeArgs,
}

impl Method for LinearSvm {
    type Args = LinearSvmArgs;
    type Params = LinearSvmParams;
    type Model = LinearClassifier;

    const NAME: &'static str = "linear-svm";
    const ABOUT: &'static str = "Linear SVM: classification by hyperplanes";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=2^-9:2:7"];
    const TUNABLE: &'static [&'static str] = &["cost"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &LinearSvmArgs, seed: u64) -> Result<LinearSvmParams, Failure> {
        let mut params = LinearSvmParams::default()
            .with_cost(args.cost)
            .with_multiclass(args.classes.multiclass.into())
            .with_bias(args.bias.value())
            .with_max_iterations(args.max_iterations)
            .with_seed(seed);
        params.class_weights.clone_from(&args.classes.class_weight);
        params.loss = match args.loss {
            Loss::Hinge => HingeLoss::Hinge,
            Loss::SquaredHinge => HingeLoss::SquaredHinge,
        };
        params.solver = match args.solver {
            Solver::Auto => LinearSolver::Auto,
            Solver::Dual => LinearSolver::Dual,
            Solver::Primal => LinearSolver::Primal,
        };
        params.tolerance = args.tolerance;
        params.shrinking = args.shrinking;
        params.max_seconds = args.time.max_seconds;
        Ok(params)
    }

    fn describe(params: &LinearSvmParams) -> Vec<(String, String)> {
        let loss = match params.loss {
            HingeLoss::Hinge => "hinge",
            HingeLoss::SquaredHinge => "squared-hinge",
        };
        let solver = match params.solver {
            LinearSolver::Auto => "auto",
            LinearSolver::Dual => "dual",
            LinearSolver::Primal => "primal",
        };
        let mut pairs = vec![
            ("cost".to_owned(), exact(params.cost)),
            ("loss".to_owned(), loss.to_owned()),
        ];
        pairs.extend(describe_classes(&params.class_weights, params.multiclass));
        pairs.push(describe_bias(params.bias));
        pairs.push(("solver".to_owned(), solver.to_owned()));
        let tolerance = params.tolerance.map_or("default".to_owned(), exact);
        pairs.push(("tolerance".to_owned(), tolerance));
        pairs.push(("shrinking".to_owned(), params.shrinking.to_string()));
        pairs.push(("seed".to_owned(), params.seed.to_string()));
        pairs
    }

    fn set(params: &mut LinearSvmParams, name: &str, value: f64) -> bool {
        let known = name == "cost";
        if known {
            params.cost = value;
        }
        known
    }
}
