//! The methods that `train`, `cv`, `tune`, `predict` and `inspect` know.
//!
//! A method is one file with one type that implements [`Method`], and one line in [`ALL`]: the
//! commands see it only through [`AnyMethod`], [`Trainer`] and [`Model`], which it gets for free.

mod exchange;
pub(crate) mod falk;
mod fda;
mod h_lsvm;
mod kernel_machine;
mod knn;
mod knn_svm;
mod linear;
mod linear_svm;
mod logistic;
mod nu_svm;
mod nu_svr;
mod one_class;
mod pegasos;
mod svm;
mod svm_trees;
mod svr;

pub(crate) use exchange::{from_libsvm, libsvm_has_classes};
pub(crate) use falk::{FalkClassifier, FalkRegressor};

use crate::failure::Failure;
use crate::pipeline::Preprocessing;
use crate::store::{self, Stored};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use hedgerow::data::{Dataset, SamplesView};
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::local::{Assign, FalkParams, FalkSvm, UpdateParams, UpdateReport};
use hedgerow::svm::SolverParams;
use hedgerow::tree::LinearTrees;
use hedgerow::{Estimator, Predictor, Report};
use hedgerow_io::{Bundle, LibSvmModel, LibSvmType, RawModel};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Every method.
pub(crate) static ALL: &[&dyn AnyMethod] = &[
    &svm::CSvc,
    &nu_svm::NuSvc,
    &svr::EpsilonSvr,
    &nu_svr::NuSvr,
    &one_class::OneClass,
    &falk::FalkClassifier,
    &falk::FalkRegressor,
    &knn::KnnClassifier,
    &knn::KnnRegressor,
    &knn_svm::KnnSvmClassifier,
    &knn_svm::KnnSvmRegressor,
    &linear_svm::LinearSvm,
    &logistic::Logistic,
    &pegasos::Pegasos,
    &fda::Fisher,
    &h_lsvm::Hlsvm,
    &svm_trees::SvmTrees,
];

/// The method of a name.
pub(crate) fn by_name(name: &str) -> Option<&'static dyn AnyMethod> {
    ALL.iter().copied().find(|method| method.name() == name)
}

/// What a method learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Class labels.
    Classes,
    /// Real targets.
    Real,
    /// Rows alone.
    Unlabelled,
}

/// A method, as its own file describes it.
pub(crate) trait Method: Sync + 'static {
    /// The options.
    type Args: Args;
    /// The library's parameters.
    type Params: Estimator<Model = Self::Model>;
    /// The library's model.
    type Model: Model + Serialize + DeserializeOwned;

    /// Name on the command line, and tag of the model files.
    const NAME: &'static str;
    /// One line of help.
    const ABOUT: &'static str;
    /// What it learns from.
    const TASK: Task;
    /// Axes of a grid search when none are named.
    const GRID: &'static [&'static str];
    /// Parameters of its own that can be tuned; kernel parameters come in addition.
    const TUNABLE: &'static [&'static str];
    /// What LIBSVM calls the problem, if it knows it.
    const LIBSVM_TYPE: Option<LibSvmType>;

    /// Parameters from options. They are checked by [`Estimator::check`] afterwards.
    fn params(args: &Self::Args, seed: u64) -> Result<Self::Params, Failure>;
    /// Names and values of all parameters, for people.
    fn describe(params: &Self::Params) -> Vec<(String, String)>;
    /// Sets one of [`Method::TUNABLE`]; false if the name is none of them.
    fn set(params: &mut Self::Params, name: &str, value: f64) -> bool;
    /// The settings shared by kernel machines, for methods that are such.
    fn solver(_params: &mut Self::Params) -> Option<&mut SolverParams> {
        None
    }
    /// The kernel, for methods that have one.
    fn kernel(params: &mut Self::Params) -> Option<&mut KernelSpec> {
        Self::solver(params).map(|solver| &mut solver.kernel)
    }
    /// The parameters of the local machines, for methods that are made of them.
    fn local(_params: &mut Self::Params) -> Option<&mut FalkParams> {
        None
    }
}

/// A fitted model, as the commands see it.
pub(crate) trait Model: Predictor {
    /// Facts for `inspect`, as JSON values with their names.
    fn facts(&self) -> Vec<(&'static str, serde_json::Value)>;

    /// The model as the local machines that it is made of.
    fn as_falk(&self) -> Option<&FalkSvm> {
        None
    }

    /// The model as trees of hyperplanes.
    fn as_trees(&self) -> Option<&LinearTrees> {
        None
    }

    /// The model in LIBSVM's format, as a model of the given type, where it has such a type.
    fn to_libsvm(&self, _svm_type: LibSvmType) -> Result<LibSvmModel, Failure> {
        Err(Failure::usage(
            "LIBSVM has no format for models of this method: leave --libsvm-model out",
        ))
    }

    /// Why each row is answered as it is, for methods that can tell: the support vectors that
    /// weigh most among other facts.
    fn explain(
        &self,
        _samples: SamplesView<'_>,
        _top: usize,
    ) -> Option<hedgerow::Result<Vec<serde_json::Value>>> {
        None
    }

    /// Chooses which local machine answers; false for methods that have none.
    fn set_assign(&mut self, _assign: Assign) -> bool {
        false
    }

    /// Adds and removes rows, for methods that can.
    fn update(
        &mut self,
        _added: Option<&Dataset>,
        _removed: &[u32],
        _params: UpdateParams,
    ) -> Option<hedgerow::Result<UpdateReport>> {
        None
    }
}

/// A fit of any method.
pub(crate) struct Trained {
    /// The model.
    pub(crate) model: Box<dyn StorableModel>,
    /// How training went.
    pub(crate) report: Report,
}

/// A model that can be written.
pub(crate) trait StorableModel: Model {
    /// Writes a bundle with this model in place of the unit model.
    fn write(&self, path: &Path, tag: &str, bundle: store::Frame) -> Result<(), Failure>;
}

impl<M: Model + Serialize> StorableModel for M {
    fn write(&self, path: &Path, tag: &str, frame: store::Frame) -> Result<(), Failure> {
        let bundle = Bundle {
            encoding: frame.encoding,
            preprocessing: frame.preprocessing,
            feature_names: frame.feature_names,
            parameters: frame.parameters,
            report: frame.report,
            model: self,
        };
        Ok(hedgerow_io::write_model(path, tag, &bundle)?)
    }
}

/// Parameters of some method, ready to train.
pub(crate) trait Trainer: Send + Sync {
    /// Names and values of all parameters, for people.
    fn describe(&self) -> Vec<(String, String)>;
    /// Sets a parameter of the method or of its kernel by name.
    fn set(&mut self, name: &str, value: f64) -> Result<(), Failure>;
    /// Divides memory budgets among fits that run at the same time.
    fn share_memory(&mut self, parts: usize);
    /// True if the kernel values come with the data.
    fn is_precomputed(&self) -> bool;
    /// The parameters of the local machines, for methods that are made of them.
    fn local(&mut self) -> Option<&mut FalkParams>;
    /// Trains.
    fn fit(&self, data: &Dataset) -> hedgerow::Result<Trained>;
    /// A copy.
    fn duplicate(&self) -> Box<dyn Trainer>;
}

/// A method, as the commands see it.
pub(crate) trait AnyMethod: Sync {
    /// Name on the command line, and tag of the model files.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// What it learns from.
    fn task(&self) -> Task;
    /// Axes of a grid search when none are named.
    fn grid(&self) -> &'static [&'static str];
    /// What LIBSVM calls the problem, if it knows it.
    fn libsvm_type(&self) -> Option<LibSvmType>;
    /// Adds the options to a command.
    fn augment(&self, command: Command) -> Command;
    /// Checked parameters from options.
    fn trainer(&self, matches: &ArgMatches, seed: u64) -> Result<Box<dyn Trainer>, Failure>;
    /// Decodes a model file of this method.
    fn decode(&self, raw: &RawModel) -> Result<Stored, Failure>;
}

impl<T: Method> AnyMethod for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn about(&self) -> &'static str {
        T::ABOUT
    }

    fn task(&self) -> Task {
        T::TASK
    }

    fn grid(&self) -> &'static [&'static str] {
        T::GRID
    }

    fn libsvm_type(&self) -> Option<LibSvmType> {
        T::LIBSVM_TYPE
    }

    fn augment(&self, command: Command) -> Command {
        T::Args::augment_args(command)
    }

    fn trainer(&self, matches: &ArgMatches, seed: u64) -> Result<Box<dyn Trainer>, Failure> {
        let params = T::params(&T::Args::from_arg_matches(matches)?, seed)?;
        params.check().map_err(Failure::Option)?;
        Ok(Box::new(Ready::<T> { params }))
    }

    fn decode(&self, raw: &RawModel) -> Result<Stored, Failure> {
        let bundle: Bundle<Preprocessing, T::Model> = raw.decode_as(T::NAME)?;
        Stored::from_bundle(raw.header().clone(), bundle)
    }
}

/// The parameters of one method.
struct Ready<T: Method> {
    params: T::Params,
}

impl<T: Method> Trainer for Ready<T> {
    fn describe(&self) -> Vec<(String, String)> {
        T::describe(&self.params)
    }

    fn set(&mut self, name: &str, value: f64) -> Result<(), Failure> {
        if !T::set(&mut self.params, name, value) {
            let Some(kernel) = T::kernel(&mut self.params) else {
                return Err(Failure::usage(format!(
                    "--grid {name}: the method has no such parameter; it has {}",
                    T::TUNABLE.join(", ")
                )));
            };
            *kernel = kernel_machine::with_kernel_parameter(kernel, name, value, T::TUNABLE)?;
        }
        Ok(())
    }

    fn share_memory(&mut self, parts: usize) {
        if let Some(solver) = T::solver(&mut self.params) {
            solver.cache_bytes /= parts.max(1);
        }
    }

    fn is_precomputed(&self) -> bool {
        let mut params = self.params.clone();
        T::kernel(&mut params)
            .and_then(|kernel| kernel.fixed())
            .is_some_and(Kernel::is_precomputed)
    }

    fn local(&mut self) -> Option<&mut FalkParams> {
        T::local(&mut self.params)
    }

    fn fit(&self, data: &Dataset) -> hedgerow::Result<Trained> {
        self.params.check()?;
        let fitted = self.params.fit(data)?;
        Ok(Trained {
            model: Box::new(fitted.model),
            report: fitted.report,
        })
    }

    fn duplicate(&self) -> Box<dyn Trainer> {
        Box::new(Self {
            params: self.params.clone(),
        })
    }
}
