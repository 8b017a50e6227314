//! What trees of hyperplanes tell of themselves, and what they can do.

use super::{Council, LinearTrees, Tree};
use crate::capability::{CountWork, Draw, Drawing, Facts, NodeDrawing, TreeDrawing};
use crate::data::SamplesView;
use crate::{Error, Model, Predictor, Result};

impl Model for LinearTrees {
    fn facts(&self) -> Facts {
        let trees = self.trees();
        let council = match self.council() {
            Council::Single => "single",
            Council::OneVsOne => "one-vs-one",
            Council::Forest => "forest",
        };
        let mut facts = vec![
            ("trees", trees.len().into()),
            ("council", council.into()),
            ("hyperplanes", self.n_hyperplanes().into()),
            ("depth", trees.iter().map(Tree::depth).max().into()),
            ("bytes", trees.iter().map(Tree::bytes).sum::<usize>().into()),
            ("calibrated", self.is_calibrated().into()),
        ];
        if let [tree] = trees {
            let complexity = tree.complexity();
            facts.extend([
                ("leaves", complexity.leaves.into()),
                ("training_error", complexity.training_error.into()),
                (
                    "effective_leaves",
                    complexity.effective_accurate_leaves.into(),
                ),
                ("complexity_term", complexity.term.into()),
            ]);
        }
        facts
    }

    fn has_probabilities(&self) -> bool {
        true
    }

    fn as_draw(&self) -> Option<&dyn Draw> {
        Some(self)
    }

    fn as_count(&self) -> Option<&dyn CountWork> {
        Some(self)
    }
}

impl CountWork for LinearTrees {
    fn count_work(&self, samples: SamplesView<'_>) -> Result<(&'static str, f64, u64)> {
        let costs = self.path_costs(samples)?;
        Ok(("hyperplanes", costs.mean, costs.max))
    }
}

impl Draw for LinearTrees {
    fn n_drawings(&self) -> usize {
        self.trees().len()
    }

    fn drawing(&self, at: usize) -> Result<Drawing> {
        let Some(tree) = self.trees().get(at) else {
            return Err(Error::Parameter {
                name: "tree",
                value: at as f64 + 1.0,
                requirement: "one of the trees of the model, counted from 1",
            });
        };
        let name = |class: usize| match self.classes() {
            Some(classes) => classes[class].to_string(),
            None => class.to_string(),
        };
        let n_classes = self.classes().map_or(0, <[_]>::len);
        // The codes of a tree for two classes stand for those.
        let classes = match self.pair_of(at) {
            Some((a, b)) => vec![name(a), name(b)],
            None => (0..n_classes).map(name).collect(),
        };
        let nodes = tree.nodes().into_iter().map(|node| NodeDrawing {
            parent: node.parent,
            mass: node.mass(),
            purity: node.purity(),
            class: node.label as usize,
            is_leaf: node.is_leaf,
        });
        Ok(Drawing::Tree(TreeDrawing {
            classes,
            nodes: nodes.collect(),
        }))
    }
}
