//! Smooth losses of the margin $m = y f(x)$ for many rows at once.

use super::Real;

/// Values handled at once.
const LOSS_LANES: usize = 8;

/// Decision values of some rows, with $y_i = \pm 1$ and $C_i$.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LossRows<'a> {
    /// $f(x_i)$.
    pub(crate) decisions: &'a [f64],
    /// $y_i$.
    pub(crate) signs: &'a [f64],
    /// $C_i$.
    pub(crate) costs: &'a [f64],
}

/// $\ln(1 + t)$ for $0 \le t \le 1$, as $2 \operatorname{artanh}(t / (2 + t))$: the odd powers of a
/// number up to 1/3 fall quickly.
#[inline(always)]
fn log_one_plus<const FMA: bool>(t: f64) -> f64 {
    let u = t / (2.0 + t);
    let square = u * u;
    let mut sum = 1.0 / 33.0;
    let mut power = 31.0;
    for _ in 0..16 {
        sum = sum.fma::<FMA>(square, 1.0 / power);
        power -= 2.0;
    }
    2.0 * u * sum
}

/// Logistic loss, $\ln(1 + e^{-m})$, in a form whose exponential cannot overflow.
#[inline(always)]
fn logistic<const FMA: bool>(margin: f64) -> f64 {
    let t = (-margin.abs()).exp_fast::<FMA>();
    let linear = if margin < 0.0 { -margin } else { 0.0 };
    linear + log_one_plus::<FMA>(t)
}

/// $C\,\ell'$ and $C\,\ell''$ of the logistic loss with respect to $f(x)$.
#[inline(always)]
fn logistic_derivatives<const FMA: bool>(decision: f64, sign: f64, cost: f64) -> (f64, f64) {
    let margin = sign * decision;
    let t = (-margin.abs()).exp_fast::<FMA>();
    let share = 1.0 / (1.0 + t);
    // The probability of the other class.
    let wrong = if margin < 0.0 { share } else { t * share };
    (-cost * sign * wrong, cost * (t * share) * share)
}

#[inline(always)]
fn squared_hinge_derivatives(decision: f64, sign: f64, cost: f64) -> (f64, f64) {
    let short = 1.0 - sign * decision;
    let inside = if short > 0.0 { 2.0 * cost } else { 0.0 };
    // A product with an infinite shortfall outside would not be 0.
    let short = if short > 0.0 { short } else { 0.0 };
    (-sign * inside * short, inside)
}

/// Sums a loss over rows, lane by lane and the lanes in their order.
macro_rules! loss_sum {
    ($loss:expr, $decisions:ident, $signs:ident, $costs:ident) => {{
        let n = $decisions.len();
        let (signs, costs) = (&$signs[..n], &$costs[..n]);
        let mut sums = [0.0f64; LOSS_LANES];
        let whole = n - n % LOSS_LANES;
        let mut start = 0;
        while start < whole {
            for lane in 0..LOSS_LANES {
                let i = start + lane;
                sums[lane] += costs[i] * $loss(signs[i] * $decisions[i]);
            }
            start += LOSS_LANES;
        }
        for i in whole..n {
            sums[i - whole] += costs[i] * $loss(signs[i] * $decisions[i]);
        }
        sums.iter().sum()
    }};
}

#[inline(always)]
fn logistic_sum_body<const FMA: bool>(decisions: &[f64], signs: &[f64], costs: &[f64]) -> f64 {
    loss_sum!(logistic::<FMA>, decisions, signs, costs)
}

multiversion! {
    /// $\sum_i C_i \ln(1 + e^{-y_i f(x_i)})$.
    pub(crate) fn logistic_sum[](decisions: &[f64], signs: &[f64], costs: &[f64]) -> f64 =
        logistic_sum_body;
}

#[inline(always)]
fn squared_hinge_sum_body<const FMA: bool>(decisions: &[f64], signs: &[f64], costs: &[f64]) -> f64 {
    let loss = |margin: f64| {
        let short = 1.0 - margin;
        if short > 0.0 { short * short } else { 0.0 }
    };
    loss_sum!(loss, decisions, signs, costs)
}

multiversion! {
    /// $\sum_i C_i \max(0, 1 - y_i f(x_i))^2$.
    pub(crate) fn squared_hinge_sum[](decisions: &[f64], signs: &[f64], costs: &[f64]) -> f64 =
        squared_hinge_sum_body;
}

/// Writes both derivatives of every row, which `of` gives from decision value, sign and cost.
#[inline(always)]
fn write_derivatives(
    rows: LossRows<'_>,
    of: impl Fn(f64, f64, f64) -> (f64, f64),
    slopes: &mut [f64],
    curvatures: &mut [f64],
) {
    let n = slopes.len();
    let (decisions, signs, costs) = (&rows.decisions[..n], &rows.signs[..n], &rows.costs[..n]);
    let curvatures = &mut curvatures[..n];
    for i in 0..n {
        (slopes[i], curvatures[i]) = of(decisions[i], signs[i], costs[i]);
    }
}

#[inline(always)]
fn logistic_slopes_body<const FMA: bool>(
    rows: LossRows<'_>,
    slopes: &mut [f64],
    curvatures: &mut [f64],
) {
    write_derivatives(rows, logistic_derivatives::<FMA>, slopes, curvatures);
}

multiversion! {
    /// First and second derivatives of the logistic loss with respect to the decision values.
    pub(crate) fn logistic_slopes[](
        rows: LossRows<'_>,
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) = logistic_slopes_body;
}

#[inline(always)]
fn squared_hinge_slopes_body<const FMA: bool>(
    rows: LossRows<'_>,
    slopes: &mut [f64],
    curvatures: &mut [f64],
) {
    write_derivatives(rows, squared_hinge_derivatives, slopes, curvatures);
}

multiversion! {
    /// First and second derivatives of the squared hinge with respect to the decision values.
    pub(crate) fn squared_hinge_slopes[](
        rows: LossRows<'_>,
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) = squared_hinge_slopes_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_loss_is_that_of_the_formula() {
        for k in -400..=400 {
            let margin = f64::from(k) * 0.1;
            let exact = if margin >= 0.0 {
                (-margin).exp().ln_1p()
            } else {
                margin.exp().ln_1p() - margin
            };
            let value = logistic_sum(&[margin], &[1.0], &[1.0]);
            assert!(
                (value - exact).abs() <= 1e-14 * exact,
                "{margin}: {value} {exact}"
            );
            let (mut slope, mut curvature) = ([0.0], [0.0]);
            let rows = LossRows {
                decisions: &[-margin],
                signs: &[-1.0],
                costs: &[2.0],
            };
            logistic_slopes(rows, &mut slope, &mut curvature);
            let wrong = 1.0 / (1.0 + margin.exp());
            assert!((slope[0] - 2.0 * wrong).abs() <= 1e-13 * wrong, "{margin}");
            let bend = 2.0 * wrong * (1.0 - wrong);
            assert!(
                (curvature[0] - bend).abs() <= 1e-9 * bend.max(1e-6),
                "{margin}"
            );
        }
    }

    #[test]
    fn rows_beyond_the_lanes_count_once() {
        for n in 0..20 {
            let decisions: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.3 - 2.0).collect();
            let signs: Vec<f64> = (0..n)
                .map(|i| if i % 3 == 0 { 1.0 } else { -1.0 })
                .collect();
            let costs: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i)).collect();
            let mut expected = 0.0;
            for i in 0..n as usize {
                let short = (1.0 - signs[i] * decisions[i]).max(0.0);
                expected += costs[i] * short * short;
            }
            let value = squared_hinge_sum(&decisions, &signs, &costs);
            assert!((value - expected).abs() <= 1e-12 * expected.max(1.0), "{n}");
        }
    }
}
