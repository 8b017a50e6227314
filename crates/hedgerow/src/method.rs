//! What a method says of itself: its card.
//!
//! A method is one file: parameters under `#[params]`, `fit`, a model, and a card with what cannot
//! be told from those. The registry (crate `hedgerow-methods`) collects the cards by one line a
//! method; program, Python package and reference page follow from card and parameters.

/// What a method learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Class labels.
    Classes,
    /// Real targets.
    Real,
    /// Rows alone.
    Unlabelled,
}

/// A method that a struct of parameters stands for. One struct may stand for two: local machines
/// learn classes and real targets with the same parameters, but for those in [`Card::without`].
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Name on the command line, and tag of the model files.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// What it learns from.
    pub task: Task,
    /// Axes of a grid search when none are named.
    pub grid: &'static [&'static str],
    /// Parameters of the struct that mean nothing to this method.
    pub without: &'static [&'static str],
    /// The kernels of LIBSVM's letter `t` by number; empty for methods without a kernel.
    pub kernels: &'static [&'static str],
    /// Number of LIBSVM's letter `s`, for problems that LIBSVM knows.
    pub libsvm_type: Option<u32>,
    /// Oldest format of model files whose models of this method can be read.
    pub readable_since: u16,
    /// Page of the guide that explains it.
    pub page: &'static str,
    /// The estimator in Python.
    pub python: PythonClass,
}

/// An estimator in Python.
#[derive(Debug, Clone, Copy)]
pub struct PythonClass {
    /// Name of the class.
    pub name: &'static str,
    /// The class in `hedgerow._base` or its neighbours that it extends; empty for the plain one
    /// of the task.
    pub base: &'static str,
    /// What it is, for the docstring: sentences, paragraphs divided by empty lines.
    pub about: &'static str,
    /// Parameters that only Python has.
    pub extra: &'static [PythonParameter],
    /// Learned attributes that only this estimator has, with what they are.
    pub attributes: &'static [(&'static str, &'static str)],
}

/// A parameter that only Python has.
#[derive(Debug, Clone, Copy)]
pub struct PythonParameter {
    /// Its name.
    pub name: &'static str,
    /// Its type, for the docstring.
    pub form: &'static str,
    /// Its annotation.
    pub annotation: &'static str,
    /// Its default as Python text.
    pub default: &'static str,
    /// What it means.
    pub about: &'static str,
}

impl Card {
    /// A card that says nothing special.
    pub const PLAIN: Self = Self {
        name: "",
        about: "",
        task: Task::Classes,
        grid: &[],
        without: &[],
        kernels: &[],
        libsvm_type: None,
        readable_since: 1,
        page: "",
        python: PythonClass::PLAIN,
    };
}

impl PythonClass {
    /// A class that says nothing special.
    pub const PLAIN: Self = Self {
        name: "",
        base: "",
        about: "",
        extra: &[],
        attributes: &[],
    };
}

/// The kernels of LIBSVM's letter `t` for machines on all rows.
pub(crate) const KERNELS: &[&str] = &[
    "linear",
    "poly(gamma=auto, coef0=0, degree=3)",
    "rbf(gamma=auto)",
    "sigmoid(gamma=auto, coef0=0)",
    "precomputed",
];
