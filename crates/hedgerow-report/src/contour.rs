//! Marching squares: closed outlines of `{value > level}` on a regular grid.
//!
//! The grid is surrounded by a ring of nodes that count as below the level and lie on the edge of
//! the grid, so every outline is closed. Segments run with the high side on their left, hence each
//! crossed edge is left by exactly one segment and the outlines are found by following one table.

/// A field of numbers on a regular grid over a rectangle of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) nx: usize,
    pub(crate) ny: usize,
    /// `nx × ny` values, row by row; NaN where nothing is known.
    pub(crate) values: Vec<f64>,
}

/// An outline: a closed polygon together with the parts of it that are true level lines, that is,
/// that neither follow the edge of the grid nor the edge of an unknown part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outline {
    pub(crate) polygon: Vec<(f64, f64)>,
    pub(crate) lines: Vec<Vec<(f64, f64)>>,
}

const NO_EDGE: u32 = u32::MAX;

/// Edges of a cell in the order bottom, right, top, left; `(from, to)` keeps the high side left.
/// Index: bit 0 = bottom-left, 1 = bottom-right, 2 = top-right, 3 = top-left corner is high.
const SEGMENTS: [&[(usize, usize)]; 16] = [
    &[],
    &[(0, 3)],
    &[(1, 0)],
    &[(1, 3)],
    &[(2, 1)],
    &[(0, 3), (2, 1)],
    &[(2, 0)],
    &[(2, 3)],
    &[(3, 2)],
    &[(0, 2)],
    &[(1, 0), (3, 2)],
    &[(1, 2)],
    &[(3, 1)],
    &[(0, 1)],
    &[(3, 0)],
    &[],
];
/// The saddles (5 and 10) when the middle of the cell is high: the high corners are joined.
const JOINED_SADDLE_5: &[(usize, usize)] = &[(0, 1), (2, 3)];
const JOINED_SADDLE_10: &[(usize, usize)] = &[(3, 0), (1, 2)];

/// Outlines of `{value > level}`. Positions are in units of the grid: node `(i, j)` lies at
/// `(i, j)`.
pub(crate) fn outlines(field: &Field, level: f64) -> Vec<Outline> {
    smoothed_outlines(field, level, 0)
}

/// Like [`outlines`], with the stairs of a field of zeros and ones worn off by the given number of
/// rounds of averaging along the outline. Outlines of less than a dozen points keep their shape:
/// averaging would make them vanish.
pub(crate) fn smoothed_outlines(field: &Field, level: f64, rounds: usize) -> Vec<Outline> {
    if field.nx == 0 || field.ny == 0 {
        return Vec::new();
    }
    let march = March {
        field,
        level,
        width: field.nx + 2,
    };
    let (next, inner) = march.segments();
    let mut visited = vec![false; next.len()];
    let mut found = Vec::new();
    for start in 0..next.len() {
        if next[start] == NO_EDGE || visited[start] {
            continue;
        }
        let mut polygon = Vec::new();
        let mut is_line = Vec::new();
        let mut edge = start;
        while !visited[edge] {
            visited[edge] = true;
            polygon.push(march.crossing(edge));
            is_line.push(inner[edge]);
            edge = next[edge] as usize;
        }
        if polygon.len() >= 12 {
            wear(&mut polygon, &is_line, rounds);
        }
        let lines = level_lines(&polygon, &is_line);
        found.push(Outline {
            polygon: simplify(&polygon),
            lines,
        });
    }
    found
}

struct March<'a> {
    field: &'a Field,
    level: f64,
    /// Nodes in a row of the surrounded grid.
    width: usize,
}

impl March<'_> {
    /// Value at a node of the surrounded grid; NaN on the ring.
    fn value(&self, i: usize, j: usize) -> f64 {
        if i == 0 || j == 0 || i > self.field.nx || j > self.field.ny {
            return f64::NAN;
        }
        let value = self.field.values[(j - 1) * self.field.nx + i - 1];
        // Differences of infinities would be NaN.
        value.clamp(-1e300, 1e300)
    }

    /// For every crossed edge the edge that follows on its outline, and whether the way there is a
    /// true level line. Edges: `2 (j w + i)` goes right from node (i, j), `+ 1` goes up.
    fn segments(&self) -> (Vec<u32>, Vec<bool>) {
        let height = self.field.ny + 2;
        let mut next = vec![NO_EDGE; 2 * self.width * height];
        let mut inner = vec![false; next.len()];
        for j in 0..height - 1 {
            for i in 0..self.width - 1 {
                let corners = [
                    self.value(i, j),
                    self.value(i + 1, j),
                    self.value(i + 1, j + 1),
                    self.value(i, j + 1),
                ];
                let case = (0..4)
                    .filter(|&k| corners[k] > self.level)
                    .map(|k| 1 << k)
                    .sum::<usize>();
                let middle = corners.iter().map(|value| value / 4.0).sum::<f64>();
                let pairs = match case {
                    5 if middle > self.level => JOINED_SADDLE_5,
                    10 if middle > self.level => JOINED_SADDLE_10,
                    _ => SEGMENTS[case],
                };
                let node = j * self.width + i;
                let edges = [
                    2 * node,
                    2 * (node + 1) + 1,
                    2 * (node + self.width),
                    2 * node + 1,
                ];
                let known = !middle.is_nan();
                for &(from, to) in pairs {
                    next[edges[from]] = edges[to] as u32;
                    inner[edges[from]] = known;
                }
            }
        }
        (next, inner)
    }

    /// Where the level is crossed on an edge.
    fn crossing(&self, edge: usize) -> (f64, f64) {
        let node = edge / 2;
        let (i, j) = (node % self.width, node / self.width);
        let (i2, j2) = if edge.is_multiple_of(2) {
            (i + 1, j)
        } else {
            (i, j + 1)
        };
        let (a, b) = (self.value(i, j), self.value(i2, j2));
        // Next to the unknown the outline stays on the known node.
        let t = if a.is_nan() {
            1.0
        } else if b.is_nan() {
            0.0
        } else {
            ((self.level - a) / (b - a)).clamp(0.0, 1.0)
        };
        let x = i as f64 + t * (i2 - i) as f64 - 1.0;
        let y = j as f64 + t * (j2 - j) as f64 - 1.0;
        let (right, top) = ((self.field.nx - 1) as f64, (self.field.ny - 1) as f64);
        (x.clamp(0.0, right), y.clamp(0.0, top))
    }
}

/// Moves every point between two level segments to the weighted mean with its neighbours.
fn wear(polygon: &mut Vec<(f64, f64)>, is_line: &[bool], rounds: usize) {
    let n = polygon.len();
    for _ in 0..rounds {
        let mean = |k: usize| {
            let before = (k + n - 1) % n;
            let (a, b, c) = (polygon[before], polygon[k], polygon[(k + 1) % n]);
            if is_line[before] && is_line[k] {
                ((a.0 + 2.0 * b.0 + c.0) / 4.0, (a.1 + 2.0 * b.1 + c.1) / 4.0)
            } else {
                b
            }
        };
        *polygon = (0..n).map(mean).collect();
    }
}

/// The runs of a closed outline whose segments are level lines. `is_line[k]` belongs to the
/// segment from point `k` to the next.
fn level_lines(polygon: &[(f64, f64)], is_line: &[bool]) -> Vec<Vec<(f64, f64)>> {
    let n = polygon.len();
    let Some(gap) = is_line.iter().position(|&line| !line) else {
        let mut closed = polygon.to_vec();
        closed.extend(polygon.first());
        return vec![simplify(&closed)];
    };
    let mut lines = Vec::new();
    let mut run: Vec<(f64, f64)> = Vec::new();
    for step in 1..=n {
        let k = (gap + step) % n;
        if is_line[k] {
            if run.is_empty() {
                run.push(polygon[k]);
            }
            run.push(polygon[(k + 1) % n]);
        } else if !run.is_empty() {
            lines.push(simplify(&std::mem::take(&mut run)));
        }
    }
    lines
}

/// Drops points that lie on the straight line between their neighbours (within 1 % of a cell).
fn simplify(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const SLACK: f64 = 0.01;
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    let mut skipped: Vec<(f64, f64)> = Vec::new();
    for (k, &point) in points.iter().enumerate() {
        let last = k + 1 == points.len();
        match (kept.last(), points.get(k + 1)) {
            (Some(&anchor), Some(&ahead)) if !last => {
                skipped.push(point);
                let straight = skipped.iter().all(|&p| offset(anchor, ahead, p) <= SLACK);
                // A bound on the run keeps the work linear.
                if !straight || skipped.len() > 64 {
                    kept.push(point);
                    skipped.clear();
                }
            }
            _ => kept.push(point),
        }
    }
    kept
}

/// Distance of `p` from the segment `a b`.
fn offset(a: (f64, f64), b: (f64, f64), p: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 {
        (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p.0 - a.0 - t * dx).hypot(p.1 - a.1 - t * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(nx: usize, ny: usize, f: impl Fn(f64, f64) -> f64) -> Field {
        let node = |k: usize| f((k % nx) as f64, (k / nx) as f64);
        Field {
            nx,
            ny,
            values: (0..nx * ny).map(node).collect(),
        }
    }

    /// Shoelace formula; positive for a counter-clockwise polygon.
    fn area(outlines: &[Outline]) -> f64 {
        let signed = |points: &[(f64, f64)]| -> f64 {
            (0..points.len())
                .map(|k| {
                    let (a, b) = (points[k], points[(k + 1) % points.len()]);
                    (a.0 * b.1 - b.0 * a.1) / 2.0
                })
                .sum()
        };
        outlines
            .iter()
            .map(|outline| signed(&outline.polygon))
            .sum()
    }

    #[test]
    fn a_disc_has_one_round_outline() {
        let disc = field(41, 41, |x, y| 12.0 - (x - 20.0).hypot(y - 20.0));
        let found = outlines(&disc, 0.0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].lines.len(), 1);
        for &(x, y) in &found[0].polygon {
            assert!(((x - 20.0).hypot(y - 20.0) - 12.0).abs() < 0.05);
        }
        assert!((area(&found) / (std::f64::consts::PI * 144.0) - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_half_plane_is_closed_along_the_edge_but_its_line_is_open() {
        let half = field(11, 11, |x, _| x - 4.25);
        let found = outlines(&half, 0.0);
        assert_eq!(found.len(), 1);
        assert!((area(&found) - 57.5).abs() < 1e-9, "{}", area(&found));
        assert_eq!(found[0].lines.len(), 1);
        assert!(found[0].lines[0].iter().all(|p| (p.0 - 4.25).abs() < 1e-9));
        assert_eq!(
            found[0].lines[0].len(),
            2,
            "a straight line needs two points"
        );
    }

    #[test]
    fn a_region_and_its_complement_fill_the_rectangle() {
        let waves = |x: f64, y: f64| (x * 0.7).sin() * (y * 0.9).cos() + 0.1;
        let above = outlines(&field(30, 20, waves), 0.0);
        let below = outlines(&field(30, 20, |x, y| -waves(x, y)), 0.0);
        assert!(above.len() > 3);
        assert!((area(&above) + area(&below) - 29.0 * 19.0).abs() < 0.5);
    }

    #[test]
    fn a_region_that_is_everywhere_or_nowhere() {
        let all = outlines(&field(5, 4, |_, _| 1.0), 0.0);
        assert!((area(&all) - 12.0).abs() < 1e-9);
        assert!(all[0].lines.is_empty());
        assert!(outlines(&field(5, 4, |_, _| -1.0), 0.0).is_empty());
        assert!(outlines(&field(5, 4, |_, _| f64::NAN), 0.0).is_empty());
        assert!((area(&outlines(&field(5, 4, |_, _| f64::INFINITY), 0.0)) - 12.0).abs() < 1e-9);
    }

    #[test]
    fn unknown_nodes_leave_a_hole_without_level_line() {
        let holed = field(
            9,
            9,
            |x, y| if (x, y) == (4.0, 4.0) { f64::NAN } else { 1.0 },
        );
        let found = outlines(&holed, 0.0);
        assert!(area(&found) < 64.0 && area(&found) > 58.0);
        assert!(found.iter().all(|outline| outline.lines.is_empty()));
    }

    #[test]
    fn wearing_off_stairs_keeps_the_area_and_the_ends() {
        let slope = field(60, 60, |x, y| f64::from(u8::from(x > 20.0 + y / 7.0)));
        let rough = outlines(&slope, 0.5);
        let smooth = smoothed_outlines(&slope, 0.5, 8);
        assert!((area(&rough) - area(&smooth)).abs() < 1.0);
        let off = |outline: &Outline| {
            let stray = |p: &(f64, f64)| (p.0 - 20.0 - p.1 / 7.0).abs();
            outline.lines[0].iter().map(stray).fold(0.0, f64::max)
        };
        assert!(off(&smooth[0]) <= off(&rough[0]));
        assert_eq!(rough[0].lines[0].first(), smooth[0].lines[0].first());
        let island = field(9, 9, |x, y| f64::from(u8::from((x, y) == (4.0, 4.0))));
        assert!((area(&smoothed_outlines(&island, 0.5, 8)) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_ring_has_two_outlines_that_even_odd_filling_subtracts() {
        let ring = field(41, 41, |x, y| {
            4.0 - ((x - 20.0).hypot(y - 20.0) - 12.0).abs()
        });
        let found = outlines(&ring, 0.0);
        assert_eq!(found.len(), 2);
        let expected = std::f64::consts::PI * (256.0 - 64.0);
        assert!((area(&found).abs() / expected - 1.0).abs() < 0.02);
    }
}
