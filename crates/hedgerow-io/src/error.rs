//! The one error type of the crate.

use std::path::PathBuf;

/// What can go wrong when files are read or written.
///
/// `name` is the path of the input, or `standard input`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The operating system refused to read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// The input.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// The operating system refused to write.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// The target.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Compressed data do not decompress.
    #[error("{name}: the {method} data are damaged or cut off ({detail})")]
    Compression {
        /// The input.
        name: String,
        /// `gzip` or `zstd`.
        method: &'static str,
        /// What the decoder says.
        detail: String,
    },
    /// A line of a data file is wrong.
    #[error("{name}, line {line}, column {column}: {problem}")]
    Line {
        /// The input.
        name: String,
        /// 1-based line.
        line: usize,
        /// 1-based byte in the line.
        column: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// A cell of a table is wrong.
    #[error("{name}, line {line}, column {column:?}: {problem}")]
    Cell {
        /// The input.
        name: String,
        /// 1-based line.
        line: usize,
        /// Name of the column in the header.
        column: String,
        /// What is wrong with it.
        problem: CellProblem,
    },
    /// The header of a table does not have what is needed.
    #[error("{name}: {problem}")]
    Header {
        /// The input.
        name: String,
        /// What is wrong with it.
        problem: HeaderProblem,
    },
    /// There is not a single row.
    #[error("{name}: no data rows")]
    NoRows {
        /// The input.
        name: String,
    },
    /// The samples do not fit into memory in the storage asked for.
    #[error(
        "{name}: {rows} rows of {features} features do not fit into dense memory; read them sparse"
    )]
    TooLarge {
        /// The input.
        name: String,
        /// Rows.
        rows: usize,
        /// Features.
        features: usize,
    },
    /// Something cannot be written in the format asked for.
    #[error("row {row}: {problem}")]
    NotWritable {
        /// 1-based row.
        row: usize,
        /// Why not.
        problem: WriteProblem,
    },
    /// A model file is refused.
    #[error("{name}: {problem}")]
    Model {
        /// The input.
        name: String,
        /// Why.
        problem: ModelProblem,
    },
    /// A LIBSVM model file is refused.
    #[error("{name}, line {line}: {problem}")]
    LibSvmModel {
        /// The input.
        name: String,
        /// 1-based line.
        line: usize,
        /// Why.
        problem: LibSvmModelProblem,
    },
    /// The library refused the data.
    #[error("{name}: {source}")]
    Data {
        /// The input.
        name: String,
        /// Why.
        source: hedgerow::Error,
    },
}

/// What can be wrong with a line of LIBSVM or CSV text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line starts with a feature.
    #[error("the label is missing: the line starts with a feature")]
    LabelMissing,
    /// Several labels, separated by commas.
    #[error(
        "label {label:?}: lines with several labels are not supported; give each row one label"
    )]
    SeveralLabels {
        /// The label as written.
        label: String,
    },
    /// The target must be a number and is none.
    #[error("target {label:?} is not a number; for text labels read the file as classes")]
    TargetNotNumber {
        /// The target as written.
        label: String,
    },
    /// The label is a number that is NaN or infinite.
    #[error("label {label:?} is not finite")]
    TargetNotFinite {
        /// The label as written.
        label: String,
    },
    /// The label has control characters.
    #[error("label {label:?} has control characters: is this a text file?")]
    LabelNotText {
        /// The label, cut.
        label: String,
    },
    /// Bytes that are not UTF-8 where text is needed.
    #[error("bytes that are not UTF-8: convert the file to UTF-8")]
    NotUtf8,
    /// A token has no colon.
    #[error("expected index:value, found {token:?}")]
    ColonMissing {
        /// The token, cut.
        token: String,
    },
    /// What stands before the colon is no index.
    #[error("{token:?} is not a feature index (a whole number from 1)")]
    IndexNotNumber {
        /// The text before the colon, cut.
        token: String,
    },
    /// Index 0 outside a precomputed-kernel file.
    #[error(
        "feature index 0: indices start at 1 (only in a precomputed-kernel file every row starts with 0:serial)"
    )]
    IndexZero,
    /// The index is beyond the limit.
    #[error("feature index {token} is above the limit of 2147483648")]
    IndexTooLarge {
        /// The index as written, cut.
        token: String,
    },
    /// An index occurs twice in a row.
    #[error("feature index {index} occurs twice in the row")]
    IndexTwice {
        /// The index.
        index: u32,
    },
    /// A value is no number.
    #[error("value {token:?} of feature {index} is not a number")]
    ValueNotNumber {
        /// The 1-based feature.
        index: u32,
        /// The value as written, cut.
        token: String,
    },
    /// A value is NaN, infinite or overflows.
    #[error("value {token:?} of feature {index} is not a finite double-precision number")]
    ValueNotFinite {
        /// The 1-based feature.
        index: u32,
        /// The value as written, cut.
        token: String,
    },
    /// A query id is no whole number.
    #[error("query id {token:?} is not a whole number from 0")]
    QueryNotNumber {
        /// The id as written, cut.
        token: String,
    },
    /// A row of a table has another number of cells than the header.
    #[error("the row has {found} cells, the header has {expected}")]
    CellCount {
        /// Columns of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A quoted cell does not end.
    #[error("a quoted cell is not closed")]
    QuoteOpen,
    /// A quoted cell is followed by other text.
    #[error("text after the closing quote of a cell")]
    QuoteTail,
}

/// What can be wrong with a cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// The cell is empty, `?`, `NA` or `nan`.
    #[error(
        "the value is missing; fill gaps by mean and mode (missing = mean-mode) or remove the row"
    )]
    Missing,
    /// The target is missing.
    #[error("the target is missing; remove the row, or read the file without a label column")]
    TargetMissing,
    /// The column is numeric and the cell is not.
    #[error("{text:?} is not a number, and the column was numeric in the training data")]
    NotNumber {
        /// The cell, cut.
        text: String,
    },
    /// The target must be a number and is none.
    #[error("target {text:?} is not a number; for text labels read the file as classes")]
    TargetNotNumber {
        /// The cell, cut.
        text: String,
    },
    /// The value is infinite.
    #[error("{text:?} is not a finite double-precision number")]
    NotFinite {
        /// The cell, cut.
        text: String,
    },
    /// A category that the training data did not have.
    #[error(
        "category {text:?} does not occur in the training data; accept it as all zeros (unseen = zeros) or remove the row"
    )]
    Unseen {
        /// The cell, cut.
        text: String,
    },
    /// The cell is not UTF-8.
    #[error("bytes that are not UTF-8: convert the file to UTF-8")]
    NotUtf8,
}

/// What can be wrong with the header of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderProblem {
    /// The label column does not exist.
    #[error("there is no column {column:?}; the header has {header}")]
    NoLabelColumn {
        /// The name asked for.
        column: String,
        /// The first names of the header.
        header: String,
    },
    /// The label position does not exist.
    #[error("there is no column {position}: positions go from 1 to {columns}")]
    NoLabelPosition {
        /// The position asked for.
        position: usize,
        /// Columns of the header.
        columns: usize,
    },
    /// Two columns have one name.
    #[error("columns {first} and {second} are both named {column:?}; rename one")]
    ColumnTwice {
        /// The name.
        column: String,
        /// 1-based position of the first.
        first: usize,
        /// 1-based position of the second.
        second: usize,
    },
    /// A column of the training data is absent.
    #[error("column {column:?} of the training data is missing; the header has {header}")]
    ColumnMissing {
        /// The name.
        column: String,
        /// The first names of the header.
        header: String,
    },
    /// There is nothing but a label.
    #[error("there is no feature column beside the label column {column:?}")]
    NoFeatures {
        /// The label column.
        column: String,
    },
    /// A rule speaks of a column that does not exist.
    #[error("there is no column {column:?} to be {rule}; the header has {header}")]
    NoColumn {
        /// The name, position or range asked for.
        column: String,
        /// What was asked for.
        rule: &'static str,
        /// The first names of the header.
        header: String,
    },
    /// A rule speaks of the label.
    #[error("column {column:?} is the label and cannot be {rule}")]
    RuleForLabel {
        /// The label column.
        column: String,
        /// What was asked for.
        rule: &'static str,
    },
    /// Two rules speak of one column.
    #[error("column {column:?} cannot be {first} and {second}")]
    TwoRules {
        /// The column.
        column: String,
        /// What was asked for first.
        first: &'static str,
        /// What was asked for then.
        second: &'static str,
    },
    /// Every column is dropped.
    #[error("no feature column is left: all are dropped")]
    AllDropped,
    /// Rules need columns with names.
    #[error("LIBSVM text has no columns: rules for columns need a table (CSV or TSV)")]
    NoTable,
    /// A format that is known but not read.
    #[error(
        "Parquet is not read yet: write the table as CSV, for example with pandas: pd.read_parquet(...).to_csv(...)"
    )]
    Parquet,
}

/// Why a row cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteProblem {
    /// LIBSVM labels end at the first white space.
    #[error(
        "label {label:?} cannot stand in a LIBSVM file (empty, or with white space, ',', ':' or '#'); write CSV"
    )]
    LibSvmLabel {
        /// The label.
        label: String,
    },
    /// A text label that a reader would take for a number or a gap.
    #[error("text label {label:?} would be read back as a number or as missing; rename the class")]
    AmbiguousLabel {
        /// The label.
        label: String,
    },
}

/// Why a model file is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelProblem {
    /// The file does not start with the magic word.
    #[error("not a Hedgerow model file")]
    Foreign,
    /// The format is newer than this program.
    #[error(
        "model format {found} is newer than this program knows (up to {known}); update Hedgerow"
    )]
    Newer {
        /// Format of the file.
        found: u16,
        /// Newest format known here.
        known: u16,
    },
    /// The format is one in which this method is no longer read.
    #[error(
        "model format {found} is older than this program reads of the method ({known}); \
         train the model again"
    )]
    Older {
        /// Format of the file.
        found: u16,
        /// Oldest format known of the method.
        known: u16,
    },
    /// The file ends too early.
    #[error("the model file is cut off: {found} bytes, {expected} are needed")]
    CutOff {
        /// Bytes needed.
        expected: u64,
        /// Bytes present.
        found: u64,
    },
    /// There are bytes after the end.
    #[error("the model file is damaged: {extra} bytes after the end")]
    Trailing {
        /// Bytes too many.
        extra: u64,
    },
    /// The checksum is wrong.
    #[error("the model file is damaged: checksum {found:08x}, computed {computed:08x}")]
    Checksum {
        /// Checksum in the file.
        found: u32,
        /// Checksum of the content.
        computed: u32,
    },
    /// The header does not make sense.
    #[error("the model file is damaged: {what}")]
    Header {
        /// Which part.
        what: &'static str,
    },
    /// The payload is not what the method stores.
    #[error("the payload is not a valid {tag} model ({detail})")]
    Payload {
        /// The method named in the header.
        tag: String,
        /// What the decoder says.
        detail: String,
    },
    /// A tag is too long to be written.
    #[error("method tag of {length} bytes: at most {limit}")]
    TagTooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
}

/// Why a LIBSVM model is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibSvmModelProblem {
    /// The line is not UTF-8.
    #[error("bytes that are not UTF-8: not a LIBSVM model")]
    NotUtf8,
    /// The last line has no line end, so numbers may be missing from it.
    #[error("the model is cut off: its last line has no line end")]
    CutOff,
    /// A key that LIBSVM does not have.
    #[error("unknown key {key:?}")]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A key occurs twice.
    #[error("key {key} occurs twice")]
    KeyTwice {
        /// The key.
        key: &'static str,
    },
    /// A key is absent.
    #[error("key {key} is missing")]
    KeyMissing {
        /// The key.
        key: &'static str,
    },
    /// A word is not one of those allowed.
    #[error("{key} {word:?}: expected one of {allowed}")]
    Word {
        /// The key.
        key: &'static str,
        /// The word found.
        word: String,
        /// The words allowed.
        allowed: &'static str,
    },
    /// A number is no number or out of range.
    #[error("{key}: {token:?} is not {needed}")]
    Number {
        /// The key, or the part of a support vector.
        key: &'static str,
        /// The text found, cut.
        token: String,
        /// What is needed.
        needed: &'static str,
    },
    /// A key has another number of values than the classes ask for.
    #[error("{key} has {found} values, {expected} are needed")]
    Count {
        /// The key.
        key: &'static str,
        /// Values needed.
        expected: u64,
        /// Values found.
        found: u64,
    },
    /// The indices of a support vector do not ascend.
    #[error("support vector index {index} does not ascend (after {previous})")]
    IndexOrder {
        /// The index.
        index: u32,
        /// The one before.
        previous: u32,
    },
}

/// The beginning of a piece of input, for messages: at most 40 characters, damage made visible.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const LIMIT: usize = 40;
    let head = &bytes[..bytes.len().min(4 * LIMIT)];
    let text = String::from_utf8_lossy(head);
    if text.chars().count() <= LIMIT && head.len() == bytes.len() {
        return text.into_owned();
    }
    let mut cut: String = text.chars().take(LIMIT).collect();
    cut.push('…');
    cut
}
