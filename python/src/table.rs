//! Class `Table`: columns of Arrow, which other libraries read without a copy.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, LargeStringArray, RecordBatch, RecordBatchIterator,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use halftrack::report::Frame;
use halftrack_arrow::{DEFINITION, UNIT, record_batch};
use pyo3::exceptions::{PyImportError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::notebook::escaped;

/// Rows that a notebook shows.
const SHOWN_ROWS: usize = 20;

/// A table of Arrow columns.
///
/// Libraries that read the Arrow PyCapsule interface take it as it is, without a copy: `polars.DataFrame(table)`,
/// `pyarrow.table(table)`, `duckdb.sql("select * from table")`. Fields have `unit` and `definition` as metadata.
#[pyclass(frozen, module = "halftrack", name = "Table")]
#[derive(Debug, Clone)]
pub(crate) struct PyTable {
    batch: RecordBatch,
}

impl From<Frame> for PyTable {
    fn from(frame: Frame) -> Self {
        Self { batch: record_batch(frame) }
    }
}

impl From<RecordBatch> for PyTable {
    fn from(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

impl PyTable {
    fn metadata(&self, key: &str) -> Vec<(String, String)> {
        let schema = self.batch.schema();
        let of_field =
            |field: &arrow_schema::FieldRef| Some((field.name().clone(), field.metadata().get(key)?.clone()));
        schema.fields().iter().filter_map(of_field).collect()
    }

    /// Returns the first rows as markup of a page, with units under the names of the columns.
    ///
    /// # Errors
    /// A cell that Python cannot show.
    pub(crate) fn html(&self, py: Python<'_>) -> PyResult<String> {
        let units = self.units();
        let mut html = "<table><thead><tr>".to_owned();
        for name in self.column_names() {
            let unit = units.get(&name).map(|unit| format!("<br>{}", escaped(unit))).unwrap_or_default();
            html += &format!("<th>{}{unit}</th>", escaped(&name));
        }
        html += "</tr></thead><tbody>";
        for row in 0..self.num_rows().min(SHOWN_ROWS) {
            html += "<tr>";
            for column in self.batch.columns() {
                let cell = cell(py, column, row)?;
                let text = if cell.is_none() { String::new() } else { cell.str()?.to_string() };
                html += &format!("<td>{}</td>", escaped(&text));
            }
            html += "</tr>";
        }
        html += "</tbody></table>";
        if let Some(more) = self.num_rows().checked_sub(SHOWN_ROWS + 1) {
            html += &format!("<p>and {} more rows</p>", more + 1);
        }
        Ok(html)
    }

    fn name(&self, column: usize) -> String {
        self.batch.schema().field(column).name().clone()
    }
}

/// Columns of a table that is made row by row of texts, numbers and truth values.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    /// Adds a column of texts.
    pub(crate) fn texts(
        &mut self,
        name: &str,
        definition: &str,
        cells: impl Iterator<Item = Option<String>>,
    ) {
        self.add(name, "", definition, Arc::new(cells.collect::<LargeStringArray>()));
    }

    /// Adds a column of numbers in `unit`, which may be empty.
    pub(crate) fn numbers(
        &mut self,
        name: &str,
        unit: &str,
        definition: &str,
        cells: impl Iterator<Item = Option<f64>>,
    ) {
        self.add(name, unit, definition, Arc::new(cells.collect::<Float64Array>()));
    }

    /// Adds a column of truth values.
    pub(crate) fn flags(&mut self, name: &str, definition: &str, cells: impl Iterator<Item = Option<bool>>) {
        self.add(name, "", definition, Arc::new(cells.collect::<BooleanArray>()));
    }

    fn add(&mut self, name: &str, unit: &str, definition: &str, array: ArrayRef) {
        let mut metadata = HashMap::from([(DEFINITION.to_owned(), definition.to_owned())]);
        if !unit.is_empty() {
            metadata.insert(UNIT.to_owned(), unit.to_owned());
        }
        self.fields.push(Field::new(name, array.data_type().clone(), true).with_metadata(metadata));
        self.arrays.push(array);
    }

    /// Returns the table.
    ///
    /// # Errors
    /// Columns of unlike lengths.
    pub(crate) fn table(self) -> PyResult<PyTable> {
        let batch = RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays);
        batch.map(PyTable::from).map_err(|error| PyTypeError::new_err(error.to_string()))
    }
}

/// Returns one cell as an object of Python.
fn cell<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::Float64 => {
            Ok(column.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::UInt64 => Ok(column.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any()),
        DataType::LargeUtf8 => Ok(column.as_string::<i64>().value(row).into_pyobject(py)?.into_any()),
        DataType::Boolean => Ok(column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any()),
        other => Err(PyTypeError::new_err(format!("no object of Python for a cell of {other}"))),
    }
}

/// Returns a module of a library that the package itself does not need.
fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        let words = format!("{name} is missing; install it: pip install {name}");
        let missing = PyImportError::new_err(words);
        missing.set_cause(py, Some(error));
        missing
    })
}

#[pymethods]
impl PyTable {
    /// Returns a capsule with the stream of the columns: the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore the request where it cannot meet it (Arrow PyCapsule interface).
        let _ = requested_schema;
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// Returns a capsule with the schema: the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| PyTypeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        (0..self.batch.num_columns()).map(|column| self.name(column)).collect()
    }

    /// Units of the columns that have one, by name.
    #[getter]
    fn units(&self) -> HashMap<String, String> {
        self.metadata(UNIT).into_iter().collect()
    }

    /// Definitions of the columns, by name.
    #[getter]
    fn definitions(&self) -> HashMap<String, String> {
        self.metadata(DEFINITION).into_iter().collect()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// Returns the cells of one column. Raises `KeyError` for a name that the table does not have.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column_by_name(name).ok_or_else(|| {
            PyKeyError::new_err(format!("no column {name}; the table has {}", self.column_names().join(", ")))
        })?;
        let cells = (0..self.num_rows()).map(|row| cell(py, column, row)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, cells)
    }

    /// Returns the rows, each a dictionary by the names of the columns.
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.column_names();
        let rows = PyList::empty(py);
        for row in 0..self.num_rows() {
            let dictionary = PyDict::new(py);
            for (name, column) in names.iter().zip(self.batch.columns()) {
                dictionary.set_item(name, cell(py, column, row)?)?;
            }
            rows.append(dictionary)?;
        }
        Ok(rows)
    }

    /// Returns a `polars.DataFrame` of the same memory. Raises `ImportError` without Polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        library(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }

    /// Returns a `pyarrow.Table` of the same memory. Raises `ImportError` without PyArrow.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        library(slf.py(), "pyarrow")?.call_method1("table", (slf,))
    }

    /// Returns a `pandas.DataFrame`. Raises `ImportError` without pandas and PyArrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        library(slf.py(), "pandas")?;
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    fn __repr__(&self) -> String {
        format!("Table(rows={}, columns={:?})", self.num_rows(), self.column_names())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.html(py)
    }
}
