//! Any octets are a configuration report, or a hardware file.
#![no_main]

use std::sync::OnceLock;

use halftrack_catalog::Catalog;
use libfuzzer_sys::fuzz_target;

mod hardware_checks;

static CATALOG: OnceLock<Catalog> = OnceLock::new();

fuzz_target!(|octets: &[u8]| {
    let catalog = CATALOG.get_or_init(|| Catalog::load(&[]).0);
    hardware_checks::hardware(octets, catalog);
});
