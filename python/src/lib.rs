//! Studies, runs, decks and sweeps in Python: classes over the facade, without a formula of their own.

mod capture;
mod deck;
mod deck_check;
mod deck_diff;
mod deck_filter;
mod deck_hardware;
mod deck_islink;
mod diagnostic;
mod display;
mod explain;
mod json;
mod new_study;
mod notebook;
mod outcomes;
mod output;
mod progress;
mod published;
mod run;
mod run_options;
mod study;
mod sweep;
mod table;
mod task;
mod value;

/// Native part of the package `halftrack`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::capture::PyCapture;
    #[pymodule_export]
    use crate::deck::PyDeck;
    #[pymodule_export]
    use crate::deck_check::PyDeckCheck;
    #[pymodule_export]
    use crate::deck_diff::PyDeckDiff;
    #[pymodule_export]
    use crate::deck_hardware::installed_cards;
    #[pymodule_export]
    use crate::deck_islink::PyDeckIslink;
    #[pymodule_export]
    use crate::display::PyDisplay;
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::new_study::{new_study, study_models};
    #[pymodule_export]
    use crate::outcomes::Outcomes;
    #[pymodule_export]
    use crate::progress::Progress;
    #[pymodule_export]
    use crate::published::published;
    #[pymodule_export]
    use crate::published::quantities;
    #[pymodule_export]
    use crate::run::PyRun;
    #[pymodule_export]
    use crate::study::PyStudy;
    #[pymodule_export]
    use crate::sweep::{PySweep, VersionMismatch};
    #[pymodule_export]
    use crate::table::PyTable;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("MODEL_VERSION", halftrack::MODEL_VERSION)
    }
}
