//! Grouped horizontal bars.

use crate::axes::{draw_x_axis, side_label};
use crate::chart_frame::{ChartFrame, Key, LegendItem, Rect, frame_builders, line};
use crate::palette::{self, INK, RULE, SOFT_INK};
use crate::scale::{Domain, Kind, Scale};
use crate::svg::Svg;
use crate::typeset::{self, MEDIUM, SMALL};

const KIND: &str = "Bar chart";
const WIDTH: f64 = 640.0;
/// Thickness of a bar in a chart that chooses its own height.
const BAR: f64 = 15.0;

/// Horizontal bars, one group a category, one colour a series.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    frame: ChartFrame,
    kind: Kind,
    categories: Vec<String>,
    series: Vec<(String, Vec<f64>)>,
    reference: Option<(f64, String)>,
    unit: String,
}

impl BarChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            frame: ChartFrame::new(title),
            kind: Kind::Linear,
            categories: Vec::new(),
            series: Vec::new(),
            reference: None,
            unit: String::new(),
        }
    }

    frame_builders!();

    /// Names the groups, from top to bottom.
    pub fn with_categories<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a series: one value a category; NaN where there is none.
    pub fn with_series(mut self, name: &str, values: Vec<f64>) -> Self {
        self.series.push((name.to_owned(), values));
        self
    }

    /// Makes the value axis logarithmic. Bars then start at the reference, or at the left edge if
    /// there is none; values not above 0 are left out.
    pub fn with_log_axis(mut self) -> Self {
        self.kind = Kind::Log;
        self
    }

    /// Adds a line at a value with an entry in the legend, for example "peer = 1".
    pub fn with_reference(mut self, value: f64, label: &str) -> Self {
        self.reference = value.is_finite().then(|| (value, label.to_owned()));
        self
    }

    /// Sets a text that follows each value, for example "×" or " s".
    pub fn with_unit(mut self, unit: &str) -> Self {
        unit.clone_into(&mut self.unit);
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let rows = self.categories.len();
        let group = self.series.len() as f64 * BAR + 12.0;
        let values = self
            .series
            .iter()
            .flat_map(|(_, values)| values.iter().take(rows).copied());
        let Some(mut domain) = Domain::of(values, self.kind) else {
            return self.frame.no_data(KIND, (WIDTH, 240.0));
        };
        let reference = self
            .reference
            .as_ref()
            .filter(|r| domain.unit(r.0).is_some());
        if let Some((value, _)) = reference {
            domain = domain.including(*value);
        }
        domain = match self.kind {
            Kind::Linear => domain.including(0.0).rounded(6),
            Kind::Log => domain.padded(0.04),
        };
        let legend = self.legend(reference.map(|r| r.1.as_str()));
        let size = (WIDTH, (110.0 + group * rows as f64).min(4000.0));
        let (mut svg, room) = self.frame.begin(KIND, size, &legend);
        let widest = |labels: &mut dyn Iterator<Item = f64>| labels.fold(0.0, f64::max);
        let label_width = widest(&mut self.categories.iter().map(|c| typeset::width(c, MEDIUM)))
            .min(room.width * 0.35);
        let value_width = widest(&mut self.series.iter().flat_map(|(_, values)| {
            values
                .iter()
                .map(|&value| typeset::width(&self.value_text(value), SMALL))
        }));
        let title_width = if self.frame.y_label.is_empty() {
            0.0
        } else {
            20.0
        };
        let left = label_width + 10.0 + title_width;
        let area = Rect {
            x: room.x + left,
            y: room.y + 2.0,
            width: (room.width - left - value_width - 8.0).max(20.0),
            height: (room.height
                - if self.frame.x_label.is_empty() {
                    22.0
                } else {
                    42.0
                })
            .max(20.0),
        };
        let scale = Scale {
            domain,
            start: area.x,
            end: area.right(),
        };
        draw_x_axis(&mut svg, &scale, area, &self.frame.x_label);
        side_label(&mut svg, &self.frame.y_label, room.x + 10.0, area);
        let base = match (self.kind, reference) {
            (Kind::Linear, _) => scale.at(0.0),
            (Kind::Log, Some((value, _))) => scale.at(*value),
            (Kind::Log, None) => None,
        };
        self.draw_groups(&mut svg, &scale, area, base.unwrap_or(area.x), label_width);
        if let Some(x) = reference.and_then(|(value, _)| scale.at(*value)) {
            line(
                &mut svg,
                (x, area.y),
                (x, area.bottom()),
                SOFT_INK,
                1.2,
                "4 3",
            );
        }
        svg.finish()
    }

    fn legend(&self, reference: Option<&str>) -> Vec<LegendItem> {
        let mut items = Vec::new();
        if self.series.len() > 1 {
            for (k, (name, _)) in self.series.iter().enumerate() {
                items.push(LegendItem::new(name, Key::Block(palette::series(k))));
            }
        }
        if let Some(label) = reference {
            items.push(LegendItem::new(label, Key::Dashes));
        }
        items
    }

    fn value_text(&self, value: f64) -> String {
        format!("{}{}", typeset::significant(value, 3), self.unit)
    }

    fn draw_groups(&self, svg: &mut Svg, scale: &Scale, area: Rect, base: f64, label_width: f64) {
        let pitch = area.height / self.categories.len() as f64;
        let gap = (pitch * 0.25).min(12.0);
        let bar = (pitch - gap) / self.series.len() as f64;
        for (c, category) in self.categories.iter().enumerate() {
            let top = area.y + pitch * c as f64 + gap / 2.0;
            if pitch >= 9.0 {
                svg.tag("text")
                    .num("x", area.x - 8.0)
                    .num("y", top + (pitch - gap) / 2.0 + MEDIUM * 0.35)
                    .num("font-size", MEDIUM)
                    .attr("text-anchor", "end")
                    .attr("fill", INK)
                    .text(&typeset::fit(category, MEDIUM, label_width + 1.0));
            }
            for (k, (_, values)) in self.series.iter().enumerate() {
                let Some((value, x)) = values.get(c).and_then(|&v| Some((v, scale.at(v)?))) else {
                    continue;
                };
                let y = top + bar * k as f64;
                svg.tag("rect")
                    .num("x", base.min(x))
                    .num("y", y + bar * 0.06)
                    .num("width", (x - base).abs())
                    .num("height", bar * 0.88)
                    .attr("fill", &palette::series(k).hex())
                    .end();
                if bar >= 9.0 {
                    svg.tag("text")
                        .num("x", base.max(x) + 4.0)
                        .num("y", y + bar / 2.0 + SMALL * 0.35)
                        .num("font-size", SMALL)
                        .attr("fill", SOFT_INK)
                        .text(&self.value_text(value));
                }
            }
        }
        line(svg, (base, area.y), (base, area.bottom()), RULE, 1.0, "");
    }
}
