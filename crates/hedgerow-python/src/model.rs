//! The fitted model that an estimator holds.

use crate::arrangement::{Arrangement, Layout};
use crate::arrays::{self, Meaning, Rows};
use crate::errors::{from_file, from_library};
use crate::threads::in_pool;
use hedgerow::data::{ClassName, Preprocessing, Samples, SamplesView};
use hedgerow::local::FalkSvm;
use hedgerow::svm::linear::LinearClassifier;
use hedgerow::svm::{Multiclass, OneClassSvm, SvmClassifier, SvmRegressor};
use hedgerow::tree::{LinearTrees, Tree};
use hedgerow::{Prediction, Predictor, Report, Status};
use hedgerow_io::{Bundle, Encoding, RawModel, Source, encode_model};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A model of one of the library's kinds.
#[derive(Debug, Clone)]
pub(crate) enum Machine {
    /// `svm`, `nu-svm`.
    Classifier(SvmClassifier),
    /// `svr`, `nu-svr`.
    Regressor(SvmRegressor),
    /// `one-class`.
    OneClass(OneClassSvm),
    /// `falk-svm`, `falk-svr`.
    Falk(Box<FalkSvm>),
    /// `h-lsvm`, `svm-trees`.
    Trees(Box<LinearTrees>),
    /// `linear-svm`, `logistic`, `pegasos`, `fda`.
    Linear(LinearClassifier),
}

impl Machine {
    fn predictor(&self) -> &dyn Predictor {
        match self {
            Self::Classifier(model) => model,
            Self::Regressor(model) => model,
            Self::OneClass(model) => model,
            Self::Falk(model) => model.as_ref(),
            Self::Trees(model) => model.as_ref(),
            Self::Linear(model) => model,
        }
    }
}

/// A fitted model with what a model file holds beside it.
#[pyclass(frozen, module = "hedgerow._hedgerow")]
pub(crate) struct Model {
    tag: String,
    frame: Bundle<Preprocessing, ()>,
    machine: Machine,
    arrangement: Arrangement,
}

impl Model {
    /// A model that was just fitted.
    pub(crate) fn fitted(
        tag: &str,
        machine: Machine,
        mut report: Report,
        parameters: Vec<(String, String)>,
    ) -> Self {
        let mut frame = Bundle::new(Preprocessing::None, ());
        // The same training gives the same bytes.
        report.seconds = 0.0;
        frame.report = Some(report);
        frame.parameters = parameters;
        Self::new(tag, frame, machine)
    }

    fn new(tag: &str, frame: Bundle<Preprocessing, ()>, machine: Machine) -> Self {
        let arrangement = match &machine {
            Machine::Classifier(model) => {
                Arrangement::of_classes(model.classes().unwrap_or_default(), model.multiclass())
            }
            Machine::Linear(model) => {
                Arrangement::of_classes(model.classes().unwrap_or_default(), model.multiclass())
            }
            Machine::Falk(model) => match model.classes() {
                // One column a class, as of machines for each class against the rest.
                Some(classes) => Arrangement::of_classes(classes, Multiclass::OneVsRest),
                None => Arrangement::single(),
            },
            Machine::Trees(model) => {
                Arrangement::of_classes(model.classes().unwrap_or_default(), Multiclass::OneVsRest)
            }
            _ => Arrangement::single(),
        };
        Self {
            tag: tag.to_owned(),
            frame,
            machine,
            arrangement,
        }
    }

    fn decode(raw: &RawModel) -> PyResult<Self> {
        fn part<M>(bundle: Bundle<Preprocessing, M>) -> (Bundle<Preprocessing, ()>, M) {
            let frame = Bundle {
                encoding: bundle.encoding,
                preprocessing: bundle.preprocessing,
                feature_names: bundle.feature_names,
                parameters: bundle.parameters,
                report: bundle.report,
                model: (),
            };
            (frame, bundle.model)
        }
        let tag = raw.header().tag.as_str();
        let (frame, machine) = match tag {
            "svm" | "nu-svm" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::Classifier(model))
            }
            "svr" | "nu-svr" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::Regressor(model))
            }
            "one-class" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::OneClass(model))
            }
            "falk-svm" | "falk-svr" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::Falk(Box::new(model)))
            }
            "h-lsvm" | "svm-trees" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::Trees(Box::new(model)))
            }
            "linear-svm" | "logistic" | "pegasos" | "fda" => {
                let (frame, model) = part(raw.decode().map_err(from_file)?);
                (frame, Machine::Linear(model))
            }
            unknown => {
                return Err(PyValueError::new_err(format!(
                    "the Python package cannot read models of the method {unknown:?}; it knows \
                     svm, nu-svm, svr, nu-svr, one-class, falk-svm, falk-svr, linear-svm, \
                     logistic, pegasos, fda, h-lsvm and svm-trees"
                )));
            }
        };
        let width = machine.predictor().n_features();
        let inputs = frame.preprocessing.n_inputs().unwrap_or(width);
        // What stands before the choice of features sees all of them, the model those chosen.
        let around = [
            (frame.preprocessing.n_outputs(), width),
            (frame.feature_names.as_ref().map(Vec::len), inputs),
            (frame.encoding.as_ref().map(Encoding::n_features), inputs),
        ];
        let wrong = around
            .into_iter()
            .find_map(|(found, needed)| found.filter(|&f| f != needed).map(|f| (f, needed)));
        if let Some((found, needed)) = wrong {
            return Err(PyValueError::new_err(format!(
                "the model is damaged: {needed} features in the model, {found} around it"
            )));
        }
        if !frame.preprocessing.is_consistent() {
            return Err(PyValueError::new_err(
                "the model is damaged: its features are not in order",
            ));
        }
        Ok(Self::new(tag, frame, machine))
    }

    fn encode(&self) -> Result<Vec<u8>, hedgerow_io::IoError> {
        fn write<M: Clone>(
            frame: &Bundle<Preprocessing, ()>,
            model: M,
        ) -> Bundle<Preprocessing, M> {
            Bundle {
                encoding: frame.encoding.clone(),
                preprocessing: frame.preprocessing.clone(),
                feature_names: frame.feature_names.clone(),
                parameters: frame.parameters.clone(),
                report: frame.report.clone(),
                model,
            }
        }
        match &self.machine {
            Machine::Classifier(model) => encode_model(&self.tag, &write(&self.frame, model)),
            Machine::Regressor(model) => encode_model(&self.tag, &write(&self.frame, model)),
            Machine::OneClass(model) => encode_model(&self.tag, &write(&self.frame, model)),
            Machine::Falk(model) => encode_model(&self.tag, &write(&self.frame, model.as_ref())),
            Machine::Trees(model) => encode_model(&self.tag, &write(&self.frame, model.as_ref())),
            Machine::Linear(model) => encode_model(&self.tag, &write(&self.frame, model)),
        }
    }

    fn is_precomputed(&self) -> bool {
        match &self.machine {
            Machine::Classifier(model) => model.kernel().is_precomputed(),
            Machine::Regressor(model) => model.parts().kernel.is_precomputed(),
            Machine::OneClass(model) => model.parts().kernel.is_precomputed(),
            Machine::Falk(_) | Machine::Trees(_) | Machine::Linear(_) => false,
        }
    }

    /// Features of the rows that are given, of which the model may see only some.
    fn n_inputs(&self) -> usize {
        let inputs = self.frame.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.machine.predictor().n_features())
    }

    /// Runs `work` on the prepared rows, without the interpreter lock.
    fn with_rows<T: Send>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_>,
        threads: usize,
        work: impl FnOnce(&dyn Predictor, SamplesView<'_>) -> hedgerow::Result<T> + Send,
    ) -> PyResult<T> {
        let meaning = if self.is_precomputed() {
            Meaning::QueryKernel
        } else {
            Meaning::Features
        };
        let held = rows.hold(meaning)?;
        let preprocessing = &self.frame.preprocessing;
        let machine = &self.machine;
        py.detach(|| {
            in_pool(threads, || {
                let prepared = preprocessing.apply(held.view())?;
                let view = prepared.as_ref().map_or_else(|| held.view(), Samples::view);
                work(machine.predictor(), view)
            })
        })?
        .map_err(from_library)
    }

    fn layout(&self) -> Layout {
        match &self.machine {
            Machine::Classifier(model) => self.arrangement.of_parts(&model.parts()),
            Machine::Regressor(model) => Arrangement::of_expansion(model.parts()),
            Machine::OneClass(model) => Arrangement::of_expansion(model.parts()),
            // Local machines have an expansion each, hyperplanes have none.
            Machine::Falk(_) | Machine::Trees(_) | Machine::Linear(_) => Layout::default(),
        }
    }

    /// The support vectors in the order of scikit-learn.
    pub(crate) fn support(&self) -> Samples {
        let order = self.layout().order;
        match &self.machine {
            Machine::Classifier(model) => model.parts().expansion.support_vectors.select(&order),
            Machine::Regressor(model) => model.parts().support_vectors.select(&order),
            Machine::OneClass(model) => model.parts().support_vectors.select(&order),
            Machine::Falk(model) => model.samples().select(&order),
            Machine::Trees(_) | Machine::Linear(_) => {
                no_rows(self.machine.predictor().n_features())
            }
        }
    }

    /// Support vectors of each class, or of all.
    pub(crate) fn support_counts(&self) -> Vec<i32> {
        self.layout().n_support
    }

    /// True if the model keeps serial numbers in place of support vectors.
    pub(crate) fn keeps_serials(&self) -> bool {
        self.is_precomputed()
    }
}

/// A class as Python knows it.
fn class_object(py: Python<'_>, name: &ClassName) -> PyResult<Py<PyAny>> {
    Ok(match name {
        ClassName::Number(value) => value.into_pyobject(py)?.into_any().unbind(),
        ClassName::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
    })
}

type Planes<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Samples without rows.
fn no_rows(n_features: usize) -> Samples {
    SamplesView::Dense {
        n_rows: 0,
        n_features,
        values: &[],
    }
    .select(&[])
}

type Arrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i32>>,
);

#[pymethods]
impl Model {
    /// The model from the content of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        py.detach(|| RawModel::from_bytes("model", data))
            .map_err(from_file)
            .and_then(|raw| Self::decode(&raw))
    }

    /// The content of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.encode()).map_err(from_file)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| hedgerow_io::read_container(&Source::Path(path)))
            .map_err(from_file)
            .and_then(|raw| Self::decode(&raw))
    }

    /// A copy that knows the names of the features.
    fn with_feature_names(&self, names: Vec<String>) -> PyResult<Self> {
        let width = self.n_inputs();
        if names.len() != width {
            return Err(PyValueError::new_err(format!(
                "{} feature names for {width} features",
                names.len()
            )));
        }
        let mut frame = self.frame.clone();
        frame.feature_names = Some(names);
        Ok(Self::new(&self.tag, frame, self.machine.clone()))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }

    /// Position of the predicted class of each row in the sorted classes.
    #[pyo3(signature = (rows, threads))]
    fn predict_codes<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let prediction = self.with_rows(py, &rows, threads, |model, view| model.predict(view))?;
        let Prediction::Classes(codes) = prediction else {
            return Err(PyValueError::new_err("the model has no classes"));
        };
        let rank = &self.arrangement.rank;
        let codes: Vec<i64> = codes
            .into_iter()
            .map(|code| {
                rank.get(code as usize)
                    .map_or(i64::from(code), |&c| c as i64)
            })
            .collect();
        Ok(codes.into_pyarray(py))
    }

    /// Decision values, one column a machine; a single column is positive for the last class.
    #[pyo3(signature = (rows, threads))]
    fn decision_values<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let arrangement = &self.arrangement;
        let scores = self.with_rows(py, &rows, threads, |model, view| {
            let mut scores = model.scores(view)?;
            arrangement.arrange(&mut scores.values);
            Ok(scores)
        })?;
        arrays::matrix(py, scores.n_rows(), scores.columns.len(), scores.values)
    }

    /// Predicted values of a regression.
    #[pyo3(signature = (rows, threads))]
    fn predict_values<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match self.with_rows(py, &rows, threads, |model, view| model.predict(view))? {
            Prediction::Real(values) => Ok(values.into_pyarray(py)),
            Prediction::Classes(_) => {
                Err(PyValueError::new_err("the model has classes, not values"))
            }
        }
    }

    /// Probabilities, one column a class in sorted order.
    #[pyo3(signature = (rows, threads))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rank = &self.arrangement.rank;
        let scores = self.with_rows(py, &rows, threads, |model, view| {
            let mut scores = model.probabilities(view)?;
            let mut sorted = vec![0.0; rank.len()];
            for row in scores.values.chunks_mut(rank.len().max(1)) {
                for (&value, &place) in row.iter().zip(rank) {
                    sorted[place] = value;
                }
                row.copy_from_slice(&sorted);
            }
            Ok(scores)
        })?;
        arrays::matrix(py, scores.n_rows(), scores.columns.len(), scores.values)
    }

    /// Rows of the centres and number of machines that were trained; `None` unless the model is
    /// made of local machines.
    fn centres<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<i64>>, usize)> {
        let Machine::Falk(model) = &self.machine else {
            return None;
        };
        let number = |&stored: &u32| i64::from(model.number_of(stored));
        let rows: Vec<i64> = model.centres().iter().map(number).collect();
        Some((rows.into_pyarray(py), model.n_trained()))
    }

    /// Trees, hyperplanes and depth; `None` unless the model is made of trees.
    fn tree_shape(&self) -> Option<(usize, usize, usize)> {
        let Machine::Trees(model) = &self.machine else {
            return None;
        };
        let depth = model.trees().iter().map(Tree::depth).max().unwrap_or(0);
        Some((model.trees().len(), model.n_hyperplanes(), depth))
    }

    /// Mean and largest number of hyperplanes evaluated for the rows.
    #[pyo3(signature = (rows, threads))]
    fn path_costs(&self, py: Python<'_>, rows: Rows<'_>, threads: usize) -> PyResult<(f64, u64)> {
        let Machine::Trees(trees) = &self.machine else {
            return Err(PyValueError::new_err("the model is not made of trees"));
        };
        self.with_rows(py, &rows, threads, |_, view| {
            let costs = trees.path_costs(view)?;
            Ok((costs.mean, costs.max))
        })
    }

    /// `coef_` and `intercept_` of a linear classifier, one row a decision value.
    fn hyperplanes<'py>(&self, py: Python<'py>) -> PyResult<Planes<'py>> {
        let Machine::Linear(model) = &self.machine else {
            return Err(PyValueError::new_err("the model has no hyperplanes"));
        };
        let width = model.n_features();
        let machines = model.machines();
        let mut weights = vec![0.0; machines.len() * width];
        let mut intercepts = vec![0.0; machines.len()];
        for (machine, &(row, sign)) in machines.iter().zip(&self.arrangement.columns) {
            let out = &mut weights[row * width..(row + 1) * width];
            for (out, weight) in out.iter_mut().zip(&machine.weights) {
                *out = sign * weight;
            }
            intercepts[row] = sign * machine.intercept;
        }
        Ok((
            arrays::matrix(py, machines.len(), width, weights)?,
            intercepts.into_pyarray(py),
        ))
    }

    /// `dual_coef_`, `intercept_` and `n_support_`.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let layout = self.layout();
        Ok((
            arrays::matrix(py, layout.dual_rows, layout.order.len(), layout.dual)?,
            layout.intercept.into_pyarray(py),
            layout.n_support.into_pyarray(py),
        ))
    }

    /// The support vectors: a matrix, or the parts of a CSR matrix, or `None` if the kernel was
    /// precomputed.
    fn support_vectors(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if self.is_precomputed() {
            return Ok(None);
        }
        arrays::samples(py, self.support().view()).map(Some)
    }

    /// Name of the method: the tag of the model file.
    #[getter]
    fn method(&self) -> &str {
        &self.tag
    }

    /// The kernel, all parameters as numbers but those that are left to neighbourhoods.
    #[getter]
    fn kernel(&self) -> String {
        match &self.machine {
            Machine::Classifier(model) => model.kernel().to_string(),
            Machine::Regressor(model) => model.parts().kernel.to_string(),
            Machine::OneClass(model) => model.parts().kernel.to_string(),
            Machine::Falk(model) => model.params().local.solver.kernel.to_string(),
            Machine::Trees(_) | Machine::Linear(_) => "linear".to_owned(),
        }
    }

    /// Features of the training data; for a precomputed kernel the columns of the kernel matrix.
    #[getter]
    fn n_features(&self) -> usize {
        self.n_inputs() - usize::from(self.is_precomputed())
    }

    /// The features that the model looks at, ascending, if it was trained on some only.
    #[getter]
    fn chosen(&self) -> Option<Vec<u32>> {
        self.frame.preprocessing.chosen().map(<[u32]>::to_vec)
    }

    /// Names of the features, if known.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.frame.feature_names.clone()
    }

    /// The classes, sorted; empty if the model has none.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        if matches!(self.machine, Machine::Regressor(_) | Machine::OneClass(_)) {
            return Ok(Vec::new());
        }
        let names = self.machine.predictor().classes().unwrap_or_default();
        let mut classes: Vec<&ClassName> = names.iter().collect();
        classes.sort_by(|a, b| a.order(b));
        classes
            .into_iter()
            .map(|name| class_object(py, name))
            .collect()
    }

    /// Names and values of the parameters of the training.
    #[getter]
    fn parameters(&self) -> Vec<(String, String)> {
        self.frame.parameters.clone()
    }

    /// Whether the solver converged, its iterations and the objective; `None` if not known.
    #[getter]
    fn report(&self) -> Option<(bool, u64, f64)> {
        self.frame.report.as_ref().map(|report| {
            let converged = report.status == Status::Converged;
            (converged, report.iterations, report.objective)
        })
    }
}
