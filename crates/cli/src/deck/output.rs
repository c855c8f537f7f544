//! Output of a deck: into a file, or on standard output as it is, in any encoding.

use std::path::Path;

use halftrack::OutputFile;

use crate::failure::Failure;
use crate::standard_output::print_octets;

/// Writes `bytes` to `place`, or to standard output.
///
/// # Errors
/// When they cannot be written.
pub fn put(bytes: &[u8], place: Option<&Path>) -> Result<(), Failure> {
    if let Some(place) = place {
        return Ok(OutputFile::new(place)?.write(bytes)?);
    }
    Ok(print_octets(bytes)?)
}
