//! One pass of dual coordinate descent over the active variables.

use super::linear_rows::LinearStore;

/// Rows that are asked for ahead of their turn.
const AHEAD: usize = 4;
/// Projected gradients below this move nothing.
const NEGLIGIBLE: f64 = 1e-12;

/// A dual variable with all that its step needs, side by side in memory because variables are
/// visited in random order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coordinate {
    /// $\alpha_i$.
    pub(crate) alpha: f64,
    /// $U_i$; infinite with squared hinge loss.
    pub(crate) upper: f64,
    /// $D_{ii}$.
    pub(crate) ridge: f64,
    /// $1 / (\|x_i\|^2 + B^2 + D_{ii})$.
    pub(crate) inverse: f64,
    /// $y_i = \pm 1$.
    pub(crate) sign: f64,
    /// Its row in the store.
    pub(crate) row: u32,
}

/// The range of projected gradients that a pass met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Violations {
    /// The largest, or $-\infty$.
    pub(crate) largest: f64,
    /// The smallest, or $\infty$.
    pub(crate) smallest: f64,
}

/// The weights that go with the dual variables.
#[derive(Debug)]
pub(crate) struct Primal {
    /// $w = \sum_i \alpha_i y_i x_i$, padded as the store wants it.
    pub(crate) weights: Vec<f64>,
    /// Weight of the constant feature.
    pub(crate) offset: f64,
    /// Value $B$ of the constant feature; 0 without one.
    pub(crate) bias: f64,
}

#[inline(always)]
fn pass_body<const FMA: bool, S: LinearStore>(
    store: &S,
    coordinates: &mut [Coordinate],
    order: &mut [u32],
    active: &mut usize,
    limits: Violations,
    primal: &mut Primal,
) -> Violations {
    let mut seen = Violations {
        largest: f64::NEG_INFINITY,
        smallest: f64::INFINITY,
    };
    let bias = primal.bias;
    let mut offset = primal.offset;
    let weights: &mut [f64] = &mut primal.weights;
    let mut remaining = *active;
    let mut at = 0;
    while at < remaining {
        if let Some(&next) = order.get(at + AHEAD) {
            store.prefetch(coordinates[next as usize].row as usize);
        }
        let variable = &mut coordinates[order[at] as usize];
        let row = variable.row as usize;
        let old = variable.alpha;
        let decision = store.dot::<FMA>(row, weights) + offset * bias;
        let gradient = variable.sign * decision - 1.0 + old * variable.ridge;
        let (projected, settled) = if old == 0.0 {
            (gradient.min(0.0), gradient > limits.largest)
        } else if old == variable.upper {
            (gradient.max(0.0), gradient < limits.smallest)
        } else {
            (gradient, false)
        };
        if settled {
            remaining -= 1;
            order.swap(at, remaining);
            continue;
        }
        seen.largest = seen.largest.max(projected);
        seen.smallest = seen.smallest.min(projected);
        if projected.abs() > NEGLIGIBLE {
            let new = (old - gradient * variable.inverse)
                .max(0.0)
                .min(variable.upper);
            variable.alpha = new;
            let step = (new - old) * variable.sign;
            store.add::<FMA>(row, step, weights);
            offset += step * bias;
        }
        at += 1;
    }
    primal.offset = offset;
    *active = remaining;
    seen
}

multiversion! {
    /// Minimises over each of the first `active` variables of `order` in turn, and puts those that
    /// seem settled at a bound behind the active ones.
    pub(crate) fn coordinate_pass[S: LinearStore](
        store: &S,
        coordinates: &mut [Coordinate],
        order: &mut [u32],
        active: &mut usize,
        limits: Violations,
        primal: &mut Primal,
    ) -> Violations = pass_body;
}
