//! Studies, runs, decks and sweeps in Python: classes over the facade, without a formula of their own.

/// Native part of the package `halftrack`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
