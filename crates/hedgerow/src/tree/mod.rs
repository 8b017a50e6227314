//! H-LSVM: a tree whose nodes are linear SVMs, for answers within a microsecond.
//!
//! In the node $H$ with $N_H$ rows, $N_H^\pm$ of either class, a hyperplane minimises
//! $$\tfrac\lambda2\|w\|^2 + \frac1{N_H} \sum_{i \in H} \nu_i \max(0, 1 - y_i (w \cdot x_i + b)), \qquad
//!   \nu_i = \frac{1}{2 N_H^{\pm}},$$
//! which is an SVM with costs $C_i = \nu_i / (\lambda N_H)$: small nodes are much less regularised than the
//! root. Rows with $w \cdot x + b \le 0$ go to one child and the others to the other, until a node is pure or
//! small or the split gains no information; then cost-complexity pruning on held-out rows may
//! shorten the tree. An answer costs one inner product a node on its path.
//!
//! | document | here |
//! |---|---|
//! | $\lambda$ | [`HlsvmParams::lambda`] |
//! | $\rho$, $\delta$ | [`HlsvmParams::holdout`], [`HlsvmParams::min_share`] |
//! | $T$, $k$, $\tau$, $\varepsilon_{PEG}$ | [`crate::solve::split_pegasos::SplitPegasosParams`] |
//! | Hyp, mean and maximum | [`LinearTrees::path_costs`] |
//! | $K$, $\tilde K$ | [`LinearTrees::n_hyperplanes`] |
//! | $T_{comp}$, $L'_{eff}$ | [`Tree::complexity`] |
//!
//! Beyond the document: hyperplanes by dual coordinate descent, which converges; coordinates that
//! suit each node ([`Frame`]) and the threshold that gains most ([`Threshold`]); a $\lambda$ for each
//! node; one tree for any number of classes; probabilities; forests. [`HlsvmParams::literal`] has none
//! of these.
//!
//! ```
//! use hedgerow::data::generate;
//! use hedgerow::tree::HlsvmParams;
//!
//! let data = generate::banana(400, 0.1, 7)?;
//! let fitted = HlsvmParams::default().with_holdout(0.2).fit(&data)?;
//! let class = fitted.model.classify(&[0.5, -0.25])?;
//! assert!(class < 2);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod as_model;
mod bounds;
mod compiled;
mod fit;
mod grouping;
mod grow;
mod impurity;
mod model;
mod node_rows;
mod node_solver;
mod params;
mod prune;
mod split;
mod svm_trees;

pub use bounds::{TreeComplexity, complexity_term, effective_leaves, vc_bound};
pub use compiled::{NodeSummary, Tree};
pub use impurity::Impurity;
pub use model::{Council, LinearTrees, PathCosts};
pub use node_solver::NodeSolver;
pub use params::{
    Coefficients, ForestParams, Frame, HlsvmParams, LambdaRule, Preset, Threshold, TreeMulticlass,
    Weighting,
};
pub use prune::PruningStep;
pub use svm_trees::SvmTreesParams;
