//! Rows arranged for searching.

use super::brute::Brute;
use super::bucket_tree::BucketTree;
use super::choice;
use super::cover_tree::{CoverTree, CoverTreeParams, Prepared};
use super::deferred::DeferredTree;
use super::{DistanceMetric, GONE, IndexParams, Searcher, Structure};
use crate::data::SamplesView;
use crate::parallel::{Grain, try_map};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Rows that wait to be put into a bucket tree.
const LOOSE: usize = 128;
/// Rows whose values one task looks at.
const CHECKED: usize = 1024;

/// Rows arranged for searching.
///
/// Stored with a model it is a few flat arrays; what can be packed again from the samples is
/// packed when searchers have been asked for enough.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Index {
    metric: DistanceMetric,
    n_features: usize,
    body: Body,
    /// Number of rows that can be found, and one more than the largest.
    #[serde(skip)]
    count: usize,
    #[serde(skip)]
    end: usize,
    #[serde(skip)]
    engine: OnceLock<Engine>,
}

/// What is stored of an index.
#[derive(Deserialize)]
struct Stored {
    metric: DistanceMetric,
    n_features: usize,
    body: Body,
}

/// The order of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Body {
    /// No order. Rows may be [`GONE`].
    Rows(Vec<u32>),
    /// Bucket trees, each an order of rows, and rows that are in none. Rows may be [`GONE`].
    Buckets {
        orders: Vec<Vec<u32>>,
        loose: Vec<u32>,
    },
    /// A cover tree.
    Cover(CoverTree),
}

/// What is packed from the samples.
pub(super) enum Engine {
    Brute(Brute),
    Buckets(Vec<DeferredTree>),
    Cover(Prepared),
}

impl Index {
    /// Arranges the given rows of `samples` (all of them for `None`).
    pub fn build(
        metric: &DistanceMetric,
        samples: SamplesView<'_>,
        rows: Option<&[u32]>,
        params: &IndexParams,
    ) -> Result<Self> {
        metric.check()?;
        let rows = rows.map_or_else(|| (0..samples.n_rows() as u32).collect(), <[u32]>::to_vec);
        if rows.is_empty() {
            return Err(Error::NoRows);
        }
        ensure_rows(&rows, samples)?;
        let (body, engine) = match params.structure {
            Structure::Auto => choice::cheapest(metric, samples, rows, params)?,
            Structure::Brute => brute(metric, samples, rows),
            Structure::BucketTree => {
                buckets(metric, samples, &rows).unwrap_or_else(|| brute(metric, samples, rows))
            }
            Structure::CoverTree => {
                cover(metric, samples, &rows).unwrap_or_else(|| brute(metric, samples, rows))
            }
        };
        let n_features = samples.n_features();
        Ok(Self::packed(metric.clone(), n_features, body, engine))
    }

    /// An index of which nothing is packed yet.
    fn of(metric: DistanceMetric, n_features: usize, body: Body) -> Self {
        let rows = || body.rows().filter(|&row| row != GONE);
        Self {
            metric,
            n_features,
            count: rows().count(),
            end: rows().max().map_or(0, |row| row as usize + 1),
            body,
            engine: OnceLock::new(),
        }
    }

    /// An index that is ready.
    pub(super) fn packed(
        metric: DistanceMetric,
        n_features: usize,
        body: Body,
        engine: Engine,
    ) -> Self {
        let mut index = Self::of(metric, n_features, body);
        index.engine = OnceLock::from(engine);
        index
    }

    /// What an index that is ready consists of.
    pub(super) fn into_parts(self) -> Option<(Body, Engine)> {
        Some((self.body, self.engine.into_inner()?))
    }

    /// Number of rows that can be found.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The metric.
    pub fn metric(&self) -> &DistanceMetric {
        &self.metric
    }

    /// The structure that was built.
    pub fn structure(&self) -> Structure {
        match self.body {
            Body::Rows(_) => Structure::Brute,
            Body::Buckets { .. } => Structure::BucketTree,
            Body::Cover(_) => Structure::CoverTree,
        }
    }

    /// The rows that can be found, in no particular order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> {
        self.body.rows().filter(|&row| row != GONE)
    }

    pub(super) fn body(&self) -> &Body {
        &self.body
    }

    /// Joins the index with the samples it was built on.
    pub fn searcher<'a>(&'a self, samples: SamplesView<'a>) -> Result<Searcher<'a>> {
        if samples.n_features() != self.n_features {
            return Err(Error::Shape {
                what: "features of the samples of an index",
                expected: self.n_features,
                found: samples.n_features(),
            });
        }
        if samples.n_rows() < self.end {
            return Err(Error::Shape {
                what: "rows of the samples of an index (at least)",
                expected: self.end,
                found: samples.n_rows(),
            });
        }
        let engine = if let Some(engine) = self.engine.get() {
            engine
        } else {
            let engine = self.pack(samples)?;
            self.engine.get_or_init(|| engine)
        };
        Ok(Searcher::new(self, engine, samples))
    }

    /// What an index has beside the order of its rows.
    fn pack(&self, samples: SamplesView<'_>) -> Result<Engine> {
        let rows: Vec<u32> = self.body.rows().filter(|&row| row != GONE).collect();
        ensure_rows(&rows, samples)?;
        self.body.pack(&self.metric, samples)
    }

    /// Inserts a row of the samples; see [`Index::insert_all`].
    pub fn insert(&mut self, samples: SamplesView<'_>, row: u32) -> Result<()> {
        self.insert_all(samples, &[row])
    }

    /// Inserts rows of the samples. They may have got more rows since the index was built, but
    /// those that the index has must be what they were. Nothing is inserted if there is an error
    /// in the rows. Costs a look at every row number beside the insertion.
    ///
    /// Cheap on average: rows wait in a short list until there are enough of them for a tree, and
    /// small trees are joined to larger ones.
    pub fn insert_all(&mut self, samples: SamplesView<'_>, rows: &[u32]) -> Result<()> {
        self.searcher(samples)?;
        ensure_rows(rows, samples)?;
        let mut is_new = vec![false; samples.n_rows()];
        for &row in rows {
            is_new[row as usize] = true;
        }
        // Numbers of rows that are gone lie beyond those of all samples.
        let known = |&row: &u32| is_new.get(row as usize) == Some(&true);
        if let Some(row) = self.body.rows().find(known) {
            return Err(repeated(row));
        }
        rows.iter().try_for_each(|&row| self.put(samples, row))
    }

    /// Inserts a row that is there, finite and not in the index yet.
    fn put(&mut self, samples: SamplesView<'_>, row: u32) -> Result<()> {
        let metric = &self.metric;
        match (&mut self.body, self.engine.get_mut()) {
            (Body::Rows(rows), Some(Engine::Brute(engine))) => {
                rows.push(row);
                if engine.is_worn(rows) {
                    rows.retain(|&row| row != GONE);
                    *engine = Brute::pack(metric, samples, rows);
                }
            }
            (Body::Buckets { orders, loose }, Some(Engine::Buckets(trees))) => {
                loose.push(row);
                if loose.len() >= LOOSE {
                    join_small(metric, samples, orders, loose, trees);
                }
            }
            (Body::Cover(tree), Some(Engine::Cover(prepared))) => {
                prepared.extend(metric, samples)?;
                if tree.is_worn() {
                    let mut rows: Vec<u32> = tree.rows().collect();
                    rows.push(row);
                    *tree = CoverTree::on(prepared, metric, samples, &rows, tree.params())?;
                } else {
                    tree.insert(samples, row)?;
                }
            }
            _ => unreachable!("invariant: an engine is packed from the body beside it"),
        }
        self.count += 1;
        self.end = self.end.max(row as usize + 1);
        Ok(())
    }

    /// Removes a row; false if the index does not have it. Costs a look at every row number.
    pub fn remove(&mut self, row: u32) -> bool {
        let removed = match &mut self.body {
            Body::Rows(rows) => forget(rows, row).is_some(),
            Body::Cover(tree) => tree.remove(row),
            Body::Buckets { orders, loose } => {
                let place = orders
                    .iter_mut()
                    .enumerate()
                    .find_map(|(tree, order)| Some((tree, forget(order, row)?)));
                match (place, self.engine.get_mut()) {
                    (Some((tree, at)), Some(Engine::Buckets(trees))) => {
                        if let Some(tree) = trees.get_mut(tree).and_then(DeferredTree::get_mut) {
                            tree.forget(at);
                        }
                        true
                    }
                    (Some(_), _) => true,
                    (None, _) => {
                        let before = loose.len();
                        loose.retain(|&other| other != row);
                        loose.len() < before
                    }
                }
            }
        };
        self.count -= usize::from(removed);
        removed
    }

    /// Whether the index has a row. Costs a look at every row number.
    pub fn contains(&self, row: u32) -> bool {
        row != GONE && self.body.rows().any(|other| other == row)
    }
}

/// Marks a row as gone and returns its position.
fn forget(rows: &mut [u32], row: u32) -> Option<usize> {
    let at = rows.iter().position(|&other| other == row && row != GONE)?;
    rows[at] = GONE;
    Some(at)
}

/// Makes a tree of the loose rows and of all trees that are not much larger.
fn join_small(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    orders: &mut Vec<Vec<u32>>,
    loose: &mut Vec<u32>,
    trees: &mut Vec<DeferredTree>,
) {
    let mut rows = std::mem::take(loose);
    while let Some(order) = orders.last()
        && order.len() <= 2 * rows.len()
    {
        rows.extend(order.iter().copied().filter(|&row| row != GONE));
        orders.pop();
        trees.pop();
    }
    rows.sort_unstable();
    let embedding = metric.embedding(samples.n_features());
    let built = embedding.and_then(|embedding| BucketTree::build(embedding, samples, &rows));
    if let Some((order, tree)) = built {
        orders.push(order);
        trees.push(DeferredTree::ready(Some(tree)));
    } else {
        orders.push(rows);
        trees.push(DeferredTree::ready(None));
    }
}

impl Body {
    /// All rows, [`GONE`] ones too.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        let (single, many, tree): (&[u32], &[Vec<u32>], _) = match self {
            Self::Rows(rows) => (rows, &[], None),
            Self::Buckets { orders, loose } => (loose, orders, None),
            Self::Cover(tree) => (&[], &[], Some(tree)),
        };
        let listed = single.iter().chain(many.iter().flatten()).copied();
        listed.chain(tree.into_iter().flat_map(CoverTree::rows))
    }

    fn pack(&self, metric: &DistanceMetric, samples: SamplesView<'_>) -> Result<Engine> {
        Ok(match self {
            Self::Rows(rows) => Engine::Brute(Brute::pack(metric, samples, rows)),
            Self::Buckets { orders, .. } => {
                Engine::Buckets(orders.iter().map(|_| DeferredTree::default()).collect())
            }
            Self::Cover(tree) => {
                tree.ensure_samples(samples)?;
                Engine::Cover(Prepared::new(metric, samples)?)
            }
        })
    }
}

/// The structure without structure.
pub(super) fn brute(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: Vec<u32>,
) -> (Body, Engine) {
    let engine = Engine::Brute(Brute::pack(metric, samples, &rows));
    (Body::Rows(rows), engine)
}

/// One bucket tree, if the metric and the rows allow for it.
pub(super) fn buckets(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: &[u32],
) -> Option<(Body, Engine)> {
    let embedding = metric.embedding(samples.n_features())?;
    if embedding.width() == 0 {
        return None;
    }
    let (order, tree) = BucketTree::build(embedding, samples, rows)?;
    let body = Body::Buckets {
        orders: vec![order],
        loose: Vec::new(),
    };
    Some((body, Engine::Buckets(vec![DeferredTree::ready(Some(tree))])))
}

/// A cover tree, if the metric is one and no distance overflows.
pub(super) fn cover(
    metric: &DistanceMetric,
    samples: SamplesView<'_>,
    rows: &[u32],
) -> Option<(Body, Engine)> {
    if !metric.is_metric(samples.n_features()) {
        return None;
    }
    let prepared = Prepared::new(metric, samples).ok()?;
    let params = CoverTreeParams::default();
    let tree = CoverTree::on(&prepared, metric, samples, rows, params).ok()?;
    Some((Body::Cover(tree), Engine::Cover(prepared)))
}

fn repeated(row: u32) -> Error {
    Error::BadRowValue {
        row: row as usize + 1,
        what: "repeated row of an index,",
        value: f64::from(row),
    }
}

fn ensure_within(last: Option<u32>, samples: SamplesView<'_>) -> Result<()> {
    match last {
        Some(last) if last as usize >= samples.n_rows() => Err(Error::Shape {
            what: "rows of the samples of an index (at least)",
            expected: last as usize + 1,
            found: samples.n_rows(),
        }),
        _ => Ok(()),
    }
}

/// An error unless the rows exist, are distinct and finite.
pub(super) fn ensure_rows(rows: &[u32], samples: SamplesView<'_>) -> Result<()> {
    ensure_within(rows.iter().max().copied(), samples)?;
    let mut seen = vec![false; samples.n_rows()];
    for &row in rows {
        if std::mem::replace(&mut seen[row as usize], true) {
            return Err(repeated(row));
        }
    }
    // In the order in which values are stored this is much faster, if most rows are wanted.
    if 4 * rows.len() >= samples.n_rows() && samples.ensure_finite().is_ok() {
        return Ok(());
    }
    try_map(rows.len().div_ceil(CHECKED), Grain::COARSE, &|task| {
        let rows = rows.iter().skip(task * CHECKED).take(CHECKED);
        rows.map(|&row| row as usize)
            .try_for_each(|row| ensure_finite(samples.row(row), row))
    })?;
    Ok(())
}

/// An error that names the first value of a row that is NaN or infinite.
pub(super) fn ensure_finite(row: crate::data::Row<'_>, number: usize) -> Result<()> {
    // Without a way out in the middle, this runs at the speed of memory.
    let finite = |so_far: bool, value: &f64| so_far & value.is_finite();
    if row.values().iter().fold(true, finite) {
        return Ok(());
    }
    let mut found = (0, 0.0);
    row.for_each(|f, value| {
        if !value.is_finite() {
            found = (f, value);
        }
    });
    Err(Error::NotFinite {
        row: number + 1,
        column: found.0 + 1,
        value: found.1,
    })
}

impl TryFrom<Stored> for Index {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        stored.metric.check()?;
        if let Body::Cover(tree) = &stored.body
            && (tree.metric() != &stored.metric || tree.n_features() != stored.n_features)
        {
            return Err(Error::Shape {
                what: "features of the cover tree of an index (or its metric differs)",
                expected: stored.n_features,
                found: tree.n_features(),
            });
        }
        Ok(Self::of(stored.metric, stored.n_features, stored.body))
    }
}

impl Clone for Index {
    /// The copy packs its rows anew when it is first searched.
    fn clone(&self) -> Self {
        Self {
            metric: self.metric.clone(),
            n_features: self.n_features,
            body: self.body.clone(),
            count: self.count,
            end: self.end,
            engine: OnceLock::new(),
        }
    }
}

impl PartialEq for Index {
    fn eq(&self, other: &Self) -> bool {
        self.metric == other.metric
            && self.n_features == other.n_features
            && self.body == other.body
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("metric", &self.metric)
            .field("n_features", &self.n_features)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}
