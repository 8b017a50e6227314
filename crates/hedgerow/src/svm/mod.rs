//! Support vector machines with any kernel: C-SVC, ν-SVC, ε-SVR, ν-SVR and one-class.
//!
//! Every one of them minimises $\tfrac12\beta^\top K\beta + p^\top\beta$ in a box under one or two
//! sum constraints (see [`crate::solve::smo`]) and predicts with
//! $f(x) = \sum_i \beta_i K(x_i, x) - \rho$.
//!
//! | method | $p_i$ | box of $\beta_i$ | sums kept |
//! |---|---|---|---|
//! | C-SVC | $-y_i$ | $[0, C_i]$ if $y_i = 1$, else $[-C_i, 0]$ | $\sum\beta = 0$ |
//! | ν-SVC | $0$ | the same with $C_i$ = weight | $\pm\nu n/2$ in each class |
//! | one-class | $0$ | $[0, C_i]$, $C_i$ = weight | $\sum\beta = \nu n$ |
//! | ε-SVR | $\pm\varepsilon - t_i$, two variables a row | $[0, C_i]$ and $[-C_i, 0]$ | $\sum\beta = 0$ |
//! | ν-SVR | $-t_i$, two variables a row | the same | $\pm C\nu n/2$ for each sign |
//!
//! where $C_i = C \cdot$ class weight $\cdot$ sample weight. Conventions are LIBSVM's: a positive
//! decision value of a pair speaks for its first class, classes stand in the order of their
//! names in the labels, which in a file is the order in which rows show them (with labels −1 and +1
//! the latter is first), and ties go to the class that stands first.

mod classifier;
pub mod linear;
mod one_class;
mod parts;
mod regression;
mod svc;

pub use crate::machines::{
    Duals, Multiclass, PROBABILITY_FLOOR, Sigmoid, SolverParams, couple, largest, pairs, small,
};
pub use classifier::SvmClassifier;
pub use one_class::{OneClassParams, OneClassSvm};
pub use parts::SvmParts;
pub use regression::{NuSvrParams, SvmRegressor, SvrParams};
pub use svc::{NuSvcParams, SvcParams};
