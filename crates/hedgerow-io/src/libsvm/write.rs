//! Writer of LIBSVM text.

use crate::output::write_error;
use crate::{IoError, OutputFile, WriteProblem, number};
use hedgerow::data::{ClassName, Dataset, Target};
use std::io::Write;
use std::path::Path;

/// Writes a data set as LIBSVM text; numbers read back as the same doubles.
///
/// Rows without target get the label 0. Zeros are not written, so trailing zero columns are lost
/// unless the reader is told the number of features. Weights are not part of the format.
pub fn write_libsvm(data: &Dataset, path: &Path) -> Result<(), IoError> {
    let labels = label_texts(data)?;
    let mut out = OutputFile::create(path)?;
    for i in 0..data.n_rows() {
        write_row(data, i, &labels, &mut out).map_err(write_error(path))?;
    }
    out.finish()
}

fn write_row(
    data: &Dataset,
    i: usize,
    labels: &[String],
    out: &mut impl Write,
) -> std::io::Result<()> {
    match data.target() {
        Target::Classes(classes) | Target::Ordinal(classes) => {
            out.write_all(labels[classes.codes()[i] as usize].as_bytes())?;
        }
        Target::Real(values) => number::write_shortest(values[i], out)?,
        _ => out.write_all(b"0")?,
    }
    let mut result = Ok(());
    data.samples().view().row(i).for_each(|f, value| {
        if value != 0.0 && result.is_ok() {
            result = write!(out, " {}:", f + 1).and_then(|()| number::write_shortest(value, out));
        }
    });
    result?;
    out.write_all(b"\n")
}

/// The text of each class, checked to read back as the same class.
fn label_texts(data: &Dataset) -> Result<Vec<String>, IoError> {
    let (Target::Classes(labels) | Target::Ordinal(labels)) = data.target() else {
        return Ok(Vec::new());
    };
    let mut texts = Vec::with_capacity(labels.n_classes());
    for (code, name) in labels.names().iter().enumerate() {
        let fail = |problem| IoError::NotWritable {
            // A class that no row has is reported at row 0.
            row: labels
                .codes()
                .iter()
                .position(|&c| c as usize == code)
                .map_or(0, |i| i + 1),
            problem,
        };
        let text = match name {
            ClassName::Number(value) => {
                let mut text = Vec::new();
                // Writing to memory cannot fail.
                let _ = number::write_shortest(*value, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
            ClassName::Text(text) => {
                let forbidden = |c: char| c.is_whitespace() || c.is_control() || ",:#".contains(c);
                if text.is_empty() || text.starts_with('\u{feff}') || text.contains(forbidden) {
                    let label = text.clone();
                    return Err(fail(WriteProblem::LibSvmLabel { label }));
                }
                if number::parse_whole(text.as_bytes()).is_some()
                    || number::is_not_finite_word(text.as_bytes())
                {
                    let label = text.clone();
                    return Err(fail(WriteProblem::AmbiguousLabel { label }));
                }
                text.clone()
            }
        };
        texts.push(text);
    }
    Ok(texts)
}
