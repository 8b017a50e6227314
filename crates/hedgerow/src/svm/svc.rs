//! C-SVC and ν-SVC for any number of classes.

use super::{Duals, Multiclass, SolverParams, SvmClassifier, SvmParts};
use crate::data::{Dataset, numbers_of_weighty, row_weights, without_weightless_rows};
use crate::estimator::estimator;
use crate::machines::{
    ClassMachines, Objective, Scheme, class_builders, class_costs, forward_solver_builders,
};
use crate::method::{Card, KERNELS, PythonClass, PythonParameter};
use crate::params::{ClassWeights, params};
use crate::{Fitted, Result};
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
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SvcParams {
    /// Price of a violated margin, C.
    #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
    pub cost: f64,
    /// Factors of the cost for some classes; 1 for all others.
    #[param(above = 0.0, option = "class_weight", python = "class_weight")]
    pub class_weights: ClassWeights,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsOne, no_python)]
    pub multiclass: Multiclass,
    /// Calibrate, so that the model can tell probabilities; costs five more fits.
    #[param(default = false, switch = 'b', no_python)]
    pub probability: bool,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

forward_solver_builders!(SvcParams);
forward_solver_builders!(NuSvcParams);

class_builders!(SvcParams);

impl SvcParams {
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
#[params]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NuSvcParams {
    /// Upper bound of the share of margin errors, lower bound of that of support vectors, ν.
    #[param(default = 0.5, above = 0.0, most = 1.0, short = 'n', tunable)]
    pub nu: f64,
    /// How more than two classes are told apart.
    #[param(default = Multiclass::OneVsOne, no_python)]
    pub multiclass: Multiclass,
    /// Calibrate, so that the model can tell probabilities; costs five more fits.
    #[param(default = false, switch = 'b', no_python)]
    pub probability: bool,
    /// Kernel and solver.
    #[param(flatten)]
    pub solver: SolverParams,
}

impl NuSvcParams {
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

/// Form of the decision values in Python.
const DECISION_SHAPE: PythonParameter = PythonParameter {
    name: "decision_function_shape",
    form: "\"ovr\" or \"ovo\"",
    annotation: "str",
    default: "\"ovr\"",
    about: "Form of the decision values of more than two classes: a column a class, or a pair.",
};

estimator!(SvcParams => SvmClassifier, [Card {
    name: "svm",
    about: "C-SVC: classification",
    grid: &["cost=2^-1:2:9", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(0),
    page: "exact-svm",
    python: PythonClass {
        name: "SVC",
        base: "ExpansionClassifier",
        about: "C-support vector classification.",
        extra: &[DECISION_SHAPE],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);

estimator!(NuSvcParams => SvmClassifier, [Card {
    name: "nu-svm",
    about: "ν-SVC: classification with a share of errors in place of a cost",
    grid: &["nu=0.1:0.1:0.5", "gamma=2^-7:2:3"],
    kernels: KERNELS,
    libsvm_type: Some(1),
    page: "exact-svm",
    python: PythonClass {
        name: "NuSVC",
        base: "ExpansionClassifier",
        about: "Nu-support vector classification: ``nu`` bounds the share of margin errors from \
                above and that of support vectors from below.\n\nThere is no ``class_weight``: the \
                problem has no cost that it could scale.",
        extra: &[DECISION_SHAPE],
        ..PythonClass::PLAIN
    },
    ..Card::PLAIN
}]);
