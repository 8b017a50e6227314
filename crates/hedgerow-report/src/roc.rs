//! Receiver operating characteristic and precision–recall curves.

use crate::axes::{Plot, draw_axes};
use crate::chart_frame::{ChartFrame, Key, LegendItem, frame_builders, line};
use crate::lines::draw_line;
use crate::palette::{self, RULE};
use crate::scale::{Domain, Kind};
use crate::svg::Svg;
use crate::typeset;

const SIZE: (f64, f64) = (460.0, 480.0);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Space {
    Roc,
    PrecisionRecall { positive_share: f64 },
}

/// One or more curves in the unit square, with the line that a coin would reach.
#[derive(Debug, Clone, PartialEq)]
pub struct RocChart {
    frame: ChartFrame,
    space: Space,
    curves: Vec<Curve>,
}

#[derive(Debug, Clone, PartialEq)]
struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
    area: f64,
}

impl RocChart {
    /// An empty chart of true positive rate over false positive rate.
    pub fn roc(title: &str) -> Self {
        let mut frame = ChartFrame::new(title);
        "false positive rate".clone_into(&mut frame.x_label);
        "true positive rate".clone_into(&mut frame.y_label);
        Self {
            frame,
            space: Space::Roc,
            curves: Vec::new(),
        }
    }

    /// An empty chart of precision over recall; `positive_share` of the rows are positive.
    pub fn precision_recall(title: &str, positive_share: f64) -> Self {
        let mut frame = ChartFrame::new(title);
        "recall".clone_into(&mut frame.x_label);
        "precision".clone_into(&mut frame.y_label);
        Self {
            frame,
            space: Space::PrecisionRecall { positive_share },
            curves: Vec::new(),
        }
    }

    frame_builders!();

    /// Adds a curve: points (x, y) in order, and the area under it for the legend (left out if it
    /// is not finite).
    pub fn with_curve(mut self, name: &str, points: Vec<(f64, f64)>, area: f64) -> Self {
        self.curves.push(Curve {
            name: name.to_owned(),
            points,
            area,
        });
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let kind = match self.space {
            Space::Roc => "ROC curve",
            Space::PrecisionRecall { .. } => "Precision–recall curve",
        };
        let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
        if !self
            .curves
            .iter()
            .any(|curve| curve.points.iter().any(finite))
        {
            return self.frame.no_data(kind, SIZE);
        }
        let mut legend: Vec<LegendItem> = Vec::new();
        for (k, curve) in self.curves.iter().enumerate() {
            let area = match self.space {
                _ if !curve.area.is_finite() => String::new(),
                Space::Roc => format!(" (AUC {})", typeset::fixed(curve.area, 3)),
                Space::PrecisionRecall { .. } => {
                    format!(" (AP {})", typeset::fixed(curve.area, 3))
                }
            };
            let label = format!("{}{area}", curve.name);
            legend.push(LegendItem::new(&label, Key::Line(palette::series(k), k)));
        }
        legend.push(LegendItem::new("chance", Key::Dashes));
        let (mut svg, room) = self.frame.begin(kind, SIZE, &legend);
        let unit = Domain::between(0.0, 1.0, Kind::Linear);
        let plot = draw_axes(&mut svg, &self.frame, room, unit, unit, true);
        self.draw_chance(&mut svg, &plot);
        for (k, curve) in self.curves.iter().enumerate() {
            // The curve may run along the edge of the square: it is not clipped but held inside.
            let inside: Vec<(f64, f64)> = curve
                .points
                .iter()
                .map(|point| (point.0.clamp(0.0, 1.0), point.1.clamp(0.0, 1.0)))
                .collect();
            draw_curve(&mut svg, &plot, &inside, k);
        }
        svg.finish()
    }

    fn draw_chance(&self, svg: &mut Svg, plot: &Plot) {
        let (from, to) = match self.space {
            Space::Roc => ((0.0, 0.0), (1.0, 1.0)),
            Space::PrecisionRecall { positive_share } => {
                ((0.0, positive_share), (1.0, positive_share))
            }
        };
        if let (Some(from), Some(to)) = (plot.at(from.0, from.1), plot.at(to.0, to.1)) {
            line(svg, from, to, RULE, 1.2, "4 3");
        }
    }
}

/// A curve with more corners than pixels is thinned: only the points that move by half a pixel.
fn draw_curve(svg: &mut Svg, plot: &Plot, points: &[(f64, f64)], index: usize) {
    let step = 0.5 / plot.area.width;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (k, &point) in points.iter().enumerate() {
        let moved = kept.last().is_none_or(|last| {
            (last.0 - point.0).abs() >= step || (last.1 - point.1).abs() >= step
        });
        if moved || k + 1 == points.len() || !(point.0 + point.1).is_finite() {
            kept.push(point);
        }
    }
    draw_line(svg, plot, &kept, index);
}
