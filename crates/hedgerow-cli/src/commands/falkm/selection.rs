//! `FaLK-SVM-train -L 1`: parameters chosen on some neighbourhoods.

use super::options::Words;
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::data::Dataset;
use hedgerow::kernel::KernelSpec;
use hedgerow::local::{FalkGrid, FalkParams, Validate};

/// What is chosen from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidates {
    /// Sizes of neighbourhoods, ascending.
    pub(super) k: Vec<usize>,
    /// Values of C.
    pub(super) costs: Vec<f64>,
    /// Kernels that differ in gamma.
    pub(super) kernels: Vec<KernelSpec>,
    /// Neighbourhoods that are looked at.
    pub(super) models: usize,
}

impl Candidates {
    /// The lists of `-N -C -G` and the number of `-M`. A list that is not given is the single value
    /// of its small letter.
    pub(super) fn read(words: &Words, params: &FalkParams) -> Result<Self, Failure> {
        let mut k = words
            .wholes("-N")?
            .unwrap_or_else(|| vec![params.neighbours]);
        k.sort_unstable();
        k.dedup();
        let costs = words
            .numbers("-C")?
            .unwrap_or_else(|| vec![params.local.cost]);
        let kernels = match words.numbers("-G")? {
            Some(gammas) => gammas
                .into_iter()
                .map(|gamma| words.kernel(Some(gamma), 2, 0.0))
                .collect::<Result<_, _>>()?,
            None => vec![params.local.solver.kernel.clone()],
        };
        let models = words.whole("-M")?.unwrap_or(10);
        if models == 0 {
            return Err(words
                .program
                .refuse("-M 0: at least one local model must be looked at"));
        }
        Ok(Self {
            k,
            costs,
            kernels,
            models,
        })
    }

    /// Tells that letters of the selection were given without it.
    pub(super) fn warn_unused(session: &Session, words: &Words) {
        for letter in ["-C", "-G", "-N", "-M"] {
            if words.has(letter) {
                session.warn(format_args!("{letter} has no effect without -L 1"));
            }
        }
    }
}

/// The parameters with the candidates that do best on the data, judged like the original program by
/// the inner half of each core.
pub(super) fn select_locally(
    params: &FalkParams,
    candidates: &Candidates,
    data: &Dataset,
) -> hedgerow::Result<FalkParams> {
    let grid = FalkGrid {
        validate: Validate::InnerHalf,
        ..FalkGrid::default()
    }
    .with_neighbours(&candidates.k)
    .with_costs(&candidates.costs)
    .with_kernels(candidates.kernels.clone())
    .with_models(candidates.models);
    let (chosen, _) = params.select(data, &grid)?;
    Ok(chosen)
}
