//! From the two passes to a data set.

use super::encoding::{ColumnEncoding, ColumnKind, Encoding};
use super::header::{Expected, Layout, count_lines};
use super::nominal::{MISSING, NominalPart, TextColumn};
use super::numeric::{NumericPart, Summary};
use super::rules::{ColumnRule, sort_naturally};
use crate::format::DataFormat;
use crate::libsvm::{labels_in_order, numeric_target};
use crate::loaded::{LoadedData, ReadOptions, Storage, Unseen, Warning};
use crate::storage::{self, SparseRows};
use crate::{CellProblem, IoError};
use hedgerow::data::{ClassName, Dataset, Samples, Target};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A table after both passes.
pub(super) struct Table<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a [u8],
    pub(super) layout: &'a Layout,
    pub(super) summary: &'a Summary,
    pub(super) parts: Vec<NumericPart>,
    pub(super) texts: Vec<NominalPart>,
    pub(super) options: &'a ReadOptions,
}

/// The data and the range of each row, if lines are kept.
pub(super) struct Built {
    pub(super) data: LoadedData,
    pub(super) rows: Vec<Range<usize>>,
}

/// Where the cells of a feature slot go.
enum Writer {
    Number {
        feature: u32,
        fill: f64,
    },
    Category {
        first_feature: u32,
        /// Category that fills gaps, if there is any.
        fill: Option<u32>,
        /// For each piece, for each of its texts, the category, if known.
        categories: Vec<Vec<Option<u32>>>,
    },
    Code {
        feature: u32,
        /// Code of gaps.
        fill: u32,
        /// Code of categories that are not known.
        unknown: u32,
        categories: Vec<Vec<Option<u32>>>,
    },
}

impl Table<'_> {
    pub(super) fn build(mut self, format: DataFormat) -> Result<Built, IoError> {
        let encoding = match &self.options.encoding {
            Some(encoding) => encoding.clone(),
            None => self.fit()?,
        };
        let mut warnings = self.layout.warnings.clone();
        warnings.extend(self.summary.warnings.iter().cloned());
        if self.options.encoding.is_none() {
            let columns = encoding.columns.iter();
            let empty =
                columns.filter(|column| column.kind.categories().is_some_and(<[_]>::is_empty));
            warnings.extend(empty.map(|column| Warning::EmptyColumn {
                column: column.name.clone(),
            }));
        }
        let writers = self.writers(&encoding, &mut warnings)?;
        let target = self.target()?;
        let rows = self
            .parts
            .iter_mut()
            .flat_map(|part| std::mem::take(&mut part.ranges))
            .collect();
        let samples = self.samples(encoding.n_features(), &writers)?;
        let refused = |source| IoError::Data {
            name: self.name.to_owned(),
            source,
        };
        let dataset = Dataset::new(samples, target)
            .and_then(|data| data.with_feature_names(encoding.feature_names()))
            .map_err(refused)?;
        Ok(Built {
            data: LoadedData {
                dataset,
                format,
                encoding: Some(encoding),
                lines: None,
                query_ids: None,
                precomputed: false,
                warnings,
            },
            rows,
        })
    }

    /// Learns the encoding from this table.
    fn fit(&self) -> Result<Encoding, IoError> {
        let mut columns = Vec::with_capacity(self.layout.n_feature_slots());
        for slot in 0..self.layout.n_feature_slots() {
            let kind = if self.summary.nominal[slot] {
                self.fit_categories(slot)?
            } else {
                ColumnKind::Numeric {
                    fill: self.summary.means[slot],
                }
            };
            columns.push(ColumnEncoding {
                name: self.layout.slots[slot].name.clone(),
                kind,
            });
        }
        let dropped = self.layout.dropped.iter().map(|name| ColumnEncoding {
            name: name.clone(),
            kind: ColumnKind::Dropped,
        });
        columns.extend(dropped);
        Ok(Encoding {
            label: self.layout.label_name.clone(),
            columns,
            missing: self.options.missing,
        })
    }

    fn fit_categories(&self, slot: usize) -> Result<ColumnKind, IoError> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for part in &self.texts {
            for text in &part.columns[slot].texts {
                let category = self.utf8(slot, &text.bytes, text.first)?;
                *counts.entry(category).or_default() += text.count;
            }
        }
        let rule = self.layout.slots[slot].rule;
        let mut categories: Vec<String> = counts.keys().map(|&text| text.to_owned()).collect();
        if rule == Some(ColumnRule::Coded) {
            sort_naturally(&mut categories);
        }
        let mut fill = 0;
        let mut most = 0;
        for (code, category) in categories.iter().enumerate() {
            let count = counts[category.as_str()];
            if count > most {
                most = count;
                fill = code as u32;
            }
        }
        Ok(match rule {
            Some(ColumnRule::Coded) => ColumnKind::Coded { categories, fill },
            Some(ColumnRule::TargetCoded) => ColumnKind::TargetCoded { categories, fill },
            _ => ColumnKind::Nominal { categories, fill },
        })
    }

    fn writers(
        &self,
        encoding: &Encoding,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Writer>, IoError> {
        let mut writers = Vec::with_capacity(encoding.columns.len());
        let mut feature = 0u32;
        for (slot, column) in encoding.read_columns().enumerate() {
            let n_categories = column.kind.categories().map_or(0, <[String]>::len) as u32;
            writers.push(match &column.kind {
                ColumnKind::Numeric { fill } => Writer::Number {
                    feature,
                    fill: *fill,
                },
                ColumnKind::Nominal { categories, fill } => Writer::Category {
                    first_feature: feature,
                    fill: ((*fill as usize) < categories.len()).then_some(*fill),
                    categories: self.match_categories(slot, categories, warnings)?,
                },
                ColumnKind::Coded { categories, fill } => Writer::Code {
                    feature,
                    fill: *fill,
                    unknown: *fill,
                    categories: self.match_categories(slot, categories, warnings)?,
                },
                ColumnKind::TargetCoded { categories, fill } => Writer::Code {
                    feature,
                    fill: (*fill).min(n_categories),
                    unknown: n_categories,
                    categories: self.match_categories(slot, categories, warnings)?,
                },
                // Not among the columns that are read.
                ColumnKind::Dropped => continue,
            });
            feature += column.kind.n_features() as u32;
        }
        Ok(writers)
    }

    /// Finds the category of every text of a slot.
    fn match_categories(
        &self,
        slot: usize,
        categories: &[String],
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Vec<Option<u32>>>, IoError> {
        let known: HashMap<&[u8], u32> = categories
            .iter()
            .enumerate()
            .map(|(code, category)| (category.as_bytes(), code as u32))
            .collect();
        let mut unseen = 0;
        let mut all = Vec::with_capacity(self.texts.len());
        for part in &self.texts {
            let mut matched = Vec::new();
            for text in &part.columns[slot].texts {
                let category = known.get(text.bytes.as_slice()).copied();
                if category.is_none() {
                    if self.options.unseen == Unseen::Error {
                        let problem = CellProblem::Unseen {
                            text: crate::error::excerpt(&text.bytes),
                        };
                        return Err(self.cell_error(slot, text.first, problem));
                    }
                    unseen += text.count;
                }
                matched.push(category);
            }
            all.push(matched);
        }
        if unseen > 0 {
            warnings.push(Warning::UnseenCategories {
                column: self.layout.slots[slot].name.clone(),
                count: unseen,
            });
        }
        Ok(all)
    }

    fn target(&self) -> Result<Target, IoError> {
        if !self.layout.has_label {
            return Ok(Target::None);
        }
        let width = self.layout.slots.len();
        let slot = width - 1;
        debug_assert!(self.layout.slots[slot].expected == Expected::Unknown);
        if !self.summary.nominal[slot] {
            let numbers = self
                .parts
                .iter()
                .flat_map(|part| part.values.iter().skip(slot).step_by(width).copied())
                .collect();
            return Ok(numeric_target(numbers, self.options.target));
        }
        let mut labels = Vec::new();
        for part in &self.texts {
            let TextColumn { texts, codes } = &part.columns[slot];
            let mut names = Vec::with_capacity(texts.len());
            for text in texts {
                let name = self.utf8(slot, &text.bytes, text.first)?;
                names.push(ClassName::parse(name));
            }
            labels.extend(codes.iter().map(|&code| names[code as usize].clone()));
        }
        Ok(Target::Classes(labels_in_order(labels.into_iter())))
    }

    /// Calls `visit(feature, value)` for what row `i` of piece `p` has besides zeros, ascending.
    fn visit_row(&self, writers: &[Writer], p: usize, i: usize, mut visit: impl FnMut(u32, f64)) {
        let width = self.layout.slots.len();
        for (slot, writer) in writers.iter().enumerate() {
            match writer {
                &Writer::Number { feature, fill } => {
                    let value = self.parts[p].values[i * width + slot];
                    let value = if value.is_nan() { fill } else { value };
                    if value != 0.0 {
                        visit(feature, value);
                    }
                }
                Writer::Category {
                    first_feature,
                    fill,
                    categories,
                } => {
                    let code = self.texts[p].columns[slot].codes[i];
                    let category = if code == MISSING {
                        *fill
                    } else {
                        categories[p][code as usize]
                    };
                    if let Some(category) = category {
                        visit(first_feature + category, 1.0);
                    }
                }
                Writer::Code {
                    feature,
                    fill,
                    unknown,
                    categories,
                } => {
                    let code = self.texts[p].columns[slot].codes[i];
                    let code = if code == MISSING {
                        *fill
                    } else {
                        categories[p][code as usize].unwrap_or(*unknown)
                    };
                    if code != 0 {
                        visit(*feature, f64::from(code));
                    }
                }
            }
        }
    }

    fn samples(&self, n_features: usize, writers: &[Writer]) -> Result<Samples, IoError> {
        let pieces = 0..self.parts.len();
        let n_rows: usize = self.parts.iter().map(|part| part.n_rows).sum();
        let n_entries: usize = pieces
            .clone()
            .into_par_iter()
            .map(|p| {
                let mut entries = 0;
                for i in 0..self.parts[p].n_rows {
                    self.visit_row(writers, p, i, |_, _| entries += 1);
                }
                entries
            })
            .sum();
        if storage::is_dense(self.options.storage, n_rows, n_features, n_entries) {
            return self.dense(n_rows, n_features, writers);
        }
        let sparse: Vec<_> = pieces
            .into_par_iter()
            .map(|p| {
                let (mut ends, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
                for i in 0..self.parts[p].n_rows {
                    self.visit_row(writers, p, i, |f, value| {
                        indices.push(f);
                        values.push(value);
                    });
                    ends.push(indices.len());
                }
                (ends, indices, values)
            })
            .collect();
        let mut row_starts = Vec::with_capacity(n_rows + 1);
        row_starts.push(0);
        let mut entries = 0;
        for (ends, indices, _) in &sparse {
            row_starts.extend(ends.iter().map(|end| entries + end));
            entries += indices.len();
        }
        let indices: Vec<&[u32]> = sparse.iter().map(|part| part.1.as_slice()).collect();
        let values: Vec<&[f64]> = sparse.iter().map(|part| part.2.as_slice()).collect();
        SparseRows {
            n_features,
            row_starts,
            indices: storage::concatenate(&indices),
            values: storage::concatenate(&values),
        }
        .store(self.name, Storage::Sparse)
    }

    fn dense(
        &self,
        n_rows: usize,
        n_features: usize,
        writers: &[Writer],
    ) -> Result<Samples, IoError> {
        let mut dense = storage::zeros(self.name, n_rows, n_features)?;
        let sizes: Vec<usize> = self
            .parts
            .iter()
            .map(|part| part.n_rows * n_features)
            .collect();
        let blocks = storage::split(&mut dense, &sizes);
        blocks.into_par_iter().enumerate().for_each(|(p, block)| {
            for i in 0..self.parts[p].n_rows {
                let row = &mut block[i * n_features..(i + 1) * n_features];
                self.visit_row(writers, p, i, |f, value| row[f as usize] = value);
            }
        });
        Samples::dense(n_rows, n_features, dense).map_err(|source| IoError::Data {
            name: self.name.to_owned(),
            source,
        })
    }

    fn utf8<'t>(&self, slot: usize, bytes: &'t [u8], at: usize) -> Result<&'t str, IoError> {
        std::str::from_utf8(bytes).map_err(|_| self.cell_error(slot, at, CellProblem::NotUtf8))
    }

    fn cell_error(&self, slot: usize, at: usize, problem: CellProblem) -> IoError {
        IoError::Cell {
            name: self.name.to_owned(),
            line: self.layout.first_line + count_lines(&self.text[self.layout.body..at]),
            column: self.layout.slots[slot].name.clone(),
            problem,
        }
    }
}
