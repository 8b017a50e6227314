//! Fitted trees of linear SVMs.

use super::compiled::Tree;
use super::prune::PruningStep;
use crate::data::{ClassName, Row, SamplesView};
use crate::machines::{couple, largest, pairs};
use crate::parallel::{Grain, concat, for_each, for_each_chunk};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows that one task answers.
const CHUNK: usize = 256;

/// Classes whose votes are counted without asking for memory.
const FEW_CLASSES: usize = 64;

/// How several trees answer together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Council {
    /// There is one tree.
    Single,
    /// A tree for every pair of classes, or as many for each; each pair has one vote, ties go to
    /// the earlier class. Several trees of a pair vote by the mean of their probabilities.
    OneVsOne,
    /// The mean of the trees' probabilities decides.
    Forest,
}

/// Everything that a model file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TreeParts {
    pub(super) classes: Vec<ClassName>,
    pub(super) n_features: usize,
    pub(super) council: Council,
    pub(super) trees: Vec<Tree>,
    /// Whether the probabilities were calibrated on rows that the trees had not seen.
    pub(super) calibrated: bool,
    /// The trees that pruning chose from; empty without pruning or with several trees.
    pub(super) pruning: Vec<PruningStep>,
}

/// A fitted H-LSVM or SVM-Trees model: one tree of hyperplanes or several.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTrees {
    parts: TreeParts,
}

/// How many hyperplanes rows needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathCosts {
    /// Mean over the rows; trees of a council are summed.
    pub mean: f64,
    /// Most of any row.
    pub max: u64,
}

impl LinearTrees {
    pub(super) fn from_parts(parts: TreeParts) -> Result<Self> {
        let k = parts.classes.len();
        if k == 0 {
            return Err(Error::TooFewClasses {
                needed: 1,
                found: 0,
            });
        }
        let (expected, tree_classes) = match parts.council {
            Council::Single => (1, k),
            Council::OneVsOne => {
                let n_pairs = pairs(k).count();
                (n_pairs * (parts.trees.len() / n_pairs.max(1)).max(1), 2)
            }
            Council::Forest => (parts.trees.len().max(1), k),
        };
        if parts.trees.len() != expected {
            return Err(Error::Shape {
                what: "trees of a model",
                expected,
                found: parts.trees.len(),
            });
        }
        for tree in &parts.trees {
            for (what, expected, found) in [
                ("classes of a tree", tree_classes, tree.n_classes),
                ("features of a tree", parts.n_features, tree.n_features),
            ] {
                if expected != found {
                    return Err(Error::Shape {
                        what,
                        expected,
                        found,
                    });
                }
            }
            tree.validate()?;
        }
        Ok(Self { parts })
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.parts.trees
    }

    /// The two classes that a tree tells apart; `None` if it knows all of them.
    pub fn pair_of(&self, tree: usize) -> Option<(usize, usize)> {
        match self.parts.council {
            Council::OneVsOne => pairs(self.parts.classes.len()).nth(tree / self.trees_a_pair()),
            Council::Single | Council::Forest => None,
        }
    }

    /// How they answer together.
    pub fn council(&self) -> Council {
        self.parts.council
    }

    /// Whether probabilities were calibrated on rows that the trees had not seen.
    pub fn is_calibrated(&self) -> bool {
        self.parts.calibrated
    }

    /// The trees that pruning chose from, largest first; empty without pruning or with several
    /// trees.
    pub fn pruning(&self) -> &[PruningStep] {
        &self.parts.pruning
    }

    /// Hyperplanes of all trees.
    pub fn n_hyperplanes(&self) -> usize {
        self.parts.trees.iter().map(Tree::n_hyperplanes).sum()
    }

    /// Hyperplanes evaluated for the rows: mean and largest number.
    pub fn path_costs(&self, samples: SamplesView<'_>) -> Result<PathCosts> {
        self.ensure_width(samples)?;
        let costs: Vec<u64> = concat(samples.n_rows(), CHUNK, &|rows| {
            rows.map(|i| self.hyperplanes_of(samples.row(i))).collect()
        });
        let n = costs.len().max(1) as f64;
        Ok(PathCosts {
            mean: costs.iter().sum::<u64>() as f64 / n,
            max: costs.iter().copied().max().unwrap_or(0),
        })
    }

    fn hyperplanes_of(&self, row: Row<'_>) -> u64 {
        let trees = self.parts.trees.iter();
        trees
            .map(|tree| u64::from(tree.land(row).hyperplanes))
            .sum()
    }

    /// Class of one row, without asking for memory if there are at most 64 classes. The row may be
    /// shorter than the model's: what is missing reads as zero. Values are not looked at: one that
    /// is not a number goes to the side $w \cdot x + b \le 0$.
    pub fn classify(&self, row: &[f64]) -> Result<u32> {
        if row.len() > self.parts.n_features {
            return Err(Error::Shape {
                what: "features of the row",
                expected: self.parts.n_features,
                found: row.len(),
            });
        }
        Ok(self.decide(Row::Dense(row)))
    }

    fn decide(&self, row: Row<'_>) -> u32 {
        let k = self.parts.classes.len();
        match self.parts.council {
            Council::Single => self.parts.trees[0].classify(row),
            _ if k <= FEW_CLASSES => self.count(row, &mut [0.0; FEW_CLASSES][..k]),
            _ => self.count(row, &mut vec![0.0; k]),
        }
    }

    /// Adds up what the trees say; the class with most.
    fn count(&self, row: Row<'_>, votes: &mut [f64]) -> u32 {
        self.votes(row, votes);
        largest(votes)
    }

    /// Votes of pairs, or the sum of the probabilities of a forest.
    fn votes(&self, row: Row<'_>, votes: &mut [f64]) {
        match self.parts.council {
            Council::OneVsOne => {
                for ((a, b), trees) in self.trees_of_pairs() {
                    let is_first = match trees {
                        [only] => only.classify(row) == 0,
                        _ => first_share(trees, row) >= 0.5,
                    };
                    votes[if is_first { a } else { b }] += 1.0;
                }
            }
            Council::Single | Council::Forest => {
                for tree in &self.parts.trees {
                    let leaf = tree.land(row).leaf;
                    for (vote, p) in votes.iter_mut().zip(tree.leaf_probabilities(leaf)) {
                        *vote += p;
                    }
                }
            }
        }
    }

    fn trees_a_pair(&self) -> usize {
        let n_pairs = pairs(self.parts.classes.len()).count();
        (self.parts.trees.len() / n_pairs.max(1)).max(1)
    }

    /// The pairs of classes, each with its trees.
    fn trees_of_pairs(&self) -> impl Iterator<Item = ((usize, usize), &[Tree])> {
        let trees = self.parts.trees.chunks(self.trees_a_pair());
        pairs(self.parts.classes.len()).zip(trees)
    }

    pub(super) fn set_smoothing(&mut self, smoothing: f64) {
        for tree in &mut self.parts.trees {
            tree.set_smoothing(smoothing);
        }
    }

    pub(super) fn class_count(&self) -> usize {
        self.parts.classes.len()
    }

    pub(super) fn probabilities_into(&self, row: Row<'_>, out: &mut [f64]) {
        match self.parts.council {
            Council::OneVsOne => {
                let shares = self.trees_of_pairs();
                let first: Vec<f64> = shares.map(|(_, trees)| first_share(trees, row)).collect();
                out.copy_from_slice(&couple(out.len(), &first));
            }
            Council::Single | Council::Forest => {
                self.votes(row, out);
                let n = self.parts.trees.len() as f64;
                for p in out {
                    *p /= n;
                }
            }
        }
    }

    fn ensure_width(&self, samples: SamplesView<'_>) -> Result<()> {
        if matches!(samples, SamplesView::Dense { .. })
            && samples.n_features() > self.parts.n_features
        {
            return Err(Error::Shape {
                what: "features of the rows",
                expected: self.parts.n_features,
                found: samples.n_features(),
            });
        }
        Ok(())
    }

    /// A number a class for every row, and the class that `fill`, which writes them, names.
    fn table(
        &self,
        samples: SamplesView<'_>,
        fill: impl Fn(Row<'_>, &mut [f64]) -> u32 + Sync,
    ) -> Result<(Prediction, ScoreMatrix)> {
        self.ensure_width(samples)?;
        let k = self.parts.classes.len();
        let mut values = vec![0.0; samples.n_rows() * k];
        let mut codes = vec![0u32; samples.n_rows()];
        let parts = values.chunks_mut(CHUNK * k).zip(codes.chunks_mut(CHUNK));
        for_each(parts, Grain::COARSE, &|chunk, (out, codes)| {
            for (at, (out, code)) in out.chunks_mut(k).zip(codes).enumerate() {
                *code = fill(samples.row(chunk * CHUNK + at), out);
            }
        });
        let scores = ScoreMatrix {
            columns: self.parts.classes.iter().map(ToString::to_string).collect(),
            values,
        };
        Ok((Prediction::Classes(codes), scores))
    }

    /// Writes the scores of a row; the class that they decide for.
    fn score(&self, row: Row<'_>, out: &mut [f64]) -> u32 {
        if let (Council::Single, [tree]) = (self.parts.council, &self.parts.trees[..]) {
            let leaf = tree.land(row).leaf;
            out.copy_from_slice(tree.leaf_probabilities(leaf));
            return tree.leaf_class(leaf);
        }
        let class = self.count(row, out);
        if self.parts.council == Council::Forest {
            let n = self.parts.trees.len() as f64;
            for p in out {
                *p /= n;
            }
        }
        class
    }
}

/// Mean probability of the first class of two.
fn first_share(trees: &[Tree], row: Row<'_>) -> f64 {
    let share = |tree: &Tree| tree.leaf_probabilities(tree.land(row).leaf)[0];
    trees.iter().map(share).sum::<f64>() / trees.len() as f64
}

impl Predictor for LinearTrees {
    fn n_features(&self) -> usize {
        self.parts.n_features
    }

    fn classes(&self) -> Option<&[ClassName]> {
        Some(&self.parts.classes)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        self.ensure_width(samples)?;
        let mut codes = vec![0u32; samples.n_rows()];
        for_each_chunk(&mut codes, CHUNK, Grain::COARSE, &|chunk, out| {
            for (at, code) in out.iter_mut().enumerate() {
                *code = self.decide(samples.row(chunk * CHUNK + at));
            }
        });
        Ok(Prediction::Classes(codes))
    }

    fn predict_row(&self, row: &[f64]) -> Result<f64> {
        self.classify(row).map(f64::from)
    }

    /// One-vs-one: the votes of each class. Otherwise the probabilities, which are what decides in
    /// a forest.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        Ok(self.predict_with_scores(samples)?.1)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        self.table(samples, |row, out| self.score(row, out))
    }

    /// The share of each class in the leaf, smoothed along its path; see
    /// [`super::HlsvmParams::probability`].
    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let (_, probabilities) = self.table(samples, |row, out| {
            self.probabilities_into(row, out);
            0
        })?;
        Ok(probabilities)
    }
}

impl Serialize for LinearTrees {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LinearTrees {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = TreeParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
