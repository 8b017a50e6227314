//! A tree, drawn from its root down: the area of a node is its share of the rows, the colour its
//! class, the strength of the colour its purity.

use crate::palette::{INK, RULE, SOFT_INK, series};
use crate::svg::{Svg, number};
use crate::typeset::{fit, width as text_width};

const MARGIN: f64 = 24.0;
const TOP: f64 = 64.0;
const LEVEL: f64 = 62.0;
/// Least distance of two nodes beside each other.
const GAP: f64 = 30.0;
const LARGEST_RADIUS: f64 = 17.0;
const SMALLEST_RADIUS: f64 = 2.5;
/// Nodes from this share of the rows on are labelled, if there are many.
const LABELLED_SHARE: f64 = 0.004;
const LEAST_WIDTH: f64 = 520.0;

/// A node of a [`TreeChart`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeChartNode {
    /// Position of the parent, which stands before its children; `None` for the root.
    pub parent: Option<usize>,
    /// Rows of the node.
    pub mass: f64,
    /// Share of the rows of the node that are of its class, from 0 to 1.
    pub purity: f64,
    /// The class of most rows.
    pub class: usize,
    /// Whether the tree ends here.
    pub is_leaf: bool,
}

/// A tree with the share of rows and the purity of each node.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeChart {
    title: String,
    classes: Vec<String>,
    nodes: Vec<TreeChartNode>,
    levels: usize,
}

/// A node that is drawn.
struct Placed {
    at: usize,
    depth: usize,
    x: f64,
    children: Vec<usize>,
    /// Nodes below that are not drawn.
    hidden: usize,
}

impl TreeChart {
    /// An empty chart.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            classes: Vec::new(),
            nodes: Vec::new(),
            levels: 8,
        }
    }

    /// Names the classes.
    pub fn with_classes(mut self, classes: Vec<String>) -> Self {
        self.classes = classes;
        self
    }

    /// Sets the nodes. One whose parent does not stand before it is left out.
    pub fn with_nodes(mut self, nodes: Vec<TreeChartNode>) -> Self {
        self.nodes = nodes;
        self
    }

    /// Sets how many levels below the root are drawn; what is deeper is counted only.
    pub fn with_levels(mut self, levels: usize) -> Self {
        self.levels = levels;
        self
    }

    /// The chart as SVG text.
    pub fn to_svg(&self) -> String {
        let (placed, slots) = self.place();
        let depth = placed.iter().map(|node| node.depth).max().unwrap_or(0);
        let width = (2.0 * MARGIN + slots.max(1) as f64 * GAP).max(LEAST_WIDTH);
        let height = TOP + MARGIN + depth as f64 * LEVEL + 2.0 * LARGEST_RADIUS + 22.0;
        let leaves = self.nodes.iter().filter(|node| node.is_leaf).count();
        let description = format!(
            "Tree of {} nodes, {leaves} of them leaves; the area of a node is its share of the rows, \
             the strength of its colour its purity",
            self.nodes.len()
        );
        let mut svg = Svg::new(width, height, &self.title, &description);
        svg.tag("text")
            .num("x", MARGIN)
            .num("y", 24.0)
            .num("font-size", 15.0)
            .attr("font-weight", "600")
            .attr("fill", INK)
            .text(&fit(&self.title, 15.0, width - 2.0 * MARGIN));
        if placed.is_empty() {
            svg.tag("text")
                .num("x", MARGIN)
                .num("y", TOP)
                .num("font-size", 12.0)
                .attr("fill", SOFT_INK)
                .text("no data");
            return svg.finish();
        }
        self.legend(&mut svg, width);
        let left = (width - slots.max(1) as f64 * GAP) / 2.0 + GAP / 2.0;
        let place = |node: &Placed| {
            (
                left + node.x * GAP,
                TOP + LARGEST_RADIUS + node.depth as f64 * LEVEL,
            )
        };
        for node in &placed {
            let (x, y) = place(node);
            for &child in &node.children {
                let (cx, cy) = place(&placed[child]);
                svg.tag("line")
                    .num("x1", x)
                    .num("y1", y)
                    .num("x2", cx)
                    .num("y2", cy)
                    .attr("stroke", RULE)
                    .num("stroke-width", 1.0)
                    .end();
            }
        }
        let total = self.total();
        let few = placed.len() <= 40;
        for node in &placed {
            let (x, y) = place(node);
            self.draw_node(&mut svg, node, (x, y), total, few);
        }
        svg.finish()
    }

    /// Rows of the root.
    fn total(&self) -> f64 {
        let mass = self.nodes.first().map_or(0.0, |root| root.mass);
        if mass.is_finite() && mass > 0.0 {
            mass
        } else {
            1.0
        }
    }

    fn share(&self, at: usize, total: f64) -> f64 {
        let mass = self.nodes[at].mass;
        if mass.is_finite() {
            (mass / total).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    fn class_name(&self, class: usize) -> String {
        let name = self.classes.get(class);
        name.cloned().unwrap_or_else(|| (class + 1).to_string())
    }

    fn draw_node(&self, svg: &mut Svg, node: &Placed, (x, y): (f64, f64), total: f64, few: bool) {
        let shown = &self.nodes[node.at];
        let share = self.share(node.at, total);
        let purity = if shown.purity.is_finite() {
            shown.purity.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let radius = (LARGEST_RADIUS * share.sqrt()).max(SMALLEST_RADIUS);
        let note = format!(
            "{}: {:.2} % of the rows, {:.1} % of them {}",
            if shown.is_leaf { "leaf" } else { "hyperplane" },
            100.0 * share,
            100.0 * purity,
            self.class_name(shown.class)
        );
        let colour = series(shown.class);
        // Evenly mixed nodes are almost white.
        let strength = 0.12 + 0.88 * ((purity - 0.5) * 2.0).clamp(0.0, 1.0);
        let fill = colour.tint(strength).hex();
        let stroke = colour.hex();
        svg.tag("g").open();
        svg.tag("title").text(&note);
        // Leaves are square, so that shape says what colour cannot.
        if shown.is_leaf {
            let side = radius * 1.77;
            svg.tag("rect")
                .num("x", x - side / 2.0)
                .num("y", y - side / 2.0)
                .num("width", side)
                .num("height", side)
                .attr("fill", &fill)
                .attr("stroke", &stroke)
                .end();
        } else {
            svg.tag("circle")
                .num("cx", x)
                .num("cy", y)
                .num("r", radius)
                .attr("fill", &fill)
                .attr("stroke", &stroke)
                .end();
        }
        if few || share >= LABELLED_SHARE {
            let lines = [percent(share), format!("{:.0} % pure", 100.0 * purity)];
            for (line, text) in lines.iter().enumerate() {
                svg.tag("text")
                    .num("x", x)
                    .num("y", y + radius + 9.0 + 9.0 * line as f64)
                    .num("font-size", 7.5)
                    .attr("text-anchor", "middle")
                    .attr("fill", SOFT_INK)
                    .text(text);
            }
        }
        if node.hidden > 0 {
            svg.tag("text")
                .num("x", x)
                .num("y", y + radius + 28.0)
                .num("font-size", 7.5)
                .attr("text-anchor", "middle")
                .attr("fill", INK)
                .text(&format!("+{}", node.hidden));
        }
        svg.close("g");
    }

    fn legend(&self, svg: &mut Svg, width: f64) {
        let mut x = MARGIN;
        for (class, name) in self.classes.iter().enumerate() {
            let shown = fit(name, 11.0, 140.0);
            let step = 26.0 + text_width(&shown, 11.0);
            if x + step > width - MARGIN {
                break;
            }
            svg.tag("rect")
                .num("x", x)
                .num("y", 36.0)
                .num("width", 10.0)
                .num("height", 10.0)
                .attr("fill", &series(class).hex())
                .end();
            svg.tag("text")
                .num("x", x + 14.0)
                .num("y", 45.0)
                .num("font-size", 11.0)
                .attr("fill", SOFT_INK)
                .text(&shown);
            x += step;
        }
    }

    /// The nodes to draw and the number of places beside each other that they need.
    fn place(&self) -> (Vec<Placed>, usize) {
        let mut placed: Vec<Placed> = Vec::new();
        // Position of each node among the drawn ones, or of its drawn ancestor.
        let mut found: Vec<Option<(usize, bool)>> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let above = match node.parent {
                None if at == 0 => {
                    placed.push(Placed {
                        at,
                        depth: 0,
                        x: 0.0,
                        children: Vec::new(),
                        hidden: 0,
                    });
                    found.push(Some((0, true)));
                    continue;
                }
                Some(parent) if parent < at => found[parent],
                _ => None,
            };
            found.push(match above {
                None => None,
                Some((drawn, true)) if placed[drawn].depth < self.levels => {
                    let now = placed.len();
                    let depth = placed[drawn].depth + 1;
                    placed[drawn].children.push(now);
                    placed.push(Placed {
                        at,
                        depth,
                        x: 0.0,
                        children: Vec::new(),
                        hidden: 0,
                    });
                    Some((now, true))
                }
                Some((drawn, _)) => {
                    placed[drawn].hidden += 1;
                    Some((drawn, false))
                }
            });
        }
        // Ends stand side by side in the order of a walk, the others over the middle of their
        // children, which come after them in the list.
        let mut slots = 0;
        let mut stack: Vec<usize> = if placed.is_empty() { vec![] } else { vec![0] };
        while let Some(now) = stack.pop() {
            if placed[now].children.is_empty() {
                placed[now].x = slots as f64;
                slots += 1;
            }
            stack.extend(placed[now].children.iter().rev());
        }
        for now in (0..placed.len()).rev() {
            let count = placed[now].children.len();
            if count > 0 {
                let sum: f64 = placed[now]
                    .children
                    .iter()
                    .map(|&child| placed[child].x)
                    .sum();
                placed[now].x = sum / count as f64;
            }
        }
        (placed, slots)
    }
}

/// A share as a short percentage.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 10.0 {
        format!("{percent:.0} %")
    } else if percent >= 0.1 {
        format!("{percent:.1} %")
    } else {
        format!("{} %", number(percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(parent: Option<usize>, mass: f64, is_leaf: bool) -> TreeChartNode {
        TreeChartNode {
            parent,
            mass,
            purity: 0.8,
            class: 0,
            is_leaf,
        }
    }

    fn small() -> TreeChart {
        TreeChart::new("a <tree>")
            .with_classes(vec!["a & b".to_owned(), "c".to_owned()])
            .with_nodes(vec![
                node(None, 10.0, false),
                node(Some(0), 4.0, false),
                node(Some(1), 1.0, true),
                node(Some(1), 3.0, true),
                node(Some(0), 6.0, true),
            ])
    }

    #[test]
    fn leaves_are_squares_and_hyperplanes_circles() {
        let svg = small().to_svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches("<line").count(), 4);
        assert!(svg.contains("60 %") && svg.contains("80 % pure"));
        assert!(svg.contains("a &lt;tree&gt;") && svg.contains("a &amp; b"));
    }

    #[test]
    fn deeper_levels_are_counted() {
        let svg = small().with_levels(1).to_svg();
        assert!(svg.contains(">+2<"), "{svg}");
        assert_eq!(svg.matches("<line").count(), 2);
    }

    #[test]
    fn strange_nodes_do_no_harm() {
        assert!(TreeChart::new("").to_svg().contains("no data"));
        let svg = TreeChart::new("x")
            .with_nodes(vec![
                node(None, f64::NAN, false),
                node(Some(7), 1.0, true),
                node(None, 2.0, true),
                TreeChartNode {
                    purity: f64::INFINITY,
                    class: 99,
                    ..node(Some(0), f64::NEG_INFINITY, true)
                },
            ])
            .to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
