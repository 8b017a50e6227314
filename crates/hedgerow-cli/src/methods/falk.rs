//! `falk-svm` and `falk-svr`: local SVMs on neighbourhoods that cover the training rows.

use super::kernel_machine::{self, SolverArgs};
use super::svm::class_weight;
use super::{Method, Model, Task};
use crate::failure::Failure;
use crate::table::exact;
use clap::ValueEnum;
use hedgerow::Predictor;
use hedgerow::data::{ClassName, Dataset, SamplesView};
use hedgerow::local::{
    Assign, Cover, Explanation, FalkParams, FalkSvm, LocalSvmParams, UpdateParams, UpdateReport,
};
use hedgerow::svm::SolverParams;
use hedgerow_io::LibSvmType;
use serde_json::{Value, json};

/// Local C-SVC.
pub(crate) struct FalkClassifier;

/// Local ε-SVR.
pub(crate) struct FalkRegressor;

/// Which machine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AssignWord {
    /// That of the nearest training row
    Nearest,
    /// That of the nearest centre: faster, slightly less accurate
    Centre,
    /// The majority of several nearest centres
    Vote,
    /// Several nearest centres, each by how clearly it speaks
    Blend,
}

/// How neighbourhoods are laid.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FalkArgs {
    /// Rows of a neighbourhood
    #[arg(
        short = 'K',
        long,
        value_name = "N",
        default_value_t = 1000,
        help_heading = "Neighbourhoods"
    )]
    neighbours: usize,
    /// Share of a neighbourhood that its centre answers for
    #[arg(
        short = 'P',
        long,
        value_name = "X",
        default_value_t = 0.5,
        allow_negative_numbers = true,
        help_heading = "Neighbourhoods"
    )]
    core: f64,
    /// Centres in random order, each row to the first that covers it
    #[arg(long, help_heading = "Neighbourhoods")]
    simple_cover: bool,
    /// Which machine answers, unless predict is told otherwise
    #[arg(long, default_value = "nearest", help_heading = "Neighbourhoods")]
    assign: AssignWord,
    /// Centres that speak with --assign vote or blend
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Neighbourhoods"
    )]
    voters: u32,
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

impl FalkArgs {
    fn params(&self, method: &str, seed: u64) -> Result<FalkParams, Failure> {
        Ok(FalkParams {
            k: self.neighbours,
            core_share: self.core,
            cover: if self.simple_cover {
                Cover::Simple
            } else {
                Cover::Levels
            },
            assign: assign(self.assign, self.voters),
            local: LocalSvmParams {
                cost: self.cost,
                solver: self.solver.local_solver(method, seed)?,
                ..LocalSvmParams::default()
            },
            ..FalkParams::default()
        })
    }
}

/// The library's word.
pub(crate) fn assign(word: AssignWord, voters: u32) -> Assign {
    match word {
        AssignWord::Nearest => Assign::Nearest,
        AssignWord::Centre => Assign::Centre,
        AssignWord::Vote => Assign::Vote(voters),
        AssignWord::Blend => Assign::Blend(voters),
    }
}

fn assign_name(assign: Assign) -> String {
    match assign {
        Assign::Nearest => "nearest".to_owned(),
        Assign::Centre => "centre".to_owned(),
        Assign::Vote(voters) => format!("vote of {voters}"),
        Assign::Blend(voters) => format!("blend of {voters}"),
    }
}

/// Options of the classifier.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FalkClassifierArgs {
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
    falk: FalkArgs,
}

/// Options of the regressor.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FalkRegressorArgs {
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
    falk: FalkArgs,
}

fn describe(params: &FalkParams) -> Vec<(String, String)> {
    let mut pairs = vec![
        ("neighbours".to_owned(), params.k.to_string()),
        ("core".to_owned(), exact(params.core_share)),
        (
            "cover".to_owned(),
            match params.cover {
                Cover::Levels => "levels".to_owned(),
                Cover::Simple => "simple".to_owned(),
            },
        ),
        ("assign".to_owned(), assign_name(params.assign)),
        ("cost".to_owned(), exact(params.local.cost)),
    ];
    for (class, weight) in &params.local.class_weights {
        pairs.push((format!("class_weight {class}"), exact(*weight)));
    }
    pairs
}

fn set(params: &mut FalkParams, name: &str, value: f64) -> bool {
    match name {
        "neighbours" => params.k = value.max(0.0).round() as usize,
        "core" => params.core_share = value,
        "cost" => params.local.cost = value,
        "epsilon" => params.local.epsilon = value,
        _ => return false,
    }
    true
}

impl Method for FalkClassifier {
    type Args = FalkClassifierArgs;
    type Params = FalkParams;
    type Model = FalkSvm;

    const NAME: &'static str = "falk-svm";
    const ABOUT: &'static str = "FaLK-SVM: classification by local SVMs, for large data";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=2^-1:2:7", "gamma=-0.9,-0.5,-0.1,-0.01"];
    const TUNABLE: &'static [&'static str] = &["cost", "neighbours", "core"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &FalkClassifierArgs, seed: u64) -> Result<FalkParams, Failure> {
        let mut params = args.falk.params(Self::NAME, seed)?;
        params.local.class_weights.clone_from(&args.class_weight);
        params.local.probability = args.probability || args.libsvm_probability == Some(true);
        Ok(params)
    }

    fn describe(params: &FalkParams) -> Vec<(String, String)> {
        let mut pairs = describe(params);
        let probability = params.local.probability.to_string();
        pairs.push(("probability".to_owned(), probability));
        pairs.extend(kernel_machine::describe(&params.local.solver));
        pairs
    }

    fn set(params: &mut FalkParams, name: &str, value: f64) -> bool {
        name != "epsilon" && set(params, name, value)
    }

    fn solver(params: &mut FalkParams) -> Option<&mut SolverParams> {
        Some(&mut params.local.solver)
    }

    fn local(params: &mut FalkParams) -> Option<&mut FalkParams> {
        Some(params)
    }
}

impl Method for FalkRegressor {
    type Args = FalkRegressorArgs;
    type Params = FalkParams;
    type Model = FalkSvm;

    const NAME: &'static str = "falk-svr";
    const ABOUT: &'static str = "FaLK-SVM with ε-SVR: regression by local machines";
    const TASK: Task = Task::Real;
    const GRID: &'static [&'static str] = &["cost=2^-1:2:7", "gamma=-0.9,-0.5,-0.1,-0.01"];
    const TUNABLE: &'static [&'static str] = &["cost", "epsilon", "neighbours", "core"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &FalkRegressorArgs, seed: u64) -> Result<FalkParams, Failure> {
        let mut params = args.falk.params(Self::NAME, seed)?;
        params.local.epsilon = args.epsilon;
        Ok(params)
    }

    fn describe(params: &FalkParams) -> Vec<(String, String)> {
        let mut pairs = describe(params);
        pairs.push(("epsilon".to_owned(), exact(params.local.epsilon)));
        pairs.extend(kernel_machine::describe(&params.local.solver));
        pairs
    }

    fn set(params: &mut FalkParams, name: &str, value: f64) -> bool {
        set(params, name, value)
    }

    fn solver(params: &mut FalkParams) -> Option<&mut SolverParams> {
        Some(&mut params.local.solver)
    }

    fn local(params: &mut FalkParams) -> Option<&mut FalkParams> {
        Some(params)
    }
}

impl Model for FalkSvm {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        let sizes = self.radii().iter().map(|radii| radii.size);
        vec![
            ("rows", json!(self.n_rows())),
            ("centres", json!(self.centres().len())),
            ("trained_machines", json!(self.n_trained())),
            ("neighbourhood", json!(sizes.max())),
            ("support_vectors", json!(self.n_distinct_support())),
            ("assign", json!(assign_name(self.params().assign))),
        ]
    }

    fn as_falk(&self) -> Option<&FalkSvm> {
        Some(self)
    }

    fn explain(
        &self,
        samples: SamplesView<'_>,
        top: usize,
    ) -> Option<hedgerow::Result<Vec<Value>>> {
        let told = FalkSvm::explain(self, samples, top);
        let words =
            |told: Vec<Explanation>| told.iter().map(|one| explanation(self, one)).collect();
        Some(told.map(words))
    }

    fn set_assign(&mut self, assign: Assign) -> bool {
        FalkSvm::set_assign(self, assign);
        true
    }

    fn update(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        params: UpdateParams,
    ) -> Option<hedgerow::Result<UpdateReport>> {
        Some(FalkSvm::update(self, added, removed, &params))
    }
}

/// An explanation with class names, and rows numbered from 1 as lines of the training file are.
fn explanation(model: &FalkSvm, told: &Explanation) -> Value {
    let name = |answer: f64| match model.classes() {
        Some(classes) => json!(classes[answer as usize].to_string()),
        None => json!(answer),
    };
    let influences: Vec<Value> = told
        .influences
        .iter()
        .map(|one| json!({"row": one.row + 1, "weight": one.weight, "label": name(one.answer)}))
        .collect();
    json!({
        "label": name(told.answer),
        "margin": told.margin,
        "model": told.model,
        "centre_row": told.centre + 1,
        "distance_to_centre": told.distance,
        "rows_of_neighbourhood": told.size,
        "radius_of_neighbourhood": told.radius,
        "kernel": told.kernel.as_ref().map(ToString::to_string),
        "support_vectors": told.support_vectors,
        "influences": influences,
    })
}
