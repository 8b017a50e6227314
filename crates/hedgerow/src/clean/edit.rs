//! What editors have in common.

use crate::data::{ClassLabels, Dataset, Samples, Target};
use crate::error::ensure_shape;
use crate::params::Parameters;
use crate::{Result, Status};

/// What an editor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Rows that mislead or are not needed are left out.
    Clean,
    /// The classes become more alike in size.
    Resample,
}

/// What an editor says of itself. One struct of parameters may stand for several editors that
/// differ in what is fixed.
#[derive(Debug, Clone, Copy)]
pub struct EditorCard {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// Parameters that are fixed, with their values as texts.
    pub preset: &'static [(&'static str, &'static str)],
    /// Name of the class in Python.
    pub python: &'static str,
}

/// What a neighbourhood says about the label of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opinion {
    /// How well the label is supported, from 0 to 1: a probability, a share of votes, or a margin
    /// brought to this range. The least trusted rows are the most suspicious.
    pub trust: f64,
    /// The label that the neighbourhood argues for.
    pub label: u32,
}

/// Rows that an editor made.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    /// The rows.
    pub samples: Samples,
    /// Their classes.
    pub codes: Vec<u32>,
}

/// What an editor decided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Edit {
    /// Whether each row stays.
    pub keep: Vec<bool>,
    /// What the editor thinks of each row, if it thinks of rows one by one.
    pub opinions: Option<Vec<Opinion>>,
    /// New rows.
    pub added: Option<Added>,
    /// Named numbers for people and machines, such as the passes that it took.
    pub facts: Vec<(&'static str, f64)>,
    /// Whether every solver converged.
    pub status: Status,
}

impl Edit {
    /// An edit that keeps some rows.
    pub fn keeping(keep: Vec<bool>) -> Self {
        Self {
            keep,
            opinions: None,
            added: None,
            facts: Vec::new(),
            status: Status::Converged,
        }
    }

    /// With what is thought of each row.
    pub(super) fn with_opinions(mut self, opinions: Vec<Opinion>) -> Self {
        self.opinions = Some(opinions);
        self
    }

    /// With a named number.
    pub(super) fn with_fact(mut self, name: &'static str, value: f64) -> Self {
        self.facts.push((name, value));
        self
    }

    /// With new rows.
    pub(super) fn with_added(mut self, samples: Samples, codes: Vec<u32>) -> Self {
        self.added = Some(Added { samples, codes });
        self
    }

    /// Rows that stay, ascending.
    pub fn kept(&self) -> Vec<usize> {
        (0..self.keep.len()).filter(|&i| self.keep[i]).collect()
    }

    /// Rows that are removed, ascending.
    pub fn removed(&self) -> Vec<usize> {
        (0..self.keep.len()).filter(|&i| !self.keep[i]).collect()
    }

    /// Classes of the data that had rows and have none left.
    pub fn vanished(&self, labels: &ClassLabels) -> Vec<u32> {
        let mut left = vec![false; labels.n_classes()];
        for (&code, &kept) in labels.codes().iter().zip(&self.keep) {
            left[code as usize] |= kept;
        }
        let counts = labels.counts();
        (0..labels.n_classes() as u32)
            .filter(|&c| counts[c as usize] > 0 && !left[c as usize])
            .collect()
    }

    /// The rows that stay in the order they had, then the new ones.
    pub fn apply(&self, data: &Dataset) -> Result<Dataset> {
        ensure_shape("rows of the edited data", self.keep.len(), data.n_rows())?;
        let kept = data.select(&self.kept());
        let Some(added) = &self.added else {
            return Ok(kept);
        };
        let mut samples = kept.samples().clone();
        samples.append(added.samples.view())?;
        let labels = kept.classes()?;
        let mut codes = labels.codes().to_vec();
        codes.extend_from_slice(&added.codes);
        let labels = ClassLabels::new(labels.names().to_vec(), codes)?;
        let weights = kept.weights().map(|weights| {
            let mut weights = weights.to_vec();
            weights.resize(samples.n_rows(), 1.0);
            weights
        });
        let mut whole = Dataset::new(samples, Target::Classes(labels))?;
        if let Some(weights) = weights {
            whole = whole.with_weights(weights)?;
        }
        match kept.feature_names() {
            Some(names) => whole.with_feature_names(names.to_vec()),
            None => Ok(whole),
        }
    }

    /// All rows, with the label that its neighbourhood argues for in the place of that of every row
    /// that would be removed. `None` from an editor that has no opinion of rows.
    pub fn relabelled(&self, labels: &ClassLabels) -> Option<Vec<u32>> {
        let opinions = self.opinions.as_ref()?;
        let label = |i: usize| {
            if self.keep[i] {
                labels.codes()[i]
            } else {
                opinions[i].label
            }
        };
        Some((0..self.keep.len()).map(label).collect())
    }
}

/// Parameters of an editor.
pub trait Editor: Parameters + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The editors that these parameters stand for.
    const CARDS: &'static [EditorCard];

    /// An error that names the first parameter out of its range.
    fn check(&self) -> Result<()>;

    /// Decides which rows stay. The data have classes; weights of rows are not looked at.
    fn edit(&self, data: &Dataset) -> Result<Edit>;
}

/// Makes params an [`Editor`] with their own `check` and `decide`.
macro_rules! editor {
    ($params:ty, [$($card:expr),+ $(,)?]) => {
        impl crate::clean::Editor for $params {
            const CARDS: &'static [crate::clean::EditorCard] = &[$($card),+];

            fn check(&self) -> crate::Result<()> {
                Self::check(self)
            }

            fn edit(&self, data: &crate::data::Dataset) -> crate::Result<crate::clean::Edit> {
                Self::check(self)?;
                if data.n_rows() == 0 {
                    return Err(crate::Error::NoRows);
                }
                self.decide(data)
            }
        }
    };
}
pub(super) use editor;
