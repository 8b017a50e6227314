//! FaLK-SVM: local SVMs on neighbourhoods that cover the training rows.
//!
//! Of every centre $c \in \mathcal C$ an SVM is trained on its $k$ nearest rows; together their $k'$-cores
//! contain every row ([`super::covering`]). A new row is answered by the SVM of one centre,
//! $$\mathrm{FaLK}(x) = \mathrm{kNNSVM}_{f(x)}(x),$$
//! where $f(x)$ is the centre that the nearest training row belongs to ([`Assign::Nearest`]), the
//! nearest centre ([`Assign::Centre`], FaLK-SVMc), or several nearest centres that vote
//! ([`Assign::Vote`]) or weigh their margins against each other ([`Assign::Blend`], not in the
//! document). Training takes time $O(N \log N)$ for fixed $k$, an answer a search and an SVM with at
//! most $k$ support vectors.
//!
//! | document | here |
//! |---|---|
//! | $k$ | [`FalkParams::neighbours`] |
//! | $k' = \lfloor P k\rfloor$ | [`FalkParams::core`] is $P$ |
//! | $C$, $K$, $\sigma$ | [`FalkParams::local`] |
//! | $\mathcal C$, cnt | [`FalkSvm::centres`], [`FalkSvm::owner_of`] |

use super::assign::Assign;
use super::covering::{Covering, Ground, NOBODY};
use super::lazy;
use super::learner::{Effort, Learner, Workspace};
use super::machine::LocalModel;
use super::numbers::RowNumbers;
use super::params::{FEATURE_WEIGHTS, LOCAL_KERNELS, LocalSvmParams, METRIC, METRIC_SECONDS};
use super::places::Places;
use super::ready::ReadyMachines;
use super::store::Store;
use crate::data::{ClassName, Dataset, SamplesView};
use crate::estimator::estimator;
use crate::method::{Card, PythonClass, PythonParameter, Task};
use crate::neighbours::{
    CoverTreeParams, DistanceMetric, Index, IndexParams, Neighbour, Structure,
};
use crate::parallel::{Grain, try_map};
use crate::params::{Words, params};
use crate::spares::Spares;
use crate::{Error, Fitted, Report, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// In which order rows become centres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Words)]
pub enum Cover {
    /// By the levels of a cover tree; rows belong to the centre of smallest rank.
    #[default]
    Levels,
    /// At random; rows belong to the first centre that covers them.
    Simple,
}

/// Parameters of FaLK-SVM.
#[params(heading = "Neighbourhoods")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalkParams {
    /// Rows of a neighbourhood, k; at most all rows.
    #[param(default = 1000, least = 1, short = 'K', alias = "k", tunable)]
    pub neighbours: usize,
    /// Share of a neighbourhood that its centre answers for, k'/k.
    #[param(
        default = 0.5,
        above = 0.0,
        most = 1.0,
        short = 'P',
        alias = "core_share",
        tunable
    )]
    pub core: f64,
    /// In which order rows become centres.
    #[param(default = Cover::Levels)]
    pub cover: Cover,
    /// Which machine answers; can be changed after training.
    #[param(flatten)]
    pub assign: Assign,
    /// How the machine of a neighbourhood is trained.
    #[param(flatten)]
    pub local: LocalSvmParams,
    /// The neighbour search.
    #[param(skip)]
    pub index: IndexParams,
    /// The cover tree whose levels order the centres.
    #[param(skip)]
    pub tree: CoverTreeParams,
}

impl FalkParams {
    /// Sets C.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.local.cost = cost;
        self
    }

    /// Sets the kernel.
    pub fn with_kernel(mut self, kernel: impl Into<crate::kernel::KernelSpec>) -> Self {
        self.local.solver.kernel = kernel.into();
        self
    }

    /// Sizes of neighbourhood and core for a number of rows.
    pub fn sizes(&self, n_rows: usize) -> (usize, usize) {
        let k = self.neighbours.min(n_rows).max(1);
        let core = (self.core * k as f64).floor() as usize;
        (k, core.clamp(1, k))
    }

    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<FalkSvm>> {
        self.check()?;
        let start = Instant::now();
        let (store, numbers) = Store::near_together(data)?;
        let (k, core) = self.sizes(store.len());
        let metric = self.metric(&store)?;
        let hints = IndexParams {
            expected_k: Some(k),
            ..self.index.clone()
        };
        let index = Index::build(&metric, store.view(), None, &hints)?;
        let covering = self
            .covering(Ground {
                searcher: &index.searcher(store.view())?,
                samples: store.view(),
                // So that the order in memory changes no centre, but for ties.
                rows: &numbers.stored_rows(),
                metric: &metric,
                k,
                core,
            })
            .map_err(|error| error.renumbered(|row| numbers.of(row)))?;
        let index = self.answering(index, &store)?;
        tracing::info!(
            centres = covering.centres.len(),
            seconds = start.elapsed().as_secs_f64(),
            "covered"
        );
        let learner =
            Learner::new(&store, &self.local)?.for_neighbourhoods(covering.neighbourhoods.len());
        let (models, effort) = learn_all(&learner, &covering.neighbourhoods, 0)
            .map_err(|error| error.renumbered(|row| numbers.of(row)))?;
        let radii = covering
            .neighbourhoods
            .iter()
            .map(|found| Radii::of(found, core))
            .collect();
        let parts = FalkParts {
            params: self.clone(),
            store,
            numbers,
            index,
            centres: covering.centres,
            radii,
            owner: covering.owner,
            rank: covering.rank,
            arrivals: vec![Arrivals::default(); models.len()],
            models,
        };
        let model = FalkSvm::from_parts(parts)?;
        let report = Report {
            status: effort.status,
            iterations: effort.iterations,
            objective: effort.objective,
            support_vectors: model.n_distinct_support(),
            bounded: effort.bounded,
            seconds: start.elapsed().as_secs_f64(),
        };
        Ok(Fitted::new(model, report))
    }

    /// Centres whose cores cover all rows.
    pub(super) fn covering(&self, ground: Ground<'_>) -> Result<Covering> {
        match self.cover {
            Cover::Levels => Covering::by_levels(ground, self.tree),
            Cover::Simple => Covering::simple(ground, self.local.solver.seed),
        }
    }

    /// The index that answers ask, one nearest row at a time, in place of the one that
    /// neighbourhoods were found with. Which it is must not depend on measured times: it is stored.
    fn answering(&self, index: Index, store: &Store) -> Result<Index> {
        let structure = match self.index.structure {
            Structure::Auto => Structure::for_single_rows(index.metric(), store.view()),
            chosen => chosen,
        };
        if structure == index.structure() {
            return Ok(index);
        }
        let params = IndexParams {
            structure,
            ..self.index.clone()
        };
        Index::build(index.metric(), store.view(), None, &params)
    }

    /// The metric in which neighbours are near.
    pub(super) fn metric(&self, store: &Store) -> Result<DistanceMetric> {
        let solver = &self.local.solver;
        lazy::metric(&solver.kernel, store.view(), solver.seed)
    }
}

/// Trains the machines of all neighbourhoods; `first_task` numbers the first of them.
pub(super) fn learn_all(
    learner: &Learner<'_>,
    neighbourhoods: &[Vec<Neighbour>],
    first_task: u64,
) -> Result<(Vec<LocalModel>, Effort)> {
    let workspaces = Spares::<Workspace>::new();
    let learnt: Vec<(LocalModel, Effort)> = try_map(neighbourhoods.len(), Grain::ONE, &|number| {
        let neighbourhood = neighbourhoods[number].iter();
        let rows: Vec<u32> = neighbourhood.map(|found| found.row).collect();
        let task = first_task + number as u64;
        workspaces.lend(|workspace| learner.learn(&rows, task, workspace))
    })?;
    let effort = learnt
        .iter()
        .fold(Effort::NONE, |sum, (_, effort)| sum.and(*effort));
    Ok((learnt.into_iter().map(|(model, _)| model).collect(), effort))
}

/// How far neighbourhood and core of a centre reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Radii {
    /// Distance of the farthest row of the neighbourhood.
    pub neighbourhood: f64,
    /// Distance of the farthest row of the core.
    pub core: f64,
    /// Rows of the neighbourhood.
    pub size: u32,
}

impl Radii {
    pub(super) fn of(found: &[Neighbour], core: usize) -> Self {
        let distance = |place: usize| found.get(place).map_or(0.0, |neighbour| neighbour.distance);
        Self {
            neighbourhood: distance(found.len().saturating_sub(1)),
            core: distance(core.min(found.len()).saturating_sub(1)),
            size: found.len() as u32,
        }
    }
}

/// Rows that came into a neighbourhood after its machine was trained.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Arrivals {
    /// Those that are known to violate the margin of the machine.
    pub(super) violations: u32,
    /// Those whose margin has not been looked at, because they are too few to matter.
    pub(super) unjudged: Vec<u32>,
}

/// Everything that a model file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FalkParts {
    pub(super) params: FalkParams,
    pub(super) store: Store,
    /// What the stored rows are called outside.
    pub(super) numbers: RowNumbers,
    pub(super) index: Index,
    pub(super) centres: Vec<u32>,
    pub(super) radii: Vec<Radii>,
    pub(super) owner: Vec<u32>,
    pub(super) rank: Vec<u32>,
    /// What has changed around each centre since its machine was trained.
    pub(super) arrivals: Vec<Arrivals>,
    pub(super) models: Vec<LocalModel>,
}

/// A fitted FaLK-SVM. It keeps the training rows, because any of them may be the nearest.
#[derive(Debug, Clone, PartialEq)]
pub struct FalkSvm {
    pub(super) parts: FalkParts,
    pub(super) centre_index: Index,
    places: Places,
    /// Number of the centre at each row that is one.
    pub(super) centre_numbers: Vec<u32>,
    /// Place of each centre in an order in which centres that are near follow one another: their
    /// machines share support vectors, which are then still at hand.
    pub(super) centre_places: Vec<u32>,
    pub(super) ready: ReadyMachines,
}

impl FalkSvm {
    pub(super) fn from_parts(parts: FalkParts) -> Result<Self> {
        parts.validate()?;
        let (centre_index, centre_numbers) = centre_lookup(&parts)?;
        let centre_places = places_of_centres(&centre_numbers, &parts);
        Ok(Self {
            ready: ReadyMachines::new(parts.models.len()),
            parts,
            centre_index,
            places: Places::default(),
            centre_numbers,
            centre_places,
        })
    }

    /// To be called when the centres or the rows have changed.
    pub(super) fn refresh_lookups(&mut self) -> Result<()> {
        (self.centre_index, self.centre_numbers) = centre_lookup(&self.parts)?;
        self.centre_places = places_of_centres(&self.centre_numbers, &self.parts);
        self.places = Places::default();
        self.ready = ReadyMachines::new(self.parts.models.len());
        Ok(())
    }

    /// The index in which the nearest row is looked for: of equally near rows the first.
    pub(super) fn nearest_index(&self) -> Result<&Index> {
        let of_places = self.places.get_or_look(&self.parts)?;
        Ok(of_places.unwrap_or(&self.parts.index))
    }

    /// Stored rows of the centres, as in [`FalkSvm::samples`].
    pub fn centres(&self) -> &[u32] {
        &self.parts.centres
    }

    /// How far each centre reaches.
    pub fn radii(&self) -> &[Radii] {
        &self.parts.radii
    }

    /// The local models, one a centre.
    pub fn local_models(&self) -> &[LocalModel] {
        &self.parts.models
    }

    /// Number of the centre that a stored row belongs to, and its neighbour rank there.
    pub fn owner_of(&self, row: usize) -> (u32, u32) {
        (self.parts.owner[row], self.parts.rank[row])
    }

    /// Number of training rows.
    pub fn n_rows(&self) -> usize {
        self.parts.store.len()
    }

    /// The number of a stored row: its place in the data that the model was trained on, from 0;
    /// rows that were added later have the numbers after.
    pub fn number_of(&self, stored: u32) -> u32 {
        self.parts.numbers.of(stored)
    }

    /// The training rows as they are stored: in the order in which they were given if they are
    /// few, otherwise with those that are near one another together.
    pub fn samples(&self) -> SamplesView<'_> {
        self.parts.store.view()
    }

    /// The parameters.
    pub fn params(&self) -> &FalkParams {
        &self.parts.params
    }

    /// Changes which machine answers.
    pub fn set_assign(&mut self, assign: Assign) {
        self.parts.params.assign = match assign {
            // Somebody has to answer.
            Assign::Vote(voters) => Assign::Vote(voters.max(1)),
            Assign::Blend(voters) => Assign::Blend(voters.max(1)),
            other => other,
        };
    }

    /// Local models that needed an SVM: their neighbourhoods hold more than one class.
    pub fn n_trained(&self) -> usize {
        let trained = |model: &&LocalModel| matches!(model, LocalModel::Machines(_));
        self.parts.models.iter().filter(trained).count()
    }

    /// Training rows that are support vectors of some local machine.
    pub fn n_distinct_support(&self) -> usize {
        let mut used = vec![false; self.n_rows()];
        for model in &self.parts.models {
            if let LocalModel::Machines(machines) = model {
                for &row in &machines.support {
                    used[row as usize] = true;
                }
            }
        }
        used.iter().filter(|&&yes| yes).count()
    }

    pub(super) fn class_names(&self) -> Option<&[ClassName]> {
        match &self.parts.store.answers {
            super::store::Answers::Classes(labels) => Some(labels.names()),
            super::store::Answers::Real(_) => None,
        }
    }
}

/// An index of the centres, and the number of the centre at each row that is one.
fn centre_lookup(parts: &FalkParts) -> Result<(Index, Vec<u32>)> {
    let metric = parts.params.metric(&parts.store)?;
    let hints = IndexParams {
        expected_k: Some(1),
        ..parts.params.index.clone()
    };
    let index = Index::build(&metric, parts.store.view(), Some(&parts.centres), &hints)?;
    let mut numbers = vec![NOBODY; parts.store.len()];
    for (number, &row) in (0u32..).zip(&parts.centres) {
        numbers[row as usize] = number;
    }
    Ok((index, numbers))
}

/// The order of a tree of all rows keeps those that are near close together.
fn places_of_centres(numbers: &[u32], parts: &FalkParts) -> Vec<u32> {
    let mut places = vec![0; parts.centres.len()];
    // A damaged index is found out when it is searched: here it must do no harm.
    let known = parts
        .index
        .rows()
        .filter_map(|row| numbers.get(row as usize));
    for (place, &number) in (0u32..).zip(known.filter(|&&number| number != NOBODY)) {
        places[number as usize] = place;
    }
    places
}

impl FalkParts {
    fn validate(&self) -> Result<()> {
        self.params.check()?;
        self.store.validate()?;
        let n_rows = self.store.len();
        self.numbers.validate(n_rows)?;
        let n_centres = self.centres.len();
        for (what, expected, found) in [
            ("owners of the rows", n_rows, self.owner.len()),
            ("ranks of the rows", n_rows, self.rank.len()),
            ("local models", n_centres, self.models.len()),
            ("radii of the centres", n_centres, self.radii.len()),
            ("changes around the centres", n_centres, self.arrivals.len()),
        ] {
            if expected != found {
                return Err(Error::Shape {
                    what,
                    expected,
                    found,
                });
            }
        }
        if n_centres == 0 {
            return Err(Error::NoRows);
        }
        let outside = |values: &[u32], limit: usize, exempt: Option<u32>| {
            values
                .iter()
                .copied()
                .find(|&value| value as usize >= limit && Some(value) != exempt)
        };
        for (what, limit, found) in [
            (
                "centre against the number of rows",
                n_rows,
                outside(&self.centres, n_rows, None),
            ),
            (
                "owner against the number of centres",
                n_centres,
                outside(&self.owner, n_centres, Some(NOBODY)),
            ),
            (
                "row that came later against the number of rows",
                n_rows,
                self.arrivals
                    .iter()
                    .find_map(|arrivals| outside(&arrivals.unjudged, n_rows, None)),
            ),
        ] {
            if let Some(value) = found {
                return Err(Error::Shape {
                    what,
                    expected: limit,
                    found: value as usize,
                });
            }
        }
        for model in &self.models {
            model.validate(n_rows, self.store.n_classes())?;
        }
        Ok(())
    }
}

impl Serialize for FalkSvm {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FalkSvm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = FalkParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}

/// Local model selection in Python.
const SELECT: PythonParameter = PythonParameter {
    name: "select",
    form: "bool or dict, optional",
    annotation: "Any",
    default: "None",
    about: "Local model selection: ``neighbours``, ``C`` and ``gamma`` are chosen before training by \
            a few rows held out in each of many neighbourhoods. A dict may set the values to try, \
            ``neighbours``, ``C``, ``gamma``. With any of ``models`` (neighbourhoods, 10), ``folds`` \
            (10), ``inner_half``, ``centres``, ``balance`` they are chosen by cross-validation of a \
            few neighbourhoods (FaLK-SVMl).",
};

/// What both estimators in Python have learnt.
const ATTRIBUTES: &[(&str, &str)] = &[
    (
        "centres_ : ndarray of int",
        "Training rows that are centres, counted from 0.",
    ),
    (
        "n_trained_ : int",
        "Machines that were trained; neighbourhoods of one class need none.",
    ),
    (
        "neighbours_, C_, kernel_",
        "What the machines were trained with.",
    ),
    (
        "selection_ : dict of ndarray",
        "Candidates of the selection: ``neighbours``, ``C``, ``kernel``, ``mean_score``, \
         ``std_score``.",
    ),
    ("best_index_ : int", "The chosen one."),
    FEATURE_WEIGHTS,
];

const GRID: &[&str] = &["cost=2^-1:2:7", "gamma=q90,q50,q10,q1"];

estimator!(FalkParams => FalkSvm, [
    Card {
        name: "falk-svm",
        about: "FaLK-SVM: classification by local SVMs, for large data",
        grid: GRID,
        without: &["epsilon"],
        kernels: LOCAL_KERNELS,
        readable_since: 3,
        page: "falk-svm",
        python: PythonClass {
            name: "FaLKSVMClassifier",
            base: "LocalClassifier",
            about: "FaLK-SVM: local support vector machines on neighbourhoods that cover the \
                    training rows.\n\nFor data that are too large for one SVM: training time grows \
                    about linearly with the rows, and an answer takes a neighbour search and one \
                    small machine.",
            extra: &[SELECT, METRIC, METRIC_SECONDS],
            attributes: ATTRIBUTES,
        },
        ..Card::PLAIN
    },
    Card {
        name: "falk-svr",
        about: "FaLK-SVM with ε-SVR: regression by local machines",
        task: Task::Real,
        grid: GRID,
        without: &["class_weights", "probability"],
        kernels: LOCAL_KERNELS,
        readable_since: 3,
        page: "falk-svm",
        python: PythonClass {
            name: "FaLKSVMRegressor",
            base: "LocalRegressor",
            about: "FaLK-SVM with epsilon-support vector regression as the local machine.\n\n\
                    Candidates of ``select`` are compared by mean squared error.",
            extra: &[SELECT, METRIC, METRIC_SECONDS],
            attributes: ATTRIBUTES,
        },
        ..Card::PLAIN
    },
], own_search);
