//! `knn` and `knn-regression`: the nearest rows vote.

use super::{Method, Model, Task};
use crate::failure::Failure;
use hedgerow::kernel::KernelSpec;
use hedgerow::local::{Knn, KnnParams};
use hedgerow_io::LibSvmType;
use serde_json::{Value, json};

/// The majority of the nearest rows.
pub(crate) struct KnnClassifier;

/// The mean of the nearest rows.
pub(crate) struct KnnRegressor;

/// Options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KnnArgs {
    /// Rows that vote
    #[arg(
        short = 'K',
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Neighbourhoods"
    )]
    neighbours: usize,
    /// Kernel as text in whose feature space distances are taken, for example
    /// "poly(degree=2, coef0=1)" [default: linear, which is the Euclidean distance]
    #[arg(
        short = 'k',
        long,
        value_name = "TEXT",
        conflicts_with_all = ["kernel_type", "degree", "gamma", "coef0"],
        help_heading = "Kernel"
    )]
    kernel: Option<String>,
    /// Kernel type: 0 linear, 1 polynomial, 2 Gaussian (same neighbours as 0), 3 sigmoid
    #[arg(short = 't', value_name = "0..3", default_value_t = 0, help_heading = "Kernel", value_parser = clap::value_parser!(u32).range(0..=3))]
    kernel_type: u32,
    /// Degree of the polynomial kernel
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 3,
        help_heading = "Kernel"
    )]
    degree: u32,
    /// Gamma; from -1 to 0: a percentile of the distances
    #[arg(
        short,
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Kernel"
    )]
    gamma: f64,
    /// Constant of the polynomial and sigmoid kernels
    #[arg(
        short = 'r',
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        help_heading = "Kernel"
    )]
    coef0: f64,
}

impl KnnArgs {
    fn params(&self, seed: u64) -> Result<KnnParams, Failure> {
        let kernel = match &self.kernel {
            Some(text) => KernelSpec::parse(text),
            None => {
                KernelSpec::from_libsvm(self.kernel_type, self.degree, Some(self.gamma), self.coef0)
            }
        };
        Ok(KnnParams {
            k: self.neighbours,
            kernel: kernel.map_err(Failure::Option)?,
            seed,
            ..KnnParams::default()
        })
    }
}

fn describe(params: &KnnParams) -> Vec<(String, String)> {
    vec![
        ("neighbours".to_owned(), params.k.to_string()),
        ("kernel".to_owned(), params.kernel.to_string()),
        ("seed".to_owned(), params.seed.to_string()),
    ]
}

/// What differs between the two methods.
macro_rules! method {
    ($name:ident, $tag:literal, $about:literal, $task:expr) => {
        impl Method for $name {
            type Args = KnnArgs;
            type Params = KnnParams;
            type Model = Knn;

            const NAME: &'static str = $tag;
            const ABOUT: &'static str = $about;
            const TASK: Task = $task;
            const GRID: &'static [&'static str] = &["neighbours=1,3,5,7,9,11,15,23,39,71"];
            const TUNABLE: &'static [&'static str] = &["neighbours"];
            const LIBSVM_TYPE: Option<LibSvmType> = None;

            fn params(args: &KnnArgs, seed: u64) -> Result<KnnParams, Failure> {
                args.params(seed)
            }

            fn describe(params: &KnnParams) -> Vec<(String, String)> {
                describe(params)
            }

            fn set(params: &mut KnnParams, name: &str, value: f64) -> bool {
                if name == "neighbours" {
                    params.k = value.max(0.0).round() as usize;
                }
                name == "neighbours"
            }

            fn kernel(params: &mut KnnParams) -> Option<&mut KernelSpec> {
                Some(&mut params.kernel)
            }
        }
    };
}

method!(
    KnnClassifier,
    "knn",
    "k-NN: the majority of the nearest rows, also in the feature space of a kernel",
    Task::Classes
);
method!(
    KnnRegressor,
    "knn-regression",
    "k-NN regression: the mean of the nearest rows",
    Task::Real
);

impl Model for Knn {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("rows", json!(self.n_rows())),
            ("neighbours", json!(self.params().k)),
        ]
    }
}
