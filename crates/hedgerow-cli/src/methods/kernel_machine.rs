//! Options that all kernel machines share.

use crate::args::switch;
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::kernel::KernelSpec;
use hedgerow::svm::SolverParams;

/// Names of LIBSVM's problem types, by the number of `-s`.
const LIBSVM_TYPES: [&str; 5] = ["svm", "nu-svm", "one-class", "svr", "nu-svr"];

/// Kernel and solver, with LIBSVM's letters.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SolverArgs {
    /// Kernel as text, for example "rbf(gamma=0.5)", "rbf(gamma=q50)" or "poly(degree=2, coef0=1)"
    #[arg(
        short = 'k',
        long,
        value_name = "TEXT",
        conflicts_with_all = ["kernel_type", "degree", "gamma", "coef0"],
        help_heading = "Kernel"
    )]
    kernel: Option<String>,
    /// Kernel type: 0 linear, 1 polynomial, 2 Gaussian, 3 sigmoid, 4 precomputed [default: 2]
    #[arg(short = 't', value_name = "0..4", help_heading = "Kernel", value_parser = clap::value_parser!(u32).range(0..=4))]
    kernel_type: Option<u32>,
    /// Degree of the polynomial kernel [default: 3]
    #[arg(short, long, value_name = "N", help_heading = "Kernel")]
    degree: Option<u32>,
    /// Gamma; from -1 to 0: a percentile of the distances [default: 1 / features]
    #[arg(
        short,
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Kernel"
    )]
    gamma: Option<f64>,
    /// Constant of the polynomial and sigmoid kernels [default: 0]
    #[arg(
        short = 'r',
        long,
        value_name = "X",
        allow_negative_numbers = true,
        help_heading = "Kernel"
    )]
    coef0: Option<f64>,
    /// Stop when the largest violation of optimality is below this
    #[arg(
        short = 'e',
        long,
        value_name = "X",
        default_value_t = 1e-3,
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    tolerance: f64,
    /// Memory for kernel rows in MB
    #[arg(
        short = 'm',
        long,
        value_name = "MB",
        default_value_t = 200.0,
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    cache_mb: f64,
    /// Leave settled rows out until the end
    #[arg(
        short = 'h',
        long,
        value_name = "0|1",
        default_value = "1",
        value_parser = switch,
        action = clap::ArgAction::Set,
        help_heading = "Solver"
    )]
    shrinking: bool,
    /// Largest number of pair updates of one machine
    #[arg(long, value_name = "N", help_heading = "Solver")]
    max_iterations: Option<u64>,
    /// Largest wall-clock time of the fit
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    max_seconds: Option<f64>,
    /// LIBSVM's type of problem: must be that of the method, which replaces it
    #[arg(short = 's', value_name = "0..4", value_parser = clap::value_parser!(u32).range(0..=4))]
    libsvm_type: Option<u32>,
}

impl SolverArgs {
    /// The library's settings for a local machine: without a word about gamma it is the median of
    /// the distances in each neighbourhood.
    pub(crate) fn local_solver(&self, method: &str, seed: u64) -> Result<SolverParams, Failure> {
        let mut args = self.clone();
        if args.kernel_type.unwrap_or(2) == 2 {
            args.gamma = args.gamma.or(Some(-0.5));
        } else {
            args.gamma = args.gamma.or(Some(1.0));
        }
        args.solver(method, seed)
    }

    /// The library's settings.
    pub(crate) fn solver(&self, method: &str, seed: u64) -> Result<SolverParams, Failure> {
        if let Some(number) = self.libsvm_type
            && let Some(&meant) = LIBSVM_TYPES.get(number as usize)
            && meant != method
        {
            return Err(Failure::usage(format!(
                "-s {number} is the method {meant}, but the method is {method}: leave -s out or name {meant}"
            )));
        }
        if !(self.cache_mb > 0.0 && self.cache_mb <= 1e9) {
            return Err(Failure::usage(format!(
                "-m {}: the cache must be a number of megabytes above 0",
                self.cache_mb
            )));
        }
        let kernel = match &self.kernel {
            Some(text) => KernelSpec::parse(text),
            None => KernelSpec::from_libsvm(
                self.kernel_type.unwrap_or(2),
                self.degree.unwrap_or(3),
                self.gamma,
                self.coef0.unwrap_or(0.0),
            ),
        };
        Ok(SolverParams {
            kernel: kernel.map_err(Failure::Option)?,
            tolerance: self.tolerance,
            cache_bytes: (self.cache_mb * f64::from(1 << 20)) as usize,
            shrinking: self.shrinking,
            max_iterations: self.max_iterations,
            max_seconds: self.max_seconds,
            seed,
        })
    }
}

/// Names and values, for people. The cache is left out: it does not change the result.
pub(crate) fn describe(solver: &SolverParams) -> Vec<(String, String)> {
    let mut pairs = vec![
        ("kernel".to_owned(), solver.kernel.to_string()),
        ("tolerance".to_owned(), exact(solver.tolerance)),
        ("shrinking".to_owned(), solver.shrinking.to_string()),
        ("seed".to_owned(), solver.seed.to_string()),
    ];
    if let Some(limit) = solver.max_iterations {
        pairs.push(("max_iterations".to_owned(), limit.to_string()));
    }
    if let Some(limit) = solver.max_seconds {
        pairs.push(("max_seconds".to_owned(), exact(limit)));
    }
    pairs
}

/// The kernel with another value for a named parameter, wherever it occurs in the kernel's text.
///
/// A gamma that the text leaves out is added, and a gamma from -1 to 0 is a percentile, as `-g`.
pub(crate) fn with_kernel_parameter(
    kernel: &KernelSpec,
    name: &str,
    value: f64,
    tunable: &[&str],
) -> Result<KernelSpec, Failure> {
    let text = kernel.to_string();
    let word = if name == "gamma" && (-1.0..0.0).contains(&value) {
        format!("q{}", (-100.0 * value * 1e9).round() / 1e9)
    } else {
        exact(value)
    };
    let changed = replace(&text, name, &word).or_else(|| {
        let (head, rest) = text
            .find('(')
            .map_or((text.as_str(), ""), |at| text.split_at(at));
        (name == "gamma" && ["rbf", "poly", "sigmoid"].contains(&head)).then(|| {
            match rest.strip_prefix('(') {
                Some(rest) => format!("{head}(gamma={word}, {rest}"),
                None => format!("{head}(gamma={word})"),
            }
        })
    });
    let changed = changed.ok_or_else(|| {
        Failure::usage(format!(
            "--grid {name}: neither the method nor the kernel {text} has such a parameter; the method has {}",
            tunable.join(", ")
        ))
    })?;
    KernelSpec::parse(&changed).map_err(Failure::Option)
}

/// Replaces the value of every `name=value`; `None` if there is none.
fn replace(text: &str, name: &str, word: &str) -> Option<String> {
    let key = format!("{name}=");
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find(&key) {
        let whole = rest[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric() && before != '_' && before != '-');
        let after = &rest[at + key.len()..];
        out.push_str(&rest[..at + key.len()]);
        rest = after;
        if whole {
            found = true;
            out.push_str(word);
            let end = after.find([',', ')']).unwrap_or(after.len());
            rest = &after[end..];
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, name: &str, value: f64) -> String {
        let kernel = KernelSpec::parse(text).expect("a kernel");
        with_kernel_parameter(&kernel, name, value, &["cost"])
            .map_or_else(|failure| failure.to_string(), |kernel| kernel.to_string())
    }

    #[test]
    fn kernel_parameters_are_set_by_name() {
        assert_eq!(set("rbf(gamma=2)", "gamma", 0.5), "rbf(gamma=0.5)");
        assert_eq!(set("rbf(gamma=auto)", "gamma", -0.5), "rbf(gamma=q50)");
        assert_eq!(
            set("rbf(gamma=1)", "gamma", 2f64.powi(-15)),
            "rbf(gamma=3.0517578125e-5)"
        );
        assert_eq!(
            set("s(linear, sigma=q10, eta=2)", "sigma", 3.0),
            "s(linear, sigma=3, eta=2)"
        );
        assert_eq!(set("rbf", "gamma", 4.0), "rbf(gamma=4)");
        assert!(set("poly(degree=2)", "gamma", 4.0).contains("gamma=4"));
    }

    #[test]
    fn a_parameter_that_nobody_has_is_refused() {
        assert_eq!(
            set("linear", "gamma", 1.0),
            "--grid gamma: neither the method nor the kernel linear has such a parameter; the method has cost"
        );
    }
}
