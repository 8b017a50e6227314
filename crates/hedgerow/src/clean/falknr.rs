//! FaLKNR: a row stays if the local machine of its core gives its own label.
//!
//! $$X' = \{x_i : \mathrm{FaLK}(x_i) = y_i\},$$
//! where FaLK-SVM is trained on $X$ itself and $x_i$ is answered by the machine of the centre that it
//! belongs to: no search is needed, and one machine judges its whole core. The row takes part in
//! the training of its judge, which speaks in its favour.
//!
//! | document | here |
//! |---|---|
//! | $k$, $k'$ | [`FalkNrParams::neighbours`], [`FalkNrParams::core`] |
//! | $C$, $\sigma$ | [`FalkNrParams::local`] |
//! | local model selection, $C \in \{1, 10, 100\}$ | [`FalkNrParams::select`] |
//!
//! The larger $C$, the more a row holds its own place, whatever its label. So selection takes the
//! smallest $C$ that is as good as the best within one standard error: a larger one has to be
//! clearly better.

use super::edit::{Edit, EditorCard, Purpose, editor};
use super::knn_svm_nr::opinion;
use crate::Result;
use crate::data::Dataset;
use crate::local::{FalkGrid, FalkParams, LocalSvmParams};
use crate::neighbours::CoverTreeParams;
use crate::params::params;
use serde::{Deserialize, Serialize};

/// The values of C that local model selection tries.
const COSTS: [f64; 3] = [1.0, 10.0, 100.0];

/// Parameters of FaLKNR.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalkNrParams {
    /// Rows of a neighbourhood, k; at most all rows.
    #[param(
        least = 1,
        short = 'K',
        alias = "k",
        unless = "a tenth of the rows, from 100 to 1000",
        tunable
    )]
    pub neighbours: Option<usize>,
    /// Share of a neighbourhood that its centre judges, k'/k.
    #[param(default = 0.25, above = 0.0, most = 1.0, short = 'P', tunable)]
    pub core: f64,
    /// Choose C from 1, 10 and 100 by local model selection: the smallest that is within one standard
    /// error of the best.
    #[param(default = false, switch = 'L')]
    pub select: bool,
    /// How the machine of a neighbourhood is trained.
    #[param(flatten)]
    pub local: LocalSvmParams,
    /// What local model selection tries in place of the values of C.
    #[param(skip)]
    pub grid: Option<FalkGrid>,
    /// The cover tree whose levels order the centres.
    #[param(skip)]
    pub tree: CoverTreeParams,
}

impl FalkNrParams {
    /// FaLK-SVM as it judges so many rows.
    pub fn machine(&self, n_rows: usize) -> FalkParams {
        FalkParams {
            // The document's 1000 is for large sets: of few rows it would be most of them.
            neighbours: self.neighbours.unwrap_or((n_rows / 10).clamp(100, 1000)),
            core: self.core,
            local: self.local.clone(),
            tree: self.tree,
            ..FalkParams::default()
        }
    }

    /// The smallest cost that local model selection finds as good as the best within one standard
    /// error.
    fn smallest_good_cost(&self, data: &Dataset) -> Result<f64> {
        let machine = self.machine(data.n_rows());
        let grid = FalkGrid::default()
            .with_neighbours(&[machine.neighbours])
            .with_costs(&COSTS)
            .with_kernels(vec![self.local.solver.kernel.clone()]);
        let (_, found) = machine.select(data, &grid)?;
        let best = &found.candidates[found.best];
        let enough = best.score - best.deviation / (found.rows.len() as f64).sqrt();
        let good = found.candidates.iter().filter(|one| one.score >= enough);
        Ok(good.map(|one| one.cost).fold(best.cost, f64::min))
    }

    fn decide(&self, data: &Dataset) -> Result<Edit> {
        let codes = data.classes()?.codes();
        let mut machine = self.machine(data.n_rows());
        if let Some(grid) = &self.grid {
            machine = machine.select(data, grid)?.0;
        } else if self.select {
            machine.local.cost = self.smallest_good_cost(data)?;
        }
        let fitted = machine.fit(data)?;
        let judged = fitted.model.judge(codes)?;
        let pairs = judged.iter().zip(codes);
        let keep = pairs
            .map(|(judgement, &own)| judgement.class == own)
            .collect();
        let mut edit = Edit::keeping(keep)
            .with_opinions(judged.iter().map(opinion).collect())
            .with_fact("cost", machine.local.cost)
            .with_fact("neighbours", machine.neighbours as f64)
            .with_fact("local_models", fitted.model.centres().len() as f64);
        edit.status = fitted.report.status;
        Ok(edit)
    }
}

editor!(
    FalkNrParams,
    [EditorCard {
        name: "falknr",
        about: "FaLKNR: keep rows to which the local SVM of their core gives their own label",
        purpose: Purpose::Clean,
        preset: &[("probability", "0"), ("epsilon", "0.1")],
        python: "FaLKNR",
    }]
);
