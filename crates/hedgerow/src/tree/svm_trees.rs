//! SVM-Trees: a cascade of linear SVMs, each of which takes one class's rows out of the way.
//!
//! A node finds for either class $c$ a hyperplane that leaves all rows of $c$ on one side, so that
//! the other side is pure; the class whose hyperplane removes more rows is chosen, the pure side
//! becomes a leaf, and the rest goes on. The cascade ends when a side can no longer be removed in
//! worthwhile numbers, or at a limit, with an ordinary linear SVM.
//!
//! The hyperplane for class $c$ solves
//! $$\min_{w,b} \tfrac12\|w\|^2 + C \sum_{y_i \ne c} \xi_i \quad\text{with no slack for } y_i = c,$$
//! here with slack at a price $10^3 C$ for $c$, after which the hyperplane is moved along its normal until
//! no row of $c$ is on the other side: the pure side is pure whatever the solver left undone. The
//! method is known from its description alone; this is a reconstruction.

use super::Coefficients;
use super::compiled::Tree;
use super::fit::{ensure_addressable, pair_codes, present_classes, task_seed};
use super::grow::{GrownNode, GrownSplit, depth_first, heaviest};
use super::model::{Council, LinearTrees, TreeParts};
use super::split::{Effort, Plane};
use crate::data::{Dataset, SamplesView, without_weightless_rows};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::linalg::{hyperplane_value, stride_of};
use crate::machines::pairs;
use crate::parallel::{Grain, try_map};
use crate::solve::dual_coordinate::{DualLimits, DualProblem, HingeLoss, solve};
use crate::solve::{LinearRows, Precision};
use crate::{Fitted, Report, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How much more a violated margin costs for the class that must stay on its side.
const FIRMNESS: f64 = 1e3;

/// Parameters of SVM-Trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvmTreesParams {
    /// Price of a violated margin, C; 1 by default.
    pub cost: f64,
    /// Most hyperplanes of a cascade; 16 by default.
    pub max_nodes: usize,
    /// A node that removes a smaller share of its rows ends the cascade; 0.01 by default.
    pub min_removed: f64,
    /// Largest range of projected gradients that is accepted; 0.01 by default.
    pub tolerance: f64,
    /// Most passes over the rows of a node; 3000 by default.
    pub max_passes: u32,
    /// Seed of the order of visits; 0 by default.
    pub seed: u64,
}

impl Default for SvmTreesParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            max_nodes: 16,
            min_removed: 0.01,
            tolerance: 0.01,
            max_passes: 3000,
            seed: 0,
        }
    }
}

/// Rows of a cascade: packed for the solver, and as they are for the sides.
struct Cascade<'a> {
    params: &'a SvmTreesParams,
    view: SamplesView<'a>,
    packed: &'a LinearRows<'a>,
    codes: &'a [u32],
    masses: Option<&'a [f64]>,
    seed: u64,
}

impl SvmTreesParams {
    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        ensure_positive("max_nodes", self.max_nodes as f64)?;
        ensure_not_negative("min_removed", self.min_removed)?;
        ensure_not_negative("tolerance", self.tolerance)?;
        ensure_positive("max_passes", f64::from(self.max_passes))
    }

    /// Trains on the rows with a positive weight; more than two classes one-vs-one.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearTrees>> {
        self.check()?;
        let start = Instant::now();
        let data = without_weightless_rows(data)?;
        ensure_addressable(&data)?;
        let labels = data.classes()?;
        let k = labels.n_classes();
        let view = data.samples().view();
        let packed = LinearRows::pack(view, Precision::Fitting)?;
        let all: Vec<u32> = (0..data.n_rows() as u32).collect();
        let council = if present_classes(labels) > 2 {
            Council::OneVsOne
        } else {
            Council::Single
        };
        let cascade = |codes: &[u32], rows: Vec<u32>, n_classes: usize, seed: u64| {
            let cascade = Cascade {
                params: self,
                view,
                packed: &packed,
                codes,
                masses: data.weights(),
                seed,
            };
            let (nodes, effort) = cascade.build(rows, n_classes);
            let width = data.n_features();
            let tree = Tree::compile(&nodes, width, n_classes, Coefficients::Double, 1.0)?;
            Ok((tree, effort))
        };
        let built: Vec<(Tree, Effort)> = match council {
            Council::OneVsOne => {
                let pairs: Vec<_> = pairs(k).collect();
                try_map(pairs.len(), Grain::ONE, &|number| {
                    let (codes, members) = pair_codes(labels.codes(), &all, pairs[number]);
                    cascade(&codes, members, 2, task_seed(self.seed, number))
                })?
            }
            _ => vec![cascade(labels.codes(), all, k, self.seed)?],
        };
        let effort = built
            .iter()
            .fold(Effort::NONE, |sum, (_, effort)| sum.and(*effort));
        let model = LinearTrees::from_parts(TreeParts {
            classes: labels.names().to_vec(),
            n_features: data.n_features(),
            council,
            trees: built.into_iter().map(|(tree, _)| tree).collect(),
            calibrated: false,
            pruning: Vec::new(),
        })?;
        let report = Report {
            status: effort.status,
            iterations: effort.iterations,
            seconds: start.elapsed().as_secs_f64(),
            ..Report::trivial()
        };
        Ok(Fitted::new(model, report))
    }
}

impl Cascade<'_> {
    fn mass(&self, row: u32) -> f64 {
        self.masses.map_or(1.0, |masses| masses[row as usize])
    }

    fn leaf(&self, rows: &[u32], n_classes: usize, favourite: u32) -> GrownNode {
        let mut masses = vec![0.0; n_classes];
        for &i in rows {
            masses[self.codes[i as usize] as usize] += self.mass(i);
        }
        GrownNode {
            label: heaviest(&masses, favourite),
            masses,
            n_rows: rows.len(),
            split: None,
        }
    }

    fn build(&self, mut rows: Vec<u32>, n_classes: usize) -> (Vec<GrownNode>, Effort) {
        let mut nodes = vec![self.leaf(&rows, n_classes, 0)];
        let mut effort = Effort::NONE;
        let mut place = 0;
        for number in 0..self.params.max_nodes {
            let present: Vec<u32> = (0u32..)
                .zip(&nodes[place].masses)
                .filter(|(_, mass)| **mass > 0.0)
                .map(|(class, _)| class)
                .collect();
            let [first, second] = present[..] else {
                break;
            };
            let (ordinary, spent) = self.plane(&rows, first, None);
            effort = effort.and(spent);
            let separates = rows
                .iter()
                .all(|&i| ordinary.is_above(self.view, i) == (self.codes[i as usize] == first));
            let mut chosen = None;
            if !separates && number + 1 < self.params.max_nodes {
                for kept in [first, second] {
                    let (plane, spent) = self.plane(&rows, kept, Some(()));
                    effort = effort.and(spent);
                    let removed = rows
                        .iter()
                        .filter(|&&i| !plane.is_above(self.view, i))
                        .count();
                    if chosen.as_ref().is_none_or(|&(_, most)| removed > most) {
                        chosen = Some((plane, removed));
                    }
                }
            }
            let worthwhile = self.params.min_removed * rows.len() as f64;
            let (plane, is_last) = match chosen {
                Some((plane, removed))
                    if removed > 0 && removed < rows.len() && removed as f64 >= worthwhile =>
                {
                    (plane, false)
                }
                _ => (ordinary, true),
            };
            let (above, below): (Vec<u32>, Vec<u32>) = rows
                .iter()
                .partition(|&&row| plane.is_above(self.view, row));
            if above.is_empty() || below.is_empty() {
                break;
            }
            let label = nodes[place].label;
            let next = nodes.len();
            nodes.push(self.leaf(&below, n_classes, label));
            nodes.push(self.leaf(&above, n_classes, label));
            nodes[place].split = Some(GrownSplit {
                plane,
                below: next,
                above: next + 1,
            });
            if is_last {
                break;
            }
            place = next + 1;
            rows = above;
        }
        (depth_first(nodes.into_iter().map(Some).collect()), effort)
    }

    /// The hyperplane with the rows of `above` above; with `firm` all of them.
    fn plane(&self, rows: &[u32], above: u32, firm: Option<()>) -> (Plane, Effort) {
        let signs: Vec<f64> = rows
            .iter()
            .map(|&i| {
                if self.codes[i as usize] == above {
                    1.0
                } else {
                    -1.0
                }
            })
            .collect();
        let costs: Vec<f64> = rows
            .iter()
            .zip(&signs)
            .map(|(&i, &sign)| {
                let factor = if firm.is_some() && sign > 0.0 {
                    FIRMNESS
                } else {
                    1.0
                };
                self.params.cost * factor * self.mass(i)
            })
            .collect();
        let problem = DualProblem {
            rows: self.packed,
            members: Some(rows),
            signs: &signs,
            costs: &costs,
            loss: HingeLoss::Hinge,
            bias: Some(1.0),
            start: None,
        };
        let limits = DualLimits {
            tolerance: self.params.tolerance,
            max_passes: self.params.max_passes,
            seed: self.seed,
            ..DualLimits::default()
        };
        let solved = solve(&problem, &limits);
        let mut plane = Plane {
            weights: solved.weights,
            bias: solved.intercept,
            lambda: 0.0,
            gain: 0.0,
        };
        plane.weights.resize(stride_of(self.view.n_features()), 0.0);
        if firm.is_some() {
            let lowest = rows
                .iter()
                .zip(&signs)
                .filter(|(_, sign)| **sign > 0.0)
                .map(|(&i, _)| {
                    hyperplane_value(&plane.weights, plane.bias, self.view.row(i as usize))
                })
                .fold(f64::INFINITY, f64::min);
            // A little more than needed, so that rounding cannot put the lowest row below.
            let slack = 1e-9 * (1.0 + plane.bias.abs());
            if lowest.is_finite() {
                plane.bias += slack - lowest;
            }
        }
        let effort = Effort {
            status: solved.status,
            iterations: u64::from(solved.passes),
        };
        (plane, effort)
    }
}
