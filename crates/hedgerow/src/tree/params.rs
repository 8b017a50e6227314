//! Parameters of H-LSVM.

use super::{Impurity, NodeSolver};
use crate::Result;
use crate::params::{Value, Words, params, read_as};
use crate::solve::dual_coordinate::HingeLoss;
use crate::solve::split_pegasos::SplitPegasosParams;
use serde::{Deserialize, Serialize};

/// How much the rows of a node weigh when its hyperplane is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Weighting {
    /// Both sides of a node weigh one half.
    ///
    /// $\nu_i = 1/(2 N_\pm)$.
    #[default]
    Balanced,
    /// All rows weigh the same.
    ///
    /// $\nu_i = 1/N$. Small sides are then easily given up.
    Uniform,
}

/// Where a hyperplane is placed along its normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Threshold {
    /// Where the SVM puts it.
    Svm,
    /// Where the split gains most.
    #[default]
    BestGain,
}

/// In which coordinates a node's hyperplane is trained. Dense data only: moving the origin would
/// fill sparse rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Frame {
    /// The coordinates of the data.
    Raw,
    /// Mean 0 in every node.
    Centred,
    /// Mean 0 and deviation 1 in every node.
    ///
    /// Features that do not vary among its rows are left as they are.
    #[default]
    Standardised,
}

/// How the regulariser changes on the way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum LambdaRule {
    /// The same in all nodes.
    ///
    /// As in the document: the costs $\nu_i / (\lambda N_H)$ grow as the
    /// square of what a node is smaller than the root.
    #[default]
    Constant,
    /// Times the rows of the root over those of the node.
    ///
    /// $\lambda N / N_H$, so that the costs $\nu_i / (\lambda N)$ grow with the weights of the rows only.
    BySize,
}

/// How more than two classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum TreeMulticlass {
    /// One tree for all classes.
    ///
    /// Every node splits the classes into two groups.
    #[default]
    Direct,
    /// A tree for every pair of classes.
    ///
    /// Or a forest; each pair has one vote, ties go to the earlier class.
    #[word("ovo", "one-vs-one")]
    OneVsOne,
}

/// In which precision hyperplanes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Coefficients {
    /// Four bytes a weight.
    ///
    /// Half the memory traffic. Training knows, so that training rows take
    /// the same path in the finished model. Sums are in double precision.
    #[default]
    Single,
    /// Eight bytes a weight.
    Double,
}

/// Several trees that vote, each grown on some of the rows, with some of the features in each
/// node.
#[params(heading = "Forest")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForestParams {
    /// Trees of a forest; 1: a single tree.
    #[param(default = 1, least = 1, python = "n_estimators")]
    pub trees: usize,
    /// Share of the rows that each tree of a forest sees.
    #[param(default = 0.7, above = 0.0, most = 1.0, python = "max_samples")]
    pub row_share: f64,
    /// Draw the rows of each tree with replacement.
    #[param(default = false)]
    pub bootstrap: bool,
    /// Share of the features that each node of a forest may use.
    #[param(default = 0.5, above = 0.0, most = 1.0, python = "max_features")]
    pub feature_share: f64,
}

/// Where settings come from that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Preset {
    /// What works best.
    #[default]
    Default,
    /// The document's method with a node solver that converges.
    Document,
    /// The document to the letter, Weighted-Pegasos as printed.
    Literal,
}

/// Parameters of H-LSVM; see [the module](super).
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HlsvmParams {
    /// Where settings come from that are not given.
    ///
    /// Set by name it changes the others; a value that is set directly says nothing.
    #[param(default = Preset::Default, set_with = set_preset, no_builder, unsaid)]
    pub preset: Preset,
    /// Regulariser of every node, λ.
    #[param(above = 0.0, unless = "1 / rows", python = "lam", tunable)]
    pub lambda: Option<f64>,
    /// How lambda changes on the way down.
    #[param(default = LambdaRule::Constant)]
    pub lambda_rule: LambdaRule,
    /// What dual coordinate descent minimises.
    #[param(default = HingeLoss::Hinge, heading = "Nodes")]
    pub loss: HingeLoss,
    /// Steps of a search for a better lambda in each node.
    ///
    /// By factors of ten, beginning with the parent's.
    #[param(default = 0)]
    pub lambda_search: u32,
    /// Share of the rows that only choose how far the tree is pruned; 0: no pruning.
    #[param(default = 0.0, least = 0.0, below = 1.0, tunable)]
    pub holdout: f64,
    /// A node with no more than this share of the rows is a leaf.
    #[param(least = 0.0, most = 1.0, unless = "10^-floor(log10 rows)", tunable)]
    pub min_share: Option<f64>,
    /// Most hyperplanes on a path.
    #[param(unless = "unlimited")]
    pub max_depth: Option<u32>,
    /// Measure of splits.
    #[param(default = Impurity::Entropy, python = "criterion")]
    pub impurity: Impurity,
    /// Weights of rows in a node.
    #[param(default = Weighting::Balanced, heading = "Nodes")]
    pub weighting: Weighting,
    /// What finds hyperplanes.
    #[param(flatten)]
    pub solver: NodeSolver,
    /// Most rows that a hyperplane is trained on, drawn at random.
    #[param(least = 1, unless = "unlimited", heading = "Nodes")]
    pub node_rows: Option<usize>,
    /// Coordinates of a node, for dense data.
    #[param(default = Frame::Standardised, heading = "Nodes")]
    pub frame: Frame,
    /// Place of a hyperplane along its normal.
    #[param(default = Threshold::BestGain, heading = "Nodes")]
    pub threshold: Threshold,
    /// How more than two classes are told apart.
    #[param(default = TreeMulticlass::Direct, python = "multi_class")]
    pub multiclass: TreeMulticlass,
    /// Several trees.
    #[param(flatten)]
    pub forest: ForestParams,
    /// Calibrate the probabilities of leaves by cross-fitting, which costs three more fits.
    ///
    /// Without it they are shares of training rows, smoothed along the path.
    #[param(default = false)]
    pub probability: bool,
    /// Precision of stored hyperplanes.
    #[param(default = Coefficients::Single)]
    pub coefficients: Coefficients,
    /// Seed of everything random.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl HlsvmParams {
    /// The method to the letter: Weighted-Pegasos as printed, the bias that it finds, the
    /// coordinates of the data, one-vs-one, double precision.
    pub fn literal(lambda: f64) -> Self {
        Self {
            solver: NodeSolver::Pegasos(SplitPegasosParams::literal()),
            ..Self::document(lambda)
        }
    }

    /// The method of the document with a node solver that converges: the coordinates of the data,
    /// the SVM's own bias, one-vs-one.
    pub fn document(lambda: f64) -> Self {
        Self {
            lambda: Some(lambda),
            frame: Frame::Raw,
            threshold: Threshold::Svm,
            multiclass: TreeMulticlass::OneVsOne,
            coefficients: Coefficients::Double,
            ..Self::default()
        }
    }

    /// Takes all settings but the seed from a preset.
    fn set_preset(&mut self, value: &Value) -> Result<()> {
        let preset = read_as("preset", value)?;
        let base = match preset {
            Preset::Default => Self::default(),
            Preset::Document => Self::document(1.0),
            Preset::Literal => Self::literal(1.0),
        };
        *self = Self {
            preset,
            lambda: None,
            seed: self.seed,
            ..base
        };
        Ok(())
    }

    /// The forest, if there is to be one.
    pub(super) fn forest(&self) -> Option<&ForestParams> {
        (self.forest.trees != 1).then_some(&self.forest)
    }

    /// $\lambda$ for a tree grown on `n_rows` rows.
    pub fn lambda_for(&self, n_rows: usize) -> f64 {
        self.lambda.unwrap_or(1.0 / n_rows.max(1) as f64)
    }

    /// $\delta$ for a tree grown on `n_rows` rows: $10^{-\lfloor\log_{10} N\rfloor}$ unless it was set.
    pub fn min_share_for(&self, n_rows: usize) -> f64 {
        self.min_share
            .unwrap_or_else(|| 10f64.powi(-(n_rows.max(1).ilog10() as i32)))
    }
}
