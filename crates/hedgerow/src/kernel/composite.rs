//! Kernels built from other kernels, evaluated block by block in double precision.
//!
//! The expression is compiled into a tree of nodes; a leaf is a packed engine of its own, an inner
//! node combines the blocks of its children element by element. What an operator needs of a
//! single row (a self-value, a norm) is computed once a row.

use super::gram::simple_formula;
use super::packed::{Packed, Queries, Survey};
use super::{Kernel, LocalOperator};
use crate::data::{Samples, SamplesView};
use crate::linalg::Real;
use crate::{Error, Result};

/// Columns of one block of the evaluation: its buffers stay in the cache.
const BLOCK_COLUMNS: usize = 256;

/// A compiled expression bound to rows.
pub(super) struct Composite {
    root: Node,
    n_features: usize,
}

/// Query rows prepared for every node of the tree.
pub(super) struct CompositeQueries {
    root: NodeQueries,
    count: usize,
}

struct Node {
    kernel: Kernel,
    /// Per-row numbers of the operator at this node: self-values or factors.
    per_row: Vec<f64>,
    kind: NodeKind,
}

enum NodeKind {
    Leaf(Packed<f64>),
    /// Rows kept whole, for kernels that look at features one by one.
    Features(Vec<Vec<f64>>),
    Inner(Vec<Node>),
}

struct NodeQueries {
    per_row: Vec<f64>,
    kind: QueryKind,
}

enum QueryKind {
    Leaf(Queries<f64>),
    Features(Vec<Vec<f64>>),
    Inner(Vec<NodeQueries>),
}

/// The kernels directly below an operator.
fn children(kernel: &Kernel) -> Vec<&Kernel> {
    match kernel {
        Kernel::Sum(parts) | Kernel::Product(parts) => parts.iter().collect(),
        Kernel::Scaled { kernel, .. }
        | Kernel::Series { kernel, .. }
        | Kernel::Exp(kernel)
        | Kernel::Conformal { kernel, .. }
        | Kernel::Weighted { kernel, .. }
        | Kernel::Local { kernel, .. }
        | Kernel::RadialOf { kernel, .. }
        | Kernel::AngleOf { kernel, .. } => vec![kernel],
        _ => Vec::new(),
    }
}

/// The number that the operator of `kernel` needs of one row.
fn row_number(kernel: &Kernel, view: SamplesView<'_>, i: usize) -> Result<f64> {
    let row = view.row(i);
    match kernel {
        Kernel::Local { kernel, .. }
        | Kernel::RadialOf { kernel, .. }
        | Kernel::AngleOf { kernel, .. } => kernel.self_value(row, view.n_features()),
        Kernel::Angle(_) => Ok(row.values().iter().map(|value| value * value).sum()),
        Kernel::Conformal { rate, .. } => {
            Ok((-rate * row.values().iter().map(|value| value * value).sum::<f64>()).exp())
        }
        _ => Ok(0.0),
    }
}

/// The view that the children of `kernel` see: weighted features, or the rows as they are.
fn weighted(kernel: &Kernel, view: SamplesView<'_>, rows: &[usize]) -> Option<Samples> {
    let Kernel::Weighted { weights, .. } = kernel else { return None };
    let d = weights.len();
    let mut values = vec![0.0; rows.len() * d];
    for (row, &i) in values.chunks_mut(d.max(1)).zip(rows) {
        view.row(i).write_dense(row);
        for (value, weight) in row.iter_mut().zip(weights) {
            *value *= weight;
        }
    }
    Samples::dense(rows.len(), d, values).ok()
}

fn dense_rows(view: SamplesView<'_>, rows: &[usize]) -> Vec<Vec<f64>> {
    rows.iter()
        .map(|&i| {
            let mut row = vec![0.0; view.n_features()];
            view.row(i).write_dense(&mut row);
            row
        })
        .collect()
}

impl Node {
    fn new(kernel: &Kernel, view: SamplesView<'_>, rows: &[usize]) -> Result<Self> {
        let per_row = rows
            .iter()
            .map(|&i| row_number(kernel, view, i))
            .collect::<Result<Vec<f64>>>()?;
        // The angle is a function of the inner product.
        let leaf = if matches!(kernel, Kernel::Angle(_)) { &Kernel::Linear } else { kernel };
        let kind = if let Some(formula) = simple_formula(leaf) {
            let ids: Vec<u32> = rows.iter().map(|&i| i as u32).collect();
            let (layout, offset) = Survey::new(view, &ids).choose(formula, false);
            NodeKind::Leaf(Packed::new(formula, view, &ids, layout, offset))
        } else {
            match kernel {
                Kernel::HistogramIntersection { .. } | Kernel::Spline => {
                    NodeKind::Features(dense_rows(view, rows))
                }
                Kernel::Precomputed => {
                    return Err(Error::KernelUse {
                        kernel: kernel.to_string(),
                        problem: "a precomputed kernel cannot stand inside another one",
                    });
                }
                _ => {
                    let own = weighted(kernel, view, rows);
                    let all: Vec<usize> = (0..rows.len()).collect();
                    let nodes = children(kernel)
                        .into_iter()
                        .map(|child| match &own {
                            Some(samples) => Node::new(child, samples.view(), &all),
                            None => Node::new(child, view, rows),
                        })
                        .collect::<Result<Vec<_>>>()?;
                    NodeKind::Inner(nodes)
                }
            }
        };
        Ok(Self { kernel: kernel.clone(), per_row, kind })
    }

    fn queries(&self, view: SamplesView<'_>, rows: &[usize]) -> Result<NodeQueries> {
        let per_row = rows
            .iter()
            .map(|&i| row_number(&self.kernel, view, i))
            .collect::<Result<Vec<f64>>>()?;
        let kind = match &self.kind {
            NodeKind::Leaf(packed) => QueryKind::Leaf(packed.queries(view, rows.iter().copied())),
            NodeKind::Features(_) => QueryKind::Features(dense_rows(view, rows)),
            NodeKind::Inner(nodes) => {
                let own = weighted(&self.kernel, view, rows);
                let all: Vec<usize> = (0..rows.len()).collect();
                QueryKind::Inner(
                    nodes
                        .iter()
                        .map(|node| match &own {
                            Some(samples) => node.queries(samples.view(), &all),
                            None => node.queries(view, rows),
                        })
                        .collect::<Result<Vec<_>>>()?,
                )
            }
        };
        Ok(NodeQueries { per_row, kind })
    }

    fn bytes(&self) -> usize {
        self.per_row.len() * 8
            + match &self.kind {
                NodeKind::Leaf(packed) => packed.bytes(),
                NodeKind::Features(rows) => rows.iter().map(|row| row.len() * 8).sum(),
                NodeKind::Inner(nodes) => nodes.iter().map(Node::bytes).sum(),
            }
    }

    /// Kernel values of all queries against `columns`, row-major.
    fn evaluate(&self, queries: &NodeQueries, count: usize, columns: (usize, usize)) -> Vec<f64> {
        let width = columns.1 - columns.0;
        let mut values = vec![0.0; count * width];
        match (&self.kind, &queries.kind) {
            (NodeKind::Leaf(packed), QueryKind::Leaf(leaf_queries)) => {
                let mut out: Vec<&mut [f64]> = values.chunks_mut(width).collect();
                packed.block(leaf_queries, columns, &mut out);
                drop(out);
                if let Kernel::Angle(radial) = self.kernel {
                    self.for_pairs(queries, columns, &mut values, |value, query, row| {
                        let angle = angle_between(value, query, row);
                        radial.value(angle * angle, packed.n_features())
                    });
                }
            }
            (NodeKind::Features(rows), QueryKind::Features(query_rows)) => {
                for (q, query) in query_rows.iter().enumerate() {
                    for t in 0..width {
                        values[q * width + t] =
                            feature_value(&self.kernel, query, &rows[columns.0 + t]);
                    }
                }
            }
            (NodeKind::Inner(nodes), QueryKind::Inner(parts)) => {
                let mut blocks =
                    nodes.iter().zip(parts).map(|(node, part)| node.evaluate(part, count, columns));
                if let Some(first) = blocks.next() {
                    values = first;
                }
                self.combine(queries, columns, &mut values, blocks);
            }
            _ => unreachable!("invariant: queries mirror the tree"),
        }
        values
    }

    /// Applies the operator of this node to the first child's values and the other blocks.
    fn combine(
        &self,
        queries: &NodeQueries,
        columns: (usize, usize),
        values: &mut [f64],
        others: impl Iterator<Item = Vec<f64>>,
    ) {
        match &self.kernel {
            Kernel::Sum(_) => {
                for block in others {
                    values.iter_mut().zip(block).for_each(|(value, other)| *value += other);
                }
            }
            Kernel::Product(_) => {
                for block in others {
                    values.iter_mut().zip(block).for_each(|(value, other)| *value *= other);
                }
            }
            Kernel::Scaled { factor, .. } => values.iter_mut().for_each(|value| *value *= factor),
            Kernel::Series { coefficients, .. } => {
                for value in values.iter_mut() {
                    *value = coefficients.iter().rev().fold(0.0, |sum, c| sum * *value + c);
                }
            }
            Kernel::Exp(_) => values.iter_mut().for_each(|value| *value = value.exp()),
            Kernel::Conformal { .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| value * query * row);
            }
            Kernel::Local { operator, sigma, eta, .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    let squared = (query + row - 2.0 * value).max(0.0);
                    let near = (-squared / sigma).exp();
                    match operator {
                        LocalOperator::E => near,
                        LocalOperator::P => value * near,
                        LocalOperator::S => value + eta * near,
                        LocalOperator::PS => value * (1.0 + eta * near),
                    }
                });
            }
            Kernel::RadialOf { radial, .. } => {
                // A kernel distance has no dimension of its own: one feature.
                self.for_pairs(queries, columns, values, |value, query, row| {
                    radial.value((query + row - 2.0 * value).max(0.0), 1)
                });
            }
            Kernel::AngleOf { radial, .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    let angle = angle_between(value, query, row);
                    radial.value(angle * angle, 1)
                });
            }
            _ => {}
        }
    }

    /// Replaces every value by `map(value, number of its query, number of its row)`.
    fn for_pairs(
        &self,
        queries: &NodeQueries,
        columns: (usize, usize),
        values: &mut [f64],
        map: impl Fn(f64, f64, f64) -> f64,
    ) {
        let rows = &self.per_row[columns.0..columns.1];
        for (line, &query) in values.chunks_mut(rows.len().max(1)).zip(&queries.per_row) {
            for (value, &row) in line.iter_mut().zip(rows) {
                *value = map(*value, query, row);
            }
        }
    }
}

/// The angle of two vectors from their inner product and squared norms; 0 if either norm is 0.
pub(super) fn angle_between(product: f64, sq_norm_a: f64, sq_norm_b: f64) -> f64 {
    let norms = (sq_norm_a * sq_norm_b).sqrt();
    if norms > 0.0 { (product / norms).clamp(-1.0, 1.0).acos() } else { 0.0 }
}

/// Kernels that combine features one by one.
pub(super) fn feature_value(kernel: &Kernel, a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    match kernel {
        Kernel::HistogramIntersection { alpha } => {
            pairs.map(|(x, y)| x.abs().powf(*alpha).min(y.abs().powf(*alpha))).sum()
        }
        Kernel::Spline => pairs
            .map(|(x, y)| {
                let m = x.min(*y);
                1.0 + x * y + x * y * m - 0.5 * (x + y) * m * m + m * m * m / 3.0
            })
            .product(),
        _ => 0.0,
    }
}

impl Composite {
    pub(super) fn new(kernel: &Kernel, view: SamplesView<'_>, rows: &[u32]) -> Result<Self> {
        let rows: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        Ok(Self { root: Node::new(kernel, view, &rows)?, n_features: view.n_features() })
    }

    pub(super) fn bytes(&self) -> usize {
        self.root.bytes()
    }

    pub(super) fn queries(&self, view: SamplesView<'_>, rows: &[usize]) -> Result<CompositeQueries> {
        if view.n_features() > self.n_features {
            return Err(Error::Shape {
                what: "features of the queries",
                expected: self.n_features,
                found: view.n_features(),
            });
        }
        Ok(CompositeQueries { root: self.root.queries(view, rows)?, count: rows.len() })
    }

    pub(super) fn block<O: Real>(
        &self,
        queries: &CompositeQueries,
        columns: (usize, usize),
        out: &mut [&mut [O]],
    ) {
        let mut start = columns.0;
        while start < columns.1 {
            let end = columns.1.min(start + BLOCK_COLUMNS);
            let values = self.root.evaluate(&queries.root, queries.count, (start, end));
            for (row, line) in out.iter_mut().zip(values.chunks(end - start)) {
                for (slot, &value) in row[start - columns.0..].iter_mut().zip(line) {
                    *slot = O::from_f64(value);
                }
            }
            start = end;
        }
    }
}

