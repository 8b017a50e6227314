//! One pass of dual coordinate descent over the variables whose turn it is.

use super::row_stores::LinearStore;

/// Visits ahead of which a row is asked for, twice as far ahead where it stands, and three times as
/// far its variable.
const AHEAD: usize = 4;
/// Projected gradients below this move nothing.
const NEGLIGIBLE: f64 = 1e-12;

/// Visits in a row that found a variable held after which no more are counted.
pub(crate) const MOST_RESTS: u8 = 7;

/// A dual variable with all that its step needs, half a cache line, because variables are visited
/// in random order.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Coordinate {
    /// $\alpha_i$.
    pub(crate) alpha: f64,
    /// $U_i$ with the hinge loss, $D_{ii}$ with its square. The other one is infinite, or 0.
    pub(crate) bound: f64,
    /// $1 / (\|x_i\|^2 + B^2 + D_{ii})$.
    pub(crate) inverse: f64,
    /// Its row in the store.
    pub(crate) row: u32,
    /// $y_i = \pm 1$.
    pub(crate) sign: i8,
    /// Visits in a row that found it held at a bound, at most [`MOST_RESTS`].
    pub(crate) rests: u8,
}

impl Coordinate {
    /// $U_i$.
    #[inline(always)]
    pub(crate) fn upper(&self, squared: bool) -> f64 {
        if squared { f64::INFINITY } else { self.bound }
    }

    /// $D_{ii}$.
    #[inline(always)]
    pub(crate) fn ridge(&self, squared: bool) -> f64 {
        if squared { self.bound } else { 0.0 }
    }

    /// $C_i$.
    #[inline(always)]
    pub(crate) fn cost(&self, squared: bool) -> f64 {
        if squared {
            0.5 / self.bound
        } else {
            self.bound
        }
    }
}

/// A variable that a pass found held at a bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    /// Its place among the variables.
    pub(crate) place: u32,
    /// [`Coordinate::rests`] before this visit: read here, where the variable is at hand.
    pub(crate) rests: u8,
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
#[derive(Debug, Clone)]
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
    squared: bool,
    visits: &mut Vec<u32>,
    resting: &mut Vec<Held>,
    primal: &mut Primal,
) -> Violations {
    let mut seen = Violations {
        largest: f64::NEG_INFINITY,
        smallest: f64::INFINITY,
    };
    let bias = primal.bias;
    let mut offset = primal.offset;
    let weights: &mut [f64] = &mut primal.weights;
    let mut kept = 0;
    for at in 0..visits.len() {
        if let Some(&last) = visits.get(at + 3 * AHEAD) {
            super::row_stores::prefetch(&coordinates[last as usize..=last as usize]);
        }
        if let Some(&later) = visits.get(at + 2 * AHEAD) {
            store.prefetch_place(coordinates[later as usize].row as usize);
        }
        if let Some(&next) = visits.get(at + AHEAD) {
            store.prefetch(coordinates[next as usize].row as usize);
        }
        let place = visits[at];
        let variable = &mut coordinates[place as usize];
        let row = variable.row as usize;
        let old = variable.alpha;
        let (upper, ridge) = (variable.upper(squared), variable.ridge(squared));
        let sign = f64::from(variable.sign);
        let decision = store.dot::<FMA>(row, weights) + offset * bias;
        let gradient = sign * decision - 1.0 + old * ridge;
        let held = (old == 0.0 && gradient >= 0.0) || (old == upper && gradient <= 0.0);
        if held {
            seen.largest = seen.largest.max(0.0);
            seen.smallest = seen.smallest.min(0.0);
            let rests = variable.rests;
            variable.rests = (rests + 1).min(MOST_RESTS);
            resting.push(Held { place, rests });
            continue;
        }
        variable.rests = 0;
        seen.largest = seen.largest.max(gradient);
        seen.smallest = seen.smallest.min(gradient);
        if gradient.abs() > NEGLIGIBLE {
            let new = (old - gradient * variable.inverse).max(0.0).min(upper);
            variable.alpha = new;
            let step = (new - old) * sign;
            store.add::<FMA>(row, step, weights);
            offset += step * bias;
        }
        visits[kept] = place;
        kept += 1;
    }
    primal.offset = offset;
    visits.truncate(kept);
    seen
}

multiversion! {
    /// Minimises over each of the variables of `visits` in turn. Those that their gradient holds at
    /// a bound are moved from there to `resting`.
    pub(crate) fn coordinate_pass[S: LinearStore](
        store: &S,
        coordinates: &mut [Coordinate],
        squared: bool,
        visits: &mut Vec<u32>,
        resting: &mut Vec<Held>,
        primal: &mut Primal,
    ) -> Violations = pass_body;
}

#[inline(always)]
fn loss_body<const FMA: bool, S: LinearStore>(
    store: &S,
    coordinates: &[Coordinate],
    squared: bool,
    primal: &Primal,
) -> f64 {
    let constant = primal.offset * primal.bias;
    let mut sum = 0.0;
    for variable in coordinates {
        let decision = store.dot::<FMA>(variable.row as usize, &primal.weights) + constant;
        let short = (1.0 - f64::from(variable.sign) * decision).max(0.0);
        let loss = if squared { short * short } else { short };
        sum += variable.cost(squared) * loss;
    }
    sum
}

multiversion! {
    /// $\sum_i C_i\,\ell(1 - y_i f(x_i))$ over all variables.
    pub(crate) fn coordinate_loss[S: LinearStore](
        store: &S,
        coordinates: &[Coordinate],
        squared: bool,
        primal: &Primal,
    ) -> f64 = loss_body;
}
