//! `svm`: C-SVC.

use super::kernel_machine::{self, SolverArgs};
use super::{Method, Task};
use crate::args::switch;
use crate::failure::Failure;
use crate::table::exact;
use clap::ValueEnum;
use hedgerow::data::ClassName;
use hedgerow::svm::{Multiclass, SolverParams, SvcParams, SvmClassifier};
use hedgerow_io::LibSvmType;

/// C-SVC.
pub(crate) struct CSvc;

/// How several classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// One machine for each pair of classes
    Ovo,
    /// One machine for each class against the rest
    Ovr,
    /// The machines of ovo, asked along a decision graph
    Dag,
}

impl From<Strategy> for Multiclass {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Ovo => Self::OneVsOne,
            Strategy::Ovr => Self::OneVsRest,
            Strategy::Dag => Self::Dag,
        }
    }
}

/// The word for a strategy, as typed.
pub(super) fn strategy_name(multiclass: Multiclass) -> &'static str {
    match multiclass {
        Multiclass::OneVsOne => "ovo",
        Multiclass::OneVsRest => "ovr",
        Multiclass::Dag => "dag",
    }
}

/// What classifiers share.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ClassifierArgs {
    /// How more than two classes are told apart
    #[arg(long, default_value = "ovo", help_heading = "Model")]
    pub(crate) multiclass: Strategy,
    /// Calibrate, so that the model can tell probabilities
    #[arg(long, help_heading = "Model")]
    probability: bool,
    /// LIBSVM's letter of --probability
    #[arg(short = 'b', value_name = "0|1", value_parser = switch, help_heading = "Model")]
    libsvm_probability: Option<bool>,
}

impl ClassifierArgs {
    /// Whether probabilities are wanted, by either spelling.
    pub(crate) fn probability(&self) -> bool {
        self.probability || self.libsvm_probability == Some(true)
    }
}

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CSvcArgs {
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
    /// Weight of a class: multiplies the cost of its rows (LIBSVM: -w1 5); may be repeated
    #[arg(
        long,
        value_name = "CLASS=X",
        allow_hyphen_values = true,
        value_parser = class_weight,
        help_heading = "Model"
    )]
    class_weight: Vec<(ClassName, f64)>,
    #[command(flatten)]
    classifier: ClassifierArgs,
    #[command(flatten)]
    solver: SolverArgs,
}

pub(super) fn class_weight(text: &str) -> Result<(ClassName, f64), String> {
    let parsed = text.rsplit_once('=').and_then(|(class, weight)| {
        let weight: f64 = weight.parse().ok()?;
        (weight > 0.0 && weight.is_finite()).then(|| (ClassName::parse(class), weight))
    });
    parsed.ok_or_else(|| "expected class=weight with a weight above 0".to_owned())
}

impl Method for CSvc {
    type Args = CSvcArgs;
    type Params = SvcParams;
    type Model = SvmClassifier;

    const NAME: &'static str = "svm";
    const ABOUT: &'static str = "C-SVC: classification";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=2^-1:2:9", "gamma=2^-7:2:3"];
    const TUNABLE: &'static [&'static str] = &["cost"];
    const LIBSVM_TYPE: Option<LibSvmType> = Some(LibSvmType::CSvc);

    fn params(args: &CSvcArgs, seed: u64) -> Result<SvcParams, Failure> {
        let mut params = SvcParams::default()
            .with_cost(args.cost)
            .with_solver(args.solver.solver(Self::NAME, seed)?);
        params.class_weights.clone_from(&args.class_weight);
        params.multiclass = args.classifier.multiclass.into();
        params.probability = args.classifier.probability();
        Ok(params)
    }

    fn describe(params: &SvcParams) -> Vec<(String, String)> {
        let mut pairs = vec![("cost".to_owned(), exact(params.cost))];
        for (class, weight) in &params.class_weights {
            pairs.push((format!("class_weight {class}"), exact(*weight)));
        }
        pairs.push((
            "multiclass".to_owned(),
            strategy_name(params.multiclass).to_owned(),
        ));
        pairs.push(("probability".to_owned(), params.probability.to_string()));
        pairs.extend(kernel_machine::describe(&params.solver));
        pairs
    }

    fn set(params: &mut SvcParams, name: &str, value: f64) -> bool {
        let known = name == "cost";
        if known {
            params.cost = value;
        }
        known
    }

    fn solver(params: &mut SvcParams) -> Option<&mut SolverParams> {
        Some(&mut params.solver)
    }
}
