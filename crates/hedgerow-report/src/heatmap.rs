//! A table of values as colours, for example the results of a grid search.

use crate::axes::{bottom_label, side_label};
use crate::chart_frame::{ChartFrame, Rect, frame_builders, line};
use crate::palette::{self, MISSING, RULE, SOFT_INK};
use crate::scale::{Domain, Kind};
use crate::svg::Svg;
use crate::typeset::{self, SMALL};

const KIND: &str = "Heat map";

/// Which value is framed as the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// The largest, for example an accuracy.
    Highest,
    /// The smallest, for example an error; the dark end of the colours is then the small one.
    Lowest,
}

/// Cells coloured by value, with the value written in when it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatmapChart {
    frame: ChartFrame,
    columns: Vec<String>,
    rows: Vec<String>,
    values: Vec<f64>,
    best: Best,
    decimals: Option<usize>,
}

impl HeatmapChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            frame: ChartFrame::new(title),
            columns: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            best: Best::Highest,
            decimals: None,
        }
    }

    frame_builders!();

    /// Sets labels of columns and rows and the values row by row, the first row at the top. A
    /// value that is NaN or missing makes an empty cell, for example a candidate that was
    /// abandoned.
    pub fn with_cells<S: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = S>,
        rows: impl IntoIterator<Item = S>,
        values: Vec<f64>,
    ) -> Self {
        self.columns = columns.into_iter().map(Into::into).collect();
        self.rows = rows.into_iter().map(Into::into).collect();
        self.values = values;
        self
    }

    /// Chooses which value is the best. Default: the highest.
    pub fn with_best(mut self, best: Best) -> Self {
        self.best = best;
        self
    }

    /// Fixes the decimals of the values. Default: three significant digits.
    pub fn with_decimals(mut self, decimals: usize) -> Self {
        self.decimals = Some(decimals.min(9));
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let (nx, ny) = (self.columns.len(), self.rows.len());
        let used = self.values.len().min(nx * ny);
        let Some(domain) = Domain::of(self.values[..used].iter().copied(), Kind::Linear) else {
            return self.frame.no_data(KIND, (480.0, 240.0));
        };
        let label_width = self
            .rows
            .iter()
            .map(|row| typeset::width(row, SMALL))
            .fold(0.0, f64::max)
            .min(140.0);
        let size = (
            (150.0 + label_width + 52.0 * nx as f64).clamp(360.0, 1600.0),
            (110.0 + 30.0 * ny as f64).clamp(200.0, 1600.0),
        );
        let (mut svg, room) = self.frame.begin(KIND, size, &[]);
        let left = label_width
            + 10.0
            + if self.frame.y_label.is_empty() {
                0.0
            } else {
                20.0
            };
        let bottom = 20.0
            + if self.frame.x_label.is_empty() {
                0.0
            } else {
                20.0
            };
        let ticks = domain.ticks(4);
        let bar_labels = ticks
            .iter()
            .map(|t| typeset::width(&t.label, SMALL))
            .fold(0.0, f64::max);
        let area = Rect {
            x: room.x + left,
            y: room.y + 2.0,
            width: (room.width - left - bar_labels - 42.0).max(20.0),
            height: (room.height - bottom - 2.0).max(20.0),
        };
        self.draw_cells(&mut svg, area, &domain);
        self.draw_labels(&mut svg, area, label_width);
        side_label(
            &mut svg,
            &self.frame.y_label,
            area.x - label_width - 19.0,
            area,
        );
        bottom_label(&mut svg, &self.frame.x_label, area.bottom() + 38.0, area);
        let bar = Rect {
            x: area.right() + 18.0,
            width: 12.0,
            ..area
        };
        self.draw_colour_bar(&mut svg, bar, &domain);
        svg.finish()
    }

    fn shade(&self, t: f64) -> palette::Colour {
        palette::sequential(match self.best {
            Best::Highest => t,
            Best::Lowest => 1.0 - t,
        })
    }

    /// Index of the best cell; the first of equals.
    fn best_cell(&self, used: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for k in (0..used).filter(|&k| self.values[k].is_finite()) {
            let better = best.is_none_or(|b| match self.best {
                Best::Highest => self.values[k] > self.values[b],
                Best::Lowest => self.values[k] < self.values[b],
            });
            if better {
                best = Some(k);
            }
        }
        best
    }

    fn value_text(&self, value: f64) -> String {
        match self.decimals {
            Some(decimals) => typeset::fixed(value, decimals),
            None => typeset::significant(value, 3),
        }
    }

    fn draw_cells(&self, svg: &mut Svg, area: Rect, domain: &Domain) {
        let (nx, ny) = (self.columns.len(), self.rows.len());
        let (w, h) = (area.width / nx as f64, area.height / ny as f64);
        let used = self.values.len().min(nx * ny);
        let widest = self.values[..used]
            .iter()
            .map(|&value| typeset::width(&self.value_text(value), SMALL))
            .fold(0.0, f64::max);
        let written = widest + 4.0 <= w && h >= SMALL + 3.0;
        // A white edge parts the cells unless they are too small for it.
        let edge = if w.min(h) >= 8.0 { 1.0 } else { 0.0 };
        for k in 0..nx * ny {
            let (x, y) = (area.x + (k % nx) as f64 * w, area.y + (k / nx) as f64 * h);
            let value = self.values.get(k).copied().unwrap_or(f64::NAN);
            let t = domain.unit(value);
            let shade = t.map(|t| self.shade(t));
            svg.tag("rect")
                .num("x", x + edge / 2.0)
                .num("y", y + edge / 2.0)
                .num("width", w - edge)
                .num("height", h - edge)
                .attr(
                    "fill",
                    &shade.map_or(MISSING.to_owned(), palette::Colour::hex),
                )
                .end();
            if written {
                let text = if t.is_some() {
                    self.value_text(value)
                } else {
                    "–".to_owned()
                };
                svg.tag("text")
                    .num("x", x + w / 2.0)
                    .num("y", y + h / 2.0 + SMALL * 0.35)
                    .num("font-size", SMALL)
                    .attr("text-anchor", "middle")
                    .attr("fill", shade.map_or(RULE, palette::Colour::ink))
                    .text(&text);
            }
        }
        if let Some(k) = self.best_cell(used) {
            svg.tag("rect")
                .num("x", area.x + (k % nx) as f64 * w)
                .num("y", area.y + (k / nx) as f64 * h)
                .num("width", w)
                .num("height", h)
                .attr("fill", "none")
                .attr("stroke", &palette::series(1).hex())
                .num("stroke-width", 2.5)
                .end();
        }
    }

    fn draw_labels(&self, svg: &mut Svg, area: Rect, label_width: f64) {
        let (w, h) = (
            area.width / self.columns.len() as f64,
            area.height / self.rows.len() as f64,
        );
        let widest = self
            .columns
            .iter()
            .map(|column| typeset::width(column, SMALL))
            .fold(0.0, f64::max)
            .min(90.0);
        let every = (((widest + 6.0) / w).ceil() as usize).max(1);
        for (k, column) in self.columns.iter().enumerate().step_by(every) {
            svg.tag("text")
                .num("x", area.x + (k as f64 + 0.5) * w)
                .num("y", area.bottom() + 5.0 + SMALL)
                .num("font-size", SMALL)
                .attr("text-anchor", "middle")
                .attr("fill", SOFT_INK)
                .text(&typeset::fit(column, SMALL, widest + 1.0));
        }
        let every = (((SMALL + 2.0) / h).ceil() as usize).max(1);
        for (k, row) in self.rows.iter().enumerate().step_by(every) {
            svg.tag("text")
                .num("x", area.x - 7.0)
                .num("y", area.y + (k as f64 + 0.5) * h + SMALL * 0.35)
                .num("font-size", SMALL)
                .attr("text-anchor", "end")
                .attr("fill", SOFT_INK)
                .text(&typeset::fit(row, SMALL, label_width + 1.0));
        }
    }

    fn draw_colour_bar(&self, svg: &mut Svg, bar: Rect, domain: &Domain) {
        const STEPS: usize = 48;
        let step = bar.height / STEPS as f64;
        for k in 0..STEPS {
            let t = (k as f64 + 0.5) / STEPS as f64;
            svg.tag("rect")
                .num("x", bar.x)
                .num("y", bar.bottom() - (k + 1) as f64 * step)
                .num("width", bar.width)
                // Steps overlap a little, so that no hairline shows between them.
                .num("height", step + if k == 0 { 0.0 } else { 0.6 })
                .attr("fill", &self.shade(t).hex())
                .end();
        }
        for tick in domain.ticks(4) {
            let Some(t) = domain.unit(tick.value) else {
                continue;
            };
            let y = bar.bottom() - t * bar.height;
            line(svg, (bar.right(), y), (bar.right() + 4.0, y), RULE, 1.0, "");
            svg.tag("text")
                .num("x", bar.right() + 7.0)
                .num("y", y + SMALL * 0.35)
                .num("font-size", SMALL)
                .attr("fill", SOFT_INK)
                .text(&tick.label);
        }
    }
}
