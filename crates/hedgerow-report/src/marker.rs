//! Marks of points: one shape and one colour a class.

use crate::palette::{self, INK};
use crate::svg::{Path, Svg};

/// Number of distinct shapes; they repeat after that.
const SHAPES: usize = 6;
/// Classes that a chart tells apart at most.
pub(crate) const MOST_CLASSES: usize = 64;

/// Draws the mark of a class, filled and with a thin white edge that parts overlapping marks.
pub(crate) fn draw(svg: &mut Svg, class: usize, x: f64, y: f64, radius: f64) {
    let fill = palette::series(class).hex();
    let shape = class % SHAPES;
    if shape == 0 {
        svg.tag("circle")
            .num("cx", x)
            .num("cy", y)
            .num("r", radius)
            .attr("fill", &fill)
            .attr("stroke", "#ffffff")
            .num("stroke-width", 0.8)
            .end();
        return;
    }
    let mut path = Path::default();
    path.polygon(&outline(shape, x, y, radius));
    svg.tag("path")
        .attr("d", path.data())
        .attr("fill", &fill)
        .attr("stroke", "#ffffff")
        .num("stroke-width", 0.8)
        .end();
}

/// Draws the ring that marks a support vector.
pub(crate) fn ring(svg: &mut Svg, x: f64, y: f64, radius: f64) {
    svg.tag("circle")
        .num("cx", x)
        .num("cy", y)
        .num("r", radius)
        .attr("fill", "none")
        .attr("stroke", INK)
        .num("stroke-width", 1.1)
        .end();
}

/// Corners of a shape, sized so that all shapes look equally heavy.
fn outline(shape: usize, x: f64, y: f64, radius: f64) -> Vec<(f64, f64)> {
    let corners = |count: usize, turn: f64, size: f64| -> Vec<(f64, f64)> {
        (0..count)
            .map(|k| {
                let angle = turn + std::f64::consts::TAU * k as f64 / count as f64;
                (x + size * angle.sin(), y - size * angle.cos())
            })
            .collect()
    };
    match shape {
        1 => corners(3, 0.0, radius * 1.35),
        2 => corners(4, std::f64::consts::FRAC_PI_4, radius * 1.25),
        3 => corners(4, 0.0, radius * 1.3),
        4 => corners(3, std::f64::consts::PI, radius * 1.35),
        _ => corners(5, 0.0, radius * 1.2),
    }
}

/// Points on the paper with their class, drawn so that the text stays of reasonable length: with
/// many points the marks become plain dots, and dots of one class on one pixel are drawn once.
pub(crate) fn draw_all(svg: &mut Svg, points: &[(f64, f64, usize)]) {
    const WITH_SHAPE: usize = 3000;
    if points.len() <= WITH_SHAPE {
        let radius = match points.len() {
            0..=300 => 3.6,
            301..=1000 => 2.8,
            _ => 2.1,
        };
        for &(x, y, class) in points {
            draw(svg, class, x, y, radius);
        }
        return;
    }
    let mut classes: Vec<usize> = points.iter().map(|point| point.2).collect();
    classes.sort_unstable();
    classes.dedup();
    // Marks repeat anyway; a class for each point must not cost a pass for each.
    classes.truncate(MOST_CLASSES);
    for class in classes {
        let mut pixels: Vec<(i64, i64)> = points
            .iter()
            .filter(|point| point.2 == class)
            .map(|point| (point.0.round() as i64, point.1.round() as i64))
            .collect();
        pixels.sort_unstable();
        pixels.dedup();
        let mut path = Path::default();
        for (x, y) in pixels {
            path.dot(x as f64, y as f64);
        }
        if !path.is_empty() {
            svg.tag("path")
                .attr("d", path.data())
                .attr("fill", "none")
                .attr("stroke", &palette::series(class).hex())
                .attr("stroke-linecap", "round")
                .num("stroke-width", 2.0)
                .attr("stroke-opacity", "0.6")
                .end();
        }
    }
}
