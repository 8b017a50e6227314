//! The decision boundary of a classifier with two features.

use crate::axes::{Plot, draw_axes};
use crate::chart_frame::{ChartFrame, Key, LegendItem, frame_builders};
use crate::contour::{Field, Outline, outlines, smoothed_outlines};
use crate::marker;
use crate::palette::{self, Colour, INK};
use crate::scale::{Domain, Kind};
use crate::svg::{Path, Svg};

const KIND: &str = "Decision boundary";
const SIZE: (f64, f64) = (560.0, 500.0);
/// Nodes of the grid along a side that are drawn at most: finer detail is below two pixels.
const MOST_NODES: usize = 241;
/// Rounds of averaging that make the borders of class regions smooth.
const ROUNDS: usize = 10;

/// Regions of the classes, level lines of the score, and the data.
///
/// The grid covers the ranges given to [`BoundaryChart::new`]: node `(i, j)` of `nx × ny` lies at
/// `x = x_low + i (x_high - x_low) / (nx - 1)`, likewise for `y`, and its value stands at
/// `j * nx + i`. Nodes with NaN stay white. A grid whose length is not `nx * ny` is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryChart {
    frame: ChartFrame,
    x_range: (f64, f64),
    y_range: (f64, f64),
    ground: Option<Ground>,
    /// Functions whose zero lines are drawn, each in the colour of a class.
    curves: Vec<(Field, u32)>,
    points: Vec<(f64, f64, u32)>,
    ringed: Vec<usize>,
    ring_meaning: String,
    class_names: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Ground {
    nx: usize,
    ny: usize,
    values: GroundValues,
}

#[derive(Debug, Clone, PartialEq)]
enum GroundValues {
    Scores { values: Vec<f64>, positive: u32 },
    Regions(Vec<u32>),
}

impl BoundaryChart {
    /// An empty chart over the given ranges (low end, high end).
    pub fn new(title: &str, x_range: (f64, f64), y_range: (f64, f64)) -> Self {
        Self {
            frame: ChartFrame::new(title),
            x_range,
            y_range,
            ground: None,
            curves: Vec::new(),
            points: Vec::new(),
            ringed: Vec::new(),
            ring_meaning: String::new(),
            class_names: Vec::new(),
        }
    }

    frame_builders!();

    /// Sets the decision values of a two-class model on a grid. Scores above zero speak for class
    /// `positive` (0 or 1), scores below for the other. The zero line and the margins ±1 are drawn.
    pub fn with_scores(mut self, nx: usize, ny: usize, values: Vec<f64>, positive: u32) -> Self {
        self.ground =
            (nx.checked_mul(ny) == Some(values.len()) && nx >= 2 && ny >= 2).then(|| Ground {
                nx,
                ny,
                values: GroundValues::Scores {
                    values,
                    positive: positive.min(1),
                },
            });
        self
    }

    /// Sets the predicted class index on a grid. Of more than 64 classes only the most frequent are
    /// drawn.
    pub fn with_regions(mut self, nx: usize, ny: usize, classes: Vec<u32>) -> Self {
        self.ground =
            (nx.checked_mul(ny) == Some(classes.len()) && nx >= 2 && ny >= 2).then_some(Ground {
                nx,
                ny,
                values: GroundValues::Regions(classes),
            });
        self
    }

    /// Draws the line where the values on a grid are zero, in the colour of a class.
    pub fn with_curve(mut self, nx: usize, ny: usize, values: &[f64], class: u32) -> Self {
        if nx.checked_mul(ny) == Some(values.len()) && nx >= 2 && ny >= 2 {
            self.curves.push((thin(nx, ny, values), class));
        }
        self
    }

    /// Adds points with their class index.
    pub fn with_points(mut self, points: impl IntoIterator<Item = (f64, f64, u32)>) -> Self {
        self.points.extend(points);
        self
    }

    /// Marks points, by their position in the order of [`BoundaryChart::with_points`], as support
    /// vectors.
    pub fn with_support(self, indices: impl IntoIterator<Item = usize>) -> Self {
        self.with_rings(indices, "support vector")
    }

    /// Draws rings around points, by their position in the order of [`BoundaryChart::with_points`];
    /// `meaning` stands in the legend.
    pub fn with_rings(
        mut self,
        indices: impl IntoIterator<Item = usize>,
        meaning: impl Into<String>,
    ) -> Self {
        self.ringed.extend(indices);
        self.ring_meaning = meaning.into();
        self
    }

    /// Names the classes for the legend.
    pub fn with_class_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.class_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let x_of = |point: &(f64, f64, u32)| point.0;
        let y_of = |point: &(f64, f64, u32)| point.1;
        let x =
            range(self.x_range).or_else(|| Domain::of(self.points.iter().map(x_of), Kind::Linear));
        let y =
            range(self.y_range).or_else(|| Domain::of(self.points.iter().map(y_of), Kind::Linear));
        let drawable = self
            .points
            .iter()
            .any(|p| p.0.is_finite() && p.1.is_finite());
        let (Some(x), Some(y), true) = (x, y, drawable || self.ground.is_some()) else {
            return self.frame.no_data(KIND, SIZE);
        };
        let (mut svg, room) = self.frame.begin(KIND, SIZE, &self.legend());
        let plot = draw_axes(&mut svg, &self.frame, room, x, y, false);
        plot.clip(&mut svg);
        if let Some(ground) = &self.ground {
            ground.draw(&mut svg, &plot);
        }
        for (field, class) in &self.curves {
            let colour = palette::series(*class as usize).hex();
            stroke(
                &mut svg,
                &plot,
                field,
                &outlines(field, 0.0),
                &colour,
                2.4,
                "",
            );
        }
        self.draw_points(&mut svg, &plot);
        svg.close("svg");
        plot.outline(&mut svg);
        svg.finish()
    }

    fn draw_points(&self, svg: &mut Svg, plot: &Plot) {
        let place = |&(x, y, class): &(f64, f64, u32)| {
            let inside = plot.x.contains(x) && plot.y.contains(y);
            let (px, py) = plot.at(x, y).filter(|_| inside)?;
            Some((px, py, class as usize))
        };
        let placed: Vec<_> = self.points.iter().filter_map(place).collect();
        marker::draw_all(svg, &placed);
        let mut ringed = self.ringed.clone();
        ringed.sort_unstable();
        ringed.dedup();
        for point in ringed.iter().filter_map(|&i| self.points.get(i)) {
            if let Some((x, y, _)) = place(point) {
                marker::ring(svg, x, y, if placed.len() > 300 { 4.6 } else { 5.8 });
            }
        }
    }

    fn legend(&self) -> Vec<LegendItem> {
        let mut classes: Vec<u32> = self.points.iter().map(|point| point.2).collect();
        match self.ground.as_ref().map(|ground| &ground.values) {
            Some(GroundValues::Scores { .. }) => classes.extend([0, 1]),
            Some(GroundValues::Regions(regions)) => classes.extend(regions),
            None => {}
        }
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
        if self.ringed.iter().any(|&i| i < self.points.len()) {
            items.push(LegendItem::new(&self.ring_meaning, Key::Ring));
        }
        if let Some(GroundValues::Scores { .. }) = self.ground.as_ref().map(|g| &g.values) {
            items.push(LegendItem::new("margin ±1", Key::Dashes));
        }
        items
    }
}

fn range((low, high): (f64, f64)) -> Option<Domain> {
    (low.is_finite() && high.is_finite()).then(|| Domain::between(low, high, Kind::Linear))
}

impl Ground {
    fn draw(&self, svg: &mut Svg, plot: &Plot) {
        match &self.values {
            GroundValues::Scores { values, positive } => {
                let field = thin(self.nx, self.ny, values);
                let opposite = Field {
                    values: field.values.iter().map(|value| -value).collect(),
                    ..field
                };
                let sides = [(&opposite, 1 - positive), (&field, *positive)];
                for (side, class) in sides {
                    let colour = palette::series(class as usize);
                    fill(
                        svg,
                        plot,
                        side,
                        &outlines(side, 0.0),
                        colour.tint(0.16),
                        0.0,
                    );
                    fill(
                        svg,
                        plot,
                        side,
                        &outlines(side, 1.0),
                        colour.tint(0.30),
                        0.0,
                    );
                }
                for (side, _) in sides {
                    stroke(svg, plot, side, &outlines(side, 1.0), "#3d444d", 1.0, "4 3");
                }
                stroke(svg, plot, &field, &outlines(&field, 0.0), INK, 1.8, "");
            }
            GroundValues::Regions(classes) => {
                let (nx, ny, classes) = thin_classes(self.nx, self.ny, classes);
                let present = most_frequent(&classes);
                let parts: Vec<(Field, Vec<Outline>, u32)> = present
                    .iter()
                    .map(|&class| {
                        let field = membership(nx, ny, &classes, class);
                        let found = smoothed_outlines(&field, 0.5, ROUNDS);
                        (field, found, class)
                    })
                    .collect();
                for (field, found, class) in &parts {
                    fill(
                        svg,
                        plot,
                        field,
                        found,
                        palette::series(*class as usize).tint(0.24),
                        2.0,
                    );
                }
                // Each line belongs to two classes; one class may be left out.
                for (field, found, _) in parts.iter().skip(1) {
                    stroke(svg, plot, field, found, "#3d444d", 1.3, "");
                }
            }
        }
    }
}

/// The scores on a grid of bounded size, by bilinear interpolation where it is too fine.
fn thin(nx: usize, ny: usize, values: &[f64]) -> Field {
    let (mx, my) = (nx.min(MOST_NODES), ny.min(MOST_NODES));
    if (mx, my) == (nx, ny) {
        return Field {
            nx,
            ny,
            values: values.to_vec(),
        };
    }
    let mut out = Vec::with_capacity(mx * my);
    for j in 0..my {
        let (j0, v) = node(j, my, ny);
        for i in 0..mx {
            let (i0, u) = node(i, mx, nx);
            let at = |di: usize, dj: usize| values[(j0 + dj) * nx + i0 + di];
            let low = at(0, 0) * (1.0 - u) + at(1, 0) * u;
            let high = at(0, 1) * (1.0 - u) + at(1, 1) * u;
            out.push(low * (1.0 - v) + high * v);
        }
    }
    Field {
        nx: mx,
        ny: my,
        values: out,
    }
}

/// Node `k` of `m` on a grid of `n >= 2` nodes: the node below and the share of the one above.
fn node(k: usize, m: usize, n: usize) -> (usize, f64) {
    let position = k as f64 * (n - 1) as f64 / (m - 1) as f64;
    let below = (position.floor() as usize).min(n - 2);
    (below, position - below as f64)
}

fn thin_classes(nx: usize, ny: usize, classes: &[u32]) -> (usize, usize, Vec<u32>) {
    let (mx, my) = (nx.min(MOST_NODES), ny.min(MOST_NODES));
    let nearest = |k: usize, m: usize, n: usize| {
        let (below, share) = node(k, m, n);
        below + usize::from(share > 0.5)
    };
    let mut out = Vec::with_capacity(mx * my);
    for j in 0..my {
        let row = nearest(j, my, ny) * nx;
        out.extend((0..mx).map(|i| classes[row + nearest(i, mx, nx)]));
    }
    (mx, my, out)
}

/// The classes of a grid, ascending; of a hostile number of them only the most frequent.
fn most_frequent(classes: &[u32]) -> Vec<u32> {
    let mut sorted = classes.to_vec();
    sorted.sort_unstable();
    let mut counted: Vec<(usize, u32)> = sorted
        .chunk_by(|a, b| a == b)
        .map(|run| (run.len(), run[0]))
        .collect();
    counted.sort_by_key(|&(count, class)| (std::cmp::Reverse(count), class));
    counted.truncate(marker::MOST_CLASSES);
    let mut present: Vec<u32> = counted.into_iter().map(|(_, class)| class).collect();
    present.sort_unstable();
    present
}

/// One where a node has the class, zero elsewhere.
fn membership(nx: usize, ny: usize, classes: &[u32], class: u32) -> Field {
    let is = |&other: &u32| f64::from(u8::from(other == class));
    Field {
        nx,
        ny,
        values: classes.iter().map(is).collect(),
    }
}

/// Places points given in grid units on the drawing.
fn placed(plot: &Plot, field: &Field, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (sx, sy) = ((field.nx - 1) as f64, (field.ny - 1) as f64);
    let area = &plot.area;
    points
        .iter()
        .map(|&(i, j)| {
            (
                area.x + i / sx * area.width,
                area.bottom() - j / sy * area.height,
            )
        })
        .collect()
}

/// Fills outlines; a seam of the same colour closes the gaps where three classes meet.
fn fill(svg: &mut Svg, plot: &Plot, field: &Field, found: &[Outline], colour: Colour, seam: f64) {
    let mut path = Path::default();
    for outline in found {
        path.polygon(&placed(plot, field, &outline.polygon));
    }
    if !path.is_empty() {
        svg.tag("path")
            .attr("d", path.data())
            .attr("fill", &colour.hex())
            .attr("fill-rule", "evenodd")
            .attr("stroke", &colour.hex())
            .num("stroke-width", seam)
            .end();
    }
}

fn stroke(
    svg: &mut Svg,
    plot: &Plot,
    field: &Field,
    found: &[Outline],
    colour: &str,
    width: f64,
    dash: &str,
) {
    let mut path = Path::default();
    for line in found.iter().flat_map(|outline| &outline.lines) {
        path.polyline(&placed(plot, field, line));
    }
    if path.is_empty() {
        return;
    }
    let tag = svg
        .tag("path")
        .attr("d", path.data())
        .attr("fill", "none")
        .attr("stroke", colour)
        .num("stroke-width", width)
        .attr("stroke-linejoin", "round");
    if dash.is_empty() {
        tag.end();
    } else {
        tag.attr("stroke-dasharray", dash).end();
    }
}
