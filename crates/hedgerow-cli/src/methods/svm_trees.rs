//! `svm-trees`: a cascade of linear SVMs.

use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::tree::{LinearTrees, SvmTreesParams};
use hedgerow_io::LibSvmType;

/// SVM-Trees.
pub(crate) struct SvmTrees;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SvmTreesArgs {
    /// Price of a violated margin
    #[arg(
        short = 'c',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    cost: f64,
    /// Most hyperplanes of a cascade
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Model")]
    max_nodes: usize,
    /// A node that removes a smaller share of its rows ends the cascade
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.01,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    min_removed: f64,
    /// Stop tolerance of the solver
    #[arg(
        short = 'e',
        long,
        value_name = "X",
        default_value_t = 0.01,
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    tolerance: f64,
    /// Most passes over the rows of a node
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3000,
        help_heading = "Solver"
    )]
    max_passes: u32,
}

impl Method for SvmTrees {
    type Args = SvmTreesArgs;
    type Params = SvmTreesParams;
    type Model = LinearTrees;

    const NAME: &'static str = "svm-trees";
    const ABOUT: &'static str = "SVM-Trees: a cascade of linear SVMs, each leaves one side pure";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["cost=0.01,0.1,1,10,100"];
    const TUNABLE: &'static [&'static str] = &["cost", "max_nodes", "min_removed"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &SvmTreesArgs, seed: u64) -> Result<SvmTreesParams, Failure> {
        Ok(SvmTreesParams {
            cost: args.cost,
            max_nodes: args.max_nodes,
            min_removed: args.min_removed,
            tolerance: args.tolerance,
            max_passes: args.max_passes,
            seed,
        })
    }

    fn describe(params: &SvmTreesParams) -> Vec<(String, String)> {
        [
            ("cost", exact(params.cost)),
            ("max_nodes", params.max_nodes.to_string()),
            ("min_removed", exact(params.min_removed)),
            ("tolerance", exact(params.tolerance)),
            ("max_passes", params.max_passes.to_string()),
            ("seed", params.seed.to_string()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }

    fn set(params: &mut SvmTreesParams, name: &str, value: f64) -> bool {
        match name {
            "cost" => params.cost = value,
            "max_nodes" => params.max_nodes = value.max(0.0).round() as usize,
            "min_removed" => params.min_removed = value,
            _ => return false,
        }
        true
    }
}
