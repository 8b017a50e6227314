//! What `inspect` knows of trees of hyperplanes only: a picture.

use super::tune::write_text;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::store::Stored;
use hedgerow_report::{TreeChart, TreeChartNode};

/// Draws a tree, if that was asked for and the model has one.
pub(super) fn draw(args: &InspectArgs, stored: &Stored) -> Result<bool, Failure> {
    let (Some(path), Some(model)) = (&args.svg, stored.model.as_trees()) else {
        return Ok(false);
    };
    let trees = model.trees();
    let Some(tree) = args.tree.checked_sub(1).and_then(|at| trees.get(at)) else {
        return Err(Failure::usage(format!(
            "--tree {}: the model has the trees 1 to {}",
            args.tree,
            trees.len()
        )));
    };
    let names = class_names(stored, args.tree - 1);
    let nodes = tree.nodes().into_iter().map(|node| TreeChartNode {
        parent: node.parent,
        mass: node.mass(),
        purity: node.purity(),
        class: node.label as usize,
        is_leaf: node.is_leaf,
    });
    let title = if trees.len() == 1 {
        format!("{} of {}", stored.method(), args.file)
    } else {
        format!("{} of {}, tree {}", stored.method(), args.file, args.tree)
    };
    let chart = TreeChart::new(&title)
        .with_classes(names)
        .with_nodes(nodes.collect())
        .with_levels(args.levels);
    write_text(path, &chart.to_svg())?;
    Ok(true)
}

/// Names of the classes that the codes of a tree stand for.
fn class_names(stored: &Stored, tree: usize) -> Vec<String> {
    let names: Vec<String> = stored
        .model
        .classes()
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    match stored
        .model
        .as_trees()
        .and_then(|model| model.pair_of(tree))
    {
        Some((a, b)) => vec![names[a].clone(), names[b].clone()],
        None => names,
    }
}
