//! Series as lines, with optional bands and logarithmic axes.

use crate::axes::{Plot, draw_axes};
use crate::chart_frame::{ChartFrame, Key, LegendItem, frame_builders, line};
use crate::palette::{self, RULE};
use crate::scale::{Domain, Kind};
use crate::svg::{Path, Svg};

const KIND: &str = "Line chart";
const SIZE: (f64, f64) = (640.0, 400.0);

/// A named line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    band: Vec<(f64, f64)>,
}

impl Series {
    /// A line through the points in their order. A point that cannot be drawn interrupts it.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.to_owned(),
            points,
            band: Vec::new(),
        }
    }

    /// Adds a band, for example a confidence interval: the low and the high end at each point.
    pub fn with_band(mut self, band: Vec<(f64, f64)>) -> Self {
        self.band = band;
        self
    }
}

/// Lines over numeric axes.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    frame: ChartFrame,
    x_kind: Kind,
    y_kind: Kind,
    y_range: Option<(f64, f64)>,
    series: Vec<Series>,
    references: Vec<(f64, String)>,
}

impl LineChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            frame: ChartFrame::new(title),
            x_kind: Kind::Linear,
            y_kind: Kind::Linear,
            y_range: None,
            series: Vec::new(),
            references: Vec::new(),
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

    /// Fixes the range of the vertical axis. Ends that are not finite are ignored.
    pub fn with_y_range(mut self, low: f64, high: f64) -> Self {
        self.y_range = (low.is_finite() && high.is_finite()).then_some((low, high));
        self
    }

    /// Adds a series.
    pub fn with_series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a horizontal reference line with an entry in the legend.
    pub fn with_reference(mut self, y: f64, label: &str) -> Self {
        self.references.push((y, label.to_owned()));
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let Some((x, y)) = self.domains() else {
            return self.frame.no_data(KIND, SIZE);
        };
        let mut legend: Vec<LegendItem> = self
            .series
            .iter()
            .enumerate()
            .filter(|(_, series)| !series.name.is_empty())
            .map(|(k, series)| LegendItem::new(&series.name, Key::Line(palette::series(k), k)))
            .collect();
        for (value, label) in &self.references {
            if y.unit(*value).is_some() {
                legend.push(LegendItem::new(label, Key::Dashes));
            }
        }
        let (mut svg, room) = self.frame.begin(KIND, SIZE, &legend);
        let plot = draw_axes(&mut svg, &self.frame, room, x, y, false);
        plot.clip(&mut svg);
        for (value, _) in &self.references {
            if let Some(y) = plot.y.at(*value) {
                line(
                    &mut svg,
                    (plot.area.x, y),
                    (plot.area.right(), y),
                    RULE,
                    1.2,
                    "4 3",
                );
            }
        }
        for (k, series) in self.series.iter().enumerate() {
            draw_band(&mut svg, &plot, series, k);
        }
        for (k, series) in self.series.iter().enumerate() {
            draw_line(&mut svg, &plot, &series.points, k);
        }
        svg.close("svg");
        svg.finish()
    }

    fn domains(&self) -> Option<(Domain, Domain)> {
        let all = Domain::of([1.0], self.x_kind)?;
        let probe = Domain::of([1.0], self.y_kind)?;
        let drawable =
            |point: &&(f64, f64)| all.unit(point.0).is_some() && probe.unit(point.1).is_some();
        let points = || {
            self.series
                .iter()
                .flat_map(|series| &series.points)
                .filter(drawable)
        };
        let x = Domain::of(points().map(|point| point.0), self.x_kind)?.padded(0.02);
        if let Some((low, high)) = self.y_range {
            return Some((x, Domain::between(low, high, self.y_kind)));
        }
        let bands = self.series.iter().flat_map(|series| &series.band);
        let ends = bands.flat_map(|&(low, high)| [low, high]);
        let mut y = Domain::of(points().map(|point| point.1).chain(ends), self.y_kind)?;
        for (value, _) in &self.references {
            y = y.including(*value);
        }
        Some((x, y.padded(0.02).rounded(6)))
    }
}

/// Draws a line, interrupted where a point cannot be drawn. Few points are marked.
pub(crate) fn draw_line(svg: &mut Svg, plot: &Plot, points: &[(f64, f64)], index: usize) {
    let colour = palette::series(index).hex();
    let mut path = Path::default();
    let mut marks = Vec::new();
    for run in runs(plot, points) {
        if run.len() > 1 {
            path.polyline(&run);
        } else {
            marks.extend(&run);
        }
        if points.len() <= 40 && run.len() > 1 {
            marks.extend(&run);
        }
    }
    if !path.is_empty() {
        let tag = svg
            .tag("path")
            .attr("d", path.data())
            .attr("fill", "none")
            .attr("stroke", &colour)
            .num("stroke-width", 2.0)
            .attr("stroke-linejoin", "round");
        match palette::dash(index) {
            "" => tag.end(),
            dash => tag.attr("stroke-dasharray", dash).end(),
        }
    }
    for (x, y) in marks {
        svg.tag("circle")
            .num("cx", x)
            .num("cy", y)
            .num("r", 3.0)
            .attr("fill", &colour)
            .attr("stroke", "#ffffff")
            .end();
    }
}

/// Positions of the drawable points, split where one is not.
fn runs(plot: &Plot, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut all = vec![Vec::new()];
    for &(x, y) in points {
        match (plot.at(x, y), all.last_mut()) {
            (Some(position), Some(run)) => run.push(position),
            _ => all.push(Vec::new()),
        }
    }
    all.retain(|run| !run.is_empty());
    all
}

fn draw_band(svg: &mut Svg, plot: &Plot, series: &Series, index: usize) {
    let mut path = Path::default();
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    let mut flush = |lows: &mut Vec<(f64, f64)>, highs: &mut Vec<(f64, f64)>| {
        let mut polygon = std::mem::take(lows);
        polygon.extend(std::mem::take(highs).into_iter().rev());
        if polygon.len() > 2 {
            path.polygon(&polygon);
        }
    };
    for (&(x, _), &(low, high)) in series.points.iter().zip(&series.band) {
        match (plot.at(x, low), plot.at(x, high)) {
            (Some(a), Some(b)) => {
                lows.push(a);
                highs.push(b);
            }
            _ => flush(&mut lows, &mut highs),
        }
    }
    flush(&mut lows, &mut highs);
    if !path.is_empty() {
        svg.tag("path")
            .attr("d", path.data())
            .attr("fill", &palette::series(index).hex())
            .attr("fill-opacity", "0.16")
            .end();
    }
}
