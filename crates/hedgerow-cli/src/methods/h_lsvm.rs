//! `h-lsvm`: a tree of linear SVMs.

use super::{Method, Model, Task};
use crate::failure::Failure;
use crate::table::exact;
use clap::ValueEnum;
use hedgerow::solve::dual_coordinate::HingeLoss;
use hedgerow::solve::weighted_pegasos::{PegasosParams, PegasosStop};
use hedgerow::tree::{
    Coefficients, Council, ForestParams, Frame, HlsvmParams, Impurity, LambdaRule, LinearTrees,
    NodeSolver, Threshold, TreeMulticlass, Weighting,
};
use hedgerow_io::LibSvmType;
use serde_json::{Value, json};

/// H-LSVM.
pub(crate) struct Hlsvm;

/// Where settings come from that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// What works best
    Default,
    /// The document's method with a node solver that converges
    Document,
    /// The document to the letter, Weighted-Pegasos as printed
    Literal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SolverWord {
    /// Dual coordinate descent
    Dcd,
    /// Weighted-Pegasos that compares averages of passes
    Pegasos,
    /// Weighted-Pegasos as printed
    PegasosLiteral,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImpurityWord {
    /// Information, in bits
    Entropy,
    /// 1 - sum of squared shares
    Gini,
    /// Share of the smaller classes
    Misclassification,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WeightingWord {
    /// Both sides of a node weigh one half
    Balanced,
    /// All rows weigh the same
    Uniform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FrameWord {
    /// The coordinates of the data
    Raw,
    /// Mean 0 in every node
    Centred,
    /// Mean 0 and deviation 1 in every node
    Standardised,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ThresholdWord {
    /// Where the SVM puts it
    Svm,
    /// Where the split gains most
    BestGain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MulticlassWord {
    /// One tree for all classes
    Direct,
    /// A tree for every pair of classes
    OneVsOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LambdaRuleWord {
    /// The same in all nodes
    Constant,
    /// Times the rows of the root over those of the node
    BySize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LossWord {
    /// L1
    Hinge,
    /// L2
    SquaredHinge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoefficientsWord {
    /// Four bytes a weight
    Single,
    /// Eight bytes a weight
    Double,
}

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct HlsvmArgs {
    /// Where settings come from that are not given
    #[arg(long, default_value = "default", help_heading = "Model")]
    preset: Preset,
    /// Regulariser of every node [default: 1 / rows]
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    lambda: Option<f64>,
    /// How lambda changes on the way down
    #[arg(long, default_value = "constant", help_heading = "Model")]
    lambda_rule: LambdaRuleWord,
    /// What dual coordinate descent minimises
    #[arg(long, default_value = "hinge", help_heading = "Nodes")]
    loss: LossWord,
    /// Steps of a search for a better lambda in each node
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Model")]
    lambda_search: u32,
    /// Share of the rows that only choose how far the tree is pruned; 0: no pruning
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    holdout: f64,
    /// A node with no more than this share of the rows is a leaf [default: 10^-floor(log10 rows)]
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    min_share: Option<f64>,
    /// Most hyperplanes on a path [default: unlimited]
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_depth: Option<u32>,
    /// Measure of splits
    #[arg(long, default_value = "entropy", help_heading = "Model")]
    impurity: ImpurityWord,
    /// How more than two classes are told apart [default: direct]
    #[arg(long, help_heading = "Model")]
    multiclass: Option<MulticlassWord>,
    /// Calibrate the probabilities of leaves, which costs three more fits
    #[arg(long, help_heading = "Model")]
    probability: bool,
    /// Precision of stored hyperplanes [default: single]
    #[arg(long, help_heading = "Model")]
    coefficients: Option<CoefficientsWord>,
    /// What finds hyperplanes [default: dcd]
    #[arg(long, help_heading = "Nodes")]
    solver: Option<SolverWord>,
    /// Stop tolerance of the solver [default: 0.1, Pegasos 1e-4]
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Nodes"
    )]
    tolerance: Option<f64>,
    /// Most passes of dual coordinate descent over the rows of a node
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Nodes")]
    max_passes: u32,
    /// Most steps of Pegasos in a node
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000_000,
        help_heading = "Nodes"
    )]
    max_steps: u64,
    /// Rows of a step of Pegasos
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Nodes")]
    batch: usize,
    /// Rate of the bias against that of the weights in Pegasos
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.01,
        allow_negative_numbers = true,
        help_heading = "Nodes"
    )]
    bias_rate: f64,
    /// Most rows that a hyperplane is trained on [default: unlimited]
    #[arg(long, value_name = "N", help_heading = "Nodes")]
    node_rows: Option<usize>,
    /// Coordinates of a node, for dense data [default: standardised]
    #[arg(long, help_heading = "Nodes")]
    frame: Option<FrameWord>,
    /// Place of a hyperplane along its normal [default: best-gain]
    #[arg(long, help_heading = "Nodes")]
    threshold: Option<ThresholdWord>,
    /// Weights of rows in a node
    #[arg(long, default_value = "balanced", help_heading = "Nodes")]
    weighting: WeightingWord,
    /// Trees of a forest; 1: a single tree
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Forest")]
    trees: usize,
    /// Share of the rows that each tree of a forest sees
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.7,
        allow_negative_numbers = true,
        help_heading = "Forest"
    )]
    row_share: f64,
    /// Draw the rows of each tree with replacement
    #[arg(long, help_heading = "Forest")]
    bootstrap: bool,
    /// Share of the features that each node of a forest may use
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.5,
        allow_negative_numbers = true,
        help_heading = "Forest"
    )]
    feature_share: f64,
}

impl HlsvmArgs {
    fn solver(&self) -> NodeSolver {
        let preset = match self.preset {
            Preset::Literal => SolverWord::PegasosLiteral,
            Preset::Default | Preset::Document => SolverWord::Dcd,
        };
        let pegasos = |params: PegasosParams| {
            NodeSolver::Pegasos(PegasosParams {
                max_steps: self.max_steps,
                batch: self.batch,
                bias_rate: self.bias_rate,
                tolerance: self.tolerance.unwrap_or(params.tolerance),
                ..params
            })
        };
        match self.solver.unwrap_or(preset) {
            SolverWord::Dcd => NodeSolver::Dcd {
                tolerance: self.tolerance.unwrap_or(0.1),
                max_passes: self.max_passes,
            },
            SolverWord::Pegasos => pegasos(PegasosParams::default()),
            SolverWord::PegasosLiteral => pegasos(PegasosParams::literal()),
        }
    }

    fn params(&self, seed: u64) -> HlsvmParams {
        let preset = match self.preset {
            Preset::Default => HlsvmParams::default(),
            Preset::Document | Preset::Literal => HlsvmParams::document(1.0),
        };
        HlsvmParams {
            lambda: self.lambda,
            lambda_rule: match self.lambda_rule {
                LambdaRuleWord::Constant => LambdaRule::Constant,
                LambdaRuleWord::BySize => LambdaRule::BySize,
            },
            loss: match self.loss {
                LossWord::Hinge => HingeLoss::Hinge,
                LossWord::SquaredHinge => HingeLoss::SquaredHinge,
            },
            lambda_search: self.lambda_search,
            holdout: self.holdout,
            min_share: self.min_share,
            max_depth: self.max_depth,
            impurity: match self.impurity {
                ImpurityWord::Entropy => Impurity::Entropy,
                ImpurityWord::Gini => Impurity::Gini,
                ImpurityWord::Misclassification => Impurity::Misclassification,
            },
            weighting: match self.weighting {
                WeightingWord::Balanced => Weighting::Balanced,
                WeightingWord::Uniform => Weighting::Uniform,
            },
            solver: self.solver(),
            node_rows: self.node_rows,
            frame: self.frame.map_or(preset.frame, |word| match word {
                FrameWord::Raw => Frame::Raw,
                FrameWord::Centred => Frame::Centred,
                FrameWord::Standardised => Frame::Standardised,
            }),
            threshold: self.threshold.map_or(preset.threshold, |word| match word {
                ThresholdWord::Svm => Threshold::Svm,
                ThresholdWord::BestGain => Threshold::BestGain,
            }),
            multiclass: self
                .multiclass
                .map_or(preset.multiclass, |word| match word {
                    MulticlassWord::Direct => TreeMulticlass::Direct,
                    MulticlassWord::OneVsOne => TreeMulticlass::OneVsOne,
                }),
            forest: (self.trees != 1).then_some(ForestParams {
                trees: self.trees,
                row_share: self.row_share,
                bootstrap: self.bootstrap,
                feature_share: self.feature_share,
            }),
            probability: self.probability,
            coefficients: self
                .coefficients
                .map_or(preset.coefficients, |word| match word {
                    CoefficientsWord::Single => Coefficients::Single,
                    CoefficientsWord::Double => Coefficients::Double,
                }),
            seed,
        }
    }
}

/// A word in the form of the command line.
fn word(value: impl std::fmt::Debug) -> String {
    let mut text = String::new();
    for letter in format!("{value:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn describe(params: &HlsvmParams) -> Vec<(String, String)> {
    let or = |value: Option<f64>, otherwise: &str| value.map_or(otherwise.to_owned(), exact);
    let count = |value: Option<u64>| value.map_or("unlimited".to_owned(), |n| n.to_string());
    let mut pairs = vec![
        ("lambda", or(params.lambda, "1/rows")),
        ("lambda_rule", word(params.lambda_rule)),
        ("loss", word(params.loss)),
        ("lambda_search", params.lambda_search.to_string()),
        ("holdout", exact(params.holdout)),
        ("min_share", or(params.min_share, "by rows")),
        ("max_depth", count(params.max_depth.map(u64::from))),
        ("impurity", word(params.impurity)),
        ("weighting", word(params.weighting)),
        ("frame", word(params.frame)),
        ("threshold", word(params.threshold)),
        ("multiclass", word(params.multiclass)),
        ("coefficients", word(params.coefficients)),
        ("node_rows", count(params.node_rows.map(|n| n as u64))),
    ];
    match &params.solver {
        NodeSolver::Dcd {
            tolerance,
            max_passes,
        } => pairs.extend([
            ("solver", "dcd".to_owned()),
            ("tolerance", exact(*tolerance)),
            ("max_passes", max_passes.to_string()),
        ]),
        NodeSolver::Pegasos(pegasos) => {
            let name = match pegasos.stop {
                PegasosStop::Step => "pegasos-literal",
                _ => "pegasos",
            };
            pairs.extend([
                ("solver", name.to_owned()),
                ("tolerance", exact(pegasos.tolerance)),
                ("max_steps", pegasos.max_steps.to_string()),
                ("batch", pegasos.batch.to_string()),
                ("bias_rate", exact(pegasos.bias_rate)),
            ]);
        }
    }
    if let Some(forest) = &params.forest {
        pairs.extend([
            ("trees", forest.trees.to_string()),
            ("row_share", exact(forest.row_share)),
            ("bootstrap", forest.bootstrap.to_string()),
            ("feature_share", exact(forest.feature_share)),
        ]);
    }
    pairs.push(("seed", params.seed.to_string()));
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

impl Method for Hlsvm {
    type Args = HlsvmArgs;
    type Params = HlsvmParams;
    type Model = LinearTrees;

    const NAME: &'static str = "h-lsvm";
    const ABOUT: &'static str = "H-LSVM: a tree of linear SVMs, answers within a microsecond";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["lambda=10^-9:1:-1", "holdout=0,0.1,0.2"];
    const TUNABLE: &'static [&'static str] = &["lambda", "holdout", "min_share"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &HlsvmArgs, seed: u64) -> Result<HlsvmParams, Failure> {
        Ok(args.params(seed))
    }

    fn describe(params: &HlsvmParams) -> Vec<(String, String)> {
        describe(params)
    }

    fn set(params: &mut HlsvmParams, name: &str, value: f64) -> bool {
        match name {
            "lambda" => params.lambda = Some(value),
            "holdout" => params.holdout = value,
            "min_share" => params.min_share = Some(value),
            _ => return false,
        }
        true
    }
}

impl Model for LinearTrees {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        let trees = self.trees();
        let largest = |of: fn(&hedgerow::tree::Tree) -> usize| trees.iter().map(of).max();
        let mut facts = vec![
            ("trees", json!(trees.len())),
            (
                "council",
                json!(match self.council() {
                    Council::Single => "single",
                    Council::OneVsOne => "one-vs-one",
                    Council::Forest => "forest",
                }),
            ),
            ("hyperplanes", json!(self.n_hyperplanes())),
            ("depth", json!(largest(hedgerow::tree::Tree::depth))),
            (
                "bytes",
                json!(trees.iter().map(hedgerow::tree::Tree::bytes).sum::<usize>()),
            ),
            ("calibrated", json!(self.is_calibrated())),
        ];
        if let [tree] = trees {
            let complexity = tree.complexity();
            facts.extend([
                ("leaves", json!(complexity.leaves)),
                ("training_error", json!(complexity.training_error)),
                (
                    "effective_leaves",
                    json!(complexity.effective_accurate_leaves),
                ),
                ("complexity_term", json!(complexity.term)),
            ]);
        }
        facts
    }

    fn as_trees(&self) -> Option<&LinearTrees> {
        Some(self)
    }
}
