//! Parameters of the rankers.

use super::model::RankModel;
use crate::data::{ClassName, Dataset};
use crate::estimator::estimator;
use crate::kernel::KernelSpec;
use crate::method::{Card, KERNELS, PythonClass, PythonParameter};
use crate::params::{Words, params};
use crate::{Error, Fitted, Result};
use serde::{Deserialize, Serialize};

/// What the search for λ looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum SearchMetric {
    /// Pairs in the right order: AUC, for levels MAUC.
    Auc,
    /// Average precision of the positive class: the top of the list.
    AveragePrecision,
}

/// Which rows have a kernel function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum BasisWord {
    /// All rows that are not at the most frequent level.
    Rare,
    /// Rows at random, as many as the rare ones unless said otherwise.
    Random,
    /// The rare ones and others at random, as many again unless said otherwise.
    RareRandom,
    /// Some of the rare ones that stand for all of them.
    Landmarks,
    /// All rows.
    All,
}

/// In which variables the problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum FormWord {
    /// As a linear problem, by the factors of the kernel matrix of the basis.
    Linearised,
    /// In the coefficients themselves: slower and less exact, for comparison.
    Direct,
}

/// What all rankers share.
#[params(heading = "Ranking")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankingParams {
    /// Weight of the squared norm.
    #[param(
        above = 0.0,
        unless = "the best of 2^-20, 2^-18, ..., 2^10 by cross-validation",
        python = "lam",
        tunable
    )]
    pub lambda: Option<f64>,
    /// The kernel; Gaussian by default, as wide as the mean squared distance.
    #[param(default = gaussian(), flatten)]
    pub kernel: KernelSpec,
    /// Half the width of the bend of the hinge, ε.
    #[param(default = 0.5, least = 1e-3, most = 1.0)]
    pub smoothing: f64,
    /// The class to be ranked first.
    #[param(unless = "the rarest")]
    pub positive: Option<ClassName>,
    /// What the search for lambda maximises.
    #[param(default = SearchMetric::Auc)]
    pub criterion: SearchMetric,
    /// Folds of the search for lambda, and of the calibration.
    #[param(default = 5, least = 2)]
    pub inner_folds: usize,
    /// Calibrate, so that the model can tell probabilities; costs a cross-validation if there is no
    /// search.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Stop when no entry of the gradient is larger, or the objective falls by a smaller share.
    #[param(default = 1e-6, above = 0.0, short = 'e', python = "tol")]
    pub tolerance: f64,
    /// Largest number of steps for one lambda.
    #[param(default = 400, least = 1, python = "max_iter")]
    pub max_iterations: u32,
    /// Memory for kernel values in MB; it changes the time, never the result.
    #[param(
        default = 4096.0,
        above = 0.0,
        most = 1e9,
        short = 'm',
        python = "cache_size",
        unsaid
    )]
    pub cache_mb: f64,
    /// Seed of everything random: folds, random rows of a basis.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

fn gaussian() -> KernelSpec {
    // The text is a constant.
    KernelSpec::parse("rbf(gamma=mean)").unwrap_or_default()
}

impl RankingParams {
    /// Memory for kernel values in bytes.
    pub fn cache_bytes(&self) -> usize {
        (self.cache_mb * f64::from(1 << 20)) as usize
    }
}

/// RankRC: $\min \tfrac1N\sum_{y_i > y_j} \ell_\varepsilon(f(x_i) - f(x_j)) + \tfrac\lambda2\|f\|^2$ with
/// kernel functions at the rare rows and as many random others; see [the module](super).
///
/// ```
/// use hedgerow::data::generate;
/// use hedgerow::rank::RankRcParams;
/// use hedgerow::evaluate::{Metric, evaluate};
///
/// let data = generate::checkerboard(400, 4, 0.01, 7)?;
/// let fitted = RankRcParams::default().with_lambda(1e-4).fit(&data)?;
/// let metrics = evaluate(&fitted.model, &data)?;
/// let auc = metrics.iter().find(|(metric, _)| *metric == Metric::Auc).expect("two classes");
/// assert!(auc.1 > 0.75);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[params(check = check_basis)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankRcParams {
    /// Which rows have a kernel function.
    #[param(default = BasisWord::RareRandom)]
    pub basis: BasisWord,
    /// Number of kernel functions, for a basis that leaves it open.
    #[param(
        least = 1,
        unless = "as many as there are rare rows, twice as many for rare-random"
    )]
    pub basis_size: Option<usize>,
    /// Grow the basis until the objective is certified to lie above that of all rows by no more
    /// than this share of itself.
    #[param(above = 0.0, unless = "the basis stays as it is")]
    pub certified: Option<f64>,
    /// In which variables the problem is solved.
    #[param(default = FormWord::Linearised)]
    pub solver: FormWord,
    /// What all rankers share.
    #[param(flatten)]
    pub ranking: RankingParams,
}

impl RankRcParams {
    /// Rules between fields.
    fn check_basis(&self) -> Result<()> {
        if self.basis == BasisWord::Landmarks && self.basis_size.is_none() {
            return Err(Error::ParameterValue {
                name: "basis_size",
                value: "none".to_owned(),
                requirement: "given for a basis of landmarks".to_owned(),
            });
        }
        Ok(())
    }

    /// Trains on the rows with a positive weight, which must be the same for all.
    ///
    /// # Errors
    /// [`Error::TooFewClasses`] without two classes or levels, [`Error::TooFewRows`] if a search for
    /// λ has no fold to judge by, [`Error::Memory`] for a basis of more than some 20,000 rows.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<RankModel>> {
        self.check()?;
        super::fit::fit(self, data)
    }

    /// Trains with each of several λ; all advance together and read the same kernel values.
    pub fn fit_path(&self, data: &Dataset, lambdas: &[f64]) -> Result<Vec<Fitted<RankModel>>> {
        self.check()?;
        super::fit::fit_path(self, data, lambdas)
    }
}

/// RANK-RND: as RankRC, with kernel functions at rows of all classes at random.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankRndParams {
    /// Number of kernel functions.
    #[param(least = 1, unless = "as many as there are rare rows")]
    pub basis_size: Option<usize>,
    /// What all rankers share.
    #[param(flatten)]
    pub ranking: RankingParams,
}

impl RankRndParams {
    /// As [`RankRcParams::fit`].
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<RankModel>> {
        self.check()?;
        let params = RankRcParams {
            basis: BasisWord::Random,
            basis_size: self.basis_size,
            ranking: self.ranking.clone(),
            ..RankRcParams::default()
        };
        super::fit::fit(&params, data)
    }
}

/// RankSVM: as RankRC, with a kernel function at every row; with the linear kernel in the weights of
/// the features, for rows that are dense or sparse.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankSvmParams {
    /// What all rankers share.
    #[param(flatten)]
    pub ranking: RankingParams,
}

impl RankSvmParams {
    /// As [`RankRcParams::fit`].
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<RankModel>> {
        self.check()?;
        let params = RankRcParams {
            basis: BasisWord::All,
            ranking: self.ranking.clone(),
            ..RankRcParams::default()
        };
        super::fit::fit(&params, data)
    }
}

/// Gives a params struct with a field `ranking` the builders of [`RankingParams`].
macro_rules! ranking_builders {
    ($($params:ty),*) => {$(
        impl $params {
            /// Sets the weight of the squared norm.
            pub fn with_lambda(mut self, lambda: f64) -> Self {
                self.ranking.lambda = Some(lambda);
                self
            }

            /// Sets the kernel.
            pub fn with_kernel(mut self, kernel: impl Into<KernelSpec>) -> Self {
                self.ranking.kernel = kernel.into();
                self
            }

            /// Sets half the width of the bend of the hinge.
            pub fn with_smoothing(mut self, smoothing: f64) -> Self {
                self.ranking.smoothing = smoothing;
                self
            }

            /// Sets the class to be ranked first.
            pub fn with_positive(mut self, positive: ClassName) -> Self {
                self.ranking.positive = Some(positive);
                self
            }

            /// Sets when to stop.
            pub fn with_tolerance(mut self, tolerance: f64) -> Self {
                self.ranking.tolerance = tolerance;
                self
            }

            /// Sets the seed of everything random.
            pub fn with_seed(mut self, seed: u64) -> Self {
                self.ranking.seed = seed;
                self
            }
        }
    )*};
}

ranking_builders!(RankRcParams, RankRndParams, RankSvmParams);

/// Usual values of λ.
const GRID: &[&str] = &["lambda=2^-20:2:10"];

/// What the estimators of Python learn beside what all do.
const ATTRIBUTES: &[(&str, &str)] = &[
    (
        "lambda_",
        "float. Weight of the squared norm, as given or as found.",
    ),
    (
        "levels_",
        "ndarray. The levels, lowest first; with ``levels`` only.",
    ),
];

/// Whether the classes are levels, in Python.
const LEVELS: PythonParameter = PythonParameter {
    name: "levels",
    form: "True or sequence, optional",
    annotation: "Any",
    default: "None",
    about: "The classes are levels of an ordered scale: ``True`` for the sorted values of ``y``, or \
            the levels, lowest first. ``None``, the default: one of two classes is ranked first.",
};

estimator!(RankRcParams => RankModel, [Card {
    name: "rank-rc",
    about: "RankRC: ranks a rare class first, with kernel functions at its rows and as many others",
    grid: GRID,
    kernels: KERNELS,
    page: "ranking",
    python: PythonClass {
        name: "RankRC",
        base: "RankingClassifier",
        extra: &[LEVELS],
        attributes: ATTRIBUTES,
        about: "Ranking of a rare class by kernel functions at its rows and as many others.\n\nMinimises the \
                smoothed hinge over all pairs of a rare and another row, and so maximises the area \
                under the ROC curve.",
    },
    ..Card::PLAIN
}]);

estimator!(RankRndParams => RankModel, [Card {
    name: "rank-rnd",
    about: "RANK-RND: as rank-rc, with kernel functions at random rows",
    grid: GRID,
    kernels: KERNELS,
    page: "ranking",
    python: PythonClass {
        name: "RankRND",
        base: "RankingClassifier",
        extra: &[LEVELS],
        attributes: ATTRIBUTES,
        about: "Ranking of a rare class by kernel functions at random rows.",
    },
    ..Card::PLAIN
}]);

estimator!(RankSvmParams => RankModel, [Card {
    name: "rank-svm",
    about: "RankSVM: as rank-rc, with kernel functions at all rows, or linear",
    grid: GRID,
    kernels: KERNELS,
    page: "ranking",
    python: PythonClass {
        name: "RankSVM",
        base: "RankingClassifier",
        extra: &[LEVELS],
        attributes: ATTRIBUTES,
        about: "Ranking of a rare class by kernel functions at all rows, or linear.",
    },
    ..Card::PLAIN
}]);
