//! Axes: margins, grid, ticks and labels of a plot with two numeric axes.

use crate::chart_frame::{ChartFrame, Rect, line};
use crate::palette::{GRID, RULE, SOFT_INK};
use crate::scale::{Domain, Scale, Tick};
use crate::svg::Svg;
use crate::typeset::{self, MEDIUM, SMALL};

/// The inner area of a chart with its two scales.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plot {
    pub(crate) area: Rect,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

impl Plot {
    /// Position of a point; `None` if one of its values cannot be drawn.
    pub(crate) fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.at(x)?, self.y.at(y)?))
    }

    /// Opens a group that is clipped to the plot.
    pub(crate) fn clip(&self, svg: &mut Svg) {
        let area = &self.area;
        svg.open_clip(area.x, area.y, area.width, area.height);
    }

    /// The line around the plot.
    pub(crate) fn outline(&self, svg: &mut Svg) {
        svg.tag("rect")
            .num("x", self.area.x)
            .num("y", self.area.y)
            .num("width", self.area.width)
            .num("height", self.area.height)
            .attr("fill", "none")
            .attr("stroke", RULE)
            .end();
    }
}

/// Divides the room into margins and plot and draws grid and axes. A `square` plot has sides of
/// equal length.
pub(crate) fn draw_axes(
    svg: &mut Svg,
    frame: &ChartFrame,
    room: Rect,
    x_domain: Domain,
    y_domain: Domain,
    square: bool,
) -> Plot {
    let y_ticks = y_domain.ticks(tick_target(room.height, 48.0));
    let widest = widest_label(&y_ticks);
    let left = widest + 10.0 + if frame.y_label.is_empty() { 0.0 } else { 20.0 };
    let bottom = 20.0 + if frame.x_label.is_empty() { 0.0 } else { 20.0 };
    let mut area = Rect {
        x: room.x + left,
        y: room.y + 4.0,
        width: (room.width - left - 8.0).max(20.0),
        height: (room.height - bottom - 4.0).max(20.0),
    };
    if square {
        let side = area.width.min(area.height);
        area.x += (area.width - side) / 2.0;
        area.width = side;
        area.height = side;
    }
    let plot = Plot {
        area,
        x: Scale {
            domain: x_domain,
            start: area.x,
            end: area.right(),
        },
        y: Scale {
            domain: y_domain,
            start: area.bottom(),
            end: area.y,
        },
    };
    draw_x_axis(svg, &plot.x, area, &frame.x_label);
    for tick in &y_ticks {
        let Some(y) = plot.y.at(tick.value) else {
            continue;
        };
        line(svg, (area.x, y), (area.right(), y), GRID, 1.0, "");
        svg.tag("text")
            .num("x", area.x - 7.0)
            .num("y", y + SMALL * 0.35)
            .num("font-size", SMALL)
            .attr("text-anchor", "end")
            .attr("fill", SOFT_INK)
            .text(&tick.label);
    }
    side_label(svg, &frame.y_label, area.x - widest - 19.0, area);
    line(
        svg,
        (area.x, area.y),
        (area.x, area.bottom()),
        RULE,
        1.0,
        "",
    );
    plot
}

/// Draws a horizontal axis below the area: vertical grid lines, tick labels, label.
pub(crate) fn draw_x_axis(svg: &mut Svg, scale: &Scale, area: Rect, label: &str) {
    let mut ticks = scale.domain.ticks(tick_target(area.width, 72.0));
    while ticks.len() > 2 {
        let needed: f64 = ticks
            .iter()
            .map(|tick| typeset::width(&tick.label, SMALL) + 10.0)
            .sum();
        if needed <= area.width {
            break;
        }
        let mut k = 0;
        ticks.retain(|_| {
            k += 1;
            k % 2 == 1
        });
    }
    for tick in &ticks {
        let Some(x) = scale.at(tick.value) else {
            continue;
        };
        line(svg, (x, area.y), (x, area.bottom()), GRID, 1.0, "");
        line(
            svg,
            (x, area.bottom()),
            (x, area.bottom() + 4.0),
            RULE,
            1.0,
            "",
        );
        svg.tag("text")
            .num("x", x)
            .num("y", area.bottom() + 6.0 + SMALL)
            .num("font-size", SMALL)
            .attr("text-anchor", "middle")
            .attr("fill", SOFT_INK)
            .text(&tick.label);
    }
    line(
        svg,
        (area.x, area.bottom()),
        (area.right(), area.bottom()),
        RULE,
        1.0,
        "",
    );
    bottom_label(svg, label, area.bottom() + 38.0, area);
}

/// Writes the label of the horizontal axis, centred, at the given height.
pub(crate) fn bottom_label(svg: &mut Svg, label: &str, y: f64, area: Rect) {
    if label.is_empty() {
        return;
    }
    svg.tag("text")
        .num("x", area.centre_x())
        .num("y", y)
        .num("font-size", MEDIUM)
        .attr("text-anchor", "middle")
        .attr("fill", SOFT_INK)
        .text(&typeset::fit(label, MEDIUM, area.width));
}

/// Writes the label of the vertical axis, turned, with its middle line at `x`.
pub(crate) fn side_label(svg: &mut Svg, label: &str, x: f64, area: Rect) {
    if label.is_empty() {
        return;
    }
    let (x, y) = (crate::svg::number(x), crate::svg::number(area.centre_y()));
    svg.tag("text")
        .attr("transform", &format!("translate({x} {y}) rotate(-90)"))
        .num("font-size", MEDIUM)
        .attr("text-anchor", "middle")
        .attr("fill", SOFT_INK)
        .text(&typeset::fit(label, MEDIUM, area.height));
}

fn tick_target(length: f64, pitch: f64) -> usize {
    ((length / pitch).round() as usize).clamp(2, 10)
}

fn widest_label(ticks: &[Tick]) -> f64 {
    ticks
        .iter()
        .map(|tick| typeset::width(&tick.label, SMALL))
        .fold(0.0, f64::max)
}
