//! `nu-svr`: ν-SVR.

use super::kernel_machine::{self, SolverArgs};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::svm::{NuSvrParams, SolverParams, SvmRegressor};
use hedgerow_io::LibSvmType;

/// ν-SVR.
pub(crate) struct NuSvr;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct NuSvrArgs {
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
    /// Share of rows that may lie outside the tube
    #[arg(
        short = 'n',
        long,
        value_name = "X",
        default_value_t = 0.5,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    nu: f64,
    #[command(flatten)]
    solver: SolverArgs,
}

impl Method for NuSvr {
    type Args = NuSvrArgs;
    type Params = NuSvrParams;
    type Model = SvmRegressor;

    const NAME: &'static str = "nu-svr";
    const ABOUT: &'static str = "ν-SVR: regression that finds its own tube";
    const TASK: Task = Task::Real;
    const GRID: &'static [&'static str] = &["cost=2^-1:2:9", "gamma=2^-7:2:3"];
    const TUNABLE: &'static [&'static str] = &["cost", "nu"];
    const LIBSVM_TYPE: Option<LibSvmType> = Some(LibSvmType::NuSvr);

    fn params(args: &NuSvrArgs, seed: u64) -> Result<NuSvrParams, Failure> {
        let params = NuSvrParams::default()
            .with_cost(args.cost)
            .with_nu(args.nu)
            .with_solver(args.solver.solver(Self::NAME, seed)?);
        Ok(params)
    }

    fn describe(params: &NuSvrParams) -> Vec<(String, String)> {
        let mut pairs = vec![
            ("cost".to_owned(), exact(params.cost)),
            ("nu".to_owned(), exact(params.nu)),
        ];
        pairs.extend(kernel_machine::describe(&params.solver));
        pairs
    }

    fn set(params: &mut NuSvrParams, name: &str, value: f64) -> bool {
        match name {
            "cost" => params.cost = value,
            "nu" => params.nu = value,
            _ => return false,
        }
        true
    }

    fn solver(params: &mut NuSvrParams) -> Option<&mut SolverParams> {
        Some(&mut params.solver)
    }
}
