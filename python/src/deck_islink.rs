//! Class `DeckIslink`: a logical link planned for one or two decks.

use halftrack::deck::ctc::GivenPort;
use halftrack::deck::model::Deck;
use halftrack::deck::{
    LinkOptions, LinkPlan, NodeNames, ReadOptions, SystemName, channel_pair, device_number, node_words,
    port_words, rate_mb_per_s, system_pair,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyMapping};

use crate::deck_filter::words;
use crate::diagnostic::study_failure;
use crate::json::objects;
use crate::notebook;

/// A logical link of two z/VM systems, with the statements of both, or only its size.
#[pyclass(frozen, module = "halftrack", name = "DeckIslink")]
#[derive(Debug)]
pub(crate) struct PyDeckIslink {
    text: String,
    json: String,
}

/// Arguments of `Deck.islink`.
pub(crate) struct IslinkArguments<'a, 'py> {
    pub(crate) over: Option<&'a Bound<'py, PyAny>>,
    pub(crate) between: Option<(String, String)>,
    pub(crate) ports: Option<&'a Bound<'py, PyMapping>>,
    pub(crate) nodes: Option<&'a Bound<'py, PyMapping>>,
    pub(crate) per_channel: Option<usize>,
    pub(crate) device: Option<&'a Bound<'py, PyAny>>,
    pub(crate) rate: Option<f64>,
    pub(crate) channel_rate: Option<f64>,
}

impl IslinkArguments<'_, '_> {
    /// Plans the link in `decks`, which were read with `read`.
    ///
    /// # Errors
    /// `ValueError` for an argument that is none, `StudyError` where there is no link.
    pub(crate) fn plan(self, py: Python<'_>, decks: &[&Deck], read: &ReadOptions) -> PyResult<PyDeckIslink> {
        let (ports, wishes) = (given_ports(self.ports)?, self.wishes()?);
        let nodes: Vec<(SystemName, String)> = entries("nodes", self.nodes, node_words)?;
        let planned = NodeNames::new(decks, &nodes)
            .and_then(|nodes| py.detach(|| LinkPlan::new(decks, read, &ports, &nodes, &wishes)));
        let plan = planned.map_err(|error| study_failure(py, &error.to_string()))?;
        Ok(PyDeckIslink { text: plan.to_text(decks), json: format!("{:#}\n", plan.to_json()) })
    }

    fn wishes(&self) -> PyResult<LinkOptions> {
        let between = self.between.as_ref().map(|(near, far)| format!("{near},{far}"));
        let over = self.over.map_or_else(|| Ok(Vec::new()), |over| words("over", over))?;
        let device = self.device.map(|device| words("device", device)).transpose()?;
        let rate = |name: &str, rate: Option<f64>| {
            rate.map(|rate| parsed(name, &rate.to_string(), rate_mb_per_s)).transpose()
        };
        Ok(LinkOptions {
            between: between.map(|names| parsed("between", &names, system_pair)).transpose()?,
            over: over.iter().map(|word| parsed("over", word, channel_pair)).collect::<PyResult<_>>()?,
            per_channel: self.per_channel,
            first_device: device
                .map(|words| parsed("device", &words.join(","), device_number))
                .transpose()?,
            wanted_mb_per_s: rate("rate", self.rate)?,
            channel_mb_per_s: rate("channel_rate", self.channel_rate)?,
        })
    }
}

/// Returns the director ports of channels that `ports` maps.
///
/// # Errors
/// `ValueError` for words that are no channel, or no port.
pub(crate) fn given_ports(ports: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<GivenPort>> {
    entries("ports", ports, port_words)
}

/// Parses each entry of a mapping as the command does behind its option: `KEY=VALUE`. A number has four hexadecimal digits.
fn entries<T>(
    name: &str,
    mapping: Option<&Bound<'_, PyMapping>>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> PyResult<Vec<T>> {
    let mut found = Vec::new();
    for item in mapping.map(|mapping| mapping.items()).transpose()?.into_iter().flatten() {
        let (key, value): (String, Bound<'_, PyAny>) = item.extract()?;
        let value = match value.is_instance_of::<PyInt>() {
            true => format!("{:04X}", value.extract::<u32>()?),
            false => value.extract()?,
        };
        found.push(parsed(name, &format!("{key}={value}"), &parse)?);
    }
    Ok(found)
}

fn parsed<T>(name: &str, text: &str, parse: impl Fn(&str) -> Result<T, String>) -> PyResult<T> {
    parse(text).map_err(|words| PyValueError::new_err(format!("{name}: \"{text}\": {words}")))
}

#[pymethods]
impl PyDeckIslink {
    /// Devices, reasons and statements, or the size, as `halftrack deck ctc --islink` prints them.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Returns the link as `halftrack deck ctc --islink --json` prints it; rates are in MB/s (10^6 bytes a second).
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.json)
    }

    /// Returns the text of `to_dict`, byte for byte that of the command.
    fn to_json(&self) -> &str {
        &self.json
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn _repr_html_(&self) -> String {
        notebook::text(&self.text)
    }
}
