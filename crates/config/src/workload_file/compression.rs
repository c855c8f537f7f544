//! `[compression_software]`: compression where no card takes the data. The work of cards, `[[compression]]`, is read as that of a load
//! file is.

use halftrack_input::{Expect, Fields};

/// Highest rate of one processor, MB/s.
const MB_PER_S_MAX: f64 = 1e6;

/// Reads the data that one processor compresses, MB/s.
pub(super) fn read_software(fields: &mut Fields<'_>) -> Option<f64> {
    fields.optional_table("compression_software", |software| {
        Some(software.required("mb_per_s", Expect::positive(MB_PER_S_MAX))?.value)
    })
}
