//! Points with their class.

use crate::axes::draw_axes;
use crate::chart_frame::{ChartFrame, Key, LegendItem, frame_builders, line};
use crate::marker;
use crate::palette::RULE;
use crate::scale::{Domain, Kind};

const KIND: &str = "Scatter plot";
const SIZE: (f64, f64) = (560.0, 440.0);

/// Points over two numeric axes, one mark a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterChart {
    frame: ChartFrame,
    x_kind: Kind,
    y_kind: Kind,
    groups: Vec<(String, Vec<(f64, f64)>)>,
    diagonal: bool,
}

impl ScatterChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            frame: ChartFrame::new(title),
            x_kind: Kind::Linear,
            y_kind: Kind::Linear,
            groups: Vec::new(),
            diagonal: false,
        }
    }

    frame_builders!();

    /// Makes the horizontal axis logarithmic; points with `x <= 0` are left out.
    pub fn with_log_x(mut self) -> Self {
        self.x_kind = Kind::Log;
        self
    }

    /// Makes the vertical axis logarithmic; points with `y <= 0` are left out.
    pub fn with_log_y(mut self) -> Self {
        self.y_kind = Kind::Log;
        self
    }

    /// Adds a group of points, for example a class.
    pub fn with_group(mut self, name: &str, points: Vec<(f64, f64)>) -> Self {
        self.groups.push((name.to_owned(), points));
        self
    }

    /// Adds the line `y = x`, for example for predicted against true values, and gives both axes
    /// the same range.
    pub fn with_diagonal(mut self) -> Self {
        self.diagonal = true;
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let Some((x, y)) = self.domains() else {
            return self.frame.no_data(KIND, SIZE);
        };
        let legend: Vec<LegendItem> = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| !group.0.is_empty())
            .map(|(k, group)| LegendItem::new(&group.0, Key::Marker(k)))
            .collect();
        let (mut svg, room) = self.frame.begin(KIND, SIZE, &legend);
        let plot = draw_axes(&mut svg, &self.frame, room, x, y, self.diagonal);
        if self.diagonal {
            let area = plot.area;
            line(
                &mut svg,
                (area.x, area.bottom()),
                (area.right(), area.y),
                RULE,
                1.2,
                "4 3",
            );
        }
        let mut placed = Vec::new();
        for (k, (_, points)) in self.groups.iter().enumerate() {
            let positions = points.iter().filter_map(|&(x, y)| plot.at(x, y));
            placed.extend(positions.map(|(x, y)| (x, y, k)));
        }
        plot.clip(&mut svg);
        marker::draw_all(&mut svg, &placed);
        svg.close("svg");
        svg.finish()
    }

    fn domains(&self) -> Option<(Domain, Domain)> {
        let x_probe = Domain::of([1.0], self.x_kind)?;
        let y_probe = Domain::of([1.0], self.y_kind)?;
        let points = || {
            let all = self.groups.iter().flat_map(|group| &group.1);
            all.filter(|p| x_probe.unit(p.0).is_some() && y_probe.unit(p.1).is_some())
        };
        let mut x = Domain::of(points().map(|point| point.0), self.x_kind)?.padded(0.05);
        let mut y = Domain::of(points().map(|point| point.1), self.y_kind)?.padded(0.05);
        if self.diagonal && self.x_kind == self.y_kind {
            x = x.including(y.low).including(y.high);
            y = x;
        }
        Some((x, y))
    }
}
