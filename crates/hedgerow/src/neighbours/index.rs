//! Rows arranged for searching.

use super::brute::Brute;
use super::bucket_tree::BucketTree;
use super::choice;
use super::{GONE, IndexParams, Metric, Searcher, Structure};
use crate::data::SamplesView;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Rows arranged for searching.
///
/// Stored with a model it is a few flat arrays; what can be packed again from the samples is
/// packed when the first searcher asks for it.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Index {
    metric: Metric,
    n_features: usize,
    body: Body,
    #[serde(skip)]
    engine: OnceLock<Engine>,
}

/// What is stored of an index.
#[derive(Deserialize)]
struct Stored {
    metric: Metric,
    n_features: usize,
    body: Body,
}

/// The order of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Body {
    /// No order. Rows may be [`GONE`].
    Rows(Vec<u32>),
    /// Bucket trees, each an order of rows.
    Buckets(Vec<Vec<u32>>),
}

/// What is packed from the samples.
pub(super) enum Engine {
    Brute(Brute),
    /// `None` where single precision will not do.
    Buckets(Vec<Option<BucketTree>>),
}

impl Index {
    /// Arranges the given rows of `samples` (all of them for `None`).
    pub fn build(
        metric: &Metric,
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
        };
        Ok(Self {
            metric: metric.clone(),
            n_features: samples.n_features(),
            body,
            engine: OnceLock::from(engine),
        })
    }

    /// Number of rows that can be found.
    pub fn len(&self) -> usize {
        self.body.rows().filter(|&row| row != GONE).count()
    }

    /// True if nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The metric.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The structure that was built.
    pub fn structure(&self) -> Structure {
        match self.body {
            Body::Rows(_) => Structure::Brute,
            Body::Buckets(_) => Structure::BucketTree,
        }
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
        if let Some(engine) = self.engine.get() {
            let last = self.body.rows().filter(|&row| row != GONE).max();
            ensure_within(last, samples)?;
            return Ok(Searcher::new(self, engine, samples));
        }
        let rows: Vec<u32> = self.body.rows().filter(|&row| row != GONE).collect();
        ensure_rows(&rows, samples)?;
        let engine = self
            .engine
            .get_or_init(|| self.body.pack(&self.metric, samples));
        Ok(Searcher::new(self, engine, samples))
    }
}

impl Body {
    /// All rows, [`GONE`] ones too.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        let (single, many): (&[u32], &[Vec<u32>]) = match self {
            Self::Rows(rows) => (rows, &[]),
            Self::Buckets(orders) => (&[], orders),
        };
        single.iter().chain(many.iter().flatten()).copied()
    }

    fn pack(&self, metric: &Metric, samples: SamplesView<'_>) -> Engine {
        match self {
            Self::Rows(rows) => Engine::Brute(Brute::pack(metric, samples, rows)),
            Self::Buckets(orders) => {
                let embedding = metric.embedding(samples.n_features());
                let pack = |order: &Vec<u32>| BucketTree::pack(embedding?, samples, order);
                Engine::Buckets(orders.iter().map(pack).collect())
            }
        }
    }
}

/// The structure without structure.
pub(super) fn brute(metric: &Metric, samples: SamplesView<'_>, rows: Vec<u32>) -> (Body, Engine) {
    let engine = Engine::Brute(Brute::pack(metric, samples, &rows));
    (Body::Rows(rows), engine)
}

/// One bucket tree, if the metric and the rows allow for it.
pub(super) fn buckets(
    metric: &Metric,
    samples: SamplesView<'_>,
    rows: &[u32],
) -> Option<(Body, Engine)> {
    let embedding = metric.embedding(samples.n_features())?;
    if embedding.width() == 0 {
        return None;
    }
    let (order, tree) = BucketTree::build(embedding, samples, rows)?;
    Some((
        Body::Buckets(vec![order]),
        Engine::Buckets(vec![Some(tree)]),
    ))
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
fn ensure_rows(rows: &[u32], samples: SamplesView<'_>) -> Result<()> {
    ensure_within(rows.iter().max().copied(), samples)?;
    let mut seen = vec![false; samples.n_rows()];
    for &row in rows {
        if std::mem::replace(&mut seen[row as usize], true) {
            return Err(Error::BadRowValue {
                row: row as usize + 1,
                what: "repeated row of an index,",
                value: f64::from(row),
            });
        }
    }
    for &row in rows {
        ensure_finite(samples.row(row as usize), row as usize)?;
    }
    Ok(())
}

/// An error that names the first value of a row that is NaN or infinite.
pub(super) fn ensure_finite(row: crate::data::Row<'_>, number: usize) -> Result<()> {
    if row.values().iter().all(|value| value.is_finite()) {
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
        Ok(Self {
            metric: stored.metric,
            n_features: stored.n_features,
            body: stored.body,
            engine: OnceLock::new(),
        })
    }
}

impl Clone for Index {
    /// The copy packs its rows anew when it is first searched.
    fn clone(&self) -> Self {
        Self {
            metric: self.metric.clone(),
            n_features: self.n_features,
            body: self.body.clone(),
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
