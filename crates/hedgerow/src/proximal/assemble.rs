//! Models from surfaces.

use super::model::{Figures, ProximalModel, ProximalParts};
use super::pencil::{Surface, SurfaceFacts};
use super::words::SurfaceNorm;
use crate::data::{ClassName, Samples, SamplesView};
use crate::kernel::{Expansion, Gram, Kernel, Machine, keep_rows};
use crate::linalg::{dot, symmetric_product};
use crate::machines::Multiclass;
use crate::{Model, Result};

/// Surfaces with the rows that their coefficients belong to.
pub(super) struct Found {
    /// Rows of the data; empty for planes.
    pub(super) centres: Vec<u32>,
    pub(super) surface: Surface,
}

/// What the surfaces are of.
pub(super) struct Setting<'a> {
    /// `None` for planes.
    pub(super) kernel: Option<&'a Kernel>,
    pub(super) view: SamplesView<'a>,
    pub(super) norm: SurfaceNorm,
    pub(super) classes: Vec<ClassName>,
    pub(super) tie: u32,
    pub(super) multiclass: Multiclass,
}

/// The model, and the rows that it keeps.
pub(super) fn model(setting: Setting<'_>, found: Vec<Found>) -> Result<(ProximalModel, Vec<u32>)> {
    let norms = squared_norms(&setting, &found)?;
    let facts: Vec<SurfaceFacts> = found.iter().map(|one| one.surface.facts).collect();
    let view = setting.view;
    let (expansion, kept) = match setting.kernel {
        None => (planes(view.n_features(), found)?, Vec::new()),
        Some(kernel) => surfaces(kernel, view, found)?,
    };
    let model = ProximalModel::from_parts(ProximalParts {
        expansion,
        classes: setting.classes,
        tie: setting.tie,
        multiclass: setting.multiclass,
        figures: Figures::Surfaces {
            squared_norms: norms,
            facts,
        },
        sigmoids: None,
    })?;
    for caution in model.cautions() {
        tracing::warn!("{caution}");
    }
    Ok((model, kept))
}

fn planes(n_features: usize, found: Vec<Found>) -> Result<Expansion> {
    let offsets: Vec<f64> = found.iter().map(|one| one.surface.offset).collect();
    let normals: Vec<f64> = found
        .into_iter()
        .flat_map(|one| one.surface.coefficients)
        .collect();
    let machine = |(k, &rho): (usize, &f64)| Machine {
        support: vec![k as u32],
        coefficients: vec![1.0],
        rho,
    };
    Ok(Expansion {
        kernel: Kernel::Linear,
        n_features,
        support_vectors: Samples::dense(offsets.len(), n_features, normals)?,
        machines: offsets.iter().enumerate().map(machine).collect(),
    })
}

fn surfaces(
    kernel: &Kernel,
    view: SamplesView<'_>,
    found: Vec<Found>,
) -> Result<(Expansion, Vec<u32>)> {
    let mut kept: Vec<u32> = found.iter().flat_map(|one| one.centres.clone()).collect();
    kept.sort_unstable();
    kept.dedup();
    let place = |row: u32| kept.partition_point(|&other| other < row) as u32;
    let machine = |one: Found| {
        let terms = one.centres.into_iter().map(place);
        let mut terms: Vec<(u32, f64)> = terms.zip(one.surface.coefficients).collect();
        terms.sort_unstable_by_key(|term| term.0);
        Machine {
            support: terms.iter().map(|term| term.0).collect(),
            coefficients: terms.iter().map(|term| term.1).collect(),
            rho: one.surface.offset,
        }
    };
    let rows: Vec<usize> = kept.iter().map(|&row| row as usize).collect();
    let expansion = Expansion {
        support_vectors: keep_rows(kernel, view, &rows)?,
        n_features: view.n_features(),
        machines: found.into_iter().map(machine).collect(),
        kernel: kernel.clone(),
    };
    Ok((expansion, kept))
}

fn squared_norms(setting: &Setting<'_>, found: &[Found]) -> Result<Vec<f64>> {
    let norm = |one: &Found| -> Result<f64> {
        let u = &one.surface.coefficients;
        match (setting.norm, setting.kernel) {
            (SurfaceNorm::Rkhs, Some(kernel)) => {
                let n = one.centres.len();
                let gram = Gram::in_double(kernel, setting.view, one.centres.clone())?;
                let rows: Vec<usize> = one.centres.iter().map(|&row| row as usize).collect();
                let matrix = gram.values(setting.view.select(&rows).view())?;
                Ok(dot(u, &symmetric_product(n, &matrix, u)).max(0.0))
            }
            _ => Ok(dot(u, u)),
        }
    };
    found.iter().map(norm).collect()
}
