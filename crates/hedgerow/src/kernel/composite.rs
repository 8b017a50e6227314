//! Kernels built from other kernels, evaluated block by block in double precision.
//!
//! The expression is compiled into a tree of nodes; a leaf is a packed engine of its own, an inner
//! node combines the blocks of its children element by element. What an operator needs of a
//! single row (a self-value, a norm) is computed once a row.

use super::Kernel;
use super::bound::simple_formula;
use super::distance::sq_dist;
use super::layout::{Precision, Survey};
use super::packed::{Packed, Queries};
use super::scalar::{column, self_value, spectral_angle, spline_factor};
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
    /// Column of the kernel matrix that each row stands for.
    Matrix(Vec<u32>),
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

/// The number that the operator of `kernel` needs of one row.
fn row_number(kernel: &Kernel, view: SamplesView<'_>, i: usize, n_features: usize) -> Result<f64> {
    let row = view.row(i);
    let number = match kernel {
        Kernel::Local { kernel, .. }
        | Kernel::RadialOf { kernel, .. }
        | Kernel::AngleOf { kernel, .. } => self_value(kernel, row, n_features),
        Kernel::Angle(_) => self_value(&Kernel::Linear, row, n_features),
        Kernel::Conformal { rate, .. } => {
            (-rate * self_value(&Kernel::Linear, row, n_features)).exp()
        }
        _ => 0.0,
    };
    if number.is_nan() {
        return Err(Error::KernelUse {
            kernel: kernel.to_string(),
            problem: "a row of the precomputed matrix does not hold its own self-value",
        });
    }
    Ok(number)
}

/// The number of features that the children of `kernel` see.
fn inner_features(kernel: &Kernel, n_features: usize) -> usize {
    match kernel {
        Kernel::Weighted { weights, .. } => weights.len(),
        _ => n_features,
    }
}

/// The view that the children of `kernel` see: weighted features, or the rows as they are.
fn weighted(kernel: &Kernel, view: SamplesView<'_>, rows: &[usize]) -> Option<Samples> {
    let Kernel::Weighted { weights, .. } = kernel else {
        return None;
    };
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

fn dense_rows(view: SamplesView<'_>, rows: &[usize], width: usize) -> Vec<Vec<f64>> {
    rows.iter()
        .map(|&i| {
            let mut row = vec![0.0; width];
            view.row(i).write_dense(&mut row);
            row
        })
        .collect()
}

impl Node {
    fn new(
        kernel: &Kernel,
        view: SamplesView<'_>,
        rows: &[usize],
        n_features: usize,
        like: Option<&Node>,
    ) -> Result<Self> {
        let per_row = rows
            .iter()
            .map(|&i| row_number(kernel, view, i, n_features))
            .collect::<Result<Vec<f64>>>()?;
        // The angle is a function of the inner product.
        let leaf = if matches!(kernel, Kernel::Angle(_)) {
            &Kernel::Linear
        } else {
            kernel
        };
        let kind = if let Some(formula) = simple_formula(leaf) {
            let ids: Vec<u32> = rows.iter().map(|&i| i as u32).collect();
            // Packed as before, so that a value does not depend on when it is computed.
            let packed = if let Some(NodeKind::Leaf(before)) = like.map(|node| &node.kind) {
                before.rebind(view, &ids)
            } else {
                let (layout, offset) = Survey::new(view, &ids).choose(formula, Precision::Double);
                Packed::new(formula, view, &ids, layout, offset)
            };
            NodeKind::Leaf(packed)
        } else {
            match kernel {
                Kernel::HistogramIntersection { .. } | Kernel::Spline => {
                    NodeKind::Features(dense_rows(view, rows, n_features))
                }
                Kernel::Precomputed => NodeKind::Matrix(
                    rows.iter()
                        .map(|&i| serial_number(view, i))
                        .collect::<Result<_>>()?,
                ),
                _ => {
                    let own = weighted(kernel, view, rows);
                    let inner = inner_features(kernel, n_features);
                    let all: Vec<usize> = (0..rows.len()).collect();
                    let nodes = kernel
                        .children()
                        .iter()
                        .enumerate()
                        .map(|(k, child)| {
                            let like = like.and_then(|node| node.child(k));
                            match &own {
                                Some(samples) => {
                                    Node::new(child, samples.view(), &all, inner, like)
                                }
                                None => Node::new(child, view, rows, inner, like),
                            }
                        })
                        .collect::<Result<Vec<_>>>()?;
                    NodeKind::Inner(nodes)
                }
            }
        };
        Ok(Self {
            kernel: kernel.clone(),
            per_row,
            kind,
        })
    }

    fn queries(
        &self,
        view: SamplesView<'_>,
        rows: &[usize],
        n_features: usize,
    ) -> Result<NodeQueries> {
        let per_row = rows
            .iter()
            .map(|&i| row_number(&self.kernel, view, i, n_features))
            .collect::<Result<Vec<f64>>>()?;
        let kind = match &self.kind {
            NodeKind::Leaf(packed) => QueryKind::Leaf(packed.queries(view, rows.iter().copied())),
            NodeKind::Matrix(columns) => {
                let width = columns.iter().max().map_or(0, |&c| c as usize + 1);
                if view.n_features() < width {
                    return Err(Error::Shape {
                        what: "columns of the precomputed kernel rows",
                        expected: width,
                        found: view.n_features(),
                    });
                }
                QueryKind::Features(dense_rows(view, rows, view.n_features()))
            }
            NodeKind::Features(_) => QueryKind::Features(dense_rows(view, rows, n_features)),
            NodeKind::Inner(nodes) => {
                let own = weighted(&self.kernel, view, rows);
                let inner = inner_features(&self.kernel, n_features);
                let all: Vec<usize> = (0..rows.len()).collect();
                QueryKind::Inner(
                    nodes
                        .iter()
                        .map(|node| match &own {
                            Some(samples) => node.queries(samples.view(), &all, inner),
                            None => node.queries(view, rows, inner),
                        })
                        .collect::<Result<Vec<_>>>()?,
                )
            }
        };
        Ok(NodeQueries { per_row, kind })
    }

    fn child(&self, k: usize) -> Option<&Node> {
        match &self.kind {
            NodeKind::Inner(nodes) => nodes.get(k),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        self.per_row.len() * 8
            + match &self.kind {
                NodeKind::Leaf(packed) => packed.bytes(),
                NodeKind::Matrix(columns) => columns.len() * 4,
                NodeKind::Features(rows) => rows.iter().map(|row| row.len() * 8).sum(),
                NodeKind::Inner(nodes) => nodes.iter().map(Node::bytes).sum(),
            }
    }

    /// Kernel values of all queries against `columns`, row-major.
    fn evaluate(
        &self,
        queries: &NodeQueries,
        count: usize,
        columns: (usize, usize),
        n_features: usize,
    ) -> Vec<f64> {
        let width = columns.1 - columns.0;
        let mut values = vec![0.0; count * width];
        match (&self.kind, &queries.kind) {
            (NodeKind::Leaf(packed), QueryKind::Leaf(leaf_queries)) => {
                let mut out: Vec<&mut [f64]> = values.chunks_mut(width).collect();
                packed.block(leaf_queries, columns, &mut out);
                drop(out);
                if let Kernel::Angle(radial) = self.kernel {
                    self.for_pairs(queries, columns, &mut values, |value, query, row| {
                        let angle = spectral_angle(query, row, value);
                        radial.value(angle * angle, n_features)
                    });
                }
            }
            (NodeKind::Matrix(serials), QueryKind::Features(matrix)) => {
                for (line, row) in values.chunks_mut(width).zip(matrix) {
                    for (value, &serial) in line.iter_mut().zip(&serials[columns.0..columns.1]) {
                        *value = row[serial as usize];
                    }
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
                let inner = inner_features(&self.kernel, n_features);
                let mut blocks = nodes
                    .iter()
                    .zip(parts)
                    .map(|(node, part)| node.evaluate(part, count, columns, inner));
                if let Some(first) = blocks.next() {
                    values = first;
                }
                self.combine(queries, columns, &mut values, blocks, n_features);
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
        n_features: usize,
    ) {
        match &self.kernel {
            Kernel::Sum(_) => {
                for block in others {
                    values
                        .iter_mut()
                        .zip(block)
                        .for_each(|(value, other)| *value += other);
                }
            }
            Kernel::Product(_) => {
                for block in others {
                    values
                        .iter_mut()
                        .zip(block)
                        .for_each(|(value, other)| *value *= other);
                }
            }
            Kernel::Scaled { factor, .. } => values.iter_mut().for_each(|value| *value *= factor),
            Kernel::Series { coefficients, .. } => {
                for value in values.iter_mut() {
                    *value = coefficients
                        .iter()
                        .rev()
                        .fold(0.0, |sum, c| sum * *value + c);
                }
            }
            Kernel::Exp(_) => values.iter_mut().for_each(|value| *value = value.exp()),
            Kernel::Conformal { .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    value * query * row
                });
            }
            Kernel::Local {
                operator,
                sigma,
                eta,
                ..
            } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    operator.value(sq_dist(query, row, value), value, *sigma, *eta)
                });
            }
            Kernel::RadialOf { radial, .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    radial.value(sq_dist(query, row, value), n_features)
                });
            }
            Kernel::AngleOf { radial, .. } => {
                self.for_pairs(queries, columns, values, |value, query, row| {
                    let angle = spectral_angle(query, row, value);
                    radial.value(angle * angle, n_features)
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

/// Kernels that combine features one by one.
fn feature_value(kernel: &Kernel, a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    match kernel {
        Kernel::HistogramIntersection { alpha } => {
            pairs.map(|(u, v)| u.abs().min(v.abs()).powf(*alpha)).sum()
        }
        Kernel::Spline => pairs.map(|(&u, &v)| spline_factor(u, v)).product(),
        _ => unreachable!("invariant: only these two keep whole rows"),
    }
}

/// The column that row `i` of a precomputed kernel matrix stands for.
fn serial_number(view: SamplesView<'_>, i: usize) -> Result<u32> {
    let serial = column(view.row(i), 0).unwrap_or(f64::NAN);
    if serial >= 1.0 && serial.fract() == 0.0 && serial < view.n_features() as f64 {
        return Ok(serial as u32);
    }
    Err(Error::BadRowValue {
        row: i + 1,
        what: "serial number of a precomputed kernel row",
        value: serial,
    })
}

impl Composite {
    pub(super) fn new(kernel: &Kernel, view: SamplesView<'_>, rows: &[u32]) -> Result<Self> {
        let rows: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        Ok(Self {
            root: Node::new(kernel, view, &rows, view.n_features(), None)?,
            n_features: view.n_features(),
        })
    }

    /// Other rows of the same view, packed in the same way.
    pub(super) fn rebind(&self, view: SamplesView<'_>, rows: &[u32]) -> Result<Self> {
        let rows: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        let root = Node::new(
            &self.root.kernel,
            view,
            &rows,
            self.n_features,
            Some(&self.root),
        )?;
        Ok(Self {
            root,
            n_features: self.n_features,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.root.bytes()
    }

    pub(super) fn queries(
        &self,
        view: SamplesView<'_>,
        rows: &[usize],
    ) -> Result<CompositeQueries> {
        Ok(CompositeQueries {
            root: self.root.queries(view, rows, self.n_features)?,
            count: rows.len(),
        })
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
            let values =
                self.root
                    .evaluate(&queries.root, queries.count, (start, end), self.n_features);
            for (row, line) in out.iter_mut().zip(values.chunks(end - start)) {
                for (slot, &value) in row[start - columns.0..].iter_mut().zip(line) {
                    *slot = O::from_f64(value);
                }
            }
            start = end;
        }
    }
}
