//! From pieces to a data set.

use super::chunk::{Chunk, Entries, RowOptions};
use crate::format::DataFormat;
use crate::lines::LineIndex;
use crate::loaded::{LoadedData, ReadOptions, Storage, TargetKind};
use crate::storage::{self, SparseRows};
use crate::{IoError, LineProblem};
use hedgerow::data::{ClassLabels, ClassName, Dataset, Target};
use rayon::prelude::*;

/// Reads LIBSVM text.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    options: &ReadOptions,
) -> Result<LoadedData, IoError> {
    let row_options = RowOptions {
        target: options.target,
        keep_lines: options.keep_lines,
    };
    let text_start = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let ranges = storage::line_chunks(&bytes, text_start);
    // Every entry has a colon: the colons tell how much room each piece needs at most.
    let rooms: Vec<usize> = ranges
        .par_iter()
        .map(|range| memchr::memchr_iter(b':', &bytes[range.clone()]).count())
        .collect();
    let mut indices = vec![0u32; rooms.iter().sum()];
    let mut values = vec![0f64; indices.len()];
    let mut chunks: Vec<Chunk<'_>> = storage::split(&mut indices, &rooms)
        .into_par_iter()
        .zip(storage::split(&mut values, &rooms))
        .zip(ranges)
        .map(|((indices, values), range)| {
            Chunk::parse(&bytes, range, row_options, Entries::new(indices, values))
        })
        .collect();
    let precomputed = check(name, &mut chunks)?;
    let n_rows: usize = chunks.iter().map(Chunk::n_rows).sum();
    if n_rows == 0 {
        return Err(IoError::NoRows {
            name: name.to_owned(),
        });
    }
    let target = join_targets(&chunks, options.target);
    let query_ids = join_query_ids(&chunks, n_rows);
    let rows: Vec<_> = chunks
        .iter_mut()
        .flat_map(|chunk| std::mem::take(&mut chunk.ranges))
        .collect();
    let shape = Shape::of(&chunks, precomputed, options.min_features);
    drop(chunks);
    let rows_joined = shape.join(indices, values, &rooms);
    let is_wide = options
        .dense_up_to
        .is_some_and(|most| rows_joined.n_features > most);
    let storage = if is_wide {
        Storage::Sparse
    } else {
        options.storage
    };
    let samples = rows_joined.store(name, storage)?;
    let lines = options
        .keep_lines
        .then(|| LineIndex::new(bytes, 0..0, rows));
    let dataset = Dataset::new(samples, target).map_err(|source| IoError::Data {
        name: name.to_owned(),
        source,
    })?;
    Ok(LoadedData {
        dataset,
        format: DataFormat::LibSvm,
        encoding: None,
        lines,
        query_ids,
        precomputed,
        warnings: Vec::new(),
    })
}

/// Reports the first error of the text, or tells whether the rows are of a precomputed kernel.
fn check(name: &str, chunks: &mut [Chunk<'_>]) -> Result<bool, IoError> {
    let mut lines_before = 0;
    let mut rows = 0;
    let mut zero_rows = 0;
    let mut first_zero = None;
    let mut error = None;
    for chunk in chunks {
        rows += chunk.n_rows();
        zero_rows += chunk.zero_rows;
        if let (None, Some((line, column))) = (first_zero, chunk.first_zero) {
            first_zero = Some((lines_before + line, column));
        }
        if let Some(found) = chunk.error.take() {
            error = Some((lines_before + found.line, found.column, found.problem));
            break;
        }
        lines_before += chunk.n_lines;
    }
    // Some rows start with 0 and some do not: that stands before any later error.
    if let Some((line, column)) = first_zero
        && zero_rows < rows
    {
        error = Some((line, column, LineProblem::IndexZero));
    }
    match error {
        Some((line, column, problem)) => Err(IoError::Line {
            name: name.to_owned(),
            line: line + 1,
            column: column + 1,
            problem,
        }),
        None => Ok(zero_rows > 0),
    }
}

fn join_targets(chunks: &[Chunk<'_>], kind: TargetKind) -> Target {
    if kind == TargetKind::None {
        return Target::None;
    }
    let parts: Vec<&[f64]> = chunks
        .iter()
        .map(|chunk| chunk.targets.as_slice())
        .collect();
    let numbers = storage::concatenate(&parts);
    if chunks.iter().any(|chunk| !chunk.texts.is_empty()) {
        return Target::Classes(mixed_labels(chunks));
    }
    numeric_target(numbers, kind)
}

/// The target that numbers are under the kind asked for.
pub(crate) fn numeric_target(numbers: Vec<f64>, kind: TargetKind) -> Target {
    let classes = match kind {
        TargetKind::None => return Target::None,
        TargetKind::Classes => true,
        TargetKind::Real => false,
        TargetKind::Auto => numbers.iter().all(|value| value.fract() == 0.0),
    };
    if classes {
        Target::Classes(ClassLabels::from_numbers(&numbers))
    } else {
        Target::Real(numbers)
    }
}

/// Labels of which at least one is text.
fn mixed_labels(chunks: &[Chunk<'_>]) -> ClassLabels {
    let labels = chunks.iter().flat_map(|chunk| {
        let mut texts = chunk.texts.iter().peekable();
        chunk.targets.iter().enumerate().map(move |(i, &number)| {
            match texts.next_if(|(row, _)| *row == i) {
                Some((_, text)) => ClassName::Text(text.clone()),
                None => ClassName::Number(number),
            }
        })
    });
    labels_in_order(labels)
}

/// Labels with the classes in order of first appearance.
pub(crate) fn labels_in_order(labels: impl Iterator<Item = ClassName>) -> ClassLabels {
    let mut index: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    let mut names: Vec<ClassName> = Vec::new();
    let codes = labels
        .map(|label| {
            // 0.0 and -0.0 are one class; no text label looks like a number.
            let label = match label {
                ClassName::Number(value) => ClassName::Number(value + 0.0),
                text @ ClassName::Text(_) => text,
            };
            *index.entry(label.to_string()).or_insert_with(|| {
                names.push(label);
                names.len() as u32 - 1
            })
        })
        .collect();
    match ClassLabels::new(names, codes) {
        Ok(labels) => labels,
        Err(_) => unreachable!("invariant: every code was made with its name"),
    }
}

fn join_query_ids(chunks: &[Chunk<'_>], n_rows: usize) -> Option<Vec<u64>> {
    if chunks.iter().all(|chunk| chunk.query_ids.is_empty()) {
        return None;
    }
    let mut ids = Vec::with_capacity(n_rows);
    let mut rows = 0;
    for chunk in chunks {
        ids.extend_from_slice(&chunk.query_ids);
        rows += chunk.n_rows();
        ids.resize(rows, 0);
    }
    Some(ids)
}

/// Where the entries of each row lie.
struct Shape {
    n_features: usize,
    precomputed: bool,
    /// Entries of each piece.
    used: Vec<usize>,
    row_starts: Vec<usize>,
}

impl Shape {
    fn of(chunks: &[Chunk<'_>], precomputed: bool, min_features: usize) -> Self {
        let n_rows: usize = chunks.iter().map(Chunk::n_rows).sum();
        let mut row_starts = Vec::with_capacity(n_rows + 1);
        row_starts.push(0);
        let mut entries = 0;
        for chunk in chunks {
            row_starts.extend(chunk.row_ends.iter().map(|end| entries + end));
            entries += chunk.entries.len();
        }
        let largest = chunks.iter().map(|chunk| chunk.max_index).max();
        let n_features = largest.unwrap_or(0) as usize + usize::from(precomputed);
        Self {
            n_features: n_features.max(min_features),
            precomputed,
            used: chunks.iter().map(|chunk| chunk.entries.len()).collect(),
            row_starts,
        }
    }

    /// Closes the gaps that pieces with fewer entries than colons have left.
    fn join(self, mut indices: Vec<u32>, mut values: Vec<f64>, rooms: &[usize]) -> SparseRows {
        let (mut from, mut to) = (0, 0);
        for (&room, &used) in rooms.iter().zip(&self.used) {
            if from != to {
                indices.copy_within(from..from + used, to);
                values.copy_within(from..from + used, to);
            }
            from += room;
            to += used;
        }
        indices.truncate(to);
        values.truncate(to);
        if indices.capacity() > 2 * to {
            indices.shrink_to_fit();
            values.shrink_to_fit();
        }
        if self.precomputed {
            indices
                .par_iter_mut()
                .for_each(|index| *index = index.wrapping_add(1));
        }
        SparseRows {
            n_features: self.n_features,
            row_starts: self.row_starts,
            indices,
            values,
        }
    }
}
