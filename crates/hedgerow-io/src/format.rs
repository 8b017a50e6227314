//! Which format a file has, and the one way to read and write all of them.

use crate::input::Source;
use crate::loaded::{LoadedData, ReadOptions};
use crate::{HeaderProblem, IoError, csv, libsvm};
use hedgerow::data::Dataset;
use std::path::Path;

/// Format of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataFormat {
    /// LIBSVM / SVM-light text.
    LibSvm,
    /// Text with a header line, separated by commas (or semicolons or tabs, when read).
    Csv,
    /// Text with a header line, separated by tabs.
    Tsv,
}

impl DataFormat {
    /// By the ending `.svm`, `.libsvm`, `.csv` or `.tsv`, before `.gz` or `.zst`.
    ///
    /// `.txt` and `.dat` say nothing: such files are known by content.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let plain = name
            .strip_suffix(".gz")
            .or_else(|| name.strip_suffix(".zst"))
            .unwrap_or(&name);
        match plain.rsplit_once('.')?.1 {
            "svm" | "libsvm" | "svmlight" => Some(Self::LibSvm),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            _ => None,
        }
    }

    /// By the first line that is neither blank nor a comment: `index:value` in its second word
    /// tells LIBSVM text, otherwise a comma, semicolon or tab tells a table.
    pub fn of_content(bytes: &[u8]) -> Self {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let line = text
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .find(|line| !line.is_empty() && line[0] != b'#')
            .unwrap_or_default();
        let second = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .nth(1);
        let is_entry = second.is_some_and(|word| {
            word.iter()
                .position(|&byte| byte == b':')
                .is_some_and(|colon| {
                    let key = &word[..colon];
                    key == b"qid" || (!key.is_empty() && key.iter().all(u8::is_ascii_digit))
                })
        });
        if is_entry {
            return Self::LibSvm;
        }
        if line.iter().any(|byte| b",;".contains(byte)) {
            Self::Csv
        } else if line.contains(&b'\t') {
            Self::Tsv
        } else {
            Self::LibSvm
        }
    }
}

/// Reads a data file of any format, compressed or not.
pub fn read_dataset(source: &Source, options: &ReadOptions) -> Result<LoadedData, IoError> {
    let bytes = source.read()?;
    let name = source.name();
    if bytes.starts_with(b"PAR1") {
        let problem = HeaderProblem::Parquet;
        return Err(IoError::Header { name, problem });
    }
    let format = format_of(source, &bytes, options);
    if format == DataFormat::LibSvm && !options.columns.is_empty() {
        let problem = HeaderProblem::NoTable;
        return Err(IoError::Header { name, problem });
    }
    match format {
        DataFormat::LibSvm => libsvm::read(&name, bytes, options),
        DataFormat::Csv | DataFormat::Tsv => csv::read(&name, bytes, format, options),
    }
}

fn format_of(source: &Source, bytes: &[u8], options: &ReadOptions) -> DataFormat {
    options
        .format
        .or_else(|| source.path().and_then(DataFormat::of_path))
        .unwrap_or_else(|| DataFormat::of_content(bytes))
}

/// The cells of one column of a table as they stand in the file; `column` is a name or a position
/// from 1.
pub fn read_text_column(
    source: &Source,
    options: &ReadOptions,
    column: &str,
) -> Result<Vec<String>, IoError> {
    let bytes = source.read()?;
    let name = source.name();
    match format_of(source, &bytes, options) {
        DataFormat::LibSvm => {
            let problem = HeaderProblem::NoTable;
            Err(IoError::Header { name, problem })
        }
        format => csv::text_column(&name, &bytes, format, options, column),
    }
}

/// Writes a data set so that it reads back identically; the ending `.gz` or `.zst` compresses.
pub fn write_dataset(data: &Dataset, path: &Path, format: DataFormat) -> Result<(), IoError> {
    match format {
        DataFormat::LibSvm => libsvm::write_libsvm(data, path),
        DataFormat::Csv => csv::write_csv(data, path, b','),
        DataFormat::Tsv => csv::write_csv(data, path, b'\t'),
    }
}
