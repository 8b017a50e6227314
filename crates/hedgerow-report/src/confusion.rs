//! Confusion matrix with row percentages.

use crate::axes::{bottom_label, side_label};
use crate::chart_frame::{ChartFrame, Rect, frame_builders};
use crate::palette::{self, SOFT_INK};
use crate::svg::Svg;
use crate::typeset::{self, MEDIUM, SMALL};

const KIND: &str = "Confusion matrix";

/// Counts of true class (rows) against predicted class (columns). The colour of a cell is its
/// share of the row, so that rare classes are judged like frequent ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfusionChart {
    frame: ChartFrame,
    classes: Vec<String>,
    counts: Vec<u64>,
}

impl ConfusionChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        let mut frame = ChartFrame::new(title);
        "predicted class".clone_into(&mut frame.x_label);
        "true class".clone_into(&mut frame.y_label);
        Self {
            frame,
            classes: Vec::new(),
            counts: Vec::new(),
        }
    }

    frame_builders!();

    /// Sets the class names and the counts, row by row: entry `t * n + p` counts the rows of class
    /// `t` that were predicted as `p`. Missing counts are 0.
    pub fn with_counts<S: Into<String>>(
        mut self,
        classes: impl IntoIterator<Item = S>,
        counts: Vec<u64>,
    ) -> Self {
        self.classes = classes.into_iter().map(Into::into).collect();
        self.counts = counts;
        self
    }

    fn count(&self, truth: usize, predicted: usize) -> u64 {
        let k = truth * self.classes.len() + predicted;
        self.counts.get(k).copied().unwrap_or(0)
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let n = self.classes.len();
        let label_width = self
            .classes
            .iter()
            .map(|name| typeset::width(name, SMALL))
            .fold(0.0, f64::max)
            .clamp(20.0, 120.0);
        let side = (66.0 * n as f64).clamp(160.0, 900.0);
        let size = (side + label_width + 80.0, side + 110.0);
        if !(0..n * n).any(|k| self.counts.get(k).is_some_and(|&count| count > 0)) {
            return self.frame.no_data(KIND, (360.0, 240.0));
        }
        let (mut svg, room) = self.frame.begin(KIND, (size.0.max(300.0), size.1), &[]);
        let left = label_width + 30.0;
        let width = (room.width - left).max(20.0);
        let height = (room.height - 42.0).max(20.0);
        let side = width.min(height);
        let area = Rect {
            x: room.x + left,
            y: room.y + 2.0,
            width: side,
            height: side,
        };
        self.draw_cells(&mut svg, area);
        self.draw_names(&mut svg, area, label_width);
        side_label(
            &mut svg,
            &self.frame.y_label,
            area.x - label_width - 17.0,
            area,
        );
        bottom_label(&mut svg, &self.frame.x_label, area.bottom() + 38.0, area);
        svg.finish()
    }

    fn draw_cells(&self, svg: &mut Svg, area: Rect) {
        let n = self.classes.len();
        let side = area.width / n as f64;
        let edge = if side >= 8.0 { 1.5 } else { 0.0 };
        for truth in 0..n {
            let total: f64 = (0..n).map(|p| self.count(truth, p) as f64).sum();
            for predicted in 0..n {
                let count = self.count(truth, predicted);
                let share = if total > 0.0 {
                    count as f64 / total
                } else {
                    0.0
                };
                let shade = palette::sequential(share);
                let (x, y) = (
                    area.x + predicted as f64 * side,
                    area.y + truth as f64 * side,
                );
                svg.tag("rect")
                    .num("x", x + edge / 2.0)
                    .num("y", y + edge / 2.0)
                    .num("width", side - edge)
                    .num("height", side - edge)
                    .attr("fill", &shade.hex())
                    .end();
                let percent = format!("{} %", typeset::fixed(share * 100.0, 1));
                let mut write = |text: &str, size: f64, dy: f64, weight: &str| {
                    svg.tag("text")
                        .num("x", x + side / 2.0)
                        .num("y", y + side / 2.0 + dy)
                        .num("font-size", size)
                        .attr("font-weight", weight)
                        .attr("text-anchor", "middle")
                        .attr("fill", shade.ink())
                        .text(text);
                };
                let number = count.to_string();
                let weight = if truth == predicted { "600" } else { "400" };
                let roomy = side >= 40.0 && typeset::width(&percent, SMALL) + 4.0 <= side;
                if roomy && typeset::width(&number, LARGE_COUNT) + 4.0 <= side {
                    write(&number, LARGE_COUNT, -1.0, weight);
                    write(&percent, SMALL, SMALL + 4.0, "400");
                } else if side >= 16.0 && typeset::width(&number, SMALL) + 2.0 <= side {
                    write(&number, SMALL, SMALL * 0.35, weight);
                }
            }
        }
    }

    fn draw_names(&self, svg: &mut Svg, area: Rect, label_width: f64) {
        let side = area.width / self.classes.len() as f64;
        let every = (((SMALL + 2.0) / side).ceil() as usize).max(1);
        for (k, name) in self.classes.iter().enumerate().step_by(every) {
            let middle = (k as f64 + 0.5) * side;
            svg.tag("text")
                .num("x", area.x - 7.0)
                .num("y", area.y + middle + SMALL * 0.35)
                .num("font-size", SMALL)
                .attr("text-anchor", "end")
                .attr("fill", SOFT_INK)
                .text(&typeset::fit(name, SMALL, label_width + 1.0));
            svg.tag("text")
                .num("x", area.x + middle)
                .num("y", area.bottom() + 6.0 + SMALL)
                .num("font-size", SMALL)
                .attr("text-anchor", "middle")
                .attr("fill", SOFT_INK)
                .text(&typeset::fit(
                    name,
                    SMALL,
                    (side * every as f64 - 4.0).max(12.0),
                ));
        }
    }
}

/// Font size of a count in a cell with room.
const LARGE_COUNT: f64 = MEDIUM + 2.0;
