//! `knn` and `knn-regression`: the nearest rows vote.

use super::{Method, Model, Task};
use crate::failure::Failure;
use hedgerow::data::{Dataset, SamplesView};
use hedgerow::kernel::KernelSpec;
use hedgerow::local::{Knn, KnnParams};
use hedgerow::svm::SolverParams;
use hedgerow::{Fitted, Prediction, ScoreMatrix};
use hedgerow_io::{LibSvmModel, LibSvmType};
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

/// The library's parameters; the kernel stands where those of all methods do.
#[derive(Debug, Clone)]
pub(crate) struct KnnSettings {
    k: usize,
    solver: SolverParams,
}

impl KnnSettings {
    fn params(&self) -> KnnParams {
        KnnParams {
            k: self.k,
            kernel: self.solver.kernel.clone(),
            seed: self.solver.seed,
            ..KnnParams::default()
        }
    }
}

impl KnnArgs {
    fn settings(&self, seed: u64) -> Result<KnnSettings, Failure> {
        let kernel = match &self.kernel {
            Some(text) => KernelSpec::parse(text),
            None => {
                KernelSpec::from_libsvm(self.kernel_type, self.degree, Some(self.gamma), self.coef0)
            }
        };
        let solver = SolverParams {
            kernel: kernel.map_err(Failure::Option)?,
            seed,
            ..SolverParams::default()
        };
        Ok(KnnSettings {
            k: self.neighbours,
            solver,
        })
    }
}

fn describe(settings: &KnnSettings) -> Vec<(String, String)> {
    vec![
        ("neighbours".to_owned(), settings.k.to_string()),
        ("kernel".to_owned(), settings.solver.kernel.to_string()),
        ("seed".to_owned(), settings.solver.seed.to_string()),
    ]
}

/// What differs between the two methods.
macro_rules! method {
    ($name:ident, $tag:literal, $about:literal, $task:expr) => {
        impl Method for $name {
            type Args = KnnArgs;
            type Params = KnnSettings;
            type Model = Knn;

            const NAME: &'static str = $tag;
            const ABOUT: &'static str = $about;
            const TASK: Task = $task;
            const GRID: &'static [&'static str] = &["neighbours=1,3,5,7,9,11,15,23,39,71"];
            const TUNABLE: &'static [&'static str] = &["neighbours"];
            const LIBSVM_TYPE: Option<LibSvmType> = None;

            fn params(args: &KnnArgs, seed: u64) -> Result<KnnSettings, Failure> {
                args.settings(seed)
            }

            fn check(settings: &KnnSettings) -> hedgerow::Result<()> {
                settings.params().check()
            }

            fn describe(settings: &KnnSettings) -> Vec<(String, String)> {
                describe(settings)
            }

            fn set(settings: &mut KnnSettings, name: &str, value: f64) -> bool {
                if name == "neighbours" {
                    settings.k = value.max(0.0).round() as usize;
                }
                name == "neighbours"
            }

            fn solver(settings: &mut KnnSettings) -> &mut SolverParams {
                &mut settings.solver
            }

            fn fit(settings: &KnnSettings, data: &Dataset) -> hedgerow::Result<Fitted<Knn>> {
                settings.params().fit(data)
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

    fn to_libsvm(&self, _: LibSvmType) -> Result<LibSvmModel, Failure> {
        Err(Failure::usage(
            "LIBSVM has no format for nearest neighbours: leave --libsvm-model out",
        ))
    }

    fn predict_with_scores(
        &self,
        samples: SamplesView<'_>,
    ) -> hedgerow::Result<(Prediction, ScoreMatrix)> {
        Knn::predict_with_scores(self, samples)
    }
}
