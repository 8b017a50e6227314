//! Exact SVMs and LIBSVM's models.
//!
//! Both write $f(x) = \sum_s \beta_s K(x_s, x) - \rho$ with the same signs and the same order of
//! classes and pairs, so only the layout differs: LIBSVM gives every support vector one coefficient
//! for each other class, Hedgerow gives every machine a list of support vectors.

use super::{Model, StorableModel};
use crate::failure::Failure;
use crate::store::{Origin, Stored};
use hedgerow::data::{ClassName, CsrMatrix, Samples};
use hedgerow::kernel::{Expansion, Kernel, Machine, Radial};
use hedgerow::svm::{
    Multiclass, OneClassSvm, Sigmoid, SvmClassifier, SvmParts, SvmRegressor, pairs,
};
use hedgerow_io::{LibSvmKernel, LibSvmModel, LibSvmSupportVector, LibSvmType};
use serde_json::{Value, json};

impl Model for SvmClassifier {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        let parts = self.parts();
        let mut facts = expansion_facts(&parts.expansion);
        let counts: serde_json::Map<String, Value> = parts
            .classes
            .iter()
            .zip(&parts.support_counts)
            .map(|(class, count)| (class.to_string(), json!(count)))
            .collect();
        facts.push(("support_vectors_of_classes", Value::Object(counts)));
        facts.push(("probability", json!(parts.sigmoids.is_some())));
        facts
    }

    fn to_libsvm(&self, svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
        export_classifier(&self.parts(), svm_type)
    }
}

impl Model for OneClassSvm {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        expansion_facts(self.parts())
    }

    fn to_libsvm(&self, svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
        export_single(self.parts(), svm_type)
    }
}

impl Model for SvmRegressor {
    fn facts(&self) -> Vec<(&'static str, Value)> {
        expansion_facts(self.parts())
    }

    fn to_libsvm(&self, svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
        export_single(self.parts(), svm_type)
    }
}

fn expansion_facts(expansion: &Expansion) -> Vec<(&'static str, Value)> {
    vec![
        ("kernel", json!(expansion.kernel.to_string())),
        ("machines", json!(expansion.machines.len())),
        ("support_vectors", json!(expansion.support_vectors.n_rows())),
    ]
}

fn export_kernel(kernel: &Kernel) -> Result<LibSvmKernel, Failure> {
    Ok(match *kernel {
        Kernel::Linear => LibSvmKernel::Linear,
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => LibSvmKernel::Polynomial {
            degree: i32::try_from(degree).unwrap_or(i32::MAX),
            gamma,
            coef0,
        },
        Kernel::Radial(Radial::Gaussian { gamma }) => LibSvmKernel::Rbf { gamma },
        Kernel::Sigmoid { gamma, coef0 } => LibSvmKernel::Sigmoid { gamma, coef0 },
        Kernel::Precomputed => LibSvmKernel::Precomputed,
        ref other => {
            return Err(Failure::LibSvmExport {
                problem: format!(
                    "LIBSVM has no kernel {other}; it knows linear, poly, rbf, sigmoid, precomputed"
                ),
            });
        }
    })
}

fn import_kernel(kernel: LibSvmKernel) -> hedgerow::Result<Kernel> {
    Ok(match kernel {
        LibSvmKernel::Linear => Kernel::Linear,
        LibSvmKernel::Polynomial {
            degree,
            gamma,
            coef0,
        } => {
            let degree = u32::try_from(degree).map_err(|_| hedgerow::Error::Parameter {
                name: "degree",
                value: degree.into(),
                requirement: "at least 1 and below 2^31",
            })?;
            Kernel::polynomial(gamma, coef0, degree)
        }
        LibSvmKernel::Rbf { gamma } => Kernel::rbf(gamma),
        LibSvmKernel::Sigmoid { gamma, coef0 } => Kernel::sigmoid(gamma, coef0),
        LibSvmKernel::Precomputed => Kernel::Precomputed,
    })
}

/// Support vectors without coefficients.
fn export_vectors(expansion: &Expansion, width: usize) -> Vec<LibSvmSupportVector> {
    let view = expansion.support_vectors.view();
    let precomputed = expansion.kernel.is_precomputed();
    // In a file with kernel values column 0 is index 0, otherwise it is index 1.
    let first = u32::from(!precomputed);
    (0..view.n_rows())
        .map(|i| {
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            view.row(i).for_each(|f, value| {
                if value != 0.0 && (!precomputed || f == 0) {
                    indices.push(f as u32 + first);
                    values.push(value);
                }
            });
            LibSvmSupportVector {
                coefficients: vec![0.0; width],
                indices,
                values,
            }
        })
        .collect()
}

fn export_classifier(parts: &SvmParts, svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
    let n_classes = parts.classes.len();
    if n_classes > 2 && parts.multiclass != Multiclass::OneVsOne {
        return Err(Failure::LibSvmExport {
            problem: "LIBSVM decides between several classes one against one; train with --multiclass ovo".to_owned(),
        });
    }
    let labels = parts
        .classes
        .iter()
        .map(|class| match *class {
            ClassName::Number(value)
                if value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX) =>
            {
                Ok(value as i32)
            }
            ref other => Err(Failure::LibSvmExport {
                problem: format!("its labels are whole numbers, and there is a class {other}"),
            }),
        })
        .collect::<Result<Vec<i32>, Failure>>()?;
    let expansion = &parts.expansion;
    let mut vectors = export_vectors(expansion, n_classes.saturating_sub(1));
    let class_of: Vec<usize> = parts
        .support_counts
        .iter()
        .enumerate()
        .flat_map(|(class, &count)| std::iter::repeat_n(class, count))
        .collect();
    for ((first, second), machine) in pairs(n_classes).zip(&expansion.machines) {
        for (&s, &beta) in machine.support.iter().zip(&machine.coefficients) {
            let column = if class_of[s as usize] == first {
                second - 1
            } else {
                first
            };
            vectors[s as usize].coefficients[column] = beta;
        }
    }
    let sigmoids = parts.sigmoids.as_ref();
    Ok(LibSvmModel {
        svm_type,
        kernel: export_kernel(&expansion.kernel)?,
        n_classes,
        rho: expansion.machines.iter().map(|m| m.rho).collect(),
        labels: Some(labels),
        prob_a: sigmoids.map(|all| all.iter().map(|s| s.slope).collect()),
        prob_b: sigmoids.map(|all| all.iter().map(|s| s.offset).collect()),
        prob_density_marks: None,
        class_sizes: Some(parts.support_counts.clone()),
        support_vectors: vectors,
    })
}

fn export_single(expansion: &Expansion, svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
    let mut vectors = export_vectors(expansion, 1);
    let mut rho = Vec::new();
    for machine in &expansion.machines {
        for (&s, &beta) in machine.support.iter().zip(&machine.coefficients) {
            vectors[s as usize].coefficients[0] = beta;
        }
        rho.push(machine.rho);
    }
    Ok(LibSvmModel {
        svm_type,
        kernel: export_kernel(&expansion.kernel)?,
        n_classes: 2,
        rho,
        labels: None,
        prob_a: None,
        prob_b: None,
        prob_density_marks: None,
        class_sizes: None,
        support_vectors: vectors,
    })
}

/// True if a model of this type answers with classes.
pub(crate) fn libsvm_has_classes(svm_type: LibSvmType) -> bool {
    svm_type.is_classifier() || svm_type == LibSvmType::OneClass
}

/// A model of LIBSVM as one of ours, at least `width` features wide.
pub(crate) fn from_libsvm(
    name: &str,
    model: &LibSvmModel,
    width: usize,
) -> Result<Stored, Failure> {
    let refused = |error: hedgerow::Error| Failure::Model {
        name: name.to_owned(),
        problem: format!("the LIBSVM model is damaged: {error}"),
    };
    let (method, built): (&'static str, Box<dyn StorableModel>) = match model.svm_type {
        LibSvmType::CSvc | LibSvmType::NuSvc => {
            let parts = import_classifier(model, width).map_err(refused)?;
            let name = if model.svm_type == LibSvmType::CSvc {
                "svm"
            } else {
                "nu-svm"
            };
            (
                name,
                Box::new(SvmClassifier::from_parts(parts).map_err(refused)?),
            )
        }
        LibSvmType::OneClass => (
            "one-class",
            Box::new(
                OneClassSvm::from_parts(import_single(model, width).map_err(refused)?)
                    .map_err(refused)?,
            ),
        ),
        LibSvmType::EpsilonSvr | LibSvmType::NuSvr => {
            let name = if model.svm_type == LibSvmType::EpsilonSvr {
                "svr"
            } else {
                "nu-svr"
            };
            let expansion = import_single(model, width).map_err(refused)?;
            (
                name,
                Box::new(SvmRegressor::from_parts(expansion).map_err(refused)?),
            )
        }
    };
    Ok(Stored {
        origin: Origin::LibSvm(method),
        encoding: None,
        preprocessing: crate::pipeline::Preprocessing::None,
        feature_names: None,
        parameters: Vec::new(),
        report: None,
        model: built,
    })
}

fn import_samples(model: &LibSvmModel, width: usize) -> hedgerow::Result<Samples> {
    let precomputed = model.kernel == LibSvmKernel::Precomputed;
    let first = u32::from(!precomputed);
    let widest = model
        .support_vectors
        .iter()
        .map(|vector| {
            if precomputed {
                // The serial number names the column of a test row that is read.
                vector
                    .values
                    .first()
                    .map_or(0, |&serial| (serial as usize).saturating_add(1))
            } else {
                vector.indices.last().map_or(0, |&index| index as usize)
            }
        })
        .max()
        .unwrap_or(0)
        .max(width)
        .max(1);
    let mut row_starts = vec![0];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for vector in &model.support_vectors {
        for (&index, &value) in vector.indices.iter().zip(&vector.values) {
            indices.push(index.saturating_sub(first));
            values.push(value);
        }
        row_starts.push(indices.len());
    }
    let n_rows = model.support_vectors.len();
    let dense = 2 * values.len() > n_rows.saturating_mul(widest);
    let sparse = Samples::Sparse(CsrMatrix::new(widest, row_starts, indices, values)?);
    if !dense {
        return Ok(sparse);
    }
    let mut all = vec![0.0; n_rows * widest];
    for (i, row) in all.chunks_mut(widest).enumerate() {
        sparse.view().row(i).write_dense(row);
    }
    Samples::dense(n_rows, widest, all)
}

/// The machine of the vectors with a coefficient in the column that `column` tells.
fn import_machine(
    model: &LibSvmModel,
    rho: f64,
    column: impl Fn(usize) -> Option<usize>,
) -> Machine {
    let (mut support, mut coefficients) = (Vec::new(), Vec::new());
    for (s, vector) in model.support_vectors.iter().enumerate() {
        let beta = column(s).and_then(|at| vector.coefficients.get(at).copied());
        if let Some(beta) = beta.filter(|&beta| beta != 0.0) {
            support.push(s as u32);
            coefficients.push(beta);
        }
    }
    Machine {
        support,
        coefficients,
        rho,
    }
}

fn import_expansion(
    model: &LibSvmModel,
    width: usize,
    machines: Vec<Machine>,
) -> hedgerow::Result<Expansion> {
    let support_vectors = import_samples(model, width)?;
    Ok(Expansion {
        kernel: import_kernel(model.kernel)?,
        n_features: support_vectors.n_features(),
        support_vectors,
        machines,
    })
}

fn import_single(model: &LibSvmModel, width: usize) -> hedgerow::Result<Expansion> {
    let rho = model.rho.first().copied().unwrap_or(0.0);
    let machine = import_machine(model, rho, |_| Some(0));
    import_expansion(model, width, vec![machine])
}

fn import_classifier(model: &LibSvmModel, width: usize) -> hedgerow::Result<SvmParts> {
    let sizes = model.class_sizes.clone().unwrap_or_default();
    let class_of: Vec<usize> = sizes
        .iter()
        .enumerate()
        .flat_map(|(class, &count)| std::iter::repeat_n(class, count))
        .collect();
    let machines = pairs(model.n_classes)
        .zip(&model.rho)
        .map(|((first, second), &rho)| {
            import_machine(model, rho, |s| match class_of.get(s) {
                Some(&class) if class == first => Some(second - 1),
                Some(&class) if class == second => Some(first),
                _ => None,
            })
        })
        .collect();
    let labels = model.labels.as_deref().unwrap_or_default();
    let sigmoids = match (&model.prob_a, &model.prob_b) {
        (Some(slopes), Some(offsets)) => Some(
            slopes
                .iter()
                .zip(offsets)
                .map(|(&slope, &offset)| Sigmoid { slope, offset })
                .collect(),
        ),
        _ => None,
    };
    Ok(SvmParts {
        expansion: import_expansion(model, width, machines)?,
        classes: labels
            .iter()
            .map(|&label| ClassName::Number(label.into()))
            .collect(),
        support_counts: sizes,
        multiclass: Multiclass::OneVsOne,
        sigmoids,
    })
}
