//! Proximal classifiers: a surface near each class, and kernel directions.
//!
//! For the rows $A$ of one class and $B$ of the other, GEPSVM and ReGEC look for surfaces
//! $\{x : K(x, C)u = \gamma\}$ (planes $x \cdot w = \gamma$ with the linear kernel) that are near one class and far
//! from the other. With $g = [K(A,C), -e]$, $h = [K(B,C), -e]$, $G = g^\top g$, $H = h^\top h$, $z = [u; \gamma]$:
//!
//! $$\min_z \frac{z^\top G^* z}{z^\top H^* z}, \qquad
//!   G^* = G + \delta\,\mathrm{diag}(H),\quad H^* = H + \delta\,\mathrm{diag}(G),$$
//!
//! whose smallest eigenvector is the surface of $A$ and whose largest is that of $B$ (ReGEC). GEPSVM has
//! a problem for each: $G + \delta I$ over $H$, and $H + \delta I$ over $G$. A row belongs to the class whose surface
//! is nearer, $(K(x,C)u - \gamma)^2 / \|u\|^2$.
//!
//! CReGEC keeps a chunk of the rows: it begins with one of each class and takes in every further row
//! with which (i) all rows of the chunk so far stay right and (ii) more rows of the training set are
//! right than before. I-ReGEC selects by mistakes. KFDA and KQPFS are directions of the same kernel
//! space.
//!
//! | report | here |
//! |---|---|
//! | $A$, $B$ | first and second class: of two the first is the positive one |
//! | $C$ | centres |
//! | $\delta$; $\hat\delta_1$, $\hat\delta_2$ | `delta`; `delta` and `delta_second` with `regularisation` = cross |
//! | $\sigma$ of $e^{-\|x-y\|^2/\sigma}$ | `rbf(gamma=…)` with $\gamma = 1/\sigma$ |
//! | $\lambda$ | `quotient` |
//! | chunked set | [`PairChunk`] |
//! | `acc_glob` | `score` |

mod as_model;
mod assemble;
mod calibration;
mod centres;
mod chunk;
mod chunk_model;
mod cregec;
mod design;
mod dual_route;
mod fit;
mod iregec;
mod kernel_fisher;
mod model;
mod order;
mod pair;
mod params;
mod pencil;
mod problem;
mod selection;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod update_tests;

pub use chunk_model::{ChunkModel, ChunkParts, ChunkUpdate, Memory, PairChunk};
pub use cregec::CregecParams;
pub use iregec::IregecParams;
pub use kernel_fisher::{DirectionParams, Equivalence, KfdaParams, KqpfsParams};
pub use model::{Figures, ProximalModel, ProximalParts};
pub use params::{GepsvmParams, RegecParams, SurfaceParams};
pub use pencil::{NARROW_GAP, SurfaceFacts};
pub use selection::Offer;
pub use words::{
    CentreWord, FisherPenalty, FisherRule, InitialAccuracy, PlaneScheme, Regularisation, RidgeUnit,
    SelectionScore, SubsetOrder, SurfaceNorm,
};
