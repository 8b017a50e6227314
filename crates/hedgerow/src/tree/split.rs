//! The hyperplane of one node.

use super::grouping::groupings;
use super::impurity::best_cut;
use super::node_rows::NodeRows;
use super::{Coefficients, HlsvmParams, LambdaRule, NodeSolver, Threshold, Weighting};
use crate::data::{Generator, SamplesView};
use crate::linalg::{hyperplane_value, stride_of};
use crate::solve::dual_coordinate::{DualLimits, DualProblem, solve};
use crate::solve::split_pegasos::split_pegasos;
use crate::solve::{LinearRows, Precision};
use crate::{Result, Status};

/// Beyond this a cost makes no difference, and sums of dual variables would overflow.
const MAX_COST: f64 = 1e12;

/// What a tree is grown on.
pub(super) struct Ground<'a> {
    pub(super) view: SamplesView<'a>,
    /// Class of each row.
    pub(super) codes: &'a [u32],
    /// Weight of each row; `None` for 1.
    pub(super) masses: Option<&'a [f64]>,
    pub(super) n_classes: usize,
    /// The class that wins a tie at the root.
    pub(super) positive: u32,
    pub(super) params: &'a HlsvmParams,
    /// Rows of the root.
    pub(super) n_rows: usize,
    /// $\lambda$ of the root.
    pub(super) lambda: f64,
    /// $\delta$.
    pub(super) min_share: f64,
    /// Features that a node may use.
    pub(super) features_per_node: usize,
}

impl Ground<'_> {
    pub(super) fn mass(&self, row: u32) -> f64 {
        self.masses.map_or(1.0, |masses| masses[row as usize])
    }

    /// Mass of each class among some rows.
    pub(super) fn masses_of(&self, rows: &[u32]) -> Vec<f64> {
        let mut masses = vec![0.0; self.n_classes];
        for &i in rows {
            masses[self.codes[i as usize] as usize] += self.mass(i);
        }
        masses
    }
}

/// A hyperplane and what it does to the rows of its node.
#[derive(Debug, Clone)]
pub(super) struct Plane {
    /// Weights, filled up with zeros to whole lanes.
    pub(super) weights: Vec<f64>,
    pub(super) bias: f64,
    /// The $\lambda$ that it was found with.
    pub(super) lambda: f64,
    pub(super) gain: f64,
}

impl Plane {
    /// True for rows above.
    pub(super) fn is_above(&self, view: SamplesView<'_>, row: u32) -> bool {
        hyperplane_value(&self.weights, self.bias, view.row(row as usize)) > 0.0
    }
}

/// Work done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) status: Status,
    pub(super) iterations: u64,
}

impl Effort {
    pub(super) const NONE: Self = Self {
        status: Status::Converged,
        iterations: 0,
    };

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            status: self.status.and(other.status),
            iterations: self.iterations + other.iterations,
        }
    }
}

/// The rows of a node, ready for its solver.
pub(super) struct NodeProblem<'a> {
    ground: &'a Ground<'a>,
    /// All rows of the node, which the split is judged by.
    rows: &'a [u32],
    /// The rows that the hyperplane is trained on.
    sample: Vec<u32>,
    local: NodeRows,
    seed: u64,
}

impl<'a> NodeProblem<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, rows: &'a [u32], seed: u64) -> Result<Self> {
        let mut generator = Generator::new(seed);
        let params = ground.params;
        let sample = match params.node_rows {
            Some(most) if most < rows.len() => {
                let picked = generator.sample(rows.len(), most);
                picked.into_iter().map(|at| rows[at]).collect()
            }
            _ => rows.to_vec(),
        };
        let n_features = ground.view.n_features();
        let features = (ground.features_per_node < n_features).then(|| {
            let picked = generator.sample(n_features, ground.features_per_node);
            picked.into_iter().map(|f| f as u32).collect()
        });
        let local = NodeRows::copy(ground.view, &sample, features, params.frame)?;
        Ok(Self {
            ground,
            rows,
            sample,
            local,
            seed: generator.bits(),
        })
    }

    /// The best hyperplane that the parameters lead to, searched from `lambda`; `None` if no
    /// candidate tells rows apart.
    pub(super) fn best_plane(&self, lambda: f64) -> Result<(Option<Plane>, Effort)> {
        let packed = LinearRows::pack(self.local.samples.view(), Precision::Fitting)?;
        let masses = self.ground.masses_of(&self.sample);
        let mut effort = Effort::NONE;
        let mut best: Option<Plane> = None;
        let found = groupings(
            self.local.samples.view(),
            &self.codes(),
            &masses,
            self.ground.positive,
        );
        for side_of_class in found {
            let Some(trial) = Trial::new(self, &packed, &side_of_class) else {
                continue;
            };
            let (plane, spent) = trial.search(lambda);
            effort = effort.and(spent);
            if best.as_ref().is_none_or(|best| plane.gain > best.gain) {
                best = Some(plane);
            }
        }
        Ok((best, effort))
    }

    fn codes(&self) -> Vec<u32> {
        let codes = self.sample.iter();
        codes.map(|&i| self.ground.codes[i as usize]).collect()
    }
}

/// A node with its classes put into two groups.
struct Trial<'a> {
    node: &'a NodeProblem<'a>,
    packed: &'a LinearRows<'a>,
    signs: Vec<f64>,
    /// $\nu_i$.
    weights: Vec<f64>,
}

impl<'a> Trial<'a> {
    /// `None` if the rows to train on are all on one side.
    fn new(
        node: &'a NodeProblem<'a>,
        packed: &'a LinearRows<'a>,
        side_of_class: &[f64],
    ) -> Option<Self> {
        let ground = node.ground;
        let signs: Vec<f64> = node
            .sample
            .iter()
            .map(|&i| side_of_class[ground.codes[i as usize] as usize])
            .collect();
        let (mut above, mut below) = (0.0, 0.0);
        for (&i, &sign) in node.sample.iter().zip(&signs) {
            *(if sign > 0.0 { &mut above } else { &mut below }) += ground.mass(i);
        }
        if above <= 0.0 || below <= 0.0 {
            return None;
        }
        let weights = node
            .sample
            .iter()
            .zip(&signs)
            .map(|(&i, &sign)| match ground.params.weighting {
                Weighting::Balanced => {
                    ground.mass(i) / (2.0 * if sign > 0.0 { above } else { below })
                }
                Weighting::Uniform => ground.mass(i) / (above + below),
            })
            .collect();
        Some(Self {
            node,
            packed,
            signs,
            weights,
        })
    }

    /// Walks to a $\lambda$ whose hyperplane gains more, ten times larger or smaller at a step.
    fn search(&self, lambda: f64) -> (Plane, Effort) {
        let (mut best, mut effort) = self.plane(lambda);
        let mut left = self.node.ground.params.lambda_search;
        for factor in [0.1, 10.0] {
            let mut moved = false;
            while left > 0 {
                left -= 1;
                let (next, spent) = self.plane(best.lambda * factor);
                effort = effort.and(spent);
                if next.gain <= best.gain {
                    break;
                }
                best = next;
                moved = true;
            }
            // What is better in one direction is not looked for in the other.
            if moved {
                break;
            }
        }
        (best, effort)
    }

    /// The hyperplane of one $\lambda$.
    fn plane(&self, lambda: f64) -> (Plane, Effort) {
        let ground = self.node.ground;
        let n = self.signs.len() as f64;
        let node_lambda = match ground.params.lambda_rule {
            LambdaRule::Constant => lambda,
            LambdaRule::BySize => lambda * ground.n_rows as f64 / self.node.rows.len() as f64,
        };
        let (local, bias, effort) = match &ground.params.solver {
            NodeSolver::Dcd {
                tolerance,
                max_passes,
            } => {
                let costs: Vec<f64> = self
                    .weights
                    .iter()
                    .map(|weight| (weight / (node_lambda * n)).min(MAX_COST))
                    .collect();
                let problem = DualProblem {
                    rows: self.packed,
                    members: None,
                    signs: &self.signs,
                    costs: &costs,
                    loss: ground.params.loss,
                    bias: Some(1.0),
                    start: None,
                };
                let limits = DualLimits {
                    tolerance: *tolerance,
                    max_passes: *max_passes,
                    seed: self.node.seed,
                    ..DualLimits::default()
                };
                let solved = solve(&problem, &limits);
                let effort = Effort {
                    status: ground.params.solver.judged(solved.status),
                    iterations: u64::from(solved.passes),
                };
                (solved.weights, solved.intercept, effort)
            }
            NodeSolver::Pegasos(params) => {
                let mut generator = Generator::new(self.node.seed);
                let solved = split_pegasos(
                    self.packed,
                    &self.signs,
                    &self.weights,
                    node_lambda,
                    params,
                    &mut generator,
                );
                let effort = Effort {
                    status: solved.status,
                    iterations: solved.steps,
                };
                (solved.weights, solved.bias, effort)
            }
        };
        let mut weights = vec![0.0; stride_of(ground.view.n_features())];
        let bias = self.node.local.unfold(&local, bias, &mut weights);
        if ground.params.coefficients == Coefficients::Single {
            for weight in &mut weights {
                *weight = f64::from(*weight as f32);
            }
        }
        let mut plane = Plane {
            weights,
            bias,
            lambda,
            gain: 0.0,
        };
        self.judge(&mut plane);
        (plane, effort)
    }

    /// Places the hyperplane, if that is asked for, and says what it gains.
    fn judge(&self, plane: &mut Plane) {
        let ground = self.node.ground;
        let rows = self.node.rows;
        if ground.params.threshold == Threshold::BestGain {
            let mut values: Vec<(f64, u32, f64)> = rows
                .iter()
                .map(|&i| {
                    let row = ground.view.row(i as usize);
                    let value = hyperplane_value(&plane.weights, plane.bias, row);
                    (value, ground.codes[i as usize], ground.mass(i))
                })
                .collect();
            values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some((cut, _)) = best_cut(ground.params.impurity, &values, ground.n_classes) {
                plane.bias -= cut;
            }
        }
        let mut below = vec![0.0; ground.n_classes];
        let mut above = vec![0.0; ground.n_classes];
        let mut counts = [0usize; 2];
        for &i in rows {
            let side = plane.is_above(ground.view, i);
            counts[usize::from(side)] += 1;
            let masses = if side { &mut above } else { &mut below };
            masses[ground.codes[i as usize] as usize] += ground.mass(i);
        }
        // A split without rows on one side is none, whatever rounding says of its gain.
        plane.gain = if counts.contains(&0) {
            0.0
        } else {
            ground.params.impurity.gain(&below, &above)
        };
    }
}
