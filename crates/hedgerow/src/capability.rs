//! What some models can do beside predicting, in terms that name no method.
//!
//! Front ends ask a [`Model`] for one of these and say so if it has none.

use crate::Predictor;
use crate::Result;
use crate::data::{ClassName, Dataset, Samples, SamplesView};
use crate::kernel::Expansion;
use crate::machines::{Multiclass, Sigmoid};
use crate::params::Value;

/// Named facts.
pub type Facts = Vec<(&'static str, Value)>;

/// A fitted model as the front ends see it: what it can do beside predicting is asked for by small
/// traits that speak in generic facts.
pub trait Model: Predictor {
    /// Facts for people and machines.
    fn facts(&self) -> Facts;

    /// What a person should know before trusting it, a sentence each.
    fn cautions(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many classes are told apart, where that decides what the columns of the scores are.
    fn score_scheme(&self) -> Multiclass {
        Multiclass::OneVsRest
    }

    /// True if answers for so many rows start no other thread, once the model has answered before.
    fn answers_alone(&self, _n_rows: usize) -> bool {
        false
    }

    /// Whether it can tell probabilities.
    fn has_probabilities(&self) -> bool {
        false
    }

    /// Rows can be added and removed.
    fn as_update(&mut self) -> Option<&mut dyn Update> {
        None
    }

    /// Some parameters can be changed after training.
    fn as_adjust(&mut self) -> Option<&mut dyn Adjust> {
        None
    }

    /// Answers can be explained.
    fn as_explain(&self) -> Option<&dyn Explain> {
        None
    }

    /// Its risk can be bounded.
    fn as_bounds(&self) -> Option<&dyn Bounds> {
        None
    }

    /// It can be drawn.
    fn as_draw(&self) -> Option<&dyn Draw> {
        None
    }

    /// What an answer costs can be counted.
    fn as_count(&self) -> Option<&dyn CountWork> {
        None
    }

    /// It is a kernel expansion.
    fn as_expansion(&self) -> Option<ExpansionView<'_>> {
        None
    }

    /// Training rows that are centres of local machines, counted from 0.
    fn centre_rows(&self) -> Option<Vec<u32>> {
        None
    }

    /// Training rows that it keeps, if they are few enough to be read.
    fn kept_rows(&self) -> Option<KeptRows> {
        None
    }

    /// It is a set of hyperplanes: weights and intercept of each.
    fn as_hyperplanes(&self) -> Option<Vec<(&[f64], f64)>> {
        None
    }
}

/// Training rows that a model keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRows {
    /// Their numbers, ascending: in the order in which they were trained on or added, from 0.
    pub numbers: Vec<u32>,
    /// The class of each, in the order of the model.
    pub classes: Vec<u32>,
    /// The rows as the model sees them: scaled, if it scales.
    pub samples: Samples,
}

/// The name of the parameter that an error names if a row cannot be removed; its value is the
/// number of the row.
pub const ROW_TO_REMOVE: &str = "row to remove";

/// A model that learns from new rows and forgets others.
pub trait Update {
    /// Adds rows and removes others, by their number: in the order in which they were trained on
    /// or added, from 0. Nothing is changed if there is an error.
    fn update(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        settings: &[(String, Value)],
    ) -> Result<Facts>;
}

/// A model with parameters that can be changed after training.
pub trait Adjust {
    /// Sets a parameter; false if it is none of those.
    fn adjust(&mut self, name: &str, value: &Value) -> Result<bool>;
}

/// A model that can tell why.
pub trait Explain {
    /// Why each row is answered as it is: among other facts the `top` training rows that weigh
    /// most. Rows are numbered from 1, as lines of the training file are, and so are the features
    /// that the model sees, under `column`.
    fn explain(&self, samples: SamplesView<'_>, top: usize) -> Result<Vec<Value>>;
}

/// A model whose risk can be bounded.
pub trait Bounds {
    /// The bounds; settings that are not given have their defaults.
    fn bounds(&self, settings: &[(String, Value)]) -> Result<Facts>;

    /// Further bounds, which read the rows that the model was trained on, prepared as it saw them;
    /// with `all_pairs` also those that take a kernel value of each two rows. `None` if there are
    /// no such bounds.
    fn bounds_on(&self, _training: &Dataset, _all_pairs: bool) -> Option<Result<Facts>> {
        None
    }
}

/// A model that can be drawn.
pub trait Draw {
    /// How many pictures there are.
    fn n_drawings(&self) -> usize {
        1
    }

    /// Picture `at`, counted from 0.
    fn drawing(&self, at: usize) -> Result<Drawing>;
}

/// A model whose answers cost a number of steps that depends on the row.
pub trait CountWork {
    /// Name of a step, its mean number and the largest for the rows.
    fn count_work(&self, samples: SamplesView<'_>) -> Result<(&'static str, f64, u64)>;
}

/// A picture, as numbers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Drawing {
    /// Neighbourhoods in the plane.
    Covering(CoveringDrawing),
    /// A tree.
    Tree(TreeDrawing),
}

/// Neighbourhoods in the plane with the boundaries inside them.
#[derive(Debug, Clone)]
pub struct CoveringDrawing {
    /// What it shows.
    pub title: String,
    /// Rows with the code of their class.
    pub points: Vec<(f64, f64, u32)>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The neighbourhoods.
    pub discs: Vec<DiscDrawing>,
    /// Nodes along a side of the grids of values.
    pub nodes: usize,
}

/// A neighbourhood.
#[derive(Debug, Clone)]
pub struct DiscDrawing {
    /// Its centre.
    pub at: (f64, f64),
    /// Radius of the core.
    pub core: f64,
    /// Radius of the neighbourhood.
    pub neighbourhood: f64,
    /// Decision values on a square grid around it, row by row, where one machine answers there.
    pub values: Option<Vec<f64>>,
}

/// A tree of decisions.
#[derive(Debug, Clone)]
pub struct TreeDrawing {
    /// Names of the classes that the nodes speak of.
    pub classes: Vec<String>,
    /// The nodes, parents first.
    pub nodes: Vec<NodeDrawing>,
}

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
pub struct NodeDrawing {
    /// Its parent; `None` for the root.
    pub parent: Option<usize>,
    /// Weight of its rows.
    pub mass: f64,
    /// Share of the largest class.
    pub purity: f64,
    /// The largest class.
    pub class: usize,
    /// True for a leaf.
    pub is_leaf: bool,
}

/// A model as a kernel expansion with what turns its values into classes.
#[derive(Debug, Clone, Copy)]
pub struct ExpansionView<'a> {
    /// Kernel, support vectors and machines.
    pub expansion: &'a Expansion,
    /// The classes; `None` without.
    pub classes: Option<&'a [ClassName]>,
    /// Support vectors of each class, those of class 0 first; empty without classes.
    pub support_counts: &'a [usize],
    /// How machines are combined.
    pub multiclass: Multiclass,
    /// One sigmoid a machine, if calibrated.
    pub sigmoids: Option<&'a [Sigmoid]>,
}
