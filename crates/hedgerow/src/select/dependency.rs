//! MaxDep: the set of features with the largest joint information $I(\{X_i\}_{i \in S}; Y)$.
//!
//! The joint code of a set takes as many values as the rows show, so the estimate soon saturates:
//! this is a reference for a few discrete features, not a method for many.

use super::{MutualInformation, Ranking, Similarity};
use crate::data::ClassLabels;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Most features for which all subsets are tried.
pub const EXHAUSTIVE_LIMIT: usize = 20;

/// How the set is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DependencySearch {
    /// One feature after the other. The default.
    #[default]
    Greedy,
    /// All sets; at most [`EXHAUSTIVE_LIMIT`] features.
    Exhaustive,
}

/// Joint information of sets of discretised features with the class.
#[derive(Debug)]
pub struct MaxDependency {
    codes: Vec<Vec<u32>>,
    classes: Vec<u32>,
}

impl MaxDependency {
    /// Takes the discrete features of a fitted similarity.
    pub fn new(information: &MutualInformation, labels: &ClassLabels) -> Result<Self> {
        let codes: Vec<Vec<u32>> = (0..information.n_features())
            .map(|f| information.codes(f))
            .collect();
        if let Some(column) = codes.first()
            && column.len() != labels.len()
        {
            return Err(Error::Shape {
                what: "targets",
                expected: column.len(),
                found: labels.len(),
            });
        }
        Ok(Self {
            codes,
            classes: labels.codes().to_vec(),
        })
    }

    /// Codes of the rows by a set and one more feature.
    fn refine(&self, joint: &[u32], feature: usize) -> Vec<u32> {
        let mut seen: HashMap<(u32, u32), u32> = HashMap::new();
        joint
            .iter()
            .zip(&self.codes[feature])
            .map(|(&code, &value)| {
                let next = seen.len() as u32;
                *seen.entry((code, value)).or_insert(next)
            })
            .collect()
    }

    fn information(&self, joint: &[u32]) -> f64 {
        let n = joint.len() as f64;
        let size = |codes: &[u32]| codes.iter().max().map_or(0, |&code| code as usize + 1);
        let (cells, classes) = (size(joint), size(&self.classes));
        let mut table = vec![0u32; cells * classes];
        for (&code, &class) in joint.iter().zip(&self.classes) {
            table[code as usize * classes + class as usize] += 1;
        }
        let term = |count: f64| if count > 0.0 { count * count.ln() } else { 0.0 };
        let mut total = term(n);
        for row in table.chunks_exact(classes.max(1)) {
            total -= term(f64::from(row.iter().sum::<u32>()));
            total += row.iter().map(|&count| term(f64::from(count))).sum::<f64>();
        }
        for class in 0..classes {
            let column: u32 = (0..cells).map(|code| table[code * classes + class]).sum();
            total -= term(f64::from(column));
        }
        (total / n).max(0.0)
    }

    /// Joint information of a set of features with the class.
    pub fn joint_information(&self, features: &[usize]) -> f64 {
        let mut joint = vec![0; self.classes.len()];
        for &f in features {
            joint = self.refine(&joint, f);
        }
        self.information(&joint)
    }

    /// The features of a set of at most `count` with large joint information, in the order in which
    /// they raise it most; scores are the joint information reached.
    pub fn rank(&self, search: DependencySearch, count: usize) -> Result<Ranking> {
        match search {
            DependencySearch::Greedy => Ok(self.greedy(count)),
            DependencySearch::Exhaustive => {
                let (set, _) = self.exhaustive(count)?;
                Ok(self.greedy_among(set, count))
            }
        }
    }

    /// Adds, `count` times, the feature that raises the joint information most; the score of each
    /// is the joint information reached. Equal ones by index.
    pub fn greedy(&self, count: usize) -> Ranking {
        self.greedy_among((0..self.codes.len()).collect(), count)
    }

    fn greedy_among(&self, mut open: Vec<usize>, count: usize) -> Ranking {
        let mut ranking = Ranking::default();
        let mut joint = vec![0; self.classes.len()];
        while ranking.len() < count && !open.is_empty() {
            let mut best: Option<(usize, f64, Vec<u32>)> = None;
            for (at, &f) in open.iter().enumerate() {
                let refined = self.refine(&joint, f);
                let information = self.information(&refined);
                // Differences in the last bits are no reason to prefer a later feature.
                if best.as_ref().is_none_or(|b| information > b.1 + 1e-12) {
                    best = Some((at, information, refined));
                }
            }
            let Some((at, information, refined)) = best else {
                break;
            };
            ranking.push(open.remove(at), information);
            joint = refined;
        }
        ranking
    }

    /// The set of `count` features with the largest joint information, by trying all.
    pub fn exhaustive(&self, count: usize) -> Result<(Vec<usize>, f64)> {
        let n = self.codes.len();
        if n > EXHAUSTIVE_LIMIT {
            return Err(Error::Shape {
                what: "features for an exhaustive search (at most)",
                expected: EXHAUSTIVE_LIMIT,
                found: n,
            });
        }
        let mut best = (Vec::new(), f64::NEG_INFINITY);
        let start = vec![0; self.classes.len()];
        self.descend(0, count.min(n), &start, &mut Vec::new(), &mut best);
        Ok(best)
    }

    fn descend(
        &self,
        from: usize,
        left: usize,
        joint: &[u32],
        chosen: &mut Vec<usize>,
        best: &mut (Vec<usize>, f64),
    ) {
        if left == 0 {
            let information = self.information(joint);
            if information > best.1 + 1e-12 {
                *best = (chosen.clone(), information);
            }
            return;
        }
        for f in from..=self.codes.len() - left {
            chosen.push(f);
            self.descend(f + 1, left - 1, &self.refine(joint, f), chosen, best);
            chosen.pop();
        }
    }
}
