//! Pictures and texts as a notebook shows them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Returns an SVG file as markup of a page: an image of its own, whose styles are not those of the page.
///
/// # Errors
/// An interpreter without its standard library.
pub(crate) fn picture(py: Python<'_>, svg: &str) -> PyResult<String> {
    let octets = PyBytes::new(py, svg.as_bytes());
    let coded = py.import("base64")?.call_method1("b64encode", (octets,))?.call_method0("decode")?;
    Ok(format!("<img style=\"max-width:100%\" src=\"data:image/svg+xml;base64,{coded}\">"))
}

/// Returns `text` as markup of a page, its blanks and lines as they are.
pub(crate) fn text(text: &str) -> String {
    format!("<pre>{}</pre>", escaped(text))
}

/// Returns `text` with what would be markup written as text.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
