//! Kernels and the engine that evaluates them in blocks.

mod bound;
mod bound_machines;
mod city_block;
mod composite;
mod distance;
mod evaluator;
mod expansion;
mod expr;
mod gram;
mod layout;
mod local;
mod maps;
mod neighbourhood;
mod packed;
mod parameters;
mod radial;
mod rectangle;
mod scalar;
mod spec;
mod text;
mod vocabulary;
mod width;

pub use bound::GramQueries;
pub(crate) use bound_machines::{ROWS_OF_A_TASK, Use};
pub use city_block::{
    city_block_dist, city_block_gamma_from_distance, city_block_gamma_mean, city_block_gamma_scale,
    mean_city_block_dist,
};
pub use distance::sq_dist;
pub(crate) use evaluator::{Evaluator, linear_value, linear_weights};
pub use expansion::{Expansion, Machine};
pub(crate) use expansion::{check_samples, keep_rows, rows_that_count};
pub use expr::{Kernel, LocalOperator, MAX_DEPTH};
pub use gram::Gram;
pub(crate) use layout::Formula;
pub use local::{
    ETA_PERCENTILES, LocalCandidate, SIGMA_PERCENTILES, effective_width, local_candidates,
};
pub(crate) use maps::PolynomialMap;
pub(crate) use neighbourhood::{
    NearRows, NeighbourhoodQueries, QUERIES_AT_ONCE, matrix_of_neighbourhood,
};
pub(crate) use packed::Packed;
pub use radial::{Definiteness, Radial};
pub use rectangle::Rectangle;
pub(crate) use scalar::euclidean_sq_dist;
pub use scalar::spectral_angle;
pub use spec::KernelSpec;
pub use width::{
    GAMMA_CAP, PairDistances, WIDTH_FLOOR, eta_from_distance, feature_variances, gamma_auto,
    gamma_from_distance, gamma_mean, gamma_scale, mean_sq_dist, neighbourhood_gamma, percentile,
    sigma_from_distance,
};
