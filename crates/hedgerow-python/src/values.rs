//! Named values between Python and the registry.

use hedgerow::params::Value;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

/// Settings as the estimators hand them over.
pub(crate) type Settings = Vec<(String, Value)>;

/// The entries of a dict.
pub(crate) fn settings(dict: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let value = from_python(&name, &value)?;
        Ok((name, value))
    };
    dict.iter().map(entry).collect()
}

/// A value; `name` stands in messages.
pub(crate) fn from_python(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Nothing);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Flag(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_string()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| from_python(name, &item?));
        return Ok(Value::List(items.collect::<PyResult<_>>()?));
    }
    if value.get_type().name()? == "bool" || value.get_type().name()? == "bool_" {
        return Ok(Value::Flag(value.is_truthy()?));
    }
    if let Ok(whole) = value.extract::<u64>() {
        return Ok(Value::Whole(whole));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Value::Number(number));
    }
    Err(PyValueError::new_err(format!(
        "{name} must be a number, a text or a bool, not {}",
        value.repr()?
    )))
}

/// A value for Python.
pub(crate) fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Nothing => py.None(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any().unbind(),
        Value::Whole(whole) => whole.into_pyobject(py)?.into_any().unbind(),
        Value::Number(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        Value::List(values) => {
            let items = values.iter().map(|value| to_python(py, value));
            let items = items.collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Table(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_any().unbind()
        }
    })
}

/// Named facts as a dict.
pub(crate) fn facts<'py>(
    py: Python<'py>,
    facts: &[(&'static str, Value)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in facts {
        dict.set_item(name, to_python(py, value)?)?;
    }
    Ok(dict)
}
