//! The fitted model that an estimator holds.

use crate::arrangement::{Arrangement, Layout};
use crate::arrays::{self, Meaning, Rows};
use crate::errors::{from_library, from_stored};
use crate::threads::in_pool;
use crate::values;
use hedgerow::Prediction;
use hedgerow::Predictor;
use hedgerow::data::{ClassName, Preprocessing, Samples, SamplesView};
use hedgerow::method::Task;
use hedgerow_io::Source;
use hedgerow_methods::{Stored, StoredModel, Unbuilt, name_columns};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A fitted model with what a model file holds beside it.
#[pyclass(frozen, module = "hedgerow._hedgerow")]
pub(crate) struct Model {
    stored: Stored,
    arrangement: Arrangement,
    /// Set when the model has answered, so that what it prepares once is prepared.
    has_answered: AtomicBool,
}

impl Model {
    /// A model of any method.
    pub(crate) fn new(stored: Stored) -> Self {
        let arrangement = match stored.model.classes() {
            Some(classes) if is_classifier(stored.method()) => {
                let scheme = stored.model.score_scheme();
                Arrangement::of_classes(classes, scheme, stored.model.ranks_levels())
            }
            _ => Arrangement::single(),
        };
        Self {
            stored,
            arrangement,
            has_answered: AtomicBool::new(false),
        }
    }

    /// A copy of what it holds.
    pub(crate) fn duplicate(&self) -> Stored {
        self.stored.duplicate()
    }

    fn opened(unbuilt: Unbuilt) -> PyResult<Self> {
        unbuilt.build(0).map(Self::new).map_err(from_stored)
    }

    fn is_precomputed(&self) -> bool {
        let expansion = self.stored.model.as_expansion();
        expansion.is_some_and(|view| view.expansion.kernel.is_precomputed())
    }

    /// Runs `work` on the prepared rows, without the interpreter lock.
    fn with_rows<T: Send>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_>,
        threads: usize,
        work: impl FnOnce(&dyn StoredModel, SamplesView<'_>) -> hedgerow::Result<T> + Send,
    ) -> PyResult<T> {
        let meaning = if self.is_precomputed() {
            Meaning::QueryKernel
        } else {
            Meaning::Features
        };
        let held = rows.hold(meaning)?;
        let preprocessing = &self.stored.frame.preprocessing;
        let model = &*self.stored.model;
        let answer = || {
            held.view().ensure_finite()?;
            let prepared = preprocessing.apply(held.view())?;
            let view = prepared.as_ref().map_or_else(|| held.view(), Samples::view);
            work(model, view)
        };
        // A pool takes longer to wake than a few rows to answer.
        let alone = self.has_answered.load(Ordering::Relaxed)
            && *preprocessing == Preprocessing::None
            && model.answers_alone(held.view().n_rows());
        if alone {
            return py.detach(answer).map_err(from_library);
        }
        let answered = py.detach(|| in_pool(threads, answer))?;
        if answered.is_ok() {
            self.has_answered.store(true, Ordering::Relaxed);
        }
        answered.map_err(from_library)
    }

    /// Where the numbers of an expansion stand in scikit-learn; empty for other models.
    fn layout(&self) -> Layout {
        match self.stored.model.as_expansion() {
            Some(view) if view.classes.is_some() => self.arrangement.of_classifier(&view),
            Some(view) => Arrangement::of_expansion(view.expansion),
            None => Layout::default(),
        }
    }

    /// Rows that became support vectors, in the order of scikit-learn.
    pub(crate) fn in_order(&self, support: &[u32]) -> Vec<i64> {
        if self.stored.model.as_expansion().is_none() {
            return support.iter().map(|&row| i64::from(row)).collect();
        }
        let order = self.layout().order;
        order.iter().map(|&s| i64::from(support[s])).collect()
    }
}

/// True if the method answers with classes that it learnt.
fn is_classifier(method: &str) -> bool {
    let method = hedgerow_methods::by_name(method);
    method.is_some_and(|method| method.card.task == Task::Classes)
}

/// A class as Python knows it.
fn class_object(py: Python<'_>, name: &ClassName) -> PyResult<Py<PyAny>> {
    Ok(match name {
        ClassName::Number(value) => value.into_pyobject(py)?.into_any().unbind(),
        ClassName::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
    })
}

type Planes<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

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
        py.detach(|| Unbuilt::from_bytes("model", data.to_vec()))
            .map_err(from_stored)
            .and_then(Self::opened)
    }

    /// The content of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.stored.encode()).map_err(from_stored)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Stored::read(&Source::Path(path)))
            .map_err(from_stored)
            .and_then(Self::opened)
    }

    /// A copy that knows the names of the features.
    fn with_feature_names(&self, names: Vec<String>) -> PyResult<Self> {
        let width = self.stored.n_inputs();
        if names.len() != width {
            return Err(PyValueError::new_err(format!(
                "{} feature names for {width} features",
                names.len()
            )));
        }
        let mut stored = self.stored.duplicate();
        stored.frame.feature_names = Some(names);
        Ok(Self::new(stored))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, (self.to_bytes(py)?,)))
    }

    /// Position of the predicted class of each row in the sorted classes.
    fn predict_codes<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let prediction = self.with_rows(py, &rows, threads, Predictor::predict)?;
        let Prediction::Classes(codes) = prediction else {
            return Err(PyValueError::new_err("the model has no classes"));
        };
        let rank = &self.arrangement.rank;
        let place = |code: u32| {
            let known = rank.get(code as usize);
            known.map_or(i64::from(code), |&place| place as i64)
        };
        let codes: Vec<i64> = codes.into_iter().map(place).collect();
        Ok(codes.into_pyarray(py))
    }

    /// Decision values, one column a machine; a single column is positive for the last class.
    fn decision_values<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let arrangement = &self.arrangement;
        let scores = self.with_rows(py, &rows, threads, |model, view| {
            let mut scores = model.scores(view)?;
            arrangement.arrange(scores.columns.len(), &mut scores.values);
            Ok(scores)
        })?;
        arrays::matrix(py, scores.n_rows(), scores.columns.len(), scores.values)
    }

    /// Predicted values of a regression.
    fn predict_values<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match self.with_rows(py, &rows, threads, Predictor::predict)? {
            Prediction::Real(values) => Ok(values.into_pyarray(py)),
            Prediction::Classes(_) => {
                Err(PyValueError::new_err("the model has classes, not values"))
            }
        }
    }

    /// Probabilities, one column a class in sorted order.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let arrangement = &self.arrangement;
        let priors = self.stored.frame.priors.as_ref();
        let calibration = self.stored.frame.calibration.as_ref();
        let scores = self.with_rows(py, &rows, threads, |model, view| {
            let mut scores = match calibration {
                Some(calibration) => {
                    let classes = model.classes().unwrap_or_default();
                    calibration.probabilities(&model.scores(view)?, classes)?
                }
                None => model.probabilities(view)?,
            };
            if let Some(priors) = priors.filter(|_| calibration.is_none()) {
                priors.correct(&mut scores.values)?;
            }
            arrangement.sort_classes(&mut scores.values);
            Ok(scores)
        })?;
        arrays::matrix(py, scores.n_rows(), scores.columns.len(), scores.values)
    }

    /// Mean and largest number of steps that answers for the rows take.
    fn count_work(&self, py: Python<'_>, rows: Rows<'_>, threads: usize) -> PyResult<(f64, u64)> {
        let counted = self.with_rows(py, &rows, threads, |model, view| {
            model
                .as_count()
                .map(|model| model.count_work(view))
                .transpose()
        })?;
        let Some((_, mean, most)) = counted else {
            return Err(PyValueError::new_err(
                "all answers of the model cost the same",
            ));
        };
        Ok((mean, most))
    }

    /// Why each row is answered as it is: a dict a row.
    fn explain(
        &self,
        py: Python<'_>,
        rows: Rows<'_>,
        top: usize,
        threads: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let told = self.with_rows(py, &rows, threads, |model, view| {
            model
                .as_explain()
                .map(|model| model.explain(view, top))
                .transpose()
        })?;
        let Some(told) = told else {
            return Err(PyValueError::new_err("the method cannot name reasons"));
        };
        let frame = &self.stored.frame;
        let named = told.into_iter().map(|mut one| {
            name_columns(
                &mut one,
                &frame.preprocessing,
                frame.feature_names.as_deref(),
            );
            values::to_python(py, &one)
        });
        named.collect()
    }

    /// `coef_` and `intercept_` of a linear classifier, one row a decision value.
    fn hyperplanes<'py>(&self, py: Python<'py>) -> PyResult<Planes<'py>> {
        let Some(planes) = self.stored.model.as_hyperplanes() else {
            return Err(PyValueError::new_err("the model has no hyperplanes"));
        };
        let width = self.stored.model.n_features();
        let mut weights = vec![0.0; planes.len() * width];
        let mut intercepts = vec![0.0; planes.len()];
        let columns = self.arrangement.columns(planes.len());
        for ((plane, intercept), (row, sign)) in planes.into_iter().zip(columns) {
            let out = &mut weights[row * width..(row + 1) * width];
            for (out, weight) in out.iter_mut().zip(plane) {
                *out = sign * weight;
            }
            intercepts[row] = sign * intercept;
        }
        Ok((
            arrays::matrix(py, intercepts.len(), width, weights)?,
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
    /// precomputed or there are none.
    fn support_vectors(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let Some(view) = self.stored.model.as_expansion() else {
            return Ok(None);
        };
        if view.expansion.kernel.is_precomputed() {
            return Ok(None);
        }
        let vectors = &view.expansion.support_vectors;
        let chosen = vectors.select(&self.layout().order);
        arrays::samples(py, chosen.view()).map(Some)
    }

    /// Training rows that are centres of local machines, counted from 0.
    fn centre_rows<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let rows = self.stored.model.centre_rows()?;
        let rows: Vec<i64> = rows.into_iter().map(i64::from).collect();
        Some(rows.into_pyarray(py))
    }

    /// Facts about the model.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values::facts(py, &self.stored.model.facts())
    }

    /// Whether it can tell probabilities.
    #[getter]
    fn has_probabilities(&self) -> bool {
        self.stored.frame.calibration.is_some() || self.stored.model.has_probabilities()
    }

    /// Whether the classes are levels of an ordered scale.
    #[getter]
    fn ranks_levels(&self) -> bool {
        self.stored.model.ranks_levels()
    }

    /// The value of the level that is expected of each row.
    fn level_values<'py>(
        &self,
        py: Python<'py>,
        rows: Rows<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let told = self.with_rows(py, &rows, threads, Predictor::level_values)?;
        let told = told.ok_or_else(|| PyValueError::new_err("the model has no levels"))?;
        Ok(told.expected.into_pyarray(py))
    }

    /// Name of the method: the tag of the model file.
    #[getter]
    fn method(&self) -> &str {
        self.stored.method()
    }

    /// The kernel, all parameters as numbers but those that are left to neighbourhoods; `None` for
    /// models without one.
    #[getter]
    fn kernel(&self) -> Option<String> {
        if let Some(view) = self.stored.model.as_expansion() {
            return Some(view.expansion.kernel.to_string());
        }
        let parameters = &self.stored.frame.parameters;
        let found = parameters.iter().find(|(name, _)| name == "kernel");
        found.map(|(_, text)| text.clone())
    }

    /// Features of the training data; for a precomputed kernel the columns of the kernel matrix.
    #[getter]
    fn n_features(&self) -> usize {
        self.stored.n_inputs() - usize::from(self.is_precomputed())
    }

    /// The features that the model looks at, ascending, if it was trained on some only.
    #[getter]
    fn chosen(&self) -> Option<Vec<u32>> {
        let chosen = self.stored.frame.preprocessing.chosen();
        chosen.map(<[u32]>::to_vec)
    }

    /// What columns of the training data are multiplied by, if they are.
    #[getter]
    fn feature_weights(&self) -> Option<Vec<f64>> {
        let preprocessing = &self.stored.frame.preprocessing;
        let mut weights = vec![0.0; preprocessing.n_inputs()?];
        let kept = preprocessing.chosen()?.iter();
        for (&f, &factor) in kept.zip(preprocessing.factors()?) {
            *weights.get_mut(f as usize)? = factor;
        }
        Some(weights)
    }

    /// Names of the features, if known.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.stored.frame.feature_names.clone()
    }

    /// The classes, sorted; empty if the model has learnt none.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        if !is_classifier(self.stored.method()) {
            return Ok(Vec::new());
        }
        let names = self.stored.model.classes().unwrap_or_default();
        let mut classes: Vec<&ClassName> = names.iter().collect();
        classes.sort_by(|a, b| a.order(b));
        let classes = classes.into_iter();
        classes.map(|name| class_object(py, name)).collect()
    }

    /// Names and values of the parameters of the training.
    #[getter]
    fn parameters(&self) -> Vec<(String, String)> {
        self.stored.frame.parameters.clone()
    }

    /// Whether the solver did what was asked of it (see `Status::is_premature`), its iterations and
    /// the objective; `None` if not known.
    #[getter]
    fn report(&self) -> Option<(bool, u64, f64)> {
        self.stored.frame.report.as_ref().map(|report| {
            (
                !report.status.is_premature(),
                report.iterations,
                report.objective,
            )
        })
    }
}
