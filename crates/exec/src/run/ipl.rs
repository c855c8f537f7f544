//! Initial program load: 24 bytes into location 0, then whatever the two CCWs among them do.

use std::sync::Arc;

use halftrack_input::{Diagnostic, SourceFile};
use halftrack_program::Device;
use serde::Serialize;

use crate::assembly::program::{Program, assemble};
use crate::run::record::{Hex, Report};
use crate::run::running::{RunOptions, Running};

/// Load of the channel subsystem: Read IPL of 24 bytes into location 0, chained to the CCW that came to location 8
/// (Principles of Operation, initial program loading). On a machine the CCW itself is not in storage; here it lies at
/// the end of storage.
const LOAD: &str = "storage 16M\nstart format 0 @0xFFFFF0\n    read-ipl CC SLI 24 @0\n    tic 8\n";
/// Bytes of the PSW that a load leaves at location 0.
const PSW_BYTES: usize = 8;

/// Storage that a load filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loaded {
    /// Absolute address.
    pub address: u64,
    /// The octets.
    pub octets: Hex,
}

/// A load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ipl {
    /// The chain and its ending.
    pub report: Report,
    /// The PSW at location 0.
    pub psw: Hex,
    /// The PSW in words.
    pub psw_words: String,
    /// Contents of storage that are not zero, in order.
    pub loaded: Vec<Loaded>,
    /// Storage from 0 to the last octet that was loaded.
    #[serde(skip)]
    pub storage: Vec<u8>,
}

/// Returns the program of a load.
///
/// # Errors
/// None: the text is a constant, and a test holds it.
pub fn ipl_program() -> Result<Program, Vec<Diagnostic>> {
    let source: Arc<SourceFile> = SourceFile::new("initial program load", LOAD);
    assemble(&source, &|_| Err("a load names no file".to_owned()))
}

/// Loads from `device` by `program`, which is that of [`ipl_program`].
pub fn ipl<D: Device>(program: &Program, device: &mut D, options: RunOptions) -> Ipl {
    let (report, storage) = Running::new(program, device, options).run();
    let own = program.segments.first().map_or(storage.bytes().len(), |segment| segment.address as usize);
    let loadable = &storage.bytes()[..own.min(storage.bytes().len())];
    let end = loadable.len() - loadable.iter().rev().take_while(|octet| **octet == 0).count();
    let storage = loadable[..end].to_vec();
    let psw = loadable[..PSW_BYTES.min(loadable.len())].to_vec();
    let psw_words = psw_words(&psw);
    let loaded = crate::disassembly::image::Image::new(16 << 20, &[(0, storage.clone())], Vec::new());
    let loaded = loaded.runs().map(|(address, octets)| Loaded { address, octets: Hex(octets.to_vec()) });
    Ipl { report, psw: Hex(psw), psw_words, loaded: loaded.collect(), storage }
}

/// Returns the short PSW of a load: system mask, key, whether it is disabled and waits, condition and addressing mode,
/// instruction address.
fn psw_words(psw: &[u8]) -> String {
    let Some(psw) = psw.first_chunk::<PSW_BYTES>() else { return String::new() };
    let [_, second, _, fourth, word @ ..] = psw;
    let address = u32::from_be_bytes(*word);
    let mode = if address & 0x8000_0000 != 0 { 31 } else { 24 };
    let mut parts = vec![format!("instruction address 0x{:X}", address & 0x7FFF_FFFF)];
    parts.push(format!("{mode}-bit addressing"));
    parts.push(format!("key {}", second >> 4));
    if second & 0x08 == 0 {
        parts.push("bit 12 is off: no short PSW of ESA/390".to_owned());
    }
    if second & 0x02 != 0 {
        parts.push("wait".to_owned());
    }
    if second & 0x01 != 0 {
        parts.push("problem state".to_owned());
    }
    if fourth & 0x01 != 0 {
        parts.push("64-bit addressing requested".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_assembles() {
        let program = ipl_program().expect("no mistake in it");
        let octets: Vec<u8> = program.segments.iter().flat_map(|segment| segment.octets.clone()).collect();
        assert_eq!(octets, [0x02, 0, 0, 0, 0x60, 0, 0, 24, 0x08, 0, 0, 8, 0, 0, 0, 0]);
    }

    #[test]
    fn a_psw_is_said_in_words() {
        let words = psw_words(&[0, 0x0A, 0, 0, 0x80, 0x00, 0x08, 0x00]);
        assert_eq!(words, "instruction address 0x800, 31-bit addressing, key 0, wait");
    }
}
