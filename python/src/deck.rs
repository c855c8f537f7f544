//! Class `Deck`: an IOCP deck that is read, checked, compared, drawn and listed.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use halftrack::deck::ctc::connections;
use halftrack::deck::formats::json;
use halftrack::deck::model::Deck;
use halftrack::deck::reports::{REPORTS, Report};
use halftrack::deck::{
    CableList, CsvTable, DeckFile, DeckMapping, MapOptions, ReadOptions, Reading, Selection,
    connections_json, csv, deck_page, deck_svg, format, machine_words, read_deck, structure_json,
};
use halftrack::{Severity, load_catalog};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::deck_check::{CheckArguments, PyDeckCheck};
use crate::deck_diff::PyDeckDiff;
use crate::deck_filter::filter;
use crate::deck_hardware::hardware;
use crate::deck_islink::{IslinkArguments, PyDeckIslink, given_ports};
use crate::diagnostic::{load_error, messages, study_error};
use crate::json::objects;
use crate::notebook;
use crate::output::{write_file, written};
use crate::run_options::word;

/// An IOCP deck, whatever rules it breaks.
///
/// Methods with `filters` take `css`, `chpid`, `pchid`, `type`, `switch`, `cu`, `device`, `unit`, `lpar`, `pnetid`, `fid` and
/// `grep`: each a text, a number or a list of them. Hexadecimal numbers may be ranges such as `"1000-10FF"`. A filter keeps
/// whole chains of channel path, control unit and devices; one that matches nothing raises `ValueError`.
#[pyclass(frozen, module = "halftrack", name = "Deck")]
#[derive(Debug, Clone)]
pub(crate) struct PyDeck {
    pub(crate) file: Arc<DeckFile>,
    pub(crate) options: ReadOptions,
    pub(crate) reading: Arc<Reading>,
}

impl PyDeck {
    /// Reads a deck from its octets.
    fn of_octets(py: Python<'_>, name: &str, octets: Vec<u8>, options: ReadOptions) -> PyResult<Self> {
        let file = DeckFile::from_bytes(name, octets)
            .map_err(|found| study_error(py, std::slice::from_ref(&*found)))?;
        let reading = py.detach(|| read_deck(&file, &options)).map_err(|error| load_error(py, &error))?;
        Ok(Self { file: Arc::new(file), options, reading: Arc::new(reading) })
    }

    /// Returns the statements that were understood.
    fn understood(&self, py: Python<'_>) -> PyResult<&Deck> {
        self.reading.understood().ok_or_else(|| study_error(py, &self.reading.diagnostics))
    }

    /// Returns the statements that were understood whole, for a comparison.
    pub(crate) fn taken_in(&self, py: Python<'_>) -> PyResult<Cow<'_, Deck>> {
        self.reading.taken_in().ok_or_else(|| study_error(py, &self.reading.diagnostics))
    }

    /// Returns the statements that were understood, and those of `other`.
    fn understood_with<'d>(&'d self, py: Python<'_>, other: Option<&'d Self>) -> PyResult<Vec<&'d Deck>> {
        std::iter::once(self).chain(other).map(|deck| deck.understood(py)).collect()
    }

    fn selection<'d>(
        &'d self,
        py: Python<'_>,
        filters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Selection<'d>> {
        let deck = self.understood(py)?;
        Ok(Selection::of(deck, filter(deck, filters)?))
    }
}

/// Returns options of the reader.
fn read_options(machine: Option<&Bound<'_, PyAny>>, lenient: bool) -> PyResult<ReadOptions> {
    let words = machine.map(|machine| machine.str().map(|words| words.to_string())).transpose()?;
    let machine = words.map(|words| machine_words(&words)).transpose().map_err(PyValueError::new_err)?;
    Ok(ReadOptions { machine, lenient, ..ReadOptions::default() })
}

#[pymethods]
impl PyDeck {
    /// Reads the deck in the file `path`, in ASCII, UTF-8, Latin-1 or EBCDIC 1047.
    ///
    /// `machine` is a type to check against, such as 3931 or "3931:1", whatever SYSTEM= has. `lenient` accepts, with warnings,
    /// what manuals and mail contain but IOCP refuses. Raises `OSError` for a file that cannot be read, and `StudyError` for one
    /// that is no deck; broken rules are messages of `check`.
    #[staticmethod]
    #[pyo3(signature = (path, *, machine=None, lenient=false))]
    fn parse(
        py: Python<'_>,
        path: PathBuf,
        machine: Option<&Bound<'_, PyAny>>,
        lenient: bool,
    ) -> PyResult<Self> {
        let options = read_options(machine, lenient)?;
        let octets = py.detach(|| fs::read(&path));
        let octets = octets.map_err(|error| {
            PyErr::from(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
        })?;
        Self::of_octets(py, &path.to_string_lossy(), octets, options)
    }

    /// Reads a deck from a text, which messages call `name`. Raises `StudyError` for a text that is no deck.
    #[staticmethod]
    #[pyo3(signature = (text, name="deck", *, machine=None, lenient=false))]
    fn from_text(
        py: Python<'_>,
        text: &str,
        name: &str,
        machine: Option<&Bound<'_, PyAny>>,
        lenient: bool,
    ) -> PyResult<Self> {
        Self::of_octets(py, name, text.as_bytes().to_vec(), read_options(machine, lenient)?)
    }

    /// Name of the file.
    #[getter]
    fn name(&self) -> &str {
        &self.file.source.name
    }

    /// Text of the deck.
    #[getter]
    fn text(&self) -> &str {
        &self.file.source.text
    }

    /// Messages of the rules of IOCP; `check` has advice and further checks beside them.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        messages(py, &self.reading.diagnostics)
    }

    /// True when no rule is broken.
    #[getter]
    fn valid(&self) -> bool {
        self.reading.diagnostics.iter().all(|one| one.severity != Severity::Error)
    }

    /// Checks the deck by the rules of IOCP, and by what else is given.
    ///
    /// `hardware` is a file of installed features, with drawers and features of `catalogs` laid over the built-in ones; `parity`
    /// advises on functions in resource groups of the other parity. `profile` is a TCP/IP profile, `system_config` a z/VM SYSTEM
    /// CONFIG, both of partition `lpar`. `software` maps partitions to systems such as "z/OS 2.1". `sharing` lists groups of
    /// partitions that share data. `blade_ports` is the number of ports of a director's blade. `for_iocds` makes missing PCHIDs
    /// errors; `advice` False leaves advice out. Raises `ValueError` for an argument that does not suit the deck.
    #[pyo3(signature = (*, hardware=None, catalogs=Vec::new(), parity=false, profile=None, system_config=None, lpar=None,
                        software=None, sharing=Vec::new(), advice=true, blade_ports=None, for_iocds=false))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
    fn check(
        &self,
        py: Python<'_>,
        hardware: Option<PathBuf>,
        catalogs: Vec<PathBuf>,
        parity: bool,
        profile: Option<PathBuf>,
        system_config: Option<PathBuf>,
        lpar: Option<String>,
        software: Option<&Bound<'_, PyDict>>,
        sharing: Vec<Vec<String>>,
        advice: bool,
        blade_ports: Option<u8>,
        for_iocds: bool,
    ) -> PyResult<PyDeckCheck> {
        let arguments = CheckArguments {
            hardware,
            catalogs,
            parity,
            profile,
            system_config,
            lpar,
            software,
            sharing,
            advice,
            blade_ports,
            for_iocds,
        };
        arguments.check(py, self)
    }

    /// Compares the deck with `other`, by what activating the other over this one adds, deletes and modifies. Raises `StudyError`
    /// for a deck of which nothing is understood.
    fn diff(&self, py: Python<'_>, other: &Self) -> PyResult<PyDeckDiff> {
        PyDeckDiff::of(py, self, other)
    }

    /// Draws the deck from partitions to devices as SVG; `unfold` unfolds every group.
    #[pyo3(signature = (*, unfold=false, **filters))]
    fn draw(&self, py: Python<'_>, unfold: bool, filters: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let selection = self.selection(py, filters)?;
        Ok(py.detach(|| deck_svg(&selection.part(), unfold)))
    }

    /// Draws the deck as an HTML page that stands alone, with folding groups and a search.
    #[pyo3(signature = (*, unfold=false, **filters))]
    fn page(&self, py: Python<'_>, unfold: bool, filters: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let selection = self.selection(py, filters)?;
        Ok(py.detach(|| deck_page(&selection.part(), unfold)))
    }

    /// Returns the whole deck, or the statements that pass the filters, as `halftrack deck export --json` writes them.
    #[pyo3(signature = (**filters))]
    fn to_dict<'py>(
        &self,
        py: Python<'py>,
        filters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &json::json(&self.file, &self.reading, &self.selection(py, filters)?))
    }

    /// Returns comma-separated values of `table`: `chpid`, `cu`, `device`, `function` or `path`.
    #[pyo3(signature = (table, **filters))]
    fn csv(&self, py: Python<'_>, table: &str, filters: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let tables = [
            ("chpid", CsvTable::Chpid),
            ("cu", CsvTable::ControlUnit),
            ("device", CsvTable::Device),
            ("function", CsvTable::Function),
            ("path", CsvTable::Path),
        ];
        let table = word("table", table, &tables)?;
        Ok(csv(&self.selection(py, filters)?, table))
    }

    /// Returns a report in the manner of IOCP: `pchid`, `chpid`, `path`, `cu`, `device`, `function`, `hcd`, or `all`.
    #[pyo3(signature = (report="all", **filters))]
    fn show(&self, py: Python<'_>, report: &str, filters: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let reports = [
            ("pchid", Some(Report::Pchid)),
            ("chpid", Some(Report::Chpid)),
            ("path", Some(Report::ChannelPath)),
            ("cu", Some(Report::ControlUnit)),
            ("device", Some(Report::Device)),
            ("function", Some(Report::Function)),
            ("hcd", Some(Report::Annotation)),
            ("all", None),
        ];
        let selection = self.selection(py, filters)?;
        Ok(match word("report", report, &reports)? {
            Some(report) => report.of(&selection),
            None => {
                let all = REPORTS.into_iter().filter(|report| report.applies_to(selection.deck));
                all.map(|report| report.of(&selection)).collect::<Vec<_>>().join("\n")
            }
        })
    }

    /// Returns the parts of each physical channel, as `halftrack deck show structure --json` prints them; `hardware` is a file of
    /// installed features.
    #[pyo3(signature = (*, hardware=None, catalogs=Vec::new(), **filters))]
    fn structure<'py>(
        &self,
        py: Python<'py>,
        hardware: Option<PathBuf>,
        catalogs: Vec<PathBuf>,
        filters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let cards = hardware.map(|path| crate::deck_hardware::hardware(py, &path, &catalogs)).transpose()?;
        let (catalog, _) = load_catalog(&catalogs).map_err(|error| load_error(py, &error))?;
        objects(py, &structure_json(&self.selection(py, filters)?, &catalog, cards.as_ref()).to_string())
    }

    /// Returns the channel-to-channel connections within the deck, or with the deck of another machine, as
    /// `halftrack deck ctc --json` prints them. `ports` maps channels to director ports, such as "0.41" to "1121" and "B:0.40" of
    /// the other deck. Raises `ValueError` for words that are no port.
    #[pyo3(signature = (other=None, *, ports=None))]
    fn connections<'py>(
        &self,
        py: Python<'py>,
        other: Option<&Self>,
        ports: Option<&Bound<'py, PyMapping>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let decks = self.understood_with(py, other)?;
        objects(py, &connections_json(&connections(&decks, &given_ports(ports)?)).to_string())
    }

    /// Plans a logical link of ISFC between two z/VM systems of the deck, or of this deck and that of another machine.
    ///
    /// `over` are channels that both systems share or have, such as "40", and "40=41" for one at each; without any, the size of
    /// a link is returned. `between` names the two partitions, such as ("LP1", "B:LP2"), where the decks have others. `ports`
    /// are as in `connections`; `nodes` maps partitions to the names of their systems. `per_channel` is the number of devices
    /// on each channel, `device` the first device number. `rate` is wanted and `channel_rate` that of one channel, both in MB/s
    /// (10^6 bytes a second) written by each system.
    ///
    /// Raises `ValueError` for an argument that is none, and `StudyError` with every reason, in words of the command's options,
    /// for which there is no link.
    #[pyo3(signature = (other=None, *, over=None, between=None, ports=None, nodes=None, per_channel=None, device=None,
                        rate=None, channel_rate=None))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of Python")]
    fn islink(
        &self,
        py: Python<'_>,
        other: Option<&Self>,
        over: Option<&Bound<'_, PyAny>>,
        between: Option<(String, String)>,
        ports: Option<&Bound<'_, PyMapping>>,
        nodes: Option<&Bound<'_, PyMapping>>,
        per_channel: Option<usize>,
        device: Option<&Bound<'_, PyAny>>,
        rate: Option<f64>,
        channel_rate: Option<f64>,
    ) -> PyResult<PyDeckIslink> {
        let decks = self.understood_with(py, other)?;
        let arguments =
            IslinkArguments { over, between, ports, nodes, per_channel, device, rate, channel_rate };
        arguments.plan(py, &decks, &self.options)
    }

    /// Returns the cables of the deck, each a dictionary; an unknown cell is None. `hardware` is a file of installed features,
    /// `plant` the plant file of a study, which has far ends and lengths.
    #[pyo3(signature = (*, hardware=None, plant=None, catalogs=Vec::new()))]
    fn cables<'py>(
        &self,
        py: Python<'py>,
        hardware: Option<PathBuf>,
        plant: Option<PathBuf>,
        catalogs: Vec<PathBuf>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let hardware =
            hardware.map(|path| crate::deck_hardware::hardware(py, &path, &catalogs)).transpose()?;
        let plant = plant.map(|path| crate::deck_hardware::plant(py, &path)).transpose()?;
        let list = CableList::new(self.understood(py)?, &hardware.unwrap_or_default(), plant.as_ref());
        objects(py, &list.to_json())?.get_item("cables")
    }

    /// Assigns PCHIDs on the hardware of a file: the mapped deck, and the mapping as `halftrack deck map --json` prints it.
    /// `all` assigns coded PCHIDs anew, too; `parity` keeps odd functions in odd resource groups.
    #[pyo3(signature = (hardware_file, *, all=false, parity=false, catalogs=Vec::new()))]
    fn map<'py>(
        &self,
        py: Python<'py>,
        hardware_file: PathBuf,
        all: bool,
        parity: bool,
        catalogs: Vec<PathBuf>,
    ) -> PyResult<(Self, Bound<'py, PyAny>)> {
        let hardware = hardware(py, &hardware_file, &catalogs)?;
        let mapping = DeckMapping::new(self.understood(py)?, &hardware, MapOptions { all, parity });
        let text = mapping.mapped_text(&self.reading);
        let mapped = Self::of_octets(py, self.name(), text.into_bytes(), self.options.clone())?;
        Ok((mapped, objects(py, &mapping.to_json())?))
    }

    /// Returns the deck in canonical layout.
    fn format(&self) -> String {
        format(&self.reading.script)
    }

    /// Writes the deck to the file `path`, byte for byte as it was read. Raises `OSError` where it cannot be written.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let octets = self.file.to_bytes(self.text());
        let octets = octets.map_err(|found| PyOSError::new_err(found.to_string()))?;
        written(py.detach(|| write_file(&path, &octets)))
    }

    fn __repr__(&self) -> String {
        let statements = self.reading.script.statements.len();
        std::format!(
            "Deck({:?}, statements={statements}, valid={})",
            self.name(),
            if self.valid() { "True" } else { "False" }
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        notebook::picture(py, &deck_svg(self.understood(py)?, false))
    }
}
