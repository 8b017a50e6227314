//! The smoothed hinge: linear, then a parabola of width $2\varepsilon$, then 0.

/// Loss, first and generalised second derivative at a margin.
#[inline]
pub(super) fn smoothed_hinge(margin: f64, epsilon: f64) -> (f64, f64, f64) {
    if margin >= 1.0 {
        (0.0, 0.0, 0.0)
    } else if margin < 1.0 - 2.0 * epsilon {
        (1.0 - epsilon - margin, -1.0, 0.0)
    } else {
        let short = 1.0 - margin;
        let width = 2.0 * epsilon;
        (short * short / (2.0 * width), -short / width, 1.0 / width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_slope_are_continuous_and_close_to_the_hinge() {
        for epsilon in [0.5, 0.25, 0.05] {
            for knot in [1.0, 1.0 - 2.0 * epsilon] {
                let (left, right) = (
                    smoothed_hinge(knot - 1e-9, epsilon),
                    smoothed_hinge(knot + 1e-9, epsilon),
                );
                assert!((left.0 - right.0).abs() < 1e-8);
                assert!((left.1 - right.1).abs() < 1e-7);
            }
            for k in -40..40 {
                let margin = f64::from(k) * 0.1;
                let gap = (1.0 - margin).max(0.0) - smoothed_hinge(margin, epsilon).0;
                assert!((-1e-12..=epsilon + 1e-12).contains(&gap), "{margin}");
            }
        }
    }
}
