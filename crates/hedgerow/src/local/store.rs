//! The training rows that a local model keeps, with what is known of them.

use super::numbers::RowNumbers;
use crate::data::weighty_rows;
use crate::data::{ClassLabels, Dataset, Samples, SamplesView, Target};
use crate::kernel::check_samples;
use crate::neighbours::nearby_order;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the rows are labelled with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Answers {
    Classes(ClassLabels),
    Real(Vec<f64>),
}

/// Rows, answers and weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Store {
    pub(super) samples: Samples,
    pub(super) answers: Answers,
    pub(super) weights: Option<Vec<f64>>,
}

/// Rows from which on it matters where in memory they are: most sets of fewer fit in a cache.
const FAR_APART: usize = 1 << 14;

impl Store {
    /// The rows of a data set whose weight is positive.
    pub(super) fn new(data: &Dataset) -> Result<Self> {
        Self::with_numbers(data).map(|(store, _)| store)
    }

    /// The rows of a data set whose weight is positive, and their numbers in the data.
    pub(super) fn with_numbers(data: &Dataset) -> Result<(Self, RowNumbers)> {
        Self::of(data, &weighty_rows(data))
    }

    /// As [`Store::with_numbers`], those that are near one another together if they are many.
    pub(super) fn near_together(data: &Dataset) -> Result<(Self, RowNumbers)> {
        let mut rows = weighty_rows(data);
        if rows.len() >= FAR_APART {
            rows = nearby_order(data.samples().view(), &rows);
        }
        Self::of(data, &rows)
    }

    /// Some rows of a data set, in the order given.
    fn of(data: &Dataset, rows: &[usize]) -> Result<(Self, RowNumbers)> {
        if rows.is_empty() {
            return Err(Error::NoRows);
        }
        let numbers = RowNumbers::new(rows.iter().map(|&row| row as u32).collect(), data.n_rows());
        let chosen = |values: &[f64]| rows.iter().map(|&row| values[row]).collect();
        let answers = if let Target::Real(values) = data.target() {
            Answers::Real(chosen(values))
        } else {
            Answers::Classes(data.classes()?.select(rows))
        };
        let store = Self {
            samples: if numbers.are_places() {
                data.samples().clone()
            } else {
                data.samples().select(rows)
            },
            answers,
            weights: data.weights().map(chosen),
        };
        Ok((store, numbers))
    }

    /// Adds the rows of a data set.
    pub(super) fn append(&mut self, data: &Dataset) -> Result<()> {
        let added = data.n_rows();
        let before = self.samples.n_rows();
        // What can fail comes before what changes anything.
        match &mut self.answers {
            Answers::Classes(labels) => {
                let more = data.classes()?;
                self.samples.append(data.samples().view())?;
                labels.append(more);
            }
            Answers::Real(values) => {
                let more = data.real_targets()?;
                self.samples.append(data.samples().view())?;
                values.extend_from_slice(more);
            }
        }
        if self.weights.is_some() || data.weights().is_some() {
            let weights = self.weights.get_or_insert_with(|| vec![1.0; before]);
            match data.weights() {
                Some(more) => weights.extend_from_slice(more),
                None => weights.resize(before + added, 1.0),
            }
        }
        Ok(())
    }

    pub(super) fn view(&self) -> SamplesView<'_> {
        self.samples.view()
    }

    pub(super) fn len(&self) -> usize {
        self.samples.n_rows()
    }

    /// Number of classes; `None` for real targets.
    pub(super) fn n_classes(&self) -> Option<usize> {
        match &self.answers {
            Answers::Classes(labels) => Some(labels.n_classes()),
            Answers::Real(_) => None,
        }
    }

    /// Class code or target of a row.
    pub(super) fn answer(&self, row: u32) -> f64 {
        match &self.answers {
            Answers::Classes(labels) => f64::from(labels.codes()[row as usize]),
            Answers::Real(values) => values[row as usize],
        }
    }

    pub(super) fn weight(&self, row: u32) -> f64 {
        self.weights.as_ref().map_or(1.0, |all| all[row as usize])
    }

    /// An error unless everything has a value for every row.
    pub(super) fn validate(&self) -> Result<()> {
        let n = self.len();
        let n_answers = match &self.answers {
            Answers::Classes(labels) => labels.len(),
            Answers::Real(values) => values.len(),
        };
        let n_weights = self.weights.as_ref().map_or(n, Vec::len);
        for (what, found) in [
            ("answers of the stored rows", n_answers),
            ("weights of the stored rows", n_weights),
        ] {
            if found != n {
                return Err(Error::Shape {
                    what,
                    expected: n,
                    found,
                });
            }
        }
        if let Answers::Classes(labels) = &self.answers {
            ClassLabels::new(labels.names().to_vec(), labels.codes().to_vec())?;
        }
        check_samples(&self.samples)
    }
}
