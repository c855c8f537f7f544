//! Filters of a deck from keyword arguments.

use halftrack::deck::model::Deck;
use halftrack::deck::model::filter::Filter;
use halftrack::deck::{add_words, unknown_words};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

/// Makes the filter of keyword arguments for `deck`.
///
/// # Errors
/// `TypeError` for a keyword that is none or a value of another type, `ValueError` for a value that is no number or is nowhere in
/// the deck.
pub(crate) fn filter(deck: &Deck, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Filter> {
    let mut filter = Filter::default();
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        let given = words(&name, &value)?;
        let is_known = halftrack::deck::FILTER_NAMES.contains(&name.as_str());
        add_words(&mut filter, &name, &given).map_err(|words| match is_known {
            true => PyValueError::new_err(format!("{name}: {words}")),
            false => PyTypeError::new_err(format!("{name} is no filter: {words}")),
        })?;
    }
    let unknown: Vec<String> = filter.unknown(deck).iter().map(unknown_words).collect();
    if unknown.is_empty() { Ok(filter) } else { Err(PyValueError::new_err(unknown.join("\n"))) }
}

/// Returns the words of a text, a number or a list of them. A number of a channel subsystem is decimal, the others are as a deck
/// has them: hexadecimal.
pub(crate) fn words(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = value.cast::<PyString>() {
        let text: String = text.extract()?;
        return Ok(if name == "grep" { vec![text] } else { text.split(',').map(str::to_owned).collect() });
    }
    if value.is_instance_of::<PyInt>() {
        let number: u32 = value.extract()?;
        return Ok(vec![if name == "css" { number.to_string() } else { format!("{number:X}") }]);
    }
    let elements = value.try_iter()?.map(|element| words(name, &element?));
    Ok(elements.collect::<PyResult<Vec<_>>>()?.concat())
}
