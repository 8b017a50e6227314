//! Vector passes and matrix tiles: the only place with SIMD and `unsafe`.
//!
//! Every loop here is written once over fixed-size lane arrays and compiled twice: for the
//! baseline of the target, and with AVX2 and FMA, chosen at run time (`multiversion!`).
//! An element of a result is always accumulated in the same order, whatever tile it falls into,
//! so results depend neither on blocking nor on the number of threads.

#[macro_use]
mod multiversion;
mod bits;
mod cholesky;
mod column_products;
mod coordinate_pass;
mod definite;
mod dense;
mod gather;
mod growing_cholesky;
mod hyperplanes;
mod lanczos;
mod lanes;
mod linear_rows;
mod near;
mod nystrom;
mod padded;
mod pair_values;
mod panel;
mod passes;
mod pivoted_cholesky;
mod radial_tile;
mod real;
mod ridge_cholesky;
mod row_stores;
mod scatter;
mod single_passes;
mod small_pencil;
mod smooth_losses;
mod sparse;
mod tridiagonal;
mod vectors;
mod weighted_differences;

#[cfg(test)]
mod exp;

pub(crate) use bits::{BIT_LANES, LaneCounts, PopulationCount};
pub(crate) use cholesky::{cholesky, cholesky_solve};
pub(crate) use column_products::column_products;
pub(crate) use coordinate_pass::{
    Coordinate, Held, MOST_RESTS, Primal, Violations, coordinate_loss, coordinate_pass,
};
pub(crate) use definite::{
    DefiniteFactor, PencilEnd, normalise, pencil_ends, raised_factor, relative_gap,
    symmetric_product,
};
pub(crate) use dense::{
    SymmetricEigen, add_gram, gram, mirror_upper, product, product_in_parallel, product_transposed,
    symmetric_eigen,
};
pub(crate) use gather::{CODES, LINE, gather_codes, gather_near};
pub(crate) use growing_cholesky::GrowingCholesky;
pub(crate) use hyperplanes::{Landing, Link, descend, hyperplane_value, stride_of};
pub(crate) use lanczos::largest_eigenvalue;
pub(crate) use lanes::{LaneProducts, QUERY_LANES, lane_products};
pub use linear_rows::{LinearRows, Precision};
pub(crate) use linear_rows::{RowStore, ensure_finite_norms, with_store};
pub(crate) use near::{
    Hit, boxes_within, combined_within, least_combined, relative_to, rows_within, shared_sq_dist,
    sq_dist,
};
pub(crate) use nystrom::whiten;
pub(crate) use padded::PaddedMatrix;
pub(crate) use pair_values::{add_four_rows, add_pair_values};
pub(crate) use panel::{DotMap, PANEL, Panels, TileMap, panel_block};
pub(crate) use passes::{GradientReal, Scan, add_scaled_rows, dot, low_penalty, side, up_penalty};
pub(crate) use pivoted_cholesky::pivots;
pub(crate) use radial_tile::gaussian_tile;
pub(crate) use real::Real;
pub(crate) use ridge_cholesky::ridge_cholesky;
pub(crate) use row_stores::{
    BlockStore, DENSE_LANES, DenseStore, Extended, LinearStore, SparseStore, UnitStore,
    add_curvature, add_derivatives, add_row, dot_row, row_products,
};
pub(crate) use scatter::{CHUNK, Columns};
pub(crate) use small_pencil::{LeastPair, PencilRoom, least_pair};
pub(crate) use smooth_losses::{
    LossRows, logistic_slopes, logistic_sum, squared_hinge_slopes, squared_hinge_sum,
};
pub(crate) use sparse::{SPARSE_QUERIES, SparseQueries, SparseRows, sparse_block};
pub(crate) use vectors::{
    VECTOR_LANES, VectorLanes, add_transposed_products, vector_products, widen,
};
pub(crate) use weighted_differences::{
    WEIGHT_LANES, add_squared_differences, weighted_squared_distances,
};
