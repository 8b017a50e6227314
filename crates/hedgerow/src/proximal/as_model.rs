//! What proximal classifiers tell of themselves, and what they can do.

use super::chunk_model::ChunkModel;
use super::model::{Figures, ProximalModel};
use super::pencil::NARROW_GAP;
use crate::capability::{Facts, KeptRows, Update};
use crate::data::Dataset;
use crate::kernel::ROWS_OF_A_TASK;
use crate::machines::Multiclass;
use crate::params::Value;
use crate::{Error, Model, Result};

impl Model for ProximalModel {
    fn facts(&self) -> Facts {
        let mut facts: Facts = Vec::new();
        if self.is_linear() && matches!(self.figures(), Figures::Surfaces { .. }) {
            facts.push(("planes", self.expansion().machines.len().into()));
        } else {
            facts.push(("kernel", self.expansion().kernel.to_string().into()));
            facts.push(("support_vectors", self.n_centres().into()));
        }
        match self.figures() {
            Figures::Surfaces { facts: known, .. } => {
                let list = |take: fn(&super::SurfaceFacts) -> f64| -> Value {
                    known.iter().map(take).collect::<Vec<f64>>().into()
                };
                facts.push(("quotients", list(|one| one.quotient)));
                facts.push(("gaps", list(|one| one.gap)));
                facts.push((
                    "ridge",
                    known.iter().map(|one| one.ridge).fold(0.0, f64::max).into(),
                ));
            }
            Figures::Directions { ridges } => {
                let raised = ridges.iter().copied().fold(0.0, f64::max);
                facts.push(("ridge_raised", raised.into()));
            }
        }
        facts.push(("probability", self.is_calibrated().into()));
        facts
    }

    fn cautions(&self) -> Vec<String> {
        let Figures::Surfaces {
            squared_norms,
            facts,
        } = self.figures()
        else {
            return Vec::new();
        };
        let mut cautions = Vec::new();
        if squared_norms.contains(&0.0) {
            cautions.push("a surface has no place, only an offset: no row is near it".to_owned());
        }
        let least = facts
            .iter()
            .map(|one| one.gap)
            .fold(f64::INFINITY, f64::min);
        if least < NARROW_GAP {
            cautions.push(format!(
                "the next eigenvalue is very near (gap {least:.1e}): a surface is one of many that are \
                 almost as good; a smaller width of the kernel, or cregec, may help"
            ));
        }
        let ridge = facts.iter().map(|one| one.ridge).fold(0.0, f64::max);
        if ridge > 0.0 {
            cautions.push(format!(
                "the eigenproblem is singular: {ridge:.0e} of the mean diagonal was added"
            ));
        }
        cautions
    }

    fn score_scheme(&self) -> Multiclass {
        self.multiclass()
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn has_probabilities(&self) -> bool {
        self.is_calibrated()
    }
}

impl Model for ChunkModel {
    fn facts(&self) -> Facts {
        let parts = self.parts();
        let mut facts = self.proximal().facts();
        let mut rows: Vec<u32> = parts.chunks.iter().flat_map(|c| c.rows.clone()).collect();
        rows.sort_unstable();
        rows.dedup();
        // As lines of the training file are numbered.
        let rows: Vec<u64> = rows.iter().map(|&row| u64::from(row) + 1).collect();
        facts.push(("chunk_rows", rows.into()));
        let tried: u64 = parts.chunks.iter().map(|chunk| chunk.tried).sum();
        facts.push(("offered", tried.into()));
        let sum = |take: fn(&(u64, u64)) -> u64| -> f64 {
            parts.chunks.iter().map(|c| take(&c.score) as f64).sum()
        };
        facts.push((
            "training_score",
            (sum(|s| s.0) / sum(|s| s.1).max(1.0)).into(),
        ));
        let remembered = parts.memory.as_ref().map(|memory| memory.numbers.len());
        facts.push(("remembered", remembered.into()));
        facts
    }

    fn cautions(&self) -> Vec<String> {
        self.proximal().cautions()
    }

    fn score_scheme(&self) -> Multiclass {
        self.proximal().multiclass()
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn has_probabilities(&self) -> bool {
        self.proximal().is_calibrated()
    }

    fn as_update(&mut self) -> Option<&mut dyn Update> {
        Some(self)
    }

    fn kept_rows(&self) -> Option<KeptRows> {
        Some(self.kept())
    }
}

impl Update for ChunkModel {
    fn update(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        settings: &[(String, Value)],
    ) -> Result<Facts> {
        if let Some((name, _)) = settings.first() {
            return Err(Error::UnknownName {
                what: "setting",
                name: name.clone(),
                known: "none".to_owned(),
            });
        }
        let report = ChunkModel::update(self, added, removed)?;
        Ok(vec![
            ("added", report.added.into()),
            ("removed", report.removed.into()),
            ("accepted", report.accepted.into()),
            ("chunk_rows", report.chunk_rows.into()),
            ("remembered", report.remembered.into()),
            ("training_score", report.score.into()),
            ("seconds", report.seconds.into()),
        ])
    }
}
