//! Reliability diagram: predicted probabilities against observed shares.

use crate::axes::draw_axes;
use crate::chart_frame::{ChartFrame, Key, LegendItem, Rect, frame_builders, line};
use crate::lines::draw_line;
use crate::palette::{self, RULE, SOFT_INK};
use crate::scale::{Domain, Kind};
use crate::svg::Svg;
use crate::typeset::SMALL;

const KIND: &str = "Calibration diagram";
const SIZE: (f64, f64) = (460.0, 540.0);
/// Height of the histogram below the diagram, with its gap.
const HISTOGRAM: f64 = 64.0;

/// Rows whose predicted probability falls into one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationBin {
    /// Mean predicted probability.
    pub predicted: f64,
    /// Observed share of positives.
    pub observed: f64,
    /// Number of rows.
    pub count: u64,
}

/// Observed share over predicted probability, with 95 % intervals and the number of rows in each
/// bin of the first curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationChart {
    frame: ChartFrame,
    curves: Vec<(String, Vec<CalibrationBin>)>,
}

impl CalibrationChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        let mut frame = ChartFrame::new(title);
        "predicted probability".clone_into(&mut frame.x_label);
        "observed share".clone_into(&mut frame.y_label);
        Self {
            frame,
            curves: Vec::new(),
        }
    }

    frame_builders!();

    /// Adds a curve. Bins without rows or with numbers outside 0..=1 are left out.
    pub fn with_curve(mut self, name: &str, bins: Vec<CalibrationBin>) -> Self {
        self.curves.push((name.to_owned(), bins));
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let curves: Vec<(&str, Vec<CalibrationBin>)> = self
            .curves
            .iter()
            .map(|(name, bins)| {
                (
                    name.as_str(),
                    bins.iter().copied().filter(drawable).collect(),
                )
            })
            .collect();
        let Some(first) = curves
            .iter()
            .map(|curve| &curve.1)
            .find(|bins| !bins.is_empty())
        else {
            return self.frame.no_data(KIND, SIZE);
        };
        let mut legend: Vec<LegendItem> = curves
            .iter()
            .enumerate()
            .map(|(k, curve)| LegendItem::new(curve.0, Key::Line(palette::series(k), k)))
            .collect();
        legend.push(LegendItem::new("perfect", Key::Dashes));
        let (mut svg, room) = self.frame.begin(KIND, SIZE, &legend);
        let upper = Rect {
            height: (room.height - HISTOGRAM).max(40.0),
            ..room
        };
        let unit = Domain::between(0.0, 1.0, Kind::Linear);
        let plot = draw_axes(&mut svg, &self.frame, upper, unit, unit, true);
        let area = plot.area;
        line(
            &mut svg,
            (area.x, area.bottom()),
            (area.right(), area.y),
            RULE,
            1.2,
            "4 3",
        );
        for (k, (_, bins)) in curves.iter().enumerate() {
            let colour = palette::series(k).hex();
            for bin in bins {
                let (low, high) = wilson(bin.observed, bin.count as f64);
                if let (Some(from), Some(to)) =
                    (plot.at(bin.predicted, low), plot.at(bin.predicted, high))
                {
                    line(&mut svg, from, to, &colour, 1.2, "");
                }
            }
            let points: Vec<(f64, f64)> = bins.iter().map(|b| (b.predicted, b.observed)).collect();
            draw_line(&mut svg, &plot, &points, k);
        }
        let below = area.bottom()
            + if self.frame.x_label.is_empty() {
                24.0
            } else {
                46.0
            };
        let strip = Rect {
            y: below,
            height: (room.bottom() - below).max(8.0),
            ..area
        };
        draw_histogram(&mut svg, first, strip);
        svg.finish()
    }
}

fn drawable(bin: &CalibrationBin) -> bool {
    let unit = 0.0..=1.0;
    bin.count > 0 && unit.contains(&bin.predicted) && unit.contains(&bin.observed)
}

/// The 95 % interval of Wilson for a share seen in `n` rows.
fn wilson(share: f64, n: f64) -> (f64, f64) {
    let z = 1.96;
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

fn draw_histogram(svg: &mut Svg, bins: &[CalibrationBin], strip: Rect) {
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1) as f64;
    let width = (strip.width / 24.0)
        .min(strip.width / bins.len() as f64 * 0.7)
        .max(1.0);
    for bin in bins {
        let height = (bin.count as f64 / most * strip.height).max(0.5);
        svg.tag("rect")
            .num("x", strip.x + bin.predicted * strip.width - width / 2.0)
            .num("y", strip.bottom() - height)
            .num("width", width)
            .num("height", height)
            .attr("fill", &palette::series(0).tint(0.45).hex())
            .end();
    }
    line(
        svg,
        (strip.x, strip.bottom()),
        (strip.right(), strip.bottom()),
        RULE,
        1.0,
        "",
    );
    svg.tag("text")
        .num("x", strip.x - 7.0)
        .num("y", strip.bottom())
        .num("font-size", SMALL)
        .attr("text-anchor", "end")
        .attr("fill", SOFT_INK)
        .text("rows");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_interval_of_half_and_of_none() {
        let (low, high) = wilson(0.5, 100.0);
        assert!((low - 0.4038).abs() < 1e-3 && (high - 0.5962).abs() < 1e-3);
        let (low, high) = wilson(0.0, 10.0);
        assert!(low.abs() < 1e-12 && (high - 0.2775).abs() < 1e-3);
    }
}
