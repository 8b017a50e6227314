//! `inspect --svg`: pictures of models.

use super::metric;
use super::tune::write_text;
use crate::args::InspectArgs;
use crate::failure::Failure;
use hedgerow::capability::{CoveringDrawing, Drawing, TreeDrawing};
use hedgerow_methods::Stored;
use hedgerow_report::{CoveringChart, Disc, TreeChart, TreeChartNode};

/// Data have no machines.
pub(super) fn refuse_for_data(args: &InspectArgs) -> Result<(), Failure> {
    let option = match (args.bounds, &args.svg) {
        (true, _) => "--bounds",
        (false, Some(_)) => "--svg",
        (false, None) => return Ok(()),
    };
    Err(Failure::usage(format!(
        "{option} is for model files, and {} holds data",
        args.file
    )))
}

/// The failure for an option that the model has nothing for.
fn not_for(option: &str, stored: &Stored) -> Failure {
    Failure::usage(format!(
        "{option} is for models of local machines, and this is one of {}",
        stored.method()
    ))
}

/// Draws the model, if that was asked for.
pub(super) fn draw(args: &InspectArgs, stored: &Stored) -> Result<(), Failure> {
    let Some(path) = &args.svg else {
        return Ok(());
    };
    // A model of weighted columns is drawn by them, unless it has only two: those are a plane.
    if let Some(weights) = metric::weights_of(stored).filter(|_| stored.model.n_features() > 2) {
        let title = format!("Weights of columns: {} of {}", stored.method(), args.file);
        return write_text(path, &metric::weights_svg(&title, &weights));
    }
    let Some(model) = stored.model.as_draw() else {
        return Err(not_for("--svg", stored));
    };
    let n = model.n_drawings();
    let Some(at) = args.tree.checked_sub(1).filter(|&at| at < n) else {
        return Err(Failure::usage(format!(
            "--tree {}: the model has the trees 1 to {n}",
            args.tree
        )));
    };
    let drawing = model.drawing(at).map_err(|error| match error {
        hedgerow::Error::Shape { found, .. } => Failure::usage(format!(
            "--svg draws models of 2 features, and this one has {found}"
        )),
        error => Failure::data(&args.file)(error),
    })?;
    let svg = match drawing {
        Drawing::Covering(covering) => covering_svg(covering),
        Drawing::Tree(tree) => {
            let method = stored.method();
            let title = if n == 1 {
                format!("{method} of {}", args.file)
            } else {
                format!("{method} of {}, tree {}", args.file, args.tree)
            };
            tree_svg(&title, tree, args.levels)
        }
        _ => return Err(not_for("--svg", stored)),
    };
    write_text(path, &svg)
}

fn covering_svg(drawing: CoveringDrawing) -> String {
    let mut chart = CoveringChart::new(&drawing.title)
        .with_points(drawing.points)
        .with_class_names(drawing.classes);
    for one in drawing.discs {
        let disc = Disc {
            at: one.at,
            core: one.core,
            neighbourhood: one.neighbourhood,
        };
        chart = match one.values {
            Some(values) => chart.with_machine(disc, drawing.nodes, values),
            None => chart.with_disc(disc),
        };
    }
    chart.to_svg()
}

fn tree_svg(title: &str, drawing: TreeDrawing, levels: usize) -> String {
    let nodes = drawing.nodes.into_iter().map(|node| TreeChartNode {
        parent: node.parent,
        mass: node.mass,
        purity: node.purity,
        class: node.class,
        is_leaf: node.is_leaf,
    });
    TreeChart::new(title)
        .with_classes(drawing.classes)
        .with_nodes(nodes.collect())
        .with_levels(levels)
        .to_svg()
}
