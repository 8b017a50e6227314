//! `nu-svm`: ν-SVC.

use super::kernel_machine::{self, SolverArgs};
use super::svm::{ClassifierArgs, strategy_name};
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::svm::{NuSvcParams, SolverParams, SvmClassifier};
use hedgerow_io::LibSvmType;

/// ν-SVC.
pub(crate) struct NuSvc;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct NuSvcArgs {
    /// Upper bound of the share of margin errors, lower bound of the share of support vectors
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
    classifier: ClassifierArgs,
    #[command(flatten)]
    solver: SolverArgs,
}

impl Method for NuSvc {
    type Args = NuSvcArgs;
    type Params = NuSvcParams;
    type Model = SvmClassifier;

    const NAME: &'static str = "nu-svm";
    const ABOUT: &'static str = "ν-SVC: classification with a share of errors in place of a cost";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["nu=0.1:0.1:0.5", "gamma=2^-7:2:3"];
    const TUNABLE: &'static [&'static str] = &["nu"];
    const LIBSVM_TYPE: Option<LibSvmType> = Some(LibSvmType::NuSvc);

    fn params(args: &NuSvcArgs, seed: u64) -> Result<NuSvcParams, Failure> {
        let mut params = NuSvcParams::default()
            .with_nu(args.nu)
            .with_solver(args.solver.solver(Self::NAME, seed)?);
        params.multiclass = args.classifier.multiclass.into();
        params.probability = args.classifier.probability();
        Ok(params)
    }

    fn describe(params: &NuSvcParams) -> Vec<(String, String)> {
        let mut pairs = vec![
            ("nu".to_owned(), exact(params.nu)),
            (
                "multiclass".to_owned(),
                strategy_name(params.multiclass).to_owned(),
            ),
            ("probability".to_owned(), params.probability.to_string()),
        ];
        pairs.extend(kernel_machine::describe(&params.solver));
        pairs
    }

    fn set(params: &mut NuSvcParams, name: &str, value: f64) -> bool {
        match name {
            "nu" => params.nu = value,
            _ => return false,
        }
        true
    }

    fn solver(params: &mut NuSvcParams) -> Option<&mut SolverParams> {
        Some(&mut params.solver)
    }
}
