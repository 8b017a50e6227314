//! The one error type of the library.

/// What can go wrong when data or parameters are not what a method needs.
///
/// Not converging is no error: see [`crate::Status`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("parameter {name} = {value}: must be {requirement}")]
    Parameter {
        /// Name of the parameter as in the params struct.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The range that would be accepted.
        requirement: &'static str,
    },
    /// A parameter has a value of another kind.
    #[error("parameter {name} = {value}: must be {requirement}")]
    ParameterValue {
        /// Name of the parameter as in the params struct.
        name: &'static str,
        /// The value given.
        value: String,
        /// What would be accepted.
        requirement: String,
    },
    /// Two parts of the input disagree in length.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured.
        what: &'static str,
        /// The length required.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// There are no rows.
    #[error("the data have no rows")]
    NoRows,
    /// A value is NaN or infinite.
    #[error("row {row}, feature {column}: value {value} is not finite")]
    NotFinite {
        /// 1-based row.
        row: usize,
        /// 1-based feature.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The spread of a feature cannot be represented.
    #[error(
        "row {row}, feature {column}: value {value:e} makes the range of the feature overflow; remove or transform it"
    )]
    TooWide {
        /// 1-based row of an extreme value.
        row: usize,
        /// 1-based feature.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A feature that should be discrete has too many values.
    #[error(
        "feature {column} has more than {limit} values: cut it into bins by deviations or quantiles"
    )]
    TooManyValues {
        /// 1-based feature.
        column: usize,
        /// Most values that are accepted.
        limit: usize,
    },
    /// A matrix that must be symmetric is not.
    #[error(
        "row {row}, column {column}: {value} against {mirrored} on the other side of the diagonal; the matrix must be symmetric"
    )]
    NotSymmetric {
        /// 1-based row.
        row: usize,
        /// 1-based column.
        column: usize,
        /// The value there.
        value: f64,
        /// The value at the mirrored place.
        mirrored: f64,
    },
    /// An eigenproblem was not solved.
    #[error("the eigenvalues of a matrix did not converge; look for extreme values in the data")]
    NoEigenvalues,
    /// Both matrices of an eigenproblem vanish along one direction.
    #[error(
        "the eigenproblem is singular: classes with equal rows, constant or repeated columns, or a \
         kernel so wide that all its values are alike; scale the columns, drop some, or raise delta"
    )]
    SingularPencil,
    /// A target or weight is NaN or infinite, or a weight is negative.
    #[error("row {row}: {what} {value} is not usable")]
    BadRowValue {
        /// 1-based row.
        row: usize,
        /// What is not usable: "target", "weight", a distance.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// Distances from a row are not numbers: kernel values of it overflow.
    #[error(
        "row {row} has no {metric} distance to others: its values are too large, scale the features"
    )]
    NoDistance {
        /// 1-based row.
        row: usize,
        /// The metric.
        metric: String,
    },
    /// The method needs another kind of target.
    #[error("the method needs {needed}, the data have {found}")]
    Target {
        /// What the method learns from.
        needed: &'static str,
        /// What the data carry.
        found: &'static str,
    },
    /// The method needs more classes than there are.
    #[error("{needed} classes are needed, the data have {found}")]
    TooFewClasses {
        /// Classes required.
        needed: usize,
        /// Classes found.
        found: usize,
    },
    /// A class has too few rows for what was asked.
    #[error("class {class} has {found} rows, {needed} are needed")]
    TooFewRows {
        /// Name of the class.
        class: String,
        /// Rows required.
        needed: usize,
        /// Rows found.
        found: usize,
    },
    /// A class was named that the data do not have.
    #[error("there is no class {name}")]
    UnknownClass {
        /// The name given.
        name: String,
    },
    /// A class has no place in the order of levels.
    #[error("class {name} has no place in the order of levels: name all of them, lowest first")]
    NoOrder {
        /// The class.
        name: String,
    },
    /// nu of nu-SVC cannot be reached with these class sizes.
    #[error("nu = {nu} is infeasible: the class sizes allow at most {limit}")]
    InfeasibleNu {
        /// The value given.
        nu: f64,
        /// The largest feasible value.
        limit: f64,
    },
    /// A kernel expression could not be read.
    #[error("kernel {text:?}, position {position}: {problem}")]
    KernelSyntax {
        /// The whole text.
        text: String,
        /// 1-based position in it.
        position: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// The kernel cannot be used this way.
    #[error("kernel {kernel}: {problem}")]
    KernelUse {
        /// The kernel as text.
        kernel: String,
        /// Why not.
        problem: &'static str,
    },
    /// The work would need more memory than allowed.
    #[error("{what} needs {needed_bytes} bytes, {allowed_bytes} are allowed")]
    Memory {
        /// What would be allocated.
        what: &'static str,
        /// Bytes needed.
        needed_bytes: u64,
        /// Bytes allowed.
        allowed_bytes: u64,
    },
    /// A text (a range file, a grid axis, …) could not be read.
    #[error("{what}, line {line}: {problem}")]
    Syntax {
        /// What was being read.
        what: &'static str,
        /// 1-based line; 1 for a text of one line.
        line: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A name was given that is not in the list of known ones.
    #[error("there is no {what} {name:?}: the known ones are {known}")]
    UnknownName {
        /// What was named, for example "generator".
        what: &'static str,
        /// The name given.
        name: String,
        /// The names that would be accepted.
        known: String,
    },
    /// The price of weights was too high for the data.
    #[error(
        "no feature has a weight left: mu = {mu} is too much for these data, try a smaller one or \
         another start"
    )]
    NoWeightLeft {
        /// The price of a weight.
        mu: f64,
    },
    /// The model was trained without probability calibration.
    #[error("the model has no probabilities: train it with calibration")]
    NoProbabilities,
    /// The caller stopped the work.
    #[error("stopped on request")]
    Interrupted,
}

/// Result with the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Accepts `value > 0` and finite.
pub(crate) fn ensure_positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        value,
        requirement: "a finite number greater than 0",
    })
}

/// Accepts `value >= 0` and finite.
pub(crate) fn ensure_not_negative(name: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        value,
        requirement: "a finite number not less than 0",
    })
}

impl Error {
    /// The same error of a row that has another number outside.
    pub(crate) fn renumbered(self, number: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::BadRowValue { row, what, value } => Self::BadRowValue {
                row: number(row as u32 - 1) as usize + 1,
                what,
                value,
            },
            Self::NoDistance { row, metric } => Self::NoDistance {
                row: number(row as u32 - 1) as usize + 1,
                metric,
            },
            other => other,
        }
    }
}

/// Accepts what needs no more memory than is allowed.
pub(crate) fn ensure_memory(
    what: &'static str,
    needed_bytes: u64,
    allowed_bytes: u64,
) -> Result<()> {
    if needed_bytes <= allowed_bytes {
        return Ok(());
    }
    Err(Error::Memory {
        what,
        needed_bytes,
        allowed_bytes,
    })
}

/// Accepts any finite value.
pub(crate) fn ensure_finite(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        value,
        requirement: "finite",
    })
}

/// Accepts as many as there should be.
pub(crate) fn ensure_shape(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        expected,
        found,
    })
}
