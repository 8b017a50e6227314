//! Writer of tables.

use super::record::is_missing_word;
use crate::output::write_error;
use crate::{IoError, OutputFile, WriteProblem, number};
use hedgerow::data::{ClassName, Dataset, Target};
use std::io::Write;
use std::path::Path;

/// Writes a data set as a table with header; numbers read back as the same doubles.
///
/// The label is the last column, named `class` for classes and `target` for real targets; rows
/// without target get no label column. Features without names are called `x1`, `x2`, ….
/// Weights are not part of the format.
pub fn write_csv(data: &Dataset, path: &Path, delimiter: u8) -> Result<(), IoError> {
    check_labels(data)?;
    let mut out = OutputFile::create(path)?;
    write_table(data, delimiter, &mut out).map_err(write_error(path))?;
    out.finish()
}

fn write_table(data: &Dataset, delimiter: u8, out: &mut impl Write) -> std::io::Result<()> {
    let n_features = data.n_features();
    let label_name = label_name(data);
    for f in 0..n_features {
        if f > 0 {
            out.write_all(&[delimiter])?;
        }
        match data.feature_names() {
            Some(names) => write_text(&names[f], delimiter, out)?,
            None => write!(out, "x{}", f + 1)?,
        }
    }
    if let Some(name) = &label_name {
        if n_features > 0 {
            out.write_all(&[delimiter])?;
        }
        write_text(name, delimiter, out)?;
    }
    out.write_all(b"\n")?;
    let mut row = vec![0.0; n_features];
    for i in 0..data.n_rows() {
        data.samples().view().row(i).write_dense(&mut row);
        for (f, &value) in row.iter().enumerate() {
            if f > 0 {
                out.write_all(&[delimiter])?;
            }
            number::write_shortest(value, out)?;
        }
        if label_name.is_some() && n_features > 0 {
            out.write_all(&[delimiter])?;
        }
        match data.target() {
            Target::Classes(labels) | Target::Ordinal(labels) => {
                match &labels.names()[labels.codes()[i] as usize] {
                    ClassName::Number(value) => number::write_shortest(*value, out)?,
                    ClassName::Text(text) => write_text(text, delimiter, out)?,
                }
            }
            Target::Real(values) => number::write_shortest(values[i], out)?,
            _ => {}
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The name of the label column, which no feature has.
fn label_name(data: &Dataset) -> Option<String> {
    let mut name = match data.target() {
        Target::Classes(_) | Target::Ordinal(_) => "class".to_owned(),
        Target::Real(_) => "target".to_owned(),
        _ => return None,
    };
    let taken = |name: &str| {
        data.feature_names()
            .is_some_and(|names| names.iter().any(|feature| feature == name))
    };
    while taken(&name) {
        name.push('_');
    }
    Some(name)
}

/// Writes text so that it reads back: in quotes where a plain cell would change it.
fn write_text(text: &str, delimiter: u8, out: &mut impl Write) -> std::io::Result<()> {
    let bytes = text.as_bytes();
    let blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let special = |&byte: &u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    // A byte order mark at the beginning of the file would vanish, other separators would mislead
    // the reader's guess.
    let quoted = bytes.is_empty()
        || is_missing_word(bytes)
        || blank(bytes.first())
        || blank(bytes.last())
        || bytes.iter().any(special)
        || bytes.iter().any(|byte| b",;\t".contains(byte))
        || text.starts_with('\u{feff}');
    if !quoted {
        return out.write_all(bytes);
    }
    out.write_all(b"\"")?;
    for (k, piece) in bytes.split(|&byte| byte == b'"').enumerate() {
        if k > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(piece)?;
    }
    out.write_all(b"\"")
}

/// Text labels must not read back as numbers or gaps.
fn check_labels(data: &Dataset) -> Result<(), IoError> {
    let (Target::Classes(labels) | Target::Ordinal(labels)) = data.target() else {
        return Ok(());
    };
    for (code, name) in labels.names().iter().enumerate() {
        let ClassName::Text(text) = name else {
            continue;
        };
        let reads_as_number = matches!(ClassName::parse(text), ClassName::Number(_))
            || number::is_not_finite_word(text.as_bytes());
        if text.is_empty() || reads_as_number {
            return Err(IoError::NotWritable {
                row: labels
                    .codes()
                    .iter()
                    .position(|&c| c as usize == code)
                    .map_or(0, |i| i + 1),
                problem: WriteProblem::AmbiguousLabel {
                    label: text.clone(),
                },
            });
        }
    }
    Ok(())
}
