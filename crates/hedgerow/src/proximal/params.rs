//! Parameters of GEPSVM and ReGEC.

use super::model::ProximalModel;
use super::words::{CentreWord, PlaneScheme, Regularisation, SurfaceNorm};
use crate::data::Dataset;
use crate::estimator::estimator;
use crate::kernel::KernelSpec;
use crate::method::{Card, KERNELS, PythonClass};
use crate::params::params;
use crate::{Error, Fitted, Result};
use serde::{Deserialize, Serialize};

/// What all methods of surfaces share.
#[params(heading = "Surfaces")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceParams {
    /// The kernel; with the linear one the surfaces are planes in the features.
    #[param(default = gaussian(), flatten)]
    pub kernel: KernelSpec,
    /// How several classes are told apart.
    #[param(default = PlaneScheme::OneVsRest, python = "multi_class")]
    pub multiclass: PlaneScheme,
    /// By what the value of a surface is divided to be a distance.
    #[param(default = SurfaceNorm::Coefficient)]
    pub norm: SurfaceNorm,
    /// Which rows have a kernel function.
    #[param(default = CentreWord::All)]
    pub centres: CentreWord,
    /// Number of kernel functions, if not all rows have one.
    #[param(least = 1, unless = "1000, or those that a selection keeps")]
    pub centre_count: Option<usize>,
    /// Calibrate, so that the model can tell probabilities; costs a cross-validation.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Memory for matrices in MB; a problem that needs more is refused before it starts.
    #[param(default = 2048.0, above = 0.0, most = 1e9, short = 'm', unsaid)]
    pub memory_mb: f64,
    /// Seed of everything random: centres, folds of the calibration.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

pub(super) fn gaussian() -> KernelSpec {
    // The text is a constant.
    KernelSpec::parse("rbf(gamma=mean)").unwrap_or_default()
}

fn linear() -> SurfaceParams {
    SurfaceParams {
        kernel: KernelSpec::parse("linear").unwrap_or_default(),
        ..SurfaceParams::default()
    }
}

impl SurfaceParams {
    /// Memory for matrices in bytes.
    pub(super) fn memory_bytes(&self) -> u64 {
        (self.memory_mb * f64::from(1 << 20)) as u64
    }
}

/// GEPSVM: for each class the surface with the least quotient of regularised squared values at its
/// rows and squared values at the others; one eigenproblem a surface.
#[params(check = check_delta)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GepsvmParams {
    /// Weight of the squared length of the unknown; 0, for planes only, is the plain method.
    #[param(default = 1e-3, least = 0.0, tunable)]
    pub delta: f64,
    /// What all methods of surfaces share.
    #[param(default = linear(), flatten)]
    pub surface: SurfaceParams,
}

impl GepsvmParams {
    fn check_delta(&self) -> Result<()> {
        if self.delta == 0.0 && !is_linear(&self.surface.kernel) {
            return Err(Error::Parameter {
                name: "delta",
                value: 0.0,
                requirement: "above 0 with a kernel, whose eigenproblem is singular without",
            });
        }
        Ok(())
    }

    /// Trains on the rows with a positive weight, which must be the same for all.
    ///
    /// # Errors
    /// [`Error::SingularPencil`] if the eigenproblem has no unique solution, [`Error::Memory`] if it
    /// would not fit.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ProximalModel>> {
        self.check()?;
        super::fit::fit_gepsvm(self, data)
    }
}

/// ReGEC: both surfaces of two classes from one regularised eigenproblem.
///
/// ```
/// use hedgerow::data::generate;
/// use hedgerow::evaluate::{Metric, evaluate};
/// use hedgerow::kernel::Kernel;
/// use hedgerow::proximal::RegecParams;
///
/// let board = generate::checkerboard(300, 2, 0.0, 1)?;
/// let fitted = RegecParams::default().with_kernel(Kernel::rbf(2.0)).fit(&board)?;
/// let metrics = evaluate(&fitted.model, &board)?;
/// let accuracy = metrics.iter().find(|(metric, _)| *metric == Metric::Accuracy).expect("classes");
/// assert!(accuracy.1 > 0.9);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[params(check = check_rule)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegecParams {
    /// How much is added to the matrix of the first class, δ.
    #[param(default = 1e-3, least = 0.0, tunable)]
    pub delta: f64,
    /// How much is added to the matrix of the second class.
    #[param(least = 0.0, unless = "as for the first")]
    pub delta_second: Option<f64>,
    /// What is added.
    #[param(unless = "cross for planes, diagonal with a kernel")]
    pub regularisation: Option<Regularisation>,
    /// What all methods of surfaces share.
    #[param(flatten)]
    pub surface: SurfaceParams,
}

impl RegecParams {
    /// The regularisation that is used.
    pub(super) fn rule(&self) -> Regularisation {
        let usual = if is_linear(&self.surface.kernel) {
            Regularisation::Cross
        } else {
            Regularisation::Diagonal
        };
        self.regularisation.unwrap_or(usual)
    }

    /// What is added to the matrices of both classes.
    pub(super) fn shares(&self) -> [f64; 2] {
        [self.delta, self.delta_second.unwrap_or(self.delta)]
    }

    fn check_rule(&self) -> Result<()> {
        let linear = is_linear(&self.surface.kernel);
        let [first, second] = self.shares();
        let refuse = |requirement: &'static str| Error::Parameter {
            name: "delta",
            value: self.delta,
            requirement,
        };
        let wrong = |requirement: &str| Error::ParameterValue {
            name: "regularisation",
            value: self.rule().word().to_owned(),
            requirement: requirement.to_owned(),
        };
        match self.rule() {
            Regularisation::Cross if !linear => Err(wrong("another one with a kernel")),
            Regularisation::Cross if first * second == 1.0 => {
                Err(refuse("such that the product of both is not 1"))
            }
            Regularisation::LiteralRectangular | Regularisation::LiteralOwnClass
                if linear || self.surface.centres != CentreWord::All =>
            {
                Err(wrong("another one without a kernel function at every row"))
            }
            _ if !linear && (first == 0.0 || second == 0.0) => Err(refuse(
                "above 0 with a kernel, whose eigenproblem is singular without",
            )),
            _ => Ok(()),
        }
    }

    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: impl Into<KernelSpec>) -> Self {
        self.surface.kernel = kernel.into();
        self
    }

    /// Trains on the rows with a positive weight, which must be the same for all.
    ///
    /// # Errors
    /// [`Error::SingularPencil`] if the eigenproblem has no unique solution, [`Error::Memory`] if it
    /// would not fit.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ProximalModel>> {
        self.check()?;
        super::fit::fit_regec(self, data)
    }
}

pub(super) fn is_linear(kernel: &KernelSpec) -> bool {
    kernel.fixed() == Some(&crate::kernel::Kernel::Linear)
}

/// What the estimators of Python learn beside what all do.
const ATTRIBUTES: &[(&str, &str)] = &[
    (
        "quotients_",
        "list of float. The quotient that each surface makes least.",
    ),
    (
        "gaps_",
        "list of float. Distance of the next eigenvalue, as a share of it.",
    ),
];

estimator!(GepsvmParams => ProximalModel, [Card {
    name: "gepsvm",
    about: "GEPSVM: one plane or surface a class, near its rows and far from the others",
    grid: &["delta=1e-5,1e-3,1e-1,10"],
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "GEPSVM",
        base: "ProximalClassifier",
        attributes: ATTRIBUTES,
        about: "One plane or surface a class, near its rows and far from the others.\n\nEach comes \
                from an eigenproblem with Tikhonov regularisation.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);

estimator!(RegecParams => ProximalModel, [Card {
    name: "regec",
    about: "ReGEC: both surfaces of two classes from one regularised eigenproblem",
    grid: &["delta=1e-5,1e-4,1e-3,1e-2", "gamma=2^-9:2:5"],
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "ReGEC",
        base: "ProximalClassifier",
        attributes: ATTRIBUTES,
        about: "Two proximal surfaces from one regularised generalized eigenproblem.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
