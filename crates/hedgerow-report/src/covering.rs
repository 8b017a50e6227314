//! Neighbourhoods that cover data with two features, and the boundaries inside them.

use crate::axes::{Plot, draw_axes};
use crate::chart_frame::{ChartFrame, Key, LegendItem, frame_builders};
use crate::contour::{Field, outlines};
use crate::marker;
use crate::palette::{self, Colour, INK, RULE};
use crate::scale::{Domain, Kind};
use crate::svg::{Path, Svg};

const KIND: &str = "Covering by neighbourhoods";
const SIZE: (f64, f64) = (600.0, 660.0);
/// Share of the range that is left free around the data.
const MARGIN: f64 = 0.06;

/// A centre: where it lies, how far its core and its neighbourhood reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    /// The centre.
    pub at: (f64, f64),
    /// Radius of the core.
    pub core: f64,
    /// Radius of the neighbourhood.
    pub neighbourhood: f64,
}

/// Decision values inside a neighbourhood, on a square grid around its centre.
///
/// Node `(i, j)` of `nodes × nodes` lies `neighbourhood · (2i / (nodes − 1) − 1)` to the right of
/// the centre and likewise above it; its value stands at `j * nodes + i`. Values outside the disc
/// are not looked at.
#[derive(Debug, Clone, PartialEq)]
struct Inside {
    disc: Disc,
    nodes: usize,
    values: Vec<f64>,
}

/// Cores as bold circles, neighbourhoods as thin ones, and the line on which the machine of each
/// neighbourhood changes its mind.
#[derive(Debug, Clone, PartialEq)]
pub struct CoveringChart {
    frame: ChartFrame,
    points: Vec<(f64, f64, u32)>,
    discs: Vec<Disc>,
    insides: Vec<Inside>,
    class_names: Vec<String>,
}

impl CoveringChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            frame: ChartFrame::new(title),
            points: Vec::new(),
            discs: Vec::new(),
            insides: Vec::new(),
            class_names: Vec::new(),
        }
    }

    frame_builders!();

    /// Adds points with their class index.
    pub fn with_points(mut self, points: impl IntoIterator<Item = (f64, f64, u32)>) -> Self {
        self.points.extend(points);
        self
    }

    /// Adds a centre.
    pub fn with_disc(mut self, disc: Disc) -> Self {
        self.discs.push(disc);
        self
    }

    /// Adds a centre with the decision values of its machine on `nodes × nodes` nodes that span
    /// the square around its neighbourhood, row by row from below; the line of value 0 is drawn
    /// inside the neighbourhood. Values of another number are left out.
    pub fn with_machine(mut self, disc: Disc, nodes: usize, values: Vec<f64>) -> Self {
        if nodes >= 2 && nodes.checked_mul(nodes) == Some(values.len()) {
            self.insides.push(Inside {
                disc,
                nodes,
                values,
            });
        }
        self.with_disc(disc)
    }

    /// Names the classes for the legend.
    pub fn with_class_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.class_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let Some((x, y)) = self.ranges() else {
            return self.frame.no_data(KIND, SIZE);
        };
        let (mut svg, room) = self.frame.begin(KIND, SIZE, &self.legend());
        let plot = draw_axes(&mut svg, &self.frame, room, x, y, true);
        plot.clip(&mut svg);
        let placed: Vec<(f64, f64, usize)> = self
            .points
            .iter()
            .filter_map(|&(x, y, class)| {
                let (x, y) = plot.at(x, y)?;
                Some((x, y, class as usize))
            })
            .collect();
        for disc in &self.discs {
            circle(&mut svg, &plot, disc.at, disc.neighbourhood, RULE, 0.7);
        }
        for inside in &self.insides {
            inside.draw(&mut svg, &plot);
        }
        marker::draw_all(&mut svg, &placed);
        for disc in &self.discs {
            circle(&mut svg, &plot, disc.at, disc.core, INK, 1.9);
        }
        svg.close("svg");
        plot.outline(&mut svg);
        svg.finish()
    }

    /// Ranges of equal length, so that circles are round.
    fn ranges(&self) -> Option<(Domain, Domain)> {
        let xs = self.points.iter().map(|point| point.0);
        let ys = self.points.iter().map(|point| point.1);
        let centres = self.discs.iter().map(|disc| disc.at);
        let (left, right) = extremes(xs.chain(centres.clone().map(|at| at.0)))?;
        let (low, high) = extremes(ys.chain(centres.map(|at| at.1)))?;
        let side = (right - left).max(high - low).max(f64::MIN_POSITIVE);
        let half = side * (0.5 + MARGIN);
        let around = |middle: f64| Domain::between(middle - half, middle + half, Kind::Linear);
        Some((around(left.midpoint(right)), around(low.midpoint(high))))
    }

    fn legend(&self) -> Vec<LegendItem> {
        let mut classes: Vec<u32> = self.points.iter().map(|point| point.2).collect();
        classes.sort_unstable();
        classes.dedup();
        let name = |class: u32| match self.class_names.get(class as usize) {
            Some(name) => name.clone(),
            None => format!("class {class}"),
        };
        let mut items: Vec<LegendItem> = classes
            .iter()
            .take(24)
            .map(|&class| LegendItem::new(&name(class), Key::Marker(class as usize)))
            .collect();
        if !self.discs.is_empty() {
            items.push(LegendItem::new("core", Key::Ring));
            items.push(LegendItem::new(
                "neighbourhood",
                Key::Line(Colour(0x8c, 0x95, 0x9f), 0),
            ));
        }
        if !self.insides.is_empty() {
            items.push(LegendItem::new(
                "boundary of a machine",
                Key::Line(palette::series(BOUNDARY), 0),
            ));
        }
        items
    }
}

/// Colour of boundaries: that of a class that two-class data do not have.
const BOUNDARY: usize = 2;

fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .filter(|value| value.is_finite())
        .fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        })
}

fn circle(svg: &mut Svg, plot: &Plot, at: (f64, f64), radius: f64, colour: &str, width: f64) {
    let (Some((x, y)), Some((edge, _))) = (plot.at(at.0, at.1), plot.at(at.0 + radius, at.1))
    else {
        return;
    };
    svg.tag("circle")
        .num("cx", x)
        .num("cy", y)
        .num("r", (edge - x).max(0.0))
        .attr("fill", "none")
        .attr("stroke", colour)
        .num("stroke-width", width)
        .end();
}

impl Inside {
    fn draw(&self, svg: &mut Svg, plot: &Plot) {
        let last = (self.nodes - 1) as f64;
        let radius = self.disc.neighbourhood;
        let offset = |i: f64| radius * (2.0 * i / last - 1.0);
        let values = self.values.iter().enumerate().map(|(at, &value)| {
            let (i, j) = ((at % self.nodes) as f64, (at / self.nodes) as f64);
            if offset(i).hypot(offset(j)) <= radius {
                value
            } else {
                f64::NAN
            }
        });
        let field = Field {
            nx: self.nodes,
            ny: self.nodes,
            values: values.collect(),
        };
        let mut path = Path::default();
        for line in outlines(&field, 0.0).iter().flat_map(|found| &found.lines) {
            let placed: Vec<(f64, f64)> = line
                .iter()
                .filter_map(|&(i, j)| {
                    plot.at(self.disc.at.0 + offset(i), self.disc.at.1 + offset(j))
                })
                .collect();
            path.polyline(&placed);
        }
        if path.is_empty() {
            return;
        }
        svg.tag("path")
            .attr("d", path.data())
            .attr("fill", "none")
            .attr("stroke", &palette::series(BOUNDARY).hex())
            .num("stroke-width", 1.6)
            .attr("stroke-linejoin", "round")
            .end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISC: Disc = Disc {
        at: (0.5, 0.5),
        core: 0.2,
        neighbourhood: 0.5,
    };

    fn radii(svg: &str) -> Vec<f64> {
        // Rings and marks of the legend stand before the clipped plot.
        let (_, plot) = svg.split_once("overflow").unwrap_or((svg, ""));
        plot.split("<circle")
            .skip(1)
            .filter(|tag| tag.contains("fill=\"none\""))
            .filter_map(|tag| tag.split(" r=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect()
    }

    #[test]
    fn circles_keep_their_proportions() {
        let svg = CoveringChart::new("")
            .with_points([(0.0, 0.0, 0), (1.0, 1.0, 1)])
            .with_disc(DISC)
            .to_svg();
        let found = radii(&svg);
        assert_eq!(found.len(), 2);
        assert!((found[0] / found[1] - 2.5).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_boundary_is_drawn_only_where_there_is_one() {
        let values = |shift: f64| {
            (0..121)
                .map(|at| f64::from(at % 11) - 5.1 + shift)
                .collect()
        };
        let chart = CoveringChart::new("").with_points([(0.0, 0.0, 0), (1.0, 1.0, 1)]);
        let stroke = "stroke-width=\"1.6\"";
        let crossed = chart.clone().with_machine(DISC, 11, values(0.0)).to_svg();
        assert!(crossed.contains(stroke));
        let pure = chart.clone().with_machine(DISC, 11, values(100.0)).to_svg();
        assert!(!pure.contains(stroke));
        let short = chart.with_machine(DISC, 10, values(0.0)).to_svg();
        assert!(!short.contains(stroke));
    }

    #[test]
    fn nothing_to_draw_is_said() {
        assert!(CoveringChart::new("").to_svg().contains("no data"));
        let odd = CoveringChart::new("").with_points([(f64::NAN, 1.0, 0)]);
        assert!(odd.to_svg().contains("no data"));
    }
}
