//! `fda`: Fisher's discriminant.

use super::svm::class_weight;
use super::{Method, Task};
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::data::ClassName;
use hedgerow::svm::linear::{FisherParams, LinearClassifier};
use hedgerow_io::LibSvmType;

/// Fisher's discriminant.
pub(crate) struct Fisher;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FisherArgs {
    /// Share of the mean variance that is added to every variance; raised where the matrix is
    /// singular
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Model"
    )]
    ridge: f64,
    /// Weight of the rows of a class; may be repeated
    #[arg(
        long,
        value_name = "CLASS=X",
        allow_hyphen_values = true,
        value_parser = class_weight,
        help_heading = "Model"
    )]
    class_weight: Vec<(ClassName, f64)>,
}

impl Method for Fisher {
    type Args = FisherArgs;
    type Params = FisherParams;
    type Model = LinearClassifier;

    const NAME: &'static str = "fda";
    const ABOUT: &'static str = "Fisher's discriminant: the nearest projected class mean";
    const TASK: Task = Task::Classes;
    const GRID: &'static [&'static str] = &["ridge=0,1e-6,1e-4,1e-3,1e-2,1e-1,1"];
    const TUNABLE: &'static [&'static str] = &["ridge"];
    const LIBSVM_TYPE: Option<LibSvmType> = None;

    fn params(args: &FisherArgs, _seed: u64) -> Result<FisherParams, Failure> {
        let mut params = FisherParams::default().with_ridge(args.ridge);
        params.class_weights.clone_from(&args.class_weight);
        Ok(params)
    }

    fn describe(params: &FisherParams) -> Vec<(String, String)> {
        let mut pairs = vec![("ridge".to_owned(), exact(params.ridge))];
        for (class, weight) in &params.class_weights {
            pairs.push((format!("class_weight {class}"), exact(*weight)));
        }
        pairs
    }

    fn set(params: &mut FisherParams, name: &str, value: f64) -> bool {
        let known = name == "ridge";
        if known {
            params.ridge = value;
        }
        known
    }
}
