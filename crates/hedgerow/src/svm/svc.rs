//! C-SVC and ν-SVC for any number of classes.

use super::{Duals, Multiclass, SolverParams, SvmClassifier, SvmParts};
use crate::data::{ClassName, Dataset, numbers_of_weighty, row_weights, without_weightless_rows};
use crate::error::ensure_positive;
use crate::machines::{
    ClassMachines, Objective, Scheme, class_builders, class_costs, forward_solver_builders,
};
use crate::{Error, Fitted, Result};
use serde::{Deserialize, Serialize};

/// C-SVC: $\min \tfrac12\|w\|^2 + \sum_i C_i \max(0, 1 - y_i f(x_i))$ for every machine, with
/// $C_i$ = cost × class weight × sample weight.
///
/// ```
/// use hedgerow::data::{ClassLabels, Dataset, Samples, Target};
/// use hedgerow::kernel::Kernel;
/// use hedgerow::svm::SvcParams;
/// use hedgerow::{Prediction, Predictor};
///
/// let samples = Samples::dense(4, 1, vec![-2.0, -1.0, 1.0, 2.0])?;
/// let labels = ClassLabels::from_texts(&["left", "left", "right", "right"]);
/// let data = Dataset::new(samples, Target::Classes(labels))?;
/// let fitted = SvcParams::default().with_cost(10.0).with_kernel(Kernel::Linear).fit(&data)?;
/// assert_eq!(fitted.model.predict(data.samples().view())?, Prediction::Classes(vec![0, 0, 1, 1]));
/// assert_eq!(fitted.report.support_vectors, 2);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvcParams {
    /// Price of a violated margin, C; 1 by default.
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    pub class_weights: Vec<(ClassName, f64)>,
    /// How more than two classes are told apart; one-vs-one by default.
    pub multiclass: Multiclass,
    /// Whether to calibrate probabilities, which costs five more fits; no by default.
    pub probability: bool,
    /// Kernel and solver.
    pub solver: SolverParams,
}

impl Default for SvcParams {
    fn default() -> Self {
        Self {
            cost: 1.0,
            class_weights: Vec::new(),
            multiclass: Multiclass::OneVsOne,
            probability: false,
            solver: SolverParams::default(),
        }
    }
}

forward_solver_builders!(SvcParams);
forward_solver_builders!(NuSvcParams);

class_builders!(SvcParams);

impl SvcParams {
    /// Sets the price of a violated margin.
    pub fn with_cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Sets whether to calibrate probabilities.
    pub fn with_probability(mut self, probability: bool) -> Self {
        self.probability = probability;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_positive("cost", self.cost)?;
        for &(_, weight) in &self.class_weights {
            ensure_positive("class weight", weight)?;
        }
        self.solver.check()
    }

    /// Trains on the rows with a positive weight.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmClassifier>> {
        self.fit_machines(data, None).map(|(fitted, _)| fitted)
    }

    /// As [`SvcParams::fit`], with the dual solution for a later [`SvcParams::fit_from`].
    pub fn fit_with_duals(&self, data: &Dataset) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.fit_machines(data, None)
    }

    /// Trains from the solution of an earlier fit of the same rows and classes, for example with
    /// another cost. The optimum is the same, the way there shorter.
    pub fn fit_from(
        &self,
        data: &Dataset,
        previous: &Duals,
    ) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.fit_machines(data, Some(previous))
    }

    fn fit_machines(
        &self,
        data: &Dataset,
        previous: Option<&Duals>,
    ) -> Result<(Fitted<SvmClassifier>, Duals)> {
        self.check()?;
        let costs = class_costs(data.classes()?, self.cost, &self.class_weights)?;
        let all = data;
        let data = without_weightless_rows(all)?;
        let bounds = row_weights(&data)
            .zip(data.classes()?.codes())
            .map(|(weight, &code)| weight * costs[code as usize])
            .collect();
        let objective = Objective { bounds, nu: None };
        let scheme = Scheme {
            multiclass: self.multiclass,
            probability: self.probability,
            solver: &self.solver,
            previous,
        };
        let machines = ClassMachines::train(&data, &objective, &scheme)?;
        classifier(all, machines, self.multiclass)
    }
}

/// ν-SVC: C-SVC whose cost is chosen such that ν bounds the share of margin errors from above and
/// that of support vectors from below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NuSvcParams {
    /// ν in (0, 1]; 0.5 by default.
    pub nu: f64,
    /// How more than two classes are told apart; one-vs-one by default.
    pub multiclass: Multiclass,
    /// Whether to calibrate probabilities, which costs five more fits; no by default.
    pub probability: bool,
    /// Kernel and solver.
    pub solver: SolverParams,
}

impl Default for NuSvcParams {
    fn default() -> Self {
        Self {
            nu: 0.5,
            multiclass: Multiclass::OneVsOne,
            probability: false,
            solver: SolverParams::default(),
        }
    }
}

impl NuSvcParams {
    /// Sets ν.
    pub fn with_nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// Sets how more than two classes are told apart.
    pub fn with_multiclass(mut self, multiclass: Multiclass) -> Self {
        self.multiclass = multiclass;
        self
    }

    /// Sets whether to calibrate probabilities.
    pub fn with_probability(mut self, probability: bool) -> Self {
        self.probability = probability;
        self
    }

    /// An error that names the first parameter out of its range.
    pub fn check(&self) -> Result<()> {
        ensure_nu(self.nu)?;
        self.solver.check()
    }

    /// Trains on the rows with a positive weight.
    ///
    /// # Errors
    /// [`Error::InfeasibleNu`] when two classes are too unequal in size for ν.
    pub fn fit(&self, data: &Dataset) -> Result<Fitted<SvmClassifier>> {
        self.check()?;
        data.classes()?;
        let all = data;
        let data = without_weightless_rows(all)?;
        let objective = Objective {
            bounds: row_weights(&data).collect(),
            nu: Some(self.nu),
        };
        let scheme = Scheme {
            multiclass: self.multiclass,
            probability: self.probability,
            solver: &self.solver,
            previous: None,
        };
        let machines = ClassMachines::train(&data, &objective, &scheme)?;
        classifier(all, machines, self.multiclass).map(|(fitted, _)| fitted)
    }
}

/// Accepts ν in (0, 1].
pub(super) fn ensure_nu(nu: f64) -> Result<()> {
    if nu > 0.0 && nu <= 1.0 {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "nu",
        value: nu,
        requirement: "greater than 0 and at most 1",
    })
}

/// The model that machines trained on the weighty rows of some data make.
fn classifier(
    data: &Dataset,
    machines: ClassMachines,
    multiclass: Multiclass,
) -> Result<(Fitted<SvmClassifier>, Duals)> {
    let model = SvmClassifier::from_parts(SvmParts {
        expansion: machines.expansion,
        classes: machines.classes,
        support_counts: machines.support_counts,
        multiclass,
        sigmoids: machines.sigmoids,
    })?;
    let support = numbers_of_weighty(data, &machines.support);
    let fitted = Fitted::new(model, machines.report).with_support(support);
    Ok((fitted, machines.duals))
}
