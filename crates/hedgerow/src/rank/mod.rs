//! Ranking: rows of a rare class, or of higher levels, above the others.
//!
//! $$\min_f \; \frac1N \sum_{(i,j):\, y_i > y_j} \ell_\varepsilon\bigl(f(x_i) - f(x_j)\bigr)
//!   + \tfrac\lambda2 \|f\|^2, \qquad f(x) = \sum_{r \in R} \beta_r K(x_r, x),$$
//!
//! over all $N$ pairs of rows with different levels, two for a class against the rest. With $R$ all
//! rows it is RankSVM. RankRC takes for $R$ the rows of the rare class, in general all rows that are
//! not at the most frequent level, and by default as many others at random: with $m_+$ rare rows
//! among $m$ the kernel values are a rectangle of $m \times 2m_+$. RANK-RND takes rows at random.
//!
//! With $K_{RR} = U\Lambda U^\top$ and $T = U\Lambda^{-1/2}$ (small eigenvalues cut), $\beta = Tw$ and
//! $\|f\|^2 = \|w\|^2$: a linear problem on the rows of $\tilde X = K_{\bullet R}T$, which are never
//! formed: a product is $K_{\bullet R}(Tw)$. $T$ is turned such that the Hessian at the start is
//! about diagonal, which leaves $T^\top K_{RR}T = I$ as it is and makes its diagonal a good
//! preconditioner. All $\lambda$ of a search and all its folds advance together, and one pass over
//! the rectangle serves them all.
//!
//! | symbol | here |
//! |---|---|
//! | $y$ | `levels` |
//! | $\ell_\varepsilon$, $\varepsilon$ | [`crate::solve::pairwise`], `smoothing` |
//! | $N$ | `n_pairs` |
//! | $\lambda$ | `lambda` |
//! | $R$ | `basis` |
//! | $K_{\bullet R}$ | [`crate::kernel::Rectangle`] |
//! | $T$ | `Whitening` |
//! | $G$ | `slopes` |
//! | $\kappa = \max_x K(x, x)$ | `kappa` |
//!
//! After A. Tayal, T. Coleman and Y. Li, *RankRC: large-scale nonlinear rare class ranking*, IEEE
//! Transactions on Knowledge and Data Engineering 27, 2015, and A. Tayal's thesis, Waterloo 2014.

mod as_model;
mod basis;
mod bounds;
mod design;
mod fit;
mod model;
mod params;
mod path;
mod problem;
mod residuals;
mod task;
mod weights;
mod whitening;

pub use bounds::{Bound, BoundSettings, Certified, Perturbation, RankBounds};
pub use model::{Answer, RankModel, RankParts};
pub use params::{
    BasisWord, FormWord, RankRcParams, RankRndParams, RankSvmParams, RankingParams, SearchMetric,
};
pub use weights::{RankWeights, RankWeightsParams};
