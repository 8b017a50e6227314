//! Categories coded by the targets of their rows.
//!
//! A column of categories becomes a number: the mean target of the rows with the same category, drawn
//! towards the mean of all rows,
//! $$v(c) = \frac{\sum_{i:\,c_i = c} w_i t_i + m\,\bar t}{\sum_{i:\,c_i = c} w_i + m},$$
//! so a category of few rows says little, and one that training did not have says $\bar t$.
//!
//! The targets $t$ are 1 for the rarer of two classes and 0 for the other (of classes of one size the
//! one whose name sorts last is the rarer); one such column a class for more classes; the place on
//! the scale for ordered levels; the target itself for a regression.
//!
//! A row that helps to make its own code would tell its target. So what a model is trained on is
//! coded crosswise: each fifth of the rows by the sums over the other four. Only rows that come later
//! are coded by the sums over all rows.
//!
//! | formula | here |
//! |---|---|
//! | $m$ | `smoothing` |
//! | $\bar t$ | `overall` |
//! | $v$ | `values` |
//! | $w$ | the weights of the rows |

use super::{CsrMatrix, Dataset, Samples, SamplesView, Target, folds_for};
use crate::error::{ensure_finite, ensure_not_negative, ensure_shape};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Parts of the rows that are coded by one another.
const PARTS: usize = 5;

/// Which features hold codes of categories, and how they are to be coded.
#[derive(Debug, Clone, PartialEq)]
pub struct Coding {
    /// Features with the number of their categories, ascending. Their values are whole numbers from
    /// 0; what is not below the number of categories is a category that is not known.
    pub features: Vec<(u32, u32)>,
    /// Rows of the overall mean that every category gets beside its own.
    pub smoothing: f64,
    /// Seed of the parts that are coded by one another.
    pub seed: u64,
}

/// Fitted codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetCoding {
    n_inputs: usize,
    /// Mean of the targets, one number a column that a category becomes.
    overall: Vec<f64>,
    smoothing: f64,
    columns: Vec<CodedColumn>,
}

/// The codes of one feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CodedColumn {
    feature: u32,
    /// The codes of a category stand side by side.
    values: Vec<f64>,
}

/// Targets as numbers, row after row.
struct Numbers {
    width: usize,
    values: Vec<f64>,
}

impl Numbers {
    fn of(data: &Dataset) -> Result<Self> {
        let labels = match data.target() {
            Target::Real(values) => {
                let values = values.clone();
                return Ok(Self { width: 1, values });
            }
            Target::Ordinal(levels) => {
                let values = levels.codes().iter().map(|&code| f64::from(code)).collect();
                return Ok(Self { width: 1, values });
            }
            Target::Classes(labels) => labels,
            Target::None => {
                return Err(Error::Target {
                    needed: "targets to code categories by",
                    found: "no target",
                });
            }
        };
        let counts = labels.counts();
        let mut present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
        let names = labels.names();
        present.sort_by(|&a, &b| names[a].order(&names[b]));
        if present.len() <= 2 {
            // Of several smallest the last in order.
            let rarest = present.iter().rev().min_by_key(|&&c| counts[c]).copied();
            present = rarest.into_iter().collect();
        }
        let width = present.len();
        let mut values = vec![0.0; labels.len() * width];
        for (row, &code) in values.chunks_mut(width.max(1)).zip(labels.codes()) {
            if let Some(at) = present.iter().position(|&c| c == code as usize) {
                row[at] = 1.0;
            }
        }
        Ok(Self { width, values })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// The category of every row in each coded feature.
struct Categories {
    rows: Vec<u32>,
    width: usize,
}

impl Categories {
    fn of(samples: SamplesView<'_>, features: &[u32]) -> Self {
        let width = features.len();
        let mut rows = vec![0; samples.n_rows() * width];
        for (i, row) in rows.chunks_mut(width.max(1)).enumerate() {
            samples.row(i).for_each(|f, value| {
                if let Ok(at) = features.binary_search(&(f as u32)) {
                    row[at] = category(value);
                }
            });
        }
        Self { rows, width }
    }

    fn get(&self, i: usize, column: usize) -> usize {
        self.rows[i * self.width + column] as usize
    }
}

/// The category that a value stands for; one that is not known if it is none.
fn category(value: f64) -> u32 {
    let is_code = value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0;
    if is_code { value as u32 } else { u32::MAX }
}

impl Coding {
    /// An error for a smoothing out of range.
    pub fn check(&self) -> Result<()> {
        ensure_not_negative("target_smoothing", self.smoothing)
    }

    /// Fits the codes to all rows.
    pub fn fit(&self, data: &Dataset) -> Result<TargetCoding> {
        self.check()?;
        let features: Vec<u32> = self.features.iter().map(|&(f, _)| f).collect();
        let categories = Categories::of(data.samples().view(), &features);
        let numbers = Numbers::of(data)?;
        let overall = overall(data, &numbers);
        let rows: Vec<usize> = (0..data.n_rows()).collect();
        Ok(self.sums(data, &numbers, &categories, &overall, &rows))
    }

    /// Fits the codes to all rows, and codes each of these rows by the others.
    pub fn fit_apply(&self, data: &Dataset) -> Result<(TargetCoding, Dataset)> {
        let fitted = self.fit(data)?;
        let features: Vec<u32> = self.features.iter().map(|&(f, _)| f).collect();
        let categories = Categories::of(data.samples().view(), &features);
        let numbers = Numbers::of(data)?;
        let n_rows = data.n_rows();
        let splits = if n_rows < 2 {
            Vec::new()
        } else {
            folds_for(data, PARTS.min(n_rows), self.seed)?
        };
        let mut part_of = vec![0; n_rows];
        // A row alone has no others: it is told the overall mean.
        let mut parts = vec![self.sums(data, &numbers, &categories, &fitted.overall, &[])];
        for split in &splits {
            for &i in &split.test {
                part_of[i] = parts.len();
            }
            // The mean of all rows: that of the others would tell their part's targets.
            let by = self.sums(data, &numbers, &categories, &fitted.overall, &split.train);
            parts.push(by);
        }
        let samples = fitted.rows(data.samples().view(), |i| &parts[part_of[i]])?;
        let coded = fitted.rename(data, samples)?;
        Ok((fitted, coded))
    }

    /// The codes by the given rows.
    fn sums(
        &self,
        data: &Dataset,
        numbers: &Numbers,
        categories: &Categories,
        overall: &[f64],
        rows: &[usize],
    ) -> TargetCoding {
        let width = numbers.width;
        let mut columns = Vec::with_capacity(self.features.len());
        for (column, &(feature, n_categories)) in self.features.iter().enumerate() {
            let n_categories = n_categories as usize;
            let mut masses = vec![self.smoothing; n_categories];
            let drawn = overall.iter().map(|mean| self.smoothing * mean);
            let drawn: Vec<f64> = drawn.collect();
            let mut values: Vec<f64> = drawn.repeat(n_categories);
            for &i in rows {
                let weight = data.weights().map_or(1.0, |weights| weights[i]);
                let category = categories.get(i, column);
                let Some(mass) = masses.get_mut(category) else {
                    continue;
                };
                *mass += weight;
                let own = &mut values[category * width..(category + 1) * width];
                for (sum, target) in own.iter_mut().zip(numbers.row(i)) {
                    *sum += weight * target;
                }
            }
            for (own, mass) in values.chunks_mut(width.max(1)).zip(masses) {
                for (value, mean) in own.iter_mut().zip(overall) {
                    *value = if mass > 0.0 { *value / mass } else { *mean };
                }
            }
            columns.push(CodedColumn { feature, values });
        }
        TargetCoding {
            n_inputs: data.n_features(),
            overall: overall.to_vec(),
            smoothing: self.smoothing,
            columns,
        }
    }
}

/// The mean of each target.
fn overall(data: &Dataset, numbers: &Numbers) -> Vec<f64> {
    let mut sums = vec![0.0; numbers.width];
    let mut mass = 0.0;
    for i in 0..data.n_rows() {
        let weight = data.weights().map_or(1.0, |weights| weights[i]);
        mass += weight;
        for (sum, target) in sums.iter_mut().zip(numbers.row(i)) {
            *sum += weight * target;
        }
    }
    for sum in &mut sums {
        *sum = if mass > 0.0 { *sum / mass } else { 0.0 };
    }
    sums
}

impl TargetCoding {
    /// Features of the input.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Features of the output.
    pub fn n_outputs(&self) -> usize {
        // Not yet validated, a damaged file may say anything.
        let coded = self.columns.len().saturating_mul(self.overall.len());
        let others = self.n_inputs.saturating_sub(self.columns.len());
        others.saturating_add(coded)
    }

    /// Features that are coded.
    pub fn features(&self) -> impl Iterator<Item = u32> + '_ {
        self.columns.iter().map(|column| column.feature)
    }

    /// Mean of the targets: what a category that is not known becomes.
    pub fn overall(&self) -> &[f64] {
        &self.overall
    }

    /// Rows of the overall mean that every category has got beside its own.
    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    /// What the categories of a feature have become, in their order; `None` for a feature that is not
    /// coded. The numbers of a category stand side by side.
    pub fn codes_of(&self, feature: u32) -> Option<&[f64]> {
        let place = self.columns.binary_search_by_key(&feature, |c| c.feature);
        place.ok().map(|at| &self.columns[at].values[..])
    }

    /// An error if the parts contradict each other, as they may in a damaged file.
    pub fn validate(&self) -> Result<()> {
        ensure_not_negative("target_smoothing", self.smoothing)?;
        let ascending = self.columns.windows(2);
        let mut ascending = ascending.map(|pair| pair[0].feature < pair[1].feature);
        let last = self.columns.last().map_or(0, |c| c.feature as usize + 1);
        let fits = last <= self.n_inputs && u32::try_from(self.n_outputs()).is_ok();
        if !ascending.all(|is| is) || !fits || self.overall.is_empty() {
            return Err(Error::Shape {
                what: "coded features (must ascend and be inputs)",
                expected: self.n_inputs,
                found: last,
            });
        }
        for &value in &self.overall {
            ensure_finite("overall mean of targets", value)?;
        }
        for column in &self.columns {
            let rest = column.values.len() % self.overall.len();
            ensure_shape("codes of the last category", 0, rest)?;
            for &value in &column.values {
                ensure_finite("code of a category", value)?;
            }
        }
        Ok(())
    }

    /// Codes rows that the codes were not fitted to.
    pub fn apply(&self, samples: SamplesView<'_>) -> Result<Samples> {
        self.rows(samples, |_| self)
    }

    /// The same rows with their coded samples; the columns of one feature are numbered from 1.
    fn rename(&self, data: &Dataset, samples: Samples) -> Result<Dataset> {
        let coded = data.with_samples(samples)?;
        let width = self.overall.len();
        let Some(names) = data.feature_names().filter(|_| width != 1) else {
            return Ok(coded);
        };
        let mut all = Vec::with_capacity(self.n_outputs());
        for (f, name) in names.iter().enumerate() {
            if self.codes_of(f as u32).is_some() {
                all.extend((1..=width).map(|c| format!("{name}:{c}")));
            } else {
                all.push(name.clone());
            }
        }
        coded.with_feature_names(all)
    }

    /// Codes each row by the codes that `by` names for it.
    fn rows<'a>(
        &'a self,
        samples: SamplesView<'_>,
        by: impl Fn(usize) -> &'a Self,
    ) -> Result<Samples> {
        let dense = matches!(samples, SamplesView::Dense { .. });
        if dense && samples.n_features() > self.n_inputs {
            return Err(Error::Shape {
                what: "features of the rows (at most)",
                expected: self.n_inputs,
                found: samples.n_features(),
            });
        }
        let features: Vec<u32> = self.features().collect();
        let categories = Categories::of(samples, &features);
        let width = self.overall.len();
        // Coded features before a feature move it.
        let moved = |f: u32, before: usize| f + (before * width) as u32 - before as u32;
        let n_outputs = self.n_outputs();
        let mut out = Writer::new(dense, samples.n_rows(), n_outputs);
        for i in 0..samples.n_rows() {
            samples.row(i).for_each(|f, value| {
                if value != 0.0
                    && f < self.n_inputs
                    && let Err(before) = features.binary_search(&(f as u32))
                {
                    out.set(moved(f as u32, before), value);
                }
            });
            for (at, column) in by(i).columns.iter().enumerate() {
                let category = categories.get(i, at);
                let own = column.values.get(category * width..(category + 1) * width);
                let first = moved(column.feature, at);
                for (c, &value) in own.unwrap_or(&self.overall).iter().enumerate() {
                    out.set(first + c as u32, value);
                }
            }
            out.end_row();
        }
        out.samples()
    }
}

/// Rows that grow entry by entry, dense or sparse as those that they come from.
struct Writer {
    n_features: usize,
    n_rows: usize,
    /// Dense values, or none.
    dense: Option<Vec<f64>>,
    row: Vec<(u32, f64)>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Writer {
    fn new(dense: bool, n_rows: usize, n_features: usize) -> Self {
        Self {
            n_features,
            n_rows: 0,
            dense: dense.then(|| Vec::with_capacity(n_rows * n_features)),
            row: Vec::new(),
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        }
    }

    fn set(&mut self, feature: u32, value: f64) {
        if value != 0.0 {
            self.row.push((feature, value));
        }
    }

    fn end_row(&mut self) {
        self.row.sort_unstable_by_key(|entry| entry.0);
        if let Some(all) = &mut self.dense {
            let start = all.len();
            all.resize(start + self.n_features, 0.0);
            for &(f, value) in &self.row {
                all[start + f as usize] = value;
            }
        } else {
            self.indices.extend(self.row.iter().map(|entry| entry.0));
            self.values.extend(self.row.iter().map(|entry| entry.1));
            self.starts.push(self.indices.len());
        }
        self.row.clear();
        self.n_rows += 1;
    }

    fn samples(self) -> Result<Samples> {
        if let Some(all) = self.dense {
            return Samples::dense(self.n_rows, self.n_features, all);
        }
        let rows = CsrMatrix::new(self.n_features, self.starts, self.indices, self.values)?;
        Ok(Samples::Sparse(rows))
    }
}
