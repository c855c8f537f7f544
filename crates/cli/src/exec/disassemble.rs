//! `--disassemble`: octets of a file as a program text.

use std::fs;
use std::path::Path;

use clap::ValueEnum;
use halftrack_exec::{Image, disassemble as text_of, disassemble_tccb};
use halftrack_program::{CcwFormat, IdawFormat, Orb, OrbFlags, OrbProgram};

use crate::failure::Failure;
use crate::standard_output::print;

/// Kind of octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// CCWs of format 0, and the data behind them
    Ccw0,
    /// CCWs of format 1, and the data behind them
    Ccw1,
    /// A transport-command-control block
    Tccb,
}

/// Most octets that are read.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Storage for them: all that format 0 can address.
const STORAGE_BYTES: u64 = 16 << 20;

/// Parses an address on the command line: decimal, or hexadecimal behind `0x`.
///
/// # Errors
/// The expected form.
pub fn address(argument: &str) -> Result<u32, String> {
    let parsed = match argument.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => argument.parse().ok(),
    };
    let wanted = |address: &u32| address.is_multiple_of(8) && u64::from(*address) < STORAGE_BYTES;
    parsed.filter(wanted).ok_or_else(|| "a multiple of 8 below 16 MiB is expected: 4096 or 0x1000".to_owned())
}

/// Prints the text.
///
/// # Errors
/// The file cannot be read.
pub fn disassemble(kind: Kind, file: &Path, at: u32) -> Result<bool, Failure> {
    let refused = |reason: String| Failure::Argument(format!("{}: {reason}", file.display()));
    let length = fs::metadata(file).map_err(|error| refused(error.to_string()))?.len();
    if length > FILE_BYTES_MAX - u64::from(at) {
        return Err(refused(format!("{length} bytes at 0x{at:X} go beyond 16 MiB of storage")));
    }
    let octets = fs::read(file).map_err(|error| refused(error.to_string()))?;
    let text = match kind {
        Kind::Tccb => disassemble_tccb(&octets),
        Kind::Ccw0 => ccws(octets, at, CcwFormat::Zero),
        Kind::Ccw1 => ccws(octets, at, CcwFormat::One),
    };
    print(&text)?;
    Ok(true)
}

fn ccws(octets: Vec<u8>, at: u32, ccw_format: CcwFormat) -> String {
    let program = OrbProgram::Command {
        flags: OrbFlags::default(),
        ccw_format,
        idaw_format: IdawFormat::TwoWith4K,
        address: at,
    };
    let orb = Orb { interruption_parameter: 0, key: 0, path_mask: 0xFF, program, priorities: None };
    text_of(&Image::start(STORAGE_BYTES, &[(u64::from(at), octets)], orb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_ccws() {
        assert_eq!(address("0x1000"), Ok(0x1000));
        assert_eq!(address("4096"), Ok(4096));
        assert!(address("0x1004").is_err() && address("0x1000000").is_err() && address("here").is_err());
    }
}
