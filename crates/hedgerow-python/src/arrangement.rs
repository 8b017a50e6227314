//! The arrays of a classifier as scikit-learn lays them out.
//!
//! The library keeps classes in the order in which training rows show them, scikit-learn sorts
//! them. Models fitted from Python are sorted already; those of the program may not be.

use hedgerow::capability::ExpansionView;
use hedgerow::data::ClassName;
use hedgerow::kernel::Expansion;
use hedgerow::machines::Multiclass;

/// Where the decision values of a model stand in Python.
#[derive(Debug, Clone)]
pub(crate) struct Arrangement {
    /// Sorted position of every class of the model; empty without classes.
    pub(crate) rank: Vec<usize>,
    /// Whether scores of several classes have a column a pair.
    pairwise: bool,
    /// Whether the classes are levels that the only score rises with.
    rising: bool,
}

/// Numbers of a fitted machine.
#[derive(Default)]
pub(crate) struct Layout {
    /// Support vectors of the model in the order of scikit-learn.
    pub(crate) order: Vec<usize>,
    /// Support vectors of each class; one entry if there are no classes.
    pub(crate) n_support: Vec<i32>,
    /// Rows of `dual_coef_`.
    pub(crate) dual_rows: usize,
    /// `dual_rows × order.len()` values.
    pub(crate) dual: Vec<f64>,
    /// One constant a decision column.
    pub(crate) intercept: Vec<f64>,
}

/// The pairs (0,1), (0,2), …, (1,2), … of `k` classes.
fn pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k)
        .flat_map(|a| (a + 1..k).map(move |b| (a, b)))
        .collect()
}

/// True when there is a machine a pair and not a machine a class.
fn is_pairwise(multiclass: Multiclass) -> bool {
    multiclass != Multiclass::OneVsRest
}

impl Arrangement {
    /// Of a model without classes.
    pub(crate) fn single() -> Self {
        Self {
            rank: Vec::new(),
            pairwise: false,
            rising: false,
        }
    }

    /// Of a classifier.
    pub(crate) fn of_classes(classes: &[ClassName], multiclass: Multiclass, rising: bool) -> Self {
        let k = classes.len();
        let mut sorted: Vec<usize> = (0..k).collect();
        sorted.sort_by(|&a, &b| classes[a].order(&classes[b]));
        let mut rank = vec![0; k];
        for (position, &class) in sorted.iter().enumerate() {
            rank[class] = position;
        }
        Self {
            rank,
            pairwise: is_pairwise(multiclass),
            rising,
        }
    }

    /// Column and sign of each of so many decision values.
    pub(crate) fn columns(&self, width: usize) -> Vec<(usize, f64)> {
        let (rank, k) = (&self.rank, self.rank.len());
        match (k, width) {
            (0, _) => (0..width).map(|column| (column, 1.0)).collect(),
            (_, 1) if self.rising => vec![(0, 1.0)],
            // A positive value speaks for the class that sorts last.
            (2, 1) => vec![(0, if rank[0] == 1 { 1.0 } else { -1.0 })],
            (3.., _) if self.pairwise => {
                let place = |&(a, b): &(usize, usize)| {
                    let (a, b) = (rank[a], rank[b]);
                    let (low, high) = (a.min(b), a.max(b));
                    let column = low * (2 * k - low - 1) / 2 + high - low - 1;
                    (column, if a < b { 1.0 } else { -1.0 })
                };
                pairs(k).iter().map(place).collect()
            }
            _ => rank.iter().map(|&position| (position, 1.0)).collect(),
        }
    }

    /// Puts decision values, row-major with so many columns, where Python expects them.
    pub(crate) fn arrange(&self, width: usize, values: &mut [f64]) {
        let columns = self.columns(width);
        if width == 0 || columns.len() != width {
            return;
        }
        let mut arranged = vec![0.0; width];
        for row in values.chunks_mut(width) {
            for (&value, &(column, sign)) in row.iter().zip(&columns) {
                arranged[column] = sign * value;
            }
            row.copy_from_slice(&arranged);
        }
    }

    /// Puts values with a column a class into sorted order.
    pub(crate) fn sort_classes(&self, values: &mut [f64]) {
        let mut sorted = vec![0.0; self.rank.len()];
        for row in values.chunks_mut(self.rank.len().max(1)) {
            for (&value, &place) in row.iter().zip(&self.rank) {
                sorted[place] = value;
            }
            row.copy_from_slice(&sorted);
        }
    }

    /// The layout of an expansion with one machine.
    pub(crate) fn of_expansion(expansion: &Expansion) -> Layout {
        let n = expansion.support_vectors.n_rows();
        let mut layout = Layout {
            order: (0..n).collect(),
            n_support: vec![n as i32],
            dual_rows: 1,
            dual: vec![0.0; n],
            intercept: vec![0.0],
        };
        for machine in &expansion.machines {
            for (&s, &beta) in machine.support.iter().zip(&machine.coefficients) {
                layout.dual[s as usize] = beta;
            }
            layout.intercept[0] = -machine.rho;
        }
        layout
    }

    /// The layout of a classifier. With a machine a pair, the coefficient of a support vector of
    /// class `a` against class `b` stands in row `b - 1` if `a < b`, else in row `b`; with a machine
    /// a class, in the row of that class.
    pub(crate) fn of_classifier(&self, parts: &ExpansionView<'_>) -> Layout {
        let k = self.rank.len();
        let n = parts.expansion.support_vectors.n_rows();
        let mut starts = vec![0; k + 1];
        for c in 0..k {
            starts[c + 1] = starts[c] + parts.support_counts[c];
        }
        let mut order = Vec::with_capacity(n);
        let mut n_support = Vec::with_capacity(k);
        let mut class_at = vec![0; k];
        for (class, &position) in self.rank.iter().enumerate() {
            class_at[position] = class;
        }
        for &class in &class_at {
            order.extend(starts[class]..starts[class + 1]);
            n_support.push(parts.support_counts[class] as i32);
        }
        let mut position_of = vec![0; n];
        for (position, &s) in order.iter().enumerate() {
            position_of[s] = position;
        }
        let class_of = |s: usize| starts.partition_point(|&start| start <= s) - 1;
        let pairwise = is_pairwise(parts.multiclass);
        let dual_rows = match k {
            0..=2 => 1,
            _ if pairwise => k - 1,
            _ => k,
        };
        let opponents = pairs(k);
        let mut dual = vec![0.0; dual_rows * n];
        let columns = self.columns(parts.expansion.machines.len());
        let mut intercept = vec![0.0; columns.len()];
        for (m, machine) in parts.expansion.machines.iter().enumerate() {
            let (column, sign) = columns[m];
            intercept[column] = -sign * machine.rho;
            for (&s, &beta) in machine.support.iter().zip(&machine.coefficients) {
                let s = s as usize;
                let row = if k <= 2 {
                    0
                } else if pairwise {
                    let (a, b) = opponents[m];
                    let own = class_of(s);
                    let other = self.rank[if own == a { b } else { a }];
                    if other > self.rank[own] {
                        other - 1
                    } else {
                        other
                    }
                } else {
                    column
                };
                dual[row * n + position_of[s]] = sign * beta;
            }
        }
        Layout {
            order,
            n_support,
            dual_rows,
            dual,
            intercept,
        }
    }
}
