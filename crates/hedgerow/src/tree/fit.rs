//! Training: from a data set to trees.

use super::compiled::Tree;
use super::grow::{GrownNode, grow};
use super::model::{Council, LinearTrees, TreeParts};
use super::prune::{PruningStep, prune};
use super::split::{Effort, Ground};
use super::{HlsvmParams, TreeMulticlass};
use crate::data::{
    ClassLabels, Dataset, Generator, Row, SamplesView, stratified_folds, without_weightless_rows,
};
use crate::machines::pairs;
use crate::parallel::{Grain, try_map};
use crate::{Error, Fitted, Report, Result};
use std::time::Instant;

/// Mass of the parent's shares in the probabilities of a leaf unless it is calibrated.
const SMOOTHING: f64 = 1.0;

/// Masses that calibration chooses from.
const SMOOTHINGS: [f64; 9] = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];

/// Folds of the calibration.
const FOLDS: usize = 3;

/// Rows and classes of one tree.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) view: SamplesView<'a>,
    /// Class of each row of the view.
    pub(super) codes: &'a [u32],
    pub(super) masses: Option<&'a [f64]>,
    pub(super) n_classes: usize,
    pub(super) positive: u32,
}

/// A tree with the work it took.
struct Planted {
    tree: Tree,
    steps: Vec<PruningStep>,
    effort: Effort,
}

impl HlsvmParams {
    /// Trains on the rows with a positive weight.
    ///
    /// # Errors
    /// Parameters out of range, no rows, targets that are not classes, or values whose squares
    /// overflow.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<LinearTrees>> {
        self.check()?;
        let start = Instant::now();
        let data = without_weightless_rows(data)?;
        ensure_addressable(&data)?;
        let labels = data.classes()?;
        let council = match (&self.forest, self.multiclass, present_classes(labels)) {
            (_, TreeMulticlass::OneVsOne, 3..) => Council::OneVsOne,
            (Some(_), _, _) => Council::Forest,
            (None, _, _) => Council::Single,
        };
        let all: Vec<u32> = (0..data.n_rows() as u32).collect();
        let planted = self.plant_all(&data, labels, council, &all)?;
        let effort = planted
            .iter()
            .fold(Effort::NONE, |sum, one| sum.and(one.effort));
        let steps = match &planted[..] {
            [only] if council == Council::Single => only.steps.clone(),
            _ => Vec::new(),
        };
        let mut trees: Vec<Tree> = planted.into_iter().map(|one| one.tree).collect();
        if self.probability && labels.len() >= FOLDS {
            let smoothing = self.calibrate(&data, labels, council)?;
            for tree in &mut trees {
                tree.set_smoothing(smoothing);
            }
        }
        let model = LinearTrees::from_parts(TreeParts {
            classes: labels.names().to_vec(),
            n_features: data.n_features(),
            council,
            trees,
            calibrated: self.probability && labels.len() >= FOLDS,
            pruning: steps,
        })?;
        let report = Report {
            status: effort.status,
            iterations: effort.iterations,
            seconds: start.elapsed().as_secs_f64(),
            ..Report::trivial()
        };
        Ok(Fitted::new(model, report))
    }

    /// The trees of a council, on some of the rows.
    fn plant_all(
        &self,
        data: &Dataset,
        labels: &ClassLabels,
        council: Council,
        rows: &[u32],
    ) -> Result<Vec<Planted>> {
        let task = Task {
            view: data.samples().view(),
            codes: labels.codes(),
            masses: data.weights(),
            n_classes: labels.n_classes(),
            positive: labels.positive(),
        };
        match council {
            Council::Single | Council::Forest => self.plant_together(task, rows, self.seed),
            Council::OneVsOne => {
                let pairs: Vec<_> = pairs(labels.n_classes()).collect();
                let groups: Vec<Vec<Planted>> = try_map(pairs.len(), Grain::ONE, &|number| {
                    let (codes, members) = pair_codes(labels.codes(), rows, pairs[number]);
                    let task = Task {
                        codes: &codes,
                        n_classes: 2,
                        positive: 0,
                        ..task
                    };
                    self.plant_together(task, &members, task_seed(self.seed, number))
                })?;
                Ok(groups.into_iter().flatten().collect())
            }
        }
    }

    /// One tree, or as many as the forest has, each on some of the rows.
    fn plant_together(&self, task: Task<'_>, rows: &[u32], seed: u64) -> Result<Vec<Planted>> {
        let Some(forest) = &self.forest else {
            return Ok(vec![self.plant(task, rows.to_vec(), seed)?]);
        };
        try_map(forest.trees, Grain::ONE, &|number| {
            let mut generator = Generator::new(task_seed(seed, number));
            let count = (rows.len() as f64 * forest.row_share).round() as usize;
            let count = count.max(1).min(rows.len());
            let mut drawn: Vec<u32> = if forest.bootstrap {
                (0..count)
                    .map(|_| rows[generator.below(rows.len())])
                    .collect()
            } else {
                let picked = generator.sample(rows.len(), count);
                picked.into_iter().map(|at| rows[at]).collect()
            };
            drawn.sort_unstable();
            self.plant(task, drawn, generator.bits())
        })
    }

    /// Grows one tree and prunes it.
    fn plant(&self, task: Task<'_>, rows: Vec<u32>, seed: u64) -> Result<Planted> {
        let (growing, held_out) = self.hold_out(&task, rows, seed);
        let n_features = task.view.n_features();
        let share = self.forest.as_ref().map_or(1.0, |f| f.feature_share);
        let ground = Ground {
            view: task.view,
            codes: task.codes,
            masses: task.masses,
            n_classes: task.n_classes,
            positive: task.positive,
            params: self,
            n_rows: growing.len(),
            lambda: self.lambda_for(growing.len()),
            min_share: self.min_share_for(growing.len()),
            features_per_node: ((n_features as f64 * share).ceil() as usize)
                .clamp(1.min(n_features), n_features),
        };
        let (mut nodes, effort) = grow(&ground, growing, seed)?;
        let mut steps = Vec::new();
        if !held_out.is_empty() {
            let (wrong, total) = holdout_errors(&ground, &nodes, &held_out);
            (nodes, steps) = prune(&nodes, &wrong, total);
        }
        let tree = Tree::compile(
            &nodes,
            n_features,
            task.n_classes,
            self.coefficients,
            SMOOTHING,
        )?;
        Ok(Planted {
            tree,
            steps,
            effort,
        })
    }

    /// Parts the rows into those that grow the tree and those that choose how far it is pruned,
    /// each class in the same proportion.
    fn hold_out(&self, task: &Task<'_>, rows: Vec<u32>, seed: u64) -> (Vec<u32>, Vec<u32>) {
        if self.holdout <= 0.0 {
            return (rows, Vec::new());
        }
        let mut generator = Generator::for_task(seed, 1);
        let mut is_held_out = vec![false; rows.len()];
        for class in 0..task.n_classes {
            let members: Vec<usize> = (0..rows.len())
                .filter(|&at| task.codes[rows[at] as usize] as usize == class)
                .collect();
            let count = (members.len() as f64 * self.holdout).round() as usize;
            // The tree must know every class.
            let count = count.min(members.len().saturating_sub(1));
            for at in generator.sample(members.len(), count) {
                is_held_out[members[at]] = true;
            }
        }
        let (mut growing, mut held_out) = (Vec::new(), Vec::new());
        for (&row, &out) in rows.iter().zip(&is_held_out) {
            (if out { &mut held_out } else { &mut growing }).push(row);
        }
        (growing, held_out)
    }

    /// The smoothing with which trees grown on two thirds of the rows give the other third the
    /// largest likelihood.
    fn calibrate(&self, data: &Dataset, labels: &ClassLabels, council: Council) -> Result<f64> {
        let mut losses = [0.0; SMOOTHINGS.len()];
        for fold in stratified_folds(labels, FOLDS, self.seed)? {
            let rows: Vec<u32> = fold.train.iter().map(|&i| i as u32).collect();
            let planted = self.plant_all(data, labels, council, &rows)?;
            let mut model = LinearTrees::from_parts(TreeParts {
                classes: labels.names().to_vec(),
                n_features: data.n_features(),
                council,
                trees: planted.into_iter().map(|one| one.tree).collect(),
                calibrated: false,
                pruning: Vec::new(),
            })?;
            for (loss, &smoothing) in losses.iter_mut().zip(&SMOOTHINGS) {
                model.set_smoothing(smoothing);
                for &i in &fold.test {
                    let p = model.row_probabilities(data.samples().view().row(i));
                    let mass = data.weights().map_or(1.0, |weights| weights[i]);
                    *loss -= mass * p[labels.codes()[i] as usize].max(1e-15).ln();
                }
            }
        }
        let best = (0..SMOOTHINGS.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]));
        Ok(best.map_or(SMOOTHING, |best| SMOOTHINGS[best]))
    }
}

/// Classes that have a row.
pub(super) fn present_classes(labels: &ClassLabels) -> usize {
    labels.counts().iter().filter(|&&count| count > 0).count()
}

/// Rows are numbered with 32 bits.
pub(super) fn ensure_addressable(data: &Dataset) -> Result<()> {
    if data.n_rows() > u32::MAX as usize {
        return Err(Error::Shape {
            what: "rows",
            expected: u32::MAX as usize,
            found: data.n_rows(),
        });
    }
    Ok(())
}

/// 0 for the first class of the pair and 1 for the second, and the rows of either.
pub(super) fn pair_codes(
    codes: &[u32],
    rows: &[u32],
    (first, second): (usize, usize),
) -> (Vec<u32>, Vec<u32>) {
    let local: Vec<u32> = codes
        .iter()
        .map(|&code| u32::from(code as usize == second))
        .collect();
    let members = rows
        .iter()
        .copied()
        .filter(|&i| {
            let code = codes[i as usize] as usize;
            code == first || code == second
        })
        .collect();
    (local, members)
}

/// Seed of tree number `number`.
pub(super) fn task_seed(seed: u64, number: usize) -> u64 {
    Generator::for_task(seed, number as u64).bits()
}

/// Held-out mass that each node would get wrong as a leaf, and all of it.
fn holdout_errors(ground: &Ground<'_>, nodes: &[GrownNode], rows: &[u32]) -> (Vec<f64>, f64) {
    let mut wrong = vec![0.0; nodes.len()];
    let mut total = 0.0;
    for &i in rows {
        let mass = ground.mass(i);
        total += mass;
        let mut at = 0;
        loop {
            if nodes[at].label != ground.codes[i as usize] {
                wrong[at] += mass;
            }
            match &nodes[at].split {
                Some(split) if split.plane.is_above(ground.view, i) => at = split.above,
                Some(split) => at = split.below,
                None => break,
            }
        }
    }
    (wrong, total)
}

impl LinearTrees {
    fn row_probabilities(&self, row: Row<'_>) -> Vec<f64> {
        let mut out = vec![0.0; self.class_count()];
        self.probabilities_into(row, &mut out);
        out
    }
}
