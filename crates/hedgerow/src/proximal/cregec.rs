//! CReGEC: ReGEC on a chunk of rows that a greedy selection keeps.

use super::assemble::{Found, Setting, model};
use super::calibration::calibrated;
use super::chunk_model::{ChunkModel, ChunkParts, Memory, PairChunk};
use super::fit::{class_rows, leading_class};
use super::model::ProximalModel;
use super::pair::{PairRows, Selected};
use super::params::gaussian;
use super::selection::{Offer, Rules, Selection};
use super::words::{InitialAccuracy, Regularisation, SelectionScore, SubsetOrder, SurfaceNorm};
use crate::data::{Dataset, SamplesView, numbers_of_weighty, without_weightless_rows};
use crate::estimator::estimator;
use crate::kernel::{Kernel, KernelSpec};
use crate::machines::{ClassRows, Multiclass, pairs};
use crate::method::{Card, KERNELS, PythonClass};
use crate::parallel::{Grain, try_map};
use crate::params::params;
use crate::{Error, Fitted, Report, Result, Status};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// CReGEC: begins with one row a class and takes in every further row that leaves the chunk right and
/// raises the accuracy on all rows; see [the module](super).
#[params(check = check_rule)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, not a state"
)]
pub struct CregecParams {
    /// How much is added to the matrices, δ.
    #[param(default = 1e-3, above = 0.0, tunable)]
    pub delta: f64,
    /// What is added.
    #[param(default = Regularisation::Diagonal)]
    pub regularisation: Regularisation,
    /// The kernel.
    #[param(default = gaussian(), flatten, no_builder)]
    pub kernel: KernelSpec,
    /// In which order rows are offered; the answer depends on it.
    #[param(default = SubsetOrder::ReverseColumns)]
    pub order: SubsetOrder,
    /// What the first candidates must improve on.
    #[param(default = InitialAccuracy::Zero)]
    pub initial_accuracy: InitialAccuracy,
    /// What must rise with every row that is taken in.
    #[param(default = SelectionScore::Accuracy, python = "selection_score")]
    pub score: SelectionScore,
    /// Most rows of a chunk.
    #[param(least = 2, unless = "as many as help")]
    pub max_chunk: Option<usize>,
    /// Most rows that are offered for a pair of classes.
    #[param(least = 1, unless = "all")]
    pub max_candidates: Option<usize>,
    /// Seconds after which no more rows are offered.
    #[param(above = 0.0, unless = "no limit")]
    pub max_seconds: Option<f64>,
    /// Leave out the last row of each class, as the published figure does; for comparison.
    #[param(default = false)]
    pub figure_bounds: bool,
    /// Look for eigenvectors from those without the candidate; the whole eigenproblem is solved
    /// only in doubt. Off for comparison: the same rows are kept, later.
    #[param(default = true, unsaid)]
    pub warm_starts: bool,
    /// By what the value of a surface is divided to be a distance.
    #[param(default = SurfaceNorm::Coefficient)]
    pub norm: SurfaceNorm,
    /// Keep the training rows in the model, so that it can learn from new ones.
    #[param(default = true)]
    pub updatable: bool,
    /// Most training rows that are kept, a random part of all seen so far.
    #[param(least = 2, unless = "all of them")]
    pub reservoir: Option<usize>,
    /// After an update offer the rows once more that were refused before.
    #[param(default = false)]
    pub revisit: bool,
    /// Calibrate, so that the model can tell probabilities; costs a cross-validation.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Seed of everything random: the shuffled order, the reservoir, folds of the calibration.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl CregecParams {
    fn check_rule(&self) -> Result<()> {
        match self.regularisation {
            Regularisation::Diagonal | Regularisation::Tikhonov => Ok(()),
            other => Err(Error::ParameterValue {
                name: "regularisation",
                value: other.word().to_owned(),
                requirement: "diagonal or tikhonov".to_owned(),
            }),
        }
    }

    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: impl Into<KernelSpec>) -> Self {
        self.kernel = kernel.into();
        self
    }

    pub(super) fn rules(&self, start: Instant) -> Rules {
        Rules {
            rule: self.regularisation,
            delta: self.delta,
            order: self.order,
            initial: self.initial_accuracy,
            score: self.score,
            figure_bounds: self.figure_bounds,
            max_chunk: self.max_chunk,
            max_candidates: self.max_candidates.map(|most| most as u64),
            deadline: self
                .max_seconds
                .and_then(|seconds| start.checked_add(Duration::try_from_secs_f64(seconds).ok()?)),
            seed: self.seed,
            warm: self.warm_starts,
            early_exit: true,
        }
    }

    /// Selects rows and trains on them; of the data those with a positive weight count, which must be
    /// the same for all.
    ///
    /// # Errors
    /// [`Error::SingularPencil`] if all rows of two classes are equal.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ChunkModel>> {
        self.check()?;
        let start = Instant::now();
        let given = data;
        let data = without_weightless_rows(data)?;
        let rows = class_rows(&data)?;
        let view = data.samples().view();
        let kernel = self.kernel.resolve(view, self.seed)?;
        refuse_precomputed(&kernel)?;
        let lead = leading_class(&data, &rows)?;
        let selected = select_pairs(&kernel, view, &rows, lead, self.rules(start))?;
        // The calibration has its own time.
        let stopped = self
            .max_seconds
            .is_some_and(|most| start.elapsed().as_secs_f64() >= most);
        let (mut proximal, kept) = self.assemble(&kernel, view, &rows, lead, &selected)?;
        if self.probability {
            proximal = calibrated(proximal, &data, self.seed, |part| self.plain(part))?;
        }
        let kept: Vec<usize> = kept.iter().map(|&row| row as usize).collect();
        let report = Report {
            status: if stopped {
                Status::TimeLimit
            } else {
                Status::Converged
            },
            iterations: selected.iter().map(|one| one.tried).sum(),
            objective: selected.iter().map(|one| one.score.0 as f64).sum(),
            support_vectors: kept.len(),
            bounded: 0,
            seconds: start.elapsed().as_secs_f64(),
        };
        for one in &selected {
            tracing::debug!(
                offered = one.tried,
                kept = one.places.len(),
                whole_solves = one.whole_solves,
                "rows selected"
            );
        }
        let chunk = |one| PairChunk::new(one, &rows.class_of_row);
        let chunks: Vec<PairChunk> = selected.iter().map(chunk).collect();
        let memory = self
            .updatable
            .then(|| Memory::new(self, &data, &rows, &chunks));
        let model = ChunkModel::from_parts(ChunkParts {
            proximal,
            params: self.clone(),
            kernel,
            chunks,
            memory,
        })?;
        Ok(Fitted::new(model, report).with_support(numbers_of_weighty(given, &kept)))
    }

    /// Every candidate of every pair of classes, with what became of it. Scores are complete.
    pub fn trace(&self, data: &Dataset) -> Result<Vec<Vec<Offer>>> {
        self.check()?;
        let data = without_weightless_rows(data)?;
        let rows = class_rows(&data)?;
        let view = data.samples().view();
        let kernel = self.kernel.resolve(view, self.seed)?;
        refuse_precomputed(&kernel)?;
        let rules = Rules {
            early_exit: false,
            ..self.rules(Instant::now())
        };
        let lead = leading_class(&data, &rows)?;
        let selected = select_pairs(&kernel, view, &rows, lead, rules)?;
        Ok(selected.into_iter().map(|one| one.trace).collect())
    }

    /// A fit without calibration and memory.
    pub(super) fn plain(&self, data: &Dataset) -> Result<ProximalModel> {
        let rows = class_rows(data)?;
        let view = data.samples().view();
        let kernel = self.kernel.resolve(view, self.seed)?;
        let lead = leading_class(data, &rows)?;
        let rules = self.rules(Instant::now());
        let selected = select_pairs(&kernel, view, &rows, lead, rules)?;
        Ok(self.assemble(&kernel, view, &rows, lead, &selected)?.0)
    }

    /// The model of some chunks, and the rows that it keeps.
    pub(super) fn assemble(
        &self,
        kernel: &Kernel,
        view: SamplesView<'_>,
        rows: &ClassRows,
        lead: usize,
        selected: &[Selected],
    ) -> Result<(ProximalModel, Vec<u32>)> {
        let mut found = Vec::new();
        for (pair, one) in pairs(rows.members.len()).zip(selected) {
            let mut both = one.surfaces.clone();
            if led(pair, lead) != pair {
                both.swap(0, 1);
            }
            found.extend(both.map(|surface| Found {
                centres: one.places.clone(),
                surface,
            }));
        }
        let setting = Setting {
            kernel: Some(kernel),
            view,
            norm: self.norm,
            classes: rows.names.clone(),
            tie: lead as u32,
            multiclass: Multiclass::OneVsOne,
        };
        model(setting, found)
    }
}

/// A selection for every pair of classes.
pub(super) fn select_pairs(
    kernel: &Kernel,
    view: SamplesView<'_>,
    rows: &ClassRows,
    lead: usize,
    rules: Rules,
) -> Result<Vec<Selected>> {
    let members = &rows.members;
    let pairs: Vec<(usize, usize)> = pairs(members.len()).collect();
    try_map(pairs.len(), Grain::COARSE, &|at| {
        let (first, second) = led(pairs[at], lead);
        let pair = PairRows::new(view, &members[first], &members[second])?;
        pair.select(kernel, rules, |selection: &mut Selection<'_>| {
            selection.run()?;
            Ok(())
        })
    })
}

/// The classes of a pair, the leading one first if it is the second.
pub(super) fn led((a, b): (usize, usize), lead: usize) -> (usize, usize) {
    if b == lead { (b, a) } else { (a, b) }
}

pub(super) fn refuse_precomputed(kernel: &Kernel) -> Result<()> {
    if kernel.is_precomputed() {
        return Err(Error::KernelUse {
            kernel: kernel.to_string(),
            problem: "rows are sorted by their features: give the features and a kernel",
        });
    }
    Ok(())
}

estimator!(CregecParams => ChunkModel, [Card {
    name: "cregec",
    about: "CReGEC: ReGEC on a dozen rows that a greedy selection keeps; learns from new rows",
    grid: &["delta=1e-5,1e-4,1e-3,1e-2", "gamma=2^-9:2:5"],
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "CReGEC",
        base: "ChunkClassifier",
        attributes: &[
            ("chunk_", "list of int. Training rows that were kept, from 0."),
            ("tried_", "int. Rows that were offered."),
        ],
        about: "Two proximal surfaces on a few rows that a greedy selection keeps.\n\nThe model can \
                learn from further rows by ``partial_fit``.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
