//! An index at work.

use super::Neighbour;
use super::brute::{self, TOGETHER, pair_by_pair};
use super::bucket_tree;
use super::bucket_tree::BucketTree;
use super::candidates::Candidates;
use super::cover_tree;
use super::cover_tree::Space;
use super::deferred::DeferredTree;
use super::index::{Body, Engine, Index, ensure_finite};
use super::rank::{self, Asked, nearest_of};
use super::scan::scan;
use crate::data::{Row, SamplesView};
use crate::parallel::{Grain, for_each_chunk, try_concat};
use crate::spares::Spares;
use crate::{Error, Result};

/// Queries of one parallel task in a tree.
const TASK: usize = 32;

/// Buffers that a searcher fills for one query after the other. One for each thread.
#[derive(Debug, Clone, Default)]
pub struct SearchScratch {
    brute: brute::BruteScratch,
    buckets: bucket_tree::BucketScratch,
    cover: cover_tree::CoverScratch,
    found: Vec<Candidates>,
    rank: rank::Buffers,
    list: Vec<Neighbour>,
}

impl SearchScratch {
    /// Values that searches in bucket trees have compared, and distances that searches in cover
    /// trees have computed: what they cost, by counting and not by a clock.
    pub(super) fn counted(&self) -> (usize, usize) {
        (self.buckets.compared, self.cover.distances)
    }
}

/// An index together with its samples. Threads may share it.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    index: &'a Index,
    engine: &'a Engine,
    samples: SamplesView<'a>,
}

/// What is asked: the row, its number among those that are asked about, and the number of the row
/// that does not count.
#[derive(Clone, Copy)]
struct Query<'a> {
    row: Row<'a>,
    number: usize,
    left_out: Option<u32>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(index: &'a Index, engine: &'a Engine, samples: SamplesView<'a>) -> Self {
        Self {
            index,
            engine,
            samples,
        }
    }

    /// The `k` nearest rows of each row of `queries`, in parallel; all rows if there are fewer.
    pub fn k_nearest(&self, queries: SamplesView<'_>, k: usize) -> Result<Vec<Vec<Neighbour>>> {
        self.search_new(queries, k, <[Neighbour]>::to_vec)
    }

    /// The `k` nearest rows of each row of `queries`, as `keep` wants them.
    fn search_new<T: Clone + Default + Send>(
        &self,
        queries: SamplesView<'_>,
        k: usize,
        keep: impl Fn(&[Neighbour]) -> T + Sync,
    ) -> Result<Vec<T>> {
        let n_features = self.samples.n_features().max(queries.n_features());
        let query = |q: usize| {
            let row = queries.row(q);
            ensure_finite(row, q)?;
            Ok(Query {
                row,
                number: q,
                left_out: None,
            })
        };
        let queries: Vec<Query<'_>> = (0..queries.n_rows()).map(query).collect::<Result<_>>()?;
        self.search_all(&queries, n_features, k, keep)
    }

    /// The `k` nearest rows of each of the given rows of the samples themselves, in parallel. With
    /// `leave_out` a row is not its own neighbour (copies of it are).
    pub fn k_nearest_of(
        &self,
        members: &[u32],
        k: usize,
        leave_out: bool,
    ) -> Result<Vec<Vec<Neighbour>>> {
        let query = |&member: &u32| {
            if member as usize >= self.samples.n_rows() {
                return Err(Error::Shape {
                    what: "rows of the samples (at least)",
                    expected: member as usize + 1,
                    found: self.samples.n_rows(),
                });
            }
            let row = self.samples.row(member as usize);
            ensure_finite(row, member as usize)?;
            Ok(Query {
                row,
                number: member as usize,
                left_out: leave_out.then_some(member),
            })
        };
        let queries: Vec<Query<'_>> = members.iter().map(query).collect::<Result<_>>()?;
        self.search_all(
            &queries,
            self.samples.n_features(),
            k,
            <[Neighbour]>::to_vec,
        )
    }

    /// The nearest row of each row of `queries`, in parallel.
    pub fn nearest(&self, queries: SamplesView<'_>) -> Result<Vec<Neighbour>> {
        let nearest = self.search_new(queries, 1, |list| list.first().copied())?;
        Ok(nearest.into_iter().flatten().collect())
    }

    /// The `k` nearest rows of one row, into `out`, on the calling thread. After the first calls
    /// with a scratch nothing is allocated any more (but for sparse rows that are all looked at).
    pub fn k_nearest_one(
        &self,
        scratch: &mut SearchScratch,
        row: Row<'_>,
        k: usize,
        out: &mut Vec<Neighbour>,
    ) -> Result<()> {
        ensure_finite(row, 0)?;
        let query = Query {
            row,
            number: 0,
            left_out: None,
        };
        let n_features = self.samples.n_features().max(extent(row));
        self.expect(1);
        self.gather(&[query], n_features, k, scratch)?;
        self.rank(0, query, n_features, k, scratch, out)
    }

    /// The nearest row of one row, on the calling thread; `None` if there are no rows.
    pub fn nearest_one(
        &self,
        scratch: &mut SearchScratch,
        row: Row<'_>,
    ) -> Result<Option<Neighbour>> {
        let mut list = std::mem::take(&mut scratch.list);
        let result = self.k_nearest_one(scratch, row, 1, &mut list);
        let nearest = list.first().copied();
        scratch.list = list;
        result.map(|()| nearest)
    }

    /// All queries, in parallel, in an order that suits the structure.
    fn search_all<T: Clone + Default + Send>(
        &self,
        queries: &[Query<'_>],
        n_features: usize,
        k: usize,
        keep: impl Fn(&[Neighbour]) -> T + Sync,
    ) -> Result<Vec<T>> {
        self.expect(queries.len());
        let mut order: Vec<(u32, u32)> = (0..queries.len() as u32).map(|q| (0, q)).collect();
        let task = if let Engine::Buckets(trees) = self.engine {
            self.sort_by_bucket(trees, queries, &mut order);
            TASK
        } else if let Engine::Cover(_) = self.engine {
            TASK
        } else {
            let threads = rayon::current_num_threads();
            queries.len().div_ceil(threads).clamp(1, TOGETHER)
        };
        let spares = Spares::<SearchScratch>::new();
        let answers_in_order: Vec<T> = try_concat(order.len(), task, &|part| {
            let part = &order[part];
            spares.lend(|scratch| {
                let mut asked = [Query {
                    row: Row::Dense(&[]),
                    number: 0,
                    left_out: None,
                }; TOGETHER];
                for (slot, &(_, q)) in asked.iter_mut().zip(part) {
                    *slot = queries[q as usize];
                }
                let asked = &asked[..part.len()];
                self.gather(asked, n_features, k, scratch)?;
                let mut list = std::mem::take(&mut scratch.list);
                let answer = |(at, &query)| {
                    self.rank(at, query, n_features, k, scratch, &mut list)?;
                    Ok(keep(&list))
                };
                let answers = asked.iter().enumerate().map(answer).collect();
                scratch.list = list;
                answers
            })
        })?;
        let mut answers = vec![T::default(); queries.len()];
        for (&(_, q), answer) in order.iter().zip(answers_in_order) {
            answers[q as usize] = answer;
        }
        Ok(answers)
    }

    /// Packs what so many queries make worth packing.
    fn expect(&self, n_queries: usize) {
        let (Engine::Buckets(trees), Body::Buckets { orders, .. }) =
            (self.engine, self.index.body())
        else {
            return;
        };
        let embedding = self.index.metric().embedding(self.samples.n_features());
        for (tree, order) in trees.iter().zip(orders) {
            tree.expect(n_queries, || {
                BucketTree::pack(embedding?, self.samples, order)
            });
        }
    }

    /// Queries that begin in the same bucket of the first tree come together.
    fn sort_by_bucket(
        &self,
        trees: &[DeferredTree],
        queries: &[Query<'_>],
        order: &mut [(u32, u32)],
    ) {
        let embedding = self.index.metric().embedding(self.samples.n_features());
        let tree = trees.first().and_then(DeferredTree::get);
        let (Some(tree), Some(embedding)) = (tree, embedding) else {
            return;
        };
        for_each_chunk(order, TASK, Grain::at_least(8), &|_, part| {
            let mut scratch = bucket_tree::BucketScratch::default();
            for (bucket, q) in part {
                let row = queries[*q as usize].row;
                *bucket = tree.bucket_near(embedding, row, &mut scratch) as u32;
            }
        });
        order.sort_unstable();
    }

    /// Collects the candidates of up to [`TOGETHER`] queries.
    fn gather(
        &self,
        queries: &[Query<'_>],
        n_features: usize,
        k: usize,
        scratch: &mut SearchScratch,
    ) -> Result<()> {
        let (metric, samples) = (self.index.metric(), self.samples);
        if scratch.found.len() < queries.len() {
            scratch
                .found
                .resize_with(queries.len(), Candidates::default);
        }
        let found = &mut scratch.found[..queries.len()];
        for (query, found) in queries.iter().zip(found.iter_mut()) {
            found.begin(k, query.left_out);
        }
        let mut asked = [Row::Dense(&[]); TOGETHER];
        for (slot, query) in asked.iter_mut().zip(queries) {
            *slot = query.row;
        }
        let asked = &asked[..queries.len()];
        match (self.engine, self.index.body()) {
            (Engine::Brute(engine), Body::Rows(rows)) => engine.search(
                metric,
                samples,
                rows,
                asked,
                n_features,
                &mut scratch.brute,
                found,
            ),
            (Engine::Cover(prepared), Body::Cover(tree)) => {
                let space = Space::new(metric, samples, prepared);
                for (query, found) in queries.iter().zip(found.iter_mut()) {
                    if !tree.search(space, query.row, &mut scratch.cover, found) {
                        let rows: Vec<u32> = tree.rows().collect();
                        pair_by_pair(metric, samples, &rows, query.row, n_features, found)?;
                    }
                }
                Ok(())
            }
            (Engine::Buckets(trees), Body::Buckets { orders, loose }) => {
                let embedding = metric.embedding(samples.n_features());
                for (tree, order) in trees.iter().zip(orders) {
                    let (Some(tree), Some(embedding)) = (tree.get(), embedding) else {
                        scan(metric, samples, order, asked, n_features, found)?;
                        continue;
                    };
                    for (query, found) in queries.iter().zip(found.iter_mut()) {
                        let scratch = &mut scratch.buckets;
                        if !tree.search(embedding, order, query.row, scratch, found) {
                            pair_by_pair(metric, samples, order, query.row, n_features, found)?;
                        }
                    }
                }
                for (query, found) in queries.iter().zip(found.iter_mut()) {
                    pair_by_pair(metric, samples, loose, query.row, n_features, found)?;
                }
                Ok(())
            }
            _ => unreachable!("invariant: an engine is packed from the body beside it"),
        }
    }

    /// The nearest among the candidates of query `at`.
    fn rank(
        &self,
        at: usize,
        query: Query<'_>,
        n_features: usize,
        k: usize,
        scratch: &mut SearchScratch,
        out: &mut Vec<Neighbour>,
    ) -> Result<()> {
        let asked = Asked {
            metric: self.index.metric(),
            samples: self.samples,
            query: query.row,
            n_features,
        };
        let candidates = scratch.found[at].finish();
        nearest_of(asked, candidates, k, &mut scratch.rank, out)?;
        // What has no distance is neither near nor far, and may have been passed over.
        let left_out = usize::from(query.left_out.is_some());
        let others = self.index.len().saturating_sub(left_out);
        if out.len() < k.min(others) || out.iter().any(|found| found.distance.is_nan()) {
            return Err(Error::NoDistance {
                row: query.number + 1,
                metric: self.index.metric().name(),
            });
        }
        Ok(())
    }
}

impl std::fmt::Debug for Searcher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("index", self.index)
            .finish_non_exhaustive()
    }
}

/// Number of features that a row may have.
pub(super) fn extent(row: Row<'_>) -> usize {
    match row {
        Row::Dense(values) => values.len(),
        Row::Sparse { indices, .. } => indices.last().map_or(0, |&f| f as usize + 1),
    }
}
