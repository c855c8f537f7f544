//! Values of Python as changes of a study.

use halftrack::{Change, Key, NONE, StudyFile};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyMapping, PySequence, PyString};
use toml::{Table, Value};

use crate::diagnostic::study_error;

/// Returns the changes of a mapping of keys to values, in its order.
///
/// # Errors
/// A key that is none, a value of an unsuitable type.
pub(crate) fn changes(mapping: &Bound<'_, PyMapping>) -> PyResult<Vec<Change>> {
    let items = mapping.items()?;
    let of_item = |item: Bound<'_, PyAny>| {
        let (key, value): (String, Bound<'_, PyAny>) = item.extract()?;
        change(&key, &value)
    };
    items.iter().map(of_item).collect()
}

/// Returns the change of `key` to `value`.
///
/// # Errors
/// As [`changes`].
pub(crate) fn change(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Change> {
    let key = key.parse::<Key>().map_err(|error| study_error(value.py(), std::slice::from_ref(&*error)))?;
    let value = text(&key, value)?;
    Ok(Change { key, value })
}

/// Returns the words of `value` behind `key`: those of a text are its own, as behind `--set`.
fn text(key: &Key, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok(NONE.to_owned());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return text.extract();
    }
    match (key.file(), toml_of(key, value)?) {
        (StudyFile::Deck, Value::Array(parts)) => {
            let parts = parts.into_iter().map(|part| part.as_str().map_or(part.to_string(), str::to_owned));
            Ok(format!("({})", parts.collect::<Vec<_>>().join(",")))
        }
        (_, value) => Ok(value.to_string()),
    }
}

fn toml_of(key: &Key, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.extract()?));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let mut table = Table::new();
        for item in mapping.items()? {
            let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
            table.insert(name, toml_of(key, &value)?);
        }
        return Ok(Value::Table(table));
    }
    if let Ok(sequence) = value.cast::<PySequence>() {
        let elements = sequence.try_iter()?.map(|element| toml_of(key, &element?));
        return Ok(Value::Array(elements.collect::<PyResult<_>>()?));
    }
    number(value).ok_or_else(|| {
        let kind = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "{key}: a value is a number, a truth value, a text, a list, a mapping or None, not {kind}"
        ))
    })
}

/// Returns a number that is not of Python's own types, such as one of an array: whole where it can be an index.
fn number(value: &Bound<'_, PyAny>) -> Option<Value> {
    let whole = value.extract::<i64>().ok().map(Value::Integer);
    whole.or_else(|| value.extract::<f64>().ok().map(Value::Float))
}
