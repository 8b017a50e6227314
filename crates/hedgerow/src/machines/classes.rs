//! The classes of a data set as a model orders, groups and weighs them.

use super::multiclass::Multiclass;
use super::tasks::{Task, tasks};
use crate::data::{ClassLabels, ClassName};
use crate::error::ensure_positive;
use crate::{Error, Result};

/// Rows by class, the classes in the order of a model.
pub(crate) struct ClassRows {
    /// Code of each class in the labels.
    pub(crate) codes: Vec<u32>,
    /// Name of each class.
    pub(crate) names: Vec<ClassName>,
    /// Class of each row.
    pub(crate) class_of_row: Vec<u32>,
    /// Rows of each class.
    pub(crate) members: Vec<Vec<u32>>,
}

impl ClassRows {
    pub(crate) fn new(labels: &ClassLabels) -> Self {
        let codes = class_order(labels);
        let mut class_of_code = vec![0u32; labels.n_classes()];
        for (class, &code) in codes.iter().enumerate() {
            class_of_code[code as usize] = class as u32;
        }
        let class_of_row: Vec<u32> = labels
            .codes()
            .iter()
            .map(|&code| class_of_code[code as usize])
            .collect();
        let mut members = vec![Vec::new(); codes.len()];
        for (i, &class) in class_of_row.iter().enumerate() {
            members[class as usize].push(i as u32);
        }
        let name = |&code: &u32| labels.names()[code as usize].clone();
        Self {
            names: codes.iter().map(name).collect(),
            codes,
            class_of_row,
            members,
        }
    }

    /// The two-class problems of a scheme.
    pub(crate) fn tasks(&self, multiclass: Multiclass) -> Vec<Task> {
        tasks(&self.members, multiclass)
    }
}

/// Codes of the classes that rows have, in the order of a model: that of the names, whatever rows
/// there are, so that the folds of a data set agree. As in LIBSVM, +1 stands before −1.
fn class_order(labels: &ClassLabels) -> Vec<u32> {
    let counts = labels.counts();
    let mut order: Vec<u32> = (0u32..)
        .zip(&counts)
        .filter(|&(_, &count)| count > 0)
        .map(|(code, _)| code)
        .collect();
    if let [first, second] = order[..]
        && labels.names()[first as usize] == ClassName::Number(-1.0)
        && labels.names()[second as usize] == ClassName::Number(1.0)
    {
        order.swap(0, 1);
    }
    order
}

/// The cost of a row of each class: `cost`, times the weight of a class that has one.
pub(crate) fn class_costs(
    labels: &ClassLabels,
    cost: f64,
    class_weights: &[(ClassName, f64)],
) -> Result<Vec<f64>> {
    let mut costs = vec![cost; labels.n_classes()];
    for (name, weight) in class_weights {
        let code = labels.code_of(name).ok_or_else(|| Error::UnknownClass {
            name: name.to_string(),
        })?;
        costs[code as usize] = cost * weight;
    }
    Ok(costs)
}

/// An error that names a class weight out of its range.
pub(crate) fn check_class_weights(weights: &[(ClassName, f64)]) -> Result<()> {
    for &(_, weight) in weights {
        ensure_positive("class weight", weight)?;
    }
    Ok(())
}
