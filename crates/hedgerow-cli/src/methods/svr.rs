//! `svr`: ε-SVR.

use super::kernel_machine::{self, SolverArgs};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::svm::{SolverParams, SvmRegressor, SvrParams};
use hedgerow_io::LibSvmType;

/// ε-SVR.
pub(crate) struct EpsilonSvr;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct EpsilonSvrArgs {
    /// Penalty of an error
    #[arg(
        short = 'c',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    cost: f64,
    /// Errors up to this cost nothing
    #[arg(
        short = 'p',
        long,
        value_name = "X",
        default_value_t = 0.1,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    epsilon: f64,
    #[command(flatten)]
    solver: SolverArgs,
}

impl Method for EpsilonSvr {
    type Args = EpsilonSvrArgs;
    type Params = SvrParams;
    type Model = SvmRegressor;

    const NAME: &'static str = "svr";
    const ABOUT: &'static str = "ε-SVR: regression";
    const TASK: Task = Task::Real;
    const GRID: &'static [&'static str] = &["cost=2^-1:2:9", "gamma=2^-7:2:3"];
    const TUNABLE: &'static [&'static str] = &["cost", "epsilon"];
    const LIBSVM_TYPE: Option<LibSvmType> = Some(LibSvmType::EpsilonSvr);

    fn params(args: &EpsilonSvrArgs, seed: u64) -> Result<SvrParams, Failure> {
        let params = SvrParams::default()
            .with_cost(args.cost)
            .with_epsilon(args.epsilon)
            .with_solver(args.solver.solver(Self::NAME, seed)?);
        Ok(params)
    }

    fn describe(params: &SvrParams) -> Vec<(String, String)> {
        let mut pairs = vec![
            ("cost".to_owned(), exact(params.cost)),
            ("epsilon".to_owned(), exact(params.epsilon)),
        ];
        pairs.extend(kernel_machine::describe(&params.solver));
        pairs
    }

    fn set(params: &mut SvrParams, name: &str, value: f64) -> bool {
        match name {
            "cost" => params.cost = value,
            "epsilon" => params.epsilon = value,
            _ => return false,
        }
        true
    }

    fn solver(params: &mut SvrParams) -> Option<&mut SolverParams> {
        Some(&mut params.solver)
    }
}
