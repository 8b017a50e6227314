//! `one-class`: one-class SVM.

use super::kernel_machine::{self, SolverArgs};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::svm::{OneClassParams, OneClassSvm, SolverParams};
use hedgerow_io::LibSvmType;

/// one-class SVM.
pub(crate) struct OneClass;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct OneClassArgs {
    /// Upper bound of the share of training rows outside
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

impl Method for OneClass {
    type Args = OneClassArgs;
    type Params = OneClassParams;
    type Model = OneClassSvm;

    const NAME: &'static str = "one-class";
    const ABOUT: &'static str = "one-class SVM: which rows are usual?";
    const TASK: Task = Task::Unlabelled;
    const GRID: &'static [&'static str] = &["nu=0.05,0.1,0.2,0.5", "gamma=2^-7:2:3"];
    const TUNABLE: &'static [&'static str] = &["nu"];
    const LIBSVM_TYPE: Option<LibSvmType> = Some(LibSvmType::OneClass);

    fn params(args: &OneClassArgs, seed: u64) -> Result<OneClassParams, Failure> {
        let params = OneClassParams::default()
            .with_nu(args.nu)
            .with_solver(args.solver.solver(Self::NAME, seed)?);
        Ok(params)
    }

    fn describe(params: &OneClassParams) -> Vec<(String, String)> {
        let mut pairs = vec![("nu".to_owned(), exact(params.nu))];
        pairs.extend(kernel_machine::describe(&params.solver));
        pairs
    }

    fn set(params: &mut OneClassParams, name: &str, value: f64) -> bool {
        match name {
            "nu" => params.nu = value,
            _ => return false,
        }
        true
    }

    fn solver(params: &mut OneClassParams) -> Option<&mut SolverParams> {
        Some(&mut params.solver)
    }
}
