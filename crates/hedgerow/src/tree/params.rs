//! Parameters of H-LSVM.

use super::Impurity;
use crate::error::{ensure_not_negative, ensure_positive};
use crate::solve::dual_coordinate::HingeLoss;
use crate::solve::weighted_pegasos::PegasosParams;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What finds the hyperplane of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NodeSolver {
    /// Dual coordinate descent until the projected gradients of a pass differ by no more than the
    /// tolerance, or the passes are used up.
    Dcd {
        /// Largest range of projected gradients that is accepted.
        tolerance: f64,
        /// Most passes over the rows of a node. Then the hyperplane is taken as it is: a split
        /// is judged by its gain, and costly small nodes would take most of the time.
        max_passes: u32,
    },
    /// Weighted-Pegasos.
    Pegasos(PegasosParams),
}

impl Default for NodeSolver {
    fn default() -> Self {
        Self::Dcd {
            tolerance: 0.1,
            max_passes: 100,
        }
    }
}

/// How much the rows of a node weigh when its hyperplane is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Weighting {
    /// Both sides weigh one half: $\nu_i = 1/(2 N_\pm)$.
    #[default]
    Balanced,
    /// All rows weigh the same: $\nu_i = 1/N$. Small sides are then easily given up.
    Uniform,
}

/// Where a hyperplane is placed along its normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Threshold {
    /// Where the SVM puts it.
    Svm,
    /// Where the split gains most.
    #[default]
    BestGain,
}

/// In which coordinates a node's hyperplane is trained. Dense data only: moving the origin would
/// fill sparse rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Frame {
    /// Those of the data.
    Raw,
    /// The origin is the mean of the node's rows.
    Centred,
    /// The mean is 0 and the deviation 1 in every feature that varies among the node's rows.
    #[default]
    Standardised,
}

/// How the regulariser changes on the way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LambdaRule {
    /// The same $\lambda$ in all nodes, as in the document: the costs $\nu_i / (\lambda N_H)$ grow as the
    /// square of what a node is smaller than the root.
    #[default]
    Constant,
    /// $\lambda N / N_H$, so that the costs $\nu_i / (\lambda N)$ grow with the weights of the rows only.
    BySize,
}

/// How more than two classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TreeMulticlass {
    /// One tree; every node splits the classes into two groups.
    #[default]
    Direct,
    /// A tree for every pair of classes, or a forest; each pair has one vote, ties go to the
    /// earlier class.
    OneVsOne,
}

/// In which precision hyperplanes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Coefficients {
    /// Four bytes a weight: half the memory traffic. Training knows, so that training rows take
    /// the same path in the finished model. Sums are in double precision.
    #[default]
    Single,
    /// Eight bytes a weight.
    Double,
}

/// Several trees that vote, each grown on some of the rows, with some of the features in each
/// node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForestParams {
    /// Number of trees; 10 by default.
    pub trees: usize,
    /// Rows of a tree as a share of all, drawn without replacement if at most 1 and with
    /// replacement if [`ForestParams::bootstrap`]; 0.7 by default.
    pub row_share: f64,
    /// Whether rows are drawn with replacement; no by default.
    pub bootstrap: bool,
    /// Features that a node may use, as a share of all; 0.5 by default.
    pub feature_share: f64,
}

impl Default for ForestParams {
    fn default() -> Self {
        Self {
            trees: 10,
            row_share: 0.7,
            bootstrap: false,
            feature_share: 0.5,
        }
    }
}

/// Parameters of H-LSVM; see [the module](super).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HlsvmParams {
    /// Regulariser $\lambda$ of every node; `None`, the default, for $1/N$ with the number of rows that
    /// the tree is grown on.
    pub lambda: Option<f64>,
    /// How the regulariser changes on the way down; constant by default.
    pub lambda_rule: LambdaRule,
    /// The loss that coordinate descent minimises; the hinge by default.
    pub loss: HingeLoss,
    /// Steps of a local search for a better $\lambda$ in each node, by factors of ten, that begins
    /// with the parent's; 0, none, by default.
    pub lambda_search: u32,
    /// Share $\rho$ of the rows that only choose how far the tree is pruned; 0, no pruning, by default.
    pub holdout: f64,
    /// A node with no more than this share $\delta$ of the rows is a leaf; `None`, the default, for
    /// $10^{-\lfloor\log_{10} N\rfloor}$.
    pub min_share: Option<f64>,
    /// Most hyperplanes on a path; unlimited by default.
    pub max_depth: Option<u32>,
    /// Measure of splits; entropy by default.
    pub impurity: Impurity,
    /// Weights of rows in a node; balanced by default.
    pub weighting: Weighting,
    /// What finds hyperplanes; dual coordinate descent by default.
    pub solver: NodeSolver,
    /// Most rows that a node's hyperplane is trained on, drawn at random; unlimited by default.
    pub node_rows: Option<usize>,
    /// Coordinates of a node.
    pub frame: Frame,
    /// Place of a hyperplane along its normal.
    pub threshold: Threshold,
    /// More than two classes.
    pub multiclass: TreeMulticlass,
    /// Several trees; one by default.
    pub forest: Option<ForestParams>,
    /// Whether the probabilities of leaves are calibrated by cross-fitting, which costs three more
    /// fits; no by default. Without it they are shares of training rows, smoothed along the path.
    pub probability: bool,
    /// Precision of stored hyperplanes.
    pub coefficients: Coefficients,
    /// Seed of everything random; 0 by default.
    pub seed: u64,
}

impl Default for HlsvmParams {
    fn default() -> Self {
        Self {
            lambda: None,
            lambda_rule: LambdaRule::default(),
            loss: HingeLoss::Hinge,
            lambda_search: 0,
            holdout: 0.0,
            min_share: None,
            max_depth: None,
            impurity: Impurity::default(),
            weighting: Weighting::default(),
            solver: NodeSolver::default(),
            node_rows: None,
            frame: Frame::default(),
            threshold: Threshold::default(),
            multiclass: TreeMulticlass::default(),
            forest: None,
            probability: false,
            coefficients: Coefficients::default(),
            seed: 0,
        }
    }
}

impl HlsvmParams {
    /// The method to the letter: Weighted-Pegasos as printed, the bias that it finds, the
    /// coordinates of the data, one-vs-one, double precision.
    pub fn literal(lambda: f64) -> Self {
        Self {
            solver: NodeSolver::Pegasos(PegasosParams::literal()),
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

    /// Sets the regulariser.
    pub fn with_lambda(mut self, lambda: f64) -> Self {
        self.lambda = Some(lambda);
        self
    }

    /// Sets the share of rows for pruning.
    pub fn with_holdout(mut self, holdout: f64) -> Self {
        self.holdout = holdout;
        self
    }

    /// Sets the share of rows below which a node is a leaf.
    pub fn with_min_share(mut self, min_share: f64) -> Self {
        self.min_share = Some(min_share);
        self
    }

    /// Sets what finds hyperplanes.
    pub fn with_solver(mut self, solver: NodeSolver) -> Self {
        self.solver = solver;
        self
    }

    /// Sets how more than two classes are told apart.
    pub fn with_multiclass(mut self, multiclass: TreeMulticlass) -> Self {
        self.multiclass = multiclass;
        self
    }

    /// Sets the seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        if let Some(lambda) = self.lambda {
            ensure_positive("lambda", lambda)?;
        }
        let share = |name, value: f64, closed: bool| {
            let inside = value >= 0.0 && (value < 1.0 || closed && value == 1.0);
            if inside {
                return Ok(());
            }
            Err(Error::Parameter {
                name,
                value,
                requirement: if closed {
                    "from 0 to 1"
                } else {
                    "at least 0 and less than 1"
                },
            })
        };
        share("holdout", self.holdout, false)?;
        if let Some(min_share) = self.min_share {
            share("min_share", min_share, true)?;
        }
        if let Some(rows) = self.node_rows {
            ensure_positive("node_rows", rows as f64)?;
        }
        match &self.solver {
            NodeSolver::Dcd {
                tolerance,
                max_passes,
            } => {
                ensure_not_negative("tolerance", *tolerance)?;
                ensure_positive("max_passes", f64::from(*max_passes))?;
            }
            NodeSolver::Pegasos(pegasos) => pegasos.check()?,
        }
        if let Some(forest) = &self.forest {
            ensure_positive("trees", forest.trees as f64)?;
            ensure_positive("row_share", forest.row_share)?;
            ensure_positive("feature_share", forest.feature_share)?;
            share("row_share", forest.row_share, true)?;
            share("feature_share", forest.feature_share, true)?;
        }
        Ok(())
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
