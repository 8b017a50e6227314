//! What surrounds every chart: size, title, legend, and the picture for "no data".

use crate::marker;
use crate::palette::{Colour, GRID, INK, RULE, SOFT_INK};
use crate::svg::Svg;
use crate::typeset::{self, LARGE, MEDIUM, SMALL};

/// Distance of everything from the edge of the picture.
const EDGE: f64 = 16.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 18.0;
/// Length of the sample of a line or bar in the legend.
const KEY_WIDTH: f64 = 20.0;

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn centre_x(&self) -> f64 {
        self.x + self.width / 2.0
    }

    pub(crate) fn centre_y(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The sample that stands before a legend entry.
#[derive(Debug, Clone)]
pub(crate) enum Key {
    /// A line, with the index that gives its dash pattern and marker.
    Line(Colour, usize),
    /// A filled block.
    Block(Colour),
    /// A class marker.
    Marker(usize),
    /// The ring around a support vector.
    Ring,
    /// A thin dashed line.
    Dashes,
}

/// An entry of the legend.
#[derive(Debug, Clone)]
pub(crate) struct LegendItem {
    pub(crate) label: String,
    pub(crate) key: Key,
}

impl LegendItem {
    pub(crate) fn new(label: &str, key: Key) -> Self {
        Self {
            label: label.to_owned(),
            key,
        }
    }
}

/// Texts and size that all charts share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChartFrame {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    /// Width and height, if the caller chose them.
    pub(crate) size: Option<(f64, f64)>,
}

impl ChartFrame {
    pub(crate) fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            x_label: String::new(),
            y_label: String::new(),
            size: None,
        }
    }

    /// Writes background, title and legend; returns the room that is left.
    /// `kind` describes the chart for readers who cannot see it.
    pub(crate) fn begin(
        &self,
        kind: &str,
        default_size: (f64, f64),
        legend: &[LegendItem],
    ) -> (Svg, Rect) {
        let (width, height) = self.size.unwrap_or(default_size);
        let title = if self.title.is_empty() {
            kind
        } else {
            &self.title
        };
        let mut svg = Svg::new(width, height, title, kind);
        let mut y = EDGE;
        if !self.title.is_empty() {
            y += LARGE;
            svg.tag("text")
                .num("x", EDGE)
                .num("y", y - 2.0)
                .num("font-size", LARGE)
                .attr("font-weight", "600")
                .attr("fill", INK)
                .text(&typeset::fit(&self.title, LARGE * 1.06, width - 2.0 * EDGE));
            y += 8.0;
        }
        y = draw_legend(&mut svg, legend, y, width);
        let room = Rect {
            x: EDGE,
            y,
            width: width - 2.0 * EDGE,
            height: (height - EDGE - y).max(20.0),
        };
        (svg, room)
    }

    /// The chart without any value to draw.
    pub(crate) fn no_data(&self, kind: &str, default_size: (f64, f64)) -> String {
        let (mut svg, room) = self.begin(kind, default_size, &[]);
        svg.tag("rect")
            .num("x", room.x)
            .num("y", room.y)
            .num("width", room.width)
            .num("height", room.height)
            .attr("fill", "none")
            .attr("stroke", GRID)
            .end();
        svg.tag("text")
            .num("x", room.centre_x())
            .num("y", room.centre_y() + 4.0)
            .num("font-size", LARGE)
            .attr("text-anchor", "middle")
            .attr("fill", RULE)
            .text("no data");
        svg.finish()
    }
}

fn draw_legend(svg: &mut Svg, items: &[LegendItem], top: f64, width: f64) -> f64 {
    if items.is_empty() {
        return top + 4.0;
    }
    let (mut x, mut y) = (EDGE, top + SMALL);
    for item in items {
        let limit = width - 2.0 * EDGE - KEY_WIDTH - 6.0;
        let label = typeset::fit(&item.label, MEDIUM, limit);
        let used = KEY_WIDTH + 6.0 + typeset::width(&label, MEDIUM);
        if x > EDGE && x + used > width - EDGE {
            x = EDGE;
            y += LEGEND_ROW;
        }
        draw_key(svg, &item.key, x, y - 4.0);
        svg.tag("text")
            .num("x", x + KEY_WIDTH + 6.0)
            .num("y", y)
            .num("font-size", MEDIUM)
            .attr("fill", SOFT_INK)
            .text(&label);
        x += used + 16.0;
    }
    y + 12.0
}

fn draw_key(svg: &mut Svg, key: &Key, x: f64, y: f64) {
    let middle = x + KEY_WIDTH / 2.0;
    match *key {
        Key::Line(colour, index) => {
            line(
                svg,
                (x, y),
                (x + KEY_WIDTH, y),
                &colour.hex(),
                2.0,
                crate::palette::dash(index),
            );
        }
        Key::Block(colour) => svg
            .tag("rect")
            .num("x", x + 4.0)
            .num("y", y - 5.0)
            .num("width", 12.0)
            .num("height", 10.0)
            .attr("fill", &colour.hex())
            .end(),
        Key::Marker(class) => marker::draw(svg, class, middle, y, 4.0),
        Key::Ring => marker::ring(svg, middle, y, 5.5),
        Key::Dashes => line(svg, (x, y), (x + KEY_WIDTH, y), RULE, 1.2, "4 3"),
    }
}

/// A straight line; an empty `dash` draws it solid.
pub(crate) fn line(
    svg: &mut Svg,
    from: (f64, f64),
    to: (f64, f64),
    stroke: &str,
    width: f64,
    dash: &str,
) {
    let tag = svg
        .tag("line")
        .num("x1", from.0)
        .num("y1", from.1)
        .num("x2", to.0)
        .num("y2", to.1)
        .attr("stroke", stroke)
        .num("stroke-width", width);
    if dash.is_empty() {
        tag.end();
    } else {
        tag.attr("stroke-dasharray", dash).end();
    }
}

/// The builder methods that every chart has.
macro_rules! frame_builders {
    () => {
        /// Sets the text below the horizontal axis.
        pub fn with_x_label(mut self, label: &str) -> Self {
            self.frame.x_label = label.to_owned();
            self
        }

        /// Sets the text beside the vertical axis.
        pub fn with_y_label(mut self, label: &str) -> Self {
            self.frame.y_label = label.to_owned();
            self
        }

        /// Sets width and height in pixels, each held within 160 and 4000. Without it the chart
        /// chooses a size that suits its content.
        pub fn with_size(mut self, width: u32, height: u32) -> Self {
            let side = |pixels: u32| f64::from(pixels.clamp(160, 4000));
            self.frame.size = Some((side(width), side(height)));
            self
        }
    };
}
pub(crate) use frame_builders;
