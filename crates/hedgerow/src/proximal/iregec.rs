//! I-ReGEC: a selection that begins with rows near the centres of clusters and looks at rows that are
//! wrong.
//!
//! Of the rows that are wrong the one farthest from the surface of its own class is offered; it is
//! taken in if the accuracy on all rows rises, and not offered again. Rows of the chunk may become
//! wrong, unlike in CReGEC. It ends when no row is wrong that was not offered.

use super::assemble::{Found, Setting, model};
use super::calibration::calibrated;
use super::cregec::{led, refuse_precomputed};
use super::fit::{class_rows, leading_class};
use super::model::ProximalModel;
use super::pair::{PairRows, Selected};
use super::params::gaussian;
use super::selection::{Rules, Selection};
use super::words::{InitialAccuracy, Regularisation, SelectionScore, SubsetOrder, SurfaceNorm};
use crate::data::{Dataset, Generator, numbers_of_weighty, without_weightless_rows};
use crate::estimator::estimator;
use crate::kernel::KernelSpec;
use crate::machines::{Multiclass, pairs};
use crate::method::{Card, KERNELS, PythonClass};
use crate::params::params;
use crate::{Fitted, Report, Result, Status};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Rounds of the clustering.
const ROUNDS: usize = 20;
/// Stream of the seed that clusters begin with.
const STREAM: u64 = 0x636c_7573;

/// I-ReGEC; see the source of the module for the rules.
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IregecParams {
    /// How much is added to the matrices, δ.
    #[param(default = 1e-3, above = 0.0, tunable)]
    pub delta: f64,
    /// The kernel.
    #[param(default = gaussian(), flatten)]
    pub kernel: KernelSpec,
    /// Clusters of each class whose middle rows the selection begins with.
    #[param(default = 5, least = 1, tunable)]
    pub clusters: usize,
    /// Most rows of a chunk.
    #[param(least = 2, unless = "as many as help")]
    pub max_chunk: Option<usize>,
    /// By what the value of a surface is divided to be a distance.
    #[param(default = SurfaceNorm::Coefficient)]
    pub norm: SurfaceNorm,
    /// Calibrate, so that the model can tell probabilities; costs a cross-validation.
    #[param(default = false, switch = 'b')]
    pub probability: bool,
    /// Seed of everything random: the first clusters, folds of the calibration.
    #[param(python = "random_state", no_option)]
    pub seed: u64,
}

impl IregecParams {
    /// Selects rows and trains on them.
    ///
    /// # Errors
    /// [`crate::Error::SingularPencil`] if the first rows are all equal.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<ProximalModel>> {
        self.check()?;
        let start = Instant::now();
        let given = data;
        let data = without_weightless_rows(data)?;
        let (mut proximal, kept, selected) = self.once(&data)?;
        if self.probability {
            let again = |part: &Dataset| Ok(self.once(part)?.0);
            proximal = calibrated(proximal, &data, self.seed, again)?;
        }
        let kept: Vec<usize> = kept.iter().map(|&row| row as usize).collect();
        let report = Report {
            status: Status::Converged,
            iterations: selected.iter().map(|one| one.tried).sum(),
            objective: selected.iter().map(|one| one.score.0 as f64).sum(),
            support_vectors: kept.len(),
            bounded: 0,
            seconds: start.elapsed().as_secs_f64(),
        };
        Ok(Fitted::new(proximal, report).with_support(numbers_of_weighty(given, &kept)))
    }

    fn once(&self, data: &Dataset) -> Result<(ProximalModel, Vec<u32>, Vec<Selected>)> {
        let rows = class_rows(data)?;
        let view = data.samples().view();
        let kernel = self.kernel.resolve(view, self.seed)?;
        refuse_precomputed(&kernel)?;
        let lead = leading_class(data, &rows)?;
        let rules = Rules {
            rule: Regularisation::Diagonal,
            delta: self.delta,
            order: SubsetOrder::AsGiven,
            initial: InitialAccuracy::SeedPair,
            score: SelectionScore::Accuracy,
            figure_bounds: false,
            max_chunk: self.max_chunk,
            max_candidates: None,
            deadline: None,
            seed: self.seed,
            warm: true,
            early_exit: true,
        };
        let (mut found, mut all) = (Vec::new(), Vec::new());
        for pair in pairs(rows.members.len()) {
            let (first, second) = led(pair, lead);
            let both = PairRows::new(view, &rows.members[first], &rows.members[second])?;
            let mut begin = self.middles(&both.class(true));
            begin.extend(self.middles(&both.class(false)));
            let selected = both.select(&kernel, rules, |selection| {
                selection.resume(&begin)?;
                correct(selection, &both, &begin)
            })?;
            let mut surfaces = selected.surfaces.clone();
            if (first, second) != pair {
                surfaces.swap(0, 1);
            }
            found.extend(surfaces.map(|surface| Found {
                centres: selected.places.clone(),
                surface,
            }));
            all.push(selected);
        }
        let setting = Setting {
            kernel: Some(&kernel),
            view,
            norm: self.norm,
            classes: rows.names.clone(),
            tie: lead as u32,
            multiclass: Multiclass::OneVsOne,
        };
        let (proximal, kept) = model(setting, found)?;
        Ok((proximal, kept, all))
    }

    /// The rows nearest to the means of clusters, each once.
    fn middles(&self, rows: &[(usize, &[f64])]) -> Vec<usize> {
        let k = self.clusters.min(rows.len());
        let mut generator = Generator::for_task(self.seed, STREAM);
        let starts = generator.sample(rows.len(), k);
        let mut means: Vec<Vec<f64>> = starts.iter().map(|&i| rows[i].1.to_vec()).collect();
        let away =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
        for _ in 0..ROUNDS {
            let mut sums = vec![(vec![0.0; means[0].len()], 0usize); k];
            for (_, row) in rows {
                let nearest =
                    (0..k).min_by(|&a, &b| away(&means[a], row).total_cmp(&away(&means[b], row)));
                if let Some(c) = nearest {
                    for (sum, x) in sums[c].0.iter_mut().zip(*row) {
                        *sum += x;
                    }
                    sums[c].1 += 1;
                }
            }
            for (mean, (sum, count)) in means.iter_mut().zip(sums) {
                if count > 0 {
                    *mean = sum.iter().map(|x| x / count as f64).collect();
                }
            }
        }
        let mut middles: Vec<usize> = means
            .iter()
            .filter_map(|mean| {
                rows.iter()
                    .min_by(|a, b| away(mean, a.1).total_cmp(&away(mean, b.1)))
                    .map(|row| row.0)
            })
            .collect();
        middles.sort_unstable();
        middles.dedup();
        middles
    }
}

/// Offers rows that are wrong, the farthest from the surface of its own class first.
fn correct(selection: &mut Selection<'_>, rows: &PairRows, begin: &[usize]) -> Result<()> {
    let mut open = vec![true; rows.places.len()];
    for &row in begin {
        open[row] = false;
    }
    loop {
        let mut wrong: Vec<(f64, usize)> = (0..open.len())
            .filter(|&row| open[row])
            .filter_map(|row| {
                let [first, second] = selection.distances(row)?;
                let is_first = rows.is_first(row);
                let own = if is_first { first } else { second };
                ((first <= second) != is_first).then_some((own, row))
            })
            .collect();
        wrong.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut grew = false;
        for (_, row) in wrong {
            if selection.has_ended() {
                return Ok(());
            }
            open[row] = false;
            if selection.offer_freely(row)? {
                grew = true;
                break;
            }
        }
        if !grew {
            return Ok(());
        }
    }
}

estimator!(IregecParams => ProximalModel, [Card {
    name: "i-regec",
    about: "I-ReGEC: ReGEC on rows that a selection by mistakes keeps",
    grid: &["delta=1e-5,1e-4,1e-3,1e-2", "gamma=2^-9:2:5"],
    kernels: KERNELS,
    page: "proximal",
    python: PythonClass {
        name: "IReGEC",
        base: "ProximalClassifier",
        about: "Two proximal surfaces on rows that a selection by mistakes keeps.\n\nBegins with \
                the middle rows of clusters of each class.",
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
