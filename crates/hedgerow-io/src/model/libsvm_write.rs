//! Writer of LIBSVM models.

use super::libsvm_text::{LibSvmKernel, LibSvmModel, LibSvmType};
use crate::output::write_error;
use crate::{IoError, OutputFile};
use std::io::Write;
use std::path::Path;

impl LibSvmModel {
    /// Writes the model as LIBSVM does, with 17 significant digits everywhere.
    pub fn write(&self, path: &Path) -> Result<(), IoError> {
        let mut out = OutputFile::create(path)?;
        self.write_to(&mut out).map_err(write_error(path))?;
        out.finish()
    }

    /// Writes the text of the model.
    pub fn write_to(&self, out: &mut impl Write) -> std::io::Result<()> {
        let svm_type = LibSvmType::ALL
            .iter()
            .find(|(kind, _)| *kind == self.svm_type)
            .map_or("c_svc", |(_, word)| word);
        writeln!(out, "svm_type {svm_type}")?;
        write_kernel(self.kernel, out)?;
        writeln!(out, "nr_class {}", self.n_classes)?;
        writeln!(out, "total_sv {}", self.support_vectors.len())?;
        write_numbers("rho", Some(&self.rho), out)?;
        write_list("label", self.labels.as_deref(), out)?;
        write_numbers("probA", self.prob_a.as_deref(), out)?;
        write_numbers("probB", self.prob_b.as_deref(), out)?;
        write_numbers(
            "prob_density_marks",
            self.prob_density_marks.as_deref(),
            out,
        )?;
        write_list("nr_sv", self.class_sizes.as_deref(), out)?;
        writeln!(out, "SV")?;
        for vector in &self.support_vectors {
            for &coefficient in &vector.coefficients {
                write!(out, "{} ", general(coefficient))?;
            }
            for (index, &value) in vector.indices.iter().zip(&vector.values) {
                write!(out, "{index}:{} ", general(value))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

fn write_kernel(kernel: LibSvmKernel, out: &mut impl Write) -> std::io::Result<()> {
    match kernel {
        LibSvmKernel::Linear => writeln!(out, "kernel_type linear"),
        LibSvmKernel::Polynomial {
            degree,
            gamma,
            coef0,
        } => writeln!(
            out,
            "kernel_type polynomial\ndegree {degree}\ngamma {}\ncoef0 {}",
            general(gamma),
            general(coef0)
        ),
        LibSvmKernel::Rbf { gamma } => {
            writeln!(out, "kernel_type rbf\ngamma {}", general(gamma))
        }
        LibSvmKernel::Sigmoid { gamma, coef0 } => writeln!(
            out,
            "kernel_type sigmoid\ngamma {}\ncoef0 {}",
            general(gamma),
            general(coef0)
        ),
        LibSvmKernel::Precomputed => writeln!(out, "kernel_type precomputed"),
    }
}

fn write_numbers(key: &str, values: Option<&[f64]>, out: &mut impl Write) -> std::io::Result<()> {
    let texts: Option<Vec<String>> =
        values.map(|values| values.iter().map(|&value| general(value)).collect());
    write_list(key, texts.as_deref(), out)
}

fn write_list<T: std::fmt::Display>(
    key: &str,
    values: Option<&[T]>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let Some(values) = values else {
        return Ok(());
    };
    write!(out, "{key}")?;
    for value in values {
        write!(out, " {value}")?;
    }
    writeln!(out)
}

/// The text of C's `%.17g`: 17 significant digits, trailing zeros dropped, an exponent below
/// 1e-4 and from 1e17.
fn general(value: f64) -> String {
    const DIGITS: i32 = 17;
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let scientific = format!("{value:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return short(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", short(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn same_text_as_c() {
        for (value, text) in [
            (0.1, "0.10000000000000001"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (100_000.0, "100000"),
            (1e17, "1e+17"),
            (1e16, "10000000000000000"),
            (1e-5, "1.0000000000000001e-05"),
            (0.0001, "0.0001"),
            (1e300, "1.0000000000000001e+300"),
            (5e-324, "4.9406564584124654e-324"),
            (0.0, "0"),
            (1.0 / 3.0, "0.33333333333333331"),
        ] {
            assert_eq!(general(value), text);
        }
    }
}
