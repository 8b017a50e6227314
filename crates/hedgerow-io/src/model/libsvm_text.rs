//! LIBSVM's model, field by field.

/// The problem a LIBSVM model solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibSvmType {
    /// Classification with cost C.
    CSvc,
    /// Classification with nu.
    NuSvc,
    /// Support of a distribution.
    OneClass,
    /// Regression with epsilon.
    EpsilonSvr,
    /// Regression with nu.
    NuSvr,
}

impl LibSvmType {
    pub(super) const ALL: [(Self, &'static str); 5] = [
        (Self::CSvc, "c_svc"),
        (Self::NuSvc, "nu_svc"),
        (Self::OneClass, "one_class"),
        (Self::EpsilonSvr, "epsilon_svr"),
        (Self::NuSvr, "nu_svr"),
    ];
    pub(super) const WORDS: &'static str = "c_svc, nu_svc, one_class, epsilon_svr, nu_svr";

    /// True if the model has class labels.
    pub fn is_classifier(self) -> bool {
        matches!(self, Self::CSvc | Self::NuSvc)
    }
}

/// The kernel of a LIBSVM model with the parameters it uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LibSvmKernel {
    /// `u·v`.
    Linear,
    /// `(gamma u·v + coef0)^degree`.
    Polynomial {
        /// Exponent.
        degree: i32,
        /// Factor.
        gamma: f64,
        /// Constant.
        coef0: f64,
    },
    /// `exp(-gamma |u-v|²)`.
    Rbf {
        /// Factor.
        gamma: f64,
    },
    /// `tanh(gamma u·v + coef0)`.
    Sigmoid {
        /// Factor.
        gamma: f64,
        /// Constant.
        coef0: f64,
    },
    /// Kernel values are given; a support vector is its serial number.
    Precomputed,
}

impl LibSvmKernel {
    pub(super) const WORDS: &'static str = "linear, polynomial, rbf, sigmoid, precomputed";
}

/// A support vector as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct LibSvmSupportVector {
    /// One coefficient for each other class; one for regression and one-class models.
    pub coefficients: Vec<f64>,
    /// Indices as in the file: from 1, or a single 0 for a precomputed kernel. Ascending.
    pub indices: Vec<u32>,
    /// Values of the indices.
    pub values: Vec<f64>,
}

/// A LIBSVM model.
#[derive(Debug, Clone, PartialEq)]
pub struct LibSvmModel {
    /// `svm_type`.
    pub svm_type: LibSvmType,
    /// `kernel_type`, `degree`, `gamma`, `coef0`.
    pub kernel: LibSvmKernel,
    /// `nr_class`; 2 for regression and one-class models.
    pub n_classes: usize,
    /// `rho`: one value for each pair of classes (0,1), (0,2), …, (1,2), ….
    pub rho: Vec<f64>,
    /// `label`: the classes in the model's order.
    pub labels: Option<Vec<i32>>,
    /// `probA`: slopes of Platt's sigmoids, or the Laplace scale of a regression.
    pub prob_a: Option<Vec<f64>>,
    /// `probB`: offsets of Platt's sigmoids.
    pub prob_b: Option<Vec<f64>>,
    /// `prob_density_marks` of a one-class model.
    pub prob_density_marks: Option<Vec<f64>>,
    /// `nr_sv`: support vectors of each class; they stand class after class.
    pub class_sizes: Option<Vec<usize>>,
    /// `SV`; their number is `total_sv`.
    pub support_vectors: Vec<LibSvmSupportVector>,
}

impl LibSvmModel {
    /// Number of class pairs, saturating for counts that no file can hold.
    pub(super) fn pairs(n_classes: u64) -> u64 {
        n_classes.saturating_mul(n_classes.saturating_sub(1)) / 2
    }
}
