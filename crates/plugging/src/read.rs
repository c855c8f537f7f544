//! Hardware in either form.

use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_input::{Diagnostic, SourceFile};

use crate::ao_report::{is_ao_report, read_ao_report};
use crate::hardware::Hardware;
use crate::hardware_file::read_hardware_file;

/// Reads a hardware file or a configuration report with an AO Data table, whichever `source` is. With everything that
/// is wrong with it.
pub fn read_hardware(source: &Arc<SourceFile>, catalog: &Catalog) -> (Option<Hardware>, Vec<Diagnostic>) {
    if is_ao_report(&source.text) {
        return read_ao_report(source, catalog);
    }
    read_hardware_file(source, catalog)
}
